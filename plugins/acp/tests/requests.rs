//! What agents ask a person, beyond the permissions that the recordings show.

mod support;

use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::word;
use serde_json::{Value, json};
use support::{Live, project};

fn asked(outputs: &[Output]) -> &Request {
    let request = outputs.iter().find_map(|output| match output {
        Output::Event(Event { body: EventBody::RequestsOpened(requests), .. }) => requests.first(),
        _ => None,
    });
    request.unwrap_or_else(|| panic!("nothing is asked in {outputs:?}"))
}

fn respond(live: &mut Live, request: &str, reply: Reply) -> Vec<Output> {
    live.written();
    live.harness.command(CommandBody::Respond(Answer { request: request.into(), reply }))
}

fn permission(options: Value) -> Value {
    json!({"sessionId": "s", "toolCall": {"toolCallId": "t", "title": "rm x", "kind": "execute"}, "options": options})
}

#[test]
fn a_call_may_be_seen_first_in_a_permission() {
    let mut live = Live::ready(json!({}));
    live.harness.say("hi");
    let outputs = live.call(json!("a-b"), "session/request_permission", permission(json!([])));
    assert_eq!(project(&outputs).lines().next(), Some("Waiting t Execute - rm x -"));
    let request = asked(&outputs);
    assert_eq!((request.id.as_str(), request.item.as_deref()), (r#""a-b""#, Some("t")));
}

#[test]
fn what_an_option_does_is_said_by_its_kind_and_an_unknown_one_is_unknown() {
    let mut live = Live::ready(json!({}));
    let option = |id: &str, kind: &str| json!({"optionId": id, "name": id, "kind": kind});
    let options = json!([
        option("a", "allow_once"),
        option("b", "allow_always"),
        option("c", "reject_once"),
        option("d", "reject_always"),
        option("e", "maybe")
    ]);
    let outputs = live.call(json!(0), "session/request_permission", permission(options));
    let verdicts: Vec<_> = asked(&outputs).options.iter().map(|offer| word(&offer.verdict)).collect();
    assert_eq!(verdicts, ["AllowOnce", "AllowAlways", "RejectOnce", "RejectAlways", "Unknown"]);
    // Twice is once; an answer that is not among them leaves it open.
    let outputs = live.call(json!(0), "session/request_permission", permission(json!([])));
    assert!(matches!(outputs.as_slice(), [Output::Disposition(Disposition::Duplicate)]), "{outputs:?}");
    let chosen = |id: &str| Reply::Chosen(Chosen { option_id: id.into(), note: None, input: None });
    assert!(project(&respond(&mut live, "0", chosen("z"))).contains("fault Invalid"));
    assert!(live.written().is_empty());
    let edited = Reply::Chosen(Chosen { option_id: "a".into(), note: None, input: Some("{}".into()) });
    assert!(project(&respond(&mut live, "0", edited)).contains("fault Invalid"), "the protocol takes no other input");
    assert!(project(&respond(&mut live, "0", chosen("c"))).contains("Accepted"));
    assert_eq!(live.written()[0]["result"], json!({"outcome": {"outcome": "selected", "optionId": "c"}}));
    assert!(project(&respond(&mut live, "0", chosen("a"))).contains("fault NotFound"));
}

#[test]
fn nobodys_answer_and_an_interrupt_are_cancelled() {
    let cancelled = json!({"outcome": {"outcome": "cancelled"}});
    let mut live = Live::ready(json!({}));
    live.harness.say("hi");
    live.call(json!(0), "session/request_permission", permission(json!([])));
    respond(&mut live, "0", Reply::Dismissed);
    assert_eq!(live.written()[0]["result"], cancelled);
    live.call(json!(1), "session/request_permission", permission(json!([])));
    live.written();
    let outputs = live.harness.interrupt();
    assert!(project(&outputs).contains("request 1 Cancelled"));
    let written = live.written();
    assert_eq!((&written[0]["method"], &written[1]["result"]), (&json!("session/cancel"), &cancelled));
}

#[test]
fn the_agent_can_take_a_request_back() {
    let mut live = Live::ready(json!({}));
    live.call(json!(5), "session/request_permission", permission(json!([])));
    live.written();
    let outputs = live.frame(json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 5}}));
    assert!(project(&outputs).contains("request 5 Cancelled"));
    assert_eq!(live.written()[0]["error"]["code"], -32800);
}

#[test]
fn a_form_is_filled_in_by_type() {
    let mut live = Live::ready(json!({}));
    let schema = json!({"type": "object", "properties": {
        "age": {"type": "integer"}, "color": {"type": "string", "title": "Colour", "oneOf": [{"const": "r", "title": "Red"}]},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}}, "sure": {"type": "boolean", "description": "Sure?"}}});
    let params = json!({"sessionId": "s", "mode": "form", "message": "Tell me", "requestedSchema": schema});
    let outputs = live.call(json!(0), "elicitation/create", params);
    let request = asked(&outputs);
    assert_eq!(request.reason.as_deref(), Some("Tell me"));
    let shown: Vec<_> = request
        .questions
        .iter()
        .map(|question| format!("{} {} {} {}", question.id, question.text, question.choices.len(), question.multiple))
        .collect();
    assert_eq!(shown, ["age age 0 false", "color Colour 1 false", "sure Sure? 2 false", "tags tags 2 true"]);
    let filled = |question: &str, values: &[&str]| Filled {
        question: question.into(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    };
    assert!(project(&respond(&mut live, "0", Reply::Filled(vec![filled("age", &["old"])]))).contains("fault Invalid"));
    let all =
        vec![filled("age", &["7"]), filled("color", &["r"]), filled("tags", &["x", "y"]), filled("sure", &["true"])];
    respond(&mut live, "0", Reply::Filled(all));
    let content = json!({"age": 7, "color": "r", "tags": ["x", "y"], "sure": true});
    assert_eq!(live.written()[0]["result"], json!({"action": "accept", "content": content}));
    for (reply, action) in [
        (Reply::Chosen(Chosen { option_id: "decline".into(), note: None, input: None }), "decline"),
        (Reply::Dismissed, "cancel"),
    ] {
        live.call(json!(1), "elicitation/create", json!({"message": "m", "requestedSchema": {}}));
        respond(&mut live, "1", reply);
        assert_eq!(live.written()[0]["result"], json!({"action": action}));
    }
}

#[test]
fn a_page_is_opened_elsewhere_and_told_when_it_is_done() {
    let mut live = Live::ready(json!({}));
    let params = json!({"mode": "url", "url": "https://x.example/login", "message": "Log in", "elicitationId": "e1"});
    let outputs = live.call(json!(0), "elicitation/create", params);
    assert!(
        matches!(&asked(&outputs).subject, Subject::Login(login) if login.url.as_deref() == Some("https://x.example/login"))
    );
    let outputs =
        live.frame(json!({"jsonrpc": "2.0", "method": "elicitation/complete", "params": {"elicitationId": "e1"}}));
    assert!(project(&outputs).contains("request 0 Completed"));
}

#[test]
fn a_form_shows_no_field_of_a_kind_that_nobody_knows_and_is_not_accepted_without_what_it_requires() {
    let mut live = Live::ready(json!({}));
    let schema = json!({"required": ["name"], "properties": {"name": {"type": "string"}, "mood": {"type": "_dial"}}});
    let outputs =
        live.call(json!(0), "elicitation/create", json!({"requestId": 2, "message": "m", "requestedSchema": schema}));
    let shown: Vec<_> = asked(&outputs).questions.iter().map(|question| question.id.as_str()).collect();
    assert_eq!(shown, ["name"]);
    assert!(project(&respond(&mut live, "0", Reply::Filled(vec![]))).contains("fault Invalid"));
    let name = Filled { question: "name".into(), values: vec!["Ada".into()] };
    respond(&mut live, "0", Reply::Filled(vec![name]));
    assert_eq!(live.written()[0]["result"], json!({"action": "accept", "content": {"name": "Ada"}}));
}

#[test]
fn an_elicitation_in_a_mode_that_nobody_knows_is_refused_with_a_typed_error() {
    let mut live = Live::ready(json!({}));
    live.written();
    for params in [json!({"mode": "_telepathy", "message": "m"}), json!({"mode": "url", "message": "no page"})] {
        live.call(json!("e"), "elicitation/create", params);
        assert_eq!(live.written()[0]["error"]["code"], -32602);
    }
}
