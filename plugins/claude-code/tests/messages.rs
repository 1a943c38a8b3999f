//! What a message may hold, and what is refused before anything is sent; and the orders that are messages: compact and clear.

#[path = "support/live.rs"]
mod live;

use jackfield_sdk::base64;
use jackfield_sdk::prelude::*;
use live::{answers, event, frame, init, last_written, ready, result, shake_hands_as, turn};
use serde_json::{Value, json};

fn media(mime: &str, name: Option<&str>, bytes: Option<&[u8]>) -> Content {
    Content::Media(Media {
        mime: mime.into(),
        name: name.map(str::to_owned),
        uri: None,
        base64: bytes.map(base64::encode),
    })
}

/// What became of a message with these parts: the command's answer, and the content that was written.
fn sent(content: Vec<Content>) -> (String, Option<Value>) {
    let mut harness = ready();
    let before = harness.written.len();
    let outputs = harness.command(CommandBody::SendRun(Message { content, ..Message::of_text("") }));
    let written = (harness.written.len() > before).then(|| last_written(&harness)["message"]["content"].clone());
    (answers(&outputs).join(","), written)
}

#[test]
fn pictures_pdfs_and_texts_go_as_the_blocks_that_the_program_was_seen_to_pass_on() {
    let (answer, content) = sent(vec![
        Content::Text("See".into()),
        media("image/png", Some("a.png"), Some(b"png")),
        media("application/pdf", Some("a.pdf"), Some(b"%PDF")),
        media("text/markdown; charset=utf-8", Some("a.md"), Some("# é".as_bytes())),
        media("application/json", None, Some(b"{}")),
    ]);
    assert_eq!(answer, "3 OpenedTurn");
    let expected = json!([
        {"type": "text", "text": "See"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": base64::encode(b"png")}},
        {"type": "document", "title": "a.pdf", "source": {"type": "base64", "media_type": "application/pdf", "data": base64::encode(b"%PDF")}},
        {"type": "document", "title": "a.md", "source": {"type": "text", "media_type": "text/plain", "data": "# é"}},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "{}"}},
    ]);
    assert_eq!(content, Some(expected));
}

#[test]
fn a_picture_alone_is_a_message_and_one_text_stays_text() {
    let (answer, content) = sent(vec![media("IMAGE/JPEG", None, Some(b"jpg"))]);
    assert_eq!(answer, "3 OpenedTurn");
    assert_eq!(content.unwrap()[0]["source"]["media_type"], "image/jpeg");
    assert_eq!(sent(vec!["/context".into()]).1, Some(json!("/context")));
}

#[test]
fn what_the_service_would_refuse_is_refused_before_anything_is_sent() {
    let no_base64 = Media { mime: "text/plain".into(), name: None, uri: None, base64: Some("%%%".into()) };
    let diff = FileDiff { path: "a".into(), moved_from: None, before: None, after: None, patch: None };
    let cases = [
        (media("image/svg+xml", None, Some(b"<svg/>")), "3 Unsupported"),
        (media("audio/wav", None, Some(b"wav")), "3 Unsupported"),
        (media("application/octet-stream", None, Some(b"x")), "3 Unsupported"),
        (media("image/png", Some("far.png"), None), "3 Unsupported"),
        (media("text/plain", None, Some(b"\xff\xfe")), "3 Invalid"),
        (Content::Media(no_base64), "3 Invalid"),
        (Content::Diff(diff), "3 Unsupported"),
        (Content::Other(Other { name: "acme.thing".into(), json: "null".into() }), "3 Unsupported"),
    ];
    for (part, answer) in cases {
        assert_eq!(sent(vec!["See".into(), part.clone()]), (answer.to_owned(), None), "{part:?}");
    }
    assert_eq!(sent(vec![]), ("3 Invalid".to_owned(), None));
}

#[test]
fn compact_is_a_turn_of_the_programs_own_and_tells_how_it_went() {
    let mut harness = ready();
    turn(&mut harness, "m1");
    assert_eq!(answers(&harness.command(CommandBody::CompactThread("the colours".into()))), [] as [&str; 0]);
    let order = last_written(&harness);
    assert_eq!(order["message"]["content"], "/compact the colours");
    let uuid = order["uuid"].as_str().unwrap();
    let outputs = frame(&mut harness, json!({"type": "command_lifecycle", "command_uuid": uuid, "state": "started"}));
    assert_eq!(answers(&outputs), ["4 Accepted"]);
    let started = event(&outputs, |body| matches!(body, EventBody::TurnStarted(_)));
    let Some(EventBody::TurnStarted(TurnStart { op: None, reason })) = started else { panic!("{outputs:?}") };
    assert_eq!(reason.as_deref(), Some("compact"));
    let status = |more: Value| {
        let mut frame = json!({"type": "system", "subtype": "status"});
        frame.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        frame
    };
    frame(&mut harness, status(json!({"status": "compacting"})));
    let failed =
        json!({"status": null, "compact_result": "failed", "compact_error": "Not enough messages to compact."});
    let outputs = frame(&mut harness, status(failed));
    let Some(EventBody::Context(change)) = event(&outputs, |body| matches!(body, EventBody::Context(_))) else {
        panic!("{outputs:?}")
    };
    assert_eq!(change.what, ContextEffect::CompactFailed);
    assert_eq!(change.summary.as_deref(), Some("Not enough messages to compact."));
    let ended = frame(&mut harness, result());
    let ended = event(&ended, |body| matches!(body, EventBody::TurnEnded(_)));
    assert!(matches!(ended, Some(EventBody::TurnEnded(TurnEnd { op: None, .. }))), "{ended:?}");
    // Without words it is the program's own choice, and a message that comes meanwhile waits for its turn.
    harness.command(CommandBody::CompactThread(" ".into()));
    assert_eq!(last_written(&harness)["message"]["content"], "/compact");
    assert_eq!(answers(&harness.say("next")), [] as [&str; 0]);
    assert_eq!(answers(&harness.say("and another")), ["7 Conflict"]);
    assert_eq!(answers(&harness.command(CommandBody::CompactThread(String::new()))), ["8 Conflict"]);
}

#[test]
fn clear_gives_the_thread_a_new_session_that_is_resumed_in_place_of_the_old() {
    let mut harness = ready();
    turn(&mut harness, "m1");
    let old = harness.spawned[0].2.last().unwrap().1.clone();
    let cleared = |outputs: &[Output]| match event(outputs, |body| matches!(body, EventBody::Context(_))) {
        Some(EventBody::Context(change)) => change.what == ContextEffect::Cleared,
        _ => false,
    };
    assert_eq!(answers(&harness.command(CommandBody::ClearThread)), [] as [&str; 0]);
    assert_eq!(last_written(&harness)["message"]["content"], "/clear");
    frame(&mut harness, json!({"type": "conversation_reset", "trigger": "clear", "session_id": old}));
    let mut fresh = init();
    fresh["session_id"] = json!("new");
    let outputs = frame(&mut harness, fresh.clone());
    assert!(cleared(&outputs), "{outputs:?}");
    let Some(EventBody::Threads(threads)) = event(&outputs, |body| matches!(body, EventBody::Threads(_))) else {
        panic!("{outputs:?}")
    };
    // The cursor at once: the old one would bring back what was cleared.
    assert_eq!((threads[0].replaces.as_deref(), threads[0].cursor.as_deref()), (Some(old.as_str()), Some("new")));
    let outputs = frame(&mut harness, result());
    let done = outputs.iter().find_map(|output| match output {
        Output::Done(OpResult { op: 4, outcome: Ok(OpValue::Thread(thread)) }) => Some(thread),
        _ => None,
    });
    assert_eq!(done.map(|thread| (thread.id.as_str(), thread.replaces.as_deref())), Some(("new", Some(old.as_str()))));
    // There is no point before it any more.
    let point = Point { turn: None, item: None, mark: None, turns_after: 0 };
    assert_eq!(answers(&harness.command(CommandBody::ForkThread(point))), ["5 Invalid"]);

    // 2.1.197 has no frame for it; a person's own `/clear` is a turn as any other.
    harness.say("/clear");
    fresh["session_id"] = json!("newer");
    assert!(cleared(&frame(&mut harness, fresh.clone())));
    frame(&mut harness, result());
    // Another id without a cause is a new name, and nothing was cleared.
    harness.say("go on");
    fresh["session_id"] = json!("renamed");
    assert!(!cleared(&frame(&mut harness, fresh)));
}

#[test]
fn a_clear_that_the_program_did_not_do_is_not_called_one() {
    let mut harness = ready();
    harness.command(CommandBody::ClearThread);
    frame(&mut harness, init());
    let outputs = frame(
        &mut harness,
        json!({"type": "result", "subtype": "success", "is_error": false, "result": "Unknown command: /clear"}),
    );
    assert_eq!(answers(&outputs), ["3 Unknown"]);
    assert!(event(&outputs, |body| matches!(body, EventBody::Context(_))).is_none());
}

#[test]
fn where_nothing_tells_what_becomes_of_a_message_the_next_call_of_the_model_takes_it() {
    let mut harness = jackfield_sdk::testing::Harness::<jackfield_plugin_claude_code::ClaudeCode>::new();
    harness.start("{}");
    harness.open(None, &[]);
    shake_hands_as(&mut harness, json!({}));
    harness.say("one");
    frame(&mut harness, init());
    let asked = json!({"type": "system", "subtype": "status", "status": "requesting"});
    frame(&mut harness, asked.clone());
    harness.command(CommandBody::SteerRun(Message::of_text("two")));
    assert_eq!(answers(&frame(&mut harness, asked)), ["4 JoinedTurn"]);
    harness.command(CommandBody::SteerRun(Message::of_text("three")));
    assert_eq!(answers(&frame(&mut harness, result())), ["5 Queued"]);
    let outputs = frame(&mut harness, init());
    let started = event(&outputs, |body| matches!(body, EventBody::TurnStarted(_)));
    assert!(matches!(started, Some(EventBody::TurnStarted(TurnStart { op: Some(5), .. }))), "{outputs:?}");
}
