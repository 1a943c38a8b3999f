//! The lines of the program, as types. Only what is used; unknown fields are ignored, and a field that changed its type costs itself.

use jackfield_sdk::tolerant::{Raw, lossy, lossy_list};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What tells frames apart.
#[derive(Debug, Deserialize)]
pub struct Head {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub subtype: Option<String>,
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
    pub content_block: Option<Block>,
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
    #[serde(default)]
    pub tool_use_result: Option<Raw>,
    #[serde(default, deserialize_with = "lossy_list")]
    pub tool_result_meta: Vec<ResultMeta>,
    #[serde(default, deserialize_with = "lossy")]
    pub user_message_uuids: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Body {
    #[serde(default, deserialize_with = "lossy")]
    pub id: Option<String>,
    pub content: Blocks,
}

/// A message's content: a text, or blocks.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Blocks {
    Text(String),
    List(Vec<serde_json::Value>),
}

impl Blocks {
    /// The blocks; one that is no block is left out.
    pub fn list(self) -> Vec<Block> {
        match self {
            Blocks::Text(text) => vec![Block { kind: "text".into(), text: Some(text), ..Block::default() }],
            Blocks::List(values) => values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect(),
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
    pub input: serde_json::Value,
    #[serde(default, deserialize_with = "lossy")]
    pub tool_use_id: Option<String>,
    #[serde(default)]
    pub content: serde_json::Value,
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

/// `result`: the end of a turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct TurnResult {
    pub subtype: String,
    pub is_error: bool,
    #[serde(deserialize_with = "lossy")]
    pub uuid: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub result: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub errors: Vec<String>,
    #[serde(deserialize_with = "lossy")]
    pub stop_reason: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub terminal_reason: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub api_error_status: Option<u32>,
    #[serde(deserialize_with = "lossy")]
    pub total_cost_usd: Option<f64>,
    #[serde(deserialize_with = "lossy")]
    pub usage: Option<Tokens>,
    #[serde(rename = "modelUsage", deserialize_with = "lossy")]
    pub model_usage: BTreeMap<String, ModelUsage>,
    #[serde(deserialize_with = "lossy")]
    pub queued_turn_count: Option<u32>,
    #[serde(deserialize_with = "lossy")]
    pub user_message_uuids: Vec<String>,
    #[serde(deserialize_with = "lossy")]
    pub session_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ModelUsage {
    #[serde(rename = "contextWindow", deserialize_with = "lossy")]
    pub context_window: Option<f64>,
}

/// `control_request`: the program asks.
#[derive(Debug, Deserialize)]
pub struct ControlRequest {
    pub request_id: String,
    pub request: Ask,
}

/// What it asks; the fields of `can_use_tool`.
#[derive(Debug, Deserialize)]
pub struct Ask {
    pub subtype: String,
    #[serde(default, deserialize_with = "lossy")]
    pub tool_name: Option<String>,
    pub input: Option<Raw>,
    #[serde(default, deserialize_with = "lossy")]
    pub tool_use_id: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub agent_id: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub description: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub decision_reason: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub blocked_path: Option<String>,
    #[serde(default, deserialize_with = "lossy_list")]
    pub permission_suggestions: Vec<serde_json::Map<String, serde_json::Value>>,
}

/// `control_response`: the answer to a request of ours.
#[derive(Debug, Deserialize)]
pub struct ControlResponse {
    pub response: ControlOutcome,
}

#[derive(Debug, Deserialize)]
pub struct ControlOutcome {
    pub subtype: String,
    pub request_id: String,
    pub response: Option<Raw>,
    #[serde(default, deserialize_with = "lossy")]
    pub error: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub error_code: Option<String>,
}

/// `control_cancel_request`: the program withdraws a request.
#[derive(Debug, Deserialize)]
pub struct ControlCancel {
    pub request_id: String,
}

/// The answer to `initialize`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Initialized {
    #[serde(deserialize_with = "lossy_list")]
    pub commands: Vec<SlashCommand>,
    #[serde(deserialize_with = "lossy_list")]
    pub agents: Vec<Agent>,
    #[serde(deserialize_with = "lossy_list")]
    pub models: Vec<Model>,
    #[serde(deserialize_with = "lossy")]
    pub account: Option<Account>,
    #[serde(deserialize_with = "lossy")]
    pub claude_code_version: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub current_permission_mode: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SlashCommand {
    pub name: String,
    pub description: String,
    pub argument_hint: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Agent {
    pub name: String,
    pub description: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Model {
    pub value: String,
    pub display_name: String,
    pub description: String,
    pub resolved_model: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Account {
    pub email: Option<String>,
    pub organization: Option<String>,
    pub subscription_type: Option<String>,
    pub token_source: Option<String>,
    pub api_key_source: Option<String>,
}

/// `system/init`, told again at every turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Init {
    #[serde(deserialize_with = "lossy")]
    pub session_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub model: Option<String>,
    #[serde(rename = "permissionMode", deserialize_with = "lossy")]
    pub permission_mode: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub claude_code_version: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub tools: Vec<String>,
    #[serde(deserialize_with = "lossy_list")]
    pub mcp_servers: Vec<McpServer>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct McpServer {
    pub name: String,
    pub status: String,
}

/// The other `system` frames, all fields in one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct System {
    #[serde(deserialize_with = "lossy")]
    pub status: Option<String>,
    #[serde(rename = "permissionMode", deserialize_with = "lossy")]
    pub permission_mode: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub compact_result: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub compact_metadata: Option<Compact>,
    #[serde(deserialize_with = "lossy")]
    pub user_message_uuids: Vec<String>,
    #[serde(deserialize_with = "lossy")]
    pub attempt: Option<u32>,
    #[serde(deserialize_with = "lossy")]
    pub max_retries: Option<u32>,
    #[serde(deserialize_with = "lossy")]
    pub retry_delay_ms: Option<f64>,
    #[serde(deserialize_with = "lossy")]
    pub error_status: Option<u32>,
    #[serde(deserialize_with = "lossy")]
    pub error: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Compact {
    pub trigger: Option<String>,
    pub pre_tokens: Option<f64>,
    pub post_tokens: Option<f64>,
}

/// `system/task_*` and `background_tasks_changed`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct TaskFrame {
    #[serde(deserialize_with = "lossy")]
    pub task_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub tool_use_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub task_type: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub description: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub status: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub summary: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub is_backgrounded: bool,
    #[serde(deserialize_with = "lossy")]
    pub patch: Option<Patch>,
    #[serde(deserialize_with = "lossy_list")]
    pub tasks: Vec<Running>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Patch {
    pub status: Option<String>,
    pub is_backgrounded: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub struct Running {
    pub task_id: String,
}

/// `command_lifecycle`: what became of a message of ours.
#[derive(Debug, Deserialize)]
pub struct Lifecycle {
    pub command_uuid: String,
    pub state: String,
}

/// `rate_limit_event`.
#[derive(Debug, Deserialize)]
pub struct RateLimit {
    #[serde(default, deserialize_with = "lossy")]
    pub rate_limit_info: LimitInfo,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LimitInfo {
    pub status: Option<String>,
    pub resets_at: Option<f64>,
    pub rate_limit_type: Option<String>,
    pub utilization: Option<f64>,
}
