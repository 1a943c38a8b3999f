//! What a provider's lines mean, as far as a player and a judge must know. One implementation per provider.

use super::told::Told;
use jackfield_core::contract::{Content, McpServer};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a line of a client asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// The handshake.
    Handshake,
    /// A person's message.
    Message {
        /// Its words, and what is attached.
        content: Vec<Content>,
    },
    /// The answer to a request of the program's.
    Answer {
        /// The program's id of the request.
        request: String,
        /// What was answered.
        answer: Answer,
    },
    /// The end of the turn.
    Interrupt,
    /// Settings, by our names.
    Select(Vec<(String, String)>),
    /// MCP servers, all that there are to be.
    Servers(Vec<McpServer>),
    /// The end of a task in the background, by the program's id of it.
    StopTask(String),
    /// A line that our host does not write, by its kind: the provider's list says why.
    NotOurs(String),
}

/// An answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It may happen.
    Allow {
        /// The tool's input, when the client changed it.
        edited: Option<Value>,
        /// Rules were changed along with it.
        rules: bool,
    },
    /// It may not.
    Deny {
        /// Words for the model.
        note: Option<String>,
        /// The turn is to end, too.
        stop: bool,
    },
    /// Questions answered, by the question's words.
    Filled(Vec<(String, String)>),
}

/// A request of the program's, as its line tells it.
#[derive(Debug, Clone)]
pub struct Requested {
    /// The program's id of it.
    pub id: String,
    /// What kind.
    pub kind: String,
    /// What it is about.
    pub input: Value,
    /// True when it wants questions answered.
    pub questions: bool,
    /// True when it suggests rules that may be changed along with the answer.
    pub suggests: bool,
}

/// The requests that the program made so far, by id.
pub type Requests = BTreeMap<String, Requested>;

/// How a program is started: what its arguments ask for.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The id that a new conversation, or a copy, is to have.
    pub session: Option<String>,
    /// Conversation to resume.
    pub resume: Option<String>,
    /// The latest conversation is resumed, whichever it is.
    pub latest: bool,
    /// A copy of it is made, and the conversation itself stays.
    pub fork: bool,
    /// It is resumed up to this message.
    pub at: Option<String>,
    /// Settings, by our names.
    pub selection: Vec<(String, String)>,
    /// Options of the plugin.
    pub options: Vec<(String, Value)>,
    /// MCP servers.
    pub servers: Vec<McpServer>,
    /// Arguments that our host does not write, by kind.
    pub not_ours: Vec<String>,
}

/// A provider's protocol, as the recordings show it.
pub trait Dialect: Sync {
    /// The provider, by its name at `--provider`.
    fn provider(&self) -> &'static str;

    /// What the program's arguments ask for, whoever wrote them.
    fn start(&self, arguments: &[String]) -> Start;

    /// What a client's line asks for.
    fn asked(&self, line: &str, requests: &Requests) -> Asked;

    /// The request that a line of the program makes.
    fn requested(&self, line: &str) -> Option<Requested>;

    /// True when a line of the program ends a turn.
    fn ends_turn(&self, line: &str) -> bool;

    /// True when a line of the program answers this line of the client.
    fn answers(&self, asked: &str, said: &str) -> bool;

    /// The conversation's id in a line of the program.
    fn session(&self, line: &str) -> Option<String>;

    /// What must be replaced in the program's lines from now on: the recorded client's line was this, the host's was that.
    fn learn(&self, recorded: &str, host: &str) -> Vec<(String, String)>;

    /// True when a line of the program tells of this task.
    fn tells_of_task(&self, line: &str, task: &str) -> bool;

    /// The answer to a host's line that the recording's client never wrote and without which nothing goes on.
    fn answers_by_itself(&self, host: &str) -> Option<String>;

    /// The kind of a line of the program, for lists.
    fn kind_of_frame(&self, line: &str) -> String;

    /// What a person must be shown of these lines of the program, computed without the plugin. `messages` are the
    /// person's own.
    fn told(&self, lines: &[String], messages: &[String]) -> Told;

    /// What a line carries that must not be kept from a person: a text, a tool, a request, an error.
    fn carries(&self, line: &str) -> Option<&'static str>;
}

impl Asked {
    /// Its kind, for lists and messages.
    pub fn kind(&self) -> String {
        match self {
            Self::Handshake => "handshake".into(),
            Self::Message { .. } => "message".into(),
            Self::Answer { answer: Answer::Deny { .. }, .. } => "answer/refusal".into(),
            Self::Answer { .. } => "answer/consent".into(),
            Self::Interrupt => "interrupt".into(),
            Self::Select(pairs) => {
                format!("select/{}", pairs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join("+"))
            }
            Self::Servers(_) => "servers".into(),
            Self::StopTask(_) => "stop-task".into(),
            Self::NotOurs(kind) => kind.clone(),
        }
    }

    /// True when a host's line means the same as the recorded one.
    pub fn means(&self, other: &Asked) -> bool {
        match (self, other) {
            (Self::Answer { request, answer }, Self::Answer { request: theirs, answer: other }) => {
                let refuses = |answer: &Answer| matches!(answer, Answer::Deny { .. });
                request == theirs && refuses(answer) == refuses(other)
            }
            (Self::NotOurs(_), _) | (_, Self::NotOurs(_)) => false,
            (mine, theirs) => mine == theirs,
        }
    }
}
