//! Every pair of states of every table is taken, or refused and changes nothing; which, is drawn here once more, independently.

use super::*;
use crate::contract::Status;
use crate::event::{RunStatus, is_terminal};
use std::fmt::Write;

/// A line per state, a column per state: `x` where the step is taken. What it begins in is marked by `>`.
fn drawn<L: Lifecycle>() -> String {
    let mut out = String::new();
    for from in L::STATES {
        let begins = if State::<L>::begin(*from).is(*from) { "> " } else { "  " };
        let _ = write!(out, "{begins}{:<12}", format!("{from:?}"));
        for to in L::STATES {
            let mut state = State::<L>(*from);
            let taken = state.step(*to);
            assert_eq!(state.get(), if taken { *to } else { *from }, "{from:?} to {to:?}");
            assert_eq!(State::<L>(*from).fits(*to), taken || from == to);
            out.push(if taken { 'x' } else { '.' });
        }
        out.push('\n');
    }
    out
}

/// Compares but for white space.
fn check<L: Lifecycle>(expected: &str) {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = |text: &str| text.lines().map(words).collect::<Vec<_>>().join("\n");
    assert_eq!(plain(&drawn::<L>()), plain(expected), "as it is:\n{}", drawn::<L>());
    assert_eq!(State::<L>::default().get(), L::FIRST);
    assert!(L::BEGINS.contains(&L::FIRST));
    let (mut come, mut at) = (L::BEGINS.to_vec(), 0);
    while at < come.len() {
        come.extend(L::next(come[at]).iter().filter(|next| !come.contains(next)).copied().collect::<Vec<_>>());
        at += 1;
    }
    let left: Vec<_> = L::STATES.iter().filter(|state| !come.contains(state)).collect();
    let leads_on = left.iter().any(|state| !L::next(**state).is_empty());
    assert!(!leads_on, "nothing comes to {left:?}, and something follows");
}

#[test]
fn a_run() {
    check::<Run>(
        "> Queued      .x..x.xx.
           Starting    x.xxxxxx.
           Running     ...xxxxx.
           Waiting     .xx.xxxx.
           Completed   ........x
           Interrupted ........x
           Failed      ........x
           Cancelled   ........x
           RolledBack  .........",
    );
    for from in Run::STATES {
        let goes_on = Run::next(*from).iter().any(|next| !next.is_terminal());
        assert_eq!(from.is_terminal(), !goes_on, "{from:?}");
    }
}

#[test]
fn an_attempt() {
    check::<Attempt>(
        "> Handed .xx
           AtWork ..x
           Over   ...",
    );
}

#[test]
fn a_turn() {
    check::<Turn>(
        "> Running     .xxxxx....
           Completed   ..........
           Failed      ..........
           Interrupted ..........
           Cancelled   ..........
           Unknown     ..........
           Pending     ..........
           Waiting     ..........
           Declined    ..........
           Retracted   ..........",
    );
}

#[test]
fn an_item() {
    check::<Item>(
        "> Pending     .xxxxxxxxx
         > Running     ..xxxxxxxx
         > Waiting     .x.xxxxxxx
         > Completed   ..........
           Failed      ..........
           Declined    ..........
           Interrupted ..........
           Cancelled   ..........
           Retracted   ..........
           Unknown     ..........",
    );
}

#[test]
fn a_task() {
    check::<Task>(
        "> Running     .xxxxxxxx.
           Waiting     x.xxxxxxx.
           Completed   ..........
           Failed      ..........
           Declined    ..........
           Cancelled   ..........
           Retracted   ..........
           Interrupted ..xxxxx...
           Unknown     ..xxxxxx..
           Pending     ..........",
    );
}

#[test]
fn a_request() {
    check::<Request>(
        "> Open      .xxxxxx
           Answering x.xxxxx
           Answered  .......
           Withdrawn .......
           Dismissed .......
           Expired   .......
           Failed    .......",
    );
}

#[test]
fn a_list_and_its_steps() {
    check::<Plan>(
        "> Shown .xx
           Held  x.x
           Over  ...",
    );
    check::<Step>(
        "> Running     ......x..x
         > Pending     ..........
         > Waiting     ..........
         > Completed   ..........
         > Failed      ..........
         > Declined    ..........
         > Interrupted ..........
         > Cancelled   ..........
         > Retracted   ..........
         > Unknown     ..........",
    );
}

#[test]
fn a_message_that_the_provider_has() {
    check::<Message>(
        "> Silent  .xx
           Queued  ..x
           Opening ...",
    );
}

#[test]
fn an_end_of_the_providers_work_leads_to_no_more_than_another_end() {
    fn leads<L: Lifecycle<Word = Status>>() {
        for from in L::STATES.iter().filter(|state| is_terminal(**state)) {
            assert!(L::next(*from).iter().all(|next| is_terminal(*next)), "{from:?}");
        }
    }
    leads::<Turn>();
    leads::<Item>();
    leads::<Task>();
    leads::<Step>();
}

#[test]
fn what_is_kept_takes_only_what_fits() {
    let task = |status| crate::event::Task {
        id: crate::id::TaskId::from_digits("1"),
        kind: crate::contract::TaskKind::Shell,
        status,
        title: Some(format!("{status:?}")),
        item: None,
        native_thread: None,
        background: false,
        summary: None,
    };
    let mut kept = Kept::begin(task(Status::Completed));
    assert_eq!(kept.status, Status::Running, "nothing begins ended");
    assert_eq!(Kept::found(task(Status::Completed)).status, Status::Completed, "but it may be found so");
    assert!(kept.step(Status::Unknown) && !kept.step(Status::Running));
    *kept.rest().background = true;
    assert!(!kept.take(task(Status::Waiting)));
    assert_eq!((kept.status, kept.title.as_deref(), kept.background), (Status::Unknown, Some("Completed"), true));
    assert!(kept.take(task(Status::Failed)) && kept.take(task(Status::Failed)));
    assert_eq!(kept.into_inner(), task(Status::Failed));
}

#[test]
fn a_state_is_stored_as_its_word() {
    let state = State::<Run>::default();
    assert_eq!(serde_json::to_string(&state).unwrap(), serde_json::to_string(&RunStatus::Queued).unwrap());
    assert!(serde_json::from_str::<State<Run>>("\"failed\"").unwrap().is(RunStatus::Failed));
}
