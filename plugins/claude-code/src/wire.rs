//! The lines of the program that carry messages, as types; the others are in `wire_session`. Only what is used; unknown fields are ignored, and a field that changed its type costs itself.

use jackfield_sdk::tolerant::{lossy, lossy_list};
use serde::Deserialize;
use serde_json::Value;

/// What tells frames apart.
#[derive(Debug, Deserialize)]
pub struct Head {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub subtype: Option<String>,
    /// The frame's own id.
    #[serde(default, deserialize_with = "lossy")]
    pub uuid: Option<String>,
}

/// `stream_event`: a piece of an answer of the model.
#[derive(Debug, Deserialize)]
pub struct Stream {
    pub event: StreamEvent,
    pub parent_tool_use_id: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub abandoned_blocks: Option<Abandoned>,
    #[serde(default, deserialize_with = "lossy")]
    pub user_message_uuids: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Abandoned {
    #[serde(default)]
    pub from_block_index: u32,
}

#[derive(Debug, Deserialize)]
pub struct StreamEvent {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub index: u32,
    pub delta: Option<StreamDelta>,
    #[serde(default, deserialize_with = "lossy")]
    pub content_block: Option<Block>,
    #[serde(default, deserialize_with = "lossy")]
    pub message: Option<StreamMessage>,
    #[serde(default, deserialize_with = "lossy")]
    pub usage: Option<Tokens>,
}

#[derive(Debug, Deserialize)]
pub struct StreamDelta {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub text: Option<String>,
    pub thinking: Option<String>,
    pub partial_json: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct StreamMessage {
    pub id: String,
    #[serde(default, deserialize_with = "lossy")]
    pub usage: Option<Tokens>,
}

/// Token counts, as the model's service names them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Tokens {
    pub input_tokens: Option<f64>,
    pub cache_read_input_tokens: Option<f64>,
    pub cache_creation_input_tokens: Option<f64>,
    pub output_tokens: Option<f64>,
}

/// `assistant` and `user`: a message, mostly one block of it.
#[derive(Debug, Deserialize)]
pub struct MessageFrame {
    pub message: Body,
    pub parent_tool_use_id: Option<String>,
    pub uuid: Option<String>,
    /// An error of the service, told as text of the assistant.
    #[serde(default, deserialize_with = "lossy")]
    pub error: Option<String>,
    #[serde(default)]
    pub aborted: bool,
    #[serde(default, rename = "isReplay")]
    pub is_replay: bool,
    #[serde(default, deserialize_with = "lossy")]
    pub tool_use_result: Option<ToolExtra>,
    #[serde(default, deserialize_with = "lossy_list")]
    pub tool_result_meta: Vec<ResultMeta>,
    #[serde(default, deserialize_with = "lossy")]
    pub user_message_uuids: Vec<String>,
}

/// A message: a text, or blocks.
#[derive(Debug, Deserialize)]
pub struct Body {
    #[serde(default, deserialize_with = "lossy")]
    pub id: Option<String>,
    pub content: Value,
}

impl Body {
    /// The blocks; one that is no block is left out.
    pub fn blocks(self) -> Vec<Block> {
        match self.content {
            Value::String(text) => vec![Block { kind: "text".into(), text: Some(text), ..Block::default() }],
            Value::Array(values) => values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect(),
            _ => vec![],
        }
    }
}

/// One block of a message.
#[derive(Debug, Default, Deserialize)]
pub struct Block {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default, deserialize_with = "lossy")]
    pub text: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub thinking: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub id: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub name: Option<String>,
    #[serde(default)]
    pub input: Value,
    #[serde(default, deserialize_with = "lossy")]
    pub tool_use_id: Option<String>,
    #[serde(default)]
    pub content: Value,
    #[serde(default, deserialize_with = "lossy")]
    pub is_error: bool,
    #[serde(default, deserialize_with = "lossy")]
    pub source: Option<Source>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Source {
    pub media_type: Option<String>,
    pub data: Option<String>,
    pub url: Option<String>,
}

/// What the program says about a tool's result beside the result.
#[derive(Debug, Deserialize)]
pub struct ResultMeta {
    pub id: String,
    #[serde(default, deserialize_with = "lossy")]
    pub permission_decision: Option<Decision>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Decision {
    #[serde(default)]
    pub decision: String,
}

/// `tool_use_result`: what each tool adds to its result, all of them in one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ToolExtra {
    #[serde(rename = "filePath", deserialize_with = "lossy")]
    pub file_path: Option<String>,
    #[serde(rename = "structuredPatch", deserialize_with = "lossy_list")]
    pub structured_patch: Vec<Hunk>,
    #[serde(rename = "newTodos", deserialize_with = "lossy")]
    pub new_todos: Option<Vec<Todo>>,
    #[serde(deserialize_with = "lossy")]
    pub task: Option<TodoTask>,
    #[serde(deserialize_with = "lossy")]
    pub tasks: Option<Vec<TodoTask>>,
    #[serde(rename = "taskId", deserialize_with = "lossy")]
    pub task_id: Option<String>,
    #[serde(rename = "statusChange", deserialize_with = "lossy")]
    pub status_change: Option<StatusChange>,
    #[serde(rename = "isAsync", deserialize_with = "lossy")]
    pub is_async: bool,
    #[serde(rename = "agentId", deserialize_with = "lossy")]
    pub agent_id: Option<String>,
    #[serde(rename = "backgroundTaskId", deserialize_with = "lossy")]
    pub background_task_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Hunk {
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    pub lines: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Todo {
    pub content: String,
    pub status: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct TodoTask {
    pub id: String,
    pub subject: String,
    pub status: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct StatusChange {
    pub to: String,
}
