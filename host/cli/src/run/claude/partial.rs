//! Pieces of messages while they are made: the service's own stream of a message, for front ends that asked for it.
//!
//! One message is open in each place (the conversation, a call's inside) at a time, and one block in it. A whole block is
//! told before the stream says that the block ends, as front ends of this format expect.

use super::frame::{Block, BlockDelta, Frame, Null, StreamEvent};
use super::frames::{Frames, message_id};
use super::say;
use jackfield_core::contract::{Status, TextKind};
use jackfield_core::event::{Item, ItemBody};
use jackfield_core::id::ItemId;
use std::collections::HashMap;

/// The messages that are being made.
#[derive(Default)]
pub(super) struct Partial {
    /// By the call inside which they are made.
    open: HashMap<Option<String>, Open>,
    /// Items that may get text: what their blocks are.
    known: HashMap<ItemId, Known>,
    told: u64,
}

#[derive(Default)]
struct Open {
    message: String,
    next: u32,
    block: Option<(ItemId, u32)>,
}

struct Known {
    message: String,
    /// Name and id of a call.
    call: Option<(String, String)>,
    thinks: bool,
}

impl Partial {
    /// An item appeared or changed. A call that is announced begins its block at once.
    pub fn item(&mut self, frames: &Frames, parent: &Option<String>, item: &Item, out: &mut Vec<Frame>) {
        let call = match &item.body {
            ItemBody::Tool { tool, .. } => {
                let id = item.native_id.clone().unwrap_or_else(|| item.id.to_string());
                Some((say::tool_name(tool), id))
            }
            ItemBody::AssistantMessage { .. } | ItemBody::Reasoning { .. } => None,
            _ => return,
        };
        let message = match (&call, self.open.get(parent)) {
            // A call is a block of the message that made it.
            (Some(_), Some(open)) => open.message.clone(),
            _ => message_id(item),
        };
        let announced = call.is_some() && item.status == Status::Pending;
        let known = Known { message, call, thinks: matches!(item.body, ItemBody::Reasoning { .. }) };
        if self.known.insert(item.id.clone(), known).is_none() && announced {
            self.begin(frames, parent, &item.id, out);
        }
    }

    pub fn delta(
        &mut self,
        frames: &Frames,
        parent: &Option<String>,
        item: &ItemId,
        kind: TextKind,
        text: &str,
        out: &mut Vec<Frame>,
    ) {
        let text = text.to_owned();
        let delta = match kind {
            TextKind::Assistant => BlockDelta::Text { text },
            TextKind::Reasoning | TextKind::ReasoningSummary => {
                BlockDelta::Thinking { thinking: text, estimated_tokens: Null }
            }
            TextKind::ToolInput => BlockDelta::InputJson { partial_json: text },
            // What a tool prints is in its result; a plan is in its call.
            TextKind::ToolOutput | TextKind::Plan => return,
        };
        if let Some(index) = self.begin(frames, parent, item, out) {
            self.push(frames, parent, StreamEvent::ContentBlockDelta { index, delta }, out);
        }
    }

    /// An item has ended, or a call has been told whole: its block ends.
    pub fn ended(&mut self, frames: &Frames, parent: &Option<String>, item: &Item, out: &mut Vec<Frame>) {
        let is_open = |open: &Open| open.block.as_ref().is_some_and(|(id, _)| *id == item.id);
        if self.open.get(parent).is_some_and(is_open) {
            self.end_block(frames, parent, out);
        }
        self.known.remove(&item.id);
    }

    /// Everything that is open ends.
    pub fn stop(&mut self, frames: &Frames, out: &mut Vec<Frame>) {
        for parent in self.open.keys().cloned().collect::<Vec<_>>() {
            self.end_message(frames, &parent, out);
        }
    }

    /// The block of an item, begun if it is not open.
    fn begin(&mut self, frames: &Frames, parent: &Option<String>, item: &ItemId, out: &mut Vec<Frame>) -> Option<u32> {
        if let Some((_, index)) = self.open.get(parent).and_then(|open| open.block.clone()).filter(|(id, _)| id == item)
        {
            return Some(index);
        }
        self.end_block(frames, parent, out);
        let known = self.known.get(item)?;
        let message = known.message.clone();
        let content_block = match &known.call {
            Some((name, id)) => Block::ToolUse { id: id.clone(), name: name.clone(), input: say::raw(None) },
            None if known.thinks => Block::Thinking { thinking: String::new(), signature: "" },
            None => Block::Text { text: String::new(), citations: Some(Null) },
        };
        if self.open.get(parent).is_none_or(|open| open.message != message) {
            self.end_message(frames, parent, out);
            let begun = StreamEvent::MessageStart { message: frames.message(message.clone(), Vec::new()) };
            self.open.insert(parent.clone(), Open { message, ..Open::default() });
            self.push(frames, parent, begun, out);
        }
        let open = self.open.get_mut(parent)?;
        let index = open.next;
        open.next += 1;
        open.block = Some((item.clone(), index));
        self.push(frames, parent, StreamEvent::ContentBlockStart { index, content_block }, out);
        Some(index)
    }

    fn end_block(&mut self, frames: &Frames, parent: &Option<String>, out: &mut Vec<Frame>) {
        if let Some((_, index)) = self.open.get_mut(parent).and_then(|open| open.block.take()) {
            self.push(frames, parent, StreamEvent::ContentBlockStop { index }, out);
        }
    }

    fn end_message(&mut self, frames: &Frames, parent: &Option<String>, out: &mut Vec<Frame>) {
        self.end_block(frames, parent, out);
        if self.open.remove(parent).is_some() {
            self.push(frames, parent, StreamEvent::MessageStop, out);
        }
    }

    fn push(&mut self, frames: &Frames, parent: &Option<String>, event: StreamEvent, out: &mut Vec<Frame>) {
        self.told += 1;
        out.push(Frame::StreamEvent {
            event,
            parent_tool_use_id: parent.clone(),
            uuid: say::uuid(&[&frames.session, "stream", &self.told.to_string()]),
            session_id: frames.session.clone(),
        });
    }
}

impl Frames {
    /// Nothing of a message follows.
    pub(super) fn stop_partials(&mut self, out: &mut Vec<Frame>) {
        if let Some(mut partial) = self.partial.take() {
            partial.stop(self, out);
            self.partial = Some(partial);
        }
    }
}
