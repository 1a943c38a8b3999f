//! Deleting a thread: every row of it, and the bytes they stood in.
//!
//! **Nothing of a deleted thread can be read from our files**: freed pages are overwritten (`secure_delete`), and the write-ahead log,
//! which still holds the pages as they were, is emptied. What the file system keeps of overwritten blocks is not in our hands.
//! Tests: `tests/tests/threads.rs` looks for a deleted thread's words in every file of the data folder.

use super::Store;
use super::error::StoreError;
use jackfield_core::id::ThreadId;

/// Each table that holds something of a thread, and the column that names it.
const TABLES: &[(&str, &str)] = &[
    ("children", "thread"),
    ("events", "thread"),
    ("requests", "thread"),
    ("runs", "thread"),
    ("sessions", "thread"),
    ("setups", "thread"),
    ("threads", "id"),
];

impl Store {
    /// Deletes a thread; take its lease first. False when it was not there.
    pub async fn delete_thread(&self, thread: &ThreadId) -> Result<bool, StoreError> {
        let (place, thread) = (self.place.clone(), thread.clone());
        let change = move |db: &rusqlite::Connection| {
            let mut last = 0;
            for (table, column) in TABLES {
                let sql = format!("DELETE FROM {table} WHERE {column} = ?1");
                last = db.execute(&sql, [thread.as_str()]).map_err(|error| place.error(error))?;
            }
            Ok(last > 0)
        };
        self.write(change).await
    }

    /// Empties the write-ahead log, after deletions. `Busy` when another process is reading or writing: its log then still
    /// holds what was deleted, until it is emptied later.
    pub async fn wipe_log(&self) -> Result<(), StoreError> {
        let (place, busy_ms) = (self.place.clone(), self.limits.store_busy_ms);
        self.read(move |db| {
            let busy: i64 = db
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
                .map_err(|error| place.error(error))?;
            match busy {
                0 => Ok(()),
                _ => Err(StoreError::Busy { path: place.file.clone(), busy_ms }),
            }
        })
        .await
    }

    /// Threads in which nothing happened since then, the longest silent first.
    pub async fn threads_silent_since(&self, before_ms: u64, limit: u64) -> Result<Vec<ThreadId>, StoreError> {
        let place = self.place.clone();
        let sql = "SELECT id FROM threads WHERE updated_ms < ?1 ORDER BY updated_ms LIMIT ?2";
        let values = (before_ms.min(i64::MAX as u64) as i64, limit.min(i64::MAX as u64) as i64);
        self.read(move |db| super::words::all(db, &place, sql, values, |row| row.id("id", ThreadId::parse))).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jackfield_core::limits::Limits;

    /// A table that is added later and names a thread must be in the list.
    #[test]
    fn every_table_of_a_thread_is_emptied() {
        let folder = tempfile::tempdir().unwrap();
        drop(Store::open(folder.path(), std::sync::Arc::new(Limits::default())).unwrap());
        let db = rusqlite::Connection::open(folder.path().join(super::super::FILE)).unwrap();
        let sql = "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'";
        let mut statement = db.prepare(sql).unwrap();
        let columns = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
        let mut found: Vec<(String, String)> = columns
            .map(Result::unwrap)
            .filter(|(table, column)| column == "thread" || (table == "threads" && column == "id"))
            .collect();
        found.sort();
        let mut known: Vec<(String, String)> =
            TABLES.iter().map(|(table, column)| ((*table).to_owned(), (*column).to_owned())).collect();
        known.sort();
        assert_eq!(found, known);
    }
}
