//! What authors of Jackfield provider plugins depend on.
//!
//! A plugin is a state machine: the host feeds it commands and the provider's frames, it answers with events, effects and
//! results. Implement [`Provider`](prelude::Provider) in ordinary Rust, name it in [`plugin!`], and that is all; the component
//! bindings stay out of sight. `README.md` beside this crate has a whole plugin in twenty lines.
//!
//! **A plugin has no clock, no randomness and no environment: the same inputs give the same outputs, because the host replays them.**
//! Time is [`Cx::now_ms`](cx::Cx::now_ms), randomness is [`Cx::random`](cx::Cx::random); keep state in `BTreeMap`, never iterate a
//! `HashMap`. Nothing here does I/O, and everything runs natively too: [`testing::Harness`] drives a plugin in a plain `cargo test`.

#![deny(unsafe_code)]

pub mod ansi;
pub mod base64;
#[doc(hidden)]
#[allow(unsafe_code, missing_docs, clippy::all)]
pub mod bindings;
pub mod cx;
pub mod data;
#[doc(hidden)]
pub mod driver;
#[doc(hidden)]
pub mod glue;
pub mod jsonrpc;
mod make;
mod make_capabilities;
mod make_items;
pub mod moment;
pub mod ndjson;
pub mod past;
pub mod prelude;
mod provider;
pub mod random;
pub mod testing;
pub mod tolerant;

/// Makes a type that implements [`Provider`](prelude::Provider) the plugin of this crate.
///
/// On other targets than wasm it expands to nothing but a check of the trait, so that the crate's tests run natively.
#[macro_export]
macro_rules! plugin {
    ($provider:ty) => {
        const _: fn() = || {
            fn implements_provider<P: $crate::prelude::Provider>() {}
            implements_provider::<$provider>();
        };
        #[cfg(target_arch = "wasm32")]
        #[doc(hidden)]
        type JackfieldExports = $crate::glue::Exports<$provider>;
        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code)]
        const _: () = {
    $crate::bindings::export_component!(JackfieldExports with_types_in $crate::bindings);
        };
    };
}

/// The README's plugin is compiled and run by `cargo test`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
