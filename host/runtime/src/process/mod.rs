//! Programs under a supervisor, and the channels to them.
//!
//! ```text
//! host ── spawn ──► supervisor (own session, subreaper) ── starts ──► program ──► whatever it starts
//!   ▲  control socket: request and pipes down, `started`, `exited`, `gone` up; its end ends the whole tree
//!   └─ the program's stdin, stdout, stderr: straight to the host, nobody copies them
//! ```
//!
//! **No descendant of a program outlives its channel, nor the host, however the host ends.** A program gets exactly the
//! arguments, the environment and the folder that the request names; nothing is inherited, and nothing secret is ever on
//! a command line. Nothing here decides what may be started: that was settled before `spawn` is called.
//! A program that kills its supervisor (it runs as the same user) is found by its session; one that also left that
//! session escapes, and so does a tree whose supervisor was stopped (SIGSTOP) when the host died: only an
//! operating-system sandbox stops a program that attacks.
//!
//! Parts: `spawn` (start), `channel` (handle), `warden` (one task that owns the control socket and the ladder), `reader`,
//! `stderr`, `writer` (one task per pipe), `supervisor` (what the other process runs), `tree` (finding and signalling
//! descendants), `wire` (what the two say to each other), `tap` (a recording of what crosses the pipes). Tests: `tests/process.rs` of this crate, with real programs.

mod channel;
mod error;
mod reader;
mod spawn;
mod stderr;
mod supervisor;
mod tap;
mod tree;
mod warden;
mod wire;
mod writer;

pub use channel::{Channel, ChannelEvent, Held};
pub use error::{SpawnError, WriteError};
pub(crate) use reader::{ReadBudget, data_len};
pub use spawn::{SpawnSpec, Supervisor, spawn};
pub use supervisor::supervise_main;
pub use tap::Tap;
pub(crate) use tap::within_json;
pub(crate) use tree::listens;

/// The hidden sub-command of a program that can be a supervisor: it must call [`supervise_main`] and nothing else.
pub const SUPERVISE: &str = "__supervise";
