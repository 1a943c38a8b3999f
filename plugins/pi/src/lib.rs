//! The pi coding agent over its RPC mode, measured on 0.73.1.
//!
//! The way of a line: `wire` and `answer` (bytes to strict types, unknown fields ignored) → `translate` (what each kind of frame means) → `stream`,
//! `tool`, `turn`, `ask` (one noun each) → events. What the host asks for begins in `session`: `open`, `send`, `select`, `branch` (copies
//! and going back). The program's answers to what we asked of it come back through `calls`.
//! **An `agent_end` ends a turn only when nothing goes on: a failure is asked about first, and a retry or a compaction takes it back.**
//! Tests: `tests/`, on recorded conversations of the real program in `recordings/`.

mod answer;
mod ask;
mod branch;
mod calls;
mod capabilities;
mod content;
mod fault;
mod open;
mod select;
mod send;
mod session;
mod settings;
mod stream;
mod tool;
mod translate;
mod turn;
mod wire;

pub use session::Pi;

jackfield_sdk::plugin!(Pi);
