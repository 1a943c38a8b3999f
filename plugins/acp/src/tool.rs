//! Calls of tools, in whatever order they are told: an update before its call, a result without a start, a call that is first seen
//! in a request for permission. What is not told again stays as it was.

use jackfield_sdk::prelude::*;
use serde_json::Value;

use crate::content;
use crate::dialect::AcpDialect;
use crate::session::Acp;
use crate::wire::{self, ToolCall, ToolContent, read};

/// What is known of a call of the open turn.
#[derive(Debug)]
pub(crate) struct Call {
    pub status: Status,
    pub kind: ToolKind,
    /// What its failure means: a person or a rule refused it, or the turn was stopped before anybody decided.
    pub refused: Option<Status>,
}

impl Call {
    pub(crate) fn has_ended(&self) -> bool {
        !matches!(self.status, Status::Pending | Status::Running | Status::Waiting)
    }
}

impl<D: AcpDialect> Acp<D> {
    pub(crate) fn tool(&mut self, cx: &mut Cx, id: &str, update: Value, parent: Option<String>) {
        let at = |pointer: &String| update.pointer(pointer);
        let name = self.data.pointers.tool_name.as_ref().and_then(at).and_then(Value::as_str).map(str::to_owned);
        let code = self.data.pointers.exit_code.iter().find_map(at).and_then(Value::as_i64);
        let mut told: ToolCall = read(update);
        self.data.rename_kind(&mut told.kind);
        let name = name.or_else(|| told.name.take());
        if told.tool_call_id.is_empty() {
            return cx.unknown("a tool call without an id");
        }
        self.replay_whole(cx, id);
        let scope = if self.replays(id) { self.history(id) } else { self.inside(id, parent) };
        let call = told.tool_call_id.clone();
        let news =
            told.status.is_some() || !told.content.is_empty() || told.raw_output.is_some() || told.raw_input.is_some();
        let said = self.conversations.get_mut(id).and_then(|conversation| conversation.message.interrupted());
        let Some((status, kind, new)) = self.progress(id, &told) else { return };
        if !new && !news && name.is_none() && told.title.is_none() && told.locations.is_empty() {
            return cx.silent("tool_call_update");
        }
        // A call that begins ends the message before it by itself.
        if let Some(said) = said.filter(|_| !new) {
            let body = match said {
                TextKind::Assistant => ItemBody::Assistant(vec![]),
                _ => ItemBody::Reasoning(vec![]),
            };
            cx.event_in(scope.clone(), EventBody::Items(vec![Item::new(None, Status::Completed, body)]));
        }
        let tool = Tool { name, exit_code: code.and_then(|code| i32::try_from(code).ok()), kind, ..describe(told) };
        cx.event_in(scope, EventBody::Items(vec![Item::tool(Some(call), status, tool)]));
        self.will_be_stored(cx, id);
    }

    /// How far a call has come, what it does, and whether it was not known before.
    fn progress(&mut self, id: &str, told: &ToolCall) -> Option<(Status, ToolKind, bool)> {
        let conversation = self.conversations.get_mut(id)?;
        let cancelling = conversation.turn.as_ref().is_some_and(|turn| turn.cancelling);
        let new = !conversation.calls.contains_key(&told.tool_call_id);
        let fresh = Call { status: Status::Running, kind: ToolKind::Unknown, refused: None };
        let call = conversation.calls.entry(told.tool_call_id.clone()).or_insert(fresh);
        if let Some(word) = &told.kind {
            call.kind = kind(word);
        }
        call.status = match told.status.as_deref().map(wire::status) {
            Some(Some(Status::Completed)) if cancelling && self.data.cancelled_completes => Status::Interrupted,
            Some(Some(Status::Failed)) => call.refused.unwrap_or(Status::Failed),
            // A question is open: that it is pending is known.
            Some(Some(Status::Pending)) if call.status == Status::Waiting => Status::Waiting,
            Some(Some(status)) => status,
            Some(None) | None => call.status,
        };
        Some((call.status, call.kind, new))
    }

    /// A permission is asked for a call. What the request says of it is told only when nothing else has told it.
    pub(crate) fn call_waits(&mut self, cx: &mut Cx, id: &str, told: &ToolCall) {
        if told.tool_call_id.is_empty() {
            return;
        }
        if let Some(conversation) = self.conversations.get_mut(id) {
            conversation.message.interrupted();
        }
        let Some((.., new)) = self.progress(id, told) else { return };
        self.call_is(cx, id, &told.tool_call_id, Status::Waiting, new.then(|| describe(told.clone())));
    }

    /// A call has come so far, by what we know and the agent has not said.
    pub(crate) fn call_is(&mut self, cx: &mut Cx, id: &str, call: &str, status: Status, tool: Option<Tool>) {
        let scope = self.scope(id);
        let Some(known) = self.conversations.get_mut(id).and_then(|found| found.calls.get_mut(call)) else { return };
        known.status = status;
        let tool = tool.unwrap_or_else(|| Tool::new(known.kind));
        cx.event_in(scope, EventBody::Items(vec![Item::tool(Some(call.to_owned()), status, tool)]));
    }

    /// An answer reached the agent: the call goes on, or ends with this.
    pub(crate) fn call_decided(&mut self, cx: &mut Cx, id: &str, call: &str, refused: Option<Status>) {
        let silent = self.data.refusal_is_silent;
        let Some(known) = self.conversations.get_mut(id).and_then(|found| found.calls.get_mut(call)) else { return };
        known.refused = refused.or(known.refused);
        if known.status != Status::Waiting {
            return;
        }
        match (refused, silent) {
            (None, _) => self.call_is(cx, id, call, Status::Running, None),
            (Some(status), true) => self.call_is(cx, id, call, status, None),
            // The agent will say so, with its own words for the model.
            (Some(_), false) => {}
        }
    }

    /// The turn ends: calls that were refused, and of which nothing was told since, have ended with that.
    pub(crate) fn refused_end(&mut self, cx: &mut Cx, id: &str) {
        let Some(conversation) = self.conversations.get(id) else { return };
        let open = conversation.calls.iter().filter(|(_, call)| !call.has_ended());
        let refused = open.filter_map(|(name, call)| Some((name.clone(), call.refused?)));
        for (call, status) in refused.collect::<Vec<_>>() {
            self.call_is(cx, id, &call, status, None);
        }
    }
}

/// A call as the contract has it.
pub(crate) fn describe(told: ToolCall) -> Tool {
    let mut shown: Vec<Content> = told.content.into_iter().filter_map(of_content).collect();
    if shown.is_empty() {
        shown.extend(told.raw_output.as_ref().and_then(words).map(Content::Text));
    }
    Tool {
        title: told.title.filter(|title| !title.is_empty()),
        input: told.raw_input.filter(|input| !input.is_null()).map(|input| input.to_string()),
        locations: told.locations.into_iter().map(|place| Location { path: place.path, line: place.line }).collect(),
        content: shown,
        ..Tool::new(told.kind.as_deref().map_or(ToolKind::Unknown, kind))
    }
}

fn of_content(told: ToolContent) -> Option<Content> {
    match told.kind.as_str() {
        "content" => Some(content::of_block(&told.content)),
        "diff" => Some(Content::Diff(FileDiff {
            path: told.path?,
            moved_from: None,
            before: told.old_text,
            after: told.new_text,
            patch: None,
        })),
        // A terminal of the client's: none is offered, so its words are not here.
        "terminal" => {
            let id = Value::from(told.terminal_id);
            Some(Content::Other(Other { name: "terminal".to_owned(), json: id.to_string() }))
        }
        kind => Some(Content::Other(Other { name: kind.to_owned(), json: told.content.to_string() })),
    }
}

/// The words of a raw output that has no content beside it.
fn words(output: &Value) -> Option<String> {
    let text = match output {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let known =
                ["content", "output", "formatted_output", "aggregated_output", "message", "error", "text", "stdout"]
                    .into_iter()
                    .find_map(|name| fields.get(name)?.as_str());
            known.map_or_else(|| output.to_string(), str::to_owned)
        }
        other => other.to_string(),
    };
    (!text.is_empty()).then_some(text)
}

fn kind(word: &str) -> ToolKind {
    match word {
        "read" => ToolKind::Read,
        "edit" => ToolKind::Edit,
        "delete" => ToolKind::Delete,
        "move" => ToolKind::Move,
        "search" => ToolKind::Search,
        "execute" => ToolKind::Execute,
        "think" => ToolKind::Think,
        "fetch" => ToolKind::Fetch,
        "switch_mode" => ToolKind::SwitchMode,
        _ => ToolKind::Unknown,
    }
}
