//! A program that says what a test lets it say, and how the plugin's outputs read.
#![allow(dead_code, reason = "each test uses a part of it")]

use jackfield_plugin_codex::Codex;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::{Harness, word};
use serde_json::{Value, json};

pub const NEW: &str = "jackfield/0.171.0 (Linux)";
pub const OLD: &str = "jackfield/0.120.0 (Linux)";

/// A program that has said hello and was asked for its configuration.
pub fn greeted(agent: &str) -> Harness<Codex> {
    let mut harness = Harness::new();
    harness.start("{}");
    answer(&mut harness, json!({"userAgent": agent}));
    harness
}

pub fn started(agent: &str) -> Harness<Codex> {
    let mut harness = greeted(agent);
    answer(&mut harness, json!({"config": {}}));
    answer(&mut harness, json!({"account": null, "requiresOpenaiAuth": false}));
    harness
}

/// A session with one thread, `t`.
pub fn ready(agent: &str) -> Harness<Codex> {
    let mut harness = started(agent);
    harness.open(None, &[]);
    answer(&mut harness, json!({"thread": {"id": "t", "turns": []}, "model": "m"}));
    harness
}

/// The same, with turn `u` open.
pub fn busy(agent: &str) -> Harness<Codex> {
    let mut harness = ready(agent);
    harness.say("go");
    answer(&mut harness, json!({"turn": {"id": "u"}}));
    notice(&mut harness, "turn/started", json!({"threadId": "t", "turn": {"id": "u"}}));
    harness
}

pub fn last(harness: &Harness<Codex>) -> Value {
    serde_json::from_str(&harness.written.last().unwrap().1).unwrap()
}

pub fn frame(harness: &mut Harness<Codex>, value: Value) -> Vec<Output> {
    let channel = harness.spawned[0].0;
    harness.frame(channel, &value.to_string())
}

/// The answer to the plugin's last call.
pub fn answer(harness: &mut Harness<Codex>, result: Value) -> Vec<Output> {
    let id = last(harness)["id"].clone();
    frame(harness, json!({"id": id, "result": result}))
}

pub fn refuse(harness: &mut Harness<Codex>, code: i64) -> Vec<Output> {
    let id = last(harness)["id"].clone();
    frame(harness, json!({"id": id, "error": {"code": code, "message": "no"}}))
}

pub fn notice(harness: &mut Harness<Codex>, method: &str, params: Value) -> Vec<Output> {
    frame(harness, json!({"method": method, "params": params}))
}

pub fn item(harness: &mut Harness<Codex>, method: &str, thread: &str, turn: &str, item: Value) -> Vec<Output> {
    notice(harness, method, json!({"threadId": thread, "turnId": turn, "item": item}))
}

/// Answers to commands, as words.
pub fn answers(outputs: &[Output]) -> Vec<String> {
    let answer = |output: &Output| match output {
        Output::Done(OpResult { outcome: Ok(OpValue::Delivered(delivery)), .. }) => {
            Some(format!("{} {}", word(&delivery.how), delivery.turn.as_deref().unwrap_or("-")))
        }
        Output::Done(OpResult { outcome: Ok(value), .. }) => Some(word(value)),
        Output::Done(OpResult { outcome: Err(fault), .. }) => Some(word(&fault.kind)),
        _ => None,
    };
    outputs.iter().filter_map(answer).collect()
}

pub fn events(outputs: &[Output]) -> Vec<&Event> {
    outputs.iter().filter_map(|output| if let Output::Event(event) = output { Some(event) } else { None }).collect()
}

pub fn is_duplicate(outputs: &[Output]) -> bool {
    matches!(outputs, [Output::Disposition(Disposition::Duplicate)])
}

pub fn fault(outputs: &[Output]) -> &Fault {
    let found = outputs.iter().find_map(|output| match output {
        Output::Done(OpResult { outcome: Err(fault), .. }) => Some(fault),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no fault in {outputs:?}"))
}
