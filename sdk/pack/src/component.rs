//! What a component says about itself: for languages whose tools make the component themselves (JavaScript, Python).

use crate::{MANIFEST_SECTION, PackError};
use wasmparser::{Encoding, Parser, Payload};

const OURS: &str = "jackfield:provider/";
const ADAPTER: &str = "jackfield:provider/adapter@";

/// Whether these bytes begin as a component does.
pub(crate) fn is_component(bytes: &[u8]) -> bool {
    matches!(Parser::new(0).parse_all(bytes).next(), Some(Ok(Payload::Version { encoding: Encoding::Component, .. })))
}

/// The contract's version that this component was built against.
pub(crate) fn contract(bytes: &[u8]) -> Result<String, PackError> {
    let (mut imports, mut exports, mut depth) = (Vec::new(), Vec::new(), 0u32);
    let damaged =
        |error: wasmparser::BinaryReaderError| PackError::NotAModule { found: format!("it is damaged: {error}") };
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(damaged)? {
            Payload::Version { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            Payload::ComponentImportSection(section) if depth == 1 => {
                for import in section {
                    imports.push(import.map_err(damaged)?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if depth == 1 => {
                for export in section {
                    exports.push(export.map_err(damaged)?.name.name.to_owned());
                }
            }
            Payload::CustomSection(section) if depth == 1 && section.name() == MANIFEST_SECTION => {
                return Err(PackError::NotAModule {
                    found: "it is a plugin already, with its manifest inside".to_owned(),
                });
            }
            _ => {}
        }
    }
    imports.retain(|name| !name.starts_with(OURS));
    if !imports.is_empty() {
        return Err(PackError::Imports { imports });
    }
    let found = if exports.is_empty() { "nothing".to_owned() } else { exports.join(", ") };
    let version = exports.iter().find_map(|name| name.strip_prefix(ADAPTER)).map(str::to_owned);
    version.ok_or_else(|| PackError::NotAPlugin { why: format!("it exports {found}, but not {OURS}adapter") })
}
