//! The host's own books, kept by the events that go out: which run is active, what a restart needs to know.

use super::task::{Phase, Task};
use crate::clock;
use crate::store::StoreError;
use jackfield_core::event::{EventBody, Request, Resolution, RunStatus, SessionEnd};
use jackfield_core::id::{RequestId, RunId, SessionId, ThreadId};
use jackfield_core::normalizer::Routed;
use jackfield_core::policy::{Decision, Intent};
use std::time::Duration;
use tokio::time::Instant;

/// What a restart must know of an event.
pub(super) enum Entry {
    Run(RunId, RunStatus),
    Opened(ThreadId, Option<RunId>, Box<Request>, Option<String>),
    Resolved(RequestId, Resolution),
    SessionEnded(SessionId, u32, SessionEnd),
}

impl Entry {
    /// A request's row holds what no event tells, the provider's own id: who was shown the request must find it after a
    /// `kill -9`, too.
    pub(super) fn comes_first(&self) -> bool {
        matches!(self, Entry::Opened(..))
    }
}

impl Task {
    /// Looks at each event before it is shown; what comes of it is entered once the event is stored, but for what
    /// [comes first](Entry::comes_first): a row that ran ahead of its event would hide from a restart that the event is missing.
    pub(super) fn keep_books(&mut self, at: usize, routed: &Routed) -> Option<Entry> {
        let draft = &routed.draft;
        if draft.origin.replayed {
            return None;
        }
        match (&draft.body, &draft.run) {
            (EventBody::RunUpdated { status }, Some(run)) => Some(Entry::Run(run.clone(), *status)),
            (EventBody::RunEnded { status, .. }, Some(run)) => {
                if let Some(active) = self.seats[at].active.take_if(|active| active.run == *run) {
                    self.interrupt_held |= active.ladder.is_some() && self.phase == Phase::Ready;
                    self.seats[at].free_at = self.drained_at();
                    self.seats[at].outbox.run_ended(clock::now_ms());
                }
                Some(Entry::Run(run.clone(), *status))
            }
            (EventBody::QueueUpdated { runs }, _) => {
                self.seats[at].said_queue.clone_from(runs);
                None
            }
            (EventBody::RequestOpened { request }, run) => {
                let facts = serde_json::json!({ "request": request.id, "item": request.item });
                self.note("request", "opened", facts);
                // One that was asked again is in the store already.
                let known = self.seats[at].start.survivors.iter().any(|survivor| survivor.request.id == request.id);
                let native = self.normalizer.native_request(&request.id).map(str::to_owned);
                let opened = Entry::Opened(routed.thread.clone(), run.clone(), Box::new(request.clone()), native);
                (!known).then_some(opened)
            }
            (EventBody::RequestResolved { request, resolution }, _) => {
                let facts = serde_json::json!({ "request": request, "resolution": resolution });
                self.note("request_resolved", "resolved", facts);
                Some(Entry::Resolved(request.clone(), resolution.clone()))
            }
            (EventBody::SessionEnded { session, reason, .. }, _) => {
                Some(Entry::SessionEnded(session.clone(), self.seats[at].start.epoch, *reason))
            }
            _ => None,
        }
    }

    pub(super) async fn enter(&self, entry: Entry) -> Result<(), StoreError> {
        if self.only_asks() {
            return Ok(());
        }
        let (store, now) = (&self.shared.store, clock::now_ms());
        match entry {
            Entry::Run(run, status) => store.update_run(&run, status, now).await,
            Entry::Opened(thread, run, request, native) => {
                store.put_request(&thread, run.as_ref(), *request, native, now).await
            }
            Entry::Resolved(request, resolution) => store.resolve_request(&request, resolution, now).await.map(drop),
            Entry::SessionEnded(session, epoch, end) => store.end_session(&session, epoch, end, now).await,
        }
    }

    /// When the next message may go: late updates of the turn that ended can't be told apart where turns have no ids.
    fn drained_at(&self) -> Option<Instant> {
        let waits = self.decides(Intent::PromptAfterTurn) != Decision::Native;
        waits.then(|| Instant::now() + Duration::from_millis(self.shared.limits.drain_ms))
    }
}
