//! The lines of the envelope, as types: what `--format claude` may say, and in which shape. They say nothing by themselves;
//! `frames` fills them. **A field that the events do not tell has the type's empty value, never a guess.**

use serde::Serialize;
use serde_json::value::RawValue;

/// One line.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Frame {
    /// What a session or a turn is, and what happens to it.
    System(System),
    /// One block of the assistant's message.
    Assistant {
        message: Message,
        parent_tool_use_id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'static str>,
        uuid: String,
        session_id: String,
    },
    /// What is said in the person's name: results of tools, notes.
    User { message: UserMessage, parent_tool_use_id: Option<String>, uuid: String, session_id: String },
    /// A turn is over.
    Result(Box<TurnResult>),
    /// A piece of a message while it is made.
    StreamEvent { event: StreamEvent, parent_tool_use_id: Option<String>, uuid: String, session_id: String },
    /// Something waits for an answer.
    ControlRequest { request_id: String, request: Ask },
    /// It needs no answer any more.
    ControlCancelRequest { request_id: String },
}

#[derive(Debug, Serialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub enum System {
    Init(Box<Init>),
    CompactBoundary {
        compact_metadata: Compact,
        uuid: String,
        session_id: String,
    },
    ApiRetry {
        attempt: u32,
        max_retries: u32,
        retry_delay_ms: f64,
        error_status: Option<u32>,
        error: &'static str,
        uuid: String,
        session_id: String,
    },
}

/// Told at the beginning of every turn.
#[derive(Debug, Serialize)]
pub struct Init {
    #[serde(rename = "apiKeySource")]
    pub api_key_source: &'static str,
    pub claude_code_version: String,
    pub cwd: String,
    pub tools: Vec<String>,
    pub mcp_servers: Vec<Server>,
    pub model: String,
    #[serde(rename = "permissionMode")]
    pub permission_mode: &'static str,
    pub slash_commands: Vec<String>,
    pub output_style: &'static str,
    pub skills: [String; 0],
    pub plugins: [String; 0],
    pub uuid: String,
    pub session_id: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct Server {
    pub name: String,
    pub status: &'static str,
}

#[derive(Debug, Serialize)]
pub struct Compact {
    pub trigger: &'static str,
    pub pre_tokens: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_tokens: Option<f64>,
}

/// A message of the model's service; it holds the one block that is told.
#[derive(Debug, Serialize)]
pub struct Message {
    pub id: String,
    pub r#type: &'static str,
    pub role: &'static str,
    pub model: String,
    pub content: Vec<Block>,
    pub container: Null,
    pub context_management: Null,
    pub diagnostics: Null,
    pub stop_details: Null,
    pub stop_reason: Null,
    pub stop_sequence: Null,
    pub usage: Usage,
}

#[derive(Debug, Serialize)]
pub struct UserMessage {
    pub role: &'static str,
    pub content: Said,
}

/// What is said: one text, or blocks.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Said {
    Text(String),
    Blocks(Vec<Block>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    Text {
        text: String,
        /// The service tells it of the assistant's texts only.
        #[serde(skip_serializing_if = "Option::is_none")]
        citations: Option<Null>,
    },
    Thinking {
        thinking: String,
        signature: &'static str,
    },
    ToolUse {
        id: String,
        name: String,
        input: Box<RawValue>,
    },
    ToolResult {
        tool_use_id: String,
        content: Said,
        #[serde(skip_serializing_if = "Option::is_none")]
        is_error: Option<bool>,
    },
    Image {
        source: Source,
    },
    Document {
        source: Source,
    },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Source {
    Base64 { media_type: String, data: String },
    Url { url: String },
}

/// A field that is always null here.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Null;

#[derive(Debug, Clone, Default, Serialize)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_creation_input_tokens: u64,
    pub cache_read_input_tokens: u64,
    pub cache_creation: CacheCreation,
    pub output_tokens_details: OutputTokens,
    pub fallback_credit: Null,
    pub server_tool_use: ServerTools,
    pub service_tier: Tier,
    pub speed: Tier,
    pub inference_geo: &'static str,
    pub iterations: [u8; 0],
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct CacheCreation {
    pub ephemeral_1h_input_tokens: u64,
    pub ephemeral_5m_input_tokens: u64,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct OutputTokens {
    pub thinking_tokens: u64,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct ServerTools {
    pub web_fetch_requests: u64,
    pub web_search_requests: u64,
}

#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    #[default]
    Standard,
}

#[derive(Debug, Serialize)]
pub struct TurnResult {
    pub subtype: &'static str,
    pub is_error: bool,
    pub duration_ms: u64,
    pub duration_api_ms: u64,
    pub num_turns: usize,
    /// The last words; a turn that was stopped or broke off has errors instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_error_status: Option<u32>,
    pub stop_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_reason: Option<String>,
    pub total_cost_usd: f64,
    pub usage: Usage,
    #[serde(rename = "modelUsage")]
    pub model_usage: Empty,
    pub permission_denials: Vec<Denial>,
    pub uuid: String,
    pub session_id: String,
}

/// `{}`.
#[derive(Debug, Default, Serialize)]
pub struct Empty {}

#[derive(Debug, Serialize)]
pub struct Denial {
    pub tool_name: String,
    pub tool_use_id: String,
    pub tool_input: Box<RawValue>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StreamEvent {
    MessageStart { message: Message },
    ContentBlockStart { index: u32, content_block: Block },
    ContentBlockDelta { index: u32, delta: BlockDelta },
    ContentBlockStop { index: u32 },
    MessageStop,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type")]
pub enum BlockDelta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String, estimated_tokens: Null },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: String },
}

/// What is asked.
#[derive(Debug, Serialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub enum Ask {
    CanUseTool {
        tool_name: String,
        input: Box<RawValue>,
        tool_use_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        decision_reason: Option<String>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        requires_user_interaction: bool,
    },
}
