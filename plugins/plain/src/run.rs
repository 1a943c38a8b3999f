//! One program, from its start to its end: a turn.

use jackfield_sdk::ansi::Plain;
use jackfield_sdk::prelude::*;

/// A program at work.
#[derive(Debug)]
pub(crate) struct Run {
    pub channel: u32,
    /// The command that sent the message.
    op: u32,
    /// There were messages before this one, of which the program knows nothing.
    forgets: bool,
    plain: Plain,
    /// The last words that it printed, for the case that it fails.
    last: String,
    /// How far we have gone to stop it.
    stopping: Option<Stopping>,
}

#[derive(Debug)]
struct Stopping {
    /// The command, until the signal is sent.
    op: Option<u32>,
    signal: u32,
    /// When we insist.
    timer: u32,
}

/// So long a program may take to end after an interrupt before it is told to terminate. aider was seen to take 1.6 s.
const PATIENCE_MS: f64 = 5_000.0;

/// So much of what it printed is kept to explain a failure, in characters.
const LAST_CHARS: usize = 600;

impl Run {
    /// Starts a program with a message.
    pub(crate) fn start(cx: &mut Cx, op: u32, profile: &str, holes: Pairs, forgets: bool) -> Run {
        cx.hold(op);
        let channel = cx.spawn(profile, holes);
        Run { channel, op, forgets, plain: Plain::default(), last: String::new(), stopping: None }
    }

    /// It runs. Nobody will say anything to it: its end is no surprise.
    pub(crate) fn begins(&mut self, cx: &mut Cx) {
        cx.close_stdin(self.channel);
        cx.done(self.op, OpValue::Delivered(Delivery::new(Delivered::OpenedTurn)));
        if self.forgets {
            let why = "Each message goes to a program of its own, which does not know what was said before.";
            let change = ContextChange::new(ContextEffect::Lost);
            cx.event(EventBody::Context(ContextChange { automatic: true, summary: Some(why.into()), ..change }));
        }
    }

    pub(crate) fn never_began(self, cx: &mut Cx, fault: Fault) {
        cx.fail(self.op, fault);
    }

    /// What it prints is what it says.
    pub(crate) fn prints(&mut self, cx: &mut Cx, data: &FrameData) {
        let piece = match data {
            FrameData::Text(text) => self.plain.feed(text),
            FrameData::Bytes(bytes) => self.plain.feed(&String::from_utf8_lossy(bytes)),
            _ => String::new(),
        };
        if piece.is_empty() {
            return cx.silent("no-words");
        }
        self.last.push_str(&piece);
        let beyond = self.last.chars().count().saturating_sub(LAST_CHARS);
        self.last = self.last.chars().skip(beyond).collect();
        cx.delta(None, TextKind::Assistant, piece);
    }

    /// The command `interrupt`. The signal is all there is, and its end is told by the program's.
    pub(crate) fn interrupt(&mut self, cx: &mut Cx, op: u32) {
        if self.stopping.is_some() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "The program is being stopped already."));
        }
        cx.hold(op);
        let signal = cx.signal(self.channel, SignalKind::Interrupt);
        self.stopping = Some(Stopping { op: Some(op), signal, timer: cx.timer(PATIENCE_MS) });
    }

    /// What became of our signal.
    pub(crate) fn signalled(&mut self, cx: &mut Cx, result: EffectResult) {
        let Some(stopping) = self.stopping.as_mut().filter(|stopping| stopping.signal == result.id) else { return };
        let Some(op) = stopping.op.take() else { return };
        match result.outcome {
            Ok(_) => cx.done(op, OpValue::Interrupted(vec![])),
            Err(fault) => {
                cx.cancel(stopping.timer);
                self.stopping = None;
                cx.fail(op, fault);
            }
        }
    }

    /// It did not end by being asked. What it leaves behind then, its own handler can't tidy up.
    pub(crate) fn patience_ends(&mut self, cx: &mut Cx, timer: u32) {
        if self.stopping.as_ref().is_some_and(|stopping| stopping.timer == timer) {
            cx.signal(self.channel, SignalKind::Terminate);
        }
    }

    /// It ended, and the turn with it.
    pub(crate) fn ends(self, cx: &mut Cx, exit: &ChannelExit) {
        if let Some(stopping) = &self.stopping {
            cx.cancel(stopping.timer);
            if let Some(op) = stopping.op {
                cx.done(op, OpValue::Interrupted(vec![]));
            }
        }
        cx.opened_turn(self.op);
        let reason = match (exit.code, exit.signal) {
            (_, Some(signal)) => Some(format!("signal {signal}")),
            (Some(code), None) => Some(format!("exit code {code}")),
            (None, None) => None,
        };
        let (status, fault) = match (&self.stopping, exit.code) {
            // Programs that tidy up before they end say 0, and those that don't a signal: that we stopped it, only we know. A status
            // of such a provider is no word of its own, so the host goes by the fault.
            (Some(_), _) => (Status::Interrupted, Some(stopped(reason.as_deref()))),
            (None, Some(0)) if exit.fault.is_none() => (Status::Completed, None),
            _ => (Status::Failed, Some(self.failed(exit))),
        };
        cx.event(EventBody::TurnEnded(TurnEnd { reason, fault, ..TurnEnd::new(Some(self.op), status) }));
    }

    /// Why it failed, as far as an exit code tells. A program that says nothing on stderr has said it on stdout.
    fn failed(&self, exit: &ChannelExit) -> Fault {
        let words = if exit.stderr_tail.trim().is_empty() { self.last.clone() } else { exit.stderr_tail.clone() };
        let fault = Fault::channel_closed(&ChannelExit { stderr_tail: words, ..exit.clone() });
        let fault =
            if exit.fault.is_some() { fault } else { Fault { kind: FaultKind::Unknown, retryable: false, ..fault } };
        match exit.code {
            Some(code) => fault.with_code(code.to_string()),
            None => fault,
        }
    }
}

fn stopped(how: Option<&str>) -> Fault {
    let how = how.map(|how| format!(" with {how}")).unwrap_or_default();
    Fault::new(FaultKind::Cancelled, format!("The program was stopped, and ended{how}."))
}
