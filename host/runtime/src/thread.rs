//! A thread of ours in use: its lease, its log, and the session that serves it now.
//!
//! Sessions come and go (a program that died, a plugin that broke); the thread stays. A new session is a new epoch and
//! resumes the provider's conversation by its cursor. **It is never silently a fresh conversation.**

use crate::host::Plugin;
use crate::instance::Instance;
use crate::lease::Lease;
use crate::recovery;
use crate::session::{AskError, KeptFrame, NewRun, SessionHandle, SessionStart, Shared};
use crate::store::{RunRecord, SessionRecord, StoreError, ThreadChange, ThreadRecord};
use crate::thread_log::{Subscription, ThreadLog};
use crate::{clock, mint};
use jackfield_core::capability::Staged;
use jackfield_core::contract::{Content, ContextChange, ContextEffect, Fault, FaultKind, Pairs};
use jackfield_core::event::{Draft, EventBody, RunStatus, SessionEnd, SessionEvent};
use jackfield_core::id::{RequestId, RunId, ThreadId};
use jackfield_core::policy::{Decision, Intent, decide};
use jackfield_core::requests::Reply;
use jackfield_core::scrub;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Mutex;

/// A thread in use. The lease is held until it is dropped.
pub struct Thread {
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
    /// Messages that a host that died had taken on and handed to nobody; they go first.
    kept: Vec<NewRun>,
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
        if !new {
            // Before anybody listens: it is about runs and sessions that are over, and is read in the store.
            recovery::close(&store, &log, &found, gap).await?;
        }
        let first_listener = log.subscribe();
        if new {
            let created = EventBody::ThreadCreated { provider: row.provider.clone(), folder: row.folder.clone() };
            log.emit(clock::now_ms(), created.into()).await?;
        }
        Ok(Thread {
            state: Mutex::new(State {
                session: None,
                next_epoch: found.next_epoch,
                last_run: found.last_ordinal,
                kept: found
                    .queued_runs
                    .into_iter()
                    .map(|run| NewRun { run: run.id, ordinal: run.ordinal, content: run.prompt })
                    .collect(),
            }),
            folder: PathBuf::from(&row.folder),
            id: row.id,
            shared,
            plugin,
            instance,
            log,
            lease: Arc::new(lease),
            first_listener: std::sync::Mutex::new(Some(first_listener)),
        })
    }

    /// Its id.
    pub fn id(&self) -> &ThreadId {
        &self.id
    }

    /// Its events from now on; for the first who asks, since the thread was opened.
    pub fn subscribe(&self) -> Subscription {
        let first = self.first_listener.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        first.unwrap_or_else(|| self.log.subscribe())
    }

    /// Stored events after this number, oldest first.
    pub async fn events_after(&self, seq: u64, limit: usize) -> Result<Vec<SessionEvent>, StoreError> {
        self.shared.store.events(&self.id, seq, limit).await
    }

    /// Takes a message on. It is stored when this returns; progress and end are events of the run.
    pub async fn send(&self, content: Vec<Content>) -> Result<RunId, AskError> {
        let (bytes, limit) = (content.iter().map(size_of).sum(), self.shared.limits.prompt_bytes);
        if bytes > limit {
            return Err(AskError::TooLong { bytes, limit });
        }
        self.may_attach(&content)?;
        let mut state = self.state.lock().await;
        for kept in std::mem::take(&mut state.kept) {
            self.hand_over(&mut state, kept).await?;
        }
        state.last_run += 1;
        let ordinal = state.last_run;
        let run = mint::run(&self.id, ordinal);
        let now = clock::now_ms();
        let record = RunRecord {
            id: run.clone(),
            thread: self.id.clone(),
            ordinal,
            status: RunStatus::Queued,
            prompt: content.clone(),
            selection: Pairs::new(),
            created_ms: now,
            updated_ms: now,
        };
        self.shared.store.put_run(record).await?;
        if ordinal == 1 {
            let title = ThreadChange {
                title: Some(first_words(&content, self.shared.limits.title_bytes)),
                at_ms: now,
                ..ThreadChange::default()
            };
            self.shared.store.update_thread(&self.id, title).await?;
        }
        let mut draft: Draft = EventBody::RunCreated { content: content.clone(), ordinal }.into();
        draft.run = Some(run.clone());
        self.log.emit(now, draft).await?.await?;
        if let Err(error) = self.hand_over(&mut state, NewRun { run: run.clone(), ordinal, content }).await {
            self.end_untaken(&run, &error).await?;
            return Err(error);
        }
        Ok(run)
    }

    /// A file goes only to a provider that takes files, and is refused before anything of the message is stored.
    fn may_attach(&self, content: &[Content]) -> Result<(), AskError> {
        if !content.iter().any(|part| matches!(part, Content::Media(_))) {
            return Ok(());
        }
        let declared = Staged::new(self.plugin.generation.descriptor().declared.clone());
        match decide(&Intent::Attach, &declared.effective().capabilities, &self.shared.policy) {
            Decision::Native => Ok(()),
            refused => Err(AskError::Fault(Fault {
                kind: FaultKind::Unsupported,
                message: refused.reason(),
                code: None,
                retryable: false,
                retry_after_ms: None,
                extra: Vec::new(),
            })),
        }
    }

    /// A message that was stored and that no session took ends at once: nobody would ever come back to it.
    async fn end_untaken(&self, run: &RunId, error: &AskError) -> Result<(), StoreError> {
        let fault = Fault {
            kind: FaultKind::Internal,
            message: error.to_string(),
            code: Some(error.code().into()),
            retryable: true,
            retry_after_ms: None,
            extra: Vec::new(),
        };
        let (status, ledger) = (RunStatus::Failed, Default::default());
        let mut draft: Draft =
            EventBody::RunEnded { status, reason: None, fault: Some(fault), background: false, ledger }.into();
        draft.run = Some(run.clone());
        self.log.emit(clock::now_ms(), draft).await?;
        self.shared.store.update_run(run, status, clock::now_ms()).await
    }

    /// To the session at work; to a new one, resuming the provider's conversation, when there is none or it has just ended.
    async fn hand_over(&self, state: &mut State, run: NewRun) -> Result<(), AskError> {
        if let Some(session) = &state.session {
            match session.send(run.clone()).await {
                Err(AskError::Ended) => {}
                done => return done,
            }
        }
        self.start_session(state, run).await
    }

    /// Stops the active run.
    pub async fn interrupt(&self) -> Result<(), AskError> {
        self.current().await?.interrupt().await
    }

    /// Answers a request.
    pub async fn answer(&self, request: RequestId, reply: Reply, by: &str) -> Result<(), AskError> {
        self.current().await?.answer(request, reply, by).await
    }

    /// Chooses settings.
    pub async fn select(&self, selection: Pairs) -> Result<(), AskError> {
        self.current().await?.select(selection).await
    }

    /// The frame of this number and what became of it, while it is kept and the session is at work.
    pub async fn frame(&self, number: u64) -> Option<KeptFrame> {
        self.current().await.ok()?.frame(number).await
    }

    /// Ends the session in order, and waits until all that was said is stored. Whoever does not want to wait any longer
    /// drops this and asks to [`Self::kill`].
    pub async fn close(&self) -> Result<(), StoreError> {
        let session = self.state.lock().await.session.clone();
        if let Some(session) = session {
            session.close().await;
        }
        self.log.close().await
    }

    /// Ends the session at once.
    pub async fn kill(&self) -> Result<(), StoreError> {
        let session = self.state.lock().await.session.clone();
        if let Some(session) = session {
            session.kill().await;
        }
        self.log.close().await
    }

    async fn current(&self) -> Result<SessionHandle, AskError> {
        let session = self.state.lock().await.session.clone();
        session.filter(|session| !session.is_over()).ok_or(AskError::Ended)
    }

    async fn start_session(&self, state: &mut State, first: NewRun) -> Result<(), AskError> {
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
        let start = SessionStart {
            session,
            epoch,
            generation: self.plugin.generation.clone(),
            bundled: self.plugin.bundled,
            instance: self.instance.clone(),
            folder: self.folder.clone(),
            native_id: native_id.filter(|_| cursor.is_some()),
            cursor,
            log: self.log.clone(),
            lease: self.lease.clone(),
        };
        match SessionHandle::start(start, self.shared.clone(), first).await {
            Ok(handle) => {
                state.session = Some(handle);
                Ok(())
            }
            Err(error) => {
                self.shared.store.end_session(&id, epoch, SessionEnd::StartFailed, clock::now_ms()).await?;
                Err(AskError::Plugin(error.to_string()))
            }
        }
    }
}

/// Bytes of what a message holds.
fn size_of(part: &Content) -> u64 {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let bytes = match part {
        Content::Text(text) => text.len(),
        Content::Media(media) => text(&media.base64) + text(&media.uri) + text(&media.name),
        Content::Diff(diff) => text(&diff.before) + text(&diff.after) + text(&diff.patch) + diff.path.len(),
        Content::Other(other) => other.json.len(),
    };
    bytes as u64
}

/// A thread is called by the first words said in it, until the provider gives it a title.
fn first_words(content: &[Content], max_bytes: u64) -> Option<String> {
    let text = content.iter().find_map(|part| match part {
        Content::Text(text) => text.lines().map(str::trim).find(|line| !line.is_empty()),
        _ => None,
    })?;
    Some(scrub::label(text, max_bytes).into_owned())
}

/// The provider had a conversation and left no way back to it: what follows is a fresh one, and says so.
fn context_lost() -> EventBody {
    let why = "the provider had not yet saved this conversation when its program ended; it begins afresh and does not know what was said before";
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
