//! A dialect as data: what one agent does its own way, as the manifest's `[data]` says it. Every field may be left out.

use serde::Deserialize;
use std::collections::BTreeMap;

use crate::history::History;

/// The data of a dialect.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Data {
    /// The provider's slug.
    pub provider: String,
    /// Its name for a person.
    pub label: String,
    /// Capabilities that this agent has beyond the protocol's own.
    pub flags: Vec<String>,
    /// Capabilities of the protocol that it does not have, whatever it says.
    pub lacks: Vec<String>,
    /// Capabilities that are words, in place of the protocol's.
    pub words: BTreeMap<String, String>,
    /// Kinds of calls that the protocol does not have, and those that they are.
    pub kinds: BTreeMap<String, String>,
    /// What a person must do to log in, when the agent does not say it.
    pub login: Option<String>,
    /// Values of settings that are not offered: in them the agent asks nobody.
    pub withheld: BTreeMap<String, Vec<String>>,
    /// What a person is asked about before each time, by mode (`changes`, `commands`, `reads`).
    pub asks: BTreeMap<String, String>,
    /// An option of kind `allow_always` holds for the session only.
    pub always_is_session: bool,
    /// A call that was refused is never told of again.
    pub refusal_is_silent: bool,
    /// A call that was stopped by a cancel is told as completed.
    pub cancelled_completes: bool,
    /// Words before the name of a mode, by which a message of the assistant tells a change of the mode.
    pub mode_text: Option<String>,
    /// How an end that looks good is known to be a failure.
    pub failed_end: Option<FailedEnd>,
    /// Errors by what they say, first match first; before those of the protocol.
    pub errors: Vec<ErrorRule>,
    /// Where the agent puts what the protocol has no place for.
    pub pointers: Pointers,
    /// The usage of a prompt's answer is that of the last call of the model, not of the turn.
    pub usage_is_of_call: bool,
    /// The usage of a prompt's answer is that of all turns since the conversation was opened.
    pub usage_adds_up: bool,
    /// History goes on to be told after the answer to `session/load`.
    pub history_trails: bool,
    /// Methods of the agent's own that may be answered with an empty object.
    pub acknowledged: Vec<String>,
    /// Where the agent keeps its conversations, when they can be read without it.
    pub history: Option<History>,
}

/// JSON pointers into what the agent says.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Pointers {
    /// The tool's name, in an update of a call.
    pub tool_name: Option<String>,
    /// The call inside which something happened, in an update.
    pub parent: Option<String>,
    /// The exit code of a command, in an update of a call.
    pub exit_code: Vec<String>,
    /// Counts of a prompt's answer, by the contract's names.
    pub usage: BTreeMap<String, String>,
}

/// How a failure is known that the agent tells as a good end: both must hold.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct FailedEnd {
    /// The prompt's answer lacks this member, which it has after each good end that asked a model; or it adds nothing, where
    /// `usage-adds-up`.
    pub lacks: String,
    /// And the last piece of the assistant's text begins with this; the rest of it is the error.
    pub last_text: String,
}

/// An error by what it says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ErrorRule {
    /// Only for this method.
    #[serde(default)]
    pub method: Option<String>,
    /// Where in the error it stands; without it, in the message.
    #[serde(default)]
    pub at: Option<String>,
    /// What stands there: a part of the text.
    pub says: String,
    /// The kind of the fault, as the contract names it.
    pub kind: String,
}

impl Default for Data {
    fn default() -> Self {
        Data {
            provider: "acp".to_owned(),
            label: "ACP agent".to_owned(),
            flags: vec![],
            lacks: vec![],
            words: BTreeMap::new(),
            kinds: BTreeMap::new(),
            login: None,
            withheld: BTreeMap::new(),
            asks: BTreeMap::new(),
            always_is_session: false,
            refusal_is_silent: false,
            cancelled_completes: false,
            mode_text: None,
            failed_end: None,
            errors: vec![],
            pointers: Pointers::default(),
            usage_is_of_call: false,
            usage_adds_up: false,
            history_trails: false,
            acknowledged: vec![],
            history: None,
        }
    }
}

impl Data {
    /// The kind of a call, as the protocol has it.
    pub(crate) fn rename_kind(&self, kind: &mut Option<String>) {
        if let Some(name) = kind.as_ref().and_then(|kind| self.kinds.get(kind)) {
            *kind = Some(name.clone());
        }
    }

    /// Whether a value of a setting is not offered.
    pub(crate) fn withholds(&self, setting: &str, value: &str) -> bool {
        self.withheld
            .get(setting)
            .is_some_and(|values| values.iter().any(|withheld| withheld == value || withheld == "*"))
    }
}
