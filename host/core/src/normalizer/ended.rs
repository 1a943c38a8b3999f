//! Items that have ended in a turn: by what they said, one that is only told again is known.
//!
//! Where an id stands for one item, its end absorbs all that follows; what said nothing new is a duplicate. Where it may stand for
//! several, **only what begins first, and says nothing that one that has ended did not say, is that one again.** A provider that tells
//! beginnings begins a new call, also one with the same id and input; an end without a beginning of its own is then no call.
//! In another turn, with another input or with another result it is another one. Nothing here changes an item.

use super::item::{Kind, OpenItem, words_and_media};
use super::thread::TurnState;
use super::{Normalizer, clean};
use crate::contract::{Content, Item, ItemBody, Status, TextKind, Tool};
use crate::id::ItemId;
use crate::identity::digest;
use crate::limits::Limits;
use crate::policy::Intent;

/// An item that has ended: its id, its place and digests of what it said.
#[derive(Debug)]
pub(super) struct Ended {
    item: ItemId,
    kind: Kind,
    native: String,
    parent: Option<ItemId>,
    status: Status,
    /// It came in pieces before it was whole.
    in_pieces: bool,
    said: Said,
}

#[derive(Debug)]
enum Said {
    Tool { name: Option<String>, input: Option<String>, content: Option<String>, exit_code: Option<i32> },
    Words(String),
}

impl Ended {
    /// What is kept of an item that ends.
    pub fn of(open: &OpenItem) -> Option<Self> {
        let said = match (open.tool(), open.words()) {
            (Some(tool), _) => Said::tool(tool),
            (None, Some(words)) => Said::Words(digest(&[words])),
            _ => return None,
        };
        let in_pieces = open.streamed;
        let status = open.told_end.unwrap_or(open.item.status);
        let native = open.native.clone()?;
        Some(Self {
            item: open.item.id.clone(),
            kind: open.kind,
            native,
            parent: open.parent.clone(),
            status,
            in_pieces,
            said,
        })
    }

    /// True when this says nothing that it did not say.
    fn has_said(&self, told: &Said) -> bool {
        let known = |told: &Option<String>, known: &Option<String>| told.is_none() || told == known;
        match (told, &self.said) {
            (
                Said::Tool { name, input, content, exit_code },
                Said::Tool { name: its_name, input: its_input, content: its_content, exit_code: its_code },
            ) => {
                known(name, its_name)
                    && known(input, its_input)
                    && known(content, its_content)
                    && (exit_code.is_none() || exit_code == its_code)
            }
            (Said::Words(told), Said::Words(known)) => told == known,
            _ => false,
        }
    }
}

impl Said {
    fn tool(tool: &Tool) -> Self {
        let content = |content: &[Content]| digest(&[&serde_json::to_string(content).unwrap_or_default()]);
        Self::Tool {
            name: tool.name.clone(),
            input: tool.input.as_ref().map(|input| digest(&[input])),
            content: (!tool.content.is_empty()).then(|| content(&tool.content)),
            exit_code: tool.exit_code,
        }
    }

    fn of(told: &ItemBody, limits: &Limits) -> Option<Self> {
        match told {
            ItemBody::Tool(tool) => {
                let mut tool = tool.clone();
                clean::tool(&mut tool, limits);
                Some(Self::tool(&tool))
            }
            ItemBody::Assistant(content) | ItemBody::Reasoning(content) => {
                let (mut words, media) = words_and_media(content.clone());
                clean::bound(&mut words, limits.item_text_bytes);
                media.is_empty().then(|| Self::Words(digest(&[&words])))
            }
            ItemBody::ProposedPlan(text) => Some(Self::Words(digest(&[text]))),
            ItemBody::User(_) | ItemBody::Other(_) => None,
        }
    }
}

impl Normalizer {
    /// True when an item of this kind has a beginning of its own before its end: a tool's start, the pieces of a message.
    pub(super) fn begins_first(&self, kind: Kind) -> bool {
        match kind {
            Kind::Tool => self.handling.native(Intent::StartTool),
            Kind::Assistant => self.handling.streams(TextKind::Assistant),
            Kind::Reasoning => self.handling.streams(TextKind::Reasoning),
            Kind::Plan => self.handling.streams(TextKind::Plan),
            Kind::User | Kind::Other => false,
        }
    }
}

/// True when this is that end of an item once more which has ended, or of which the end is not relied on. What was told of one in
/// the same event, it did not end before. Where an id may stand for several, a message that is told whole begins with its end,
/// each time.
#[allow(clippy::too_many_arguments)] // All that makes an item this one and no other.
pub(super) fn is_told_again(
    turn: &TurnState,
    kind: Kind,
    native: &str,
    parent: &Option<ItemId>,
    told: &Item,
    seen: &[ItemId],
    strong: bool,
    limits: &Limits,
) -> bool {
    let is_its = |ended: &&Ended| {
        ended.kind == kind
            && ended.native == native
            && ended.parent == *parent
            && ended.status == told.status
            && (strong || kind == Kind::Tool || ended.in_pieces)
            && !seen.contains(&ended.item)
    };
    let open = turn.open.iter().filter(|open| open.told_end.is_some() && open.native.as_deref() == Some(native));
    let open: Vec<Ended> = open.filter_map(Ended::of).collect();
    let mut ended = turn.done.iter().chain(&open).filter(is_its).peekable();
    if ended.peek().is_none() {
        return false;
    }
    Said::of(&told.body, limits).is_some_and(|said| ended.any(|ended| ended.has_said(&said)))
}
