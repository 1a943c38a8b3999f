//! Recorded conversations with the real program, and what a person would see of them: `tests/expected/<recording>.txt`.
//!
//! `UPDATE=1 cargo test -p jackfield-plugin-pi` writes the expectations anew; read the difference before you keep it.

mod support;

use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::project;
use jackfield_sdk::testing::recording::{events, expect};
use std::path::Path;
use support::{SESSION, names, play};

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
            let accounted = heard.said() != (heard.dispositions().count() == 1);
            assert!(accounted, "{name}: {:?} for {}", heard.outputs, heard.line);
            assert_eq!(heard.unknown(), None, "{name}");
        }
    }
}

#[test]
fn every_turn_that_began_ended_once_and_can_be_gone_back_to() {
    for name in names() {
        let played = play(&name);
        let began = events(&played.outputs).filter(|body| matches!(body, EventBody::TurnStarted(_))).count();
        let ends = events(&played.outputs)
            .filter_map(|body| if let EventBody::TurnEnded(end) = body { Some(end) } else { None });
        let ends: Vec<_> = ends.collect();
        assert_eq!(began, ends.len(), "{name}");
        assert!(ends.iter().all(|end| end.mark.is_some()), "{name}: {ends:?}");
    }
}

/// The words that reach the program are those of the recorded client, in commands that it was seen to take.
#[test]
fn what_is_written_is_what_the_program_accepted() {
    let mut compared = 0;
    for name in names() {
        for (theirs, ours) in play(&name).written {
            assert_eq!(theirs["message"], ours["message"], "{name}");
            let same = theirs["type"] == ours["type"]
                // A message into an open turn: by a command that opens a turn, should that one be over.
                || (ours["type"] == "prompt" && ours["streamingBehavior"] == "steer")
                || (theirs["type"] == "follow_up" && ours["type"] == "steer");
            assert!(same, "{name}: {theirs} {ours}");
            compared += 1;
        }
    }
    assert!(compared >= 25, "only {compared} lines were compared");
}

#[test]
fn the_program_is_started_with_typed_holes_only() {
    let holes = play("resume_fork_clone").holes;
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let model = [pair("provider", "mock"), pair("model", "mock-model")];
    assert_eq!(holes[0], model);
    assert_eq!(holes[1], [model.to_vec(), vec![pair("session", SESSION)]].concat());
}

/// Ids of calls are weak: a call that is told to begin twice is two.
#[test]
fn a_call_begins_once() {
    for name in names() {
        let mut begun = std::collections::BTreeSet::new();
        for output in play(&name).outputs {
            let Output::Event(Event { body: EventBody::Items(items), .. }) = output else { continue };
            for item in items.into_iter().filter(|item| matches!(item.body, ItemBody::Tool(_))) {
                let twice = matches!(item.status, Status::Pending | Status::Running)
                    && !begun.insert((item.id.clone(), item.status as u8));
                assert!(!twice, "{name}: {item:?}");
            }
        }
    }
}
