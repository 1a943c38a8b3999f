//! Copies of a conversation, and going back in it.
//!
//! The program parts a conversation before a message of the person's, and then goes on in the new one. For a copy that would take the
//! conversation away from whom it belongs to: **a copy is made by a second program, which ends at once**. To go back, the conversation's
//! own program parts it, and the new one takes its place. A mark is how many messages of the person's come before it.

use jackfield_sdk::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::answer::{Parted, Points, Response, State};
use crate::calls::{Call, CopyStep};
use crate::fault;
use crate::session::{Conversation, Pi};

/// A copy that is being made.
#[derive(Debug)]
pub(crate) struct Copying {
    op: u32,
    /// How many messages of the person's stay; all when absent.
    keep: Option<usize>,
}

impl Pi {
    /// The command `fork-thread`.
    pub(crate) fn fork(&mut self, cx: &mut Cx, op: u32, point: &Point) {
        let keep = match self.not_ready().map_or_else(|| self.place(point), Err) {
            Ok(keep) => keep,
            Err(fault) => return cx.fail(op, fault),
        };
        if !self.thread.stored {
            let text = "Nothing of this conversation is on disk yet. Copy it when it has an answer.";
            return cx.fail(op, Fault::new(FaultKind::Conflict, text));
        }
        let channel = self.spawn(cx, Some(self.thread.id.clone()));
        // At the end nothing is cut off.
        let keep = Some(keep).filter(|keep| *keep < self.thread.said);
        self.copies.insert(channel, Copying { op, keep });
        cx.hold(op);
    }

    /// How many messages of the person's stay.
    fn place(&self, point: &Point) -> Result<usize, Fault> {
        let marked = point.mark.as_deref().map(str::parse);
        match marked {
            Some(Ok(keep)) if keep <= self.thread.said => Ok(keep),
            None if point.turns_after == 0 && point.item.is_none() => Ok(self.thread.said),
            _ => {
                let text = "pi goes back to the end of a turn, by its mark, and none is known here. To go back before the \
                            first one, clear the thread or open a new one.";
                Err(Fault::new(FaultKind::Invalid, text))
            }
        }
    }

    /// A program that makes a copy runs.
    pub(crate) fn copy_runs(&mut self, cx: &mut Cx, channel: u32) {
        self.ask_copy(cx, channel, "get_state", json!({}), CopyStep::Opened);
    }

    fn ask_copy(&mut self, cx: &mut Cx, channel: u32, command: &str, fields: serde_json::Value, step: CopyStep) {
        self.calls.ask(cx, channel, command, fields, Call::Copy(channel, step));
    }

    /// A line of a program that makes a copy: nothing but its answers matters.
    pub(crate) fn copy_line(&mut self, cx: &mut Cx, channel: u32, kind: &str, text: &str) {
        let answer = if kind == "response" { serde_json::from_str::<Response>(text).ok() } else { None };
        let Some(answer) = answer else { return cx.silent(format!("copy/{kind}")) };
        match self.calls.answered(answer.id.as_deref(), &answer.command) {
            Some(Call::Copy(of, step)) if of == channel && answer.success => self.copy_step(cx, channel, step, &answer),
            Some(Call::Copy(of, _)) if of == channel => {
                let text = answer.error.unwrap_or_default();
                self.copy_failed(cx, channel, fault::of_command(&answer.command, &text));
            }
            _ => cx.silent("copy/response"),
        }
    }

    fn copy_step(&mut self, cx: &mut Cx, channel: u32, step: CopyStep, answer: &Response) {
        let keep = self.copies.get(&channel).and_then(|copy| copy.keep);
        match (step, keep) {
            (CopyStep::Opened, _) if data::<State>(answer).session_id != self.thread.id => {
                self.copy_failed(
                    cx,
                    channel,
                    Fault::new(FaultKind::NotFound, "pi did not find the conversation to copy."),
                );
            }
            (CopyStep::Opened, None) => self.ask_copy(cx, channel, "clone", json!({}), CopyStep::Made),
            (CopyStep::Opened, Some(_)) => self.ask_copy(cx, channel, "get_fork_messages", json!({}), CopyStep::Points),
            (CopyStep::Points, keep) => {
                match data::<Points>(answer).messages.into_iter().nth(keep.unwrap_or(usize::MAX)) {
                    Some(point) => {
                        self.ask_copy(cx, channel, "fork", json!({"entryId": point.entry_id}), CopyStep::Made);
                    }
                    None => self.copy_failed(cx, channel, no_place()),
                }
            }
            (CopyStep::Made, _) if data::<Parted>(answer).cancelled => self.copy_failed(cx, channel, not_let()),
            (CopyStep::Made, _) => self.ask_copy(cx, channel, "get_state", json!({}), CopyStep::Told),
            (CopyStep::Told, _) => self.copied(cx, channel, data(answer)),
        }
    }

    fn copied(&mut self, cx: &mut Cx, channel: u32, state: State) {
        if state.session_id == self.thread.id || state.session_id.is_empty() {
            return self.copy_failed(cx, channel, Fault::new(FaultKind::Protocol, "pi made no copy."));
        }
        let Some(copy) = self.copies.remove(&channel) else { return };
        let thread = Thread {
            cursor: Some(state.session_id.clone()),
            parent: Some(self.thread.id.clone()),
            ..Thread::new(state.session_id, ThreadState::Stored)
        };
        cx.done(copy.op, OpValue::Thread(thread));
        cx.close_stdin(channel);
    }

    pub(crate) fn copy_failed(&mut self, cx: &mut Cx, channel: u32, fault: Fault) {
        if let Some(copy) = self.copies.remove(&channel) {
            cx.fail(copy.op, fault);
            cx.close_stdin(channel);
        }
    }

    /// A program that made a copy ended, or could not be started.
    pub(crate) fn copy_ended(&mut self, cx: &mut Cx, channel: u32, fault: Fault) {
        self.calls.lost(Some(channel));
        if let Some(copy) = self.copies.remove(&channel) {
            cx.fail(copy.op, fault);
        }
    }

    /// The command `rollback-thread`.
    pub(crate) fn rollback(&mut self, cx: &mut Cx, op: u32, point: &Point) {
        let keep = match self.not_idle().map_or_else(|| self.place(point), Err) {
            Ok(keep) => keep,
            Err(fault) => return cx.fail(op, fault),
        };
        if keep == self.thread.said {
            return cx.done(op, OpValue::Thread(self.to_thread(ThreadState::Idle)));
        }
        cx.hold(op);
        self.calls.ask(cx, self.channel, "get_fork_messages", json!({}), Call::Points(op, keep));
    }

    pub(crate) fn points_told(&mut self, cx: &mut Cx, op: u32, keep: usize, points: Points) {
        let Some(point) = points.messages.into_iter().nth(keep) else { return cx.fail(op, no_place()) };
        self.calls.ask(cx, self.channel, "fork", json!({"entryId": point.entry_id}), Call::Back(op, keep));
    }

    pub(crate) fn went_back(&mut self, cx: &mut Cx, op: u32, keep: usize, parted: Parted) {
        if parted.cancelled {
            return cx.fail(op, not_let());
        }
        self.calls.ask(cx, self.channel, "get_state", json!({}), Call::Parted(op, keep));
    }

    /// The conversation that takes the place of the longer one. The program writes it at once: it has an answer in it.
    pub(crate) fn parted(&mut self, cx: &mut Cx, op: u32, keep: usize, state: State) {
        let fresh = Conversation { id: state.session_id, said: keep, stored: true, answered: true, from: None };
        let old = std::mem::replace(&mut self.thread, fresh).id;
        cx.done(op, OpValue::Thread(Thread { replaces: Some(old), ..self.to_thread(ThreadState::Idle) }));
        cx.event(EventBody::Context(ContextChange::new(ContextEffect::Rewound)));
    }
}

fn data<T: DeserializeOwned + Default>(answer: &Response) -> T {
    answer.data.as_ref().map(|raw| raw.lossy()).unwrap_or_default()
}

fn no_place() -> Fault {
    Fault::new(FaultKind::NotFound, "The conversation on disk does not have this place any more.")
}

fn not_let() -> Fault {
    Fault::new(FaultKind::Denied, "An extension of pi's did not let the conversation be parted.")
}
