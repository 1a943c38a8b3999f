//! OpenCode: `~/.local/share/opencode/opencode.db`, a SQLite database of sessions, messages and their parts. Measured on 1.18.33; older versions
//! kept files of JSON, which are not read.
//!
//! Ids rise with time. A page has whole messages: a call and its result are one part of one, and parts have the ids of their messages.

use jackfield_sdk::past::{ITEMS, THREADS, Told, World};
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use super::kind;
use super::retold::{Retold, content, words};
use crate::data::Data;

/// Rows of one query: each may hold the whole output of a tool.
const ROWS: usize = 40;

const FOLDERS: &str = "SELECT directory, count(*), max(time_updated) FROM session \
    WHERE parent_id IS NULL AND EXISTS (SELECT 1 FROM message WHERE session_id = session.id) \
    GROUP BY directory ORDER BY 3 DESC";

const LIST: &str = "SELECT id, directory, title, time_updated FROM session \
    WHERE parent_id IS NULL AND time_archived IS NULL AND EXISTS (SELECT 1 FROM message WHERE session_id = session.id) \
    AND (?1 = '' OR directory = ?1) AND (?2 = '' OR time_updated < CAST(?2 AS INTEGER) OR (time_updated = CAST(?2 AS INTEGER) AND id < ?3)) \
    ORDER BY time_updated DESC, id DESC LIMIT CAST(?4 AS INTEGER)";

const SESSION: &str = "SELECT id, revert FROM session WHERE id = ?1";

const PARTS: &str = "SELECT m.id, m.data, p.id, p.data, p.time_created FROM message m JOIN part p ON p.message_id = m.id \
    WHERE m.session_id = ?1 AND (?2 = '' OR m.id < ?2 OR (m.id = ?2 AND p.id < ?3)) \
    ORDER BY m.id DESC, p.id DESC LIMIT CAST(?4 AS INTEGER)";

/// The command `list-folders`.
pub(super) async fn folders(world: &World, database: &FilePath) -> OpValue {
    let rows = listed(world, world.query(database, FOLDERS, vec![]).await);
    let folder = |row: Value| {
        let threads = row[1].as_u64().and_then(|count| u32::try_from(count).ok()).unwrap_or(u32::MAX);
        Some(Folder { path: row[0].as_str()?.to_owned(), threads, modified_ms: row[2].as_f64() })
    };
    OpValue::Folders(rows.into_iter().filter_map(folder).collect())
}

/// The command `list-threads`.
pub(super) async fn threads(world: &World, database: &FilePath, list: &ListThreads) -> OpValue {
    let limit = (list.limit as usize).clamp(1, THREADS);
    let (time, id) = list.page.as_deref().and_then(|page| page.split_once(' ')).unwrap_or_default();
    let folder = list.folder.clone().unwrap_or_default();
    let params = vec![folder, time.to_owned(), id.to_owned(), (limit + 1).to_string()];
    let mut rows = listed(world, world.query(database, LIST, params).await);
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).and_then(|row| Some(format!("{} {}", row[3].as_f64()?, row[0].as_str()?)));
    let thread = |row: &Value| {
        let text = |at: usize| row[at].as_str().map(str::to_owned).filter(|text| !text.is_empty());
        Some(Thread {
            cursor: text(0),
            folder: text(1),
            title: text(2),
            modified_ms: row[3].as_f64(),
            ..Thread::new(text(0)?, ThreadState::Stored)
        })
    };
    OpValue::Threads(ThreadList { threads: rows.iter().filter_map(thread).collect(), next })
}

/// Rows of a list; one that can't be made is empty, and that is said unless there is no database.
fn listed(world: &World, rows: Result<Vec<String>, Fault>) -> Vec<Value> {
    match rows {
        Ok(rows) => rows.iter().filter_map(|row| serde_json::from_str(row).ok()).collect(),
        Err(fault) if fault.kind == FaultKind::NotFound => vec![],
        Err(fault) => {
            world.diagnostic(
                Level::Warning,
                "history-unlisted",
                format!("the database cannot be asked: {}", fault.message),
            );
            vec![]
        }
    }
}

/// The command `read-thread`.
pub(super) async fn read(
    world: &World,
    database: &FilePath,
    data: Data,
    session: &str,
    read: &ReadThread,
) -> Result<OpValue, Fault> {
    let found = world.query(database, SESSION, vec![session.to_owned()]).await?;
    let Some(found) = found.first().and_then(|row| serde_json::from_str::<Value>(row).ok()) else {
        return Err(Fault::new(FaultKind::NotFound, format!("There is no session `{session}`.")));
    };
    let (message, part) = match &read.page {
        Some(page) => page.split_once(' ').ok_or_else(|| Fault::new(FaultKind::Invalid, "There is no such page."))?,
        None => ("", ""),
    };
    let limit = (read.limit as usize).clamp(1, ITEMS);
    let mut page = Page { reverted: reverted(&found[1]), messages: vec![], items: 0, unreadable: 0 };
    let mut from = (message.to_owned(), part.to_owned());
    let next = loop {
        let rows = more(world, database, session, &from).await?;
        rows.iter().for_each(|row| page.take(row));
        if let Some(next) = page.cut(limit) {
            break Some(next);
        }
        // Rows that can't be read have a place all the same: what stands before them is read.
        match rows.iter().rev().find_map(place) {
            Some(last) => from = last,
            None => break None,
        }
    };
    if page.unreadable > 0 {
        let text = format!("{} rows of the session `{session}` cannot be read", page.unreadable);
        world.diagnostic(Level::Warning, "history-unreadable", text);
    }
    let mut told = Told::of(session, None);
    let mut retold = Retold::new(data);
    for row in page.messages.iter().rev().flat_map(|message| message.rows.iter().rev()) {
        told.at_ms(row.at_ms);
        retold.tell(&mut told, None, row.updates.clone());
    }
    for (scope, body) in told.events() {
        world.event(scope, body);
    }
    Ok(OpValue::Page(next))
}

/// What was undone: this message and all after it, or from a part of it on.
fn reverted(revert: &Value) -> Option<(String, Option<String>)> {
    let revert: Value = serde_json::from_str(revert.as_str()?).ok()?;
    Some((revert["messageID"].as_str()?.to_owned(), revert["partID"].as_str().map(str::to_owned)))
}

/// Messages, newest first.
struct Page {
    reverted: Option<(String, Option<String>)>,
    messages: Vec<Message>,
    items: usize,
    unreadable: usize,
}

struct Message {
    id: String,
    rows: Vec<Part>,
}

/// A part of a message.
struct Part {
    message: String,
    part: String,
    /// As the agent itself would tell it.
    updates: Vec<Value>,
    at_ms: Option<f64>,
}

/// Rows of parts before this one; fewer at once when they are large.
async fn more(world: &World, database: &FilePath, session: &str, from: &(String, String)) -> Result<Vec<Value>, Fault> {
    let params = |rows: usize| vec![session.to_owned(), from.0.clone(), from.1.clone(), rows.to_string()];
    let rows = match world.query(database, PARTS, params(ROWS)).await {
        Ok(rows) => rows,
        Err(_) => world.query(database, PARTS, params(1)).await?,
    };
    Ok(rows.iter().map(|row| serde_json::from_str(row).unwrap_or_default()).collect())
}

/// Where a row stands: its message and its part.
fn place(row: &Value) -> Option<(String, String)> {
    Some((row[0].as_str()?.to_owned(), row[2].as_str()?.to_owned()))
}

impl Page {
    fn take(&mut self, row: &Value) {
        let Some(row) = Part::read(row) else {
            self.unreadable += 1;
            return;
        };
        let undone = self.reverted.as_ref().is_some_and(|(message, part)| match part {
            Some(part) => row.message > *message || (row.message == *message && row.part >= *part),
            None => row.message >= *message,
        });
        if undone {
            return;
        }
        self.items += row.updates.len();
        match self.messages.last_mut() {
            Some(message) if message.id == row.message => message.rows.push(row),
            _ => self.messages.push(Message { id: row.message.clone(), rows: vec![row] }),
        }
    }

    /// Cuts the page where the limit is passed, before a whole message; gives the name of the next one.
    fn cut(&mut self, limit: usize) -> Option<String> {
        if self.items <= limit || self.messages.len() < 2 {
            return None;
        }
        let (mut items, mut keeps) = (0, 0);
        for message in &self.messages {
            items += message.rows.iter().map(|row| row.updates.len()).sum::<usize>();
            if items > limit && keeps > 0 {
                break;
            }
            keeps += 1;
        }
        self.messages.truncate(keeps);
        // The one that is left out may have been read in part: the next page reads it whole.
        self.messages.last().map(|message| format!("{} ", message.id))
    }
}

impl Part {
    fn read(row: &Value) -> Option<Self> {
        let (message, part) = place(row)?;
        let data = |at: usize| serde_json::from_str::<Value>(row[at].as_str()?).ok();
        let updates = updates(&message, data(1)?["role"].as_str().unwrap_or_default(), &data(3)?);
        Some(Part { message, part, updates, at_ms: row[4].as_f64() })
    }
}

/// A part of this message as the agent itself would tell it.
fn updates(message: &str, role: &str, data: &Value) -> Vec<Value> {
    let id = Some(message);
    let text = data["text"].as_str().unwrap_or_default();
    let update = match (data["type"].as_str().unwrap_or_default(), role) {
        ("text", _) if data["synthetic"] == true || data["ignored"] == true => None,
        ("text", "user") => words("user_message_chunk", id, text),
        ("text", _) => words("agent_message_chunk", id, text),
        ("reasoning", _) => words("agent_thought_chunk", id, text),
        ("file", "user") => {
            let link = json!({"type": "resource_link", "name": data["filename"], "uri": data["url"], "mimeType": data["mime"]});
            Some(json!({"sessionUpdate": "user_message_chunk", "messageId": id, "content": link}))
        }
        ("tool", _) => Some(called(data)),
        _ => None,
    };
    update.into_iter().collect()
}

/// A call with its result.
fn called(data: &Value) -> Value {
    let state = &data["state"];
    let name = data["tool"].as_str().unwrap_or_default();
    let status = match state["status"].as_str() {
        Some("error") => "failed",
        Some("completed") => "completed",
        Some("running") => "in_progress",
        _ => "pending",
    };
    let input = &state["input"];
    // What was read is shown without the frame that the model gets it in.
    let output = state["metadata"]["display"]["text"].as_str().or(state["output"].as_str());
    let mut shown = content(output.or(state["error"].as_str()));
    let edits = input["filePath"].as_str().zip(input["oldString"].as_str()).zip(input["newString"].as_str());
    if let (Some(((path, before), after)), Some(shown)) = (edits, shown.as_array_mut()) {
        shown.push(json!({"type": "diff", "path": path, "oldText": before, "newText": after}));
    }
    let title = state["title"].as_str().filter(|title| !title.is_empty());
    let title = title.or(input["command"].as_str()).or(input["filePath"].as_str());
    let places: Vec<Value> = input["filePath"].as_str().map(|path| json!({"path": path})).into_iter().collect();
    json!({
        "sessionUpdate": "tool_call_update", "toolCallId": data["callID"], "kind": kind(name), "status": status,
        "title": title.unwrap_or(name),
        "rawInput": input, "content": shown, "locations": places,
        "rawOutput": {"output": state["output"], "metadata": state["metadata"]},
    })
}
