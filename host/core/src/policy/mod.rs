//! What may be done, and what happens instead when a provider cannot do it.
//!
//! [`decide`] is pure and total: one row per intent in `table.rs`, and that table *is* the policy. Hints ask the same
//! function without doing anything. **No row names a provider, and no row imitates a missing mode by answering for a person.**
//! Tests: `tests.rs` beside this file.

mod handling;
mod intent;
mod table;
#[cfg(test)]
mod tests;

pub use handling::{Handling, stream_of};
pub use intent::{ForkPoint, Intent};

use crate::capability::Capabilities;
use crate::limits::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What comes of an intent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// As asked, by the provider itself.
    Native,
    /// Something else is done.
    Degraded {
        /// What is done instead.
        strategy: Strategy,
        /// Why.
        because: String,
        /// What is lost by it; empty when nothing is.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        loses: Vec<String>,
    },
    /// It cannot be done.
    Unsupported {
        /// Why, and what would make it possible.
        because: String,
    },
    /// A rule of the operator forbids it.
    Blocked {
        /// The rule.
        rule: String,
    },
}

impl Decision {
    /// Why, in a sentence for a person, with what is lost.
    pub fn reason(&self) -> String {
        match self {
            Self::Native => "done as asked".into(),
            Self::Degraded { because, loses, .. } if loses.is_empty() => because.clone(),
            Self::Degraded { because, loses, .. } => format!("{because}; this loses {}", loses.join(", ")),
            Self::Unsupported { because } => because.clone(),
            Self::Blocked { rule } => format!("blocked by the rule {rule}"),
        }
    }
}

macro_rules! strategies {
    ($( $(#[doc = $doc:literal])+ $name:ident = $code:literal; )+) => {
        /// What is done instead of what was asked.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Strategy { $( $(#[doc = $doc])+ #[serde(rename = $code)] $name, )+ }

        impl Strategy {
            /// Stable name, as events carry it.
            pub fn code(self) -> &'static str {
                match self { $( Self::$name => $code, )+ }
            }
        }
    };
}

strategies! {
    /// End the session; the thread can be resumed.
    StopSession = "stop-session";
    /// Stop the turn with all its background work.
    InterruptEverything = "interrupt-everything";
    /// Put the message into the open turn, though its tools stop.
    SteerAndStopTools = "steer-and-stop-tools";
    /// Interrupt, and begin the run again with the message.
    InterruptAndRestart = "interrupt-and-restart";
    /// Keep the message here until the turn has ended.
    HostQueue = "host-queue";
    /// Let the message wait in the provider's own queue, behind those that wait here.
    ProviderQueue = "provider-queue";
    /// End the session and resume its cursor with the new setting.
    RestartAndResume = "restart-and-resume";
    /// Begin a thread and tell it what happened so far.
    FreshThreadWithHandoff = "fresh-thread-with-handoff";
    /// Tell the old thread all that it missed, with the whole summary.
    FullHandoff = "full-handoff";
    /// Tell it in the person's name.
    SyntheticUserContext = "synthetic-user-context";
    /// Give it as instructions of the application.
    DeveloperContext = "developer-context";
    /// Summarize here, by a fixed rule.
    LocalSummary = "local-summary";
    /// One session for each thread.
    SessionPerThread = "session-per-thread";
    /// Create the thread with its first message.
    CreateWithFirstMessage = "create-with-first-message";
    /// Make the fork from our own record of the thread.
    SyntheticFork = "synthetic-fork";
    /// Copy the end of the turn instead.
    ForkAtTurn = "fork-at-turn";
    /// Restore the files, restart the provider's context, mark it divergent.
    RestoreFilesAndRestart = "restore-files-and-restart";
    /// Roll back, then read the thread again.
    RollbackAndReread = "rollback-and-reread";
    /// Roll back and trust our own record.
    RollbackUnseen = "rollback-unseen";
    /// Save the whole run only.
    RootCheckpoint = "root-checkpoint";
    /// Show our own record.
    OwnRecord = "own-record";
    /// Wait for late words of the turn before the next message.
    WaitForDrain = "wait-for-drain";
    /// The host says it, marked synthetic.
    Synthesize = "synthesize";
    /// The host infers it from what was seen, and marks it so.
    Infer = "infer";
    /// From the end of the provider's program.
    FromProcess = "from-process";
    /// Tell the things apart by their ids and how often each came.
    Occurrences = "occurrences";
    /// Number the things in their order.
    Ordinals = "ordinals";
    /// Show it when it is whole.
    ShowWhenWhole = "show-when-whole";
    /// Show it inside the thread that began it.
    NestedNodes = "nested-nodes";
    /// Close it when its turn ends.
    CloseAtTurnEnd = "close-at-turn-end";
    /// Only the operating system's sandbox stands guard; nothing is asked.
    SandboxOnly = "sandbox-only";
    /// Enforced only where the provider asks us.
    ClientBoundary = "client-boundary";
    /// Only the assistant's own words.
    AssistantText = "assistant-text";
    /// The request has expired; ask again by a new message.
    AskAgain = "ask-again";
}

/// What the operator allows beyond what a provider can do by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyConfig {
    /// A session may be ended to stop a turn that cannot be interrupted.
    pub stop_session_on_interrupt: bool,
    /// A run may be interrupted and begun again to bring in a message.
    pub interrupt_restart: bool,
    /// Messages may wait in the host's own queue.
    pub host_queue: bool,
    /// A session may be restarted on its cursor to apply a setting.
    pub restart_on_switch: bool,
    /// A fresh thread with a handoff may take the place of one.
    pub fresh_thread_on_switch: bool,
    /// Forks may be made from our own record.
    pub synthetic_forks: bool,
    /// The host may speak in the person's name to hand over context.
    pub synthetic_user_context: bool,
    /// The host may summarize by its own fixed rule.
    pub local_summaries: bool,
    /// A provider that asks for nothing may run under the sandbox alone.
    pub run_without_approvals: bool,
    /// Files may be restored though the provider keeps its memory of them.
    pub divergent_rollback: bool,
    /// A message that met a missing login, and of which nothing came, may be sent again by the host once the login is there.
    pub resend_after_login: bool,
    /// Intents that the host which asks does not carry out yet; they are offered to nobody. No operator sets it.
    #[serde(skip)]
    pub not_built: Vec<Intent>,
    /// Intents that are forbidden, by name (`fork-at-tip`), with the rule that forbids each.
    pub blocked: BTreeMap<String, String>,
}

impl Default for PolicyConfig {
    fn default() -> Self {
        Self {
            stop_session_on_interrupt: true,
            interrupt_restart: true,
            host_queue: true,
            restart_on_switch: true,
            fresh_thread_on_switch: true,
            synthetic_forks: true,
            synthetic_user_context: true,
            local_summaries: true,
            run_without_approvals: true,
            divergent_rollback: true,
            resend_after_login: true,
            not_built: Vec::new(),
            blocked: BTreeMap::new(),
        }
    }
}

/// What comes of an intent, for these capabilities under this configuration.
pub fn decide(intent: &Intent, capabilities: &Capabilities, config: &PolicyConfig) -> Decision {
    if let Some(rule) = config.blocked.get(intent.name()) {
        return Decision::Blocked { rule: rule.clone() };
    }
    if config.not_built.contains(intent) {
        return Decision::Unsupported { because: "this version of the host does not do this yet".into() };
    }
    let row = table::row(*intent);
    if (row.native)(capabilities) {
        return Decision::Native;
    }
    let step = row.otherwise.iter().find(|step| (step.when)(capabilities, config));
    match step {
        Some(step) => Decision::Degraded {
            strategy: step.strategy,
            because: row.missing.to_owned(),
            loses: step.loses.iter().map(|loss| (*loss).to_owned()).collect(),
        },
        None => Decision::Unsupported { because: format!("{}; {}", row.missing, row.way_out) },
    }
}

/// The longest handoff for this provider, in characters: what it recommends, else ours.
pub fn handoff_chars(capabilities: &Capabilities, limits: &Limits) -> u64 {
    capabilities.context.max_recommended_handoff_chars.map_or(limits.handoff_chars, u64::from)
}
