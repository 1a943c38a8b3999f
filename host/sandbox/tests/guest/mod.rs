//! Plugins written by hand, as core modules in text: small enough to read, and able to do what no compiler would emit.
//!
//! `Guest` holds the parts that differ; the rest is the canonical ABI of the contract, its numbers computed from `wit/`.

#![allow(dead_code)]

use jackfield_core::contract::{Frame, FrameData, Input, Pipe, Tick};
use jackfield_pack::embed_manifest;
use jackfield_sandbox::CURRENT;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, SizeAlign, Type, TypeDefKind, TypeId, WorldId};

/// The manifest of the plugin with this name.
pub fn manifest(name: &str) -> String {
    format!(
        r#"{{"publisher":"acme","name":"{name}","version":"0.1.0","contract":"{CURRENT}","license":"MIT","description":"A plugin of a test."}}"#
    )
}

/// A plugin of a test.
pub struct Guest {
    /// Name in its manifest.
    pub name: &'static str,
    /// WIT of the world it is built for, and the name of that world.
    pub wit: Vec<(String, String)>,
    /// The contract's version in its names.
    pub version: String,
    /// More imports, in text.
    pub imports: String,
    /// Body of `describe`, after the descriptor's address was put into place.
    pub describe: String,
    /// Body of `handle`.
    pub handle: String,
    /// More items of the module.
    pub items: String,
    /// The provider's slug.
    pub provider: &'static str,
    /// Pages of memory at the start.
    pub pages: u32,
}

/// The text of the contract, as one file.
pub fn contract() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../wit");
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|e| e == "wit"));
    // The file with the package's name comes first.
    names.sort_by_key(|path| (!path.ends_with("types.wit"), path.clone()));
    names.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect::<Vec<_>>().join("\n")
}

impl Guest {
    /// A plugin that answers each input with one effect that depends on all that it was given before.
    pub fn good(name: &'static str) -> Self {
        Guest {
            name,
            wit: vec![("contract.wit".to_owned(), contract())],
            version: CURRENT.to_owned(),
            imports: String::new(),
            describe: "(i32.const 1024)".to_owned(),
            handle: "(call $answer (local.get $seq) (local.get $n) (i32.const 0))".to_owned(),
            items: String::new(),
            provider: "test",
            pages: 2,
        }
    }

    /// A plugin whose `handle` does this, and then answers as a good one does.
    pub fn doing(name: &'static str, handle: &str) -> Self {
        let mut guest = Guest::good(name);
        guest.handle = format!("{handle} {}", guest.handle);
        guest
    }

    /// Its bytes, with its manifest.
    pub fn build(&self) -> Vec<u8> {
        embed_manifest(self.component(), manifest(self.name).as_bytes())
    }

    /// Its bytes without a manifest.
    pub fn component(&self) -> Vec<u8> {
        ComponentEncoder::default().validate(true).module(&self.module()).unwrap().encode().unwrap()
    }

    /// Its core module, which holds its component type.
    pub fn module(&self) -> Vec<u8> {
        let (resolve, world) = self.resolve();
        let mut module = wat::parse_str(self.text(&resolve)).unwrap();
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
        module
    }

    fn resolve(&self) -> (Resolve, WorldId) {
        let mut resolve = Resolve::default();
        let mut package = None;
        for (name, text) in &self.wit {
            package = Some(resolve.push_str(name, text).unwrap());
        }
        let package = &resolve.packages[package.unwrap()];
        let world = *package.worlds.values().next().unwrap();
        (resolve, world)
    }

    fn text(&self, resolve: &Resolve) -> String {
        let Guest { version, imports, describe, handle, items, provider, pages, .. } = self;
        let adapter = format!("jackfield:provider/adapter@{version}");
        let layout = Layout::of(resolve);
        let Layout { caused_size, cause, output, effect_case, effect, id, body, cancel_case, cancel, result } = layout;
        let (length, body_at) = (provider.len(), output + effect + body);
        let (id_at, cancel_at) = (output + effect + id, output + effect + body + cancel);
        format!(
            r#"(module
  (import "jackfield:provider/diag@{version}" "log" (func $log (param i32 i32 i32)))
  (import "[export]{adapter}" "[resource-new]session" (func $new (param i32) (result i32)))
  {imports}
  (memory (export "memory") {pages})
  (global $heap (mut i32) (i32.const 65536))
  (global $count (mut i32) (i32.const 0))
  (data (i32.const 1024) "\00\08\00\00\{length:02x}\00\00\00\00\08\00\00\{length:02x}\00\00\00")
  (data (i32.const 2048) "{provider}")
  (data (i32.const 3072) "panic: at the disco")
  (func $alloc (param $size i32) (result i32) (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 7)) (i32.const -8)))
    (global.set $heap (i32.add (local.get $at) (local.get $size)))
    (if (i32.gt_u (global.get $heap) (i32.mul (memory.size) (i32.const 65536)))
      (then (if (i32.eq (memory.grow (i32.add (i32.div_u (local.get $size) (i32.const 65536)) (i32.const 1))) (i32.const -1))
        (then unreachable))))
    (local.get $at))
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (call $alloc (local.get 3)))
  (func $answer (param $seq i32) (param $n i32) (param $shift i32) (result i32) (local $out i32) (local $i i32) (local $p i32)
    (local.set $out (call $alloc (i32.mul (local.get $n) (i32.const {caused_size}))))
    (local.set $p (local.get $out))
    (block $end (loop $next
      (br_if $end (i32.ge_u (local.get $i) (local.get $n)))
      (global.set $count (i32.add (i32.mul (global.get $count) (i32.const 31)) (i32.add (local.get $seq) (i32.const 1))))
      (i32.store offset={cause} (local.get $p) (i32.add (local.get $i) (local.get $shift)))
      (i32.store8 offset={output} (local.get $p) (i32.const {effect_case}))
      (i32.store offset={id_at} (local.get $p) (global.get $count))
      (i32.store8 offset={body_at} (local.get $p) (i32.const {cancel_case}))
      (i32.store offset={cancel_at} (local.get $p) (local.get $seq))
      (local.set $p (i32.add (local.get $p) (i32.const {caused_size})))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next)))
    (call $return (local.get $out) (local.get $n)))
  (func $return (param $list i32) (param $n i32) (result i32)
    (i32.store8 (i32.const 512) (i32.const 0))
    (i32.store (i32.const {list_at}) (local.get $list))
    (i32.store (i32.const {count_at}) (local.get $n))
    (i32.const 512))
  {items}
  (func (export "{adapter}#describe") (result i32) {describe})
  (func (export "{adapter}#[constructor]session") (result i32) (call $new (i32.const 1)))
  (func (export "{adapter}#[method]session.handle")
    (param $self i32) (param $now f64) (param $seq i32) (param $in i32) (param $n i32) (result i32) {handle})
  (func (export "cabi_post_{adapter}#[method]session.handle") (param i32) (global.set $heap (i32.const 65536))))"#,
            list_at = 512 + result,
            count_at = 516 + result,
        )
    }
}

/// Offsets in the guest's memory.
struct Layout {
    caused_size: usize,
    cause: usize,
    output: usize,
    effect_case: usize,
    effect: usize,
    id: usize,
    body: usize,
    cancel_case: usize,
    cancel: usize,
    result: usize,
}

impl Layout {
    fn of(resolve: &Resolve) -> Self {
        let mut sizes = SizeAlign::default();
        sizes.fill(resolve);
        let find = |name: &str| -> TypeId {
            let named = resolve.types.iter().filter(|(_, def)| def.name.as_deref() == Some(name));
            named.filter(|(_, def)| !matches!(def.kind, TypeDefKind::Type(_))).map(|(id, _)| id).next().unwrap()
        };
        let field = |name: &str, field: &str| {
            let TypeDefKind::Record(record) = &resolve.types[find(name)].kind else { panic!("{name} is no record") };
            let offsets = sizes.field_offsets(record.fields.iter().map(|f| &f.ty));
            let at = record.fields.iter().position(|f| f.name == field).unwrap();
            offsets[at].0.size_wasm32()
        };
        let case = |name: &str, case: &str| {
            let TypeDefKind::Variant(variant) = &resolve.types[find(name)].kind else { panic!("{name} is no variant") };
            let at = variant.cases.iter().position(|c| c.name == case).unwrap();
            let payload = sizes.payload_offset(variant.tag(), variant.cases.iter().map(|c| c.ty.as_ref()));
            (at, payload.size_wasm32())
        };
        let (effect_case, effect) = case("output", "effect");
        let (cancel_case, cancel) = case("effect-body", "cancel");
        Layout {
            caused_size: sizes.size(&Type::Id(find("caused"))).size_wasm32(),
            cause: field("caused", "cause"),
            output: field("caused", "output"),
            effect_case,
            effect,
            id: field("effect", "id"),
            body: field("effect", "body"),
            cancel_case,
            cancel,
            result: sizes.align(&Type::Id(find("fault"))).align_wasm32(),
        }
    }
}

/// A frame of text.
pub fn frame(text: &str) -> Input {
    Input::Frame(Frame { channel: 1, pipe: Pipe::Main, data: FrameData::Text(text.to_owned()) })
}

/// The tick of call `seq`.
pub fn tick(seq: u32) -> Tick {
    Tick { now_ms: 1_000.0 + f64::from(seq), seq }
}
