//! What the tests of the whole are made of: a mock model server, a stage for the real CLIs, programs that go wrong, a workshop for plugins, and
//! the program as a user meets it.

pub mod bench;
pub mod door;
pub mod evidence;
pub mod faults;
pub mod flags;
pub mod guest;
pub mod hostile;
pub mod http;
pub mod live;
pub mod mock;
pub mod packed;
pub mod player;
pub mod real;
pub mod sources;
pub mod web;

/// Where the tests keep compiled plugins together: what `.cargo/config.toml` names.
pub fn compiled() -> Option<std::path::PathBuf> {
    std::env::var_os("JACKFIELD_COMPILED").map(Into::into)
}

/// Runs a test's work on an event loop of its own.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("an event loop").block_on(work)
}
