//! The store's writing thread: takes what waits, commits it in one transaction, tells everybody.
//!
//! Deltas wait up to `store_flush_ms` for more of their kind; anything else is committed at once, with all before it.
//! **One bad change costs only itself; a file that cannot be written costs everything after it, loudly.**

use super::error::StoreError;
use super::events::{self, is_delta};
use super::schema::Place;
use jackfield_core::event::SessionEvent;
use jackfield_core::limits::Limits;
use rusqlite::{Connection, TransactionBehavior};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};

/// Resolves when what was appended is committed.
#[derive(Debug)]
pub struct Commit(oneshot::Receiver<Result<(), StoreError>>);

impl Commit {
    /// Of what is kept nowhere.
    pub(crate) fn of_nothing() -> Commit {
        let (done, commit) = oneshot::channel();
        let _ = done.send(Ok(()));
        Commit(commit)
    }
}

impl Future for Commit {
    type Output = Result<(), StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|answer| answer.unwrap_or(Err(StoreError::Closed)))
    }
}

/// A change and its answer.
trait Change: Send {
    fn run(&mut self, db: &Connection) -> Result<(), StoreError>;
    /// With the error that kept the whole group from being committed, if there was one.
    fn finish(self: Box<Self>, group: Result<(), StoreError>);
}

struct Asked<T, F> {
    change: Option<F>,
    outcome: Result<T, StoreError>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: FnOnce(&Connection) -> Result<T, StoreError> + Send> Change for Asked<T, F> {
    fn run(&mut self, db: &Connection) -> Result<(), StoreError> {
        let Some(change) = self.change.take() else { return Ok(()) };
        self.outcome = change(db);
        self.outcome.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    fn finish(self: Box<Self>, group: Result<(), StoreError>) {
        let _ = self.reply.send(group.and(self.outcome));
    }
}

enum Job {
    Append {
        events: Vec<Arc<SessionEvent>>,
        done: oneshot::Sender<Result<(), StoreError>>,
        _room: Option<OwnedSemaphorePermit>,
    },
    Change(Box<dyn Change>),
}

/// How the others reach the thread.
#[derive(Clone)]
pub(super) struct WriterHandle {
    jobs: mpsc::Sender<Job>,
    room: Arc<Semaphore>,
    room_bytes: usize,
    health: watch::Receiver<Option<StoreError>>,
}

impl WriterHandle {
    pub(super) fn health(&self) -> watch::Receiver<Option<StoreError>> {
        self.health.clone()
    }

    pub(super) async fn append(&self, events: Vec<Arc<SessionEvent>>) -> Commit {
        let bytes: usize = events.iter().map(|event| events::weight(event)).sum();
        let room = self.room.clone().acquire_many_owned(bytes.clamp(1, self.room_bytes) as u32).await.ok();
        let (done, commit) = oneshot::channel();
        // If the thread has ended, `done` is dropped with the job, and the commit says so.
        let _ = self.jobs.send(Job::Append { events, done, _room: room });
        Commit(commit)
    }

    pub(super) async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let asked = Asked { change: Some(change), outcome: Err(StoreError::Closed), reply };
        self.jobs.send(Job::Change(Box::new(asked))).map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

pub(super) struct Writer {
    db: Connection,
    place: Arc<Place>,
    jobs: mpsc::Receiver<Job>,
    health: watch::Sender<Option<StoreError>>,
    flush: Duration,
    merge_bytes: usize,
    group_bytes: usize,
}

impl Writer {
    pub(super) fn new(db: Connection, place: Arc<Place>, limits: &Limits) -> (WriterHandle, Self) {
        let (sender, jobs) = mpsc::channel();
        let (health, healthy) = watch::channel(None);
        let room_bytes = limits.store_queue_bytes.min(u64::from(u32::MAX) >> 4) as usize;
        let room = Arc::new(Semaphore::new(room_bytes));
        let handle = WriterHandle { jobs: sender, room, room_bytes, health: healthy };
        let flush = Duration::from_millis(limits.store_flush_ms);
        let (merge_bytes, group_bytes) = (limits.store_merge_bytes as usize, room_bytes / 4);
        (handle, Self { db, place, jobs, health, flush, merge_bytes, group_bytes })
    }

    /// Until nobody holds a handle.
    pub(super) fn run(mut self) {
        loop {
            let Ok(first) = self.jobs.recv() else { return };
            let group = self.gather(first);
            self.commit(group);
        }
    }

    /// What is committed together: all that waits; and while it is only deltas, what comes within the flush time.
    fn gather(&self, first: Job) -> Vec<Job> {
        let until = Instant::now() + self.flush;
        let (mut bytes, mut patient) = (weight(&first), only_deltas(&first));
        let mut group = vec![first];
        while bytes < self.group_bytes {
            let wait = if patient { until.saturating_duration_since(Instant::now()) } else { Duration::ZERO };
            let job = match self.jobs.recv_timeout(wait) {
                Ok(job) => job,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            };
            bytes += weight(&job);
            patient &= only_deltas(&job);
            group.push(job);
        }
        group
    }

    fn commit(&mut self, mut group: Vec<Job>) {
        let failed = self.health.borrow().clone();
        let outcome = match failed {
            Some(error) => Err(error),
            None => self.write(&mut group),
        };
        let outcomes = match outcome {
            Ok(outcomes) => outcomes,
            Err(error) => {
                // Events that are lost leave a hole that nothing may be written behind.
                let lost = group.iter().any(|job| matches!(job, Job::Append { .. }));
                if (lost || error.is_of_the_file()) && self.health.borrow().is_none() {
                    tracing::error!(code = error.code(), "the store has failed: {error}");
                    self.health.send_replace(Some(error.clone()));
                }
                vec![Err(error); group.len()]
            }
        };
        for (job, outcome) in group.into_iter().zip(outcomes) {
            match job {
                Job::Append { done, .. } => drop(done.send(outcome)),
                Job::Change(change) => change.finish(outcome),
            }
        }
    }

    /// One transaction. A job's own error is its own; an error of the file is everybody's.
    fn write(&mut self, group: &mut [Job]) -> Result<Vec<Result<(), StoreError>>, StoreError> {
        let place = &self.place;
        let sql = |error| place.error(error);
        let transaction = self.db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
        let mut outcomes = Vec::with_capacity(group.len());
        while outcomes.len() < group.len() {
            let rest = &mut group[outcomes.len()..];
            let appends = rest.iter().take_while(|job| matches!(job, Job::Append { .. })).count();
            if appends == 0 {
                let Job::Change(change) = &mut rest[0] else { continue };
                // The change keeps its own error; here it only undoes what it had done.
                let done = savepoint(&transaction, place, |db| change.run(db));
                file_error(&done)?;
                outcomes.push(Ok(()));
                continue;
            }
            let all: Vec<&SessionEvent> = rest[..appends].iter().flat_map(events_of).map(Arc::as_ref).collect();
            let together = savepoint(&transaction, place, |db| events::insert(db, place, &all, self.merge_bytes));
            file_error(&together)?;
            if together.is_ok() || appends == 1 {
                outcomes.extend(vec![together; appends]);
                continue;
            }
            // One of them is wrong: each by itself, so that the others are kept.
            for job in &rest[..appends] {
                let own: Vec<&SessionEvent> = events_of(job).iter().map(Arc::as_ref).collect();
                let done = savepoint(&transaction, place, |db| events::insert(db, place, &own, self.merge_bytes));
                file_error(&done)?;
                outcomes.push(done);
            }
        }
        transaction.commit().map_err(sql)?;
        for error in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
            tracing::error!(code = error.code(), "events were refused: {error}");
        }
        Ok(outcomes)
    }
}

fn events_of(job: &Job) -> &[Arc<SessionEvent>] {
    match job {
        Job::Append { events, .. } => events,
        Job::Change(_) => &[],
    }
}

fn weight(job: &Job) -> usize {
    events_of(job).iter().map(|event| events::weight(event)).sum()
}

fn only_deltas(job: &Job) -> bool {
    matches!(job, Job::Append { events, .. } if events.iter().all(|event| is_delta(event)))
}

fn file_error<T>(outcome: &Result<T, StoreError>) -> Result<(), StoreError> {
    match outcome {
        Err(error) if error.is_of_the_file() => Err(error.clone()),
        _ => Ok(()),
    }
}

/// Runs a part of the transaction; when it fails, nothing of that part is left.
fn savepoint<T>(
    db: &Connection,
    place: &Place,
    part: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    db.execute_batch("SAVEPOINT part").map_err(|error| place.error(error))?;
    let outcome = part(db);
    let end = if outcome.is_ok() { "RELEASE part" } else { "ROLLBACK TO part; RELEASE part" };
    db.execute_batch(end).map_err(|error| place.error(error))?;
    outcome
}
