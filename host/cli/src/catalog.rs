//! Finds the plugin that a person means: a bundled one by name, or a file.

use crate::exit::Failure;
use crate::setup;
use jackfield_bundled::Bundled;
use std::io::Read;
use std::path::Path;

/// The provider that is used until one is chosen: it needs no key, no network, no program.
pub const DEFAULT: &str = "scripted";

/// A plugin's bytes and where they came from.
pub struct Found {
    pub bytes: Vec<u8>,
    pub bundled: bool,
}

/// A bundled plugin by its name, with or without the publisher.
pub fn bundled(name: &str) -> Result<Found, Failure> {
    let short = name.strip_prefix("jackfield/").unwrap_or(name);
    match jackfield_bundled::all().iter().find(|one| one.name == short) {
        Some(Bundled { bytes, .. }) => Ok(Found { bytes: bytes.to_vec(), bundled: true }),
        None => Err(Failure::usage(format!(
            "there is no provider '{name}'; there are {}. A plugin in a file is used with --plugin FILE",
            names()
        ))),
    }
}

/// A plugin in a file.
pub fn file(path: &Path) -> Result<Found, Failure> {
    let problem = |text: String| Failure::usage(format!("the plugin file {}: {text}", path.display()));
    let facts = std::fs::metadata(path).map_err(|error| problem(error.to_string()))?;
    if !facts.is_file() {
        return Err(problem("it is no file".into()));
    }
    let limit = setup::limits()?.plugin_bytes;
    if facts.len() > limit {
        return Err(problem(format!("it has {} bytes; the limit plugin_bytes is {limit}", facts.len())));
    }
    // It may grow while it is read.
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
    read.map_err(|error| problem(error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(problem(format!("it has more than {limit} bytes (limit plugin_bytes)")));
    }
    Ok(Found { bytes, bundled: false })
}

/// A bundled plugin by name, or a file by path: what has a `/` or ends in `.wasm` is a path.
pub fn any(text: &str) -> Result<Found, Failure> {
    if text.contains('/') && !text.starts_with("jackfield/") || text.ends_with(".wasm") {
        file(Path::new(text))
    } else {
        bundled(text)
    }
}

/// The names of the bundled plugins.
pub fn names() -> String {
    let names: Vec<_> = jackfield_bundled::all().iter().map(|one| one.name).collect();
    names.join(", ")
}
