use super::*;
use crate::contract::Status;
use crate::event::{AttemptReason, Item};
use crate::id::{AttemptId, ItemId};

const RUN: &str = "1";

fn of_run(body: EventBody) -> Draft {
    Draft { run: Some(RunId::from_digits(RUN)), ..body.into() }
}

fn begun(limits: RunLimits) -> RunGuard {
    let mut guard = RunGuard::new(limits);
    let attempt = AttemptId::from_digits("1");
    assert_eq!(
        guard.see(&mut of_run(EventBody::AttemptStarted { attempt, reason: AttemptReason::Initial }), 1_000),
        None
    );
    guard
}

fn turn(guard: &mut RunGuard) {
    guard.see(&mut of_run(EventBody::TurnStarted { ordinal: 1, reason: None }), 0);
}

fn thought(guard: &mut RunGuard, parent: bool) {
    let body = ItemBody::Reasoning { text: String::new() };
    let item = Item {
        id: ItemId::from_digits("1"),
        native_id: None,
        mark: None,
        ordinal: 1,
        status: Status::Running,
        body,
        facts: Default::default(),
        at_ms: None,
    };
    let mut draft = of_run(EventBody::ItemStarted { item });
    draft.parent = parent.then(|| ItemId::from_digits("2"));
    guard.see(&mut draft, 0);
}

fn told(guard: &mut RunGuard, span: UsageSpan, cost: Option<f64>) {
    let counts = cost.map(|cost| ("cost-usd".to_owned(), cost)).into_iter().collect();
    guard.see(&mut of_run(EventBody::UsageUpdated { usage: Usage { span, counts } }), 0);
}

fn end(guard: &mut RunGuard, status: RunStatus) -> (Draft, Option<EventBody>) {
    let body = EventBody::RunEnded {
        status,
        reason: None,
        fault: None,
        background: false,
        ledger: Default::default(),
        joined: None,
    };
    let mut draft = of_run(body);
    let word = guard.see(&mut draft, 9);
    (draft, word)
}

fn turns(most: u64) -> RunLimits {
    RunLimits { max_turns: Some(most), ..RunLimits::default() }
}

fn cost(most: f64) -> RunLimits {
    RunLimits { max_cost_usd: Some(most), ..RunLimits::default() }
}

#[test]
fn without_limits_nothing_is_done() {
    let mut guard = begun(RunLimits::default());
    turn(&mut guard);
    told(&mut guard, UsageSpan::Session, Some(9.0));
    assert_eq!((guard.due(u64::MAX), guard.deadline_ms()), (None, None));
    assert_eq!(end(&mut guard, RunStatus::Completed).1, None);
}

#[test]
fn calls_count_when_they_are_told_and_the_one_beyond_is_the_breach() {
    let mut guard = begun(turns(2));
    turn(&mut guard);
    for _ in 0..2 {
        thought(&mut guard, false);
        assert_eq!(guard.due(0), None);
        told(&mut guard, UsageSpan::Call, None);
    }
    assert_eq!(guard.due(0), None, "exactly as many is not too many");
    thought(&mut guard, true);
    assert_eq!(guard.due(0), None, "a subagent's are its own");
    thought(&mut guard, false);
    assert_eq!(guard.due(0), Some(Reached::Turns(2)));
    assert_eq!(guard.due(0), None, "said once");
}

#[test]
fn turns_count_where_no_call_is_told() {
    let mut guard = begun(turns(1));
    turn(&mut guard);
    thought(&mut guard, false);
    thought(&mut guard, false);
    assert_eq!(guard.due(0), None);
    turn(&mut guard);
    assert_eq!(guard.due(0), Some(Reached::Turns(1)));
}

#[test]
fn time_is_up_at_its_deadline() {
    let mut guard = begun(RunLimits { max_time_ms: Some(500), ..RunLimits::default() });
    assert_eq!(guard.deadline_ms(), Some(1_500));
    assert_eq!(guard.due(1_499), None);
    assert_eq!(guard.due(1_500), Some(Reached::Time(500)));
    assert_eq!(guard.deadline_ms(), None);
    let (draft, word) = end(&mut guard, RunStatus::Failed);
    let EventBody::RunEnded { status, reason, fault, .. } = draft.body else { panic!("an end") };
    assert_eq!((status, reason.as_deref(), word), (RunStatus::Interrupted, Some(LIMIT_REACHED), None));
    let fault = fault.unwrap();
    assert_eq!((fault.code.as_deref(), &fault.extra[0].1[..]), (Some(LIMIT_REACHED), "max-time"));
}

#[test]
fn a_run_that_completed_all_the_same_stays_completed() {
    let mut guard = begun(RunLimits { max_time_ms: Some(1), ..RunLimits::default() });
    assert!(guard.due(2_000).is_some());
    let (draft, _) = end(&mut guard, RunStatus::Completed);
    assert!(matches!(draft.body, EventBody::RunEnded { status: RunStatus::Completed, fault: None, .. }));
}

#[test]
fn cost_is_the_highest_of_what_is_told_and_earlier_runs_do_not_count() {
    let mut guard = begun(cost(1.0));
    told(&mut guard, UsageSpan::Session, Some(0.9));
    assert_eq!(guard.due(0), None);
    end(&mut guard, RunStatus::Completed);
    let attempt = AttemptId::from_digits("2");
    let mut next: Draft = EventBody::AttemptStarted { attempt, reason: AttemptReason::Initial }.into();
    next.run = Some(RunId::from_digits("2"));
    guard.see(&mut next, 0);
    told(&mut guard, UsageSpan::Session, Some(1.5));
    assert_eq!(guard.due(0), None, "0.6 of this run");
    told(&mut guard, UsageSpan::Call, Some(0.5));
    told(&mut guard, UsageSpan::Call, Some(0.5));
    assert_eq!(guard.due(0), Some(Reached::Cost { limit: 1.0, told: 1.0 }));
}

#[test]
fn a_cost_that_cannot_be_held_is_said() {
    let said = |word: Option<EventBody>| match word {
        Some(EventBody::PolicyDecided { decision, .. }) => decision.reason(),
        other => panic!("{other:?}"),
    };
    let mut guard = begun(cost(1.0));
    assert!(said(end(&mut guard, RunStatus::Completed).1).contains("told no cost"));
    let mut guard = begun(cost(1.0));
    told(&mut guard, UsageSpan::Session, Some(2.0));
    assert!(said(end(&mut guard, RunStatus::Completed).1).contains("only when the run was over"));
    let mut guard = begun(cost(1.0));
    told(&mut guard, UsageSpan::Session, Some(f64::NAN));
    assert!(said(end(&mut guard, RunStatus::Completed).1).contains("told no cost"), "no number");
}
