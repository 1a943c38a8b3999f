//! A plugin that answers for the user, in each way it could try.

use super::*;
use serde_json::json;

const MANIFEST: &str = r#"
publisher = "acme"
name = "talker"
version = "0.1.0"
contract = "0.1.0-draft"
license = "MIT"
description = "Speaks."
[[spawn]]
profile = "main"
program = "talker"
framing = "ndjson"
[[guard]]
profile = "main"
request = { "/type" = "ask", "/request/kind" = "tool" }
request-id = "/id"
input = "/request/input"
answer = { "/type" = "reply" }
answer-id = "/re"
allow = { "/verdict" = ["allow", "yes"] }
answer-input = "/input"
only-if-offered = ["/rules", "/mode"]
"#;

fn guards() -> Guards {
    Guards::new(&Manifest::from_toml(MANIFEST).unwrap(), &Limits::default())
}

fn ask(id: Value) -> Value {
    json!({"type": "ask", "id": id, "request": {"kind": "tool", "input": {"command": "ls", "n": 1}}})
}

/// Guards that saw one request and the decision on it.
fn decided(decision: Authorization) -> Guards {
    let mut guards = guards();
    assert_eq!(guards.observe_frame("main", &ask(json!("a"))).len(), 1);
    assert_eq!(guards.authorize("a", decision), Recorded::Yes);
    guards
}

fn allow() -> Authorization {
    Authorization { allow: true, ..Authorization::default() }
}

#[track_caller]
fn refused(guards: &mut Guards, answer: Value, code: &str) {
    assert_eq!(guards.check_write("main", &answer).expect_err(code).code(), code);
}

#[test]
fn an_answer_that_says_what_was_decided_passes_once() {
    let mut guards = decided(allow());
    let answer =
        json!({"type": "reply", "re": "a", "verdict": "allow", "input": {"n": 1.0, "command": "ls"}, "rules": []});
    assert_eq!(guards.check_write("main", &answer), Ok(()));
    refused(&mut guards, answer, "answered-twice");
    refused(&mut guards, json!({"type": "reply", "re": "a", "verdict": "deny"}), "answered-twice");
}

#[test]
fn a_refused_write_does_not_use_the_decision_up() {
    let mut guards = decided(allow());
    refused(&mut guards, json!({"type": "reply", "re": "a", "verdict": "allow", "input": {}}), "answer-input-changed");
    assert_eq!(guards.check_write("main", &json!({"type": "reply", "re": "a", "verdict": "yes"})), Ok(()));
}

#[test]
fn a_deny_cannot_become_an_allow() {
    let mut guards = decided(Authorization::default());
    refused(&mut guards, json!({"type": "reply", "re": "a", "verdict": "allow"}), "answer-was-refused");
    assert_eq!(guards.check_write("main", &json!({"type": "reply", "re": "a", "verdict": "deny"})), Ok(()));
}

#[test]
fn a_plugin_cannot_answer_by_itself() {
    let mut guards = guards();
    guards.observe_frame("main", &ask(json!("a")));
    refused(&mut guards, json!({"type": "reply", "re": "a", "verdict": "allow"}), "answer-not-authorized");
    refused(&mut guards, json!({"type": "reply", "re": "b", "verdict": "allow"}), "answer-not-asked");
    refused(&mut guards, json!({"type": "reply", "verdict": "allow"}), "answer-not-asked");
    // In a list it is an answer all the same.
    refused(&mut guards, json!([{"type": "reply", "re": "a", "verdict": "allow"}]), "answer-not-authorized");
    // A refusal grants nothing.
    assert_eq!(guards.check_write("main", &json!({"type": "reply", "re": "a", "verdict": "deny"})), Ok(()));
    assert_eq!(guards.check_write("main", &json!({"type": "reply", "re": "never", "verdict": "deny"})), Ok(()));
}

#[test]
fn an_input_is_the_one_that_was_decided_on() {
    let edited = Authorization { edited_input: Some(json!({"command": "ls -l"})), ..allow() };
    let other = json!({"type": "reply", "re": "a", "verdict": "allow", "input": {"command": "rm", "n": 1}});
    refused(&mut decided(allow()), other, "answer-input-changed");
    // An answer without an input would run the one the user changed.
    refused(
        &mut decided(edited.clone()),
        json!({"type": "reply", "re": "a", "verdict": "allow"}),
        "answer-input-changed",
    );
    let right = json!({"type": "reply", "re": "a", "verdict": "allow", "input": {"command": "ls -l"}});
    assert_eq!(decided(edited).check_write("main", &right), Ok(()));
}

#[test]
fn rules_change_only_when_that_was_picked() {
    let with = |key: &str| json!({"type": "reply", "re": "a", "verdict": "allow", key: ["x"]});
    refused(&mut decided(allow()), with("rules"), "answer-not-offered");
    refused(&mut decided(allow()), with("mode"), "answer-not-offered");
    assert_eq!(decided(Authorization { always: true, ..allow() }).check_write("main", &with("rules")), Ok(()));
    let mut undecided = guards();
    undecided.observe_frame("main", &ask(json!("a")));
    refused(
        &mut undecided,
        json!({"type": "reply", "re": "a", "verdict": "deny", "mode": "auto"}),
        "answer-not-offered",
    );
}

#[test]
fn ids_of_another_type_are_other_requests() {
    let mut guards = guards();
    let (number, _) = guards.observe_frame("main", &ask(json!(1))).remove(0);
    assert_eq!(guards.authorize("1", allow()), Recorded::Yes);
    refused(&mut guards, json!({"type": "reply", "re": "1", "verdict": "allow"}), "answer-not-asked");
    guards.observe_frame("main", &ask(json!("1")));
    refused(&mut guards, json!({"type": "reply", "re": "1", "verdict": "allow"}), "answer-not-authorized");
    assert_eq!(guards.authorize("1", allow()), Recorded::Ambiguous);
    assert_eq!(guards.authorize_key(&number, Authorization::default()), Recorded::Yes);
    refused(&mut guards, json!({"type": "reply", "re": 1, "verdict": "allow"}), "answer-was-refused");
    assert_eq!(guards.authorize("\"1\"", allow()), Recorded::Yes);
    assert_eq!(guards.check_write("main", &json!({"type": "reply", "re": "1", "verdict": "allow"})), Ok(()));
}

#[test]
fn a_request_with_another_input_under_the_same_id_is_undecided() {
    let mut guards = decided(allow());
    guards.observe_frame("main", &ask(json!("a")));
    let answer = json!({"type": "reply", "re": "a", "verdict": "allow"});
    assert_eq!(guards.clone().check_write("main", &answer), Ok(()));
    guards.observe_frame("main", &json!({"type": "ask", "id": "a", "request": {"kind": "tool", "input": "rm"}}));
    refused(&mut guards, answer, "answer-not-authorized");
}

#[test]
fn an_id_that_is_used_again_after_its_answer_is_a_new_request() {
    let mut guards = decided(allow());
    let answer = json!({"type": "reply", "re": "a", "verdict": "allow"});
    assert_eq!(guards.check_write("main", &answer), Ok(()));
    guards.observe_frame("main", &ask(json!("a")));
    refused(&mut guards, answer.clone(), "answer-not-authorized");
    assert_eq!(guards.authorize("a", allow()), Recorded::Yes);
    assert_eq!(guards.check_write("main", &answer), Ok(()));
}

#[test]
fn two_answers_in_one_write_are_one_too_many() {
    let answer = json!({"type": "reply", "re": "a", "verdict": "allow"});
    refused(&mut decided(allow()), json!([answer, answer]), "answered-twice");
}

#[test]
fn what_is_forgotten_is_refused() {
    let limits = Limits { open_requests: 1, ..Limits::default() };
    let mut guards = Guards::new(&Manifest::from_toml(MANIFEST).unwrap(), &limits);
    guards.observe_frame("main", &ask(json!("a")));
    guards.authorize("a", allow());
    guards.observe_frame("main", &ask(json!("b")));
    guards.observe_frame("main", &ask(json!("c")));
    refused(&mut guards, json!({"type": "reply", "re": "a", "verdict": "allow"}), "answer-not-asked");
    assert_eq!(guards.authorize("a", allow()), Recorded::NotGuarded);
}

#[test]
fn other_channels_and_messages_are_not_touched() {
    let mut guards = guards();
    assert!(guards.observe_frame("other", &ask(json!("a"))).is_empty());
    assert!(guards.observe_frame("main", &json!({"type": "text"})).is_empty());
    assert_eq!(guards.check_write("main", &json!({"type": "prompt", "verdict": "allow"})), Ok(()));
    assert_eq!(guards.authorize("a", allow()), Recorded::NotGuarded);
}

#[test]
fn an_exception_is_judged_by_its_own_rule_and_only_that() {
    let exception = r#"
[[guard]]
profile = "main"
request = { "/type" = "ask", "/request/kind" = "question" }
request-id = "/id"
answer = { "/type" = "reply" }
answer-id = "/re"
allow = { "/verdict" = ["allow", "yes"] }
"#;
    let text = MANIFEST.replacen("[[guard]]", &format!("{exception}[[guard]]"), 1);
    let mut guards = Guards::new(&Manifest::from_toml(&text).unwrap(), &Limits::default());
    guards.observe_frame(
        "main",
        &json!({"type": "ask", "id": "q", "request": {"kind": "question", "input": {"ask": 1}}}),
    );
    guards.observe_frame("main", &ask(json!("t")));
    guards.authorize("q", allow());
    guards.authorize("t", allow());
    // A question's answer carries what was filled in; a tool's answer never another input.
    let answer =
        |re: &str| json!({"type": "reply", "re": re, "verdict": "allow", "input": {"ask": 1, "answers": ["blue"]}});
    assert_eq!(guards.check_write("main", &answer("q")), Ok(()));
    refused(&mut guards, answer("q"), "answered-twice");
    refused(&mut guards, answer("t"), "answer-input-changed");
    refused(&mut guards, answer("unseen"), "answer-not-asked");
}

#[test]
fn one_that_waits_is_remembered_while_others_come_and_go() {
    let mut guards = decided(Authorization { allow: true, ..Authorization::default() });
    for n in 0..3 * Limits::default().open_requests {
        guards.observe_frame("main", &ask(json!(n)));
        guards.check_write("main", &json!({"type": "reply", "re": n, "verdict": "no"})).unwrap();
    }
    let answer = json!({"type": "reply", "re": "a", "verdict": "allow"});
    assert_eq!(guards.check_write("main", &answer), Ok(()));
}

#[test]
fn a_decision_that_was_taken_back_lets_nothing_through() {
    let answer = json!({"type": "reply", "re": "a", "verdict": "allow"});
    let mut guards = decided(allow());
    assert!(!guards.is_answered("a"));
    guards.revoke("a");
    refused(&mut guards, answer.clone(), "answer-not-authorized");
    guards.authorize("a", allow());
    assert_eq!(guards.check_write("main", &answer), Ok(()));
    assert!(guards.is_answered("a"));
    guards.revoke("a");
    refused(&mut guards, answer, "answered-twice");
    // The provider asks anew under the same id.
    guards.observe_frame("main", &ask(json!("a")));
    assert!(!guards.is_answered("a"));
}

#[test]
fn what_a_rule_forbids_nobody_allows() {
    let mut guards = guards();
    let (key, _) = guards.observe_frame("main", &ask(json!("a"))).remove(0);
    guards.rule(&key, Ruling::Deny("deny rm".into()));
    assert_eq!(guards.ruling("a"), Ruling::Deny("deny rm".into()));
    guards.authorize("a", allow());
    refused(&mut guards, json!({"type": "reply", "re": "a", "verdict": "allow"}), "answer-denied-by-rule");
    assert_eq!(guards.check_write("main", &json!({"type": "reply", "re": "a", "verdict": "deny"})), Ok(()));
}

#[test]
fn of_two_requests_with_one_id_no_rule_allows_any() {
    let mut guards = guards();
    let (number, _) = guards.observe_frame("main", &ask(json!(1))).remove(0);
    let (text, _) = guards.observe_frame("main", &ask(json!("1"))).remove(0);
    guards.rule(&number, Ruling::Allow("allow ls".into()));
    guards.rule(&text, Ruling::Allow("allow ls".into()));
    assert!(matches!(guards.ruling("1"), Ruling::Ask(_)));
    guards.rule(&text, Ruling::Deny("deny ls".into()));
    assert_eq!(guards.ruling("1"), Ruling::Deny("deny ls".into()));
}

/// A protocol in which the request offers and the answer picks, and in which our own calls have ids like theirs.
const OFFERING: &str = r#"
publisher = "acme"
name = "offerer"
version = "0.1.0"
contract = "0.1.0-draft"
license = "MIT"
description = "Offers."
[[spawn]]
profile = "main"
program = "offerer"
framing = "json-rpc"
[[guard]]
profile = "main"
request = { "/method" = "ask" }
request-id = "/id"
input = "/params/input"
answer-has = ["/result"]
answer-id = "/id"
offers = { list = "/params/options", id = "/id", kind = "/kind", refuse = ["no", "never"], once = ["yes", "no"], answer = "/result/picked" }
"#;

fn offering(decision: Option<Authorization>) -> Guards {
    let mut guards = Guards::new(&Manifest::from_toml(OFFERING).unwrap(), &Limits::default());
    let options = json!([
        {"id": "a", "kind": "yes"}, {"id": "b", "kind": "always"}, {"id": "c", "kind": "no"}, {"id": "d", "kind": "never"},
        {"id": "e", "kind": "surely"}, {"id": "f", "kind": "no"}, {"id": "f", "kind": "yes"}, {"id": "g"}
    ]);
    let ask = json!({"id": 0, "method": "ask", "params": {"input": {"command": "ls"}, "options": options}});
    assert_eq!(guards.observe_frame("main", &ask).len(), 1);
    if let Some(decision) = decision {
        assert_eq!(guards.authorize("0", decision), Recorded::Yes);
    }
    guards
}

fn pick(id: &str) -> Value {
    json!({"id": 0, "result": {"picked": id}})
}

#[test]
fn what_an_offered_option_does_is_said_by_the_request() {
    assert_eq!(offering(None).check_write("main", &pick("c")), Ok(()), "nobody decided, and it refuses");
    for id in ["a", "f"] {
        refused(&mut offering(None), pick(id), "answer-not-authorized");
        refused(&mut offering(Some(Authorization::default())), pick(id), "answer-was-refused");
        assert_eq!(offering(Some(allow())).check_write("main", &pick(id)), Ok(()), "{id}");
    }
    // What lasts, what is not known and what was never offered need the word of whoever picked something that lasts.
    let always = || Authorization { always: true, ..allow() };
    for id in ["b", "d", "e", "g", "nothing of the kind"] {
        refused(&mut offering(Some(allow())), pick(id), "answer-not-offered");
        assert_eq!(offering(Some(always())).check_write("main", &pick(id)), Ok(()), "{id}");
    }
    assert_eq!(
        offering(Some(allow())).check_write("main", &json!({"id": 0, "result": {"outcome": "cancelled"}})),
        Ok(())
    );
    let odd = json!({"id": 0, "result": {"picked": 7}});
    refused(&mut offering(Some(allow())), odd, "answer-not-offered");
    refused(&mut offering(None), json!({"id": 1, "result": {"picked": "a"}}), "answer-not-asked");
}

#[test]
fn a_call_of_ours_with_the_same_id_is_no_answer() {
    let mut guards = offering(Some(allow()));
    assert_eq!(guards.check_write("main", &json!({"id": 0, "method": "go", "params": {}})), Ok(()));
    assert_eq!(guards.check_write("main", &pick("a")), Ok(()));
    refused(&mut guards, pick("a"), "answered-twice");
}

/// A decision that is a word or an object, some of which hold for longer.
const LASTING: &str = r#"
[[guard]]
profile = "main"
request = { "/method" = "approve" }
request-id = "/id"
answer-has = ["/result"]
answer-id = "/id"
allow = { "/result/decision" = ["accept"] }
allow-always = { "/result/decision" = ["acceptForSession"], "/result/decision/amend" = [{}] }
"#;

#[test]
fn what_allows_for_longer_needs_an_option_that_says_so() {
    let begins = MANIFEST.find("[[guard]]").unwrap();
    let manifest = Manifest::from_toml(&format!("{}{LASTING}", &MANIFEST[..begins])).unwrap();
    let asked = |decision: Authorization| {
        let mut guards = Guards::new(&manifest, &Limits::default());
        guards.observe_frame("main", &json!({"id": 0, "method": "approve", "params": {}}));
        assert_eq!(guards.authorize("0", decision), Recorded::Yes);
        guards
    };
    let answer = |decision: Value| json!({"id": 0, "result": {"decision": decision}});
    let always = || Authorization { always: true, ..allow() };
    for for_longer in [json!("acceptForSession"), json!({"amend": ["ls"]}), json!({"amend": {}})] {
        refused(&mut asked(allow()), answer(for_longer.clone()), "answer-not-offered");
        assert_eq!(asked(always()).check_write("main", &answer(for_longer.clone())), Ok(()));
        refused(&mut asked(Authorization { allow: false, ..always() }), answer(for_longer), "answer-was-refused");
    }
    assert_eq!(asked(allow()).check_write("main", &answer(json!("accept"))), Ok(()));
    assert_eq!(asked(Authorization::default()).check_write("main", &answer(json!("decline"))), Ok(()));
    refused(&mut asked(Authorization::default()), answer(json!("accept")), "answer-was-refused");
    assert_eq!(asked(allow()).check_write("main", &json!({"id": 0, "method": "accept"})), Ok(()), "a call of ours");
}
