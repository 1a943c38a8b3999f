//! The signals that end a run. Ctrl-C asks first; to be told to go, or to lose the terminal, ends it at once.

use std::io;
use tokio::signal::unix::{Signal as Listener, SignalKind, signal};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Stop the run; a second one ends it.
    Interrupt,
    /// End now.
    Terminate,
}

/// Listens to them.
pub struct Signals {
    interrupt: Listener,
    terminate: Listener,
    hang_up: Listener,
}

impl Signals {
    pub fn new() -> io::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.hang_up.recv() => Signal::Terminate,
        }
    }
}
