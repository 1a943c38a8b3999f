//! What each kind of event means.

use jackfield_sdk::prelude::*;

use crate::session::OpenCode;
use crate::wire::{Event, Message, Session, StatusWord, Todo, Todos};

/// What happens around a conversation: the program's own affairs, told to everybody who listens.
const AROUND: [&str; 16] = [
    "catalog.",
    "command.",
    "file.",
    "ide.",
    "installation.",
    "integration.",
    "lsp.",
    "mcp.",
    "plugin.",
    "project.",
    "pty.",
    "reference.",
    "server.",
    "tui.",
    "vcs.",
    "worktree.",
];

impl OpenCode {
    pub(crate) fn event(&mut self, cx: &mut Cx, frame: &Frame) {
        let text = match &frame.data {
            FrameData::Text(text) | FrameData::Named((_, text)) => text,
            _ => return cx.unknown("an event that is no text"),
        };
        let Some(event) = Event::read(text) else { return cx.unknown("an event without a type") };
        if AROUND.iter().any(|prefix| event.kind.starts_with(prefix)) {
            return cx.silent(event.kind.as_str());
        }
        if matches!(event.kind.as_str(), "session.created" | "session.updated" | "session.deleted") {
            return self.session_told(cx, &event);
        }
        let Some(session) = event.session().map(str::to_owned) else {
            return cx.unknown(event.kind.as_str());
        };
        if session == self.thread.id {
            self.of_ours(cx, &event);
        } else if self.children.is(&session) {
            self.of_child(cx, &session, &event);
        } else {
            // A copy, or a conversation of another client's.
            cx.silent("elsewhere");
        }
    }

    fn of_ours(&mut self, cx: &mut Cx, event: &Event) {
        match event.kind.as_str() {
            "message.updated" => {
                let told: Message = event.of("info");
                self.parts.message(&told);
                self.own_message(cx, told);
            }
            "session.idle" => self.own_idle(cx),
            "session.error" => self.own_error(cx, event.of("error")),
            "session.status" => self.status(cx, event.of("status")),
            "session.compacted" => {
                let change = ContextChange { automatic: true, ..ContextChange::new(ContextEffect::Compacted) };
                cx.event(EventBody::Context(change));
            }
            "todo.updated" => self.todos(cx, event.get()),
            _ => self.of_any(cx, None, event),
        }
    }

    /// What is told of our conversation and of subagents' in one way.
    pub(crate) fn of_any(&mut self, cx: &mut Cx, child: Option<&str>, event: &Event) {
        let scope = child.and_then(|child| self.children.scope(child));
        match event.kind.as_str() {
            "message.part.updated" => self.part(cx, child, scope, event.of("part")),
            "message.part.delta" => self.delta(cx, scope, event.get()),
            "permission.asked" => self.permission(cx, scope, event.get(), event.session().unwrap_or_default()),
            "question.asked" => self.question(cx, scope, event.get(), event.session().unwrap_or_default()),
            "permission.replied" | "question.replied" | "question.rejected" => {
                self.request_over(cx, scope, event.get())
            }
            "session.diff" | "session.status" | "message.removed" | "message.part.removed" => {
                cx.silent(event.kind.as_str())
            }
            kind => cx.unknown(kind),
        }
    }

    fn status(&self, cx: &mut Cx, told: StatusWord) {
        if told.kind != "retry" {
            return cx.silent("session.status");
        }
        let now = cx.now_ms();
        cx.event(EventBody::Retrying(Retry {
            attempt: told.attempt.max(1),
            max_attempts: None,
            delay_ms: told.next.map(|next| (next - now).max(0.0)),
            fault: Fault::new(FaultKind::Overloaded, told.message),
        }));
    }

    fn todos(&self, cx: &mut Cx, told: Todos) {
        let step = |todo: Todo| {
            let status = Status::of_todo(&todo.status);
            PlanStep { priority: todo.priority, ..PlanStep::new(todo.content, status) }
        };
        let steps = told.todos.into_iter().map(step).collect();
        cx.event(EventBody::Plan(Plan { id: None, explanation: None, steps }));
    }

    fn session_told(&mut self, cx: &mut Cx, event: &Event) {
        let told: Session = event.of("info");
        let ours = !self.thread.id.is_empty() && told.id == self.thread.id;
        if ours && told.title.is_some() && told.title != self.thread.title {
            self.thread.title = told.title;
            // The server makes up a title beside the turn: it may come after its end.
            let state = if self.turns.open.is_some() { ThreadState::Active } else { ThreadState::Idle };
            return cx.event(EventBody::Threads(vec![self.to_thread(state)]));
        }
        if let Some(parent) = told.parent_id.as_ref().filter(|_| event.kind == "session.created") {
            let owned = *parent == self.thread.id || self.children.is(parent);
            if owned && !told.id.is_empty() {
                let owner = parent.clone();
                return self.child_begins(cx, &owner, told);
            }
        }
        cx.silent(event.kind.as_str());
    }
}
