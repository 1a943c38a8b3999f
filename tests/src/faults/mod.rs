//! The fault cases: what a program does wrong, byte by byte, what the host is asked meanwhile, and what a client must see.
//!
//! Each is a file in `tests/faults/`, told in `tests/faults/README.md`. The program is this crate's `play __faulty`, started by the
//! real process layer; between it and the expected text is the whole house: framing, sandboxed plugin, normalizer, policy, store.
//! Played by `tests/tests/faults.rs`.

mod case;
mod play;
pub mod program;
mod rpc;
mod sign;
mod view;

pub use case::Case;
pub use play::House;

/// The word that makes the test program the faulty program.
pub const FAULTY: &str = "__faulty";
