//! All that somebody may want, by name. Tests: `tests.rs` beside this file.

use serde::{Deserialize, Serialize};

/// Where a thread is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkPoint {
    /// At its end.
    Tip,
    /// After an earlier turn.
    Turn,
    /// At one answer inside a turn.
    Item,
    /// A subagent's thread.
    Subagent,
}

macro_rules! intents {
    ($( $(#[doc = $doc:literal])+ $name:ident = $code:literal $( $user:ident )?; )+) => {
        /// What somebody wants: a person, or the host itself while it carries out a run.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Intent { $( $(#[doc = $doc])+ #[serde(rename = $code)] $name, )+ }

        impl Intent {
            /// All of them, in the table's order.
            pub const ALL: &'static [Intent] = &[ $( Intent::$name, )+ ];

            /// Stable name, as events and rules carry it.
            pub fn name(self) -> &'static str {
                match self { $( Self::$name => $code, )+ }
            }

            /// True when a UI has a control or a panel for it: these have hints.
            pub fn is_for_users(self) -> bool {
                match self { $( Self::$name => intents!(@user $($user)?), )+ }
            }
        }
    };
    (@user user) => { true };
    (@user) => { false };
}

intents! {
    /// Stop the open turn.
    Interrupt = "interrupt" user;
    /// Stop the open turn and leave its background work running.
    InterruptTurnOnly = "interrupt-turn-only" user;
    /// Bring a message into the open turn.
    Steer = "steer" user;
    /// Let a message wait for the open turn's end.
    QueueMessage = "queue-message" user;
    /// Send the next message right after a turn's end.
    PromptAfterTurn = "prompt-after-turn";
    /// Choose another model.
    SwitchModel = "switch-model" user;
    /// Choose another mode.
    SwitchMode = "switch-mode" user;
    /// List models, modes and other settings.
    ListSettings = "list-settings" user;
    /// Go on with another provider.
    SwitchProvider = "switch-provider" user;
    /// Go back to a provider that knows the first part.
    ReturnToProvider = "return-to-provider" user;
    /// Serve one more thread in a live session.
    ShareSession = "share-session";
    /// Resume a thread from its cursor.
    Resume = "resume" user;
    /// Create a thread before there is a message.
    CreateEmptyThread = "create-empty-thread";
    /// Answer a request that is open.
    AnswerRequest = "answer-request" user;
    /// Answer a request that was open before a restart.
    AnswerAfterRestart = "answer-after-restart" user;
    /// Copy the thread at its end.
    ForkAtTip = "fork-at-tip" user;
    /// Copy the thread at an earlier turn.
    ForkAtTurn = "fork-at-turn" user;
    /// Copy the thread at one answer.
    ForkAtItem = "fork-at-item" user;
    /// Copy a subagent's thread, as the thread knows it.
    ForkSubagent = "fork-subagent" user;
    /// Go back to before a turn: files and conversation.
    Rollback = "rollback" user;
    /// Save the workspace's files.
    Checkpoint = "checkpoint" user;
    /// Save them for a part of a run.
    NestedCheckpoint = "nested-checkpoint";
    /// Read the thread's history.
    ReadThread = "read-thread" user;
    /// Summarize the thread.
    Summarize = "summarize" user;
    /// Shorten the provider's context.
    Compact = "compact" user;
    /// Empty the provider's context.
    Clear = "clear" user;
    /// Send pictures and files.
    Attach = "attach" user;
    /// Rewrite a prompt for an expert role.
    ExpertPrompt = "expert-prompt" user;
    /// Give the provider MCP servers.
    SetMcpServers = "set-mcp-servers" user;
    /// Switch single MCP servers or tools off.
    SelectMcpTools = "select-mcp-tools" user;
    /// Give the provider tools of the host's.
    RegisterTools = "register-tools";
    /// Give context as part of the system prompt.
    GiveSystemContext = "give-system-context";
    /// Give context as instructions of the application.
    GiveDeveloperContext = "give-developer-context";
    /// Give context in the person's name.
    GiveUserContext = "give-user-context";
    /// Be asked before a command runs.
    ApproveCommand = "approve-command" user;
    /// Be asked before a file is read.
    ApproveFileRead = "approve-file-read" user;
    /// Be asked before a file is changed.
    ApproveFileChange = "approve-file-change" user;
    /// Be asked before a patch is applied.
    ApprovePatch = "approve-patch" user;
    /// Be asked by subagents, too.
    ApproveInSubagents = "approve-in-subagents" user;
    /// Rely on the mode and the sandbox that was chosen.
    EnforceModes = "enforce-modes" user;
    /// See progress.
    ShowProgress = "show-progress" user;
    /// See the todo list.
    ShowTodo = "show-todo" user;
    /// See a proposed plan and decide about it.
    ProposePlan = "propose-plan" user;
    /// Tell pieces of one plan from another's.
    PlanPieces = "plan-pieces";
    /// Answer questions that have choices.
    AskQuestions = "ask-questions" user;
    /// See subagents.
    ShowSubagents = "show-subagents" user;
    /// Open a subagent's thread as a conversation.
    OpenSubagent = "open-subagent" user;
    /// Know when subagents begin and end.
    FollowSubagents = "follow-subagents";
    /// Wait for a background task.
    WaitForTask = "wait-for-task" user;
    /// End a background task.
    StopTask = "stop-task" user;
    /// See words while they are written.
    StreamText = "stream-text" user;
    /// See reasoning while it happens.
    StreamReasoning = "stream-reasoning" user;
    /// See what a tool prints while it runs.
    StreamToolOutput = "stream-tool-output" user;
    /// See a plan while it is written.
    StreamPlan = "stream-plan" user;
    /// Know that a message is complete.
    EndMessage = "end-message";
    /// Know that a turn began.
    StartTurn = "start-turn";
    /// Know that a turn ended.
    EndTurn = "end-turn";
    /// Know how a turn ended.
    JudgeTurn = "judge-turn";
    /// Know that a tool began.
    StartTool = "start-tool";
    /// Know that a tool ended.
    EndTool = "end-tool";
    /// See what a tool gave.
    ShowToolOutput = "show-tool-output" user;
    /// Tell one thread from another.
    IdentifyThread = "identify-thread";
    /// Tell one turn from another.
    IdentifyTurn = "identify-turn";
    /// Tell one item from another.
    IdentifyItem = "identify-item";
    /// Tell one request from another.
    IdentifyRequest = "identify-request";
}

impl Intent {
    /// The intent to copy a thread at this point.
    pub fn fork(point: ForkPoint) -> Self {
        match point {
            ForkPoint::Tip => Self::ForkAtTip,
            ForkPoint::Turn => Self::ForkAtTurn,
            ForkPoint::Item => Self::ForkAtItem,
            ForkPoint::Subagent => Self::ForkSubagent,
        }
    }
}
