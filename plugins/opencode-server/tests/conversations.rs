//! Recorded conversations with the real server, and what a person would see of them: `tests/expected/<recording>.txt`.
//!
//! `UPDATE=1 cargo test -p jackfield-plugin-opencode-server` writes the expectations anew; read the difference before you keep it.

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

#[test]
fn every_event_has_outputs_or_one_disposition_and_none_is_unknown() {
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

/// What reaches the server is what the recorded client sent and the server took.
#[test]
fn what_is_asked_is_what_the_server_took() {
    let mut compared = 0;
    for name in names() {
        for (theirs, ours) in play(&name).asked {
            assert_eq!(theirs, ours, "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 20, "only {compared} were compared");
}
