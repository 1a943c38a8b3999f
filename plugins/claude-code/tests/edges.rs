//! What the recordings do not show: writes that fail, frames of another shape, a program that dies.

#[path = "support/live.rs"]
mod live;

use jackfield_plugin_claude_code::ClaudeCode;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::Harness;
use live::{UUID, answers, ask, event, frame, init, last_written, ready};
use serde_json::{Value, json};

#[test]
fn a_program_that_may_not_start_answers_the_command() {
    let mut harness = Harness::<ClaudeCode>::manual();
    harness.start("{}");
    harness.open(None, &[]);
    let channel = harness.spawned.last().map_or(1, |spawned| spawned.0);
    let outputs = harness.effect_done(channel, Err(Fault::new(FaultKind::Denied, "no grant")));
    assert_eq!(answers(&outputs), ["2 Denied"]);
    assert_eq!(answers(&harness.say("hi")), ["3 NotFound"]);
}

#[test]
fn a_program_that_dies_before_its_handshake_tells_its_last_words() {
    let mut harness = Harness::<ClaudeCode>::new();
    harness.start("{}");
    harness.open(None, &[]);
    let channel = harness.spawned[0].0;
    let outputs = harness.closed(channel, Some(1), "Invalid API key · Please run /login");
    let Output::Done(OpResult { op: 2, outcome: Err(fault) }) = &outputs[0] else { panic!("{outputs:?}") };
    assert_eq!(fault.kind, FaultKind::Auth);
    assert!(fault.message.contains("Please run /login") && !fault.retryable, "{fault:?}");
}

#[test]
fn options_and_choices_are_checked_before_anything_starts() {
    assert_eq!(answers(&Harness::<ClaudeCode>::new().start(r#"{"max_turns":"many"}"#)), ["1 Invalid"]);
    for selection in [("mode", "bypassPermissions"), ("effort", "high")] {
        let mut harness = Harness::<ClaudeCode>::new();
        harness.start("{}");
        assert_eq!(answers(&harness.open(None, &[selection])), ["2 Invalid"]);
        assert!(harness.spawned.is_empty());
    }
    let mut harness = Harness::<ClaudeCode>::new();
    harness.start(r#"{"max_turns":3}"#);
    // With one that is refused, those before it are not taken.
    assert_eq!(answers(&harness.open(None, &[("model", "sonnet"), ("effort", "high")])), ["2 Invalid"]);
    harness.open(Some(UUID), &[("mode", "plan")]);
    let holes: Vec<_> = harness.spawned[0].2.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(holes, ["mode=plan", "max-turns=3", &format!("resume={UUID}")]);
}

#[test]
fn a_message_of_one_text_stays_a_text_and_context_goes_before_it() {
    let mut harness = ready();
    harness.say("/compact");
    assert_eq!(last_written(&harness)["message"]["content"], "/compact");
    assert_eq!(last_written(&harness)["uuid"], UUID);

    let mut harness = ready();
    let mut message = Message::of_text("go on");
    message.context.push(ContextPart { role: ContextRole::Handoff, text: "so far".into() });
    harness.command(CommandBody::SendRun(message));
    assert_eq!(
        last_written(&harness)["message"]["content"],
        json!([{"type": "text", "text": "so far"}, {"type": "text", "text": "go on"}])
    );
}

#[test]
fn a_write_that_fails_fails_its_command() {
    let mut harness = Harness::<ClaudeCode>::manual();
    harness.start("{}");
    harness.open(None, &[]);
    // By hand: the spawn is effect 1, the handshake effect 2, the message effect 3.
    harness.effect_done(1, Ok(EffectValue::Opened));
    let reply = json!({"type": "control_response", "response": {"subtype": "success", "request_id": "jackfield-1", "response": {}}});
    harness.frame(1, &reply.to_string());
    assert_eq!(answers(&harness.say("hi")), [] as [&str; 0]);
    assert_eq!(answers(&harness.effect_done(3, Err(Fault::new(FaultKind::Network, "broken pipe")))), ["3 Network"]);
}

#[test]
fn frames_that_are_not_known_say_so_by_kind() {
    let mut harness = ready();
    let kind = |harness: &mut Harness<ClaudeCode>, value: Value| {
        let outputs = frame(harness, value);
        outputs.iter().find_map(|output| match output {
            Output::Disposition(Disposition::Unknown(kind)) => Some(kind.clone()),
            _ => None,
        })
    };
    assert_eq!(kind(&mut harness, json!({"type": "hologram"})).as_deref(), Some("hologram"));
    assert_eq!(
        kind(&mut harness, json!({"type": "system", "subtype": "moon_phase"})).as_deref(),
        Some("system/moon_phase")
    );
    assert_eq!(
        kind(&mut harness, json!({"type": "assistant", "message": 7})).as_deref(),
        Some("assistant of another shape")
    );
    assert_eq!(
        kind(&mut harness, json!({"type": "control_request", "request": {}})).as_deref(),
        Some("control_request of another shape")
    );
    for noise in ["", "null", "[]", "Warning: something", r#"{"no":"type"}"#, r#"{"type":"#] {
        assert_eq!(harness.frame(1, noise), [Output::Disposition(Disposition::Noise)], "{noise:?}");
    }
}

#[test]
fn a_field_of_another_type_costs_only_itself() {
    let mut harness = ready();
    harness.say("hi");
    frame(&mut harness, init());
    let outputs = frame(
        &mut harness,
        json!({"type": "result", "subtype": "success", "is_error": false, "modelUsage": 7, "errors": "none",
        "usage": [], "terminal_reason": {"new": true}, "stop_reason": "end_turn"}),
    );
    let Some(EventBody::TurnEnded(end)) = event(&outputs, |body| matches!(body, EventBody::TurnEnded(_))) else {
        panic!("{outputs:?}")
    };
    assert_eq!((end.op, end.status, end.reason.as_deref()), (Some(3), Status::Completed, Some("end_turn")));
}

#[test]
fn a_second_result_ends_nothing() {
    let mut harness = ready();
    harness.say("hi");
    let result = json!({"type": "result", "subtype": "success", "is_error": false});
    assert!(event(&frame(&mut harness, result.clone()), |body| matches!(body, EventBody::TurnEnded(_))).is_some());
    assert_eq!(frame(&mut harness, result), [Output::Disposition(Disposition::Duplicate)]);
}

#[test]
fn a_program_that_dies_in_a_turn_fails_it_and_all_that_waits() {
    let mut harness = ready();
    harness.say("one");
    frame(&mut harness, init());
    frame(&mut harness, ask("r1", "Bash", json!({})));
    harness.interrupt();
    let outputs = harness.closed(1, None, "panic: out of cheese");
    assert_eq!(answers(&outputs), ["4 Network"]);
    assert!(event(&outputs, |body| matches!(body, EventBody::RequestsClosed(_))).is_some());
    let Some(EventBody::TurnEnded(end)) = event(&outputs, |body| matches!(body, EventBody::TurnEnded(_))) else {
        panic!()
    };
    assert!(end.fault.as_ref().unwrap().message.contains("out of cheese"));
    assert_eq!(answers(&harness.say("two")), ["5 NotFound"]);
}

#[test]
fn a_cursor_is_told_when_the_session_is_surely_on_disk() {
    let cursor = |outputs: &[Output]| match event(outputs, |body| matches!(body, EventBody::Threads(_))) {
        Some(EventBody::Threads(threads)) => threads[0].cursor.clone(),
        _ => None,
    };
    let mut harness = ready();
    harness.say("one");
    assert_eq!(cursor(&frame(&mut harness, init())), None);
    assert_eq!(cursor(&harness.advance(1_900.0)), None);
    let told = cursor(&harness.advance(200.0));
    assert_eq!(told.as_ref(), harness.spawned[0].2.iter().find(|(name, _)| name == "session").map(|(_, id)| id));
    assert_eq!(
        cursor(&frame(&mut harness, json!({"type": "result", "subtype": "success", "is_error": false}))),
        None,
        "once is enough"
    );
}

#[test]
fn blocks_that_were_given_up_are_retracted() {
    let mut harness = ready();
    harness.say("one");
    let stream = |event: Value| json!({"type": "stream_event", "event": event, "parent_tool_use_id": null});
    frame(&mut harness, stream(json!({"type": "message_start", "message": {"id": "m"}})));
    frame(
        &mut harness,
        stream(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})),
    );
    frame(
        &mut harness,
        stream(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "half"}})),
    );
    let mut stop = stream(json!({"type": "message_stop"}));
    stop["abandoned_blocks"] = json!({"from_block_index": 0});
    let outputs = frame(&mut harness, stop);
    let Some(EventBody::Items(items)) = event(&outputs, |body| matches!(body, EventBody::Items(_))) else {
        panic!("{outputs:?}")
    };
    assert_eq!((items[0].id.as_deref(), items[0].status), (Some("m#0"), Status::Retracted));
}

#[test]
fn an_allowance_that_is_used_up_is_told() {
    let outputs = frame(
        &mut ready(),
        json!({"type": "rate_limit_event", "rate_limit_info":
        {"status": "rejected", "resetsAt": 1_800_000_000, "rateLimitType": "five_hour", "utilization": 1.0}}),
    );
    let Some(EventBody::Account(account)) = event(&outputs, |body| matches!(body, EventBody::Account(_))) else {
        panic!()
    };
    let limit = &account.limits[0];
    assert_eq!((limit.name.as_str(), limit.used_percent, limit.reached), ("five-hour", Some(100.0), true));
    assert_eq!(limit.resets_at_ms, Some(1_800_000_000_000.0));
}

#[test]
fn pieces_whose_block_never_began_are_shown_all_the_same() {
    let mut harness = ready();
    harness.say("one");
    let stream = |event: Value| json!({"type": "stream_event", "event": event, "parent_tool_use_id": null});
    let piece = |index: u32, kind: &str, field: &str, text: &str| {
        stream(json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, field: text}}))
    };
    let outputs = frame(&mut harness, piece(0, "text_delta", "text", "lost"));
    assert!(matches!(outputs.last(), Some(Output::Disposition(Disposition::Unknown(_)))), "{outputs:?}");
    frame(&mut harness, stream(json!({"type": "message_start", "message": {"id": "m"}})));
    for (index, kind, field, shown) in
        [(0, "thinking_delta", "thinking", TextKind::Reasoning), (1, "text_delta", "text", TextKind::Assistant)]
    {
        let outputs = frame(&mut harness, piece(index, kind, field, "half"));
        let Some(EventBody::Delta(delta)) = event(&outputs, |body| matches!(body, EventBody::Delta(_))) else {
            panic!("{outputs:?}")
        };
        assert_eq!((delta.id.as_deref(), delta.kind), (Some(format!("m#{index}").as_str()), shown));
    }
    // The call follows whole.
    let outputs = frame(&mut harness, piece(2, "input_json_delta", "partial_json", "{"));
    assert!(matches!(&outputs[..], [Output::Disposition(Disposition::Silent(_))]), "{outputs:?}");
}

#[test]
fn an_error_that_no_result_tells_any_more_is_told_at_the_end() {
    let mut harness = ready();
    harness.say("one");
    frame(&mut harness, init());
    let content = json!([{"type": "text", "text": "API Error: Overloaded"}]);
    let error = json!({"type": "assistant", "error": "api_error", "parent_tool_use_id": null, "message": {"id": "m", "content": content}});
    assert_eq!(frame(&mut harness, error), [Output::Disposition(Disposition::Held)]);
    let outputs = harness.close();
    let Some(EventBody::Note(note)) = event(&outputs, |body| matches!(body, EventBody::Note(_))) else {
        panic!("{outputs:?}")
    };
    assert_eq!(note.text, "API Error: Overloaded");
}
