//! What is written down is so: the contract's documentation, the limits' reasons, and the documents a newcomer reads.
//!
//! Each claim that a machine can check is one test; its message says which document is wrong.

use anyhow::{Context, Result, ensure};
use jackfield_core::limits::Limits;
use jackfield_tests::sources::{check, rust_files, words};
use std::collections::BTreeSet;
use std::path::Path;
use wit_parser::{Docs, Resolve, TypeDefKind};

/// What a newcomer reads.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "wit/README.md",
    "host/cli/README.md",
    "sdk/example/README.md",
    "sdk/js/README.md",
    "sdk/python/README.md",
];

/// A path that begins so is one of ours.
const FOLDERS: &[&str] = &["host/", "sdk/", "plugins/", "tests/", "wit/"];

#[test]
fn every_item_of_the_contract_is_documented() {
    check(|root| {
        let mut resolve = Resolve::default();
        resolve.push_dir(root.join("wit"))?;
        let (bare, counted) = undocumented(&resolve);
        ensure!(counted > 500, "only {counted} items were found in wit/: the walk is broken");
        ensure!(bare.is_empty(), "no documentation in wit/ for: {}", bare.join(", "));
        Ok(())
    });
}

#[test]
fn limits_fit_each_other_and_say_why() {
    check(|_| {
        let limits = Limits::default();
        limits.check().map_err(anyhow::Error::msg)?;
        for (name, value, reason) in limits.table() {
            ensure!(value > 0, "the limit {name} is zero");
            ensure!(reason.split_whitespace().count() >= 3, "the limit {name} does not say why: {reason}");
        }
        Ok(())
    });
}

/// A number that nothing reads bounds nothing.
#[test]
fn every_limit_is_read_by_the_host() {
    check(|root| {
        let mut sources = String::new();
        for layer in ["host/core/src", "host/sandbox/src", "host/runtime/src", "host/cli/src"] {
            sources += &read_sources(&root.join(layer))?;
        }
        for (name, ..) in Limits::default().table() {
            let read = sources.match_indices(&format!(".{name}")).any(|(at, word)| {
                !sources[at + word.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            });
            ensure!(read, "nothing reads the limit {name}: apply it or take it out of host/core/src/limits.rs");
        }
        Ok(())
    });
}

/// The Rust sources beneath a folder, but for the table of limits itself.
fn read_sources(folder: &Path) -> Result<String> {
    let files = rust_files(folder)?.into_iter().filter(|file| !file.ends_with("limits.rs"));
    files.map(|file| Ok(std::fs::read_to_string(file)?)).collect()
}

#[test]
fn documents_name_only_tasks_that_exist() {
    check(|root| {
        let tasks: BTreeSet<&str> = xtask::TASKS.iter().map(|(name, _)| *name).collect();
        for document in DOCUMENTS {
            let text = std::fs::read_to_string(root.join(document)).context(*document)?;
            for rest in text.split("cargo xtask ").skip(1) {
                let task: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
                ensure!(tasks.contains(task.as_str()), "{document} names `cargo xtask {task}`, which does not exist");
            }
        }
        let readme = std::fs::read_to_string(root.join("README.md"))?;
        for task in ["cargo xtask demo", "cargo xtask test"] {
            ensure!(readme.contains(task), "README.md does not name `{task}`");
        }
        Ok(())
    });
}

#[test]
fn documents_name_only_files_that_exist() {
    check(|root| {
        for document in DOCUMENTS {
            let text = std::fs::read_to_string(root.join(document)).context(*document)?;
            for word in words(&text) {
                let path = word.split("::").next().unwrap_or_default();
                let ours = FOLDERS.iter().any(|folder| path.starts_with(folder)) && !path.contains(char::is_whitespace);
                let pattern = path.contains("NAME") || path.contains('*');
                ensure!(!ours || pattern || root.join(path).exists(), "{document} names {path}, which is not there");
            }
        }
        Ok(())
    });
}

/// The recipes of CONTRIBUTING.md, each with its steps.
fn recipes(root: &Path) -> Result<Vec<(String, Vec<String>)>> {
    let text = std::fs::read_to_string(root.join("CONTRIBUTING.md"))?;
    let chapters = text.split("\n## ").skip(1).map(|chapter| {
        let (title, body) = chapter.split_once('\n').unwrap_or((chapter, ""));
        let mut steps: Vec<String> = Vec::new();
        for line in body.lines() {
            match (line.split_once(". "), steps.last_mut()) {
                (Some((number, step)), _) if number.parse::<u32>().is_ok() => steps.push(step.to_owned()),
                (_, Some(last)) if line.starts_with("   ") => *last += &format!("\n{}", line.trim()),
                _ => {}
            }
        }
        (title.to_owned(), steps)
    });
    Ok(chapters.collect())
}

#[test]
fn each_recipe_has_its_steps_and_names_what_stands_in_their_files() {
    check(|root| {
        let recipes = recipes(root)?;
        for wanted in ["A provider", "A dialect", "A capability", "An effect", "A degradation", "A fault case"] {
            let steps = recipes.iter().find(|(title, _)| title == wanted).map_or(0, |(_, steps)| steps.len());
            ensure!(steps >= 4, "CONTRIBUTING.md: the recipe `{wanted}` has {steps} steps");
        }
        for (title, step) in recipes.iter().flat_map(|(title, steps)| steps.iter().map(move |step| (title, step))) {
            let words: Vec<&str> = words(step).collect();
            let files = words.iter().map(|word| root.join(word)).filter(|path| path.is_file());
            let contents: Vec<String> = files.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
            let is_name =
                |word: &&&str| word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') && **word != "NAME";
            for word in words.iter().filter(is_name).filter(|word| !root.join(word).exists()) {
                let there = contents.is_empty() || contents.iter().any(|content| content.contains(*word));
                ensure!(there, "CONTRIBUTING.md, {title}: no file of its step holds `{word}`:\n{step}");
            }
        }
        Ok(())
    });
}

#[test]
fn the_commands_of_the_recipes_are_there() {
    check(|root| {
        let text = std::fs::read_to_string(root.join("CONTRIBUTING.md"))?;
        let commands: Vec<&str> = words(&text).filter(|word| word.contains("cargo test ")).collect();
        ensure!(commands.len() >= 10, "only {} commands were found in CONTRIBUTING.md", commands.len());
        let members = members(root)?;
        for command in
            commands.iter().filter(|command| !command.contains("-p PACKAGE") && !command.contains("-plugin-NAME"))
        {
            let word_after = |flag: &str| command.split_once(flag).and_then(|(_, rest)| rest.split_whitespace().next());
            let package = word_after(" -p ").with_context(|| format!("{command}: of which package?"))?;
            let manifest = |folder: &&String| {
                let manifest = std::fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap_or_default();
                manifest.contains(&format!("name = \"{package}\""))
            };
            let folder =
                members.iter().find(manifest).with_context(|| format!("{command}: there is no package {package}"))?;
            if let Some(test) = word_after(" --test ") {
                let tests = root.join(folder).join("tests");
                let there = tests.join(format!("{test}.rs")).is_file() || tests.join(test).join("main.rs").is_file();
                ensure!(there, "{command}: {package} has no test {test}");
            } else if let Some(name) = command.rsplit(' ').next().filter(|name| name.contains('_')) {
                let sources = read_sources(&root.join(folder).join("src"))?;
                ensure!(sources.contains(&format!("fn {name}(")), "{command}: {package} has no test {name}");
            }
        }
        Ok(())
    });
}

#[test]
fn the_readmes_plugin_is_the_one_that_is_compiled() {
    check(|root| {
        let readme = std::fs::read_to_string(root.join("README.md"))?;
        let sdk = std::fs::read_to_string(root.join("sdk/rust/README.md"))?;
        let example = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("\n```").next());
        let example = example.context("README.md has no Rust example")?;
        ensure!(example.contains("impl Provider for"), "README.md's example is no plugin");
        ensure!(sdk.contains(example), "README.md's plugin is not the one of sdk/rust/README.md, which is compiled");
        let lib = std::fs::read_to_string(root.join("sdk/rust/src/lib.rs"))?;
        ensure!(lib.contains("include_str!(\"../README.md\")"), "sdk/rust/src/lib.rs no longer compiles its README");
        Ok(())
    });
}

#[test]
fn the_stream_is_documented_and_its_examples_are_the_files_that_run() {
    check(|root| {
        let text = std::fs::read_to_string(root.join("host/cli/README.md"))?;
        for name in ["conversation.py", "conversation.sh"] {
            let file = std::fs::read_to_string(root.join("host/cli/examples").join(name)).context(name)?;
            ensure!(
                text.contains(file.trim_end()),
                "host/cli/README.md does not show host/cli/examples/{name} as it is"
            );
        }
        let schema = std::fs::read_to_string(root.join(xtask::schema::path("input")))?;
        let schema: serde_json::Value = serde_json::from_str(&schema)?;
        let variants = schema["oneOf"].as_array().into_iter().flatten();
        let lines: Vec<&str> = variants.filter_map(|line| line["properties"]["type"]["const"].as_str()).collect();
        ensure!(lines.len() >= 5, "the input's schema was not understood: {lines:?}");
        for line in lines {
            ensure!(text.contains(&format!("{{\"type\":\"{line}\"")), "host/cli/README.md has no line of type {line}");
        }
        Ok(())
    });
}

#[test]
fn each_invariant_of_the_architecture_names_a_test_that_exists() {
    check(|root| {
        let text = std::fs::read_to_string(root.join("ARCHITECTURE.md"))?;
        let guards: Vec<&str> = text.split("[guard: ").skip(1).filter_map(|rest| rest.split(']').next()).collect();
        ensure!(guards.len() >= 6, "ARCHITECTURE.md names only {} guards", guards.len());
        for guard in guards {
            let (file, test) =
                guard.trim_matches('`').split_once("::").with_context(|| format!("guard `{guard}`: FILE::TEST"))?;
            let source = std::fs::read_to_string(root.join(file)).with_context(|| format!("guard `{guard}`"))?;
            let there = source.contains(&format!("fn {test}(")) || source.contains(&format!("{test} {{"));
            ensure!(there, "ARCHITECTURE.md: {file} has no test {test}");
        }
        Ok(())
    });
}

#[test]
fn the_map_of_the_architecture_is_the_tree() {
    check(|root| {
        let text = std::fs::read_to_string(root.join("ARCHITECTURE.md"))?;
        for folder in members(root)? {
            ensure!(text.contains(&format!("`{folder}`")), "ARCHITECTURE.md does not name `{folder}`");
        }
        Ok(())
    });
}

/// The packages' folders, as the workspace's manifest names them.
fn members(root: &Path) -> Result<Vec<String>> {
    let manifest = std::fs::read_to_string(root.join("Cargo.toml"))?;
    let list = manifest.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let members: Vec<String> =
        list.context("Cargo.toml lists no members")?.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    ensure!(members.len() > 5, "Cargo.toml's members were not understood: {members:?}");
    Ok(members)
}

/// Names of the contract's items without documentation, and how many items there are.
fn undocumented(resolve: &Resolve) -> (Vec<String>, usize) {
    let mut walk = Walk::default();
    for (_, interface) in &resolve.interfaces {
        let name = interface.name.clone().unwrap_or_default();
        walk.item(&name, &interface.docs);
        for (function, about) in &interface.functions {
            walk.item(&format!("{name}.{function}"), &about.docs);
        }
        for (ty, id) in &interface.types {
            let def = &resolve.types[*id];
            // `use` brings a type in; it is documented where it is made.
            if let TypeDefKind::Type(wit_parser::Type::Id(target)) = def.kind
                && resolve.types[target].name.is_some()
            {
                continue;
            }
            let name = format!("{name}.{ty}");
            walk.item(&name, &def.docs);
            match &def.kind {
                TypeDefKind::Record(record) => {
                    record.fields.iter().for_each(|f| walk.item(&format!("{name}.{}", f.name), &f.docs))
                }
                TypeDefKind::Variant(variant) => {
                    variant.cases.iter().for_each(|c| walk.item(&format!("{name}.{}", c.name), &c.docs))
                }
                TypeDefKind::Enum(words) => {
                    words.cases.iter().for_each(|c| walk.item(&format!("{name}.{}", c.name), &c.docs))
                }
                TypeDefKind::Flags(flags) => {
                    flags.flags.iter().for_each(|f| walk.item(&format!("{name}.{}", f.name), &f.docs))
                }
                _ => {}
            }
        }
    }
    for (_, world) in &resolve.worlds {
        walk.item(&world.name, &world.docs);
    }
    (walk.bare, walk.counted)
}

#[derive(Default)]
struct Walk {
    bare: Vec<String>,
    counted: usize,
}

impl Walk {
    fn item(&mut self, name: &str, docs: &Docs) {
        self.counted += 1;
        if docs.contents.as_ref().is_none_or(|text| text.trim().is_empty()) {
            self.bare.push(name.to_owned());
        }
    }
}
