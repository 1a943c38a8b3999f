//! What kind of file this is, by its first bytes: the mistakes people make, each with its own words.

use crate::error::LoadError;

const PACK: &str = "give a plugin: the .wasm that `jackfield-pack` made";

/// Refuses all that does not begin as a component does.
pub(super) fn check(bytes: &[u8]) -> Result<(), LoadError> {
    let (found, hint) = match bytes {
        [] => ("the file is empty", "Did the build fail, or the copy stop?"),
        [0, b'a', b's', b'm', 0x0d, 0, 1, 0, ..] => return Ok(()),
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => (
            "this is a core WebAssembly module, not a component",
            "Pack it with its plugin.toml: `jackfield_pack::pack` makes the component",
        ),
        [0, b'a', b's', b'm', _, _, 1, 0, ..] => {
            ("this is a component of another version of the format", "Build it again with current tools")
        }
        [0, b'a', b's', b'm', ..] => ("this WebAssembly file is cut off in its head", "Build or fetch it again"),
        [0x7f, b'E', b'L', b'F', ..] => {
            ("this is a native program (ELF)", "Build the plugin with --target wasm32-unknown-unknown and pack it")
        }
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] | [b'M', b'Z', ..] => {
            ("this is a native program", "Build the plugin with --target wasm32-unknown-unknown and pack it")
        }
        [b'#', b'!', ..] => ("this is a script", PACK),
        [0x1f, 0x8b, ..] => ("this is a gzip archive", "Unpack it first"),
        [b'P', b'K', 3, 4, ..] => ("this is a zip archive", "Unpack it first"),
        _ if looks_like_text(bytes) => ("this is a text file", PACK),
        _ => ("these bytes are no WebAssembly", PACK),
    };
    Err(LoadError::NotAComponent { found, hint })
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(512)];
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && error.valid_up_to() > 0,
    };
    valid && !head.contains(&0)
}
