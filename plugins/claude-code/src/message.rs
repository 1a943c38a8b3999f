//! `assistant` and `user` frames: what was said, which tools were called, what they gave.
//!
//! A block of an `assistant` frame is an item. A `user` frame is what the program says in the person's name: tool results, its own
//! notes, a subagent's order. None of it was typed, and it is told so.

use jackfield_sdk::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;

use crate::fault;
use crate::session::ClaudeCode;
use crate::stream::scope;
use crate::tool;
use crate::wire::{Block, MessageFrame, ResultMeta, ToolExtra};
use crate::wire_session::Denial;

/// What must be remembered between a call and its result.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    calls: BTreeMap<String, Call>,
    /// What went wrong, told as text of the assistant: the turn's result says it again, unless the turn gets over it.
    pub error: Option<String>,
}

/// A tool call that has no result yet.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub name: String,
    pub input: Value,
}

impl Messages {
    /// A call, by its id.
    pub(crate) fn call(&self, id: &str) -> Option<&Call> {
        self.calls.get(id)
    }

    /// Keeps a call until its result comes.
    pub(crate) fn remember(&mut self, id: &str, name: &str, input: &Value) {
        self.calls.insert(id.to_owned(), Call { name: name.to_owned(), input: input.clone() });
    }
}

/// The item of a call: a tool, or the plan that it proposes.
pub(crate) fn call_item(id: &str, name: &str, input: &Value, status: Status) -> Item {
    let body = match (name, input.get("plan").and_then(Value::as_str)) {
        ("ExitPlanMode", plan) => ItemBody::ProposedPlan(plan.unwrap_or_default().to_owned()),
        _ => ItemBody::Tool(tool::describe(name, input)),
    };
    let mut item = Item::new(Some(id.to_owned()), status, body);
    // A plan is shown as its text; what else its call was given is kept beside it.
    let more = input.as_object().is_some_and(|fields| fields.keys().any(|key| key != "plan"));
    if more && matches!(item.body, ItemBody::ProposedPlan(_)) {
        item.extra.push(("input".to_owned(), input.to_string()));
    }
    item
}

/// What the item of a result does not say by itself: that it came in parts, and what a plan's call gave.
fn result_facts(body: &ItemBody, content: &Value) -> Option<(String, String)> {
    match (body, content) {
        (ItemBody::ProposedPlan(_), Value::String(text)) => Some(("result".to_owned(), text.clone())),
        (_, Value::Array(_)) => Some(("result-form".to_owned(), "parts".to_owned())),
        _ => None,
    }
}

impl ClaudeCode {
    pub(crate) fn assistant(&mut self, cx: &mut Cx, frame: MessageFrame) {
        let parent = frame.parent_tool_use_id;
        if parent.is_none() {
            self.turns.touch(cx, &frame.user_message_uuids);
            self.turns.passed(&frame.uuid);
        }
        if frame.error.is_some() && parent.is_none() {
            // Where the turn fails of it, the same text is the result's: it is told once, as the fault.
            self.got_over_error(cx);
            let texts = frame.message.blocks().into_iter().filter_map(|block| block.text);
            self.messages.error = Some(texts.collect::<Vec<_>>().join("\n"));
            return cx.held();
        }
        let message = frame.message.id.clone().unwrap_or_default();
        let status = if frame.aborted { Status::Interrupted } else { Status::Completed };
        let mut items = vec![];
        for block in frame.message.blocks() {
            let index = self.streams.index_of_whole(&parent, &message);
            let id = Some(format!("{message}#{index}"));
            match block.kind.as_str() {
                "text" | "thinking" => {
                    let mut item = match block.kind.as_str() {
                        "text" => Item::assistant(id, block.text.unwrap_or_default()),
                        _ => Item::reasoning(id, block.thinking.unwrap_or_default()),
                    };
                    let goes_on = !frame.aborted && self.streams.still_makes(&parent, &message, index, &item);
                    item.status = if goes_on { Status::Running } else { status };
                    items.push(item);
                }
                "tool_use" | "server_tool_use" | "mcp_tool_use" => items.extend(self.called(block, status)),
                kind if kind.ends_with("_tool_result") => items.extend(self.result(block, &[], None)),
                "redacted_thinking" => cx.silent("assistant/redacted_thinking"),
                other => cx.unknown(format!("assistant/{other}")),
            }
        }
        if let Some(last) = items.last_mut() {
            last.mark = frame.uuid.clone();
            cx.event_in(scope(&parent), EventBody::Items(items));
        }
        if cx.said_nothing() {
            cx.silent("assistant/empty");
        }
    }

    /// The turn went on after an error that was told as text of the assistant: no result will tell it.
    pub(crate) fn got_over_error(&mut self, cx: &mut Cx) {
        if let Some(text) = self.messages.error.take() {
            cx.event(EventBody::Note(Note {
                level: Level::Warning,
                code: "got-over-error".into(),
                fault: Some(fault::of_status(None, &text)),
                text,
            }));
        }
    }

    fn called(&mut self, block: Block, status: Status) -> Option<Item> {
        let (id, name) = (block.id?, block.name.unwrap_or_default());
        let status = if status == Status::Completed { Status::Running } else { status };
        self.messages.remember(&id, &name, &block.input);
        Some(call_item(&id, &name, &block.input, status))
    }

    pub(crate) fn user(&mut self, cx: &mut Cx, frame: MessageFrame) {
        let parent = frame.parent_tool_use_id;
        let extra = frame.tool_use_result;
        let refused =
            |meta: &&ResultMeta| meta.permission_decision.as_ref().is_some_and(|made| made.decision == "reject");
        let rejected: Vec<_> = frame.tool_result_meta.iter().filter(refused).map(|meta| meta.id.clone()).collect();
        let (mut said, mut items, mut plan, mut stored) = (vec![], vec![], None, false);
        if parent.is_none() && !frame.is_replay {
            self.turns.passed(&frame.uuid);
            self.got_over_error(cx);
        }
        let as_text = frame.message.content.is_string();
        for block in frame.message.blocks() {
            match block.kind.as_str() {
                "tool_result" => {
                    if let Some(call) = &block.tool_use_id {
                        self.acted_on(cx, call);
                    }
                    let name = block
                        .tool_use_id
                        .as_deref()
                        .and_then(|id| self.messages.call(id))
                        .map(|call| call.name.clone());
                    if let (Some(name), Some(extra), false) = (&name, &extra, block.is_error) {
                        plan = self.todos.learn(name, extra).or(plan);
                    }
                    let result = self.result(block, &rejected, extra.as_ref());
                    items.extend(result.map(|item| Item { mark: frame.uuid.clone(), ..item }));
                    stored = true;
                }
                _ => said.extend(content(block)),
            }
        }
        if !items.is_empty() {
            cx.event_in(scope(&parent), EventBody::Items(items));
        }
        if let Some(plan) = plan {
            cx.event_in(scope(&parent), EventBody::Plan(plan));
        }
        let detached = extra.and_then(|extra| extra.background_task_id.or(extra.agent_id.filter(|_| extra.is_async)));
        if let Some(task) = detached {
            self.tasks.detached(cx, &task);
        }
        if !said.is_empty() {
            if !frame.is_replay {
                self.streams.stopped(cx, |open| *open == parent);
            }
            let ours = frame.is_replay && frame.uuid.as_deref().is_some_and(|uuid| self.turns.is_ours(uuid));
            if ours {
                return cx.duplicate();
            }
            if let Some(text) = between_turns(&said).filter(|_| parent.is_none() && !self.turns.has_work()) {
                let text = text.to_owned();
                return cx.event(EventBody::Note(Note {
                    level: Level::Info,
                    code: "between-turns".into(),
                    text,
                    fault: None,
                }));
            }
            let body = ItemBody::User(UserMessage { op: None, typed: false, content: said });
            let mut item = Item::new(frame.uuid, Status::Completed, body);
            item.extra.extend(as_text.then(|| ("form".to_owned(), "text".to_owned())));
            cx.event_in(scope(&parent), EventBody::Items(vec![item]));
        }
        if stored {
            self.stored(cx);
        }
        if cx.said_nothing() {
            cx.silent("user/empty");
        }
    }

    /// The program refused a call by itself, by its mode or by a rule; its result follows.
    pub(crate) fn denied(&mut self, cx: &mut Cx, frame: Denial) {
        let parent = frame.agent_id.as_deref().and_then(|agent| self.tasks.item_of(agent));
        let known = self.messages.call(&frame.tool_use_id).cloned();
        let call = known.unwrap_or(Call { name: frame.tool_name, input: Value::Null });
        self.requests.refuse(&frame.tool_use_id);
        let mut item = call_item(&frame.tool_use_id, &call.name, &call.input, Status::Running);
        let by = frame.decision_reason_type.unwrap_or_else(|| "rule".to_owned());
        item.extra.push(("declined-by".to_owned(), by));
        cx.event_in(scope(&parent), EventBody::Items(vec![item]));
    }

    /// A tool's result, as its item. A refusal is declined, and what our interrupt stopped is interrupted, whatever the text says.
    fn result(&mut self, block: Block, rejected: &[String], extra: Option<&ToolExtra>) -> Option<Item> {
        let id = block.tool_use_id?;
        let call = self.messages.calls.remove(&id).unwrap_or(Call { name: String::new(), input: Value::Null });
        let status = match () {
            () if self.requests.was_refused(&id) => Status::Declined,
            () if !block.is_error => Status::Completed,
            () if self.turns.interrupting => Status::Interrupted,
            () if rejected.contains(&id) => Status::Declined,
            () => Status::Failed,
        };
        let mut item = call_item(&id, &call.name, &call.input, status);
        item.extra.extend(result_facts(&item.body, &block.content));
        if let ItemBody::Tool(tool) = &mut item.body {
            let text = block.content.as_str().map(str::to_owned);
            tool.exit_code = text.as_deref().filter(|_| block.is_error).and_then(tool::exit_code);
            let told: Vec<_> = match (text, block.content) {
                (Some(text), _) => vec![Content::Text(text)],
                (None, Value::Array(blocks)) => {
                    blocks.into_iter().filter_map(|block| content(serde_json::from_value(block).ok()?)).collect()
                }
                (None, _) => vec![],
            };
            let diff = extra.filter(|_| status == Status::Completed).and_then(tool::changed);
            tool.content = diff.map(Content::Diff).into_iter().chain(told).collect();
        }
        Some(item)
    }
}

/// What a setting printed that was changed while no turn is open: it is no turn's.
fn between_turns(said: &[Content]) -> Option<&str> {
    match said {
        [Content::Text(text)] if text.starts_with("<local-command-") => Some(text),
        _ => None,
    }
}

/// A block as content; what the contract has no case for is kept by its name.
pub(crate) fn content(block: Block) -> Option<Content> {
    Some(match block.kind.as_str() {
        "text" => Content::Text(block.text?),
        "image" | "document" => {
            let source = block.source.unwrap_or_default();
            let mime = source.media_type.unwrap_or_else(|| "application/octet-stream".to_owned());
            Content::Media(Media { mime, name: None, uri: source.url, base64: source.data })
        }
        kind => Content::Other(Other { name: format!("claude-code.{kind}"), json: "null".into() }),
    })
}
