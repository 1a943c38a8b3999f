//! Sessions: which plugin worked for a thread, with what capabilities, and how it ended.

use super::Store;
use super::error::StoreError;
use super::words::{Columns, all, found, insert, word};
use jackfield_core::event::SessionEnd;
use jackfield_core::id::{SessionId, ThreadId};
use rusqlite::params;

/// One native start of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// The session.
    pub id: SessionId,
    /// Number of the native start.
    pub epoch: u32,
    /// The thread it works for.
    pub thread: ThreadId,
    /// The plugin, `publisher/name`.
    pub plugin: String,
    /// sha256 of the plugin's bytes, hexadecimal.
    pub digest: String,
    /// Its capabilities in all their stages (`core`'s `Staged`), JSON.
    pub capabilities: String,
    /// When it started, milliseconds since 1970.
    pub started_ms: u64,
    /// When and how it ended; absent while it lives, and after the host died.
    pub ended: Option<(u64, SessionEnd)>,
}

pub(super) const COLUMNS: &str = "id, epoch, thread, plugin, digest, capabilities, started_ms, ended_ms, end_reason";

impl Store {
    /// Stores the start of a session's epoch.
    pub async fn put_session(&self, session: SessionRecord) -> Result<(), StoreError> {
        let place = self.place.clone();
        let change = move |db: &rusqlite::Connection| {
            let sql = "INSERT INTO sessions (id, epoch, thread, plugin, digest, capabilities, started_ms, ended_ms, end_reason) \
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
            let (ended_ms, reason) = session.ended.unzip();
            let values = params![
                session.id.as_str(),
                session.epoch,
                session.thread.as_str(),
                session.plugin,
                session.digest,
                session.capabilities,
                session.started_ms as i64,
                ended_ms.map(|ms| ms as i64),
                reason.map(|reason| word("end_reason", &reason)).transpose()?
            ];
            insert(db, &place, sql, values, &format!("epoch {} of session {}", session.epoch, session.id))
        };
        self.write(change).await
    }

    /// A thread's last session.
    pub async fn last_session(&self, thread: &ThreadId) -> Result<Option<SessionRecord>, StoreError> {
        let (place, thread) = (self.place.clone(), thread.clone());
        let sql = format!("SELECT {COLUMNS} FROM sessions WHERE thread = ?1 ORDER BY epoch DESC LIMIT 1");
        Ok(self.read(move |db| all(db, &place, &sql, params![thread.as_str()], record)).await?.pop())
    }

    /// The newest session of a plugin whose capabilities are known.
    pub async fn newest_session(&self, plugin: &str) -> Result<Option<SessionRecord>, StoreError> {
        let (place, plugin) = (self.place.clone(), plugin.to_owned());
        let sql = format!(
            "SELECT {COLUMNS} FROM sessions WHERE plugin = ?1 AND capabilities <> '' ORDER BY started_ms DESC, epoch DESC LIMIT 1"
        );
        let mut newest = self.read(move |db| all(db, &place, &sql, params![plugin], record)).await?;
        Ok(newest.pop())
    }

    /// The thread that a session worked for.
    pub async fn thread_of_session(&self, session: &SessionId) -> Result<Option<ThreadId>, StoreError> {
        let (place, session) = (self.place.clone(), session.clone());
        let sql = "SELECT DISTINCT thread FROM sessions WHERE id = ?1";
        let read = move |db: &rusqlite::Connection| {
            all(db, &place, sql, [session.as_str()], |row| row.id("thread", ThreadId::parse))
        };
        Ok(self.read(read).await?.into_iter().next())
    }

    /// Replaces the capabilities of a session's epoch (JSON).
    pub async fn set_session_capabilities(
        &self,
        session: &SessionId,
        epoch: u32,
        capabilities: String,
    ) -> Result<(), StoreError> {
        let (place, id) = (self.place.clone(), session.clone());
        let change = move |db: &rusqlite::Connection| {
            let sql = "UPDATE sessions SET capabilities = ?3 WHERE id = ?1 AND epoch = ?2";
            let changed = db.execute(sql, params![id.as_str(), epoch, capabilities]);
            found(changed, &place, &format!("epoch {epoch} of session {id}"))
        };
        self.write(change).await
    }

    /// Stores the end of a session's epoch; the first one told stays.
    pub async fn end_session(
        &self,
        session: &SessionId,
        epoch: u32,
        end: SessionEnd,
        at_ms: u64,
    ) -> Result<(), StoreError> {
        let (place, id) = (self.place.clone(), session.clone());
        let change = move |db: &rusqlite::Connection| {
            let sql = "UPDATE sessions SET end_reason = coalesce(end_reason, ?3), ended_ms = coalesce(ended_ms, ?4) \
                WHERE id = ?1 AND epoch = ?2";
            let values = params![id.as_str(), epoch, word("end_reason", &end)?, at_ms as i64];
            found(db.execute(sql, values), &place, &format!("epoch {epoch} of session {id}"))
        };
        self.write(change).await
    }
}

pub(super) fn record(row: &Columns<'_>) -> Result<SessionRecord, StoreError> {
    let ended_ms: Option<i64> = row.get("ended_ms")?;
    Ok(SessionRecord {
        id: row.id("id", SessionId::parse)?,
        epoch: row.get("epoch")?,
        thread: row.id("thread", ThreadId::parse)?,
        plugin: row.get("plugin")?,
        digest: row.get("digest")?,
        capabilities: row.get("capabilities")?,
        started_ms: row.number("started_ms")?,
        ended: ended_ms.map(|ms| Ok((ms.max(0) as u64, row.word("end_reason")?))).transpose()?,
    })
}
