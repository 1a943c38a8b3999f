//! What Claude Code can do through this plugin: what the program offers and the plugin does not carry out is not declared.

use jackfield_sdk::prelude::*;

/// Declared for 2.1.332; `README.md` says how each was measured.
pub fn declared() -> CapabilitySet {
    let flags = [
        "sessions.supports-model-switch-in-session",
        "sessions.supports-runtime-mode-switch-in-session",
        "sessions.supports-provider-switching-via-handoff",
        "sessions.lists-settings",
        "threads.can-create-empty-thread",
        "threads.exposes-native-thread-id",
        "turns.emits-turn-started",
        "turns.emits-turn-completed",
        "turns.supports-interrupt",
        "turns.supports-active-steering",
        "streaming.streams-assistant-text",
        "streaming.streams-reasoning",
        "streaming.emits-message-completed",
        "tools.exposes-tool-item-ids",
        "tools.emits-tool-started",
        "tools.emits-tool-completed",
        "tools.emits-tool-output",
        "approvals.supports-command-approval",
        "approvals.supports-file-read-approval",
        "approvals.supports-file-change-approval",
        "approvals.approvals-have-native-request-ids",
        "approvals.approval-callbacks-are-live-only",
        "approvals.approvals-can-originate-from-subagents",
        "planning.emits-plan-updated",
        "planning.emits-todo-list",
        "planning.emits-proposed-plan",
        "planning.supports-structured-questions",
        "subagents.supports-subagents",
        "subagents.emits-subagent-lifecycle",
        "context.accepts-synthetic-user-context",
        "context.can-consume-handoff-summaries",
        "context.supports-delta-handoff",
        "context.supports-full-thread-handoff",
        "checkpointing.app-can-checkpoint-filesystem",
    ];
    let words = [
        // The subtype of a result lies; the status is put together from three fields.
        ("turns.terminal-status-quality", "weak"),
        ("identity.native-thread-ids", "strong"),
        ("identity.native-turn-ids", "none"),
        ("identity.native-item-ids", "strong"),
        ("identity.native-request-ids", "strong"),
    ];
    let mut set = CapabilitySet::of(&flags, &words);
    // Its weakest value is true, and a message that joins a turn stops no tool here.
    set.capabilities.push(Capability::flag("turns.active-steering-interrupts-tools", false));
    set
}

/// The set for the version that the handshake told. Below 2.1 nothing was measured: what rests on 2.1's frames is taken back.
pub fn for_version(version: Option<String>, revision: u32) -> CapabilitySet {
    let known = version.as_deref().is_none_or(|version| at_least(version, [2, 1, 0]));
    let set = declared().negotiated(revision, version);
    if known {
        set
    } else {
        set.without(&["turns.supports-active-steering", "planning.emits-todo-list", "planning.emits-plan-updated"])
    }
}

fn at_least(version: &str, least: [u32; 3]) -> bool {
    let numbers: Vec<u32> = version.split(['.', '-', ' ']).map_while(|part| part.parse().ok()).collect();
    numbers.as_slice() >= least.as_slice()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_version_takes_capabilities_back() {
        let names = |version: &str| for_version(Some(version.into()), 1).capabilities.len();
        assert!(names("2.0.76") < names("2.1.332"));
        assert_eq!(names("2.1.332"), declared().capabilities.len());
        assert!(at_least("2.1.332", [2, 1, 332]) && at_least("3.0.0", [2, 1, 332]) && !at_least("2.1.9", [2, 1, 332]));
    }
}
