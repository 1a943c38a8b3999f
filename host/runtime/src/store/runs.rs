//! Runs: what a person asked for, and how far it has come. Queued ones survive.

use super::Store;
use super::error::StoreError;
use super::words::{Columns, all, found, insert, json, word};
use jackfield_core::contract::{Content, Pairs};
use jackfield_core::event::RunStatus;
use jackfield_core::id::{RunId, ThreadId};
use jackfield_core::lifecycle::{Run, State};
use rusqlite::params;

/// A run as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// Its id.
    pub id: RunId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its number in the thread, from 1.
    pub ordinal: u32,
    /// How far it has come.
    pub status: RunStatus,
    /// What the person sent.
    pub prompt: Vec<Content>,
    /// Settings chosen for it.
    pub selection: Pairs,
    /// When it was made, milliseconds since 1970.
    pub created_ms: u64,
    /// When its status last changed.
    pub updated_ms: u64,
}

impl Store {
    /// Stores a new run.
    pub async fn put_run(&self, run: RunRecord) -> Result<(), StoreError> {
        let place = self.place.clone();
        let change = move |db: &rusqlite::Connection| {
            let sql = "INSERT INTO runs (id, thread, ordinal, status, prompt, selection, created_ms, updated_ms) \
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let values = params![
                run.id.as_str(),
                run.thread.as_str(),
                run.ordinal,
                word("status", &run.status)?,
                json("prompt", &run.prompt)?,
                json("selection", &run.selection)?,
                run.created_ms as i64,
                run.updated_ms as i64
            ];
            insert(db, &place, sql, values, &format!("run {} (or number {} of {})", run.id, run.ordinal, run.thread))
        };
        self.write(change).await
    }

    /// Changes the status of a run, where the table of its states has such a change; else it stays as it is.
    pub async fn update_run(&self, run: &RunId, status: RunStatus, at_ms: u64) -> Result<(), StoreError> {
        let (place, run) = (self.place.clone(), run.clone());
        let change = move |db: &rusqlite::Connection| {
            let sql = "SELECT status FROM runs WHERE id = ?1";
            let mut state = all(db, &place, sql, [run.as_str()], |row| row.word::<State<Run>>("status"))?.pop();
            if state.as_mut().is_some_and(|state| !state.step(status)) {
                return Ok(());
            }
            let sql = "UPDATE runs SET status = ?2, updated_ms = max(updated_ms, ?3) WHERE id = ?1";
            let values = params![run.as_str(), word("status", &status)?, at_ms as i64];
            found(db.execute(sql, values), &place, &format!("run {run}"))
        };
        self.write(change).await
    }

    /// Changes what a run that waits says.
    pub async fn edit_run(&self, run: &RunId, prompt: Vec<Content>, at_ms: u64) -> Result<(), StoreError> {
        let (place, run) = (self.place.clone(), run.clone());
        let change = move |db: &rusqlite::Connection| {
            let sql = "UPDATE runs SET prompt = ?2, updated_ms = max(updated_ms, ?3) WHERE id = ?1";
            let values = params![run.as_str(), json("prompt", &prompt)?, at_ms as i64];
            found(db.execute(sql, values), &place, &format!("run {run}"))
        };
        self.write(change).await
    }

    /// Puts these runs before all others that wait, in this order.
    pub async fn order_runs(&self, order: Vec<RunId>) -> Result<(), StoreError> {
        let place = self.place.clone();
        let change = move |db: &rusqlite::Connection| {
            for (at, run) in order.iter().enumerate() {
                let values = params![run.as_str(), at as i64 - order.len() as i64];
                found(db.execute("UPDATE runs SET place = ?2 WHERE id = ?1", values), &place, &format!("run {run}"))?;
            }
            Ok(())
        };
        self.write(change).await
    }

    /// Runs of a thread that wait, in order.
    pub async fn queued_runs(&self, thread: &ThreadId) -> Result<Vec<RunRecord>, StoreError> {
        let (place, thread) = (self.place.clone(), thread.clone());
        let sql = "SELECT id, thread, ordinal, status, prompt, selection, created_ms, updated_ms FROM runs \
            WHERE thread = ?1 AND status = 'queued' ORDER BY coalesce(place, ordinal), ordinal";
        self.read(move |db| all(db, &place, sql, [thread.as_str()], record)).await
    }

    /// One run.
    pub async fn run(&self, run: &RunId) -> Result<Option<RunRecord>, StoreError> {
        let (place, run) = (self.place.clone(), run.clone());
        let sql =
            "SELECT id, thread, ordinal, status, prompt, selection, created_ms, updated_ms FROM runs WHERE id = ?1";
        Ok(self.read(move |db| all(db, &place, sql, [run.as_str()], record)).await?.pop())
    }

    /// All runs of a thread, in order.
    pub async fn runs(&self, thread: &ThreadId) -> Result<Vec<RunRecord>, StoreError> {
        let (place, thread) = (self.place.clone(), thread.clone());
        let sql = "SELECT id, thread, ordinal, status, prompt, selection, created_ms, updated_ms FROM runs \
            WHERE thread = ?1 ORDER BY ordinal";
        self.read(move |db| all(db, &place, sql, [thread.as_str()], record)).await
    }
}

fn record(row: &Columns<'_>) -> Result<RunRecord, StoreError> {
    Ok(RunRecord {
        id: row.id("id", RunId::parse)?,
        thread: row.id("thread", ThreadId::parse)?,
        ordinal: row.get("ordinal")?,
        status: row.word("status")?,
        prompt: row.json("prompt")?,
        selection: row.json("selection")?,
        created_ms: row.number("created_ms")?,
        updated_ms: row.number("updated_ms")?,
    })
}
