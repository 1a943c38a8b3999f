//! The other way to script this plugin: a table of inputs and outputs, given as an option. For tests of a host.
//!
//! A row is `on COMMAND`, then one output per line (`words.rs`), indented. A command is written as one line (`asked.rs`): the row
//! whose words are the longest beginning of it answers; each command is also told as a note, so that what reached the
//! provider is seen. `after MS` puts the rest of a row behind a timer. What has no row: `start` and `open-thread` go well,
//! the rest is unsupported. **It says what the table says, whatever capabilities the second option declares for it.**
//! Tests: below, and the flag cases of the workspace.

mod asked;
mod words;

use std::collections::{BTreeMap, VecDeque};

use jackfield_sdk::prelude::*;
use serde_json::Value;

/// Where the thread of a table stands when no row names one.
const THREAD: &str = "T";

/// A table at work.
#[derive(Debug)]
pub struct Table {
    rows: Vec<(String, Vec<String>)>,
    later: BTreeMap<u32, Pending>,
    /// The command that sent the newest message: what `start` and `end` are about.
    sent: Option<u32>,
}

/// Lines of a row that are still to come, and the command they belong to.
#[derive(Debug, Clone)]
struct Pending {
    op: u32,
    /// The same, when it sent a message: what `start` and `end` are about.
    sent: Option<u32>,
    lines: VecDeque<String>,
}

impl Table {
    /// The table of the options, if there is one.
    pub fn of(options: &Value) -> Option<Self> {
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for line in options.get("table")?.as_str()?.lines().filter(|line| !line.trim().is_empty()) {
            match (line.strip_prefix("on "), rows.last_mut()) {
                (Some(on), _) => rows.push((on.trim().to_owned(), Vec::new())),
                (None, Some((_, lines))) => lines.push(line.trim().to_owned()),
                (None, None) => {}
            }
        }
        Some(Table { rows, later: BTreeMap::new(), sent: None })
    }

    /// The set that the options declare for this session.
    pub fn capabilities(options: &Value) -> Option<CapabilitySet> {
        let told = options.get("capabilities")?.as_object()?;
        let version = options.get("version").and_then(Value::as_str).map(str::to_owned);
        let value = |value: &Value| match value {
            Value::Bool(flag) => CapabilityValue::Flag(*flag),
            Value::Number(count) => CapabilityValue::Count(count.as_u64().unwrap_or_default() as u32),
            Value::String(word) => CapabilityValue::Word(word.clone()),
            other => CapabilityValue::Other(Other { name: "json".into(), json: other.to_string() }),
        };
        let capabilities = told.iter().map(|(name, told)| Capability { name: name.clone(), value: value(told) });
        Some(CapabilitySet {
            revision: 1,
            provider_version: version.or_else(|| Some("table-1".into())),
            capabilities: capabilities.collect(),
        })
    }

    /// Answers a command by its row.
    pub fn command(&mut self, cx: &mut Cx, command: &Command) {
        let op = command.op;
        let asked = asked::line(command);
        if !matches!(command.body, CommandBody::Start(_)) {
            cx.event(EventBody::Note(Note::new(Level::Info, "told", asked.clone())));
        }
        if matches!(command.body, CommandBody::SendRun(_)) {
            self.sent = Some(op);
        }
        let fitting = self.rows.iter().filter(|(on, _)| asked.starts_with(on.as_str()));
        let Some((_, lines)) = fitting.max_by_key(|(on, _)| on.len()) else {
            match command.body {
                CommandBody::Start(_) => cx.done(op, OpValue::Accepted),
                CommandBody::OpenThread(_) => cx.done(op, OpValue::Thread(thread(THREAD))),
                _ => {}
            }
            return;
        };
        if lines.iter().any(|line| line.starts_with("done") || line.starts_with("fail")) {
            cx.hold(op);
        }
        let sent = matches!(command.body, CommandBody::SendRun(_)).then_some(op);
        self.go_on(cx, Pending { op, sent, lines: lines.iter().cloned().collect() });
    }

    /// A timer of a row.
    pub fn timer(&mut self, cx: &mut Cx, timer: u32) {
        if let Some(pending) = self.later.remove(&timer) {
            self.go_on(cx, pending);
        }
    }

    fn go_on(&mut self, cx: &mut Cx, mut pending: Pending) {
        while let Some(line) = pending.lines.pop_front() {
            if let Some(ms) = line.strip_prefix("after ") {
                let timer = cx.timer(ms.trim().parse().unwrap_or(1.0));
                self.later.insert(timer, pending);
                return;
            }
            words::say(cx, &line, pending.op, pending.sent.or(self.sent));
        }
    }
}

fn thread(id: &str) -> Thread {
    Thread { cursor: Some(format!("cursor-{id}")), ..Thread::new(id, ThreadState::Idle) }
}
