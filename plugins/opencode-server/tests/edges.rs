//! What no recording shows: envelopes, aborts that come apart, errors by class, answers that fail, a server that goes.

mod support;

use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::project;
use serde_json::{Value, json};
use support::Live;

fn ends(outputs: &[Output]) -> Vec<TurnEnd> {
    let end = |output: &Output| match output {
        Output::Event(Event { body: EventBody::TurnEnded(end), .. }) => Some(end.clone()),
        _ => None,
    };
    outputs.iter().filter_map(end).collect()
}

fn text_part(text: &str, ended: bool) -> Value {
    let time = if ended { json!({"start": 1, "end": 2}) } else { json!({"start": 1}) };
    json!({"id": "prt_1", "messageID": "msg_2", "type": "text", "text": text, "time": time})
}

/// The same conversation in each envelope that is known, with fields that nobody knows.
#[test]
fn a_changed_envelope_changes_nothing() {
    let bare = |event: Value| event;
    let wrapped = |event: Value| json!({"payload": event, "directory": "/work"});
    let typed = |event: Value| json!({"type": "event", "payload": event});
    let more = |mut event: Value| {
        event["new"] = json!({"a": [1]});
        event["properties"]["new"] = json!(null);
        event
    };
    let shown = |wrap: &dyn Fn(Value) -> Value| {
        let mut live = Live::ready();
        live.do_with(|harness| harness.say("Hi"));
        live.answer("/session/ses_1/prompt_async", 204, "");
        live.outputs.clear();
        let mut event = |kind: &str, mut properties: Value| {
            properties["sessionID"] = json!("ses_1");
            live.event(&wrap(json!({"type": kind, "properties": properties})));
        };
        event("message.updated", json!({"info": {"id": "msg_1", "role": "user"}}));
        event("message.updated", json!({"info": {"id": "msg_2", "role": "assistant", "parentID": "msg_1"}}));
        event("message.part.updated", json!({"part": text_part("", false)}));
        event("message.part.delta", json!({"partID": "prt_1", "field": "text", "delta": "Hello"}));
        event("message.part.updated", json!({"part": text_part("Hello", true)}));
        event("permission.asked", json!({"id": "per_1", "permission": "bash", "metadata": {"command": "ls"}}));
        event("session.idle", json!({}));
        project(&live.outputs)
    };
    let plain = shown(&bare);
    assert!(
        plain.contains("+Assistant prt_1: Hello")
            && plain.contains("asks Execute ls")
            && plain.contains("turn ended Completed"),
        "{plain}"
    );
    assert_eq!(shown(&wrapped), plain);
    assert_eq!(shown(&typed), plain);
    assert_eq!(shown(&more), plain);
}

#[test]
fn what_is_not_known_is_kept_and_ends_nothing() {
    let mut live = Live::ready();
    live.said("Hi", "msg_1");
    for text in [
        "{\"type\":\"session.new-thing\",\"properties\":{\"sessionID\":\"ses_1\"}}",
        "{\"no\":\"type\"}",
        "nonsense",
        "[1]",
        "7",
    ] {
        let outputs = live.event_text(text);
        let unknown = matches!(outputs[..], [Output::Disposition(Disposition::Unknown(_))]);
        assert!(unknown, "{text}: {outputs:?}");
    }
    let outputs = live.of_ours("session.idle", json!({}));
    assert_eq!(ends(&outputs).len(), 1);
}

/// An older server tells a text again and again, longer each time.
#[test]
fn a_text_told_again_is_told_by_what_is_new() {
    let mut live = Live::ready();
    live.said("Hi", "msg_1");
    live.assistant("msg_2", json!({"parentID": "msg_1"}));
    live.outputs.clear();
    for text in ["", "Hel", "Hello", "Hello"] {
        live.part(text_part(text, false));
    }
    live.part(text_part("Hello", true));
    assert_eq!(project(&live.outputs), "+Assistant prt_1: Hello\nCompleted prt_1 assistant \"Hello\"\n");
}

/// The server did not take it, and goes on: what it says whole after that is not cut.
#[test]
fn an_abort_that_failed_stops_nothing() {
    let mut live = Live::ready();
    live.said("Hi", "msg_1");
    live.assistant("msg_2", json!({"parentID": "msg_1"}));
    live.do_with(jackfield_sdk::testing::Harness::interrupt);
    let failed = live.answer("/session/ses_1/abort", 500, "{}");
    assert!(matches!(failed[..], [Output::Done(OpResult { outcome: Err(_), .. })]), "{failed:?}");
    live.outputs.clear();
    live.part(text_part("Hello", true));
    assert_eq!(project(&live.outputs), "Completed prt_1 assistant \"Hello\"\n");
}

/// The agent that a person's message names is in force; told again later, the message says nothing of what was chosen since.
#[test]
fn the_mode_of_a_message_is_in_force_and_told() {
    let modes = |outputs: &[Output]| {
        let told = outputs.iter().filter_map(|output| match output {
            Output::Event(Event { body: EventBody::Settings(settings), .. }) => Some(settings.clone()),
            _ => None,
        });
        told.map(|settings| settings[1].value.clone().unwrap_or_default()).collect::<Vec<_>>()
    };
    let mut live = Live::ready();
    live.do_with(|harness| harness.say("Hi"));
    live.answer("/session/ses_1/prompt_async", 204, "");
    let of_person = |agent: &str| json!({"info": {"id": "msg_1", "role": "user", "agent": agent}});
    assert_eq!(modes(&live.of_ours("message.updated", of_person("build"))), ["build"]);
    live.of_ours("session.idle", json!({}));
    live.do_with(|harness| harness.command(CommandBody::SetSelection(vec![("mode".into(), "plan".into())])));
    let again = live.of_ours("message.updated", of_person("build"));
    assert!(matches!(&again[..], [Output::Disposition(Disposition::Silent(_))]), "{again:?}");
    live.do_with(|harness| harness.say("Plan"));
    assert_eq!(live.open.last().unwrap().3["agent"], "plan");
}

/// What is told of a message that was sent before a choice does not take that back.
#[test]
fn a_model_that_was_chosen_is_not_taken_back() {
    let settings = |outputs: &[Output]| {
        outputs.iter().any(|output| matches!(output, Output::Event(Event { body: EventBody::Settings(_), .. })))
    };
    let of = |model: &str, parent: &str, more: Value| {
        let mut told = json!({"parentID": parent, "providerID": "mock", "modelID": model});
        told.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        told
    };
    let over = || json!({"time": {"completed": 2}});
    let mut live = Live::ready();
    live.said("Hi", "msg_1");
    assert!(settings(&live.assistant("msg_2", of("old", "msg_1", json!({})))), "it is in force");
    let chosen = vec![("model".into(), "mock/new".into())];
    live.do_with(|harness| harness.command(CommandBody::SetSelection(chosen)));
    // It is told again, and its turn goes on with another one.
    assert!(!settings(&live.assistant("msg_2", of("old", "msg_1", over()))));
    assert!(!settings(&live.assistant("msg_3", of("old", "msg_1", json!({})))));
    live.assistant("msg_3", of("old", "msg_1", over()));
    live.of_ours("session.idle", json!({}));
    let new = json!({"providerID": "mock", "modelID": "new"});
    live.do_with(|harness| harness.say("Next"));
    assert_eq!(live.open.last().unwrap().3["model"], new);
    live.answer("/session/ses_1/prompt_async", 204, "");
    live.of_ours("message.updated", json!({"info": {"id": "msg_4", "role": "user"}}));
    assert!(!settings(&live.assistant("msg_3", of("old", "msg_1", over()))));
    assert!(!settings(&live.assistant("msg_0", of("older", "", over()))), "it was said before we came");
    live.assistant("msg_5", of("new", "msg_4", over()));
    live.of_ours("session.idle", json!({}));
    live.do_with(|harness| harness.say("Last"));
    assert_eq!(live.open.last().unwrap().3["model"], new);
}

/// Of several choices in one command, none is in force when one is refused.
#[test]
fn a_choice_that_is_refused_takes_the_others_with_it() {
    let mut live = Live::ready();
    let choices = vec![("model".into(), "a/b".into()), ("mode".into(), "nobody".into())];
    live.do_with(|harness| harness.command(CommandBody::SetSelection(choices)));
    live.do_with(|harness| harness.say("Hi"));
    assert_eq!(live.open.last().unwrap().3["model"], Value::Null);
}

/// A title is made up beside the turn.
#[test]
fn a_title_says_active_only_while_a_turn_is_open() {
    let mut live = Live::ready();
    let titled = |live: &mut Live, title: &str| {
        let outputs =
            live.event(&json!({"type": "session.updated", "properties": {"info": {"id": "ses_1", "title": title}}}));
        project(&outputs)
    };
    live.said("Hi", "msg_1");
    assert_eq!(titled(&mut live, "One"), "thread Active resumable\n");
    live.of_ours("session.idle", json!({}));
    assert_eq!(titled(&mut live, "Two"), "thread Idle resumable\n");
}

/// The end of a subagent's subagent is told where its beginning was.
#[test]
fn a_subagent_of_a_subagent_begins_and_ends_inside_of_it() {
    let mut live = Live::ready();
    live.said("Hi", "msg_1");
    live.assistant("msg_2", json!({"parentID": "msg_1"}));
    let call = |id: &str, message: &str, session: &str| {
        let part = json!({"id": id, "messageID": message, "type": "tool", "tool": "task", "callID": id, "state": {"status": "running"}});
        json!({"type": "message.part.updated", "properties": {"sessionID": session, "part": part}})
    };
    let begins = |id: &str, owner: &str| json!({"type": "session.created", "properties": {"info": {"id": id, "parentID": owner}}});
    live.event(&call("prt_1", "msg_2", "ses_1"));
    live.event(&begins("ses_2", "ses_1"));
    let mut named = call("prt_1", "msg_2", "ses_1");
    named["properties"]["part"]["state"]["metadata"] = json!({"sessionId": "ses_2"});
    live.event(&named);
    live.event(&call("prt_2", "msg_3", "ses_2"));
    live.outputs.clear();
    live.event(&begins("ses_3", "ses_2"));
    for (session, id, message, owner) in [("ses_3", "prt_2", "msg_3", "ses_2"), ("ses_2", "prt_1", "msg_2", "ses_1")] {
        live.event(&json!({"type": "session.idle", "properties": {"sessionID": session}}));
        let mut over = call(id, message, owner);
        over["properties"]["part"]["state"] = json!({"status": "completed", "metadata": {"sessionId": session}});
        live.event(&over);
    }
    let told = project(&live.outputs);
    let shown: Vec<&str> = told.lines().filter(|line| line.contains("task Subagent")).collect();
    let right = ["(prt_1) task Subagent Running -", "(prt_1) task Subagent Completed -", "task Subagent Completed -"];
    assert_eq!(shown, right);
    // The server goes, and a third with it.
    live.event(&begins("ses_4", "ses_2"));
    let server = live.harness.spawned[0].0;
    let gone = project(&live.do_with(|harness| harness.closed(server, Some(1), "")));
    assert!(gone.starts_with("(prt_1) task Subagent Failed -\n"), "{gone}");
}

#[test]
fn an_abort_ends_its_turn_once() {
    // Nothing was being said: the first idle is the end.
    let mut live = Live::ready();
    live.said("Hi", "msg_1");
    live.do_with(jackfield_sdk::testing::Harness::interrupt);
    live.of_ours("session.error", json!({"error": {"name": "MessageAbortedError", "data": {"message": "Aborted"}}}));
    let first = live.of_ours("session.idle", json!({}));
    assert_eq!(ends(&first)[0].status, Status::Interrupted);
    assert!(ends(&live.of_ours("session.idle", json!({}))).is_empty());
    // A message is open, and the server says nothing more of it.
    live.said("Again", "msg_3");
    live.assistant("msg_4", json!({"parentID": "msg_3"}));
    live.do_with(jackfield_sdk::testing::Harness::interrupt);
    live.of_ours("session.error", json!({"error": {"name": "MessageAbortedError", "data": {"message": "Aborted"}}}));
    assert!(ends(&live.of_ours("session.idle", json!({}))).is_empty());
    let waited = live.do_with(|harness| harness.advance(2_000.0));
    assert_eq!(ends(&waited)[0].status, Status::Interrupted);
    // Its second idle comes late, and ends no other turn.
    live.do_with(|harness| harness.say("Next"));
    assert!(ends(&live.of_ours("session.idle", json!({}))).is_empty());
    live.answer("/session/ses_1/prompt_async", 204, "");
    live.of_ours("message.updated", json!({"info": {"id": "msg_5", "role": "user"}}));
    assert_eq!(ends(&live.of_ours("session.idle", json!({})))[0].status, Status::Completed);
}

/// On a machine at work the rest of a message that was cut took more than the second that it is waited for, and the next turn had begun.
#[test]
fn what_was_waited_out_ends_no_other_turn() {
    let aborted = json!({"name": "MessageAbortedError", "data": {"message": "Aborted"}});
    let mut live = Live::ready();
    live.said("Hi", "msg_1");
    live.assistant("msg_2", json!({"parentID": "msg_1"}));
    live.part(text_part("", false));
    live.do_with(jackfield_sdk::testing::Harness::interrupt);
    live.of_ours("session.error", json!({"error": aborted}));
    live.of_ours("session.idle", json!({}));
    assert_eq!(ends(&live.do_with(|harness| harness.advance(2_000.0)))[0].status, Status::Interrupted);
    live.said("Next", "msg_3");
    live.outputs.clear();
    live.part(text_part("Hel", true));
    live.assistant("msg_2", json!({"parentID": "msg_1", "error": aborted, "time": {"completed": 2}}));
    live.of_ours("session.idle", json!({}));
    assert_eq!(project(&live.outputs), "", "nothing of it is told, and it ends nothing");
    live.assistant("msg_4", json!({"parentID": "msg_3"}));
    live.assistant("msg_4", json!({"parentID": "msg_3", "time": {"completed": 3}}));
    assert_eq!(ends(&live.of_ours("session.idle", json!({})))[0].status, Status::Completed);
}

/// The message that was cut may be told whole before the first idle: the second one still comes.
#[test]
fn the_second_idle_of_an_abort_ends_no_other_turn() {
    let aborted = json!({"name": "MessageAbortedError", "data": {"message": "Aborted"}});
    let mut live = Live::ready();
    live.said("Hi", "msg_1");
    live.assistant("msg_2", json!({"parentID": "msg_1"}));
    live.do_with(jackfield_sdk::testing::Harness::interrupt);
    live.of_ours("session.error", json!({"error": aborted}));
    live.assistant("msg_2", json!({"parentID": "msg_1", "error": aborted, "time": {"completed": 2}}));
    assert_eq!(ends(&live.of_ours("session.idle", json!({})))[0].status, Status::Interrupted);
    live.said("Next", "msg_3");
    assert!(ends(&live.of_ours("session.idle", json!({}))).is_empty());
    live.assistant("msg_4", json!({"parentID": "msg_3"}));
    let failure = json!({"name": "APIError", "data": {"message": "bad key", "statusCode": 401}});
    live.of_ours("session.error", json!({"error": failure}));
    live.assistant("msg_4", json!({"parentID": "msg_3", "error": failure, "time": {"completed": 3}}));
    assert_eq!(ends(&live.of_ours("session.idle", json!({})))[0].status, Status::Failed);
}

/// A call that its turn's stop took the request away from: nobody refused it, and it had not begun.
#[test]
fn a_call_that_nobody_answered_was_dropped() {
    let call = |status: &str| {
        let state = json!({"status": status, "input": {"command": "ls"}, "error": (status == "error").then_some("Tool execution aborted")});
        json!({"id": "prt_1", "messageID": "msg_2", "type": "tool", "tool": "bash", "callID": "c1", "state": state})
    };
    let asked = json!({"id": "per_1", "permission": "bash", "metadata": {"command": "ls"}, "tool": {"messageID": "msg_2", "callID": "c1"}});
    type Act = fn(&mut Live);
    let dismissed: Act = |live| {
        let reply = Reply::Dismissed;
        live.do_with(|harness| harness.command(CommandBody::Respond(Answer { request: "per_1".into(), reply })));
    };
    let stop: Act = |live| drop(live.do_with(jackfield_sdk::testing::Harness::interrupt));
    let refused: Act = |live| drop(live.do_with(|harness| harness.choose("per_1", "reject")));
    let cases: [(&[Act], &str); 4] = [
        (&[stop, dismissed], "Cancelled"),
        (&[stop], "Cancelled"),
        (&[refused, stop], "Declined"),
        (&[dismissed], "Declined"),
    ];
    for (acts, ended) in cases {
        let mut live = Live::ready();
        live.said("Hi", "msg_1");
        live.assistant("msg_2", json!({"parentID": "msg_1"}));
        live.part(call("running"));
        live.of_ours("permission.asked", asked.clone());
        acts.iter().for_each(|act| act(&mut live));
        let told = project(&live.part(call("error")));
        assert!(told.starts_with(&format!("{ended} prt_1")), "{ended}: {told}");
    }
}

/// A command that was stopped is told as completed, without an exit code; one that had ended by itself has one.
#[test]
fn a_command_that_was_stopped_is_no_success() {
    for (metadata, ended) in [(json!({"exit": null}), "Interrupted"), (json!({"exit": 0}), "Completed")] {
        let mut live = Live::ready();
        live.said("Hi", "msg_1");
        live.assistant("msg_2", json!({"parentID": "msg_1"}));
        live.do_with(jackfield_sdk::testing::Harness::interrupt);
        let state = json!({"status": "completed", "input": {"command": "sleep 9"}, "output": "User aborted the command", "metadata": metadata});
        let part = json!({"id": "prt_1", "messageID": "msg_2", "type": "tool", "tool": "bash", "callID": "c1", "state": state});
        let told = project(&live.part(part));
        assert!(told.starts_with(&format!("{ended} prt_1")), "{told}");
    }
}

/// A subagent whose tool was refused goes idle without an error; its call fails.
#[test]
fn how_a_subagent_ended_its_call_says() {
    let call = |state: Value| json!({"id": "prt_1", "messageID": "msg_2", "type": "tool", "tool": "task", "callID": "c1", "state": state});
    let begun = |live: &mut Live| {
        live.said("Hi", "msg_1");
        live.assistant("msg_2", json!({"parentID": "msg_1"}));
        live.part(call(json!({"status": "running", "input": {"description": "Count"}})));
        let info = json!({"id": "ses_2", "parentID": "ses_1", "title": "Count"});
        live.event(&json!({"type": "session.created", "properties": {"info": info}}));
        live.part(call(json!({"status": "running", "metadata": {"sessionId": "ses_2"}})));
    };
    let idle = json!({"type": "session.idle", "properties": {"sessionID": "ses_2"}});
    let named = |status: &str, more: Value| {
        let mut state = json!({"status": status, "metadata": {"sessionId": "ses_2"}});
        state.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        state
    };
    let ends = [
        (named("error", json!({"error": "Subagent failed: rejected"})), "Failed"),
        // Its own fault is told without the conversation's name.
        (json!({"status": "error", "error": "Subagent failed: rejected"}), "Failed"),
        (named("completed", json!({"output": "two"})), "Completed"),
    ];
    for (state, status) in ends {
        let mut live = Live::ready();
        begun(&mut live);
        assert!(!project(&live.event(&idle)).contains("task"), "its call has not said yet how it ended");
        let told = project(&live.part(call(state)));
        assert!(told.starts_with(&format!("task Subagent {status} Count")), "{told}");
        assert!(!project(&live.of_ours("session.idle", json!({}))).contains("task"), "once");
    }
    // One that its call does not wait for, and one whose call says nothing more.
    let mut live = Live::ready();
    begun(&mut live);
    live.part(call(named("completed", json!({"output": "It works in the background."}))));
    assert!(project(&live.event(&idle)).starts_with("task Subagent Completed"));
    let mut live = Live::ready();
    begun(&mut live);
    live.event(&idle);
    assert!(project(&live.of_ours("session.idle", json!({}))).starts_with("task Subagent Completed"));
}

#[test]
fn errors_go_by_their_class_and_what_follows_takes_them_back() {
    let cases = [
        (json!({"name": "ContextOverflowError", "data": {"message": "too much"}}), FaultKind::ContextWindow),
        (json!({"name": "ProviderAuthError", "data": {"message": "no key"}}), FaultKind::Auth),
        (
            json!({"name": "APIError", "data": {"message": "slow down", "statusCode": 429, "isRetryable": true}}),
            FaultKind::RateLimit,
        ),
        (json!({"name": "APIError", "data": {"message": "bad key", "statusCode": 401}}), FaultKind::Auth),
        (json!({"name": "APIError", "data": {"message": "broken", "statusCode": 503}}), FaultKind::Overloaded),
        (json!({"name": "UnknownError", "data": {"message": "who knows"}}), FaultKind::Unknown),
    ];
    for (error, kind) in cases {
        let mut live = Live::ready();
        live.said("Hi", "msg_1");
        live.assistant("msg_2", json!({"parentID": "msg_1"}));
        live.of_ours("session.error", json!({"error": error}));
        live.assistant("msg_2", json!({"parentID": "msg_1", "error": error, "time": {"completed": 2}}));
        let end = ends(&live.of_ours("session.idle", json!({}))).remove(0);
        assert_eq!((end.status, end.fault.map(|fault| fault.kind)), (Status::Failed, Some(kind)), "{error}");
        live.said("Again", "msg_3");
        live.assistant("msg_4", json!({"parentID": "msg_3"}));
        live.of_ours("session.error", json!({"error": error}));
        live.assistant("msg_6", json!({"parentID": "msg_5"}));
        assert_eq!(ends(&live.of_ours("session.idle", json!({})))[0].status, Status::Completed);
    }
}

#[test]
fn an_answer_that_the_server_did_not_take_can_be_given_again() {
    let mut live = Live::ready();
    live.said("Hi", "msg_1");
    live.of_ours("permission.asked", json!({"id": "per_1", "permission": "bash", "metadata": {"command": "ls"}}));
    let path = "/session/ses_1/permissions/per_1";
    live.do_with(|harness| harness.choose("per_1", "once"));
    let refused = live.answer(path, 500, "{\"data\":{\"message\":\"oops\"}}");
    assert!(
        matches!(&refused[..], [Output::Done(OpResult { outcome: Err(fault), .. })] if fault.message.contains("oops")),
        "{refused:?}"
    );
    live.do_with(|harness| harness.choose("per_1", "once"));
    live.answer(path, 200, "true");
    assert!(project(&live.outputs).matches("asks").count() == 1);
    // Another client answered: the card closes.
    live.of_ours("permission.asked", json!({"id": "per_2", "permission": "bash", "metadata": {"command": "ls"}}));
    let over = live.of_ours("permission.replied", json!({"requestID": "per_2", "reply": "once"}));
    assert!(matches!(&over[..], [Output::Event(Event { body: EventBody::RequestsClosed(_), .. })]), "{over:?}");
}

#[test]
fn a_question_is_answered_or_dismissed() {
    let asked = json!({"id": "que_1", "questions": [{"question": "Which?", "header": "H", "options": [{"label": "A"}, {"label": "B"}]}]});
    let mut live = Live::ready();
    live.said("Hi", "msg_1");
    live.of_ours("question.asked", asked.clone());
    let reply = Reply::Filled(vec![Filled { question: "0".into(), values: vec!["B".into()] }]);
    live.do_with(|harness| harness.command(CommandBody::Respond(Answer { request: "que_1".into(), reply })));
    let (_, _, path, body) = live.open.last().unwrap().clone();
    assert_eq!((path.as_str(), body), ("/question/que_1/reply", json!({"answers": [["B"]]})));
    live.answer("/question/que_1/reply", 200, "true");
    let mut again = asked;
    again["id"] = json!("que_2");
    live.of_ours("question.asked", again);
    live.do_with(|harness| {
        harness.command(CommandBody::Respond(Answer { request: "que_2".into(), reply: Reply::Dismissed }))
    });
    live.answer("/question/que_2/reject", 200, "true");
}

#[test]
fn what_is_chosen_goes_along_with_the_message() {
    let mut live = Live::ready();
    live.do_with(|harness| {
        harness
            .command(CommandBody::SetSelection(vec![("model".into(), "a/b/c".into()), ("mode".into(), "plan".into())]))
    });
    live.do_with(|harness| harness.say("Hi"));
    let (.., body) = live.open.last().unwrap().clone();
    assert_eq!(body["model"], json!({"providerID": "a", "modelID": "b/c"}));
    assert_eq!(body["agent"], "plan");
    for (name, value) in [("model", "no-provider"), ("mode", "general"), ("effort", "high")] {
        let outputs =
            live.do_with(|harness| harness.command(CommandBody::SetSelection(vec![(name.into(), value.into())])));
        assert!(
            matches!(&outputs[0], Output::Done(OpResult { outcome: Err(fault), .. }) if fault.kind == FaultKind::Invalid),
            "{name}"
        );
    }
}

#[test]
fn a_server_that_goes_fails_what_is_open() {
    let mut live = Live::ready();
    live.said("Hi", "msg_1");
    live.of_ours("permission.asked", json!({"id": "per_1", "permission": "bash", "metadata": {}}));
    let server = live.harness.spawned[0].0;
    let outputs = live.do_with(|harness| harness.closed(server, Some(1), "it broke"));
    assert_eq!(ends(&outputs)[0].status, Status::Failed);
    assert!(
        outputs.iter().any(|output| matches!(output, Output::Event(Event { body: EventBody::RequestsClosed(_), .. })))
    );
}

/// Effects that were taken back, in order.
fn cancelled(outputs: &[Output]) -> Vec<u32> {
    let id = |output: &Output| match output {
        Output::Effect(Effect { body: EffectBody::Cancel(id), .. }) => Some(*id),
        _ => None,
    };
    outputs.iter().filter_map(id).collect()
}

/// It said so after 33 s on a machine at work, and what it had been asked after 20 s was never answered.
#[test]
fn a_server_that_says_late_that_it_serves_is_asked_again() {
    let mut live = Live::new();
    live.do_with(|harness| harness.open(None, &[]));
    assert_eq!(live.events, 0, "nothing is asked before it serves");
    live.do_with(|harness| harness.advance(20_000.0));
    let hoped = live.events;
    assert!(hoped > 0, "its words may change");
    let outputs = live.serves();
    assert!(cancelled(&outputs).contains(&hoped), "{outputs:?}");
    assert!(live.events > hoped);
    let said = live.events;
    // One that says nothing at all may have been too slow, too.
    let outputs = live.do_with(|harness| harness.advance(20_000.0));
    assert!(cancelled(&outputs).contains(&said) && live.events > said, "{outputs:?}");
    live.listens();
    live.answer("/session", 200, r#"{"id":"ses_1","version":"1.18.33"}"#);
    let events = live.events;
    assert_eq!(live.do_with(|harness| harness.advance(60_000.0)), []);
    assert!(!live.serves().iter().any(|output| matches!(output, Output::Effect(_))));
    assert_eq!(live.events, events);
}

#[test]
fn a_server_that_serves_when_nothing_is_opened_any_more_is_not_listened_to() {
    let mut live = Live::new();
    live.do_with(|harness| harness.open(None, &[]));
    live.do_with(|harness| harness.command(CommandBody::CloseThread));
    let outputs = live.serves();
    assert!(!outputs.iter().any(|output| matches!(output, Output::Effect(_))), "{outputs:?}");
}

#[test]
fn a_conversation_that_is_not_there_is_not_found() {
    let mut live = Live::new();
    live.begin(Some("ses_gone"));
    let outputs = live.answer("/session/ses_gone", 404, "{\"data\":{\"message\":\"Session not found\"}}");
    let fault = outputs.iter().find_map(|output| match output {
        Output::Done(OpResult { outcome: Err(fault), .. }) => Some(fault.clone()),
        _ => None,
    });
    let fault = fault.expect("it fails");
    assert_eq!((fault.kind, fault.code), (FaultKind::NotFound, None), "the host forgets the cursor by that");
}

/// Of a conversation that was resumed only the server knows what was said before.
#[test]
fn going_back_behind_a_resume_asks_the_server_what_was_said() {
    let mut live = Live::new();
    live.begin(Some("ses_1"));
    live.answer("/session/ses_1", 200, r#"{"id":"ses_1"}"#);
    live.lists();
    let point = Point { turn: None, item: None, mark: Some("msg_1".into()), turns_after: 1 };
    live.do_with(|harness| harness.command(CommandBody::RollbackThread(point)));
    let said = |id: &str, role: &str, part: Value| json!({"info": {"id": id, "role": role}, "parts": [part]});
    let text = || json!({"type": "text", "text": "x"});
    let messages = json!([
        said("msg_1", "user", text()),
        said("msg_2", "assistant", text()),
        said("msg_c", "user", json!({"type": "compaction"})),
        said("msg_3", "user", text())
    ]);
    live.answer("/session/ses_1/message", 200, &messages.to_string());
    let (_, _, path, body) = live.open.last().unwrap().clone();
    assert_eq!((path.as_str(), body), ("/session/ses_1/revert", json!({"messageID": "msg_3"})));
    let outputs = live.answer("/session/ses_1/revert", 200, "{}");
    assert!(project(&outputs).contains("Rewound"));
}
