//! Turns what the compiler made (a core module, or a component where the language's tools make that) and `plugin.toml` into a
//! plugin: one component with its manifest inside.
//!
//! **The same module and the same manifest give the same bytes.** It signs nothing, reads no file, and judges only what
//! an author can mend: whether the module is a plugin, whether it and the manifest speak of the same contract. What the
//! host lets in is said once, in the sandbox, which checks every plugin as if this crate did not exist.

mod component;
mod data;
mod module;

use jackfield_core::limits::Limits;
use jackfield_core::manifest::{Manifest, ManifestError};
use std::path::{Path, PathBuf};
use wasm_encoder::{ComponentSection, CustomSection};
use wit_component::ComponentEncoder;

/// Name of the custom section that holds the manifest.
pub const MANIFEST_SECTION: &str = "jackfield:manifest";

/// Name of the file that an author writes.
pub const MANIFEST_FILE: &str = "plugin.toml";

/// Why no plugin came of it.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The manifest is wrong.
    #[error("{}: {error}", file.display())]
    Manifest {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        error: ManifestError,
    },
    /// The manifest is too long.
    #[error("{}: {size} bytes as JSON; at most {limit} (manifest_bytes)", file.display())]
    ManifestTooLarge {
        /// The file.
        file: PathBuf,
        /// Its size.
        size: usize,
        /// What is allowed.
        limit: u64,
    },
    /// The bytes are neither a core module nor a component without a manifest.
    #[error(
        "not a core WebAssembly module, and no component to be packed: {found}; give the .wasm that `cargo build --target wasm32-unknown-unknown` made of a crate with crate-type \"cdylib\""
    )]
    NotAModule {
        /// What they are.
        found: String,
    },
    /// A module that is no plugin.
    #[error("this module is no plugin: {why}. A plugin calls `jackfield_sdk::plugin!` once, at the root of its crate")]
    NotAPlugin {
        /// What it lacks.
        why: String,
    },
    /// The module imports what no plugin may have.
    #[error("this module imports {}: a plugin has no system beneath it. Build it for wasm32-unknown-unknown (JavaScript and Python: with --stub-wasi), and ask the host by an effect for what it needs", imports.join(", "))]
    Imports {
        /// The imports.
        imports: Vec<String>,
    },
    /// Manifest and module disagree on the contract.
    #[error("{}: contract = \"{manifest}\", but the module was built against {module}; write contract = \"{module}\", or use the SDK of {manifest}", file.display())]
    Contract {
        /// The manifest's file.
        file: PathBuf,
        /// What the manifest says.
        manifest: String,
        /// What the module says.
        module: String,
    },
    /// The manifest has data, and the module no place for it, or not enough.
    #[error("{}: [data]: {why}", file.display())]
    Data {
        /// The manifest's file.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The module cannot be made a component.
    #[error("the module cannot be made a component: {detail}")]
    Encode {
        /// What the encoder says.
        detail: String,
    },
}

impl PackError {
    /// Stable name of the error.
    pub fn code(&self) -> &'static str {
        match self {
            PackError::Manifest { error, .. } => error.code(),
            PackError::ManifestTooLarge { .. } => "manifest-too-large",
            PackError::NotAModule { .. } => "not-a-module",
            PackError::NotAPlugin { .. } => "not-a-plugin",
            PackError::Imports { .. } => "forbidden-imports",
            PackError::Contract { .. } => "contract-mismatch",
            PackError::Data { .. } => "no-place-for-data",
            PackError::Encode { .. } => "encode-failed",
        }
    }
}

/// Makes a plugin of a core module, or of a component, and the text of its `plugin.toml`; `base` is the folder of that file, for messages.
pub fn pack(module: &[u8], manifest_toml: &str, base: &Path) -> Result<Vec<u8>, PackError> {
    let file = base.join(MANIFEST_FILE);
    let manifest =
        Manifest::from_toml(manifest_toml).map_err(|error| PackError::Manifest { file: file.clone(), error })?;
    let json = manifest.to_json();
    let limit = Limits::default().manifest_bytes;
    if json.len() as u64 > limit {
        return Err(PackError::ManifestTooLarge { file, size: json.len(), limit });
    }
    let whole = component::is_component(module);
    let contract = if whole { component::contract(module) } else { module::contract(module) }?;
    if contract != manifest.contract.to_string() {
        return Err(PackError::Contract { file, manifest: manifest.contract.to_string(), module: contract });
    }
    let component = match &manifest.data {
        Some(_) if whole => return Err(PackError::Data { file, why: "a component takes none".to_owned() }),
        None if whole => module.to_owned(),
        Some(data) => {
            let json = serde_json::to_vec(data).expect("a table has only text keys");
            component(&data::write(module, &json).map_err(|why| PackError::Data { file, why })?)?
        }
        None => component(module)?,
    };
    Ok(embed_manifest(component, &json))
}

/// Makes a component of a core module that holds its own component type.
fn component(module: &[u8]) -> Result<Vec<u8>, PackError> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| PackError::Encode { detail: format!("{error:#}") })
}

/// Puts a manifest into a component, as it is. For tools that made the component by other means; nothing is checked.
pub fn embed_manifest(mut component: Vec<u8>, manifest_json: &[u8]) -> Vec<u8> {
    let section = CustomSection { name: MANIFEST_SECTION.into(), data: manifest_json.into() };
    section.append_to_component(&mut component);
    component
}
