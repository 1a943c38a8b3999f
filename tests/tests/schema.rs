//! The published schema is what the program reads and writes: the files, real output of many doors, and recorded plays.
//!
//! The judge is a validator that nobody here wrote.

use jackfield_tests::door::{Door, text};
use jackfield_tests::live::Live;
use jsonschema::Validator;
use serde_json::{Value, json};
use std::process::Command;

fn door() -> Door {
    Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"))
}

fn schema(name: &str) -> Value {
    let printed = door().run(&["schema", name]).expect(0, &[]);
    serde_json::from_str(&printed.stdout).expect("JSON")
}

fn validator(name: &str) -> Validator {
    let schema = schema(name);
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("{name} is no schema: {error}"));
    jsonschema::draft202012::new(&schema).expect("a schema")
}

#[track_caller]
fn holds(validator: &Validator, events: &[Value]) {
    assert!(!events.is_empty());
    for event in events {
        if let Err(error) = validator.validate(event) {
            panic!("{error}\nat {} in {event}", error.instance_path);
        }
    }
}

#[test]
fn the_files_are_what_the_program_prints() {
    for name in xtask::schema::NAMES {
        let printed = door().run(&["schema", name]).expect(0, &[]).stdout;
        let kept = std::fs::read_to_string(xtask::root().join(xtask::schema::path(name))).unwrap_or_default();
        assert!(printed == kept, "{} is not what the program prints: cargo xtask schema", xtask::schema::path(name));
    }
}

#[test]
fn what_the_doors_say_fits() {
    let events = validator("events");
    let door = door();
    let all = "reasoning plan tool subagent question long help";
    for (approve, words) in [("allow", all), ("deny", all), ("allow", "error")] {
        holds(&events, &door.run(&["run", "--json", "--approve", approve, words]).events());
    }
    let thread = door.run(&["run", "--json", "hello"]).expect(0, &[]).thread();
    holds(&events, &door.run(&["run", "--json", "--resume", &thread, "tool"]).events());
    holds(&events, &door.run(&["threads", "show", &thread, "--json"]).events());
    holds(&events, &door.run(&["run", "--json", "--provider", "claude-code", "hello"]).events());
    let dies = format!("claude={}", text(&door.script("dies", "echo dying >&2; exit 3")));
    holds(&events, &door.run(&["run", "--json", "--provider", "claude-code", "--exe", &dies, "hello"]).events());
    let noise =
        format!("claude={}", text(&door.script("noise", "echo a banner; echo '{\"type\":\"mystery\"}'; exit 0")));
    holds(&events, &door.run(&["run", "--json", "--provider", "claude-code", "--exe", &noise, "hello"]).events());
}

#[test]
fn words_on_input_fit_and_so_does_what_was_accepted() {
    let (events, input) = (validator("events"), validator("input"));
    let mut live = Live::start(door(), &[]);
    let say = |live: &mut Live, line: Value| {
        let fits = input.is_valid(&line);
        live.say(line.clone());
        let word = live.word();
        // What is valid may still be refused by the state of things, but never as `invalid-input`.
        assert_eq!(fits, word["code"] != "invalid-input" && word["code"] != "unknown-type", "{line}: {word}");
        word
    };
    for line in [
        json!({ "type": "nonsense" }),
        json!({}),
        json!({ "type": "message" }),
        json!({ "type": "message", "text": "a", "content": [] }),
        json!({ "type": "message", "text": "a", "more": 1 }),
        json!({ "type": "message", "text": 7 }),
        json!({ "type": "message", "id": 7, "text": "a" }),
        json!({ "type": "answer", "request": "req_1" }),
        json!({ "type": "answer", "request": "req_1", "option": "a", "dismiss": true }),
        json!({ "type": "answer", "request": "req_1", "answers": [], "note": "a" }),
        json!({ "type": "answer", "request": "req_1", "dismiss": false }),
        json!({ "type": "answer", "request": "req_1", "dismiss": true }),
        json!({ "type": "answer", "request": "req_1", "option": "a", "note": "b", "input": {} }),
        json!({ "type": "answer", "request": "req_1", "answers": [{ "question": "q", "values": ["v"] }] }),
        json!({ "type": "settings", "values": {} }),
        json!({ "type": "settings" }),
        json!({ "type": "interrupt", "id": "x" }),
        json!({ "type": "message", "text": "hello", "delivery": "sideways" }),
        json!({ "type": "queue" }),
        json!({ "type": "edit", "run": "run_00" }),
        json!({ "type": "withdraw", "run": "run_00" }),
        json!({ "type": "promote" }),
        json!({ "type": "reorder", "runs": [] }),
        json!({ "type": "interrupt", "now": true }),
        json!({ "type": "close", "when": "now" }),
        json!({ "type": "message", "content": [{ "type": "text", "value": "tool" }] }),
    ] {
        say(&mut live, line);
    }
    live.rewind();
    let asked = live.until_type("request.opened");
    let answer = json!({ "type": "answer", "request": asked["request"]["id"], "option": "allow" });
    assert!(input.is_valid(&answer));
    live.say(answer).until_type("run.ended");
    live.say(json!({ "type": "close" }));
    holds(&events, &live.ended().expect(0, &[]).well_formed().events());
}

#[test]
fn recorded_plays_fit() {
    let events = validator("events");
    let folder = xtask::root().join("tests/recordings/claude-code-2.1.332");
    let names = [
        "ask_user_question",
        "tool_approval_modified_input",
        "parallel_tools",
        "plan_mode_exit",
        "subagent",
        "todo",
        "thinking",
        "error_http_529_overloaded",
        "slash_compact_and_unknown",
        "file_edit_allow",
    ];
    let files = names.map(|name| {
        let file = folder.join(format!("{name}.jsonl"));
        if file.exists() {
            file
        } else {
            xtask::root().join(format!("tests/recordings/claude-code-2.1.197/{name}.jsonl"))
        }
    });
    // One program plays them all: it loads the plugin once.
    let out = Command::new(env!("CARGO_BIN_EXE_play")).args(["--provider", "claude-code"]).args(&files).output();
    let out = out.expect("play");
    let stdout = String::from_utf8(out.stdout).expect("UTF-8");
    let lines = stdout.lines().filter_map(|line| serde_json::from_str(line).ok());
    let played: Vec<Value> = lines.filter(Value::is_object).collect();
    assert!(played.len() > 100, "only {} events: {}", played.len(), String::from_utf8_lossy(&out.stderr));
    holds(&events, &played);
}

#[test]
fn a_wrong_event_does_not_fit() {
    let events = validator("events");
    let good = door().run(&["run", "--json", "hello"]).expect(0, &[]).of_type("run.ended")[0].clone();
    assert!(events.is_valid(&good));
    for (field, value) in
        [("status", json!("great")), ("seq", json!("one")), ("ledger", Value::Null), ("type", json!("run.over"))]
    {
        let mut bad = good.clone();
        bad[field] = value;
        assert!(!events.is_valid(&bad), "{bad}");
    }
    let mut bare = good.clone();
    bare.as_object_mut().unwrap().remove("status");
    assert!(!events.is_valid(&bare), "{bare}");
}
