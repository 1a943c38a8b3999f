//! Turns: which message opened the one that runs, and how it ended.
//!
//! The program has no turn ids. It takes messages in order, so the oldest that waits opens the next turn; where it names the
//! message by our uuid, that decides. **Only a `result` ends a turn, or the end of the program.**

use jackfield_sdk::prelude::*;
use std::collections::VecDeque;

use crate::fault;
use crate::usage;
use crate::wire_session::{Lifecycle, TurnResult};

/// Messages on their way, and the open turn.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    sent: VecDeque<Sent>,
    open: Option<Open>,
    /// We asked for the open turn's end.
    pub interrupting: bool,
    /// The program tells what becomes of each message.
    lifecycle: bool,
    /// The program said that it begins the conversation anew.
    pub reset: bool,
    /// The resume point of the last message of the conversation.
    pub mark: Option<String>,
}

/// A message that has opened no turn yet.
#[derive(Debug)]
pub(crate) struct Sent {
    pub op: u32,
    pub uuid: String,
    /// What it orders, when it is no mere message.
    pub order: Option<Order>,
    /// It left the host.
    pub written: bool,
}

/// What a message orders the program to do with its context.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Order {
    /// Ours: shorten it.
    Compact,
    /// Ours: empty it; the session that is left behind.
    Clear { from: String },
    /// A person's own words to empty it.
    TypedClear,
}

#[derive(Debug)]
struct Open {
    sent: Option<Sent>,
    /// How often the model was asked in it.
    calls: u32,
}

impl Order {
    /// Why the program has a turn that no person's message opened.
    fn reason(&self) -> Option<&'static str> {
        match self {
            Order::Compact => Some("compact"),
            Order::Clear { .. } => Some("clear"),
            Order::TypedClear => None,
        }
    }
}

impl Sent {
    /// The command whose run it is; an order of ours is no run.
    fn run(&self) -> Option<u32> {
        self.order.as_ref().and_then(Order::reason).is_none().then_some(self.op)
    }

    /// Tells what became of it.
    fn deliver(&self, cx: &mut Cx, how: Delivered) {
        match &self.order {
            _ if !cx.is_open(self.op) => {}
            None | Some(Order::TypedClear) => cx.done(self.op, OpValue::Delivered(Delivery::new(how))),
            Some(_) if how == Delivered::Stale => {
                cx.fail(self.op, Fault::new(FaultKind::Cancelled, "The program dropped the order."));
            }
            // Taken on; how it went is told as a change of the context.
            Some(Order::Compact) => cx.done(self.op, OpValue::Accepted),
            // Answered with the new thread, at the end of its turn.
            Some(Order::Clear { .. }) => {}
        }
    }
}

impl Turns {
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// A turn is open, or about to be.
    pub(crate) fn has_work(&self) -> bool {
        self.open.is_some() || !self.sent.is_empty()
    }

    /// A message has the next turn, or the open one, to itself.
    pub(crate) fn is_taken(&self) -> bool {
        let runs = self.open.iter().filter_map(|open| open.sent.as_ref()).chain(&self.sent);
        runs.filter_map(Sent::run).next().is_some()
    }

    /// What the open turn's message ordered.
    pub(crate) fn order(&self) -> Option<(u32, Order)> {
        let sent = self.open.as_ref()?.sent.as_ref()?;
        Some((sent.op, sent.order.clone()?))
    }

    /// Whether another session's id means that the conversation was emptied on purpose.
    pub(crate) fn clears(&mut self) -> bool {
        let ordered = matches!(self.order(), Some((_, Order::Clear { .. } | Order::TypedClear)));
        std::mem::take(&mut self.reset) || ordered
    }

    /// A message of the conversation came: any of them is a resume point.
    pub(crate) fn passed(&mut self, uuid: &Option<String>) {
        if uuid.is_some() {
            self.mark.clone_from(uuid);
        }
    }

    pub(crate) fn push(&mut self, sent: Sent) {
        self.sent.push_back(sent);
    }

    /// Whether a message with this uuid is ours: it waits, or it opened the open turn.
    pub(crate) fn is_ours(&self, uuid: &str) -> bool {
        let opened = self.open.as_ref().and_then(|open| open.sent.as_ref());
        opened.into_iter().chain(&self.sent).any(|sent| sent.uuid == uuid)
    }

    /// The command of a waiting message, wherever its uuid stands in this text.
    pub(crate) fn op_of(&self, text: &str) -> Option<u32> {
        self.sent.iter().find(|sent| text.contains(&sent.uuid)).map(|sent| sent.op)
    }

    /// A frame of a turn came; these are the uuids of the messages it answers, where the program tells them.
    pub(crate) fn touch(&mut self, cx: &mut Cx, uuids: &[String]) {
        self.lifecycle |= !uuids.is_empty();
        let named = self.sent.iter().position(|sent| uuids.contains(&sent.uuid));
        // Messages are taken in order: those before a named one were taken, too, into a turn that is over.
        let passed = if self.open.is_none() { named.unwrap_or(0) } else { 0 };
        for sent in self.sent.drain(..passed) {
            sent.deliver(cx, Delivered::JoinedTurn);
        }
        let named = named.map(|at| at - passed);
        if self.open.is_some() {
            if let Some(sent) = named.and_then(|at| self.sent.remove(at)) {
                sent.deliver(cx, Delivered::JoinedTurn);
            }
            return;
        }
        let sent = match named {
            Some(at) => self.sent.remove(at),
            None => self.sent.pop_front(),
        };
        if let Some(sent) = &sent {
            sent.deliver(cx, Delivered::OpenedTurn);
        }
        let order = sent.as_ref().map(|sent| sent.order.as_ref().and_then(Order::reason));
        let reason = order.unwrap_or(Some("task-notification")).map(str::to_owned);
        cx.event(EventBody::TurnStarted(TurnStart { op: sent.as_ref().and_then(Sent::run), reason }));
        self.open = Some(Open { sent, calls: 0 });
    }

    /// The model is asked, and not for the first time in this turn: a program that does not tell what becomes of each message has
    /// put in those that it was given since. One that comes after the last call waits for its own turn.
    pub(crate) fn model_asked(&mut self, cx: &mut Cx) {
        let Some(open) = &mut self.open else { return };
        open.calls += 1;
        if self.lifecycle || open.calls < 2 {
            return;
        }
        let (joined, left) = std::mem::take(&mut self.sent).into_iter().partition(|sent| sent.written);
        self.sent = left;
        for sent in Vec::from(joined) {
            sent.deliver(cx, Delivered::JoinedTurn);
        }
    }

    /// A turn begins, and the frame that says so does not name its message; where the program does, the next frame will.
    pub(crate) fn begin_unnamed(&mut self, cx: &mut Cx) {
        if self.sent.is_empty() || !self.lifecycle {
            self.touch(cx, &[]);
        }
    }

    /// What became of a message of ours.
    pub(crate) fn lifecycle(&mut self, cx: &mut Cx, frame: &Lifecycle) {
        self.lifecycle = true;
        let at = self.sent.iter().position(|sent| sent.uuid == frame.command_uuid);
        match (frame.state.as_str(), at) {
            ("started", Some(_)) => self.touch(cx, std::slice::from_ref(&frame.command_uuid)),
            ("completed", Some(at)) => self.settle(cx, at, Delivered::JoinedTurn),
            ("cancelled", Some(at)) => self.settle(cx, at, Delivered::Stale),
            ("queued" | "started" | "completed" | "cancelled", _) => {}
            (state, _) => return cx.unknown(format!("command_lifecycle/{state}")),
        }
        if cx.said_nothing() {
            cx.silent("command_lifecycle");
        }
    }

    fn settle(&mut self, cx: &mut Cx, at: usize, how: Delivered) {
        if let Some(sent) = self.sent.remove(at) {
            sent.deliver(cx, how);
        }
    }

    /// A message left the host. Without an open turn it opens one; else it is not known yet what becomes of it.
    pub(crate) fn written(&mut self, cx: &mut Cx, op: u32) {
        let first = self.open.is_none();
        let Some(at) = self.sent.iter().position(|sent| sent.op == op) else { return };
        let sent = &mut self.sent[at];
        sent.written = true;
        if first && at == 0 && sent.run().is_some() {
            sent.deliver(cx, Delivered::OpenedTurn);
        }
    }

    pub(crate) fn unwritten(&mut self, cx: &mut Cx, op: u32, fault: Fault) {
        self.sent.retain(|sent| sent.op != op);
        if cx.is_open(op) {
            cx.fail(op, fault);
        }
    }

    /// The program ended: the open turn fails with it. A message that had opened none has no turn that could end; its
    /// command fails if it is still open, and its run ends with the session.
    pub(crate) fn lost(&mut self, cx: &mut Cx, fault: &Fault) {
        self.sent.clear();
        if let Some(open) = self.open.take() {
            let op = open.sent.as_ref().and_then(Sent::run);
            let end = TurnEnd { fault: Some(fault.clone()), ..TurnEnd::new(op, Status::Failed) };
            cx.event(EventBody::TurnEnded(end));
        }
        self.interrupting = false;
    }

    /// A result: false when it belongs to no turn.
    pub(crate) fn end(&mut self, cx: &mut Cx, result: &TurnResult, background: bool) -> bool {
        if self.open.is_none() && self.sent.is_empty() {
            return false;
        }
        self.touch(cx, &result.user_message_uuids);
        let op = self.open.take().and_then(|open| open.sent).as_ref().and_then(Sent::run);
        usage::of_turn(cx, result);
        let (status, fault) = fault::of_result(result, self.interrupting);
        let reason = fault::reason_of(result);
        let mark = self.mark.clone();
        cx.event(EventBody::TurnEnded(TurnEnd { reason, fault, mark, background, ..TurnEnd::new(op, status) }));
        self.interrupting = false;
        // Messages that were sent into the turn and did not join it wait for their own. The program's count of those that wait
        // does not tell: it was 0 where the next turn was such a message's.
        for sent in &self.sent {
            sent.deliver(cx, Delivered::Queued);
        }
        true
    }
}
