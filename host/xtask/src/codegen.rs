//! Writes the Rust mirror of `wit/`: the contract's types in `core`, and their conversions in `sandbox`; and the same for JavaScript.
//!
//! The WIT is the one place where the contract is said. `core` may not know wasmtime, and the bindings' types are
//! wasmtime's, so the same vocabulary exists twice in Rust; both copies and the moves between them come from here.
//! `tests/tests/house.rs` fails when the files on disk are not what this writes.

use crate::codegen_js;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use wit_parser::{Docs, Resolve, Type, TypeDefKind, TypeId, TypeOwner};

/// Writes the generated files.
pub fn write(root: &Path) -> Result<()> {
    for (path, source) in generate(root)? {
        std::fs::write(root.join(path), source).with_context(|| path.to_owned())?;
        println!("wrote {path}");
    }
    Ok(())
}

/// Fails when a generated file is not what `write` would make of it.
pub fn check(root: &Path) -> Result<()> {
    for (path, source) in generate(root)? {
        let found = std::fs::read_to_string(root.join(path)).with_context(|| path.to_owned())?;
        anyhow::ensure!(found == source, "{path} does not follow from wit/: run `cargo xtask codegen`");
        println!("{path}: follows from wit/");
    }
    Ok(())
}

/// The files this writes, relative to the workspace, with their contents.
pub fn generate(root: &Path) -> Result<Vec<(&'static str, String)>> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(root.join("wit")).context("wit/ does not parse")?;
    let generator = Generator { resolve: &resolve, version: resolve.packages[package].name.to_string() };
    Ok(vec![
        ("host/core/src/contract.rs", format_rust(root, &generator.types())?),
        ("host/sandbox/src/convert.rs", format_rust(root, &generator.conversions())?),
        (codegen_js::TABLE, codegen_js::table(&resolve, &generator.definitions())),
        (codegen_js::TYPES, codegen_js::types(&resolve, &generator.definitions())),
    ])
}

/// Passes source through rustfmt, so that what is written is what `cargo fmt` leaves alone.
fn format_rust(root: &Path, source: &str) -> Result<String> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .current_dir(root) // where rustfmt.toml is
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("rustfmt is needed: rustup component add rustfmt")?;
    child.stdin.take().context("rustfmt stdin")?.write_all(source.as_bytes())?;
    let out = child.wait_with_output()?;
    anyhow::ensure!(out.status.success(), "rustfmt refused the generated source");
    Ok(String::from_utf8(out.stdout)?)
}

struct Generator<'a> {
    resolve: &'a Resolve,
    version: String,
}

impl Generator<'_> {
    /// Named data types of the package, in the order of the WIT files, each once (a `use` is not a type of its own).
    fn definitions(&self) -> Vec<(TypeId, &str)> {
        let mut found = Vec::new();
        for (_, interface) in &self.resolve.interfaces {
            for (name, id) in &interface.types {
                let def = &self.resolve.types[*id];
                let reexport = matches!(def.kind, TypeDefKind::Type(Type::Id(target)) if self.resolve.types[target].name.is_some());
                if !reexport && !matches!(def.kind, TypeDefKind::Resource) {
                    found.push((*id, name.as_str()));
                }
            }
        }
        found
    }

    fn types(&self) -> String {
        let mut out = format!(
            "//! The contract's vocabulary (`{}`) as plain Rust.\n//!\n\
             //! Generated from `wit/` by `cargo xtask codegen`; do not edit. As JSON, names are in snake case and a variant is\n\
             //! `{{\"type\": case, \"value\": payload}}`; an absent option and an empty list are left out.\n\n\
             #![allow(clippy::large_enum_variant)]\n\nuse schemars::JsonSchema;\nuse serde::{{Deserialize, Serialize}};\n",
            self.version
        );
        for (id, name) in self.definitions() {
            let def = &self.resolve.types[id];
            out.push('\n');
            docs(&mut out, &def.docs, "");
            let rust = upper(name);
            match &def.kind {
                TypeDefKind::Record(record) => {
                    out.push_str("#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]\n");
                    let _ = writeln!(out, "pub struct {rust} {{");
                    for field in &record.fields {
                        docs(&mut out, &field.docs, "    ");
                        if let Some(skip) = self.skip(&field.ty) {
                            let _ = writeln!(out, "    #[serde(default, skip_serializing_if = \"{skip}\")]");
                        }
                        let _ = writeln!(out, "    pub {}: {},", snake(&field.name), self.rust(&field.ty));
                    }
                    out.push_str("}\n");
                }
                TypeDefKind::Variant(variant) => {
                    out.push_str("#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]\n#[serde(tag = \"type\", content = \"value\", rename_all = \"snake_case\")]\n");
                    let _ = writeln!(out, "pub enum {rust} {{");
                    for case in &variant.cases {
                        docs(&mut out, &case.docs, "    ");
                        match &case.ty {
                            Some(ty) => {
                                let _ = writeln!(out, "    {}({}),", upper(&case.name), self.rust(ty));
                            }
                            None => {
                                let _ = writeln!(out, "    {},", upper(&case.name));
                            }
                        }
                    }
                    out.push_str("}\n");
                }
                TypeDefKind::Enum(cases) => {
                    out.push_str("#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]\n#[serde(rename_all = \"snake_case\")]\n");
                    let _ = writeln!(out, "pub enum {rust} {{");
                    for case in &cases.cases {
                        docs(&mut out, &case.docs, "    ");
                        let _ = writeln!(out, "    {},", upper(&case.name));
                    }
                    out.push_str("}\n");
                }
                TypeDefKind::Type(ty) => {
                    let _ = writeln!(out, "pub type {rust} = {};", self.rust(ty));
                }
                _ => {
                    let _ = writeln!(out, "pub type {rust} = {};", self.rust_kind(id));
                }
            }
        }
        out
    }

    fn conversions(&self) -> String {
        let mut out = String::from(
            "//! Moves values between the bindings' types and `core`'s. Generated from `wit/` by `cargo xtask codegen`; do not edit.\n\n\
             use crate::bindings::exports::jackfield::provider as exported;\nuse crate::bindings::jackfield::provider as imported;\n\
             use crate::convert_base::Convert;\nuse jackfield_core::contract as core;\n",
        );
        let outward = self.reachable(&["output", "caused", "descriptor", "fault"]);
        let inward = self.reachable(&["input", "tick"]);
        for (id, name) in self.definitions() {
            let rust = upper(name);
            let theirs = format!("{}::{rust}", self.module(id));
            let ours = format!("core::{rust}");
            for (wanted, from, to) in [(&outward, &theirs, &ours), (&inward, &ours, &theirs)] {
                if wanted.contains(&id) {
                    self.conversion(&mut out, id, from, to);
                }
            }
        }
        out
    }

    fn conversion(&self, out: &mut String, id: TypeId, from: &str, to: &str) {
        let body = match &self.resolve.types[id].kind {
            TypeDefKind::Record(record) => {
                let names: Vec<_> = record.fields.iter().map(|f| snake(&f.name)).collect();
                let moves: Vec<_> = names.iter().map(|n| format!("{n}: {n}.convert()")).collect();
                format!("let {from} {{ {} }} = self; {to} {{ {} }}", names.join(", "), moves.join(", "))
            }
            TypeDefKind::Variant(variant) => {
                let arms: Vec<_> = variant
                    .cases
                    .iter()
                    .map(|case| {
                        let name = upper(&case.name);
                        if case.ty.is_some() {
                            format!("{from}::{name}(x) => {to}::{name}(x.convert())")
                        } else {
                            format!("{from}::{name} => {to}::{name}")
                        }
                    })
                    .collect();
                format!("match self {{ {} }}", arms.join(", "))
            }
            TypeDefKind::Enum(cases) => {
                let arms: Vec<_> = cases
                    .cases
                    .iter()
                    .map(|case| {
                        let name = upper(&case.name);
                        format!("{from}::{name} => {to}::{name}")
                    })
                    .collect();
                format!("match self {{ {} }}", arms.join(", "))
            }
            _ => return,
        };
        let _ = writeln!(out, "\nimpl Convert<{to}> for {from} {{ fn convert(self) -> {to} {{ {body} }} }}");
    }

    /// All types that values of these types can hold.
    fn reachable(&self, roots: &[&str]) -> BTreeSet<TypeId> {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<TypeId> =
            self.definitions().into_iter().filter(|(_, n)| roots.contains(n)).map(|(id, _)| id).collect();
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            let mut next = |ty: &Type| {
                if let Type::Id(id) = ty {
                    todo.push(*id)
                }
            };
            match &self.resolve.types[id].kind {
                TypeDefKind::Record(r) => r.fields.iter().for_each(|f| next(&f.ty)),
                TypeDefKind::Variant(v) => v.cases.iter().filter_map(|c| c.ty.as_ref()).for_each(next),
                TypeDefKind::Tuple(t) => t.types.iter().for_each(next),
                TypeDefKind::List(ty) | TypeDefKind::Option(ty) | TypeDefKind::Type(ty) => next(ty),
                TypeDefKind::Result(r) => r.ok.iter().chain(&r.err).for_each(next),
                _ => {}
            }
        }
        seen
    }

    /// Where the host's bindings put a type: the exported interface's own types apart from the imported ones.
    fn module(&self, id: TypeId) -> String {
        let TypeOwner::Interface(interface) = self.resolve.types[id].owner else {
            return "imported".into();
        };
        let name = self.resolve.interfaces[interface].name.clone().unwrap_or_default();
        let side = if name == "adapter" { "exported" } else { "imported" };
        format!("{side}::{}", snake(&name))
    }

    fn rust(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "bool".into(),
            Type::U8 => "u8".into(),
            Type::U32 => "u32".into(),
            Type::S32 => "i32".into(),
            Type::F64 => "f64".into(),
            Type::String => "String".into(),
            Type::Id(id) => match &self.resolve.types[*id] {
                def if matches!(def.kind, TypeDefKind::Type(Type::Id(_))) => {
                    let TypeDefKind::Type(target) = &def.kind else { unreachable!("matched above") };
                    self.rust(target)
                }
                def => match &def.name {
                    Some(name) => upper(name),
                    None => self.rust_kind(*id),
                },
            },
            other => unreachable!("the contract has no {other:?}: see its rules on portable types"),
        }
    }

    fn rust_kind(&self, id: TypeId) -> String {
        match &self.resolve.types[id].kind {
            TypeDefKind::List(ty) => format!("Vec<{}>", self.rust(ty)),
            TypeDefKind::Option(ty) => format!("Option<{}>", self.rust(ty)),
            TypeDefKind::Tuple(t) => {
                format!("({})", t.types.iter().map(|t| self.rust(t)).collect::<Vec<_>>().join(", "))
            }
            TypeDefKind::Result(r) => {
                let part = |t: &Option<Type>| t.as_ref().map_or("()".into(), |t| self.rust(t));
                format!("Result<{}, {}>", part(&r.ok), part(&r.err))
            }
            other => unreachable!("the contract has no {other:?}"),
        }
    }

    fn skip(&self, ty: &Type) -> Option<&'static str> {
        let Type::Id(id) = ty else { return None };
        match &self.resolve.types[*id].kind {
            TypeDefKind::Option(_) => Some("Option::is_none"),
            TypeDefKind::List(_) => Some("Vec::is_empty"),
            TypeDefKind::Type(target) => self.skip(target),
            _ => None,
        }
    }
}

fn docs(out: &mut String, docs: &Docs, indent: &str) {
    for line in docs.contents.iter().flat_map(|text| text.lines()) {
        let _ = writeln!(out, "{indent}/// {}", line.replace('[', "\\[").replace(']', "\\]"));
    }
}

fn snake(name: &str) -> String {
    name.replace('-', "_")
}

/// `native-turn-id` as Rust writes a type or a case: `NativeTurnId`.
pub fn upper(name: &str) -> String {
    name.split('-').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
