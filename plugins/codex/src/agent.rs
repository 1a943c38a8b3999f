//! Subagents: each works in a thread of its own, on the same connection, begun by a call in the thread of whom it works for.
//!
//! **A thread that nobody opened is a subagent's once a call named it, or while a call that begins one is at work**: its words are
//! never the main thread's. It has ended when its turn has; a message to it begins it anew.

use jackfield_sdk::prelude::*;
use std::collections::BTreeMap;

use crate::fault;
use crate::session::Codex;
use crate::wire::{Item as Told, Turn};

/// All of the session, by their threads.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    all: BTreeMap<String, Agent>,
    /// Calls that begin one and have not named it: the thread, and the call's item.
    beginning: Vec<(String, String)>,
}

#[derive(Debug)]
struct Agent {
    /// The thread that it works for, which may be another subagent's.
    owner: String,
    /// The call that began it.
    item: Option<String>,
    prompt: Option<String>,
    model: Option<String>,
    status: Status,
    /// Its open turn.
    turn: Option<String>,
    /// The last thing that it said.
    said: Option<String>,
    /// Commands that wait for its end.
    waiting: Vec<u32>,
}

impl Agents {
    pub(crate) fn is(&self, thread: &str) -> bool {
        self.all.contains_key(thread)
    }

    /// What it said last is what came of it.
    pub(crate) fn said(&mut self, thread: &str, text: &str) {
        if let Some(agent) = self.all.get_mut(thread) {
            agent.said = Some(text.to_owned());
        }
    }

    /// Those at work behind this thread, however deep, with their open turns.
    pub(crate) fn at_work(&self, root: &str) -> Vec<(String, String)> {
        let of_root = self.all.iter().filter(|(id, _)| self.works_for(id, root));
        of_root.filter_map(|(id, agent)| Some((id.clone(), agent.turn.clone()?))).collect()
    }

    fn works_for(&self, id: &str, root: &str) -> bool {
        let mut at = id;
        for _ in 0..=self.all.len() {
            match self.all.get(at) {
                Some(agent) if agent.owner == root => return true,
                Some(agent) => at = &agent.owner,
                None => return false,
            }
        }
        false
    }

    /// The turn of this thread ends: those that go on are said to. True when there are any.
    pub(crate) fn go_on(&self, cx: &mut Cx, root: &str, scope: &Scope) -> bool {
        let of_root = self.all.iter().filter(|(id, agent)| agent.status == Status::Running && self.works_for(id, root));
        let tasks: Vec<Task> = of_root.map(|(id, agent)| Task { background: true, ..agent.task(id) }).collect();
        let any = !tasks.is_empty();
        if any {
            cx.event_in(Some(scope.clone()), EventBody::Tasks(tasks));
        }
        any
    }
}

impl Agent {
    fn task(&self, id: &str) -> Task {
        let pair = |name: &str, value: &Option<String>| value.clone().map(|value| (name.to_owned(), value));
        let extra = [pair("prompt", &self.prompt), pair("model", &self.model)];
        Task {
            title: self.prompt.as_deref().and_then(|prompt| prompt.lines().next()).map(str::to_owned),
            item: self.item.clone(),
            thread: Some(id.to_owned()),
            summary: self.said.clone().filter(|_| self.status != Status::Running),
            extra: extra.into_iter().flatten().collect(),
            ..Task::new(id, TaskKind::Subagent, self.status)
        }
    }
}

impl Codex {
    /// A call about subagents.
    pub(crate) fn agents_told(&mut self, cx: &mut Cx, owner: &str, turn: Option<&str>, told: &Told, ended: bool) {
        let spawns = told.tool.as_deref() == Some("spawnAgent");
        self.agents.beginning.retain(|(_, item)| *item != told.id);
        if spawns && !ended {
            self.agents.beginning.push((owner.to_owned(), told.id.clone()));
        }
        for child in told.receiver_thread_ids.iter().filter(|_| spawns) {
            self.begin_agent(cx, owner, turn, child, told);
        }
        for (child, state) in &told.agents_states {
            let status = match state.status.as_str() {
                "errored" | "notFound" => Status::Failed,
                "interrupted" => Status::Interrupted,
                "shutdown" => Status::Completed,
                _ => continue,
            };
            self.end_agent(cx, child, status, state.message.clone());
        }
    }

    fn begin_agent(&mut self, cx: &mut Cx, owner: &str, turn: Option<&str>, child: &str, told: &Told) {
        if child == owner || self.threads.get(child).is_some() {
            return;
        }
        let known = self.agents.all.contains_key(child);
        let agent = self.agents.all.entry(child.to_owned()).or_insert_with(|| Agent {
            owner: owner.to_owned(),
            item: None,
            prompt: None,
            model: None,
            status: Status::Running,
            turn: None,
            said: None,
            waiting: vec![],
        });
        agent.item = Some(told.id.clone());
        agent.prompt = told.prompt.clone();
        agent.model = told.model.clone().filter(|model| !model.is_empty());
        let task = agent.task(child);
        let scope = self.scope(owner, turn);
        if !known {
            let thread = Thread {
                cursor: Some(child.to_owned()),
                parent: Some(owner.to_owned()),
                ..Thread::new(child, ThreadState::Active)
            };
            cx.event_in(scope.clone(), EventBody::Threads(vec![thread]));
        }
        cx.event_in(scope, EventBody::Tasks(vec![task]));
    }

    /// Whether a thread that nobody opened is a subagent's; one whose call has not named it yet is taken in.
    pub(crate) fn is_agent(&mut self, cx: &mut Cx, thread: &str) -> bool {
        if self.agents.is(thread) {
            return true;
        }
        let Some((owner, item)) = self.agents.beginning.first().cloned() else { return false };
        let told = Told { id: item, ..Told::default() };
        self.begin_agent(cx, &owner, None, thread, &told);
        true
    }

    /// `turn/started` of a subagent.
    pub(crate) fn agent_turn_started(&mut self, cx: &mut Cx, child: &str, turn: &Turn) {
        let Some(agent) = self.agents.all.get_mut(child) else { return };
        if agent.turn.as_ref() == Some(&turn.id) {
            return cx.duplicate();
        }
        agent.turn = Some(turn.id.clone());
        agent.status = Status::Running;
        let (task, owner) = (agent.task(child), agent.owner.clone());
        let scope = self.scope(&owner, None);
        cx.event_in(scope, EventBody::Tasks(vec![task]));
    }

    /// `turn/completed` of a subagent.
    pub(crate) fn agent_turn_completed(&mut self, cx: &mut Cx, child: &str, turn: &Turn) {
        let Some(agent) = self.agents.all.get_mut(child) else { return };
        if agent.turn.as_ref() != Some(&turn.id) {
            return cx.duplicate();
        }
        agent.turn = None;
        let (status, message) = match (turn.status.as_str(), &turn.error) {
            ("completed", _) => (Status::Completed, None),
            ("interrupted", _) => (Status::Interrupted, None),
            ("failed", Some(error)) => (Status::Failed, Some(fault::of_turn(error).message)),
            _ => (Status::Failed, None),
        };
        self.end_agent(cx, child, status, message);
        if cx.said_nothing() {
            cx.silent("turn/completed");
        }
    }

    fn end_agent(&mut self, cx: &mut Cx, child: &str, status: Status, message: Option<String>) {
        let Some(agent) = self.agents.all.get_mut(child) else { return };
        if agent.status != Status::Running {
            return;
        }
        agent.status = status;
        agent.said = message.or(agent.said.take());
        let (task, owner, waiting) = (agent.task(child), agent.owner.clone(), std::mem::take(&mut agent.waiting));
        let scope = self.scope(&owner, None);
        cx.event_in(scope, EventBody::Tasks(vec![task.clone()]));
        waiting.into_iter().for_each(|op| cx.done(op, OpValue::Task(task.clone())));
    }

    /// The command `wait-task`.
    pub(crate) fn wait_task(&mut self, cx: &mut Cx, op: u32, id: &str) {
        match self.agents.all.get_mut(id) {
            Some(agent) if agent.status == Status::Running => {
                agent.waiting.push(op);
                cx.hold(op);
            }
            Some(agent) => cx.done(op, OpValue::Task(agent.task(id))),
            None => cx.fail(op, Fault::new(FaultKind::NotFound, "There is no such subagent.")),
        }
    }
}
