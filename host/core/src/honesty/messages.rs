//! Is a message said to be complete? Looked at when a turn has ended well in which one was written in pieces.

use super::Finding;
use crate::contract::{Event, EventBody, ItemBody, Status, TextKind};
use crate::event::is_terminal;

/// Messages of the session.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// One was written in pieces in the open turn.
    written: bool,
    /// One was told complete, ever.
    completed: bool,
}

impl Messages {
    pub fn told(&mut self, event: &Event) -> Option<Finding> {
        match &event.body {
            EventBody::Delta(delta) => self.written |= delta.kind == TextKind::Assistant && !delta.text.is_empty(),
            EventBody::Items(items) => {
                let complete =
                    items.iter().any(|item| matches!(item.body, ItemBody::Assistant(_)) && is_terminal(item.status));
                self.completed |= complete;
            }
            EventBody::TurnEnded(end) => {
                let never = std::mem::take(&mut self.written) && !self.completed;
                let well = end.status == Status::Completed && end.fault.is_none();
                return (never && well).then(|| {
                    Finding::off(
                        "streaming.emits-message-completed",
                        "a message was written and never said to be complete",
                    )
                });
            }
            _ => {}
        }
        None
    }
}
