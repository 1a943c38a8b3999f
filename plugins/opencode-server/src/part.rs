//! Parts of messages: texts, thoughts, calls. Each has an id of its own, which is the item's.
//!
//! **A part belongs to its message's role, which is told first**: the person's own words come back as parts, too. What a version tells in
//! pieces is told in pieces; where it tells a text again and again, longer each time, what is new is a piece.

use jackfield_sdk::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

use crate::session::OpenCode;
use crate::wire::{DeltaTold, Message, Part};

/// What is known of messages and their parts.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Messages in the person's name.
    users: BTreeSet<String>,
    /// Texts at work: what they are, and how much of each was told, in bytes.
    texts: BTreeMap<String, (TextKind, usize)>,
    /// Calls by the model's id and their message's, for requests about them: their part.
    calls: BTreeMap<(String, String), String>,
    /// Calls that begin subagents and have not named theirs, in order.
    tasks: Vec<String>,
}

impl Parts {
    pub(crate) fn message(&mut self, told: &Message) {
        if told.role == "user" {
            self.users.insert(told.id.clone());
        }
    }

    /// The part of a call.
    pub(crate) fn of_call(&self, message: &str, call: &str) -> Option<String> {
        self.calls.get(&(message.to_owned(), call.to_owned())).cloned()
    }

    /// A call that begins a subagent; once it has named its own, it begins no other.
    pub(crate) fn task(&mut self, part: &str, named: bool) {
        match (named, self.tasks.iter().position(|task| task == part)) {
            (true, Some(at)) => _ = self.tasks.remove(at),
            (false, None) => self.tasks.push(part.to_owned()),
            _ => {}
        }
    }

    /// The first call that has begun no subagent yet.
    pub(crate) fn unnamed_task(&mut self) -> Option<String> {
        self.tasks.first().cloned()
    }

    /// A turn ended: what is told of its texts from now on is the whole of them.
    pub(crate) fn forget_texts(&mut self) {
        self.texts.clear();
        self.tasks.clear();
        self.calls.clear();
    }
}

impl OpenCode {
    /// `message.part.updated`.
    pub(crate) fn part(&mut self, cx: &mut Cx, child: Option<&str>, scope: Option<Scope>, part: Part) {
        if self.parts.users.contains(&part.message_id) {
            return self.persons_part(cx, child, scope, part);
        }
        if self.turns.was_cut(&part.message_id) {
            return cx.silent("part/late");
        }
        match part.kind.as_str() {
            "text" => self.text(cx, child, scope, part, TextKind::Assistant),
            "reasoning" => self.text(cx, child, scope, part, TextKind::Reasoning),
            "tool" => self.tool(cx, scope, part),
            "step-finish" => self.step_finish(cx, scope, &part),
            "step-start" | "patch" | "snapshot" | "agent" | "retry" | "file" | "subtask" | "compaction" => {
                cx.silent(format!("part/{}", part.kind));
            }
            kind => cx.unknown(format!("part/{kind}")),
        }
    }

    /// The person's own words, or what the server says in the person's name.
    fn persons_part(&mut self, cx: &mut Cx, child: Option<&str>, scope: Option<Scope>, part: Part) {
        match part.kind.as_str() {
            "text" if part.synthetic && child.is_none() => {
                let content = vec![Content::Text(part.text)];
                let said = UserMessage { op: None, typed: false, content };
                let item = Item::new(Some(part.id), Status::Completed, ItemBody::User(said));
                cx.event_in(scope, EventBody::Items(vec![item]));
            }
            "compaction" if part.auto => {
                let change = ContextChange { automatic: true, ..ContextChange::new(ContextEffect::Compacting) };
                cx.event_in(scope, EventBody::Context(change));
            }
            _ => cx.silent("part/user"),
        }
    }

    fn text(&mut self, cx: &mut Cx, child: Option<&str>, scope: Option<Scope>, part: Part, kind: TextKind) {
        let known = self.parts.texts.contains_key(&part.id);
        let (_, told) = self.parts.texts.entry(part.id.clone()).or_insert((kind, 0));
        if part.time.end.is_none() {
            let fresh = part.text.get(*told..).filter(|fresh| !fresh.is_empty()).map(str::to_owned);
            *told = part.text.len().max(*told);
            return match fresh {
                Some(fresh) => {
                    let delta = Delta { id: Some(part.id), kind, whole: false, text: fresh };
                    cx.event_in(scope, EventBody::Delta(delta));
                }
                None if known => cx.silent("part/again"),
                None => cx.silent("part/begins"),
            };
        }
        if let Some(child) = child.filter(|_| kind == TextKind::Assistant) {
            self.children.said(child, &part.text);
        }
        let stopping = self.turns.is_stopping();
        let item = match kind {
            TextKind::Reasoning => Item::reasoning(Some(part.id), part.text),
            _ => Item::assistant(Some(part.id), part.text),
        };
        let status = if stopping { Status::Interrupted } else { Status::Completed };
        cx.event_in(scope, EventBody::Items(vec![Item { status, ..item }]));
    }

    /// `message.part.delta`.
    pub(crate) fn delta(&mut self, cx: &mut Cx, scope: Option<Scope>, told: DeltaTold) {
        let Some((kind, length)) = self.parts.texts.get_mut(&told.part_id).filter(|_| told.field == "text") else {
            return cx.unknown(format!("delta/{}", told.field));
        };
        if told.delta.is_empty() {
            return cx.silent("delta/empty");
        }
        *length += told.delta.len();
        let delta = Delta { id: Some(told.part_id), kind: *kind, whole: false, text: told.delta };
        cx.event_in(scope, EventBody::Delta(delta));
    }

    fn tool(&mut self, cx: &mut Cx, scope: Option<Scope>, part: Part) {
        self.parts.calls.insert((part.message_id.clone(), part.call_id.clone()), part.id.clone());
        if part.tool == "task" {
            self.call_of_child(cx, &part);
        }
        let status = match part.state.status.as_str() {
            "pending" => Status::Pending,
            "running" if self.asks.waits_for(&part.id) => Status::Waiting,
            "running" => Status::Running,
            // A command that was stopped is told as a good end, and without the code of its own.
            "completed" if self.turns.is_stopping() && part.tool == "bash" && exit_code(&part).is_none() => {
                Status::Interrupted
            }
            "completed" => Status::Completed,
            "error" if self.asks.was_refused(&part.id) => Status::Declined,
            "error" if self.turns.is_stopping() && self.asks.was_dropped(&part.id) => Status::Cancelled,
            "error" if self.turns.is_stopping() => Status::Interrupted,
            "error" => Status::Failed,
            _ => Status::Unknown,
        };
        let content = self.result(&part);
        let tool = describe(&part, content);
        cx.event_in(scope, EventBody::Items(vec![Item::tool(Some(part.id), status, tool)]));
    }

    /// What a call gave, or has printed so far.
    fn result(&self, part: &Part) -> Vec<Content> {
        let state = &part.state;
        if let Some(error) = &state.error {
            return vec![Content::Text(error.clone())];
        }
        let diff = state.metadata.get("diff").and_then(|diff| diff.as_str()).filter(|_| state.output.is_some());
        let diff = diff.filter(|diff| !diff.is_empty()).map(|diff| {
            let path = state.metadata.get("filediff").and_then(|file| file["file"].as_str());
            let (path, patch) = (path.unwrap_or_default().to_owned(), Some(diff.to_owned()));
            Content::Diff(FileDiff { path, moved_from: None, before: None, after: None, patch })
        });
        let printed = || state.metadata.get("output").and_then(|output| output.as_str()).map(str::to_owned);
        let text = state.output.clone().or_else(printed).filter(|text| !text.is_empty());
        text.map(Content::Text).into_iter().chain(diff).collect()
    }

    fn step_finish(&mut self, cx: &mut Cx, scope: Option<Scope>, part: &Part) {
        let Some(tokens) = &part.tokens else { return cx.silent("part/step-finish") };
        let mut counts = vec![
            ("input".to_owned(), tokens.input),
            ("cache-read".to_owned(), tokens.cache.read),
            ("cache-write".to_owned(), tokens.cache.write),
            ("output".to_owned(), tokens.output + tokens.reasoning),
            ("reasoning".to_owned(), tokens.reasoning),
        ];
        counts.extend(part.cost.map(|cost| ("cost-usd".to_owned(), cost)));
        cx.event_in(scope, EventBody::Usage(Usage { span: UsageSpan::Call, counts }));
    }
}

/// A call as the contract has it.
pub(crate) fn describe(part: &Part, content: Vec<Content>) -> Tool {
    let state = &part.state;
    let input = state.input.as_ref().map(|input| input.text()).filter(|input| !matches!(*input, "{}" | "null"));
    let read = input.and_then(|input| serde_json::from_str::<serde_json::Value>(input).ok()).unwrap_or_default();
    let path = read["filePath"].as_str().map(str::to_owned);
    // A call that was refused gets no title of the server's.
    let command = read["command"].as_str().map(str::to_owned);
    Tool {
        title: state.title.clone().filter(|title| !title.is_empty()).or(command),
        input: input.map(str::to_owned),
        locations: path.into_iter().map(|path| Location { path, line: None }).collect(),
        exit_code: exit_code(part),
        content,
        ..Tool::new(kind(&part.tool)).with_name(part.tool.as_str())
    }
}

/// The code that a command ended with.
fn exit_code(part: &Part) -> Option<i32> {
    let exit = part.state.metadata.get("exit")?.as_i64()?;
    i32::try_from(exit).ok()
}

/// What a tool of the server's does.
pub(crate) fn kind(tool: &str) -> ToolKind {
    match tool {
        "bash" => ToolKind::Execute,
        "edit" | "write" | "patch" | "multiedit" | "apply_patch" => ToolKind::Edit,
        "read" | "list" => ToolKind::Read,
        "glob" | "grep" | "codesearch" => ToolKind::Search,
        "webfetch" | "websearch" => ToolKind::Fetch,
        "todowrite" | "todoread" => ToolKind::Think,
        "task" => ToolKind::Delegate,
        "question" => ToolKind::Ask,
        _ => ToolKind::Unknown,
    }
}
