//! What outlives the process: threads, their events, sessions, runs, requests, grants, in one SQLite file.
//!
//! All writes go through one thread that commits whatever waits in one transaction; reads have a thread of their own and see
//! everything that was handed over before them. The store never decides: what a crash means is told by [`Recovery`], what
//! follows from it is the session task's. **What was acknowledged survives `kill -9`; a number that was given out is never
//! given out again; nothing that was stored is changed by an append.**
//!
//! Streaming text is stored merged (deltas of one item, in one flush) with the place of each seam, and taken apart again
//! when it is read: [`Store::events`] gives every event under the number that a client saw, so merging needs no `gap`. Only
//! numbers that were reserved and never stored are one ([`Gap`]).
//!
//! A store that fails for good (disk full, file damaged) refuses all later writes with the same error, at once, and says so
//! in [`Store::health`]; it can still be read. Tests: `tests/store.rs`, `tests/store_crash.rs`, and beside the code.

mod children;
mod delete;
mod demotions;
mod error;
mod events;
mod grants;
mod recovery;
mod requests;
mod runs;
mod schema;
mod sequence;
mod sessions;
mod setups;
mod threads;
mod words;
mod writer;

pub use children::ChildRecord;
pub use demotions::Demotion;
pub use error::StoreError;
pub use grants::GrantRow;
pub use recovery::Recovery;
pub use requests::{RequestRecord, RequestState};
pub use runs::RunRecord;
pub use schema::SCHEMA;
pub use sequence::{Gap, Sequence};
pub use sessions::SessionRecord;
pub use threads::{ThreadChange, ThreadRecord};
pub use writer::Commit;

use jackfield_core::event::SessionEvent;
use jackfield_core::limits::Limits;
use rusqlite::Connection;
use schema::Place;
use std::path::Path;
use std::sync::{Arc, mpsc};
use tokio::sync::{oneshot, watch};
use writer::{Writer, WriterHandle};

/// The store's file in the data folder.
pub const FILE: &str = "jackfield.sqlite";

/// A handle to the store; clones are the same store. When the last is dropped, what was handed over is still written.
#[derive(Clone)]
pub struct Store {
    place: Arc<Place>,
    writer: WriterHandle,
    reader: mpsc::Sender<Read>,
    limits: Arc<Limits>,
}

type Read = Box<dyn FnOnce(&Connection) + Send>;

impl Store {
    /// Opens the store in this data folder; makes both when they are not there (the folder for its owner only), and brings
    /// an older schema up to date. Blocking, for milliseconds; at worst `store_busy_ms`.
    pub fn open(data: &Path, limits: Arc<Limits>) -> Result<Self, StoreError> {
        let place = Arc::new(Place::new(data.join(FILE), limits.store_busy_ms));
        schema::make_folder(&place)?;
        let db = schema::open(&place, &limits)?;
        let reading = schema::connect(&place)?;
        let (reader, reads) = mpsc::channel::<Read>();
        spawn_thread("jackfield-read", &place, move || {
            for read in reads {
                read(&reading);
            }
        })?;
        let (writer, work) = Writer::new(db, place.clone(), &limits);
        spawn_thread("jackfield-store", &place, move || work.run())?;
        Ok(Self { place, writer, reader, limits })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.place.file
    }

    /// `None` while all is well; the error once the store has failed for good.
    pub fn health(&self) -> watch::Receiver<Option<StoreError>> {
        self.writer.health()
    }

    /// Hands events over, in order; waits only while too much waits already. The answer resolves once they are committed; it
    /// may be dropped by whoever does not care. Their thread must have been created, and its lease be held.
    pub async fn append<E: Into<Arc<SessionEvent>>>(&self, events: Vec<E>) -> Commit {
        self.writer.append(events.into_iter().map(Into::into).collect()).await
    }

    /// Returns once everything handed over before is committed.
    pub async fn flush(&self) -> Result<(), StoreError> {
        self.write(|_| Ok(())).await
    }

    /// A change, in the order of the appends around it; it is in the file when this returns.
    async fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.change(change).await
    }

    /// A question, answered after everything handed over before it.
    async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        // A store that has failed for good can still be read.
        let _ = self.flush().await;
        let (reply, answer) = oneshot::channel();
        let read: Read = Box::new(move |db| {
            // An error means that nobody waits for the answer any more.
            let _ = reply.send(question(db));
        });
        self.reader.send(read).map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

fn spawn_thread(name: &str, place: &Place, body: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(body);
    spawned.map(drop).map_err(|error| StoreError::Io { path: place.file.clone(), reason: error.to_string() })
}
