//! What a provider may say without anything being shown, and what our host does not play: reviewed lists, with reasons.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The lists of a provider: `tests/recordings/<provider>.json`. A kind that ends in `*` stands for all that begin so.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lists {
    /// Kinds of frames that are understood and show nothing.
    pub silent: BTreeMap<String, String>,
    /// Kinds that nobody understands and that are known to come.
    pub unknown: BTreeMap<String, String>,
    /// Kinds whose ids are strong enough that one told twice is told once.
    #[serde(default)]
    pub doubled: BTreeMap<String, String>,
    /// Why lines that are not the protocol's may come; none if empty.
    pub noise: BTreeMap<String, String>,
    /// Client lines that our host does not write.
    pub client_lines: BTreeMap<String, String>,
    /// Lines of our host that the recorded client did not write.
    pub host_lines: BTreeMap<String, String>,
}

impl Lists {
    /// The lists of this provider.
    pub fn of(provider: &str) -> Result<Lists> {
        let path = xtask::root().join("tests/recordings").join(format!("{provider}.json"));
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }
}

/// True when a list names this kind.
pub fn names(list: &BTreeMap<String, String>, kind: &str) -> bool {
    list.keys().any(|known| match known.strip_suffix('*') {
        Some(beginning) => kind.starts_with(beginning),
        None => known == kind,
    })
}
