//! From a module and a manifest to a plugin, and each way it can fail.

use jackfield_pack::{MANIFEST_SECTION, PackError, pack};
use std::path::Path;
use wasmparser::{Parser, Payload};
use wit_component::{StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

const MANIFEST: &str = r#"
publisher = "acme"
name = "talker"
version = "0.1.0"
contract = "0.1.0"
license = "MIT"
description = "Speaks."
"#;

/// The names of the contract without its vocabulary: what this crate looks at.
const WIT: &str = "package jackfield:provider@0.1.0;
interface adapter { describe: func(); }
interface diag { log: func(); }
world provider { import diag; export adapter; }";

fn module(wit: &str, imports: &str, export: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("w.wit", wit).unwrap();
    let world = *resolve.packages[package].worlds.values().next().unwrap();
    let mut module = wat::parse_str(format!("(module {imports} (func (export \"{export}\")))")).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    module
}

fn good() -> Vec<u8> {
    module(WIT, "", "jackfield:provider/adapter@0.1.0#describe")
}

#[track_caller]
fn refused(result: Result<Vec<u8>, PackError>, code: &str, words: &[&str]) {
    let error = result.expect_err(code);
    assert_eq!(error.code(), code, "{error}");
    words.iter().for_each(|word| assert!(error.to_string().contains(word), "{error} does not say {word}"));
}

fn with(manifest: &str) -> Result<Vec<u8>, PackError> {
    pack(&good(), manifest, Path::new("plugins/talker"))
}

#[test]
fn a_plugin_holds_its_manifest_once_and_is_the_same_each_time() {
    let plugin = with(MANIFEST).unwrap();
    assert_eq!(plugin, with(MANIFEST).unwrap());
    let payloads: Vec<_> = Parser::new(0).parse_all(&plugin).map(Result::unwrap).collect();
    let manifests: Vec<_> = payloads
        .iter()
        .filter_map(|payload| match payload {
            Payload::CustomSection(section) if section.name() == MANIFEST_SECTION => Some(section.data()),
            _ => None,
        })
        .collect();
    let manifest = jackfield_core::manifest::Manifest::from_json(manifests[0]).unwrap();
    assert_eq!((manifests.len(), manifest.full_name().as_str()), (1, "acme/talker"));
}

#[test]
fn a_wrong_manifest_names_its_file_and_key() {
    refused(
        with(&MANIFEST.replace("license", "licence")),
        "manifest-syntax",
        &["plugins/talker/plugin.toml", "licence"],
    );
    refused(
        with(&MANIFEST.replace("\"0.1.0\"\nlicense", "\"0.2.0\"\nlicense")),
        "contract-mismatch",
        &["0.2.0", "0.1.0"],
    );
    let long = format!("{MANIFEST}[options]\ndescription = \"{}\"\n", "x".repeat(300 * 1024));
    refused(with(&long), "manifest-too-large", &["manifest_bytes"]);
}

#[test]
fn what_is_no_plugin_is_explained() {
    let pack = |module: &[u8]| pack(module, MANIFEST, Path::new("."));
    refused(pack(b""), "not-a-module", &["empty"]);
    refused(pack(b"fn main() {}"), "not-a-module", &["WebAssembly"]);
    refused(pack(&with(MANIFEST).unwrap()), "not-a-module", &["a plugin already"]);
    refused(pack(&good()[..good().len() - 3]), "not-a-module", &["damaged"]);
    refused(pack(&wat::parse_str("(module)").unwrap()), "not-a-plugin", &["without the SDK"]);
    let other = "package acme:x@0.1.0; interface y { f: func(); } world w { export y; }";
    refused(pack(&module(other, "", "acme:x/y@0.1.0#f")), "not-a-plugin", &["acme:x/y", "jackfield:provider/adapter"]);
}

#[test]
fn a_module_for_a_system_is_refused_with_its_imports() {
    let imports = r#"(import "wasi_snapshot_preview1" "fd_write" (func))"#;
    let words = ["wasi_snapshot_preview1.fd_write", "wasm32-unknown-unknown", "effect"];
    let built = module(WIT, imports, "jackfield:provider/adapter@0.1.0#describe");
    refused(pack(&built, MANIFEST, Path::new(".")), "forbidden-imports", &words);
    let bare = wat::parse_str(format!("(module {imports})")).unwrap();
    refused(pack(&bare, MANIFEST, Path::new(".")), "forbidden-imports", &words);
}

/// A component that some tool made: no manifest is in it.
fn component(wit: &str) -> Vec<u8> {
    let export = if wit == WIT { "jackfield:provider/adapter@0.1.0#describe" } else { "acme:x/y@0.1.0#f" };
    let encoder = wit_component::ComponentEncoder::default().module(&module(wit, "", export)).unwrap();
    encoder.validate(true).encode().unwrap()
}

#[test]
fn a_component_of_another_tool_gets_its_manifest_and_is_judged_alike() {
    let pack = |bytes: &[u8], manifest: &str| pack(bytes, manifest, Path::new("plugins/talker"));
    assert_eq!(pack(&component(WIT), MANIFEST).unwrap(), with(MANIFEST).unwrap());
    let newer = MANIFEST.replace("\"0.1.0\"\nlicense", "\"0.2.0\"\nlicense");
    refused(pack(&component(WIT), &newer), "contract-mismatch", &["0.2.0", "0.1.0"]);
    refused(pack(&component(WIT), &format!("{MANIFEST}[data]\nname = \"x\"\n")), "no-place-for-data", &["component"]);
    let other = "package acme:x@0.1.0; interface y { f: func(); } world w { export y; }";
    refused(pack(&component(other), MANIFEST), "not-a-plugin", &["acme:x/y", "jackfield:provider/adapter"]);
    let wat = r#"(component (import "wasi:cli/stdout@0.2.6" (instance)))"#;
    refused(pack(&wat::parse_str(wat).unwrap(), MANIFEST), "forbidden-imports", &["wasi:cli/stdout", "--stub-wasi"]);
    let whole = component(WIT);
    refused(pack(&whole[..whole.len() - 3], MANIFEST), "not-a-module", &["damaged"]);
}

/// A module that has room for data, and an old segment there.
fn roomy() -> Vec<u8> {
    let body = r#"(memory 1) (global (export "JACKFIELD_DATA_16") i32 (i32.const 64)) (data (i32.const 8) "old")"#;
    module(WIT, body, "jackfield:provider/adapter@0.1.0#describe")
}

#[test]
fn data_of_the_manifest_stands_where_the_module_has_room_for_it() {
    let manifest = format!("{MANIFEST}[data]\nname = \"x\"\n");
    let plugin = pack(&roomy(), &manifest, Path::new("plugins/talker")).unwrap();
    let segments: Vec<(i32, Vec<u8>)> = Parser::new(0)
        .parse_all(&plugin)
        .filter_map(|payload| if let Payload::DataSection(reader) = payload.unwrap() { Some(reader) } else { None })
        .flat_map(|reader| reader.into_iter().map(Result::unwrap).collect::<Vec<_>>())
        .map(|segment| {
            let wasmparser::DataKind::Active { offset_expr, .. } = segment.kind else { panic!("a passive segment") };
            let Ok(wasmparser::Operator::I32Const { value }) = offset_expr.get_operators_reader().read() else {
                panic!()
            };
            (value, segment.data.to_vec())
        })
        .collect();
    let mut placed = vec![12, 0, 0, 0];
    placed.extend_from_slice(br#"{"name":"x"}"#);
    assert_eq!(segments, [(8, b"old".to_vec()), (64, placed)]);
}

#[test]
fn data_without_room_is_refused() {
    let manifest = format!("{MANIFEST}[data]\nname = \"x\"\n");
    refused(with(&manifest), "no-place-for-data", &["plugins/talker/plugin.toml", "JACKFIELD_DATA"]);
    let long = format!("{MANIFEST}[data]\nname = \"more than sixteen\"\n");
    refused(pack(&roomy(), &long, Path::new("plugins/talker")), "no-place-for-data", &["28 bytes", "room for 16"]);
}
