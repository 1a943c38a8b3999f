//! What a host that died left open in a thread, closed in words: requests expire, work ends as unknown or interrupted,
//! the session is said to have ended. Nothing is guessed: an open tool call's outcome is not known.

use crate::store::{Gap, Recovery, Store, StoreError};
use jackfield_core::contract::{Fault, FaultKind, Status};
use jackfield_core::event::{Draft, EventBody, Resolution, RunStatus, SessionEnd, is_terminal};
use jackfield_core::id::ThreadId;
use jackfield_core::projection::Snapshot;

/// The events that close a thread as it was found. They are emitted before anything new is.
pub(crate) async fn closing_events(
    store: &Store,
    thread: &ThreadId,
    found: &Recovery,
    gap: Option<Gap>,
) -> Result<Vec<Draft>, StoreError> {
    let mut drafts = Vec::new();
    if let Some(gap) = gap {
        drafts.push(EventBody::Gap { from_seq: *gap.start(), to_seq: *gap.end() }.into());
    }
    if found.unended_sessions.is_empty() && found.open_runs.is_empty() && found.queued_runs.is_empty() {
        return Ok(drafts);
    }
    let now = crate::clock::now_ms();
    let snapshot = fold(store, thread).await?;
    let died = Fault {
        kind: FaultKind::Unknown,
        message: "the host ended while this was at work; what came of it is not known".into(),
        code: Some("host-died".into()),
        retryable: false,
        retry_after_ms: None,
        extra: Vec::new(),
    };
    for request in &snapshot.requests {
        store.resolve_request(&request.id, Resolution::Expired, now).await?;
        drafts.push(EventBody::RequestResolved { request: request.id.clone(), resolution: Resolution::Expired }.into());
    }
    // Children first: an item inside another one was opened after it.
    for entry in
        snapshot.items.iter().filter(|entry| !is_terminal(entry.item.status)).collect::<Vec<_>>().into_iter().rev()
    {
        let mut item = entry.item.clone();
        item.status = Status::Unknown;
        let mut draft: Draft = EventBody::ItemEnded { item }.into();
        draft.run = entry.run.clone();
        draft.turn = entry.turn.clone();
        draft.parent = entry.parent.clone();
        draft.origin.synthetic = true;
        drafts.push(draft);
    }
    for task in snapshot.tasks.iter().filter(|task| !is_terminal(task.status)) {
        let mut task = task.clone();
        task.status = Status::Unknown;
        drafts.push(EventBody::TaskUpdated { task }.into());
    }
    for run in snapshot.runs.iter().filter(|run| !run.status.is_terminal()) {
        let queued = run.status == RunStatus::Queued;
        let mut draft: Draft = EventBody::RunEnded {
            status: if queued { RunStatus::Cancelled } else { RunStatus::Failed },
            reason: Some("host-died".into()),
            fault: (!queued).then(|| died.clone()),
            background: false,
            ledger: Default::default(),
        }
        .into();
        draft.run = Some(run.id.clone());
        draft.origin.synthetic = true;
        drafts.push(draft);
        store.update_run(&run.id, if queued { RunStatus::Cancelled } else { RunStatus::Failed }, now).await?;
    }
    for session in &found.unended_sessions {
        let ended = EventBody::SessionEnded {
            session: session.id.clone(),
            reason: SessionEnd::HostDied,
            fault: Some(died.clone()),
            exit_code: None,
            signal: None,
            stderr_tail: String::new(),
        };
        drafts.push(ended.into());
        store.end_session(&session.id, session.epoch, SessionEnd::HostDied, now).await?;
    }
    Ok(drafts)
}

async fn fold(store: &Store, thread: &ThreadId) -> Result<Snapshot, StoreError> {
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
