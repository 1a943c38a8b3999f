//! `stream_event`: an answer of the model while it is being made.
//!
//! An item is a block of a message: `<message id>#<index>`, or the call's own id for a tool. The whole block arrives in an `assistant`
//! frame before the stream says that it ends, so the block that is open tells the index of that frame.

use jackfield_sdk::prelude::*;
use std::collections::BTreeMap;

use crate::session::ClaudeCode;
use crate::tool;
use crate::usage::token_counts;
use crate::wire::{Block, Stream, StreamDelta, Tokens};

/// The streams that are open: the conversation's, and its subagents' by their tool item.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    open: BTreeMap<Option<String>, Streaming>,
    /// How many blocks of each message have arrived whole.
    whole: BTreeMap<String, u32>,
}

#[derive(Debug, Default)]
struct Streaming {
    message: String,
    tokens: Tokens,
    /// Blocks that began: index, item, what they are.
    blocks: Vec<(u32, String, Kind)>,
    /// The block that is being made.
    current: Option<u32>,
    /// That block arrived whole and has not ended: what ends its item.
    whole: Option<Item>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Reasoning,
    Tool,
    /// The call that proposes a plan: it is shown as the plan and not as a tool.
    Plan,
    Other,
}

impl Streams {
    /// The index of a block that arrived whole, and counts it.
    pub(crate) fn index_of_whole(&mut self, parent: &Option<String>, message: &str) -> u32 {
        let current = self.open.get(parent).filter(|open| open.message == message).and_then(|open| open.current);
        let next = self.whole.entry(message.to_owned()).or_default();
        let index = current.unwrap_or(*next);
        *next = index + 1;
        index
    }

    /// A text or thought that arrived whole while its block is still being made: an interrupt cuts it before the stream says that it
    /// ends, and nothing else tells. Until then it goes on; one that never ends, ends as its turn does.
    pub(crate) fn still_makes(&mut self, parent: &Option<String>, message: &str, index: u32, item: &Item) -> bool {
        let open = self.open.get_mut(parent).filter(|open| open.message == message && open.current == Some(index));
        let Some(open) = open else { return false };
        let body = match &item.body {
            ItemBody::Assistant(_) => ItemBody::Assistant(vec![]),
            _ => ItemBody::Reasoning(vec![]),
        };
        open.whole = Some(Item::new(item.id.clone(), Status::Completed, body));
        true
    }

    /// These were stopped: what had arrived whole was cut before the stream said that it ends.
    pub(crate) fn stopped(&mut self, cx: &mut Cx, which: impl Fn(&Option<String>) -> bool) {
        for (parent, open) in self.open.iter_mut().filter(|(parent, _)| which(parent)) {
            if let Some(item) = open.whole.take() {
                cx.event_in(scope(parent), EventBody::Items(vec![Item { status: Status::Interrupted, ..item }]));
            }
        }
    }

    /// A turn ended: nothing of the conversation's own stream is open any more.
    pub(crate) fn turn_ended(&mut self, background: bool) {
        self.open.remove(&None);
        if !background {
            self.open.clear();
            self.whole.clear();
        }
    }
}

/// The scope of something that happened inside a tool item.
pub(crate) fn scope(parent: &Option<String>) -> Option<Scope> {
    parent.as_ref().map(Scope::inside)
}

impl ClaudeCode {
    pub(crate) fn stream_event(&mut self, cx: &mut Cx, frame: Stream) {
        if frame.parent_tool_use_id.is_none() {
            self.turns.touch(cx, &frame.user_message_uuids);
        }
        let parent = frame.parent_tool_use_id;
        let open = self.streams.open.entry(parent.clone()).or_default();
        let event = frame.event;
        match event.kind.as_str() {
            "content_block_delta" => {
                if let Some(delta) = event.delta {
                    open.delta(cx, &parent, event.index, delta);
                }
            }
            "message_start" => {
                let (message, tokens) = match event.message {
                    Some(message) => (message.id, message.usage.unwrap_or_default()),
                    None => return cx.unknown("stream_event/message_start without a message"),
                };
                *open = Streaming { message, tokens, ..Streaming::default() };
            }
            "content_block_start" => {
                if let Some(block) = event.content_block {
                    open.begin(cx, &parent, event.index, block);
                }
            }
            "content_block_stop" => open.end(cx, &parent),
            "message_delta" => {
                let output = event.usage.and_then(|usage| usage.output_tokens).or(open.tokens.output_tokens);
                let counts = token_counts(&Tokens { output_tokens: output, ..open.tokens.clone() });
                cx.event_in(scope(&parent), EventBody::Usage(Usage { span: UsageSpan::Call, counts }));
            }
            "message_stop" => {
                if let Some(abandoned) = frame.abandoned_blocks {
                    open.abandon(cx, &parent, abandoned.from_block_index);
                }
                open.end(cx, &parent);
            }
            "ping" => {}
            other => return cx.unknown(format!("stream_event/{other}")),
        }
        if cx.said_nothing() {
            cx.silent(format!("stream_event/{}", event.kind));
        }
    }
}

impl Streaming {
    fn begin(&mut self, cx: &mut Cx, parent: &Option<String>, index: u32, block: Block) {
        let by_index = format!("{}#{index}", self.message);
        let (item, kind) = match (block.kind.as_str(), block.id) {
            ("text", _) => (by_index, Kind::Text),
            ("thinking", _) => (by_index, Kind::Reasoning),
            ("tool_use" | "server_tool_use" | "mcp_tool_use", Some(id)) => match block.name.as_deref() {
                Some("ExitPlanMode") => {
                    let plan = ItemBody::ProposedPlan(String::new());
                    cx.event_in(
                        scope(parent),
                        EventBody::Items(vec![Item::new(Some(id.clone()), Status::Pending, plan)]),
                    );
                    (id, Kind::Plan)
                }
                name => {
                    let tool = tool::describe(name.unwrap_or_default(), &serde_json::Value::Null);
                    let item = Item::tool(Some(id.clone()), Status::Pending, tool);
                    cx.event_in(scope(parent), EventBody::Items(vec![item]));
                    (id, Kind::Tool)
                }
            },
            _ => (by_index, Kind::Other),
        };
        self.blocks.push((index, item, kind));
        self.current = Some(index);
    }

    fn end(&mut self, cx: &mut Cx, parent: &Option<String>) {
        self.current = None;
        if let Some(item) = self.whole.take() {
            cx.event_in(scope(parent), EventBody::Items(vec![item]));
        }
    }

    fn delta(&mut self, cx: &mut Cx, parent: &Option<String>, index: u32, delta: StreamDelta) {
        if !self.blocks.iter().any(|(known, ..)| *known == index) {
            if self.message.is_empty() {
                return cx.unknown("stream_event/content_block_delta without a message");
            }
            // The frame that begins it did not come: its pieces say what it is.
            let kind = delta.kind.as_deref().and_then(|kind| kind.strip_suffix("_delta")).unwrap_or_default();
            self.begin(cx, parent, index, Block { kind: kind.to_owned(), ..Block::default() });
        }
        let Some((_, item, kind)) = self.blocks.iter().rev().find(|(known, ..)| *known == index) else { return };
        let (kind, text) = match (delta.kind.as_deref(), kind) {
            (Some("text_delta"), _) => (TextKind::Assistant, delta.text),
            (Some("thinking_delta"), _) => (TextKind::Reasoning, delta.thinking),
            (Some("input_json_delta"), Kind::Tool) => (TextKind::ToolInput, delta.partial_json),
            (Some("input_json_delta" | "signature_delta" | "citations_delta"), _) => return,
            (other, _) => return cx.unknown(format!("stream_event/content_block_delta/{}", other.unwrap_or("none"))),
        };
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            let body = EventBody::Delta(Delta { id: Some(item.clone()), kind, whole: false, text });
            cx.event_in(scope(parent), body);
        }
    }

    /// The program gave up these blocks and says them again elsewhere: they are not part of the conversation.
    fn abandon(&self, cx: &mut Cx, parent: &Option<String>, from: u32) {
        let gone = self.blocks.iter().filter(|(index, ..)| *index >= from).filter_map(|(_, item, kind)| {
            let body = match kind {
                Kind::Text => ItemBody::Assistant(vec![]),
                Kind::Reasoning => ItemBody::Reasoning(vec![]),
                Kind::Tool => ItemBody::Tool(Tool::new(ToolKind::Unknown)),
                Kind::Plan => ItemBody::ProposedPlan(String::new()),
                Kind::Other => return None,
            };
            Some(Item::new(Some(item.clone()), Status::Retracted, body))
        });
        let gone: Vec<_> = gone.collect();
        if !gone.is_empty() {
            cx.event_in(scope(parent), EventBody::Items(gone));
        }
    }
}
