//! What goes with a conversation and a message: attachments, MCP servers, settings, copies, several conversations at once.

mod support;

use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::with_data;
use serde_json::{Value, json};
use support::{Live, project};

fn refusal(outputs: &[Output]) -> (FaultKind, String) {
    let fault = outputs.iter().find_map(|output| match output {
        Output::Done(OpResult { outcome: Err(fault), .. }) => Some((fault.kind, fault.message.clone())),
        _ => None,
    });
    fault.unwrap_or_else(|| panic!("no refusal in {outputs:?}"))
}

fn media(mime: &str, base64: Option<&str>, uri: Option<&str>) -> Content {
    let owned = |text: &str| text.to_owned();
    Content::Media(Media { mime: mime.into(), name: Some("a".into()), uri: uri.map(owned), base64: base64.map(owned) })
}

fn with(content: Content) -> CommandBody {
    CommandBody::SendRun(Message { content: vec![content, "look".into()], ..Message::of_text("") })
}

#[test]
fn attachments_go_as_the_agent_takes_them() {
    let all = json!({"promptCapabilities": {"image": true, "audio": true, "embeddedContext": true}});
    let cases = [
        (media("image/png", Some("aGk="), None), json!({"type": "image", "mimeType": "image/png", "data": "aGk="})),
        (media("audio/wav", Some("aGk="), None), json!({"type": "audio", "mimeType": "audio/wav", "data": "aGk="})),
        (
            media("text/plain; charset=utf-8", Some("aGk="), Some("file:///w/a")),
            json!({"type": "resource", "resource": {"uri": "file:///w/a", "mimeType": "text/plain", "text": "hi"}}),
        ),
        (
            media("application/pdf", Some("/w=="), None),
            json!({"type": "resource", "resource": {"uri": "attachment:///a", "mimeType": "application/pdf", "blob": "/w=="}}),
        ),
        (
            media("text/plain", None, Some("file:///w/a")),
            json!({"type": "resource_link", "name": "a", "uri": "file:///w/a", "mimeType": "text/plain"}),
        ),
    ];
    for (content, block) in cases {
        let mut live = Live::ready(all.clone());
        live.harness.command(with(content));
        assert_eq!(live.last_call()["params"]["prompt"], json!([block, {"type": "text", "text": "look"}]));
    }
}

#[test]
fn what_the_agent_does_not_take_is_refused_before_anything_is_sent() {
    for content in [
        media("image/png", Some("aGk="), None),
        media("audio/wav", Some("aGk="), None),
        media("text/plain", Some("aGk="), None),
    ] {
        let mut live = Live::ready(json!({}));
        live.written();
        let (kind, text) = refusal(&live.harness.command(with(content)));
        assert_eq!(kind, FaultKind::Unsupported);
        assert!(text.contains("no attachments"), "{text}");
        assert!(live.written().is_empty());
    }
    let mut live = Live::ready(json!({}));
    live.harness.command(with(media("text/plain", None, Some("file:///w/a"))));
    assert_eq!(live.last_call()["params"]["prompt"][0]["type"], "resource_link", "each agent takes a link");
}

fn server(transport: McpTransport, disabled: &[&str]) -> McpServer {
    McpServer {
        name: "mail".into(),
        transport,
        address: "run-it".into(),
        args: vec!["-v".into()],
        values: vec![("KEY".into(), "${secret:mail}".into())],
        disabled_tools: disabled.iter().map(|tool| (*tool).to_owned()).collect(),
        extra: vec![],
    }
}

#[test]
fn servers_go_with_the_conversation() {
    let give = |can: Value, server: McpServer| {
        let mut live = Live::started(json!({"mcpCapabilities": can}));
        let outputs = live.harness.command(CommandBody::SetMcpServers(vec![server]));
        if outputs.iter().any(|output| matches!(output, Output::Done(OpResult { outcome: Err(_), .. }))) {
            return Err(refusal(&outputs).1);
        }
        live.harness.open(None, &[]);
        Ok(live.last_call()["params"]["mcpServers"].clone())
    };
    let values = json!([{"name": "KEY", "value": "${secret:mail}"}]);
    assert_eq!(
        give(json!({}), server(McpTransport::Stdio, &[])),
        Ok(json!([{"name": "mail", "command": "run-it", "args": ["-v"], "env": values}]))
    );
    assert_eq!(
        give(json!({"http": true}), server(McpTransport::Http, &[])),
        Ok(json!([{"type": "http", "name": "mail", "url": "run-it", "headers": values}]))
    );
    assert!(give(json!({"http": true}), server(McpTransport::Sse, &[])).unwrap_err().contains("stdio, http"));
    assert_eq!(
        give(json!({}), server(McpTransport::Sse, &["*"])),
        Ok(json!([])),
        "one that is switched off is not given"
    );
    assert!(give(json!({}), server(McpTransport::Stdio, &["send"])).unwrap_err().contains("single tools"));
}

#[test]
fn servers_of_an_open_conversation_come_with_the_next_start() {
    for (can, when) in [(json!({"loadSession": true}), "AfterRestart"), (json!({}), "InNewThread")] {
        let mut live = Live::ready(can);
        let outputs = live.harness.command(CommandBody::SetMcpServers(vec![]));
        assert!(project(&outputs).contains(when), "{outputs:?}");
    }
}

fn modes() -> Value {
    json!({"sessionId": "s", "modes": {"currentModeId": "ask", "availableModes": [
        {"id": "ask", "name": "Ask"}, {"id": "https://x.example/modes#plan", "name": "Plan it"}, {"id": "yolo", "name": "YOLO"}]},
        "configOptions": [{"id": "fast", "name": "Fast", "type": "boolean", "currentValue": false},
            {"id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": "a",
             "options": [{"group": "g", "name": "G", "options": [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]}]}]})
}

#[test]
fn settings_are_chosen_by_their_value_their_name_or_the_end_of_an_address() {
    with_data(r#"{"withheld":{"mode":["yolo"]},"asks":{"ask":"changes"}}"#, || {
        let mut live = Live::started(json!({}));
        live.harness.open(None, &[("mode", "plan")]);
        live.answer(modes());
        assert_eq!(live.last_call()["params"], json!({"sessionId": "s", "modeId": "https://x.example/modes#plan"}));
        let outputs = live.answer(json!({}));
        let settings = project(&outputs);
        assert!(settings.contains("settings fast=false model=a mode=https://x.example/modes#plan"), "{settings}");
        let select = |name: &str, value: &str| CommandBody::SetSelection(vec![(name.into(), value.into())]);
        live.harness.command(select("model", "B"));
        assert_eq!(live.last_call()["params"], json!({"sessionId": "s", "configId": "m", "value": "b"}));
        live.answer(json!({}));
        live.harness.command(select("fast", "true"));
        assert_eq!(
            live.last_call()["params"],
            json!({"sessionId": "s", "configId": "fast", "type": "boolean", "value": true})
        );
        live.answer(json!({}));
        for value in ["yolo", "YOLO"] {
            let (kind, _) = refusal(&live.harness.command(select("mode", value)));
            assert!(matches!(kind, FaultKind::Denied | FaultKind::Invalid), "{value}: {kind:?}");
        }
        assert_eq!(refusal(&live.harness.command(select("mood", "good"))).0, FaultKind::Invalid);
        let Output::Done(OpResult { outcome: Ok(OpValue::Settings(all)), .. }) =
            &live.harness.command(CommandBody::ListSettings)[0]
        else {
            panic!()
        };
        let mode = all.iter().find(|setting| setting.name == "mode").unwrap();
        assert_eq!(mode.choices.iter().map(|choice| choice.label.as_str()).collect::<Vec<_>>(), ["Ask", "Plan it"]);
        assert_eq!(mode.choices[0].extra, [("asks".to_owned(), "changes".to_owned())]);
    });
}

#[test]
fn a_thread_that_can_not_have_what_was_wanted_is_not_opened() {
    let mut live = Live::started(json!({"sessionCapabilities": {"close": {}}}));
    live.harness.open(None, &[("model", "z")]);
    let outputs = live.answer(modes());
    assert_eq!(refusal(&outputs).0, FaultKind::Invalid);
    assert_eq!(live.last_call()["method"], "session/close");
}

#[test]
fn settings_that_come_with_a_message_go_ahead_of_it() {
    let mut live = Live::started(json!({}));
    live.harness.open(None, &[]);
    live.answer(modes());
    live.written();
    let selection = vec![("model".to_owned(), "b".to_owned())];
    live.harness.command(CommandBody::SendRun(Message { selection, ..Message::of_text("hi") }));
    assert_eq!(live.last_call()["method"], "session/set_config_option");
    let outputs = live.fail(-32602, "not today");
    assert!(project(&outputs).contains("did not take the model"), "{outputs:?}");
    assert_eq!(live.last_call()["method"], "session/prompt");
}

#[test]
fn a_copy_is_a_thread_of_its_own_and_its_history_is_not_ours() {
    let mut live = Live::ready(json!({"loadSession": true, "sessionCapabilities": {"fork": {}, "close": {}}}));
    let whole = Point { turn: None, item: None, mark: None, turns_after: 0 };
    live.harness.command(CommandBody::ForkThread(whole.clone()));
    let told = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "old"}});
    assert!(project(&live.update_of("copy", told.clone())).is_empty());
    let outputs = live.answer(json!({"sessionId": "copy"}));
    let Output::Done(OpResult { outcome: Ok(OpValue::Thread(thread)), .. }) = &outputs[0] else {
        panic!("{outputs:?}")
    };
    assert_eq!((thread.cursor.as_deref(), thread.parent.as_deref()), (Some("copy"), Some("s")));
    assert_eq!(live.last_call()["params"], json!({"sessionId": "copy"}), "another process may open it");
    assert!(project(&live.update_of("copy", told)).is_empty());
    let back = Point { turns_after: 1, ..whole };
    assert_eq!(refusal(&live.harness.command(CommandBody::ForkThread(back))).0, FaultKind::Unsupported);
}

#[test]
fn two_conversations_of_one_program_are_told_apart() {
    let mut live = Live::ready(json!({}));
    live.harness.open(None, &[]);
    live.answer(json!({"sessionId": "r"}));
    let update = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}});
    for id in ["r", "s"] {
        let outputs = live.update_of(id, update.clone());
        let Output::Event(Event { scope: Some(scope), .. }) = outputs.last().unwrap() else { panic!("{outputs:?}") };
        assert_eq!(scope.thread.as_deref(), Some(id));
    }
    assert_eq!(refusal(&live.harness.say("to whom?")).0, FaultKind::NotFound);
    let op = 900;
    let body = CommandBody::SendRun(Message::of_text("to r"));
    live.harness.input(Input::Command(Command { op, thread: Some("r".into()), body }));
    assert_eq!(live.last_call()["params"]["sessionId"], "r");
}

#[test]
fn what_the_contract_has_no_word_for_is_asked_by_its_name_where_the_agent_offers_it() {
    let other = |name: &str| CommandBody::Other(Other { name: name.into(), json: "{}".into() });
    let mut live = Live::ready(json!({}));
    assert_eq!(refusal(&live.harness.command(other("logout"))).0, FaultKind::Unsupported);
    assert_eq!(refusal(&live.harness.command_in("s", other("delete-thread"))).0, FaultKind::Unsupported);
    assert_eq!(refusal(&live.harness.command(other("dance"))).0, FaultKind::Unsupported);
    let mut live = Live::ready(json!({"auth": {"logout": {}}, "sessionCapabilities": {"delete": {}}}));
    live.harness.command(other("logout"));
    assert_eq!(live.last_call()["method"], "logout");
    assert!(project(&live.answer(json!({}))).contains("Accepted"));
    assert_eq!(refusal(&live.harness.command(other("delete-thread"))).0, FaultKind::Invalid);
    live.harness.say("hi");
    live.harness.command_in("s", other("delete-thread"));
    assert_eq!(
        (live.last_call()["method"].clone(), live.last_call()["params"].clone()),
        (json!("session/delete"), json!({"sessionId": "s"}))
    );
    assert!(project(&live.answer(json!({}))).contains("Accepted"));
    assert_eq!(refusal(&live.harness.say("again")).0, FaultKind::NotFound, "it is gone");
}

#[test]
fn a_message_does_not_wait_for_ever_for_a_choice_that_came_along() {
    let mut live = Live::started(json!({}));
    live.harness.open(None, &[]);
    let modes = json!({"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]});
    live.answer(json!({"sessionId": "s", "modes": modes}));
    let message = Message { selection: vec![("mode".into(), "b".into())], ..Message::of_text("hi") };
    live.harness.command(CommandBody::SendRun(message));
    assert_eq!(live.last_call()["method"], "session/set_mode");
    let said = project(&live.harness.advance(10_001.0));
    assert!(said.contains("does not answer"), "{said}");
    assert_eq!(live.last_call()["method"], "session/prompt");
    live.answer(json!({"stopReason": "end_turn"}));
    assert!(project(&live.harness.advance(60_000.0)).is_empty(), "it is said once");
}

#[test]
fn a_context_that_the_agent_shortens_by_itself_is_told_with_what_took_its_place() {
    let mut live = Live::ready(json!({}));
    let told = |outputs: &[Output]| {
        let changes = outputs.iter().filter_map(|output| match output {
            Output::Event(Event { body: EventBody::Context(change), .. }) => {
                Some((jackfield_sdk::testing::word(&change.what), change.summary.clone()))
            }
            _ => None,
        });
        changes.collect::<Vec<_>>()
    };
    let update = |status: &str| json!({"sessionUpdate": "compaction_update", "compactionId": "c", "status": status});
    let piece = |text: &str| json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": "c", "content": {"type": "text", "text": text}});
    assert_eq!(told(&live.update(piece("Once "))), [("Compacting".to_owned(), Some("Once ".to_owned()))]);
    assert!(told(&live.update(update("in_progress"))).is_empty(), "told twice");
    assert!(told(&live.update(piece("upon"))).is_empty());
    assert_eq!(told(&live.update(update("completed"))), [("Compacted".to_owned(), Some("Once upon".to_owned()))]);
    let failed = json!({"sessionUpdate": "compaction_update", "compactionId": "d", "status": "failed", "error": "no"});
    assert_eq!(told(&live.update(failed)), [("CompactFailed".to_owned(), Some("no".to_owned()))]);
    let odd = json!({"sessionUpdate": "compaction_update", "compactionId": "e", "status": "_odd"});
    assert!(matches!(live.update(odd).as_slice(), [Output::Disposition(Disposition::Unknown(_))]));
}
