//! What a provider can do, as far as the host decides by it.
//!
//! A plugin sends open data (`contract::CapabilitySet`); here it becomes the typed [`Capabilities`]. The table in
//! `table.rs` is the only place where a flag has its name, type, weakest value and meaning; everything else walks it.
//! **A flag that is missing, or of the wrong type, has its weakest value; of two that disagree the weaker counts.**
//! A name the host does not know is kept and sent back, and nothing is decided by it.
//! Decisions are in `policy`. Tests: `tests.rs` beside this file.

mod overlap;
mod staged;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use overlap::{Conflict, OVERLAPS};
pub use staged::{CapabilityView, Clamp, ClampedBy, Effective, Stage, Staged};
pub use table::*;
pub use value::{Enforcement, Strength, ValueType};

use crate::contract::{Capability, CapabilitySet, CapabilityValue};

/// One row of the table: all that is known of a flag without a provider.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Its group, as in Rust: `sessions`.
    pub group: &'static str,
    /// Its field, as in Rust: `supports_model_switch_in_session`.
    pub field: &'static str,
    /// What it says.
    pub doc: &'static str,
    /// The type of its value.
    pub value_type: ValueType,
    /// Reads it; `None` is a number that was not given.
    pub get: fn(&Capabilities) -> Option<CapabilityValue>,
    /// Its weakest value.
    pub weakest: fn() -> Option<CapabilityValue>,
    put: fn(&mut Capabilities, &CapabilityValue) -> bool,
    narrow: fn(&mut Capabilities, &CapabilityValue) -> bool,
    weaken: fn(&mut Capabilities),
}

impl Flag {
    /// Its open name: `sessions.supports-model-switch-in-session`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.group, self.field.replace('_', "-"))
    }

    /// True when the value is better than the weakest one.
    pub fn is_more_than_weakest(&self, capabilities: &Capabilities) -> bool {
        (self.get)(capabilities) != (self.weakest)()
    }

    /// Gives it its weakest value.
    pub fn weaken(&self, capabilities: &mut Capabilities) {
        (self.weaken)(capabilities);
    }

    /// Sets it; a value of the wrong type makes it weakest and returns false.
    pub fn set(&self, capabilities: &mut Capabilities, value: &CapabilityValue) -> bool {
        let fits = (self.put)(capabilities, value);
        if !fits {
            self.weaken(capabilities);
        }
        fits
    }

    /// Sets it to the weaker of what it is and this value; a value of the wrong type makes it weakest and returns false.
    pub fn narrow(&self, capabilities: &mut Capabilities, value: &CapabilityValue) -> bool {
        let fits = (self.narrow)(capabilities, value);
        if !fits {
            self.weaken(capabilities);
        }
        fits
    }
}

/// The flag of this open name.
pub fn flag(name: &str) -> Option<&'static Flag> {
    let (group, rest) = name.split_once('.')?;
    let same = |field: &str| {
        field.len() == rest.len()
            && field.bytes().zip(rest.bytes()).all(|(a, b)| if a == b'_' { b == b'-' } else { a == b })
    };
    FLAGS.iter().find(|flag| flag.group == group && same(flag.field))
}

/// What became of a set when it was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The flags.
    pub capabilities: Capabilities,
    /// Names whose value had the wrong type; they count as weakest.
    pub mistyped: Vec<String>,
    /// Names told twice; the weaker value counts.
    pub repeated: Vec<String>,
}

impl Capabilities {
    /// Reads an open set. Never fails: what it cannot use is weakest, or kept as unknown.
    pub fn read(set: &CapabilitySet) -> Reading {
        let mut reading = Reading::default();
        let mut seen: Vec<&'static str> = Vec::new();
        for told in &set.capabilities {
            let Some(flag) = flag(&told.name) else {
                keep_unknown(&mut reading, told);
                continue;
            };
            let key = flag.field;
            let fits = if seen.contains(&key) {
                push_once(&mut reading.repeated, &told.name);
                flag.narrow(&mut reading.capabilities, &told.value)
            } else {
                seen.push(key);
                flag.set(&mut reading.capabilities, &told.value)
            };
            if !fits {
                push_once(&mut reading.mistyped, &told.name);
            }
        }
        reading
    }

    /// The open set: every flag that is more than its weakest value, then the unknown names.
    pub fn to_set(&self, revision: u32, provider_version: Option<String>) -> CapabilitySet {
        let known = FLAGS.iter().filter(|flag| flag.is_more_than_weakest(self));
        let known = known.filter_map(|flag| Some(Capability { name: flag.name(), value: (flag.get)(self)? }));
        let capabilities = known.chain(self.unknown.iter().cloned()).collect();
        CapabilitySet { revision, provider_version, capabilities }
    }

    /// All flags at their strongest: what tests weaken one by one.
    pub fn strongest() -> Self {
        let mut all = Self::default();
        for flag in FLAGS {
            let strongest = match (flag.value_type, (flag.weakest)()) {
                (ValueType::Flag, Some(CapabilityValue::Flag(weakest))) => CapabilityValue::Flag(!weakest),
                (ValueType::Strength, _) => CapabilityValue::Word("strong".into()),
                (ValueType::Enforcement, _) => CapabilityValue::Word("native".into()),
                _ => CapabilityValue::Count(u32::MAX),
            };
            flag.set(&mut all, &strongest);
        }
        all
    }
}

fn keep_unknown(reading: &mut Reading, told: &Capability) {
    let unknown = &mut reading.capabilities.unknown;
    if unknown.iter().any(|kept| kept.name == told.name) {
        push_once(&mut reading.repeated, &told.name);
    } else {
        unknown.push(told.clone());
    }
}

fn push_once(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}
