//! What the recordings do not show: a broken configuration, a missing login, lines twice or in another order, ids of another type,
//! answers that the host stops, calls that nobody knows, two threads at once.

#[path = "support/program.rs"]
mod program;

use jackfield_plugin_codex::Codex;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::Harness;
use program::*;
use serde_json::{Value, json};

#[test]
fn a_configuration_that_was_not_read_refuses_the_session_however_it_is_told() {
    let mut told = greeted(NEW);
    let outputs = refuse(&mut told, -32603);
    assert_eq!(fault(&outputs).code.as_deref(), Some("configuration"));
    assert!(
        outputs.iter().any(|output| matches!(output, Output::Effect(Effect { body: EffectBody::CloseStdin(_), .. })))
    );
    let mut warned = greeted(NEW);
    let summary = "Invalid configuration; using defaults.";
    notice(&mut warned, "configWarning", json!({"summary": summary, "details": "config.toml:4:15: bad"}));
    let outputs = answer(&mut warned, json!({"config": {}}));
    assert!(fault(&outputs).message.contains("config.toml:4:15"));
    let mut logged = Harness::<Codex>::new();
    logged.start("{}");
    let line = "\u{1b}[2m2026\u{1b}[0m \u{1b}[31mERROR\u{1b}[0m codex_app_server: Invalid configuration; using defaults. config.toml:4:15: bad\n";
    let (begin, end) = line.split_at(70);
    logged.stderr(1, begin);
    logged.stderr(1, end);
    answer(&mut logged, json!({"userAgent": OLD}));
    assert_eq!(fault(&refuse(&mut logged, -32600)).kind, FaultKind::Invalid);
    // Another warning is a note, and a version that does not know the question is believed.
    let mut fine = greeted(OLD);
    refuse(&mut fine, -32600);
    let outputs = notice(&mut fine, "configWarning", json!({"summary": "no bubblewrap", "details": null}));
    assert!(matches!(&events(&outputs)[0].body, EventBody::Note(note) if note.code == "config"));
    let outputs = answer_account(&mut fine);
    assert_eq!(answers(&outputs), ["Accepted"]);
}

fn answer_account(harness: &mut Harness<Codex>) -> Vec<Output> {
    answer(harness, json!({"account": null, "requiresOpenaiAuth": false}))
}

#[test]
fn a_configuration_that_breaks_later_ends_the_session() {
    let mut harness = ready(NEW);
    let params = json!({"summary": "Invalid configuration; using defaults.", "details": "x"});
    let input = Input::Frame(Frame {
        channel: harness.spawned[0].0,
        pipe: Pipe::Main,
        data: FrameData::Text(json!({"method": "configWarning", "params": params}).to_string()),
    });
    assert_eq!(harness.batch(vec![input]).unwrap_err().kind, FaultKind::Invalid);
}

#[test]
fn who_is_not_logged_in_opens_no_thread_and_is_told_what_to_do() {
    let mut harness = greeted(NEW);
    answer(&mut harness, json!({"config": {}}));
    let outputs = answer(&mut harness, json!({"account": null, "requiresOpenaiAuth": true}));
    assert_eq!(answers(&outputs), ["Accepted"]);
    assert!(matches!(&events(&outputs)[0].body, EventBody::Account(account) if account.logged_in == Some(false)));
    let outputs = harness.open(None, &[]);
    let fault = fault(&outputs);
    assert_eq!((fault.kind, fault.code.as_deref()), (FaultKind::Auth, Some("auth-required")));
    assert!(fault.message.contains("not logged in"));
    harness.command(CommandBody::Authenticate("chatgpt".into()));
    let outputs =
        answer(&mut harness, json!({"type": "chatgpt", "loginId": "l", "authUrl": "https://example.invalid"}));
    assert!(matches!(&events(&outputs)[0].body, EventBody::RequestsOpened(list) if list[0].id == "login-l"));
    notice(&mut harness, "account/login/completed", json!({"loginId": "l", "success": true}));
    harness.open(None, &[]);
    assert_eq!(last(&harness)["method"], "thread/start");
}

/// As 0.171.0 and 0.120.0 were seen to do: a second login ends the first one, whose end comes late; a method that they do not have, and a
/// key, never reach them.
#[test]
fn a_login_is_shown_given_up_and_replaced() {
    let mut harness = greeted(NEW);
    answer(&mut harness, json!({"config": {}}));
    answer(&mut harness, json!({"account": null, "requiresOpenaiAuth": true}));
    for method in ["apiKey", "nobody's"] {
        let sent = harness.written.len();
        let outputs = harness.command(CommandBody::Authenticate(method.into()));
        let refused = fault(&outputs);
        assert_eq!((refused.kind, harness.written.len()), (FaultKind::Invalid, sent));
        assert!(refused.message.contains("chatgpt, chatgptDeviceCode"), "{}", refused.message);
    }
    let closed = |outputs: &[Output]| match &events(outputs)[0].body {
        EventBody::RequestsClosed(ends) => (ends[0].id.clone(), ends[0].status),
        other => panic!("{other:?}"),
    };
    harness.command(CommandBody::Authenticate("chatgpt".into()));
    answer(&mut harness, json!({"type": "chatgpt", "loginId": "a", "authUrl": "https://example.invalid/a"}));
    harness.command(CommandBody::Authenticate("chatgptDeviceCode".into()));
    assert_eq!(last(&harness)["params"], json!({"type": "chatgptDeviceCode"}));
    let started = json!({"type": "chatgptDeviceCode", "loginId": "b", "userCode": "AB-CD", "verificationUrl": "https://example.invalid/b"});
    let outputs = answer(&mut harness, started);
    let EventBody::RequestsOpened(list) = &events(&outputs)[0].body else { panic!("{outputs:?}") };
    let Subject::Login(login) = &list[0].subject else { panic!("{list:?}") };
    assert_eq!((login.code.as_deref(), login.url.as_deref()), (Some("AB-CD"), Some("https://example.invalid/b")));
    let late = json!({"loginId": "a", "success": false, "error": "Login was not completed"});
    let outputs = notice(&mut harness, "account/login/completed", late.clone());
    assert_eq!(closed(&outputs), ("login-a".into(), Status::Failed));
    assert!(events(&notice(&mut harness, "account/login/completed", late)).is_empty(), "its end is told once");
    let reply = Answer { request: "login-b".into(), reply: Reply::Dismissed };
    let outputs = harness.command(CommandBody::Respond(reply));
    assert_eq!(
        (answers(&outputs), closed(&outputs)),
        (vec!["Accepted".to_owned()], ("login-b".into(), Status::Cancelled))
    );
    assert_eq!(last(&harness)["params"], json!({"loginId": "b"}));
    assert_eq!(fault(&harness.open(None, &[])).kind, FaultKind::Auth, "nobody has logged in");
}

#[test]
fn the_version_chooses_what_is_declared_and_how_to_go_back() {
    let names = |agent: &str| {
        let mut harness = Harness::<Codex>::new();
        harness.start("{}");
        let outputs = answer(&mut harness, json!({"userAgent": agent}));
        let set = outputs.iter().find_map(|output| match output {
            Output::Negotiated(set) => Some(set.clone()),
            _ => None,
        });
        set.unwrap().capabilities.into_iter().map(|capability| capability.name).collect::<Vec<_>>()
    };
    let queue = "turns.supports-queued-messages".to_owned();
    assert!(names(NEW).contains(&queue) && !names(OLD).contains(&queue));
    let point = || Point { turn: None, item: None, mark: None, turns_after: 1 };
    for (agent, first, other) in [(NEW, "thread/revert", "thread/rollback"), (OLD, "thread/rollback", "thread/revert")]
    {
        let mut harness = busy(agent);
        notice(&mut harness, "turn/completed", json!({"threadId": "t", "turn": {"id": "u", "status": "completed"}}));
        harness.command(CommandBody::RollbackThread(point()));
        assert_eq!(last(&harness)["method"], first);
        assert!(answers(&refuse(&mut harness, -32600)).is_empty());
        assert_eq!(last(&harness)["method"], other, "a version between the two may have the other method");
        assert_eq!(answers(&refuse(&mut harness, -32600)), ["Invalid"]);
    }
}

#[test]
fn a_thread_that_was_resumed_is_asked_for_its_turns_before_it_goes_back() {
    let mut harness = started(NEW);
    harness.open(Some("t"), &[]);
    answer(&mut harness, json!({"thread": {"id": "t", "turns": []}}));
    let point = Point { turn: Some("a".into()), item: None, mark: None, turns_after: 1 };
    harness.command(CommandBody::RollbackThread(point));
    assert_eq!(last(&harness)["method"], "thread/read");
    answer(&mut harness, json!({"thread": {"id": "t", "turns": [{"id": "a"}, {"id": "b"}]}}));
    assert_eq!(last(&harness)["params"]["beforeTurnId"], "b");
    assert_eq!(answers(&answer(&mut harness, json!({"thread": {"id": "t"}}))), ["Thread"]);
}

#[test]
fn an_old_version_copies_whole_threads_only() {
    let mut harness = busy(OLD);
    let point = |turns_after| Point { turn: Some("u".into()), item: None, mark: None, turns_after };
    assert_eq!(answers(&harness.command(CommandBody::ForkThread(point(1)))), ["Unsupported"]);
    harness.command(CommandBody::ForkThread(point(0)));
    assert!(last(&harness)["params"].get("lastTurnId").is_none());
    // What happens in the copy before it is opened is nobody's.
    answer(&mut harness, json!({"thread": {"id": "copy", "forkedFromId": "t"}}));
    let outputs = notice(&mut harness, "thread/tokenUsage/updated", json!({"threadId": "copy", "tokenUsage": {}}));
    assert!(matches!(outputs.as_slice(), [Output::Disposition(Disposition::Silent(_))]));
}

#[test]
fn a_phantom_turn_is_the_one_that_is_open() {
    let mut harness = ready(OLD);
    harness.say("go");
    // The program has opened a turn of its own meanwhile.
    notice(&mut harness, "turn/started", json!({"threadId": "t", "turn": {"id": "other"}}));
    let outputs = answer(&mut harness, json!({"turn": {"id": "other"}}));
    assert_eq!(answers(&outputs), ["OpenedTurn other"]);
    let mut steered = busy(OLD);
    let mut message = Message::of_text("more");
    message.turn = Some("u".into());
    steered.command(CommandBody::SteerRun(message));
    assert_eq!(answers(&answer(&mut steered, json!({"turn": {"id": "phantom"}}))), ["JoinedTurn u"]);
}

#[test]
fn lines_told_twice_or_in_another_order_are_told_once() {
    let mut harness = busy(NEW);
    let message = |text: &str| json!({"type": "agentMessage", "id": "m", "text": text});
    assert!(is_duplicate(&notice(&mut harness, "turn/started", json!({"threadId": "t", "turn": {"id": "u"}}))));
    item(&mut harness, "item/started", "t", "u", message(""));
    assert!(is_duplicate(&item(&mut harness, "item/started", "t", "u", message(""))));
    item(&mut harness, "item/completed", "t", "u", message("Hi"));
    assert!(is_duplicate(&item(&mut harness, "item/completed", "t", "u", message("Hi"))));
    assert!(is_duplicate(&item(&mut harness, "item/started", "t", "u", message(""))), "a beginning after the end");
    let end = json!({"threadId": "t", "turn": {"id": "u", "status": "completed"}});
    notice(&mut harness, "turn/completed", end.clone());
    assert!(is_duplicate(&notice(&mut harness, "turn/completed", end)));
    // The older protocol says the same again; what is new is unknown, by its name.
    let silent = notice(&mut harness, "codex/event/agent_message", json!({"msg": {}}));
    assert!(matches!(silent.as_slice(), [Output::Disposition(Disposition::Silent(_))]));
    let unknown = notice(&mut harness, "thread/juggled", json!({"threadId": "t"}));
    assert!(
        matches!(unknown.as_slice(), [Output::Disposition(Disposition::Unknown(name))] if name == "thread/juggled")
    );
}

#[test]
fn the_end_of_a_command_may_come_after_its_turn() {
    let mut harness = busy(OLD);
    let command = |status: &str| json!({"type": "commandExecution", "id": "c", "command": "ls", "status": status});
    item(&mut harness, "item/started", "t", "u", command("inProgress"));
    notice(&mut harness, "turn/completed", json!({"threadId": "t", "turn": {"id": "u", "status": "completed"}}));
    let outputs = item(&mut harness, "item/completed", "t", "u", command("completed"));
    let scope = events(&outputs).last().unwrap().scope.clone().unwrap();
    assert_eq!(scope.turn.as_deref(), Some("u"), "it names its turn, so that it is not the next one's");
    assert!(is_duplicate(&item(&mut harness, "item/completed", "t", "u", command("completed"))), "it is told once");
}

#[test]
fn ids_are_compared_exactly_and_a_call_that_nobody_knows_is_refused() {
    let mut harness = busy(NEW);
    let ask = |id: Value| json!({"id": id, "method": "item/fileChange/requestApproval", "params": {"threadId": "t", "turnId": "u", "itemId": "p"}});
    let number = frame(&mut harness, ask(json!(0)));
    let text = frame(&mut harness, ask(json!("0")));
    let id = |outputs: &[Output]| match &events(outputs)[0].body {
        EventBody::RequestsOpened(requests) => requests[0].id.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!((id(&number).as_str(), id(&text).as_str()), ("0", "\"0\""));
    assert!(is_duplicate(&frame(&mut harness, ask(json!(0)))));
    harness.choose("\"0\"", "cancel");
    assert_eq!(last(&harness), json!({"id": "0", "result": {"decision": "cancel"}}));
    frame(&mut harness, json!({"id": 7, "method": "attestation/generate", "params": {}}));
    assert_eq!(last(&harness)["error"]["code"], -32601);
    // Taken back by the program, whose turn was stopped.
    let outputs = notice(&mut harness, "serverRequest/resolved", json!({"threadId": "t", "requestId": 0}));
    assert!(matches!(&events(&outputs)[0].body, EventBody::RequestsClosed(ends) if ends[0].id == "0"));
    assert_eq!(answers(&harness.choose("0", "accept")), ["NotFound"]);
}

#[test]
fn an_answer_that_the_host_stops_leaves_its_request_open() {
    let mut harness = Harness::<Codex>::manual();
    let channel = |outputs: &[Output]| match outputs {
        [Output::Effect(effect)] => effect.id,
        other => panic!("{other:?}"),
    };
    let channel = channel(&harness.start("{}"));
    let write = |outputs: &[Output]| {
        let effect = outputs.iter().rev().find_map(|output| match output {
            Output::Effect(Effect { id, body: EffectBody::Write(_) }) => Some(*id),
            _ => None,
        });
        effect.unwrap()
    };
    harness.effect_done(channel, Ok(EffectValue::Opened));
    for result in [json!({"userAgent": NEW}), json!({"config": {}}), json!({"account": null})] {
        let id = last(&harness)["id"].clone();
        harness.frame(channel, &json!({"id": id, "result": result}).to_string());
    }
    let ask = json!({"id": 3, "method": "item/fileChange/requestApproval", "params": {"threadId": "t"}});
    harness.frame(channel, &ask.to_string());
    let outputs = harness.choose("3", "accept");
    let outputs = harness.effect_done(write(&outputs), Err(Fault::new(FaultKind::Denied, "nobody allowed it")));
    assert_eq!(answers(&outputs), ["Denied"]);
    let outputs = harness.choose("3", "decline");
    assert_eq!(answers(&harness.effect_done(write(&outputs), Ok(EffectValue::Written))), ["Accepted"]);
}

#[test]
fn each_kind_of_request_has_its_answers_and_what_is_closed_is_refused() {
    let mut harness = busy(NEW);
    let amendment = json!({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["ls"]}});
    let permissions = json!({"network": {"enabled": true}});
    let form = json!({"properties": {"name": {"type": "string", "description": "Your name?"}}});
    let chosen = |option: &str| Reply::Chosen(Chosen { option_id: option.into(), note: None, input: None });
    let filled = |question: &str, value: &str| {
        Reply::Filled(vec![Filled { question: question.into(), values: vec![value.into()] }])
    };
    let command =
        ("item/commandExecution/requestApproval", json!({"availableDecisions": ["accept", amendment, "cancel"]}));
    let grant = ("item/permissions/requestApproval", json!({"permissions": permissions}));
    let ask = ("item/tool/requestUserInput", json!({"questions": [{"id": "q", "question": "Which?"}]}));
    let elicit = ("mcpServer/elicitation/request", json!({"serverName": "s", "message": "m", "requestedSchema": form}));
    let agree = ("mcpServer/elicitation/request", json!({"serverName": "s", "message": "May I?"}));
    let tool = ("item/tool/call", json!({"tool": "ping", "arguments": {}}));
    let cases = [
        (&command, chosen("acceptWithExecpolicyAmendment"), json!({"decision": amendment})),
        (&command, chosen("acceptForSession"), json!({"decision": "acceptForSession"})),
        (&command, Reply::Dismissed, json!({"decision": "decline"})),
        (&grant, chosen("session"), json!({"permissions": permissions, "scope": "session"})),
        (&grant, chosen("none"), json!({"permissions": {}, "scope": "turn"})),
        (&grant, Reply::Dismissed, json!({"permissions": {}, "scope": "turn"})),
        (&ask, filled("q", "red"), json!({"answers": {"q": {"answers": ["red"]}}})),
        (&ask, Reply::Dismissed, json!({"answers": {}})),
        (&elicit, filled("name", "\"Ada\""), json!({"action": "accept", "content": {"name": "Ada"}})),
        (&elicit, Reply::Dismissed, json!({"action": "cancel", "content": null})),
        (&agree, chosen("decline"), json!({"action": "decline", "content": null})),
        (
            &tool,
            Reply::Output(ToolOutput { content: vec!["pong".into()], failed: false }),
            json!({"success": true, "contentItems": [{"type": "inputText", "text": "pong"}]}),
        ),
    ];
    for (id, ((method, params), reply, expected)) in cases.into_iter().enumerate() {
        let mut params = params.clone();
        params["threadId"] = "t".into();
        frame(&mut harness, json!({"id": id, "method": method, "params": params}));
        let outputs = harness.command(CommandBody::Respond(Answer { request: id.to_string(), reply }));
        assert_eq!(answers(&outputs), ["Accepted"], "{method}");
        assert_eq!(last(&harness), json!({"id": id, "result": expected}), "{method}");
    }
    frame(&mut harness, json!({"id": 90, "method": command.0, "params": {"threadId": "t"}}));
    assert_eq!(answers(&harness.choose("90", "acceptWithExecpolicyAmendment")), ["Invalid"], "it was not offered");
}

#[test]
fn a_turn_is_stopped_once_its_id_is_known_and_its_subagents_with_it() {
    let mut harness = ready(NEW);
    harness.say("go");
    let start = last(&harness);
    assert!(answers(&harness.interrupt()).is_empty());
    assert_eq!(last(&harness), start, "the id of the turn is not known yet");
    answer(&mut harness, json!({"turn": {"id": "u"}}));
    assert_eq!(last(&harness)["params"], json!({"threadId": "t", "turnId": "u"}));
    assert_eq!(answers(&answer(&mut harness, json!({}))), ["Interrupted"]);

    let mut parent = busy(NEW);
    let spawn = |ended: bool| json!({"type": "collabAgentToolCall", "id": "s", "tool": "spawnAgent", "status": "completed", "prompt": "p", "receiverThreadIds": if ended { vec!["child"] } else { vec![] }});
    item(&mut parent, "item/started", "t", "u", spawn(false));
    // The child speaks before its call has named it.
    notice(&mut parent, "turn/started", json!({"threadId": "child", "turn": {"id": "w"}}));
    let said =
        item(&mut parent, "item/completed", "child", "w", json!({"type": "agentMessage", "id": "m", "text": "Hi"}));
    assert_eq!(events(&said)[0].scope.as_ref().unwrap().thread.as_deref(), Some("child"));
    item(&mut parent, "item/completed", "t", "u", spawn(true));
    parent.interrupt();
    let stopped: Vec<Value> = parent.written.iter().map(|(_, text)| serde_json::from_str(text).unwrap()).collect();
    let stopped: Vec<&Value> =
        stopped.iter().filter(|call| call["method"] == "turn/interrupt").map(|call| &call["params"]).collect();
    assert_eq!(stopped, [&json!({"threadId": "t", "turnId": "u"}), &json!({"threadId": "child", "turnId": "w"})]);
    let end = json!({"threadId": "t", "turn": {"id": "u", "status": "interrupted"}});
    let outputs = notice(&mut parent, "turn/completed", end);
    assert!(matches!(&events(&outputs).last().unwrap().body, EventBody::TurnEnded(end) if end.background));
    assert!(answers(&parent.command(CommandBody::WaitTask("child".into()))).is_empty());
    let end = json!({"threadId": "child", "turn": {"id": "w", "status": "interrupted"}});
    assert_eq!(answers(&notice(&mut parent, "turn/completed", end)), ["Task"]);
}

#[test]
fn threads_on_one_program_keep_apart() {
    let mut harness = ready(NEW);
    harness.open(None, &[]);
    answer(&mut harness, json!({"thread": {"id": "v", "turns": []}}));
    for (thread, turn) in [("t", "1"), ("v", "2")] {
        harness.command_in(thread, CommandBody::SendRun(Message::of_text("go")));
        assert_eq!(last(&harness)["params"]["threadId"], thread);
        answer(&mut harness, json!({"turn": {"id": turn}}));
        notice(&mut harness, "turn/started", json!({"threadId": thread, "turn": {"id": turn}}));
    }
    for (thread, turn) in [("v", "2"), ("t", "1")] {
        let delta = json!({"threadId": thread, "turnId": turn, "itemId": "m", "delta": "x"});
        let outputs = notice(&mut harness, "item/agentMessage/delta", delta);
        assert_eq!(events(&outputs)[0].scope.as_ref().unwrap().thread.as_deref(), Some(thread));
    }
    assert_eq!(answers(&harness.command(CommandBody::CompactThread(String::new()))), ["NotFound"], "which one?");
    harness.command_in("v", CommandBody::CloseThread);
    assert_eq!(last(&harness)["method"], "thread/unsubscribe", "the program goes on for the other");
}

#[test]
fn what_waits_in_the_programs_queue_opens_the_next_turn() {
    let mut harness = busy(NEW);
    let queued = |uuid: &str| Message { enqueue: true, uuid: uuid.into(), ..Message::of_text("later") };
    let op = harness.next_op();
    harness.command(CommandBody::SendRun(queued("1-1")));
    assert_eq!(answers(&answer(&mut harness, json!({"queuedSubmission": {"id": "q"}}))), ["Queued -"]);
    notice(&mut harness, "turn/completed", json!({"threadId": "t", "turn": {"id": "u", "status": "completed"}}));
    let outputs = notice(&mut harness, "turn/started", json!({"threadId": "t", "turn": {"id": "w"}}));
    assert!(matches!(&events(&outputs)[0].body, EventBody::TurnStarted(start) if start.op == Some(op)));
    let mut old = busy(OLD);
    assert_eq!(answers(&old.command(CommandBody::SendRun(queued("1-2")))), ["Conflict"]);
}

#[test]
fn a_program_that_dies_answers_all_that_waits_and_ends_its_turns() {
    let mut harness = busy(NEW);
    harness.interrupt();
    let channel = harness.spawned[0].0;
    let outputs = harness.closed(channel, Some(101), "thread 'main' panicked");
    assert!(fault(&outputs).message.contains("panicked"));
    assert!(
        events(&outputs)
            .iter()
            .any(|event| matches!(&event.body, EventBody::TurnEnded(end) if end.status == Status::Failed))
    );
    assert_eq!(answers(&harness.say("hi")), ["NotFound"]);
}

#[test]
fn a_tool_that_the_program_does_not_have_is_told_though_only_stderr_has_it() {
    let mut harness = busy(NEW);
    let line = "\u{1b}[2m2026-11-30T18:34:19Z\u{1b}[0m \u{1b}[31mERROR\u{1b}[0m \u{1b}[2mcodex_core::tools::router\u{1b}[0m\u{1b}[2m:\u{1b}[0m \u{1b}[3merror\u{1b}[0m\u{1b}[2m=\u{1b}[0munsupported call: no_such_tool\n";
    let channel = harness.spawned[0].0;
    let outputs = harness.stderr(channel, line);
    assert!(
        matches!(&events(&outputs)[0].body, EventBody::Note(note) if note.text == "unsupported call: no_such_tool")
    );
}
