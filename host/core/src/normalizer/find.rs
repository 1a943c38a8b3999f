//! Which open item is meant by what is told. Searches; opens and closes nothing.

use super::ended::is_told_again;
use super::item::{Kind, OpenItem, merge_tool, words_and_media};
use super::thread::{Slot, TurnState};
use super::{Normalizer, clean};
use crate::capability::Strength;
use crate::contract::{self, Status};
use crate::event::is_terminal;
use crate::id::ItemId;
use crate::identity;
use crate::limits::Limits;
use crate::policy::Intent;

/// Which open item is meant.
pub(super) enum Match {
    Open(usize),
    New,
    /// It is known already.
    Absorbed,
    /// It has ended, and this is something else of it: not shown either.
    Late,
    /// It is the whole of a message that was told in pieces, and closed.
    Confirmed,
}

impl Normalizer {
    pub(super) fn find(
        &mut self,
        t: usize,
        slot: Slot,
        native: &Option<String>,
        parent: &Option<ItemId>,
        told: &contract::Item,
        seen: &[ItemId],
    ) -> Match {
        let strong = self.strength(Intent::IdentifyItem) == Strength::Strong || slot == Slot::History;
        let begins_first = self.begins_first(Kind::of(&told.body));
        let limits = self.limits.clone();
        let Some(turn) = self.threads[t].turn_mut(slot) else { return Match::Absorbed };
        let kind = Kind::of(&told.body);
        let found = match native {
            Some(native) => find_by_id(turn, kind, native, told, seen, strong),
            None => find_by_kind(turn, kind, parent, told, seen),
        };
        let again = |native: &String| is_told_again(turn, kind, native, parent, told, seen, strong, &limits);
        match found {
            Match::New if !strong && begins_first && native.as_ref().is_some_and(again) => Match::Absorbed,
            Match::Absorbed if !native.as_ref().is_some_and(again) => Match::Late,
            Match::New if kind.is_message() => confirm(turn, kind, native, parent, &told_words(&told.body), &limits),
            found => found,
        }
    }
}

fn find_by_id(
    turn: &TurnState,
    kind: Kind,
    native: &str,
    told: &contract::Item,
    seen: &[ItemId],
    strong: bool,
) -> Match {
    let mut open =
        turn.open.iter().enumerate().filter(|(_, open)| open.kind == kind && open.native.as_deref() == Some(native));
    if strong {
        return match open.next() {
            Some((at, _)) => Match::Open(at),
            None if turn.known.contains_key(&(kind, native.to_owned())) => Match::Absorbed,
            None => Match::New,
        };
    }
    if is_terminal(told.status) {
        return open.find(|(_, open)| open.told_end.is_none()).map_or(Match::New, |(at, _)| Match::Open(at));
    }
    match open.next_back() {
        Some((at, last)) if !seen.contains(&last.item.id) && is_same_work(last, told) => Match::Open(at),
        _ => Match::New,
    }
}

fn find_by_kind(
    turn: &TurnState,
    kind: Kind,
    parent: &Option<ItemId>,
    told: &contract::Item,
    seen: &[ItemId],
) -> Match {
    let mut open = turn.open.iter().enumerate().filter(|(_, open)| open.kind == kind && open.parent == *parent);
    match &told.body {
        contract::ItemBody::Tool(tool) => {
            let named = |open: &OpenItem| {
                open.tool().is_some_and(|known| known.name.is_none() || tool.name.is_none() || known.name == tool.name)
            };
            let mut open = open.filter(|(_, open)| open.native.is_none() && named(open));
            let found = if is_terminal(told.status) {
                open.find(|(_, open)| open.told_end.is_none())
            } else {
                open.next_back().filter(|(_, last)| !seen.contains(&last.item.id) && is_same_work(last, told))
            };
            found.map_or(Match::New, |(at, _)| Match::Open(at))
        }
        _ if kind.is_message() => open.next_back().map_or(Match::New, |(at, _)| Match::Open(at)),
        _ => Match::New,
    }
}

/// An upsert of the same call: it does not begin again, does not have another input, and is not the same call told whole
/// once more without any news. Where ids are not strong, a call told twice is two calls.
fn is_same_work(open: &OpenItem, told: &contract::Item) -> bool {
    let (contract::ItemBody::Tool(tool), Some(known)) = (&told.body, open.tool()) else { return true };
    let begins_again = told.status == Status::Pending && open.item.status != Status::Pending;
    let Some(input) = &tool.input else { return !begins_again };
    let other_input = known.input.as_ref().is_some_and(|known| known != input);
    let mut merged = known.clone();
    merge_tool(&mut merged, tool.clone());
    let no_news = merged == *known && told.status == open.item.status;
    !begins_again && !other_input && !no_news
}

pub(super) fn told_words(body: &contract::ItemBody) -> String {
    match body {
        contract::ItemBody::Assistant(content) | contract::ItemBody::Reasoning(content) => {
            words_and_media(content.clone()).0
        }
        contract::ItemBody::ProposedPlan(text) => text.clone(),
        _ => String::new(),
    }
}

/// A whole message whose id is new may be the one that was told in pieces without an id: then it has the same words.
pub(super) fn confirm_open(
    turn: &mut TurnState,
    kind: Kind,
    native: &str,
    parent: &Option<ItemId>,
    words: &str,
    limits: &Limits,
) -> Option<usize> {
    let at = turn.open.iter().position(|open| {
        open.kind == kind
            && open.native.is_none()
            && open.parent == *parent
            && open.streamed
            && open.words() == Some(words)
    })?;
    turn.open[at].native = Some(native.to_owned());
    *turn.open[at].item.rest().native_id = clean::native(Some(native), limits);
    turn.known.insert((kind, native.to_owned()), turn.open[at].item.id.clone());
    Some(at)
}

/// The same for one that we have closed already; each is told whole once.
pub(super) fn confirm_closed(
    turn: &mut TurnState,
    kind: Kind,
    native: Option<&str>,
    parent: &Option<ItemId>,
    words: &str,
) -> bool {
    if words.is_empty() || turn.unconfirmed.is_empty() {
        return false;
    }
    let digest = identity::digest(&[words]);
    let at = turn.unconfirmed.iter().position(|closed| {
        let same_id = closed.native.is_none() || closed.native.as_deref() == native;
        closed.kind == kind && closed.parent == *parent && same_id && closed.words == digest
    });
    at.map(|at| turn.unconfirmed.remove(at)).is_some()
}

fn confirm(
    turn: &mut TurnState,
    kind: Kind,
    native: &Option<String>,
    parent: &Option<ItemId>,
    words: &str,
    limits: &Limits,
) -> Match {
    if words.is_empty() {
        return Match::New;
    }
    if let Some(at) = native.as_ref().and_then(|native| confirm_open(turn, kind, native, parent, words, limits)) {
        return Match::Open(at);
    }
    if confirm_closed(turn, kind, native.as_deref(), parent, words) { Match::Confirmed } else { Match::New }
}
