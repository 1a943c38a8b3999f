//! What came of a play: what the program said and heard, what the house made of it.

use super::dialect::Start;
use super::plan::Incarnation;
use jackfield_core::event::{EventBody, SessionEvent};
use jackfield_core::id::ThreadId;
use jackfield_runtime::store::StoreError;
use jackfield_runtime::thread::Thread;
use std::collections::BTreeSet;

/// A frame as the host took it in.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its number in the session, from 1.
    pub number: u64,
    /// What it was.
    pub raw: String,
    /// What became of it.
    pub fate: String,
    /// True for one of the program's lines on stdout.
    pub main: bool,
}

/// One start of the program.
#[derive(Debug, Clone)]
pub struct Sitting {
    /// Which of its thread's sessions it is in, from 0.
    pub order: usize,
    /// What was planned.
    pub incarnation: Incarnation,
    /// What the arguments asked for with which the host started it.
    pub started: Start,
    /// Lines of the program on stdout, with their lines in the recording.
    pub said: Vec<(String, usize)>,
    /// Its lines on stderr.
    pub complained: Vec<String>,
    /// Frames that the host took in while the session was at work.
    pub frames: Vec<Frame>,
    /// What the host wrote, with the step that awaited it.
    pub heard: Vec<(String, Option<usize>)>,
    /// How many lines the program had said when we ended the session, by the recording's word.
    pub ended_by_us: Option<usize>,
}

impl Sitting {
    /// The lines on stdout that the session took in.
    pub fn taken(&self) -> Vec<String> {
        self.frames.iter().filter(|frame| frame.main).map(|frame| frame.raw.clone()).collect()
    }
}

/// A thread of ours and the sittings that it had.
#[derive(Debug, Clone)]
pub struct Conversation {
    /// The thread.
    pub thread: ThreadId,
    /// The ids that it has in the recording.
    pub names: BTreeSet<String>,
    /// How often it was opened.
    pub openings: usize,
    /// Starts of the program, in order.
    pub sittings: Vec<Sitting>,
    /// All its events, as stored.
    pub events: Vec<SessionEvent>,
    /// Its events as a client heard them live; those before it listened are not among them.
    pub live: Vec<SessionEvent>,
}

/// A recording that was played.
#[derive(Debug, Default)]
pub struct Play {
    /// What was talked about, by thread.
    pub conversations: Vec<Conversation>,
    /// The conversation that was spoken in last.
    pub latest: Option<usize>,
    /// What could not be done as recorded.
    pub problems: Vec<Problem>,
}

/// A rule that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The rule.
    pub rule: &'static str,
    /// Which start of the program.
    pub proc: Option<u32>,
    /// Which frame of the session.
    pub frame: Option<u64>,
    /// What is wrong.
    pub text: String,
}

impl Problem {
    /// A problem of no frame in particular.
    pub fn new(rule: &'static str, text: impl Into<String>) -> Problem {
        Problem { rule, proc: None, frame: None, text: text.into() }
    }

    /// Of this start of the program.
    pub fn of(mut self, proc: u32) -> Problem {
        self.proc = Some(proc);
        self
    }

    /// At this frame.
    pub fn at(mut self, frame: u64) -> Problem {
        self.frame = Some(frame);
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.rule)?;
        if let Some(proc) = self.proc {
            write!(f, " (start {proc})")?;
        }
        if let Some(frame) = self.frame {
            write!(f, " (frame {frame})")?;
        }
        write!(f, ": {}", self.text)
    }
}

/// All events of a thread that were stored by now.
pub(super) async fn every(thread: &Thread) -> Result<Vec<SessionEvent>, StoreError> {
    let mut events: Vec<SessionEvent> = Vec::new();
    loop {
        let page = thread.events_after(events.last().map_or(0, |event| event.seq), 1_000).await?;
        if page.is_empty() {
            return Ok(events);
        }
        events.extend(page);
    }
}

/// True when the session that is at work has ended, by the last word about it.
pub fn is_over(events: &[SessionEvent]) -> bool {
    let last = events.iter().rev().find_map(|event| match event.draft.body {
        EventBody::SessionEnded { .. } => Some(true),
        EventBody::SessionStarted { .. } => Some(false),
        _ => None,
    });
    last == Some(true)
}
