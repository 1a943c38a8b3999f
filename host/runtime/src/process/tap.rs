//! A recording of what crosses the wire between the host and programs, line by line, as it is read and written: what
//! `run --record FILE` asks for, in the form in which the tests keep their recordings.
//!
//! `{"t":ms,"dir":"spawn|in|out|err|in_eof|exit","proc":n,"line":"…"}`: `t` from the recording's begin, `proc` counts the
//! programs, `spawn` has arguments, environment and folder as JSON, `exit` the code, or the signal as a negative number.
//!
//! **The file is new, its owner's alone, and holds no value that the operator passed as a secret or that the host made up as one**: each is
//! replaced before it is written. A recording that can't be written stops and says so; it never stops a conversation. Tests: below, and
//! `tests/tests/record.rs`.

use super::spawn::SpawnSpec;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Shorter values are words that stand everywhere: replacing them would spoil the lines and hide nothing.
const SECRET_BYTES: usize = 6;

/// A recording that is being made. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Tap(Arc<Mutex<Sheet>>);

impl PartialEq for Tap {
    /// The same recording, not one that says the same.
    fn eq(&self, other: &Tap) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Debug)]
struct Sheet {
    file: BufWriter<File>,
    began: Instant,
    programs: u32,
    lines: u64,
    /// What is never written, with what stands in its place; the longest first.
    secrets: Vec<(String, String)>,
    failed: Option<String>,
}

/// Which way a line went, or what else happened.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Dir {
    Spawn,
    In,
    Out,
    Err,
    InEof,
    Exit,
}

#[derive(Serialize)]
struct Row<'a> {
    t: u64,
    dir: Dir,
    proc: u32,
    line: &'a str,
}

#[derive(Serialize)]
struct Spawned<'a> {
    argv: Vec<&'a str>,
    env: BTreeMap<&'a str, &'a str>,
    cwd: &'a str,
}

impl Tap {
    /// Begins a recording in a new file. `secrets` are values that are never written, by the names they go by.
    pub fn create(path: &Path, secrets: &[(String, String)]) -> io::Result<Tap> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let file = BufWriter::new(file);
        let sheet = Sheet { file, began: Instant::now(), programs: 0, lines: 0, secrets: Vec::new(), failed: None };
        let tap = Tap(Arc::new(Mutex::new(sheet)));
        tap.hide(secrets.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        Ok(tap)
    }

    /// From now on these values are not written, either; by the names they go by.
    pub(crate) fn hide<'a>(&self, secrets: impl Iterator<Item = (&'a str, &'a str)>) {
        let long = secrets.filter(|(_, value)| value.len() >= SECRET_BYTES);
        let forms = long
            .flat_map(|(name, value)| [value.to_owned(), within_json(value)].map(|form| (form, format!("[{name}]"))));
        let hidden = &mut self.sheet().secrets;
        for (form, shown) in forms {
            // A value that goes by two names keeps the one that it was given first.
            if hidden.iter().all(|(known, _)| *known != form) {
                hidden.push((form, shown));
            }
        }
        hidden.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
    }

    /// How many lines were written, or why it stopped.
    pub fn finish(&self) -> Result<u64, String> {
        let mut sheet = self.sheet();
        if let Err(error) = sheet.file.flush() {
            sheet.failed.get_or_insert_with(|| error.to_string());
        }
        sheet.failed.clone().map_or(Ok(sheet.lines), Err)
    }

    fn sheet(&self) -> std::sync::MutexGuard<'_, Sheet> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A text as it stands within a text of JSON.
pub(crate) fn within_json(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    // The quotes around it, and no escaped one of its own.
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

impl Sheet {
    fn write(&mut self, proc: u32, dir: Dir, line: &str) {
        if self.failed.is_some() {
            return;
        }
        let hidden = self.secrets.iter().fold(line.to_owned(), |line, (value, name)| {
            if line.contains(value) { line.replace(value, name) } else { line }
        });
        let row = Row { t: self.began.elapsed().as_millis() as u64, dir, proc, line: &hidden };
        let written = serde_json::to_writer(&mut self.file, &row).map_err(io::Error::from);
        // A line that is in the file is there whatever happens to us next.
        let written = written.and_then(|()| self.file.write_all(b"\n")).and_then(|()| self.file.flush());
        match written {
            Ok(()) => self.lines += 1,
            Err(error) => self.failed = Some(error.to_string()),
        }
    }
}

/// The wire to one program; without a recording it does nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Wire(Option<Arc<Tapped>>);

#[derive(Debug)]
struct Tapped {
    tap: Tap,
    proc: u32,
    over: AtomicBool,
}

impl Wire {
    /// The program runs.
    pub fn begin(spec: &SpawnSpec) -> Wire {
        let Some(tap) = spec.tap.clone() else { return Wire::default() };
        let program = spec.program.display().to_string();
        let argv = std::iter::once(program.as_str()).chain(spec.args.iter().map(String::as_str)).collect();
        let env = spec.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let cwd = spec.cwd.display().to_string();
        let line = serde_json::to_string(&Spawned { argv, env, cwd: &cwd }).unwrap_or_default();
        let proc = {
            let mut sheet = tap.sheet();
            let proc = sheet.programs;
            sheet.programs += 1;
            sheet.write(proc, Dir::Spawn, &line);
            proc
        };
        Wire(Some(Arc::new(Tapped { tap, proc, over: AtomicBool::new(false) })))
    }

    pub fn line(&self, dir: Dir, line: &str) {
        if let Some(tapped) = &self.0 {
            tapped.tap.sheet().write(tapped.proc, dir, line);
        }
    }

    /// A line was written to the program.
    pub fn written(&self, line: &[u8]) {
        if self.0.is_some() {
            self.line(Dir::In, String::from_utf8_lossy(line).trim_end_matches('\n'));
        }
    }

    /// We closed the program's stdin. After its end that says nothing.
    pub fn hung_up(&self) {
        if self.0.as_ref().is_some_and(|tapped| !tapped.over.load(Ordering::Relaxed)) {
            self.line(Dir::InEof, "");
        }
    }

    /// The program has ended; what it said before is read yet.
    pub fn ended(&self) {
        if let Some(tapped) = &self.0 {
            tapped.over.store(true, Ordering::Relaxed);
        }
    }

    /// How the program ended, after all that it said.
    pub fn exit(&self, code: Option<i32>, signal: Option<i32>) {
        let code = code.or(signal.map(|signal| -signal)).unwrap_or(-9);
        self.line(Dir::Exit, &code.to_string());
    }

    /// What one of its pipes says, to be cut into lines.
    pub fn pipe(&self, dir: Dir, limit: usize) -> Cutter {
        Cutter { wire: self.clone(), dir, limit, line: Vec::new() }
    }
}

/// Cuts what is read into lines, at most so long.
pub(super) struct Cutter {
    wire: Wire,
    dir: Dir,
    limit: usize,
    line: Vec<u8>,
}

impl Cutter {
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.wire.0.is_none() {
            return;
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = self.limit.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                self.end();
            }
        }
    }

    /// What is left is a line without its end.
    pub fn end(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\n', '\r']);
        if !text.is_empty() {
            self.wire.line(self.dir, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_within_json_keeps_the_quotes_that_are_its_own() {
        assert_eq!(within_json("plain"), "plain");
        assert_eq!(within_json(r#""abc""#), r#"\"abc\""#);
        assert_eq!(within_json(r#"abc""#), r#"abc\""#);
        assert_eq!(within_json(""), "");
    }

    #[test]
    fn what_is_hidden_is_known_once_however_many_sessions_say_it() {
        let folder = tempfile::tempdir().unwrap();
        let tap = Tap::create(&folder.path().join("raw.jsonl"), &[]).unwrap();
        let values = [("one", "value-1"), ("two", "value-2"), ("again", "value-1"), ("quoted", r#"value-3""#)];
        for _session in 0..3 {
            tap.hide(values.into_iter());
        }
        let hidden = tap.sheet().secrets.clone();
        let hidden: Vec<(&str, &str)> = hidden.iter().map(|(form, shown)| (form.as_str(), shown.as_str())).collect();
        let wanted =
            [(r#"value-3\""#, "[quoted]"), (r#"value-3""#, "[quoted]"), ("value-1", "[one]"), ("value-2", "[two]")];
        assert_eq!(hidden, wanted);
    }
}
