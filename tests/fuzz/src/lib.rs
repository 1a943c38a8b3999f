//! What plugins and the host must bear, as functions of bytes: each plays one case and says what does not hold.
//!
//! - [`plugins`]: arbitrary frames, recorded ones spoilt and garbage, into each first-party plugin;
//! - [`outputs`]: arbitrary words of a hostile plugin into the normalizer;
//! - [`guard`]: arbitrary frames, decisions and writes at the guard.
//!
//! **The same bytes give the same case, everywhere.** `tests/seeded.rs` plays the corpus and a seeded number of cases; `libfuzzer/`
//! has the same functions as targets (`cargo xtask fuzz`); `guest.rs` is the hostile plugin of
//! `tests/tests/hostile_outputs.rs`, which says the words of `decode` through a real component.

pub mod bytes;
pub mod decode;
mod frames;
pub mod guard;
pub mod life;
pub mod outputs;
pub mod plugins;

/// The types that `decode` draws: the host's here, the SDK's in the guest.
mod types {
    pub use jackfield_core::contract::*;
}

/// What does not hold.
pub type Verdict = Result<(), String>;

/// Fails with these words unless it holds.
macro_rules! holds {
    ($right:expr, $($words:tt)*) => {
        if !$right {
            return Err(format!($($words)*));
        }
    };
}
pub(crate) use holds;
