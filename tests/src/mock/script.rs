//! What the mock model says: scripts, as data.
//!
//! A script is a list of steps, one for each of the model's turns; a step is a list of blocks. The files in `tests/scripts/` hold
//! those that the scenarios name: `messages.json` what any program can be told, and calls of Claude Code's tools; the others calls of
//! the tools of the program that they are named after.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Scripts by name.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scripts(BTreeMap<String, Vec<Vec<Block>>>);

/// One thing the model does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Block {
    /// Says something, in pieces.
    Text {
        /// What.
        text: String,
        /// Characters in one piece.
        #[serde(default = "piece")]
        piece: usize,
        /// Pause after each piece, in milliseconds.
        #[serde(default = "delay")]
        delay_ms: u64,
    },
    /// Thinks, in pieces.
    Thinking {
        /// What.
        text: String,
    },
    /// Calls a tool.
    Tool {
        /// Its name; `NAMESPACE::NAME` where a dialect has namespaces.
        name: String,
        /// Its input: an object, or for a tool that takes one a text.
        input: Value,
    },
    /// Answers with an HTTP status in place of a message; must be the step's first block.
    Http {
        /// The status.
        status: u16,
        /// The body.
        body: Value,
        /// More headers.
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// For the first so many requests of this step only; then the rest of the step is said. Absent: always.
        #[serde(default)]
        times: Option<u32>,
    },
    /// Says nothing for a while, in milliseconds.
    Stall {
        /// For how long.
        ms: u64,
    },
    /// Sends an error inside the stream and ends it.
    StreamError {
        /// The error object.
        error: Value,
    },
    /// Breaks the connection.
    Cut,
}

/// The files of the standard scripts.
const STANDARD: [&str; 5] = [
    include_str!("../../scripts/messages.json"),
    include_str!("../../scripts/codex.json"),
    include_str!("../../scripts/copilot.json"),
    include_str!("../../scripts/gemini.json"),
    include_str!("../../scripts/opencode.json"),
];

fn piece() -> usize {
    12
}

fn delay() -> u64 {
    10
}

impl Scripts {
    /// The scripts of the scenarios. `@FOLDER@` in them becomes this folder, `@OUTSIDE@` the folder `outside` beside it.
    pub fn standard(folder: &str) -> anyhow::Result<Scripts> {
        let mut scripts = Scripts::default();
        for file in STANDARD {
            for (name, steps) in Scripts::parse(file, folder)?.0 {
                anyhow::ensure!(!scripts.0.contains_key(&name), "two scripts are called {name}");
                scripts.0.insert(name, steps);
            }
        }
        Ok(scripts)
    }

    /// Reads scripts from JSON text.
    pub fn parse(json: &str, folder: &str) -> anyhow::Result<Scripts> {
        let quoted =
            |text: String| Ok::<_, serde_json::Error>(serde_json::to_string(&text)?.trim_matches('"').to_owned());
        let outside = Path::new(folder).with_file_name("outside").display().to_string();
        let json = json.replace("@FOLDER@", &quoted(folder.to_owned())?).replace("@OUTSIDE@", &quoted(outside)?);
        Ok(serde_json::from_str(&json)?)
    }

    /// The blocks of a step; past the script's end, and without a script, a short text.
    pub(super) fn step(&self, script: Option<&str>, step: usize) -> Vec<Block> {
        let known = script.and_then(|name| self.0.get(name)).and_then(|steps| steps.get(step));
        known.cloned().unwrap_or_else(|| vec![Block::Text { text: "Done.".into(), piece: piece(), delay_ms: 0 }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_scripts_are_well_formed() {
        let scripts = Scripts::standard("/a \"b\"").unwrap();
        for (name, steps) in &scripts.0 {
            for step in steps {
                assert!(!step.is_empty(), "{name} has an empty step");
                let late = step.iter().skip(1).any(|block| matches!(block, Block::Http { .. }));
                assert!(!late, "{name}: an HTTP status comes first in its step or not at all");
            }
        }
    }

    #[test]
    fn a_misspelt_block_is_refused() {
        assert!(Scripts::parse(r#"{"a": [[{"do": "text", "txt": "x"}]]}"#, "/").is_err());
    }

    #[test]
    fn past_the_end_there_is_still_an_answer() {
        assert!(matches!(&Scripts::default().step(Some("nosuch"), 3)[..], [Block::Text { .. }]));
    }
}
