//! How a thread was set up, so that it is resumed the same way: the instance's name and what was said beyond it. The text is
//! the client's; the store does not look into it. **Who writes it leaves secrets out.**

use super::Store;
use super::error::StoreError;
use super::words::all;
use jackfield_core::id::ThreadId;
use rusqlite::params;

impl Store {
    /// Keeps a thread's setup, in place of the one before.
    pub async fn put_setup(&self, thread: &ThreadId, setup: String) -> Result<(), StoreError> {
        let (place, thread) = (self.place.clone(), thread.clone());
        let change = move |db: &rusqlite::Connection| {
            let sql = "INSERT INTO setups (thread, json) SELECT id, ?2 FROM threads WHERE id = ?1 \
                ON CONFLICT (thread) DO UPDATE SET json = excluded.json";
            db.execute(sql, params![thread.as_str(), setup]).map(drop).map_err(|error| place.error(error))
        };
        self.write(change).await
    }

    /// A thread's setup; none for a thread that was begun without one.
    pub async fn setup(&self, thread: &ThreadId) -> Result<Option<String>, StoreError> {
        let (place, thread) = (self.place.clone(), thread.clone());
        let sql = "SELECT json FROM setups WHERE thread = ?1";
        let rows = self.read(move |db| all(db, &place, sql, [thread.as_str()], |row| row.get("json"))).await?;
        Ok(rows.into_iter().next())
    }
}
