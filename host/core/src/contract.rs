//! The contract's vocabulary (`jackfield:provider@0.1.0-draft`) as plain Rust.
//!
//! Generated from `wit/` by `cargo xtask codegen`; do not edit. As JSON, names are in snake case and a variant is
//! `{"type": case, "value": payload}`; an absent option and an empty list are left out.

#![allow(clippy::large_enum_variant)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A thing this version has no case for. The receiver keeps and shows it, and answers an unknown command `unsupported`; it is never an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Other {
    /// What it is, in kebab case; prefixed with the publisher (`acme.thing`) until a version of the contract adopts it.
    pub name: String,
    /// Its data, one JSON value; `null` when there is none.
    pub json: String,
}

/// Names with values, in order: headers, environment, argument holes, chosen settings, extra fields.
pub type Pairs = Vec<(String, String)>;

/// Counts with names.
pub type Numbers = Vec<(String, f64)>;

/// The host's clock for one call; a plugin has no other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tick {
    /// Milliseconds since 1970; never runs backwards within a session.
    pub now_ms: f64,
    /// Number of this call in the session, from 0.
    pub seq: u32,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The provider cannot do this. If its capability was declared, the host counts a lie.
    Unsupported,
    /// The command's own data is wrong: an unknown option, a malformed value.
    Invalid,
    /// No such thread, turn, item, request, cursor, file.
    NotFound,
    /// It came too late or another one is in the way: the turn has ended, the thread is busy.
    Conflict,
    /// A login is missing, wrong or expired.
    Auth,
    /// Refused by policy, by a missing grant, or by the provider's own rules.
    Denied,
    /// Too many requests for now.
    RateLimit,
    /// An allowance is used up: credit, plan, budget.
    Quota,
    /// The conversation does not fit the model's context window.
    ContextWindow,
    /// The model's service is overloaded or failing.
    Overloaded,
    /// No connection, or it broke.
    Network,
    /// No answer in time.
    Timeout,
    /// Cancelled from this side.
    Cancelled,
    /// The other side broke its protocol.
    Protocol,
    /// A bug in the plugin or the host.
    Internal,
    /// None of these: see `code` and `message`.
    Unknown,
}

/// Why something failed: a command, an effect, a turn, or (returned by `handle`) the whole session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// The kind of failure: all that the host decides by.
    pub kind: FaultKind,
    /// One or two sentences for a person, without secrets.
    pub message: String,
    /// The provider's own code (`-32600`, `usageLimitExceeded`, `529`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// True when the same attempt may succeed later, unchanged.
    pub retryable: bool,
    /// Earliest moment worth another attempt, in milliseconds from now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<f64>,
    /// More facts by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// How far a turn, an item or a task has come. The last seven end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Announced, not begun.
    Pending,
    /// At work.
    Running,
    /// Held up by a request that is open.
    Waiting,
    /// Ended well.
    Completed,
    /// Ended badly.
    Failed,
    /// Not done because a person or a rule refused it.
    Declined,
    /// Stopped midway.
    Interrupted,
    /// Dropped before it began.
    Cancelled,
    /// Withdrawn by the provider: not part of the conversation any more.
    Retracted,
    /// Ended; how is not known.
    Unknown,
}

/// A picture, a sound or a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Media {
    /// MIME type, `application/octet-stream` when unknown.
    pub mime: String,
    /// Name for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it lies: a `file:` path in the workspace, or a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Its bytes in standard base64, as JSON protocols carry them; absent for a mere link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
}

/// A change to one file, as far as the provider tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileDiff {
    /// Path, absolute or relative to the workspace.
    pub path: String,
    /// The path it had before, when it was moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// Text before; absent for a new file or when only `patch` is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Text after; absent for a deleted file or when only `patch` is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The change as a unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
}

/// One piece of a message, of a tool's result, or of what a person sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Content {
    /// Plain text or Markdown.
    Text(String),
    /// An image, a sound, a file: embedded, or only named.
    Media(Media),
    /// A change to one file.
    Diff(FileDiff),
    /// Anything else.
    Other(Other),
}

/// What a thread is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThreadState {
    /// Known, but not loaded in this session.
    Stored,
    /// Ready for a message.
    Idle,
    /// A turn is open.
    Active,
    /// Closed; it can be resumed.
    Closed,
    /// No longer usable; only its history is left.
    Broken,
    /// The provider does not tell.
    Unknown,
}

/// A provider's thread, live or on disk. The plugin sends it as an event and as a command's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Thread {
    /// The provider's own id, used in every later command and event. Where the provider has none the plugin makes one up (`main`)
    /// and declares `identity.native-thread-ids` as `none`.
    pub id: String,
    /// All the plugin needs to resume it later, opaque to the host; send it again whenever it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Id of the thread it was forked from, or that its subagent works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Id of the thread that it takes the place of, when the provider gave the same conversation a new id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// Whether it can take a message.
    pub state: ThreadState,
    /// Title for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// First words of the conversation, for a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// Its working folder, an absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Last change, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_ms: Option<f64>,
    /// More facts by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// A value that a person may pick, of a setting or of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// What is sent when it is picked.
    pub value: String,
    /// What is shown.
    pub label: String,
    /// A sentence about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// More facts by name: `context-window`, `default`, `legacy`, `price`; `asks` says what a person is asked about before each time
    /// while it is in force: `commands`, `reads`, `changes`, `patches`, with spaces between. Name only what is asked about without exception.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// Something that can be chosen for a thread or a session: the model, the mode, the effort, or an option only this provider has.
/// Well-known names: `model`, `mode`, `effort`, `approvals` (`ask`, `edits`, `auto`, `never`), `sandbox` (`read-only`, `workspace-write`, `none`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// Its name, used to set it.
    pub name: String,
    /// Name for a person.
    pub label: String,
    /// The value in force; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The values offered; empty means free text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// More facts by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// How much a note matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Of use to the plugin's author only.
    Debug,
    /// Worth knowing.
    Info,
    /// Something is not as it should be.
    Warning,
    /// Something failed.
    Error,
}

/// A short statement. As an event it comes from the provider and a person reads it; as a diagnostic it comes from the plugin and its author reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// How much it matters.
    pub level: Level,
    /// What it is about, in kebab case and stable: `deprecated`, `model-rerouted`, `config`, `hook`.
    pub code: String,
    /// The statement.
    pub text: String,
    /// Why, when something went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// The value of a capability. A value of the wrong type counts as the weakest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum CapabilityValue {
    /// Yes or no.
    Flag(bool),
    /// A number: `context.max-recommended-handoff-chars`, in characters.
    Count(u32),
    /// One word of a few: `strong`, `weak`, `none`; `native`, `client-boundary`.
    Word(String),
    /// Anything else.
    Other(Other),
}

/// One capability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Capability {
    /// Its name, `group.flag`.
    pub name: String,
    /// Its value.
    pub value: CapabilityValue,
}

/// A full set of capabilities. A later set replaces an earlier one whole: what it leaves out is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapabilitySet {
    /// Rises by one with each set that the plugin sends in a session; 0 in the descriptor.
    pub revision: u32,
    /// Version of the provider's program or server, once the handshake has told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_version: Option<String>,
    /// The capabilities, each name once; the weaker of two wins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<Capability>,
}

/// What the plugin says about itself before any session; must be the same at every call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Descriptor {
    /// The provider's slug, `\[a-z\]\[a-z0-9-\]*`, at most 64 characters.
    pub provider: String,
    /// The provider's name for a person.
    pub label: String,
    /// The capabilities it declares for the newest version of the provider that it knows.
    pub declared: CapabilitySet,
    /// Settings known without asking the provider.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// More facts by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// Starting a program. Nothing here can name a program, a variable or an argument that the manifest does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spawn {
    /// Name of the spawn profile in the manifest.
    pub profile: String,
    /// Values for the holes of its argument template, by name; a hole left out drops its argument.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holes: Pairs,
}

/// Signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGKILL.
    Kill,
}

/// A signal to a channel's process tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SignalSend {
    /// The channel.
    pub channel: u32,
    /// Which.
    pub kind: SignalKind,
}

/// A path beneath a root.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilePath {
    /// Name of the root in the manifest.
    pub root: String,
    /// Path relative to it; never leaves it.
    pub path: String,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadFile {
    /// The file.
    pub file: FilePath,
    /// First byte; below zero counts from the end.
    pub offset: f64,
    /// At most so many bytes.
    pub length: u32,
}

/// A query of a SQLite file, read-only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SqliteQuery {
    /// The file.
    pub file: FilePath,
    /// One SELECT.
    pub sql: String,
    /// Values for its parameters, in order, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<String>,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilePart {
    /// The bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<u8>,
    /// Size of the whole file.
    pub size: f64,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// True for a folder.
    pub folder: bool,
    /// Size in bytes.
    pub size: f64,
    /// Last change, milliseconds since 1970.
    pub modified_ms: f64,
}

/// What a frame or a message holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum FrameData {
    /// Valid UTF-8: nearly always.
    Text(String),
    /// A server-sent event that has a name: the name, then its data.
    Named((String, String)),
    /// Anything else.
    Bytes(Vec<u8>),
    /// Neither.
    Other(Other),
}

/// A message to a channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Write {
    /// The channel.
    pub channel: u32,
    /// The message without its line end, which the host adds.
    pub data: FrameData,
}

/// An HTTP request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HttpRequest {
    /// Name of the origin in the manifest; the host adds its secrets.
    pub origin: String,
    /// The method.
    pub method: String,
    /// Path and query, beginning with `/`.
    pub path: String,
    /// Headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Pairs,
    /// The body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<FrameData>,
    /// True to get the body as frames on this channel, as the manifest frames it.
    pub streaming: bool,
}

/// What is wished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum EffectBody {
    /// Start a program by a spawn profile. Done `opened`; its output arrives as frames, its end as `channel-closed`.
    Spawn(Spawn),
    /// Write one message to a channel's stdin. Done `written` when it left the host; on a JSON channel it must be one JSON value.
    Write(Write),
    /// Close the stdin of this channel. Done `written`.
    CloseStdin(u32),
    /// Send a signal to the process tree of a channel. Done `written`.
    Signal(SignalSend),
    /// An HTTP request to a granted origin. Done `response`; the body is in it, or streams as frames of this channel.
    Http(HttpRequest),
    /// Fire the input `timer` with this effect's id after so many milliseconds.
    Timer(f64),
    /// Read a part of a file beneath a granted root, at most 1 MiB. Done `bytes`.
    ReadFile(ReadFile),
    /// List a folder beneath a granted root. Done `entries`.
    ListFolder(FilePath),
    /// Read rows of a SQLite file beneath a granted root. Done `rows`.
    QuerySqlite(SqliteQuery),
    /// Drop the effect with this id if it has not happened; closes its channel if it has one. Not answered.
    Cancel(u32),
    /// Anything else.
    Other(Other),
}

/// One wish. The host answers each with `effect-done`, save `timer`, which answers by firing, and `cancel`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// The plugin's number for it, higher than that of any effect before it in the session; `cancel` needs none of its own. For `spawn` and `http` it is also the number of the channel that opens.
    pub id: u32,
    /// What is wished.
    pub body: EffectBody,
}

/// The head of an HTTP response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HttpResponse {
    /// Status code.
    pub status: u32,
    /// Headers, names in lower case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Pairs,
    /// The body; absent when it streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<FrameData>,
}

/// What an effect gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum EffectValue {
    /// The channel is open.
    Opened,
    /// It left the host.
    Written,
    /// The head of an HTTP response, and its body unless it streams.
    Response(HttpResponse),
    /// A part of a file.
    Bytes(FilePart),
    /// What a folder holds.
    Entries(Vec<Entry>),
    /// Rows, each a JSON array as text.
    Rows(Vec<String>),
    /// Anything else.
    Other(Other),
}

/// The answer to one effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EffectResult {
    /// The effect's id.
    pub id: u32,
    /// How it went; `denied` when policy or a missing grant refused it.
    pub outcome: Result<EffectValue, Fault>,
}

/// The pipes of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pipe {
    /// stdout, or the body of an HTTP response.
    Main,
    /// stderr.
    Error,
}

/// One message from a channel, cut by the host: a line, a server-sent event, a piece of stderr.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// The channel: the id of the effect that opened it.
    pub channel: u32,
    /// Which of its pipes.
    pub pipe: Pipe,
    /// The message, without its line end.
    pub data: FrameData,
}

/// The end of a channel; no frame of it follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChannelExit {
    /// The channel.
    pub channel: u32,
    /// Exit code of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// Signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The last of its stderr, at most 4 KiB.
    pub stderr_tail: String,
    /// Why it ended, when it was not by itself: the host's watchdog, a broken connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserMessage {
    /// The command that sent it; absent when it did not come from the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<u32>,
    /// False when the provider wrote it in the person's name (a task's notice, a summary).
    pub typed: bool,
    /// What was said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Content>,
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Reads files.
    Read,
    /// Changes files, patches included.
    Edit,
    /// Deletes files.
    Delete,
    /// Moves files.
    Move,
    /// Searches files.
    Search,
    /// Runs a command.
    Execute,
    /// Fetches from, or searches, the web.
    Fetch,
    /// Thinks, plans, keeps a list.
    Think,
    /// Starts or directs a subagent or a background task.
    Delegate,
    /// Asks the person.
    Ask,
    /// Changes the mode.
    SwitchMode,
    /// A hook of the provider's.
    Hook,
    /// None of these, or not known yet: see `name`.
    Unknown,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Location {
    /// Path, absolute or relative to the workspace.
    pub path: String,
    /// Line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// A tool call, as far as it is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// What it does, as far as a UI cares.
    pub kind: ToolKind,
    /// The provider's name of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The MCP server it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// A line for a person: mostly the command or the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its input, JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Files it touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    /// Its result so far, in place of what was told before: texts, diffs, pictures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Content>,
    /// The exit code of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// More facts by name: `cwd`, `duration-ms`, `terminal`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// What an item is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum ItemBody {
    /// What a person said: an echo of a command, or history.
    User(UserMessage),
    /// What the assistant said, whole; may be empty while deltas are on their way.
    Assistant(Vec<Content>),
    /// What it thought, whole.
    Reasoning(Vec<Content>),
    /// A plan it proposes, as Markdown; accepted or rejected by the answer to a request.
    ProposedPlan(String),
    /// A tool call, a command, a file change, a search, a hook.
    Tool(Tool),
    /// Anything else.
    Other(Other),
}

/// Something a person sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// The provider's id. Where one of its messages has several parts, add `#` and the part's index; never an id of your own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// How far it has come.
    pub status: Status,
    /// What it is.
    pub body: ItemBody,
    /// The provider's resume point after this item, for rollback and fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// More facts by name: `at-ms` (when it happened, for history), `phase`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// What a delta's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextKind {
    /// The assistant's words.
    Assistant,
    /// Its reasoning.
    Reasoning,
    /// The provider's summary of its reasoning.
    ReasoningSummary,
    /// A proposed plan.
    Plan,
    /// The input of a tool call, as raw JSON text.
    ToolInput,
    /// What a tool or a command prints.
    ToolOutput,
}

/// More text of an item. Two equal deltas are two deltas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Delta {
    /// The item's id; absent when it has none: then the open item of this kind is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What the text is.
    pub kind: TextKind,
    /// True when `text` is all of it so far and not only what is new.
    pub whole: bool,
    /// The text.
    pub text: String,
}

/// What choosing an option does. The host's rules go by this word, and check it against the guarded exchange in the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Allows this once.
    AllowOnce,
    /// Allows it and its like until the session ends.
    AllowSession,
    /// Allows it and its like from now on.
    AllowAlways,
    /// Refuses this once; the turn goes on.
    RejectOnce,
    /// Refuses it and its like from now on.
    RejectAlways,
    /// Refuses and stops the turn.
    Abort,
    /// Neither allows nor refuses: picks a login method, a variant.
    Neutral,
    /// Not known; the host treats it as allowing always.
    Unknown,
}

/// One option that the provider offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Offer {
    /// Its id, sent back in the answer.
    pub id: String,
    /// What is shown.
    pub label: String,
    /// What choosing it does.
    pub verdict: Verdict,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// Its id.
    pub id: String,
    /// A word or two above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// The question.
    pub text: String,
    /// Answers to pick from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// More than one may be picked.
    pub multiple: bool,
    /// Own words are welcome.
    pub free_text: bool,
    /// The answer must not be shown or stored.
    pub secret: bool,
    /// JSON Schema of the answer, when the provider gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
}

/// What a login needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Login {
    /// A page to open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A code to type there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What to do, for a person.
    pub text: String,
}

/// What a request is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Subject {
    /// May this tool run? Its call, as far as it is known, even if no item told it before.
    Approval(Tool),
    /// May this plan be carried out? Markdown.
    Plan(String),
    /// Questions to a person.
    Questions,
    /// A login: a person must do something elsewhere or pick a method.
    Login(Login),
    /// A tool of the host's is called; the host answers, no person is asked.
    HostTool(Tool),
    /// Anything else.
    Other(Other),
}

/// Something that waits for an answer. The host answers it with `respond`, exactly once, or never.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// The provider's id as text, `0` included; made up where it has none. No two open requests of a session share it.
    pub id: String,
    /// The item it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// What it is about.
    pub subject: Subject,
    /// Why it asks, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What may be chosen, exactly as the provider offers it; the host lets nothing else through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Offer>,
    /// What is to be filled in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Question>,
    /// The provider's own request, JSON; absent when it is the frame that caused this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// When it expires at the provider, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<f64>,
    /// More facts by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// The end of a request at the provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestEnd {
    /// Its id.
    pub id: String,
    /// How it ended: completed (answered), cancelled (withdrawn), failed (the answer was refused), unknown.
    pub status: Status,
}

/// An offered option that was picked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Chosen {
    /// Id of the option.
    pub option_id: String,
    /// Words for the model, mostly with a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The tool's input as the person changed it, JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Filled {
    /// Id of the question.
    pub question: String,
    /// The values picked or typed; JSON values where the question has a schema.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// What a tool of the host's gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolOutput {
    /// The result for the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Content>,
    /// True when the tool failed.
    pub failed: bool,
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Reply {
    /// One of the offered options.
    Chosen(Chosen),
    /// Answers to the questions, one entry for each that was answered.
    Filled(Vec<Filled>),
    /// What the host's tool gave.
    Output(ToolOutput),
    /// Nobody decided: the card was closed or the run is being stopped. Must never be turned into consent.
    Dismissed,
    /// Anything else.
    Other(Other),
}

/// The answer to a request. The host sends it only for a request that is open, and only what the request offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Id of the request.
    pub request: String,
    /// What was answered.
    pub reply: Reply,
}

/// Where something happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// The provider's id of the thread; absent for the session's only one, or for the session itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The provider's id of the turn; absent for the one that is open, or when the provider has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// Id of the task or tool item inside which it happened: a subagent's transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// True for history that the provider or a file told again; never shown as live.
    pub replayed: bool,
}

/// The beginning of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnStart {
    /// The command that opened it; absent when the provider did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<u32>,
    /// Why the provider opened it by itself: `task-notification`, `hook`, `schedule`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnEnd {
    /// The command that opened it, where known: it tells turns without ids apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<u32>,
    /// How it ended: completed, failed, interrupted, cancelled or unknown. A success that carries an error is failed.
    pub status: Status,
    /// The provider's own word: `end_turn`, `max_tokens`, `refusal`, `max_turns`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// The provider's resume point after this turn, for rollback and fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// True when background tasks of this turn go on.
    pub background: bool,
    /// More facts by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// One step of a todo list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanStep {
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub status: Status,
    /// The provider's word for its weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
}

/// The todo list, whole: a step that is not in it is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The provider's id of the list, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Why it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// The steps, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
}

/// What a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// An agent of the provider's.
    Subagent,
    /// A command.
    Shell,
    /// Anything else: see `title`.
    Unknown,
}

/// A subagent, or other work that may outlive its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// The provider's id.
    pub id: String,
    /// What it is.
    pub kind: TaskKind,
    /// How far it is.
    pub status: Status,
    /// A line for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The tool item that began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The thread it works in, where the provider gives it one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// True when it goes on after its turn.
    pub background: bool,
    /// What came of it, or how it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// More facts by name: `model`, `prompt`, `output-file`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// What usage numbers are about; the host adds nothing up across spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageSpan {
    /// One call of the model.
    Call,
    /// The turn so far.
    Turn,
    /// The thread so far.
    Thread,
    /// The provider's session so far.
    Session,
}

/// Tokens and money. Only what the provider told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// What the counts are about.
    pub span: UsageSpan,
    /// The counts by name. Well-known, in tokens: `input` (without the caches), `cache-read`, `cache-write`, `output` (reasoning included), `reasoning`,
    /// `context-used`, `context-window`; and `cost-usd`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Numbers,
}

/// What happened to the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextEffect {
    /// It is being shortened.
    Compacting,
    /// It was shortened.
    Compacted,
    /// Shortening failed; it is as before.
    CompactFailed,
    /// It was emptied on purpose.
    Cleared,
    /// Its newest turns were dropped.
    Rewound,
    /// It is gone though nobody asked: the provider began afresh.
    Lost,
}

/// A change of the provider's context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextChange {
    /// What happened.
    pub what: ContextEffect,
    /// The last turn that is left, after `rewound`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// Tokens before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_before: Option<f64>,
    /// Tokens after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_after: Option<f64>,
    /// True when nobody asked for it.
    pub automatic: bool,
    /// The summary that took its place, or why it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// Something that a message may name after a slash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlashCommand {
    /// Its name, without the slash.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What may follow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// More facts by name: `kind` = `command`, `skill`, `agent`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// How an MCP server is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct McpState {
    /// Its name.
    pub name: String,
    /// Pending, running, waiting (for a login), failed, cancelled (switched off) or unknown.
    pub status: Status,
    /// Its tools, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// What is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One allowance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateLimit {
    /// Its name: `five-hour`, `weekly`, `requests`.
    pub name: String,
    /// Part that is used, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_percent: Option<f64>,
    /// When it starts anew, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at_ms: Option<f64>,
    /// True when nothing is left.
    pub reached: bool,
}

/// The account behind a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Account {
    /// False when a login is needed; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged_in: Option<bool>,
    /// Who or what it is, for a person: never a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Allowances and how much of them is used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<RateLimit>,
    /// More facts by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// The provider tries again by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    /// Number of the attempt to come, from 1.
    pub attempt: u32,
    /// At most so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Milliseconds until it comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<f64>,
    /// Why.
    pub fault: Fault,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum EventBody {
    /// More text of an item: the one frequent event.
    Delta(Delta),
    /// Items that began, changed or ended: tell all you know of them, as often as you like.
    Items(Vec<Item>),
    /// A turn began, opened by a command or by the provider itself.
    TurnStarted(TurnStart),
    /// A turn ended; nothing else ends it.
    TurnEnded(TurnEnd),
    /// Threads that appeared or changed.
    Threads(Vec<Thread>),
    /// The todo list, whole.
    Plan(Plan),
    /// Subagents and background tasks that began, changed or ended.
    Tasks(Vec<Task>),
    /// Ids of all tasks that run in the background, whole: one that is not here has ended.
    Roster(Vec<String>),
    /// A person or the host must answer these before the provider goes on.
    RequestsOpened(Vec<Request>),
    /// These need no answer any more: answered, withdrawn or expired at the provider.
    RequestsClosed(Vec<RequestEnd>),
    /// Tokens and money.
    Usage(Usage),
    /// The provider's context was shortened, cut or lost.
    Context(ContextChange),
    /// What the open turn has changed in files so far, whole.
    Changes(Vec<FileDiff>),
    /// The settings and their values, whole.
    Settings(Vec<Setting>),
    /// Slash commands, skills and agents that a message may name, whole.
    SlashCommands(Vec<SlashCommand>),
    /// MCP servers and how they are, whole.
    McpServers(Vec<McpState>),
    /// The account behind the session, and how much of its allowance is used.
    Account(Account),
    /// Ops of messages that wait in the provider's own queue, whole and in order.
    Queue(Vec<u32>),
    /// The provider is trying again by itself.
    Retrying(Retry),
    /// The provider says something that belongs to no item.
    Note(Note),
    /// Anything else.
    Other(Other),
}

/// One thing that happened, and where. The order of events is the order of the frames they came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Where; absent for the only thread of the session, the turn that is open in it, its root, live. Leave it out where you can: text comes often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// What happened.
    pub body: EventBody,
}

/// What a session is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Conversations.
    Live,
    /// Only listing and reading what is stored; must not start the provider's conversation.
    Query,
}

/// How a session begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StartSession {
    /// What the session is for.
    pub role: Role,
    /// The workspace, an absolute path.
    pub folder: String,
    /// The instance's options, a JSON object that fits the manifest's schema.
    pub options: String,
    /// Number of this native start; a restart of the provider's program has the next one.
    pub epoch: u32,
    /// 32 hexadecimal digits, new for each session and epoch: the plugin's only source of randomness.
    pub seed: String,
    /// Settings in force from the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selection: Pairs,
    /// More facts by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// Stopping a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interrupt {
    /// The turn to stop, where the provider has turn ids; absent for whichever is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// Leave background tasks running.
    pub keep_background: bool,
}

/// In whose name a context part speaks. A plugin is only sent the roles that its capabilities accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextRole {
    /// The system prompt, added to.
    System,
    /// Instructions of the application.
    Developer,
    /// As if the person had said it.
    User,
    /// A summary of what happened with another provider.
    Handoff,
}

/// Context that the host gives and no person typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextPart {
    /// In whose name it speaks.
    pub role: ContextRole,
    /// The text.
    pub text: String,
}

/// How a thread is opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenThread {
    /// The cursor to resume from; absent to create a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Settings in force in this thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selection: Pairs,
    /// Context given before the first message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextPart>,
    /// Its working folder, when it is not the session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// More facts by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// A person's message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// What the person sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Content>,
    /// The open turn it is meant for, when it steers one and the provider has turn ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// Context that goes before it: instructions, a handoff.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextPart>,
    /// Settings for its turn and those after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selection: Pairs,
    /// A UUID of the host's for this message; pass it on where the provider takes one.
    pub uuid: String,
    /// Hand it over even while a turn is open, to wait in the provider's queue.
    pub enqueue: bool,
    /// More facts by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// Reading a thread's history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadThread {
    /// The thread's cursor, when it is not open in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Where to go on, from the page before; absent for the newest page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// At most so many items; a tool call and its result are never parted.
    pub limit: u32,
}

/// A point in a thread: after a turn, after an item inside a turn, or before the first turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The last turn before it, or the one it lies in, where the provider has turn ids; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The last item before it, by the provider's id, when it lies inside that turn; absent after a whole turn. With neither this
    /// nor a mark of the item, the point can't be named, and the host does not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The resume point that the provider gave for it: the item's, else the turn's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// How many turns come after that turn; 0 is the last one, or the end of the thread.
    pub turns_after: u32,
}

/// Writing a summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summarize {
    /// What the summary is for.
    pub instructions: String,
    /// At most so many characters.
    pub max_chars: u32,
}

/// How an MCP server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpTransport {
    /// A program that speaks on stdio.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// The older transport with server-sent events.
    Sse,
    /// Another one: see `extra`.
    Unknown,
}

/// An MCP server for the provider to use. Secrets are holes (`${secret:NAME}`), which the host fills in when it writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
    /// The program, or the URL.
    pub address: String,
    /// The program's arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The program's environment, or headers for every request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Pairs,
    /// Tools of it that the provider must not use; `*` for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disabled_tools: Vec<String>,
    /// More facts by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Pairs,
}

/// A tool of the host's that the provider may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its input.
    pub input_schema: String,
}

/// Which stored threads to list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListThreads {
    /// Only those of this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Where to go on, from the list before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// At most so many.
    pub limit: u32,
}

/// What to do. What the provider cannot do is answered with a fault of kind `unsupported`, never left open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum CommandBody {
    /// Begin the session; always the first command. Done `accepted` once the provider's handshake is through.
    Start(StartSession),
    /// Create a thread or resume one. Done `thread`. A resume that fails is a fault, never silently a fresh conversation.
    OpenThread(OpenThread),
    /// A person's message that opens a turn. Done `delivered` once the provider took it.
    SendRun(Message),
    /// A message into the turn that is open. Done `delivered` once it is known what became of it.
    SteerRun(Message),
    /// Stop the open turn. Done `interrupted` once the provider heard it, a fault of kind `conflict` when none is open; the turn's end arrives as an event.
    Interrupt(Interrupt),
    /// The answer to an open request. Done `accepted` once its write effect is done; a fault leaves the request open.
    Respond(Answer),
    /// Give the thread's history as events marked `replayed`, oldest first. Done `page`.
    ReadThread(ReadThread),
    /// Make the provider forget all that came after this point. Done `thread`.
    RollbackThread(Point),
    /// Copy the thread up to this point; a subagent's, by its id, where it has one. Done `thread` with the new one, and its cursor.
    ForkThread(Point),
    /// Shorten the provider's context; the text says what to keep, empty for the provider's own choice. Done `accepted`.
    CompactThread(String),
    /// Forget the conversation, keep the thread. Done `thread`, with a new id when the provider made one.
    ClearThread,
    /// Let go of the thread; it can be resumed by its cursor. Done `accepted`.
    CloseThread,
    /// Write a summary of the thread, without a trace in it where the provider can. Done `text`.
    Summarize(Summarize),
    /// Choose values of settings, by name. Done `applied`.
    SetSelection(Pairs),
    /// The MCP servers the provider may use from now on, whole. Done `applied`.
    SetMcpServers(Vec<McpServer>),
    /// The host's own tools that the provider may call, whole. Done `applied`; calls come as requests.
    RegisterTools(Vec<ToolSpec>),
    /// End a background task, by its id. Done `accepted`; its end arrives as an event.
    StopTask(String),
    /// Answer once this task has ended. Done `task`.
    WaitTask(String),
    /// Log in by this method, one of those a login request offered. Done `accepted`; what a person must do arrives as a request.
    Authenticate(String),
    /// Role query: folders that hold conversations of this provider. Done `folders`; none is an empty list.
    ListFolders,
    /// Role query: stored threads, newest first. Done `threads`; none is an empty list.
    ListThreads(ListThreads),
    /// Models, modes and other settings that a new thread could have. Done `settings`.
    ListSettings,
    /// Anything else.
    Other(Other),
}

/// One thing the host asks for. The plugin answers every command exactly once with `done`, in this call or a later one; progress travels in events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Command {
    /// Number of this command in the session; never used twice.
    pub op: u32,
    /// The thread it is about, by the provider's id; absent when it is about the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// What to do.
    pub body: CommandBody,
}

/// A page of stored threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadList {
    /// The threads, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Thread>,
    /// Where the next page begins; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A folder that holds conversations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Folder {
    /// Absolute path.
    pub path: String,
    /// How many conversations.
    pub threads: u32,
    /// Last change, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_ms: Option<f64>,
}

/// Where a message went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivered {
    /// It opened a turn.
    OpenedTurn,
    /// It joined the open turn.
    JoinedTurn,
    /// It waits in the provider's queue; `turn-started` names its op later.
    Queued,
    /// It came too late and was dropped.
    Stale,
    /// The provider took it and does not tell.
    Unknown,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Delivery {
    /// Where it went.
    pub how: Delivered,
    /// The turn it opened or joined, where the provider has turn ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
}

/// When a choice takes hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Applies {
    /// At once.
    Now,
    /// With the next turn.
    NextTurn,
    /// After a restart of the session that resumes the thread; the host does that.
    AfterRestart,
    /// Only in a new thread; the host hands the conversation over.
    InNewThread,
}

/// What a command gave. Which case belongs to which command is said at the command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum OpValue {
    /// Done, or taken on.
    Accepted,
    /// A thread.
    Thread(Thread),
    /// Stored threads.
    Threads(ThreadList),
    /// Folders that hold conversations.
    Folders(Vec<Folder>),
    /// Settings with their choices.
    Settings(Vec<Setting>),
    /// What became of a message.
    Delivered(Delivery),
    /// When a choice takes hold.
    Applied(Applies),
    /// The provider heard the interrupt; ops of messages that still wait in its queue.
    Interrupted(Vec<u32>),
    /// A task that has ended.
    Task(Task),
    /// A text.
    Text(String),
    /// Where the next page of history begins; absent at the end.
    Page(Option<String>),
    /// Anything else.
    Other(Other),
}

/// The plugin's answer to one command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpResult {
    /// The command's number.
    pub op: u32,
    /// How it went.
    pub outcome: Result<OpValue, Fault>,
}

/// What the host feeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Input {
    /// A message from a channel.
    Frame(Frame),
    /// Something the host asks for; always alone in its batch.
    Command(Command),
    /// The answer to an effect.
    EffectDone(EffectResult),
    /// A timer fired, by its effect's id.
    Timer(u32),
    /// A channel ended.
    ChannelClosed(ChannelExit),
    /// The session ends now. Effects returned here are still carried out; no input follows.
    Close,
    /// Anything else; ignore what you do not know.
    Other(Other),
}

/// What became of a frame that has no other output. Each frame has outputs or one disposition: the host counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Disposition {
    /// Kept inside until a later frame completes it.
    Held,
    /// Seen before.
    Duplicate,
    /// Not the protocol's: a log line, a banner.
    Noise,
    /// Understood and of no interest; its kind.
    Silent(String),
    /// Not understood; its kind. The host warns once.
    Unknown(String),
    /// Anything else.
    Other(Other),
}

/// What the plugin returns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Output {
    /// Something happened at the provider.
    Event(Event),
    /// Something the plugin wishes for.
    Effect(Effect),
    /// The answer to a command.
    Done(OpResult),
    /// What this provider can do in this session; replaces what was declared, up or down.
    Negotiated(CapabilitySet),
    /// What became of a frame that has no other output.
    Disposition(Disposition),
    /// A word to the plugin's author; no user sees it.
    Diagnostic(Note),
    /// Anything else.
    Other(Other),
}

/// An output and the input that caused it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Caused {
    /// Index of that input in the batch.
    pub cause: u32,
    /// The output.
    pub output: Output,
}
