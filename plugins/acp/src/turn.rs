//! Turns: a prompt, and its answer. **Only the answer ends a turn, or the end of the program.** The agent has no turn ids.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::answer::{Call, Why};
use crate::conversation::{Turn, Waiting};
use crate::dialect::AcpDialect;
use crate::session::{Acp, Write};
use crate::{content, fault, usage};

impl<D: AcpDialect> Acp<D> {
    /// The command `send-run`.
    pub(crate) fn send(&mut self, cx: &mut Cx, op: u32, thread: Option<String>, message: &Message) {
        let id = match self.of(thread) {
            Ok(id) => id,
            Err(fault) => return cx.fail(op, fault),
        };
        let prompt = match content::of_message(&self.data.label, &self.agent, message) {
            Ok(prompt) => prompt,
            Err(fault) => return cx.fail(op, fault),
        };
        let Some(conversation) = self.conversations.get_mut(&id) else { return };
        if conversation.turn.is_some() || conversation.waiting.is_some() {
            // Some agents cancel the open turn for a second prompt, some queue it, some never answer it.
            let text =
                "A turn is open, and agents of this protocol keep no queue that can be relied on. Wait for its end.";
            return cx.fail(op, Fault::new(FaultKind::Conflict, text));
        }
        for (name, value) in &message.selection {
            if let Err(fault) = conversation.settings.call(&self.data, name, value) {
                return cx.fail(op, fault);
            }
        }
        conversation.waiting = Some(Waiting { op, said: message.text(), prompt });
        cx.hold(op);
        // Settings that come with a message go ahead of it.
        self.set_along(cx, &id, message.selection.clone());
    }

    fn set_along(&mut self, cx: &mut Cx, id: &str, pairs: Pairs) {
        if pairs.is_empty() { self.say_waiting(cx, id) } else { self.set_next(cx, id, Why::Along, pairs) }
    }

    /// The message that waits goes to the agent.
    pub(crate) fn say_waiting(&mut self, cx: &mut Cx, id: &str) {
        let Some(conversation) = self.conversations.get_mut(id) else { return };
        let Some(Waiting { op, said, prompt }) = conversation.waiting.take() else { return };
        conversation.turn = Some(Turn { op, said, cancelling: false, last_text: String::new() });
        conversation.message = Default::default();
        let params = json!({"sessionId": id, "prompt": prompt});
        let call = Call::Prompt { id: id.to_owned(), op };
        if let Some(effect) = self.ask(cx, "session/prompt", params, call) {
            self.writes.insert(effect, Write::Message(op, id.to_owned()));
        }
    }

    /// The message did not leave the host: there is no turn.
    pub(crate) fn unsent(&mut self, cx: &mut Cx, op: u32, id: &str, fault: Fault) {
        if let Some(conversation) = self.conversations.get_mut(id) {
            conversation.turn.take_if(|turn| turn.op == op);
        }
        if cx.is_open(op) {
            cx.fail(op, fault);
        }
    }

    /// The command `interrupt`. What the agent asks meanwhile is answered as cancelled: some wait for just that.
    pub(crate) fn interrupt(&mut self, cx: &mut Cx, op: u32, thread: Option<String>) {
        let id = match self.of(thread) {
            Ok(id) => id,
            Err(fault) => return cx.fail(op, fault),
        };
        let conversation = self.conversations.get_mut(&id);
        if let Some(Waiting { op: sent, .. }) = conversation.and_then(|conversation| conversation.waiting.take()) {
            // It never reached the agent.
            cx.fail(sent, Fault::new(FaultKind::Cancelled, "It was stopped before the agent had it."));
            return cx.done(op, OpValue::Interrupted(vec![]));
        }
        let Some(turn) = self.conversations.get_mut(&id).and_then(|conversation| conversation.turn.as_mut()) else {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "No turn is open."));
        };
        turn.cancelling = true;
        let Some(peer) = &self.peer else { return };
        let effect = peer.notify(cx, "session/cancel", json!({"sessionId": id}));
        self.writes.insert(effect, Write::Cancel(op));
        cx.hold(op);
        self.withdraw(cx, Some(&id));
    }

    /// The answer to a prompt.
    pub(crate) fn prompted(&mut self, cx: &mut Cx, id: &str, op: u32, outcome: Result<Value, Fault>) {
        cx.opened_turn(op);
        self.refused_end(cx, id);
        let Some(turn) = self.conversations.get_mut(id).and_then(|conversation| conversation.turn.take()) else {
            return;
        };
        let calls = self.conversations.get(id).map(|conversation| &conversation.calls);
        let refused = calls.is_some_and(|calls| calls.values().any(|call| call.refused.is_some()));
        let scope = self.scope(id);
        let end = match outcome {
            Ok(result) => {
                let usage = usage::of_result(&self.data, &result).and_then(|usage| self.usage_of_turn(id, usage));
                let mut end = self.end(&turn, &result, usage.is_some(), refused);
                if let Some(usage) = usage {
                    cx.event_in(scope.clone(), EventBody::Usage(usage));
                }
                self.dialect.ended(&result, &mut end);
                end
            }
            Err(_) if turn.cancelling => TurnEnd::new(Some(op), Status::Interrupted),
            Err(fault) => TurnEnd { fault: Some(self.with_login(fault)), ..TurnEnd::new(Some(op), Status::Failed) },
        };
        cx.event_in(scope, EventBody::TurnEnded(end));
        self.withdraw(cx, Some(id));
        self.turn_is_over(id);
        self.stored(cx, id);
    }

    /// How a turn ended, by the prompt's answer; `refused` where a call of it was.
    fn end(&self, turn: &Turn, result: &Value, used: bool, refused: bool) -> TurnEnd {
        let reason = result["stopReason"].as_str().map(str::to_owned);
        let failed = |kind, text: &str, reason: &str| (Status::Failed, Some(Fault::new(kind, text).with_code(reason)));
        let (status, fault) = match reason.as_deref() {
            Some("end_turn") => match self.failed_end(turn, result, used) {
                Some(fault) => (Status::Failed, Some(fault)),
                None => (Status::Completed, None),
            },
            Some("cancelled") if refused && !turn.cancelling => {
                let text = "The agent stopped at what was refused. Send another message to go on.";
                (Status::Interrupted, Some(Fault::new(FaultKind::Cancelled, text).with_code("cancelled")))
            }
            Some("cancelled") => (Status::Interrupted, None),
            Some("max_tokens") => {
                failed(FaultKind::Quota, "The answer was cut at the most tokens that one may have.", "max_tokens")
            }
            Some("max_turn_requests") => failed(
                FaultKind::Quota,
                "The agent stopped: it had asked the model as often as one turn may.",
                "max_turn_requests",
            ),
            Some("refusal") => failed(FaultKind::Denied, "The agent refuses to go on with this.", "refusal"),
            _ => (Status::Unknown, None),
        };
        TurnEnd { reason, fault, ..TurnEnd::new(Some(turn.op), status) }
    }

    /// A failure that the agent tells as a good end, where its dialect knows how to tell.
    fn failed_end(&self, turn: &Turn, result: &Value, used: bool) -> Option<Fault> {
        let rule = self.data.failed_end.as_ref()?;
        let nothing_new = self.data.usage_adds_up && !used;
        let lacks = !rule.lacks.is_empty() && (nothing_new || result.pointer(&rule.lacks).is_none());
        let error = turn.last_text.strip_prefix(&rule.last_text).filter(|_| lacks && !rule.last_text.is_empty())?;
        Some(fault::of_text(&self.data, "session/prompt", error.trim()))
    }

    /// The turn won't be answered any more.
    pub(crate) fn turn_lost(&mut self, cx: &mut Cx, id: &str, fault: &Fault) {
        let Some(conversation) = self.conversations.get_mut(id) else { return };
        if let Some(turn) = conversation.turn.take() {
            let end = TurnEnd { fault: Some(fault.clone()), ..TurnEnd::new(Some(turn.op), Status::Failed) };
            cx.event_in(self.scope(id), EventBody::TurnEnded(end));
        }
        self.turn_is_over(id);
    }

    fn turn_is_over(&mut self, id: &str) {
        if let Some(conversation) = self.conversations.get_mut(id) {
            conversation.calls.clear();
            conversation.message = Default::default();
        }
    }
}
