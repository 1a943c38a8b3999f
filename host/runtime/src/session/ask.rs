//! What clients ask of a session, and why it may be refused.

use super::operations::{Operation, Outcome};
use super::ring::KeptFrame;
use jackfield_core::contract::{Applies, Content, Fault, Pairs};
use jackfield_core::id::{RequestId, RunId};
use jackfield_core::outbox::{Delivery, QueueError, Waiting};
use jackfield_core::policy::Intent;
use jackfield_core::requests::{AnswerError, Reply};
use tokio::sync::oneshot;

/// A message for a thread.
pub use jackfield_core::outbox::Outgoing as NewRun;

/// Why something could not be asked of a session.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The session is over.
    #[error("the session is over; the thread can be resumed")]
    Ended,
    /// The provider or the policy said no.
    #[error("{}", .0.message)]
    Fault(Fault),
    /// The answer does not fit its request.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// A rule of the operator stands against it; the request is still open.
    #[error("{0}; the request is still open")]
    Rule(String),
    /// There is nothing to interrupt.
    #[error("no run is active in this thread")]
    NothingActive,
    /// The message is too long.
    #[error(
        "the message has {bytes} bytes; at most {limit} (limit prompt_bytes). Put it in a file of the workspace and name that"
    )]
    TooLong {
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Too many messages wait.
    #[error("{limit} messages wait already in this thread (limit queued_runs)")]
    QueueFull {
        /// The limit.
        limit: u64,
    },
    /// A message that waits could not be changed.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The plugin could not begin.
    #[error("{0}")]
    Plugin(String),
    /// The store failed; nothing was accepted.
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
}

impl AskError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Ended => "session-ended",
            Self::Fault(_) => "provider-fault",
            Self::Answer(error) => error.code(),
            Self::Rule(_) => "against-a-rule",
            Self::NothingActive => "nothing-active",
            Self::TooLong { .. } => "prompt-too-long",
            Self::QueueFull { .. } => "queue-full",
            Self::Queue(error) => error.code(),
            Self::Plugin(_) => "plugin-failed",
            Self::Store(error) => error.code(),
        }
    }
}

/// A change of what waits.
pub(crate) enum QueueChange {
    Withdraw(RunId),
    Edit(RunId, Vec<Content>),
    Reorder(Vec<RunId>),
    Promote(RunId),
}

/// What an interrupt stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The open turn, and what the provider stops with it.
    Turn,
    /// The open turn alone: its background work is to go on.
    TurnOnly,
}

impl Stop {
    pub(crate) fn intent(self) -> Intent {
        match self {
            Self::Turn => Intent::Interrupt,
            Self::TurnOnly => Intent::InterruptTurnOnly,
        }
    }
}

pub(crate) enum Ask {
    Send(NewRun, Delivery, Reply1<()>),
    May(Delivery, Vec<Intent>, Reply1<()>),
    Queue(oneshot::Sender<Vec<Waiting>>),
    Change(QueueChange, Reply1<()>),
    Operate(Operation, Reply1<Outcome>),
    /// With what runs in the background, or without it.
    Interrupt(Stop, Reply1<()>),
    Answer {
        request: RequestId,
        reply: Reply,
        by: String,
        done: Reply1<()>,
    },
    Select(Pairs, Reply1<Applies>),
    /// Log in by this method.
    Authenticate(String, Reply1<()>),
    Restart(Reply1<()>),
    RawFrame(u64, oneshot::Sender<Option<KeptFrame>>),
    Close(Reply1<()>),
    Kill(Reply1<()>),
}

pub(crate) type Reply1<T> = oneshot::Sender<Result<T, AskError>>;
