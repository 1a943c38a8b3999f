//! What Claude Code keeps of its conversations: `~/.claude/projects/<folder>/<session>.jsonl`, appended to, one row per block.
//!
//! A folder's name is that of the working folder with `-` for each sign that is no letter and no digit; which folder it was, the rows
//! say. A subagent's rows lie in `<session>/subagents/agent-<id>.jsonl` beside it. Rows are in `rows`. Tests: `tests/history.rs`.

mod row;
mod rows;

use jackfield_sdk::past::{Archive, Facts, Found, Place, Side};
use jackfield_sdk::prelude::*;
use jackfield_sdk::random::is_uuid;

use crate::cursor::Cursor;
use row::Row;

/// The root of the manifest.
const ROOT: &str = "projects";

/// Where the conversations are, and what their rows say.
#[derive(Debug, Clone)]
pub(crate) struct Projects;

impl Archive for Projects {
    type Rows = rows::Branch;

    fn places(&self, folder: Option<&str>) -> Vec<Place> {
        vec![Place::new(ROOT, format!("{}/*.jsonl", folder.map_or("*".to_owned(), project)))]
    }

    fn thread(&self, path: &str) -> Option<String> {
        let id = path.rsplit('/').next()?.strip_suffix(".jsonl")?;
        is_uuid(id).then(|| id.to_owned())
    }

    fn group<'a>(&self, path: &'a str) -> Option<&'a str> {
        Some(path.split_once('/')?.0)
    }

    fn learn(&self, facts: &mut Facts, text: &str, side: Side) {
        let Some(row) = Row::read(text) else { return };
        if facts.folder.is_none() {
            facts.folder = row.cwd.clone();
        }
        if matches!(row.kind.as_str(), "user" | "assistant") && !row.is_sidechain {
            facts.listed = true;
        }
        // A name that a person gave counts more than one that was made up.
        let title = match (row.kind.as_str(), side) {
            ("custom-title", _) => row.custom_title.clone(),
            ("ai-title", Side::Tail) => row.ai_title.clone().filter(|_| facts.title.is_none()),
            ("summary", _) => row.summary.clone().filter(|_| facts.title.is_none()),
            _ => None,
        };
        facts.title = title.or(facts.title.take());
        if let Some(words) = row.said().filter(|_| side == Side::Head) {
            facts.begins_with(&words);
        }
    }

    fn cursor(&self, cursor: &str) -> (String, Option<String>) {
        let cursor = Cursor::read(cursor);
        (cursor.session, cursor.at)
    }

    fn rows(&self, _: &str, mark: Option<&str>) -> rows::Branch {
        rows::Branch::new(mark, false)
    }

    fn rows_inside(&self, _: &str) -> rows::Branch {
        rows::Branch::new(None, true)
    }

    fn inside(&self, at: &Found, agent: &str) -> Option<FilePath> {
        let is_name = !agent.is_empty() && agent.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        let session = at.path.strip_suffix(".jsonl").filter(|_| is_name)?;
        Some(FilePath { root: at.root.clone(), path: format!("{session}/subagents/agent-{agent}.jsonl") })
    }
}

/// The name of a working folder's project. A long one is cut, and something is added that only the program knows.
fn project(folder: &str) -> String {
    let name: String = folder.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if name.len() > 200 { format!("{}*", &name[..200]) } else { name }
}
