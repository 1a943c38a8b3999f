//! History that the provider tells: what the thread holds already is read once, when history is told that nobody asked for,
//! and the normalizer holds the one against the other. Tests: `tests/faults/` (cases `c62…`).

use super::task::Task;
use jackfield_core::contract::Event;

impl Task {
    /// Before an event is accepted: it may be history, of which the thread holds a part or all.
    pub(super) async fn recall_history(&mut self, event: &Event) {
        if self.only_asks() {
            return;
        }
        let Some((thread, with_this_session)) = self.normalizer.wants_record(event) else { return };
        let Some(at) = self.seat_of(&thread) else { return };
        self.recall(at, with_this_session).await;
    }

    /// What the thread holds, with what was shown in this session or without it, is known from now on.
    pub(super) async fn recall(&mut self, at: usize, with_this_session: bool) {
        let start = &self.seats[at].start;
        let (thread, before) = (start.log.thread().clone(), (start.session.clone(), start.epoch));
        match self.shared.store.record(&thread, (!with_this_session).then_some(before)).await {
            Ok(record) => self.normalizer.recall(&thread, record),
            Err(error) => self.store_failed(&error),
        }
    }
}
