//! Requests that outlived the session which asked them: they are answered once the provider asks them again.
//!
//! **An answer that comes before the question is held, and given once, to just that question**; what is not asked again in time
//! has expired. Tests: `tests/tests/survivors.rs`.

use super::ask::{AskError, Reply1};
use super::task::Task;
use crate::clock;
use jackfield_core::id::RequestId;
use jackfield_core::policy::{Decision, Intent};
use jackfield_core::requests::{AnswerError, Reply};
use std::time::Duration;
use tokio::time::Instant;

/// An answer to a request that is yet to be asked again.
pub(super) struct Early {
    request: RequestId,
    reply: Reply,
    by: String,
    done: Reply1<()>,
}

/// Answers that came early, and how long the provider has.
#[derive(Default)]
pub(super) struct Survivors {
    early: Vec<Early>,
    until: Option<Instant>,
}

impl Survivors {
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.until
    }
}

impl Task {
    /// The thread is open: from now on it is waited for, if the provider still promises it.
    pub(super) fn await_survivors(&mut self, at: usize) {
        if self.normalizer.awaits_any(self.seats[at].thread()) {
            let promised = self.decides(Intent::AnswerAfterRestart) == Decision::Native;
            let within = if promised { self.shared.limits.asked_again_ms } else { 0 };
            self.seats[at].survivors.until = Some(Instant::now() + Duration::from_millis(within));
        }
    }

    /// Holds an answer to a request that is yet to be asked again. The first one wins.
    pub(super) fn hold_answer(&mut self, at: usize, request: RequestId, reply: Reply, by: String, done: Reply1<()>) {
        if let Some(first) = self.seats[at].survivors.early.iter().find(|early| early.request == request) {
            let _ = done.send(Err(AnswerError::AlreadyAnswering { id: request, by: first.by.clone() }.into()));
            return;
        }
        self.seats[at].survivors.early.push(Early { request, reply, by, done });
    }

    /// Gives the answers whose request has been asked again, or has expired.
    pub(super) async fn answer_survivors(&mut self, at: usize) {
        if self.seats[at].survivors.until.is_some_and(|until| until <= Instant::now()) {
            let expired = self.normalizer.not_asked_again(&self.seats[at].thread().clone(), clock::now_ms());
            self.emit(expired).await;
        }
        if !self.normalizer.awaits_any(self.seats[at].thread()) {
            self.seats[at].survivors.until = None;
        }
        while let Some(next) = self.next_early(at) {
            let Early { request, reply, by, done } = self.seats[at].survivors.early.remove(next);
            self.answer(at, request, reply, by, done).await;
        }
    }

    fn next_early(&self, at: usize) -> Option<usize> {
        let early = &self.seats[at].survivors.early;
        early.iter().position(|early| !self.normalizer.awaits(&early.request))
    }

    /// At the session's end: they may still be asked again in the next one.
    pub(super) fn let_go_of_answers(&mut self, at: usize) {
        for early in self.seats[at].survivors.early.drain(..) {
            let _ = early.done.send(Err(AskError::Plugin(format!(
                "the session ended before the provider asked {} again; resume the thread and answer once more",
                early.request
            ))));
        }
    }
}
