//! Short ways to write items, requests and the other bodies of events. They add nothing to the contract.

use crate::prelude::*;

impl Item {
    /// An item; `None` where the provider has no ids.
    pub fn new(id: Option<String>, status: Status, body: ItemBody) -> Self {
        Item { id, status, body, mark: None, extra: vec![] }
    }

    /// A whole message of the assistant.
    pub fn assistant(id: Option<String>, text: impl Into<String>) -> Self {
        Item::new(id, Status::Completed, ItemBody::Assistant(vec![Content::Text(text.into())]))
    }

    /// A whole thought.
    pub fn reasoning(id: Option<String>, text: impl Into<String>) -> Self {
        Item::new(id, Status::Completed, ItemBody::Reasoning(vec![Content::Text(text.into())]))
    }

    /// A tool call.
    pub fn tool(id: Option<String>, status: Status, tool: Tool) -> Self {
        Item::new(id, status, ItemBody::Tool(tool))
    }

    /// With the provider's resume point after it.
    pub fn with_mark(self, mark: Option<String>) -> Self {
        Item { mark, ..self }
    }
}

impl Tool {
    /// A tool of which only the kind is known.
    pub fn new(kind: ToolKind) -> Self {
        Tool {
            kind,
            name: None,
            server: None,
            title: None,
            input: None,
            locations: vec![],
            content: vec![],
            exit_code: None,
            extra: vec![],
        }
    }

    /// With the provider's name of it.
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Tool { name: Some(name.into()), ..self }
    }

    /// With a line for a person.
    pub fn with_title(self, title: impl Into<String>) -> Self {
        Tool { title: Some(title.into()), ..self }
    }

    /// With its input, JSON.
    pub fn with_input(self, input: impl Into<String>) -> Self {
        Tool { input: Some(input.into()), ..self }
    }

    /// With its result so far.
    pub fn with_content(self, content: Vec<Content>) -> Self {
        Tool { content, ..self }
    }
}

impl Status {
    /// How far a step of a todo list is, by the word that many tools have for it.
    pub fn of_todo(word: &str) -> Self {
        match word {
            "pending" | "" => Status::Pending,
            "in_progress" => Status::Running,
            "completed" => Status::Completed,
            "cancelled" => Status::Cancelled,
            _ => Status::Unknown,
        }
    }
}

impl Request {
    /// A request without options or questions yet.
    pub fn new(id: impl Into<String>, subject: Subject) -> Self {
        Request {
            id: id.into(),
            item: None,
            subject,
            reason: None,
            options: vec![],
            questions: vec![],
            raw: None,
            expires_ms: None,
            extra: vec![],
        }
    }
}

impl Offer {
    /// An option.
    pub fn new(id: impl Into<String>, label: impl Into<String>, verdict: Verdict) -> Self {
        Offer { id: id.into(), label: label.into(), verdict }
    }
}

impl Question {
    /// A question with answers to pick from and room for own words.
    pub fn new(id: impl Into<String>, text: impl Into<String>, choices: Vec<Choice>) -> Self {
        Question {
            id: id.into(),
            header: None,
            text: text.into(),
            choices,
            multiple: false,
            free_text: true,
            secret: false,
            schema: None,
        }
    }
}

impl Scope {
    /// The session's only thread, its open turn, its root, live.
    pub fn root() -> Self {
        Scope { thread: None, turn: None, parent: None, replayed: false }
    }

    /// Inside a task or a tool item.
    pub fn inside(parent: impl Into<String>) -> Self {
        Scope { parent: Some(parent.into()), ..Scope::root() }
    }
}

impl TurnEnd {
    /// The end of a turn.
    pub fn new(op: Option<u32>, status: Status) -> Self {
        TurnEnd { op, status, reason: None, fault: None, mark: None, background: false, extra: vec![] }
    }
}

impl PlanStep {
    /// A step.
    pub fn new(text: impl Into<String>, status: Status) -> Self {
        PlanStep { text: text.into(), status, priority: None }
    }
}

impl Task {
    /// A task of which nothing but its id, kind and state is known.
    pub fn new(id: impl Into<String>, kind: TaskKind, status: Status) -> Self {
        Task {
            id: id.into(),
            kind,
            status,
            title: None,
            item: None,
            thread: None,
            background: false,
            summary: None,
            extra: vec![],
        }
    }
}

impl ContextChange {
    /// A change of the context.
    pub fn new(what: ContextEffect) -> Self {
        ContextChange { what, turn: None, tokens_before: None, tokens_after: None, automatic: false, summary: None }
    }
}
