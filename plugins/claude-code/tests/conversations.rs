//! Recorded conversations with the real program, and what a person would see of them: `tests/expected/<recording>.txt`.
//!
//! `UPDATE=1 cargo test -p jackfield-plugin-claude-code` writes the expectations anew; read the difference before you keep it.

mod support;

use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::project;
use jackfield_sdk::testing::recording::{events, expect};
use std::path::Path;
use support::{names, play};

/// Every recording has an expectation, reviewed by a person.
#[test]
fn recorded_conversations_read_as_expected() {
    let shown = names().into_iter().map(|name| (name.clone(), project(&play(&name).outputs)));
    expect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected"), shown);
}

/// Frames that no one understands are told by their kind; these are all there are.
const KNOWN_UNKNOWN: &[&str] = &[];

#[test]
fn every_line_has_outputs_or_one_disposition_and_none_is_unknown() {
    for name in names() {
        for heard in play(&name).heard {
            let accounted = heard.said() || heard.dispositions().count() == 1;
            assert!(accounted, "{name}: {:?} for {}", heard.outputs, heard.line);
            let unknown = heard.unknown().filter(|kind| !KNOWN_UNKNOWN.contains(kind));
            assert_eq!(unknown, None, "{name}: {}", heard.line);
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
            let (theirs, ours) = (&theirs["response"], &ours["response"]);
            assert_eq!(theirs["request_id"], ours["request_id"], "{name}");
            let mut expected = theirs["response"].clone();
            if let Some(bundle) = expected.get_mut("updatedPermissions") {
                // The recorded client echoed the whole bundle; here one suggestion is picked.
                let first = bundle[0].clone();
                *bundle = serde_json::Value::Array(vec![first]);
            }
            assert_eq!(expected, ours["response"], "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 10, "only {compared} answers were compared");
}

#[test]
fn the_program_is_started_with_typed_holes_only() {
    let holes = &play("resume_after_restart").holes;
    let names = |at: usize| holes[at].iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    assert_eq!(names(0), ["model", "session"]);
    assert_eq!(names(1), ["model", "resume"]);
    assert_eq!(names(3), ["model", "resume", "copy"]);
    let back = &play("2.1.197_resume_session_at").holes;
    let names = |at: usize| back[at].iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    assert_eq!((names(1), names(2)), (vec!["model", "resume", "at", "copy"], vec!["model", "resume", "at"]));
    assert_eq!(play("plan_mode_exit").holes[0][1], ("mode".to_owned(), "plan".to_owned()));
}

/// The mark that a turn ends with is the point at which the recorded client went back, and copied.
#[test]
fn the_marks_are_those_at_which_a_client_went_back() {
    let played = play("2.1.197_resume_session_at");
    let at = played.holes[1].iter().find(|(name, _)| name == "at").map(|(_, value)| value.clone());
    let first = played.outputs.iter().find_map(|output| match output {
        Output::Event(Event { body: EventBody::TurnEnded(end), .. }) => Some(end.mark.clone()),
        _ => None,
    });
    assert_eq!(first, Some(at));
    for name in names() {
        for output in play(&name).outputs {
            let Output::Event(Event { body: EventBody::TurnEnded(end), .. }) = output else { continue };
            let died = end.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Network);
            assert!(end.mark.is_some() || died, "{name}: a turn without a mark: {end:?}");
        }
    }
}
