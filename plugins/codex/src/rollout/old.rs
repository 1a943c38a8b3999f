//! Rows of older versions, which keep the model's own calls and their outputs, and events for what was said.
//!
//! A command's exit code, and that it was refused or stopped, stand in its output's words and nowhere else; they are read as the program
//! wrote them, and whatever reads otherwise has ended, nobody knows how well.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use super::item::{command, raw};
use super::row::Row;
use crate::{content, item};

/// A call, as far as its row tells it.
pub(super) fn call(row: &Row) -> Option<Item> {
    let told = &row.payload;
    let id = told["call_id"].as_str().or(told["id"].as_str())?.to_owned();
    let input = match (&told["arguments"], &told["input"]) {
        (Value::String(text), _) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())),
        (_, Value::String(text)) => Value::from(text.as_str()),
        _ => Value::Null,
    };
    let name = told["name"].as_str().unwrap_or_default();
    let tool = match (row.what(), name) {
        ("web_search_call", _) => {
            let query = told["action"]["query"].as_str().map(str::to_owned);
            Tool { title: query, ..Tool::new(ToolKind::Fetch).with_name("web_search") }
        }
        ("local_shell_call", _) => return ran(&id, &told["action"]["command"], &told["action"]["working_directory"]),
        (_, "exec_command") => return ran(&id, &input["cmd"], &input["workdir"]),
        (_, "shell" | "shell_command" | "container.exec") => return ran(&id, &input["command"], &input["workdir"]),
        // A newer one's item tells the changes themselves.
        (_, "apply_patch") if row.is_numbered() => Tool { input: None, ..patch(&input) },
        (_, "apply_patch") => patch(&input),
        _ => named(name).with_input(input.to_string()),
    };
    Some(Item::tool(Some(id), Status::Running, tool))
}

/// A command, by the live translation.
fn ran(id: &str, words: &Value, folder: &Value) -> Option<Item> {
    let wire = json!({"type": "commandExecution", "id": id, "command": command(words), "cwd": folder});
    let wire = raw(&wire)?;
    Some(item::of(&wire.lossy(), &wire, None, false))
}

/// A patch names its files in its own text.
fn patch(input: &Value) -> Tool {
    let text = input.as_str().or(input["input"].as_str()).or(input["patch"].as_str()).unwrap_or_default();
    let marks = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];
    let file = |line: &str| marks.iter().find_map(|mark| line.strip_prefix(mark)).map(str::to_owned);
    let files: Vec<String> = text.lines().filter_map(file).collect();
    Tool {
        title: Some(files.join(", ")).filter(|title| !title.is_empty()),
        locations: files.into_iter().map(|path| Location { path, line: None }).collect(),
        ..Tool::new(ToolKind::Edit).with_name("apply_patch").with_input(json!({"input": text}).to_string())
    }
}

/// A tool by its name; one of an MCP server names its server, too.
fn named(name: &str) -> Tool {
    match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, tool)) => {
            Tool { server: Some(server.to_owned()), ..Tool::new(ToolKind::Unknown).with_name(tool) }
        }
        None => Tool::new(kind(name)).with_name(name),
    }
}

fn kind(name: &str) -> ToolKind {
    match name {
        "view_image" => ToolKind::Read,
        "spawn_agent" | "send_input" | "wait" | "close_agent" => ToolKind::Delegate,
        "write_stdin" => ToolKind::Execute,
        "request_user_input" => ToolKind::Ask,
        _ => ToolKind::Unknown,
    }
}

/// What a call gave.
pub(super) fn output(row: &Row) -> Option<Item> {
    let id = row.payload["call_id"].as_str()?.to_owned();
    let (text, parts) = match &row.payload["output"] {
        Value::String(text) => (text.clone(), vec![]),
        Value::Array(parts) => (String::new(), content::given(parts)),
        other => (other["content"].as_str().unwrap_or_default().to_owned(), vec![]),
    };
    let code = exit_code(&text);
    let status = match code {
        _ if text.contains("rejected by user") => Status::Declined,
        _ if text.contains("aborted by user") => Status::Interrupted,
        None | Some(0) => Status::Completed,
        Some(_) => Status::Failed,
    };
    let shown = text.split_once("\nOutput:\n").filter(|_| code.is_some()).map_or(&*text, |(_, shown)| shown);
    let content = Some(shown).filter(|text| !text.is_empty()).map(Content::from).into_iter().chain(parts).collect();
    Some(Item::tool(Some(id), status, Tool { exit_code: code, content, ..Tool::new(ToolKind::Unknown) }))
}

fn exit_code(text: &str) -> Option<i32> {
    let marks = ["Process exited with code ", "Exit code: "];
    let head = text.split("\nOutput:\n").next()?;
    let line = head.lines().find_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)))?;
    line.trim().parse().ok()
}

/// What was said or thought.
pub(super) fn said(row: &Row) -> Option<Item> {
    let text = |name: &str| row.payload[name].as_str().map(str::to_owned);
    let item = match row.what() {
        "user_message" => {
            let pictures = row.payload["images"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let pictures = pictures.map(|url| json!({"type": "image", "url": url})).collect::<Vec<_>>();
            let mut content: Vec<Content> =
                text("message").filter(|text| !text.is_empty()).map(Content::from).into_iter().collect();
            content.extend(content::told(&pictures));
            Item::new(None, Status::Completed, ItemBody::User(UserMessage { op: None, typed: true, content }))
        }
        "agent_message" => {
            let phase = text("phase").map(|phase| ("phase".to_owned(), phase));
            Item { extra: phase.into_iter().collect(), ..Item::assistant(None, text("message")?) }
        }
        "agent_reasoning" => Item::reasoning(None, text("text")?),
        _ => return None,
    };
    Some(item)
}
