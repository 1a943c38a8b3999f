//! Messages of the conversation, as they are made and when they are whole.
//!
//! Texts and thoughts have no ids: the open one of its kind is meant. **A block ends when the next one begins or its message ends, which
//! says how**: the program's own word for a block's end comes late, behind the call that followed it, and on an abort it comes all the same.

use jackfield_sdk::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;

use crate::session::Pi;
use crate::tool;
use crate::wire::{Block, Message, Piece, Update, Usage as Used};

/// The message that is being made.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Blocks that began, by index.
    begun: BTreeMap<usize, Kind>,
    /// The text or thought that is being made.
    current: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Text,
    Thought,
    /// A call, by its id.
    Call(String),
}

impl Stream {
    fn begin(&mut self, cx: &mut Cx, index: usize, kind: Kind) {
        if self.begun.contains_key(&index) {
            return;
        }
        self.close(cx, Status::Completed, String::new());
        self.current = (!matches!(kind, Kind::Call(_))).then_some(index);
        self.begun.insert(index, kind);
    }

    /// Ends the block that is being made. Without its whole text, what was said in pieces stands.
    fn close(&mut self, cx: &mut Cx, status: Status, whole: String) {
        let Some(index) = self.current.take() else { return };
        let content = if whole.is_empty() { vec![] } else { vec![Content::Text(whole)] };
        let body = match self.begun.get(&index) {
            Some(Kind::Thought) => ItemBody::Reasoning(content),
            _ => ItemBody::Assistant(content),
        };
        cx.item(Item::new(None, status, body));
    }

    fn piece(&mut self, cx: &mut Cx, index: usize, kind: Kind, delta: String) {
        let text = if kind == Kind::Thought { TextKind::Reasoning } else { TextKind::Assistant };
        self.begin(cx, index, kind);
        if !delta.is_empty() {
            cx.delta(None, text, delta);
        }
    }

    fn calls(&self) -> Vec<String> {
        let calls =
            self.begun.values().filter_map(|kind| if let Kind::Call(id) = kind { Some(id.clone()) } else { None });
        calls.collect()
    }
}

impl Pi {
    pub(crate) fn update(&mut self, cx: &mut Cx, frame: Update) {
        let piece = frame.assistant_message_event;
        let index = piece.content_index;
        match piece.kind.as_str() {
            "text_delta" => self.stream.piece(cx, index, Kind::Text, piece.delta),
            "thinking_delta" => self.stream.piece(cx, index, Kind::Thought, piece.delta),
            "text_start" => self.stream.begin(cx, index, Kind::Text),
            "thinking_start" => self.stream.begin(cx, index, Kind::Thought),
            "toolcall_start" => self.call_begins(cx, &piece),
            "toolcall_delta" => {
                if let (Some(Kind::Call(id)), false) = (self.stream.begun.get(&index), piece.delta.is_empty()) {
                    cx.delta(Some(id.clone()), TextKind::ToolInput, piece.delta);
                }
            }
            "toolcall_end" => self.call_made(cx, index, piece.tool_call.unwrap_or_default()),
            "start" | "text_end" | "thinking_end" | "done" | "error" => {}
            other => return cx.unknown(format!("message_update/{other}")),
        }
        if cx.said_nothing() {
            cx.silent(format!("message_update/{}", piece.kind));
        }
    }

    /// Its id and name stand in the message so far. A call without an id is told when it is whole.
    fn call_begins(&mut self, cx: &mut Cx, piece: &Piece) {
        let message: Message = piece.partial.as_ref().map(|raw| raw.lossy()).unwrap_or_default();
        let Some(block) = message.blocks().into_iter().nth(piece.content_index).filter(|block| !block.id.is_empty())
        else {
            return;
        };
        self.stream.begin(cx, piece.content_index, Kind::Call(block.id.clone()));
        self.tools.made(&block.id, &block.name, &Value::Null);
        cx.item(Item::tool(Some(block.id), Status::Pending, tool::describe(&block.name, &Value::Null)));
    }

    /// A call that began is told whole when it runs: told twice without news, it would be two.
    fn call_made(&mut self, cx: &mut Cx, index: usize, block: Block) {
        if block.id.is_empty() {
            return;
        }
        self.tools.made(&block.id, &block.name, &block.arguments);
        if !self.stream.begun.contains_key(&index) {
            self.stream.begin(cx, index, Kind::Call(block.id.clone()));
            cx.item(Item::tool(Some(block.id), Status::Pending, tool::describe(&block.name, &block.arguments)));
        }
    }

    pub(crate) fn message_started(&mut self, cx: &mut Cx, message: Message) {
        match message.role.as_str() {
            "user" => self.person_said(cx, &message),
            "assistant" => self.stream = Stream::default(),
            _ => {}
        }
        if cx.said_nothing() {
            cx.silent(format!("message_start/{}", message.role));
        }
    }

    pub(crate) fn message_ended(&mut self, cx: &mut Cx, message: Message) {
        match message.role.as_str() {
            "assistant" => self.assistant_said(cx, message),
            "toolResult" => self.result_told(cx, message),
            "user" => cx.silent("message_end/user"),
            // An extension's word to the model; the person sees it when the extension wants it.
            "custom" if message.display => self.said_for_the_person(cx, &message),
            "custom" | "bashExecution" | "compactionSummary" | "branchSummary" => {
                cx.silent(format!("message_end/{}", message.role));
            }
            other => cx.unknown(format!("message_end/{other}")),
        }
    }

    /// A message in the person's name: ours, or one that an extension wrote.
    fn person_said(&mut self, cx: &mut Cx, message: &Message) {
        let text = message.text();
        if !text.is_empty() {
            self.thread.said += 1;
        }
        if !self.turns.is_ours(cx, &text) {
            self.said_for_the_person(cx, message);
        }
    }

    fn said_for_the_person(&mut self, cx: &mut Cx, message: &Message) {
        let content = message.blocks().into_iter().filter_map(tool::content).collect();
        let said = UserMessage { op: None, typed: false, content };
        cx.item(Item::new(None, Status::Completed, ItemBody::User(said)));
    }

    fn assistant_said(&mut self, cx: &mut Cx, message: Message) {
        let stop = message.stop_reason.clone().unwrap_or_default();
        let status = match stop.as_str() {
            "aborted" => Status::Interrupted,
            "error" => Status::Failed,
            _ => Status::Completed,
        };
        for (index, block) in message.blocks().into_iter().enumerate() {
            let text = if block.kind == "thinking" { block.thinking.clone() } else { block.text.clone() };
            if self.stream.current == Some(index) {
                self.stream.close(cx, status, text);
            } else if !self.stream.begun.contains_key(&index) {
                self.came_whole(cx, index, block, text, status);
            }
        }
        self.stream.close(cx, status, String::new());
        let made = std::mem::take(&mut self.stream).calls();
        if status != Status::Completed {
            self.tools.dropped(cx, made);
        }
        if let Some(used) = &message.usage {
            cx.event(EventBody::Usage(Usage { span: UsageSpan::Call, counts: counts(used, self.settings.window()) }));
        }
        self.turns.last(stop, message.error_message);
        self.thread.answered = true;
        if cx.said_nothing() {
            cx.silent("message_end/assistant");
        }
    }

    /// A block that no piece told.
    fn came_whole(&mut self, cx: &mut Cx, index: usize, block: Block, text: String, status: Status) {
        match block.kind.as_str() {
            "toolCall" => self.call_made(cx, index, block),
            "thinking" if !text.is_empty() => cx.item(Item { status, ..Item::reasoning(None, text) }),
            "text" if !text.is_empty() => cx.item(Item { status, ..Item::assistant(None, text) }),
            "text" | "thinking" => {}
            other => {
                cx.diagnostic(Level::Warning, "unknown-block", format!("a block `{other}` of a message was left out"))
            }
        }
    }
}

fn counts(used: &Used, window: Option<f64>) -> Numbers {
    let named = [
        ("input", used.input),
        ("cache-read", used.cache_read),
        ("cache-write", used.cache_write),
        ("output", used.output),
        ("cost-usd", used.cost.total),
        ("context-used", used.total_tokens.filter(|total| *total > 0.0)),
        ("context-window", window),
    ];
    named.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?))).collect()
}
