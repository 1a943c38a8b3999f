//! Every agent that speaks the Agent Client Protocol, version 1: one provider, and *dialects* for what each agent does its own way.
//!
//! A dialect is data first: the `[data]` of a manifest, packed with this module (`data`). What data can't say is a small override of
//! [`AcpDialect`] in a crate that depends on this one. The way of a line: JSON-RPC (the SDK's `Peer`) → `wire` (strict types, unknown
//! fields ignored) → `update`, `tool`, `request` (one noun each) → events. What the host asks for begins in `session`.
//! **A frame that is not understood is `unknown` by its kind, never dropped; each request of the agent is answered; text of the agent
//! decides nothing, unless a dialect's data says that this agent has no other word for it.**
//! Tests: `tests/`, on recorded conversations of the real agents in `recordings/`.

mod answer;
mod auth;
mod capabilities;
mod compaction;
mod content;
mod conversation;
mod data;
mod dialect;
mod fault;
mod history;
mod list;
mod open;
mod other;
mod questions;
mod replay;
mod request;
mod select;
mod servers;
mod session;
mod settings;
mod shake;
mod tool;
mod trail;
mod turn;
mod update;
mod usage;
mod wire;

pub use data::{Data, ErrorRule, FailedEnd, Pointers};
pub use dialect::{AcpDialect, ByData};
pub use history::{History, Rows};
pub use session::Acp;

#[cfg(feature = "component")]
jackfield_sdk::plugin!(Acp<ByData>);
