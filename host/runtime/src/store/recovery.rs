//! What a thread looks like after its host died. Told only: the session task decides what becomes of it.

use super::error::StoreError;
use super::words::all;
use super::{RequestRecord, RunRecord, SessionRecord, Store, sessions};
use jackfield_core::event::RunStatus;
use jackfield_core::id::ThreadId;

/// What is unfinished in a thread. Take its lease first.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovery {
    /// Runs that were at work: neither queued nor ended.
    pub open_runs: Vec<RunRecord>,
    /// Runs that waited; they still do.
    pub queued_runs: Vec<RunRecord>,
    /// Requests that waited; whoever asked is gone.
    pub open_requests: Vec<RequestRecord>,
    /// Sessions whose end was never stored, the oldest first.
    pub unended_sessions: Vec<SessionRecord>,
    /// Epoch of the thread's next session, from 0.
    pub next_epoch: u32,
    /// Number of the last run; 0 before the first.
    pub last_ordinal: u32,
    /// Number of the last stored event; 0 before the first.
    pub last_seq: u64,
    /// The last number that may have been given out.
    pub reserved_seq: u64,
}

impl Store {
    /// What is unfinished in a thread.
    pub async fn recover(&self, thread: &ThreadId) -> Result<Recovery, StoreError> {
        let (place, id) = (self.place.clone(), thread.clone());
        let numbers = self.read(move |db| {
            let sql = "SELECT last_seq, reserved_seq, (SELECT max(epoch) FROM sessions WHERE thread = threads.id) AS epoch \
                FROM threads WHERE id = ?1";
            all(db, &place, sql, [id.as_str()], |row| {
                let epoch: Option<u32> = row.get("epoch")?;
                Ok((row.number("last_seq")?, row.number("reserved_seq")?, epoch.map_or(0, |epoch| epoch + 1)))
            })
        });
        let Some((last_seq, reserved_seq, next_epoch)) = numbers.await?.pop() else {
            return Err(StoreError::NotFound { what: format!("thread {thread}") });
        };
        let (place, id) = (self.place.clone(), thread.clone());
        let columns = sessions::COLUMNS;
        let sql = format!("SELECT {columns} FROM sessions WHERE thread = ?1 AND end_reason IS NULL ORDER BY epoch");
        let unended_sessions = self.read(move |db| all(db, &place, &sql, [id.as_str()], sessions::record)).await?;
        let runs = self.runs(thread).await?;
        let last_ordinal = runs.last().map_or(0, |run| run.ordinal);
        let at_work = |run: &RunRecord| !run.status.is_terminal() && run.status != RunStatus::Queued;
        let open_runs = runs.into_iter().filter(at_work).collect();
        let queued_runs = self.queued_runs(thread).await?;
        let open_requests = self.open_requests(thread).await?;
        let reserved_seq = reserved_seq.max(last_seq);
        Ok(Recovery {
            open_runs,
            queued_runs,
            open_requests,
            unended_sessions,
            next_epoch,
            last_ordinal,
            last_seq,
            reserved_seq,
        })
    }
}
