//! The stream for scripts: one JSON value per line. The first line is `stream.opened`, the last `stream.closed`; between
//! them are session events, as they are stored, and the words on lines of input.

use super::stream::StreamLine;
use super::{End, View};
use crate::output;
use jackfield_core::event::{SCHEMA_VERSION, SessionEvent};
use jackfield_runtime::thread::Thread;
use std::io;

/// NDJSON on stdout.
#[derive(Default)]
pub struct Json {
    last_seq: u64,
}

impl View for Json {
    fn opened(&mut self, thread: &Thread, provider: &str) -> io::Result<()> {
        output::json(&StreamLine::Opened {
            schema_version: SCHEMA_VERSION,
            jackfield: env!("CARGO_PKG_VERSION").into(),
            thread: thread.id().clone(),
            provider: provider.into(),
        })
    }

    fn event(&mut self, event: &SessionEvent) -> io::Result<()> {
        self.last_seq = event.seq;
        output::json(event)
    }

    fn tick(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn closed(&mut self, end: &End) -> io::Result<()> {
        output::json(&StreamLine::Closed {
            reason: end.reason,
            exit_code: end.exit.code(),
            last_seq: self.last_seq,
            tasks: end.tasks.clone(),
        })
    }

    fn waiting(&mut self, _: &str) {}

    fn say(&mut self, text: &str) {
        eprintln!("jackfield: {text}");
    }

    fn word(&mut self, line: &StreamLine) -> io::Result<()> {
        output::json(line)
    }
}
