//! A row of a rollout. Newer ones are numbered, and have what a person sees as whole items; older ones have the model's own input.

use jackfield_sdk::tolerant::{self, lossy};
use serde::Deserialize;
use serde_json::Value;

/// A row.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Row {
    #[serde(rename = "type", deserialize_with = "lossy")]
    pub kind: String,
    #[serde(deserialize_with = "lossy")]
    pub timestamp: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub ordinal: Option<f64>,
    pub payload: Value,
}

impl Row {
    /// A line as a row; nothing when it is no JSON object.
    pub(super) fn read(text: &str) -> Option<Self> {
        tolerant::object(text)
    }

    /// What its payload is.
    pub(super) fn what(&self) -> &str {
        self.payload["type"].as_str().unwrap_or_default()
    }

    /// An event of the program; without it, it is something of the model's.
    pub(super) fn is_event(&self) -> bool {
        self.kind == "event_msg"
    }

    /// A newer one.
    pub(super) fn is_numbered(&self) -> bool {
        self.ordinal.is_some()
    }

    /// The item that it tells whole.
    pub(super) fn item(&self) -> Option<&Value> {
        let whole = self.is_event() && self.what() == "item_completed";
        Some(&self.payload["item"]).filter(|item| whole && item.is_object())
    }

    /// What a person said.
    pub(super) fn said(&self) -> Option<&str> {
        match self.item() {
            Some(item) if item["type"] == "UserMessage" => {
                item["content"].as_array()?.iter().find_map(|part| part["text"].as_str())
            }
            _ if self.is_event() && self.what() == "user_message" => self.payload["message"].as_str(),
            _ => None,
        }
    }

    /// The name that the thread was given.
    pub(super) fn name(&self) -> Option<String> {
        let named = self.is_event() && self.what() == "thread_name_updated";
        self.payload["thread_name"].as_str().filter(|name| named && !name.is_empty()).map(str::to_owned)
    }

    /// A session that another thread began for a subagent.
    pub(super) fn is_subagent(&self) -> bool {
        self.payload["thread_source"] == "subagent" || self.payload["source"]["subagent"].is_object()
    }

    /// The turn that it is of or begins, when it says so.
    pub(super) fn turn(&self) -> Option<&str> {
        let passed = &self.payload["internal_chat_message_metadata_passthrough"]["turn_id"];
        self.payload["turn_id"].as_str().or(passed.as_str())
    }
}
