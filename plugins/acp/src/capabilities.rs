//! What an agent can do: the protocol's own, what its dialect adds and takes back, and what the handshake and the settings say.

use jackfield_sdk::prelude::*;

use crate::data::Data;
use crate::settings::Settings;
use crate::shake::Agent;

/// What each agent of this protocol has.
const PROTOCOL: [&str; 24] = [
    "sessions.supports-multiple-provider-threads-per-session",
    "sessions.supports-provider-switching-via-handoff",
    "sessions.lists-settings",
    "threads.can-create-empty-thread",
    "threads.exposes-native-thread-id",
    "turns.emits-turn-completed",
    "turns.supports-interrupt",
    "turns.supports-steering-by-interrupt-restart",
    "streaming.streams-assistant-text",
    "streaming.streams-reasoning",
    "tools.exposes-tool-item-ids",
    "tools.emits-tool-started",
    "tools.emits-tool-completed",
    "tools.emits-tool-output",
    "tools.supports-mcp-tools",
    "approvals.approvals-have-native-request-ids",
    "approvals.approval-callbacks-are-live-only",
    "context.accepts-synthetic-user-context",
    "context.can-consume-handoff-summaries",
    "context.supports-delta-handoff",
    "context.supports-full-thread-handoff",
    "checkpointing.app-can-checkpoint-filesystem",
    "input.accepts-attachments",
    "input.accepts-expert-prompts",
];

/// What the handshake or a conversation's settings decide, and whether an agent that has told nothing yet is taken to have it.
const TOLD: [&str; 6] = [FORK, MODEL, MODE, ATTACH, PLAN, TODO];
const FORK: &str = "threads.can-fork-thread";
const MODEL: &str = "sessions.supports-model-switch-in-session";
const MODE: &str = "sessions.supports-runtime-mode-switch-in-session";
const ATTACH: &str = "input.accepts-attachments";
const PLAN: &str = "planning.emits-plan-updated";
const TODO: &str = "planning.emits-todo-list";

const WORDS: [(&str, &str); 5] = [
    ("turns.terminal-status-quality", "weak"),
    ("identity.native-thread-ids", "strong"),
    ("identity.native-turn-ids", "none"),
    ("identity.native-item-ids", "strong"),
    // They count from 0 on each connection.
    ("identity.native-request-ids", "weak"),
];

/// Declared before anything was told.
pub(crate) fn declared(data: &Data) -> CapabilitySet {
    let flags = PROTOCOL.into_iter().chain(data.flags.iter().map(String::as_str));
    let mut names: Vec<&str> = vec![];
    for flag in flags {
        if !names.contains(&flag) && !data.lacks.iter().any(|lack| lack == flag) {
            names.push(flag);
        }
    }
    let mut words: Vec<(&str, &str)> = WORDS.to_vec();
    for (name, word) in &data.words {
        words.retain(|(known, _)| known != name);
        words.push((name, word));
    }
    CapabilitySet::of(&names, &words)
}

/// In force in this session: where the agent told something, that counts. Of two conversations the last one opened counts.
pub(crate) fn negotiated(data: &Data, agent: &Agent, settings: Option<&Settings>) -> CapabilitySet {
    let mut set = declared(data);
    let before = |name: &str| set.capabilities.iter().any(|capability| capability.name == name);
    let told = [
        (FORK, agent.forks),
        (MODEL, settings.map_or_else(|| before(MODEL), |settings| settings.has("model"))),
        (MODE, settings.map_or_else(|| before(MODE), |settings| settings.has("mode"))),
        (ATTACH, agent.image || agent.audio || agent.embeds),
        // No handshake tells of it: who keeps a list shows it.
        (PLAN, before(PLAN) || agent.plans),
        (TODO, before(TODO) || agent.plans),
    ];
    set = set.without(&TOLD);
    let lacks = |name: &str| data.lacks.iter().any(|lack| lack == name);
    let has = told.into_iter().filter(|(name, has)| *has && !lacks(name));
    set.capabilities.extend(has.map(|(name, _)| Capability::flag(name, true)));
    set
}
