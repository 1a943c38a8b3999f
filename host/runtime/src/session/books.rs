//! The host's own books, kept by the events that go out: which run is active, what a restart needs to know.

use super::task::Task;
use crate::audit::{Record, Verdict};
use crate::clock;
use jackfield_core::capability::Strength;
use jackfield_core::event::EventBody;
use jackfield_core::normalizer::Routed;
use std::time::Duration;
use tokio::time::Instant;

impl Task {
    /// Called for each event before it is shown. A failure of the store shows when the event itself is stored.
    pub(super) async fn keep_books(&mut self, routed: &Routed) {
        let (store, now) = (self.shared.store.clone(), clock::now_ms());
        let draft = &routed.draft;
        if draft.origin.replayed {
            return;
        }
        let kept = match (&draft.body, &draft.run) {
            (EventBody::RunUpdated { status }, Some(run)) => store.update_run(run, *status, now).await,
            (EventBody::RunEnded { status, .. }, Some(run)) => {
                if self.active.as_ref().is_some_and(|active| active.run == *run) {
                    self.active = None;
                    self.free_at = self.drained_at();
                }
                store.update_run(run, *status, now).await
            }
            (EventBody::RequestOpened { request }, run) => {
                self.note("request", "opened", serde_json::json!({ "request": request.id, "item": request.item }));
                store.put_request(&routed.thread, run.as_ref(), request.clone(), now).await
            }
            (EventBody::RequestResolved { request, resolution }, _) => {
                let _ = self.shared.audit.write(&Record {
                    kind: "request_resolved",
                    verdict: Verdict::Noted,
                    rule: "resolved",
                    plugin: &self.start.generation.manifest().full_name(),
                    digest: self.start.generation.digest(),
                    session: self.start.session.as_str(),
                    facts: serde_json::json!({ "request": request, "resolution": resolution }),
                });
                store.resolve_request(request, resolution.clone(), now).await.map(drop)
            }
            (EventBody::SessionEnded { session, reason, .. }, _) => {
                store.end_session(session, self.start.epoch, *reason, now).await
            }
            _ => Ok(()),
        };
        if let Err(error) = kept {
            self.store_failed(&error);
        }
    }

    /// When the next message may go: late updates of the turn that ended can't be told apart where turns have no ids.
    fn drained_at(&self) -> Option<Instant> {
        let turns = self.capabilities.effective().capabilities.identity.native_turn_ids;
        (turns == Strength::None).then(|| Instant::now() + Duration::from_millis(self.shared.limits.drain_ms))
    }
}
