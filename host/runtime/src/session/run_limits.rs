//! Holds runs to their limits: what is reached is decided in `core`; here the run is interrupted.

use super::Stop;
use super::task::Task;
use crate::clock;
use jackfield_core::event::EventBody;
use jackfield_core::policy::Decision;
use std::time::Duration;
use tokio::time::Instant;

impl Task {
    /// When a run's time will be up.
    pub(super) fn run_limit_at(&self, at: usize) -> Option<Instant> {
        let at_ms = self.seats[at].run_guard.deadline_ms()?;
        Some(Instant::now() + Duration::from_millis(at_ms.saturating_sub(clock::now_ms())))
    }

    /// Interrupts the run whose limit is reached; where that can't be done, it is said and the run goes on.
    pub(super) async fn hold_run_limits(&mut self, at: usize) {
        let Some(reached) = self.seats[at].run_guard.due(clock::now_ms()) else { return };
        let Some(run) = self.seats[at].run().filter(|_| self.seats[at].stays()) else { return };
        let decision = Decision::Blocked { rule: reached.rule() };
        self.say(at, Some(run), EventBody::PolicyDecided { intent: "go-on".into(), decision }).await;
        // Nobody waits for the answer: what comes of it is said in events.
        let _ = self.stop_active(at, Stop::Turn).await;
    }
}
