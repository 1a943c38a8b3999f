//! Copies of the conversation, and going back in it.
//!
//! The server names a point by the first of the person's messages that is behind it; ours is a turn's own message, so the next one must be
//! known. **Going back puts the files back, too**: those that the tools of the turns behind the point had changed.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::calls::{Call, Then};
use crate::session::OpenCode;
use crate::wire::Whole;

impl OpenCode {
    /// The commands `fork-thread` and `rollback-thread`.
    pub(crate) fn at_point(&mut self, cx: &mut Cx, op: u32, point: &Point, then: Then) {
        if let Some(fault) = self.not_idle() {
            return cx.fail(op, fault);
        }
        if point.item.is_some() {
            return cx.fail(op, Fault::unsupported("OpenCode copies and goes back by whole turns only."));
        }
        if then == Then::Fork && point.turns_after == 0 {
            return self.fork(cx, op, None);
        }
        cx.hold(op);
        let known = match &point.mark {
            Some(mark) => self.thread.said.contains(mark),
            None => self.thread.whole,
        };
        if known {
            return self.point_known(cx, op, point.clone(), then);
        }
        // Of a conversation that was resumed only the server knows what was said before.
        let path = format!("/session/{}/message", self.thread.id);
        self.calls.ask(cx, "GET", &path, None, Call::Said { op, point: point.clone(), then });
    }

    pub(crate) fn said_read(&mut self, cx: &mut Cx, op: u32, point: Point, then: Then, answer: Result<Value, Fault>) {
        let messages: Vec<Whole> = match answer {
            Ok(messages) => serde_json::from_value(messages).unwrap_or_default(),
            Err(fault) => return cx.fail(op, fault),
        };
        // What the server says in the person's name opens no turn.
        let opens = |message: &Whole| {
            message.info.role == "user" && message.parts.iter().any(|part| part.kind != "compaction" && !part.synthetic)
        };
        self.thread.said = messages.into_iter().filter(opens).map(|message| message.info.id).collect();
        self.thread.whole = true;
        self.point_known(cx, op, point, then);
    }

    fn point_known(&mut self, cx: &mut Cx, op: u32, point: Point, then: Then) {
        let keep = match &point.mark {
            Some(mark) => self.thread.said.iter().position(|said| said == mark).map(|at| at + 1),
            None => Some(0),
        };
        let first_gone = keep.and_then(|keep| self.thread.said.get(keep).map(|first| (keep, first.clone())));
        let Some((keep, first)) = first_gone else {
            let text = "OpenCode does not know what was said after that point any more.";
            return cx.fail(op, Fault::new(FaultKind::NotFound, text));
        };
        match then {
            Then::Fork => self.fork(cx, op, Some(first)),
            Then::Revert => {
                let path = format!("/session/{}/revert", self.thread.id);
                let call = Call::Revert { op, keep, turn: point.turn };
                self.calls.ask(cx, "POST", &path, Some(&json!({"messageID": first})), call);
            }
        }
    }

    fn fork(&mut self, cx: &mut Cx, op: u32, before: Option<String>) {
        let path = format!("/session/{}/fork", self.thread.id);
        let body = before.map_or_else(|| json!({}), |message| json!({"messageID": message}));
        self.calls.ask(cx, "POST", &path, Some(&body), Call::Fork(op));
        cx.hold(op);
    }

    pub(crate) fn forked(&mut self, cx: &mut Cx, op: u32, answer: Result<Value, Fault>) {
        let copy: crate::wire::Session = match answer {
            Ok(copy) => serde_json::from_value(copy).unwrap_or_default(),
            Err(fault) => return cx.fail(op, fault),
        };
        if copy.id.is_empty() {
            let text = "OpenCode copied the conversation and did not name the copy.";
            return cx.fail(op, Fault::new(FaultKind::Protocol, text));
        }
        let thread = Thread {
            cursor: Some(copy.id.clone()),
            parent: Some(self.thread.id.clone()),
            title: copy.title,
            ..Thread::new(copy.id, ThreadState::Idle)
        };
        cx.done(op, OpValue::Thread(thread));
    }

    pub(crate) fn reverted(
        &mut self,
        cx: &mut Cx,
        op: u32,
        keep: usize,
        turn: Option<String>,
        done: Result<(), Fault>,
    ) {
        if let Err(fault) = done {
            return cx.fail(op, fault);
        }
        self.thread.said.truncate(keep);
        cx.done(op, OpValue::Thread(self.to_thread(ThreadState::Idle)));
        let summary = "OpenCode put the files back, too, that its tools had changed since.";
        let change =
            ContextChange { turn, summary: Some(summary.to_owned()), ..ContextChange::new(ContextEffect::Rewound) };
        cx.event(EventBody::Context(change));
    }
}
