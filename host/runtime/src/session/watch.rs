//! Deadlines. A watchdog speaks first; it ends only a handshake that never comes.

use super::ops::Pending;
use super::outlet::fault;
use super::task::{Phase, Task};
use crate::clock;
use jackfield_core::contract::{FaultKind, FrameData, Input};
use jackfield_core::event::EventBody;
use jackfield_core::limits::Limits;
use std::time::Duration;
use tokio::time::Instant;

/// The handshake of the session's start, and how long its end may take.
pub(super) struct Watch {
    handshake: Duration,
    pub(super) close: Duration,
    started: Instant,
    ready: bool,
    /// The first thing the provider's program said: shown when no handshake comes.
    first_words: Option<String>,
}

/// How long nothing has been heard of a thread.
pub(super) struct Silence {
    most: Duration,
    since: Instant,
    next: Duration,
}

impl Silence {
    pub(super) fn new(limits: &Limits) -> Silence {
        let most = Duration::from_millis(limits.silence_ms);
        Silence { most, since: Instant::now(), next: most }
    }

    /// Something was sent or heard: it begins anew.
    pub(super) fn broken(&mut self) {
        (self.since, self.next) = (Instant::now(), self.most);
    }

    fn deadline(&self) -> Instant {
        self.since + self.next
    }
}

impl Watch {
    pub(super) fn new(limits: &Limits) -> Watch {
        Watch {
            handshake: Duration::from_millis(limits.handshake_ms),
            close: Duration::from_millis(limits.close_ms),
            started: Instant::now(),
            ready: false,
            first_words: None,
        }
    }

    pub(super) fn ready(&mut self) {
        self.ready = true;
    }

    fn heard(&mut self, text: &str) {
        let words: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
        if self.first_words.is_none() && !self.ready && !words.trim().is_empty() {
            self.first_words = Some(words.trim().to_owned());
        }
    }

    /// When this must be looked at next.
    pub(super) fn next(&self, task: &Task) -> Option<Instant> {
        match task.phase {
            Phase::Starting => Some(self.started + self.handshake),
            Phase::Ready => {
                let stalling = task.seated().into_iter().filter(|at| task.may_stall(*at));
                stalling.map(|at| task.seats[at].silence.deadline()).min()
            }
            _ => None,
        }
    }
}

impl Task {
    pub(super) fn heard(&mut self, data: &FrameData) {
        match data {
            FrameData::Text(text) => self.heard_text(text),
            _ => self.is_heard(),
        }
    }

    pub(super) fn heard_text(&mut self, text: &str) {
        self.is_heard();
        self.watch.heard(text);
    }

    /// The program said something. Of several threads each is heard by its own events.
    fn is_heard(&mut self) {
        if let [at] = self.seated()[..] {
            self.seats[at].silence.broken();
        }
    }

    /// True when the provider should be saying something: a turn is open and nobody else is waited for.
    pub(super) fn may_stall(&self, at: usize) -> bool {
        let seat = &self.seats[at];
        let at_work = seat.active.is_some() || seat.outbox.has_handed();
        let waits = !self.normalizer.requests_of(seat.thread()).is_empty();
        at_work && !waits && !self.normalizer.has_tool_at_work(seat.thread())
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
        while let Some((op, Pending { at, purpose, .. })) = self.ops.take_overdue(now) {
            self.decided("command_timed_out", u64::from(op), purpose.name());
            self.command_overdue(at, purpose).await;
        }
        self.calls_overdue(now);
        for at in self.seated() {
            self.hold_run_limits(at).await;
            self.climb(at, now).await;
            self.settle_handed(at).await;
            self.say_stalled(at, now).await;
        }
        if self.phase == Phase::Starting && now >= self.watch.started + self.watch.handshake && self.ending.is_none() {
            self.handshake_overdue();
        }
    }

    async fn say_stalled(&mut self, at: usize, now: Instant) {
        if self.phase != Phase::Ready || !self.may_stall(at) || now < self.seats[at].silence.deadline() {
            return;
        }
        let silence = &mut self.seats[at].silence;
        let silent_ms = silence.next.as_millis() as u64;
        silence.next *= 2;
        let run = self.seats[at].run();
        self.say(at, run, EventBody::Stalled { waiting_for: "the provider".into(), silent_ms }).await;
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
