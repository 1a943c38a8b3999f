//! Sequence numbers of a thread. A block is reserved in the file before any number of it is given out; so after `kill -9` the
//! next start begins after the block, and none is used twice.

use super::Store;
use super::error::StoreError;
use super::words::{all, found};
use jackfield_core::id::ThreadId;
use rusqlite::params;
use std::ops::RangeInclusive;

/// Numbers that were reserved and whose events are not stored: the host died. To be announced as a `gap` event.
pub type Gap = RangeInclusive<u64>;

/// The numbers of one thread. **Whoever holds it must hold the thread's lease.**
pub struct Sequence {
    store: Store,
    thread: ThreadId,
    next: u64,
    reserved: u64,
}

impl Store {
    /// The sequence of a thread, and the gap before it if the host died. The caller appends the `gap` event first; until it
    /// is stored, the next start finds a gap that holds this one.
    pub async fn sequence(&self, thread: &ThreadId) -> Result<(Sequence, Option<Gap>), StoreError> {
        let (place, id) = (self.place.clone(), thread.clone());
        let numbers = self.read(move |db| {
            let sql = "SELECT last_seq, reserved_seq FROM threads WHERE id = ?1";
            all(db, &place, sql, [id.as_str()], |row| Ok((row.number("last_seq")?, row.number("reserved_seq")?)))
        });
        let Some((last, reserved)) = numbers.await?.pop() else {
            return Err(StoreError::NotFound { what: format!("thread {thread}") });
        };
        let end = last.max(reserved);
        let mut sequence = Sequence { store: self.clone(), thread: thread.clone(), next: end + 1, reserved: end };
        sequence.reserve().await?;
        Ok((sequence, (last < reserved).then_some(last + 1..=reserved)))
    }
}

impl Sequence {
    /// The next number; waits for the file once in `seq_reserve` numbers.
    pub async fn next(&mut self) -> Result<u64, StoreError> {
        if self.next > self.reserved {
            self.reserve().await?;
        }
        self.next += 1;
        Ok(self.next - 1)
    }

    /// The next number if it is reserved already.
    pub fn try_next(&mut self) -> Option<u64> {
        (self.next <= self.reserved).then(|| {
            self.next += 1;
            self.next - 1
        })
    }

    /// The last number given out; 0 before the first.
    pub fn last(&self) -> u64 {
        self.next - 1
    }

    /// Gives the rest of the block back at an orderly end, after everything given out has been appended: no gap then.
    pub async fn release(self) -> Result<(), StoreError> {
        self.set_reserved(self.next - 1).await
    }

    async fn reserve(&mut self) -> Result<(), StoreError> {
        let reserved = self.reserved + self.store.limits.seq_reserve.max(1);
        self.set_reserved(reserved).await?;
        self.reserved = reserved;
        Ok(())
    }

    async fn set_reserved(&self, reserved: u64) -> Result<(), StoreError> {
        let (place, thread) = (self.store.place.clone(), self.thread.clone());
        let sql = "UPDATE threads SET reserved_seq = ?2 WHERE id = ?1";
        let change = move |db: &rusqlite::Connection| {
            found(db.execute(sql, params![thread.as_str(), reserved as i64]), &place, &format!("thread {thread}"))
        };
        self.store.write(change).await
    }
}
