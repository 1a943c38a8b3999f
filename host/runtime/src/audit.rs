//! The audit file: one JSON line for each thing the host let through or refused.
//!
//! **A plugin's wish is recorded before it reaches the world.** A record names the plugin by digest and the rule that
//! decided; it holds sizes and digests of what was written, never the words or a secret. Records are appended with one
//! `write` each, so that several processes may share the file. Tests: below, and `tests/tests/hostile.rs`.

use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It was let through.
    Allowed,
    /// It was refused.
    Refused,
    /// It happened without anybody deciding: a trap, an exit.
    Noted,
}

/// One record.
#[derive(Debug, Clone, Serialize)]
pub struct Record<'a> {
    /// What it is about: `load`, `grant`, `spawn`, `write`, `signal`, `close_stdin`, `request`, `answer`, `trap`, `exit` …
    pub kind: &'a str,
    /// What was decided.
    pub verdict: Verdict,
    /// The rule that decided, or the stable code of the refusal.
    pub rule: &'a str,
    /// The plugin, `publisher/name`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub plugin: &'a str,
    /// sha256 of its bytes.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub digest: &'a str,
    /// The session.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub session: &'a str,
    /// Facts: a command line, sizes, an id. Never a prompt, never a secret.
    pub facts: serde_json::Value,
}

/// The file; cheap to clone.
#[derive(Clone)]
pub struct Audit {
    file: Arc<Mutex<File>>,
}

#[derive(Serialize)]
struct Line<'a> {
    at_ms: u64,
    pid: u32,
    #[serde(flatten)]
    record: &'a Record<'a>,
}

impl Audit {
    /// Opens or makes the file; only its owner can read it.
    pub fn open(path: &Path) -> io::Result<Audit> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        Ok(Audit { file: Arc::new(Mutex::new(file)) })
    }

    /// Appends a record. An error means that what it speaks of must not happen.
    pub fn write(&self, record: &Record<'_>) -> io::Result<()> {
        let mut line = serde_json::to_vec(&Line { at_ms: crate::clock::now_ms(), pid: std::process::id(), record })?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        file.write_all(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_record_is_one_line_and_full_disk_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let audit = Audit::open(&path).unwrap();
        let record = Record {
            kind: "spawn",
            verdict: Verdict::Allowed,
            rule: "bundled",
            plugin: "a/b",
            digest: "00",
            session: "",
            facts: serde_json::json!({"command": ["x", "new\nline"]}),
        };
        audit.write(&record).unwrap();
        Audit::open(&path).unwrap().write(&record).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));

        let full = Audit::open(Path::new("/dev/full")).unwrap();
        assert!(full.write(&record).is_err());
    }
}
