//! A client's hold on a thread's seat in a session.

use super::ask::{Ask, AskError, NewRun, QueueChange, Reply1, Stop};
use super::operations::{Operation, Outcome};
use super::ring::KeptFrame;
use super::seat::{Ends, Newcomer, SeatStart, Ways};
use super::{SessionStart, Shared, task};
use crate::clock;
use jackfield_core::capability::CapabilityView;
use jackfield_core::contract::{Applies, Fault, FaultKind, Pairs};
use jackfield_core::event::{EventBody, SessionEnd};
use jackfield_core::id::{RequestId, SessionId};
use jackfield_core::outbox::{Delivery, Waiting};
use jackfield_core::policy::Intent;
use jackfield_core::requests::Reply;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch as watched};

/// A client's hold on a thread's seat. Dropping the last one lets the thread go; that of the last thread closes the session.
#[derive(Clone)]
pub struct SessionHandle {
    asks: mpsc::Sender<Ask>,
    /// Where other threads ask for a seat; open as long as anybody has one.
    door: mpsc::Sender<Newcomer>,
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
    /// Starts the task with a first seat and its messages. The session is at work when its events say so; a failure to start is an
    /// event, too.
    pub(crate) async fn start(
        start: SessionStart,
        seat: SeatStart,
        shared: Arc<Shared>,
        first: Vec<NewRun>,
    ) -> Result<SessionHandle, jackfield_sandbox::CallError> {
        let plugin = start.generation.session().await?;
        let (door, newcomers) = mpsc::channel(shared.limits.session_inbox as usize);
        let ends = Ends::default();
        let mut task = task::Task::new(start, seat.log.thread().clone(), shared, plugin, newcomers, ends.clone());
        let handle = task.seat_for(seat, first, door);
        tokio::spawn(async move {
            // A bug of ours must not leave anybody waiting for an end that never comes. Its processes went with the task;
            // what it left open is closed when the thread is opened next.
            if let Err(broken) = tokio::spawn(task.run()).await {
                for (log, session) in ends.seated() {
                    let _ = log.emit(clock::now_ms(), host_failed(session, &broken).into()).await;
                }
            }
            ends.all_over();
        });
        Ok(handle)
    }

    pub(super) fn of(
        ways: Ways,
        door: mpsc::Sender<Newcomer>,
        view: watched::Receiver<Option<CapabilityView>>,
    ) -> SessionHandle {
        let Ways { asks, ended, standing, left } = ways;
        SessionHandle { asks, door, ended, view, standing, left }
    }

    /// Where other threads may ask for a seat, as long as this one lives.
    pub(crate) fn door(&self) -> mpsc::WeakSender<Newcomer> {
        self.door.downgrade()
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

    /// Has the provider log in by this method. What a person must do then is a request.
    pub(crate) async fn authenticate(&self, method: String) -> Result<(), AskError> {
        self.ask(|done| Ask::Authenticate(method, done)).await
    }

    /// Chooses settings: `model`, `mode` …
    pub async fn select(&self, selection: Pairs) -> Result<Applies, AskError> {
        self.ask(|done| Ask::Select(selection, done)).await
    }

    /// Ends once nothing is at work in the thread, for the session that follows to take its place.
    pub async fn restart(&self) -> Result<(), AskError> {
        self.ask(Ask::Restart).await
    }

    /// The frame of this number and what became of it, while it is kept. Frames are numbered from 1 in a session.
    pub async fn frame(&self, number: u64) -> Option<KeptFrame> {
        let (done, frame) = oneshot::channel();
        self.asks.send(Ask::RawFrame(number, done)).await.ok()?;
        frame.await.ok().flatten()
    }

    /// Lets the thread go in order; the session of the last one ends. Returns when it is over for this thread.
    pub async fn close(&self) {
        let _ = self.ask(Ask::Close).await;
        self.ended().await;
    }

    /// Lets the thread go at once; of the last one the process tree is killed. Returns when it is over for this thread.
    pub async fn kill(&self) {
        let _ = self.ask(Ask::Kill).await;
        self.ended().await;
    }

    /// Waits for its end.
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
        fault: Some(Fault { code: Some("host-broken".into()), ..super::fault(FaultKind::Internal, message) }),
        exit_code: None,
        signal: None,
        stderr_tail: String::new(),
        ledger: None,
        outside: None,
    }
}
