//! The lines that carry no message: the end of a turn, control requests, what the program tells of itself. See `wire` for the rules.

use std::collections::BTreeMap;

use jackfield_sdk::tolerant::{Raw, lossy, lossy_list};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::wire::Tokens;

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
    pub permission_suggestions: Vec<Map<String, Value>>,
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
    #[serde(deserialize_with = "lossy")]
    pub error: Option<String>,
    #[serde(deserialize_with = "lossy_list")]
    pub tools: Vec<McpTool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct McpTool {
    pub name: String,
}

/// The answer to `mcp_set_servers`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ServersSet {
    #[serde(deserialize_with = "lossy")]
    pub errors: BTreeMap<String, String>,
}

/// The answer to `mcp_status`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ServersStatus {
    #[serde(rename = "mcpServers", deserialize_with = "lossy_list")]
    pub mcp_servers: Vec<McpServer>,
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
    pub compact_error: Option<String>,
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

/// `system/permission_denied`: a call that the program refused without asking.
#[derive(Debug, Deserialize)]
pub struct Denial {
    pub tool_use_id: String,
    #[serde(default)]
    pub tool_name: String,
    /// What refused it: the mode, a rule.
    #[serde(default, deserialize_with = "lossy")]
    pub decision_reason_type: Option<String>,
    /// The subagent whose call it was.
    #[serde(default, deserialize_with = "lossy")]
    pub agent_id: Option<String>,
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
