//! Answers to requests: held against the operator's rules, recorded, let through the guard, and given to the plugin.
//!
//! **An answer is given through the seat of the request's own thread; it counts once it has left for the provider.**

use super::AskError;
use super::ask::Reply1;
use super::granted::Granted;
use super::ops::Purpose;
use super::outlet::fault;
use super::task::Task;
use crate::audit::{Record, Verdict};
use jackfield_core::contract::{self, CommandBody, Fault, FaultKind};
use jackfield_core::event::Request;
use jackfield_core::guard::Authorization;
use jackfield_core::id::RequestId;
use jackfield_core::requests::{AnswerError, Reply};
use serde_json::Value;

impl Task {
    pub(super) async fn answer(&mut self, at: usize, request: RequestId, reply: Reply, by: String, done: Reply1<()>) {
        let its = self.normalizer.thread_of_request(&request);
        if its.is_some_and(|its| its != self.seats[at].thread()) {
            let _ = done.send(Err(AnswerError::NotFound { id: request.to_string() }.into()));
            return;
        }
        if self.normalizer.awaits(&request) {
            return self.hold_answer(at, request, reply, by, done);
        }
        let asked = self.asked(&request);
        let Some((reply, done)) = self.answer_login(at, asked.as_ref(), reply, &by, done).await else { return };
        if let Some(refusal) = asked.as_ref().and_then(|asked| self.against_a_rule(asked, &reply)) {
            let _ = done.send(Err(refusal));
            return;
        }
        match self.normalizer.answer(&request, reply, &by) {
            Ok(answer) => self.send_answer(at, request, asked, answer, &by, Some(done)).await,
            Err(error) => {
                let _ = done.send(Err(error.into()));
            }
        }
    }

    /// The rule that stands against an answer: it forbids the input as it was edited, or the provider would stop asking for
    /// what it forbids.
    fn against_a_rule(&mut self, asked: &Request, reply: &Reply) -> Option<AskError> {
        let granted = Granted::of(asked, reply);
        let native = self.normalizer.native_request(&asked.id)?.to_owned();
        let denied = granted.edited_input.as_ref().and_then(|input| self.outlet.denies_edit(&native, input));
        if let Some(rule) = denied {
            self.note("answer", &rule, serde_json::json!({ "request": asked.id, "edited": true, "taken": false }));
            return Some(AskError::Rule(format!("the edited input is what the rule '{rule}' forbids")));
        }
        let outlived = self.outlet.outlived(&native).filter(|_| granted.lasts())?.text();
        Some(AskError::Rule(format!(
            "the provider would no longer ask for what the rule '{outlived}' forbids: allow it once"
        )))
    }

    pub(super) fn asked(&self, request: &RequestId) -> Option<Request> {
        self.normalizer.open_requests().into_iter().find(|open| open.id == *request).cloned()
    }

    /// The answer was checked against what the provider offered; the guard is told what may leave, then the plugin translates it.
    pub(super) async fn send_answer(
        &mut self,
        at: usize,
        request: RequestId,
        asked: Option<Request>,
        answer: contract::Answer,
        by: &str,
        waiting: Option<Reply1<()>>,
    ) {
        let granted = asked.map(|asked| Granted::of(&asked, &answer.reply)).unwrap_or_default();
        let native = self.seats[at].native.clone();
        self.honesty.answered(native.as_deref(), &answer.request, granted.always);
        if granted.always {
            self.remember_allowance().await;
        }
        let verdict = if granted.allows { Verdict::Allowed } else { Verdict::Refused };
        let edited = granted.edited_input.is_some();
        let facts = serde_json::json!({ "request": request, "native": answer.request, "always": granted.always, "edited": edited });
        if let Err(problem) = self.record_answer(at, verdict, by, facts) {
            self.request_answered(request, waiting, Err(problem)).await;
            return;
        }
        self.outlet.guards().authorize(
            &answer.request,
            Authorization { allow: granted.allows, always: granted.always, edited_input: granted.edited_input },
        );
        // The provider goes on from here: how long the person took is not its silence.
        self.seats[at].silence.broken();
        let deadline = self.after(self.shared.limits.command_ms);
        let purpose = Purpose::Respond(request, waiting);
        self.command(at, purpose, native, CommandBody::Respond(answer), deadline).await;
    }

    /// Who answered what. An answer whose record can't be written goes nowhere.
    pub(super) fn record_answer(&self, at: usize, verdict: Verdict, by: &str, facts: Value) -> Result<(), Fault> {
        let recorded = self.shared.audit.write(&Record {
            kind: "answer",
            verdict,
            rule: by,
            plugin: &self.start.generation.manifest().full_name(),
            digest: self.start.generation.digest(),
            session: self.seats[at].start.session.as_str(),
            facts,
        });
        recorded.map_err(|error| {
            let text = format!("the audit record could not be written ({error}), so the answer was not carried out");
            fault(FaultKind::Internal, text)
        })
    }

    pub(super) async fn request_answered(
        &mut self,
        request: RequestId,
        waiting: Option<Reply1<()>>,
        outcome: Result<(), Fault>,
    ) {
        match &outcome {
            Ok(()) => drop(self.ruled.remove(&request)),
            Err(_) => self.rule_failed(&request),
        }
        let told = self.normalizer.answered(&request, outcome.clone());
        self.emit(told).await;
        // What is acknowledged is in the store: a host that dies now has not forgotten it.
        if let Some(waiting) = waiting {
            let _ = waiting.send(outcome.map_err(AskError::Fault));
        }
    }
}
