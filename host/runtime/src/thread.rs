//! A thread of ours in use: its lease, its log, and the session that serves it now.
//!
//! Sessions come and go (a program that died, a plugin that broke); the thread stays. A new session is a new epoch and
//! resumes the provider's conversation by its cursor. **It is never silently a fresh conversation.**

use crate::host::Plugin;
use crate::instance::Instance;
use crate::lease::Lease;
use crate::recovery;
use crate::session::{
    AskError, KeptFrame, NewRun, SeatStart, SessionHandle, SessionStart, Shared, Standing, Stop, queue::withdrawn,
};
use crate::store::{RequestState, SessionRecord, StoreError, ThreadRecord};
use crate::thread_log::{Subscription, ThreadLog};
use crate::{clock, mint};
use jackfield_core::contract::{Applies, ContextChange, ContextEffect, McpServer, Pairs, Role, ToolSpec};
use jackfield_core::event::{EventBody, Resolution, RunStatus, SessionEnd, SessionEvent};
use jackfield_core::id::{RequestId, ThreadId};
use jackfield_core::outbox::Outbox;
use jackfield_core::requests::{AnswerError, Reply, Survivor};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

mod copies;
mod messages;
mod operations;

pub(crate) use copies::Copied;
pub use copies::ForkAt;
pub use messages::Delivery;

/// A thread in use. The lease is held until it is dropped.
pub struct Thread {
    inner: Arc<Inner>,
}

struct Inner {
    id: ThreadId,
    shared: Arc<Shared>,
    plugin: Plugin,
    instance: Instance,
    folder: PathBuf,
    log: Arc<ThreadLog>,
    state: Mutex<State>,
    /// Shared with the session at work: the thread is free for others only when that one has said its last word.
    lease: Arc<Lease>,
    /// Listens since the thread was opened; the first who subscribes gets it.
    first_listener: std::sync::Mutex<Option<Subscription>>,
}

struct State {
    session: Option<SessionHandle>,
    next_epoch: u32,
    last_run: u32,
    /// Messages that no session has: a host that died had taken them on, or the last session left them. They go first.
    kept: Outbox,
    /// The client let go of it: no session begins by itself any more.
    closed: bool,
    /// Settings that were chosen in this thread; they hold in the sessions that follow.
    chosen: Pairs,
    /// MCP servers that were given in this thread, in place of the instance's; so do they.
    servers: Option<Vec<McpServer>>,
    /// The host's own tools that were given in this thread; so do they.
    tools: Option<Arc<Vec<ToolSpec>>>,
}

impl Thread {
    pub(crate) async fn open(
        shared: Arc<Shared>,
        plugin: Plugin,
        instance: Instance,
        row: ThreadRecord,
        lease: Lease,
        new: bool,
    ) -> Result<Thread, StoreError> {
        let store = shared.store.clone();
        let found = store.recover(&row.id).await?;
        let (sequence, gap) = store.sequence(&row.id).await?;
        let log = Arc::new(ThreadLog::new(row.id.clone(), store.clone(), shared.limits.clone(), sequence));
        let (next_epoch, last_run) = (found.next_epoch, found.last_ordinal);
        let waiting = match new {
            true => Vec::new(),
            // Before anybody listens: it is about runs and sessions that are over, and is read in the store.
            false => recovery::close(&store, &log, &row, found, gap, &shared.policy).await?,
        };
        let first_listener = log.subscribe();
        if new {
            let created = EventBody::ThreadCreated { provider: row.provider.clone(), folder: row.folder.clone() };
            log.emit(clock::now_ms(), created.into()).await?;
        }
        let kept = waiting.into_iter().map(|run| NewRun::new(run.id, run.ordinal, run.prompt));
        let inner = Inner {
            state: Mutex::new(State {
                session: None,
                next_epoch,
                last_run,
                kept: Outbox::of(kept.collect()),
                closed: false,
                chosen: Pairs::new(),
                servers: None,
                tools: None,
            }),
            folder: PathBuf::from(&row.folder),
            id: row.id,
            shared,
            plugin,
            instance,
            log,
            lease: Arc::new(lease),
            first_listener: std::sync::Mutex::new(Some(first_listener)),
        };
        Ok(Thread { inner: Arc::new(inner) })
    }

    /// The plugin, the instance and the folder that it works with.
    pub(crate) fn parts(&self) -> (&Plugin, &Instance, &Path) {
        (&self.inner.plugin, &self.inner.instance, &self.inner.folder)
    }

    /// Says where it came from.
    pub(crate) async fn say_origin(&self, origin: EventBody) -> Result<(), StoreError> {
        let said = self.inner.log.emit(clock::now_ms(), origin.into()).await?;
        said.await
    }

    /// Its id.
    pub fn id(&self) -> &ThreadId {
        &self.inner.id
    }

    /// Its events from now on; for the first who asks, since the thread was opened.
    pub fn subscribe(&self) -> Subscription {
        let first = self.inner.first_listener.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        first.unwrap_or_else(|| self.inner.log.subscribe())
    }

    /// Stored events after this number, oldest first.
    pub async fn events_after(&self, seq: u64, limit: usize) -> Result<Vec<SessionEvent>, StoreError> {
        self.inner.shared.store.events(&self.inner.id, seq, limit).await
    }

    /// Stops the active run, and with it what the provider stops with its turn.
    pub async fn interrupt(&self) -> Result<(), AskError> {
        self.stop(Stop::Turn).await
    }

    /// Stops the active run: so much of it. What is done instead of what was asked is an event.
    pub async fn stop(&self, stop: Stop) -> Result<(), AskError> {
        self.inner.current().await?.interrupt(stop).await
    }

    /// Answers a request. One that outlived its session is answered in the next, once the provider has asked it again.
    pub async fn answer(&self, request: RequestId, reply: Reply, by: &str) -> Result<(), AskError> {
        if let Ok(session) = self.inner.current().await {
            match session.answer(request.clone(), reply.clone(), by).await {
                Err(AskError::Ended) => {}
                told => return told,
            }
        }
        self.inner.is_open(&request).await?;
        self.inner.begun().await?.answer(request, reply, by).await
    }

    /// Has the provider log in by this method; a session begins for it. What a person must do then is an event, `request.opened`,
    /// and so is its end. Done without a further request, the login is there.
    pub async fn authenticate(&self, method: &str) -> Result<(), AskError> {
        self.inner.begun().await?.authenticate(method.to_owned()).await
    }

    /// Chooses settings: in the session at work, and for those that follow. Where they apply only in the next one, it takes
    /// this one's place once nothing is at work.
    pub async fn select(&self, selection: Pairs) -> Result<(), AskError> {
        let session = self.inner.current().await.ok();
        let applies = match &session {
            Some(session) => session.select(selection.clone()).await?,
            None => Applies::Now,
        };
        choose(&mut self.inner.state.lock().await.chosen, selection);
        self.inner.apply(session.as_ref(), applies).await
    }

    /// The frame of this number and what became of it, while it is kept and the session is at work.
    pub async fn frame(&self, number: u64) -> Option<KeptFrame> {
        self.inner.current().await.ok()?.frame(number).await
    }

    /// What goes on in the session at work: the run, what waits, the roster.
    pub async fn standing(&self) -> Standing {
        let session = self.inner.state.lock().await.session.clone();
        session.map_or_else(Standing::default, |session| session.standing())
    }

    /// Waits until nothing goes on any more: no run, no message that waits, no work in the background; at most
    /// `roster_wait_ms`. False when something still goes on then.
    pub async fn rest(&self) -> bool {
        let limits = self.inner.shared.limits.clone();
        let Ok(session) = self.inner.current().await else { return true };
        let rest = session.rest(Duration::from_millis(limits.drain_ms));
        tokio::time::timeout(Duration::from_millis(limits.roster_wait_ms), rest).await.is_ok()
    }

    /// Ends the session in order, and waits until all that was said is stored. Whoever does not want to wait any longer
    /// drops this and asks to [`Self::kill`].
    pub async fn close(&self) -> Result<(), StoreError> {
        if let Some(session) = self.inner.let_go().await {
            session.close().await;
        }
        self.inner.say_last().await
    }

    /// Ends the session at once.
    pub async fn kill(&self) -> Result<(), StoreError> {
        if let Some(session) = self.inner.let_go().await {
            session.kill().await;
        }
        self.inner.say_last().await
    }
}

impl Inner {
    async fn let_go(&self) -> Option<SessionHandle> {
        let mut state = self.state.lock().await;
        state.closed = true;
        state.session.clone()
    }

    /// What the session left has nobody to go on for.
    async fn say_last(&self) -> Result<(), StoreError> {
        let left = self.state.lock().await.session.as_ref().map(|session| session.left().take());
        for message in left.into_iter().flatten() {
            self.end_run(&message.run, RunStatus::Cancelled, withdrawn(Default::default())).await?;
        }
        self.log.close().await
    }

    /// What was set is kept for the next session: where it applies only there, that one is to begin.
    async fn apply(&self, session: Option<&SessionHandle>, applies: Applies) -> Result<(), AskError> {
        match (session, applies) {
            (Some(session), Applies::AfterRestart) => match session.restart().await {
                // It is over already: the next one has it.
                Err(AskError::Ended) => Ok(()),
                told => told,
            },
            _ => Ok(()),
        }
    }

    /// Whether a request can still be answered though no session is at work; how it ended, when not.
    async fn is_open(&self, id: &RequestId) -> Result<(), AskError> {
        let requests = self.shared.store.requests(&self.id).await?;
        let found = requests.into_iter().find(|request| request.request.id == *id);
        let error = match found.map(|found| (found.state, found.resolution)) {
            Some((RequestState::Open, _)) if !self.state.lock().await.closed => return Ok(()),
            Some((_, Some(Resolution::Answered { by, .. }))) => AnswerError::AlreadyResolved { id: id.clone(), by },
            Some(_) => AnswerError::Expired { id: id.clone() },
            None => AnswerError::NotFound { id: id.to_string() },
        };
        Err(error.into())
    }

    /// The session at work; begun now, with the messages that wait, when there is none.
    async fn begun(self: &Arc<Self>) -> Result<SessionHandle, AskError> {
        let mut state = self.state.lock().await;
        if state.live().is_none() {
            let first = state.kept.take_waiting();
            self.start_session(&mut state, first).await?;
        }
        state.session.clone().ok_or(AskError::Ended)
    }

    async fn current(&self) -> Result<SessionHandle, AskError> {
        let session = self.state.lock().await.session.clone();
        session.filter(|session| !session.is_over()).ok_or(AskError::Ended)
    }

    /// Begins a session, resuming the provider's conversation, with these messages; or takes a seat on one that was begun the same.
    async fn start_session(self: &Arc<Self>, state: &mut State, first: Vec<NewRun>) -> Result<(), AskError> {
        let epoch = state.next_epoch;
        let session = mint::session(&self.id, epoch);
        let row = self.shared.store.thread(&self.id).await?;
        let (cursor, native_id) = row.map_or((None, None), |row| (row.cursor, row.native_id));
        if cursor.is_none() && native_id.is_some() {
            self.log.emit(clock::now_ms(), context_lost().into()).await?;
        }
        let record = SessionRecord {
            id: session.clone(),
            epoch,
            thread: self.id.clone(),
            plugin: self.plugin.generation.manifest().full_name(),
            digest: self.plugin.generation.digest().to_owned(),
            capabilities: String::new(),
            started_ms: clock::now_ms(),
            ended: None,
        };
        self.shared.store.put_session(record).await?;
        state.next_epoch += 1;
        let id = session.clone();
        let mut instance = self.instance.clone();
        choose(&mut instance.selection, state.chosen.clone());
        if let Some(servers) = &state.servers {
            instance.mcp_servers.clone_from(servers);
        }
        if let Some(tools) = &state.tools {
            instance.tools.clone_from(tools);
        }
        let start = SessionStart {
            role: Role::Live,
            session: session.clone(),
            epoch,
            generation: self.plugin.generation.clone(),
            bundled: self.plugin.bundled,
            instance,
            folder: self.folder.clone(),
        };
        let seat = SeatStart {
            session,
            epoch,
            survivors: self.survivors().await?,
            native_id: native_id.filter(|_| cursor.is_some()),
            cursor,
            log: self.log.clone(),
            lease: Some(self.lease.clone()),
        };
        match self.shared.seat(start, seat, first).await {
            Ok(handle) => {
                self.watch_over(&handle);
                state.session = Some(handle);
                Ok(())
            }
            Err(error) => {
                self.shared.store.end_session(&id, epoch, SessionEnd::StartFailed, clock::now_ms()).await?;
                Err(AskError::Plugin(error.to_string()))
            }
        }
    }

    /// What earlier sessions left open: their provider promised to ask it again.
    async fn survivors(&self) -> Result<Vec<Survivor>, StoreError> {
        let open = self.shared.store.open_requests(&self.id).await?.into_iter();
        Ok(open.filter_map(|open| Some(Survivor { request: open.request, native: open.native_id? })).collect())
    }

    /// When the session ends and leaves messages, the next one begins by itself.
    fn watch_over(self: &Arc<Self>, handle: &SessionHandle) {
        let (end, left, thread) = (handle.end(), handle.left().clone(), Arc::downgrade(self));
        tokio::spawn(async move {
            end.await;
            if let Some(thread) = thread.upgrade() {
                thread.go_on(&left).await;
            }
        });
    }
}

/// The later choice of a setting counts.
fn choose(settings: &mut Pairs, chosen: Pairs) {
    settings.retain(|(name, _)| chosen.iter().all(|(other, _)| other != name));
    settings.extend(chosen);
}

/// The provider had a conversation and left no way back to it, or did not find it: what follows is a fresh one, and says so.
fn context_lost() -> EventBody {
    let why = "the provider does not have this conversation: its program ended before it was saved, or it is gone. It begins afresh and does not know what was said before";
    EventBody::ContextChanged {
        change: ContextChange {
            what: ContextEffect::Lost,
            turn: None,
            tokens_before: None,
            tokens_after: None,
            automatic: true,
            summary: Some(why.into()),
        },
    }
}
