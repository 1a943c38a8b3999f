//! History that an agent goes on to tell after its answer to `session/load`. No line says that it is whole: it is once the agent has
//! been silent for a moment, and only then is the conversation open, so that nothing of it is taken for live.

use jackfield_sdk::prelude::*;
use serde_json::Value;

use crate::dialect::AcpDialect;
use crate::session::Acp;

/// So long is the agent silent, in milliseconds: it reads from memory, and tells each message within one.
const SILENCE_MS: f64 = 500.0;

/// The opening of a conversation whose history is still being told.
#[derive(Debug)]
pub(crate) struct Trail {
    timer: u32,
    /// Something came since the timer was set.
    heard: bool,
    op: u32,
    wanted: Pairs,
    reply: Value,
}

impl<D: AcpDialect> Acp<D> {
    /// The agent has opened this conversation by this reply, and may still tell its history.
    pub(crate) fn trails(&mut self, cx: &mut Cx, id: &str, op: u32, wanted: Pairs, reply: Value) {
        if let Some(conversation) = self.conversations.get_mut(id) {
            conversation.trail = Some(Trail { timer: cx.timer(SILENCE_MS), heard: false, op, wanted, reply });
        }
    }

    /// Something was told of this conversation.
    pub(crate) fn trail_heard(&mut self, id: &str) {
        if let Some(trail) = self.conversations.get_mut(id).and_then(|conversation| conversation.trail.as_mut()) {
            trail.heard = true;
        }
    }

    /// Whether this timer was a history's; one that is whole opens its conversation.
    pub(crate) fn trail_due(&mut self, cx: &mut Cx, timer: u32) -> bool {
        let mut trails = self.conversations.iter_mut().map(|(id, conversation)| (id, &mut conversation.trail));
        let due = trails.find(|(_, trail)| trail.as_ref().is_some_and(|trail| trail.timer == timer));
        let Some((id, trail)) = due else { return false };
        if let Some(trail) = trail.as_mut().filter(|trail| trail.heard) {
            (trail.heard, trail.timer) = (false, cx.timer(SILENCE_MS));
            return true;
        }
        let id = id.clone();
        if let Some(Trail { op, wanted, reply, .. }) = trail.take() {
            self.all_told(cx, op, &id, wanted, reply);
        }
        true
    }
}
