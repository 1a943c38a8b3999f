//! What Claude Code can do through this plugin: what the program offers and the plugin does not carry out is not declared.

use jackfield_sdk::prelude::*;

const SELECTION: &str = "tools.supports-mcp-server-selection";

/// Declared for the newest version that was measured, 2.1.332; `README.md` says how each was.
pub fn declared() -> CapabilitySet {
    let flags = [
        "sessions.supports-model-switch-in-session",
        "sessions.supports-runtime-mode-switch-in-session",
        "sessions.supports-provider-switching-via-handoff",
        "sessions.lists-settings",
        "threads.can-create-empty-thread",
        "threads.can-rollback-thread",
        "threads.can-fork-thread",
        "threads.can-fork-from-turn",
        "threads.can-fork-from-item",
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
        "tools.supports-mcp-tools",
        SELECTION,
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
        "subagents.can-wait-for-subagents",
        "subagents.can-close-subagents",
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

/// The set for the version that the handshake told. 2.1.197 and older ones tell theirs later; below 2.1 nothing was measured. What rests
/// on frames that a version does not have is taken back.
pub fn for_version(version: Option<String>, revision: u32) -> CapabilitySet {
    let mut missing = vec![];
    if !selects_tools(version.as_deref()) {
        missing.push(SELECTION);
    }
    if !version.as_deref().is_none_or(|version| at_least(version, [2, 1, 0])) {
        missing.extend(["turns.supports-active-steering", "planning.emits-todo-list", "planning.emits-plan-updated"]);
    }
    declared().negotiated(revision, version).without(&missing)
}

/// Whether a version keeps from single tools of an MCP server: 2.1.332 does, 2.1.197 passes over the list.
pub fn selects_tools(version: Option<&str>) -> bool {
    version.is_some_and(|version| at_least(version, [2, 1, 332]))
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
        assert!(names("2.0.76") < names("2.1.197") && names("2.1.197") < names("2.1.332"));
        assert_eq!(for_version(None, 1).capabilities.len(), names("2.1.197"));
        assert_eq!(names("2.1.332"), declared().capabilities.len());
        assert!(at_least("2.1.332", [2, 1, 332]) && at_least("3.0.0", [2, 1, 332]) && !at_least("2.1.9", [2, 1, 332]));
    }
}
