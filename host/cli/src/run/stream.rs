//! The lines of the JSON stream that are no session events: its beginning, its end, and the word on each line of input.
//!
//! **The types are the schema: `jackfield schema events` prints what is derived from them and from the session events.**

use jackfield_core::contract::Applies;
use jackfield_core::event::SessionEvent;
use jackfield_core::id::{RunId, TaskId, ThreadId};
use jackfield_core::outbox::Waiting;
use schemars::JsonSchema;
use serde::Serialize;

/// One line of the stream's own.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type")]
pub enum StreamLine {
    /// The first line.
    #[serde(rename = "stream.opened")]
    Opened {
        /// Version of the vocabulary.
        schema_version: u32,
        /// Version of the program.
        jackfield: String,
        /// The thread that the stream is about; `--resume` takes it.
        thread: ThreadId,
        /// The provider it talks to.
        provider: String,
    },
    /// The last line, however the stream ends.
    #[serde(rename = "stream.closed")]
    Closed {
        /// Why it ends.
        reason: CloseReason,
        /// The program's exit code.
        exit_code: u8,
        /// Number of the last session event in it.
        last_seq: u64,
        /// Background tasks that were still running and ended with the stream.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tasks: Vec<TaskId>,
    },
    /// A line of input was taken and carried out; what comes of it is told by session events.
    #[serde(rename = "input.accepted")]
    Accepted {
        /// Number of the line, from 1.
        line: u64,
        /// The `id` that the line had.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The run that a message became.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<RunId>,
        /// The messages that wait, where the line asked for them.
        #[serde(skip_serializing_if = "Option::is_none")]
        queue: Option<Vec<Waiting>>,
        /// The thread that a `fork` made or an `open_subagent` opened.
        #[serde(skip_serializing_if = "Option::is_none")]
        thread: Option<ThreadId>,
        /// From when on what was set counts.
        #[serde(skip_serializing_if = "Option::is_none")]
        applies: Option<Applies>,
    },
    /// A line of input was not taken: it changed nothing, and the stream goes on.
    #[serde(rename = "input.rejected")]
    Rejected {
        /// Number of the line, from 1.
        line: u64,
        /// The `id` that the line had, where it could be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// Stable code.
        code: String,
        /// What is wrong, and the way out.
        message: String,
    },
}

/// Why a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// All that was asked for is over, nothing goes on in the background, and no more input can come.
    Finished,
    /// All that was asked for is over; background tasks went on for longer than `roster_wait_ms` and were ended.
    RosterTimeout,
    /// A line of input asked for it.
    Closed,
    /// A signal: Ctrl-C, TERM, or the terminal hung up.
    Interrupted,
    /// It could not begin or go on; stderr says why.
    Failed,
}

/// One line of the stream of `run --json`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "read by the schema's generator alone")]
pub enum AnyLine {
    /// The stream's own.
    Stream(StreamLine),
    /// What happened, as it is stored.
    Event(Box<SessionEvent>),
}
