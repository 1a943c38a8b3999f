//! Threads of subagents, as their provider announced them: what each is resumed by, when a person opens it.

use super::Store;
use super::error::StoreError;
use super::words::all;
use jackfield_core::id::ThreadId;
use rusqlite::params;

/// A subagent's thread as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildRecord {
    /// The provider's own id of it.
    pub native_id: String,
    /// The provider's resume handle.
    pub cursor: Option<String>,
    /// Title for a person.
    pub title: Option<String>,
}

impl Store {
    /// Keeps what is known of a subagent's thread; what is not told erases nothing.
    pub async fn put_child(&self, thread: &ThreadId, child: ChildRecord) -> Result<(), StoreError> {
        let (place, thread) = (self.place.clone(), thread.clone());
        let change = move |db: &rusqlite::Connection| {
            let sql = "INSERT INTO children (thread, native_id, cursor, title) SELECT id, ?2, ?3, ?4 FROM threads WHERE id = ?1 \
                ON CONFLICT (thread, native_id) DO UPDATE SET cursor = coalesce(excluded.cursor, cursor), \
                title = coalesce(excluded.title, title)";
            let values = params![thread.as_str(), child.native_id, child.cursor, child.title];
            db.execute(sql, values).map(drop).map_err(|error| place.error(error))
        };
        self.write(change).await
    }

    /// A subagent's thread, by the provider's id.
    pub async fn child(&self, thread: &ThreadId, native_id: &str) -> Result<Option<ChildRecord>, StoreError> {
        let (place, values) = (self.place.clone(), (thread.as_str().to_owned(), native_id.to_owned()));
        let sql = "SELECT native_id, cursor, title FROM children WHERE thread = ?1 AND native_id = ?2";
        let rows = self.read(move |db| {
            all(db, &place, sql, values, |row| {
                Ok(ChildRecord {
                    native_id: row.get("native_id")?,
                    cursor: row.get("cursor")?,
                    title: row.get("title")?,
                })
            })
        });
        Ok(rows.await?.pop())
    }

    /// The thread of ours that this plugin's thread of this id is, if one was begun for it.
    pub async fn thread_of_native(&self, plugin: &str, native_id: &str) -> Result<Option<ThreadId>, StoreError> {
        let (place, values) = (self.place.clone(), (plugin.to_owned(), native_id.to_owned()));
        let sql = "SELECT id FROM threads WHERE plugin = ?1 AND native_id = ?2 ORDER BY created_ms LIMIT 1";
        let rows = self.read(move |db| all(db, &place, sql, values, |row| row.id("id", ThreadId::parse)));
        Ok(rows.await?.pop())
    }
}
