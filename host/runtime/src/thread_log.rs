//! The log of one thread: gives events their numbers, hands them to the store, and to whoever listens.
//!
//! **A number is given out only from a block that the store has reserved, so none is ever used twice.** Nobody waits here:
//! the store commits behind the caller's back, and a listener that does not keep up gets a `gap` and reads the store.
//! Tests: `tests/tests/doors.rs` (slow reader), store tests (numbers after a crash).

use crate::store::{Commit, Sequence, Store, StoreError};
use jackfield_core::event::{Draft, EventBody, SessionEvent};
use jackfield_core::id::ThreadId;
use jackfield_core::limits::Limits;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::mpsc::{self, error::TrySendError};

/// Where a thread's events go. Shared by the sessions that serve the thread, one after another.
pub struct ThreadLog {
    thread: ThreadId,
    store: Store,
    limits: Arc<Limits>,
    numbers: tokio::sync::Mutex<Numbers>,
    listeners: Mutex<Listeners>,
}

/// Where the numbers of events come from.
enum Numbers {
    /// From the store, which keeps what they are given to.
    Kept(Sequence),
    /// Counted from here on; who listens now is all who will ever know.
    Passing(u64),
    /// The log is closed.
    Closed,
}

#[derive(Default)]
struct Listeners {
    all: Vec<Listener>,
    last: u64,
}

struct Listener {
    id: u64,
    queue: mpsc::Sender<Arc<SessionEvent>>,
    missed: Option<(u64, u64)>,
}

impl ThreadLog {
    /// The log of a thread whose lease is held; it numbers on with this sequence.
    pub fn new(thread: ThreadId, store: Store, limits: Arc<Limits>, sequence: Sequence) -> ThreadLog {
        ThreadLog {
            thread,
            store,
            limits,
            numbers: tokio::sync::Mutex::new(Numbers::Kept(sequence)),
            listeners: Mutex::default(),
        }
    }

    /// A log that is kept nowhere: for sessions that only ask.
    pub(crate) fn passing(thread: ThreadId, store: Store, limits: Arc<Limits>) -> ThreadLog {
        let numbers = tokio::sync::Mutex::new(Numbers::Passing(0));
        ThreadLog { thread, store, limits, numbers, listeners: Mutex::default() }
    }

    /// The thread.
    pub fn thread(&self) -> &ThreadId {
        &self.thread
    }

    /// Numbers, stores and hands out an event. The commit is awaited by who must not promise before it is durable.
    pub async fn emit(&self, at_ms: u64, draft: Draft) -> Result<Commit, StoreError> {
        // The lock is held over the hand-over: the order of the numbers is the order in the store and for listeners.
        let mut numbers = self.numbers.lock().await;
        let (seq, is_kept) = match &mut *numbers {
            Numbers::Kept(sequence) => (sequence.next().await?, true),
            Numbers::Passing(last) => {
                *last += 1;
                (*last, false)
            }
            Numbers::Closed => return Err(StoreError::Closed),
        };
        let event = Arc::new(SessionEvent { seq, at_ms, thread: self.thread.clone(), draft });
        let commit = match is_kept {
            true => self.store.append(vec![event.clone()]).await,
            false => Commit::of_nothing(),
        };
        self.listeners().all.retain_mut(|listener| listener.hand(&event));
        Ok(commit)
    }

    /// Gives back the numbers that were reserved and not used. Nothing can be said after this.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.store.flush().await?;
        match std::mem::replace(&mut *self.numbers.lock().await, Numbers::Closed) {
            Numbers::Kept(sequence) => sequence.release().await,
            Numbers::Passing(_) | Numbers::Closed => Ok(()),
        }
    }

    /// Listens from now on; what came before is in the store.
    pub fn subscribe(self: &Arc<Self>) -> Subscription {
        let (queue, events) = mpsc::channel(self.limits.subscriber_events as usize);
        let mut listeners = self.listeners();
        listeners.last += 1;
        let id = listeners.last;
        listeners.all.push(Listener { id, queue, missed: None });
        Subscription { id, events, log: self.clone() }
    }

    fn listeners(&self) -> MutexGuard<'_, Listeners> {
        self.listeners.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// One listener's end.
pub struct Subscription {
    id: u64,
    events: mpsc::Receiver<Arc<SessionEvent>>,
    log: Arc<ThreadLog>,
}

impl Subscription {
    /// The next event if there is one by now.
    pub fn next_now(&mut self) -> Option<Arc<SessionEvent>> {
        self.events.try_recv().ok().or_else(|| self.take_missed())
    }

    /// The next event; a `gap` in place of those that came too fast. `None` never comes while the log lives.
    pub async fn next(&mut self) -> Option<Arc<SessionEvent>> {
        // An empty queue and a pending gap: nothing else would ever tell this listener that it missed the last events.
        match self.next_now() {
            Some(event) => Some(event),
            None => self.events.recv().await,
        }
    }

    fn take_missed(&mut self) -> Option<Arc<SessionEvent>> {
        let mut listeners = self.log.listeners();
        // Looked again under the lock: what came meanwhile is older than what was missed.
        if let Ok(event) = self.events.try_recv() {
            return Some(event);
        }
        let listener = listeners.all.iter_mut().find(|one| one.id == self.id)?;
        let (from_seq, to_seq) = listener.missed.take()?;
        Some(gap(&self.log.thread, from_seq, to_seq))
    }
}

impl Listener {
    /// Hands an event over without waiting; false once nobody listens any more.
    fn hand(&mut self, event: &Arc<SessionEvent>) -> bool {
        if let Some((from_seq, to_seq)) = self.missed {
            match self.queue.try_send(gap(&event.thread, from_seq, to_seq)) {
                Ok(()) => self.missed = None,
                Err(TrySendError::Full(_)) => {
                    self.missed = Some((from_seq, event.seq));
                    return true;
                }
                Err(TrySendError::Closed(_)) => return false,
            }
        }
        match self.queue.try_send(event.clone()) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                self.missed = Some((event.seq, event.seq));
                true
            }
            Err(TrySendError::Closed(_)) => false,
        }
    }
}

/// Tells one listener what it missed. It carries the last number that was missed, and is not itself stored.
fn gap(thread: &ThreadId, from_seq: u64, to_seq: u64) -> Arc<SessionEvent> {
    Arc::new(SessionEvent {
        seq: to_seq,
        at_ms: crate::clock::now_ms(),
        thread: thread.clone(),
        draft: EventBody::Gap { from_seq, to_seq }.into(),
    })
}
