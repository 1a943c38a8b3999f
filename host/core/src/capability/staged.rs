//! The three stages of a session's capabilities: declared by the plugin, negotiated with the provider, clamped by the
//! operator and by what was seen. **A clamp only ever narrows; the version rises with each change.**

use super::{Capabilities, Conflict, FLAGS, flag, overlap};
use crate::contract::{CapabilitySet, CapabilityValue};
use crate::hints::Hint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far the capabilities have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// What the plugin says without a provider.
    Declared,
    /// What the provider's handshake told.
    Negotiated,
    /// Narrowed by the operator or by what was seen.
    Clamped,
}

/// Who narrows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClampedBy {
    /// A rule of the operator.
    Policy,
    /// The provider did not do what it declared.
    Honesty,
}

/// One narrowing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clamp {
    /// The flag's open name.
    pub name: String,
    /// At most this value; a value of the wrong type means the weakest.
    pub to: CapabilityValue,
    /// Who narrows.
    pub by: ClampedBy,
    /// Why, for a person.
    pub because: String,
}

/// The capabilities of one session in all their stages, as they are stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Staged {
    declared: CapabilitySet,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    negotiated: Option<CapabilitySet>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    clamps: Vec<Clamp>,
    version: u32,
}

/// What counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Effective {
    /// The flags.
    pub capabilities: Capabilities,
    /// Flags that disagreed; already settled.
    pub conflicts: Vec<Conflict>,
    /// Names whose value had the wrong type.
    pub mistyped: Vec<String>,
}

impl Staged {
    /// With only what the plugin declares; version 1.
    pub fn new(declared: CapabilitySet) -> Self {
        Self { declared, negotiated: None, clamps: Vec::new(), version: 1 }
    }

    /// The handshake's set replaces what was declared, up or down. False when it is older than the one in force.
    pub fn negotiate(&mut self, set: CapabilitySet) -> bool {
        if self.negotiated.as_ref().is_some_and(|now| set.revision < now.revision) {
            return false;
        }
        if self.negotiated.as_ref() != Some(&set) {
            self.negotiated = Some(set);
            self.version += 1;
        }
        true
    }

    /// Narrows one flag. The same narrowing twice changes nothing.
    pub fn clamp(&mut self, clamp: Clamp) {
        if !self.clamps.contains(&clamp) {
            self.clamps.push(clamp);
            self.version += 1;
        }
    }

    /// Takes back all narrowings of this kind.
    pub fn unclamp(&mut self, by: ClampedBy) {
        let before = self.clamps.len();
        self.clamps.retain(|clamp| clamp.by != by);
        self.version += u32::from(self.clamps.len() != before);
    }

    /// Rises with each change.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The stage they are in.
    pub fn stage(&self) -> Stage {
        match (&self.negotiated, self.clamps.is_empty()) {
            (_, false) => Stage::Clamped,
            (Some(_), true) => Stage::Negotiated,
            (None, true) => Stage::Declared,
        }
    }

    /// The narrowings in force.
    pub fn clamps(&self) -> &[Clamp] {
        &self.clamps
    }

    /// The provider's version, once the handshake has told it.
    pub fn provider_version(&self) -> Option<&str> {
        self.base().provider_version.as_deref()
    }

    /// What the plugin declared without a provider.
    pub fn declared(&self) -> &CapabilitySet {
        &self.declared
    }

    /// What counts now.
    pub fn effective(&self) -> Effective {
        let reading = Capabilities::read(self.base());
        let mut capabilities = reading.capabilities;
        for clamp in &self.clamps {
            if let Some(flag) = flag(&clamp.name) {
                flag.narrow(&mut capabilities, &clamp.to);
            }
        }
        let conflicts = overlap::settle(&mut capabilities);
        Effective { capabilities, conflicts, mistyped: reading.mistyped }
    }

    /// What events carry, with the hints that the caller derived from the same flags.
    pub fn view(&self, hints: Vec<Hint>) -> CapabilityView {
        CapabilityView {
            version: self.version,
            stage: self.stage(),
            provider_version: self.provider_version().map(str::to_owned),
            values: values(&self.effective().capabilities),
            hints,
        }
    }

    fn base(&self) -> &CapabilitySet {
        self.negotiated.as_ref().unwrap_or(&self.declared)
    }
}

/// What a thread can do, whole, as events carry it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapabilityView {
    /// Rises with each change.
    pub version: u32,
    /// How far they have come.
    pub stage: Stage,
    /// Version of the provider's program or server, once known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_version: Option<String>,
    /// Every flag by its open name: true or false, a word, a number, null for a number not given. Unknown names, too.
    pub values: BTreeMap<String, serde_json::Value>,
    /// What a UI may offer.
    pub hints: Vec<Hint>,
}

fn values(capabilities: &Capabilities) -> BTreeMap<String, serde_json::Value> {
    let known = FLAGS.iter().map(|flag| (flag.name(), (flag.get)(capabilities)));
    let unknown = capabilities.unknown.iter().map(|kept| (kept.name.clone(), Some(kept.value.clone())));
    known.chain(unknown).map(|(name, value)| (name, value.map_or(serde_json::Value::Null, json))).collect()
}

fn json(value: CapabilityValue) -> serde_json::Value {
    match value {
        CapabilityValue::Flag(flag) => flag.into(),
        CapabilityValue::Count(count) => count.into(),
        CapabilityValue::Word(word) => word.into(),
        CapabilityValue::Other(other) => {
            serde_json::from_str(&other.json).unwrap_or(serde_json::Value::String(other.json))
        }
    }
}
