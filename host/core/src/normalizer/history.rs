//! History that a provider tells by itself when a conversation is taken up, held against what the thread holds already.
//!
//! **What the thread holds is shown once: told again it is a duplicate.** A thread that holds nothing shows what it is told,
//! marked `replayed`; so does one that has asked for its history. Otherwise news alone is shown, which is where something was
//! said without us, in the provider's own program:
//!
//! - It begins with a message of a person that this thread does not hold, directly after the last one that it holds. All that
//!   follows is news, too. Messages are compared by their words, in order: the host's own have no ids of the provider's.
//! - Where items have strong ids: an item with an id that is not held, once another of its kind was found by its id. Many
//!   providers have other ids in their history than in the conversation.
//!
//! A person's message that is not held and stands elsewhere may be one of ours in other words: it is not shown, and that is said.
//! Tests: `tests/normalizer/` (cases `s23-…`), `record.rs`, and `tests/faults/` of the workspace.

use super::find::told_words;
use super::item::Kind;
use super::record::{Again, Record, hash_of};
use super::route::Spot;
use super::run::words;
use super::{Normalizer, clean};
use crate::capability::Strength;
use crate::contract::{self, EventBody as Told};
use crate::id::ThreadId;
use crate::policy::Intent;
use std::collections::BTreeSet;

/// What a thread makes of history, in one session.
#[derive(Debug, Default)]
pub(super) struct Recall {
    /// What the thread holds; absent while nobody said it.
    record: Option<Record>,
    /// The thread asked for its history.
    asked: bool,
    /// News has begun.
    news: bool,
    /// Kinds of items that were found by their ids.
    found: BTreeSet<Kind>,
}

impl Recall {
    fn shows_all(&self) -> bool {
        self.asked || self.news || self.record.as_ref().is_none_or(Record::is_empty)
    }

    /// Something live follows: what the thread holds is another thing from here on.
    pub fn forget(&mut self) {
        *self = Self { asked: self.asked, ..Self::default() };
    }
}

impl Normalizer {
    /// The thread for which [`Self::recall`] is to be called before this event is accepted, and whether that is to tell what was
    /// shown in this session, too. Only history that nobody asked for needs it, once until the next turn.
    pub fn wants_record(&self, event: &contract::Event) -> Option<(ThreadId, bool)> {
        let scope = event.scope.as_ref().filter(|scope| scope.replayed)?;
        let named = scope.thread.as_ref().map(|native| self.thread_of_native(native).or(self.owner_of_child(native)));
        let state = match named {
            // It may wait for its thread; if that is a new one, there is nothing to hold against it.
            Some(None) if self.only().is_none() => return None,
            Some(None) | None => &self.threads[self.primary()],
            Some(Some(t)) => &self.threads[t],
        };
        let recall = &state.recall;
        (recall.record.is_none() && !recall.asked).then(|| (state.id.clone(), state.turns > 0))
    }

    /// What this thread holds already.
    pub fn recall(&mut self, thread: &ThreadId, mut record: Record) {
        record.from_the_beginning();
        let t = self.thread_or_new(thread);
        self.threads[t].recall.record = Some(record);
    }

    /// The thread asks for its history: what is told of it until [`Self::end_replay`] is shown, whatever the thread holds.
    pub fn begin_replay(&mut self, thread: &ThreadId) {
        if let Some(t) = self.thread_index(thread) {
            self.threads[t].recall.asked = true;
        }
    }

    pub(super) fn replay_ends(&mut self, t: usize) {
        self.threads[t].recall = Recall::default();
    }

    /// True when an event tells nothing but what the thread holds. What is left of it is news.
    pub(super) fn is_held_history(&mut self, spot: &Spot, body: &mut Told) -> bool {
        if !spot.replayed || self.threads[spot.thread].recall.shows_all() {
            return false;
        }
        match body {
            Told::Threads(_)
            | Told::Settings(_)
            | Told::SlashCommands(_)
            | Told::McpServers(_)
            | Told::Account(_)
            | Told::Other(_) => return false,
            Told::TurnStarted(_) | Told::TurnEnded(_) => self.end_history(spot.thread),
            Told::Items(items) => {
                items.retain(|item| self.is_news(spot, item));
                return items.is_empty();
            }
            Told::Delta(delta) => {
                let kind = Kind::of_text(delta.kind);
                return !delta.id.as_ref().is_some_and(|id| self.is_shown_history(spot, kind, id));
            }
            _ => {}
        }
        true
    }

    fn is_news(&mut self, spot: &Spot, told: &contract::Item) -> bool {
        let (t, kind) = (spot.thread, Kind::of(&told.body));
        if self.threads[t].recall.shows_all() {
            return true;
        }
        if let Some(parent) = &spot.parent {
            return self.is_shown_history(spot, Kind::Tool, parent);
        }
        if let (contract::ItemBody::User(message), None) = (&told.body, &spot.child)
            && message.typed
        {
            return self.is_news_of_a_person(t, &words(&message.content));
        }
        let Some(native) = told.id.as_ref().filter(|_| self.strength(Intent::IdentifyItem) == Strength::Strong) else {
            return false;
        };
        if self.is_shown_history(spot, kind, native) {
            return true;
        }
        let id = clean::native(Some(&spot.native(native)), &self.limits);
        let Recall { record: Some(record), found, .. } = &mut self.threads[t].recall else { return true };
        if id.is_some_and(|id| record.ids.contains(&hash_of(&(kind, id)))) {
            found.insert(kind);
            return false;
        }
        let held_words = kind.is_message() && record.words.contains(&hash_of(told_words(&told.body).trim()));
        found.contains(&kind) && !held_words
    }

    fn is_news_of_a_person(&mut self, t: usize, text: &str) -> bool {
        let recall = &mut self.threads[t].recall;
        let Some(record) = &mut recall.record else { return true };
        match record.again(text) {
            Again::Held => false,
            Again::News => {
                recall.news = true;
                true
            }
            Again::Elsewhere => {
                let text = "the provider's history has a message that this thread does not hold there; it is not shown: \
                    read the history to see it";
                self.warn(t, "history-differs", text.into());
                false
            }
        }
    }

    /// True when the turn of history that is being told shows this.
    fn is_shown_history(&self, spot: &Spot, kind: Kind, native: &str) -> bool {
        let history = self.threads[spot.thread].history.as_ref();
        history.is_some_and(|turn| turn.known.contains_key(&(kind, spot.native(native))))
    }
}
