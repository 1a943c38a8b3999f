//! The table "flag → operation → outcome with it and without it", as the documentation shows it.

use super::case::{Case, folder};
use anyhow::{Context, Result};
use jackfield_core::capability::FLAGS;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Flags that change nothing by themselves, each with whom it informs and why nothing follows from it.
#[derive(Debug, Deserialize)]
pub struct Informational {
    /// Who reads it.
    pub reader: String,
    /// Why it changes no operation.
    pub why: String,
}

/// The list of informational flags.
pub fn informational() -> Result<BTreeMap<String, Informational>> {
    let text = std::fs::read_to_string(folder().join("informational.toml"))?;
    toml::from_str(&text).context("informational.toml")
}

/// Flags whose operation is not built yet, each with that operation.
pub fn waiting() -> Result<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(folder().join("waiting.toml"))?;
    toml::from_str(&text).context("waiting.toml")
}

/// What is done instead, as `intent/strategy`, each with what carries it out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategies {
    /// The case that carries it out.
    pub cases: BTreeMap<String, String>,
    /// Why nobody asks for it yet.
    pub unasked: BTreeMap<String, String>,
}

/// The list of strategies.
pub fn strategies() -> Result<Strategies> {
    let text = std::fs::read_to_string(folder().join("strategies.toml"))?;
    toml::from_str(&text).context("strategies.toml")
}

/// The documentation's table, in the order of the capability table.
pub fn markdown(cases: &[Case]) -> Result<String> {
    let (informational, waiting) = (informational()?, waiting()?);
    let mut text = String::from(
        "# What each capability changes\n\nMade of the cases in `tests/flags/`, which show it through the real host; `UPDATE=1 cargo test -p jackfield-tests \
         --test flags` writes it anew.\nA flag counts as missing when it is not declared, has the wrong type, or was taken back.\n\n\
         | flag | operation | with it | without it |\n| --- | --- | --- | --- |\n",
    );
    for row in FLAGS {
        let name = row.name();
        let mut of_flag: Vec<_> = cases.iter().filter(|case| case.flag == name).collect();
        of_flag.sort_by_key(|case| case.name.clone());
        for case in &of_flag {
            text += &format!("| `{name}` | {} | {} | {} |\n", case.operation, case.on, case.off);
        }
        if let Some(entry) = informational.get(&name) {
            text += &format!("| `{name}` | none: for {} | {} | the same |\n", entry.reader, entry.why);
        }
        if let Some(operation) = waiting.get(&name) {
            text += &format!("| `{name}` | {operation} | not built yet | not built yet |\n");
        }
    }
    Ok(text)
}
