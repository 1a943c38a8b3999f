//! One item as it is kept while it is open, and how what is told of it is merged. Knows nothing of turns.

use super::clean;
use crate::contract::{self, Content, Pairs, Status, TextKind, Tool, ToolKind};
use crate::event::{Correlation, Item, ItemBody};
use crate::id::ItemId;
use crate::lifecycle::Kept;
use crate::limits::Limits;

/// Kinds of items, as far as identity goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    User,
    Assistant,
    Reasoning,
    Plan,
    Tool,
    Other,
}

impl Kind {
    pub fn of(body: &contract::ItemBody) -> Self {
        match body {
            contract::ItemBody::User(_) => Self::User,
            contract::ItemBody::Assistant(_) => Self::Assistant,
            contract::ItemBody::Reasoning(_) => Self::Reasoning,
            contract::ItemBody::ProposedPlan(_) => Self::Plan,
            contract::ItemBody::Tool(_) => Self::Tool,
            contract::ItemBody::Other(_) => Self::Other,
        }
    }

    pub fn of_text(kind: TextKind) -> Self {
        match kind {
            TextKind::Assistant => Self::Assistant,
            TextKind::Reasoning | TextKind::ReasoningSummary => Self::Reasoning,
            TextKind::Plan => Self::Plan,
            TextKind::ToolInput | TextKind::ToolOutput => Self::Tool,
        }
    }

    /// Text that a person reads, told in pieces.
    pub fn is_message(self) -> bool {
        matches!(self, Self::Assistant | Self::Reasoning | Self::Plan)
    }

    /// Its part of an id's key.
    pub fn key(self) -> &'static str {
        match self {
            Self::User => "item/user",
            Self::Assistant => "item/assistant",
            Self::Reasoning => "item/reasoning",
            Self::Plan => "item/plan",
            Self::Tool => "item/tool",
            Self::Other => "item/other",
        }
    }

    pub fn empty(self) -> ItemBody {
        match self {
            Self::User => ItemBody::UserMessage { typed: true, content: Vec::new() },
            Self::Assistant => ItemBody::AssistantMessage { text: String::new(), media: Vec::new() },
            Self::Reasoning => ItemBody::Reasoning { text: String::new() },
            Self::Plan => ItemBody::ProposedPlan { text: String::new() },
            Self::Tool => ItemBody::Tool { tool: empty_tool(), input_text: String::new(), output: String::new() },
            Self::Other => ItemBody::Unknown { name: String::new(), json: String::new() },
        }
    }
}

fn empty_tool() -> Tool {
    Tool {
        kind: ToolKind::Unknown,
        name: None,
        server: None,
        title: None,
        input: None,
        locations: Vec::new(),
        content: Vec::new(),
        exit_code: None,
        extra: Vec::new(),
    }
}

/// An item that is open.
#[derive(Debug, Clone)]
pub(super) struct OpenItem {
    pub item: Kept<Item>,
    pub kind: Kind,
    pub native: Option<String>,
    pub parent: Option<ItemId>,
    pub correlation: Correlation,
    /// Some of its text came in pieces.
    pub streamed: bool,
    /// It came after its turn's end.
    pub late: bool,
    /// Its text has reached the bound.
    pub cut: bool,
    /// It was told whole: it ends at once, or a person is asked about it.
    pub whole: bool,
    /// A call that was announced: it does not work yet, and nobody was asked about it.
    pub is_announced: bool,
    /// How the provider said that it ended, where that word is not relied on: it closes with its turn.
    pub told_end: Option<Status>,
}

/// What came of text that was told.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Change {
    /// Nothing new.
    None,
    /// This is new at the end.
    More(String),
    /// Something else changed.
    Whole,
    /// The text has just reached its bound; this part is new.
    Cut(String),
}

impl OpenItem {
    /// A tool whose end was not told.
    pub fn is_tool_at_work(&self) -> bool {
        self.kind == Kind::Tool && self.told_end.is_none()
    }

    /// The text of this kind.
    pub fn text(&self, kind: TextKind) -> Option<&String> {
        match &self.item.body {
            ItemBody::AssistantMessage { text, .. }
            | ItemBody::Reasoning { text }
            | ItemBody::ProposedPlan { text } => Some(text),
            ItemBody::Tool { input_text, .. } if kind == TextKind::ToolInput => Some(input_text),
            ItemBody::Tool { output, .. } => Some(output),
            ItemBody::UserMessage { .. } | ItemBody::Unknown { .. } => None,
        }
    }

    fn text_mut(&mut self, kind: TextKind) -> Option<&mut String> {
        match self.item.rest().body {
            ItemBody::AssistantMessage { text, .. }
            | ItemBody::Reasoning { text }
            | ItemBody::ProposedPlan { text } => Some(text),
            ItemBody::Tool { input_text, .. } if kind == TextKind::ToolInput => Some(input_text),
            ItemBody::Tool { output, .. } => Some(output),
            ItemBody::UserMessage { .. } | ItemBody::Unknown { .. } => None,
        }
    }

    /// Its words are all there, though it goes on.
    pub fn has_all_words(&self) -> bool {
        self.whole && self.kind.is_message()
    }

    /// The item without its text of this kind: it is shown when it is whole.
    pub fn without_text(&self, kind: TextKind) -> Item {
        let mut shown = Self { item: self.item.clone(), native: None, parent: None, ..*self };
        if let Some(text) = shown.text_mut(kind) {
            text.clear();
        }
        shown.item.into_inner()
    }

    /// The words of a message.
    pub fn words(&self) -> Option<&str> {
        if self.kind.is_message() { self.text(TextKind::Assistant).map(String::as_str) } else { None }
    }

    /// More text.
    pub fn append(&mut self, kind: TextKind, mut more: String, limits: &Limits) -> Change {
        self.streamed = true;
        if self.cut {
            return Change::None;
        }
        let Some(text) = self.text_mut(kind) else { return Change::None };
        let room = limits.item_text_bytes.saturating_sub(text.len() as u64);
        let is_cut = more.len() as u64 > room;
        clean::bound(&mut more, room);
        text.push_str(&more);
        self.cut = is_cut;
        match (is_cut, more.is_empty()) {
            (true, _) => Change::Cut(more),
            (false, true) => Change::None,
            (false, false) => Change::More(more),
        }
    }

    /// All of the text so far. What is known already is not told again; an older state is left out.
    pub fn replace(&mut self, kind: TextKind, mut whole: String, limits: &Limits) -> Change {
        clean::bound(&mut whole, limits.item_text_bytes);
        let Some(text) = self.text_mut(kind) else { return Change::None };
        if text.starts_with(&whole) {
            return Change::None;
        }
        if whole.starts_with(text.as_str()) {
            let more = whole.split_off(text.len());
            return self.append(kind, more, limits);
        }
        *text = whole;
        self.streamed = true;
        Change::Whole
    }

    /// Takes in an item that was told whole: what is missing erases nothing.
    pub fn merge(&mut self, told: contract::ItemBody, ends: bool, limits: &Limits) -> Change {
        match told {
            contract::ItemBody::Assistant(content) | contract::ItemBody::Reasoning(content) => {
                let (text, media) = words_and_media(content);
                self.merge_words(text, media, ends, limits)
            }
            contract::ItemBody::ProposedPlan(text) => self.merge_words(text, Vec::new(), ends, limits),
            contract::ItemBody::Tool(told) => self.merge_tool(told, limits),
            contract::ItemBody::Other(told) => {
                let before = self.item.body.clone();
                let json = crate::scrub::cut(&told.json, limits.unknown_raw_bytes);
                let mut name = told.name;
                clean::label(&mut name, limits);
                *self.item.rest().body = ItemBody::Unknown { name, json };
                if before == self.item.body { Change::None } else { Change::Whole }
            }
            contract::ItemBody::User(_) => Change::None,
        }
    }

    fn merge_words(&mut self, mut told: String, told_media: Vec<Content>, ends: bool, limits: &Limits) -> Change {
        clean::bound(&mut told, limits.item_text_bytes);
        let mut change = Change::None;
        if !told_media.is_empty()
            && let ItemBody::AssistantMessage { media, .. } = self.item.rest().body
        {
            *media = told_media;
            change = Change::Whole;
        }
        let Some(text) = self.text_mut(TextKind::Assistant) else { return change };
        if told.is_empty() || *text == told {
            return change;
        }
        if !ends && change == Change::None && told.starts_with(text.as_str()) {
            let more = told.split_off(text.len());
            return self.append(TextKind::Assistant, more, limits);
        }
        *text = told;
        Change::Whole
    }

    fn merge_tool(&mut self, mut told: Tool, limits: &Limits) -> Change {
        clean::tool(&mut told, limits);
        let ItemBody::Tool { tool, input_text, .. } = self.item.rest().body else { return Change::None };
        let before = tool.clone();
        if told.input.is_some() {
            input_text.clear();
        }
        merge_tool(tool, told);
        if *tool == before { Change::None } else { Change::Whole }
    }

    /// Keeps the facts that were told; true when one is new. All of them together are bounded like the item's text.
    pub fn learn(&mut self, told: &Pairs, limits: &Limits) -> bool {
        let facts = self.item.rest().facts;
        let before = facts.clone();
        for (name, value) in told.iter().filter(|(name, _)| name != "at-ms") {
            let (mut name, mut value) = (name.clone(), value.clone());
            clean::label(&mut name, limits);
            facts.retain(|(known, _)| *known != name);
            let size = |(name, value): &(String, String)| name.len() + value.len();
            let kept: usize = facts.iter().map(size).sum();
            let Some(room) = limits.item_text_bytes.checked_sub((kept + name.len()) as u64) else { break };
            clean::bound(&mut value, room);
            facts.push((name, value));
        }
        facts.sort();
        *facts != before
    }

    /// The tool of a tool item.
    pub fn tool(&self) -> Option<&Tool> {
        match &self.item.body {
            ItemBody::Tool { tool, .. } => Some(tool),
            _ => None,
        }
    }
}

/// What is told now, over what was told before.
pub(super) fn merge_tool(tool: &mut Tool, told: Tool) {
    if told.kind != ToolKind::Unknown {
        tool.kind = told.kind;
    }
    for (known, new) in [
        (&mut tool.name, told.name),
        (&mut tool.server, told.server),
        (&mut tool.title, told.title),
        (&mut tool.input, told.input),
    ] {
        if new.is_some() {
            *known = new;
        }
    }
    tool.exit_code = told.exit_code.or(tool.exit_code);
    if !told.locations.is_empty() {
        tool.locations = told.locations;
    }
    if !told.content.is_empty() {
        tool.content = told.content;
    }
    for (name, value) in told.extra {
        match tool.extra.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => tool.extra.push((name, value)),
        }
    }
}

pub(super) fn words_and_media(content: Vec<Content>) -> (String, Vec<Content>) {
    let mut text = String::new();
    let mut media = Vec::new();
    for part in content {
        match part {
            Content::Text(more) if text.is_empty() => text = more,
            Content::Text(more) => text.push_str(&more),
            other => media.push(other),
        }
    }
    (text, media)
}
