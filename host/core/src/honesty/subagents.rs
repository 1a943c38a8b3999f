//! Is a subagent said to begin, and has its thread an id? Looked at when a turn has ended well, and at a subagent's own end.

use super::{Finding, shown};
use crate::contract::{Event, EventBody, Status, Task, TaskKind};
use crate::event::is_terminal;
use std::collections::BTreeSet;

/// Subagents of a thread.
#[derive(Debug, Default)]
pub(super) struct Subagents {
    /// Items inside of which something happened in the open turn.
    worked: BTreeSet<String>,
    /// Items and tasks that were told as subagents or background work, ever.
    followed: BTreeSet<String>,
    /// Tasks whose thread was told.
    named: BTreeSet<String>,
    /// More were there than are remembered.
    unclear: bool,
}

impl Subagents {
    pub fn told(&mut self, event: &Event, bound: usize) -> Vec<Finding> {
        let parent = event.scope.as_ref().and_then(|scope| scope.parent.as_ref());
        match &event.body {
            EventBody::Tasks(tasks) => tasks.iter().filter_map(|task| self.task(task, bound)).collect(),
            EventBody::Items(_) | EventBody::Delta(_) => {
                if let Some(parent) = parent {
                    self.unclear |= self.worked.len() >= bound;
                    if !self.unclear {
                        self.worked.insert(parent.clone());
                    }
                }
                Vec::new()
            }
            EventBody::TurnEnded(end) if parent.is_none() => {
                let worked = std::mem::take(&mut self.worked);
                if end.status != Status::Completed || end.fault.is_some() || self.unclear {
                    return Vec::new();
                }
                let unfollowed = worked.iter().find(|item| !self.followed.contains(*item));
                let because = |item: &String| {
                    format!("a subagent worked in {}, and it was never said that one began", shown(item))
                };
                let flag = "subagents.emits-subagent-lifecycle";
                unfollowed.map(|item| Finding::off(flag, because(item))).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn task(&mut self, task: &Task, bound: usize) -> Option<Finding> {
        if self.followed.len().max(self.named.len()) >= bound {
            self.unclear = true;
            return None;
        }
        self.followed.insert(task.id.clone());
        self.followed.extend(task.item.clone());
        if task.thread.is_some() {
            self.named.insert(task.id.clone());
        }
        let nameless = task.kind == TaskKind::Subagent && is_terminal(task.status) && !self.named.contains(&task.id);
        let because = || format!("the subagent {} ended, and its thread never had an id", shown(&task.id));
        nameless.then(|| Finding::off("subagents.exposes-subagent-thread-ids", because()))
    }
}
