//! Deadlines. A watchdog speaks first; it ends only a handshake that never comes.

use super::outlet::fault;
use super::task::{Phase, Task};
use crate::clock;
use jackfield_core::contract::{FaultKind, FrameData, Input};
use jackfield_core::event::EventBody;
use jackfield_core::limits::Limits;
use std::time::Duration;
use tokio::time::Instant;

pub(super) struct Watch {
    handshake: Duration,
    silence: Duration,
    pub(super) close: Duration,
    started: Instant,
    ready: bool,
    last_heard: Instant,
    next_stall: Duration,
    /// The first thing the provider's program said: shown when no handshake comes.
    first_words: Option<String>,
}

impl Watch {
    pub(super) fn new(limits: &Limits) -> Watch {
        let now = Instant::now();
        Watch {
            handshake: Duration::from_millis(limits.handshake_ms),
            silence: Duration::from_millis(limits.silence_ms),
            close: Duration::from_millis(limits.close_ms),
            started: now,
            ready: false,
            last_heard: now,
            next_stall: Duration::from_millis(limits.silence_ms),
            first_words: None,
        }
    }

    pub(super) fn ready(&mut self) {
        self.ready = true;
        self.sent();
    }

    /// Something was sent: the silence begins anew.
    pub(super) fn sent(&mut self) {
        self.last_heard = Instant::now();
        self.next_stall = self.silence;
    }

    pub(super) fn heard(&mut self, data: &FrameData) {
        self.sent();
        if self.first_words.is_none()
            && !self.ready
            && let FrameData::Text(text) = data
        {
            self.heard_text(text);
        }
    }

    pub(super) fn heard_text(&mut self, text: &str) {
        self.sent();
        let words: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
        if self.first_words.is_none() && !words.trim().is_empty() {
            self.first_words = Some(words.trim().to_owned());
        }
    }

    /// When this must be looked at next.
    pub(super) fn next(&self, task: &Task) -> Option<Instant> {
        match task.phase {
            Phase::Starting => Some(self.started + self.handshake),
            Phase::Ready if task.may_stall() => Some(self.last_heard + self.next_stall),
            _ => None,
        }
    }
}

impl Task {
    /// True when the provider should be saying something: a turn is open and nobody else is waited for.
    pub(super) fn may_stall(&self) -> bool {
        let at_work = self.active.is_some() || self.outbox.has_handed();
        at_work && self.normalizer.open_requests().is_empty() && !self.normalizer.has_open_tool()
    }

    /// Carries out whatever is due.
    pub(super) async fn watch_deadlines(&mut self) {
        let now = Instant::now();
        if self.normalizer.deadline().is_some_and(|at_ms| at_ms <= clock::now_ms()) {
            let due = self.normalizer.tick(clock::now_ms());
            self.emit(due).await;
        }
        while let Some(timer) = self.outlet.take_timer(now) {
            self.feed(Input::Timer(timer));
        }
        while let Some((op, pending)) = self.ops.take_overdue(now) {
            self.decided("command_timed_out", u64::from(op), pending.purpose.name());
            self.command_overdue(pending.purpose).await;
        }
        self.calls_overdue(now);
        self.hold_run_limits().await;
        self.climb(now).await;
        self.settle_handed().await;
        if self.phase == Phase::Starting && now >= self.watch.started + self.watch.handshake && self.ending.is_none() {
            self.handshake_overdue();
        } else if self.phase == Phase::Ready && self.may_stall() && now >= self.watch.last_heard + self.watch.next_stall
        {
            let silent_ms = self.watch.next_stall.as_millis() as u64;
            self.watch.next_stall *= 2;
            let run = self.active.as_ref().map(|active| active.run.clone());
            self.say(run, EventBody::Stalled { waiting_for: "the provider".into(), silent_ms }).await;
        }
    }

    fn handshake_overdue(&mut self) {
        let said = match &self.watch.first_words {
            Some(words) => format!("it said: {words}"),
            None => "it said nothing".to_owned(),
        };
        let mut fault = fault(
            FaultKind::Timeout,
            format!(
                "the provider's program did not answer within {} s (limit handshake_ms); {said}. Is it the right program, with the right arguments?",
                self.watch.handshake.as_secs()
            ),
        );
        fault.code = Some("handshake-timeout".into());
        self.start_failed(fault);
    }
}
