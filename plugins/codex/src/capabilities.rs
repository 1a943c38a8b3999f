//! What Codex can do through this plugin, by version: what the program offers and the plugin does not carry out is not declared, and
//! what a version was not seen to do is taken back.

use jackfield_sdk::prelude::*;

/// What 0.171.0 does and 0.120.0 does not: there `thread/fork` takes no turn (and copies all without a word), and there is no queue.
const SINCE_0_171: [&str; 2] = ["threads.can-fork-from-turn", "turns.supports-queued-messages"];

/// The program's version.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Version(Option<String>);

impl Version {
    /// From the handshake's words: `client/0.171.0 (Linux …) …`. A client's name has no slash.
    pub(crate) fn of_user_agent(text: &str) -> Version {
        let version = text.split_once('/').and_then(|(_, rest)| rest.split_whitespace().next());
        Version(version.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned))
    }

    /// True for 0.171.0, the newest that was measured, and for what came after it. One that tells no version is an older one.
    pub(crate) fn is_new(&self) -> bool {
        let Some(version) = &self.0 else { return false };
        let numbers: Vec<u32> = version.split(['.', '-']).map_while(|part| part.parse().ok()).collect();
        numbers.as_slice() >= [0, 171, 0].as_slice()
    }
}

/// Declared for the newest version that was measured, 0.171.0; `README.md` says how each was.
pub(crate) fn declared() -> CapabilitySet {
    let flags = [
        "sessions.supports-multiple-provider-threads-per-session",
        "sessions.supports-model-switch-in-session",
        "sessions.supports-runtime-mode-switch-in-session",
        "sessions.supports-provider-switching-via-handoff",
        "sessions.lists-settings",
        "threads.can-create-empty-thread",
        "threads.can-read-thread-snapshot",
        "threads.can-rollback-thread",
        "threads.can-fork-thread",
        "threads.can-fork-from-turn",
        "threads.exposes-native-thread-id",
        "turns.exposes-native-turn-id",
        "turns.emits-turn-started",
        "turns.emits-turn-completed",
        "turns.supports-interrupt",
        "turns.supports-active-steering",
        "turns.supports-queued-messages",
        "turns.interrupt-keeps-background-work",
        "streaming.streams-assistant-text",
        "streaming.streams-reasoning",
        "streaming.streams-tool-output",
        "streaming.emits-message-completed",
        "tools.exposes-tool-item-ids",
        "tools.emits-tool-started",
        "tools.emits-tool-completed",
        "tools.emits-tool-output",
        "tools.supports-mcp-tools",
        "tools.supports-dynamic-tool-callbacks",
        "approvals.supports-command-approval",
        "approvals.supports-file-change-approval",
        "approvals.supports-apply-patch-approval",
        "approvals.approvals-have-native-request-ids",
        "approvals.approval-callbacks-are-live-only",
        "approvals.approvals-can-originate-from-subagents",
        "planning.emits-plan-updated",
        "planning.emits-todo-list",
        "planning.supports-structured-questions",
        "subagents.supports-subagents",
        "subagents.exposes-subagent-thread-ids",
        "subagents.emits-subagent-lifecycle",
        "subagents.can-wait-for-subagents",
        "context.accepts-developer-context",
        "context.accepts-synthetic-user-context",
        "context.can-consume-handoff-summaries",
        "context.supports-delta-handoff",
        "context.supports-full-thread-handoff",
        "context.supports-compact",
        "checkpointing.app-can-checkpoint-filesystem",
        "checkpointing.provider-can-rollback-conversation",
        "checkpointing.provider-can-read-conversation-snapshot",
        "input.accepts-attachments",
        "input.accepts-expert-prompts",
    ];
    let words = [
        ("turns.terminal-status-quality", "strong"),
        ("identity.native-thread-ids", "strong"),
        ("identity.native-turn-ids", "strong"),
        ("identity.native-item-ids", "strong"),
        // Counted from 0 on each connection.
        ("identity.native-request-ids", "weak"),
        // Its own sandbox and policy hold, whoever is asked.
        ("runtime.enforcement", "native"),
    ];
    let mut set = CapabilitySet::of(&flags, &words);
    // Its weakest value is true, and a message that joins a turn stops no tool here.
    set.capabilities.push(Capability::flag("turns.active-steering-interrupts-tools", false));
    set
}

/// The set for the version that the handshake told.
pub(crate) fn for_version(version: &Version, revision: u32) -> CapabilitySet {
    let missing: &[&str] = if version.is_new() { &[] } else { &SINCE_0_171 };
    declared().negotiated(revision, version.0.clone()).without(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handshake_tells_the_version_and_an_old_one_takes_capabilities_back() {
        let version = |text: &str| Version::of_user_agent(text);
        let new = version("jackfield/0.171.0 (Linux 0.0.0; x86_64) dumb (jackfield; 0.1.0)");
        let old = version("jackfield/0.120.0 (Linux 0.0.0; x86_64) dumb (jackfield; 0.1.0)");
        assert_eq!(new, Version(Some("0.171.0".into())));
        assert!(new.is_new() && version("x/1.0.0 y").is_new() && !old.is_new() && !version("no version").is_new());
        let count = |version: &Version| for_version(version, 1).capabilities.len();
        assert_eq!(count(&new), declared().capabilities.len());
        assert_eq!(count(&old), count(&new) - SINCE_0_171.len());
    }
}
