//! The stream for scripts: one JSON value per line. The first line is `stream.opened`, the last `stream.closed`; between
//! them are session events, as they are stored.

use super::View;
use crate::exit::Exit;
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
        output::json(&serde_json::json!({
            "type": "stream.opened",
            "schema_version": SCHEMA_VERSION,
            "jackfield": env!("CARGO_PKG_VERSION"),
            "thread": thread.id(),
            "provider": provider,
        }))
    }

    fn event(&mut self, event: &SessionEvent) -> io::Result<()> {
        self.last_seq = event.seq;
        output::json(event)
    }

    fn tick(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn closed(&mut self, exit: Exit) -> io::Result<()> {
        output::json(
            &serde_json::json!({ "type": "stream.closed", "exit_code": exit.code(), "last_seq": self.last_seq }),
        )
    }

    fn waiting(&mut self, _: &str) {}

    fn say(&mut self, text: &str) {
        eprintln!("jackfield: {text}");
    }
}
