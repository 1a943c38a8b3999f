//! A thread as Markdown, for people: what was said, thought and done, in order. What came from a provider stays data: it opens no
//! heading and no fence of ours. Pure. Tests: below, and `tests/tests/threads.rs`.

use super::{provider_of, texts, word};
use crate::output::{headline, plain};
use jackfield_core::contract::{Content, Status, Tool};
use jackfield_core::event::{ItemBody, RunStatus};
use jackfield_core::projection::{Run, ShownItem, Snapshot};
use jackfield_runtime::store::ThreadRecord;
use std::fmt::Write;

/// The whole thread.
pub fn write(row: &ThreadRecord, thread: &Snapshot) -> String {
    let mut out = String::new();
    let title = thread.title.as_deref().or(row.title.as_deref()).unwrap_or("A conversation");
    let _ = writeln!(out, "# {}\n", headline(title, 120));
    let _ = writeln!(out, "Thread `{}` with {}, in `{}`.", row.id, provider_of(row), plain(&row.folder));
    let mut run = None;
    for item in &thread.items {
        if item.run != run {
            end_of(&mut out, thread, run.as_ref());
            run.clone_from(&item.run);
        }
        write_item(&mut out, item);
    }
    end_of(&mut out, thread, run.as_ref());
    out
}

/// How a run ended, when that is worth a word.
fn end_of(out: &mut String, thread: &Snapshot, run: Option<&jackfield_core::id::RunId>) {
    let Some(run): Option<&Run> = run.and_then(|id| thread.runs.iter().find(|run| run.id == *id)) else { return };
    if run.status() != RunStatus::Completed {
        let why = run.fault.as_ref().map(|fault| format!(": {}", headline(&fault.message, 400))).unwrap_or_default();
        let _ = writeln!(out, "\n*{}{why}*", word(&run.status()));
    }
}

fn write_item(out: &mut String, shown: &ShownItem) {
    let inside = shown.parent.is_some();
    match &shown.item.body {
        ItemBody::UserMessage { content, typed } if !inside => {
            let who = if *typed { "You" } else { "In your name" };
            let _ = writeln!(out, "\n## {who}\n\n{}", quoted(&texts(content)));
        }
        ItemBody::AssistantMessage { text, media } if !inside => {
            let _ = writeln!(out, "\n## Assistant\n\n{}", plain(text).trim());
            if !media.is_empty() {
                let _ = writeln!(out, "\n{}", texts(media));
            }
        }
        ItemBody::Reasoning { text } if !inside && !text.trim().is_empty() => {
            let _ = writeln!(out, "\nThought:\n\n{}", quoted(text));
        }
        ItemBody::ProposedPlan { text } if !inside => {
            let _ = writeln!(out, "\nProposed plan:\n\n{}", quoted(text));
        }
        ItemBody::Tool { tool, output, .. } => write_tool(out, tool, output, shown.item.status, inside),
        _ => {}
    }
}

fn write_tool(out: &mut String, tool: &Tool, output: &str, status: Status, inside: bool) {
    let name = headline(tool.name.as_deref().unwrap_or("tool"), 60);
    let title = headline(tool.title.as_deref().or(tool.input.as_deref()).unwrap_or_default(), 400);
    let ended = if status == Status::Completed { String::new() } else { format!(", {}", word(&status)) };
    let indent = if inside { "  " } else { "" };
    let _ = writeln!(out, "\n{indent}- {name}{ended}: {}", code(&title));
    let told: Vec<String> = tool.content.iter().filter_map(said).collect();
    let result = if told.is_empty() { plain(output) } else { told.join("\n") };
    if !inside && !result.trim().is_empty() {
        let fence = "`".repeat(longest_run(&result).max(2) + 1);
        let _ = writeln!(out, "\n{fence}text\n{}\n{fence}", result.trim_end());
    }
}

fn said(content: &Content) -> Option<String> {
    match content {
        Content::Text(text) => Some(plain(text)),
        Content::Diff(diff) => Some(format!("changed {}", plain(&diff.path))),
        Content::Media(media) => Some(format!("[{}]", plain(&media.mime))),
        Content::Other(_) => None,
    }
}

/// A text as a quotation: no line of it begins anything else.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = plain(text).trim().lines().map(|line| format!("> {line}").trim_end().to_owned()).collect();
    lines.join("\n")
}

/// Inline code that the text can't leave.
fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_quotation_or_fence() {
        assert_eq!(quoted("a\n# b\n\nc\n"), "> a\n> # b\n>\n> c");
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("`a``"), "``` `a`` ```");
        let mut out = String::new();
        let tool = serde_json::json!({ "kind": "execute", "name": "run", "title": "x" });
        let tool: Tool = serde_json::from_value(tool).unwrap();
        write_tool(&mut out, &tool, "a\n````\n# b\n", Status::Failed, false);
        assert_eq!(out, "\n- run, failed: `x`\n\n`````text\na\n````\n# b\n`````\n");
    }
}
