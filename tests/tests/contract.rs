//! The contract as a whole: the map in `wit/README.md` names what there is and every row of the two documents, and no case of a
//! variant or an enum stands in `wit/` that nobody says.
//!
//! The documents' rows are `tests/contract/rows.txt`; cases that nobody says, each with its reason, `tests/contract/unsaid.toml`.

use anyhow::{Context, Result, ensure};
use jackfield_core::capability::{FLAGS, flag};
use jackfield_core::policy::Intent;
use jackfield_tests::sources::{check, rust_files, words};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use wit_parser::{Resolve, Type, TypeDefKind, TypeId};
use xtask::codegen::upper;

#[test]
fn the_map_names_only_what_there_is() {
    check(|root| {
        let (names, documented) = names(&resolve(root)?);
        let intents: BTreeSet<&str> = Intent::ALL.iter().map(|intent| intent.name()).collect();
        for row in rows_of_the_map(root)? {
            for name in words(&row.ours) {
                let known = names.contains(name)
                    || flag(name).is_some()
                    || FLAGS.iter().any(|flag| flag.group == name)
                    || intents.contains(name)
                    || documented.contains(&format!("`{name}`"))
                    || (name.ends_with('/') && root.join(name).is_dir());
                ensure!(
                    known,
                    "wit/README.md: the row {} names `{name}`, which neither wit/ nor the tables have",
                    row.theirs
                );
            }
        }
        Ok(())
    });
}

#[test]
fn the_map_has_every_row_of_the_documents_and_no_other() {
    check(|root| {
        let text = std::fs::read_to_string(root.join("tests/contract/rows.txt"))?;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let rows: BTreeSet<&str> = lines.filter_map(|line| Some(line.split_once(' ')?.1)).collect();
        let map = rows_of_the_map(root)?;
        let mapped: BTreeSet<&str> = map.iter().flat_map(|row| words(&row.theirs)).collect();
        ensure!(rows.len() > 200, "only {} rows are in tests/contract/rows.txt", rows.len());
        for row in &rows {
            ensure!(mapped.contains(row), "wit/README.md has no row `{row}`");
        }
        for row in &mapped {
            ensure!(rows.contains(row), "wit/README.md has a row `{row}`, which is not in tests/contract/rows.txt");
        }
        for row in &map {
            ensure!(!row.ours.trim().is_empty(), "wit/README.md says nothing of {}", row.theirs);
        }
        Ok(())
    });
}

#[test]
fn every_flag_command_and_event_is_in_the_map() {
    check(|root| {
        let resolve = resolve(root)?;
        let chapter = chapter(root)?;
        let named: BTreeSet<&str> = words(&chapter).collect();
        let mut wanted: Vec<String> = FLAGS.iter().map(|flag| flag.name()).collect();
        for (variant, cases) in cases(&resolve) {
            if ["command-body", "event-body", "effect-body"].contains(&variant.as_str()) {
                wanted.extend(cases.into_iter().filter(|case| case != "other"));
            }
        }
        let lacking: Vec<&String> = wanted.iter().filter(|name| !named.contains(name.as_str())).collect();
        ensure!(
            lacking.is_empty(),
            "wit/README.md says of these neither what they come from nor that they are ours alone: {lacking:?}"
        );
        Ok(())
    });
}

/// What a plugin can say, some plugin or the SDK says. The other way round the compiler sees to it that whoever hears hears all.
#[test]
fn what_nobody_says_is_listed_with_its_reason() {
    check(|root| {
        let resolve = resolve(root)?;
        let text = std::fs::read_to_string(root.join("tests/contract/unsaid.toml"))?;
        let lists: BTreeMap<String, BTreeMap<String, String>> = toml::from_str(&text)?;
        let unsaid = &lists["unsaid"];
        let sources = said_by_plugins(&root.join("plugins"))? + &said_by_plugins(&root.join("sdk/rust/src"))?;
        let outward = reachable(&resolve, &["caused", "descriptor", "fault"]);
        let mut known = BTreeSet::new();
        for (name, cases) in cases(&resolve).into_iter().filter(|(name, _)| outward.contains(name)) {
            for case in cases {
                let (full, said) = (format!("{name}.{case}"), says(&sources, &name, &case));
                known.insert(full.clone());
                ensure!(
                    said || unsaid.contains_key(&full),
                    "no plugin says {full}: use it, or say in tests/contract/unsaid.toml why it stays"
                );
                ensure!(
                    !said || !unsaid.contains_key(&full),
                    "{full} is said: take it out of tests/contract/unsaid.toml"
                );
            }
        }
        ensure!(known.len() > 100, "only {} cases were found", known.len());
        for name in unsaid.keys() {
            ensure!(known.contains(name), "tests/contract/unsaid.toml names {name}, which a plugin can't say at all");
        }
        Ok(())
    });
}

/// A row of one of the map's tables.
struct Row {
    theirs: String,
    ours: String,
}

fn chapter(root: &Path) -> Result<String> {
    let text = std::fs::read_to_string(root.join("wit/README.md"))?;
    let (_, chapter) = text.split_once("\n## Where it comes from\n").context("wit/README.md has no map")?;
    Ok(chapter.to_owned())
}

fn rows_of_the_map(root: &Path) -> Result<Vec<Row>> {
    let chapter = chapter(root)?;
    let lines = chapter.lines().filter(|line| line.starts_with("| `"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            ensure!(cells.len() == 3, "wit/README.md: a row has {} cells: {line}", cells.len());
            Ok(Row { theirs: cells[0].to_owned(), ours: cells[1].to_owned() })
        })
        .collect()
}

fn resolve(root: &Path) -> Result<Resolve> {
    let mut resolve = Resolve::default();
    resolve.push_dir(root.join("wit"))?;
    Ok(resolve)
}

/// The contract's names: types, their fields and cases (alone, and behind the type), functions; and all its documentation.
fn names(resolve: &Resolve) -> (BTreeSet<String>, String) {
    let (mut names, mut documented) = (BTreeSet::from(["constructor".to_owned(), "handle".to_owned()]), String::new());
    for (_, interface) in &resolve.interfaces {
        names.extend(interface.functions.keys().cloned());
    }
    for (_, def) in &resolve.types {
        let Some(name) = &def.name else { continue };
        names.insert(name.clone());
        documented += def.docs.contents.as_deref().unwrap_or_default();
        for (member, docs) in members(&def.kind) {
            names.insert(format!("{name}.{member}"));
            names.insert(member);
            documented += docs.as_deref().unwrap_or_default();
        }
    }
    (names, documented)
}

fn members(kind: &TypeDefKind) -> Vec<(String, Option<String>)> {
    match kind {
        TypeDefKind::Record(record) => {
            record.fields.iter().map(|one| (one.name.clone(), one.docs.contents.clone())).collect()
        }
        TypeDefKind::Variant(variant) => {
            variant.cases.iter().map(|one| (one.name.clone(), one.docs.contents.clone())).collect()
        }
        TypeDefKind::Enum(words) => {
            words.cases.iter().map(|one| (one.name.clone(), one.docs.contents.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// Variants and enums, with their cases.
fn cases(resolve: &Resolve) -> BTreeMap<String, Vec<String>> {
    let choices =
        resolve.types.iter().filter(|(_, def)| matches!(def.kind, TypeDefKind::Variant(_) | TypeDefKind::Enum(_)));
    let named = choices.filter_map(|(_, def)| Some((def.name.clone()?, members(&def.kind))));
    named.map(|(name, cases)| (name, cases.into_iter().map(|(case, _)| case).collect())).collect()
}

/// Names of all types that values of these can hold.
fn reachable(resolve: &Resolve, roots: &[&str]) -> BTreeSet<String> {
    let is_root = |id: &TypeId| resolve.types[*id].name.as_deref().is_some_and(|name| roots.contains(&name));
    let mut todo: Vec<TypeId> = resolve.types.iter().map(|(id, _)| id).filter(is_root).collect();
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        found.extend(resolve.types[id].name.clone());
        let mut next = |ty: &Type| {
            if let Type::Id(id) = ty {
                todo.push(*id);
            }
        };
        match &resolve.types[id].kind {
            TypeDefKind::Record(record) => record.fields.iter().for_each(|field| next(&field.ty)),
            TypeDefKind::Variant(variant) => variant.cases.iter().filter_map(|case| case.ty.as_ref()).for_each(next),
            TypeDefKind::Tuple(tuple) => tuple.types.iter().for_each(next),
            TypeDefKind::List(ty) | TypeDefKind::Option(ty) | TypeDefKind::Type(ty) => next(ty),
            TypeDefKind::Result(result) => result.ok.iter().chain(&result.err).for_each(next),
            _ => {}
        }
    }
    found
}

/// Whether `Type::Case` stands in these sources.
fn says(sources: &str, name: &str, case: &str) -> bool {
    let wanted = format!("{}::{}", upper(name), upper(case));
    sources.match_indices(&wanted).any(|(at, word)| {
        let before = sources[..at].chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric());
        before && !sources[at + word.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
    })
}

/// What plugins are made of, without what only their tests say.
fn said_by_plugins(folder: &Path) -> Result<String> {
    const APART: [&str; 7] = ["tests", "testing", "target", "recordings", "bindings.rs", "testing.rs", "build.rs"];
    let mut said = String::new();
    for file in rust_files(folder)? {
        if file.strip_prefix(folder)?.iter().all(|name| APART.iter().all(|apart| name != *apart)) {
            let text = std::fs::read_to_string(&file)?;
            said.push_str(text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default());
        }
    }
    Ok(said)
}
