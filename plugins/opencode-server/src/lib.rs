//! OpenCode over its HTTP server (`opencode serve`), measured on 1.18.33.
//!
//! The way of an event: `wire` (bytes to strict types, unknown fields ignored) → `translate` (what each kind of event means) → `turn`,
//! `part`, `ask`, `child` (one noun each) → events. What the host asks for begins in `session`: `open`, `send`, `branch`. The server's
//! answers to what we asked come back through `calls`.
//! **A turn is from the person's message to the server's idle; an idle that an abort brings about is waited out until the message that it
//! cut is told whole.** Tests: `tests/`, on recorded conversations with the real server in `tests/recordings/opencode-serve` of the repository.

mod ask;
mod branch;
mod calls;
mod capabilities;
mod child;
mod content;
mod fault;
mod open;
mod part;
mod send;
mod session;
mod settings;
mod translate;
mod turn;
mod wire;

pub use session::OpenCode;

jackfield_sdk::plugin!(OpenCode);
