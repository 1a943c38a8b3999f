//! Is a turn said to begin and to end, and is its status true? Beginnings and ends only of turns that a message of ours
//! opened: others may join what is open.

use super::Finding;
use crate::contract::{Event, EventBody, Status, TurnEnd};
use crate::event::is_terminal;

/// Turns of a thread.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The turn that is open: the command that opened it, and the provider's id of it.
    open: Option<(Option<u32>, Option<String>)>,
}

impl Turns {
    pub fn told(&mut self, event: &Event) -> Vec<Finding> {
        let status = match &event.body {
            EventBody::TurnEnded(end) => untrue(end),
            _ => None,
        };
        self.course(event).into_iter().chain(status).collect()
    }

    fn course(&mut self, event: &Event) -> Option<Finding> {
        match &event.body {
            EventBody::TurnStarted(start) => {
                let id = event.scope.as_ref().and_then(|scope| scope.turn.clone());
                let before = self.open.replace((start.op, id.clone()));
                // The same beginning may be told again.
                let is_other = |(op, turn): &(Option<u32>, Option<String>)| {
                    op.is_some_and(|op| Some(op) != start.op) || (turn.is_some() && id.is_some() && *turn != id)
                };
                (start.op.is_some() && before.as_ref().is_some_and(is_other)).then(|| {
                    Finding::off("turns.emits-turn-completed", "a turn began, and the one before was never said to end")
                })
            }
            EventBody::TurnEnded(end) => {
                let was_open = self.open.take().is_some();
                // A message that was refused ends without having begun: that is no lie.
                let well = end.status == Status::Completed && end.fault.is_none();
                (!was_open && well && end.op.is_some())
                    .then(|| Finding::off("turns.emits-turn-started", "a turn ended that was never said to begin"))
            }
            _ => None,
        }
    }
}

/// A status that is called certain says how the turn ended: one that is no end, or a success with an error, does not.
fn untrue(end: &TurnEnd) -> Option<Finding> {
    let because = match (end.status, &end.fault) {
        (Status::Completed, Some(_)) => "a turn ended as completed, with an error".to_owned(),
        (Status::Unknown, _) => "a turn ended, and how was not said".to_owned(),
        (status, _) if !is_terminal(status) => format!("a turn ended with the status {status:?}, which is no end"),
        _ => return None,
    };
    Some(Finding::weak("turns.terminal-status-quality", because))
}
