//! What does not fit a state is left out and counted, and nothing else of the thread suffers.

use super::*;
use crate::contract::Status;
use serde_json::{Value, json};

fn fold(events: &[Value]) -> Snapshot {
    let event = |(at, body): (usize, &Value)| {
        let mut event = json!({"seq": at + 1, "at_ms": 0, "thread": "thr_1", "run": "run_1", "turn": "trn_1"});
        let known = event.as_object_mut().expect("an object");
        known.extend(body.as_object().expect("an object").clone());
        serde_json::from_value::<SessionEvent>(event).expect("an event")
    };
    let events: Vec<_> = events.iter().enumerate().map(event).collect();
    Snapshot::of(&events)
}

fn run(status: &str) -> Value {
    json!({"type": "run.updated", "status": status})
}

fn item(kind: &str, status: &str, text: &str) -> Value {
    let item = json!({"id": "itm_1", "ordinal": 1, "status": status, "kind": "reasoning", "text": text});
    json!({"type": kind, "item": item})
}

#[test]
fn a_run_and_a_turn_keep_their_end() {
    let end = |status: &str| json!({"type": "turn.ended", "status": status, "reason": status});
    let shown = fold(&[
        run("starting"),
        json!({"type": "turn.started", "ordinal": 1}),
        run("running"),
        run("queued"),
        end("completed"),
        end("unknown"),
        run("completed"),
        run("failed"),
        json!({"type": "thread.rolled_back", "turns": ["trn_1"], "runs": ["run_1"]}),
        run("completed"),
    ]);
    assert_eq!((shown.turns[0].status(), shown.turns[0].reason.as_deref()), (Status::Completed, Some("completed")));
    assert_eq!((shown.runs[0].status(), shown.left_out), (RunStatus::RolledBack, 4));
}

#[test]
fn an_item_and_a_task_keep_their_end() {
    let task = |status: &str| json!({"type": "task.updated", "task": {"id": "tsk_1", "kind": "shell", "status": status, "background": true}});
    let delta = json!({"type": "item.delta", "item": "itm_1", "kind": "reasoning", "text": "!"});
    let shown = fold(&[
        item("item.started", "running", ""),
        delta.clone(),
        item("item.updated", "pending", "?"),
        item("item.ended", "completed", "!"),
        item("item.ended", "completed", "!"),
        item("item.updated", "running", "?"),
        delta,
        task("unknown"),
        task("failed"),
        task("running"),
    ]);
    let ItemBody::Reasoning { text } = &shown.items[0].item.body else { panic!("{:?}", shown.items) };
    assert_eq!((shown.items[0].item.status, text.as_str()), (Status::Completed, "!"));
    assert_eq!((shown.tasks[0].status, shown.left_out), (Status::Failed, 4));
}

#[test]
fn history_told_once_more_begins_once_more() {
    let again = |mut event: Value| {
        event["origin"] = json!({"replayed": true});
        event
    };
    let told = [item("item.started", "running", ""), item("item.ended", "completed", "words")].map(again);
    let shown = fold(&[told.clone(), told].concat());
    assert_eq!((shown.items.len(), shown.items[0].item.status, shown.left_out), (1, Status::Completed, 0));
}
