//! `run --record` and `jackfield record scrub`: a recording of a run is scrubbed into a fixture that holds nothing of the
//! machine and the person, and that plays.

use jackfield_tests::door::{Door, text};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const JACKFIELD: &str = env!("CARGO_BIN_EXE_jackfield-under-test");
const PLAY: &str = env!("CARGO_BIN_EXE_play");
/// What the operator passes: it must be nowhere.
const SECRET: &str = "operators-own-secret-4711";

/// A provider's program that plays a recording, so that there is a wire to record.
fn program(door: &Door, recording: &str) -> String {
    let file = xtask::root().join("tests/recordings").join(recording);
    let body = format!("exec {PLAY} __cli claude-code {} \"$@\"", text(&file));
    format!("claude={}", text(&door.script("claude", &body)))
}

/// Runs the prompt of a recording and records it.
fn recorded(door: &Door, recording: &str, prompt: &str, file: &Path) {
    let exe = program(door, recording);
    let env = format!("ANTHROPIC_API_KEY={SECRET}");
    let args = ["run", "--provider", "claude-code", "--exe", &exe, "--env", &env, "--approve", "allow", "--record"];
    let run = door.run(&[&args[..], &[&text(file), prompt]].concat());
    run.expect(0, &["lines are recorded in", "record scrub"]);
}

fn rows(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("the recording");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn plays(file: &Path) {
    let out = Command::new(PLAY).args(["--provider", "claude-code", "--quiet"]).arg(file).output().expect("play");
    let verdict = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{verdict}\n{}", String::from_utf8_lossy(&out.stderr));
    assert!(verdict.starts_with("PASS"), "{verdict}");
}

#[test]
fn a_recorded_run_is_scrubbed_and_plays() {
    let door = Door::new(JACKFIELD);
    let (raw, clean) = (door.data().join("raw.jsonl"), door.data().join("clean.jsonl"));
    recorded(&door, "claude-code-2.1.332/tool_approval_allow.jsonl", "Run it <<script:bash>>", &raw);
    assert_eq!(std::fs::metadata(&raw).expect("it").permissions().mode() & 0o777, 0o600);
    let lines = rows(&raw);
    let dirs: Vec<&str> = lines.iter().filter_map(|row| row["dir"].as_str()).collect();
    assert_eq!((dirs.first(), dirs.last()), (Some(&"spawn"), Some(&"exit")));
    assert!(dirs.contains(&"in") && dirs.contains(&"out") && dirs.contains(&"in_eof"), "{dirs:?}");
    let whole = std::fs::read_to_string(&raw).expect("the recording");
    assert!(!whole.contains(SECRET), "a secret is in the recording");
    assert!(whole.contains("[ANTHROPIC_API_KEY]"), "it does not say that a secret was there");
    plays(&raw);

    let work = text(&door.work().canonicalize().expect("the workspace"));
    assert!(whole.contains(&work), "the recording names the workspace, else nothing is shown");
    let scrubbed = door.run(&["record", "scrub", &text(&raw), "-o", &text(&clean)]);
    scrubbed.expect(0, &["workspace", "home", "nothing in it looks personal"]);
    let clean_text = std::fs::read_to_string(&clean).expect("the fixture");
    for gone in [&work, &text(&door.data()), SECRET] {
        assert!(!clean_text.contains(gone), "{gone} is in the fixture");
    }
    assert!(clean_text.contains("/workspace/project"));
    assert_eq!(rows(&clean).len(), lines.len());
    plays(&clean);
    door.run(&["record", "scrub", &text(&clean), "--check"]).expect(0, &["nothing in it looks personal"]);
}

#[test]
fn the_demonstration_has_no_wire_and_that_is_said() {
    let door = Door::new(JACKFIELD);
    let file = door.data().join("none.jsonl");
    door.run(&["run", "hello", "--record", &text(&file)]).expect(0, &["nothing crossed a wire"]);
    assert_eq!(std::fs::metadata(&file).expect("it").len(), 0);
    door.run(&["record", "scrub", &text(&file)]).expect(2, &["it is empty"]);
}

#[test]
fn nothing_is_written_over() {
    let door = Door::new(JACKFIELD);
    let file = door.data().join("there.jsonl");
    std::fs::write(&file, "mine").expect("a file");
    door.run(&["run", "hello", "--record", &text(&file)]).expect(2, &["is there already", "name another file"]);
    assert_eq!(std::fs::read_to_string(&file).expect("it"), "mine");
    let raw = door.data().join("raw.jsonl");
    std::fs::write(&raw, "{\"t\":1,\"dir\":\"out\",\"proc\":0,\"line\":\"{}\"}\n").expect("a file");
    door.run(&["record", "scrub", &text(&raw), "-o", &text(&file)]).expect(2, &["is there already", "-o"]);
    assert_eq!(std::fs::read_to_string(&file).expect("it"), "mine");
    door.run(&["run", "hello", "--record", "/nowhere/at/all"]).expect(2, &["--record", "can't be made"]);
    std::fs::write(&raw, "no line\n").expect("a file");
    door.run(&["record", "scrub", &text(&raw)]).expect(2, &["line 1 is no line of a recording"]);
    door.run(&["record", "scrub", &text(&door.data().join("gone"))]).expect(2, &["can't be read"]);
}

/// Everything personal that a line can hold is replaced by the same word everywhere, and what can't be known is said.
#[test]
fn what_is_personal_is_replaced_and_ids_stay() {
    let door = Door::new(JACKFIELD);
    let (raw, clean) = (door.data().join("raw.jsonl"), door.data().join("clean.jsonl"));
    let token = ["sk-", "ant-REDACTED"].concat();
    let spawn = serde_json::json!({
        "argv": ["/home/ann.example/bin/claude", "-p"],
        "env": {"HOME": "/home/ann.example", "USER": "annexample", "HOSTNAME": "anns-laptop", "SOME_TOKEN": "hidden-value-1"},
        "cwd": "/home/ann.example/src/thing",
    });
    let said = serde_json::json!({
        "cwd": "/home/ann.example/src/thing", "email": "ann@firm.test", "organization": "Anns Firm", "id": "toolu_1",
        "text": format!("annexample on anns-laptop: ann@firm.test {token} /tmp/x1 /home/bob -home-ann-example-src-thing-x hidden-value-1"),
    });
    let row = |dir: &str, line: &Value| serde_json::json!({"t": 1, "dir": dir, "proc": 0, "line": line.to_string()});
    let rows_in = [row("spawn", &spawn), row("out", &said), row("out", &said)];
    std::fs::write(&raw, rows_in.iter().map(|row| format!("{row}\n")).collect::<String>()).expect("a file");
    door.run(&["record", "scrub", &text(&raw), "--check"]).expect(1, &["e-mail", "token", "path"]);
    let counted = ["e-mail", "token", "path", "workspace", "home", "user", "host", "account", "secret"];
    door.run(&["record", "scrub", &text(&raw), "-o", &text(&clean)]).expect(0, &counted);
    let whole = std::fs::read_to_string(&clean).expect("the fixture");
    for gone in
        ["ann.example", "annexample", "anns-laptop", "firm.test", "Anns Firm", &token, "/tmp/x1", "bob", "hidden-value"]
    {
        assert!(!whole.contains(gone), "{gone} is in {whole}");
    }
    let rows = rows(&clean);
    assert_eq!(rows[1]["line"], rows[2]["line"], "the same thing has the same word");
    let said: Value = serde_json::from_str(rows[1]["line"].as_str().expect("a line")).expect("JSON");
    assert_eq!(said["id"], "toolu_1");
    assert_eq!(said["cwd"], "/workspace/project");
    assert!(said["text"].as_str().is_some_and(|text| text.contains("-workspace-project-x")), "{said}");
}
