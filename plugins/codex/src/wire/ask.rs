//! What the program asks, and how.

use super::*;

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
