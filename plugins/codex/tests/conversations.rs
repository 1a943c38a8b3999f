//! Recorded conversations with the real program, and what a person would see of them: `tests/expected/<recording>.txt`.
//!
//! `UPDATE=1 cargo test -p jackfield-plugin-codex` writes the expectations anew; read the difference before you keep it.

mod support;

use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::project;
use jackfield_sdk::testing::recording::{Heard, events, expect};
use serde_json::Value;
use std::path::Path;
use support::{names, play};

/// Every recording has an expectation, reviewed by a person.
#[test]
fn recorded_conversations_read_as_expected() {
    let shown = names().into_iter().map(|name| (name.clone(), project(&play(&name).outputs)));
    expect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected"), shown);
}

#[test]
fn every_line_has_outputs_or_one_disposition_and_none_is_unknown() {
    for name in names() {
        for heard in play(&name).heard {
            let accounted = heard.said() || heard.dispositions().count() == 1;
            assert!(accounted, "{name}: {:?} for {}", heard.outputs, heard.line);
            assert_eq!(heard.unknown(), None, "{name}: {}", heard.line);
        }
    }
}

#[test]
fn what_is_told_twice_is_told_once() {
    for name in names() {
        for Heard { line, outputs } in play(&name).twice {
            let once = matches!(outputs.as_slice(), [Output::Disposition(Disposition::Duplicate)]);
            assert!(once, "{name}: {outputs:?} for {line}");
        }
    }
}

#[test]
fn every_turn_that_began_ended_once() {
    for name in names() {
        let outputs = play(&name).outputs;
        let began = events(&outputs).filter(|body| matches!(body, EventBody::TurnStarted(_))).count();
        let ended = events(&outputs).filter(|body| matches!(body, EventBody::TurnEnded(_))).count();
        assert_eq!(began, ended, "{name}");
    }
}

/// What the plugin answers to a request is what the recorded client answered, so it is what the program was seen to accept.
#[test]
fn answers_are_those_that_the_program_accepted() {
    let mut compared = 0;
    for name in names() {
        for (theirs, ours) in play(&name).answers {
            assert_eq!(theirs, ours, "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 10, "only {compared} answers were compared");
}

/// What the plugin asks is what the program was seen to take: the same method, and each member that the recorded client gave.
#[test]
fn calls_are_those_that_the_program_took() {
    let mut compared = 0;
    for name in names() {
        for (theirs, ours) in play(&name).calls {
            let method = theirs["method"].as_str().unwrap();
            // A second message into an open turn is steered here; a method of another version is not tried.
            let refused = ["thread/rollback", "initialize", "initialized"].contains(&method);
            if refused || theirs["params"].get("beforeTurnId").is_none() && method == "thread/revert" {
                continue;
            }
            assert_eq!(ours["method"], theirs["method"], "{name}");
            for (member, value) in theirs["params"].as_object().into_iter().flatten() {
                let invented = member == "cwd" || member == "expectedTurnId";
                assert!(invented || same(&ours["params"][member], value), "{name}: {member} of {theirs} in {ours}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 90, "only {compared} calls were compared");
}

/// The recorded client wrote nulls, too, and named a model of its own.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => theirs
            .iter()
            .filter(|(name, value)| !value.is_null() && *name != "model")
            .all(|(name, value)| ours.get(name).is_some_and(|mine| same(mine, value))),
        _ => ours == theirs,
    }
}
