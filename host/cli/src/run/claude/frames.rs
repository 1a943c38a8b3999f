//! From session events to the envelope's lines. **It is made of events alone**: the provider's raw frames are never looked
//! at, so every provider speaks this format, and a provider whose own format it is gets its own lines back.
//!
//! What a front end of this format expects, and what decides here:
//! - a block of the assistant's is one line, told when it is whole. A text that was streamed and never confirmed is no line
//!   where the provider confirms its messages (`streaming.emits-message-completed`): it is not part of the conversation;
//! - a call is told when it begins and is known, its result when it ends by the provider's own word;
//! - each turn has one `result`; so has a run that failed before a turn began.
//!
//! Pure: an event in, lines out. Tests: `tests/tests/formats.rs`.

use super::ask::Asks;
use super::call::{Call, Calls};
use super::frame::{Block, Compact, Frame, Init, Message, Null, Said, Server, System, Usage, UserMessage};
use super::partial::Partial;
use super::say;
use super::turn::Turn;
use jackfield_core::capability::CapabilityView;
use jackfield_core::contract::{Content, ContextEffect, McpState, Retry, Setting, Status};
use jackfield_core::event::{EventBody, Item, ItemBody, SessionEvent, is_terminal};
use jackfield_core::id::{ItemId, RunId, ThreadId};
use std::collections::BTreeSet;

/// Turns events into lines.
pub struct Frames {
    pub(super) session: String,
    folder: String,
    provider: String,
    pub(super) model: String,
    mode: &'static str,
    commands: Vec<String>,
    servers: Vec<Server>,
    tools: Vec<String>,
    confirms_messages: bool,
    pub(super) confirms_tools: bool,
    pub(super) calls: Calls,
    asks: Asks,
    pub(super) partial: Option<Partial>,
    pub(super) turn: Turn,
    /// Runs that no turn has ended yet.
    open_runs: BTreeSet<RunId>,
}

impl Frames {
    /// Of this thread, in this folder. `partials`: pieces of messages are told, too.
    pub fn new(thread: &ThreadId, folder: &str, provider: &str, partials: bool) -> Frames {
        Frames {
            session: thread.to_string(),
            folder: folder.to_owned(),
            provider: provider.to_owned(),
            model: "unknown".into(),
            mode: "default",
            commands: Vec::new(),
            servers: Vec::new(),
            tools: Vec::new(),
            confirms_messages: false,
            confirms_tools: false,
            calls: Calls::default(),
            asks: Asks::default(),
            partial: partials.then(Partial::default),
            turn: Turn::default(),
            open_runs: BTreeSet::new(),
        }
    }

    /// The lines that an event gives, without their line ends.
    pub fn lines(&mut self, event: &SessionEvent) -> Result<Vec<String>, serde_json::Error> {
        let mut out = Vec::new();
        if !event.draft.origin.replayed {
            self.event(event, &mut out);
        }
        out.iter().map(serde_json::to_string).collect()
    }

    fn event(&mut self, event: &SessionEvent, out: &mut Vec<Frame>) {
        match &event.draft.body {
            EventBody::ThreadUpdated { native_id, .. } => self.session = native_id.clone(),
            EventBody::CapabilitiesUpdated { capabilities } => self.capable(capabilities),
            EventBody::SettingsUpdated { settings } => self.settings(settings),
            EventBody::SlashCommandsUpdated { commands } => {
                self.commands = commands.iter().map(|command| command.name.clone()).collect();
            }
            EventBody::McpUpdated { servers } => self.servers(servers),
            EventBody::RunCreated { .. } => self.open_runs.extend(event.draft.run.clone()),
            EventBody::TurnStarted { .. } => {
                self.turn = Turn::begin(event.at_ms);
                out.push(self.init(event));
            }
            EventBody::ItemStarted { item } | EventBody::ItemUpdated { item } => self.item(event, item, out),
            EventBody::ItemEnded { item } => self.ended(event, item, out),
            EventBody::ItemDelta { item, kind, text } => {
                let parent = self.parent(event);
                if let Some(mut partial) = self.partial.take() {
                    partial.delta(self, &parent, item, *kind, text, out);
                    self.partial = Some(partial);
                }
            }
            EventBody::RequestOpened { request } => {
                if let Some(id) = &request.item {
                    self.tell_call(id, out);
                }
                out.push(self.asks.opened(request, &self.calls));
            }
            EventBody::RequestResolved { request, resolution } => out.extend(self.asks.resolved(request, resolution)),
            EventBody::UsageUpdated { usage } => self.turn.count(usage),
            EventBody::ContextChanged { change } if change.what == ContextEffect::Compacted => {
                let compact_metadata = Compact {
                    trigger: if change.automatic { "auto" } else { "manual" },
                    pre_tokens: change.tokens_before.unwrap_or_default(),
                    post_tokens: change.tokens_after,
                };
                let (uuid, session_id) = self.signed(event, "compact");
                out.push(Frame::System(System::CompactBoundary { compact_metadata, uuid, session_id }));
            }
            EventBody::Note { note } => {
                if let Some(fault) = &note.fault {
                    self.say_error(event, fault, out);
                }
            }
            EventBody::Retrying { retry } => out.push(self.retry(event, retry)),
            EventBody::TurnEnded { status, reason, fault, .. } => {
                self.stop_partials(out);
                if let Some(run) = &event.draft.run {
                    self.open_runs.remove(run);
                }
                self.turn_ended(event, *status, reason.as_deref(), fault.as_ref(), out);
            }
            EventBody::RunEnded { status, reason, fault, .. } => {
                let owes = event.draft.run.as_ref().is_some_and(|run| self.open_runs.remove(run));
                if owes && let Some(status) = super::turn::of_run(*status) {
                    self.turn = Turn::begin(event.at_ms);
                    self.turn_ended(event, status, reason.as_deref(), fault.as_ref(), out);
                }
            }
            _ => {}
        }
    }

    fn capable(&mut self, view: &CapabilityView) {
        let has = |name: &str| view.values.get(name).and_then(serde_json::Value::as_bool).unwrap_or(false);
        self.confirms_messages = has("streaming.emits-message-completed");
        self.confirms_tools = has("tools.emits-tool-completed");
    }

    fn settings(&mut self, settings: &[Setting]) {
        let value = |name: &str| settings.iter().find(|one| one.name == name).and_then(|one| one.value.as_deref());
        if let Some(model) = value("model") {
            self.model = model.to_owned();
        }
        // The envelope knows these modes only; another one's rules are the provider's own affair.
        const MODES: &[&str] = &["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto"];
        let mode = value("mode").and_then(|mode| MODES.iter().find(|known| **known == mode));
        self.mode = mode.copied().unwrap_or("default");
    }

    fn servers(&mut self, servers: &[McpState]) {
        let word = |status| match status {
            Status::Running | Status::Completed => "connected",
            Status::Pending => "pending",
            Status::Waiting => "needs-auth",
            Status::Cancelled => "disabled",
            _ => "failed",
        };
        let tools =
            servers.iter().flat_map(|one| one.tools.iter().map(move |tool| format!("mcp__{}__{tool}", one.name)));
        self.tools = tools.collect();
        self.servers = servers.iter().map(|one| Server { name: one.name.clone(), status: word(one.status) }).collect();
    }

    fn init(&self, event: &SessionEvent) -> Frame {
        let (uuid, session_id) = self.signed(event, "init");
        Frame::System(System::Init(Box::new(Init {
            api_key_source: "none",
            claude_code_version: format!("jackfield {} ({})", env!("CARGO_PKG_VERSION"), self.provider),
            cwd: self.folder.clone(),
            tools: self.tools.clone(),
            mcp_servers: self.servers.clone(),
            model: self.model.clone(),
            permission_mode: self.mode,
            slash_commands: self.commands.clone(),
            output_style: "default",
            skills: [],
            plugins: [],
            uuid,
            session_id,
        })))
    }

    fn retry(&self, event: &SessionEvent, retry: &Retry) -> Frame {
        let (uuid, session_id) = self.signed(event, "retry");
        Frame::System(System::ApiRetry {
            attempt: retry.attempt,
            max_retries: retry.max_attempts.unwrap_or(retry.attempt),
            retry_delay_ms: retry.delay_ms.unwrap_or_default(),
            error_status: retry.fault.code.as_deref().and_then(|code| code.parse().ok()),
            error: say::error_word(retry.fault.kind),
            uuid,
            session_id,
        })
    }

    /// An item that goes on.
    fn item(&mut self, event: &SessionEvent, item: &Item, out: &mut Vec<Frame>) {
        let parent = self.parent(event);
        if let Some(id) = &event.draft.parent {
            self.tell_call(&id.clone(), out);
        }
        if let Some(mut partial) = self.partial.take() {
            partial.item(self, &parent, item, out);
            self.partial = Some(partial);
        }
        if let Some(call) = Call::of(item, parent) {
            self.calls.know(&item.id, call);
            let begun = !matches!(item.status, Status::Pending);
            // One that a person is asked about is known, whatever its input is.
            if begun && self.calls.get(&item.id).is_some_and(|call| call.has_input) {
                self.tell_call(&item.id, out);
            }
        }
    }

    fn ended(&mut self, event: &SessionEvent, item: &Item, out: &mut Vec<Frame>) {
        let parent = self.parent(event);
        let made = event.draft.origin.synthetic;
        // Whether the end counts as the provider's word: one that the host made does only where the provider says none.
        let told = !made || !self.confirms_messages;
        match &item.body {
            ItemBody::AssistantMessage { text, .. } if told && counts(item.status) && !text.is_empty() => {
                let block = Block::Text { text: text.clone(), citations: citations(is_part(item)) };
                self.say_block(item, parent.clone(), block, out);
                if parent.is_none() {
                    self.turn.said(text);
                }
            }
            ItemBody::Reasoning { text } if told && counts(item.status) && !text.is_empty() => {
                let block = Block::Thinking { thinking: text.clone(), signature: "" };
                self.say_block(item, parent.clone(), block, out);
            }
            ItemBody::UserMessage { typed: false, content } => {
                let said = said(content, fact(item, "form") == Some("text"));
                out.push(self.user(&item.id, parent.clone(), said));
            }
            ItemBody::Tool { .. } | ItemBody::ProposedPlan { .. } => self.call_ended(event, item, parent.clone(), out),
            _ => {}
        }
        if let Some(mut partial) = self.partial.take() {
            partial.ended(self, &parent, item, out);
            self.partial = Some(partial);
        }
    }

    /// A whole block of the assistant's.
    pub(super) fn say_block(&mut self, item: &Item, parent: Option<String>, block: Block, out: &mut Vec<Frame>) {
        let id = message_id(item);
        if parent.is_none() {
            self.turn.message(&id);
        }
        let uuid = say::uuid(&[item.id.as_str(), "assistant"]);
        out.push(Frame::Assistant {
            message: self.message(id, vec![block]),
            parent_tool_use_id: parent,
            error: None,
            uuid,
            session_id: self.session.clone(),
        });
    }

    pub(super) fn message(&self, id: String, content: Vec<Block>) -> Message {
        Message {
            id,
            r#type: "message",
            role: "assistant",
            model: self.model.clone(),
            content,
            container: Null,
            context_management: Null,
            diagnostics: Null,
            stop_details: Null,
            stop_reason: Null,
            stop_sequence: Null,
            usage: Usage::default(),
        }
    }

    pub(super) fn user(&self, id: &ItemId, parent: Option<String>, content: Said) -> Frame {
        Frame::User {
            message: UserMessage { role: "user", content },
            parent_tool_use_id: parent,
            uuid: say::uuid(&[id.as_str(), "user"]),
            session_id: self.session.clone(),
        }
    }

    /// The envelope's id of the call inside which something happened.
    fn parent(&self, event: &SessionEvent) -> Option<String> {
        let parent = event.draft.parent.as_ref()?;
        Some(self.calls.get(parent).map_or_else(|| parent.to_string(), |call| call.id.clone()))
    }

    pub(super) fn signed(&self, event: &SessionEvent, what: &str) -> (String, String) {
        (say::uuid(&[event.thread.as_str(), &event.seq.to_string(), what]), self.session.clone())
    }
}

/// A message that was taken back, or that nobody knows the end of, is not said.
fn counts(status: Status) -> bool {
    is_terminal(status) && !matches!(status, Status::Retracted | Status::Unknown)
}

/// What is said in the person's name.
fn said(content: &[Content], as_text: bool) -> Said {
    match content {
        [Content::Text(text)] if as_text => Said::Text(text.clone()),
        parts => Said::Blocks(parts.iter().filter_map(say::block).collect()),
    }
}

/// A fact that the plugin told of an item.
pub(super) fn fact<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    item.facts.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// True for one of several parts of a message of the provider's: the contract marks the part behind a `#`.
fn is_part(item: &Item) -> bool {
    item.native_id.as_deref().is_some_and(|id| id.contains('#'))
}

/// The official types want the field; a service that makes messages of blocks says it itself, or leaves it out.
pub(super) fn citations(told: bool) -> Option<Null> {
    (!told).then_some(Null)
}

/// The message that an item is part of.
pub(super) fn message_id(item: &Item) -> String {
    let native = item.native_id.as_deref().map(|id| id.rsplit_once('#').map_or(id, |(message, _)| message));
    native.unwrap_or(item.id.as_str()).to_owned()
}
