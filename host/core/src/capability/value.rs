//! The types a capability's value can have, and which of two values is the weaker. Tests: `tests.rs` beside this file.

use crate::contract::CapabilityValue;
use serde::{Deserialize, Serialize};

/// How far a thing told by the provider can be relied on. Ordered: the weakest is the least.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// Not at all.
    #[default]
    None,
    /// Only together with something else: an ordinal, an occurrence, a policy.
    Weak,
    /// By itself.
    Strong,
}

/// Where modes and sandboxes are truly enforced. Ordered: the weakest is the least.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Enforcement {
    /// Only where the provider asks its client.
    #[default]
    ClientBoundary,
    /// By the provider itself.
    Native,
}

/// The type of a flag's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// Yes or no.
    Flag,
    /// `strong`, `weak` or `none`.
    Strength,
    /// `native` or `client-boundary`.
    Enforcement,
    /// A number, or none given.
    Count,
}

/// A value that the table can hold.
pub(super) trait Typed: Copy + PartialEq + Sized {
    const TYPE: ValueType;
    fn read(value: &CapabilityValue) -> Option<Self>;
    fn write(self) -> Option<CapabilityValue>;
    /// The weaker of two that are both more than the flag's weakest value.
    fn lesser(self, other: Self) -> Self;
    fn weaker(self, other: Self, weakest: Self) -> Self {
        if self == weakest || other == weakest { weakest } else { self.lesser(other) }
    }
}

impl Typed for bool {
    const TYPE: ValueType = ValueType::Flag;
    fn read(value: &CapabilityValue) -> Option<Self> {
        match value {
            CapabilityValue::Flag(flag) => Some(*flag),
            _ => None,
        }
    }
    fn write(self) -> Option<CapabilityValue> {
        Some(CapabilityValue::Flag(self))
    }
    fn lesser(self, other: Self) -> Self {
        self && other
    }
}

impl Typed for Option<u32> {
    const TYPE: ValueType = ValueType::Count;
    fn read(value: &CapabilityValue) -> Option<Self> {
        match value {
            CapabilityValue::Count(count) => Some(Some(*count)),
            _ => None,
        }
    }
    fn write(self) -> Option<CapabilityValue> {
        self.map(CapabilityValue::Count)
    }
    fn lesser(self, other: Self) -> Self {
        self.min(other)
    }
}

impl Typed for Strength {
    const TYPE: ValueType = ValueType::Strength;
    fn read(value: &CapabilityValue) -> Option<Self> {
        match value {
            CapabilityValue::Word(word) if word == "strong" => Some(Self::Strong),
            CapabilityValue::Word(word) if word == "weak" => Some(Self::Weak),
            CapabilityValue::Word(word) if word == "none" => Some(Self::None),
            _ => None,
        }
    }
    fn write(self) -> Option<CapabilityValue> {
        let word = match self {
            Self::Strong => "strong",
            Self::Weak => "weak",
            Self::None => "none",
        };
        Some(CapabilityValue::Word(word.into()))
    }
    fn lesser(self, other: Self) -> Self {
        self.min(other)
    }
}

impl Typed for Enforcement {
    const TYPE: ValueType = ValueType::Enforcement;
    fn read(value: &CapabilityValue) -> Option<Self> {
        match value {
            CapabilityValue::Word(word) if word == "native" => Some(Self::Native),
            CapabilityValue::Word(word) if word == "client-boundary" => Some(Self::ClientBoundary),
            _ => None,
        }
    }
    fn write(self) -> Option<CapabilityValue> {
        let word = match self {
            Self::Native => "native",
            Self::ClientBoundary => "client-boundary",
        };
        Some(CapabilityValue::Word(word.into()))
    }
    fn lesser(self, other: Self) -> Self {
        self.min(other)
    }
}
