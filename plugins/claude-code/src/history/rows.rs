//! The rows of one page: those on the branch that is live, told by the same translation as the program's own lines.
//!
//! Each row names the one before it, and that one stands before it in the file; so the branch is followed backwards in one pass, and
//! rows that name each other in a circle are simply not met. **Two kinds of rows belong to a branch that does not pass through them**:
//! the results of calls that were made at once, and the other blocks of a message one of whose blocks is on it.

use jackfield_sdk::past::{self, Back, Told};
use jackfield_sdk::prelude::*;
use std::collections::BTreeMap;

use super::row::{Command, Row, compacted, contents};
use crate::message;
use crate::session::ClaudeCode;

/// So many rows beside the branch are kept until it is known whether they belong to it.
const ASIDE: usize = 512;

/// A conversation's branch, followed from its end.
#[derive(Debug)]
pub(crate) struct Branch {
    /// The row that is next on the branch; before the first one, any is.
    next: Next,
    /// These rows are a subagent's.
    inside: bool,
    /// Rows beside the branch, by the call whose result they are, or by their message.
    aside: BTreeMap<String, (u64, String)>,
    /// The message of the last row of the model's on the branch.
    message: Option<String>,
    /// The live translation, to which rows are given as lines.
    plugin: ClaudeCode,
    cx: Cx,
}

#[derive(Debug, PartialEq)]
enum Next {
    /// The newest row that can be on a branch.
    Newest,
    /// This one.
    Row(String),
}

impl Branch {
    /// From the newest row back, or from the row with this id.
    pub(super) fn new(mark: Option<&str>, inside: bool) -> Self {
        let next = mark.filter(|mark| !mark.is_empty()).map_or(Next::Newest, |mark| Next::Row(mark.to_owned()));
        Branch { next, inside, aside: BTreeMap::new(), message: None, plugin: ClaudeCode::default(), cx: Cx::default() }
    }

    fn is_on(&self, row: &Row, uuid: &str) -> bool {
        match &self.next {
            Next::Newest => matches!(row.kind.as_str(), "user" | "assistant" | "attachment" | "system"),
            Next::Row(next) => next == uuid,
        }
    }

    /// A row on the branch, and what beside the branch belongs to it.
    fn on(&mut self, row: &Row) -> Back {
        let (calls, results) = (row.calls("tool_use", "id"), row.calls("tool_result", "tool_use_id"));
        let mut back = Back { waits_for: results, settles: calls.clone(), ..Back::keep(row.items()) };
        for call in &calls {
            if let Some(result) = self.aside.remove(call) {
                // The two are one thing, and the result was not counted.
                back.items += 1;
                back.with.push(result);
            }
        }
        if let Some(message) = row.message_id() {
            back.joined = self.message.as_deref() == Some(message);
            self.message = Some(message.to_owned());
            let others: Vec<String> = self.aside.keys().filter(|key| is_of(key, message)).cloned().collect();
            others.iter().for_each(|key| self.other(key, &mut back));
        }
        back.kept = row.items() > 0 || row.is_boundary();
        match row.parent() {
            Some(parent) => self.next = Next::Row(parent.to_owned()),
            None => back.begins = true,
        }
        back
    }

    /// Another block of a message on the branch, and the results of its calls.
    fn other(&mut self, key: &str, back: &mut Back) {
        let Some(kept) = self.aside.remove(key) else { return };
        if let Some(row) = Row::read(&kept.1) {
            back.items += row.items();
            let results = row.calls("tool_use", "id");
            back.with.extend(results.iter().filter_map(|call| self.aside.remove(call)));
        }
        back.with.push(kept);
    }

    /// A row beside the branch: it may belong to it all the same, which a row before it will tell.
    fn beside(&mut self, row: &Row, uuid: &str, at: &past::Row<'_>) -> Back {
        let mut back = Back { settles: vec![format!("row {uuid}")], ..Back::skip() };
        let keep = self.aside.len() < ASIDE;
        match (row.message_id(), row.parent()) {
            (Some(message), Some(parent)) if keep => {
                back.waits_for = vec![format!("row {parent}")];
                back.settles.extend(row.calls("tool_use", "id"));
                self.aside.insert(format!("{message} {uuid}"), (at.at, at.text.to_owned()));
            }
            _ => {
                for call in row.calls("tool_result", "tool_use_id").into_iter().filter(|_| keep) {
                    self.aside.insert(call.clone(), (at.at, at.text.to_owned()));
                    back.waits_for.push(call);
                }
            }
        }
        back
    }
}

/// A command of the program's own, as it is told live: a message of the person's, and its output as the program's.
fn ran(told: &mut Told, uuid: String, command: Command) {
    let item = match command {
        Command::Caveat => return,
        Command::Given(words) => said(uuid, words, true),
        Command::Said(words) => said(uuid, words, false),
        Command::Printed(text) if text.is_empty() => return,
        Command::Printed(text) => Item::assistant(Some(format!("{uuid}#0")), text),
    };
    told.item(Scope::root(), item);
}

fn said(uuid: String, words: String, typed: bool) -> Item {
    let said = ItemBody::User(UserMessage { op: None, typed, content: vec![words.into()] });
    Item::new(Some(uuid), Status::Completed, said)
}

/// Whether a key of [`Branch::aside`] is that of a row of this message.
fn is_of(key: &str, message: &str) -> bool {
    key.strip_prefix(message).is_some_and(|rest| rest.starts_with(' '))
}

impl past::Rows for Branch {
    fn back(&mut self, at: &past::Row<'_>) -> Back {
        let Some(row) = Row::read(at.text) else { return Back::unreadable() };
        let Some(uuid) = row.uuid.clone().filter(|_| row.is_sidechain == self.inside) else { return Back::skip() };
        if !self.is_on(&row, &uuid) {
            return self.beside(&row, &uuid, at);
        }
        let mut back = self.on(&row);
        back.settles.push(format!("row {uuid}"));
        back
    }

    fn mark(&self) -> String {
        match &self.next {
            Next::Newest => String::new(),
            Next::Row(next) => next.clone(),
        }
    }

    fn begin(&mut self, first: bool) {
        self.plugin.todos.begins(first);
    }

    fn tell(&mut self, text: &str, told: &mut Told) {
        let Some(row) = Row::read(text) else { return };
        told.at(row.timestamp.as_deref());
        let typed = row.is_typed() && !self.inside;
        if row.is_boundary() {
            return told.event(Scope::root(), compacted(&row));
        }
        if let Some(body) = row.queued() {
            let content = contents(body, message::content);
            let said = ItemBody::User(UserMessage { op: None, typed, content });
            return told.item(Scope::root(), Item::new(row.uuid, Status::Completed, said));
        }
        if let Some(command) = row.command() {
            return ran(told, row.uuid.unwrap_or_default(), command);
        }
        let (kind, agent) = (row.kind.clone(), row.tool_use_result["agentId"].as_str().map(str::to_owned));
        let result = row.calls("tool_result", "tool_use_id").into_iter().next();
        let Some(frame) = row.frame() else { return told.unreadable() };
        match kind.as_str() {
            "assistant" => self.plugin.assistant(&mut self.cx, frame),
            "user" => self.plugin.user(&mut self.cx, frame),
            _ => return,
        }
        told.take(&mut self.cx, None, |item| {
            if let ItemBody::User(message) = &mut item.body {
                message.typed = typed;
            }
        });
        if let (Some(call), Some(agent)) = (result, agent) {
            told.inside(&call, &agent);
        }
    }

    fn end(&mut self, told: &mut Told) {
        self.plugin.got_over_error(&mut self.cx);
        told.take(&mut self.cx, None, |_| {});
    }
}
