//! Messages to the program, the end of a turn, and what is done with its context.

use jackfield_sdk::prelude::*;
use serde_json::json;

use crate::answer::{Parted, State};
use crate::calls::Call;
use crate::content;
use crate::open::EMPTY;
use crate::select::Then;
use crate::session::{Conversation, Phase, Pi};
use crate::turn::Sent;
use crate::wire::Compacted;

impl Pi {
    /// The commands `send-run` and `steer-run`.
    pub(crate) fn send(&mut self, cx: &mut Cx, op: u32, message: &Message, steer: bool) {
        if let Some(fault) = self.not_ready() {
            return cx.fail(op, fault);
        }
        if steer && !self.turns.has_work() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "The turn has ended."));
        }
        if !steer && self.turns.has_work() {
            let text = "A turn is open. Steer it, or wait for its end.";
            return cx.fail(op, Fault::new(FaultKind::Conflict, text));
        }
        let (text, images) = match content::of_message(message, self.settings.takes_no_pictures()) {
            Ok(content) => content,
            Err(fault) => return cx.fail(op, fault),
        };
        self.select(cx, &message.selection, Then::Say { op, text, images });
    }

    /// Writes a message, the settings for it being in force.
    pub(crate) fn say(&mut self, cx: &mut Cx, op: u32, text: String, images: Vec<serde_json::Value>) {
        let mut fields = json!({"message": text});
        if !images.is_empty() {
            fields["images"] = json!(images);
        }
        cx.hold(op);
        let sent = Sent { op, text };
        // While the program is about to begin or to try again it takes a plain message for a new one, and the two get in each other's way.
        let between = !self.turns.is_open() || self.turns.retrying || self.turns.compacting;
        let command = if self.turns.has_work() && between { "steer" } else { "prompt" };
        if self.turns.has_work() {
            if command == "prompt" {
                // Should the turn end meanwhile, it opens the next one.
                fields["streamingBehavior"] = json!("steer");
            }
            self.turns.steered(sent);
        } else {
            self.turns.sent(sent);
        }
        self.calls.ask(cx, self.channel, command, fields, Call::Message(op));
    }

    /// The program took a message. One that an extension carries out may start nothing.
    pub(crate) fn message_taken(&mut self, cx: &mut Cx, op: u32, text_of: Option<String>) {
        self.turns.taken(cx, op);
        let command =
            text_of.as_deref().and_then(|text| text.strip_prefix('/')).and_then(|text| text.split_whitespace().next());
        if command.is_some_and(|name| self.extension_commands.iter().any(|known| known == name)) {
            self.calls.ask(cx, self.channel, "get_state", json!({}), Call::Handled(op));
        }
        if cx.said_nothing() {
            cx.silent("response/message");
        }
    }

    /// The command `interrupt`.
    pub(crate) fn interrupt(&mut self, cx: &mut Cx, op: u32) {
        if self.phase != Phase::Ready || !self.turns.has_work() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "No turn is open."));
        }
        if self.turns.stop_at_start.is_some() || self.turns.interrupting {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "The turn is being stopped already."));
        }
        cx.hold(op);
        if self.turns.is_open() {
            self.abort(cx, op);
        } else {
            // Nothing runs yet that the program could stop: it would hear us, and begin all the same.
            self.turns.stop_at_start = Some(op);
        }
    }

    pub(crate) fn abort(&mut self, cx: &mut Cx, op: u32) {
        self.turns.interrupting = true;
        self.calls.ask(cx, self.channel, "abort", json!({}), Call::Abort(op));
    }

    /// The program is idle.
    pub(crate) fn aborted(&mut self, cx: &mut Cx, op: u32) {
        cx.done(op, OpValue::Interrupted(vec![]));
        self.turns.stopped(cx, self.thread.mark());
    }

    /// Something failed: is that the end? What goes on by itself is announced before the answer.
    pub(crate) fn ask_whether_over(&mut self, cx: &mut Cx) {
        self.calls.ask(cx, self.channel, "get_state", json!({}), Call::Settled);
    }

    /// The command `compact-thread`. It is answered when the program says that it is at it, at the latest when it is done.
    pub(crate) fn compact(&mut self, cx: &mut Cx, op: u32, keep: &str) {
        if let Some(fault) = self.not_idle() {
            return cx.fail(op, fault);
        }
        let keep = keep.trim();
        let fields = if keep.is_empty() { json!({}) } else { json!({"customInstructions": keep}) };
        cx.hold(op);
        self.compacts = Some(op);
        self.compaction_told = false;
        self.calls.ask(cx, self.channel, "compact", fields, Call::Compact(op));
    }

    pub(crate) fn compaction_begins(&mut self, cx: &mut Cx) {
        self.compaction_told = false;
        if let Some(op) = self.compacts.take() {
            cx.done(op, OpValue::Accepted);
        }
    }

    /// How a compaction that we asked for went. A program that tells it by events has told it.
    pub(crate) fn compact_answered(&mut self, cx: &mut Cx, op: u32, outcome: Result<Compacted, Fault>) {
        self.compacts = None;
        match outcome {
            Ok(result) => {
                if cx.is_open(op) {
                    cx.done(op, OpValue::Accepted);
                }
                if !self.compaction_told {
                    cx.event(EventBody::Context(ContextChange {
                        tokens_before: result.tokens_before,
                        summary: result.summary,
                        ..ContextChange::new(ContextEffect::Compacted)
                    }));
                }
            }
            Err(fault) if cx.is_open(op) => cx.fail(op, fault),
            Err(fault) if !self.compaction_told => {
                let change = ContextChange::new(ContextEffect::CompactFailed);
                cx.event(EventBody::Context(ContextChange { summary: Some(fault.message), ..change }));
            }
            Err(_) => {}
        }
        if cx.said_nothing() {
            cx.silent("response/compact");
        }
    }

    /// The command `clear-thread`: the program begins another session in the same process; the old one stays on disk.
    pub(crate) fn clear(&mut self, cx: &mut Cx, op: u32) {
        if let Some(fault) = self.not_idle() {
            return cx.fail(op, fault);
        }
        cx.hold(op);
        self.calls.ask(cx, self.channel, "new_session", json!({}), Call::New(op));
    }

    pub(crate) fn cleared(&mut self, cx: &mut Cx, op: u32, parted: Parted) {
        if parted.cancelled {
            return cx
                .fail(op, Fault::new(FaultKind::Denied, "An extension of pi's did not let the conversation be left."));
        }
        self.calls.ask(cx, self.channel, "get_state", json!({}), Call::Renewed(op));
    }

    /// The conversation that takes the place of the one that was emptied.
    pub(crate) fn renewed(&mut self, cx: &mut Cx, op: u32, state: State) {
        let old =
            std::mem::replace(&mut self.thread, Conversation { id: state.session_id, ..Conversation::default() }).id;
        // The old cursor would bring back what was cleared, and the new session is not written before its first answer.
        let thread = Thread { cursor: Some(EMPTY.into()), replaces: Some(old), ..self.to_thread(ThreadState::Idle) };
        cx.done(op, OpValue::Thread(thread));
        cx.event(EventBody::Context(ContextChange::new(ContextEffect::Cleared)));
    }

    /// Why nothing can be asked of the program now.
    pub(crate) fn not_ready(&self) -> Option<Fault> {
        match self.phase {
            Phase::Ready => None,
            Phase::Opening(_) => Some(Fault::new(FaultKind::Conflict, "The thread is being opened. Try again then.")),
            _ => Some(Fault::new(FaultKind::NotFound, "No thread is open. Open it, or resume it from its cursor.")),
        }
    }

    /// Why its context can't be changed now.
    pub(crate) fn not_idle(&self) -> Option<Fault> {
        self.not_ready().or_else(|| {
            let busy = self.turns.has_work() || self.turns.compacting || self.compacts.is_some();
            busy.then(|| Fault::new(FaultKind::Conflict, "pi is at work. Wait for the turn's end, or interrupt it."))
        })
    }
}
