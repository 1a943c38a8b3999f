//! The live translation, for updates that nobody sent: a session of its own in which a conversation tells its history.

use jackfield_sdk::past::Told;
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::conversation::Conversation;
use crate::data::Data;
use crate::dialect::ByData;
use crate::replay::Replay;
use crate::session::Acp;

/// The only conversation.
const ID: &str = "history";

/// A conversation that is told again.
pub(super) struct Retold {
    acp: Acp<ByData>,
    cx: Cx,
}

impl Retold {
    pub(super) fn new(data: Data) -> Self {
        let mut acp = Acp::<ByData> { data, ..Acp::default() };
        let conversation = Conversation { stored: true, replay: Some(Replay::default()), ..Conversation::default() };
        acp.conversations.insert(ID.to_owned(), conversation);
        Retold { acp, cx: Cx::default() }
    }

    /// What one row tells, whole: the next one begins something else.
    pub(super) fn tell(&mut self, told: &mut Told, parent: Option<&str>, updates: Vec<Value>) {
        for update in updates {
            self.acp.told(&mut self.cx, ID, update);
        }
        self.acp.replay_whole(&mut self.cx, ID);
        told.take(&mut self.cx, parent, |_| {});
    }

    /// A call was refused: when it is told as failed, that is why.
    pub(super) fn refused(&mut self, call: &str) {
        let conversation = self.acp.conversations.get_mut(ID);
        if let Some(call) = conversation.and_then(|conversation| conversation.calls.get_mut(call)) {
            call.refused = Some(Status::Declined);
        }
    }
}

/// Words, as the protocol's update of this kind.
pub(super) fn words(update: &str, id: Option<&str>, text: &str) -> Option<Value> {
    let words = json!({"sessionUpdate": update, "messageId": id, "content": {"type": "text", "text": text}});
    (!text.is_empty()).then_some(words)
}

/// A text as what a call gave.
pub(super) fn content(text: Option<&str>) -> Value {
    let text = text.filter(|text| !text.is_empty());
    text.map(|text| json!({"type": "content", "content": {"type": "text", "text": text}})).into_iter().collect()
}
