//! An item as it lies on disk, as the one of the wire that tells the same: other names, and some fields in another shape.

use jackfield_sdk::tolerant::Raw;
use serde_json::{Map, Value, json};

/// The wire's item, as text.
pub(super) fn of_disk(item: &Value) -> Option<Raw> {
    let mut wire: Map<String, Value> =
        item.as_object()?.iter().map(|(name, value)| (camel(name), value.clone())).collect();
    let kind = item["type"].as_str()?;
    wire.insert("type".into(), first_small(kind).into());
    match kind {
        "AgentMessage" => {
            wire.insert("text".into(), texts(&item["content"]).into());
            wire.remove("content");
        }
        "Reasoning" => {
            wire.insert("summary".into(), item["summary_text"].clone());
            wire.insert("content".into(), item["raw_content"].clone());
        }
        "CommandExecution" => {
            wire.insert("command".into(), command(&item["command"]).into());
            wire.insert("cwd".into(), place(&item["cwd"]));
            let actions = item["parsed_cmd"].as_array().into_iter().flatten();
            let actions: Vec<Value> = actions.map(|action| json!({"command": action["cmd"]})).collect();
            wire.insert("commandActions".into(), actions.into());
        }
        "FileChange" => {
            wire.insert("changes".into(), changes(&item["changes"]));
        }
        "CollabAgentToolCall" => {
            wire.insert("tool".into(), item["tool"].as_str().map(camel).into());
            wire.insert("agentsStates".into(), agents(&item["agents_states"]));
        }
        "McpToolCall" => {
            let given = &item["result"]["Ok"];
            if given.is_object() {
                wire.insert("result".into(), given.clone());
            }
        }
        _ => {}
    }
    if let Some(status) = item["status"].as_str() {
        wire.insert("status".into(), camel(status).into());
    }
    if let Some(seconds) = item["duration"]["secs"].as_f64() {
        let nanos = item["duration"]["nanos"].as_f64().unwrap_or_default();
        wire.insert("durationMs".into(), (seconds * 1000.0 + nanos / 1_000_000.0).floor().into());
    }
    raw(&Value::Object(wire))
}

/// JSON as it would have come.
pub(super) fn raw(value: &Value) -> Option<Raw> {
    serde_json::from_str(&value.to_string()).ok()
}

/// `exit_code` as the wire writes it.
fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| name + &first_big(part))
}

fn first_big(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

fn first_small(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

fn texts(parts: &Value) -> String {
    parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect()
}

/// The words of a command as a shell takes them.
pub(super) fn command(words: &Value) -> String {
    match words {
        Value::Array(words) => words.iter().filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(" "),
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "+-./:=@_,%".contains(c);
    match word {
        _ if !word.is_empty() && word.chars().all(plain) => word.to_owned(),
        _ if !word.contains('\'') => format!("'{word}'"),
        _ if !word.contains(['"', '$', '`', '\\', '!']) => format!("\"{word}\""),
        _ => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn place(cwd: &Value) -> Value {
    cwd.as_str().map_or(Value::Null, |cwd| cwd.strip_prefix("file://").unwrap_or(cwd).into())
}

/// Changes by path, as a list.
fn changes(changes: &Value) -> Value {
    let change = |(path, change): (&String, &Value)| {
        let diff = change["unified_diff"].as_str().or(change["content"].as_str()).unwrap_or_default();
        json!({"path": path, "kind": {"type": change["type"], "move_path": change["move_path"]}, "diff": diff})
    };
    changes.as_object().into_iter().flatten().map(change).collect()
}

/// How each agent is: a word, or a word with what it said.
fn agents(agents: &Value) -> Value {
    let agent = |(id, state): (&String, &Value)| {
        let told = match state {
            Value::Object(state) => {
                state.iter().next().map(|(word, said)| json!({"status": camel(word), "message": said}))
            }
            other => Some(json!({"status": camel(other.as_str()?)})),
        };
        Some((id.clone(), told?))
    };
    Value::Object(agents.as_object().into_iter().flatten().filter_map(agent).collect())
}
