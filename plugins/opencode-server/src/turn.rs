//! Turns: from the person's message, as the server tells it, to the server's idle.
//!
//! **An abort makes the server idle twice, and what it had said of the message that it cut comes between**: the first idle of a turn that
//! is being stopped is its end only if no message is open; else the second one is, or a while of silence. An error is one only if
//! the server goes on with nothing: what it saves by shortening the context is a turn that completed. **What was waited out may come in the
//! turn after it**, on a machine at work: the message that was cut changes nothing there, and its idle ends nothing.

use jackfield_sdk::prelude::*;

use crate::fault;
use crate::session::OpenCode;
use crate::wire::{Failure, Message};

/// How long the rest of a message that was cut is waited for, in milliseconds. A real one took 76.
const REST_MS: f64 = 1_000.0;

/// The message on its way, and the open turn.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// The command whose message was sent, and no turn has begun for it.
    pub waiting: Option<u32>,
    pub open: Option<Open>,
    /// The idle that was waited out belongs to a turn that has ended.
    late_idle: bool,
    /// The message that was cut, of whose rest that turn saw nothing.
    cut: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Open {
    pub op: Option<u32>,
    /// The person's message.
    pub user: String,
    /// We asked for its end.
    pub stopping: bool,
    /// The assistant's message that is open.
    message: Option<String>,
    /// The assistant has ended a message in it.
    answered: bool,
    failed: Option<Failure>,
    /// The first idle came; until then the rest of the message is waited for.
    rest: Option<u32>,
    finish: Option<String>,
}

impl Turns {
    pub(crate) fn has_work(&self) -> bool {
        self.open.is_some() || self.waiting.is_some()
    }

    /// It is the message that was cut, and its turn has ended.
    pub(crate) fn was_cut(&self, message: &str) -> bool {
        self.cut.as_deref() == Some(message)
    }

    /// We asked for the open turn's end.
    pub(crate) fn is_stopping(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.stopping)
    }
}

impl OpenCode {
    /// A message of the conversation itself.
    pub(crate) fn own_message(&mut self, cx: &mut Cx, told: Message) {
        match told.role.as_str() {
            "user" => self.own_user(cx, told),
            "assistant" => self.own_assistant(cx, told),
            _ => cx.unknown(format!("message/{}", told.role)),
        }
    }

    fn own_user(&mut self, cx: &mut Cx, told: Message) {
        let again = self.thread.said.contains(&told.id);
        let known = again || self.turns.open.is_some();
        // One that is not ours opens a turn when it is answered: what was said long ago is told again, too.
        if let Some(op) = self.turns.waiting.take_if(|_| !known) {
            self.turn_begins(cx, Some(op), told.id);
        }
        // What was in force then may not be what was chosen since.
        if !again && self.settings.learn(told.agent.as_deref(), None) {
            self.tell_settings(cx);
        }
        if cx.said_nothing() {
            cx.silent("message.updated/user");
        }
    }

    fn turn_begins(&mut self, cx: &mut Cx, op: Option<u32>, user: String) {
        if let Some(op) = op {
            cx.opened_turn(op);
        }
        self.thread.said.push(user.clone());
        let reason = op.is_none().then(|| "another-client".to_owned());
        cx.event(EventBody::TurnStarted(TurnStart { op, reason }));
        self.turns.open = Some(Open { op, user, ..Open::default() });
    }

    fn own_assistant(&mut self, cx: &mut Cx, told: Message) {
        if self.turns.was_cut(&told.id) {
            return cx.silent("message.updated/late");
        }
        let over = told.time.completed.is_some() || told.error.is_some();
        // Told again, it says nothing of what was chosen since; and what is over when it is met was said long ago.
        if let (Some(provider), Some(model)) = (&told.provider_id, &told.model_id)
            && self.thread.heard.insert(told.id.clone())
            && !over
            && self.settings.learn(None, Some(format!("{provider}/{model}")))
        {
            self.tell_settings(cx);
        }
        let new = !over && !told.parent_id.is_empty() && !self.thread.said.contains(&told.parent_id);
        if self.turns.open.is_none() && new && self.turns.waiting.is_none() {
            self.turn_begins(cx, None, told.parent_id.clone());
        }
        let Some(open) = &mut self.turns.open else {
            if cx.said_nothing() {
                cx.silent("message.updated/late");
            }
            return;
        };
        if !over && open.message.as_ref() != Some(&told.id) {
            // What failed before is behind it: it goes on.
            open.failed = None;
        }
        open.message = (!over).then_some(told.id);
        open.answered |= over;
        open.finish = told.finish.or(open.finish.take());
        if let Some(error) = told.error {
            open.failed = Some(error);
        }
        if cx.said_nothing() {
            cx.silent("message.updated/assistant");
        }
    }

    /// `session.error` of the conversation itself.
    pub(crate) fn own_error(&mut self, cx: &mut Cx, failure: Failure) {
        let aborted = failure.name == fault::ABORTED;
        if let Some(open) = &mut self.turns.open {
            open.failed = Some(failure);
            return cx.silent("session.error");
        }
        if aborted {
            return cx.silent("session.error/late");
        }
        let fault = fault::of_failure(&failure);
        // A message that the server took and could not begin with.
        if let Some(op) = self.turns.waiting.take() {
            cx.opened_turn(op);
            cx.event(EventBody::TurnStarted(TurnStart { op: Some(op), reason: None }));
            let end = TurnEnd { fault: Some(fault), mark: self.mark(), ..TurnEnd::new(Some(op), Status::Failed) };
            self.turns.late_idle = true;
            return cx.event(EventBody::TurnEnded(end));
        }
        cx.event(EventBody::Note(Note {
            level: Level::Error,
            code: "session-error".to_owned(),
            text: fault.message.clone(),
            fault: Some(fault),
        }));
    }

    /// `session.idle` of the conversation itself.
    pub(crate) fn own_idle(&mut self, cx: &mut Cx) {
        let Some(open) = &mut self.turns.open else {
            return if std::mem::take(&mut self.turns.late_idle) {
                cx.silent("session.idle/late")
            } else {
                cx.duplicate()
            };
        };
        let at_work = open.message.is_some() || !open.answered;
        if at_work && open.failed.is_none() && std::mem::take(&mut self.turns.late_idle) {
            return cx.silent("session.idle/late");
        }
        let aborted = open.failed.as_ref().is_some_and(|failure| failure.name == fault::ABORTED);
        if aborted && open.message.is_some() && open.rest.is_none() {
            open.rest = Some(cx.timer(REST_MS));
            return;
        }
        // The second one follows, if a message was being cut.
        let first = aborted && open.rest.is_none();
        self.end_turn(cx);
        self.turns.late_idle = first;
    }

    pub(crate) fn waited_out(&mut self, cx: &mut Cx, timer: u32) {
        let Some(open) = self.turns.open.as_ref().filter(|open| open.rest == Some(timer)) else { return };
        let cut = open.message.clone();
        self.end_turn(cx);
        (self.turns.late_idle, self.turns.cut) = (true, cut);
    }

    fn end_turn(&mut self, cx: &mut Cx) {
        let Some(open) = self.turns.open.take() else { return };
        if let Some(timer) = open.rest {
            cx.cancel(timer);
        }
        self.turns.late_idle = false;
        let (status, fault) = match &open.failed {
            None => (Status::Completed, None),
            Some(failure) if failure.name == fault::ABORTED => (Status::Interrupted, None),
            Some(failure) => (Status::Failed, Some(fault::of_failure(failure))),
        };
        let end = TurnEnd { reason: open.finish, fault, mark: Some(open.user), ..TurnEnd::new(open.op, status) };
        self.children.turn_ends(cx);
        cx.event(EventBody::TurnEnded(end));
        self.parts.forget_texts();
    }

    /// The resume point here: the last message that opened a turn.
    pub(crate) fn mark(&self) -> Option<String> {
        self.thread.said.last().cloned()
    }

    /// The program ended: the open turn fails with it.
    pub(crate) fn turn_lost(&mut self, cx: &mut Cx, fault: &Fault) {
        self.children.lost(cx);
        if let Some(open) = self.turns.open.take() {
            let mark = Some(open.user);
            let end = TurnEnd { fault: Some(fault.clone()), mark, ..TurnEnd::new(open.op, Status::Failed) };
            cx.event(EventBody::TurnEnded(end));
        }
        self.turns = Turns::default();
    }
}
