//! The provider of the fault cases: a made-up protocol of JSON lines that can express whatever a real one does, and what none
//! should. `README.md` beside this file lists its lines. **It mends nothing**: what is wrong reaches the host as it came.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

/// One conversation with the program.
#[derive(Default)]
pub struct Faulty {
    channel: u32,
    /// Commands that the program answers.
    told: Vec<String>,
    opening: Option<u32>,
    resumed: Option<String>,
    sending: Vec<u32>,
    interrupting: Vec<u32>,
    answering: Vec<(u32, String)>,
    /// Operations that the program answers: the word and the command.
    asked: Vec<(&'static str, u32)>,
    twisted: Vec<String>,
    /// The command of the message that opens the next turn.
    next: Option<u32>,
    /// The command it breaks on.
    breaks_on: Option<String>,
}

jackfield_sdk::plugin!(Faulty);

/// All that a provider can do of what the cases are about; a case takes away.
const FLAGS: [&str; 32] = [
    "sessions.supports-model-switch-in-session",
    "sessions.supports-runtime-mode-switch-in-session",
    "threads.can-create-empty-thread",
    "threads.exposes-native-thread-id",
    "threads.can-read-thread-snapshot",
    "threads.can-rollback-thread",
    "checkpointing.provider-can-rollback-conversation",
    "checkpointing.provider-rollback-returns-snapshot",
    "checkpointing.provider-can-read-conversation-snapshot",
    "turns.exposes-native-turn-id",
    "turns.emits-turn-started",
    "turns.emits-turn-completed",
    "turns.supports-interrupt",
    "turns.supports-active-steering",
    "turns.supports-queued-messages",
    "streaming.streams-assistant-text",
    "streaming.streams-reasoning",
    "streaming.streams-tool-output",
    "streaming.emits-message-completed",
    "tools.exposes-tool-item-ids",
    "tools.emits-tool-started",
    "tools.emits-tool-completed",
    "tools.emits-tool-output",
    "approvals.supports-command-approval",
    "approvals.supports-file-read-approval",
    "approvals.supports-file-change-approval",
    "approvals.approvals-have-native-request-ids",
    "approvals.approvals-can-originate-from-subagents",
    "planning.emits-todo-list",
    "planning.supports-structured-questions",
    "subagents.supports-subagents",
    "subagents.emits-subagent-lifecycle",
];
const WORDS: [(&str, &str); 5] = [
    ("turns.terminal-status-quality", "strong"),
    ("identity.native-thread-ids", "strong"),
    ("identity.native-turn-ids", "strong"),
    ("identity.native-item-ids", "strong"),
    ("identity.native-request-ids", "strong"),
];

impl Provider for Faulty {
    fn describe() -> Descriptor {
        Descriptor::new("faulty", "Faulty").with_declared(CapabilitySet::of(&FLAGS, &WORDS))
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        let op = command.op;
        if let Some(name) = self.breaks_on.as_deref().filter(|name| *name == word(&command.body)) {
            panic!("I break on {name}");
        }
        match command.body {
            CommandBody::Start(_) => {
                let options: Value = cx.options().unwrap_or_default();
                let words = |name: &str| options[name].as_str().unwrap_or_default().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                self.told = words("told");
                let weak = words("weak");
                cx.done(op, OpValue::Accepted);
                if !weak.is_empty() {
                    cx.negotiated(weaker(&weak));
                }
            }
            CommandBody::OpenThread(open) => {
                let holes = open.cursor.iter().map(|cursor| ("resume".to_owned(), cursor.clone())).collect();
                self.channel = cx.spawn("main", holes);
                self.resumed = open.cursor;
                self.opening = Some(op);
                cx.write_json(self.channel, &json!({ "type": "open", "resume": self.resumed }));
                cx.hold(op);
            }
            CommandBody::SendRun(message) => self.send(cx, op, "message", &message),
            CommandBody::SteerRun(message) => self.send(cx, op, "steer", &message),
            CommandBody::Interrupt(_) => {
                cx.write_json(self.channel, &json!({ "type": "interrupt" }));
                if self.is_told("interrupt") {
                    cx.hold(op);
                    self.interrupting.push(op);
                } else {
                    cx.done(op, OpValue::Interrupted(vec![]));
                }
            }
            CommandBody::Respond(answer) => self.respond(cx, op, answer),
            CommandBody::SetSelection(pairs) => {
                cx.write_json(self.channel, &json!({ "type": "select", "values": pairs }));
                self.asks(cx, op, "select");
            }
            CommandBody::RollbackThread(point) => {
                cx.write_json(self.channel, &json!({ "type": "rollback", "turns": point.turns_after }));
                self.asks(cx, op, "rollback");
            }
            CommandBody::ReadThread(_) => {
                cx.write_json(self.channel, &json!({ "type": "read" }));
                self.asks(cx, op, "read");
            }
            CommandBody::CloseThread => {
                cx.close_stdin(self.channel);
                cx.done(op, OpValue::Accepted);
            }
            _ => {}
        }
    }

    fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) {
        match result.outcome {
            Ok(EffectValue::Opened) if !self.is_told("open") => self.opened(cx, None, true),
            Ok(_) => {}
            Err(fault) => match self.opening.take() {
                Some(op) => cx.fail(op, fault),
                None => cx.diagnostic(Level::Warning, "effect-refused", fault.message),
            },
        }
    }

    fn frame(&mut self, cx: &mut Cx, frame: Frame) {
        if frame.pipe == Pipe::Error {
            return cx.silent("stderr");
        }
        let FrameData::Text(text) = frame.data else { return cx.noise() };
        match serde_json::from_str::<Value>(&text) {
            Ok(value) if value["type"].is_string() => self.said(cx, &value),
            _ => cx.noise(),
        }
    }

    fn channel_closed(&mut self, cx: &mut Cx, exit: ChannelExit) {
        let fault = Fault::channel_closed(&exit);
        match self.opening.take() {
            Some(op) => cx.fail(op, fault),
            None => cx.fail_held(&fault),
        }
    }

    fn close(&mut self, cx: &mut Cx) {
        cx.close_stdin(self.channel);
    }
}

impl Faulty {
    fn is_told(&self, command: &str) -> bool {
        self.told.iter().any(|told| told == command)
    }

    fn opened(&mut self, cx: &mut Cx, id: Option<&str>, cursor: bool) {
        let Some(op) = self.opening.take() else { return };
        let id = id.or(self.resumed.as_deref()).unwrap_or(THREAD);
        let cursor = cursor.then(|| id.to_owned());
        cx.done(op, OpValue::Thread(Thread { cursor, ..Thread::new(id, ThreadState::Idle) }));
    }

    /// The program answers where the case says so; else it has done it at once.
    fn asks(&mut self, cx: &mut Cx, op: u32, what: &'static str) {
        self.asked.push((what, op));
        if self.is_told(what) { cx.hold(op) } else { self.did(cx, what) }
    }

    fn did(&mut self, cx: &mut Cx, what: &str) {
        let Some(op) = self.take_asked(what) else { return };
        cx.done(op, match what {
            "select" => OpValue::Applied(Applies::Now),
            "read" => OpValue::Page(None),
            _ => {
                let id = self.resumed.as_deref().unwrap_or(THREAD);
                OpValue::Thread(Thread { cursor: Some(id.to_owned()), ..Thread::new(id, ThreadState::Idle) })
            }
        });
    }

    fn take_asked(&mut self, what: &str) -> Option<u32> {
        let at = self.asked.iter().position(|(asked, _)| *asked == what)?;
        Some(self.asked.remove(at).1)
    }

    fn send(&mut self, cx: &mut Cx, op: u32, kind: &str, message: &Message) {
        cx.write_json(self.channel, &json!({ "type": kind, "text": message.text() }));
        if kind == "message" {
            self.next = Some(op);
        }
        if self.is_told("send") {
            cx.hold(op);
            self.sending.push(op);
        } else {
            let how = if kind == "message" { Delivered::OpenedTurn } else { Delivered::JoinedTurn };
            cx.done(op, OpValue::Delivered(Delivery::new(how)));
        }
    }

    fn respond(&mut self, cx: &mut Cx, op: u32, answer: Answer) {
        let (option, input) = match &answer.reply {
            Reply::Chosen(chosen) => (chosen.option_id.as_str(), chosen.input.as_deref()),
            _ => ("no", None),
        };
        // It answers otherwise than it was told.
        let option = if self.twisted.contains(&answer.request) { "once" } else { option };
        let mut line = json!({ "type": "answer", "id": answer.request, "option": option });
        let asked = self.answering.iter().find(|(_, id)| *id == answer.request).is_some();
        if let Some(input) = input.and_then(|input| serde_json::from_str::<Value>(input).ok()) {
            line["input"] = input;
        }
        cx.write_json(self.channel, &line);
        if self.is_told("answer") && !asked {
            cx.hold(op);
            self.answering.push((op, answer.request));
        } else {
            cx.done(op, OpValue::Accepted);
        }
    }

    /// A line of the program, in the contract's words.
    fn said(&mut self, cx: &mut Cx, line: &Value) {
        let text = |name: &str| line[name].as_str().map(str::to_owned);
        let scope = scope(line);
        let status = status(line["status"].as_str());
        match line["type"].as_str().unwrap_or_default() {
            "ready" => {
                self.opened(cx, line["thread"].as_str(), line["cursor"] != false);
            }
            "took" => {
                if let Some(op) = pop(&mut self.sending) {
                    cx.done(op, OpValue::Delivered(Delivery { how: delivered(line["how"].as_str()), turn: text("turn") }));
                }
            }
            "stopping" => {
                if let Some(op) = pop(&mut self.interrupting) {
                    cx.done(op, OpValue::Interrupted(vec![]));
                }
            }
            "answered" => {
                if let Some((op, _)) = pop(&mut self.answering) {
                    cx.done(op, OpValue::Accepted);
                }
            }
            "did" => self.did(cx, line["what"].as_str().unwrap_or_default()),
            "cannot" => self.cannot(cx, line),
            "delta" => cx.event_in(scope, EventBody::Delta(Delta {
                id: text("id"), kind: kind(line["of"].as_str()), whole: line["whole"] == true, text: text("text").unwrap_or_default(),
            })),
            "message" => cx.event_in(scope, EventBody::Items(vec![message(line, status)])),
            "tool" => cx.event_in(scope, EventBody::Items(vec![Item::tool(text("id"), status, tool(line))])),
            "tools" => {
                let calls = line["calls"].as_array().cloned().unwrap_or_default();
                let call = |call: &Value| Item::tool(call["id"].as_str().map(str::to_owned), self::status(call["status"].as_str()), tool(call));
                cx.event_in(scope, EventBody::Items(calls.iter().map(call).collect()));
            }
            "ask" if line["twisted"] == true => {
                self.twisted.push(text("id").unwrap_or_default());
                cx.event_in(scope, EventBody::RequestsOpened(vec![request(line)]));
            }
            "ask" => cx.event_in(scope, EventBody::RequestsOpened(vec![request(line)])),
            "withdrawn" => cx.event_in(scope, EventBody::RequestsClosed(vec![RequestEnd { id: text("id").unwrap_or_default(), status }])),
            "turn-started" => {
                let op = if line["own"] == true { None } else { self.next.take() };
                cx.event_in(scope, EventBody::TurnStarted(TurnStart { op, reason: text("reason") }));
            }
            "turn-ended" => {
                let fault = text("fault").map(|message| Fault::new(FaultKind::Unknown, message));
                let background = line["background"] == true;
                cx.event_in(scope, EventBody::TurnEnded(TurnEnd { reason: text("reason"), fault, background, ..TurnEnd::new(None, status) }));
            }
            "task" => cx.event_in(scope, EventBody::Tasks(vec![Task {
                title: text("title"), item: text("item"), background: line["background"] == true, summary: text("summary"),
                ..Task::new(text("id").unwrap_or_default(), TaskKind::Subagent, status)
            }])),
            "roster" => {
                let ids = line["ids"].as_array().into_iter().flatten();
                cx.event(EventBody::Roster(ids.filter_map(Value::as_str).map(str::to_owned).collect()));
            }
            "thread" => {
                let cursor = (line["cursor"] == true).then(|| text("id").unwrap_or_default());
                cx.event(EventBody::Threads(vec![Thread { cursor, ..Thread::new(text("id").unwrap_or_default(), ThreadState::Active) }]));
            }
            "commands" => cx.event_in(scope, EventBody::SlashCommands(vec![])),
            "alive" => cx.silent("alive"),
            // All of them in one batch.
            "batch" => line["lines"].as_array().into_iter().flatten().for_each(|one| self.said(cx, one)),
            "odd" => cx.event_in(scope, EventBody::Other(Other { name: "odd".into(), json: line.to_string() })),
            "break" => panic!("I break on this line"),
            "break-on" => {
                self.breaks_on = text("what");
                cx.silent("break-on");
            }
            other => cx.unknown(other.to_owned()),
        }
        if cx.said_nothing() {
            cx.silent("reply");
        }
    }

    /// The program refuses a command.
    fn cannot(&mut self, cx: &mut Cx, line: &Value) {
        let kind = match line["kind"].as_str() {
            Some("auth") => FaultKind::Auth,
            Some("not-found") => FaultKind::NotFound,
            Some("conflict") => FaultKind::Conflict,
            _ => FaultKind::Unknown,
        };
        let fault = Fault::new(kind, line["why"].as_str().unwrap_or_default());
        let op = match line["what"].as_str() {
            Some("open") => self.opening.take(),
            Some("send") => pop(&mut self.sending),
            Some("interrupt") => pop(&mut self.interrupting),
            Some("answer") => pop(&mut self.answering).map(|(op, _)| op),
            Some(what) => self.take_asked(what),
            None => None,
        };
        if let Some(op) = op {
            cx.fail(op, fault);
        }
    }
}

/// A command's word in the cases.
fn word(command: &CommandBody) -> &'static str {
    match command {
        CommandBody::SendRun(_) => "send",
        CommandBody::SteerRun(_) => "steer",
        CommandBody::Interrupt(_) => "interrupt",
        CommandBody::Respond(_) => "answer",
        CommandBody::SetSelection(_) => "select",
        CommandBody::RollbackThread(_) => "rollback",
        CommandBody::ReadThread(_) => "read",
        _ => "another",
    }
}

/// The provider's id of the one conversation.
const THREAD: &str = "00000000-0000-4000-8000-00000000000a";

fn pop<T>(list: &mut Vec<T>) -> Option<T> {
    if list.is_empty() { None } else { Some(list.remove(0)) }
}

fn weaker(weak: &[String]) -> CapabilitySet {
    let mut set = CapabilitySet::of(&FLAGS, &WORDS).negotiated(1, None);
    for word in weak {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        set = set.without(&[name]);
        if !value.is_empty() {
            set.capabilities.push(Capability::word(name, value));
        }
    }
    set
}

fn scope(line: &Value) -> Option<Scope> {
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    let scope = Scope { thread: text("thread-of"), turn: text("turn"), parent: text("inside"), replayed: line["replayed"] == true };
    (scope.thread.is_some() || scope.turn.is_some() || scope.parent.is_some() || scope.replayed).then_some(scope)
}

fn status(word: Option<&str>) -> Status {
    match word {
        Some("pending") => Status::Pending,
        Some("running") => Status::Running,
        Some("waiting") => Status::Waiting,
        None | Some("completed") => Status::Completed,
        Some("failed") => Status::Failed,
        Some("declined") => Status::Declined,
        Some("interrupted") => Status::Interrupted,
        Some("cancelled") => Status::Cancelled,
        Some(_) => Status::Unknown,
    }
}

fn kind(word: Option<&str>) -> TextKind {
    match word {
        Some("reasoning") => TextKind::Reasoning,
        Some("tool-input") => TextKind::ToolInput,
        Some("tool-output") => TextKind::ToolOutput,
        Some("plan") => TextKind::Plan,
        _ => TextKind::Assistant,
    }
}

fn delivered(word: Option<&str>) -> Delivered {
    match word {
        Some("joined") => Delivered::JoinedTurn,
        Some("queued") => Delivered::Queued,
        Some("stale") => Delivered::Stale,
        _ => Delivered::OpenedTurn,
    }
}

fn message(line: &Value, status: Status) -> Item {
    let id = line["id"].as_str().map(str::to_owned);
    let said = line["text"].as_str().unwrap_or_default();
    match line["of"].as_str() {
        Some("reasoning") => Item { status, ..Item::reasoning(id, said) },
        Some("user") => Item::new(id, status, ItemBody::User(UserMessage { op: None, typed: line["typed"] == true, content: vec![said.into()] })),
        _ => Item { status, ..Item::assistant(id, said) },
    }
}

fn tool(line: &Value) -> Tool {
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    let input = if line["input"].is_null() { None } else { Some(line["input"].to_string()) };
    let content = text("output").map(|output| vec![output.into()]).unwrap_or_default();
    let exit_code = line["exit"].as_i64().and_then(|code| i32::try_from(code).ok());
    Tool { input, content, exit_code, name: text("name"), ..Tool::new(ToolKind::Execute) }
}

fn request(line: &Value) -> Request {
    let offered = line["offers"].as_array().cloned().unwrap_or_else(|| vec![json!("once"), json!("no")]);
    let offer = |word: &Value| {
        let verdict = match word.as_str()? {
            "once" => Verdict::AllowOnce,
            "session" => Verdict::AllowSession,
            "no" => Verdict::RejectOnce,
            "stop" => Verdict::Abort,
            _ => Verdict::Neutral,
        };
        Some(Offer::new(word.as_str()?, word.as_str()?, verdict))
    };
    Request {
        item: line["item"].as_str().map(str::to_owned),
        options: offered.iter().filter_map(offer).collect(),
        // `shown`: it tells another call than the one that is asked about.
        ..Request::new(line["id"].as_str().unwrap_or_default(), Subject::Approval(tool(if line["shown"].is_null() { line } else { &line["shown"] })))
    }
}
