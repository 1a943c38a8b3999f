//! Tools of the host's own: the client names them, the provider calls them by a request, and the client answers with what came
//! of it. Who calls one that there is not, and who waits too long, is answered here.
//!
//! **A call is a request like any other: answered once, closed when its run ends; that no result came in time is told as that,
//! and is no refusal.** Tests: `tests/tests/operations.rs`, `tests/tests/input.rs`.

use super::begin::FIRST;
use super::ops::Purpose;
use super::outlet::fault;
use super::rules::RuleAnswer;
use super::task::Task;
use jackfield_core::contract::{CommandBody, Content, Fault, FaultKind, Reply, ToolOutput, ToolSpec};
use jackfield_core::event::{Draft, EventBody, RequestSubject};
use jackfield_core::id::RequestId;
use jackfield_core::limits::Limits;
use jackfield_core::policy::Intent;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::Instant;

/// Who answers a call that no client may answer any more.
const TOO_LATE: &str = "no result in time";
const NO_TOOL: &str = "no such tool";

/// The tools that the provider knows, and the calls that wait.
#[derive(Default)]
pub(super) struct HostTools {
    known: Vec<ToolSpec>,
    calls: BTreeMap<RequestId, Instant>,
}

impl HostTools {
    /// These are the provider's from now on, whole.
    pub(super) fn know(&mut self, tools: &[ToolSpec]) {
        self.known = tools.to_vec();
    }

    /// True when these are the provider's already.
    pub(super) fn are(&self, tools: &[ToolSpec]) -> bool {
        self.known == tools
    }

    /// When the next call has waited long enough.
    pub(super) fn next(&self) -> Option<Instant> {
        self.calls.values().min().copied()
    }
}

/// What is wrong with these tools.
pub(crate) fn check(tools: &[ToolSpec], limits: &Limits) -> Result<(), Fault> {
    let wrong = |text: String| Err(fault(FaultKind::Invalid, text));
    if tools.len() as u64 > limits.host_tools {
        return wrong(format!("{} tools; at most {} (limit host_tools)", tools.len(), limits.host_tools));
    }
    let mut names = BTreeSet::new();
    for ToolSpec { name, input_schema, .. } in tools {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
            return wrong(format!("a tool's name has 1 to 64 letters, digits, - and _; {name:?} has not"));
        }
        if !names.insert(name) {
            return wrong(format!("two tools are called {name:?}"));
        }
        if serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(input_schema).is_err() {
            return wrong(format!("the input of the tool {name:?} is told by a JSON Schema, which is an object"));
        }
    }
    Ok(())
}

impl Task {
    /// Between the session's start and its thread: the tools that the thread was given.
    pub(super) async fn give_tools(&mut self) {
        let tools = self.start.instance.tools.clone();
        if tools.is_empty() {
            return self.open_thread(FIRST).await;
        }
        if let Some(decision) = self.first_not_native(vec![Intent::RegisterTools]) {
            let reason = format!("tools of the host's are given to this thread, and {}", decision.reason());
            return self.start_failed(fault(FaultKind::Unsupported, reason));
        }
        self.tools.know(&tools);
        Box::pin(self.command(FIRST, Purpose::HostTools, None, CommandBody::RegisterTools(tools), None)).await;
    }

    /// Keeps an eye on calls; one of a tool that there is not is answered at once.
    pub(super) fn watch_calls(&mut self, draft: &Draft) {
        match &draft.body {
            EventBody::RequestOpened { request } if !draft.origin.replayed => {
                let RequestSubject::HostTool { tool } = &request.subject else { return };
                let name = tool.name.clone().unwrap_or_default();
                if self.tools.known.iter().any(|tool| tool.name == name) {
                    let within = Duration::from_millis(self.shared.limits.host_tool_ms);
                    self.tools.calls.insert(request.id.clone(), Instant::now() + within);
                } else {
                    self.fail_call(request.id.clone(), format!("There is no tool {name:?}."), NO_TOOL);
                }
            }
            EventBody::RequestResolved { request, .. } => drop(self.tools.calls.remove(request)),
            _ => {}
        }
    }

    /// Calls whose client took too long.
    pub(super) fn calls_overdue(&mut self, now: Instant) {
        let due: Vec<RequestId> =
            self.tools.calls.iter().filter(|(_, at)| **at <= now).map(|(request, _)| request.clone()).collect();
        for request in due {
            self.tools.calls.remove(&request);
            let seconds = self.shared.limits.host_tool_ms / 1000;
            self.fail_call(request, format!("The tool gave no result within {seconds} s."), TOO_LATE);
        }
    }

    fn fail_call(&mut self, request: RequestId, text: String, by: &str) {
        let output = ToolOutput { content: vec![Content::Text(text)], failed: true };
        self.by_rule.push_back(RuleAnswer { request, reply: Reply::Output(output), by: by.to_owned() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_no_provider_could_be_given_are_refused() {
        let tool = |name: &str, schema: &str| ToolSpec {
            name: name.into(),
            description: "d".into(),
            input_schema: schema.into(),
        };
        let limits = Limits::default();
        assert!(check(&[tool("a", "{}"), tool("b-c_9", r#"{"type":"object"}"#)], &limits).is_ok());
        for (tools, word) in [
            (vec![tool("", "{}")], "name"),
            (vec![tool("a b", "{}")], "name"),
            (vec![tool(&"a".repeat(65), "{}")], "name"),
            (vec![tool("a", "{}"), tool("a", "{}")], "two tools"),
            (vec![tool("a", "[]")], "JSON Schema"),
            (vec![tool("a", "nothing")], "JSON Schema"),
            ((0..=limits.host_tools).map(|n| tool(&format!("t{n}"), "{}")).collect(), "host_tools"),
        ] {
            assert!(check(&tools, &limits).expect_err(word).message.contains(word), "{word}");
        }
    }
}
