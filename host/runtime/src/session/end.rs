//! How a session ends: in order, or because something broke. **Processes go first, so that nothing of them follows the end; then
//! everything that is open is closed, in each thread.**

use super::seat::Stage;
use super::task::{Phase, Task};
use super::traps::fault_of;
use jackfield_core::contract::{Fault, Input};
use jackfield_core::event::SessionEnd;
use jackfield_core::normalizer::{Disposed, SessionEnded, clean_fault};
use jackfield_sandbox::CallError;

impl Task {
    /// The plugin broke. This session is over; its threads can be resumed, and no other session notices.
    pub(super) fn plugin_failed(&mut self, error: &CallError, frames: &[Option<u64>]) {
        let about = self.note_trap(error, frames);
        let numbers: Vec<u64> = frames.iter().copied().flatten().collect();
        self.decided("plugin_failed", numbers.first().copied().unwrap_or(0), error.code());
        for number in &numbers {
            self.ring.disposed(*number, &Disposed::Skipped);
            self.normalizer.dispose(*number, Disposed::Skipped);
        }
        self.broken(fault_of(error, &format!("{about}; the thread can be resumed")));
    }

    /// The audit record of a plugin that broke; where, in words.
    pub(super) fn note_trap(&self, error: &CallError, frames: &[Option<u64>]) -> String {
        let numbers: Vec<u64> = frames.iter().copied().flatten().collect();
        let about = match (numbers.first(), numbers.last()) {
            (Some(first), Some(last)) if first == last => format!("frame {first}"),
            (Some(first), Some(last)) => format!("frames {first} to {last}"),
            _ => "a command of the host".to_owned(),
        };
        self.note("trap", error.code(), serde_json::json!({ "about": about, "message": error.to_string() }));
        about
    }

    pub(super) fn broken(&mut self, fault: Fault) {
        self.ending = Some(SessionEnded::new(SessionEnd::PluginFailed, Some(fault)));
    }

    /// Begins an orderly end: the plugin says its last words, then every channel ends, each step bounded.
    pub(super) async fn close(&mut self, end: SessionEnd, fault: Option<Fault>) {
        if matches!(self.phase, Phase::Closing | Phase::Ended) {
            return;
        }
        self.batch(vec![Input::Close], vec![None]).await;
        self.ending.get_or_insert(SessionEnded::new(end, fault));
    }

    /// Ends the session: processes first, so that nothing of them follows the end, then everything that is open is closed.
    /// What is asked meanwhile is never answered: whoever asked learns that the session is over, and may begin another.
    pub(super) async fn end(&mut self, mut ended: SessionEnded) {
        if self.phase == Phase::Ended {
            return;
        }
        self.phase = Phase::Closing;
        if ended.end == SessionEnd::PluginFailed {
            self.outlet.kill_all();
        } else {
            self.outlet.end_all();
        }
        self.drain_channels().await;
        self.explain_by_exit(&mut ended);
        if let (None, Some(exit)) = (ended.exit_code, &self.last_exit)
            && ended.signal.is_none()
        {
            ended.exit_code = exit.code;
            ended.signal = exit.signal;
            ended.stderr_tail = exit.stderr_tail.clone();
        }
        let mut cause = ended.fault.clone();
        cause.iter_mut().for_each(|fault| clean_fault(fault, &self.shared.limits));
        for pending in self.ops.drain() {
            super::asks::answer_ended(pending);
        }
        for at in self.seated() {
            // Runs end before the session does: that word is the last.
            self.end_messages(at, cause.clone()).await;
            // Whoever asked for these learns that the session is over.
            self.seats[at].later.clear();
            self.let_go_of_answers(at);
        }
        let closing = self.normalizer.end_session(ended);
        self.emit(closing).await;
        for at in self.seated() {
            self.seats[at].active = None;
            self.seats[at].stage = Stage::Free;
        }
        self.phase = Phase::Ended;
    }

    /// What waits in each thread goes on in the next session.
    pub(super) fn all_go_on(&mut self) {
        self.seats.iter_mut().for_each(|seat| seat.goes_on = true);
    }
}
