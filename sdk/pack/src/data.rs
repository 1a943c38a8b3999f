//! Writes the manifest's `[data]` into a module: one more data segment, at the place that the SDK exports for it.
//!
//! The place is a global by whose name its size is known (`JACKFIELD_DATA_16384`): four bytes of length, little-endian, then the JSON.
//! **Nothing else of the module changes.** Tests: `tests/pack.rs`.

use wasm_encoder::{ConstExpr, DataCountSection, DataSection, Module, RawSection};
use wasmparser::{ExternalKind, Operator, Parser, Payload};

/// The beginning of the export's name; the capacity in bytes follows.
const PLACE: &str = "JACKFIELD_DATA_";

/// The module with the data in it, or what is wrong.
pub(crate) fn write(module: &[u8], json: &[u8]) -> Result<Vec<u8>, String> {
    let place = place(module)?;
    if json.len() > place.capacity {
        return Err(format!("it has {} bytes as JSON; the module has room for {}", json.len(), place.capacity));
    }
    let length = u32::try_from(json.len()).map_err(|_| "it is too long".to_owned())?;
    let bytes: Vec<u8> = length.to_le_bytes().into_iter().chain(json.iter().copied()).collect();
    append(module, place.address, &bytes).map_err(|error| format!("the module cannot be read: {error}"))
}

struct Place {
    address: i32,
    capacity: usize,
}

fn place(module: &[u8]) -> Result<Place, String> {
    let (mut imported, mut addresses, mut found) = (0, Vec::new(), None);
    for payload in Parser::new(0).parse_all(module).filter_map(Result::ok) {
        match payload {
            Payload::ImportSection(reader) => {
                let imports = reader.into_imports().filter_map(Result::ok);
                imported += imports.filter(|import| matches!(import.ty, wasmparser::TypeRef::Global(_))).count();
            }
            Payload::GlobalSection(reader) => {
                for global in reader.into_iter().filter_map(Result::ok) {
                    let first = global.init_expr.get_operators_reader().read().ok();
                    addresses.push(if let Some(Operator::I32Const { value }) = first { Some(value) } else { None });
                }
            }
            Payload::ExportSection(reader) => {
                for export in reader.into_iter().filter_map(Result::ok) {
                    let capacity = export.name.strip_prefix(PLACE).and_then(|digits| digits.parse().ok());
                    if let (ExternalKind::Global, Some(capacity)) = (export.kind, capacity) {
                        found = Some((export.index as usize, capacity));
                    }
                }
            }
            _ => {}
        }
    }
    let missing = || "this module takes none: build it with an SDK that exports JACKFIELD_DATA_…".to_owned();
    let (index, capacity) = found.ok_or_else(missing)?;
    let address = index.checked_sub(imported).and_then(|at| addresses.get(at).copied().flatten());
    Ok(Place { address: address.ok_or_else(missing)?, capacity })
}

/// The module with one more active segment in memory 0.
fn append(module: &[u8], address: i32, bytes: &[u8]) -> Result<Vec<u8>, wasmparser::BinaryReaderError> {
    let mut out = Module::new();
    let mut written = false;
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::DataCountSection { count, .. } => {
                out.section(&DataCountSection { count: count + 1 });
            }
            Payload::DataSection(reader) => {
                let mut section = DataSection::new();
                for old in reader {
                    let old = old?;
                    match old.kind {
                        wasmparser::DataKind::Passive => section.passive(old.data.iter().copied()),
                        wasmparser::DataKind::Active { memory_index, offset_expr } => {
                            let mut reader = offset_expr.get_binary_reader();
                            let all = reader.read_bytes(reader.bytes_remaining())?;
                            // The encoder adds the `end` that stands here already.
                            let raw = all.strip_suffix(&[0x0b]).unwrap_or(all);
                            section.active(memory_index, &ConstExpr::raw(raw.iter().copied()), old.data.iter().copied())
                        }
                    };
                }
                section.active(0, &ConstExpr::i32_const(address), bytes.iter().copied());
                out.section(&section);
                written = true;
            }
            other => {
                let Some((id, range)) = other.as_section() else { continue };
                out.section(&RawSection { id, data: &module[range] });
            }
        }
    }
    if !written {
        let mut section = DataSection::new();
        section.active(0, &ConstExpr::i32_const(address), bytes.iter().copied());
        out.section(&section);
    }
    Ok(out.finish())
}
