//! What holds of any list of session events: opened once, closed once, numbered, the same when it is folded in two parts.

use crate::{Verdict, holds};
use jackfield_core::contract::Status;
use jackfield_core::event::{EventBody, RunStatus, SessionEvent, is_terminal};
use jackfield_core::lifecycle::{run_may_become, task_may_become, work_may_become};
use jackfield_core::projection::Snapshot;
use std::collections::BTreeMap;

/// Judges the events of one thread, from its first to its last.
pub fn judge(events: &[SessionEvent], cut: usize) -> Verdict {
    one_life(events)?;
    only_steps_of_the_tables(events)?;
    for event in events {
        let text = serde_json::to_string(event).map_err(|error| format!("it is not stored: {error}: {event:?}"))?;
        let read: SessionEvent =
            serde_json::from_str(&text).map_err(|error| format!("it is not read: {error}: {text}"))?;
        holds!(read == *event, "it is read as another: {event:?} {read:?}");
    }
    let whole = Snapshot::of(events);
    let mut resumed = Snapshot::of(&events[..cut.min(events.len())]);
    events.iter().for_each(|event| resumed.apply(event));
    holds!(resumed == whole, "the snapshot at {cut} and the rest are not the whole");
    let open: Vec<_> =
        whole.items.iter().filter(|shown| !is_terminal(shown.item.status)).map(|shown| &shown.item.id).collect();
    holds!(open.is_empty(), "items are left open: {open:?}");
    holds!(whole.turns.iter().all(|turn| is_terminal(turn.status)), "a turn is left open");
    holds!(whole.runs.iter().all(|run| run.status.is_terminal()), "a run is left open: {:?}", whole.runs);
    holds!(whole.requests.is_empty(), "a request is left open");
    holds!(whole.roster().next().is_none(), "the roster is not empty");
    Ok(())
}

/// Each change of a state is one that its table has.
fn only_steps_of_the_tables(events: &[SessionEvent]) -> Verdict {
    let mut runs: BTreeMap<String, RunStatus> = BTreeMap::new();
    let mut work: BTreeMap<String, Status> = BTreeMap::new();
    for event in events {
        let draft = &event.draft;
        let run = || draft.run.as_ref().map_or(String::new(), |id| id.as_str().to_owned());
        match &draft.body {
            EventBody::RunUpdated { status } | EventBody::RunEnded { status, .. } => {
                if let Some(from) = runs.insert(run(), *status).filter(|from| from != status) {
                    holds!(run_may_become(from, *status), "a run came from {from:?} to {status:?}: {draft:?}");
                }
            }
            EventBody::ItemStarted { item } | EventBody::ItemUpdated { item } | EventBody::ItemEnded { item } => {
                let from = work.insert(item.id.as_str().to_owned(), item.status).filter(|from| *from != item.status);
                if let Some(from) = from {
                    holds!(
                        work_may_become(from, item.status),
                        "an item came from {from:?} to {:?}: {draft:?}",
                        item.status
                    );
                }
            }
            EventBody::TaskUpdated { task } => {
                let from = work.insert(task.id.as_str().to_owned(), task.status).filter(|from| *from != task.status);
                if let Some(from) = from {
                    holds!(
                        task_may_become(from, task.status),
                        "a task came from {from:?} to {:?}: {draft:?}",
                        task.status
                    );
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[derive(Default)]
struct Life {
    opened: bool,
    ended: bool,
}

fn one_life(events: &[SessionEvent]) -> Verdict {
    let mut lives: BTreeMap<(&str, String), Life> = BTreeMap::new();
    let mut last = 0;
    for event in events {
        let draft = &event.draft;
        holds!(event.seq > last, "numbers do not rise: {event:?}");
        last = event.seq;
        let turn = || draft.turn.as_ref().map_or(String::new(), |id| id.as_str().to_owned());
        let run = || draft.run.as_ref().map_or(String::new(), |id| id.as_str().to_owned());
        let (kind, id, opens) = match &draft.body {
            EventBody::ItemStarted { item } => ("item", item.id.as_str().to_owned(), Some(true)),
            EventBody::ItemEnded { item } => {
                holds!(is_terminal(item.status), "an end that is none: {draft:?}");
                ("item", item.id.as_str().to_owned(), Some(false))
            }
            EventBody::ItemUpdated { item } => ("item", item.id.as_str().to_owned(), None),
            EventBody::ItemDelta { item, .. } => ("item", item.as_str().to_owned(), None),
            EventBody::TurnStarted { .. } => ("turn", turn(), Some(true)),
            EventBody::TurnEnded { .. } => ("turn", turn(), Some(false)),
            EventBody::RequestOpened { request } => ("request", request.id.as_str().to_owned(), Some(true)),
            EventBody::RequestResolved { request, .. } => ("request", request.as_str().to_owned(), Some(false)),
            EventBody::RunEnded { ledger, status, .. } => {
                holds!(ledger.balanced(), "the ledger does not balance: {draft:?}");
                holds!(status.is_terminal(), "an end that is none: {draft:?}");
                ("run", run(), Some(false))
            }
            EventBody::AttemptStarted { .. } => ("run", run(), None),
            _ => continue,
        };
        holds!(!id.is_empty(), "no id: {draft:?}");
        let life = lives.entry((kind, id)).or_default();
        match opens {
            Some(true) => {
                holds!(!life.opened, "opened twice: {draft:?}");
                life.opened = true;
            }
            // A run that joined another one's turn ends without a beginning of its own.
            Some(false) => {
                holds!((life.opened || kind == "run") && !life.ended, "ended without a beginning, or twice: {draft:?}");
                life.ended = true;
            }
            None => holds!((life.opened || kind == "run") && !life.ended, "not open: {draft:?}"),
        }
    }
    let open: Vec<_> = lives.iter().filter(|(_, life)| !life.ended).map(|(id, _)| id).collect();
    holds!(open.is_empty(), "left open: {open:?}");
    Ok(())
}
