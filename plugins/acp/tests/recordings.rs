//! Recorded conversations with the real agents, and what a person would see of them: `tests/expected/<agent>/<recording>.txt`.
//!
//! `UPDATE=1 cargo test -p jackfield-plugin-acp` writes the expectations anew; read the difference before you keep it.

mod support;

use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::recording::expect;
use std::path::Path;
use support::{each, project};

#[test]
fn recorded_conversations_read_as_expected() {
    let mut shown = vec![];
    each(|agent, name, played| shown.push((format!("{agent}/{name}"), project(&played.outputs))));
    expect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected"), shown);
}

#[test]
fn every_line_has_outputs_or_one_disposition_and_none_is_unknown() {
    each(|agent, name, played| {
        for heard in played.heard {
            let accounted = heard.said() || heard.dispositions().count() == 1;
            assert!(accounted, "{agent}/{name}: {:?} for {}", heard.outputs, heard.line);
            let unknown = heard.unknown();
            // A recorded client that never opened what it asks for; answers of lines that are no commands.
            assert!(unknown.is_none() || name == "invalid_input", "{agent}/{name}: {unknown:?}: {}", heard.line);
        }
    });
}

#[test]
fn every_message_that_was_taken_has_one_end() {
    each(|agent, name, played| {
        let count = |wanted: fn(&Output) -> bool| played.outputs.iter().filter(|output| wanted(output)).count();
        let taken = count(|output| matches!(output, Output::Done(OpResult { outcome: Ok(OpValue::Delivered(_)), .. })));
        let ended = count(|output| matches!(output, Output::Event(Event { body: EventBody::TurnEnded(_), .. })));
        assert_eq!(taken, ended, "{agent}/{name}");
    });
}

/// What the plugin answers to a request is what the recorded client answered, so it is what the agent was seen to accept.
#[test]
fn answers_are_those_that_the_agents_accepted() {
    let mut compared = 0;
    each(|_, name, played| {
        for (theirs, ours) in played.answers {
            assert_eq!(theirs["id"], ours["id"], "{name}");
            if theirs["error"].is_null() && ours["method"].is_null() {
                assert_eq!(theirs["result"], ours["result"], "{name}");
                compared += 1;
            }
        }
    });
    assert!(compared >= 40, "only {compared} answers were compared");
}

/// Every request of the agent's gets exactly one answer, whatever its method.
#[test]
fn every_request_of_the_agent_is_answered_once() {
    each(|agent, name, played| {
        for heard in &played.heard {
            let Ok(call) = serde_json::from_str::<serde_json::Value>(&heard.line) else { continue };
            if call["method"].is_null() || call["id"].is_null() || call["method"] == "session/request_permission" {
                continue;
            }
            let answers = heard.outputs.iter().filter(|output| match output {
                Output::Effect(Effect { body: EffectBody::Write(write), .. }) => {
                    let FrameData::Text(text) = &write.data else { return false };
                    let answer: serde_json::Value = serde_json::from_str(text).unwrap();
                    answer["id"] == call["id"] && answer["error"]["code"] == -32601
                }
                _ => false,
            });
            assert_eq!(answers.count(), 1, "{agent}/{name}: {}", heard.line);
        }
    });
}
