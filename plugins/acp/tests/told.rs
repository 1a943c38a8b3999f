//! What two agents tell in a way of their own, as driving the real ones has shown: a history that goes on after its answer, a usage
//! that is a sum, and a failure that looks like a good end.

mod support;

use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::{with_data, word};
use serde_json::{Value, json};
use support::{Live, data, project};

fn chunk(kind: &str, words: &str) -> Value {
    json!({"sessionUpdate": kind, "content": {"type": "text", "text": words}})
}

fn replayed(outputs: &[Output]) -> bool {
    let mut events =
        outputs.iter().filter_map(|output| if let Output::Event(event) = output { Some(event) } else { None });
    events.all(|event| event.scope.as_ref().is_some_and(|scope| scope.replayed))
}

#[test]
fn a_history_that_goes_on_after_the_answer_is_over_when_the_agent_is_silent() {
    with_data(&data("gemini"), || {
        let mut live = Live::started(json!({"loadSession": true}));
        live.harness.open(Some("s"), &[]);
        assert!(replayed(&live.update(chunk("user_message_chunk", "a"))));
        live.answer(json!({}));
        for _ in 0..3 {
            // Each time before it has been silent for long enough.
            assert!(project(&live.harness.advance(400.0)).is_empty());
            assert!(replayed(&live.update(chunk("agent_message_chunk", "b"))));
        }
        let opened = project(&live.harness.advance(1_000.0));
        assert!(opened.contains("thread with a cursor"), "{opened}");
        live.harness.say("hi");
        assert!(project(&live.update(chunk("agent_message_chunk", "d"))).starts_with("+Assistant -: d"));
    });
}

/// The counts of the turn's usage, and how the turn ended.
fn told(outputs: &[Output]) -> (Vec<f64>, String) {
    let (mut counts, mut end) = (vec![], String::new());
    for output in outputs {
        let Output::Event(event) = output else { continue };
        match &event.body {
            EventBody::Usage(usage) => counts = usage.counts.iter().map(|(_, count)| *count).collect(),
            EventBody::TurnEnded(ended) => {
                end = format!("{} {:?}", word(&ended.status), ended.fault.as_ref().map(|fault| word(&fault.kind)))
            }
            _ => {}
        }
    }
    (counts, end)
}

#[test]
fn a_usage_that_is_a_sum_is_told_by_turn_and_a_failure_adds_nothing_to_it() {
    with_data(&data("copilot"), || {
        let mut live = Live::ready(json!({}));
        let mut turn = |words: &str, usage: Value| {
            live.harness.say("hi");
            live.update(chunk("agent_message_chunk", words));
            told(&live.answer(json!({"stopReason": "end_turn", "usage": usage})))
        };
        let sum = |input: u32, output: u32| json!({"inputTokens": input, "outputTokens": output});
        let error = "Error: Authentication failed with provider";
        assert_eq!(turn("Hello", sum(100, 20)), (vec![100.0, 20.0], "Completed None".into()));
        assert_eq!(turn(error, sum(100, 20)), (vec![], r#"Failed Some("Auth")"#.into()));
        assert_eq!(turn("Hello", sum(300, 60)), (vec![200.0, 40.0], "Completed None".into()));
        // The model itself says so.
        assert_eq!(turn(error, sum(400, 80)), (vec![100.0, 20.0], "Completed None".into()));
        assert_eq!(turn(error, Value::Null), (vec![], r#"Failed Some("Auth")"#.into()));
    });
}
