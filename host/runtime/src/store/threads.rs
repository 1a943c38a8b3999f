//! Threads: what they are, and the cursor to resume them by.

use super::Store;
use super::error::StoreError;
use super::words::{Columns, all, found, insert};
use jackfield_core::id::ThreadId;
use rusqlite::{params, params_from_iter};
use serde::{Deserialize, Serialize};

/// A thread as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadRecord {
    /// Its id.
    pub id: ThreadId,
    /// The provider it talks to.
    pub provider: String,
    /// The plugin, `publisher/name`.
    pub plugin: String,
    /// sha256 of the plugin's bytes, hexadecimal.
    pub digest: String,
    /// Its working folder.
    pub folder: String,
    /// Title for a person.
    pub title: Option<String>,
    /// When it was made, milliseconds since 1970.
    pub created_ms: u64,
    /// When something last happened in it.
    pub updated_ms: u64,
    /// The provider's own id of it.
    pub native_id: Option<String>,
    /// The provider's resume handle.
    pub cursor: Option<String>,
    /// Its last stored number; 0 before the first. Ignored by `create_thread`.
    pub last_seq: u64,
}

/// What changes in a thread; `None` leaves as it is, `Some(None)` clears.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadChange {
    /// The plugin that works for it now, and its digest.
    pub plugin: Option<(String, String)>,
    /// Title for a person.
    pub title: Option<Option<String>>,
    /// The provider's own id of it.
    pub native_id: Option<Option<String>>,
    /// The provider's resume handle.
    pub cursor: Option<Option<String>>,
    /// When, milliseconds since 1970; an earlier time than stored is ignored.
    pub at_ms: u64,
}

const COLUMNS: &str =
    "id, provider, plugin, digest, folder, title, created_ms, updated_ms, native_id, cursor, last_seq";

impl Store {
    /// Stores a new thread.
    pub async fn create_thread(&self, thread: ThreadRecord) -> Result<(), StoreError> {
        let place = self.place.clone();
        let change = move |db: &rusqlite::Connection| {
            let sql = "INSERT INTO threads (id, provider, plugin, digest, folder, title, created_ms, updated_ms, native_id, cursor) \
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
            let values = params![
                thread.id.as_str(),
                thread.provider,
                thread.plugin,
                thread.digest,
                thread.folder,
                thread.title,
                thread.created_ms as i64,
                thread.updated_ms as i64,
                thread.native_id,
                thread.cursor
            ];
            insert(db, &place, sql, values, &format!("thread {}", thread.id))
        };
        self.write(change).await
    }

    /// One thread; `None` when there is none.
    pub async fn thread(&self, thread: &ThreadId) -> Result<Option<ThreadRecord>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM threads WHERE id = ?1");
        Ok(self.threads_where(sql, Some(thread.clone())).await?.pop())
    }

    /// All threads, the one that changed last first.
    pub async fn list_threads(&self) -> Result<Vec<ThreadRecord>, StoreError> {
        let order = "ORDER BY updated_ms DESC, created_ms DESC, id";
        self.threads_where(format!("SELECT {COLUMNS} FROM threads {order}"), None).await
    }

    /// Changes a thread.
    pub async fn update_thread(&self, thread: &ThreadId, change: ThreadChange) -> Result<(), StoreError> {
        let (place, thread) = (self.place.clone(), thread.clone());
        let change = move |db: &rusqlite::Connection| {
            let sql = "UPDATE threads SET plugin = coalesce(?2, plugin), digest = coalesce(?3, digest), \
                title = CASE ?4 WHEN 1 THEN ?5 ELSE title END, native_id = CASE ?6 WHEN 1 THEN ?7 ELSE native_id END, \
                cursor = CASE ?8 WHEN 1 THEN ?9 ELSE cursor END, updated_ms = max(updated_ms, ?10) WHERE id = ?1";
            let (plugin, digest) = change.plugin.unzip();
            let values = params![
                thread.as_str(),
                plugin,
                digest,
                change.title.is_some(),
                change.title.flatten(),
                change.native_id.is_some(),
                change.native_id.flatten(),
                change.cursor.is_some(),
                change.cursor.flatten(),
                change.at_ms as i64
            ];
            found(db.execute(sql, values), &place, &format!("thread {thread}"))
        };
        self.write(change).await
    }

    async fn threads_where(&self, sql: String, thread: Option<ThreadId>) -> Result<Vec<ThreadRecord>, StoreError> {
        let place = self.place.clone();
        self.read(move |db| all(db, &place, &sql, params_from_iter(thread.iter().map(ThreadId::as_str)), record)).await
    }
}

fn record(row: &Columns<'_>) -> Result<ThreadRecord, StoreError> {
    Ok(ThreadRecord {
        id: row.id("id", ThreadId::parse)?,
        provider: row.get("provider")?,
        plugin: row.get("plugin")?,
        digest: row.get("digest")?,
        folder: row.get("folder")?,
        title: row.get("title")?,
        created_ms: row.number("created_ms")?,
        updated_ms: row.number("updated_ms")?,
        native_id: row.get("native_id")?,
        cursor: row.get("cursor")?,
        last_seq: row.number("last_seq")?,
    })
}
