//! What a UI may offer. **A hint is `policy::decide` asked without doing: a button can never disagree with what happens.**
//!
//! Nothing is decided here. Tests: below.

use crate::capability::Capabilities;
use crate::policy::{Decision, Intent, PolicyConfig, Strategy, decide};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a UI may offer for one operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hint {
    /// The operation: the intent's name.
    pub operation: String,
    /// Whether, and how.
    #[serde(flatten)]
    pub state: HintState,
}

/// Whether, and how, an operation can be offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "hint", rename_all = "snake_case")]
pub enum HintState {
    /// As asked.
    Available,
    /// Something else is done.
    Fallback {
        /// What is done instead.
        strategy: Strategy,
        /// Why.
        because: String,
        /// What is lost; to be said before it is done.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        loses: Vec<String>,
    },
    /// It cannot be done.
    Unavailable {
        /// Why, and the way out.
        reason: String,
    },
    /// A rule of the operator forbids it.
    BlockedByPolicy {
        /// The rule.
        rule: String,
    },
}

impl From<Decision> for HintState {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Native => Self::Available,
            Decision::Degraded { strategy, because, loses } => Self::Fallback { strategy, because, loses },
            Decision::Unsupported { because } => Self::Unavailable { reason: because },
            Decision::Blocked { rule } => Self::BlockedByPolicy { rule },
        }
    }
}

/// The hints of all operations that a UI has a control or a panel for, in the table's order.
pub fn hints(capabilities: &Capabilities, config: &PolicyConfig) -> Vec<Hint> {
    let intents = Intent::ALL.iter().filter(|intent| intent.is_for_users());
    intents
        .map(|intent| Hint { operation: intent.name().to_owned(), state: decide(intent, capabilities, config).into() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_says_what_is_lost() {
        let hints = hints(&Capabilities::default(), &PolicyConfig::default());
        let interrupt = hints.iter().find(|hint| hint.operation == "interrupt").expect("there is one");
        let HintState::Fallback { strategy, loses, .. } = &interrupt.state else { panic!("{interrupt:?}") };
        assert_eq!(*strategy, Strategy::StopSession);
        assert!(!loses.is_empty());
    }

    #[test]
    fn a_hint_is_plain_json() {
        let json =
            serde_json::to_value(&hints(&Capabilities::strongest(), &PolicyConfig::default())[0]).expect("plain data");
        assert_eq!(json, serde_json::json!({"operation": "interrupt", "hint": "available"}));
    }
}
