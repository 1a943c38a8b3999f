//! What Jackfield does: processes, sessions, store, audit. Decides nothing that `core` can decide.
//!
//! The way of the data: `process` reads a program's pipes through `framing`; a `session` gives the frames to its plugin and
//! carries out what comes back, `files` what it wishes to read; a `thread` keeps one conversation going over its sessions; a `query` asks for those that are stored; the `host` is where clients begin.

pub mod attached;
pub mod audit;
pub mod clock;
mod deletion;
mod files;
pub mod framing;
pub mod host;
mod http;
pub mod instance;
pub mod journal;
mod launch;
pub mod lease;
mod mint;
pub mod process;
pub mod program;
pub mod query;
mod recovery;
pub mod session;
pub mod store;
pub mod thread;
pub mod thread_log;
