//! What a thread holds already, as far as history that is told again can be held against it. Reads events and words; shows
//! nothing. Tests: below.

use super::item::Kind;
use super::run::words;
use crate::event::{EventBody, ItemBody, SessionEvent};
use crate::id::RunId;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a thread holds, made of its stored events: hashes of ids and words, no texts. As large as the thread is long; it is
/// kept while history is told, until the next turn.
#[derive(Debug, Default)]
pub struct Record {
    /// Messages of a person, in order.
    said: Vec<Said>,
    pub(super) ids: HashSet<u64>,
    /// Words of the other messages.
    pub(super) words: HashSet<u64>,
    holds_items: bool,
    /// The last of `said` that was told again.
    at: Option<usize>,
    /// Words of the message of a person that was told before this one.
    before: Option<u64>,
}

#[derive(Debug)]
struct Said {
    words: u64,
    run: Option<RunId>,
    /// A turn was opened for it: what is told again holds it from there on.
    begun: bool,
    /// The provider was made to forget it.
    taken_back: bool,
    /// It was told again.
    told: bool,
}

/// What a message of a person that is told again is.
#[derive(Debug, PartialEq)]
pub(super) enum Again {
    Held,
    News,
    /// Not held, and not at the end of what is.
    Elsewhere,
}

impl Record {
    /// Takes in one of the thread's events, in order.
    pub fn take(&mut self, event: &SessionEvent) {
        let draft = &event.draft;
        match &draft.body {
            EventBody::ItemEnded { item } => {
                self.holds_items = true;
                let kind = kind_of(&item.body);
                if let Some(native) = &item.native_id {
                    self.ids.insert(hash_of(&(kind, native)));
                }
                match &item.body {
                    ItemBody::UserMessage { content, typed: true } if draft.parent.is_none() => {
                        self.take_said(&words(content), draft.run.clone(), draft.turn.is_some(), draft.origin.replayed);
                    }
                    ItemBody::AssistantMessage { text, .. }
                    | ItemBody::Reasoning { text }
                    | ItemBody::ProposedPlan { text } => _ = self.words.insert(hash_of(text.trim())),
                    _ => {}
                }
            }
            EventBody::TurnStarted { .. } => {
                let its = |said: &&mut Said| said.run.is_some() && said.run == draft.run;
                self.said.iter_mut().filter(its).for_each(|said| said.begun = true);
            }
            EventBody::ThreadRolledBack { runs, .. } => {
                let gone = |said: &&mut Said| said.run.as_ref().is_some_and(|run| runs.contains(run));
                self.said.iter_mut().filter(gone).for_each(|said| said.taken_back = true);
            }
            _ => {}
        }
    }

    /// History that was shown because it was asked for holds what was held before once more. What was news was said before the
    /// messages that wait for their turns.
    fn take_said(&mut self, text: &str, run: Option<RunId>, begun: bool, replayed: bool) {
        let said = Said { words: hash_of(text.trim()), run, begun, taken_back: false, told: replayed };
        if !replayed {
            self.from_the_beginning();
            self.said.push(said);
        } else if self.again(text) != Again::Held {
            let waiting = self.said.iter().rev().take_while(|said| !said.begun).count();
            let at = self.said.len() - waiting;
            self.said.insert(at, said);
            self.at = Some(at);
        }
    }

    /// True when the thread holds nothing that could be told again.
    pub fn is_empty(&self) -> bool {
        !self.holds_items
    }

    /// History is told from its beginning.
    pub fn from_the_beginning(&mut self) {
        (self.at, self.before) = (None, None);
        self.said.iter_mut().for_each(|said| said.told = false);
    }

    pub(super) fn again(&mut self, text: &str) -> Again {
        let told = hash_of(text.trim());
        let last = self.said.iter().rev().find(|said| !said.taken_back).map(|said| said.words);
        let follows_the_last = self.before.replace(told).is_some_and(|before| Some(before) == last);
        let from = self.at.map_or(0, |at| at + 1);
        let is_it = |said: &Said| said.words == told && !said.told;
        let further = (from..self.said.len()).find(|at| is_it(&self.said[*at]));
        self.at = further.or(self.at);
        // In another order it is held, too.
        match further.or_else(|| self.said.iter().position(is_it)) {
            Some(at) => {
                self.said[at].told = true;
                Again::Held
            }
            None if follows_the_last => Again::News,
            None => Again::Elsewhere,
        }
    }
}

fn kind_of(body: &ItemBody) -> Kind {
    match body {
        ItemBody::UserMessage { .. } => Kind::User,
        ItemBody::AssistantMessage { .. } => Kind::Assistant,
        ItemBody::Reasoning { .. } => Kind::Reasoning,
        ItemBody::ProposedPlan { .. } => Kind::Plan,
        ItemBody::Tool { .. } => Kind::Tool,
        ItemBody::Unknown { .. } => Kind::Other,
    }
}

pub(super) fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(said: &[&str]) -> Record {
        let mut record = Record { holds_items: true, ..Record::default() };
        said.iter().for_each(|text| record.take_said(text, None, true, false));
        record
    }

    fn told(record: &mut Record, texts: &[&str]) -> Vec<Again> {
        record.from_the_beginning();
        texts.iter().map(|text| record.again(text)).collect()
    }

    #[test]
    fn news_follows_the_last_that_is_held() {
        use Again::{Elsewhere, Held, News};
        let cases: [(&[&str], &[&str], &[Again]); 8] = [
            (&["a", "b"], &["a", "b", "c"], &[Held, Held, News]),
            (&["a", "b"], &["b ", "c"], &[Held, News]),
            (&["a", "b"], &["a", "x", "b"], &[Held, Elsewhere, Held]),
            (&["a", "b"], &["A", "B"], &[Elsewhere, Elsewhere]),
            (&["go", "go"], &["go", "go", "go"], &[Held, Held, News]),
            (&["go", "stop"], &["go", "stop", "go"], &[Held, Held, News]),
            (&["a", "b"], &["b", "a", "c"], &[Held, Held, Elsewhere]),
            (&[], &["a"], &[Elsewhere]),
        ];
        for (said, again, wanted) in cases {
            assert_eq!(told(&mut record(said), again), wanted, "{said:?} {again:?}");
        }
    }

    #[test]
    fn what_was_read_is_not_held_twice_and_what_was_news_is_held() {
        let mut read = record(&["a", "b"]);
        ["a", "b", "c"].iter().for_each(|text| read.take_said(text, None, true, true));
        assert_eq!(told(&mut read, &["a", "b", "c", "d"]), [Again::Held, Again::Held, Again::Held, Again::News]);
        assert_eq!(read.said.len(), 3);
    }

    /// The message that began the session is shown before the provider tells what there was.
    #[test]
    fn news_was_said_before_the_message_that_waits() {
        let mut record = record(&["a"]);
        record.take_said("b", None, false, false);
        record.take_said("x", None, true, true);
        assert_eq!(told(&mut record, &["a", "x", "b", "c"]), [Again::Held, Again::Held, Again::Held, Again::News]);
    }

    #[test]
    fn what_was_taken_back_is_known_and_is_not_the_last() {
        let mut record = record(&["a", "b"]);
        record.said[1].taken_back = true;
        assert_eq!(told(&mut record, &["a", "c"]), [Again::Held, Again::News]);
        assert_eq!(told(&mut record, &["a", "b", "c"]), [Again::Held, Again::Held, Again::Elsewhere]);
    }
}
