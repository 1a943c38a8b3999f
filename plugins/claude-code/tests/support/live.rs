//! A session driven by hand, for the tests that no recording covers.
#![allow(dead_code, reason = "each test uses a part of it")]

use jackfield_plugin_claude_code::ClaudeCode;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::{Harness, word};
use serde_json::{Value, json};

pub const UUID: &str = "00000000-0000-4000-8000-000000000000";

/// A session whose handshake is through.
pub fn ready() -> Harness<ClaudeCode> {
    opened(None)
}

/// The same, on a conversation that was there before.
pub fn opened(cursor: Option<&str>) -> Harness<ClaudeCode> {
    let mut harness = Harness::new();
    harness.start("{}");
    harness.open(cursor, &[]);
    let outputs = shake_hands(&mut harness);
    assert!(
        matches!(&outputs[0], Output::Done(OpResult { outcome: Ok(OpValue::Thread(thread)), .. }) if thread.cursor.as_deref() == cursor)
    );
    harness
}

/// The program's answer to the handshake.
pub fn shake_hands(harness: &mut Harness<ClaudeCode>) -> Vec<Output> {
    shake_hands_as(harness, json!({"claude_code_version": "2.1.332"}))
}

pub fn shake_hands_as(harness: &mut Harness<ClaudeCode>, reply: Value) -> Vec<Output> {
    let id = last_written(harness)["request_id"].clone();
    frame(
        harness,
        json!({"type": "control_response", "response": {"subtype": "success", "request_id": id, "response": reply}}),
    )
}

/// A turn in which one message of the assistant was said.
pub fn turn(harness: &mut Harness<ClaudeCode>, mark: &str) -> Vec<Output> {
    harness.say("go on");
    frame(harness, init());
    let content = json!([{"type": "text", "text": "Yes."}]);
    frame(
        harness,
        json!({"type": "assistant", "uuid": mark, "parent_tool_use_id": null, "message": {"id": mark, "content": content}}),
    );
    frame(harness, result())
}

pub fn result() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false})
}

pub fn frame(harness: &mut Harness<ClaudeCode>, value: Value) -> Vec<Output> {
    let channel = harness.spawned.last().unwrap().0;
    harness.frame(channel, &value.to_string())
}

pub fn init() -> Value {
    json!({"type": "system", "subtype": "init", "model": "m", "permissionMode": "default", "tools": []})
}

pub fn ask(id: &str, tool: &str, input: Value) -> Value {
    let suggestion = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
    json!({"type": "control_request", "request_id": id, "request":
        {"subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": format!("call-{id}"), "permission_suggestions": [suggestion]}})
}

/// The answers to commands, as words.
pub fn answers(outputs: &[Output]) -> Vec<String> {
    let answer = |output: &Output| match output {
        Output::Done(OpResult { op, outcome: Ok(OpValue::Delivered(delivery)) }) => {
            Some(format!("{op} {}", word(&delivery.how)))
        }
        Output::Done(OpResult { op, outcome: Ok(value) }) => Some(format!("{op} {}", word(value))),
        Output::Done(OpResult { op, outcome: Err(fault) }) => Some(format!("{op} {}", word(&fault.kind))),
        _ => None,
    };
    outputs.iter().filter_map(answer).collect()
}

pub fn last_written(harness: &Harness<ClaudeCode>) -> Value {
    serde_json::from_str(&harness.written.last().unwrap().1).unwrap()
}

pub fn event(outputs: &[Output], wanted: fn(&EventBody) -> bool) -> Option<&EventBody> {
    outputs.iter().find_map(|output| match output {
        Output::Event(event) if wanted(&event.body) => Some(&event.body),
        _ => None,
    })
}
