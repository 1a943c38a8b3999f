//! Sessions of role *query*: they list and read what the provider has stored, and never begin a conversation.
//!
//! **Nothing of them is kept**: no row, no journal, no doubt. What a transcript tells is history, shown whole. Tests: `tests/tests/history.rs`.

use super::begin::FIRST;
use super::seat::Stage;
use super::task::{Phase, Task};
use jackfield_core::contract::{Event, Role};

impl Task {
    /// The session holds no conversation.
    pub(super) fn only_asks(&self) -> bool {
        self.start.role == Role::Query
    }

    /// The plugin is ready: there is no thread to be opened.
    pub(super) fn takes_questions(&mut self) {
        self.door.close();
        self.seats[FIRST].stage = Stage::Open;
        self.phase = Phase::Ready;
        self.watch.ready();
    }

    /// What is told of this thread of the provider's is told in the asker's log.
    pub(super) async fn bind_stored(&mut self, at: usize, native: String) {
        let ours = self.seats[at].thread().clone();
        let bound = self.normalizer.bind_thread(&native, ours);
        self.emit(bound).await;
        self.seats[at].native = Some(native);
    }

    /// A conversation that was asked for by its cursor alone is known by the first word of it.
    pub(super) async fn expect_stored(&mut self, event: &Event) {
        if !self.only_asks() || self.seats[FIRST].native.is_some() {
            return;
        }
        let told = event.scope.as_ref().filter(|scope| scope.replayed).and_then(|scope| scope.thread.clone());
        if let Some(native) = told {
            self.bind_stored(FIRST, native).await;
        }
    }
}
