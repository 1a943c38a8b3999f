//! What a person sees: the program's items, as the contract's. A type that is not here is kept as it came.

use jackfield_sdk::prelude::*;
use jackfield_sdk::tolerant::Raw;
use serde_json::{Value, json};

use crate::content;
use crate::session::Codex;
use crate::wire::{Change, Item as Told};

impl Codex {
    /// `item/started` and `item/completed`, of a thread of ours or of a subagent.
    pub(crate) fn item_told(&mut self, cx: &mut Cx, id: &str, turn: Option<&str>, raw: &Raw, ended: bool) {
        let told: Told = raw.lossy();
        if self.told_before(id, turn, &told, ended) {
            return cx.duplicate();
        }
        if ended {
            self.stored(cx, id);
        }
        if told.kind == "contextCompaction" {
            let what = if ended { ContextEffect::Compacted } else { ContextEffect::Compacting };
            let scope = self.scope(id, turn);
            return cx.event_in(scope, EventBody::Context(ContextChange::new(what)));
        }
        let op = (told.kind == "userMessage" && !ended).then(|| self.echoed(id, &told)).flatten();
        let mut item = of(&told, raw, op, ended);
        if let ItemBody::User(message) = &mut item.body {
            // What is said to a subagent no person typed.
            message.typed &= !self.agents.is(id);
        }
        let scope = self.scope(id, turn);
        if let (ItemBody::Tool(tool), "commandExecution", Some(text)) =
            (&mut item.body, told.kind.as_str(), &told.aggregated_output)
        {
            // What it printed in pieces is a part of this, not another result.
            tool.content.clear();
            if !text.is_empty() {
                let (id, text) = (item.id.clone(), text.clone());
                let whole = Delta { id, kind: TextKind::ToolOutput, whole: true, text };
                cx.event_in(scope.clone(), EventBody::Delta(whole));
            }
        }
        cx.event_in(scope, EventBody::Items(vec![item]));
        if told.kind == "collabAgentToolCall" {
            self.agents_told(cx, id, turn, &told, ended);
        }
        if ended && told.kind == "agentMessage" {
            self.agents.said(id, &told.text);
        }
    }

    /// The same told again, or its beginning after its end: nothing is new.
    fn told_before(&mut self, id: &str, turn: Option<&str>, told: &Told, ended: bool) -> bool {
        let Some(thread) = self.threads.get_mut(id) else { return false };
        let named = |one: &&mut crate::thread::OpenTurn| turn.is_none_or(|turn| one.id == turn);
        let Some(open) = thread.open.iter_mut().chain(&mut thread.last).find(named) else { return false };
        match open.items.insert(told.id.clone(), ended) {
            Some(true) => {
                open.items.insert(told.id.clone(), true);
                true
            }
            Some(false) => !ended,
            None => false,
        }
    }

    /// The command whose message this is: the turn's own first, then those that went into it, in order.
    fn echoed(&mut self, id: &str, told: &Told) -> Option<u32> {
        let thread = self.threads.get_mut(id)?;
        let open = thread.open.as_mut()?;
        if !open.echoed && open.op.is_some() {
            open.echoed = true;
            return open.op;
        }
        let queued = told.client_id.as_ref().and_then(|uuid| thread.queue.iter().find(|queued| queued.uuid == *uuid));
        queued.map(|queued| queued.op).or_else(|| thread.steered.pop_front())
    }
}

/// The item as far as it is told.
pub(crate) fn of(told: &Told, raw: &Raw, op: Option<u32>, ended: bool) -> Item {
    let body = match told.kind.as_str() {
        "userMessage" => ItemBody::User(UserMessage { op, typed: true, content: content::told(&told.content) }),
        "hookPrompt" => {
            let texts = told.fragments.iter().filter_map(|part| part["text"].as_str());
            let content = texts.map(Content::from).collect();
            ItemBody::User(UserMessage { op: None, typed: false, content })
        }
        "agentMessage" => ItemBody::Assistant(texts(&told.text)),
        "plan" => ItemBody::ProposedPlan(told.text.clone()),
        "reasoning" => ItemBody::Reasoning(texts(&thought(told))),
        _ => match tool(told) {
            Some(tool) => ItemBody::Tool(tool),
            None => ItemBody::Other(Other { name: kind_name(&told.kind), json: raw.text().to_owned() }),
        },
    };
    let phase = told.phase.iter().map(|phase| ("phase".to_owned(), phase.clone())).collect();
    let id = Some(told.id.clone()).filter(|id| !id.is_empty());
    Item { id, status: status(told, ended), body, mark: None, extra: phase }
}

fn texts(text: &str) -> Vec<Content> {
    Some(text).filter(|text| !text.is_empty()).map(Content::from).into_iter().collect()
}

/// The thought itself where the service gives it, else its summary.
fn thought(told: &Told) -> String {
    let content: Vec<&str> = told.content.iter().filter_map(Value::as_str).collect();
    let summary: Vec<&str> = told.summary.iter().map(String::as_str).collect();
    if content.is_empty() { summary.join("\n\n") } else { content.join("\n\n") }
}

fn status(told: &Told, ended: bool) -> Status {
    match told.status.as_deref() {
        Some("completed") => Status::Completed,
        Some("failed") => Status::Failed,
        Some("declined") => Status::Declined,
        Some("interrupted") => Status::Interrupted,
        _ if ended => Status::Completed,
        _ => Status::Running,
    }
}

/// `commandExecution` as the contract writes names.
fn kind_name(kind: &str) -> String {
    let mut name = String::from("codex.");
    for c in kind.chars() {
        if c.is_ascii_uppercase() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// A call of a tool; nothing when it is none.
fn tool(told: &Told) -> Option<Tool> {
    let duration = told.duration_ms.iter().map(|ms| ("duration-ms".to_owned(), ms.to_string()));
    let named =
        |kind: ToolKind, name: &str| Tool { extra: duration.clone().collect(), ..Tool::new(kind).with_name(name) };
    let tool = match told.kind.as_str() {
        "commandExecution" => {
            let cwd = told.cwd.iter().map(|cwd| ("cwd".to_owned(), cwd.clone()));
            Tool {
                title: command_line(told.command.as_deref(), &told.command_actions),
                input: told.command.as_ref().map(|command| json!({"command": command, "cwd": told.cwd}).to_string()),
                content: told.aggregated_output.as_deref().map(texts).unwrap_or_default(),
                exit_code: told.exit_code,
                extra: duration.chain(cwd).collect(),
                ..Tool::new(ToolKind::Execute).with_name("exec_command")
            }
        }
        "fileChange" => changed(&told.changes),
        "mcpToolCall" => {
            let error = told.error.as_ref().map(|error| Content::from(error.message.as_str()));
            let parts = told.result["content"].as_array().cloned().unwrap_or_default();
            Tool {
                server: told.server.clone(),
                input: Some(told.arguments.to_string()),
                content: content::given(&parts).into_iter().chain(error).collect(),
                ..named(ToolKind::Unknown, told.tool.as_deref().unwrap_or("?"))
            }
        }
        "dynamicToolCall" => Tool {
            input: Some(told.arguments.to_string()),
            content: content::given(&told.content_items),
            ..named(ToolKind::Unknown, told.tool.as_deref().unwrap_or("?"))
        },
        "collabAgentToolCall" => Tool {
            title: told.prompt.clone(),
            input: told.prompt.as_ref().map(|prompt| json!({"prompt": prompt, "model": told.model}).to_string()),
            content: told.agents_states.values().filter_map(|agent| Some(agent.message.as_deref()?.into())).collect(),
            ..named(ToolKind::Delegate, told.tool.as_deref().unwrap_or("agent"))
        },
        "webSearch" => Tool { title: told.query.clone(), ..named(ToolKind::Fetch, "web_search") },
        "imageView" => {
            let places = told.path.iter().map(|path| Location { path: path.clone(), line: None });
            Tool { title: told.path.clone(), locations: places.collect(), ..named(ToolKind::Read, "view_image") }
        }
        "enteredReviewMode" | "exitedReviewMode" => {
            let review = told.review.as_deref().map(texts).unwrap_or_default();
            Tool { content: review, ..named(ToolKind::Think, "review") }
        }
        _ => return None,
    };
    Some(tool)
}

/// The command as the model gave it, without the shell around it.
pub(crate) fn command_line(command: Option<&str>, actions: &[crate::wire::Action]) -> Option<String> {
    let plain = match actions {
        [only] if !only.command.is_empty() => Some(only.command.clone()),
        _ => None,
    };
    plain.or_else(|| command.map(str::to_owned))
}

/// A change of files, made or to be made.
pub(crate) fn changed(changes: &[Change]) -> Tool {
    let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    Tool {
        title: Some(paths.join(", ")).filter(|title| !title.is_empty()),
        locations: paths.iter().map(|path| Location { path: (*path).to_owned(), line: None }).collect(),
        content: changes.iter().map(|change| Content::Diff(diff(change))).collect(),
        ..Tool::new(ToolKind::Edit).with_name("apply_patch")
    }
}

/// A new or deleted file is told with its text, a changed one with its hunks.
fn diff(change: &Change) -> FileDiff {
    let text = || Some(change.diff.clone());
    let diff = FileDiff { path: change.path.clone(), moved_from: None, before: None, after: None, patch: None };
    match (change.kind.kind.as_str(), &change.kind.move_path) {
        ("add", _) => FileDiff { after: text(), ..diff },
        ("delete", _) => FileDiff { before: text(), ..diff },
        (_, Some(to)) => FileDiff { path: to.clone(), moved_from: Some(change.path.clone()), patch: text(), ..diff },
        (_, None) => FileDiff { patch: text(), ..diff },
    }
}
