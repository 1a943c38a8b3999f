//! What Jackfield decides. Pure: no async, no I/O, no wasmtime; time and randomness are arguments.
//!
//! **If it has `async` it may not decide; if it decides it may not do I/O.** The way of the data is the list of modules:
//! a provider's event (`contract`) goes through the `normalizer`, which mints ids (`identity`), into session events
//! (`event`), which fold into a `projection`. What may be done is asked of the `policy`, with the `capability` set of
//! the session; `hints` ask the same table.

pub mod capability;
pub mod contract;
pub mod event;
pub mod exchange;
pub mod expert;
pub mod grant;
pub mod guard;
pub mod hints;
pub mod honesty;
pub mod id;
pub mod identity;
pub mod ledger;
pub mod lifecycle;
pub mod limits;
pub mod manifest;
pub mod normalizer;
pub mod options;
pub mod outbox;
pub mod policy;
pub mod projection;
pub mod requests;
pub mod rules;
pub mod run_limits;
pub mod scrub;
pub mod summary;
