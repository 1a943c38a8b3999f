//! The journal of a session: every batch its plugin was given, with its tick, and every decision the host took about it.
//!
//! A plugin has no clock and no randomness but what is in here, so **its outputs are a function of the journal**: that is
//! what replay, traps and swaps will stand on. It lives in memory up to a bound; the older part goes to a file of its own,
//! which is removed with the session. It never holds a secret: those are filled in behind the plugin's back.
//! Tests: below.

use crate::process::data_len;
use jackfield_core::contract::{EffectResult, EffectValue, Input, Tick};
use jackfield_core::limits::Limits;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, Write};
use std::path::Path;

/// One entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    /// A batch of inputs as it was given.
    Batch {
        /// The host's clock.
        at: Tick,
        /// The inputs.
        inputs: Vec<Input>,
    },
    /// The plugin broke on this batch: what replays the journal leaves it out. What became of its inputs follows, each in a batch of its own.
    Undone {
        /// The `seq` of the batch's tick.
        seq: u32,
    },
    /// Something the host decided about the plugin or one of its outputs.
    Decided {
        /// What: `effect_refused`, `effect_allowed`, `command_timed_out`, `plugin_failed`, `frame_too_large` …
        what: String,
        /// About which effect, op or frame.
        about: u64,
        /// The rule or code.
        rule: String,
    },
}

/// The journal of one session and epoch.
pub struct Journal {
    recent: VecDeque<(Entry, u64)>,
    recent_bytes: u64,
    total_bytes: u64,
    spilled: Option<File>,
    spilled_entries: u64,
    memory_limit: u64,
    total_limit: u64,
    folder: std::path::PathBuf,
    /// Nothing is written down: the session is never replayed.
    off: bool,
}

impl Journal {
    /// One that keeps nothing: of a session that only asks, and is begun again when it breaks.
    pub fn off(limits: &Limits) -> Journal {
        Journal { off: true, ..Journal::new(Path::new(""), limits) }
    }

    /// An empty journal; the spill file, should it be needed, lies in `folder` without a name.
    pub fn new(folder: &Path, limits: &Limits) -> Journal {
        Journal {
            recent: VecDeque::new(),
            recent_bytes: 0,
            total_bytes: 0,
            spilled: None,
            spilled_entries: 0,
            memory_limit: limits.journal_memory_bytes,
            total_limit: limits.journal_bytes,
            folder: folder.to_owned(),
            off: false,
        }
    }

    /// False when nothing is written down: whoever asks first saves a copy.
    pub fn keeps(&self) -> bool {
        !self.off
    }

    /// Appends an entry; the older half goes to the file when memory's share is used up.
    pub fn append(&mut self, entry: Entry) -> io::Result<()> {
        if !self.keeps() {
            return Ok(());
        }
        let bytes = weight(&entry);
        self.recent.push_back((entry, bytes));
        self.recent_bytes += bytes;
        self.total_bytes += bytes;
        if self.recent_bytes > self.memory_limit {
            self.spill()?;
        }
        Ok(())
    }

    /// True when the session should restart on its cursors at the next quiet point.
    pub fn is_full(&self) -> bool {
        self.total_bytes > self.total_limit
    }

    /// How many entries there are.
    pub fn len(&self) -> u64 {
        self.spilled_entries + self.recent.len() as u64
    }

    /// True before the first entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads the whole journal, oldest first.
    pub fn entries(&mut self) -> io::Result<Vec<Entry>> {
        let mut all = Vec::new();
        if let Some(file) = &mut self.spilled {
            file.rewind()?;
            for line in BufReader::new(&*file).lines() {
                all.push(serde_json::from_str(&line?)?);
            }
            file.seek(io::SeekFrom::End(0))?;
        }
        all.extend(self.recent.iter().map(|(entry, _)| entry.clone()));
        Ok(all)
    }

    /// The batches that count, oldest first: what a new instance must be given to know all that the old one knew.
    pub fn batches(&mut self) -> io::Result<Vec<(Tick, Vec<Input>)>> {
        let entries = self.entries()?;
        let undone: BTreeSet<u32> = entries
            .iter()
            .filter_map(|entry| if let Entry::Undone { seq } = entry { Some(*seq) } else { None })
            .collect();
        let counts = |entry| match entry {
            Entry::Batch { at, inputs } if !undone.contains(&at.seq) => Some((at, inputs)),
            _ => None,
        };
        Ok(entries.into_iter().filter_map(counts).collect())
    }

    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.spilled {
            Some(file) => file,
            None => self.spilled.insert(tempfile::tempfile_in(&self.folder)?),
        };
        let mut out = Vec::new();
        while self.recent_bytes > self.memory_limit / 2 {
            let Some((entry, bytes)) = self.recent.pop_front() else {
                break;
            };
            serde_json::to_writer(&mut out, &entry)?;
            out.push(b'\n');
            self.recent_bytes -= bytes;
            self.spilled_entries += 1;
        }
        file.write_all(&out)
    }
}

/// About how much memory an entry takes: what it carries, and a little for its frame.
fn weight(entry: &Entry) -> u64 {
    let input = |input: &Input| match input {
        Input::Frame(frame) => data_len(&frame.data),
        Input::Command(command) => serde_json::to_string(command).map_or(0, |text| text.len()),
        Input::EffectDone(EffectResult { outcome: Ok(value), .. }) => value_len(value),
        Input::EffectDone(EffectResult { outcome: Err(fault), .. }) => fault.message.len() + 64,
        Input::ChannelClosed(exit) => exit.stderr_tail.len() + 64,
        Input::Other(other) => other.name.len() + other.json.len(),
        Input::Timer(_) | Input::Close => 64,
    };
    match entry {
        Entry::Batch { inputs, .. } => inputs.iter().map(|one| input(one) as u64 + 64).sum(),
        Entry::Decided { .. } | Entry::Undone { .. } => 96,
    }
}

fn value_len(value: &EffectValue) -> usize {
    match value {
        EffectValue::Bytes(part) => part.data.len(),
        EffectValue::Rows(rows) => rows.iter().map(String::len).sum(),
        EffectValue::Entries(entries) => entries.iter().map(|entry| entry.name.len() + 32).sum(),
        EffectValue::Response(response) => {
            let headers: usize = response.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
            headers + response.body.as_ref().map_or(64, data_len)
        }
        EffectValue::Other(other) => other.name.len() + other.json.len(),
        EffectValue::Opened | EffectValue::Written => 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jackfield_core::contract::{ChannelExit, Frame, FrameData, HttpResponse, Pipe};

    fn batch(seq: u32, text: &str) -> Entry {
        Entry::Batch {
            at: Tick { now_ms: 1.5, seq },
            inputs: vec![Input::Frame(Frame { channel: 1, pipe: Pipe::Main, data: FrameData::Text(text.into()) })],
        }
    }

    #[test]
    fn what_was_spilled_comes_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let limits = Limits { journal_memory_bytes: 2_000, ..Limits::default() };
        let mut journal = Journal::new(folder.path(), &limits);
        let all: Vec<_> = (0..100).map(|n| batch(n, &"é\n".repeat(n as usize))).collect();
        for (n, entry) in all.iter().enumerate() {
            journal.append(entry.clone()).unwrap();
            if n % 10 == 0 {
                assert_eq!(journal.entries().unwrap(), all[..=n]);
            }
        }
        assert!(journal.spilled_entries > 50);
        assert!(journal.recent_bytes <= limits.journal_memory_bytes);
        assert_eq!(journal.len(), 100);
    }

    #[test]
    fn what_is_undone_is_not_replayed_wherever_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        let limits = Limits { journal_memory_bytes: 2_000, ..Limits::default() };
        let mut journal = Journal::new(folder.path(), &limits);
        for seq in 0..60 {
            journal.append(batch(seq, "abcdefghijklmnopqrstuvwxyz")).unwrap();
            if seq % 7 == 3 {
                journal.append(Entry::Undone { seq }).unwrap();
            }
        }
        assert!(journal.spilled_entries > 20);
        let counted: Vec<u32> = journal.batches().unwrap().into_iter().map(|(at, _)| at.seq).collect();
        assert_eq!(counted, (0..60).filter(|seq| seq % 7 != 3).collect::<Vec<_>>());
    }

    #[test]
    fn it_says_when_it_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let limits = Limits { journal_memory_bytes: 100, journal_bytes: 500, ..Limits::default() };
        let mut journal = Journal::new(folder.path(), &limits);
        for n in 0..3 {
            journal.append(batch(n, &"x".repeat(100))).unwrap();
        }
        assert!(!journal.is_full());
        journal.append(batch(3, "x")).unwrap();
        assert!(journal.is_full());
    }

    #[test]
    fn an_answer_and_an_end_weigh_what_they_carry() {
        let response = HttpResponse {
            status: 200,
            headers: vec![("etag".into(), "x".repeat(1_000))],
            body: Some(FrameData::Text("x".repeat(2_000))),
        };
        let done = EffectResult { id: 1, outcome: Ok(EffectValue::Response(response)) };
        let last_words = "x".repeat(3_000);
        let exit = ChannelExit { channel: 1, code: None, signal: None, stderr_tail: last_words, fault: None };
        let of = |input| weight(&Entry::Batch { at: Tick { now_ms: 1.5, seq: 0 }, inputs: vec![input] });
        assert_eq!(of(Input::EffectDone(done)), 3_004 + 64);
        assert_eq!(of(Input::ChannelClosed(exit)), 3_000 + 64 + 64);
    }
}
