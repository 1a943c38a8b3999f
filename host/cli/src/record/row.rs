//! The lines of a recording.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    t: f64,
    dir: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    proc: Option<u32>,
    #[serde(default)]
    pub line: String,
    /// What a recorder of another kind has beside it.
    #[serde(flatten)]
    more: Map<String, Value>,
}

impl Row {
    /// With another line.
    pub fn with(&self, line: String) -> Row {
        Row { line, ..self.clone() }
    }

    /// What a program was started with.
    pub fn spawned(&self) -> Option<Spawned> {
        (self.dir == "spawn").then(|| serde_json::from_str(&self.line).ok()).flatten()
    }
}

/// What a program was started with.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Spawned {
    pub argv: Vec<String>,
    pub env: std::collections::BTreeMap<String, String>,
    pub cwd: Option<String>,
}

/// Reads a file; the error names the line.
pub fn read(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rows = lines.map(|(at, line)| serde_json::from_str(line).map_err(|error| (at + 1, error)));
    let rows: Result<Vec<Row>, _> = rows.collect();
    let rows = rows.map_err(|(at, error)| format!("line {at} is no line of a recording ({error})"))?;
    if rows.is_empty() { Err("it is empty: nothing was recorded".into()) } else { Ok(rows) }
}

/// The file's text.
pub fn write(rows: &[Row]) -> String {
    rows.iter().map(|row| serde_json::to_string(row).unwrap_or_default() + "\n").collect()
}
