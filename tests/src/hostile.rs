//! The plugin that does what no plugin may, and components that want what there is not.

use std::sync::OnceLock;

const SOURCE: &str = include_str!("../hostile/plugin.rs");
const MANIFEST: &str = include_str!("../hostile/plugin.toml");

/// The hostile plugin; each word of a prompt is one misdeed. Built once per test program.
pub fn plugin() -> Vec<u8> {
    static BUILT: OnceLock<Vec<u8>> = OnceLock::new();
    let build = || crate::guest::build("hostile", SOURCE, MANIFEST).expect("the hostile plugin builds");
    BUILT.get_or_init(build).clone()
}

/// These bytes with the hostile plugin's manifest in them, unchecked.
pub fn with_manifest(component: &[u8]) -> Vec<u8> {
    let manifest = jackfield_core::manifest::Manifest::from_toml(MANIFEST).expect("its manifest is right");
    jackfield_pack::embed_manifest(component.to_vec(), &manifest.to_json())
}
