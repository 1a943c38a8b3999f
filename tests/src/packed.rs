//! The demonstration's code under another manifest: a plugin of somebody else's, without a build of its own.

use jackfield_core::manifest::Manifest;

/// A bundled plugin's bytes.
pub fn bundled(name: &str) -> Vec<u8> {
    let bundled = jackfield_bundled::all().iter().find(|plugin| plugin.name == name);
    bundled.unwrap_or_else(|| panic!("no plugin '{name}' comes with the host")).bytes.to_vec()
}

/// `acme/table`: the demonstration, with these tables more in its manifest, as TOML.
pub fn demonstration_with(more: &str) -> Vec<u8> {
    let head = "publisher = 'acme'\nname = 'table'\nversion = '0.1.0'\ncontract = '0.1.0-draft'\nlicense = 'MIT'\n\
         description = 'Says what a table says.'\n";
    let options = "[options]\ntype = 'object'\n[options.properties.table]\ntype = 'string'\n\
         [options.properties.capabilities]\ntype = 'object'\n";
    let manifest = Manifest::from_toml(&format!("{head}{more}\n{options}")).expect("a manifest");
    replace_manifest(&bundled("scripted"), &manifest.to_json())
}

/// The component without its manifest, which its packer put last, and with this one.
pub fn replace_manifest(component: &[u8], manifest: &[u8]) -> Vec<u8> {
    let name = b"jackfield:manifest";
    let at = component.windows(name.len()).rposition(|window| window == name).expect("a manifest");
    // Before the name: the section's id, its size in LEB128, and the length of the name.
    let start = (1..8).map(|back| at - 1 - back).find(|at| component[*at] == 0).expect("a custom section");
    jackfield_pack::embed_manifest(component[..start].to_vec(), manifest)
}
