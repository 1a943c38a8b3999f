//! What a provider's lines mean, as far as a player and a judge must know. One implementation per provider.

use super::told::Told;
use jackfield_core::contract::{Content, McpServer, ToolSpec};
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
    /// A conversation is opened by a message: begun, resumed or copied, as a start's arguments would ask for it.
    Open(Start),
    /// The newest turns are to be forgotten.
    Back(Cut),
    /// The context is to be shortened, with words on what to keep.
    Compact(String),
    /// A line that our plugin writes of itself, by its kind: the second half of a handshake. It is waited for, and nobody
    /// brings it about.
    Routine(String),
    /// A line that our host does not write, by its kind: the provider's list says why.
    NotOurs(String),
}

/// Where a conversation is cut.
#[derive(Debug, Clone, PartialEq)]
pub enum Cut {
    /// Before this turn, by the program's id of it.
    Before(String),
    /// So many turns from its end.
    Turns(usize),
}

/// How a message goes, beyond its words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Way {
    /// Settings that it brings along, by our names.
    pub selection: Vec<(String, String)>,
    /// It is to wait for a turn of its own while one is open.
    pub behind: bool,
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
    /// Questions answered, by the question's words or its id.
    Filled(Vec<(String, String)>),
    /// One of the options that the program offers, by its id.
    Option {
        /// The id.
        id: String,
        /// It refuses.
        refuses: bool,
    },
    /// What a tool of the client's gave.
    Output {
        /// The result.
        content: Vec<Content>,
        /// The tool failed.
        failed: bool,
    },
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

/// What stands for a signal of the host's among its lines.
pub const INTERRUPTED: &str = "\u{3}";

/// The requests that the program made so far, by id.
pub type Requests = BTreeMap<String, Requested>;

/// How a conversation begins: what the program's arguments, or the message that opens it, ask for.
#[derive(Debug, Clone, Default, PartialEq)]
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
    /// Tools of the client's that the program may call.
    pub tools: Vec<ToolSpec>,
    /// The person's message, where the program takes it as an argument.
    pub says: Option<String>,
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

    /// The id of the conversation that this line of the client opened, as the program's answer tells it.
    fn opened(&self, _asked: &str, said: &str) -> Option<String> {
        self.session(said)
    }

    /// What must be replaced in the program's lines from now on: the recorded client's line was this, the host's was that.
    /// Nothing where the ids are the program's and answers go by their calls.
    fn learn(&self, _recorded: &str, _host: &str) -> Vec<(String, String)> {
        Vec::new()
    }

    /// True when a line of the program tells of this task.
    fn tells_of_task(&self, _line: &str, _task: &str) -> bool {
        false
    }

    /// The answer to a host's line that the recording's client never wrote and without which nothing goes on.
    fn answers_by_itself(&self, host: &str) -> Option<String>;

    /// The kind of a line of the program, for lists.
    fn kind_of_frame(&self, line: &str) -> String;

    /// What a person must be shown of these lines of the program, computed without the plugin. `messages` are the
    /// person's own.
    fn told(&self, lines: &[String], messages: &[String]) -> Told;

    /// What a line carries that must not be kept from a person: a text, a tool, a request, an error.
    fn carries(&self, line: &str) -> Option<&'static str>;

    /// How a client's message goes, beyond its words.
    fn way(&self, _line: &str) -> Way {
        Way::default()
    }

    /// True when a line of the program refuses what this line of the client asked for.
    fn refuses(&self, _asked: &str, _said: &str) -> bool {
        false
    }

    /// The request, by the program's id, that a line of the program closes: what is answered to it later is not heard.
    fn withdraws(&self, _line: &str) -> Option<String> {
        None
    }

    /// True when an interrupt answers all that is open, too: our host then refuses by itself what the recorded client refused.
    fn interrupt_answers(&self) -> bool {
        false
    }

    /// True when our host stops the open turn for a message into it, whatever the recorded client did: its agents keep no queue.
    fn is_stopped_for_a_message(&self) -> bool {
        false
    }

    /// True when the program tells the history of a copy while it makes it.
    fn tells_of_copies(&self) -> bool {
        false
    }

    /// The conversation that a line of either side names, where there may be several at once.
    fn conversation(&self, _line: &str) -> Option<String> {
        None
    }

    /// The id of the call that a client's line makes, where the program's answer names it.
    fn call(&self, _line: &str) -> Option<String> {
        None
    }

    /// The call that a line of the program answers, by that id.
    fn answered(&self, _line: &str) -> Option<String> {
        None
    }

    /// True when the program answers this line of the client's as soon as it has read it: what it says before that, it says of its own accord.
    fn is_read_when_answered(&self, _line: &str) -> bool {
        false
    }

    /// True when our plugin is known to ask something behind this line of the program: it is answered before anything else is done.
    fn is_asked_about(&self, _line: &str) -> bool {
        false
    }

    /// True when there is no protocol: what is printed comes in pieces of any size, the program ends with its message, and a signal is all
    /// that it can be told.
    fn is_raw(&self) -> bool {
        false
    }

    /// Where the program is an HTTP server, what it prints once it serves, before its address: what it says then are the events of one
    /// stream, and answers to what is asked.
    fn announces(&self) -> Option<&'static str> {
        None
    }

    /// The conversation that the client goes on with without opening it, by what it asks; with the line by which our host opens it,
    /// and its answer.
    fn resumes(&self, _asked: &[&str]) -> Option<(String, [String; 2])> {
        None
    }

    /// What the client did before this line of the program without writing a line for it.
    fn brought_about(&self, _line: &str) -> Option<Asked> {
        None
    }

    /// The answer, to another call.
    fn readdressed(&self, line: &str, _call: &str) -> String {
        line.to_owned()
    }
}

impl Asked {
    /// Its kind, for lists and messages.
    pub fn kind(&self) -> String {
        match self {
            Self::Handshake => "handshake".into(),
            Self::Message { .. } => "message".into(),
            Self::Answer { answer, .. } if answer.refuses() => "answer/refusal".into(),
            Self::Answer { .. } => "answer/consent".into(),
            Self::Interrupt => "interrupt".into(),
            Self::Select(pairs) => {
                format!("select/{}", pairs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join("+"))
            }
            Self::Servers(_) => "servers".into(),
            Self::StopTask(_) => "stop-task".into(),
            Self::Open(Start { fork: true, .. }) => "open/fork".into(),
            Self::Open(Start { resume: Some(_), .. }) => "open/resume".into(),
            Self::Open(_) => "open/new".into(),
            Self::Back(_) => "back".into(),
            Self::Compact(_) => "compact".into(),
            Self::Routine(kind) => kind.clone(),
            Self::NotOurs(kind) => kind.clone(),
        }
    }

    /// True when a host's line means the same as the recorded one.
    pub fn means(&self, other: &Asked) -> bool {
        match (self, other) {
            (Self::Answer { request, answer }, Self::Answer { request: theirs, answer: other }) => {
                request == theirs && answer.means(other)
            }
            // What is chosen for it, and where a copy ends, is judged by itself.
            (Self::Open(one), Self::Open(other)) => one.resume == other.resume && one.fork == other.fork,
            (Self::NotOurs(_), _) | (_, Self::NotOurs(_)) => false,
            (mine, theirs) => mine == theirs,
        }
    }
}

impl Answer {
    fn refuses(&self) -> bool {
        matches!(self, Self::Deny { .. } | Self::Option { refuses: true, .. })
    }

    fn means(&self, other: &Answer) -> bool {
        match (self, other) {
            (Self::Option { .. } | Self::Output { .. }, _) => self == other,
            _ => self.refuses() == other.refuses(),
        }
    }
}

impl Start {
    /// With what the message asks for that opens the conversation.
    pub fn opened_by(self, message: Start) -> Start {
        let both = |mut one: Vec<(String, String)>, other: Vec<(String, String)>| {
            one.extend(other);
            one
        };
        Start {
            resume: message.resume.or(self.resume),
            fork: self.fork || message.fork,
            at: message.at.or(self.at),
            selection: both(self.selection, message.selection),
            servers: if message.servers.is_empty() { self.servers } else { message.servers },
            tools: if message.tools.is_empty() { self.tools } else { message.tools },
            not_ours: [self.not_ours, message.not_ours].concat(),
            ..self
        }
    }
}

/// A line as JSON; null where it is none.
pub(super) fn parse(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or(Value::Null)
}

/// A text in it; empty where it is none.
pub(super) fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
