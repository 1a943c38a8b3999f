//! A session: one plugin at work on one provider's program, and the task that owns it.
//!
//! The files follow the way of the data:
//! - `channels`: what programs say, gathered into batches;
//! - `task`: the loop. Takes what comes (asks, batches, timers), gives it to the plugin;
//! - `release`: the one function through which every output of the plugin reaches the world;
//! - `outlet`, with `message`: what wishes become: processes, writes, timers; policy and audit come first;
//! - `speak`: events, journal, audit: what the session itself says;
//! - `books`: what a restart needs, kept by the events that go out;
//! - `opening`: how a thread is opened;
//! - `operations`: what is done with the thread beyond messages;
//! - `doubt`: promises that were not kept;
//! - `ops`: commands that wait for the plugin's answer;
//! - `asks`: what clients ask for, and the ladder of an interrupt;
//! - `rules`: what the operator's rules answer before any client is heard;
//! - `secrets`: values that are filled in behind the plugin's back;
//! - `survivors`: requests that outlived an earlier session, and answers to them that came early;
//! - `tools`: tools of the host's own, which the provider calls and the client answers;
//! - `outgoing`, `queue`: messages: how each goes, and what is changed while it waits;
//! - `run_limits`: turns, time and cost of a run;
//! - `watch`: deadlines. They speak, and end only what they say they end;
//! - `ring`: the last raw frames.
//!
//! **The unit is the batch: one batch in, all its outputs out and accepted, in order, before the next.** The task is the
//! only owner of the plugin's store; clients hold a [`SessionHandle`]. Nothing here waits on a listener.
//! Tests: `tests/tests/`, through the real stack.

mod asks;
mod books;
mod channels;
mod diagnostics;
mod doubt;
mod granted;
mod message;
mod opening;
mod operations;
mod ops;
mod outgoing;
mod outlet;
pub(crate) mod queue;
mod release;
mod ring;
mod rules;
mod run_limits;
mod secrets;
mod speak;
mod survivors;
mod task;
mod tools;
mod watch;

pub(crate) use operations::{Copying, Operation, Outcome};
pub(crate) use outgoing::{needs_of, refused};
pub(crate) use outlet::fault;
pub use ring::KeptFrame;
pub(crate) use tools::check as check_tools;

use crate::audit::Audit;
use crate::clock;
use crate::instance::Instance;
use crate::lease::Lease;
use crate::process::Supervisor;
use crate::store::Store;
use crate::thread_log::ThreadLog;
use jackfield_core::capability::CapabilityView;
use jackfield_core::contract::{Applies, Content, Fault, FaultKind, Pairs};
use jackfield_core::event::{EventBody, SessionEnd};
use jackfield_core::id::{RequestId, RunId, SessionId};
use jackfield_core::limits::Limits;
use jackfield_core::outbox::{Delivery, QueueError, Waiting};
use jackfield_core::policy::{Intent, PolicyConfig};
use jackfield_core::requests::{AnswerError, Reply, Survivor};
use jackfield_sandbox::Generation;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch as watched};

/// What this host does not carry out yet, whatever a provider can do: offered to nobody, refused in the same words.
pub const NOT_BUILT: &[Intent] =
    &[Intent::SwitchProvider, Intent::ReturnToProvider, Intent::Checkpoint, Intent::NestedCheckpoint];

/// What the operator allows, less what this host does not do yet: hints and refusals then say the same.
pub fn as_built(policy: PolicyConfig) -> PolicyConfig {
    PolicyConfig {
        not_built: NOT_BUILT.to_vec(),
        fresh_thread_on_switch: false,
        synthetic_forks: false,
        divergent_rollback: false,
        ..policy
    }
}

/// What all sessions of a host share.
pub struct Shared {
    /// The one table of limits.
    pub limits: Arc<Limits>,
    /// What the operator allows.
    pub policy: PolicyConfig,
    /// True in an open install: a bundled plugin is granted its own profiles.
    pub open_default: bool,
    /// Where events and cursors go.
    pub store: Store,
    /// Where decisions are recorded.
    pub audit: Audit,
    /// Starts programs.
    pub supervisor: Supervisor,
    /// For what does not fit in memory.
    pub spill_folder: PathBuf,
}

/// What one session is for.
pub struct SessionStart {
    /// Its id.
    pub session: SessionId,
    /// Number of the native start in this thread, from 0.
    pub epoch: u32,
    /// The plugin.
    pub generation: Generation,
    /// True for a plugin that came with the host.
    pub bundled: bool,
    /// How the operator configured it.
    pub instance: Instance,
    /// The workspace.
    pub folder: PathBuf,
    /// The provider's own handle of the conversation to resume.
    pub cursor: Option<String>,
    /// The provider's own id of the thread to resume.
    pub native_id: Option<String>,
    /// Where its thread's events go.
    pub log: Arc<ThreadLog>,
    /// Requests of earlier sessions that the provider promised to ask again.
    pub survivors: Vec<Survivor>,
    /// The right to write to the thread, held as long as the session may say something.
    pub lease: Arc<Lease>,
}

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

/// A message for a thread.
pub use jackfield_core::outbox::Outgoing as NewRun;

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
    Restart(Reply1<()>),
    RawFrame(u64, oneshot::Sender<Option<KeptFrame>>),
    Close(Reply1<()>),
    Kill(Reply1<()>),
}

pub(crate) type Reply1<T> = oneshot::Sender<Result<T, AskError>>;

/// A client's hold on a session. Dropping the last one closes the session.
#[derive(Clone)]
pub struct SessionHandle {
    asks: mpsc::Sender<Ask>,
    ended: watched::Receiver<bool>,
    view: watched::Receiver<Option<CapabilityView>>,
    standing: watched::Receiver<Standing>,
    left: Left,
}

/// What goes on in a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// A run is at work, or the provider has opened a turn by itself.
    pub at_work: bool,
    /// Messages that have not begun.
    pub waiting: usize,
    /// Tasks in the background: the roster.
    pub background: usize,
}

impl Standing {
    /// Nothing goes on.
    pub fn is_at_rest(&self) -> bool {
        *self == Standing::default()
    }
}

/// Messages that waited when a session ended and that the next one takes on.
#[derive(Clone, Default)]
pub(crate) struct Left(Arc<Mutex<Vec<NewRun>>>);

impl Left {
    pub(crate) fn leave(&self, messages: Vec<NewRun>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = messages;
    }

    pub(crate) fn take(&self) -> Vec<NewRun> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl SessionHandle {
    /// Starts the task with its first messages. The session is at work when its events say so; a failure to start is an event, too.
    pub async fn start(
        start: SessionStart,
        shared: Arc<Shared>,
        first: Vec<NewRun>,
    ) -> Result<SessionHandle, jackfield_sandbox::CallError> {
        let plugin = start.generation.session().await?;
        let (asks, inbox) = mpsc::channel(shared.limits.session_inbox as usize);
        let (ended_tx, ended) = watched::channel(false);
        let (view_tx, view) = watched::channel(None);
        let (standing_tx, standing) = watched::channel(Standing { waiting: first.len(), ..Standing::default() });
        let (log, session, left) = (start.log.clone(), start.session.clone(), Left::default());
        let task = task::Task::new(start, shared, plugin, first, left.clone(), inbox, view_tx, standing_tx);
        tokio::spawn(async move {
            // A bug of ours must not leave anybody waiting for an end that never comes. Its processes went with the task;
            // what it left open is closed when the thread is opened next.
            if let Err(broken) = tokio::spawn(task.run()).await {
                let _ = log.emit(clock::now_ms(), host_failed(session, &broken).into()).await;
            }
            let _ = ended_tx.send(true);
        });
        Ok(SessionHandle { asks, ended, view, standing, left })
    }

    /// Hands a message over. It is taken on when this returns; all else is events.
    pub async fn send(&self, run: NewRun, delivery: Delivery) -> Result<(), AskError> {
        self.ask(|done| Ask::Send(run, delivery, done)).await
    }

    /// Whether a message may go this way now, and what it needs of the provider.
    pub async fn may(&self, delivery: Delivery, needs: Vec<Intent>) -> Result<(), AskError> {
        self.ask(|done| Ask::May(delivery, needs, done)).await
    }

    pub(crate) async fn operate(&self, operation: Operation) -> Result<Outcome, AskError> {
        self.ask(|done| Ask::Operate(operation, done)).await
    }

    /// Messages that have not begun, in their order.
    pub async fn queue(&self) -> Result<Vec<Waiting>, AskError> {
        let (done, answer) = oneshot::channel();
        self.asks.send(Ask::Queue(done)).await.map_err(|_| AskError::Ended)?;
        answer.await.map_err(|_| AskError::Ended)
    }

    pub(crate) async fn change_queue(&self, change: QueueChange) -> Result<(), AskError> {
        self.ask(|done| Ask::Change(change, done)).await
    }

    /// Resolves when the session is over, and holds nothing of it.
    pub(crate) fn end(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ended = self.ended.clone();
        async move {
            let _ = ended.wait_for(|over| *over).await;
        }
    }

    /// What the next session takes on.
    pub(crate) fn left(&self) -> &Left {
        &self.left
    }

    /// Stops the active run: the ladder begins. Returns when the first step is taken; the end is an event.
    pub async fn interrupt(&self, stop: Stop) -> Result<(), AskError> {
        self.ask(|done| Ask::Interrupt(stop, done)).await
    }

    /// Answers a request. Returns once the answer has left for the provider; what came of it is an event.
    pub async fn answer(&self, request: RequestId, reply: Reply, by: impl Into<String>) -> Result<(), AskError> {
        let by = by.into();
        self.ask(|done| Ask::Answer { request, reply, by, done }).await
    }

    /// Chooses settings: `model`, `mode` …
    pub async fn select(&self, selection: Pairs) -> Result<Applies, AskError> {
        self.ask(|done| Ask::Select(selection, done)).await
    }

    /// Ends once nothing is at work, for the session that follows to take its place.
    pub async fn restart(&self) -> Result<(), AskError> {
        self.ask(Ask::Restart).await
    }

    /// The frame of this number and what became of it, while it is kept. Frames are numbered from 1 in a session.
    pub async fn frame(&self, number: u64) -> Option<KeptFrame> {
        let (done, frame) = oneshot::channel();
        self.asks.send(Ask::RawFrame(number, done)).await.ok()?;
        frame.await.ok().flatten()
    }

    /// Ends the session in order. Returns when it is over.
    pub async fn close(&self) {
        let _ = self.ask(Ask::Close).await;
        self.ended().await;
    }

    /// Ends the session at once: its process tree is killed. Returns when it is over.
    pub async fn kill(&self) {
        let _ = self.ask(Ask::Kill).await;
        self.ended().await;
    }

    /// Waits for the session's end.
    pub async fn ended(&self) {
        let mut ended = self.ended.clone();
        let _ = ended.wait_for(|over| *over).await;
    }

    /// True once the session is over.
    pub fn is_over(&self) -> bool {
        *self.ended.borrow()
    }

    /// What goes on; nothing once the session is over.
    pub fn standing(&self) -> Standing {
        if self.is_over() { Standing::default() } else { *self.standing.borrow() }
    }

    /// Resolves when nothing has gone on for this long, or the session is over.
    pub async fn rest(&self, quiet: Duration) {
        let mut standing = self.standing.clone();
        loop {
            tokio::select! {
                () = self.ended() => return,
                waited = standing.wait_for(Standing::is_at_rest) => if waited.is_err() { return },
            }
            // A task's end may be followed by a turn of the provider's own, which tells of it.
            let stirs = standing.wait_for(|standing| !standing.is_at_rest());
            if tokio::time::timeout(quiet, stirs).await.is_err() {
                return;
            }
        }
    }

    /// What the session can do, as last told.
    pub fn capabilities(&self) -> Option<CapabilityView> {
        self.view.borrow().clone()
    }

    async fn ask<T>(&self, make: impl FnOnce(Reply1<T>) -> Ask) -> Result<T, AskError> {
        let (done, answer) = oneshot::channel();
        self.asks.send(make(done)).await.map_err(|_| AskError::Ended)?;
        tokio::select! {
            biased;
            answer = answer => answer.unwrap_or(Err(AskError::Ended)),
            // A word that slipped in behind the last look into the inbox is dropped only with the inbox itself.
            () = self.ended() => Err(AskError::Ended),
        }
    }
}

/// The session's task broke: the last word about it.
fn host_failed(session: SessionId, broken: &tokio::task::JoinError) -> EventBody {
    let message =
        format!("the host broke at this session ({broken}): please report it. The thread can be resumed in a new run");
    EventBody::SessionEnded {
        session,
        reason: SessionEnd::HostDied,
        fault: Some(Fault { code: Some("host-broken".into()), ..outlet::fault(FaultKind::Internal, message) }),
        exit_code: None,
        signal: None,
        stderr_tail: String::new(),
        ledger: None,
    }
}
