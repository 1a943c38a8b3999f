//! What the demonstration can do. Nothing is declared that `tests/script.rs` does not show.

use jackfield_sdk::prelude::*;

/// The declared set; the handshake changes nothing about it.
pub fn declared() -> CapabilitySet {
    let flags = [
        "sessions.supports-model-switch-in-session",
        "sessions.supports-runtime-mode-switch-in-session",
        "sessions.lists-settings",
        "threads.can-create-empty-thread",
        "threads.exposes-native-thread-id",
        "turns.exposes-native-turn-id",
        "turns.emits-turn-started",
        "turns.emits-turn-completed",
        "turns.supports-interrupt",
        "turns.supports-active-steering",
        "turns.interrupt-keeps-background-work",
        "streaming.streams-assistant-text",
        "streaming.streams-reasoning",
        "streaming.streams-tool-output",
        "streaming.emits-message-completed",
        "tools.exposes-tool-item-ids",
        "tools.emits-tool-started",
        "tools.emits-tool-completed",
        "tools.emits-tool-output",
        "approvals.supports-command-approval",
        "approvals.approvals-have-native-request-ids",
        "approvals.approval-callbacks-are-live-only",
        "planning.emits-plan-updated",
        "planning.emits-todo-list",
        "planning.supports-structured-questions",
        "subagents.supports-subagents",
        "subagents.emits-subagent-lifecycle",
        "subagents.can-wait-for-subagents",
        "subagents.can-close-subagents",
        "threads.can-fork-thread",
        "threads.can-fork-from-turn",
        "threads.can-rollback-thread",
        "threads.can-read-thread-snapshot",
        "checkpointing.provider-can-read-conversation-snapshot",
        "checkpointing.provider-can-rollback-conversation",
        "checkpointing.provider-rollback-returns-snapshot",
        "context.supports-compact",
        "context.supports-clear",
        "tools.supports-mcp-tools",
        "tools.supports-mcp-server-selection",
    ];
    let words = [
        ("turns.terminal-status-quality", "strong"),
        ("identity.native-thread-ids", "strong"),
        ("identity.native-turn-ids", "strong"),
        ("identity.native-item-ids", "strong"),
        ("identity.native-request-ids", "strong"),
    ];
    let mut set = CapabilitySet::of(&flags, &words);
    // Its weakest value is true; here a message that joins a turn stops nothing.
    set.capabilities.push(Capability::flag("turns.active-steering-interrupts-tools", false));
    set
}
