//! What happens in a turn, as a person sees it.

use super::*;

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
