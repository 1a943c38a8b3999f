//! Which flags are watched, by which detector, and why the others can't be. **Each flag stands here once.**
//!
//! A new flag without a row fails the tests below; one that is watched has a lying plugin in `tests/tests/honesty.rs`.

/// How a flag is held against what happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// By this detector, a file beside this one.
    By(&'static str),
    /// Not: nothing that happens contradicts it, for this reason.
    Not(&'static str),
    /// The host does nothing yet in which it would show.
    Later,
}

use Reach::{By, Later, Not};

const MAY_BE_WHOLE: &str = "what comes whole may have been made whole, and no word tells the two apart";
const NOT_NEEDED: &str = "a conversation in which it never came up breaks no promise";
const MODEL_ONLY: &str = "what a model was told is seen by the model alone";

/// All flags, by their open names.
pub const REACH: &[(&str, Reach)] = &[
    ("sessions.supports-model-switch-in-session", By("refusals")),
    ("sessions.supports-runtime-mode-switch-in-session", By("refusals")),
    ("sessions.supports-multiple-provider-threads-per-session", By("refusals")),
    ("sessions.supports-provider-switching-via-handoff", Later),
    (
        "sessions.pending-requests-survive-restart",
        Not("a request that is not asked again may have been settled meanwhile"),
    ),
    ("sessions.lists-settings", By("refusals")),
    ("threads.can-create-empty-thread", By("refusals")),
    ("threads.can-read-thread-snapshot", By("refusals")),
    ("threads.can-rollback-thread", By("refusals")),
    ("threads.can-fork-thread", By("refusals")),
    ("threads.can-fork-from-turn", By("refusals")),
    ("threads.can-fork-from-item", By("refusals")),
    (
        "threads.can-fork-from-subagent-thread",
        Not(
            "it and subagents.can-fork-subagent-thread promise the same, and a refusal does not say which of them is broken",
        ),
    ),
    ("threads.exposes-native-thread-id", By("names")),
    (
        "turns.exposes-native-turn-id",
        Not("turns are numbered by the host as well, and an id may come with a later word of its turn"),
    ),
    ("turns.emits-turn-started", By("turns")),
    ("turns.emits-turn-completed", By("turns")),
    ("turns.supports-interrupt", By("mod")),
    ("turns.supports-active-steering", By("refusals")),
    ("turns.supports-steering-by-interrupt-restart", Not("it is an interrupt and a message, each watched as such")),
    ("turns.supports-queued-messages", By("refusals")),
    (
        "turns.active-steering-interrupts-tools",
        Not("a tool that stops when a message comes may have been stopped by anything"),
    ),
    ("turns.interrupt-keeps-background-work", Not("work that ends after an interrupt may have ended by itself")),
    ("turns.terminal-status-quality", By("turns")),
    ("streaming.streams-assistant-text", Not(MAY_BE_WHOLE)),
    ("streaming.streams-reasoning", Not(MAY_BE_WHOLE)),
    ("streaming.streams-tool-output", Not(MAY_BE_WHOLE)),
    ("streaming.streams-plan-text", Not(MAY_BE_WHOLE)),
    ("streaming.emits-message-completed", By("messages")),
    ("tools.exposes-tool-item-ids", By("names")),
    ("tools.emits-tool-started", By("tools")),
    ("tools.emits-tool-completed", By("tools")),
    ("tools.emits-tool-output", Not("a tool may give nothing")),
    ("tools.supports-mcp-tools", By("refusals")),
    ("tools.supports-mcp-server-selection", By("servers")),
    ("tools.supports-dynamic-tool-callbacks", By("refusals")),
    ("approvals.supports-command-approval", By("approvals")),
    ("approvals.supports-file-read-approval", By("approvals")),
    ("approvals.supports-file-change-approval", By("approvals")),
    ("approvals.supports-apply-patch-approval", By("approvals")),
    ("approvals.approvals-have-native-request-ids", By("names")),
    ("approvals.approval-callbacks-are-live-only", Not("as sessions.pending-requests-survive-restart")),
    ("approvals.approvals-can-originate-from-subagents", By("approvals")),
    ("planning.emits-plan-updated", Not(NOT_NEEDED)),
    ("planning.emits-todo-list", Not(NOT_NEEDED)),
    ("planning.emits-proposed-plan", Not(NOT_NEEDED)),
    ("planning.supports-structured-questions", Not(NOT_NEEDED)),
    ("planning.plan-deltas-have-item-ids", By("names")),
    ("subagents.supports-subagents", Not(NOT_NEEDED)),
    ("subagents.exposes-subagent-thread-ids", By("subagents")),
    ("subagents.emits-subagent-lifecycle", By("subagents")),
    ("subagents.can-wait-for-subagents", By("refusals")),
    ("subagents.can-close-subagents", By("refusals")),
    ("subagents.can-fork-subagent-thread", Not("as threads.can-fork-from-subagent-thread")),
    ("context.accepts-system-context", Not(MODEL_ONLY)),
    ("context.accepts-developer-context", Not(MODEL_ONLY)),
    ("context.accepts-synthetic-user-context", Not(MODEL_ONLY)),
    ("context.can-generate-summaries", By("refusals")),
    ("context.can-consume-handoff-summaries", Later),
    ("context.supports-delta-handoff", Later),
    ("context.supports-full-thread-handoff", Later),
    ("context.max-recommended-handoff-chars", Later),
    ("context.supports-compact", By("refusals")),
    ("context.supports-clear", By("refusals")),
    ("checkpointing.app-can-checkpoint-filesystem", Later),
    ("checkpointing.supports-nested-checkpoint-scopes", Later),
    (
        "checkpointing.provider-can-rollback-conversation",
        Not("the weaker of it and threads.can-rollback-thread counts, which is watched"),
    ),
    (
        "checkpointing.provider-rollback-returns-snapshot",
        Not("what is left after going back is known to the provider alone"),
    ),
    (
        "checkpointing.provider-can-read-conversation-snapshot",
        Not("the weaker of it and threads.can-read-thread-snapshot counts, which is watched"),
    ),
    ("identity.native-thread-ids", By("refusals")),
    ("identity.native-turn-ids", By("ids")),
    ("identity.native-item-ids", By("ids")),
    ("identity.native-request-ids", By("ids")),
    ("input.accepts-attachments", By("refusals")),
    ("input.accepts-expert-prompts", Not(MODEL_ONLY)),
    ("runtime.enforcement", Not("what a mode kept from happening is not seen")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::FLAGS;

    #[test]
    fn each_flag_is_watched_or_says_why_not() {
        let rows: Vec<&str> = REACH.iter().map(|(flag, _)| *flag).collect();
        let flags: Vec<String> = FLAGS.iter().map(|flag| flag.name()).collect();
        for flag in &flags {
            assert_eq!(rows.iter().filter(|row| *row == flag).count(), 1, "{flag}");
        }
        assert_eq!(rows.len(), flags.len(), "a row without a flag");
    }

    #[test]
    fn what_a_refusal_breaks_is_watched() {
        for flag in super::super::refusals::flags() {
            let (_, reach) = REACH.iter().find(|(row, _)| *row == flag).expect("a row");
            assert!(matches!(reach, By(_)), "{flag}");
        }
    }
}
