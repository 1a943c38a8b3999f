//! Codex over its app-server, measured on 0.171.0 and 0.120.0.
//!
//! The way of a line: the SDK's `jsonrpc` (ids, answers, calls) → `translate` (what each method means) → `wire` (params to strict
//! types) → `turn`, `item`, `agent`, `request`, `usage`, `account` (one noun each) → events. What the host asks for begins in `session`:
//! `handshake`, `open`, `send`, `branch`, `history`, `other`.
//! **A method that is not understood is `unknown` by its name, a call that is not known is refused; text of the program decides
//! nothing, but for a configuration that it says it could not read: then nothing is begun.**
//! Tests: `tests/`, on recorded conversations of the real program in `recordings/`.

mod account;
mod agent;
mod answer;
mod branch;
mod capabilities;
mod card;
mod content;
mod delta;
mod fault;
mod handshake;
mod history;
mod item;
mod mcp;
mod notice;
mod open;
mod other;
mod request;
mod rollout;
mod send;
mod session;
mod settings;
mod stderr;
mod thread;
mod translate;
mod turn;
mod usage;
mod wire;

pub use session::Codex;

jackfield_sdk::plugin!(Codex);
