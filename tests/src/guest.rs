//! Builds a plugin from source, as an author would: a crate of its own that depends on the SDK, compiled to wasm and packed
//! with its manifest.
//!
//! All guests share a target folder apart from the workspace's: cargo holds that one's lock while the tests run.

use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::Command;

/// Compiles `source` as the crate `name` and packs it with `manifest` (the text of a `plugin.toml`); returns the plugin.
pub fn build(name: &str, source: &str, manifest: &str) -> Result<Vec<u8>> {
    packed(name, source, "", manifest)
}

/// The same for a plugin that builds on another: `on` names the other's crate, in `plugins/`, taken without its own component.
pub fn build_on(on: &str, name: &str, source: &str, manifest: &str) -> Result<Vec<u8>> {
    let path = xtask::root().join("plugins").join(on);
    let line = format!("jackfield-plugin-{on} = {{ path = {path:?}, default-features = false }}\n");
    packed(name, source, &line, manifest)
}

fn packed(name: &str, source: &str, dependencies: &str, manifest: &str) -> Result<Vec<u8>> {
    let module = std::fs::read(compile_with(name, source, dependencies)?)?;
    Ok(jackfield_pack::pack(&module, manifest, &folder(name))?)
}

/// The module of a first-party plugin, as cargo made it, before any manifest was put in: whoever has a manifest of his own packs it.
pub fn module(plugin: &str) -> PathBuf {
    let file = format!("jackfield_plugin_{}.wasm", plugin.replace('-', "_"));
    xtask::root().join("target/guests").join(xtask::setup::TARGET).join("plugin").join(file)
}

/// Compiles `source` as the crate `name`; returns the module's path.
pub fn compile(name: &str, source: &str) -> Result<PathBuf> {
    compile_with(name, source, "")
}

fn compile_with(name: &str, source: &str, dependencies: &str) -> Result<PathBuf> {
    let folder = folder(name);
    std::fs::create_dir_all(folder.join("src"))?;
    let sdk = xtask::root().join("sdk/rust");
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[lib]\ncrate-type = [\"cdylib\"]\n\n\
         [dependencies]\njackfield-sdk = {{ path = {sdk:?} }}\nserde_json = \"1\"\n{dependencies}\n[profile.dev]\npanic = \"abort\"\ndebug = false\nopt-level = 1\n\n[workspace]\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    // The same versions as the workspace's, which are on this machine already.
    std::fs::copy(xtask::root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    std::fs::write(folder.join("src/lib.rs"), source)?;
    let target = folder.with_file_name("target");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--offline", "--target", xtask::setup::TARGET, "--target-dir"]).arg(&target);
    // What cargo sets for the tests is not meant for a guest.
    for name in
        ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_TARGET_DIR", "RUSTC_WORKSPACE_WRAPPER"]
    {
        cargo.env_remove(name);
    }
    let out = cargo.current_dir(&folder).output().context("cargo")?;
    ensure!(out.status.success(), "{name} does not compile:\n{}", String::from_utf8_lossy(&out.stderr));
    Ok(target.join(xtask::setup::TARGET).join("debug").join(format!("{}.wasm", name.replace('-', "_"))))
}

fn folder(name: &str) -> PathBuf {
    xtask::root().join("target/guests").join(name)
}
