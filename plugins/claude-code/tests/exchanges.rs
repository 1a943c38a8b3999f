//! Requests and commands whose answers the recordings do not show: what fits, what does not, and when an answer counts.

#[path = "support/live.rs"]
mod live;

use jackfield_plugin_claude_code::ClaudeCode;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::Harness;
use live::{UUID, answers, ask, event, frame, init, last_written, ready};
use serde_json::json;

#[test]
fn an_answer_counts_when_it_is_written_and_a_failed_one_leaves_the_request_open() {
    let mut harness = Harness::<ClaudeCode>::manual();
    harness.start("{}");
    harness.open(None, &[]);
    harness.effect_done(1, Ok(EffectValue::Opened));
    let reply = json!({"type": "control_response", "response": {"subtype": "success", "request_id": "jackfield-1", "response": {}}});
    harness.frame(1, &reply.to_string());
    harness.frame(1, &ask("r1", "Bash", json!({"command": "ls"})).to_string());
    assert_eq!(answers(&harness.choose("r1", "allow")), [] as [&str; 0]);
    assert_eq!(answers(&harness.choose("r1", "reject")), ["4 Conflict"]);
    assert_eq!(answers(&harness.effect_done(3, Err(Fault::new(FaultKind::Denied, "guard")))), ["3 Denied"]);
    assert_eq!(answers(&harness.choose("r1", "reject")), [] as [&str; 0]);
    assert_eq!(answers(&harness.effect_done(4, Ok(EffectValue::Written))), ["5 Accepted"]);
    assert_eq!(answers(&harness.choose("r1", "allow")), ["6 NotFound"]);
}

#[test]
fn the_input_goes_back_unchanged_unless_it_was_edited_and_rules_change_only_when_picked() {
    let input = json!({"z": 1.5, "command": "ls", "a": {"deep": [null, "é"]}});
    let answer = |option: &str, edited: Option<&str>| {
        let mut harness = ready();
        frame(&mut harness, ask("r1", "Bash", input.clone()));
        let chosen = Chosen { option_id: option.into(), note: None, input: edited.map(str::to_owned) };
        let outputs =
            harness.command(CommandBody::Respond(Answer { request: "r1".into(), reply: Reply::Chosen(chosen) }));
        (answers(&outputs).join(","), last_written(&harness)["response"]["response"].clone())
    };
    assert_eq!(answer("allow", None).1, json!({"behavior": "allow", "updatedInput": input}));
    assert_eq!(answer("allow", Some(r#"{"command":"pwd"}"#)).1["updatedInput"], json!({"command": "pwd"}));
    assert_eq!(answer("allow", Some("pwd")).0, "3 Invalid");
    let permissions = &answer("suggestion-0", None).1["updatedPermissions"];
    assert_eq!(permissions, &json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]));
    for unknown in ["suggestion-1", "suggestion-", "allow-session", "yes", ""] {
        assert_eq!(answer(unknown, None).0, "3 Invalid", "{unknown}");
    }
}

#[test]
fn nobody_deciding_is_a_refusal_for_tools_and_for_questions() {
    for (tool, input) in
        [("Bash", json!({})), ("AskUserQuestion", json!({"questions": [{"question": "Which?", "options": []}]}))]
    {
        let mut harness = ready();
        frame(&mut harness, ask("r1", tool, input));
        harness.command(CommandBody::Respond(Answer { request: "r1".into(), reply: Reply::Dismissed }));
        assert_eq!(last_written(&harness)["response"]["response"]["behavior"], "deny", "{tool}");
    }
}

#[test]
fn a_question_and_an_approval_do_not_take_each_others_answers() {
    let mut harness = ready();
    frame(&mut harness, ask("r1", "AskUserQuestion", json!({"questions": [{"question": "Which?"}]})));
    assert_eq!(answers(&harness.choose("r1", "allow")), ["3 Invalid"]);
    let filled = |question: &str| {
        Reply::Filled(vec![Filled { question: question.into(), values: vec!["A".into(), "B".into()] }])
    };
    let respond = |question: &str| CommandBody::Respond(Answer { request: "r1".into(), reply: filled(question) });
    assert_eq!(answers(&harness.command(respond("question-7"))), ["4 Invalid"]);
    assert_eq!(answers(&harness.command(respond("question-0"))), ["5 Accepted"]);
    assert_eq!(last_written(&harness)["response"]["response"]["updatedInput"]["answers"], json!({"Which?": "A, B"}));
}

#[test]
fn a_request_of_another_kind_is_refused_at_once() {
    let mut harness = ready();
    frame(
        &mut harness,
        json!({"type": "control_request", "request_id": "x", "request": {"subtype": "elicitation", "message": "?"}}),
    );
    let written = last_written(&harness);
    assert_eq!(written["response"]["subtype"], "error");
    assert_eq!(written["response"]["request_id"], "x");
}

#[test]
fn where_the_program_names_messages_a_steer_is_told_when_it_is_known() {
    let mut harness = ready();
    harness.say("one");
    let lifecycle =
        |uuid: &str, state: &str| json!({"type": "command_lifecycle", "command_uuid": uuid, "state": state});
    frame(&mut harness, lifecycle(UUID, "started"));
    frame(&mut harness, init());
    let steer = |uuid: &str| CommandBody::SteerRun(Message { uuid: uuid.into(), ..Message::of_text("more") });
    assert_eq!(answers(&harness.command(steer("a"))), [] as [&str; 0]);
    assert_eq!(answers(&frame(&mut harness, lifecycle("a", "queued"))), [] as [&str; 0]);
    assert_eq!(answers(&frame(&mut harness, lifecycle("a", "started"))), ["4 JoinedTurn"]);
    // Another one comes too late for the turn and opens the next.
    harness.command(steer("b"));
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "queued_turn_count": 1});
    assert_eq!(answers(&frame(&mut harness, result.clone())), ["5 Queued"]);
    let outputs = frame(&mut harness, lifecycle("b", "started"));
    let started = event(&outputs, |body| matches!(body, EventBody::TurnStarted(_)));
    assert!(matches!(started, Some(EventBody::TurnStarted(TurnStart { op: Some(5), .. }))), "{outputs:?}");
    // A third is dropped by the program while it waits.
    harness.command(steer("c"));
    assert_eq!(answers(&frame(&mut harness, lifecycle("c", "cancelled"))), ["6 Stale"]);
    frame(&mut harness, result);
    assert_eq!(answers(&harness.command(steer("d"))), ["7 Conflict"], "nothing is open");
}

#[test]
fn an_interrupt_names_the_messages_that_still_wait() {
    let mut harness = ready();
    harness.say("one");
    frame(&mut harness, init());
    harness.command(CommandBody::SteerRun(Message { uuid: "later".into(), ..Message::of_text("two") }));
    assert_eq!(answers(&harness.interrupt()), [] as [&str; 0]);
    let outputs = frame(
        &mut harness,
        json!({"type": "control_response", "response":
        {"subtype": "success", "request_id": "jackfield-2", "response": {"still_queued": [{"uuid": "later"}]}}}),
    );
    assert!(
        matches!(&outputs[0], Output::Done(OpResult { op: 5, outcome: Ok(OpValue::Interrupted(ops)) }) if ops == &[4]),
        "{outputs:?}"
    );
    assert!(
        event(&outputs, |body| matches!(body, EventBody::TurnEnded(_))).is_none(),
        "an acknowledgement ends nothing"
    );
}

#[test]
fn one_bad_choice_of_several_sends_nothing() {
    let mut harness = ready();
    let before = harness.written.len();
    let pairs = vec![("model".to_owned(), "opus".to_owned()), ("mode".to_owned(), "bypassPermissions".to_owned())];
    assert_eq!(answers(&harness.command(CommandBody::SetSelection(pairs))), ["3 Invalid"]);
    assert_eq!(harness.written.len(), before);
    let pairs = vec![("model".to_owned(), "opus".to_owned()), ("mode".to_owned(), "plan".to_owned())];
    assert_eq!(answers(&harness.command(CommandBody::SetSelection(pairs))), [] as [&str; 0]);
    let answer = |id: u32| json!({"type": "control_response", "response": {"subtype": "success", "request_id": format!("jackfield-{id}"), "response": {}}});
    assert_eq!(answers(&frame(&mut harness, answer(2))), [] as [&str; 0]);
    assert_eq!(answers(&frame(&mut harness, answer(3))), ["4 Applied"]);
}
