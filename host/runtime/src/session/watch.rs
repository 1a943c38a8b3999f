//! Deadlines. A watchdog speaks first; it ends only a handshake that never comes.

use super::ops::{Pending, Purpose};
use super::outlet::fault;
use super::task::{Phase, Task};
use crate::clock;
use jackfield_core::contract::{CommandBody, Fault, FaultKind, FrameData, Input, Interrupt};
use jackfield_core::event::EventBody;
use jackfield_core::limits::Limits;
use jackfield_core::policy::{Decision, Intent};
use std::time::Duration;
use tokio::time::Instant;

/// The handshake of the session's start, and how long its end may take.
pub(super) struct Watch {
    handshake: Duration,
    pub(super) close: Duration,
    started: Instant,
    ready: bool,
    /// The provider's handshake is through; what is still waited for is its first thread.
    greeted: bool,
    /// It said something in its protocol.
    spoke: bool,
    /// The first thing the provider's program said: shown when no handshake comes.
    first_words: Option<String>,
}

/// How long nothing has been heard of a thread.
pub(super) struct Silence {
    most: Duration,
    since: Instant,
    next: Duration,
    /// How much of it ends a turn whose words were said; none once that was looked at.
    end: Option<Duration>,
    end_after: Duration,
}

impl Silence {
    pub(super) fn new(limits: &Limits) -> Silence {
        let most = Duration::from_millis(limits.silence_ms);
        let end_after = Duration::from_millis(limits.silent_end_ms);
        Silence { most, since: Instant::now(), next: most, end: Some(end_after), end_after }
    }

    /// Something was sent or heard: it begins anew.
    pub(super) fn broken(&mut self) {
        (self.since, self.next, self.end) = (Instant::now(), self.most, Some(self.end_after));
    }

    fn deadline(&self) -> Instant {
        self.since + self.end.map_or(self.next, |end| end.min(self.next))
    }

    /// True when it is time to say so. Where both are due, because this was looked at late, what was due first comes first: a turn that
    /// ends before the next word of its silence does so however late anybody looks.
    fn stalls(&self, now: Instant) -> bool {
        now >= self.since + self.next && self.end.is_none_or(|end| self.next <= end)
    }

    /// True once, when it has lasted so long that it ends a turn.
    fn ends(&mut self, now: Instant) -> bool {
        self.end.take_if(|end| now >= self.since + *end).is_some()
    }
}

impl Watch {
    pub(super) fn new(limits: &Limits) -> Watch {
        Watch {
            handshake: Duration::from_millis(limits.handshake_ms),
            close: Duration::from_millis(limits.close_ms),
            started: Instant::now(),
            ready: false,
            greeted: false,
            spoke: false,
            first_words: None,
        }
    }

    pub(super) fn ready(&mut self) {
        self.ready = true;
    }

    pub(super) fn greeted(&mut self) {
        self.greeted = true;
    }

    pub(super) fn spoke(&mut self) {
        self.spoke = true;
    }

    /// A person was waited for: the handshake's time begins anew.
    pub(super) fn begins_again(&mut self) {
        self.started = Instant::now();
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
            Phase::Starting if task.awaits_login() => None,
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

    /// True when the provider should be saying something: a turn is open and nobody else is waited for. Of one that is being stopped the
    /// ladder's steps tell; one whose words lie here unread has spoken.
    pub(super) fn may_stall(&self, at: usize) -> bool {
        let seat = &self.seats[at];
        let stops = seat.active.as_ref().is_some_and(|active| active.ladder.is_some());
        if stops || !self.channel_events.is_empty() {
            return false;
        }
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
            self.end_silent(at, now).await;
            self.login_overdue(at, now).await;
        }
        let overdue = self.phase == Phase::Starting && now >= self.watch.started + self.watch.handshake;
        if overdue && self.ending.is_none() && !self.awaits_login() {
            self.handshake_overdue();
        }
    }

    async fn say_stalled(&mut self, at: usize, now: Instant) {
        if self.phase != Phase::Ready || !self.may_stall(at) || !self.seats[at].silence.stalls(now) {
            return;
        }
        let silence = &mut self.seats[at].silence;
        let silent_ms = silence.next.as_millis() as u64;
        silence.next *= 2;
        let run = self.seats[at].run();
        self.say(at, run, EventBody::Stalled { waiting_for: "the provider".into(), silent_ms }).await;
    }

    /// An answer whose end was never told is over at last. It is stopped at the provider, too, and the next message goes to another session
    /// where there is a way back to the conversation: no late word of this turn can be taken for that message's.
    async fn end_silent(&mut self, at: usize, now: Instant) {
        if self.phase != Phase::Ready || !self.may_stall(at) || !self.seats[at].silence.ends(now) {
            return;
        }
        let thread = self.seats[at].thread().clone();
        let ended = self.normalizer.end_silent(&thread);
        if ended.is_empty() {
            return;
        }
        self.emit(ended).await;
        self.seats[at].restart = true;
        if self.decides(Intent::Interrupt) == Decision::Native {
            self.interrupt_unheard(at, None, true).await;
        }
    }

    /// Nothing is said of how this goes: who waited for the turn knows by now that it is over, or has gone.
    pub(super) async fn interrupt_unheard(&mut self, at: usize, turn: Option<String>, keep_background: bool) {
        let body = CommandBody::Interrupt(Interrupt { turn, keep_background });
        let native = self.seats[at].native.clone();
        let deadline = self.after(self.shared.limits.interrupt_ack_ms);
        Box::pin(self.command(at, Purpose::LetGo, native, body, deadline)).await;
    }

    /// The program greeted, and its conversation was never opened.
    fn opening_overdue(&mut self) {
        let within = self.watch.handshake.as_secs();
        let text = format!(
            "the provider's program answered its handshake, and did not open the conversation within {within} s (limit handshake_ms). It may \
             want a login, or not know the conversation: see `doctor`, or begin a new thread"
        );
        self.start_failed(Fault { code: Some("open-timeout".into()), ..fault(FaultKind::Timeout, text) });
    }

    fn handshake_overdue(&mut self) {
        // A plugin may be ready before its program has said a word.
        if self.watch.greeted && self.watch.spoke {
            return self.opening_overdue();
        }
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
