//! What is the program's own: tools of the host's that a thread began with, its login, its stored threads.

#[path = "support/program.rs"]
mod program;

use jackfield_plugin_codex::Codex;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::{Harness, word};
use program::*;
use serde_json::json;

fn other(name: &str) -> CommandBody {
    CommandBody::Other(Other { name: name.into(), json: "{}".into() })
}

/// A session for questions, of which no file is read here.
fn questions() -> Harness<Codex> {
    let mut harness = Harness::new();
    harness.start_query("/work", Default::default());
    harness
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec { name: name.into(), description: "Answers.".into(), input_schema: r#"{"type":"object"}"#.into() }
}

fn applied(outputs: &[Output]) -> Applies {
    match outputs {
        [Output::Done(OpResult { outcome: Ok(OpValue::Applied(applies)), .. })] => *applies,
        other => panic!("{other:?}"),
    }
}

#[test]
fn tools_of_the_hosts_hold_in_threads_that_begin_after_them() {
    for version in [NEW, OLD] {
        let mut harness = started(version);
        assert_eq!(applied(&harness.command(CommandBody::RegisterTools(vec![tool("ping")]))), Applies::Now);
        harness.open(None, &[]);
        assert_eq!(last(&harness)["params"]["dynamicTools"][0]["name"], "ping");
        let opened = answer(&mut harness, json!({"thread": {"id": "t", "turns": []}, "model": "m"}));
        assert!(!events(&opened).iter().any(|event| matches!(event.body, EventBody::Note(_))));
        assert_eq!(applied(&harness.command(CommandBody::RegisterTools(vec![tool("pong")]))), Applies::InNewThread);
        harness.open(None, &[]);
        assert_eq!(last(&harness)["params"]["dynamicTools"][0]["name"], "pong", "the next thread has them");
        // One that is resumed can't be given any, and that is said.
        let mut harness = started(version);
        harness.command(CommandBody::RegisterTools(vec![tool("ping")]));
        harness.open(Some("t"), &[]);
        assert!(last(&harness)["params"].get("dynamicTools").is_none());
        let opened = answer(&mut harness, json!({"thread": {"id": "t", "turns": []}}));
        let note = events(&opened).into_iter().find_map(|event| match &event.body {
            EventBody::Note(note) => Some(note.clone()),
            _ => None,
        });
        assert_eq!(note.map(|note| note.code).as_deref(), Some("tools-of-the-beginning"), "{opened:?}");
    }
}

#[test]
fn a_logout_is_asked_for_and_a_login_is_missing_then() {
    let mut harness = greeted(NEW);
    answer(&mut harness, json!({"config": {}}));
    answer(&mut harness, json!({"account": {"type": "chatgpt"}, "requiresOpenaiAuth": true}));
    harness.command(other("logout"));
    assert_eq!(last(&harness)["method"], "account/logout");
    assert_eq!(answers(&refuse(&mut harness, -32603)), ["Unknown"]);
    harness.command(other("logout"));
    assert_eq!(answers(&answer(&mut harness, json!({}))), ["Accepted"]);
    assert_eq!(fault(&harness.open(None, &[])).kind, FaultKind::Auth);
}

#[test]
fn a_thread_is_deleted_for_good_where_the_version_has_a_way() {
    let mut old = ready(OLD);
    let sent = old.written.len();
    let refused = old.command_in("t", other("delete-thread"));
    assert_eq!((fault(&refused).kind, old.written.len()), (FaultKind::Unsupported, sent));

    let mut harness = busy(NEW);
    assert_eq!(fault(&harness.command(other("delete-thread"))).kind, FaultKind::Invalid, "which one?");
    assert_eq!(fault(&harness.command_in("t", other("delete-thread"))).kind, FaultKind::Conflict, "a turn is open");
    notice(&mut harness, "turn/completed", json!({"threadId": "t", "turn": {"id": "u", "status": "completed"}}));
    harness.command_in("nobody", other("delete-thread"));
    assert_eq!(answers(&refuse(&mut harness, -32600)), ["NotFound"]);
    harness.command_in("t", other("delete-thread"));
    assert_eq!(
        (&last(&harness)["method"], &last(&harness)["params"]),
        (&json!("thread/delete"), &json!({"threadId": "t"}))
    );
    // The program's word about it comes first, and is told once.
    let gone = |outputs: &[Output]| {
        let threads = events(outputs).into_iter().filter_map(|event| match &event.body {
            EventBody::Threads(threads) => Some(threads[0].clone()),
            _ => None,
        });
        threads.map(|thread| (thread.state, thread.cursor)).collect::<Vec<_>>()
    };
    assert_eq!(gone(&notice(&mut harness, "thread/deleted", json!({"threadId": "t"}))), [(ThreadState::Closed, None)]);
    let outputs = answer(&mut harness, json!({}));
    assert_eq!((answers(&outputs), gone(&outputs)), (vec!["Accepted".to_owned()], vec![]));
    assert_eq!(answers(&harness.say("hi")), ["NotFound"]);
}

/// Somebody else deletes it: what was open in it ends, and nobody waits for it.
#[test]
fn a_thread_that_is_deleted_takes_its_turn_and_its_requests_with_it() {
    let mut harness = busy(NEW);
    let ask = json!({"id": 3, "method": "item/fileChange/requestApproval", "params": {"threadId": "t", "turnId": "u"}});
    frame(&mut harness, ask);
    harness.command(CommandBody::SteerRun(Message::of_text("more")));
    let steered = last(&harness)["id"].clone();
    let outputs = notice(&mut harness, "thread/deleted", json!({"threadId": "t"}));
    let said = events(&outputs).into_iter().map(|event| match &event.body {
        EventBody::RequestsClosed(ends) => ends[0].id.clone(),
        EventBody::TurnEnded(end) => word(&end.status),
        EventBody::Threads(threads) => word(&threads[0].state),
        other => panic!("{other:?}"),
    });
    assert_eq!(said.collect::<Vec<_>>(), ["3", "Failed", "Closed"]);
    let late = frame(&mut harness, json!({"id": steered, "result": {"turnId": "u"}}));
    assert_eq!(answers(&late), ["NotFound"]);
    // Its turn had not begun.
    let mut harness = ready(NEW);
    harness.say("go");
    let outputs = notice(&mut harness, "thread/deleted", json!({"threadId": "t"}));
    assert_eq!(answers(&outputs), ["NotFound"]);
    assert_eq!(answers(&answer(&mut harness, json!({"turn": {"id": "u"}}))), [] as [&str; 0], "once");
}

/// A session for questions reads files; for this it starts the program, once its handshake is through.
#[test]
fn a_session_for_questions_starts_the_program_for_it() {
    for (version, name, method) in
        [(NEW, "logout", "account/logout"), (NEW, "delete-thread", "thread/delete"), (OLD, "logout", "account/logout")]
    {
        let mut harness = questions();
        assert!(harness.spawned.is_empty());
        harness.command_in("t", other(name));
        assert_eq!(harness.spawned.len(), 1, "{name}");
        for result in [json!({"userAgent": version}), json!({"config": {}}), json!({"account": null})] {
            answer(&mut harness, result);
        }
        assert_eq!(last(&harness)["method"], method);
        assert_eq!(answers(&answer(&mut harness, json!({}))), ["Accepted"]);
    }
    let mut broken = questions();
    broken.command(other("logout"));
    answer(&mut broken, json!({"userAgent": NEW}));
    assert_eq!(fault(&refuse(&mut broken, -32603)).code.as_deref(), Some("configuration"));
    // What was told to have failed is not carried out when the program is started for something else.
    broken.closed(broken.spawned[0].0, Some(0), "");
    broken.command(CommandBody::ListSettings);
    let channel = broken.spawned[1].0;
    for result in [json!({"userAgent": NEW}), json!({"config": {}}), json!({"account": null})] {
        let id = last(&broken)["id"].clone();
        broken.frame(channel, &json!({"id": id, "result": result}).to_string());
    }
    assert_eq!(last(&broken)["method"], "model/list");
    assert_eq!(fault(&questions().command(other("dance"))).kind, FaultKind::Unsupported);
}
