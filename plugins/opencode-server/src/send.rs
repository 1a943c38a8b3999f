//! Messages to the server, and the end of a turn.

use jackfield_sdk::prelude::*;
use serde_json::json;

use crate::calls::Call;
use crate::content;
use crate::session::OpenCode;

impl OpenCode {
    /// The command `send-run`.
    pub(crate) fn send(&mut self, cx: &mut Cx, op: u32, message: &Message) {
        if let Some(fault) = self.not_idle() {
            return cx.fail(op, fault);
        }
        let parts = match content::of_message(message) {
            Ok(parts) => parts,
            Err(fault) => return cx.fail(op, fault),
        };
        if let Err(fault) = self.settings.choose(&message.selection) {
            return cx.fail(op, fault);
        }
        let mut body = json!({"parts": parts});
        self.settings.go_along(&mut body);
        let path = format!("/session/{}/prompt_async", self.thread.id);
        self.calls.ask(cx, "POST", &path, Some(&body), Call::Message(op));
        self.turns.waiting = Some(op);
        cx.hold(op);
    }

    /// The server took the message, which its own word for it may precede; or it did not.
    pub(crate) fn message_taken(&mut self, cx: &mut Cx, op: u32, taken: Result<(), Fault>) {
        match taken {
            Ok(()) => cx.opened_turn(op),
            Err(fault) if cx.is_open(op) => {
                self.turns.waiting.take_if(|waiting| *waiting == op);
                cx.fail(op, fault);
            }
            // Its turn has begun: the server has it.
            Err(fault) => cx.diagnostic(Level::Warning, "message-unanswered", fault.message),
        }
    }

    /// The command `interrupt`.
    pub(crate) fn interrupt(&mut self, cx: &mut Cx, op: u32) {
        if let Some(fault) = self.not_ready() {
            return cx.fail(op, fault);
        }
        if !self.turns.has_work() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "No turn is open."));
        }
        if let Some(open) = &mut self.turns.open {
            open.stopping = true;
        }
        let path = format!("/session/{}/abort", self.thread.id);
        self.calls.ask(cx, "POST", &path, None, Call::Abort(op));
        cx.hold(op);
    }

    /// The server heard it; the turn's end comes by itself.
    pub(crate) fn aborted(&mut self, cx: &mut Cx, op: u32, heard: Result<(), Fault>) {
        match heard {
            Ok(()) => cx.done(op, OpValue::Interrupted(vec![])),
            Err(fault) => {
                // The turn goes on.
                if let Some(open) = &mut self.turns.open {
                    open.stopping = false;
                }
                cx.fail(op, fault);
            }
        }
    }
}
