//! Turns: which message opened the one that is open, what joined it, and whether an end is the end.
//!
//! The program has no ids of turns or messages; a turn of its own is one call of the model. Ours is from the first `agent_start` to the
//! `agent_end` behind which nothing goes on. **A failure is not taken for the end before the program was asked once more**: a retry or a
//! compaction that saves the turn is announced before that answer.

use jackfield_sdk::prelude::*;
use std::collections::VecDeque;

use crate::fault;

/// Messages on their way, and the open turn.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// Sent, and no turn has begun for them.
    waiting: VecDeque<Sent>,
    /// Sent into the open turn, and not taken in yet.
    steers: VecDeque<Sent>,
    open: Option<Open>,
    /// The program is at work: between `agent_start` and `agent_end`.
    pub running: bool,
    /// It shortens the context; what it does then is told when it has.
    pub compacting: bool,
    /// It waits to try again.
    pub retrying: bool,
    /// A turn ended, and messages that were sent into it were not taken in: the program is to be asked what became of them.
    pub unsure: bool,
    /// We asked for the open turn's end.
    pub interrupting: bool,
    /// The command that asks for the end of a turn that has not begun.
    pub stop_at_start: Option<u32>,
    ending: Option<TurnEnd>,
    /// How the last message ended: its word, and the error.
    last: (String, Option<String>),
}

/// A message of ours.
#[derive(Debug)]
pub(crate) struct Sent {
    pub op: u32,
    pub text: String,
}

#[derive(Debug)]
struct Open {
    op: Option<u32>,
    /// The message that opened it was told.
    echoed: bool,
}

impl Turns {
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// A turn is open, or about to be.
    pub(crate) fn has_work(&self) -> bool {
        self.open.is_some() || !self.waiting.is_empty()
    }

    /// A message was written that may open a turn.
    pub(crate) fn sent(&mut self, sent: Sent) {
        self.waiting.push_back(sent);
    }

    /// A message was written into the open turn.
    pub(crate) fn steered(&mut self, sent: Sent) {
        self.steers.push_back(sent);
    }

    /// The words of a message on its way.
    pub(crate) fn text_of(&self, op: u32) -> Option<String> {
        self.waiting.iter().find(|sent| sent.op == op).map(|sent| sent.text.clone())
    }

    /// How the last message of the assistant ended.
    pub(crate) fn last(&mut self, stop: String, error: Option<String>) {
        self.last = (stop, error);
    }

    /// The program took a message. One that opens a turn is delivered; one into an open turn is when its turn comes.
    pub(crate) fn taken(&mut self, cx: &mut Cx, op: u32) {
        if self.waiting.iter().any(|sent| sent.op == op) {
            cx.opened_turn(op);
        }
    }

    /// The program refused a message, or it was never written.
    pub(crate) fn refused(&mut self, cx: &mut Cx, op: u32, fault: Fault) {
        self.steers.retain(|sent| sent.op != op);
        let waited = self.waiting.iter().any(|sent| sent.op == op);
        self.waiting.retain(|sent| sent.op != op);
        if cx.is_open(op) {
            cx.fail(op, fault);
        } else if waited {
            // It was taken, and failed before it began: an older version says so late.
            self.empty_turn(cx, op, Status::Failed, Some(fault));
        }
        if !self.has_work()
            && let Some(stop) = self.stop_at_start.take()
        {
            self.interrupting = false;
            cx.fail(stop, Fault::new(FaultKind::Conflict, "The turn did not begin."));
        }
    }

    /// A message whose words the program carried out without asking a model.
    pub(crate) fn handled(&mut self, cx: &mut Cx, op: u32) {
        if let Some(at) = self.waiting.iter().position(|sent| sent.op == op) {
            self.waiting.remove(at);
            self.empty_turn(cx, op, Status::Completed, None);
        }
    }

    fn empty_turn(&self, cx: &mut Cx, op: u32, status: Status, fault: Option<Fault>) {
        cx.event(EventBody::TurnStarted(TurnStart { op: Some(op), reason: None }));
        cx.event(EventBody::TurnEnded(TurnEnd { fault, ..TurnEnd::new(Some(op), status) }));
    }

    /// `agent_start`: a turn begins, or goes on after an end that was none.
    pub(crate) fn begins(&mut self, cx: &mut Cx) {
        self.running = true;
        (self.ending, self.retrying) = (None, false);
        self.last = Default::default();
        if self.open.is_some() {
            return cx.silent("agent_start");
        }
        let sent = self.waiting.pop_front();
        if let Some(sent) = &sent {
            cx.opened_turn(sent.op);
        }
        let op = sent.map(|sent| sent.op);
        let reason = op.is_none().then(|| "extension".to_owned());
        cx.event(EventBody::TurnStarted(TurnStart { op, reason }));
        self.open = Some(Open { op, echoed: op.is_none() });
    }

    /// Whether a message in the person's name is one of ours; what became of it is told. One that names a command is expanded
    /// by the program.
    pub(crate) fn is_ours(&mut self, cx: &mut Cx, text: &str) -> bool {
        if let Some(open) = self.open.as_mut().filter(|open| !open.echoed) {
            open.echoed = true;
            return true;
        }
        let is_it = |sent: &Sent| sent.text == text || sent.text.starts_with('/');
        if let Some(at) = self.steers.iter().position(is_it)
            && let Some(sent) = self.steers.remove(at)
        {
            cx.done(sent.op, OpValue::Delivered(Delivery::new(Delivered::JoinedTurn)));
            return true;
        }
        // Sent while the turn seemed over, and taken in by the attempt that followed: it has no turn of its own.
        let Some(at) = self.waiting.iter().position(|sent| sent.text == text) else { return false };
        let joined = self.waiting.remove(at).filter(|sent| cx.is_open(sent.op));
        if let Some(sent) = joined {
            cx.done(sent.op, OpValue::Delivered(Delivery::new(Delivered::JoinedTurn)));
        }
        true
    }

    /// `agent_end`: true when the program must be asked whether it is one. False too when it is the end, which is told.
    pub(crate) fn seems_over(&mut self, cx: &mut Cx, mark: String) -> bool {
        self.running = false;
        let Some(open) = &self.open else {
            cx.duplicate();
            return false;
        };
        let (stop, error) = std::mem::take(&mut self.last);
        let (status, fault) = match stop.as_str() {
            "error" => {
                (Status::Failed, Some(fault::of_service(error.as_deref().unwrap_or("The model's service failed."))))
            }
            "aborted" => (Status::Interrupted, None),
            _ => (Status::Completed, None),
        };
        let asks = status == Status::Failed;
        let reason = Some(stop).filter(|stop| !stop.is_empty());
        let end = TurnEnd { reason, fault, mark: Some(mark), ..TurnEnd::new(open.op, status) };
        if asks {
            self.ending = Some(end);
        } else {
            self.end(cx, end);
        }
        asks
    }

    /// The program tries again by itself.
    pub(crate) fn retries(&mut self) {
        (self.ending, self.retrying) = (None, true);
    }

    /// The program gave up trying again, or was stopped while it waited to.
    pub(crate) fn gave_up(&mut self, cx: &mut Cx, error: Option<String>, mark: String) {
        self.retrying = false;
        if self.running || self.open.is_none() {
            return;
        }
        let status = if self.interrupting { Status::Interrupted } else { Status::Failed };
        let fault = (status == Status::Failed)
            .then(|| fault::of_service(error.as_deref().unwrap_or("The model's service failed.")));
        let made = self.made(status, mark, fault);
        let end = self.ending.take().filter(|_| status == Status::Failed).unwrap_or(made);
        self.end(cx, end);
    }

    /// The program answered, and nothing goes on: what seemed over is.
    pub(crate) fn settled(&mut self, cx: &mut Cx) {
        if self.compacting || self.running {
            return;
        }
        if let Some(end) = self.ending.take() {
            self.end(cx, end);
        }
    }

    /// The context was shortened and the program goes on with the turn.
    pub(crate) fn goes_on(&mut self) {
        self.ending = None;
    }

    /// The program is idle after our interrupt: a turn that it told no end of has ended.
    pub(crate) fn stopped(&mut self, cx: &mut Cx, mark: String) {
        if !self.running && !self.compacting && self.open.is_some() {
            let end = self.made(Status::Interrupted, mark, None);
            self.end(cx, end);
        }
        if !self.compacting {
            self.interrupting = false;
        }
    }

    fn made(&self, status: Status, mark: String, fault: Option<Fault>) -> TurnEnd {
        let op = self.open.as_ref().and_then(|open| open.op);
        TurnEnd { mark: Some(mark), fault, ..TurnEnd::new(op, status) }
    }

    fn end(&mut self, cx: &mut Cx, end: TurnEnd) {
        self.open = None;
        self.ending = None;
        (self.interrupting, self.retrying) = (false, false);
        cx.event(EventBody::TurnEnded(end));
        // What came behind the end opens the next turn; what was left in the program's queue opens none.
        self.unsure = !self.steers.is_empty();
        self.waiting.extend(std::mem::take(&mut self.steers));
    }

    /// The program is idle and has messages in its queue: nothing takes them out but the next message, along with which they go.
    pub(crate) fn left_over(&mut self, cx: &mut Cx) {
        for sent in std::mem::take(&mut self.waiting) {
            if cx.is_open(sent.op) {
                cx.done(sent.op, OpValue::Delivered(Delivery::new(Delivered::Stale)));
            }
        }
    }

    /// The program ended: the open turn fails with it. A message that had opened none has no turn that could end.
    pub(crate) fn lost(&mut self, cx: &mut Cx, fault: &Fault) {
        if let Some(open) = self.open.take() {
            let end = TurnEnd { fault: Some(fault.clone()), ..TurnEnd::new(open.op, Status::Failed) };
            cx.event(EventBody::TurnEnded(end));
        }
        *self = Turns::default();
    }
}
