//! A stage for real CLIs: fresh folders, a network with only loopback, the mock model; and cases, as data, that a real
//! `jackfield` plays on it.
//!
//! **A CLI that can't be driven here fails the test, with the way out; nothing is skipped but by `JACKFIELD_SKIP_REAL=1`.**
//! The cases are in `tests/real.rs`.

mod case;
mod command;
mod conversation;
mod desk;
mod judge;
mod process;
mod setup;
mod stage;
mod talk;

pub use case::{Act, CASE, Case, SAME_THREAD, TURN, Turn};
pub use command::jackfield;
pub use desk::Desk;
pub use process::Process;
pub use stage::{Stage, on_stage, program, wanted};
pub use talk::Step;
