//! The house rules: who may depend on whom, and what a layer may not contain. What the documents say is checked in
//! `documents.rs`.
//!
//! Each rule is one test; its message says what to change. It reads the sources, the manifests and `cargo`, never a build.

use anyhow::{Context, Result, ensure};
use jackfield_tests::sources::{check, rust_files};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which packages of ours each package of ours may use (build scripts included; tests apart).
const MAY_USE: &[(&str, &[&str])] = &[
    ("jackfield-core", &[]),
    ("jackfield-sandbox", &["jackfield-core"]),
    ("jackfield-runtime", &["jackfield-core", "jackfield-sandbox"]),
    ("jackfield", &["jackfield-core", "jackfield-sandbox", "jackfield-runtime", "jackfield-bundled", "jackfield-pack"]),
    ("xtask", &[]),
    ("jackfield-sdk", &[]),
    ("jackfield-pack", &["jackfield-core"]),
    ("jackfield-plugin-scripted", &["jackfield-sdk"]),
    ("jackfield-plugin-claude-code", &["jackfield-sdk"]),
    ("jackfield-plugin-acp", &["jackfield-sdk"]),
    ("jackfield-plugin-pi", &["jackfield-sdk"]),
    ("jackfield-plugin-plain", &["jackfield-sdk"]),
    ("jackfield-plugin-codex", &["jackfield-sdk"]),
    ("jackfield-plugin-opencode-server", &["jackfield-sdk"]),
    ("jackfield-bundled", &["jackfield-pack"]),
    (
        "jackfield-fuzz",
        &[
            "jackfield-core",
            "jackfield-sdk",
            "jackfield-plugin-scripted",
            "jackfield-plugin-claude-code",
            "jackfield-plugin-acp",
            "jackfield-plugin-codex",
            "jackfield-plugin-pi",
            "jackfield-plugin-plain",
        ],
    ),
];

/// Crates that only some packages of ours may name: each belongs to one layer.
const BELONGS_TO: &[(&str, &[&str])] = &[
    ("wasmtime", &["jackfield-sandbox"]),
    ("wasmtime-wasi", &["jackfield-sandbox"]),
    ("rusqlite", &["jackfield-runtime"]),
    ("hyper", &["jackfield-runtime"]),
    ("clap", &["jackfield"]),
    ("anyhow", &["jackfield", "xtask", "jackfield-bundled"]),
    ("wit-bindgen", &["jackfield-sdk"]),
];

/// What `core` may not reach, not even through others: whoever decides does no I/O.
const NOT_IN_CORE: &[&str] =
    &["tokio", "async-std", "futures-core", "wasmtime", "rusqlite", "nix", "mio", "getrandom", "rand", "axum", "hyper"];

/// Words that no line of `core` may hold.
const IO_WORDS: &[&str] = &[
    "async fn",
    ".await",
    "std::fs",
    "std::net",
    "std::process",
    "std::env",
    "std::thread",
    "SystemTime::now",
    "Instant::now",
    "std::io::stdin",
    "std::io::stdout",
    "println!",
    "eprintln!",
    "File::open",
];

/// Providers whose names the host may not know.
const PROVIDERS: &[&str] =
    &["claude", "anthropic", "codex", "openai", "copilot", "gemini", "opencode", "qwen", "aider"];

/// Where the runtime may say these words: each is a way to the world, and has one door.
const ONE_PLACE: &[(&str, &[&str])] = &[
    (".perform(", &["session/release.rs"]),
    ("process::spawn(", &["session/outlet.rs"]),
    (".channel.write(", &["session/outlet.rs"]),
    (".channel.signal(", &["session/outlet.rs"]),
    (".channel.end(", &["session/outlet.rs"]),
    (".channel.close_stdin(", &["session/outlet.rs"]),
    ("http::begin(", &["session/exchanges.rs"]),
    (".exchange(", &["session/outlet.rs"]),
    ("TcpStream", &["http/reach.rs"]),
    ("Input::Command(", &["session/task.rs", "session/traps.rs", "journal.rs"]),
    (".plugin.handle(", &["session/task.rs"]),
];

#[test]
fn the_world_and_the_plugin_are_reached_in_one_place_each() {
    check(|root| {
        let folder = root.join("host/runtime/src");
        for file in rust_files(&folder)? {
            let text = std::fs::read_to_string(&file)?;
            for (word, allowed) in ONE_PLACE {
                let here = allowed.iter().any(|place| file.ends_with(place));
                ensure!(here || !text.contains(word), "{}: `{word}` belongs in {}", file.display(), allowed.join(", "));
            }
        }
        let task = std::fs::read_to_string(folder.join("session/task.rs"))?;
        ensure!(task.contains("vec![Input::Command(command)]"), "a command goes alone in its batch");
        Ok(())
    });
}

#[test]
fn packages_use_only_the_layers_below_them() {
    check(|root| {
        let allowed: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
        let packages = packages(root)?;
        let ours: BTreeSet<&String> = packages.keys().collect();
        for (name, uses) in &packages {
            if name.starts_with("jackfield-test") {
                continue; // may use all; nothing may use them, as the table shows
            }
            let allowed = allowed
                .get(name.as_str())
                .with_context(|| format!("{name} has no line in MAY_USE: where does it belong?"))?;
            for used in uses.iter().filter(|used| ours.contains(used)) {
                ensure!(allowed.contains(&used.as_str()), "{name} may not depend on {used}");
            }
        }
        Ok(())
    });
}

#[test]
fn outside_crates_stay_in_their_layer() {
    check(|root| {
        for (name, uses) in packages(root)? {
            if name.starts_with("jackfield-test") {
                continue;
            }
            for (outside, owners) in BELONGS_TO {
                ensure!(
                    !uses.contains(*outside) || owners.contains(&name.as_str()),
                    "{name} may not depend on {outside}"
                );
            }
        }
        Ok(())
    });
}

#[test]
fn core_reaches_no_event_loop_no_sandbox_and_no_store() {
    check(|root| {
        let tree =
            run(root, &["cargo", "tree", "-p", "jackfield-core", "-e", "normal", "--prefix", "none", "--offline"])?;
        let reached: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
        ensure!(reached.contains("serde"), "cargo tree was not understood:\n{tree}");
        for name in NOT_IN_CORE {
            ensure!(!reached.contains(name), "jackfield-core reaches {name}: cargo tree -p jackfield-core -i {name}");
        }
        Ok(())
    });
}

#[test]
fn what_decides_does_no_io() {
    check(|root| {
        no_word(&rust_files(&root.join("host/core/src"))?, IO_WORDS, |line| {
            line.split("//").next().unwrap_or_default().to_owned()
        })
    });
}

#[test]
fn the_normalizer_reads_no_flag() {
    check(|root| {
        let words = ["capabilities.", "Capabilities", "capability::flag", "FLAGS"];
        no_word(&rust_files(&root.join("host/core/src/normalizer"))?, &words, |line| {
            line.split("//").next().unwrap_or_default().to_owned()
        })
    });
}

#[test]
fn the_host_names_no_provider() {
    check(|root| {
        for layer in ["host/core", "host/sandbox", "host/runtime"] {
            no_word(&rust_files(&root.join(layer))?, PROVIDERS, str::to_lowercase)?;
        }
        // The program's help may show an example; its code may not know one.
        let code = |line: &str| if line.trim_start().starts_with("//") { String::new() } else { line.to_lowercase() };
        let quoted: Vec<String> = PROVIDERS.iter().map(|name| format!("\"{name}")).collect();
        let quoted: Vec<&str> = quoted.iter().map(String::as_str).collect();
        no_word(&rust_files(&root.join("host/cli/src"))?, &quoted, code)
    });
}

#[test]
fn generated_sources_follow_from_the_wit() {
    check(xtask::codegen::check);
}

#[test]
fn no_file_knows_a_machine() {
    check(|root| {
        // In pieces, so that this file is not its own offence.
        let places = [
            ["/work", "/main"],
            ["/work", "/shared"],
            ["/work", "/."],
            ["/tmp", "/jf"],
            ["/tmp", "/cc/"],
            ["/ro", "ot/"],
        ];
        let places: Vec<String> = places.iter().map(|parts| parts.concat()).collect();
        let files =
            run(root, &["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"])?;
        for file in files.lines() {
            let Ok(text) = std::fs::read_to_string(root.join(file)) else { continue };
            for place in &places {
                ensure!(!text.contains(place), "{file} names {place}: a path of one machine");
            }
        }
        Ok(())
    });
}

/// The workspace forbids it; who allows it for a line says why beside it, and stands here.
#[test]
fn unsafe_code_stands_in_few_places() {
    check(|root| {
        let known = ["host/sandbox/src/compiled.rs", "sdk/rust/src/data.rs", "sdk/rust/src/lib.rs"];
        let word = ["allow(", "unsafe_code"].concat();
        let mut found = Vec::new();
        for folder in ["host", "sdk", "plugins", "tests"] {
            found.extend(rust_files(&root.join(folder))?);
        }
        found.retain(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains(&word)));
        found.sort();
        let known: Vec<_> = known.iter().map(|file| root.join(file)).collect();
        ensure!(found == known, "unsafe code is allowed in {found:?}");
        Ok(())
    });
}

/// Our packages, with the names of what each depends on outside its tests.
fn packages(root: &Path) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mut found = BTreeMap::new();
    for package in metadata(root)? {
        let dependencies = package["dependencies"].as_array().cloned().unwrap_or_default();
        let uses = dependencies.iter().filter(|one| one["kind"] != "dev").filter_map(|one| one["name"].as_str());
        found.insert(package["name"].as_str().unwrap_or_default().to_owned(), uses.map(str::to_owned).collect());
    }
    Ok(found)
}

fn metadata(root: &Path) -> Result<Vec<Value>> {
    let text = run(root, &["cargo", "metadata", "--no-deps", "--format-version", "1", "--offline"])?;
    let metadata: Value = serde_json::from_str(&text)?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    ensure!(packages.len() >= MAY_USE.len(), "cargo metadata names only {} packages", packages.len());
    Ok(packages)
}

fn run(root: &Path, words: &[&str]) -> Result<String> {
    let out = Command::new(words[0]).args(&words[1..]).current_dir(root).output().with_context(|| words.join(" "))?;
    ensure!(out.status.success(), "{}: {}", words.join(" "), String::from_utf8_lossy(&out.stderr));
    Ok(String::from_utf8(out.stdout)?)
}

fn no_word(files: &[PathBuf], words: &[&str], view: impl Fn(&str) -> String) -> Result<()> {
    ensure!(!files.is_empty(), "no sources were found");
    for file in files {
        for (number, line) in std::fs::read_to_string(file)?.lines().enumerate() {
            let seen = view(line);
            for word in words {
                ensure!(!seen.contains(word), "{}:{} holds `{word}`", file.display(), number + 1);
            }
        }
    }
    Ok(())
}
