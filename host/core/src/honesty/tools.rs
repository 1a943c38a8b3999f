//! Is a tool said to begin and to end? Looked at when a turn has ended well; work that goes on in the background says nothing.

use super::Finding;
use crate::contract::{Event, EventBody, ItemBody, Status};
use crate::event::is_terminal;
use std::collections::BTreeSet;

/// Tools of a thread.
#[derive(Debug, Default)]
pub(super) struct Tools {
    /// Calls of the open turn that began and did not end.
    open: BTreeSet<Option<String>>,
    /// A call of the open turn ended.
    ended: bool,
    /// One was told before its end, ever.
    begun: bool,
    /// Something went to the background, or there were more calls than are remembered.
    unclear: bool,
}

impl Tools {
    pub fn told(&mut self, event: &Event, bound: usize) -> Vec<Finding> {
        match &event.body {
            EventBody::Items(items) => {
                for item in items.iter().filter(|item| matches!(item.body, ItemBody::Tool(_))) {
                    let ends = is_terminal(item.status);
                    self.begun |= !ends;
                    self.ended |= ends;
                    match ends {
                        true => _ = self.open.remove(&item.id),
                        false if self.open.len() < bound => _ = self.open.insert(item.id.clone()),
                        false => self.unclear = true,
                    }
                }
                Vec::new()
            }
            EventBody::Tasks(tasks) => {
                self.unclear |= tasks.iter().any(|task| task.background);
                Vec::new()
            }
            EventBody::TurnEnded(end) => {
                let turn = std::mem::take(self);
                self.begun = turn.begun;
                if end.status != Status::Completed || end.fault.is_some() || end.background || turn.unclear {
                    return Vec::new();
                }
                let completed =
                    Finding::off("tools.emits-tool-completed", "a tool began, and it was never said that it ended");
                let started =
                    Finding::off("tools.emits-tool-started", "a tool ended, and it was never said that one began");
                let found =
                    [(!turn.open.is_empty()).then_some(completed), (turn.ended && !turn.begun).then_some(started)];
                found.into_iter().flatten().collect()
            }
            _ => Vec::new(),
        }
    }
}
