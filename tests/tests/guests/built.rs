//! The plugins for Murmur, each built by its language's tools and loaded through the real sandbox.

use anyhow::Result;
use jackfield_core::limits::Limits;
use jackfield_sandbox::{CompiledFolder, Engine, Generation};
use jackfield_tests::guest;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use xtask::guests::{LANGUAGES, Language};

/// A plugin for Murmur.
pub struct Built {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    pub generation: Generation,
}

/// The plugins, built once. Without the registries (`--no-real`) only Rust's, and that is said.
pub fn all() -> &'static [Built] {
    static ALL: OnceLock<Result<Vec<Built>, String>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let engine = engine();
        let others = languages();
        std::thread::scope(|scope| {
            let others: Vec<_> = others.iter().map(|one| scope.spawn(|| script(&engine, *one))).collect();
            let mut all = vec![rust(&engine)];
            all.extend(others.into_iter().map(|one| one.join().expect("a builder")));
            all.into_iter().collect::<Result<_>>().map_err(|error| format!("{error:#}"))
        })
    });
    all.as_ref().unwrap_or_else(|error| panic!("{error}"))
}

/// The sandbox, with the machine code that the tests keep together.
pub fn engine() -> Engine {
    let limits = Limits::default();
    let engine = Engine::new(Arc::new(limits.clone())).expect("an engine");
    match jackfield_tests::compiled() {
        Some(folder) => engine.keeping(CompiledFolder::open(&folder, limits.compiled_bytes).expect("a folder")),
        None => engine,
    }
}

/// The languages besides Rust; `GUEST=js` plays only that one, for who is at work on it.
pub fn languages() -> Vec<Language> {
    if std::env::var_os("JACKFIELD_SKIP_REAL").is_some_and(|value| value == "1") {
        eprintln!("NOT CHECKED in JavaScript and Python: JACKFIELD_SKIP_REAL=1");
        return Vec::new();
    }
    let word = std::env::var("GUEST").unwrap_or_default();
    let chosen: Vec<Language> =
        LANGUAGES.iter().copied().filter(|language| language.folder().contains(&word)).collect();
    assert!(!chosen.is_empty(), "GUEST={word} is the folder of no language");
    chosen
}

fn rust(engine: &Engine) -> Result<Built> {
    let source = std::fs::read_to_string(xtask::root().join("sdk/example/rust/lib.rs"))?;
    let begun = Instant::now();
    let bytes = guest::build("murmur", &source, &manifest())?;
    load(engine, "rust", bytes, begun)
}

fn script(engine: &Engine, language: Language) -> Result<Built> {
    let root = xtask::root();
    xtask::guests::ensure(&root, language)?;
    let scratch = tempfile::tempdir()?;
    let begun = Instant::now();
    let component = xtask::guests::component(&root, language)?;
    let bytes = jackfield_pack::pack(&component, &manifest(), scratch.path())?;
    load(engine, language.folder(), bytes, begun)
}

fn load(engine: &Engine, name: &'static str, bytes: Vec<u8>, begun: Instant) -> Result<Built> {
    let built = begun.elapsed();
    let generation = engine.load(&bytes)?;
    let loaded = begun.elapsed() - built;
    eprintln!(
        "{name}: {} bytes, built in {built:.1?}, checked and loaded in {loaded:.1?}, {:?}",
        bytes.len(),
        generation.origin()
    );
    Ok(Built { name, bytes, generation })
}

pub fn manifest() -> String {
    std::fs::read_to_string(xtask::root().join("sdk/example/plugin.toml")).expect("a manifest")
}
