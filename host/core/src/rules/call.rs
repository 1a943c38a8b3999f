//! What a guarded frame asks for, read off the frame by the shapes of the manifest. **What does not fit its shape whole is not
//! plain, and no rule allows it.** Tests: `tests.rs`.

use super::shell::{self, Script};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a call does, as far as rules care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// Runs a command.
    Run,
    /// Reads files.
    Read,
    /// Changes files.
    Edit,
    /// Neither runs commands nor touches files by itself.
    Other,
}

/// How calls of some tools look in a guarded request: where in the tool's input stands what a rule goes by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CallShape {
    /// The provider's names of the tools; empty when every request of this guard is such a call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// What they do.
    pub does: Does,
    /// The member of the input that holds the command: a text for a shell, or a list of words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Members of the input that hold a path, or a list of paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Members that change nothing a rule goes by. With any other member, no rule allows the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
}

/// A call that asks for approval.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call {
    /// The provider's name of the tool.
    pub tool: Option<String>,
    /// What it does; absent when the manifest knows no such tool.
    pub does: Option<Does>,
    /// The paths that it names.
    pub paths: Vec<String>,
    command: Option<Script>,
    /// Something that a rule goes by is not where it should be.
    unread: bool,
    /// There is more in the input than is known.
    more: bool,
}

impl Call {
    /// Reads one off. `tool` is what stands in the frame where a tool's name should.
    pub fn read(tool: Option<&Value>, shapes: &[CallShape], input: Option<&Value>) -> Call {
        let tool = tool.and_then(Value::as_str).map(str::to_owned);
        let named =
            |shape: &&CallShape| shape.tools.is_empty() || tool.as_ref().is_some_and(|name| shape.tools.contains(name));
        let Some(shape) = shapes.iter().find(named) else { return Call { tool, ..Call::default() } };
        let mut call = Call { tool, does: Some(shape.does), ..Call::default() };
        let Some(Value::Object(input)) = input else { return Call { unread: true, ..call } };
        if let Some(name) = &shape.command {
            match input.get(name).and_then(script) {
                Some(script) => call.command = Some(script),
                None => call.unread = true,
            }
        }
        for name in &shape.paths {
            match input.get(name).and_then(paths) {
                Some(found) => call.paths.extend(found),
                None => call.unread = true,
            }
        }
        let known = |name: &String| {
            shape.command.as_ref() == Some(name) || shape.paths.contains(name) || shape.also.contains(name)
        };
        call.more = !input.keys().all(known);
        call
    }

    /// The command that it runs.
    pub(super) fn scripts(&self) -> Vec<&Script> {
        self.command.iter().collect()
    }

    /// True when something that a rule goes by can't be read.
    pub(super) fn unread(&self) -> bool {
        self.unread
    }

    /// True when all of it is understood.
    pub(super) fn is_plain(&self) -> bool {
        !self.unread && !self.more
    }
}

fn script(value: &Value) -> Option<Script> {
    match value {
        Value::String(text) => Some(shell::script(text)),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            words.filter(|words| !words.is_empty()).map(|words| shell::words(&words))
        }
        _ => None,
    }
}

fn paths(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(path) if !path.is_empty() => Some(vec![path.clone()]),
        Value::Array(list) if !list.is_empty() => {
            list.iter().map(|path| path.as_str().filter(|path| !path.is_empty()).map(str::to_owned)).collect()
        }
        _ => None,
    }
}
