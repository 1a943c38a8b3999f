//! The server's events and answers, as far as they are read. A field of another type costs that field, never the event.

use jackfield_sdk::tolerant::{Raw, lossy, lossy_list};
use serde::Deserialize;
use serde_json::{Map, Value};

/// An event: its type, and what it is about.
#[derive(Debug, Clone, Default)]
pub(crate) struct Event {
    pub kind: String,
    pub properties: Value,
}

impl Event {
    /// Reads an event in any envelope that was seen: bare, or wrapped in `payload` beside other members.
    pub(crate) fn read(text: &str) -> Option<Event> {
        let mut value: Value = serde_json::from_str(text).ok()?;
        while value["type"].as_str().is_none() || value["payload"]["type"].is_string() {
            value = value.get_mut("payload")?.take();
        }
        let kind = value["type"].as_str()?.to_owned();
        let properties = match value.get_mut("properties") {
            Some(properties) => properties.take(),
            None => value["data"].take(),
        };
        Some(Event { kind, properties })
    }

    /// The properties as this type; its default where they do not fit.
    pub(crate) fn get<T: serde::de::DeserializeOwned + Default>(&self) -> T {
        T::deserialize(&self.properties).unwrap_or_default()
    }

    /// One of them, the same way.
    pub(crate) fn of<T: serde::de::DeserializeOwned + Default>(&self, name: &str) -> T {
        T::deserialize(&self.properties[name]).unwrap_or_default()
    }

    /// The session that it is about.
    pub(crate) fn session(&self) -> Option<&str> {
        let of = |value: &'_ Value| value["sessionID"].is_string();
        let places = [&self.properties, &self.properties["info"], &self.properties["part"]];
        let found = places.into_iter().find(|place| of(place))?;
        found["sessionID"].as_str()
    }
}

/// A session of the server's, a conversation: `info` of `session.created` and `session.updated`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    #[serde(default, deserialize_with = "lossy")]
    pub id: String,
    #[serde(default, rename = "parentID", deserialize_with = "lossy")]
    pub parent_id: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub title: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub version: Option<String>,
}

/// A message of a conversation, without its parts: `info` of `message.updated`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    #[serde(default, deserialize_with = "lossy")]
    pub id: String,
    #[serde(default, deserialize_with = "lossy")]
    pub role: String,
    /// Of an assistant's message: the person's that it answers.
    #[serde(default, rename = "parentID", deserialize_with = "lossy")]
    pub parent_id: String,
    #[serde(default, deserialize_with = "lossy")]
    pub error: Option<Failure>,
    #[serde(default, deserialize_with = "lossy")]
    pub time: Times,
    #[serde(default, deserialize_with = "lossy")]
    pub agent: Option<String>,
    #[serde(default, rename = "modelID", deserialize_with = "lossy")]
    pub model_id: Option<String>,
    #[serde(default, rename = "providerID", deserialize_with = "lossy")]
    pub provider_id: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub finish: Option<String>,
}

/// A message with its parts, in a list of them.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Whole {
    #[serde(default, deserialize_with = "lossy")]
    pub info: Message,
    #[serde(default, deserialize_with = "lossy_list")]
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Times {
    #[serde(default, deserialize_with = "lossy")]
    pub end: Option<f64>,
    #[serde(default, deserialize_with = "lossy")]
    pub completed: Option<f64>,
}

/// Why something failed, by the server's own class: `error` of `session.error`, too.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(crate) struct Failure {
    #[serde(default, deserialize_with = "lossy")]
    pub name: String,
    #[serde(default, deserialize_with = "lossy")]
    pub data: FailureData,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FailureData {
    #[serde(default, deserialize_with = "lossy")]
    pub message: String,
    #[serde(default, deserialize_with = "lossy")]
    pub status_code: Option<u32>,
    #[serde(default, deserialize_with = "lossy")]
    pub is_retryable: Option<bool>,
}

/// `status` of `session.status`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct StatusWord {
    #[serde(default, rename = "type", deserialize_with = "lossy")]
    pub kind: String,
    #[serde(default, deserialize_with = "lossy")]
    pub attempt: u32,
    #[serde(default, deserialize_with = "lossy")]
    pub message: String,
    #[serde(default, deserialize_with = "lossy")]
    pub next: Option<f64>,
}

/// A part of a message: `part` of `message.part.updated`.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Part {
    #[serde(default, deserialize_with = "lossy")]
    pub id: String,
    #[serde(default, rename = "messageID", deserialize_with = "lossy")]
    pub message_id: String,
    #[serde(default, rename = "type", deserialize_with = "lossy")]
    pub kind: String,
    #[serde(default, deserialize_with = "lossy")]
    pub text: String,
    #[serde(default, deserialize_with = "lossy")]
    pub synthetic: bool,
    #[serde(default, deserialize_with = "lossy")]
    pub time: Times,
    #[serde(default, deserialize_with = "lossy")]
    pub tool: String,
    #[serde(default, rename = "callID", deserialize_with = "lossy")]
    pub call_id: String,
    #[serde(default, deserialize_with = "lossy")]
    pub state: ToolState,
    #[serde(default, deserialize_with = "lossy")]
    pub tokens: Option<Tokens>,
    #[serde(default, deserialize_with = "lossy")]
    pub cost: Option<f64>,
    #[serde(default, deserialize_with = "lossy")]
    pub auto: bool,
}

/// `message.part.delta`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct DeltaTold {
    #[serde(default, rename = "partID", deserialize_with = "lossy")]
    pub part_id: String,
    #[serde(default, deserialize_with = "lossy")]
    pub field: String,
    #[serde(default, deserialize_with = "lossy")]
    pub delta: String,
}

/// How far a call has come.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct ToolState {
    #[serde(default, deserialize_with = "lossy")]
    pub status: String,
    #[serde(default)]
    pub input: Option<Raw>,
    #[serde(default, deserialize_with = "lossy")]
    pub output: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub error: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub title: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub metadata: Map<String, Value>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Tokens {
    #[serde(default, deserialize_with = "lossy")]
    pub input: f64,
    #[serde(default, deserialize_with = "lossy")]
    pub output: f64,
    #[serde(default, deserialize_with = "lossy")]
    pub reasoning: f64,
    #[serde(default, deserialize_with = "lossy")]
    pub cache: Cache,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Cache {
    #[serde(default, deserialize_with = "lossy")]
    pub read: f64,
    #[serde(default, deserialize_with = "lossy")]
    pub write: f64,
}

/// `permission.asked`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Permission {
    #[serde(default, deserialize_with = "lossy")]
    pub id: String,
    #[serde(default, deserialize_with = "lossy")]
    pub permission: String,
    #[serde(default, deserialize_with = "lossy_list")]
    pub patterns: Vec<String>,
    #[serde(default, deserialize_with = "lossy_list")]
    pub always: Vec<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub metadata: Map<String, Value>,
    #[serde(default, deserialize_with = "lossy")]
    pub tool: OfCall,
}

/// The call that a request is about.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct OfCall {
    #[serde(default, rename = "messageID", deserialize_with = "lossy")]
    pub message_id: String,
    #[serde(default, rename = "callID", deserialize_with = "lossy")]
    pub call_id: String,
}

/// `permission.replied`, `question.replied` and `question.rejected`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Replied {
    #[serde(default, rename = "requestID", alias = "permissionID", deserialize_with = "lossy")]
    pub request_id: String,
}

/// `question.asked`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Asked {
    #[serde(default, deserialize_with = "lossy")]
    pub id: String,
    #[serde(default, deserialize_with = "lossy_list")]
    pub questions: Vec<Question>,
    #[serde(default, deserialize_with = "lossy")]
    pub tool: OfCall,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Question {
    #[serde(default, deserialize_with = "lossy")]
    pub question: String,
    #[serde(default, deserialize_with = "lossy")]
    pub header: Option<String>,
    #[serde(default, deserialize_with = "lossy_list")]
    pub options: Vec<QuestionOption>,
    #[serde(default, deserialize_with = "lossy")]
    pub multiple: bool,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct QuestionOption {
    #[serde(default, deserialize_with = "lossy")]
    pub label: String,
    #[serde(default, deserialize_with = "lossy")]
    pub description: Option<String>,
}

/// `todo.updated`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Todos {
    #[serde(default, deserialize_with = "lossy_list")]
    pub todos: Vec<Todo>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Todo {
    #[serde(default, deserialize_with = "lossy")]
    pub content: String,
    #[serde(default, deserialize_with = "lossy")]
    pub status: String,
    #[serde(default, deserialize_with = "lossy")]
    pub priority: Option<String>,
}

/// The answer to `GET /config/providers`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Providers {
    #[serde(default, deserialize_with = "lossy_list")]
    pub providers: Vec<ModelProvider>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct ModelProvider {
    #[serde(default, deserialize_with = "lossy")]
    pub id: String,
    #[serde(default, deserialize_with = "lossy")]
    pub name: String,
    #[serde(default, deserialize_with = "lossy")]
    pub models: Map<String, Value>,
}

/// One of `GET /agent`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Agent {
    #[serde(default, deserialize_with = "lossy")]
    pub name: String,
    #[serde(default, deserialize_with = "lossy")]
    pub description: Option<String>,
    #[serde(default, deserialize_with = "lossy")]
    pub mode: String,
    #[serde(default, deserialize_with = "lossy")]
    pub hidden: bool,
}
