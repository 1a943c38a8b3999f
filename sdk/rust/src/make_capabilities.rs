//! Short ways to declare what a provider can do.

use crate::prelude::*;

impl Capability {
    /// Yes or no.
    pub fn flag(name: impl Into<String>, value: bool) -> Self {
        Capability { name: name.into(), value: CapabilityValue::Flag(value) }
    }

    /// One word of a few.
    pub fn word(name: impl Into<String>, value: impl Into<String>) -> Self {
        Capability { name: name.into(), value: CapabilityValue::Word(value.into()) }
    }

    /// A number.
    pub fn count(name: impl Into<String>, value: u32) -> Self {
        Capability { name: name.into(), value: CapabilityValue::Count(value) }
    }
}

impl CapabilitySet {
    /// A set from names that are true and names with a word. What is not named has its weakest value.
    pub fn of(flags: &[&str], words: &[(&str, &str)]) -> Self {
        let flags = flags.iter().map(|name| Capability::flag(*name, true));
        let words = words.iter().map(|(name, word)| Capability::word(*name, *word));
        CapabilitySet { revision: 0, provider_version: None, capabilities: flags.chain(words).collect() }
    }

    /// The same set as the handshake of this version confirmed it; `revision` must rise with each set of a session.
    pub fn negotiated(self, revision: u32, provider_version: Option<String>) -> Self {
        CapabilitySet { revision, provider_version, ..self }
    }

    /// Without these names: they fall back to their weakest value.
    pub fn without(mut self, names: &[&str]) -> Self {
        self.capabilities.retain(|capability| !names.contains(&capability.name.as_str()));
        self
    }
}

impl Descriptor {
    /// A provider that declares nothing.
    pub fn new(provider: &str, label: &str) -> Self {
        Descriptor {
            provider: provider.into(),
            label: label.into(),
            declared: CapabilitySet::of(&[], &[]),
            settings: vec![],
            extra: vec![],
        }
    }

    /// With what it declares.
    pub fn with_declared(self, declared: CapabilitySet) -> Self {
        Descriptor { declared, ..self }
    }

    /// With settings that are known without asking the provider.
    pub fn with_settings(self, settings: Vec<Setting>) -> Self {
        Descriptor { settings, ..self }
    }
}
