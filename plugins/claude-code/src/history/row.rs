//! A row of a transcript. Only what is used; an unknown field is ignored, and one that changed its type costs itself.

use jackfield_sdk::prelude::*;
use jackfield_sdk::tolerant::{self, lossy};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::wire::{Block, Body, MessageFrame};

/// A row.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Row {
    #[serde(rename = "type", deserialize_with = "lossy")]
    pub kind: String,
    #[serde(deserialize_with = "lossy")]
    pub subtype: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub uuid: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub parent_uuid: Option<String>,
    /// What stood before it when the context was shortened.
    #[serde(deserialize_with = "lossy")]
    pub logical_parent_uuid: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub is_sidechain: bool,
    #[serde(deserialize_with = "lossy")]
    pub is_meta: bool,
    #[serde(deserialize_with = "lossy")]
    pub is_compact_summary: bool,
    #[serde(deserialize_with = "lossy")]
    pub is_api_error_message: bool,
    /// There when a person, or a client in a person's name, said it.
    #[serde(deserialize_with = "lossy")]
    pub prompt_source: Option<String>,
    pub message: Value,
    pub tool_use_result: Value,
    #[serde(deserialize_with = "lossy")]
    pub permission_decision: Option<Value>,
    pub attachment: Value,
    pub content: Value,
    pub compact_metadata: Value,
    #[serde(deserialize_with = "lossy")]
    pub timestamp: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub cwd: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub custom_title: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub ai_title: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub summary: Option<String>,
}

impl Row {
    /// A line as a row; nothing when it is no JSON object.
    pub(super) fn read(text: &str) -> Option<Self> {
        tolerant::object(text)
    }

    /// The row before it in the conversation.
    pub(super) fn parent(&self) -> Option<&str> {
        let logical = self.logical_parent_uuid.as_deref().filter(|_| self.is_boundary());
        self.parent_uuid.as_deref().or(logical)
    }

    /// The context was shortened here.
    pub(super) fn is_boundary(&self) -> bool {
        self.kind == "system" && self.subtype.as_deref() == Some("compact_boundary")
    }

    /// The id of the model's message that it is a block of.
    pub(super) fn message_id(&self) -> Option<&str> {
        self.message["id"].as_str().filter(|_| self.kind == "assistant")
    }

    /// Blocks of this type, by the field that names a call.
    pub(super) fn calls(&self, kind: &str, field: &str) -> Vec<String> {
        let blocks = self.message["content"].as_array().into_iter().flatten();
        let named = blocks.filter(|block| block["type"].as_str().is_some_and(|name| name.ends_with(kind)));
        named.filter_map(|block| Some(block[field].as_str()?.to_owned())).collect()
    }

    /// How many things a person sees of it, of calls and results each.
    pub(super) fn items(&self) -> usize {
        match (self.kind.as_str(), &self.message["content"]) {
            ("assistant", Value::Array(blocks)) => blocks.len(),
            ("assistant", Value::String(_)) => 1,
            ("user", Value::Array(blocks)) => {
                let results = blocks.iter().filter(|block| block["type"] == "tool_result").count();
                results + usize::from(results < blocks.len())
            }
            ("user", Value::String(_)) => usize::from(self.command() != Some(Command::Caveat)),
            ("system", _) => {
                usize::from(matches!(self.command(), Some(Command::Given(_) | Command::Printed(_) | Command::Said(_))))
            }
            ("attachment", _) => usize::from(self.attachment["type"] == "queued_command"),
            _ => 0,
        }
    }

    /// Whether a person said it. What the program writes in the person's name has no source, is marked, or is one of its own markers.
    pub(super) fn is_typed(&self) -> bool {
        let written = self.is_meta || self.is_compact_summary || self.is_sidechain;
        !written && (self.prompt_source.is_some() || !self.words().is_some_and(|words| is_marker(&words)))
    }

    /// What a person said in it.
    pub(super) fn said(&self) -> Option<String> {
        self.words().filter(|_| self.kind == "user" && self.is_typed())
    }

    /// Its first text.
    fn words(&self) -> Option<String> {
        let content = match self.kind.as_str() {
            "attachment" => &self.attachment["prompt"],
            _ => &self.message["content"],
        };
        let first = |blocks: &Vec<Value>| blocks.iter().find_map(|block| block["text"].as_str().map(str::to_owned));
        content.as_str().map(str::to_owned).or_else(|| content.as_array().and_then(first))
    }

    /// As a line of the program that tells the same.
    pub(super) fn frame(self) -> Option<MessageFrame> {
        let decided = self.permission_decision.filter(|made| made["decision"].is_string());
        let call = |block: &Value| Some(json!({"id": block["tool_use_id"].as_str()?, "permission_decision": decided}));
        let results = self.message["content"].as_array().into_iter().flatten();
        let meta: Vec<Value> = results.filter_map(call).filter(|_| decided.is_some()).collect();
        Some(MessageFrame {
            message: serde_json::from_value::<Body>(self.message).ok()?,
            parent_tool_use_id: None,
            uuid: self.uuid,
            error: self.is_api_error_message.then(|| "api".to_owned()),
            aborted: false,
            is_replay: false,
            tool_use_result: serde_json::from_value(self.tool_use_result).ok(),
            tool_result_meta: meta.into_iter().filter_map(|meta| serde_json::from_value(meta).ok()).collect(),
            user_message_uuids: vec![],
        })
    }

    /// A message that was sent into a turn, as the message it is.
    pub(super) fn queued(&self) -> Option<Body> {
        if self.kind != "attachment" || self.attachment["type"] != "queued_command" {
            return None;
        }
        serde_json::from_value(json!({"content": self.attachment["prompt"]})).ok()
    }
}

/// What the program keeps of a command of its own: `/compact`, `/context` …
#[derive(Debug, PartialEq)]
pub(super) enum Command {
    /// A word to the model about it.
    Caveat,
    /// The command, as a person gave it.
    Given(String),
    /// What it printed.
    Printed(String),
    /// What it printed, as the model gets it in the person's name.
    Said(String),
}

impl Row {
    /// A command of the program's own, or its output.
    pub(super) fn command(&self) -> Option<Command> {
        let words = match self.kind.as_str() {
            "system" if self.subtype.as_deref() == Some("local_command") => self.content.as_str()?.to_owned(),
            "user" => self.words()?,
            _ => return None,
        };
        let inside = |tag: &str| {
            let (_, rest) = words.split_once(&format!("<{tag}>"))?;
            Some(rest.split_once(&format!("</{tag}>"))?.0.trim().to_owned())
        };
        if words.starts_with("<local-command-caveat>") {
            return Some(Command::Caveat);
        }
        if words.starts_with("<command-name>") || words.starts_with("<command-message>") {
            let args = inside("command-args").unwrap_or_default();
            return Some(Command::Given(format!("{} {args}", inside("command-name")?).trim().to_owned()));
        }
        match self.kind.as_str() {
            _ if !words.starts_with("<local-command-std") => None,
            "user" => Some(Command::Said(words.clone())),
            _ => inside("local-command-stdout").or(inside("local-command-stderr")).map(Command::Printed),
        }
    }
}

/// What the program writes in the person's name when a turn is stopped, a command ran or a task ended.
fn is_marker(words: &str) -> bool {
    let marks = [
        "[Request interrupted by user",
        "<local-command-",
        "<command-name>",
        "<task-notification>",
        "<system-reminder>",
    ];
    marks.iter().any(|mark| words.trim_start().starts_with(mark))
}

/// The shortening of the context, as it is told live.
pub(super) fn compacted(row: &Row) -> EventBody {
    let data = &row.compact_metadata;
    EventBody::Context(ContextChange {
        tokens_before: data["preTokens"].as_f64(),
        tokens_after: data["postTokens"].as_f64(),
        automatic: data["trigger"] == "auto",
        ..ContextChange::new(ContextEffect::Compacted)
    })
}

/// What a body holds, as the contract's content.
pub(super) fn contents(body: Body, content: impl Fn(Block) -> Option<Content>) -> Vec<Content> {
    body.blocks().into_iter().filter_map(content).collect()
}
