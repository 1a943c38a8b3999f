//! Messages on their way to the program: a person's, into a turn of its own or into the open one, and the orders of ours that the
//! program takes as messages, to shorten its context or to empty it.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::content;
use crate::session::{ClaudeCode, Phase, Write};
use crate::settings::Settings;
use crate::turn::{Order, Sent};

impl ClaudeCode {
    /// The commands `send-run` and `steer-run`.
    pub(crate) fn send(&mut self, cx: &mut Cx, op: u32, message: &Message, steer: bool) {
        if let Some(fault) = self.not_ready() {
            return cx.fail(op, fault);
        }
        if self.turns.is_taken() && !steer {
            let text =
                "A turn is open, and the program keeps no queue that can be relied on. Steer it, or wait for its end.";
            return cx.fail(op, Fault::new(FaultKind::Conflict, text));
        }
        if steer && !self.turns.has_work() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "The turn has ended."));
        }
        if let Some(fault) = message.selection.iter().find_map(|(name, value)| Settings::check(name, value).err()) {
            return cx.fail(op, fault);
        }
        let content = match content::of_message(message) {
            Ok(content) => content,
            Err(fault) => return cx.fail(op, fault),
        };
        self.select_along(cx, &message.selection);
        let order = content.as_str().is_some_and(empties).then_some(Order::TypedClear);
        self.say(cx, Sent { op, uuid: message.uuid.clone(), order, written: false }, content);
    }

    /// The command `compact-thread`. The program does it in a turn of its own, and takes words on what to keep.
    pub(crate) fn compact(&mut self, cx: &mut Cx, op: u32, keep: &str) {
        let keep = keep.trim();
        let text = if keep.is_empty() { "/compact".to_owned() } else { format!("/compact {keep}") };
        self.order(cx, op, text, Order::Compact);
    }

    /// The command `clear-thread`. The program begins another session in the same process; the old one stays on disk.
    pub(crate) fn clear(&mut self, cx: &mut Cx, op: u32) {
        let order = Order::Clear { from: self.thread.id.clone() };
        self.order(cx, op, "/clear".to_owned(), order);
    }

    fn order(&mut self, cx: &mut Cx, op: u32, text: String, order: Order) {
        if let Some(fault) = self.not_ready() {
            return cx.fail(op, fault);
        }
        if self.turns.has_work() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "A turn is open. Wait for its end, or interrupt it."));
        }
        let uuid = cx.uuid();
        self.say(cx, Sent { op, uuid, order: Some(order), written: false }, json!(text));
    }

    fn say(&mut self, cx: &mut Cx, sent: Sent, content: Value) {
        let line = json!({
            "type": "user",
            "message": {"role": "user", "content": content},
            "parent_tool_use_id": null,
            "session_id": self.thread.id,
            "uuid": sent.uuid,
        });
        cx.hold(sent.op);
        let waits = Write::Message(sent.op);
        self.turns.push(sent);
        self.write(cx, &line, waits);
    }

    /// Why nothing can be asked of the program now.
    pub(crate) fn not_ready(&self) -> Option<Fault> {
        match self.phase {
            Phase::Ready => None,
            Phase::Opening(_) | Phase::Restarting(_) => {
                Some(Fault::new(FaultKind::Conflict, "The thread is being opened. Try again then."))
            }
            _ => Some(Fault::new(FaultKind::NotFound, "No thread is open. Open it, or resume it from its cursor.")),
        }
    }
}

/// Whether the program takes this message as the order to empty its context.
fn empties(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    matches!(word, "/clear" | "/reset" | "/new")
}
