//! Subagents and background work: who runs, for which tool item, and what outlives its turn.

use jackfield_sdk::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

use crate::control::Control;
use crate::session::ClaudeCode;
use crate::wire_session::TaskFrame;

/// The tasks that were told of and have not ended.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    known: BTreeMap<String, Known>,
    background: BTreeSet<String>,
    /// Commands that wait for a task's end.
    waiting: Vec<(u32, String)>,
}

#[derive(Debug)]
struct Known {
    item: Option<String>,
    kind: TaskKind,
    title: Option<String>,
}

impl Tasks {
    /// The tool item that a subagent works for: what it says and asks is inside that item.
    pub(crate) fn item_of(&self, agent: &str) -> Option<String> {
        self.known.get(agent)?.item.clone()
    }

    /// Why nothing can be done with a task.
    fn missing(&self, id: &str) -> Option<Fault> {
        let text = || format!("No task `{id}` is at work; its end was told before, or it never began.");
        (!self.known.contains_key(id)).then(|| Fault::new(FaultKind::NotFound, text()))
    }

    /// Whether something goes on after the turn.
    pub(crate) fn in_background(&self) -> bool {
        !self.background.is_empty()
    }

    /// A tool's result says that its agent or its command goes on by itself.
    pub(crate) fn detached(&mut self, cx: &mut Cx, task: &str) {
        if self.background.insert(task.to_owned()) {
            let task = self.to_task(task, Status::Running, None);
            cx.event(EventBody::Tasks(vec![task]));
        }
    }

    /// A `system/task_*` frame. False when it is none.
    pub(crate) fn told(&mut self, cx: &mut Cx, subtype: &str, frame: TaskFrame) -> bool {
        if subtype == "background_tasks_changed" {
            let running: Vec<_> = frame.tasks.into_iter().map(|task| task.task_id).collect();
            self.background = running.iter().cloned().collect();
            cx.event(EventBody::Roster(running));
            return true;
        }
        let Some(id) = frame.task_id else { return false };
        let (status, summary) = match subtype {
            "task_started" => {
                self.begin(
                    &id,
                    frame.tool_use_id,
                    frame.task_type.as_deref(),
                    frame.description,
                    frame.is_backgrounded,
                );
                (Status::Running, None)
            }
            "task_progress" => (Status::Running, frame.description),
            "task_updated" => {
                let patch = frame.patch.unwrap_or_default();
                if patch.is_backgrounded == Some(true) {
                    self.background.insert(id.clone());
                }
                (patch.status.as_deref().map_or(Status::Running, status), None)
            }
            "task_notification" => (frame.status.as_deref().map_or(Status::Unknown, status), frame.summary),
            _ => return false,
        };
        let task = self.to_task(&id, status, summary);
        if subtype == "task_notification" {
            for (op, _) in self.waiting.extract_if(.., |(_, waited)| *waited == id) {
                cx.done(op, OpValue::Task(task.clone()));
            }
        }
        cx.event(EventBody::Tasks(vec![task]));
        if subtype == "task_notification" {
            self.known.remove(&id);
            self.background.remove(&id);
        }
        true
    }

    fn begin(&mut self, id: &str, item: Option<String>, kind: Option<&str>, title: Option<String>, background: bool) {
        let kind = match kind {
            Some("local_agent" | "remote_agent") => TaskKind::Subagent,
            Some("local_bash") => TaskKind::Shell,
            _ => TaskKind::Unknown,
        };
        self.known.insert(id.to_owned(), Known { item, kind, title });
        if background {
            self.background.insert(id.to_owned());
        }
    }

    fn to_task(&self, id: &str, status: Status, summary: Option<String>) -> Task {
        let known = self.known.get(id);
        Task {
            title: known.and_then(|known| known.title.clone()),
            item: known.and_then(|known| known.item.clone()),
            background: self.background.contains(id),
            summary,
            ..Task::new(id, known.map_or(TaskKind::Unknown, |known| known.kind), status)
        }
    }
}

impl ClaudeCode {
    /// The command `stop-task`. The program says yes to a task that it does not know, so that is found out here.
    pub(crate) fn stop_task(&mut self, cx: &mut Cx, op: u32, task: String) {
        match self.not_ready().or_else(|| self.tasks.missing(&task)) {
            Some(fault) => cx.fail(op, fault),
            None => {
                cx.hold(op);
                self.ask(cx, json!({"subtype": "stop_task", "task_id": task}), Control::Stop(op));
            }
        }
    }

    /// The command `wait-task`.
    pub(crate) fn wait_task(&mut self, cx: &mut Cx, op: u32, task: String) {
        match self.not_ready().or_else(|| self.tasks.missing(&task)) {
            Some(fault) => cx.fail(op, fault),
            None => {
                cx.hold(op);
                self.tasks.waiting.push((op, task));
            }
        }
    }
}

fn status(word: &str) -> Status {
    match word {
        "pending" => Status::Pending,
        "running" => Status::Running,
        "completed" => Status::Completed,
        "failed" => Status::Failed,
        "killed" | "stopped" => Status::Interrupted,
        _ => Status::Unknown,
    }
}
