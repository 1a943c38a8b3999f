//! Exchanges with HTTP servers: one request, one connection, one answer, whole or as a stream of messages.
//!
//! **What may be asked was settled before** (`core::exchange`, the guards, `session::exchanges`): nothing here decides. The address is
//! fixed; no redirect is followed, no proxy asked, no name looked up, nothing of one exchange is kept for another. A server that the host
//! started is spoken to only where every listener at its port is a process of that program's own tree.
//! **Everything is bounded**: the head, the body, how long each may take, how many exchanges are open, what the session may be behind.
//!
//! Parts: `exchange` (a request's way and its answer's), `reach` (the connection), `error` (what can go wrong). Tests: `tests/tests/http.rs`,
//! through the whole house, with servers that misbehave.

mod error;
mod exchange;
mod reach;

pub(crate) use exchange::{Exchange, Request, begin};
pub(crate) use reach::free_port;
