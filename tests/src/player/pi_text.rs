//! What a person must be shown of pi's lines: each message when it is whole, each tool's result, each end that was one.
//!
//! Written from the recordings and from nothing else; it shares no code and no type with the plugin.

use super::dialect::{parse, word};
use super::pi::error;
use super::told::{Said, Told};
use serde_json::Value;
use std::collections::BTreeSet;

/// Reads all lines of one start of the program.
pub(super) fn told(lines: &[String], messages: &[String]) -> Told {
    let mut told = Told::default();
    let mut tools = BTreeSet::new();
    for line in lines {
        let value = parse(line);
        match word(&value["type"]) {
            "message_end" => message(&mut told, &mut tools, &value["message"], messages),
            "tool_execution_start" => _ = tools.insert(word(&value["toolCallId"]).to_owned()),
            "tool_execution_end" => told.results.extend(texts(&value["result"]["content"], "text")),
            "agent_end" => ended(&mut told, &value),
            // The end was none, and its error is told as the cause of the attempt that follows.
            "auto_retry_start" => {
                told.ends.pop();
                told.errors.pop();
            }
            _ => {}
        }
    }
    Told { tools: tools.len(), ..told }
}

fn message(told: &mut Told, tools: &mut BTreeSet<String>, message: &Value, ours: &[String]) {
    let said = |text: String| Said { nested: false, text };
    match word(&message["role"]) {
        "assistant" => {
            told.assistant.extend(texts(&message["content"], "text").map(said));
            told.reasoning.extend(texts(&message["content"], "thinking").map(said));
            let calls = message["content"].as_array().into_iter().flatten().filter(|block| block["type"] == "toolCall");
            tools.extend(calls.map(|call| word(&call["id"]).to_owned()));
        }
        "user" => {
            let text: String = texts(&message["content"], "text").collect();
            if !ours.contains(&text) {
                told.in_the_persons_name.push(said(text));
            }
        }
        _ => {}
    }
}

fn ended(told: &mut Told, end: &Value) {
    let last = end["messages"].as_array().and_then(|messages| messages.last()).cloned().unwrap_or_default();
    told.ends.push(!matches!(word(&last["stopReason"]), "error" | "aborted"));
    told.errors.extend(error(end));
}

fn texts<'a>(content: &'a Value, kind: &'a str) -> impl Iterator<Item = String> + 'a {
    let blocks = content.as_array().into_iter().flatten().filter(move |block| block["type"] == kind);
    blocks.map(move |block| word(&block[kind]).to_owned()).filter(|text| !text.is_empty())
}
