//! A program that takes one message, answers in plain text and ends: aider, or any other. The `none` end of every capability.
//!
//! The way of a message: `send` (a program of its own, started with it) → `run` (what it prints, and its end) → events.
//! **Its words decide nothing**: what it prints is shown, and how its turn ended is its exit code, or our interrupt.
//! Tests: `tests/`, on recorded runs of the real aider in `recordings/`.

mod capabilities;
mod options;
mod run;
mod send;
mod session;

pub use session::PlainText;

jackfield_sdk::plugin!(PlainText);
