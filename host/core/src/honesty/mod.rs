//! What a provider declares, held against what it does.
//!
//! Detectors watch what a plugin reports and what the host did; each has a file and a noun. What one finds is a [`Finding`]: a
//! flag that was declared and is not kept. Whoever asks narrows the flag for this plugin and this version of its program.
//! **A detector speaks only of what was promised:** a message that nobody needed to complete, a command in a mode that asks
//! for nothing, a turn that was stopped say nothing. History told again is not looked at.
//!
//! How much one finding proves is part of it. A [`Proof::Contradiction`] is told in the provider's own typed words (two calls of
//! one id, a turn that ended well with a tool still open, `unsupported` for what was declared) and counts at once. Time alone is
//! [`Proof::Silence`]: a loaded machine is slow, too. It counts when it was seen `silences_to_demote` times in a row, and one
//! time that the promise was kept begins the count anew.
//!
//! What a mode promises stands in the settings that the plugin tells: the well-known setting `approvals`, and the field `asks`
//! of the choice in force of any other. Where two of them speak, only what both say is promised. An answer that allows for
//! good ends the promise. What the host can't see: a rule that the user wrote into the provider's own files looks like a lie
//! about approvals; it is demoted, which is true for this user, and can be forgotten by hand.
//!
//! Which flags are watched by whom, and why the others can't be, is the table in `reach.rs`.
//! Tests: below, and lying and honest plugins in `tests/tests/honesty.rs` of the workspace.

mod approvals;
mod ids;
mod messages;
mod names;
mod promise;
mod reach;
mod refusals;
mod servers;
mod subagents;
#[cfg(test)]
mod tests;
mod tools;
mod turns;

use crate::capability::{Capabilities, flag};
use crate::contract::{CapabilityValue, Event, EventBody, McpServer, Pairs};
use crate::limits::Limits;
pub use reach::{REACH, Reach};
pub use refusals::{applied, copied, one_of_two, refused};
use std::collections::BTreeMap;

/// How much a finding proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The provider's own typed words contradict the promise: counts at once.
    Contradiction,
    /// Nothing came in time: counts when it is seen often enough in a row.
    Silence,
}

/// A flag that was declared and not kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The flag's open name.
    pub flag: &'static str,
    /// What it counts as from now on.
    pub to: CapabilityValue,
    /// What was seen, for a person.
    pub because: String,
    /// How much that proves.
    pub proof: Proof,
}

impl Finding {
    fn off(flag: &'static str, because: impl Into<String>) -> Self {
        Self::to(flag, CapabilityValue::Flag(false), because)
    }

    fn weak(flag: &'static str, because: impl Into<String>) -> Self {
        Self::to(flag, CapabilityValue::Word("weak".into()), because)
    }

    fn to(flag: &'static str, to: CapabilityValue, because: impl Into<String>) -> Self {
        Self { flag, to, because: because.into(), proof: Proof::Contradiction }
    }

    /// How often it must be seen before it counts.
    pub fn needed(&self, limits: &Limits) -> u64 {
        match self.proof {
            Proof::Contradiction => 1,
            Proof::Silence => limits.silences_to_demote,
        }
    }

    /// True when it narrows what counts now: who promises nothing breaks no promise.
    pub fn narrows(&self, now: &Capabilities) -> bool {
        let Some(row) = flag(self.flag) else { return false };
        let mut narrowed = now.clone();
        row.narrow(&mut narrowed, &self.to);
        narrowed != *now
    }
}

/// The detectors of one session.
#[derive(Debug)]
pub struct Honesty {
    approvals: approvals::Approvals,
    ids: ids::Ids,
    servers: servers::Servers,
    /// By the provider's thread; more than the bound are not watched.
    threads: BTreeMap<Option<String>, Watched>,
    bound: usize,
}

/// What is watched turn by turn, each thread for itself.
#[derive(Debug, Default)]
struct Watched {
    turns: turns::Turns,
    messages: messages::Messages,
    tools: tools::Tools,
    subagents: subagents::Subagents,
}

impl Honesty {
    /// For a session that begins now.
    pub fn new(limits: &Limits) -> Self {
        let bound = limits.open_items as usize;
        Self {
            approvals: approvals::Approvals::new(bound),
            ids: ids::Ids::new(bound),
            servers: servers::Servers::default(),
            threads: BTreeMap::new(),
            bound,
        }
    }

    /// The plugin reports this.
    pub fn told(&mut self, event: &Event) -> Vec<Finding> {
        let scope = event.scope.as_ref();
        if scope.is_some_and(|scope| scope.replayed) {
            return Vec::new();
        }
        if let EventBody::Settings(settings) = &event.body {
            self.approvals.settings(&scope.and_then(|scope| scope.thread.clone()), settings);
        }
        let mut found: Vec<Finding> = self.approvals.told(event).into_iter().collect();
        found.extend(self.ids.told(event));
        found.extend(names::told(event));
        found.extend(self.servers.told(event, self.bound));
        let thread = scope.and_then(|scope| scope.thread.clone());
        if self.threads.len() < self.bound || self.threads.contains_key(&thread) {
            let watched = self.threads.entry(thread).or_default();
            found.extend(watched.subagents.told(event, self.bound));
            // Turns, messages and tools of subagents say nothing of the provider's own: they may go on in the background.
            if scope.is_none_or(|scope| scope.parent.is_none()) {
                found.extend(watched.turns.told(event));
                found.extend(watched.messages.told(event));
                found.extend(watched.tools.told(event, self.bound));
            }
        }
        found
    }

    /// Values of settings that are in force when the session begins.
    pub fn begins_with(&mut self, selection: &Pairs) {
        self.approvals.begins_with(selection);
    }

    /// A client has settings changed: when that takes hold is the provider's to tell, and until then nothing is promised.
    pub fn unsettled(&mut self) {
        self.approvals.unsettled();
    }

    /// A request of the provider's thread of this id was answered; `for_good` when the answer allows more than the one call.
    pub fn answered(&mut self, thread: Option<&str>, native: &str, for_good: bool) {
        self.ids.request_over(thread, native);
        if for_good {
            self.approvals.allowed_for_good();
        }
    }

    /// An earlier session was allowed something for good in this folder: the provider may remember it.
    pub fn was_allowed_for_good(&mut self) {
        self.approvals.allowed_for_good();
    }

    /// The provider took these MCP servers, whole.
    pub fn served(&mut self, servers: &[McpServer]) {
        self.servers.given(servers);
    }
}

/// An interrupt was sent, and the turn went on all the same for as long as its step of the ladder takes.
pub fn interrupt_failed() -> Finding {
    let finding = Finding::off(INTERRUPT, "an interrupt was sent, and the turn did not end in time");
    Finding { proof: Proof::Silence, ..finding }
}

/// The flag that says a turn can be stopped: kept, whenever one ends after our interrupt.
pub const INTERRUPT: &str = "turns.supports-interrupt";

/// What a provider calls something, short and on one line.
fn shown(text: &str) -> String {
    const SHOWN: u64 = 80;
    format!("{:?}", crate::scrub::cut(text, SHOWN))
}
