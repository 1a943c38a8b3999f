//! What a host that died left open in a thread, closed in words: requests expire, work ends as unknown or interrupted,
//! the session is said to have ended. Nothing is guessed: an open tool call's outcome is not known.

use crate::store::{Gap, Recovery, Store, StoreError};
use crate::thread_log::ThreadLog;
use jackfield_core::contract::{Fault, FaultKind, Status};
use jackfield_core::event::{Draft, EventBody, Resolution, RunStatus, SessionEnd, is_terminal};
use jackfield_core::id::ThreadId;
use jackfield_core::projection::{Run, Snapshot};

/// Closes a thread as it was found, before anything new is said in it. The rows by which it was found unfinished change
/// after the events are stored: a host that dies in between finds the rest again.
pub(crate) async fn close(
    store: &Store,
    log: &ThreadLog,
    found: &Recovery,
    gap: Option<Gap>,
) -> Result<(), StoreError> {
    let now = crate::clock::now_ms();
    if let Some(gap) = gap {
        log.emit(now, EventBody::Gap { from_seq: *gap.start(), to_seq: *gap.end() }.into()).await?;
    }
    if found.unended_sessions.is_empty() && found.open_runs.is_empty() {
        return Ok(());
    }
    let snapshot = fold(store, log.thread()).await?;
    for draft in closing_events(&snapshot) {
        log.emit(now, draft).await?;
    }
    for request in &found.open_requests {
        store.resolve_request(&request.request.id, Resolution::Expired, now).await?;
    }
    for run in &found.open_runs {
        store.update_run(&run.id, RunStatus::Failed, now).await?;
    }
    for session in &found.unended_sessions {
        store.end_session(&session.id, session.epoch, SessionEnd::HostDied, now).await?;
    }
    Ok(())
}

/// The events that close all that is open, in the order of a turn's end.
fn closing_events(snapshot: &Snapshot) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let died = host_died();
    for request in &snapshot.requests {
        drafts.push(EventBody::RequestResolved { request: request.id.clone(), resolution: Resolution::Expired }.into());
    }
    // Children first: an item inside another one was opened after it.
    for entry in snapshot.items.iter().rev().filter(|entry| !is_terminal(entry.item.status)) {
        let mut item = entry.item.clone();
        item.status = Status::Unknown;
        let mut draft: Draft = EventBody::ItemEnded { item }.into();
        draft.run = entry.run.clone();
        draft.turn = entry.turn.clone();
        draft.parent = entry.parent.clone();
        drafts.push(draft);
    }
    for task in snapshot.tasks.iter().filter(|task| !is_terminal(task.status)) {
        let mut task = task.clone();
        task.status = Status::Unknown;
        drafts.push(EventBody::TaskUpdated { task }.into());
    }
    for turn in snapshot.turns.iter().filter(|turn| !is_terminal(turn.status)) {
        let fault = Some(died.clone());
        let (status, reason, native_id, mark) = (Status::Unknown, None, None, None);
        let mut draft: Draft = EventBody::TurnEnded { status, reason, fault, native_id, mark }.into();
        draft.run = turn.run.clone();
        draft.turn = Some(turn.id.clone());
        drafts.push(draft);
    }
    // What still waits was promised, and is kept: it goes first when the thread is used again.
    let at_work = |run: &&Run| !run.status.is_terminal() && run.status != RunStatus::Queued;
    for run in snapshot.runs.iter().filter(at_work) {
        let mut draft: Draft = EventBody::RunEnded {
            status: RunStatus::Failed,
            reason: Some("host-died".into()),
            fault: Some(died.clone()),
            background: false,
            joined: None,
            ledger: Default::default(),
        }
        .into();
        draft.run = Some(run.id.clone());
        drafts.push(draft);
    }
    if let Some(session) = &snapshot.session {
        let ended = EventBody::SessionEnded {
            session: session.clone(),
            reason: SessionEnd::HostDied,
            fault: Some(died),
            exit_code: None,
            signal: None,
            stderr_tail: String::new(),
        };
        drafts.push(ended.into());
    }
    drafts.iter_mut().for_each(|draft| draft.origin.synthetic = true);
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
    const PAGE: usize = 1_000;
    let mut snapshot = Snapshot::default();
    let mut after = 0;
    loop {
        let page = store.events(thread, after, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(snapshot);
        };
        after = last.seq;
        for event in &page {
            snapshot.apply(event);
        }
    }
}
