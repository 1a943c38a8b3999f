//! The log of one thread: gives events their numbers, hands them to the store, and to whoever listens.
//!
//! **A number is given out only from a block that the store has reserved, so none is ever used twice.** Nobody waits here:
//! the store commits behind the caller's back, and a listener that does not keep up gets a `gap` and reads the store.
//! Tests: `tests/tests/doors.rs` (slow reader), store tests (numbers after a crash).

use crate::store::{Committed, Store, StoreError};
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
    state: Mutex<State>,
}

struct State {
    next_seq: u64,
    reserved_below: u64,
    listeners: Vec<Listener>,
    last_listener: u64,
}

struct Listener {
    id: u64,
    queue: mpsc::Sender<Arc<SessionEvent>>,
    missed: Option<(u64, u64)>,
}

impl ThreadLog {
    /// Goes on after `last_seq`, the highest number that was ever reserved for the thread.
    pub fn new(thread: ThreadId, store: Store, limits: Arc<Limits>, last_seq: u64) -> ThreadLog {
        ThreadLog {
            thread,
            store,
            limits,
            state: Mutex::new(State {
                next_seq: last_seq + 1,
                reserved_below: last_seq + 1,
                listeners: Vec::new(),
                last_listener: 0,
            }),
        }
    }

    /// The thread.
    pub fn thread(&self) -> &ThreadId {
        &self.thread
    }

    /// Numbers, stores and hands out an event. The commit can be awaited by who must not promise before it is durable.
    pub fn emit(&self, at_ms: u64, draft: Draft) -> Result<Committed, StoreError> {
        let mut state = self.lock();
        if state.next_seq >= state.reserved_below {
            state.reserved_below = self.store.reserve_seqs(&self.thread, self.limits.seq_reserve)?;
        }
        let seq = state.next_seq;
        state.next_seq += 1;
        let event = Arc::new(SessionEvent {
            seq,
            at_ms,
            thread: self.thread.clone(),
            draft,
        });
        let committed = self.store.append(event.clone());
        state.listeners.retain_mut(|listener| listener.hand(&event));
        Ok(committed)
    }

    /// Listens from now on; what came before is in the store.
    pub fn subscribe(self: &Arc<Self>) -> Subscription {
        let (queue, events) = mpsc::channel(self.limits.subscriber_events as usize);
        let mut state = self.lock();
        state.last_listener += 1;
        let id = state.last_listener;
        state.listeners.push(Listener {
            id,
            queue,
            missed: None,
        });
        Subscription {
            id,
            events,
            log: self.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// One listener's end.
pub struct Subscription {
    id: u64,
    events: mpsc::Receiver<Arc<SessionEvent>>,
    log: Arc<ThreadLog>,
}

impl Subscription {
    /// The next event; a `gap` in place of those that came too fast. `None` never comes while the log lives.
    pub async fn next(&mut self) -> Option<Arc<SessionEvent>> {
        if let Ok(event) = self.events.try_recv() {
            return Some(event);
        }
        // An empty queue and a pending gap: nothing else would ever tell this listener that it missed the last events.
        if let Some(gap) = self.take_missed() {
            return Some(gap);
        }
        self.events.recv().await
    }

    fn take_missed(&self) -> Option<Arc<SessionEvent>> {
        let mut state = self.log.lock();
        let listener = state.listeners.iter_mut().find(|one| one.id == self.id)?;
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
