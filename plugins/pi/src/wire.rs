//! The program's lines as strict types. **A field that is missing or of another type costs that field, never the frame.**
//!
//! Each piece of a message repeats the whole message so far, twice; neither is read, but for the name of a call that begins.

use jackfield_sdk::tolerant::{Raw, lossy, lossy_list};
use serde::Deserialize;
use serde_json::Value;

/// What every line has.
#[derive(Debug, Deserialize)]
pub struct Head {
    #[serde(default, rename = "type", deserialize_with = "lossy")]
    pub kind: String,
}

/// `message_start`, `message_end`.
#[derive(Debug, Deserialize)]
pub struct MessageFrame {
    #[serde(default, deserialize_with = "lossy")]
    pub message: Message,
}

/// A message of the conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Message {
    #[serde(deserialize_with = "lossy")]
    pub role: String,
    /// A text, or blocks.
    pub content: Value,
    #[serde(deserialize_with = "lossy")]
    pub usage: Option<Usage>,
    #[serde(deserialize_with = "lossy")]
    pub stop_reason: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub error_message: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub tool_call_id: String,
    #[serde(deserialize_with = "lossy")]
    pub tool_name: String,
    #[serde(deserialize_with = "lossy")]
    pub is_error: bool,
    /// Of an extension's message: whether a person is to see it.
    #[serde(deserialize_with = "lossy")]
    pub display: bool,
}

/// A block of a message.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Block {
    #[serde(rename = "type", deserialize_with = "lossy")]
    pub kind: String,
    #[serde(deserialize_with = "lossy")]
    pub text: String,
    #[serde(deserialize_with = "lossy")]
    pub thinking: String,
    #[serde(deserialize_with = "lossy")]
    pub id: String,
    #[serde(deserialize_with = "lossy")]
    pub name: String,
    pub arguments: Value,
    #[serde(deserialize_with = "lossy")]
    pub data: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub mime_type: Option<String>,
}

impl Message {
    /// Its blocks, by their index; one that can't be read is empty and keeps its place.
    pub fn blocks(&self) -> Vec<Block> {
        match &self.content {
            Value::String(text) => vec![Block { kind: "text".into(), text: text.clone(), ..Block::default() }],
            Value::Array(blocks) => {
                blocks.iter().map(|block| serde_json::from_value(block.clone()).unwrap_or_default()).collect()
            }
            _ => vec![],
        }
    }

    /// Its text.
    pub fn text(&self) -> String {
        self.blocks().into_iter().filter(|block| block.kind == "text").map(|block| block.text).collect()
    }
}

/// What one call of the model used.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Usage {
    #[serde(deserialize_with = "lossy")]
    pub input: Option<f64>,
    #[serde(deserialize_with = "lossy")]
    pub output: Option<f64>,
    #[serde(deserialize_with = "lossy")]
    pub cache_read: Option<f64>,
    #[serde(deserialize_with = "lossy")]
    pub cache_write: Option<f64>,
    #[serde(deserialize_with = "lossy")]
    pub total_tokens: Option<f64>,
    #[serde(deserialize_with = "lossy")]
    pub cost: Cost,
}

/// In US dollars.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct Cost {
    #[serde(deserialize_with = "lossy")]
    pub total: Option<f64>,
}

/// `message_update`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Update {
    #[serde(default)]
    pub assistant_message_event: Piece,
}

/// What is new in a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Piece {
    #[serde(rename = "type", deserialize_with = "lossy")]
    pub kind: String,
    #[serde(deserialize_with = "lossy")]
    pub content_index: usize,
    #[serde(deserialize_with = "lossy")]
    pub delta: String,
    #[serde(deserialize_with = "lossy")]
    pub tool_call: Option<Block>,
    /// The whole message so far.
    pub partial: Option<Raw>,
}

/// `tool_execution_start`, `tool_execution_update`, `tool_execution_end`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Execution {
    #[serde(deserialize_with = "lossy")]
    pub tool_call_id: String,
    #[serde(deserialize_with = "lossy")]
    pub tool_name: String,
    pub args: Value,
    #[serde(deserialize_with = "lossy")]
    pub partial_result: Message,
    #[serde(deserialize_with = "lossy")]
    pub result: Message,
    #[serde(deserialize_with = "lossy")]
    pub is_error: bool,
}

/// `auto_retry_start`, `auto_retry_end`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RetryFrame {
    #[serde(deserialize_with = "lossy")]
    pub attempt: Option<u32>,
    #[serde(deserialize_with = "lossy")]
    pub max_attempts: Option<u32>,
    #[serde(deserialize_with = "lossy")]
    pub delay_ms: Option<f64>,
    #[serde(deserialize_with = "lossy")]
    pub error_message: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub success: bool,
    #[serde(deserialize_with = "lossy")]
    pub final_error: Option<String>,
}

/// `compaction_start`, `compaction_end`; older versions put `auto_` before them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CompactionFrame {
    #[serde(deserialize_with = "lossy")]
    pub reason: String,
    #[serde(deserialize_with = "lossy")]
    pub result: Option<Compacted>,
    #[serde(deserialize_with = "lossy")]
    pub aborted: bool,
    #[serde(deserialize_with = "lossy")]
    pub will_retry: bool,
    #[serde(deserialize_with = "lossy")]
    pub error_message: Option<String>,
}

/// A context that was shortened.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Compacted {
    #[serde(deserialize_with = "lossy")]
    pub summary: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub tokens_before: Option<f64>,
}

/// `extension_ui_request`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Ask {
    #[serde(deserialize_with = "lossy")]
    pub id: String,
    #[serde(deserialize_with = "lossy")]
    pub method: String,
    #[serde(deserialize_with = "lossy")]
    pub title: String,
    #[serde(deserialize_with = "lossy")]
    pub message: String,
    #[serde(deserialize_with = "lossy_list")]
    pub options: Vec<String>,
    #[serde(deserialize_with = "lossy")]
    pub placeholder: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub prefill: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub timeout: Option<f64>,
    #[serde(deserialize_with = "lossy")]
    pub notify_type: String,
}

/// `extension_error`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ExtensionError {
    #[serde(deserialize_with = "lossy")]
    pub extension_path: String,
    #[serde(deserialize_with = "lossy")]
    pub event: String,
    #[serde(deserialize_with = "lossy")]
    pub error: String,
}
