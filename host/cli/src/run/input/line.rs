//! A line of input as a script writes it, and the order it becomes.
//!
//! `Line` is what may be written: its documentation and attributes are the schema that `jackfield schema input` prints.
//! `Order` is what can be carried out. **A field that a line does not have is refused: a misspelt `option` must not pass for a dismissal.**

use crate::config::McpServer;
use crate::threads::fork_at;
use jackfield_core::contract::{self, Chosen, Content, Filled, Pairs, Reply, ToolOutput, ToolSpec};
use jackfield_core::expert::Expert;
use jackfield_core::id::{RunId, TaskId, TurnId};
use jackfield_core::outbox::Delivery;
use jackfield_runtime::session::Stop;
use jackfield_runtime::thread::ForkAt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// One line of input: a JSON object, known by its `type`. Each is answered by one `input.accepted` or `input.rejected`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    /// Says something: the first prompt, the next one, or a word into the run at work.
    #[schemars(extend("oneOf" = one_of(&["text", "content"])))]
    Message {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// What to say.
        #[serde(default)]
        text: Option<String>,
        /// What to say, in parts, as `run.created` shows them.
        #[serde(default)]
        content: Option<Vec<Content>>,
        /// An expert role that it is for: the provider gets it rewritten, the thread keeps it as it is.
        #[serde(default)]
        expert: Option<ExpertRole>,
        /// How it goes when a run is at work.
        #[serde(default = "auto")]
        delivery: Delivery,
    },
    /// Answers a request: with an option that it offers, with values for its questions, with what a tool of yours gave, or by closing it.
    #[schemars(extend("oneOf" = one_of(&["option", "answers", "output", "dismiss"]), "dependentRequired" = json!({ "note": ["option"], "input": ["option"], "failed": ["output"] })))]
    Answer {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// The request's id, from `request.opened`.
        request: String,
        /// The id of one of the request's `options`.
        #[serde(default)]
        option: Option<String>,
        /// A word to the provider, with an option.
        #[serde(default)]
        note: Option<String>,
        /// The tool's input as you changed it, with an option that allows.
        #[serde(default)]
        input: Option<Map<String, Value>>,
        /// Values for the request's `questions`.
        #[serde(default)]
        answers: Option<Vec<Filled>>,
        /// What your tool gave, when the request's subject is `host_tool`: a text, or parts as `run.created` shows them.
        #[serde(default)]
        output: Option<Output>,
        /// `true` when the tool failed, with an output that says why.
        #[serde(default)]
        failed: bool,
        /// `true` closes the request without an answer, which never is consent.
        #[serde(default)]
        #[schemars(extend("const" = true))]
        dismiss: bool,
    },
    /// Stops the run at work; the conversation goes on with the next message.
    Interrupt {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// Leaves what the run has begun in the background at work, where the provider can; what is done instead is said.
        #[serde(default)]
        keep_background: bool,
    },
    /// Chooses settings, such as `model` and `mode`. `settings.updated` lists them with their values.
    Settings {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// Names with the values that are wanted.
        #[schemars(extend("minProperties" = 1))]
        values: BTreeMap<String, String>,
    },
    /// Lists the messages that wait, in the answer to this line.
    Queue {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
    },
    /// Changes what a message says that waits here.
    #[schemars(extend("oneOf" = one_of(&["text", "content"])))]
    Edit {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// The message's run.
        run: String,
        /// What to say.
        #[serde(default)]
        text: Option<String>,
        /// What to say, in parts.
        #[serde(default)]
        content: Option<Vec<Content>>,
    },
    /// Takes back a message that waits here.
    Withdraw {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// The message's run.
        run: String,
    },
    /// Puts all messages that wait here into this order.
    Reorder {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// Their runs.
        runs: Vec<String>,
    },
    /// Brings a message that waits here into the run at work, as `delivery` `auto` would have.
    Promote {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// The message's run.
        run: String,
    },
    /// Shortens the provider's context.
    Compact {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// What to keep, in words; the provider chooses without it.
        #[serde(default)]
        keep: String,
    },
    /// Empties the provider's context; the thread and what is shown of it stay.
    Clear {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
    },
    /// Copies the thread: the copy, a thread of its own, is named in the answer to this line. This conversation goes on.
    Fork {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// The last turn that the copy knows, from `turn.started`, or the last item inside of a turn; all there are without it.
        #[serde(default)]
        at: Option<String>,
        /// The subagent whose thread is copied, from `task.updated`, in place of this one.
        #[serde(default)]
        subagent: Option<String>,
    },
    /// Opens a subagent's thread as a thread of its own, which is named in the answer to this line; this one, where it is shown here.
    OpenSubagent {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// The subagent, from `task.updated`.
        task: String,
    },
    /// Makes the provider forget what came after a turn. Files are as they were.
    Rollback {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// The last turn that is left, from `turn.started`; `start` when none is to be.
        to: String,
    },
    /// The MCP servers that the provider may use from now on, whole.
    McpServers {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// The servers, by name.
        servers: BTreeMap<String, McpServer>,
    },
    /// Tools of yours that the provider may call from now on, whole. A call is a request with the subject `host_tool`: answer it with `output`.
    Tools {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// The tools.
        tools: Vec<HostTool>,
    },
    /// Ends a background task.
    StopTask {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// The task, from `task.updated`.
        task: String,
    },
    /// Ends the conversation now, in order: a run at work ends with it, unfinished.
    Close {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
    },
}

/// A role that a message is for.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpertRole {
    /// Its name.
    pub role: String,
    /// What one in it does and minds, for the model.
    pub prompt: String,
}

/// A tool of the script's own.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostTool {
    /// Its name: 1 to 64 letters, digits, `-` and `_`.
    #[schemars(extend("pattern" = "^[A-Za-z0-9_-]{1,64}$"))]
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its input.
    pub input_schema: Map<String, Value>,
}

/// What a tool gave.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Output {
    /// A text.
    Text(String),
    /// Parts.
    Parts(Vec<Content>),
}

/// The types there are, for whoever wrote another.
pub const TYPES: [&str; 18] = [
    "message",
    "answer",
    "interrupt",
    "settings",
    "queue",
    "edit",
    "withdraw",
    "reorder",
    "promote",
    "compact",
    "clear",
    "fork",
    "open_subagent",
    "rollback",
    "mcp_servers",
    "tools",
    "stop_task",
    "close",
];

/// What a line asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    Message(Vec<Content>, Delivery),
    Answer(String, Reply),
    Interrupt(Stop),
    Settings(Pairs),
    Queue,
    Edit(RunId, Vec<Content>),
    Withdraw(RunId),
    Reorder(Vec<RunId>),
    Promote(RunId),
    Compact(String),
    Clear,
    Fork(ForkAt),
    OpenSubagent(TaskId),
    Rollback(Option<TurnId>),
    McpServers(Vec<contract::McpServer>),
    Tools(Vec<ToolSpec>),
    StopTask(TaskId),
    Close,
}

impl Line {
    /// What it asks for; or what is wrong with its fields.
    pub fn order(self) -> Result<Order, String> {
        Ok(match self {
            Line::Message { text, content, expert, delivery, .. } => {
                let mut content = said(text, content)?;
                content.extend(expert.map(|ExpertRole { role, prompt }| Expert { role, prompt }.part()));
                Order::Message(content, delivery)
            }
            Line::Answer { request, option, note, input, answers, output, failed, dismiss, .. } => {
                if failed && output.is_none() {
                    return Err("`failed` goes with an `output`".into());
                }
                if option.is_none() && (note.is_some() || input.is_some()) {
                    return Err("`note` and `input` go with an `option`".into());
                }
                Order::Answer(
                    request,
                    match (option, answers, output, dismiss) {
                        (Some(option_id), None, None, false) => Reply::Chosen(Chosen {
                            option_id,
                            note,
                            input: input.map(|input| Value::Object(input).to_string()),
                        }),
                        (None, Some(answers), None, false) => Reply::Filled(answers),
                        (None, None, Some(output), false) => {
                            let content = match output {
                                Output::Text(text) => vec![Content::Text(text)],
                                Output::Parts(parts) => parts,
                            };
                            Reply::Output(ToolOutput { content, failed })
                        }
                        (None, None, None, true) => Reply::Dismissed,
                        _ => return Err("give one of `option`, `answers`, `output` or `dismiss`".into()),
                    },
                )
            }
            Line::Interrupt { keep_background: true, .. } => Order::Interrupt(Stop::TurnOnly),
            Line::Interrupt { .. } => Order::Interrupt(Stop::Turn),
            Line::Settings { values, .. } if values.is_empty() => {
                return Err("`values` names no setting".into());
            }
            Line::Settings { values, .. } => Order::Settings(values.into_iter().collect()),
            Line::Queue { .. } => Order::Queue,
            Line::Edit { run, text, content, .. } => Order::Edit(run_id(&run)?, said(text, content)?),
            Line::Withdraw { run, .. } => Order::Withdraw(run_id(&run)?),
            Line::Reorder { runs, .. } => Order::Reorder(runs.iter().map(|run| run_id(run)).collect::<Result<_, _>>()?),
            Line::Promote { run, .. } => Order::Promote(run_id(&run)?),
            Line::Compact { keep, .. } => Order::Compact(keep),
            Line::Clear { .. } => Order::Clear,
            Line::Fork { at, subagent, .. } => Order::Fork(fork_at(at.as_deref(), subagent.as_deref())?),
            Line::OpenSubagent { task, .. } => Order::OpenSubagent(task_id(&task)?),
            Line::Rollback { to, .. } => match to.as_str() {
                "start" => Order::Rollback(None),
                turn => Order::Rollback(Some(turn_id(turn)?)),
            },
            Line::McpServers { servers, .. } => {
                let servers = servers.iter().map(|(name, server)| server.named(name));
                Order::McpServers(servers.collect::<Result<_, _>>()?)
            }
            Line::Tools { tools, .. } => Order::Tools(tools.into_iter().map(HostTool::into_spec).collect()),
            Line::StopTask { task, .. } => Order::StopTask(task_id(&task)?),
            Line::Close { .. } => Order::Close,
        })
    }
}

impl HostTool {
    fn into_spec(self) -> ToolSpec {
        let input_schema = Value::Object(self.input_schema).to_string();
        ToolSpec { name: self.name, description: self.description, input_schema }
    }
}

fn auto() -> Delivery {
    Delivery::Auto
}

fn said(text: Option<String>, content: Option<Vec<Content>>) -> Result<Vec<Content>, String> {
    match (text, content) {
        (Some(text), None) => Ok(vec![Content::Text(text)]),
        (None, Some(content)) => Ok(content),
        _ => Err("give either `text` or `content`".into()),
    }
}

fn run_id(text: &str) -> Result<RunId, String> {
    RunId::parse(text).ok_or_else(|| format!("{text:?} is no run"))
}

fn task_id(text: &str) -> Result<TaskId, String> {
    TaskId::parse(text).ok_or_else(|| format!("{text:?} is no task"))
}

fn turn_id(text: &str) -> Result<TurnId, String> {
    TurnId::parse(text).ok_or_else(|| format!("{text:?} is no turn"))
}

/// Exactly one of these fields is there.
fn one_of(fields: &[&str]) -> Value {
    fields.iter().map(|field| json!({ "required": [field] })).collect()
}
