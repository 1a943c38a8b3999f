//! Tool calls: what a tool does as far as a UI cares, what it was given, what it gave.

use jackfield_sdk::prelude::*;
use jackfield_sdk::tolerant::text;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

use crate::session::Pi;
use crate::wire::{Block, Execution, Message};

/// Calls of the turn that have not ended.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: BTreeMap<String, Open>,
}

#[derive(Debug)]
struct Open {
    name: String,
    /// The change that it would make: the result does not repeat it.
    change: Option<FileDiff>,
    /// What it printed was told while it ran.
    prints: bool,
}

impl Calls {
    /// A call was made; it has not run.
    pub(crate) fn made(&mut self, id: &str, name: &str, input: &Value) {
        let change = input.as_object().and_then(|fields| change(name, fields));
        self.open.insert(id.to_owned(), Open { name: name.to_owned(), change, prints: false });
    }

    /// The model's message failed or was cut: its calls never run.
    pub(crate) fn dropped(&mut self, cx: &mut Cx, ids: Vec<String>) {
        let items = ids.into_iter().filter_map(|id| {
            let open = self.open.remove(&id)?;
            Some(Item::tool(Some(id), Status::Cancelled, describe(&open.name, &Value::Null)))
        });
        let items: Vec<_> = items.collect();
        if !items.is_empty() {
            cx.event(EventBody::Items(items));
        }
    }

    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }
}

impl Pi {
    pub(crate) fn execution_started(&mut self, cx: &mut Cx, frame: Execution) {
        self.tools.made(&frame.tool_call_id, &frame.tool_name, &frame.args);
        cx.item(Item::tool(Some(frame.tool_call_id), Status::Running, describe(&frame.tool_name, &frame.args)));
    }

    /// What a tool printed so far, whole.
    pub(crate) fn execution_goes_on(&mut self, cx: &mut Cx, frame: Execution) {
        let text = frame.partial_result.text();
        if text.is_empty() {
            return cx.silent("tool_execution_update");
        }
        if let Some(known) = self.tools.open.get_mut(&frame.tool_call_id) {
            known.prints = true;
        }
        printed(cx, frame.tool_call_id, text);
    }

    pub(crate) fn execution_ended(&mut self, cx: &mut Cx, frame: Execution) {
        let known = self.tools.open.remove(&frame.tool_call_id);
        // A tool that we stopped ends as an error like any other: our interrupt tells the two apart.
        let status = match frame.is_error {
            true if self.turns.interrupting => Status::Interrupted,
            true => Status::Failed,
            false => Status::Completed,
        };
        let mut tool = describe(&frame.tool_name, &frame.args);
        tool.content = contents(&frame.result);
        if known.as_ref().is_some_and(|known| known.prints) {
            // The result is all that it printed, once more: it is told as such, and not beside it.
            tool.content.retain(|part| !matches!(part, Content::Text(_)));
            printed(cx, frame.tool_call_id.clone(), frame.result.text());
        }
        let change = known.and_then(|known| known.change).filter(|_| status == Status::Completed);
        tool.content.extend(change.map(Content::Diff));
        cx.item(Item::tool(Some(frame.tool_call_id), status, tool));
    }

    /// A result among the messages. It was told when the tool ended; else it is now.
    pub(crate) fn result_told(&mut self, cx: &mut Cx, message: Message) {
        if self.tools.open.remove(&message.tool_call_id).is_none() {
            return cx.silent("message_end/toolResult");
        }
        let status = if message.is_error { Status::Failed } else { Status::Completed };
        let tool = describe(&message.tool_name, &Value::Null).with_content(contents(&message));
        cx.item(Item::tool(Some(message.tool_call_id), status, tool));
    }
}

/// All that a tool printed so far.
fn printed(cx: &mut Cx, call: String, text: String) {
    cx.event(EventBody::Delta(Delta { id: Some(call), kind: TextKind::ToolOutput, whole: true, text }));
}

/// A tool call, from the program's name of the tool and its input.
pub(crate) fn describe(name: &str, input: &Value) -> Tool {
    let empty = Map::new();
    let fields = input.as_object().unwrap_or(&empty);
    let path = text(fields, "path").or_else(|| text(fields, "file_path"));
    let title = match name {
        "bash" => text(fields, "command"),
        "grep" | "find" => text(fields, "pattern"),
        _ => path,
    };
    Tool {
        name: Some(name.to_owned()).filter(|name| !name.is_empty()),
        title: title.map(str::to_owned),
        input: if input.is_null() { None } else { Some(input.to_string()) },
        locations: path.map(|path| Location { path: path.to_owned(), line: None }).into_iter().collect(),
        content: change(name, fields).into_iter().map(Content::Diff).collect(),
        ..Tool::new(kind(name))
    }
}

fn kind(name: &str) -> ToolKind {
    match name {
        "bash" => ToolKind::Execute,
        "read" => ToolKind::Read,
        "edit" | "write" => ToolKind::Edit,
        "grep" | "find" | "ls" => ToolKind::Search,
        _ => ToolKind::Unknown,
    }
}

/// The change that a call would make, before it is made.
fn change(name: &str, fields: &Map<String, Value>) -> Option<FileDiff> {
    let path = text(fields, "path")?.to_owned();
    let diff = FileDiff { path, moved_from: None, before: None, after: None, patch: None };
    let replaced = |edit: &Map<String, Value>| {
        let lines = |sign: char, key: &str| {
            text(edit, key).unwrap_or_default().lines().map(|line| format!("{sign}{line}\n")).collect::<String>()
        };
        lines('-', "oldText") + &lines('+', "newText")
    };
    match name {
        "write" => Some(FileDiff { after: Some(text(fields, "content")?.to_owned()), ..diff }),
        "edit" => {
            let several = fields.get("edits").and_then(Value::as_array).into_iter().flatten();
            let patch: String =
                std::iter::once(fields).chain(several.filter_map(Value::as_object)).map(replaced).collect();
            Some(FileDiff { patch: Some(patch).filter(|patch| !patch.is_empty()), ..diff })
        }
        _ => None,
    }
}

/// What a tool gave.
fn contents(result: &Message) -> Vec<Content> {
    result.blocks().into_iter().filter_map(content).collect()
}

/// A block of a result, or of a message that no model wrote.
pub(crate) fn content(block: Block) -> Option<Content> {
    match block.kind.as_str() {
        "text" if block.text.is_empty() => None,
        "text" => Some(Content::Text(block.text)),
        "image" => {
            let mime = block.mime_type.unwrap_or_else(|| "application/octet-stream".into());
            Some(Content::Media(Media { mime, name: None, uri: None, base64: block.data }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn input_of_an_unexpected_shape_costs_only_the_title() {
        for input in [json!(null), json!(7), json!({"command": ["no", "text"]})] {
            assert_eq!(describe("bash", &input).title, None);
        }
        assert_eq!(describe("", &json!({})).name, None);
    }

    #[test]
    fn an_edit_shows_what_it_would_change_in_both_shapes() {
        let one = json!({"path": "a", "oldText": "x", "newText": "y"});
        let several =
            json!({"path": "a", "edits": [{"oldText": "x", "newText": "y"}, {"oldText": "p\nq", "newText": ""}]});
        let patch = |input: &Value| match &describe("edit", input).content[..] {
            [Content::Diff(diff)] => diff.patch.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(patch(&one).as_deref(), Some("-x\n+y\n"));
        assert_eq!(patch(&several).as_deref(), Some("-x\n+y\n-p\n-q\n"));
    }
}
