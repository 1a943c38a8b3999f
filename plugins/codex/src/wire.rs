//! What the app-server's methods carry, as far as this plugin reads it. A field of another type costs that field, never the line.

use jackfield_sdk::tolerant::{Raw, lossy, lossy_list};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The answer to `initialize`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Initialized {
    #[serde(deserialize_with = "lossy")]
    pub user_agent: Option<String>,
}

/// A thread, as answers and notifications tell it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Thread {
    #[serde(deserialize_with = "lossy")]
    pub id: String,
    #[serde(deserialize_with = "lossy")]
    pub forked_from_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub parent_thread_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub preview: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub name: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub cwd: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub updated_at: Option<f64>,
    #[serde(deserialize_with = "lossy_list")]
    pub turns: Vec<Turn>,
}

/// The answer to what opens a thread.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Opened {
    #[serde(deserialize_with = "lossy")]
    pub thread: Thread,
    #[serde(deserialize_with = "lossy")]
    pub model: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub reasoning_effort: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub approval_policy: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub sandbox: Kind,
    #[serde(deserialize_with = "lossy")]
    pub collaboration_mode: Option<CollaborationMode>,
}

/// Something of which only its `type` matters.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Kind {
    #[serde(rename = "type", deserialize_with = "lossy")]
    pub kind: String,
}

/// The mode that turns are taken in.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CollaborationMode {
    #[serde(deserialize_with = "lossy")]
    pub mode: Option<String>,
}

/// A turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Turn {
    #[serde(deserialize_with = "lossy")]
    pub id: String,
    #[serde(deserialize_with = "lossy")]
    pub status: String,
    #[serde(deserialize_with = "lossy")]
    pub error: Option<TurnError>,
    #[serde(deserialize_with = "lossy_list")]
    pub items: Vec<Raw>,
}

/// Why a turn, or an attempt in it, failed.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TurnError {
    #[serde(deserialize_with = "lossy")]
    pub message: String,
    /// A word, or an object whose one member is the word.
    pub codex_error_info: Value,
    #[serde(deserialize_with = "lossy")]
    pub additional_details: Option<String>,
}

/// The answer to what is said: the turn that it went into. `turn/start` tells the turn, `turn/steer` its id.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Said {
    #[serde(deserialize_with = "lossy")]
    turn: Turn,
    #[serde(deserialize_with = "lossy")]
    turn_id: String,
}

impl Said {
    /// The turn's id.
    pub fn turn(self) -> String {
        if self.turn_id.is_empty() { self.turn.id } else { self.turn_id }
    }
}

/// The params of nearly every notification: where it belongs, and the few members that its method has.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Notice {
    #[serde(deserialize_with = "lossy")]
    pub thread_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub turn_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub item_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub thread: Thread,
    #[serde(deserialize_with = "lossy")]
    pub turn: Turn,
    pub item: Option<Raw>,
    #[serde(deserialize_with = "lossy")]
    pub delta: String,
    #[serde(deserialize_with = "lossy")]
    pub summary_index: u32,
    #[serde(deserialize_with = "lossy")]
    pub changes: Vec<Change>,
    #[serde(deserialize_with = "lossy")]
    pub error: TurnError,
    #[serde(deserialize_with = "lossy")]
    pub will_retry: bool,
    #[serde(deserialize_with = "lossy")]
    pub message: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub summary: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub details: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub explanation: Option<String>,
    #[serde(deserialize_with = "lossy_list")]
    pub plan: Vec<Step>,
    #[serde(deserialize_with = "lossy")]
    pub diff: String,
    #[serde(deserialize_with = "lossy")]
    pub thread_name: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub token_usage: Option<TokenUsage>,
    #[serde(deserialize_with = "lossy")]
    pub rate_limits: Option<RateLimits>,
    #[serde(deserialize_with = "lossy")]
    pub thread_settings: Option<ThreadSettings>,
    pub request_id: Value,
    #[serde(deserialize_with = "lossy")]
    pub name: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub status: Value,
    #[serde(deserialize_with = "lossy")]
    pub from_model: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub to_model: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub success: bool,
    #[serde(deserialize_with = "lossy")]
    pub auth_mode: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub plan_type: Option<String>,
}

/// A step of the plan.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Step {
    #[serde(deserialize_with = "lossy")]
    pub step: String,
    #[serde(deserialize_with = "lossy")]
    pub status: String,
}

/// Settings of a thread in force.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ThreadSettings {
    #[serde(deserialize_with = "lossy")]
    pub model: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub effort: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub approval_policy: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub sandbox_policy: Kind,
    #[serde(deserialize_with = "lossy")]
    pub collaboration_mode: Option<CollaborationMode>,
}

/// Tokens of the thread so far, and of the last call.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TokenUsage {
    #[serde(deserialize_with = "lossy")]
    pub total: Tokens,
    #[serde(deserialize_with = "lossy")]
    pub last: Tokens,
    #[serde(deserialize_with = "lossy")]
    pub model_context_window: Option<f64>,
}

/// Counts of tokens.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Tokens {
    #[serde(deserialize_with = "lossy")]
    pub total_tokens: f64,
    #[serde(deserialize_with = "lossy")]
    pub input_tokens: f64,
    #[serde(deserialize_with = "lossy")]
    pub cached_input_tokens: f64,
    #[serde(deserialize_with = "lossy")]
    pub cache_write_input_tokens: Option<f64>,
    #[serde(deserialize_with = "lossy")]
    pub output_tokens: f64,
    #[serde(deserialize_with = "lossy")]
    pub reasoning_output_tokens: f64,
}

/// How much of the account's allowances is used.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RateLimits {
    #[serde(deserialize_with = "lossy")]
    pub primary: Option<Window>,
    #[serde(deserialize_with = "lossy")]
    pub secondary: Option<Window>,
    #[serde(deserialize_with = "lossy")]
    pub plan_type: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub rate_limit_reached_type: Option<String>,
}

/// One allowance.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Window {
    #[serde(deserialize_with = "lossy")]
    pub used_percent: Option<f64>,
    #[serde(deserialize_with = "lossy")]
    pub window_duration_mins: Option<f64>,
    /// Seconds since 1970.
    #[serde(deserialize_with = "lossy")]
    pub resets_at: Option<f64>,
}

/// What a person sees, of every type.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Item {
    #[serde(rename = "type", deserialize_with = "lossy")]
    pub kind: String,
    #[serde(deserialize_with = "lossy")]
    pub id: String,
    #[serde(deserialize_with = "lossy")]
    pub status: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub text: String,
    #[serde(deserialize_with = "lossy")]
    pub phase: Option<String>,
    /// A message's parts, or a thought's texts.
    #[serde(deserialize_with = "lossy_list")]
    pub content: Vec<Value>,
    #[serde(deserialize_with = "lossy_list")]
    pub summary: Vec<String>,
    #[serde(deserialize_with = "lossy")]
    pub client_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub command: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub cwd: Option<String>,
    #[serde(deserialize_with = "lossy_list")]
    pub command_actions: Vec<Action>,
    #[serde(deserialize_with = "lossy")]
    pub aggregated_output: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub exit_code: Option<i32>,
    #[serde(deserialize_with = "lossy")]
    pub duration_ms: Option<f64>,
    #[serde(deserialize_with = "lossy_list")]
    pub changes: Vec<Change>,
    #[serde(deserialize_with = "lossy")]
    pub server: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub tool: Option<String>,
    pub arguments: Value,
    #[serde(deserialize_with = "lossy")]
    pub result: Value,
    #[serde(deserialize_with = "lossy")]
    pub error: Option<Message>,
    #[serde(deserialize_with = "lossy_list")]
    pub content_items: Vec<Value>,
    #[serde(deserialize_with = "lossy")]
    pub receiver_thread_ids: Vec<String>,
    #[serde(deserialize_with = "lossy")]
    pub prompt: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub model: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub agents_states: BTreeMap<String, AgentState>,
    #[serde(deserialize_with = "lossy")]
    pub query: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub path: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub review: Option<String>,
    #[serde(deserialize_with = "lossy_list")]
    pub fragments: Vec<Value>,
}

/// What a command does, as the program understands it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Action {
    #[serde(deserialize_with = "lossy")]
    pub command: String,
}

/// Something that only says why.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Message {
    #[serde(deserialize_with = "lossy")]
    pub message: String,
}

/// How a subagent is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct AgentState {
    #[serde(deserialize_with = "lossy")]
    pub status: String,
    #[serde(deserialize_with = "lossy")]
    pub message: Option<String>,
}

/// A change of one file.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct Change {
    #[serde(deserialize_with = "lossy")]
    pub path: String,
    #[serde(deserialize_with = "lossy")]
    pub kind: ChangeKind,
    #[serde(deserialize_with = "lossy")]
    pub diff: String,
}

/// What kind of change.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub struct ChangeKind {
    #[serde(rename = "type", deserialize_with = "lossy")]
    pub kind: String,
    #[serde(deserialize_with = "lossy")]
    pub move_path: Option<String>,
}

/// The params of the program's calls.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Ask {
    #[serde(deserialize_with = "lossy")]
    pub thread_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub turn_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub item_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub call_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub reason: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub command: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub cwd: Option<String>,
    #[serde(deserialize_with = "lossy_list")]
    pub command_actions: Vec<Action>,
    /// Words, or objects whose one member is the word.
    #[serde(deserialize_with = "lossy_list")]
    pub available_decisions: Vec<Value>,
    #[serde(deserialize_with = "lossy")]
    pub grant_root: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub permissions: Value,
    #[serde(deserialize_with = "lossy_list")]
    pub questions: Vec<Question>,
    #[serde(deserialize_with = "lossy")]
    pub tool: Option<String>,
    pub arguments: Value,
    #[serde(deserialize_with = "lossy")]
    pub server_name: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub message: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub url: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub requested_schema: Schema,
}

/// A question of the model's.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Question {
    #[serde(deserialize_with = "lossy")]
    pub id: String,
    #[serde(deserialize_with = "lossy")]
    pub header: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub question: String,
    #[serde(deserialize_with = "lossy")]
    pub is_other: bool,
    #[serde(deserialize_with = "lossy")]
    pub is_secret: bool,
    #[serde(deserialize_with = "lossy_list")]
    pub options: Vec<QuestionOption>,
}

/// An answer to pick from.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct QuestionOption {
    #[serde(deserialize_with = "lossy")]
    pub label: String,
    #[serde(deserialize_with = "lossy")]
    pub description: Option<String>,
}

/// What a form of an MCP server asks for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Schema {
    #[serde(deserialize_with = "lossy")]
    pub properties: serde_json::Map<String, Value>,
}

/// The answer to `account/read`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AccountRead {
    #[serde(deserialize_with = "lossy")]
    pub account: Option<Account>,
    #[serde(deserialize_with = "lossy")]
    pub requires_openai_auth: bool,
}

/// The account.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Account {
    #[serde(rename = "type", deserialize_with = "lossy")]
    pub kind: String,
    #[serde(deserialize_with = "lossy")]
    pub email: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub plan_type: Option<String>,
}

/// The answer to `account/login/start`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LoginStarted {
    #[serde(deserialize_with = "lossy")]
    pub login_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub auth_url: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub verification_url: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub user_code: Option<String>,
}

/// A page of something.
#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Page<T: serde::de::DeserializeOwned> {
    #[serde(deserialize_with = "lossy_list")]
    pub data: Vec<T>,
    #[serde(deserialize_with = "lossy")]
    pub next_cursor: Option<String>,
}

impl<T: serde::de::DeserializeOwned> Default for Page<T> {
    fn default() -> Self {
        Page { data: vec![], next_cursor: None }
    }
}

/// A model on offer.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Model {
    #[serde(deserialize_with = "lossy")]
    pub model: String,
    #[serde(deserialize_with = "lossy")]
    pub display_name: String,
    #[serde(deserialize_with = "lossy")]
    pub description: String,
    #[serde(deserialize_with = "lossy")]
    pub hidden: bool,
    #[serde(deserialize_with = "lossy")]
    pub is_default: bool,
    #[serde(deserialize_with = "lossy_list")]
    pub supported_reasoning_efforts: Vec<Effort>,
}

/// How hard a model may think.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Effort {
    #[serde(deserialize_with = "lossy")]
    pub reasoning_effort: String,
    #[serde(deserialize_with = "lossy")]
    pub description: String,
}
