//! Runs a plugin: bytes → checked → compiled → generation → session. The only crate that knows wasmtime.
//!
//! The way of the data is the list of modules: `check` reads bytes without running them, `engine` compiles what passed and
//! asks it who it is, `session` feeds one instance of it, under the `limiter`, the `meter` of its processor time and the engine's clock; `error` says what went
//! wrong, and `convert` moves values between the bindings' types and the contract's.
//!
//! **A plugin can compute and ask; nothing else.** Its linker holds one function, `diag.log`. It has no clock, no files, no
//! network, no randomness: same inputs, same outputs.
//! **Hostile bytes give an error, never a panic; a session that broke a limit is dead and its neighbours never notice.**
//! Tests: `tests/refusals.rs` (bytes that must not load), `tests/hostile.rs` (plugins that misbehave beside one that streams).
//!
//! Measured by `JACKFIELD_PLUGIN=FILE cargo test -p jackfield-sandbox --test cost -- --nocapture`, unoptimised, on two cores
//! that were busy with other work: a plugin of 29 kB loads in 83 ms, one of 368 kB in 2.6 s, one of 913 kB in 5.4 s; a session
//! takes 0.4 ms, a call of nothing 14 µs. An optimised build is what to judge by; the test prints its figures, too.

mod bindings;
mod check;
mod compiled;
mod convert;
mod convert_base;
mod engine;
mod error;
mod limiter;
mod log;
mod meter;
mod session;

pub use check::{CURRENT, FLOOR, Inspection, Lane, MANIFEST_SECTION, inspect};
pub use compiled::{CompiledFolder, Origin};
pub use engine::{Engine, Generation};
pub use error::{CallError, LoadError};
pub use session::Session;
