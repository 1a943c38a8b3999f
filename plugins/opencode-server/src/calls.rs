//! What we asked of the server, and for what its answer is.

use jackfield_sdk::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;

/// What an answer is for.
#[derive(Debug)]
pub(crate) enum Call {
    /// A new conversation, or one that is resumed.
    Opened,
    /// The message of this command.
    Message(u32),
    /// The end of the open turn.
    Abort(u32),
    /// A copy.
    Fork(u32),
    /// Going back; so many of the person's messages stay.
    Revert { op: u32, keep: usize, turn: Option<String> },
    /// The person's messages, for what is to be done at a point.
    Said { op: u32, point: Point, then: Then },
    /// The answer to a request.
    Reply { op: u32, request: String },
    /// Models.
    Models,
    /// Agents, which are our modes.
    Agents,
}

/// What is done at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Then {
    Fork,
    Revert,
}

/// Open calls, by effect.
#[derive(Debug, Default)]
pub(crate) struct Calls(BTreeMap<u32, Call>);

impl Calls {
    /// Asks the server.
    pub(crate) fn ask(&mut self, cx: &mut Cx, method: &str, path: &str, body: Option<&Value>, call: Call) {
        let effect = cx.http("server", method, path, body);
        self.0.insert(effect, call);
    }

    /// What an effect was for.
    pub(crate) fn take(&mut self, effect: u32) -> Option<Call> {
        self.0.remove(&effect)
    }

    /// The server is gone: nothing is answered any more.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Call {
    /// What it asks for, in words.
    pub(crate) fn words(&self) -> &'static str {
        match self {
            Call::Opened => "open the conversation",
            Call::Message(_) => "take the message",
            Call::Abort(_) => "stop the turn",
            Call::Fork(_) => "copy the conversation",
            Call::Revert { .. } => "go back",
            Call::Said { .. } => "tell the conversation",
            Call::Reply { .. } => "take the answer",
            Call::Models => "name its models",
            Call::Agents => "name its agents",
        }
    }
}
