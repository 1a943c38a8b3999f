//! What a tool of the program does, as far as a UI cares: its kind, a line for a person, the places and changes it names.

use jackfield_sdk::prelude::*;
use jackfield_sdk::tolerant::text;
use serde_json::{Map, Value};

use crate::wire::{Hunk, ToolExtra};

/// A tool call, from the program's name of the tool and its input.
pub fn describe(name: &str, input: &Value) -> Tool {
    let empty = Map::new();
    let fields = input.as_object().unwrap_or(&empty);
    let (server, plain) = match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, tool)) => (Some(server.to_owned()), tool),
        None => (None, name),
    };
    let path = ["file_path", "notebook_path", "path"].into_iter().find_map(|key| text(fields, key));
    let locations = path.map(|path| Location { path: path.to_owned(), line: None }).into_iter().collect();
    Tool {
        name: Some(plain.to_owned()),
        title: title(name, fields).map(str::to_owned),
        input: if input.is_null() { None } else { Some(input.to_string()) },
        locations,
        content: change(name, fields).into_iter().map(Content::Diff).collect(),
        server,
        ..Tool::new(kind(name))
    }
}

fn kind(name: &str) -> ToolKind {
    match name {
        "Bash" | "BashOutput" | "KillShell" | "Monitor" => ToolKind::Execute,
        "Read" | "NotebookRead" => ToolKind::Read,
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => ToolKind::Edit,
        "Glob" | "Grep" | "LS" | "ToolSearch" => ToolKind::Search,
        "WebFetch" | "WebSearch" | "web_search" | "web_fetch" => ToolKind::Fetch,
        "Task" | "Agent" | "Workflow" | "TaskStop" => ToolKind::Delegate,
        "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet" => ToolKind::Think,
        "AskUserQuestion" => ToolKind::Ask,
        "ExitPlanMode" | "EnterPlanMode" => ToolKind::SwitchMode,
        _ => ToolKind::Unknown,
    }
}

fn title<'a>(name: &str, fields: &'a Map<String, Value>) -> Option<&'a str> {
    let keys: &[&str] = match name {
        "Bash" => &["command"],
        "Grep" | "Glob" => &["pattern"],
        "WebFetch" => &["url"],
        "WebSearch" | "web_search" => &["query"],
        "TaskCreate" => &["subject"],
        _ => &["file_path", "notebook_path", "description", "path", "command", "query", "url"],
    };
    keys.iter().find_map(|key| text(fields, key))
}

/// The change that a call would make, before it is made.
fn change(name: &str, fields: &Map<String, Value>) -> Option<FileDiff> {
    let path = text(fields, "file_path")?.to_owned();
    let diff = FileDiff { path, moved_from: None, before: None, after: None, patch: None };
    match name {
        "Write" => Some(FileDiff { after: Some(text(fields, "content")?.to_owned()), ..diff }),
        "Edit" => {
            let lines = |sign: char, key: &str| {
                text(fields, key).unwrap_or_default().lines().map(|line| format!("{sign}{line}\n")).collect::<String>()
            };
            Some(FileDiff { patch: Some(lines('-', "old_string") + &lines('+', "new_string")), ..diff })
        }
        _ => None,
    }
}

/// The change that was made, when the result tells it.
pub fn changed(extra: &ToolExtra) -> Option<FileDiff> {
    let path = extra.file_path.clone()?;
    if extra.structured_patch.is_empty() {
        return None;
    }
    let patch = extra.structured_patch.iter().map(hunk).collect();
    Some(FileDiff { path, moved_from: None, before: None, after: None, patch: Some(patch) })
}

fn hunk(hunk: &Hunk) -> String {
    let Hunk { old_start, old_lines, new_start, new_lines, lines } = hunk;
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    format!("@@ -{old_start},{old_lines} +{new_start},{new_lines} @@\n{body}")
}

/// The exit code that a failed command's result begins with; a good one has none.
pub fn exit_code(result: &str) -> Option<i32> {
    let rest = result.strip_prefix("Exit code ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tool_of_an_mcp_server_names_its_server() {
        let tool = describe("mcp__host__ping", &json!({"x": "1"}));
        assert_eq!(
            (tool.server.as_deref(), tool.name.as_deref(), tool.kind),
            (Some("host"), Some("ping"), ToolKind::Unknown)
        );
    }

    #[test]
    fn input_of_an_unexpected_shape_costs_only_the_title() {
        for input in [json!(null), json!(7), json!({"command": ["no", "text"]})] {
            assert_eq!(describe("Bash", &input).title, None);
        }
    }

    #[test]
    fn only_a_failed_command_tells_its_exit_code() {
        assert_eq!(exit_code("Exit code 127\nnot found"), Some(127));
        assert_eq!(exit_code("hello"), None);
    }
}
