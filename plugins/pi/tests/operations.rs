//! Opening, settings, context, copies, and what extensions ask: what the host asks for beside messages.

mod support;

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};
use support::{Live, SESSION, shown};

fn point(mark: Option<&str>, turns_after: u32) -> Point {
    Point { turn: None, item: None, mark: mark.map(str::to_owned), turns_after }
}

#[test]
fn a_resume_that_gives_another_conversation_is_a_failure() {
    let mut live = Live::new();
    live.harness.open(Some("01a22dbb-0000-7171-8a17-18c1ccf7954e"), &[]);
    assert_eq!(live.harness.spawned[0].2, [("session".to_owned(), "01a22dbb-0000-7171-8a17-18c1ccf7954e".to_owned())]);
    let outputs = live.answer_all();
    let lines = shown(&outputs);
    assert!(lines[0].starts_with("done 2 fault NotFound"), "{lines:?}");
    let mut live = Live::new();
    live.harness.open(Some(SESSION), &[]);
    let channel = live.channel();
    let outputs = live.harness.closed(channel, Some(1), "No session found matching 'x'");
    assert!(shown(&outputs)[0].starts_with("done 2 fault NotFound"), "{outputs:?}");
    let mut live = Live::new();
    live.harness.open(Some(SESSION), &[]);
    assert_eq!(shown(&live.answer_all())[0], "done 2 thread resumed");
    // The messages that it has are counted: the next one is the third.
    assert_eq!(shown(&live.turn("three")).last().unwrap(), "turn ended Completed stop @3");
}

#[test]
fn nothing_can_be_resumed_before_the_program_has_written_it() {
    let mut live = Live::ready();
    live.harness.say("one");
    assert!(!shown(&live.begins("one")).iter().any(|line| line.contains("resumable")));
    let outputs = live.ends("stop", None);
    assert!(shown(&outputs).contains(&"thread Active resumable".to_owned()), "{outputs:?}");
}

#[test]
fn a_message_waits_for_the_choices_that_go_with_it() {
    let mut live = Live::ready();
    let selection =
        vec![("effort".to_owned(), "high".to_owned()), ("model".to_owned(), "other/model/with-slash".to_owned())];
    live.harness.command(CommandBody::SendRun(Message { selection, ..Message::of_text("one") }));
    assert_eq!((&live.last()["type"], &live.last()["level"]), (&json!("set_thinking_level"), &json!("high")));
    live.reply(Value::Null);
    assert_eq!(live.last()["type"], "set_model");
    assert_eq!((&live.last()["provider"], &live.last()["modelId"]), (&json!("other"), &json!("model/with-slash")));
    live.reply(json!({"id": "model/with-slash", "provider": "other"}));
    assert_eq!((&live.last()["type"], &live.last()["message"]), (&json!("prompt"), &json!("one")));
    // Refused, the message does not go with another model than was chosen.
    let mut live = Live::ready();
    let selection = vec![("model".to_owned(), "no/such".to_owned())];
    live.harness.command(CommandBody::SendRun(Message { selection, ..Message::of_text("one") }));
    let outputs = live.refuse("Model not found: no/such");
    assert_eq!(shown(&outputs), ["done 3 fault NotFound: pi refused `set_model`: Model not found: no/such"]);
    assert_eq!(live.last()["type"], "set_model");
}

#[test]
fn choices_are_checked_and_what_is_in_force_is_not_chosen_again() {
    let mut live = Live::ready();
    let mut choose = |name: &str, value: &str| {
        shown(&live.harness.command(CommandBody::SetSelection(vec![(name.into(), value.into())])))
    };
    assert_eq!(choose("effort", "medium"), ["done 3 applied Now"]);
    assert!(choose("effort", "enormous")[0].starts_with("done 4 fault Invalid"));
    assert!(choose("mode", "plan")[0].starts_with("done 5 fault Invalid"));
    assert!(choose("model", "nameless")[0].starts_with("done 6 fault Invalid"));
    // A model's id alone is enough where there is one of it.
    assert_eq!(choose("model", "mock-model"), [] as [&str; 0]);
    assert_eq!((&live.last()["provider"], &live.last()["modelId"]), (&json!("mock"), &json!("mock-model")));
}

#[test]
fn clear_begins_another_session_and_its_cursor_brings_nothing_back() {
    let mut live = Live::ready();
    live.turn("one");
    live.harness.command(CommandBody::ClearThread);
    assert_eq!(live.last()["type"], "new_session");
    live.reply(json!({"cancelled": false}));
    live.state["sessionId"] = json!("01a22dbb-2219-76e0-8dd8-2db7583fcb7a");
    let outputs = live.answer_all();
    assert_eq!(shown(&outputs), ["done 4 thread resumed", "context Cleared None→None"]);
    let Output::Done(OpResult { outcome: Ok(OpValue::Thread(thread)), .. }) = &outputs[0] else { panic!() };
    assert_eq!(thread.replaces.as_deref(), Some(SESSION));
    let mut again = Live::new();
    again.harness.open(thread.cursor.as_deref(), &[]);
    assert_eq!(again.harness.spawned[0].2, [], "it begins anew, and loses nothing");
    // Its first answer makes it a session like any other, with its own count.
    assert!(shown(&live.turn("two")).contains(&"turn ended Completed stop @1".to_owned()));
}

#[test]
fn compact_is_answered_when_it_is_at_it_or_when_it_is_done() {
    let mut live = Live::ready();
    live.turn("one");
    live.harness.command(CommandBody::CompactThread("the colours".into()));
    assert_eq!(live.last()["customInstructions"], "the colours");
    let outputs = live.reply(json!({"summary": "s", "tokensBefore": 9.0}));
    assert_eq!(shown(&outputs), ["done 4 Accepted", "context Compacted Some(9.0)→None"]);
    live.harness.command(CommandBody::CompactThread(String::new()));
    let asked = live.last();
    assert_eq!(shown(&live.frame(json!({"type": "compaction_start", "reason": "manual"})))[0], "done 5 Accepted");
    live.frame(json!({"type": "compaction_end", "reason": "manual", "result": {"tokensBefore": 9}, "aborted": false, "willRetry": false}));
    let told =
        live.frame(json!({"id": asked["id"], "type": "response", "command": "compact", "success": true, "data": {}}));
    assert_eq!(shown(&told), [] as [&str; 0], "it is told once");
    live.harness.command(CommandBody::CompactThread(String::new()));
    let outputs = live.refuse("Nothing to compact (session too small)");
    assert_eq!(
        shown(&outputs),
        ["done 6 fault Conflict: pi refused `compact`: Nothing to compact (session too small)"]
    );
}

#[test]
fn going_back_parts_the_conversation_before_the_next_message() {
    let mut live = Live::ready();
    live.turn("One");
    live.turn("Two");
    live.harness.command(CommandBody::RollbackThread(point(Some("1"), 1)));
    live.answer_all();
    assert_eq!((&live.last()["type"], &live.last()["entryId"]), (&json!("fork"), &json!("4508e64a")));
    live.reply(json!({"text": "Two", "cancelled": false}));
    live.state["sessionId"] = json!("01a22dbb-20f2-71f1-9ecb-1af5b2b9e246");
    let outputs = live.answer_all();
    assert_eq!(shown(&outputs), ["done 5 thread resumed", "context Rewound None→None"]);
    assert!(shown(&live.turn("Three")).contains(&"turn ended Completed stop @2".to_owned()));
    // Nothing to forget, nowhere to go, an extension that does not let it.
    assert_eq!(
        shown(&live.harness.command(CommandBody::RollbackThread(point(Some("2"), 0)))),
        ["done 7 thread resumed"]
    );
    for (mark, after) in [(Some("9"), 1), (Some("x"), 1), (None, 2)] {
        let outputs = live.harness.command(CommandBody::RollbackThread(point(mark, after)));
        assert!(shown(&outputs)[0].contains("fault Invalid"), "{outputs:?}");
    }
    live.harness.command(CommandBody::RollbackThread(point(Some("1"), 1)));
    live.answer_all();
    let outputs = live.reply(json!({"cancelled": true}));
    assert!(shown(&outputs)[0].contains("fault Denied"), "{outputs:?}");
}

/// What the second program is asked, and how the copy turns out.
fn copy(live: &mut Live, mark: Option<&str>, after: u32) -> (Vec<String>, Vec<String>) {
    let before = live.harness.written.len();
    live.harness.command(CommandBody::ForkThread(point(mark, after)));
    let channel = live.harness.spawned.last().unwrap().0;
    assert_ne!(channel, live.channel(), "the conversation's own program is left alone");
    let mut outputs = live.answer_all();
    let asked: Value = live.last();
    let reply = json!({"id": asked["id"], "type": "response", "command": asked["type"], "success": true, "data": {"cancelled": false}});
    outputs.extend(live.harness.frame(channel, &reply.to_string()));
    live.state["sessionId"] = json!("01a22dbb-21d2-7798-ac55-9404690add72");
    outputs.extend(live.answer_all());
    live.state["sessionId"] = json!(SESSION);
    let asked = live.harness.written[before..].iter().map(|(of, text)| {
        assert_eq!(*of, channel);
        serde_json::from_str::<Value>(text).unwrap()["type"].as_str().unwrap().to_owned()
    });
    (asked.collect(), shown(&outputs))
}

#[test]
fn a_copy_is_made_by_a_second_program() {
    let mut live = Live::ready();
    live.turn("One");
    live.turn("Two");
    let (asked, outputs) = copy(&mut live, None, 0);
    assert_eq!(asked, ["get_state", "clone", "get_state"]);
    assert_eq!(outputs, ["done 5 thread resumed"]);
    let (asked, outputs) = copy(&mut live, Some("1"), 1);
    assert_eq!(asked, ["get_state", "get_fork_messages", "fork", "get_state"]);
    assert_eq!(outputs, ["done 6 thread resumed"]);
    // The conversation goes on as if nothing had been.
    assert!(shown(&live.turn("Three")).contains(&"turn ended Completed stop @3".to_owned()));
}

#[test]
fn a_copy_that_is_not_made_leaves_the_conversation_as_it_is() {
    let mut live = Live::ready();
    let refused = shown(&live.harness.command(CommandBody::ForkThread(point(None, 0))));
    assert!(refused[0].starts_with("done 3 fault Conflict"), "{refused:?}");
    live.turn("One");
    live.harness.command(CommandBody::ForkThread(point(None, 0)));
    let channel = live.harness.spawned.last().unwrap().0;
    let outputs = live.harness.closed(channel, Some(1), "no room");
    assert!(shown(&outputs)[0].starts_with("done 5 fault Network"), "{outputs:?}");
    live.answered = live.harness.written.len();
    assert!(shown(&live.turn("Two")).contains(&"turn ended Completed stop @2".to_owned()));
}

fn ask(live: &mut Live, method: &str, more: Value) -> Vec<Output> {
    let mut line = json!({"type": "extension_ui_request", "id": "u1", "method": method, "title": "Allow it?"});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    live.frame(line)
}

fn respond(live: &mut Live, reply: Reply) -> Vec<String> {
    shown(&live.harness.command(CommandBody::Respond(Answer { request: "u1".into(), reply })))
}

fn filled(value: &str) -> Reply {
    Reply::Filled(vec![Filled { question: "answer".into(), values: vec![value.into()] }])
}

#[test]
fn what_an_extension_asks_is_a_question_with_one_answer() {
    for (method, more, reply, field, value) in [
        ("confirm", json!({"message": "It deletes."}), filled("yes"), "confirmed", json!(true)),
        ("confirm", json!({}), filled("no"), "confirmed", json!(false)),
        ("confirm", json!({}), Reply::Dismissed, "cancelled", json!(true)),
        ("select", json!({"options": ["Allow", "Block"]}), filled("Block"), "value", json!("Block")),
        ("input", json!({"placeholder": "a name"}), filled("Ada"), "value", json!("Ada")),
        ("editor", json!({"prefill": "text"}), Reply::Dismissed, "cancelled", json!(true)),
    ] {
        let mut live = Live::ready();
        let outputs = ask(&mut live, method, more);
        assert!(shown(&outputs)[0].starts_with("asks Questions:  Allow it?"), "{outputs:?}");
        assert_eq!(respond(&mut live, reply), ["done 3 Accepted"]);
        let line = live.last();
        assert_eq!((&line["type"], &line["id"], &line[field]), (&json!("extension_ui_response"), &json!("u1"), &value));
        assert!(respond(&mut live, Reply::Dismissed)[0].starts_with("done 4 fault NotFound"));
    }
}

#[test]
fn an_answer_that_does_not_fit_leaves_the_question_open() {
    let mut live = Live::ready();
    ask(&mut live, "confirm", json!({}));
    let before = live.harness.written.len();
    assert!(respond(&mut live, filled("perhaps"))[0].starts_with("done 3 fault Invalid"));
    assert!(respond(&mut live, Reply::Filled(vec![]))[0].starts_with("done 4 fault Invalid"));
    assert_eq!(live.harness.written.len(), before);
    assert_eq!(respond(&mut live, filled("no")), ["done 5 Accepted"]);
}

#[test]
fn a_question_expires_with_the_extensions_own_patience() {
    let mut live = Live::ready();
    let outputs = ask(&mut live, "confirm", json!({"timeout": 5000}));
    let expires = outputs.iter().find_map(|output| match output {
        Output::Event(Event { body: EventBody::RequestsOpened(requests), .. }) => requests[0].expires_ms,
        _ => None,
    });
    assert!(expires.is_some());
    assert_eq!(shown(&live.harness.advance(5_000.0)), ["request Cancelled"]);
    assert!(respond(&mut live, filled("yes"))[0].starts_with("done 3 fault NotFound"));
}

#[test]
fn what_is_not_known_is_cancelled_and_what_is_for_a_terminal_is_passed_over() {
    let mut live = Live::ready();
    let outputs = ask(&mut live, "pick_colour", json!({}));
    assert!(outputs.contains(&Output::Disposition(Disposition::Unknown("extension_ui_request/pick_colour".into()))));
    assert_eq!(live.last()["cancelled"], true);
    let outputs = ask(&mut live, "setWidget", json!({"widgetLines": ["x"]}));
    assert!(matches!(&outputs[..], [Output::Disposition(Disposition::Silent(_))]), "{outputs:?}");
    let outputs = ask(&mut live, "notify", json!({"message": "Blocked.", "notifyType": "warning"}));
    assert_eq!(shown(&outputs), ["note extension: Blocked."]);
}

#[test]
fn pictures_go_where_the_model_takes_them_and_nothing_is_dropped_without_a_word() {
    let picture = |mime: &str| {
        Content::Media(Media { mime: mime.into(), name: Some("a.png".into()), uri: None, base64: Some("AAAA".into()) })
    };
    let send = |live: &mut Live, content: Vec<Content>| {
        shown(&live.harness.command(CommandBody::SendRun(Message { content, ..Message::of_text("") })))
    };
    let mut live = Live::ready();
    let refused = send(&mut live, vec!["See".into(), picture("image/png")]);
    assert!(refused[0].contains("fault Unsupported: a.png: the model in force takes text only"), "{refused:?}");
    live.state["model"]["input"] = json!(["text", "image"]);
    let mut live = Live { answered: 0, ..Live::new() };
    live.state["model"]["input"] = json!(["text", "image"]);
    live.harness.open(None, &[]);
    live.answer_all();
    assert_eq!(send(&mut live, vec!["See".into(), picture("image/PNG; x=y")]), [] as [&str; 0]);
    assert_eq!(live.last()["images"], json!([{"type": "image", "data": "AAAA", "mimeType": "image/png"}]));
    live.refuse("no");
    for content in [vec!["See".into(), picture("audio/wav")], vec![picture("image/png")], vec![" ".into()]] {
        let refused = send(&mut live, content);
        assert!(refused[0].contains("fault Unsupported") || refused[0].contains("fault Invalid"), "{refused:?}");
    }
}
