//! A model server for tests, on loopback: it speaks the dialects of Anthropic's Messages, of OpenAI's Responses and Chat Completions
//! and of Gemini to the real CLIs, and says what a script tells it. It has no state of a conversation: what it says follows from the
//! request alone, so that a resumed conversation goes on as if nothing had happened. It keeps every request it saw.
//!
//! Its tests: in each file beside this one; `tests/real.rs` for the CLIs' opinion of it.

mod chat;
mod gemini;
mod responses;
pub mod script;
mod server;
mod turns;
mod wire;

pub use script::Scripts;
pub use server::{Mock, Seen};
