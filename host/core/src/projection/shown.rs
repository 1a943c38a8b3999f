//! Runs, turns and items, as they are shown. **How far each has come changes only by a step of its table.**

use crate::contract::{Content, Fault, Status};
use crate::event::{AttemptReason, Correlation, EventBody, Item, RunStatus};
use crate::id::{AttemptId, ItemId, RunId, TurnId};
use crate::ledger::LedgerCounts;
use crate::lifecycle::{self, Kept, State};
use serde::{Deserialize, Serialize};

/// A run, as far as it is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The run.
    pub id: RunId,
    /// Its number in the thread; 0 while unknown.
    pub ordinal: u32,
    status: State<lifecycle::Run>,
    /// What the person sent.
    pub content: Vec<Content>,
    /// Its attempts, in order.
    pub attempts: Vec<(AttemptId, AttemptReason)>,
    /// The provider's own word about its end.
    pub reason: Option<String>,
    /// Why it failed.
    pub fault: Option<Fault>,
    /// True when background work of it goes on after its end.
    pub background: bool,
    /// The run whose turn its message joined.
    pub joined: Option<RunId>,
    /// The ledger at its end.
    pub ledger: Option<LedgerCounts>,
}

/// A turn, as far as it is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The turn.
    pub id: TurnId,
    /// Its number in the thread.
    pub ordinal: u32,
    /// The run it belongs to.
    pub run: Option<RunId>,
    status: State<lifecycle::Turn>,
    /// The provider's own word.
    pub reason: Option<String>,
    /// Why it failed.
    pub fault: Option<Fault>,
    /// The provider's own id of it.
    pub native_id: Option<String>,
    /// The provider's resume point after it.
    pub mark: Option<String>,
    /// The provider has forgotten it.
    pub rolled_back: bool,
    /// What became of its own frames; absent before its end, and where the host died before it.
    #[serde(default)]
    pub frames: Option<LedgerCounts>,
}

/// An item and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownItem {
    /// The run it belongs to.
    pub run: Option<RunId>,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// The item inside which it happened.
    pub parent: Option<ItemId>,
    /// How sure its correlation is.
    pub correlation: Option<Correlation>,
    /// True for history told again.
    pub replayed: bool,
    /// The item.
    #[serde(flatten)]
    pub item: Kept<Item>,
}

impl Run {
    pub(super) fn new(id: RunId) -> Self {
        Self {
            id,
            ordinal: 0,
            status: State::default(),
            content: Vec::new(),
            attempts: Vec::new(),
            reason: None,
            fault: None,
            background: false,
            joined: None,
            ledger: None,
        }
    }

    /// How far it has come.
    pub fn status(&self) -> RunStatus {
        self.status.get()
    }

    /// True when it does, or is there already.
    pub(super) fn comes_to(&mut self, status: RunStatus) -> bool {
        let fits = self.status.fits(status);
        self.status.step(status);
        fits
    }

    /// False when it does not fit.
    pub(super) fn fold(&mut self, body: &EventBody) -> bool {
        match body {
            EventBody::RunCreated { content, ordinal } => (self.content, self.ordinal) = (content.clone(), *ordinal),
            EventBody::RunUpdated { status } => return self.comes_to(*status),
            EventBody::AttemptStarted { attempt, reason } => self.attempts.push((attempt.clone(), *reason)),
            EventBody::RunEdited { content } => self.content = content.clone(),
            EventBody::RunEnded { status, reason, fault, background, joined, ledger } => {
                if !self.status.step(*status) {
                    return false;
                }
                self.joined = joined.clone();
                (self.reason, self.fault, self.background) = (reason.clone(), fault.clone(), *background);
                self.ledger = Some(ledger.clone());
            }
            _ => {}
        }
        true
    }
}

impl Turn {
    pub(super) fn new(id: TurnId, run: Option<RunId>) -> Self {
        Self {
            id,
            ordinal: 0,
            run,
            status: State::default(),
            reason: None,
            fault: None,
            native_id: None,
            mark: None,
            rolled_back: false,
            frames: None,
        }
    }

    /// How far it has come.
    pub fn status(&self) -> Status {
        self.status.get()
    }
    /// False when it does not fit.
    pub(super) fn fold(&mut self, body: &EventBody) -> bool {
        match body {
            EventBody::TurnStarted { ordinal, .. } => self.ordinal = *ordinal,
            EventBody::TurnEnded { status, reason, fault, native_id, mark, frames } => {
                if !self.status.step(*status) {
                    return false;
                }
                (self.reason, self.fault) = (reason.clone(), fault.clone());
                (self.native_id, self.mark) = (native_id.clone(), mark.clone());
                self.frames.clone_from(frames);
            }
            _ => {}
        }
        true
    }
}
