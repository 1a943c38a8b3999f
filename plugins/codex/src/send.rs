//! Messages on their way to the program: into a turn of their own, into the open one, into its queue; and the end of a turn.
//!
//! **A turn's id that the program gave and that never opens is no turn's**: while another is open, a message went into that one,
//! whatever id the answer has (0.120 makes one up).

use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::content;
use crate::fault::REFUSED;
use crate::session::{Call, Codex};
use crate::settings::Settings;
use crate::thread::{Queued, Starting};
use crate::wire::Said;

impl Codex {
    /// The command `send-run`.
    pub(crate) fn send(&mut self, cx: &mut Cx, op: u32, thread: Option<&str>, message: &Message) {
        let (id, input) = match self.sendable(thread, message) {
            Ok(found) => found,
            Err(fault) => return cx.fail(op, fault),
        };
        let new = self.version.is_new();
        let Some(thread) = self.threads.get_mut(&id) else { return };
        message.selection.iter().for_each(|(name, value)| thread.settings.choose(name, value));
        if thread.has_work() {
            if !message.enqueue || !new {
                let text = "A turn is open. Steer it, or wait for its end.";
                return cx.fail(op, Fault::new(FaultKind::Conflict, text));
            }
            thread.queue.push_back(Queued { op, uuid: message.uuid.clone() });
            let params = json!({"threadId": id, "clientUserMessageId": message.uuid, "input": input});
            return self.call(cx, Some(op), "thread/queue/add", params, Call::Queue { op, thread: id });
        }
        let mut params = thread.settings.along();
        thread.starting.push_back(Starting { op, turn: None });
        params.insert("threadId".into(), id.as_str().into());
        params.insert("input".into(), input);
        self.call(cx, Some(op), "turn/start", Value::Object(params), Call::Turn { op, thread: id });
    }

    /// The command `steer-run`.
    pub(crate) fn steer(&mut self, cx: &mut Cx, op: u32, thread: Option<&str>, message: &Message) {
        let (id, input) = match self.sendable(thread, message) {
            Ok(found) => found,
            Err(fault) => return cx.fail(op, fault),
        };
        let turn =
            self.threads.get(&id).and_then(|thread| message.turn.as_deref().or(thread.turn())).map(str::to_owned);
        let Some(turn) = turn else {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "The turn has ended."));
        };
        let params = json!({"threadId": id, "expectedTurnId": turn, "input": input});
        self.call(cx, Some(op), "turn/steer", params, Call::Steer { op, thread: id });
    }

    fn sendable(&self, thread: Option<&str>, message: &Message) -> Result<(String, Value), Fault> {
        self.not_ready().map_or(Ok(()), Err)?;
        let id = self.threads.of_command(thread)?;
        message.selection.iter().try_for_each(|(name, value)| Settings::check(name, value))?;
        Ok((id, content::of_message(message)?))
    }

    /// The answer to `turn/start`.
    pub(crate) fn turn_accepted(&mut self, cx: &mut Cx, op: u32, id: &str, answer: Result<Value, RpcError>) {
        let Some(thread) = self.threads.get_mut(id) else { return };
        let at = thread.starting.iter().position(|starting| starting.op == op);
        let turn = match answer {
            Ok(said) => serde_json::from_value(said).unwrap_or_else(|_| Said::default()).turn(),
            Err(error) => {
                at.map(|at| thread.starting.remove(at));
                return cx.fail(op, crate::fault::of_call(&error));
            }
        };
        let (how, turn) = match &thread.open {
            // Its own turn, which began before we were told its id.
            Some(open) if open.op == Some(op) => (Delivered::OpenedTurn, open.id.clone()),
            Some(open) => {
                let joined = open.id.clone();
                at.map(|at| thread.starting.remove(at));
                thread.steered.push_back(op);
                (Delivered::JoinedTurn, joined)
            }
            None => {
                if let Some(starting) = at.and_then(|at| thread.starting.get_mut(at)) {
                    starting.turn = Some(turn.clone());
                }
                (Delivered::OpenedTurn, turn)
            }
        };
        cx.done(op, OpValue::Delivered(Delivery { how, turn: Some(turn) }));
        self.stop_if_asked(cx, id);
    }

    /// The answer to `turn/steer`: the program refuses what comes too late, and names no other reason.
    pub(crate) fn steered(&mut self, cx: &mut Cx, op: u32, id: &str, answer: Result<Value, RpcError>) {
        let turn = match answer {
            Ok(said) => serde_json::from_value(said).unwrap_or_else(|_| Said::default()).turn(),
            Err(error) if error.code == REFUSED => {
                return cx.done(op, OpValue::Delivered(Delivery::new(Delivered::Stale)));
            }
            Err(error) => return cx.fail(op, crate::fault::of_call(&error)),
        };
        let Some(thread) = self.threads.get_mut(id) else { return };
        let open = thread.open.as_ref().map(|open| open.id.clone());
        if open.is_some() {
            thread.steered.push_back(op);
        }
        let turn = open.unwrap_or(turn);
        cx.done(op, OpValue::Delivered(Delivery { how: Delivered::JoinedTurn, turn: Some(turn) }));
    }

    /// The answer to `thread/queue/add`.
    pub(crate) fn queued(&mut self, cx: &mut Cx, op: u32, id: &str, answer: Result<Value, RpcError>) {
        match answer {
            Ok(_) => {
                cx.done(op, OpValue::Delivered(Delivery::new(Delivered::Queued)));
                self.tell_queue(cx, id);
            }
            Err(error) => {
                if let Some(thread) = self.threads.get_mut(id) {
                    thread.queue.retain(|queued| queued.op != op);
                }
                cx.fail(op, crate::fault::of_call(&error));
            }
        }
    }

    pub(crate) fn tell_queue(&mut self, cx: &mut Cx, id: &str) {
        let Some(thread) = self.threads.get(id) else { return };
        let ops = thread.queue.iter().map(|queued| queued.op).collect();
        let scope = self.scope(id, None);
        cx.event_in(scope, EventBody::Queue(ops));
    }

    /// The command `interrupt`. Its turn's id may not be known yet: then it waits for that.
    pub(crate) fn interrupt(&mut self, cx: &mut Cx, op: u32, thread: Option<&str>, interrupt: &Interrupt) {
        let id = match self.not_ready().map_or_else(|| self.threads.of_command(thread), Err) {
            Ok(id) => id,
            Err(fault) => return cx.fail(op, fault),
        };
        let Some(thread) = self.threads.get_mut(&id) else { return };
        if !thread.has_work() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "No turn is open."));
        }
        if thread.stop.is_some() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "The turn is being stopped."));
        }
        cx.hold(op);
        thread.stop = Some((op, interrupt.keep_background));
        self.stop_if_asked(cx, &id);
    }

    /// Stops the turn once its id is known; and behind it, unless they are to go on, its subagents, which the program leaves alone.
    pub(crate) fn stop_if_asked(&mut self, cx: &mut Cx, id: &str) {
        let Some(thread) = self.threads.get_mut(id) else { return };
        let Some(turn) = thread.turn().map(str::to_owned) else { return };
        let Some((op, keep_background)) = thread.stop.take() else { return };
        let params = json!({"threadId": id, "turnId": turn});
        self.call(cx, Some(op), "turn/interrupt", params, Call::Interrupt { op: Some(op), thread: id.to_owned() });
        if keep_background {
            return;
        }
        for (child, turn) in self.agents.at_work(id) {
            let params = json!({"threadId": child, "turnId": turn});
            self.call(cx, None, "turn/interrupt", params, Call::Interrupt { op: None, thread: child });
        }
    }

    pub(crate) fn interrupted(&mut self, cx: &mut Cx, op: Option<u32>, id: &str, answer: Result<Value, RpcError>) {
        let Some(op) = op else { return };
        match answer {
            Ok(_) => {
                let waiting = self.threads.get(id).map(|thread| thread.queue.iter().map(|queued| queued.op).collect());
                cx.done(op, OpValue::Interrupted(waiting.unwrap_or_default()));
            }
            // It has ended meanwhile.
            Err(error) if error.code == REFUSED => cx.fail(op, error.fault(FaultKind::Conflict)),
            Err(error) => cx.fail(op, crate::fault::of_call(&error)),
        }
    }
}
