//! `--format claude`: the envelope that front ends of Claude Code speak, from session events. `frames` makes the lines; this
//! writes them. Which fields can't be equal to a real program's, and why, is in `tests/recordings/format.json`.

mod ask;
mod call;
mod frame;
mod frames;
mod partial;
mod say;
mod turn;

use super::{End, View};
use crate::output;
pub use frames::Frames;
use jackfield_core::event::SessionEvent;
use jackfield_runtime::thread::Thread;
use std::io;

/// The envelope's lines on stdout.
pub(crate) struct Claude {
    frames: Option<Frames>,
    folder: String,
    partials: bool,
}

impl Claude {
    /// `partials`: pieces of messages are told, too.
    pub fn new(folder: String, partials: bool) -> Claude {
        Claude { frames: None, folder, partials }
    }
}

impl View for Claude {
    fn opened(&mut self, thread: &Thread, provider: &str) -> io::Result<()> {
        self.frames = Some(Frames::new(thread.id(), &self.folder, provider, self.partials));
        Ok(())
    }

    fn event(&mut self, event: &SessionEvent) -> io::Result<()> {
        let Some(frames) = &mut self.frames else { return Ok(()) };
        frames.lines(event)?.iter().try_for_each(|line| output::line(line))
    }

    fn tick(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn closed(&mut self, _: &End) -> io::Result<()> {
        Ok(())
    }

    fn waiting(&mut self, _: &str) {}

    fn say(&mut self, text: &str) {
        eprintln!("jackfield: {text}");
    }
}
