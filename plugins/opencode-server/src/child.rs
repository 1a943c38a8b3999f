//! Subagents: each works in a conversation of its own on the same server, begun by a call (`task`) in the conversation of whom it works
//! for. What it says and does is told inside of that call.
//!
//! **How it ended is what its call says**: one whose tool was refused goes idle without an error, and its call fails. Where no call waits
//! for it, its idle is its end.

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
    /// Its call waits for it.
    awaited: bool,
    /// It does nothing any more; how it ended its call has not said yet.
    idle: bool,
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

    /// The turn ends: of those whose call said nothing more, the idle counts.
    pub(crate) fn turn_ends(&mut self, cx: &mut Cx) {
        for (id, child) in &mut self.0 {
            if child.idle && child.status == Status::Running {
                child.ends(cx, id, child.by_itself());
            }
        }
    }

    /// The server is gone, and they with it.
    pub(crate) fn lost(&mut self, cx: &mut Cx) {
        for (id, child) in &mut self.0 {
            if child.status == Status::Running {
                child.ends(cx, id, Status::Failed);
            }
        }
    }
}

impl Child {
    /// How it ended, as far as it says so itself.
    fn by_itself(&self) -> Status {
        if self.failed.is_some() { Status::Failed } else { Status::Completed }
    }

    fn ends(&mut self, cx: &mut Cx, id: &str, status: Status) {
        self.status = status;
        cx.event_in(self.scope.clone(), EventBody::Tasks(vec![self.task(id)]));
    }

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
        let (status, awaited) = (Status::Running, item.is_some());
        let child = Child {
            scope: scope.clone(),
            item,
            title: told.title,
            status,
            said: None,
            failed: None,
            awaited,
            idle: false,
        };
        let task = child.task(&told.id);
        self.children.0.insert(told.id, child);
        cx.event_in(scope, EventBody::Tasks(vec![task]));
    }

    /// A call says which conversation it began, and how that ended.
    pub(crate) fn call_of_child(&mut self, cx: &mut Cx, part: &Part) {
        let named = part.state.metadata.get("sessionId").and_then(|id| id.as_str());
        let over = !matches!(part.state.status.as_str(), "pending" | "running");
        self.parts.task(&part.id, named.is_some() || over);
        let of_call = |(id, child): &(&String, &mut Child)| match named {
            Some(named) => *id == named,
            None => child.item.as_ref() == Some(&part.id),
        };
        let Some((id, child)) = self.children.0.iter_mut().find(of_call) else { return };
        child.item.get_or_insert_with(|| part.id.clone());
        child.awaited = !over;
        if child.status != Status::Running || !over {
            return;
        }
        if part.state.status == "error" && !self.turns.is_stopping() {
            child.failed = child.failed.take().or(part.state.error.clone());
            child.ends(cx, id, Status::Failed);
        } else if child.idle {
            child.ends(cx, id, child.by_itself());
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
        let stopping = self.turns.is_stopping();
        let Some(child) = self.children.0.get_mut(session) else { return };
        if child.status != Status::Running || child.idle {
            return cx.duplicate();
        }
        child.idle = true;
        match (stopping, child.awaited) {
            (true, _) => child.ends(cx, session, Status::Interrupted),
            (false, true) => cx.silent("session.idle/subagent"),
            (false, false) => child.ends(cx, session, child.by_itself()),
        }
    }
}
