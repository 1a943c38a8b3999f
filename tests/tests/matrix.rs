//! The README's table of what each provider can do is `jackfield matrix`, and agrees with what the recordings show.
//!
//! `UPDATE=1` writes the table anew. **A flag that a recording shows and the plugin does not declare fails here**, unless
//! `tests/recordings/undeclared.json` argues it; one that is declared and not kept fails in `tests/tests/recordings.rs`, unless
//! `tests/recordings/honesty.json` does. What is declared and no recording shows is marked as resting on the protocol's text.

use jackfield_core::capability::{FLAGS, Staged, flag};
use jackfield_core::contract::CapabilitySet;
use jackfield_tests::door::Door;
use jackfield_tests::evidence::{self, Shown};
use jackfield_tests::player;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const BEGIN: &str = "<!-- made of `jackfield matrix` by tests/tests/matrix.rs; UPDATE=1 writes it anew -->\n";
const END: &str = "<!-- end of the table -->\n";

/// By provider: flags, with a word on each.
type Argued = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn the_readmes_table_is_the_matrix_and_the_recordings_agree() {
    let columns = columns();
    let shown = columns.iter().filter_map(|column| {
        let provider = column["provider"].as_str()?.to_owned();
        let shown = evidence::of(&xtask::root(), &provider).ok()?;
        Some((provider, shown))
    });
    let shown: BTreeMap<String, Shown> = shown.collect();
    for provider in evidence::providers() {
        assert!(shown.contains_key(provider), "`jackfield matrix` does not name {provider}, which has recordings");
    }
    // Who has a dialect has recordings: without evidence of them, all that it declares would look unproved.
    for provider in columns.iter().filter_map(|column| column["provider"].as_str()) {
        let is_known = player::dialect(provider).is_none() || shown.contains_key(provider);
        assert!(is_known, "{provider} has a dialect of the player's, and no line in SOURCES of tests/src/evidence.rs");
    }
    agrees(&columns, &shown);
    let table = table(&columns, &shown);
    let path = xtask::root().join("README.md");
    let readme = std::fs::read_to_string(&path).expect("README.md");
    let (head, rest) = readme.split_once(BEGIN).expect("README.md has a place for the table");
    let (found, tail) = rest.split_once(END).expect("the table ends");
    if std::env::var_os("UPDATE").is_some() && found != table {
        std::fs::write(&path, format!("{head}{BEGIN}{table}{END}{tail}")).expect("README.md");
        return;
    }
    assert!(found == table, "README.md's table is not `jackfield matrix`; UPDATE=1 writes it anew:\n{table}");
}

#[test]
fn each_provider_with_recordings_shows_something_and_only_flags() {
    for provider in evidence::providers() {
        let shown = evidence::of(&xtask::root(), provider).expect("its texts");
        // Plain text shows nothing of a protocol.
        let least = if provider == "plain" { 0 } else { 9 };
        assert!(shown.len() >= least, "{provider}: {shown:?}");
        shown.keys().for_each(|name| assert!(flag(name).is_some(), "{provider}: {name}"));
    }
}

#[test]
fn a_line_proves_what_it_says_and_no_more() {
    let mut shown = Shown::new();
    let said = "(t1) [x] +ToolInput r: hm\n(t1) [x] +Assistant -: hi\nreplayed Completed m assistant \"old\"\ndone 3 OpenedTurn\nRunning - Execute Bash\n";
    evidence::outputs(said, "a/b", &mut shown);
    let seen = "  1 tool Bash, execute: completed\n    | request: plan\n    request: approval, offers allow-once\n";
    evidence::picture(seen, "c/d", &mut shown);
    let proved: Vec<(&str, &str)> = shown.iter().map(|(flag, name)| (*flag, name.as_str())).collect();
    assert_eq!(
        proved,
        [
            ("approvals.approvals-have-native-request-ids", "c/d"),
            ("approvals.supports-command-approval", "c/d"),
            ("streaming.streams-assistant-text", "a/b"),
            ("tools.emits-tool-started", "a/b"),
        ]
    );
}

/// Each plugin as `jackfield matrix --json` tells it.
fn columns() -> Vec<Value> {
    // Every plugin is compiled for it: on a loaded machine that takes longer than a door waits.
    let door = Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"));
    let mut command = door.command(&["matrix", "--json"]);
    let out = command.output().expect("the program starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let matrix: Value = serde_json::from_slice(&out.stdout).expect("one JSON value");
    matrix["plugins"].as_array().expect("plugins").clone()
}

/// No recording shows what is not declared, and what is argued is so.
fn agrees(columns: &[Value], shown: &BTreeMap<String, Shown>) {
    let argued = list("undeclared.json");
    let mut wrong = Vec::new();
    let mut needed = BTreeSet::new();
    for column in columns {
        let provider = column["provider"].as_str().unwrap_or_default();
        for (flag, recording) in shown.get(provider).into_iter().flatten() {
            if cell(column, flag).is_some() {
                continue;
            }
            needed.insert((provider.to_owned(), (*flag).to_owned()));
            if argued.get(provider).is_none_or(|flags| !flags.contains_key(*flag)) {
                wrong.push(format!("{provider} does not declare {flag}, and {recording} shows it"));
            }
        }
    }
    assert!(wrong.is_empty(), "declare it, or argue it in tests/recordings/undeclared.json:\n{}", wrong.join("\n"));
    for (provider, flags) in &argued {
        for (flag, why) in flags {
            assert!(
                needed.contains(&(provider.clone(), flag.clone())),
                "undeclared.json: {provider} {flag} needs no argument"
            );
            assert!(why.len() > 40, "undeclared.json: {provider} {flag}: {why}");
        }
    }
}

fn list(name: &str) -> Argued {
    let path = xtask::root().join("tests/recordings").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).expect("a list")).expect("JSON")
}

/// A row for each flag that somebody declares.
fn table(columns: &[Value], shown: &BTreeMap<String, Shown>) -> String {
    let broken = broken();
    let names: Vec<&str> = columns.iter().map(|column| column["provider"].as_str().unwrap_or_default()).collect();
    let mut out = format!("\n| | {} |\n|{}\n", names.join(" | "), " --- |".repeat(names.len() + 1));
    let mut group = "";
    for flag in FLAGS {
        let name = flag.name();
        let cells: Vec<Option<String>> = columns.iter().map(|column| cell(column, &name)).collect();
        if cells.iter().all(Option::is_none) {
            continue;
        }
        if flag.group != group {
            group = flag.group;
            let _ = writeln!(out, "| **{group}** |{}", " |".repeat(names.len()));
        }
        let marked = cells.iter().zip(&names).map(|(cell, provider)| match cell {
            None => "·".to_owned(),
            Some(value) if broken.contains(&(provider.to_string(), name.clone())) => format!("{value} !"),
            Some(value) => match shown.get(*provider) {
                Some(shown) if shown.contains_key(name.as_str()) => value.clone(),
                _ => format!("{value}°"),
            },
        });
        let _ = writeln!(out, "| {} | {} |", flag.field.replace('_', "-"), marked.collect::<Vec<_>>().join(" | "));
    }
    out.push('\n');
    out
}

/// What is declared, in a word; nothing where it is not more than its weakest.
fn cell(column: &Value, flag: &str) -> Option<String> {
    let value = &column["declared"][flag];
    let nothing = CapabilitySet { revision: 0, provider_version: None, capabilities: vec![] };
    if Staged::new(nothing).view(Vec::new()).values.get(flag) == Some(value) {
        return None;
    }
    Some(match value {
        Value::Null => return None,
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::String(word) => word.clone(),
        other => other.to_string(),
    })
}

/// Flags of a provider that a recording shows not to be kept, with an argument.
fn broken() -> BTreeSet<(String, String)> {
    let mut broken = BTreeSet::new();
    for (recording, flags) in list("honesty.json") {
        let provider = evidence::provider_of(&recording)
            .unwrap_or_else(|| panic!("honesty.json: {recording} is a recording of no provider"));
        broken.extend(flags.into_keys().map(|flag| (provider.to_owned(), flag)));
    }
    broken
}
