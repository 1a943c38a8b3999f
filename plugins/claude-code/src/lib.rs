//! Claude Code over its stream-json protocol, measured on 2.1.197 and 2.1.332.
//!
//! The way of a line: `wire` (bytes to strict types, unknown fields ignored) → `translate` (what each kind of frame means) →
//! `stream`, `message`, `request`, `task`, `turn` (one noun each) → events. What the host asks for begins in `session`: `open`, `send`,
//! `branch` (copies and going back), `mcp`, `history` (what the program keeps on disk).
//! **A frame that is not understood is `unknown` by its kind, never dropped; text of the provider never decides anything.**
//! Tests: `tests/`, on recorded conversations of the real program in `recordings/`.

mod branch;
mod capabilities;
mod card;
mod content;
mod control;
mod cursor;
mod fault;
mod history;
mod mcp;
mod message;
mod open;
mod request;
mod seen;
mod send;
mod session;
mod settings;
mod stream;
mod task;
mod todo;
mod tool;
mod translate;
mod turn;
mod usage;
mod wire;
mod wire_session;

pub use session::ClaudeCode;

jackfield_sdk::plugin!(ClaudeCode);
