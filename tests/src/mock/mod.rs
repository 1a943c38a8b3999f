//! A model server for tests, on loopback: it speaks the Anthropic Messages and the OpenAI Responses dialect to the real CLIs, and
//! says what a script tells it. It has no state of a conversation: what it says follows from the request alone, so that a resumed
//! conversation goes on as if nothing had happened. It keeps every request it saw.
//!
//! Its tests: `script`, `turns`, `wire` and `responses` beside this file; `tests/real.rs` for the CLIs' opinion of it.

mod responses;
pub mod script;
mod server;
mod turns;
mod wire;

pub use script::Scripts;
pub use server::{Mock, Seen};
