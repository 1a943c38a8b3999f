//! Requests: what waits for an answer. The first resolution stays.

use super::Store;
use super::error::StoreError;
use super::words::{Columns, all, insert, json, word};
use jackfield_core::event::{Request, Resolution};
use jackfield_core::id::{RequestId, RunId, ThreadId};
use rusqlite::params;
use serde::{Deserialize, Serialize};

/// A request as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestRecord {
    /// Its thread.
    pub thread: ThreadId,
    /// The run it belongs to.
    pub run: Option<RunId>,
    /// The request.
    pub request: Request,
    /// The provider's own id of it: by it, it is known again after a restart.
    pub native_id: Option<String>,
    /// Whether it waits.
    pub state: RequestState,
    /// How it ended.
    pub resolution: Option<Resolution>,
    /// When it was opened, milliseconds since 1970.
    pub opened_ms: u64,
}

/// Whether a request waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestState {
    /// It waits for an answer.
    Open,
    /// It is over.
    Resolved,
}

impl Store {
    /// Stores a request that was opened.
    pub async fn put_request(
        &self,
        thread: &ThreadId,
        run: Option<&RunId>,
        request: Request,
        native_id: Option<String>,
        at_ms: u64,
    ) -> Result<(), StoreError> {
        let (place, thread, run) = (self.place.clone(), thread.clone(), run.cloned());
        let change = move |db: &rusqlite::Connection| {
            let sql = "INSERT INTO requests (id, thread, run, json, state, opened_ms, native_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let (body, state) = (json("request", &request)?, word("state", &RequestState::Open)?);
            let run = run.as_ref().map(RunId::as_str);
            let values = params![request.id.as_str(), thread.as_str(), run, body, state, at_ms as i64, native_id];
            insert(db, &place, sql, values, &format!("request {}", request.id))
        };
        self.write(change).await
    }

    /// Stores how a request ended. False when it had ended before, or is not stored: nothing is changed then.
    pub async fn resolve_request(
        &self,
        request: &RequestId,
        resolution: Resolution,
        at_ms: u64,
    ) -> Result<bool, StoreError> {
        let (place, request) = (self.place.clone(), request.clone());
        let change = move |db: &rusqlite::Connection| {
            let sql = "UPDATE requests SET state = ?2, resolution = ?3, resolved_ms = ?4 WHERE id = ?1 AND state = ?5";
            let (resolved, open) = (word("state", &RequestState::Resolved)?, word("state", &RequestState::Open)?);
            let values = params![request.as_str(), resolved, json("resolution", &resolution)?, at_ms as i64, open];
            db.execute(sql, values).map(|changed| changed > 0).map_err(|error| place.error(error))
        };
        self.write(change).await
    }

    /// Requests of a thread that wait, the oldest first.
    pub async fn open_requests(&self, thread: &ThreadId) -> Result<Vec<RequestRecord>, StoreError> {
        let requests = self.requests(thread).await?;
        Ok(requests.into_iter().filter(|request| request.state == RequestState::Open).collect())
    }

    /// All requests of a thread, the oldest first.
    pub async fn requests(&self, thread: &ThreadId) -> Result<Vec<RequestRecord>, StoreError> {
        let (place, thread) = (self.place.clone(), thread.clone());
        let sql = "SELECT thread, run, json, native_id, state, resolution, opened_ms FROM requests WHERE thread = ?1 ORDER BY rowid";
        self.read(move |db| all(db, &place, sql, [thread.as_str()], record)).await
    }
}

fn record(row: &Columns<'_>) -> Result<RequestRecord, StoreError> {
    let run: Option<String> = row.get("run")?;
    let resolution: Option<String> = row.get("resolution")?;
    Ok(RequestRecord {
        thread: row.id("thread", ThreadId::parse)?,
        run: run.is_some().then(|| row.id("run", RunId::parse)).transpose()?,
        request: row.json("json")?,
        native_id: row.get("native_id")?,
        state: row.word("state")?,
        resolution: resolution.is_some().then(|| row.json("resolution")).transpose()?,
        opened_ms: row.number("opened_ms")?,
    })
}
