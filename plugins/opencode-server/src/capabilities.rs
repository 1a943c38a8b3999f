//! What OpenCode's server can do through this plugin: what it offers and the plugin does not carry out is not declared.

use jackfield_sdk::prelude::*;

/// Declared for 1.18.33; `README.md` says how each was measured.
pub(crate) fn declared() -> CapabilitySet {
    let flags = [
        "sessions.supports-model-switch-in-session",
        "sessions.supports-runtime-mode-switch-in-session",
        "sessions.supports-provider-switching-via-handoff",
        "sessions.lists-settings",
        "threads.can-create-empty-thread",
        "threads.can-rollback-thread",
        "threads.can-fork-thread",
        "threads.can-fork-from-turn",
        "threads.exposes-native-thread-id",
        "turns.emits-turn-started",
        "turns.emits-turn-completed",
        "turns.supports-interrupt",
        "turns.supports-steering-by-interrupt-restart",
        "streaming.streams-assistant-text",
        "streaming.streams-reasoning",
        "streaming.streams-tool-output",
        "streaming.emits-message-completed",
        "tools.exposes-tool-item-ids",
        "tools.emits-tool-started",
        "tools.emits-tool-completed",
        "tools.emits-tool-output",
        "approvals.supports-command-approval",
        "approvals.supports-file-change-approval",
        "approvals.approvals-have-native-request-ids",
        "approvals.approval-callbacks-are-live-only",
        "approvals.approvals-can-originate-from-subagents",
        "planning.emits-plan-updated",
        "planning.emits-todo-list",
        "planning.supports-structured-questions",
        "subagents.supports-subagents",
        "subagents.emits-subagent-lifecycle",
        "context.accepts-synthetic-user-context",
        "context.can-consume-handoff-summaries",
        "context.supports-delta-handoff",
        "context.supports-full-thread-handoff",
        "checkpointing.app-can-checkpoint-filesystem",
        "checkpointing.provider-can-rollback-conversation",
        "input.accepts-attachments",
        "input.accepts-expert-prompts",
    ];
    let words = [
        ("turns.terminal-status-quality", "strong"),
        ("identity.native-thread-ids", "strong"),
        // A turn has none; the person's message that opened it has.
        ("identity.native-turn-ids", "none"),
        ("identity.native-item-ids", "strong"),
        ("identity.native-request-ids", "strong"),
    ];
    CapabilitySet::of(&flags, &words)
}
