//! Session events: what clients, the store and the projection see. One vocabulary for every door.
//!
//! An event is never changed once it has a `seq`. A client that holds the snapshot at N and the events after N knows all.
//! **An event says how sure its correlation is, and which frame caused it; it never carries a provider's name to decide by.**

use crate::capability::CapabilityView;
use crate::contract::{
    Account, CapabilityValue, Content, ContextChange, Fault, FileDiff, Login, McpState, Note, Offer, Pairs, Plan,
    Question, Retry, Setting, SlashCommand, Status, TaskKind, TextKind, ThreadState, Tool, Usage,
};
use crate::id::{AttemptId, ItemId, RequestId, RunId, SessionId, TaskId, ThreadId, TurnId};
use crate::ledger::LedgerCounts;
use crate::policy::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of this vocabulary, in the first line of every stream.
pub const SCHEMA_VERSION: u32 = 1;

/// One event, as stored and sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionEvent {
    /// Number of the event in its thread, rising; never used twice, not even after a crash.
    pub seq: u64,
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// The thread it belongs to.
    pub thread: ThreadId,
    /// Where and what.
    #[serde(flatten)]
    pub draft: Draft,
}

/// An event before it has a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Draft {
    /// The run it belongs to; absent for what belongs to no run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The turn it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// The item inside which it happened: a subagent's tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ItemId>,
    /// How it was made.
    #[serde(default, skip_serializing_if = "Origin::is_plain")]
    pub origin: Origin,
    /// What happened.
    #[serde(flatten)]
    pub body: EventBody,
}

impl From<EventBody> for Draft {
    /// An event of the thread, in no run.
    fn from(body: EventBody) -> Draft {
        Draft { run: None, turn: None, parent: None, origin: Origin::default(), body }
    }
}

/// How an event was made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Number of the frame that caused it, in the session; the raw frame can be fetched while it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<u64>,
    /// How sure it is that the event belongs to the thing it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation: Option<Correlation>,
    /// True when the host made it because the provider did not say it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub synthetic: bool,
    /// True for history told again; never shown as live.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

impl Origin {
    fn is_plain(&self) -> bool {
        *self == Origin::default()
    }
}

/// How a native id was matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Correlation {
    /// By a native id that is unique in its scope.
    Strong,
    /// By a native id and its occurrence.
    Weak,
    /// By kind and ordinal alone.
    None,
    /// By policy: the provider did not say.
    Inferred,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum EventBody {
    /// A thread of ours began.
    #[serde(rename = "thread.created")]
    ThreadCreated {
        /// The provider it talks to.
        provider: String,
        /// Its working folder.
        folder: String,
    },
    /// The provider's side of the thread changed.
    #[serde(rename = "thread.updated")]
    ThreadUpdated {
        /// The provider's own id.
        native_id: String,
        /// Whether it can take a message.
        state: ThreadState,
        /// Title for a person.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// The provider's thread it was forked from or works for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent_native_id: Option<String>,
        /// True when there is a cursor to resume from.
        resumable: bool,
    },
    /// A plugin began to work for this thread.
    #[serde(rename = "session.started")]
    SessionStarted {
        /// The session.
        session: SessionId,
        /// Number of the native start.
        epoch: u32,
        /// The plugin, `publisher/name`.
        plugin: String,
        /// Its version.
        plugin_version: String,
        /// sha256 of its bytes, hexadecimal.
        digest: String,
        /// True when the provider's conversation was resumed from a cursor.
        resumed: bool,
        /// The session whose program serves this thread together with others; absent when the thread began it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shares: Option<SessionId>,
    },
    /// The session is over.
    #[serde(rename = "session.ended")]
    SessionEnded {
        /// The session.
        session: SessionId,
        /// Why.
        reason: SessionEnd,
        /// What went wrong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
        /// Exit code of the provider's program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// Signal that ended it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
        /// The last words of its stderr.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        stderr_tail: String,
        /// The ledger at its end, with what came outside of runs; absent where the host died before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ledger: Option<LedgerCounts>,
        /// What belonged to no turn: with the frames of each turn it comes to the ledger. Absent where the host died before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outside: Option<LedgerCounts>,
    },
    /// What the thread can do, whole, with the hints that follow from it.
    #[serde(rename = "capabilities.updated")]
    CapabilitiesUpdated {
        /// The view; its version rises with each change.
        capabilities: CapabilityView,
    },
    /// Two overlapping flags disagree; the weaker one counts.
    #[serde(rename = "capability.conflict")]
    CapabilityConflict {
        /// The stronger flag, which does not count.
        stronger: String,
        /// The weaker one, which does.
        weaker: String,
    },
    /// The provider did not keep what it declares: from now on the flag counts for less, for this build of the plugin with this
    /// version of the provider's program.
    #[serde(rename = "capability.demoted")]
    CapabilityDemoted {
        /// The flag.
        flag: String,
        /// What it counts as.
        to: CapabilityValue,
        /// What was seen.
        because: String,
    },
    /// A message was accepted; it is stored before this is said.
    #[serde(rename = "run.created")]
    RunCreated {
        /// What the person sent.
        content: Vec<Content>,
        /// Its number in the thread, from 1.
        ordinal: u32,
    },
    /// A run's status changed.
    #[serde(rename = "run.updated")]
    RunUpdated {
        /// The status now.
        status: RunStatus,
    },
    /// A run is over; nothing of it follows but the roster's background work.
    #[serde(rename = "run.ended")]
    RunEnded {
        /// How.
        status: RunStatus,
        /// The provider's own word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
        /// True when background work of it goes on.
        background: bool,
        /// The run whose turn the message joined: it has no turn of its own then, and its reason is `joined`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        joined: Option<RunId>,
        /// What became of every frame so far in the session: in = the sum of the rest.
        ledger: LedgerCounts,
    },
    /// A message that waits was changed by its author.
    #[serde(rename = "run.edited")]
    RunEdited {
        /// What it says now.
        content: Vec<Content>,
    },
    /// A try at a run began.
    #[serde(rename = "attempt.started")]
    AttemptStarted {
        /// The attempt.
        attempt: AttemptId,
        /// Why.
        reason: AttemptReason,
    },
    /// The provider began a turn.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// Number of the turn in the thread, from 1.
        ordinal: u32,
        /// Why the provider opened it by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The provider's turn is over.
    #[serde(rename = "turn.ended")]
    TurnEnded {
        /// How.
        status: Status,
        /// The provider's own word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
        /// The provider's own id of the turn: with the mark, the way back to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        native_id: Option<String>,
        /// The provider's resume point after the turn, opaque.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<String>,
        /// What became of the turn's own frames; absent where the host died before its end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frames: Option<LedgerCounts>,
    },
    /// The provider forgot these turns, and their runs are taken back. Files are as they were.
    #[serde(rename = "thread.rolled_back")]
    ThreadRolledBack {
        /// The last turn that is left; absent when none is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<TurnId>,
        /// The turns that are gone, in order.
        turns: Vec<TurnId>,
        /// Their runs, in order.
        runs: Vec<RunId>,
    },
    /// This thread is a copy of another one, up to a turn or an item of it, or of a subagent's in it.
    #[serde(rename = "thread.forked")]
    ThreadForked {
        /// The thread that was copied.
        from: ThreadId,
        /// The last turn of it that the copy knows whole; absent at its end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<TurnId>,
        /// The last item of it that the copy knows, inside of a turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<ItemId>,
        /// The subagent in it whose thread was copied.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
    },
    /// This thread is that of a subagent of another one, opened as a conversation. Nothing was copied.
    #[serde(rename = "thread.opened")]
    ThreadOpened {
        /// The thread that the subagent worked for.
        from: ThreadId,
        /// The subagent.
        task: TaskId,
    },
    /// An item appeared.
    #[serde(rename = "item.started")]
    ItemStarted {
        /// The item as far as it is known.
        item: Item,
    },
    /// An item changed; what is not named stays.
    #[serde(rename = "item.updated")]
    ItemUpdated {
        /// The item, whole.
        item: Item,
    },
    /// More text of an item.
    #[serde(rename = "item.delta")]
    ItemDelta {
        /// The item.
        item: ItemId,
        /// What the text is.
        kind: TextKind,
        /// The text, to be appended.
        text: String,
    },
    /// An item is finished; nothing of it follows.
    #[serde(rename = "item.ended")]
    ItemEnded {
        /// The item, whole, with its final status and text.
        item: Item,
    },
    /// Something waits for an answer.
    #[serde(rename = "request.opened")]
    RequestOpened {
        /// The request.
        request: Request,
    },
    /// A request needs no answer any more.
    #[serde(rename = "request.resolved")]
    RequestResolved {
        /// The request.
        request: RequestId,
        /// How it ended.
        resolution: Resolution,
    },
    /// The todo list, whole.
    #[serde(rename = "plan.updated")]
    PlanUpdated {
        /// The list.
        plan: Plan,
    },
    /// A subagent or background task began, changed or ended.
    #[serde(rename = "task.updated")]
    TaskUpdated {
        /// The task, whole.
        task: Task,
    },
    /// Tokens and money.
    #[serde(rename = "usage.updated")]
    UsageUpdated {
        /// What the provider told.
        usage: Usage,
    },
    /// The provider's context was shortened, cut, cleared or lost.
    #[serde(rename = "context.changed")]
    ContextChanged {
        /// What happened.
        change: ContextChange,
    },
    /// Files the turn has changed so far, whole.
    #[serde(rename = "changes.updated")]
    ChangesUpdated {
        /// The changes.
        changes: Vec<FileDiff>,
    },
    /// Settings and their values, whole.
    #[serde(rename = "settings.updated")]
    SettingsUpdated {
        /// The settings.
        settings: Vec<Setting>,
    },
    /// Slash commands, whole.
    #[serde(rename = "slash_commands.updated")]
    SlashCommandsUpdated {
        /// The commands.
        commands: Vec<SlashCommand>,
    },
    /// MCP servers, whole.
    #[serde(rename = "mcp.updated")]
    McpUpdated {
        /// The servers.
        servers: Vec<McpState>,
    },
    /// The account behind the session.
    #[serde(rename = "account.updated")]
    AccountUpdated {
        /// The account.
        account: Account,
    },
    /// Runs that wait, here and with the provider, whole and in order.
    #[serde(rename = "queue.updated")]
    QueueUpdated {
        /// The runs.
        runs: Vec<RunId>,
    },
    /// The provider tries again by itself.
    #[serde(rename = "retrying")]
    Retrying {
        /// The attempt to come.
        retry: Retry,
    },
    /// The provider says something that belongs to no item.
    #[serde(rename = "note")]
    Note {
        /// The note.
        note: Note,
    },
    /// The host did something else than what was asked, or refused it: what, why, and what is lost.
    #[serde(rename = "policy.decided")]
    PolicyDecided {
        /// What was asked.
        intent: String,
        /// What came of it.
        decision: Decision,
    },
    /// A plugin's wish was refused.
    #[serde(rename = "effect.refused")]
    EffectRefused {
        /// The wish: `spawn main`, `write`.
        effect: String,
        /// Stable code of the refusal.
        code: String,
        /// Why, and the way out.
        message: String,
    },
    /// A step of the interrupt ladder.
    #[serde(rename = "interrupt.step")]
    InterruptStep {
        /// The step.
        step: LadderStep,
        /// How it went.
        outcome: String,
    },
    /// Nothing comes from the provider though a turn is open. Ends nothing.
    #[serde(rename = "stalled")]
    Stalled {
        /// What is waited for.
        waiting_for: String,
        /// For so long, in milliseconds.
        silent_ms: u64,
    },
    /// For the plugin's author and the operator: noise, framing faults, a plugin's own words.
    #[serde(rename = "diagnostic")]
    Diagnostic {
        /// The statement.
        note: Note,
        /// How many of this kind there have been; only the first ones are shown.
        count: u64,
    },
    /// Something nobody understood, kept.
    #[serde(rename = "unknown")]
    Unknown {
        /// Its kind.
        kind: String,
        /// Its data, cut.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        raw: String,
    },
    /// These numbers were given out or reserved and their events are not kept.
    #[serde(rename = "gap")]
    Gap {
        /// The first.
        from_seq: u64,
        /// The last.
        to_seq: u64,
    },
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionEnd {
    /// We closed it.
    Closed,
    /// The provider's program or connection ended by itself.
    ProviderExited,
    /// The plugin broke: trap, budget, fault.
    PluginFailed,
    /// It could not be started.
    StartFailed,
    /// The host died; found at the next start.
    HostDied,
}

/// How far a run has come. The last five end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Waits for its turn.
    Queued,
    /// The session is being prepared.
    Starting,
    /// The provider is at work.
    Running,
    /// Held up by an open request.
    Waiting,
    /// Ended well.
    Completed,
    /// Stopped by us.
    Interrupted,
    /// Ended badly.
    Failed,
    /// Dropped before it began.
    Cancelled,
    /// Taken back.
    RolledBack,
}

impl RunStatus {
    /// True when nothing can follow.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Interrupted | Self::Failed | Self::Cancelled | Self::RolledBack)
    }
}

/// Why an attempt was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttemptReason {
    /// The first.
    Initial,
    /// Replaces one that was interrupted to bring in a message.
    SteeringRestart,
    /// The one before failed.
    Retry,
    /// The provider came back.
    ProviderRecovery,
}

/// Steps from a polite interrupt to the end of the process tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LadderStep {
    /// The provider was asked.
    Interrupt,
    /// Its pending requests were dismissed.
    DismissRequests,
    /// The session was closed.
    CloseSession,
    /// The process tree was ended.
    Kill,
}

/// What a person sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// The host's id.
    pub id: ItemId,
    /// The provider's own id of it, as it came: a reference for those who speak the provider's language, and nothing to decide by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native_id: Option<String>,
    /// The provider's resume point after it, opaque: where a copy of the thread can end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// Its place in its turn, from 1, rising without a ceiling.
    pub ordinal: u32,
    /// How far it has come.
    pub status: Status,
    /// What it is.
    #[serde(flatten)]
    pub body: ItemBody,
    /// When it was told again: the time it had then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<u64>,
    /// More facts by name, as the provider's plugin told them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Pairs,
}

/// What an item is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ItemBody {
    /// What a person said.
    UserMessage {
        /// False when the provider wrote it in the person's name.
        typed: bool,
        /// What was said.
        content: Vec<Content>,
    },
    /// What the assistant said.
    AssistantMessage {
        /// Its text so far.
        text: String,
        /// Pictures and the like.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        media: Vec<Content>,
    },
    /// What it thought.
    Reasoning {
        /// Its text so far.
        text: String,
    },
    /// A plan it proposes, Markdown.
    ProposedPlan {
        /// Its text so far.
        text: String,
    },
    /// A tool call, a command, a file change, a search, a hook.
    Tool {
        /// All that is known of the call.
        tool: Tool,
        /// Raw JSON text of the input while it streams.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        input_text: String,
        /// What it prints.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        output: String,
    },
    /// Something nobody understood.
    Unknown {
        /// Its name.
        name: String,
        /// Its data, JSON, cut.
        json: String,
    },
}

/// Something that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// The host's id.
    pub id: RequestId,
    /// The item it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<ItemId>,
    /// What it is about.
    #[serde(flatten)]
    pub subject: RequestSubject,
    /// Why it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What may be chosen, exactly as offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Offer>,
    /// What is to be filled in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Question>,
    /// The provider's own request, JSON, cut: shown beside the plugin's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// When it expires at the provider, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<u64>,
    /// What the operator's rules make of it; absent when none is about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruled: Option<Ruled>,
}

impl Request {
    /// It is about a login.
    pub fn is_login(&self) -> bool {
        matches!(self.subject, RequestSubject::Login { .. })
    }

    /// A login with methods to pick from, or one that the host asks for: it has the host's own options.
    pub fn is_login_choice(&self) -> bool {
        self.is_login() && self.options.iter().any(|offer| offer.id == LOGGED_IN)
    }
}

/// The options that the host itself offers with a login, beside the provider's methods: the person has logged in by another way, or
/// does not want to.
pub const LOGGED_IN: &str = "logged-in";
/// See [`LOGGED_IN`].
pub const LEAVE: &str = "leave";

/// What the operator's rules make of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "who", rename_all = "snake_case")]
pub enum Ruled {
    /// A rule answers it: nobody is asked.
    Rule {
        /// As it was written: `allow read in this workspace`.
        rule: String,
    },
    /// A rule may forbid it, which can't be told for sure: only who looks at it may allow it.
    Person {
        /// Why.
        because: String,
    },
}

/// What a request is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "subject", rename_all = "snake_case")]
pub enum RequestSubject {
    /// May this tool run?
    Approval {
        /// The call.
        tool: Tool,
    },
    /// May this plan be carried out?
    Plan {
        /// Markdown.
        text: String,
    },
    /// Questions to a person.
    Questions,
    /// A login.
    Login {
        /// What to do.
        login: Login,
    },
    /// A tool of the host's is called.
    HostTool {
        /// The call.
        tool: Tool,
    },
    /// Something nobody understood.
    Unknown {
        /// Its name.
        name: String,
        /// Its data, JSON, cut.
        json: String,
    },
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Resolution {
    /// A person or a rule answered, and the answer reached the provider.
    Answered {
        /// The option that was picked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        option: Option<String>,
        /// True when the answer allows what was asked; absent when it is neither.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        allowed: Option<bool>,
        /// Who: `user`, `rule NAME`, `no-terminal`.
        by: String,
    },
    /// The provider withdrew it.
    Withdrawn,
    /// We closed it because the run was stopped.
    Dismissed,
    /// It can't be answered any more: the session that asked is gone.
    Expired,
    /// The answer was refused by the provider.
    Failed,
}

/// A subagent, or other work that may outlive its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// The host's id.
    pub id: TaskId,
    /// What it is.
    pub kind: TaskKind,
    /// How far it is.
    pub status: Status,
    /// A line for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The item that began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<ItemId>,
    /// The provider's thread it works in, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native_thread: Option<String>,
    /// True when it goes on after its turn: it is on the roster.
    pub background: bool,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// True when nothing can follow this status.
pub fn is_terminal(status: Status) -> bool {
    !matches!(status, Status::Pending | Status::Running | Status::Waiting)
}
