//! What the agent says, as strict types. A field of another shape costs that field; an unknown one is ignored.

use jackfield_sdk::prelude::*;
use jackfield_sdk::tolerant::{lossy, lossy_list};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A value as a type, its default where it does not fit.
pub(crate) fn read<T: DeserializeOwned + Default>(value: Value) -> T {
    serde_json::from_value(value).unwrap_or_default()
}

macro_rules! wire {
    ($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Default, Clone, PartialEq, Deserialize)]
        #[serde(default, rename_all = "camelCase")]
        pub(crate) struct $name { $($(#[$attribute])* pub $field: $type),* }
    };
}

wire! { Initialized {
    protocol_version: Value,
    #[serde(deserialize_with = "lossy")] agent_capabilities: AgentCapabilities,
    #[serde(deserialize_with = "lossy")] agent_info: AgentInfo,
    #[serde(deserialize_with = "lossy_list")] auth_methods: Vec<AuthMethod>,
} }
wire! { AgentInfo { #[serde(deserialize_with = "lossy")] version: Option<String> } }
wire! { AgentCapabilities {
    #[serde(deserialize_with = "lossy")] load_session: bool,
    #[serde(deserialize_with = "lossy")] prompt_capabilities: PromptCapabilities,
    #[serde(deserialize_with = "lossy")] mcp_capabilities: McpCapabilities,
    #[serde(deserialize_with = "lossy")] session_capabilities: SessionCapabilities,
    #[serde(deserialize_with = "lossy")] auth: AuthCapabilities,
} }
wire! { PromptCapabilities {
    #[serde(deserialize_with = "lossy")] image: bool,
    #[serde(deserialize_with = "lossy")] audio: bool,
    #[serde(deserialize_with = "lossy")] embedded_context: bool,
} }
wire! { McpCapabilities {
    #[serde(deserialize_with = "lossy")] http: bool,
    #[serde(deserialize_with = "lossy")] sse: bool,
} }
// Being there is support.
wire! { SessionCapabilities {
    list: Option<Value>, resume: Option<Value>, fork: Option<Value>, close: Option<Value>, delete: Option<Value>,
} }
wire! { AuthCapabilities { logout: Option<Value> } }
wire! { AuthMethod {
    id: String,
    name: String,
    #[serde(deserialize_with = "lossy")] description: Option<String>,
    #[serde(rename = "_meta")] meta: Value,
} }

impl AuthMethod {
    /// The command by which a person logs in, where the agent tells it.
    pub(crate) fn command(&self) -> Option<String> {
        let login = self.meta.get("terminal-auth")?;
        let program = login["command"].as_str()?;
        let words = login["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Some(format!("run `{}`", std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ")))
    }
}

wire! { Opened {
    session_id: String,
    #[serde(deserialize_with = "lossy")] modes: Option<Modes>,
    #[serde(deserialize_with = "lossy")] models: Option<Models>,
    #[serde(deserialize_with = "lossy")] config_options: Option<Vec<ConfigOption>>,
} }
wire! { Modes {
    #[serde(deserialize_with = "lossy_list")] available_modes: Vec<Mode>,
    #[serde(deserialize_with = "lossy")] current_mode_id: Option<String>,
} }
wire! { Mode { id: String, name: String, #[serde(deserialize_with = "lossy")] description: Option<String> } }
wire! { Models {
    #[serde(deserialize_with = "lossy_list")] available_models: Vec<Model>,
    #[serde(deserialize_with = "lossy")] current_model_id: Option<String>,
} }
wire! { Model { model_id: String, name: String, #[serde(deserialize_with = "lossy")] description: Option<String> } }
wire! { ConfigOption {
    id: String,
    name: String,
    #[serde(deserialize_with = "lossy")] category: Option<String>,
    #[serde(rename = "type", deserialize_with = "lossy")] kind: String,
    current_value: Value,
    #[serde(deserialize_with = "lossy_list")] options: Vec<ConfigChoice>,
} }
// A choice, or a group of them.
wire! { ConfigChoice {
    #[serde(deserialize_with = "lossy")] value: Option<String>,
    name: String,
    #[serde(deserialize_with = "lossy")] description: Option<String>,
    #[serde(deserialize_with = "lossy_list")] options: Vec<ConfigChoice>,
} }

wire! { SessionList {
    #[serde(deserialize_with = "lossy_list")] sessions: Vec<Listed>,
    #[serde(deserialize_with = "lossy")] next_cursor: Option<String>,
} }
wire! { Listed {
    session_id: String,
    #[serde(deserialize_with = "lossy")] cwd: Option<String>,
    #[serde(deserialize_with = "lossy")] title: Option<String>,
    #[serde(deserialize_with = "lossy")] updated_at: Option<String>,
} }

wire! {
    /// A call of a tool, or more about one: only what is there is said.
    ToolCall {
        tool_call_id: String,
        #[serde(deserialize_with = "lossy")] title: Option<String>,
        #[serde(deserialize_with = "lossy")] name: Option<String>,
        #[serde(deserialize_with = "lossy")] kind: Option<String>,
        #[serde(deserialize_with = "lossy")] status: Option<String>,
        raw_input: Option<Value>,
        raw_output: Option<Value>,
        #[serde(deserialize_with = "lossy_list")] content: Vec<ToolContent>,
        #[serde(deserialize_with = "lossy_list")] locations: Vec<Place>,
    }
}
wire! { Place { path: String, #[serde(deserialize_with = "lossy")] line: Option<u32> } }
wire! { ToolContent {
    #[serde(rename = "type")] kind: String,
    content: Value,
    #[serde(deserialize_with = "lossy")] path: Option<String>,
    #[serde(deserialize_with = "lossy")] old_text: Option<String>,
    #[serde(deserialize_with = "lossy")] new_text: Option<String>,
    #[serde(deserialize_with = "lossy")] terminal_id: Option<String>,
} }

wire! { PlanUpdate { #[serde(deserialize_with = "lossy_list")] entries: Vec<Entry> } }
wire! { Entry {
    content: String,
    #[serde(deserialize_with = "lossy")] status: String,
    #[serde(deserialize_with = "lossy")] priority: Option<String>,
} }
wire! { Commands { #[serde(deserialize_with = "lossy_list")] available_commands: Vec<Named> } }
wire! { Named {
    name: String,
    #[serde(deserialize_with = "lossy")] description: String,
    #[serde(deserialize_with = "lossy")] input: Hint,
} }
wire! { Hint { #[serde(deserialize_with = "lossy")] hint: Option<String> } }

wire! { Notice {
    #[serde(deserialize_with = "lossy")] severity: String,
    #[serde(deserialize_with = "lossy")] title: String,
    #[serde(deserialize_with = "lossy")] description: Option<String>,
} }
wire! { Compaction {
    compaction_id: String,
    #[serde(deserialize_with = "lossy")] status: String,
    #[serde(deserialize_with = "lossy_list")] summary: Vec<Value>,
    content: Value,
    #[serde(deserialize_with = "lossy")] error: Option<String>,
} }
wire! { Permission {
    session_id: String,
    #[serde(deserialize_with = "lossy")] tool_call: ToolCall,
    #[serde(deserialize_with = "lossy_list")] options: Vec<PermissionOption>,
} }
wire! { PermissionOption {
    option_id: String,
    #[serde(deserialize_with = "lossy")] name: String,
    #[serde(deserialize_with = "lossy")] kind: String,
} }
wire! { Elicitation {
    #[serde(deserialize_with = "lossy")] session_id: Option<String>,
    #[serde(deserialize_with = "lossy")] tool_call_id: Option<String>,
    #[serde(deserialize_with = "lossy")] mode: String,
    #[serde(deserialize_with = "lossy")] message: String,
    requested_schema: Value,
    #[serde(deserialize_with = "lossy")] url: Option<String>,
    #[serde(deserialize_with = "lossy")] elicitation_id: Option<String>,
} }

/// A status of a call, as the contract has it.
pub(crate) fn status(word: &str) -> Option<Status> {
    match word {
        "pending" => Some(Status::Pending),
        "in_progress" => Some(Status::Running),
        "completed" => Some(Status::Completed),
        "failed" => Some(Status::Failed),
        "cancelled" => Some(Status::Interrupted),
        _ => None,
    }
}
