//! What holds of any list of session events: opened once, closed once, numbered, the same when it is folded in two parts.

use crate::{Verdict, holds};
use jackfield_core::contract::{Plan, PlanStep, Status};
use jackfield_core::event::{AttemptReason, EventBody, RunStatus, SessionEvent, is_terminal};
use jackfield_core::lifecycle::{
    Attempt, AttemptStatus, Item, Lifecycle, Request, RequestStatus, Run, State, Task, Turn,
};
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
    holds!(whole.left_out == 0, "{} events fit no state", whole.left_out);
    let open: Vec<_> =
        whole.items.iter().filter(|shown| !is_terminal(shown.item.status)).map(|shown| &shown.item.id).collect();
    holds!(open.is_empty(), "items are left open: {open:?}");
    holds!(whole.turns.iter().all(|turn| is_terminal(turn.status())), "a turn is left open");
    holds!(whole.runs.iter().all(|run| run.status().is_terminal()), "a run is left open: {:?}", whole.runs);
    holds!(whole.requests.is_empty(), "a request is left open");
    holds!(whole.roster().next().is_none(), "the roster is not empty");
    Ok(())
}

/// Each change of a state is one that its table has.
fn only_steps_of_the_tables(events: &[SessionEvent]) -> Verdict {
    let (mut runs, mut turns, mut items, mut tasks, mut requests) = (
        Lives::<Run>::new(),
        Lives::<Turn>::new(),
        Lives::<Item>::new(),
        Lives::<Task>::new(),
        Lives::<Request>::new(),
    );
    let (mut attempts, mut plans) = (Attempts::default(), BTreeMap::new());
    for event in events {
        let draft = &event.draft;
        let run = draft.run.as_ref().map_or("", |id| id.as_str());
        let turn = draft.turn.as_ref().map_or("", |id| id.as_str());
        let verdict = match &draft.body {
            EventBody::AttemptStarted { attempt, reason } => {
                // A message that was not taken for want of a login had no turn; given again, that attempt is over.
                if *reason == AttemptReason::Retry && !attempts.is_at_work(run) {
                    attempts.end(run);
                }
                attempts.begins(run, attempt.as_str())
            }
            EventBody::RunUpdated { status } | EventBody::RunEnded { status, .. } => {
                if status.is_terminal() || *status == RunStatus::Queued {
                    attempts.end(run);
                }
                runs.entry(run.to_owned()).or_default();
                comes_to(&mut runs, run, *status)
            }
            EventBody::TurnStarted { .. } => {
                let verdict = comes_to(&mut turns, turn, Status::Running);
                verdict.and_then(|()| if run.is_empty() { Ok(()) } else { attempts.turn_opens(run) })
            }
            EventBody::TurnEnded { status, .. } => {
                let at_work = |step: &PlanStep| *status != Status::Completed && step.status == Status::Running;
                let left = plans.get(turn).is_some_and(|plan: &&Plan| plan.steps.iter().any(at_work));
                let verdict = if left { Err("a step is left at work".to_owned()) } else { Ok(()) };
                comes_to(&mut turns, turn, *status).and(verdict)
            }
            EventBody::ItemStarted { item } | EventBody::ItemUpdated { item } | EventBody::ItemEnded { item } => {
                comes_to(&mut items, item.id.as_str(), item.status)
            }
            EventBody::TaskUpdated { task } => {
                tasks.entry(task.id.as_str().to_owned()).or_default();
                comes_to(&mut tasks, task.id.as_str(), task.status)
            }
            EventBody::RequestOpened { request } => comes_to(&mut requests, request.id.as_str(), RequestStatus::Open),
            EventBody::RequestResolved { request, resolution } => {
                comes_to(&mut requests, request.as_str(), resolution.into())
            }
            EventBody::PlanUpdated { plan } => {
                plans.insert(turn.to_owned(), plan);
                Ok(())
            }
            _ => Ok(()),
        };
        verdict.map_err(|words| format!("{words}: {draft:?}"))?;
    }
    Ok(())
}

/// Things of one kind by their ids, and how far they have come.
type Lives<L> = BTreeMap<String, State<L>>;

/// It begins so, or comes there from where it was, or where it began.
fn comes_to<L: Lifecycle>(known: &mut Lives<L>, id: &str, to: L::Word) -> Verdict {
    let kind = std::any::type_name::<L>();
    let state = known.entry(id.to_owned()).or_insert_with(|| State::begin(to));
    holds!(state.fits(to), "{kind} {id} came from {:?} to {to:?}", state.get());
    state.step(to);
    Ok(())
}

/// The attempts so far, and the one of each run.
#[derive(Default)]
struct Attempts {
    known: Lives<Attempt>,
    of_run: BTreeMap<String, String>,
}

impl Attempts {
    /// No run has two at a time.
    fn begins(&mut self, run: &str, attempt: &str) -> Verdict {
        let before = self.of_run.insert(run.to_owned(), attempt.to_owned());
        let goes_on = before.is_some_and(|before| !self.known[&before].is(AttemptStatus::Over));
        holds!(!goes_on, "an attempt begins beside another");
        holds!(self.known.insert(attempt.to_owned(), State::default()).is_none(), "an attempt begins again");
        Ok(())
    }

    fn is_at_work(&self, run: &str) -> bool {
        let state = self.of_run.get(run).and_then(|attempt| self.known.get(attempt));
        state.is_some_and(|state| state.is(AttemptStatus::AtWork))
    }

    /// A turn is of an attempt that has none.
    fn turn_opens(&mut self, run: &str) -> Verdict {
        let state = self.of_run.get(run).and_then(|attempt| self.known.get_mut(attempt));
        holds!(state.is_some_and(|state| state.step(AttemptStatus::AtWork)), "a turn of no attempt that waits for one");
        Ok(())
    }

    /// A message that joined another one's turn, or waits again, may have had none.
    fn end(&mut self, run: &str) {
        let state = self.of_run.get(run).and_then(|attempt| self.known.get_mut(attempt));
        state.into_iter().for_each(|state| _ = state.step(AttemptStatus::Over));
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// What is said of these events, all of one run and one turn.
    fn check(events: &[Value]) -> String {
        let event = |body: &Value| {
            let mut event = json!({"seq": 1, "at_ms": 0, "thread": "thr_1", "run": "run_1", "turn": "trn_1"});
            event.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
            serde_json::from_value::<SessionEvent>(event).unwrap()
        };
        let events: Vec<_> = events.iter().map(event).collect();
        only_steps_of_the_tables(&events).err().unwrap_or_default()
    }

    #[test]
    fn what_no_table_has_is_said() {
        let attempt = json!({"type": "attempt.started", "attempt": "att_1", "reason": "initial"});
        let turn = json!({"type": "turn.started", "ordinal": 1});
        let end = |status: &str| json!({"type": "turn.ended", "status": status});
        let step = json!({"text": "one", "status": "running"});
        let list = json!({"type": "plan.updated", "plan": {"steps": [step]}});
        let answer = json!({"type": "request.resolved", "request": "req_1", "resolution": {"outcome": "expired"}});
        let ask = json!({"type": "request.opened", "request": {"id": "req_1", "subject": "questions"}});
        let whole = [&attempt, &turn, &list, &ask, &answer, &end("completed")].map(Value::clone);
        assert_eq!(check(&whole), "");
        let left = check(&[attempt.clone(), turn.clone(), list, end("failed")]);
        assert!(left.starts_with("a step is left at work"), "{left}");
        let twice = check(&[attempt.clone(), turn.clone(), end("failed"), turn.clone()]);
        assert!(twice.contains("Turn trn_1 came from Failed"), "{twice}");
        assert!(check(&[turn]).starts_with("a turn of no attempt"));
        assert!(check(&[attempt.clone(), attempt]).starts_with("an attempt begins beside another"));
        assert!(check(&[ask.clone(), answer, ask]).contains("came from Expired"));
    }
}
