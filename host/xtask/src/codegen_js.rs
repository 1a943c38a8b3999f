//! Writes the contract for JavaScript: the fields of its records for `sdk/js/jackfield.js`, and its types for editors.
//!
//! Names are those of the bindings that `componentize-qjs` makes: fields in camel case, cases and words as in the WIT, a variant
//! `{ tag, val }`, a result `{ tag: "ok" | "err", val }`. Checked with the rest by `codegen::check`.

use std::fmt::Write as _;
use wit_parser::{Docs, Resolve, Type, TypeDefKind, TypeId};

/// Where the records' fields go.
pub const TABLE: &str = "sdk/js/contract.js";
/// Where the types go.
pub const TYPES: &str = "sdk/js/contract.d.ts";

/// The records, each field with what stands for it when it is left out.
pub fn table(resolve: &Resolve, definitions: &[(TypeId, &str)]) -> String {
    let mut out = "// Fields of the contract's records, and what may be left out. Generated from `wit/` by `cargo xtask codegen`; do not edit.\n\n\
         export const RECORDS = {\n"
        .to_owned();
    for (id, name) in definitions {
        let TypeDefKind::Record(record) = &resolve.types[*id].kind else { continue };
        let _ = writeln!(out, "  {}: {{", key(name));
        for field in &record.fields {
            let _ = writeln!(out, "    {}: \"{}\",", camel(&field.name), absent(resolve, &field.ty));
        }
        out.push_str("  },\n");
    }
    out.push_str("};\n");
    out
}

/// All named types, as TypeScript.
pub fn types(resolve: &Resolve, definitions: &[(TypeId, &str)]) -> String {
    let mut out = "// The contract's types as the bindings give and take them. Generated from `wit/` by `cargo xtask codegen`; do not edit.\n"
        .to_owned();
    for (id, name) in definitions {
        let def = &resolve.types[*id];
        out.push('\n');
        docs(&mut out, &def.docs, "");
        let ts = crate::codegen::upper(name);
        match &def.kind {
            TypeDefKind::Record(record) => {
                let _ = writeln!(out, "export interface {ts} {{");
                for field in &record.fields {
                    docs(&mut out, &field.docs, "  ");
                    let mark = if absent(resolve, &field.ty) == "option" { "?" } else { "" };
                    let _ = writeln!(out, "  {}{mark}: {};", camel(&field.name), ty(resolve, &field.ty));
                }
                out.push_str("}\n");
            }
            TypeDefKind::Variant(variant) => {
                let _ = writeln!(out, "export type {ts} =");
                for case in &variant.cases {
                    docs(&mut out, &case.docs, "  ");
                    let val =
                        case.ty.as_ref().map(|inner| format!("; val: {}", ty(resolve, inner))).unwrap_or_default();
                    let _ = writeln!(out, "  | {{ tag: \"{}\"{val} }}", case.name);
                }
                out.insert(out.len() - 1, ';');
            }
            TypeDefKind::Enum(words) => {
                let _ = writeln!(out, "export type {ts} =");
                for case in &words.cases {
                    docs(&mut out, &case.docs, "  ");
                    let _ = writeln!(out, "  | \"{}\"", case.name);
                }
                out.insert(out.len() - 1, ';');
            }
            _ => {
                let _ = writeln!(out, "export type {ts} = {};", kind(resolve, *id));
            }
        }
    }
    out
}

/// What a field is when it is left out: nothing, an empty list, false; `needed` when it must be there.
fn absent(resolve: &Resolve, of: &Type) -> &'static str {
    match of {
        Type::Bool => "bool",
        Type::Id(id) => match &resolve.types[*id].kind {
            TypeDefKind::Option(_) => "option",
            TypeDefKind::List(_) => "list",
            TypeDefKind::Type(inner) => absent(resolve, inner),
            _ => "needed",
        },
        _ => "needed",
    }
}

fn ty(resolve: &Resolve, of: &Type) -> String {
    match of {
        Type::Bool => "boolean".into(),
        Type::U8 | Type::U32 | Type::S32 | Type::F64 => "number".into(),
        Type::String => "string".into(),
        Type::Id(id) => match (&resolve.types[*id].kind, &resolve.types[*id].name) {
            (TypeDefKind::Type(inner @ Type::Id(_)), _) => ty(resolve, inner),
            (_, Some(name)) => crate::codegen::upper(name),
            _ => kind(resolve, *id),
        },
        other => unreachable!("the contract has no {other:?}: see its rules on portable types"),
    }
}

fn kind(resolve: &Resolve, id: TypeId) -> String {
    match &resolve.types[id].kind {
        TypeDefKind::List(Type::U8) => "Uint8Array".into(),
        TypeDefKind::List(inner) => format!("Array<{}>", ty(resolve, inner)),
        TypeDefKind::Option(inner) => format!("{} | null", ty(resolve, inner)),
        TypeDefKind::Tuple(tuple) => {
            format!("[{}]", tuple.types.iter().map(|one| ty(resolve, one)).collect::<Vec<_>>().join(", "))
        }
        TypeDefKind::Type(inner) => ty(resolve, inner),
        TypeDefKind::Result(result) => {
            let part = |tag: &str, one: &Option<Type>| {
                let val = one.as_ref().map(|one| format!("; val: {}", ty(resolve, one))).unwrap_or_default();
                format!("{{ tag: \"{tag}\"{val} }}")
            };
            format!("{} | {}", part("ok", &result.ok), part("err", &result.err))
        }
        other => unreachable!("the contract has no {other:?}"),
    }
}

fn docs(out: &mut String, docs: &Docs, indent: &str) {
    for line in docs.contents.iter().flat_map(|text| text.lines()) {
        let _ = writeln!(out, "{indent}/** {} */", line.trim());
    }
}

fn key(name: &str) -> String {
    if name.contains('-') { format!("{name:?}") } else { name.to_owned() }
}

fn camel(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| all + &crate::codegen::upper(word))
}
