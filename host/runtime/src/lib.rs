//! What Jackfield does: processes, sessions, store, audit. Decides nothing that `core` can decide.
//!
//! The way of the data: `process` reads a program's pipes through `framing`; a `session` gives the frames to its plugin and
//! carries out what comes back; a `thread` keeps one conversation going over its sessions; the `host` is where clients begin.

pub mod audit;
pub mod clock;
mod deletion;
pub mod framing;
pub mod host;
pub mod instance;
pub mod journal;
mod launch;
pub mod lease;
mod mint;
pub mod process;
pub mod program;
mod recovery;
pub mod session;
pub mod store;
pub mod thread;
pub mod thread_log;
