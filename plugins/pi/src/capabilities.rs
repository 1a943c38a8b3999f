//! What pi can do through this plugin: what the program offers and the plugin does not carry out is not declared.

use jackfield_sdk::prelude::*;

/// Declared for 0.73.1; `README.md` says how each was measured. There is no flag of approvals: the program asks before nothing.
pub fn declared() -> CapabilitySet {
    let flags = [
        "sessions.supports-model-switch-in-session",
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
        "turns.supports-active-steering",
        "streaming.streams-assistant-text",
        "streaming.streams-reasoning",
        "streaming.streams-tool-output",
        "streaming.emits-message-completed",
        "tools.exposes-tool-item-ids",
        "tools.emits-tool-started",
        "tools.emits-tool-completed",
        "tools.emits-tool-output",
        "planning.supports-structured-questions",
        "context.accepts-synthetic-user-context",
        "context.can-consume-handoff-summaries",
        "context.supports-delta-handoff",
        "context.supports-full-thread-handoff",
        "context.supports-compact",
        "context.supports-clear",
        "checkpointing.app-can-checkpoint-filesystem",
        "checkpointing.provider-can-rollback-conversation",
        "input.accepts-attachments",
        "input.accepts-expert-prompts",
    ];
    let words = [
        // An end may be taken back by a retry: it is put together from the last message, the retry and our interrupt.
        ("turns.terminal-status-quality", "weak"),
        ("identity.native-thread-ids", "strong"),
        ("identity.native-turn-ids", "none"),
        // Calls have ids of the model's service, which may come again; texts and thoughts have none.
        ("identity.native-item-ids", "weak"),
    ];
    // `turns.active-steering-interrupts-tools` stays at its weakest, true: tools that wait behind the one at work are skipped.
    CapabilitySet::of(&flags, &words)
}
