//! History that the agent tells while it opens an old conversation: put together to whole items, marked as replayed.

use jackfield_sdk::prelude::*;

use crate::content;
use crate::dialect::AcpDialect;
use crate::session::Acp;
use serde_json::Value;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Voice {
    User,
    Assistant,
    Thought,
}

/// A message that is being put together of its pieces.
#[derive(Debug, Default)]
pub(crate) struct Replay(Option<Told>);

#[derive(Debug)]
struct Told {
    voice: Voice,
    id: Option<String>,
    content: Vec<Content>,
}

impl Replay {
    /// One more piece; gives the message before it, when this one begins another.
    fn piece(&mut self, voice: Voice, id: Option<String>, piece: Content) -> Option<Item> {
        match &mut self.0 {
            Some(told) if told.voice == voice && told.id == id => {
                match (told.content.last_mut(), piece) {
                    (Some(Content::Text(text)), Content::Text(more)) => text.push_str(&more),
                    (_, piece) => told.content.push(piece),
                }
                None
            }
            _ => self.0.replace(Told { voice, id, content: vec![piece] }).map(Told::item),
        }
    }
}

impl Told {
    fn item(self) -> Item {
        let body = match self.voice {
            Voice::User => ItemBody::User(UserMessage { op: None, typed: true, content: self.content }),
            Voice::Assistant => ItemBody::Assistant(self.content),
            Voice::Thought => ItemBody::Reasoning(self.content),
        };
        Item::new(self.id, Status::Completed, body)
    }
}

impl<D: AcpDialect> Acp<D> {
    /// Whether this conversation is telling its history.
    pub(crate) fn replays(&self, id: &str) -> bool {
        self.conversations.get(id).is_some_and(|conversation| conversation.replay.is_some())
    }

    pub(crate) fn replay_piece(&mut self, cx: &mut Cx, id: &str, voice: Voice, message: Option<String>, piece: &Value) {
        let Some(conversation) = self.conversations.get_mut(id) else { return };
        // Thoughts and words of one message share its id on the wire.
        let kind = match voice {
            Voice::User | Voice::Assistant => TextKind::Assistant,
            Voice::Thought => TextKind::Reasoning,
        };
        let message = conversation.message.part(message, kind);
        let Some(replay) = &mut conversation.replay else { return };
        match replay.piece(voice, message, content::of_block(piece)) {
            Some(item) => cx.event_in(self.history(id), EventBody::Items(vec![item])),
            None => cx.held(),
        }
    }

    /// What was put together so far is whole.
    pub(crate) fn replay_whole(&mut self, cx: &mut Cx, id: &str) {
        let replay = self.conversations.get_mut(id).and_then(|conversation| conversation.replay.as_mut());
        if let Some(told) = replay.and_then(|replay| replay.0.take()) {
            cx.event_in(self.history(id), EventBody::Items(vec![told.item()]));
        }
    }

    /// All was told. What was open in it has ended; how, nobody says.
    pub(crate) fn replay_ends(&mut self, cx: &mut Cx, id: &str) {
        self.replay_whole(cx, id);
        let history = self.history(id);
        let Some(conversation) = self.conversations.get_mut(id) else { return };
        conversation.replay = None;
        conversation.message = Default::default();
        let calls = std::mem::take(&mut conversation.calls).into_iter().filter(|(_, call)| !call.has_ended());
        let open: Vec<Item> =
            calls.map(|(id, call)| Item::tool(Some(id), Status::Unknown, Tool::new(call.kind))).collect();
        if !open.is_empty() {
            cx.event_in(history, EventBody::Items(open));
        }
    }

    /// Where history happened.
    pub(crate) fn history(&self, id: &str) -> Option<Scope> {
        Some(Scope { replayed: true, ..self.scope(id).unwrap_or_else(Scope::root) })
    }
}
