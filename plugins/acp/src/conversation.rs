//! A conversation: one session of the agent's, our thread.

use jackfield_sdk::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::compaction::Shortening;
use crate::dialect::AcpDialect;
use crate::replay::Replay;
use crate::session::Acp;
use crate::settings::Settings;
use crate::tool::Call;
use crate::trail::Trail;

/// After so many milliseconds of its first turn a conversation counts as written.
const STORED_AFTER_MS: f64 = 2_000.0;

/// Updates that are kept for conversations that are about to be known.
const EARLY: usize = 256;

/// What is known of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// It is being opened: its command has not been answered.
    pub opening: bool,
    /// The agent surely has it on disk: only then it can be resumed.
    pub stored: bool,
    /// The timer that makes it count as stored.
    pub timer: u32,
    pub title: Option<String>,
    pub parent: Option<String>,
    pub settings: Settings,
    /// The settings as they were told last.
    pub told: Vec<Setting>,
    pub turn: Option<Turn>,
    /// A message that waits until its settings are chosen.
    pub waiting: Option<Waiting>,
    pub message: Message,
    /// Calls of the open turn, by id.
    pub calls: BTreeMap<String, Call>,
    /// The shortening of its context that was told last.
    pub compaction: Shortening,
    /// The timer until which the choice of a setting may hold up a message.
    pub choosing: u32,
    /// The agent tells its history: nothing of it is live.
    pub replay: Option<Replay>,
    /// It has opened the conversation, and still tells its history.
    pub trail: Option<Trail>,
    /// What its turns used so far, where the agent tells only the sum.
    pub used: Numbers,
}

/// A message on its way.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub op: u32,
    pub said: String,
    pub prompt: Vec<Value>,
}

/// An open turn.
#[derive(Debug)]
pub(crate) struct Turn {
    pub op: u32,
    /// What the person said, to know an echo of it.
    pub said: String,
    /// We asked for its end.
    pub cancelling: bool,
    /// The last piece of the assistant's text.
    pub last_text: String,
}

/// The message that is being told, where messages have ids.
#[derive(Debug, Default)]
pub(crate) struct Message {
    id: Option<String>,
    kind: Option<TextKind>,
    part: u32,
    /// What is being said without an id.
    nameless: Option<TextKind>,
}

impl Message {
    /// The id of the part to which a piece belongs. Text, thoughts and calls of one message share its id on the wire.
    pub(crate) fn part(&mut self, id: Option<String>, kind: TextKind) -> Option<String> {
        if id.is_none() || id != self.id {
            let nameless = id.is_none().then_some(kind);
            *self = Message { id, kind: Some(kind), part: 0, nameless };
        } else if self.kind != Some(kind) {
            self.part += u32::from(self.kind.is_some());
            self.kind = Some(kind);
        }
        let id = self.id.as_ref()?;
        Some(if self.part == 0 { id.clone() } else { format!("{id}#{}", self.part) })
    }

    /// A call comes between: what follows is another part. What was being said without an id ends with that, and nobody else would say so.
    pub(crate) fn interrupted(&mut self) -> Option<TextKind> {
        if self.kind.take().is_some() {
            self.part += 1;
        }
        self.nameless.take()
    }
}

/// Updates that came before the answer that makes their conversation known.
#[derive(Debug, Default)]
pub(crate) struct Early {
    /// Calls that open conversations of unknown ids.
    pub opening: u32,
    /// Calls that copy one; what is told of a copy is its history.
    pub copying: u32,
    /// Copies that were made; nobody here talks in them.
    pub copies: BTreeSet<String>,
    kept: VecDeque<(String, Value)>,
}

impl Early {
    /// Keeps an update if its conversation may be about to be known.
    pub(crate) fn keep(&mut self, id: &str, update: Value) -> bool {
        let keeps = self.opening > 0 && self.kept.len() < EARLY;
        if keeps {
            self.kept.push_back((id.to_owned(), update));
        }
        keeps
    }

    /// What was kept for this conversation, and how much belongs to none: when no other is being opened, that is the rest.
    pub(crate) fn take(&mut self, id: &str) -> (Vec<Value>, usize) {
        let kept = std::mem::take(&mut self.kept);
        let (mine, rest): (VecDeque<_>, VecDeque<_>) = kept.into_iter().partition(|(of, _)| of == id);
        let nobodys = if self.opening > 0 { 0 } else { rest.len() };
        if self.opening > 0 {
            self.kept = rest;
        }
        (mine.into_iter().map(|(_, update)| update).collect(), nobodys)
    }
}

impl<D: AcpDialect> Acp<D> {
    /// The first update of a turn came: the conversation will be on disk soon.
    pub(crate) fn will_be_stored(&mut self, cx: &mut Cx, id: &str) {
        if let Some(conversation) = self.conversations.get_mut(id)
            && !conversation.stored
            && conversation.timer == 0
        {
            conversation.timer = cx.timer(STORED_AFTER_MS);
        }
    }

    /// The conversation is on disk: from now on it can be resumed, if the agent can do that.
    pub(crate) fn stored(&mut self, cx: &mut Cx, id: &str) {
        let Some(conversation) = self.conversations.get_mut(id).filter(|found| !found.stored) else { return };
        conversation.stored = true;
        if self.agent.resumes() {
            self.tell_thread(cx, id);
        }
    }

    /// Tells the thread as it stands.
    pub(crate) fn tell_thread(&mut self, cx: &mut Cx, id: &str) {
        let active = self.conversations.get(id).is_some_and(|conversation| conversation.turn.is_some());
        let state = if active { ThreadState::Active } else { ThreadState::Idle };
        if let Some(thread) = self.to_thread(id, state) {
            cx.event(EventBody::Threads(vec![thread]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_message_have_ids_of_their_own() {
        let mut message = Message::default();
        let mut part = |id: &str, kind| message.part(Some(id.to_owned()), kind).unwrap();
        assert_eq!(part("m", TextKind::Reasoning), "m");
        assert_eq!(part("m", TextKind::Assistant), "m#1");
        assert_eq!(part("m", TextKind::Assistant), "m#1");
        assert_eq!((message.interrupted(), message.interrupted()), (None, None));
        assert_eq!(message.part(Some("m".into()), TextKind::Assistant).unwrap(), "m#2");
        assert_eq!(message.part(Some("n".into()), TextKind::Assistant).unwrap(), "n");
        assert_eq!(message.part(None, TextKind::Assistant), None);
        assert_eq!((message.interrupted(), message.interrupted()), (Some(TextKind::Assistant), None));
    }

    #[test]
    fn what_comes_too_early_is_kept_for_its_conversation_and_bounded() {
        let mut early = Early::default();
        assert!(!early.keep("a", Value::Null), "nothing is being opened");
        early.opening = 1;
        (0..EARLY + 10).for_each(|n| _ = early.keep(if n % 2 == 0 { "a" } else { "b" }, n.into()));
        early.opening = 0;
        let (mine, nobodys) = early.take("a");
        assert_eq!((mine.len(), nobodys), (EARLY / 2, EARLY / 2));
        assert!(early.take("b").0.is_empty(), "it belongs to none");
    }
}
