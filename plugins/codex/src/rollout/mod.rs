//! What Codex keeps of its conversations: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>[_<part>].jsonl`, appended to.
//!
//! A thread may have several files, and a copy begins in the file of another thread: the first row of each says where it goes on from.
//! `row` is a row, `rows` what the rows of a page mean, `item` how an item on disk becomes one of the wire. Tests: `tests/rollout.rs`.

mod item;
mod old;
mod row;
mod rows;

use jackfield_sdk::past::{Archive, Facts, Found, Place, Side};
use jackfield_sdk::random::is_uuid;

use row::Row;
use rows::Rollout;

/// The root of the manifest.
const ROOT: &str = "sessions";

/// Where the conversations are, and what their rows say.
#[derive(Debug, Clone)]
pub(crate) struct Sessions;

impl Archive for Sessions {
    type Rows = Rollout;

    fn places(&self, _: Option<&str>) -> Vec<Place> {
        vec![Place::new(ROOT, "*/*/*/rollout-*.jsonl")]
    }

    /// `rollout-2026-11-30T18-33-29-` and the thread's id; a second part has one of its own behind it.
    fn thread(&self, path: &str) -> Option<String> {
        let name = path.rsplit('/').next()?.strip_suffix(".jsonl")?;
        let id = name.strip_prefix("rollout-")?.get(20..56)?;
        is_uuid(id).then(|| id.to_owned())
    }

    /// It is listed when something was said in it, or it is known to go on from something.
    fn learn(&self, facts: &mut Facts, text: &str, side: Side) {
        let Some(row) = Row::read(text) else { return };
        if row.kind == "session_meta" && side == Side::Head && facts.folder.is_none() {
            let told = |name: &str| row.payload[name].as_str().map(str::to_owned);
            facts.folder = told("cwd");
            facts.parent = told("forked_from_id").or(told("parent_thread_id"));
            facts.listed |= !row.payload["history_base"].is_null();
            if row.is_subagent() {
                facts.extra.push(("subagent".to_owned(), "true".to_owned()));
            }
        }
        if side == Side::Tail && facts.title.is_none() {
            facts.title = row.name();
        }
        if let Some(words) = row.said() {
            facts.listed = true;
            facts.begins_with(words);
        }
        // A subagent's thread is read by its id, and is no conversation of a person.
        facts.listed &= facts.extra.iter().all(|(name, _)| name != "subagent");
    }

    fn rows(&self, _: &str, mark: Option<&str>) -> Rollout {
        Rollout::new(mark)
    }

    fn before(&self, rows: &mut Rollout, first: &str, at: &Found, all: &[Found]) -> Option<Found> {
        let row = Row::read(first).filter(|row| row.kind == "session_meta")?;
        let base = &row.payload["history_base"];
        let thread = base["thread_id"].as_str()?;
        rows.ends_before(base["end_ordinal_exclusive"].as_f64()?);
        // Its thread's newest file of those that were there then: names hold the time at which each was begun.
        let earlier = all.iter().filter(|found| found.thread == thread && found.path < at.path);
        earlier.max_by(|one, other| one.path.cmp(&other.path)).cloned()
    }
}
