//! Messages on their way to the provider: those that wait here, and those that are with the provider while it is not known
//! what becomes of them.
//!
//! **One message is one run and ends once: it joined an open turn, or opened its own, or goes again because it came too late;
//! never two of these, and never none.** What the provider does not tell is decided by what follows: a turn that opens is
//! the oldest one's, and silence after the turn means that it had joined. How a message goes is decided in `way`.
//! Nothing here sends or stores. Tests: `tests.rs` beside this file.

#[cfg(test)]
mod tests;
mod way;

pub use way::{Delivery, Refusal, Scene, Way, way};

use crate::contract::{Content, Delivered};
use crate::event::AttemptReason;
use crate::id::RunId;
use crate::lifecycle::{self, MessageStatus, State};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::VecDeque;

/// A message of a person: one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    /// Its run.
    pub run: RunId,
    /// The run's number in the thread, from 1.
    pub ordinal: u32,
    /// What the person sent.
    pub content: Vec<Content>,
    /// Why its run will be begun.
    pub attempt: AttemptReason,
    /// Goes before those that only wait.
    pub urgent: bool,
}

impl Outgoing {
    /// A message that waits like any other.
    pub fn new(run: RunId, ordinal: u32, content: Vec<Content>) -> Self {
        Self { run, ordinal, content, attempt: AttemptReason::Initial, urgent: false }
    }
}

/// A message that waits, as a client sees it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Waiting {
    /// Its run.
    pub run: RunId,
    /// What the person sent.
    pub content: Vec<Content>,
    /// True when the provider has it already: it can't be changed or taken back any more.
    pub with_provider: bool,
}

/// What became of a message that the provider has.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// It joined the turn of this run, where that is known.
    Joined(Outgoing, Option<RunId>),
    /// It came too late and waits here again, before all others.
    Again(RunId),
    /// It opens a turn of its own: when that turn begins, it is [`Outbox::opens`].
    Opens,
    /// Not known yet.
    Open,
}

/// Why a waiting message could not be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// It does not wait.
    #[error("{run} does not wait in this thread: it has begun, has ended, or was never sent")]
    NotWaiting {
        /// The run.
        run: RunId,
    },
    /// The provider has it.
    #[error("the provider has {run} already; it can only be interrupted")]
    WithProvider {
        /// The run.
        run: RunId,
    },
    /// The new order is not one of the same messages.
    #[error("an order names each message that waits here exactly once; these wait: {waiting}")]
    NotAnOrder {
        /// Those that wait.
        waiting: String,
    },
}

impl QueueError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotWaiting { .. } => "not-waiting",
            Self::WithProvider { .. } => "with-provider",
            Self::NotAnOrder { .. } => "not-an-order",
        }
    }
}

/// A message that the provider has.
#[derive(Debug)]
struct Handed {
    message: Outgoing,
    op: u32,
    /// The run that was at work when it was handed over.
    into: Option<RunId>,
    /// What the provider has said of it.
    told: State<lifecycle::Message>,
    /// Since when silence counts, in milliseconds since 1970.
    silent_since: Option<u64>,
}

/// The messages of one thread that have not begun.
#[derive(Debug, Default)]
pub struct Outbox {
    waiting: VecDeque<Outgoing>,
    handed: Vec<Handed>,
}

impl Outbox {
    /// With these, in this order.
    pub fn of(messages: Vec<Outgoing>) -> Self {
        Self { waiting: messages.into(), handed: Vec::new() }
    }

    /// How many have not begun.
    pub fn len(&self) -> usize {
        self.waiting.len() + self.handed.len()
    }

    /// True when none waits here and none is with the provider.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True while the provider has a message whose fate is open.
    pub fn has_handed(&self) -> bool {
        !self.handed.is_empty()
    }

    /// True while one waits here.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// All that have not begun, in their order.
    pub fn list(&self) -> Vec<Waiting> {
        let handed = self.handed.iter().map(|handed| (&handed.message, true));
        let all = handed.chain(self.waiting.iter().map(|message| (message, false)));
        all.map(|(message, with_provider)| Waiting {
            run: message.run.clone(),
            content: message.content.clone(),
            with_provider,
        })
        .collect()
    }

    /// The runs that wait here, in their order.
    pub fn order(&self) -> Vec<RunId> {
        self.waiting.iter().map(|message| message.run.clone()).collect()
    }

    /// Lets one wait: an urgent one behind other urgent ones, any other at the end.
    pub fn add(&mut self, message: Outgoing) {
        let at =
            if message.urgent { self.waiting.iter().take_while(|one| one.urgent).count() } else { self.waiting.len() };
        self.waiting.insert(at, message);
    }

    /// The next to begin; none while the provider has one whose fate is open, or the order would be lost.
    pub fn take_next(&mut self) -> Option<Outgoing> {
        if self.has_handed() { None } else { self.waiting.pop_front() }
    }

    /// The provider gets this one by this command, while this run is at work.
    pub fn hand(&mut self, message: Outgoing, op: u32, into: Option<RunId>) {
        self.handed.push(Handed { message, op, into, told: State::default(), silent_since: None });
    }

    /// The provider's answer to the command that handed one over; `None` when there is none of this number.
    pub fn delivered(&mut self, op: u32, how: Delivered) -> Option<Fate> {
        let at = self.handed.iter().position(|handed| handed.op == op)?;
        Some(match how {
            Delivered::JoinedTurn => {
                let handed = self.handed.remove(at);
                Fate::Joined(handed.message, handed.into)
            }
            Delivered::Stale => Fate::Again(self.again(at)),
            Delivered::OpenedTurn => {
                self.handed[at].told.step(MessageStatus::Opening);
                Fate::Opens
            }
            Delivered::Queued => {
                self.handed[at].told.step(MessageStatus::Queued);
                Fate::Open
            }
            Delivered::Unknown => Fate::Open,
        })
    }

    /// The command was refused because it came too late, or can't be carried out: it waits here again.
    pub fn came_back(&mut self, op: u32) -> Option<RunId> {
        let at = self.handed.iter().position(|handed| handed.op == op)?;
        Some(self.again(at))
    }

    fn again(&mut self, at: usize) -> RunId {
        let mut message = self.handed.remove(at).message;
        message.urgent = true;
        let run = message.run.clone();
        // It was sent before all that wait here.
        let older = self.waiting.iter().take_while(|one| one.urgent && one.ordinal < message.ordinal).count();
        self.waiting.insert(older, message);
        run
    }

    /// Gives up one that the provider had: it ends by a fault.
    pub fn give_up(&mut self, op: u32) -> Option<Outgoing> {
        let at = self.handed.iter().position(|handed| handed.op == op)?;
        Some(self.handed.remove(at).message)
    }

    /// A turn opens: whose is it? The one that it names; of those that the provider has, the oldest when it names none.
    pub fn opens(&mut self, op: Option<u32>) -> Option<(Outgoing, u32)> {
        let at = match op {
            Some(op) => self.handed.iter().position(|handed| handed.op == op)?,
            None if self.handed.is_empty() => return None,
            None => 0,
        };
        let handed = self.handed.remove(at);
        Some((handed.message, handed.op))
    }

    /// A run has ended: from now on silence means that a message which was put into its turn had joined it.
    pub fn run_ended(&mut self, now_ms: u64) {
        for handed in &mut self.handed {
            handed.silent_since.get_or_insert(now_ms);
        }
    }

    /// When silence has lasted long enough for the oldest of which the provider said nothing, in milliseconds since 1970.
    pub fn deadline(&self, settle_ms: u64) -> Option<u64> {
        let open = self.handed.iter().filter(|handed| handed.told.is(MessageStatus::Silent));
        open.filter_map(|handed| Some(handed.silent_since? + settle_ms)).min()
    }

    /// Those that must have joined by now: the provider said nothing, and opened no turn for them.
    pub fn joined_in_silence(&mut self, now_ms: u64, settle_ms: u64) -> Vec<(Outgoing, Option<RunId>)> {
        let is_due = |handed: &mut Handed| {
            handed.told.is(MessageStatus::Silent)
                && handed.silent_since.is_some_and(|since| since + settle_ms <= now_ms)
        };
        self.handed.extract_if(.., is_due).map(|handed| (handed.message, handed.into)).collect()
    }

    /// Takes one out that waits here.
    pub fn withdraw(&mut self, run: &RunId) -> Result<Outgoing, QueueError> {
        let at = self.find(run)?;
        self.waiting.remove(at).ok_or_else(|| QueueError::NotWaiting { run: run.clone() })
    }

    /// Changes what one says that waits here.
    pub fn edit(&mut self, run: &RunId, content: Vec<Content>) -> Result<(), QueueError> {
        let at = self.find(run)?;
        self.waiting[at].content = content;
        Ok(())
    }

    /// Puts those that wait here into this order.
    pub fn reorder(&mut self, order: &[RunId]) -> Result<(), QueueError> {
        let mut next: VecDeque<Outgoing> = VecDeque::new();
        for run in order {
            if next.iter().all(|one| one.run != *run) {
                next.extend(self.waiting.iter().find(|one| one.run == *run).cloned());
            }
        }
        if next.len() != self.waiting.len() || next.len() != order.len() {
            let waiting: Vec<String> = self.waiting.iter().map(|one| one.run.to_string()).collect();
            let waiting = if waiting.is_empty() { "none".to_owned() } else { waiting.join(", ") };
            return Err(QueueError::NotAnOrder { waiting });
        }
        // A person's own order is above what was urgent before.
        next.iter_mut().for_each(|one| one.urgent = false);
        self.waiting = next;
        Ok(())
    }

    /// All that have not begun, at the end: those that wait here, and those that the provider had.
    pub fn drain(&mut self) -> (Vec<Outgoing>, Vec<Outgoing>) {
        let handed = self.handed.drain(..).map(|handed| handed.message).collect();
        (self.take_waiting(), handed)
    }

    /// Takes out all that wait here.
    pub fn take_waiting(&mut self) -> Vec<Outgoing> {
        self.waiting.drain(..).collect()
    }

    fn find(&self, run: &RunId) -> Result<usize, QueueError> {
        if self.handed.iter().any(|handed| handed.message.run == *run) {
            return Err(QueueError::WithProvider { run: run.clone() });
        }
        let at = self.waiting.iter().position(|message| message.run == *run);
        at.ok_or_else(|| QueueError::NotWaiting { run: run.clone() })
    }
}
