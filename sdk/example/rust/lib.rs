//! Murmur in Rust; the same plugin in JavaScript and in Python is beside it.

use jackfield_sdk::prelude::*;
use jackfield_sdk::ndjson;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

#[derive(Default)]
struct Murmur {
    channel: u32,
    /// The command that waits for the program's first word.
    start: Option<u32>,
    /// What follows when a message has left the host, by its effect.
    written: BTreeMap<u32, (u32, Then)>,
    /// The command that opened the turn.
    turn: Option<u32>,
}

enum Then {
    Began,
    Heard,
    Answered,
}

impl Provider for Murmur {
    fn describe() -> Descriptor {
        Descriptor::new("murmur", "Murmur").with_declared(declared())
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        let op = command.op;
        match command.body {
            CommandBody::Start(start) if start.role == Role::Live => {
                self.channel = cx.spawn("main", vec![]);
                self.start = Some(op);
                cx.hold(op);
            }
            CommandBody::OpenThread(open) if open.cursor.is_some() => {
                cx.fail(op, Fault::new(FaultKind::NotFound, "Murmur remembers nothing."));
            }
            CommandBody::OpenThread(_) => cx.done(op, OpValue::Thread(Thread::new("main", ThreadState::Idle))),
            CommandBody::SendRun(_) if self.turn.is_some() => {
                cx.fail(op, Fault::new(FaultKind::Conflict, "Murmur is speaking."));
            }
            CommandBody::SendRun(message) => {
                self.turn = Some(op);
                self.write(cx, op, Then::Began, json!({ "t": "say", "text": message.text() }));
            }
            CommandBody::Interrupt(_) if self.turn.is_none() => {
                cx.fail(op, Fault::new(FaultKind::Conflict, "Murmur is silent."));
            }
            CommandBody::Interrupt(_) => self.write(cx, op, Then::Heard, json!({ "t": "stop" })),
            CommandBody::Respond(answer) => {
                let allow = matches!(&answer.reply, Reply::Chosen(chosen) if chosen.option_id == "yes");
                self.write(cx, op, Then::Answered, json!({ "t": "answer", "id": answer.request, "allow": allow }));
            }
            CommandBody::CloseThread => cx.done(op, OpValue::Accepted),
            _ => {} // answered `unsupported`
        }
    }

    fn frame(&mut self, cx: &mut Cx, frame: Frame) {
        let Some(line) = ndjson::read(cx, &frame) else { return };
        match word(&line, "t").as_str() {
            "ready" => {
                cx.negotiated(declared().negotiated(1, Some(word(&line, "version"))));
                if let Some(op) = self.start.take() {
                    cx.done(op, OpValue::Accepted);
                }
            }
            "said" => cx.delta(None, TextKind::Assistant, word(&line, "text")),
            "tool" => cx.item(Item::tool(Some(word(&line, "id")), Status::Running, tool(&line))),
            "may" => {
                let mut request = Request::new(word(&line, "id"), Subject::Approval(tool(&line)));
                request.item = Some(word(&line, "tool"));
                request.options = vec![
                    Offer::new("yes", "Yes", Verdict::AllowOnce),
                    Offer::new("no", "No", Verdict::RejectOnce),
                ];
                cx.event(EventBody::RequestsOpened(vec![request]));
            }
            "did" => {
                let status = if line["ok"] == true { Status::Completed } else { Status::Failed };
                let tool = Tool::new(ToolKind::Execute).with_content(vec![word(&line, "out").into()]);
                cx.item(Item::tool(Some(word(&line, "id")), status, tool));
            }
            "end" => {
                let how = word(&line, "how");
                let status = if how == "stopped" { Status::Interrupted } else { Status::Completed };
                let end = TurnEnd { reason: Some(how), ..TurnEnd::new(self.turn.take(), status) };
                cx.event(EventBody::TurnEnded(end));
            }
            other => cx.unknown(other),
        }
    }

    fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) {
        match (self.written.remove(&result.id), result.outcome) {
            (None, Ok(_)) => {}
            (None, Err(fault)) => cx.end_session(fault),
            (Some((op, then)), Err(fault)) => {
                if matches!(then, Then::Began) {
                    self.turn = None;
                }
                cx.fail(op, fault);
            }
            (Some((op, Then::Began)), Ok(_)) => {
                cx.done(op, OpValue::Delivered(Delivery::new(Delivered::OpenedTurn)));
                cx.event(EventBody::TurnStarted(TurnStart { op: Some(op), reason: None }));
            }
            (Some((op, Then::Heard)), Ok(_)) => cx.done(op, OpValue::Interrupted(vec![])),
            (Some((op, Then::Answered)), Ok(_)) => cx.done(op, OpValue::Accepted),
        }
    }

    fn close(&mut self, cx: &mut Cx) {
        if self.channel != 0 {
            cx.close_stdin(self.channel);
        }
    }
}

impl Murmur {
    fn write(&mut self, cx: &mut Cx, op: u32, then: Then, message: Value) {
        let effect = cx.write_json(self.channel, &message);
        self.written.insert(effect, (op, then));
        cx.hold(op);
    }
}

/// A call as the program tells it.
fn tool(line: &Map<String, Value>) -> Tool {
    Tool::new(ToolKind::Execute)
        .with_name(word(line, "name"))
        .with_title(line["input"]["command"].as_str().unwrap_or_default())
        .with_input(line["input"].to_string())
}

fn word(line: &Map<String, Value>, name: &str) -> String {
    line.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn declared() -> CapabilitySet {
    CapabilitySet::of(
        &[
            "threads.can-create-empty-thread",
            "turns.emits-turn-completed",
            "turns.supports-interrupt",
            "streaming.streams-assistant-text",
            "tools.exposes-tool-item-ids",
            "tools.emits-tool-started",
            "tools.emits-tool-completed",
            "tools.emits-tool-output",
            "approvals.supports-command-approval",
            "approvals.approvals-have-native-request-ids",
        ],
        &[("turns.terminal-status-quality", "strong"), ("identity.native-request-ids", "weak"), ("identity.native-item-ids", "weak")],
    )
}

jackfield_sdk::plugin!(Murmur);
