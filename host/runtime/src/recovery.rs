//! What a host that died left open in a thread, closed in words: requests expire, work ends as unknown or interrupted,
//! the session is said to have ended. Nothing is guessed: an open tool call's outcome is not known. **Requests that the provider
//! promised to ask again stay open**: their answer waits for that.
//!
//! **The events are the truth; a row that lags behind them follows.** A row is written after its event, but for a message and
//! a request, whose rows come first: one that the events do not know yet is said to have been taken on, or asked. Tests: `tests/tests/restart/`,
//! through the whole house.

use crate::store::{Gap, Recovery, RequestRecord, RunRecord, Store, StoreError, ThreadRecord};
use crate::thread_log::ThreadLog;
use jackfield_core::capability::Staged;
use jackfield_core::contract::{Fault, FaultKind, Status};
use jackfield_core::event::{Draft, EventBody, Resolution, RunStatus, SessionEnd, SessionEvent, is_terminal};
use jackfield_core::id::{RequestId, RunId, SessionId, ThreadId};
use jackfield_core::policy::{Decision, Intent, PolicyConfig, decide};
use jackfield_core::projection::{Run, Snapshot};
use std::collections::BTreeMap;

/// Closes a thread as it was found, before anything new is said in it; returns the messages that still wait. The rows by which
/// it was found unfinished change after the events are stored: a host that dies in between finds the rest again.
pub(crate) async fn close(
    store: &Store,
    log: &ThreadLog,
    row: &ThreadRecord,
    found: Recovery,
    gap: Option<Gap>,
    policy: &PolicyConfig,
) -> Result<Vec<RunRecord>, StoreError> {
    // Asked of the store only when there is a request whose fate hangs on it: every thread comes through here.
    let survive = !found.open_requests.is_empty() && survive(store, log.thread(), policy).await?;
    let may_stay = |request: &RequestRecord| survive && request.native_id.is_some();
    let all_stay = found.open_requests.iter().all(may_stay);
    if gap.is_none() && found.unended_sessions.is_empty() && found.open_runs.is_empty() && all_stay {
        return Ok(found.queued_runs);
    }
    let now = crate::clock::now_ms();
    if let Some(gap) = gap {
        log.emit(now, EventBody::Gap { from_seq: *gap.start(), to_seq: *gap.end() }.into()).await?;
    }
    let mut told = Told::read(store, log.thread()).await?;
    let (kept, begun): (Vec<_>, Vec<_>) = found.queued_runs.iter().cloned().partition(|run| told.waits(&run.id));
    let open_runs: Vec<RunRecord> = found.open_runs.iter().cloned().chain(begun).collect();
    let stays = |request: &&RequestRecord| may_stay(request) && !told.resolved.contains_key(&request.request.id);
    let staying: Vec<&RequestId> = found.open_requests.iter().filter(stays).map(|one| &one.request.id).collect();
    let missing = told.missing(row, &open_runs, &kept);
    let asked = told.ask(&found.open_requests);
    let closing = told.closing(&open_runs, &kept, &staying);
    for draft in missing.into_iter().chain(asked).chain(closing) {
        log.emit(now, draft).await?;
    }
    for request in found.open_requests.iter().filter(|request| !staying.contains(&&request.request.id)) {
        let id = &request.request.id;
        store.resolve_request(id, told.resolved.get(id).cloned().unwrap_or(Resolution::Expired), now).await?;
    }
    for run in &open_runs {
        store.update_run(&run.id, told.end_of(&run.id).unwrap_or(RunStatus::Failed), now).await?;
    }
    for session in &found.unended_sessions {
        let end = told.ended.get(&session.id).copied().unwrap_or(SessionEnd::HostDied);
        store.end_session(&session.id, session.epoch, end, now).await?;
    }
    Ok(kept)
}

/// What the stored events say.
#[derive(Default)]
struct Told {
    snapshot: Snapshot,
    resolved: BTreeMap<RequestId, Resolution>,
    ended: BTreeMap<SessionId, SessionEnd>,
}

impl Told {
    async fn read(store: &Store, thread: &ThreadId) -> Result<Told, StoreError> {
        let mut told = Told::default();
        each_event(store, thread, |event| {
            told.snapshot.apply(event);
            match &event.draft.body {
                EventBody::RequestResolved { request, resolution } => {
                    told.resolved.insert(request.clone(), resolution.clone());
                }
                EventBody::SessionEnded { session, reason, .. } => {
                    told.ended.insert(session.clone(), *reason);
                }
                _ => {}
            }
        })
        .await?;
        Ok(told)
    }

    fn run(&self, id: &RunId) -> Option<&Run> {
        self.snapshot.runs.iter().find(|run| run.id == *id)
    }

    /// How a run ended.
    fn end_of(&self, id: &RunId) -> Option<RunStatus> {
        self.run(id).map(Run::status).filter(|status| status.is_terminal())
    }

    /// Whether nothing was said of a run but that it waits.
    fn waits(&self, id: &RunId) -> bool {
        self.run(id).is_none_or(|run| run.status() == RunStatus::Queued)
    }

    /// What was acknowledged by its row, and whose event the host had no time to store.
    fn missing(&self, row: &ThreadRecord, open: &[RunRecord], kept: &[RunRecord]) -> Vec<Draft> {
        let created = EventBody::ThreadCreated { provider: row.provider.clone(), folder: row.folder.clone() };
        let mut drafts: Vec<Draft> = self.snapshot.provider.is_none().then(|| created.into()).into_iter().collect();
        let mut runs: Vec<&RunRecord> = open.iter().chain(kept).collect();
        runs.sort_by_key(|run| run.ordinal);
        for run in runs {
            let body = match self.run(&run.id) {
                None => EventBody::RunCreated { content: run.prompt.clone(), ordinal: run.ordinal },
                Some(told) if told.content != run.prompt => EventBody::RunEdited { content: run.prompt.clone() },
                Some(_) => continue,
            };
            drafts.push(Draft { run: Some(run.id.clone()), ..body.into() });
        }
        synthetic(drafts)
    }

    /// What was asked, and whose event the host had no time to store. From here on it is open.
    fn ask(&mut self, open: &[RequestRecord]) -> Vec<Draft> {
        let mut drafts = Vec::new();
        for RequestRecord { run, request, .. } in open {
            let known =
                self.resolved.contains_key(&request.id) || self.snapshot.requests.iter().any(|r| r.id == request.id);
            if !known {
                self.snapshot.requests.push(request.clone());
                let body = EventBody::RequestOpened { request: request.clone() };
                drafts.push(Draft { run: run.clone(), ..body.into() });
            }
        }
        synthetic(drafts)
    }

    /// The events that close all that is open but the requests that stay, in the order of a turn's end; last, what waits.
    fn closing(&self, open: &[RunRecord], kept: &[RunRecord], staying: &[&RequestId]) -> Vec<Draft> {
        let mut drafts = closing_events(&self.snapshot, staying);
        // What still waits was promised, and is kept: it goes first when the thread is used again.
        let at_work = |run: &&Run| !run.status().is_terminal() && run.status() != RunStatus::Queued;
        let mut runs: Vec<RunId> = self.snapshot.runs.iter().filter(at_work).map(|run| run.id.clone()).collect();
        runs.extend(open.iter().map(|run| run.id.clone()).filter(|id| self.waits(id)));
        drafts.extend(runs.into_iter().map(run_ended));
        if let Some(session) = &self.snapshot.session {
            drafts.push(session_ended(session).into());
        }
        let queue: Vec<RunId> = kept.iter().map(|run| run.id.clone()).collect();
        if queue != self.snapshot.queue {
            drafts.push(EventBody::QueueUpdated { runs: queue }.into());
        }
        synthetic(drafts)
    }
}

fn synthetic(mut drafts: Vec<Draft>) -> Vec<Draft> {
    drafts.iter_mut().for_each(|draft| draft.origin.synthetic = true);
    drafts
}

fn run_ended(run: RunId) -> Draft {
    let body = EventBody::RunEnded {
        status: RunStatus::Failed,
        reason: Some("host-died".into()),
        fault: Some(host_died()),
        background: false,
        joined: None,
        ledger: Default::default(),
    };
    Draft { run: Some(run), ..body.into() }
}

fn session_ended(session: &SessionId) -> EventBody {
    EventBody::SessionEnded {
        session: session.clone(),
        reason: SessionEnd::HostDied,
        fault: Some(host_died()),
        exit_code: None,
        signal: None,
        stderr_tail: String::new(),
        ledger: None,
        outside: None,
    }
}

/// Whether the provider of a thread promised to ask again what it had asked, as its last session could.
async fn survive(store: &Store, thread: &ThreadId, policy: &PolicyConfig) -> Result<bool, StoreError> {
    let Some(last) = store.last_session(thread).await? else { return Ok(false) };
    let Ok(staged) = serde_json::from_str::<Staged>(&last.capabilities) else { return Ok(false) };
    let able = staged.effective().capabilities;
    Ok(decide(&Intent::AnswerAfterRestart, &able, policy) == Decision::Native)
}

/// The events that close what is open in the provider's work; but for the requests that stay.
fn closing_events(snapshot: &Snapshot, staying: &[&RequestId]) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let died = host_died();
    for request in snapshot.requests.iter().filter(|request| !staying.contains(&&request.id)) {
        drafts.push(EventBody::RequestResolved { request: request.id.clone(), resolution: Resolution::Expired }.into());
    }
    // Children first: an item inside another one was opened after it.
    for entry in snapshot.items.iter().rev().filter(|entry| !is_terminal(entry.item.status)) {
        let mut item = entry.item.clone();
        item.step(Status::Unknown);
        let mut draft: Draft = EventBody::ItemEnded { item: item.into_inner() }.into();
        draft.run = entry.run.clone();
        draft.turn = entry.turn.clone();
        draft.parent = entry.parent.clone();
        drafts.push(draft);
    }
    for task in snapshot.tasks.iter().filter(|task| !is_terminal(task.status)) {
        let mut task = task.clone();
        task.step(Status::Unknown);
        drafts.push(EventBody::TaskUpdated { task: task.into_inner() }.into());
    }
    for turn in snapshot.turns.iter().filter(|turn| !is_terminal(turn.status())) {
        let fault = Some(died.clone());
        let (status, reason, native_id, mark) = (Status::Unknown, None, None, None);
        let mut draft: Draft = EventBody::TurnEnded { status, reason, fault, native_id, mark, frames: None }.into();
        draft.run = turn.run.clone();
        draft.turn = Some(turn.id.clone());
        drafts.push(draft);
    }
    drafts
}

fn host_died() -> Fault {
    Fault {
        kind: FaultKind::Unknown,
        message: "the host ended while this was at work; what came of it is not known".into(),
        code: Some("host-died".into()),
        retryable: false,
        retry_after_ms: None,
        extra: Vec::new(),
    }
}

/// The thread as its stored events have it.
pub(crate) async fn fold(store: &Store, thread: &ThreadId) -> Result<Snapshot, StoreError> {
    let mut snapshot = Snapshot::default();
    each_event(store, thread, |event| snapshot.apply(event)).await?;
    Ok(snapshot)
}

async fn each_event(store: &Store, thread: &ThreadId, mut take: impl FnMut(&SessionEvent)) -> Result<(), StoreError> {
    const PAGE: usize = 1_000;
    let mut after = 0;
    loop {
        let page = store.events(thread, after, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = last.seq;
        page.iter().for_each(&mut take);
    }
}
