//! `--format claude` on the demonstration: the official SDK's own types accept every line.
//!
//! Each line is written as a literal that is assigned to the SDK's exported type, and `tsc` decides. That it can refuse is
//! shown by frames that were spoilt.

use jackfield_tests::door::Door;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const JACKFIELD: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

/// What is shown: each kind of line that the demonstration can give.
const RUNS: &[(&str, &str)] =
    &[("help reasoning plan tool subagent", "allow"), ("tool question", "deny"), ("error", "deny"), ("long", "deny")];

/// Breaks a line.
type Spoil = fn(&mut Value);

#[test]
fn the_official_types_accept_every_line() {
    let Some(types) = types() else { return };
    let lines: Vec<Value> = RUNS.iter().flat_map(|(prompt, approve)| said(prompt, approve)).collect();
    for kind in ["system", "assistant", "user", "result", "stream_event", "control_request"] {
        assert!(lines.iter().any(|line| line["type"] == kind), "no {kind} line was said");
    }
    let literals: Vec<String> = lines.iter().filter_map(literal).collect();
    let withdrawn = lines.iter().filter(|line| line["type"] == "control_cancel_request").count();
    assert_eq!(literals.len() + withdrawn, lines.len());
    if let Err(refusal) = accepts(&types, "accepted", &literals) {
        panic!("the SDK's types refuse:\n{refusal}");
    }
    // Each of these is a line that was accepted, spoilt in one place.
    let spoils: &[(&str, Spoil)] = &[
        ("system", |line| line["permissionMode"] = "whatever".into()),
        ("assistant", |line| line["message"]["role"] = "user".into()),
        ("assistant", |line| line["uuid"] = "no uuid".into()),
        ("user", |line| line["message"]["content"][0]["type"] = "nothing".into()),
        ("result", |line| line["subtype"] = "fine".into()),
        ("result", |line| _ = line.as_object_mut().map(|line| line.remove("is_error"))),
        ("stream_event", |line| line["event"]["type"] = "something".into()),
        ("control_request", |line| line["request"]["tool_name"] = 7.into()),
    ];
    let mut spoilt: Vec<String> = Vec::new();
    for (kind, spoil) in spoils {
        let mut line = lines.iter().find(|line| line["type"] == *kind).expect("such a line").clone();
        spoil(&mut line);
        spoilt.extend(literal(&line));
    }
    let refusal = accepts(&types, "spoilt", &spoilt).expect_err("spoilt lines must be refused");
    for (number, literal) in spoilt.iter().enumerate() {
        let line = format!("({},", number + 2);
        assert!(refusal.contains(&line), "spoil {number} was accepted: {literal}\n{refusal}");
    }
}

/// All lines of a run.
fn said(prompt: &str, approve: &str) -> Vec<Value> {
    let args = ["run", prompt, "--approve", approve, "--format", "claude", "--include-partial-messages"];
    let ended = Door::new(JACKFIELD).run(&args);
    let lines: Vec<Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect();
    let last = lines.last().expect("lines");
    assert_eq!(last["type"], "result", "the last line is the turn's end");
    assert_eq!(ended.code == 0, last["is_error"] == false, "exit code {} and {last}", ended.code);
    lines
}

/// A line as an assignment to the type that it is of. For a withdrawal the SDK exports none.
fn literal(line: &Value) -> Option<String> {
    let of = match line["type"].as_str()? {
        "control_request" => "SDKControlRequest",
        "control_cancel_request" => return None,
        _ => "SDKMessage",
    };
    Some(format!("export const _: {of} = {line};"))
}

/// Asks `tsc`; the refusal is what it says, with the number of each literal's line.
fn accepts(types: &Path, name: &str, literals: &[String]) -> Result<(), String> {
    let folder = types.join(format!("check-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(format!("{name}.ts"));
    let lines = literals.iter().enumerate().map(|(n, line)| line.replacen("const _", &format!("const line{n}"), 1));
    let import = "import type { SDKMessage, SDKControlRequest } from '@anthropic-ai/claude-agent-sdk';".to_owned();
    std::fs::write(&file, std::iter::once(import).chain(lines).collect::<Vec<_>>().join("\n")).expect("the file");
    let out = Command::new("node")
        .arg(xtask::types::compiler(types))
        .args(["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--types", "node", "--pretty", "false"])
        .args(["--module", "nodenext", "--moduleResolution", "nodenext"])
        .arg(&file)
        .current_dir(types)
        .output()
        .expect("node starts: install Node.js 20 or newer");
    let _ = std::fs::remove_dir_all(&folder);
    if out.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&out.stdout).into_owned()) }
}

/// The SDK's types; nothing when the tests were told to leave out what comes from elsewhere.
fn types() -> Option<PathBuf> {
    if std::env::var_os("JACKFIELD_SKIP_REAL").is_some_and(|value| value == "1") {
        eprintln!("NOT CHECKED: JACKFIELD_SKIP_REAL=1");
        return None;
    }
    Some(xtask::types::ensure(&xtask::root()).expect("the SDK's types"))
}
