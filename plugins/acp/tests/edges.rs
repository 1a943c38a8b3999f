//! What no recording shows: handshakes that fail, things in the wrong order, agents that were never seen.

mod support;

use jackfield_plugin_acp::{Acp, AcpDialect, Data};
use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::{Harness, with_data, word};
use serde_json::{Value, json};
use support::{Live, project};

fn fault(outputs: &[Output]) -> Fault {
    let fault = outputs.iter().find_map(|output| match output {
        Output::Done(OpResult { outcome: Err(fault), .. }) => Some(fault.clone()),
        _ => None,
    });
    fault.unwrap_or_else(|| panic!("no fault in {outputs:?}"))
}

fn events(outputs: &[Output]) -> Vec<&EventBody> {
    outputs
        .iter()
        .filter_map(|output| if let Output::Event(event) = output { Some(&event.body) } else { None })
        .collect()
}

fn ends(outputs: &[Output]) -> Vec<(String, Option<String>)> {
    let ends = events(outputs).into_iter().filter_map(|body| match body {
        EventBody::TurnEnded(end) => Some((word(&end.status), end.fault.as_ref().map(|fault| word(&fault.kind)))),
        _ => None,
    });
    ends.collect()
}

fn text(words: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": words}})
}

#[test]
fn another_version_of_the_protocol_is_refused_with_a_clear_word() {
    for version in [json!(2), json!(0), json!("1"), Value::Null] {
        let mut live = Live::raw();
        let fault = fault(&live.answer(json!({"protocolVersion": version})));
        assert_eq!((fault.kind, fault.code.as_deref()), (FaultKind::Protocol, Some("protocol-version")), "{version}");
        assert!(fault.message.contains("this plugin speaks version 1"), "{}", fault.message);
    }
}

#[test]
fn the_handshake_offers_neither_files_nor_terminals() {
    let live = Live::raw();
    let params = &live.last_call()["params"];
    assert_eq!(params["protocolVersion"], 1);
    assert_eq!(params["clientCapabilities"]["fs"], json!({"readTextFile": false, "writeTextFile": false}));
    assert_eq!(params["clientCapabilities"]["terminal"], false);
}

#[test]
fn a_login_that_is_missing_says_what_to_do() {
    let mut live = Live::started(json!({}));
    live.harness.open(None, &[]);
    let outputs = live.fail(-32000, "Authentication required");
    let fault = fault(&outputs);
    assert_eq!(fault.kind, FaultKind::Auth);
    assert!(fault.message.contains("A key (key: set KEY)"), "{}", fault.message);
    // The methods are offered, for the host to pick one of.
    let EventBody::RequestsOpened(asked) = events(&outputs)[0] else { panic!("{outputs:?}") };
    assert!(matches!(&asked[0].subject, Subject::Login(login) if login.text == fault.message));
    assert_eq!(asked[0].options, [Offer::new("key", "A key: set KEY", Verdict::Neutral)]);

    let outputs = live.harness.command(CommandBody::Authenticate("key".into()));
    assert!(events(&outputs).is_empty());
    assert_eq!(live.last_call()["params"], json!({"methodId": "key"}));
    assert!(project(&live.answer(json!({}))).contains("Accepted"));
    let outputs = live.harness.command(CommandBody::Authenticate("palm".into()));
    assert!(self::fault(&outputs).message.contains("it offers: key"));
}

#[test]
fn the_option_logs_in_before_anything_else() {
    let mut live = Live { harness: Harness::new(), answered: 0 };
    live.harness.start(r#"{"auth_method":"key"}"#);
    live.answer(json!({"protocolVersion": 1, "authMethods": [{"id": "key", "name": "A key"}]}));
    assert_eq!(live.last_call()["method"], "authenticate");
    assert!(fault(&live.fail(-32000, "no")).message.contains("A key"));
}

#[test]
fn what_comes_before_the_answer_belongs_to_its_conversation() {
    let mut live = Live::started(json!({}));
    live.harness.open(None, &[]);
    let commands = json!({"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "plan", "description": "d"}]});
    let outputs = live.update_of("s", commands);
    assert!(matches!(outputs.as_slice(), [Output::Disposition(Disposition::Held)]));
    let outputs = live.answer(json!({"sessionId": "s"}));
    assert!(matches!(events(&outputs).last(), Some(EventBody::SlashCommands(commands)) if commands[0].name == "plan"));
    let outputs = live.update_of("other", text("lost"));
    assert!(matches!(&outputs[0], Output::Disposition(Disposition::Unknown(_))), "{outputs:?}");
}

#[test]
fn a_load_may_answer_null_and_its_history_is_never_live() {
    let mut live = Live::started(json!({"loadSession": true}));
    live.harness.open(Some("s"), &[]);
    assert_eq!(live.last_call()["method"], "session/load");
    for update in [
        json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "a"}}),
        text("b"),
        text("c"),
        json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "x", "status": "in_progress"}),
        json!({"sessionUpdate": "plan", "entries": [{"content": "e", "status": "completed"}]}),
    ] {
        for output in live.update(update) {
            if let Output::Event(event) = output {
                assert!(event.scope.is_some_and(|scope| scope.replayed), "{:?}", event.body);
            }
        }
    }
    let shown = project(&live.answer(Value::Null));
    assert_eq!(shown.lines().next(), Some("replayed Unknown t Unknown - - -"));
    assert!(shown.contains("thread with a cursor"));
    assert!(project(&live.update(text("now"))).starts_with("+Assistant -: now"));
}

#[test]
fn an_agent_that_only_says_it_resumes_is_asked_to_load() {
    let mut live = Live::started(json!({"loadSession": true, "sessionCapabilities": {"resume": {}}}));
    live.harness.open(Some("s"), &[]);
    assert_eq!(live.last_call()["method"], "session/resume");
    live.fail(-32601, "Method not found");
    assert_eq!(live.last_call()["method"], "session/load");
    assert_eq!(live.last_call()["params"]["sessionId"], "s");
    assert!(project(&live.answer(json!({}))).contains("thread with a cursor"));
}

#[test]
fn without_a_way_back_there_is_no_cursor_and_a_clear_refusal() {
    let mut live = Live::ready(json!({}));
    live.harness.say("hi");
    let outputs = live.answer(json!({"stopReason": "end_turn"}));
    assert!(!project(&outputs).contains("resumable"));
    let mut live = Live::started(json!({}));
    let fault = fault(&live.harness.open(Some("s"), &[]));
    assert_eq!(fault.kind, FaultKind::Unsupported);
}

#[test]
fn stop_reasons_are_what_they_say() {
    let cases = [
        ("end_turn", "Completed", None),
        ("cancelled", "Interrupted", None),
        ("max_tokens", "Failed", Some("Quota")),
        ("max_turn_requests", "Failed", Some("Quota")),
        ("refusal", "Failed", Some("Denied")),
        ("something_new", "Unknown", None),
    ];
    let mut live = Live::ready(json!({}));
    for (reason, status, kind) in cases {
        live.harness.say("hi");
        live.update(text("I was interrupted, Error: cancelled"));
        let outputs = live.answer(json!({"stopReason": reason}));
        assert_eq!(ends(&outputs), [(status.to_owned(), kind.map(str::to_owned))], "{reason}");
    }
}

#[test]
fn only_the_answer_ends_a_turn_and_an_interrupt_explains_an_error() {
    let mut live = Live::ready(json!({}));
    live.harness.say("hi");
    let outputs = live.harness.interrupt();
    assert!(ends(&outputs).is_empty());
    let cancel = live.written().pop().unwrap();
    assert_eq!((cancel["method"].as_str(), cancel["id"].is_null()), (Some("session/cancel"), true));
    assert_eq!(ends(&live.fail(-32603, "aborted")), [("Interrupted".to_owned(), None)]);
    assert_eq!(fault(&live.harness.interrupt()).kind, FaultKind::Conflict);
    live.harness.say("again");
    assert_eq!(ends(&live.fail(-32603, "aborted")), [("Failed".to_owned(), Some("Unknown".to_owned()))]);
    // Words after the end belong to no turn, and are not lost.
    assert!(project(&live.update(text("late"))).contains("+Assistant -: late"));
}

#[test]
fn a_second_message_waits_for_the_end_of_the_first() {
    let mut live = Live::ready(json!({}));
    live.harness.say("one");
    assert_eq!(fault(&live.harness.say("two")).kind, FaultKind::Conflict);
}

#[test]
fn a_program_that_ends_fails_what_is_open_at_once() {
    let mut live = Live::raw();
    let channel = live.harness.spawned[0].0;
    assert_eq!(fault(&live.harness.closed(channel, Some(3), "boom")).kind, FaultKind::Network);

    let mut live = Live::ready(json!({"loadSession": true}));
    live.harness.say("hi");
    let permission = json!({"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": []});
    live.call(json!(0), "session/request_permission", permission);
    let outputs = live.harness.closed(channel, Some(3), "boom");
    assert_eq!(ends(&outputs), [("Failed".to_owned(), Some("Network".to_owned()))]);
    assert!(events(&outputs).iter().any(|body| matches!(body, EventBody::RequestsClosed(_))));
}

#[test]
fn every_request_is_answered_whatever_it_asks() {
    let mut live = Live::ready(json!({}));
    live.written();
    for (id, method) in [(json!(0), "fs/write_text_file"), (json!("0"), "terminal/create"), (json!("x"), "_vendor/ask")]
    {
        live.call(id.clone(), method, json!({"sessionId": "s"}));
        let answer = live.written().pop().unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(-32601)), "{method}");
    }
    let other = json!({"sessionId": "elsewhere", "toolCall": {"toolCallId": "t"}, "options": []});
    live.call(json!(7), "session/request_permission", other);
    assert_eq!(live.written().pop().unwrap()["result"], json!({"outcome": {"outcome": "cancelled"}}));
    let outputs = live.frame(json!({"jsonrpc": "2.0", "method": "_vendor/told", "params": {}}));
    assert!(matches!(&outputs[0], Output::Disposition(Disposition::Unknown(kind)) if kind == "_vendor/told"));
    let outputs = live.update(json!({"sessionUpdate": "subagent_update"}));
    assert!(
        matches!(&outputs[0], Output::Disposition(Disposition::Unknown(kind)) if kind == "session/update/subagent_update")
    );
}

#[test]
fn ids_of_the_two_sides_never_meet() {
    let mut live = Live::ready(json!({}));
    live.harness.say("hi");
    let ours = live.last_call()["id"].clone();
    live.call(ours.clone(), "session/request_permission", json!({"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": [{"optionId": "a", "kind": "allow_once", "name": "A"}]}));
    live.harness.choose(&ours.to_string(), "a");
    assert_eq!(live.written().pop().unwrap()["result"]["outcome"]["optionId"], "a");
    assert_eq!(ends(&live.answer(json!({"stopReason": "end_turn"}))).len(), 1);
    // An object with an id of ours, and nothing of an answer.
    live.harness.say("again");
    let id = live.last_call()["id"].clone();
    assert!(ends(&live.frame(json!({"level": "info", "id": id}))).is_empty());
}

/// A plugin of somebody else's: data in code, and what data can't say.
#[derive(Debug, Default)]
struct Grumpy {
    grumbles: u32,
}

impl AcpDialect for Grumpy {
    fn data() -> Result<Data, String> {
        Ok(Data {
            provider: "grumpy".into(),
            label: "Grumpy".into(),
            flags: vec!["planning.emits-todo-list".into()],
            ..Data::default()
        })
    }

    fn update(&mut self, update: &mut Value) -> bool {
        if update["sessionUpdate"] == "x_says" {
            *update = text(update["words"].as_str().unwrap_or_default());
        }
        update["sessionUpdate"] != "x_heartbeat"
    }

    fn asks(&mut self, params: &mut Value) {
        params["toolCall"]["kind"] = params["toolCall"]["deed"].take();
    }

    fn request(&mut self, _cx: &mut Cx, method: &str, params: &Value) -> Option<Value> {
        if method == "_grumpy/add" { Some(json!(params["a"].as_i64()? + params["b"].as_i64()?)) } else { None }
    }

    fn notice(&mut self, cx: &mut Cx, method: &str, params: &Value) -> bool {
        self.grumbles += 1;
        cx.event(EventBody::Note(Note::new(Level::Info, "grumble", format!("{}: {params}", self.grumbles))));
        method == "_grumpy/grumbles"
    }

    fn ended(&mut self, result: &Value, end: &mut TurnEnd) {
        end.mark = result["point"].as_str().map(str::to_owned);
    }

    fn fault(&mut self, _method: &str, error: &RpcError, fault: &mut Fault) {
        if error.code == -1 {
            fault.kind = FaultKind::Quota;
        }
    }
}

#[test]
fn a_dialect_in_code_extends_the_plugin_without_copying_it() {
    let describe = Acp::<Grumpy>::describe();
    assert_eq!((describe.provider.as_str(), describe.label.as_str()), ("grumpy", "Grumpy"));
    assert!(describe.declared.capabilities.iter().any(|flag| flag.name == "planning.emits-todo-list"));

    let mut harness = Harness::<Acp<Grumpy>>::new();
    let mut id = 0;
    let mut answer = |harness: &mut Harness<Acp<Grumpy>>, outcome: (&str, Value)| {
        id += 1;
        harness.frame(1, &json!({"jsonrpc": "2.0", "id": id, outcome.0: outcome.1}).to_string())
    };
    harness.start("{}");
    answer(&mut harness, ("result", json!({"protocolVersion": 1})));
    harness.open(None, &[]);
    answer(&mut harness, ("result", json!({"sessionId": "s"})));
    harness.say("hi");
    let mut update = |update: Value| {
        let frame =
            json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}});
        project(&harness.frame(1, &frame.to_string()))
    };
    assert_eq!(update(json!({"sessionUpdate": "x_says", "words": "no"})), "+Assistant -: no\n");
    let asked = json!({"jsonrpc": "2.0", "id": 8, "method": "session/request_permission",
        "params": {"sessionId": "s", "toolCall": {"toolCallId": "t", "deed": "execute"}, "options": []}});
    assert!(
        project(&harness.frame(1, &asked.to_string())).contains("Execute"),
        "what a request says is in its dialect, too"
    );
    let mut update = |update: Value| {
        let frame =
            json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}});
        project(&harness.frame(1, &frame.to_string()))
    };
    assert_eq!(update(json!({"sessionUpdate": "x_heartbeat"})), "");
    harness.frame(1, r#"{"jsonrpc":"2.0","id":9,"method":"_grumpy/add","params":{"a":2,"b":3}}"#);
    assert_eq!(harness.written.last().unwrap().1, r#"{"id":9,"jsonrpc":"2.0","result":5}"#);
    let outputs = harness.frame(1, r#"{"jsonrpc":"2.0","method":"_grumpy/grumbles","params":1}"#);
    assert_eq!(project(&outputs), "note 1: 1\n");
    let outputs = answer(&mut harness, ("result", json!({"stopReason": "end_turn", "point": "p"})));
    assert!(outputs.iter().any(|output| matches!(output, Output::Event(Event { body: EventBody::TurnEnded(end), .. }) if end.mark.as_deref() == Some("p"))));
    harness.say("again");
    let outputs = answer(&mut harness, ("error", json!({"code": -1, "message": "out"})));
    assert_eq!(ends(&outputs), [("Failed".to_owned(), Some("Quota".to_owned()))]);
}

#[test]
fn data_that_can_not_be_read_refuses_the_session() {
    with_data(r#"{"provider":"x","no-such-key":1}"#, || {
        assert_eq!(Acp::<jackfield_plugin_acp::ByData>::describe().provider, "acp");
        let fault = fault(&Harness::<Acp<jackfield_plugin_acp::ByData>>::new().start("{}"));
        assert!(fault.message.contains("no-such-key"), "{}", fault.message);
    });
}
