//! Copies of a thread, going back in it, and its context shortened.
//!
//! **Going back has two methods, one per version, and each refuses the other's**: 0.171 goes back to before a turn
//! (`thread/revert`), 0.120 by a number of turns (`thread/rollback`). The version chooses; if that one is refused the other is tried once.
//! Neither touches files.

use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use serde_json::{Map, Value, json};

use crate::fault::REFUSED;
use crate::session::{Call, Codex};
use crate::wire::Opened;

impl Codex {
    /// The command `fork-thread`: at its end, or after a turn. A copy keeps the turns' and items' ids.
    pub(crate) fn fork(&mut self, cx: &mut Cx, op: u32, thread: Option<&str>, point: &Point) {
        // A subagent's thread, and one that is not open here, can be copied, too.
        let id = match (self.not_ready(), thread) {
            (Some(fault), _) => return cx.fail(op, fault),
            (None, Some(id)) => id.to_owned(),
            (None, None) => match self.threads.of_command(None) {
                Ok(id) => id,
                Err(fault) => return cx.fail(op, fault),
            },
        };
        if point.item.is_some() {
            return cx.fail(op, Fault::unsupported("Codex copies whole turns only."));
        }
        let mut params = Map::from_iter([("threadId".to_owned(), Value::from(id))]);
        if self.version.is_new() {
            params.insert("excludeTurns".into(), true.into());
        }
        match &point.turn {
            Some(turn) if point.turns_after > 0 => {
                if !self.version.is_new() {
                    return cx.fail(op, Fault::unsupported("This version of Codex copies whole threads only."));
                }
                params.insert("lastTurnId".into(), turn.as_str().into());
            }
            None if point.turns_after > 0 => {
                let text = "Codex copies nothing before the first turn; open a new thread.";
                return cx.fail(op, Fault::unsupported(text));
            }
            _ => {}
        }
        self.call(cx, Some(op), "thread/fork", Value::Object(params), Call::Fork { op });
    }

    pub(crate) fn forked(&mut self, cx: &mut Cx, op: u32, answer: Result<Value, RpcError>) {
        let opened: Opened = match answer {
            Ok(opened) => serde_json::from_value(opened).unwrap_or_default(),
            Err(error) if error.code == REFUSED => return cx.fail(op, error.fault(FaultKind::NotFound)),
            Err(error) => return cx.fail(op, crate::fault::of_call(&error)),
        };
        let copy = opened.thread;
        if copy.id.is_empty() {
            return cx.fail(op, Fault::new(FaultKind::Protocol, "Codex copied the thread and did not name the copy."));
        }
        self.copies.insert(copy.id.clone());
        let thread = Thread {
            cursor: Some(copy.id.clone()),
            parent: copy.forked_from_id,
            title: copy.name,
            preview: copy.preview,
            ..Thread::new(copy.id, ThreadState::Idle)
        };
        cx.done(op, OpValue::Thread(thread));
    }

    /// The command `rollback-thread`.
    pub(crate) fn rollback(&mut self, cx: &mut Cx, op: u32, thread: Option<&str>, point: Point) {
        let id = match self.not_ready().map_or_else(|| self.threads.of_command(thread), Err) {
            Ok(id) => id,
            Err(fault) => return cx.fail(op, fault),
        };
        let Some(thread) = self.threads.get(&id) else { return };
        if thread.has_work() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "A turn is open. Wait for its end, or interrupt it."));
        }
        if self.version.is_new() && !thread.whole {
            // Only its own list knows which turn comes after the point.
            let params = json!({"threadId": id, "includeTurns": true});
            return self.call(cx, Some(op), "thread/read", params, Call::Turns { op, thread: id, point });
        }
        let new = self.version.is_new();
        self.go_back(cx, op, &id, point, new, false);
    }

    /// The turns of a thread that was resumed.
    pub(crate) fn turns_read(&mut self, cx: &mut Cx, op: u32, id: &str, point: Point, answer: Result<Value, RpcError>) {
        let read: Opened = match answer {
            Ok(read) => serde_json::from_value(read).unwrap_or_default(),
            Err(error) => return cx.fail(op, crate::fault::of_call(&error)),
        };
        if let Some(thread) = self.threads.get_mut(id) {
            thread.turns = read.thread.turns.into_iter().map(|turn| turn.id).collect();
            thread.whole = true;
        }
        self.go_back(cx, op, id, point, true, false);
    }

    fn go_back(&mut self, cx: &mut Cx, op: u32, id: &str, point: Point, reverts: bool, other_tried: bool) {
        let Some(thread) = self.threads.get(id) else { return };
        let (method, params) = if reverts {
            let first_gone = match &point.turn {
                None => thread.turns.first(),
                Some(last) => thread.turns.iter().position(|turn| turn == last).and_then(|at| thread.turns.get(at + 1)),
            };
            let Some(turn) = first_gone else {
                let text = "Codex does not know the turns after that point any more.";
                return cx.fail(op, Fault::new(FaultKind::NotFound, text));
            };
            ("thread/revert", json!({"threadId": id, "beforeTurnId": turn}))
        } else {
            ("thread/rollback", json!({"threadId": id, "numTurns": point.turns_after}))
        };
        let call = Call::Back { op, thread: id.to_owned(), point, other_tried };
        self.call(cx, Some(op), method, params, call);
    }

    pub(crate) fn went_back(
        &mut self,
        cx: &mut Cx,
        op: u32,
        id: &str,
        point: Point,
        other_tried: bool,
        answer: Result<Value, RpcError>,
    ) {
        match answer {
            Err(error) if error.code == REFUSED && !other_tried => {
                // A version between the two that were measured may have the other method.
                let reverts = !self.version.is_new();
                return self.go_back(cx, op, id, point, reverts, true);
            }
            Err(error) => return cx.fail(op, crate::fault::of_call(&error)),
            Ok(_) => {}
        }
        let Some(thread) = self.threads.get_mut(id) else { return };
        let kept = match &point.turn {
            None => 0,
            Some(last) => thread.turns.iter().position(|turn| turn == last).map_or(0, |at| at + 1),
        };
        thread.turns.truncate(kept);
        thread.whole &= point.turn.is_none() || kept > 0;
        let told = thread.to_thread(ThreadState::Idle);
        cx.done(op, OpValue::Thread(told));
        let scope = self.scope(id, None);
        let change = ContextChange { turn: point.turn, ..ContextChange::new(ContextEffect::Rewound) };
        cx.event_in(scope, EventBody::Context(change));
    }

    /// The command `compact-thread`. The program does it in a turn of its own, and takes no words on what to keep.
    pub(crate) fn compact(&mut self, cx: &mut Cx, op: u32, thread: Option<&str>, keep: &str) {
        if !keep.trim().is_empty() {
            let text = "Codex takes no words on what to keep; shorten the context without any.";
            return cx.fail(op, Fault::new(FaultKind::Invalid, text));
        }
        let id = match self.not_ready().map_or_else(|| self.threads.of_command(thread), Err) {
            Ok(id) => id,
            Err(fault) => return cx.fail(op, fault),
        };
        let Some(thread) = self.threads.get_mut(&id) else { return };
        if thread.has_work() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "A turn is open. Wait for its end, or interrupt it."));
        }
        thread.compacting = true;
        self.call(cx, Some(op), "thread/compact/start", json!({"threadId": id}), Call::Compact { op });
    }
}
