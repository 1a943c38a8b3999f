//! How what a provider tells is taken: the policy's answers to the questions of whoever reads a provider's words, asked
//! once for each change of capabilities. **The normalizer reads this and never a flag.**
//!
//! What is decided stands in `table.rs`; here it is only remembered. Tests: `tests/cases` of this crate, and the flag
//! cases under `tests/flags` of the workspace.

use super::{Decision, Intent, PolicyConfig, Strategy, decide};
use crate::capability::{Capabilities, Strength};
use crate::contract::TextKind;

/// The policy's answer to every intent, at hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Handling {
    decisions: Vec<Decision>,
}

impl Default for Handling {
    /// For the weakest provider there is.
    fn default() -> Self {
        Self::of(&Capabilities::default(), &PolicyConfig::default())
    }
}

impl Handling {
    /// Asks for these capabilities. What a host does not carry out yet is no reason to read a provider otherwise.
    pub fn of(capabilities: &Capabilities, config: &PolicyConfig) -> Self {
        let config = PolicyConfig { not_built: Vec::new(), ..config.clone() };
        Self { decisions: Intent::ALL.iter().map(|intent| decide(intent, capabilities, &config)).collect() }
    }

    /// The answer.
    pub fn decision(&self, intent: Intent) -> &Decision {
        &self.decisions[intent as usize]
    }

    /// True when the provider does it itself.
    pub fn native(&self, intent: Intent) -> bool {
        *self.decision(intent) == Decision::Native
    }

    /// What is done instead, if anything is.
    pub fn strategy(&self, intent: Intent) -> Option<Strategy> {
        match self.decision(intent) {
            Decision::Degraded { strategy, .. } => Some(*strategy),
            _ => None,
        }
    }

    /// How far the ids behind an intent to identify can be relied on.
    pub fn strength(&self, identify: Intent) -> Strength {
        match (self.native(identify), self.strategy(identify)) {
            (true, _) => Strength::Strong,
            (false, Some(Strategy::Occurrences)) => Strength::Weak,
            (false, _) => Strength::None,
        }
    }

    /// True when text of this kind is shown while it is made. The input of a tool always is.
    pub fn streams(&self, kind: TextKind) -> bool {
        stream_of(kind).is_none_or(|intent| self.native(intent))
    }
}

/// The intent to see text of this kind while it is made.
pub fn stream_of(kind: TextKind) -> Option<Intent> {
    match kind {
        TextKind::Assistant => Some(Intent::StreamText),
        TextKind::Reasoning | TextKind::ReasoningSummary => Some(Intent::StreamReasoning),
        TextKind::Plan => Some(Intent::StreamPlan),
        TextKind::ToolOutput => Some(Intent::StreamToolOutput),
        TextKind::ToolInput => None,
    }
}
