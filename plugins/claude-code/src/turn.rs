//! Turns: which message opened the one that runs, and how it ended.
//!
//! The program has no turn ids. It takes messages in order, so the oldest that waits opens the next turn; where it names the
//! message by our uuid, that decides. **Only a `result` ends a turn, or the end of the program.**

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};
use std::collections::VecDeque;

use crate::fault;
use crate::session::{ClaudeCode, Phase, Write};
use crate::settings::Settings;
use crate::wire::Tokens;
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
    /// The resume point of the last message of the assistant.
    pub mark: Option<String>,
}

/// A message that has opened no turn yet.
#[derive(Debug)]
struct Sent {
    op: u32,
    uuid: String,
}

#[derive(Debug)]
struct Open {
    op: Option<u32>,
    uuid: Option<String>,
}

impl Turns {
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// A turn is open, or about to be.
    pub(crate) fn has_work(&self) -> bool {
        self.open.is_some() || !self.sent.is_empty()
    }

    /// Whether a message with this uuid is ours: it waits, or it opened the open turn.
    pub(crate) fn is_ours(&self, uuid: &str) -> bool {
        let opened = self.open.as_ref().and_then(|open| open.uuid.as_deref());
        opened == Some(uuid) || self.sent.iter().any(|sent| sent.uuid == uuid)
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
        for sent in self.sent.drain(..passed).collect::<Vec<_>>() {
            self.deliver(cx, sent.op, Delivered::JoinedTurn);
        }
        let named = named.map(|at| at - passed);
        if self.open.is_some() {
            if let Some(sent) = named.and_then(|at| self.sent.remove(at)) {
                self.deliver(cx, sent.op, Delivered::JoinedTurn);
            }
            return;
        }
        let sent = match named {
            Some(at) => self.sent.remove(at),
            None => self.sent.pop_front(),
        };
        let (op, uuid) = sent.map(|sent| (sent.op, sent.uuid)).unzip();
        if let Some(op) = op {
            self.deliver(cx, op, Delivered::OpenedTurn);
        }
        let reason = op.is_none().then(|| "task-notification".to_owned());
        cx.event(EventBody::TurnStarted(TurnStart { op, reason }));
        self.open = Some(Open { op, uuid });
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
            self.deliver(cx, sent.op, how);
        }
    }

    fn deliver(&self, cx: &mut Cx, op: u32, how: Delivered) {
        if cx.is_open(op) {
            cx.done(op, OpValue::Delivered(Delivery::new(how)));
        }
    }

    /// A message left the host. Without an open turn it opens one; else it is not known yet what becomes of it.
    pub(crate) fn written(&mut self, cx: &mut Cx, op: u32) {
        if self.open.is_none() && self.sent.front().is_some_and(|sent| sent.op == op) {
            self.deliver(cx, op, Delivered::OpenedTurn);
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
            let end = TurnEnd { fault: Some(fault.clone()), ..TurnEnd::new(open.op, Status::Failed) };
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
        let op = self.open.take().and_then(|open| open.op);
        usage(cx, result);
        let (status, fault) = fault::of_result(result, self.interrupting);
        let reason = match result.terminal_reason.as_deref() {
            Some(reason) if reason != "completed" => Some(reason.to_owned()),
            _ => result.stop_reason.clone(),
        };
        let mark = self.mark.take();
        cx.event(EventBody::TurnEnded(TurnEnd { reason, fault, mark, background, ..TurnEnd::new(op, status) }));
        self.interrupting = false;
        self.after_end(cx, result.queued_turn_count);
        true
    }

    /// Messages that were sent into the turn and did not join it wait for their own. A program that does not tell what became of
    /// each says at least how many wait: none, then they joined.
    fn after_end(&mut self, cx: &mut Cx, queued: Option<u32>) {
        let joined = !self.lifecycle && queued == Some(0);
        for op in self.sent.iter().map(|sent| sent.op).collect::<Vec<_>>() {
            self.deliver(cx, op, if joined { Delivered::JoinedTurn } else { Delivered::Queued });
        }
        if joined {
            self.sent.clear();
        }
    }
}

fn usage(cx: &mut Cx, result: &TurnResult) {
    let mut counts = result.usage.as_ref().map(token_counts).unwrap_or_default();
    let window = result
        .model_usage
        .values()
        .filter_map(|model| model.context_window)
        .fold(None, |max: Option<f64>, window| Some(max.map_or(window, |max| max.max(window))));
    counts.extend(window.map(|window| ("context-window".to_owned(), window)));
    if !counts.is_empty() {
        cx.event(EventBody::Usage(Usage { span: UsageSpan::Turn, counts }));
    }
    if let Some(cost) = result.total_cost_usd {
        let counts = vec![("cost-usd".to_owned(), cost)];
        cx.event(EventBody::Usage(Usage { span: UsageSpan::Session, counts }));
    }
}

/// Counts by the contract's names.
pub(crate) fn token_counts(tokens: &Tokens) -> Numbers {
    let named = [
        ("input", tokens.input_tokens),
        ("cache-read", tokens.cache_read_input_tokens),
        ("cache-write", tokens.cache_creation_input_tokens),
        ("output", tokens.output_tokens),
    ];
    named.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?))).collect()
}

impl ClaudeCode {
    /// The commands `send-run` and `steer-run`.
    pub(crate) fn send(&mut self, cx: &mut Cx, op: u32, message: &Message, steer: bool) {
        if self.phase != Phase::Ready {
            return cx.fail(
                op,
                Fault::new(FaultKind::NotFound, "No thread is open. Open it, or resume it from its cursor."),
            );
        }
        let ours = self.turns.open.as_ref().is_some_and(|open| open.op.is_some()) || !self.turns.sent.is_empty();
        if ours && !steer {
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
        let content = match content(message) {
            Ok(content) => content,
            Err(fault) => return cx.fail(op, fault),
        };
        self.select_along(cx, &message.selection);
        self.turns.sent.push_back(Sent { op, uuid: message.uuid.clone() });
        cx.hold(op);
        let line = json!({
            "type": "user",
            "message": {"role": "user", "content": content},
            "parent_tool_use_id": null,
            "session_id": self.thread.id,
            "uuid": message.uuid,
        });
        self.write(cx, &line, Write::Message(op));
    }
}

/// A message as the program takes it: one text as text (so that slash commands work), more as blocks, context first.
fn content(message: &Message) -> Result<Value, Fault> {
    let context = message.context.iter().map(|part| match part.role {
        ContextRole::User | ContextRole::Handoff => Ok(part.text.clone()),
        role => Err(Fault::unsupported(format!("Claude Code takes no context in the role {role:?} with a message."))),
    });
    let said = message.content.iter().map(|part| match part {
        Content::Text(text) => Ok(text.clone()),
        _ => Err(Fault::unsupported("This plugin passes on text only; put files into the workspace and name them.")),
    });
    let texts = context.chain(said).collect::<Result<Vec<_>, _>>()?;
    match texts.as_slice() {
        [] => Err(Fault::new(FaultKind::Invalid, "The message is empty.")),
        [text] => Ok(json!(text)),
        texts => Ok(texts.iter().map(|text| json!({"type": "text", "text": text})).collect()),
    }
}
