//! What a session keeps of each thread that it serves.

use super::ask::{Ask, NewRun, Reply1};
use super::handle::{Left, SessionHandle, Standing};
use super::login::Login;
use super::operations::{Operation, Outcome};
use super::survivors::Survivors;
use super::watch::Silence;
use crate::lease::Lease;
use crate::thread_log::ThreadLog;
use jackfield_core::contract::ContextPart;
use jackfield_core::id::{RunId, SessionId, ThreadId};
use jackfield_core::limits::Limits;
use jackfield_core::normalizer::SessionEnded;
use jackfield_core::outbox::Outbox;
use jackfield_core::requests::Survivor;
use jackfield_core::run_limits::{RunGuard, RunLimits};
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot, watch as watched};
use tokio::time::Instant;

/// What a thread brings along.
#[derive(Clone)]
pub struct SeatStart {
    /// The id of the session as this thread has it: it follows from the thread, whoever else is served.
    pub session: SessionId,
    /// Number of the native start in this thread, from 0.
    pub epoch: u32,
    /// The provider's own handle of the conversation to resume.
    pub cursor: Option<String>,
    /// The provider's own id of the thread to resume.
    pub native_id: Option<String>,
    /// Where its events go.
    pub log: Arc<ThreadLog>,
    /// Requests of earlier sessions that the provider promised to ask again.
    pub survivors: Vec<Survivor>,
    /// The right to write to the thread, held as long as the session may say something in it.
    pub lease: Option<Arc<Lease>>,
}

/// A thread that asks for a seat on a session that lives.
pub(crate) struct Newcomer {
    pub(crate) start: SeatStart,
    pub(crate) first: Vec<NewRun>,
    /// Its way in for others, to be held by its handle.
    pub(crate) door: mpsc::Sender<Newcomer>,
    /// Its handle; nothing, when it has to begin a session of its own.
    pub(crate) seated: oneshot::Sender<Option<SessionHandle>>,
}

/// How far a seat has come.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stage {
    /// Its thread is not open yet.
    Opening,
    /// Takes messages.
    Open,
    /// The provider was asked to let its thread go; it ends with this.
    Leaving(Box<SessionEnded>),
    /// Nobody sits there any more.
    Free,
}

/// The run that the provider is at work on.
pub(super) struct Active {
    pub(super) run: RunId,
    pub(super) ladder: Option<super::ladder::Ladder>,
}

/// A thread's place in a session.
pub(super) struct Seat {
    pub(super) start: SeatStart,
    pub(super) stage: Stage,
    /// The provider's id of its thread.
    pub(super) native: Option<String>,
    /// The provider has given a cursor.
    pub(super) resumable: bool,
    /// Messages that have not begun.
    pub(super) outbox: Outbox,
    /// The runs that were last said to wait.
    pub(super) said_queue: Vec<RunId>,
    /// What waits at the end goes on in the next session.
    pub(super) goes_on: bool,
    pub(super) left: Left,
    pub(super) active: Option<Active>,
    /// The next message waits until then for late words of the turn before.
    pub(super) free_at: Option<Instant>,
    /// The thread is made with its first message, which is not held back until it is there.
    pub(super) opens_with_message: bool,
    /// Context that goes with the first message.
    pub(super) first_context: Vec<ContextPart>,
    /// What went with the message that was sent last: it goes along when that one is sent again.
    pub(super) last_context: Vec<ContextPart>,
    /// A login that is waited for.
    pub(super) login: Option<Login>,
    pub(super) run_guard: RunGuard,
    /// The rules that were said to be held by nothing; `None` before the start has come so far.
    pub(super) rules_said: Option<BTreeSet<String>>,
    pub(super) survivors: Survivors,
    /// What was set applies in the session that follows: it begins once nothing is at work in this thread.
    pub(super) restart: bool,
    /// Asked for before the thread was open.
    pub(super) later: VecDeque<(Operation, Reply1<Outcome>)>,
    pub(super) silence: Silence,
    pub(super) standing: watched::Sender<Standing>,
    pub(super) inbox: mpsc::Receiver<Ask>,
    /// Somebody may still ask something.
    pub(super) listens: bool,
    /// Asked while it ended; dropped with it, so that nobody begins another one before this one is over.
    pub(super) unheard: Vec<Ask>,
    pub(super) ended: Arc<watched::Sender<bool>>,
}

/// A seat's other ends, for its handle.
pub(super) struct Ways {
    pub(super) asks: mpsc::Sender<Ask>,
    pub(super) ended: watched::Receiver<bool>,
    pub(super) standing: watched::Receiver<Standing>,
    pub(super) left: Left,
}

impl Seat {
    pub(super) fn new(start: SeatStart, first: Vec<NewRun>, limits: &Limits, run_limits: RunLimits) -> (Seat, Ways) {
        let (asks, inbox) = mpsc::channel(limits.session_inbox as usize);
        let (ended, ended_at) = watched::channel(false);
        let (standing, stands) = watched::channel(Standing { waiting: first.len(), ..Standing::default() });
        let left = Left::default();
        let ways = Ways { asks, ended: ended_at, standing: stands, left: left.clone() };
        let seat = Seat {
            stage: Stage::Opening,
            native: start.native_id.clone(),
            resumable: start.cursor.is_some(),
            outbox: Outbox::of(first),
            said_queue: Vec::new(),
            goes_on: false,
            left,
            active: None,
            free_at: None,
            opens_with_message: false,
            first_context: Vec::new(),
            last_context: Vec::new(),
            login: None,
            run_guard: RunGuard::new(run_limits),
            rules_said: None,
            survivors: Survivors::default(),
            restart: false,
            later: VecDeque::new(),
            silence: Silence::new(limits),
            standing,
            inbox,
            listens: true,
            unheard: Vec::new(),
            ended: Arc::new(ended),
            start,
        };
        (seat, ways)
    }

    pub(super) fn thread(&self) -> &ThreadId {
        self.start.log.thread()
    }

    pub(super) fn is_free(&self) -> bool {
        self.stage == Stage::Free
    }

    /// The thread is not let go: something may begin in it.
    pub(super) fn stays(&self) -> bool {
        matches!(self.stage, Stage::Opening | Stage::Open)
    }

    /// The next session takes this one's place as soon as it can: there is a way back to the conversation.
    pub(super) fn restarts(&self) -> bool {
        self.restart && self.resumable
    }

    pub(super) fn run(&self) -> Option<RunId> {
        self.active.as_ref().map(|active| active.run.clone())
    }
}

/// Who must hear of the end, also when the session's task can't tell any more.
#[derive(Clone, Default)]
pub(super) struct Ends(Arc<Mutex<Vec<End>>>);

struct End {
    log: Arc<ThreadLog>,
    session: SessionId,
    ended: Arc<watched::Sender<bool>>,
}

impl Ends {
    pub(super) fn add(&self, seat: &Seat) {
        let end = End { log: seat.start.log.clone(), session: seat.start.session.clone(), ended: seat.ended.clone() };
        self.all().push(end);
    }

    /// It is over for this one.
    pub(super) fn over(&self, session: &SessionId) {
        let over: Vec<End> = self.all().extract_if(.., |end| end.session == *session).collect();
        over.into_iter().for_each(|end| _ = end.ended.send_replace(true));
    }

    pub(super) fn all_over(&self) {
        let over: Vec<End> = self.all().drain(..).collect();
        over.into_iter().for_each(|end| _ = end.ended.send_replace(true));
    }

    pub(super) fn seated(&self) -> Vec<(Arc<ThreadLog>, SessionId)> {
        self.all().iter().map(|end| (end.log.clone(), end.session.clone())).collect()
    }

    fn all(&self) -> std::sync::MutexGuard<'_, Vec<End>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
