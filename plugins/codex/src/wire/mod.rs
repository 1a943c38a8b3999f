//! What the app-server's methods carry, as far as this plugin reads it. A field of another type costs that field, never the line.

mod ask;
mod item;
mod lists;

pub use ask::*;
pub use item::*;
pub use lists::*;

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
    pub login_id: Option<String>,
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
