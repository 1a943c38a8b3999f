//! The static check of a plugin's bytes: all that can be known without compiling or running them.
//!
//! Order matters to the person who reads the refusal: what kind of file it is, whether it is whole, which contract it
//! speaks, what it wants, what it offers, what its manifest says. **Nothing is compiled that was not checked here**, and
//! the linker is the second belt: it holds no more than this file lets through.

mod form;

use crate::error::LoadError;
use crate::log::clean;
use jackfield_core::limits::Limits;
use jackfield_core::manifest::Manifest;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use wasmparser::component_types::{ComponentEntityType, ComponentInstanceTypeId};
use wasmparser::types::{Types, TypesRef};
use wasmparser::{Parser, Payload, Validator};

/// The oldest version of the contract that this host speaks.
pub const FLOOR: &str = "0.1.0-draft";
/// The newest version of the contract that this host speaks: that of `wit/`.
pub const CURRENT: &str = "0.1.0-draft";
/// The custom section that holds the manifest.
pub const MANIFEST_SECTION: &str = "jackfield:manifest";

const PACKAGE: &str = "jackfield:provider/";
const ADAPTER: &str = "adapter";
const DIAG: &str = "diag";
/// What the adapter must export. Their types are compared when the component is linked.
const ADAPTER_ITEMS: [&str; 4] = ["describe", "session", "[constructor]session", "[method]session.handle"];

/// What a plugin has beneath it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lane {
    /// Nothing but `diag`.
    Strict,
}

impl std::fmt::Display for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Lane {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Lane::Strict => "strict",
        }
    }
}

/// What the bytes say.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// The plugin's manifest.
    pub manifest: Manifest,
    /// SHA-256 of the bytes, in hexadecimal digits.
    pub digest: String,
    /// What it imports.
    pub imports: Vec<String>,
    /// What it exports.
    pub exports: Vec<String>,
    /// What it has beneath it.
    pub lane: Lane,
    /// The version of the contract its code speaks.
    pub contract: semver::Version,
    /// Number of bytes.
    pub size: u64,
}

/// Checks a plugin's bytes by the default limits, without compiling them.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, LoadError> {
    check(bytes, &Limits::default())
}

/// Checks a plugin's bytes, without compiling them.
pub(crate) fn check(bytes: &[u8], limits: &Limits) -> Result<Inspection, LoadError> {
    let size = bytes.len() as u64;
    form::check(bytes)?;
    if size > limits.plugin_bytes {
        return Err(LoadError::TooLarge { size, limit: limits.plugin_bytes });
    }
    let types = Validator::new().validate_all(bytes).map_err(damaged)?;
    let outside = Outside::read(bytes)?;
    let contract = contract(&types, &outside)?;
    imports(&types, &outside.imports, &contract)?;
    exports(&types, &outside.exports, &contract)?;
    let manifest = manifest(&outside.manifests, limits)?;
    if manifest.contract != contract {
        return Err(LoadError::ManifestContract {
            plugin: manifest.full_name(),
            manifest: manifest.contract.to_string(),
            component: contract.to_string(),
        });
    }
    let Outside { imports, exports, .. } = outside;
    Ok(Inspection { manifest, digest: digest(bytes), imports, exports, lane: Lane::Strict, contract, size })
}

fn damaged(error: wasmparser::BinaryReaderError) -> LoadError {
    let what = if error.message().contains("unexpected end") { "it is cut off: " } else { "" };
    LoadError::Damaged { detail: format!("{what}{} at byte {}", clean(error.message(), 200), error.offset()) }
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What a component shows to the outside.
struct Outside<'a> {
    imports: Vec<String>,
    exports: Vec<String>,
    manifests: Vec<&'a [u8]>,
}

impl<'a> Outside<'a> {
    /// Walks the outermost component; what is nested in it is its own affair.
    fn read(bytes: &'a [u8]) -> Result<Self, LoadError> {
        let mut found = Outside { imports: Vec::new(), exports: Vec::new(), manifests: Vec::new() };
        let mut depth = 0u32;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload.map_err(damaged)? {
                Payload::Version { .. } => depth += 1,
                Payload::End(_) => depth -= 1,
                Payload::ComponentImportSection(section) if depth == 1 => {
                    for import in section {
                        found.imports.push(import.map_err(damaged)?.name.name.to_owned());
                    }
                }
                Payload::ComponentExportSection(section) if depth == 1 => {
                    for export in section {
                        found.exports.push(export.map_err(damaged)?.name.name.to_owned());
                    }
                }
                Payload::CustomSection(section) if depth == 1 && section.name() == MANIFEST_SECTION => {
                    found.manifests.push(section.data());
                }
                _ => {}
            }
        }
        Ok(found)
    }
}

/// Splits `jackfield:provider/adapter@0.1.0` into the interface's name and its version.
fn ours(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(PACKAGE)?.split_once('@')
}

/// The version of the contract, judged. A component without an adapter passes as of the current version: what it wants
/// and lacks says more than a version it does not have.
fn contract(types: &Types, outside: &Outside) -> Result<semver::Version, LoadError> {
    let parse = |text: &str| semver::Version::parse(text).expect("the host's own versions are semver");
    let (floor, current) = (parse(FLOOR), parse(CURRENT));
    let mut adapters =
        outside.exports.iter().filter_map(|name| ours(name)).filter(|(interface, _)| *interface == ADAPTER);
    let Some((_, version)) = adapters.next() else {
        imports(types, &outside.imports, &current)?;
        return Err(not_a_plugin(&outside.exports, &current));
    };
    let refuse = |newer: bool, advice: String| LoadError::Contract {
        plugin: clean(version, 64),
        floor: FLOOR.to_owned(),
        current: CURRENT.to_owned(),
        newer,
        advice,
    };
    let rebuild = format!("build the plugin again with the SDK of {CURRENT}, or ask its publisher for such a build");
    match semver::Version::parse(version) {
        Ok(version) if version > current => {
            Err(refuse(true, "use a newer Jackfield, or an older version of the plugin".to_owned()))
        }
        Ok(version) if version >= floor => Ok(version),
        _ => Err(refuse(false, rebuild)),
    }
}

/// Refuses every import but `diag.log` and instances that hold types only.
fn imports(types: &Types, imports: &[String], contract: &semver::Version) -> Result<(), LoadError> {
    let refused: Vec<_> =
        imports.iter().filter(|name| !allowed(types, name, contract)).map(|name| clean(name, 200)).collect();
    if refused.is_empty() {
        return Ok(());
    }
    let wasi = refused.iter().any(|name| name.starts_with("wasi:"));
    Err(LoadError::Imports {
        imports: refused,
        offered: format!("{PACKAGE}{DIAG}@{CURRENT}"),
        advice: if wasi {
            "Build it for wasm32-unknown-unknown (JavaScript and Python: with --stub-wasi), and ask the host by an effect (spawn, http, read-file, timer) for what it needs outside"
        } else {
            "Ask the host by an effect (spawn, http, read-file, timer) for what it needs outside"
        },
    })
}

fn allowed(types: &Types, name: &str, contract: &semver::Version) -> bool {
    let Some((interface, version)) = ours(name) else { return false };
    let Some(ComponentEntityType::Instance(id)) = types.as_ref().component_item_for_import(name).map(|item| item.ty)
    else {
        return false;
    };
    let functions = |name: &str| interface == DIAG && name == "log";
    version == contract.to_string() && only_types(types.as_ref(), id, functions)
}

/// True when all that an instance holds are types, or functions of these names.
fn only_types(types: TypesRef, id: ComponentInstanceTypeId, function: impl Fn(&str) -> bool) -> bool {
    types[id].exports.iter().all(|(name, item)| match item.ty {
        ComponentEntityType::Type { .. } => true,
        ComponentEntityType::Func(_) => function(name),
        _ => false,
    })
}

/// Requires the adapter and all its items.
fn exports(types: &Types, exports: &[String], contract: &semver::Version) -> Result<(), LoadError> {
    let name = format!("{PACKAGE}{ADAPTER}@{contract}");
    let item = types.as_ref().component_item_for_export(&name);
    let Some(ComponentEntityType::Instance(id)) = item.map(|item| item.ty) else {
        return Err(not_a_plugin(exports, contract));
    };
    let held = &types.as_ref()[id].exports;
    match ADAPTER_ITEMS.iter().find(|wanted| !held.contains_key(**wanted)) {
        None => Ok(()),
        Some(lacking) => {
            Err(LoadError::Types { contract: contract.to_string(), detail: format!("{name} lacks {lacking}") })
        }
    }
}

fn not_a_plugin(exports: &[String], contract: &semver::Version) -> LoadError {
    LoadError::NotAPlugin {
        exports: exports.iter().map(|name| clean(name, 200)).collect(),
        wanted: format!("{PACKAGE}{ADAPTER}@{contract}"),
    }
}

/// The one manifest.
fn manifest(sections: &[&[u8]], limits: &Limits) -> Result<Manifest, LoadError> {
    match sections {
        [] => Err(LoadError::NoManifest { section: MANIFEST_SECTION }),
        [json] if json.len() as u64 > limits.manifest_bytes => {
            Err(LoadError::ManifestTooLarge { size: json.len() as u64, limit: limits.manifest_bytes })
        }
        [json] => Ok(Manifest::from_json(json)?),
        more => Err(LoadError::Manifests { count: more.len() }),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_current_version_is_that_of_the_wit_package() {
        let wit = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../wit/types.wit")).unwrap();
        assert!(wit.contains(&format!("package jackfield:provider@{};", super::CURRENT)));
    }

    #[test]
    fn the_range_is_a_range() {
        let parse = |text| semver::Version::parse(text).unwrap();
        assert!(parse(super::FLOOR) <= parse(super::CURRENT));
    }
}
