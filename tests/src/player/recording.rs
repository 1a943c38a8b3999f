//! A recording: the lines that really crossed the wire between a client and a CLI, in order.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Which way a line went, or what else happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dir {
    /// The client started the program; the line has its arguments.
    Spawn,
    /// Client to program.
    In,
    /// Program to client, stdout.
    Out,
    /// Program to client, stderr.
    Err,
    /// The client closed the program's stdin.
    InEof,
    /// The program ended; the line has its exit code.
    Exit,
    /// A remark of the recorder.
    Note,
    /// What the model's server was asked; nobody's line.
    Http,
    /// A server's event.
    Sse,
}

/// One line of a recording.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its number in the file, from 1.
    pub at: usize,
    /// Which start of the program it belongs to.
    pub proc: u32,
    /// Which way.
    pub dir: Dir,
    /// The line, as it was.
    pub line: String,
}

#[derive(Deserialize)]
struct Raw {
    dir: Dir,
    proc: Option<u32>,
    #[serde(default)]
    line: String,
}

/// A recording.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The file's name without its ending.
    pub name: String,
    /// Its lines.
    pub rows: Vec<Row>,
}

/// The recordings in a folder beneath `tests/recordings`, of which there is one for each version of a program.
pub fn folder(name: &str) -> PathBuf {
    xtask::root().join("tests/recordings").join(name)
}

/// All recordings of a folder, in their order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the recordings").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    files.sort();
    files
}

/// Of a program that is a server: its events are what it says; what it prints is for people.
fn served(row: &mut Row) {
    match row.dir {
        Dir::Sse => match row.line.strip_prefix("data:") {
            Some(event) => (row.dir, row.line) = (Dir::Out, event.trim().to_owned()),
            None => row.dir = Dir::Note,
        },
        Dir::Out if !row.line.starts_with('{') => row.dir = Dir::Note,
        _ => {}
    }
}

impl Recording {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Recording> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Self::parse(name, &text).with_context(|| path.display().to_string())
    }

    fn parse(name: String, text: &str) -> Result<Recording> {
        let mut rows = Vec::new();
        let mut current = 0;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let at = index + 1;
            let raw: Raw = serde_json::from_str(line).with_context(|| format!("line {at}"))?;
            // A remark of the recorder names no start: it belongs to the one at work.
            current = raw.proc.unwrap_or(current);
            rows.push(Row { at, proc: current, dir: raw.dir, line: raw.line });
        }
        if rows.iter().any(|row| row.dir == Dir::Sse) {
            rows.iter_mut().for_each(served);
        }
        if !rows.iter().any(|row| row.dir == Dir::Spawn) {
            bail!("it starts no program");
        }
        Ok(Recording { name, rows })
    }

    /// The numbers of the program's starts, in order.
    pub fn procs(&self) -> Vec<u32> {
        self.rows.iter().filter(|row| row.dir == Dir::Spawn).map(|row| row.proc).collect()
    }
}
