//! Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`, and beside it `.project_root` with the folder.
//!
//! The first row names the session, whose first eight letters the file has. A message is a row; one that changes is written again. A row
//! `$set` with messages takes the place of all before it, and `$rewindTo` drops a message and what follows it.

use jackfield_sdk::past::{Back, Facts, Found, Told, World};
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::collections::{BTreeSet, VecDeque};

use super::kind;
use super::retold::{Retold, content, words};

/// A page's mark has the ids of so many messages after it. What is written again is the message that is at work: its rows follow one another,
/// with at most a few others between them.
const MARKED: usize = 32;

/// What is known of the rows after the one that is met.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The rows before this one, from that with this id on, were dropped.
    dropped_from: Option<String>,
    /// Messages that were met: one that is written again counts as it was written last.
    seen: BTreeSet<String>,
    /// Those of them that were met last.
    near: VecDeque<String>,
}

impl State {
    /// Going on from a page's mark, as [`State::mark`] wrote it.
    pub(super) fn marked(mark: &str) -> Self {
        let (dropped_from, near): (Option<String>, VecDeque<String>) = serde_json::from_str(mark).unwrap_or_default();
        State { dropped_from, seen: near.iter().cloned().collect(), near }
    }

    pub(super) fn mark(&self) -> String {
        json!((&self.dropped_from, &self.near)).to_string()
    }

    /// Whether this message is met for the first time.
    fn meets(&mut self, id: &str) -> bool {
        let new = self.seen.insert(id.to_owned());
        if new {
            self.near.push_back(id.to_owned());
            self.near.drain(..self.near.len().saturating_sub(MARKED));
        }
        new
    }
}

/// The first letters of the session's id are the last of the file's name.
pub(super) fn thread(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?.strip_suffix(".jsonl")?;
    Some(short(name.rsplit('-').next()?)).filter(|id| id.len() == 8)
}

/// **A conversation that is taken up goes on in its file, and a new one is begun beside it that holds nothing but the setting** (0.61.0).
pub(super) fn by_what_counts(one: &Found, other: &Found) -> Ordering {
    one.size.total_cmp(&other.size).then_with(|| one.path.cmp(&other.path))
}

pub(super) fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

pub(super) async fn beside(world: &World, found: &Found, facts: &mut Facts) {
    let Some((project, _)) = found.path.split_once('/') else { return };
    let file = FilePath { root: found.root.clone(), path: format!("{project}/.project_root") };
    let text = world.head(&file, 4 * 1024).await.unwrap_or_default();
    facts.folder = Some(text.trim().to_owned()).filter(|path| path.starts_with('/'));
}

/// What a person said in this row.
pub(super) fn learn<'a>(facts: &mut Facts, row: &'a Value) -> Option<&'a str> {
    if let Some(id) = row["sessionId"].as_str() {
        facts.id.get_or_insert_with(|| id.to_owned());
    }
    if facts.folder.is_none() {
        // Where the file beside it is missing, the context that the conversation was begun with names the folder.
        let set = row["$set"]["messages"].as_array().into_iter().flatten();
        facts.folder = set.filter_map(|message| folder(said(&message["content"])?)).next();
    }
    said(&row["content"]).filter(|text| row["type"] == "user" && !is_context(text))
}

fn folder(context: &str) -> Option<String> {
    let (_, folders) = context.split_once("**Workspace Directories:**")?;
    let first = folders.lines().find_map(|line| line.trim().strip_prefix("- "))?;
    Some(first.to_owned()).filter(|path| path.starts_with('/'))
}

/// The first text of a message: a text, or parts.
fn said(content: &Value) -> Option<&str> {
    let part = |parts: &'_ Vec<Value>| parts.iter().position(|part| part["text"].is_string());
    match content {
        Value::Array(parts) => parts[part(parts)?]["text"].as_str(),
        other => other.as_str(),
    }
}

/// What the program tells the model of where it is.
fn is_context(text: &str) -> bool {
    text.starts_with("<session_context>")
}

pub(super) fn back(state: &mut State, row: &Value) -> Back {
    if let Some(id) = row["$rewindTo"].as_str() {
        // Nested ones: the row that is farthest back counts, and is met last.
        state.dropped_from.get_or_insert_with(|| id.to_owned());
        return Back::skip();
    }
    let id = row["id"].as_str().unwrap_or_default();
    if let Some(dropped) = &state.dropped_from {
        if dropped == id {
            state.dropped_from = None;
        }
        return Back { begins: row["$set"]["messages"].is_array(), ..Back::skip() };
    }
    if let Some(messages) = row["$set"]["messages"].as_array() {
        return Back { begins: true, ..Back::keep(messages.iter().map(items).sum()) };
    }
    if id.is_empty() || !state.meets(id) {
        return Back::skip();
    }
    match items(row) {
        0 => Back::skip(),
        items => Back::keep(items),
    }
}

fn items(message: &Value) -> usize {
    let text = said(&message["content"]).filter(|text| !text.is_empty() && !is_context(text));
    let list = |name: &str| message[name].as_array().map_or(0, Vec::len);
    usize::from(text.is_some()) + usize::from(list("thoughts") > 0) + list("toolCalls")
}

pub(super) fn tell(retold: &mut Retold, row: &Value, told: &mut Told) {
    match row["$set"]["messages"].as_array() {
        Some(messages) => messages.iter().for_each(|message| retold.tell(told, None, updates(message))),
        None => retold.tell(told, None, updates(row)),
    }
}

fn updates(message: &Value) -> Vec<Value> {
    let text = said(&message["content"]).filter(|text| !is_context(text)).unwrap_or_default();
    match message["type"].as_str().unwrap_or_default() {
        "user" => words("user_message_chunk", None, text).into_iter().collect(),
        "gemini" => {
            let thoughts = message["thoughts"].as_array().into_iter().flatten();
            let thought = |thought: &Value| {
                let part = |name: &str| thought[name].as_str().unwrap_or_default().to_owned();
                format!("**{}**\n{}", part("subject"), part("description"))
            };
            let thoughts = thoughts.map(thought).collect::<Vec<_>>().join("\n\n");
            let calls = message["toolCalls"].as_array().into_iter().flatten().map(called);
            let said = words("agent_message_chunk", None, text);
            words("agent_thought_chunk", None, &thoughts).into_iter().chain(said).chain(calls).collect()
        }
        "info" | "warning" | "error" => vec![json!({"sessionUpdate": "notice", "text": text})],
        _ => vec![],
    }
}

/// A call with its result.
fn called(call: &Value) -> Value {
    let name = call["name"].as_str().unwrap_or_default();
    let status = match call["status"].as_str() {
        Some("success") => "completed",
        Some("error" | "cancelled") => "failed",
        _ => "in_progress",
    };
    let answer =
        call["result"].as_array().and_then(|parts| parts.first()).map(|part| &part["functionResponse"]["response"]);
    let output = answer.and_then(|answer| answer["output"].as_str().or(answer["error"].as_str()));
    let shown = call["resultDisplay"].as_str().or(output);
    json!({
        "sessionUpdate": "tool_call_update", "toolCallId": call["id"], "kind": kind(name), "status": status,
        "title": call["description"].as_str().or(call["displayName"].as_str()).unwrap_or(name),
        "rawInput": call["args"], "content": content(shown),
    })
}
