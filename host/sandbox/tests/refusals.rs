//! Bytes that must not load: each gives its own error, which names what was wanted, what there is, and what to do.

mod guest;

use guest::{Guest, contract, manifest};
use jackfield_core::limits::Limits;
use jackfield_pack::embed_manifest;
use jackfield_sandbox::{CURRENT, Engine, LoadError, inspect};
use std::sync::{Arc, OnceLock};

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::new(Arc::new(Limits::default())).unwrap())
}

/// Loads bytes that must be refused with this code and these words.
#[track_caller]
fn refused(bytes: &[u8], code: &str, words: &[&str]) {
    let error = engine().load(bytes).err().unwrap_or_else(|| panic!("loaded, but must be refused: {code}"));
    assert_eq!(error.code(), code, "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "{error:?} does not say {word:?}: {error}");
    }
}

/// The contract under another version.
fn at_version(version: &str) -> Guest {
    let mut guest = Guest::good("other");
    guest.wit = vec![("contract.wit".to_owned(), contract().replace(CURRENT, version))];
    guest.version = version.to_owned();
    guest
}

#[test]
fn a_good_plugin_loads_and_is_inspected_alike() {
    let bytes = Guest::good("good").build();
    let inspection = inspect(&bytes).unwrap();
    let generation = engine().load(&bytes).unwrap();
    assert_eq!(generation.manifest().full_name(), "acme/good");
    assert_eq!(
        (generation.digest(), generation.imports()),
        (inspection.digest.as_str(), inspection.imports.as_slice())
    );
    assert_eq!(generation.digest().len(), 64);
    assert_eq!(generation.descriptor().provider, "test");
    assert_eq!(generation.lane().as_str(), "strict");
    assert_eq!(generation.size(), bytes.len() as u64);
    assert!(inspection.exports.contains(&format!("jackfield:provider/adapter@{CURRENT}")), "{:?}", inspection.exports);
}

#[test]
fn files_that_are_no_component_are_named() {
    refused(b"", "not-a-component", &["empty"]);
    refused(b"fn main() {}\n", "not-a-component", &["text file"]);
    refused(b"#!/bin/sh\n", "not-a-component", &["script"]);
    refused(b"\x7fELF\x02\x01\x01\0", "not-a-component", &["native program", "wasm32-unknown-unknown"]);
    refused(b"\xff\xfe\0\x01\x02", "not-a-component", &["no WebAssembly"]);
    refused(b"\0asm", "not-a-component", &["cut off"]);
    refused(&Guest::good("module").module(), "not-a-component", &["core WebAssembly module", "pack"]);
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_refused() {
    let bytes = Guest::good("cut").build();
    for end in (0..bytes.len()).step_by(97).chain(bytes.len() - 8..bytes.len()) {
        let error = inspect(&bytes[..end]).err().unwrap_or_else(|| panic!("{end} of {} bytes pass", bytes.len()));
        let code = error.code();
        assert!(["not-a-component", "plugin-damaged", "not-a-plugin", "no-manifest"].contains(&code), "{end}: {error}");
    }
}

#[test]
fn a_file_with_a_flipped_byte_never_panics() {
    let bytes = Guest::good("flip").build();
    for at in (0..bytes.len()).step_by(131) {
        let mut broken = bytes.clone();
        broken[at] ^= 0x55;
        // Either outcome is right: a byte in a string or a number may be as good as another.
        let _ = inspect(&broken).map(|_| engine().load(&broken).map(drop));
    }
}

#[test]
fn too_many_bytes_are_refused_before_they_are_read() {
    let limits = Limits { plugin_bytes: 100, ..Limits::default() };
    let engine = Engine::new(Arc::new(limits)).unwrap();
    let error = engine.load(&Guest::good("large").build()).err().unwrap();
    assert_eq!(error.code(), "plugin-too-large");
    assert!(error.to_string().contains("100"), "{error}");
}

#[test]
fn a_plugin_that_wants_sockets_is_refused_by_name() {
    let mut guest = Guest::good("caller");
    let world = format!(
        "package acme:caller;\nworld caller {{ include jackfield:provider/provider@{CURRENT}; import wasi:sockets/tcp@0.2.6; import acme:other/clock; }}"
    );
    guest.wit.push(("s.wit".to_owned(), "package wasi:sockets@0.2.6;\ninterface tcp { connect: func(); }".to_owned()));
    guest.wit.push(("o.wit".to_owned(), "package acme:other;\ninterface clock { now: func(); }".to_owned()));
    guest.wit.push(("w.wit".to_owned(), world));
    guest.imports =
        r#"(import "wasi:sockets/tcp@0.2.6" "connect" (func)) (import "acme:other/clock" "now" (func))"#.to_owned();
    let has = format!("jackfield:provider/diag@{CURRENT}");
    refused(
        &guest.build(),
        "forbidden-imports",
        &["wasi:sockets/tcp@0.2.6", "acme:other/clock", &has, "wasm32-unknown-unknown", "effect"],
    );
}

#[test]
fn another_function_of_our_own_package_is_refused() {
    let mut guest = Guest::good("more");
    let wit = contract().replace("interface diag {", "interface diag {\n  spawn: func();");
    guest.wit = vec![("contract.wit".to_owned(), wit)];
    guest.imports = format!(r#"(import "jackfield:provider/diag@{CURRENT}" "spawn" (func))"#);
    refused(&guest.build(), "forbidden-imports", &["jackfield:provider/diag"]);
}

#[test]
fn a_component_of_another_world_is_no_plugin() {
    let component = wat::parse_str(r#"(component (import "acme:x/y" (func)) )"#).unwrap();
    refused(&component, "forbidden-imports", &["acme:x/y"]);
    let component = wat::parse_str(r#"(component (core module $m) (export "acme:x/z" (core module $m)))"#);
    let component = component.or_else(|_| wat::parse_str("(component)")).unwrap();
    refused(&component, "not-a-plugin", &["jackfield:provider/adapter", CURRENT]);
}

#[test]
fn versions_of_the_contract_are_told_apart() {
    refused(&at_version("0.9.0").build(), "contract-too-new", &["0.9.0", CURRENT, "newer Jackfield"]);
    refused(&at_version("1.0.0").build(), "contract-too-new", &["1.0.0", CURRENT]);
    refused(&at_version("0.0.1").build(), "contract-too-old", &["0.0.1", CURRENT, "SDK"]);
}

#[test]
fn the_same_version_with_other_types_is_refused() {
    let mut guest = Guest::good("drifted");
    let wit = contract().replace("seq: u32", "seq: s32");
    assert_ne!(wit, contract());
    guest.wit = vec![("contract.wit".to_owned(), wit)];
    refused(&guest.build(), "contract-types", &[CURRENT, "SDK"]);
}

#[test]
fn manifests_are_one_and_right() {
    let guest = Guest::good("m");
    refused(&guest.component(), "no-manifest", &["jackfield:manifest", "plugin.toml"]);
    refused(&embed_manifest(guest.build(), manifest("n").as_bytes()), "several-manifests", &["2"]);
    refused(&embed_manifest(guest.component(), b"{"), "manifest-syntax", &["manifest"]);
    let unknown = manifest("m").replacen('{', "{\"wishes\":3,", 1);
    refused(&embed_manifest(guest.component(), unknown.as_bytes()), "manifest-syntax", &["wishes"]);
    let other = manifest("m").replace(CURRENT, "0.2.0");
    refused(&embed_manifest(guest.component(), other.as_bytes()), "manifest-contract", &["acme/m", "0.2.0", CURRENT]);
    let long = manifest("m").replace("A plugin", &" ".repeat(300 * 1024));
    refused(&embed_manifest(guest.component(), long.as_bytes()), "manifest-too-large", &["manifest_bytes"]);
}

#[test]
fn a_manifest_inside_a_nested_component_does_not_count() {
    let nested = wat::parse_str(r#"(component (component (@custom "jackfield:manifest" "{}")))"#).unwrap();
    assert_eq!(inspect(&nested).unwrap_err().code(), "not-a-plugin");
}

#[test]
fn a_plugin_that_cannot_say_who_it_is_is_refused() {
    let mut guest = Guest::good("silent");
    guest.describe = "unreachable".to_owned();
    refused(&guest.build(), "describe-failed", &["acme/silent", "unreachable"]);
    guest.describe = "(loop (br 0)) unreachable".to_owned();
    refused(&guest.build(), "describe-failed", &["acme/silent", "call_cpu_ms"]);
    let mut guest = Guest::good("shouter");
    guest.provider = "../X";
    refused(&guest.build(), "bad-descriptor", &["acme/shouter", "../X", "[a-z]"]);
}

#[test]
fn limits_that_do_not_fit_each_other_are_no_engine() {
    let error = Engine::new(Arc::new(Limits { frame_bytes: 1 << 40, ..Limits::default() })).err().unwrap();
    assert!(matches!(error, LoadError::Engine { .. }), "{error}");
}
