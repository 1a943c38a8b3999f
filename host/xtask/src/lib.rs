//! Tasks around the project, as a library: the program `xtask` runs them, the tests ask it for the generated sources and
//! the real CLIs. It never knows wasmtime or the host. Its tests: `tests/tests/house.rs`.

pub mod codegen;
mod codegen_js;
pub mod demo;
pub mod fuzz;
pub mod guests;
mod npm;
mod pypi;
pub mod real;
pub mod schema;
pub mod setup;
pub mod step;
pub mod suite;
pub mod types;

use std::path::PathBuf;

/// A task's name and what it does, as the usage shows it.
pub const TASKS: &[(&str, &str)] = &[
    ("demo", "set up this machine and run the main job on the built-in provider"),
    ("test", "set up this machine and run all tests   [--real all|NAME,…] [--no-real]"),
    ("setup", "only set up this machine, the real CLIs included"),
    ("codegen", "write what follows from wit/ in Rust and JS    [--check]"),
    ("fuzz", "the functions of tests/fuzz under libFuzzer    TARGET [its options]"),
    ("schema", "write the JSON Schema of the JSON stream, its input and history"),
];

/// The workspace's folder.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map(PathBuf::from).unwrap_or(here)
}
