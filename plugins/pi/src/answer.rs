//! The program's answers to what we asked, as strict types. A field that is missing or of another type costs that field.

use jackfield_sdk::tolerant::{Raw, lossy, lossy_list};
use serde::Deserialize;

/// The answer to what we asked.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Response {
    #[serde(deserialize_with = "lossy")]
    pub id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub command: String,
    #[serde(deserialize_with = "lossy")]
    pub success: bool,
    #[serde(deserialize_with = "lossy")]
    pub error: Option<String>,
    pub data: Option<Raw>,
}

/// `get_state`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct State {
    #[serde(deserialize_with = "lossy")]
    pub model: Option<Model>,
    #[serde(deserialize_with = "lossy")]
    pub thinking_level: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub is_streaming: bool,
    #[serde(deserialize_with = "lossy")]
    pub is_compacting: bool,
    #[serde(deserialize_with = "lossy")]
    pub session_id: String,
    #[serde(deserialize_with = "lossy")]
    pub session_name: Option<String>,
    /// Messages in its queue.
    #[serde(deserialize_with = "lossy")]
    pub pending_message_count: u32,
}

/// A model.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Model {
    #[serde(deserialize_with = "lossy")]
    pub id: String,
    #[serde(deserialize_with = "lossy")]
    pub name: String,
    #[serde(deserialize_with = "lossy")]
    pub provider: String,
    #[serde(deserialize_with = "lossy_list")]
    pub input: Vec<String>,
    #[serde(deserialize_with = "lossy")]
    pub context_window: Option<f64>,
}

/// `get_available_models`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Models {
    #[serde(deserialize_with = "lossy_list")]
    pub models: Vec<Model>,
}

/// `get_commands`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Commands {
    #[serde(deserialize_with = "lossy_list")]
    pub commands: Vec<Command>,
}

/// Something that a message may name after a slash.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Command {
    #[serde(deserialize_with = "lossy")]
    pub name: String,
    #[serde(deserialize_with = "lossy")]
    pub description: String,
    #[serde(deserialize_with = "lossy")]
    pub source: String,
}

/// `get_fork_messages`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Points {
    #[serde(deserialize_with = "lossy_list")]
    pub messages: Vec<Point>,
}

/// A message of the person's, before which a conversation can be parted.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Point {
    #[serde(deserialize_with = "lossy")]
    pub entry_id: String,
}

/// `new_session`, `fork`, `clone`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Parted {
    /// An extension did not let it happen.
    #[serde(deserialize_with = "lossy")]
    pub cancelled: bool,
}
