//! What a core module says about itself before it is a component: which contract it exports, what it imports.

use crate::PackError;
use wasmparser::{Encoding, Parser, Payload};
use wit_parser::{Resolve, WorldItem, WorldKey};

/// The package that holds the contract.
const PACKAGE: (&str, &str) = ("jackfield", "provider");

/// The contract's version that this module was built against.
pub(crate) fn contract(module: &[u8]) -> Result<String, PackError> {
    check_form(module)?;
    let decoded = wit_component::metadata::decode(module)
        .map_err(|e| PackError::NotAPlugin { why: format!("its component type cannot be read: {e:#}") })?;
    let (Some(_), bindgen) = decoded else {
        return Err(foreign_imports(module).unwrap_or_else(|| PackError::NotAPlugin {
            why: "it holds no component type, so it was built without the SDK".to_owned(),
        }));
    };
    if let Some(error) = foreign_imports(module) {
        return Err(error);
    }
    let world = &bindgen.resolve.worlds[bindgen.world];
    let exports: Vec<_> = world.exports.iter().map(|(key, item)| Export::of(&bindgen.resolve, key, item)).collect();
    match exports.iter().find(|e| e.is_adapter) {
        Some(export) => export
            .version
            .clone()
            .ok_or_else(|| PackError::NotAPlugin { why: format!("it exports {} without a version", export.name) }),
        None => {
            let found: Vec<_> = exports.into_iter().map(|e| e.name).collect();
            let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
            Err(PackError::NotAPlugin {
                why: format!("it exports {found}, but not {}:{}/adapter", PACKAGE.0, PACKAGE.1),
            })
        }
    }
}

/// An export of a world.
struct Export {
    name: String,
    is_adapter: bool,
    version: Option<String>,
}

impl Export {
    fn of(resolve: &Resolve, key: &WorldKey, item: &WorldItem) -> Self {
        let name = resolve.name_world_key(key);
        let interface = match (key, item) {
            (WorldKey::Interface(id), _) | (_, WorldItem::Interface { id, .. }) => Some(&resolve.interfaces[*id]),
            _ => None,
        };
        let package = interface.and_then(|i| i.package).map(|id| &resolve.packages[id].name);
        let ours = package.is_some_and(|p| (p.namespace.as_str(), p.name.as_str()) == PACKAGE);
        let is_adapter = ours && interface.and_then(|i| i.name.as_deref()) == Some("adapter");
        Export { name, is_adapter, version: package.and_then(|p| p.version.as_ref()).map(|v| v.to_string()) }
    }
}

/// Refuses what is no core module, and says what it is.
fn check_form(module: &[u8]) -> Result<(), PackError> {
    let found = |what: &str| Err(PackError::NotAModule { found: what.to_owned() });
    if module.is_empty() {
        return found("the file is empty");
    }
    match Parser::new(0).parse_all(module).next() {
        Some(Ok(Payload::Version { encoding: Encoding::Module, .. })) => {}
        _ => return found("it does not begin as WebAssembly does"),
    }
    match Parser::new(0).parse_all(module).find_map(Result::err) {
        Some(error) => found(&format!("it is damaged: {error}")),
        None => Ok(()),
    }
}

/// Imports of functions that are no part of the contract: those of a system interface.
fn foreign_imports(module: &[u8]) -> Option<PackError> {
    let payloads = Parser::new(0).parse_all(module).filter_map(Result::ok);
    let readers = payloads.filter_map(|p| if let Payload::ImportSection(reader) = p { Some(reader) } else { None });
    let mut imports: Vec<String> = readers
        .flat_map(|reader| reader.into_imports().filter_map(Result::ok).collect::<Vec<_>>())
        .map(|import| (import.module.to_owned(), import.name.to_owned()))
        // The intrinsics of exported resources are imported from `[export]…`.
        .filter(|(module, _)| !module.trim_start_matches("[export]").starts_with("jackfield:provider/"))
        .map(|(module, name)| format!("{module}.{name}"))
        .collect();
    imports.dedup();
    (!imports.is_empty()).then_some(PackError::Imports { imports })
}
