//! Runs that met a missing login: they wait for it instead of ending, and are tried again once it is there.
//!
//! **Only a run that did nothing is tried again**: where a tool was called, it might be called twice. Whether runs wait at all is the
//! policy's word; by whom the login is asked for, and how long it is waited for, is the host's affair.
//! Tests: `tests/tests/login.rs` of the workspace.

use super::route::Spot;
use super::{Normalizer, Routed};
use crate::contract::{self, Fault, RequestEnd, Status};
use crate::event::{AttemptReason, RunStatus};
use crate::id::{RequestId, RunId, ThreadId};

impl Normalizer {
    /// Whether a run that meets a missing login waits for it.
    pub fn set_resends(&mut self, resends: bool) {
        self.resends = resends;
    }

    /// A request of the host's own in this thread.
    pub fn ask(&mut self, thread: &ThreadId, request: contract::Request, at_ms: u64) -> Vec<Routed> {
        self.at(None, at_ms);
        if let Some(thread) = self.thread_index(thread).filter(|_| !self.ended) {
            self.requests_opened(&Spot { thread, ..Spot::default() }, vec![request]);
        }
        self.take()
    }

    /// A request that needs no answer any more, by the host's own word.
    pub fn close_request(&mut self, id: &RequestId, status: Status) -> Vec<Routed> {
        self.frame = None;
        let place = self.requests.open().iter().find(|open| open.request.id == *id);
        if let Some((thread, native)) = place.map(|open| (open.place.thread, open.native.clone())) {
            self.requests_closed(&Spot { thread, ..Spot::default() }, vec![RequestEnd { id: native, status }]);
        }
        self.take()
    }

    /// The run of this thread that waits for a login, and why it fails if none comes.
    pub fn held_for_login(&self, thread: &ThreadId) -> Option<(&RunId, &Fault)> {
        let state = &self.threads[self.thread_index(thread)?];
        state.runs.iter().find_map(|run| Some((&run.id, run.held.as_ref()?)))
    }

    /// The provider did not take the run's message, for want of a login: the run waits for one, or ends failed where it may not.
    pub fn hold_run(&mut self, run: &RunId, mut fault: Fault) -> Vec<Routed> {
        self.frame = None;
        let place = self.threads.iter().position(|thread| thread.run(run).is_some());
        let waits = |t: &usize| {
            let state = &self.threads[*t];
            state.open.is_none() && state.run(run).is_some_and(|run| !run.interrupted)
        };
        match place.filter(|t| self.resends && waits(t)) {
            Some(t) => {
                super::clean::fault(&mut fault, &self.limits);
                self.hold(t, run, None, fault);
            }
            None => self.run_ends_early(run, RunStatus::Failed, Some(fault)),
        }
        self.take()
    }

    pub(super) fn hold(&mut self, t: usize, run: &RunId, reason: Option<String>, fault: Fault) {
        if let Some(run) = self.threads[t].run_mut(run) {
            (run.held, run.held_reason) = (Some(fault), reason);
        }
        self.set_run_status(t, run, RunStatus::Waiting);
    }

    /// A run that waited for a login is handed to the plugin again, by this command: another attempt at the same message.
    pub fn retry_run(&mut self, run: &RunId, op: u32, at_ms: u64) -> Vec<Routed> {
        self.at(None, at_ms);
        let Some(t) = self.threads.iter().position(|thread| thread.run(run).is_some()) else { return self.take() };
        self.close_late(t, false);
        self.set_run_status(t, run, RunStatus::Starting);
        let Some(number) = self.threads[t].run_mut(run).map(|run| run.tried_again(op)) else { return self.take() };
        self.begin_attempt(t, run, number, AttemptReason::Retry);
        self.take()
    }
}
