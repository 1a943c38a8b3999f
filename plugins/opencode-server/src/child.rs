//! Subagents: each works in a conversation of its own on the same server, begun by a call (`task`) in the conversation of whom it works
//! for. What it says and does is told inside of that call.

use jackfield_sdk::prelude::*;
use std::collections::BTreeMap;

use crate::fault;
use crate::session::OpenCode;
use crate::wire::{Event, Failure, Part, Session};

/// All of the session, by their conversations.
#[derive(Debug, Default)]
pub(crate) struct Children(BTreeMap<String, Child>);

#[derive(Debug)]
struct Child {
    /// Where its beginning was told, and its end is: a subagent may have subagents.
    scope: Option<Scope>,
    /// The call that began it.
    item: Option<String>,
    title: Option<String>,
    status: Status,
    said: Option<String>,
    failed: Option<String>,
}

impl Children {
    pub(crate) fn is(&self, session: &str) -> bool {
        self.0.contains_key(session)
    }

    /// Where what it does is told.
    pub(crate) fn scope(&self, session: &str) -> Option<Scope> {
        let child = self.0.get(session)?;
        Some(Scope::inside(child.item.clone().unwrap_or_else(|| session.to_owned())))
    }

    /// What it said last is what came of it.
    pub(crate) fn said(&mut self, session: &str, text: &str) {
        if let Some(child) = self.0.get_mut(session) {
            child.said = Some(text.to_owned());
        }
    }

    /// The server is gone, and they with it.
    pub(crate) fn lost(&mut self, cx: &mut Cx) {
        for (id, child) in &mut self.0 {
            if child.status == Status::Running {
                child.status = Status::Failed;
                cx.event_in(child.scope.clone(), EventBody::Tasks(vec![child.task(id)]));
            }
        }
    }
}

impl Child {
    fn task(&self, id: &str) -> Task {
        Task {
            title: self.title.clone(),
            item: self.item.clone(),
            summary: self.failed.clone().or_else(|| self.said.clone()).filter(|_| self.status != Status::Running),
            ..Task::new(id, TaskKind::Subagent, self.status)
        }
    }
}

impl OpenCode {
    /// A conversation began that works for another one.
    pub(crate) fn child_begins(&mut self, cx: &mut Cx, owner: &str, told: Session) {
        // The call that begins it is the one at work that has named none yet: they begin one after the other.
        let item = self.parts.unnamed_task();
        let scope = self.children.scope(owner);
        let child =
            Child { scope: scope.clone(), item, title: told.title, status: Status::Running, said: None, failed: None };
        let task = child.task(&told.id);
        self.children.0.insert(told.id, child);
        cx.event_in(scope, EventBody::Tasks(vec![task]));
    }

    /// A call says which conversation it began.
    pub(crate) fn call_names_child(&mut self, part: &Part) {
        let named = part.state.metadata.get("sessionId").and_then(|id| id.as_str());
        self.parts.task(&part.id, named.is_some() || !matches!(part.state.status.as_str(), "pending" | "running"));
        if let Some(child) = named.and_then(|id| self.children.0.get_mut(id)) {
            child.item.get_or_insert_with(|| part.id.clone());
        }
    }

    /// An event of a subagent's conversation.
    pub(crate) fn of_child(&mut self, cx: &mut Cx, session: &str, event: &Event) {
        match event.kind.as_str() {
            "message.updated" => {
                self.parts.message(&event.of("info"));
                cx.silent("message.updated/subagent");
            }
            "session.idle" => self.child_idle(cx, session),
            "session.error" => {
                let failure: Failure = event.of("error");
                if let Some(child) = self.children.0.get_mut(session) {
                    child.failed = Some(fault::of_failure(&failure).message);
                }
                cx.silent("session.error/subagent");
            }
            "session.compacted" | "todo.updated" => cx.silent(format!("{}/subagent", event.kind)),
            _ => self.of_any(cx, Some(session), event),
        }
    }

    fn child_idle(&mut self, cx: &mut Cx, session: &str) {
        let stopping = self.turns.stopping();
        let Some(child) = self.children.0.get_mut(session) else { return };
        if child.status != Status::Running {
            return cx.duplicate();
        }
        child.status = match (&child.failed, stopping) {
            (_, true) => Status::Interrupted,
            (Some(_), _) => Status::Failed,
            (None, _) => Status::Completed,
        };
        let (scope, task) = (child.scope.clone(), child.task(session));
        cx.event_in(scope, EventBody::Tasks(vec![task]));
    }
}
