//! Ends that are none, messages that race with an end, interrupts before anything runs: what the recordings show by halves.

mod support;

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};
use support::{Live, shown, user};

fn retry() -> Value {
    json!({"type": "auto_retry_start", "attempt": 1, "maxAttempts": 3, "delayMs": 2000, "errorMessage": "500 mock failure"})
}

/// A turn whose model failed; the program has been asked whether that is the end.
fn failed() -> Live {
    let mut live = Live::ready();
    live.harness.say("one");
    live.begins("one");
    let outputs = live.ends("error", Some("500 mock failure"));
    assert!(!shown(&outputs).iter().any(|line| line.starts_with("turn ended")), "{outputs:?}");
    assert_eq!(live.last()["type"], "get_state");
    live
}

#[test]
fn a_failure_is_the_end_when_nothing_goes_on() {
    let mut live = failed();
    let ended = "turn ended Failed error @1 Overloaded (500, retryable): 500 mock failure";
    assert_eq!(shown(&live.answer_all()), [ended]);
    // Once is enough.
    let again = live.frame(json!({"type": "agent_end", "messages": []}));
    assert_eq!(again, [Output::Disposition(Disposition::Duplicate)]);
}

#[test]
fn a_retry_takes_the_end_back_and_its_own_end_counts() {
    let mut live = failed();
    assert_eq!(shown(&live.frame(retry())), ["retrying 1 of Some(3): Overloaded"]);
    assert_eq!(shown(&live.answer_all()), [] as [&str; 0], "the answer came behind the retry");
    assert_eq!(
        live.frame(json!({"type": "agent_start"})),
        [Output::Disposition(Disposition::Silent("agent_start".into()))]
    );
    let outputs = live.ends("stop", None);
    assert_eq!(shown(&outputs).last().unwrap(), "turn ended Completed stop @1");
}

#[test]
fn a_program_that_gives_up_says_so_itself() {
    let mut live = failed();
    live.frame(json!({"type": "auto_retry_end", "success": false, "attempt": 3, "finalError": "500 mock failure"}));
    assert_eq!(shown(&live.answer_all()), [] as [&str; 0], "it was told with the end of the retries");
    let mut live = failed();
    live.frame(retry());
    live.answer_all();
    let outputs =
        live.frame(json!({"type": "auto_retry_end", "success": false, "attempt": 1, "finalError": "529 overloaded"}));
    assert_eq!(shown(&outputs), ["turn ended Failed - @1 Overloaded (529, retryable): 529 overloaded"]);
}

#[test]
fn an_interrupt_while_it_waits_to_try_again_ends_the_turn() {
    for told in [true, false] {
        let mut live = failed();
        live.frame(retry());
        live.answer_all();
        live.harness.interrupt();
        assert_eq!(live.last()["type"], "abort");
        let abort = live.last();
        let mut outputs = vec![];
        if told {
            outputs.extend(live.frame(
                json!({"type": "auto_retry_end", "success": false, "attempt": 1, "finalError": "Retry cancelled"}),
            ));
        }
        outputs.extend(live.frame(json!({"id": abort["id"], "type": "response", "command": "abort", "success": true})));
        let mut lines = shown(&outputs);
        lines.sort();
        assert_eq!(lines, ["done 4 Interrupted", "turn ended Interrupted - @1"], "{told}");
        // What comes next is a turn like any other.
        assert_eq!(shown(&live.turn("two")).last().unwrap(), "turn ended Completed stop @2");
    }
}

#[test]
fn a_compaction_for_want_of_room_goes_on_with_the_turn() {
    for prefix in ["", "auto_"] {
        let mut live = Live::ready();
        live.harness.say("one");
        live.begins("one");
        live.ends("error", Some("400 prompt is too long"));
        let begun = live.frame(json!({"type": format!("{prefix}compaction_start"), "reason": "overflow"}));
        assert_eq!(shown(&begun), ["context Compacting None→None"]);
        assert_eq!(shown(&live.answer_all()), [] as [&str; 0]);
        let result = json!({"summary": "short", "tokensBefore": 150_000});
        let done = live.frame(json!({"type": format!("{prefix}compaction_end"), "reason": "overflow", "result": result, "aborted": false, "willRetry": true}));
        assert_eq!(shown(&done), ["context Compacted Some(150000.0)→None"]);
        live.frame(json!({"type": "agent_start"}));
        assert_eq!(shown(&live.ends("stop", None)).last().unwrap(), "turn ended Completed stop @1");
    }
}

#[test]
fn a_compaction_that_fails_leaves_the_turn_failed() {
    let mut live = Live::ready();
    live.harness.say("one");
    live.begins("one");
    live.ends("error", Some("400 prompt is too long"));
    live.frame(json!({"type": "compaction_start", "reason": "overflow"}));
    live.answer_all();
    let done = live.frame(json!({"type": "compaction_end", "reason": "overflow", "result": null, "aborted": false, "willRetry": false, "errorMessage": "no"}));
    assert_eq!(
        shown(&done),
        ["context CompactFailed None→None", "turn ended Failed error @1 ContextWindow (400): 400 prompt is too long"]
    );
}

#[test]
fn a_message_that_came_behind_the_end_opens_the_next_turn() {
    let mut live = Live::ready();
    live.harness.say("one");
    live.begins("one");
    assert_eq!(shown(&live.harness.command(CommandBody::SteerRun(Message::of_text("two")))), [] as [&str; 0]);
    assert_eq!((&live.last()["type"], &live.last()["streamingBehavior"]), (&json!("prompt"), &json!("steer")));
    let steer = live.last();
    live.ends("stop", None);
    // It was idle already when it read it.
    live.frame(json!({"id": steer["id"], "type": "response", "command": "prompt", "success": true}));
    live.answer_all();
    let outputs = live.frame(json!({"type": "agent_start"}));
    assert_eq!(shown(&outputs), ["turn of 4"]);
    live.frame(user("two"));
    assert_eq!(shown(&live.ends("stop", None)).last().unwrap(), "turn ended Completed stop @2");
}

#[test]
fn a_message_that_was_left_in_the_programs_queue_is_stale() {
    let mut live = Live::ready();
    live.harness.say("one");
    live.begins("one");
    live.harness.command(CommandBody::SteerRun(Message::of_text("two")));
    live.reply(Value::Null);
    live.harness.interrupt();
    let abort = live.last();
    live.ends("aborted", Some("Request was aborted"));
    live.frame(json!({"id": abort["id"], "type": "response", "command": "abort", "success": true}));
    live.state["pendingMessageCount"] = json!(1);
    assert_eq!(shown(&live.answer_all()), ["done 4 Stale"]);
    // When it goes along with the next one, it is shown as what it is: not a word of that turn's.
    live.harness.say("three");
    live.begins("three");
    assert_eq!(shown(&live.frame(user("two"))), ["Completed ~ user typed=false \"two\""]);
}

#[test]
fn an_interrupt_before_anything_runs_is_told_when_something_does() {
    let mut live = Live::ready();
    live.harness.say("one");
    assert_eq!(shown(&live.harness.interrupt()), [] as [&str; 0]);
    assert_eq!(live.last()["type"], "prompt", "the program would hear it and begin all the same");
    live.reply(Value::Null);
    live.frame(json!({"type": "agent_start"}));
    assert_eq!(live.last()["type"], "abort");
    let mut outputs = live.reply(Value::Null);
    outputs.extend(live.ends("aborted", None));
    assert!(shown(&outputs).contains(&"done 4 Interrupted".to_owned()), "{outputs:?}");
    // And when nothing ever does, there was no turn to stop.
    live.harness.say("two");
    live.harness.interrupt();
    let asked = live.harness.written.iter().rev().map(|(_, text)| serde_json::from_str::<Value>(text).unwrap());
    let prompt = asked.into_iter().find(|line| line["type"] == "prompt").unwrap();
    let outputs = live.frame(json!({"id": prompt["id"], "type": "response", "command": "prompt", "success": false, "error": "No API key found for mock."}));
    assert_eq!(
        shown(&outputs),
        [
            "done 5 fault Auth: pi refused `prompt`: No API key found for mock.",
            "done 6 fault Conflict: The turn did not begin."
        ]
    );
}

#[test]
fn an_interrupt_when_idle_and_a_second_one_are_conflicts() {
    let mut live = Live::ready();
    assert_eq!(shown(&live.harness.interrupt()), ["done 3 fault Conflict: No turn is open."]);
    live.harness.say("one");
    live.begins("one");
    live.harness.interrupt();
    assert_eq!(shown(&live.harness.interrupt()), ["done 6 fault Conflict: The turn is being stopped already."]);
}

#[test]
fn what_an_extension_begins_by_itself_is_a_turn_of_its_own() {
    let mut live = Live::ready();
    let outputs = live.frame(json!({"type": "agent_start"}));
    assert_eq!(shown(&outputs), ["turn by itself: extension"]);
    assert_eq!(shown(&live.frame(user("Look at the logs."))), ["Completed ~ user typed=false \"Look at the logs.\""]);
    assert_eq!(shown(&live.ends("stop", None)).last().unwrap(), "turn ended Completed stop @1");
}

#[test]
fn a_command_that_an_extension_carries_out_is_a_turn_without_words() {
    let mut live = Live::ready();
    live.harness.say("/stats");
    assert_eq!(shown(&live.reply(Value::Null)), ["done 3 OpenedTurn"]);
    assert_eq!(shown(&live.answer_all()), ["turn of 3", "turn ended Completed -"]);
    // Any other word with a slash is the model's.
    live.harness.say("/review it");
    live.reply(Value::Null);
    assert_eq!(shown(&live.answer_all()), [] as [&str; 0]);
}

#[test]
fn a_program_that_ends_takes_the_turn_along_and_can_be_resumed() {
    let mut live = Live::ready();
    live.turn("one");
    live.harness.say("two");
    live.begins("two");
    let channel = live.channel();
    let outputs = live.harness.closed(channel, Some(1), "it broke");
    let [ended, closed] = &shown(&outputs)[..] else { panic!("{outputs:?}") };
    assert!(ended.starts_with("turn ended Failed - Network (-, retryable)") && ended.contains("it broke"), "{ended}");
    assert_eq!(closed, "thread Closed resumable");
}

#[test]
fn a_program_that_does_not_know_a_command_answers_without_its_id() {
    let mut live = Live::ready();
    live.turn("one");
    live.harness.command(CommandBody::CompactThread(String::new()));
    let outputs = live.frame(
        json!({"type": "response", "command": "compact", "success": false, "error": "Unknown command: compact"}),
    );
    assert_eq!(shown(&outputs), ["done 4 fault Unsupported: pi refused `compact`: Unknown command: compact"]);
}
