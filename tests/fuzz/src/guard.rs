//! Frames, decisions and writes at the guard, held against a second, plainer opinion: what leaves was decided, for that very
//! request and that very input, once.

use crate::bytes::Bytes;
use crate::{Verdict, holds};
use jackfield_core::guard::{Authorization, Guards, Recorded};
use jackfield_core::limits::Limits;
use jackfield_core::manifest::Manifest;
use serde_json::{Value, json};
use std::sync::OnceLock;

const MANIFEST: &str = r#"
publisher = "acme"
name = "guarded"
version = "0.1.0"
contract = "0.1.0-draft"
license = "Apache-2.0"
description = "Asks."

[[spawn]]
profile = "main"
program = "asks"
framing = "ndjson"
args = []

[[guard]]
profile = "main"
request = { "/type" = "ask" }
request-id = "/id"
input = "/input"
answer = { "/type" = "answer" }
answer-id = "/id"
allow = { "/option" = ["once", "session"] }
answer-input = "/input"
only-if-offered = ["/rules"]
"#;

/// What is known of one request, by its exact id.
struct Asked {
    id: Value,
    input: Option<Value>,
    decision: Option<(bool, Option<Value>, bool)>,
    answered: bool,
}

/// Plays a case.
pub fn play(data: &[u8]) -> Verdict {
    static READ: OnceLock<Manifest> = OnceLock::new();
    let manifest = READ.get_or_init(|| Manifest::from_toml(MANIFEST).expect("the manifest is right"));
    let mut guards = Guards::new(manifest, &Limits::default());
    let (mut bytes, mut asked, mut steps) = (Bytes::new(data), Vec::<Asked>::new(), 0);
    while !bytes.is_over() && steps < 200 {
        steps += 1;
        match bytes.below(4) {
            0 => {
                let frame = list_or_one(&mut bytes, ask);
                guards.observe_frame("main", &frame);
                parts(&frame).iter().for_each(|message| remember(&mut asked, message));
            }
            1 => {
                let text = bytes.pick(&["1", "a", "\"1\"", "null", "b", "", "{}"]);
                let decision = decision(&mut bytes);
                if guards.authorize(text, decision.clone()) == Recorded::Yes {
                    decide(&mut asked, text, &decision)?;
                }
            }
            _ => {
                let write = list_or_one(&mut bytes, answer);
                if guards.check_write("main", &write).is_ok() {
                    let answers = parts(&write);
                    answers.iter().try_for_each(|message| may_leave(&mut asked, message))?;
                }
            }
        }
    }
    Ok(())
}

fn parts(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_else(|| vec![value.clone()])
}

fn list_or_one(b: &mut Bytes<'_>, one: fn(&mut Bytes<'_>) -> Value) -> Value {
    if b.once_in(5) { Value::Array(b.list(3, one)) } else { one(b) }
}

fn id(b: &mut Bytes<'_>) -> Value {
    b.pick(&[json!("a"), json!(1), json!("1"), json!(1.0), json!(null), json!("b"), json!(true), json!({}), json!("")])
}

fn input(b: &mut Bytes<'_>) -> Option<Value> {
    b.pick(&[
        None,
        Some(json!({"x": 1})),
        Some(json!({"x": 2})),
        Some(json!({"y": 0, "x": 1})),
        Some(json!([])),
        Some(json!(null)),
    ])
}

fn with(mut message: Value, name: &str, value: Option<Value>) -> Value {
    if let Some(value) = value {
        message[name] = value;
    }
    message
}

fn ask(b: &mut Bytes<'_>) -> Value {
    let kind = if b.once_in(6) { b.pick(&[json!("tell"), json!(["ask"]), json!(null)]) } else { json!("ask") };
    let id = if b.once_in(9) { None } else { Some(id(b)) };
    with(with(json!({ "type": kind }), "id", id), "input", input(b))
}

fn answer(b: &mut Bytes<'_>) -> Value {
    let kind = if b.once_in(8) { json!("message") } else { json!("answer") };
    let option = b.pick(&[json!("once"), json!("session"), json!("no"), json!(null), json!(["once"]), json!("ONCE")]);
    let rules = b.pick(&[None, None, Some(json!([])), Some(json!([{"allow": "all"}]))]);
    with(with(json!({ "type": kind, "id": id(b), "option": option }), "input", input(b)), "rules", rules)
}

fn decision(b: &mut Bytes<'_>) -> Authorization {
    Authorization {
        allow: b.below(3) > 0,
        edited_input: if b.once_in(3) { input(b) } else { None },
        always: b.once_in(3),
    }
}

fn remember(asked: &mut Vec<Asked>, message: &Value) {
    if message["type"] != "ask" {
        return;
    }
    let Some(id) = message.get("id") else { return };
    let input = message.get("input").cloned();
    match asked.iter_mut().find(|asked| same(&asked.id, id)) {
        Some(known) if !known.answered && known.input == input => {}
        Some(known) => *known = Asked { id: id.clone(), input, decision: None, answered: false },
        None => asked.push(Asked { id: id.clone(), input, decision: None, answered: false }),
    }
}

/// The same JSON: `1` is not `1.0` and not `"1"`.
fn same(a: &Value, b: &Value) -> bool {
    let text = |value: &Value| value.to_string();
    text(a) == text(b)
}

fn decide(asked: &mut [Asked], text: &str, decision: &Authorization) -> Verdict {
    let named = |id: &Value| *text == *format!("{id}") || id.as_str() == Some(text);
    let mut open = asked.iter_mut().filter(|asked| !asked.answered && named(&asked.id));
    let (first, second) = (open.next(), open.next());
    holds!(second.is_none(), "{text} names two open requests, and a decision was recorded");
    let Some(first) = first else { return Err(format!("{text} names no open request, and a decision was recorded")) };
    first.decision = Some((decision.allow, decision.edited_input.clone(), decision.always));
    Ok(())
}

fn may_leave(asked: &mut [Asked], message: &Value) -> Verdict {
    if message["type"] != "answer" {
        return Ok(());
    }
    let id = message.get("id").cloned().unwrap_or(Value::Null);
    let known = asked.iter_mut().find(|asked| same(&asked.id, &id));
    let allows = message["option"] == "once" || message["option"] == "session";
    let rules = message["rules"].as_array().is_some_and(|rules| !rules.is_empty());
    let Some(known) = known else {
        holds!(!allows && !rules, "it left, and nobody asked: {message}");
        return Ok(());
    };
    holds!(!known.answered, "it left a second time: {message}");
    let decision = known.decision.clone();
    holds!(!rules || decision.as_ref().is_some_and(|decision| decision.2), "rules left that nobody picked: {message}");
    if allows {
        let Some((true, edited, _)) = decision else {
            return Err(format!("it left, and nobody allowed it: {message}"));
        };
        let wanted = edited.or_else(|| known.input.clone());
        let runs = message.get("input").cloned().or_else(|| known.input.clone());
        holds!(runs == wanted, "it left with {runs:?}, allowed was {wanted:?}: {message}");
    }
    known.answered = true;
    Ok(())
}
