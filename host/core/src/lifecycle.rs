//! Which state may follow which: of runs, and of what the provider's work is made of (turns, items, tasks, steps of a plan).
//!
//! **What is not in a table does not happen: the one place that sets a state asks it first.** A state that follows itself is no
//! change. Requests have one step, open to resolved, and know it by where they are kept (`requests.rs`). Tests: below, the
//! store's, and `tests/fuzz`, which holds every event of every case against these tables.

use crate::contract::Status;
use crate::event::{RunStatus, is_terminal};

/// A run's states, and what may follow each.
const RUN: &[(RunStatus, &[RunStatus])] = &[
    // A message that joins another one's turn, or is refused, ends where it waits.
    (RunStatus::Queued, &[RunStatus::Starting, RunStatus::Completed, RunStatus::Failed, RunStatus::Cancelled]),
    // One that came too late waits again.
    (
        RunStatus::Starting,
        &[
            RunStatus::Queued,
            RunStatus::Running,
            RunStatus::Waiting,
            RunStatus::Completed,
            RunStatus::Interrupted,
            RunStatus::Failed,
            RunStatus::Cancelled,
        ],
    ),
    (
        RunStatus::Running,
        &[RunStatus::Waiting, RunStatus::Completed, RunStatus::Interrupted, RunStatus::Failed, RunStatus::Cancelled],
    ),
    // It waits for an answer, before its turn is told or in it.
    (
        RunStatus::Waiting,
        &[
            RunStatus::Starting,
            RunStatus::Running,
            RunStatus::Completed,
            RunStatus::Interrupted,
            RunStatus::Failed,
            RunStatus::Cancelled,
        ],
    ),
    (RunStatus::Completed, &[RunStatus::RolledBack]),
    (RunStatus::Interrupted, &[RunStatus::RolledBack]),
    (RunStatus::Failed, &[RunStatus::RolledBack]),
    (RunStatus::Cancelled, &[RunStatus::RolledBack]),
    (RunStatus::RolledBack, &[]),
];

/// True when a run in this state may come into that one.
pub fn run_may_become(from: RunStatus, to: RunStatus) -> bool {
    RUN.iter().any(|(state, next)| *state == from && next.contains(&to))
}

/// True when a turn, an item, a task or a step in this state may come into that one: what has begun is pending no more, what
/// has ended stays.
pub fn work_may_become(from: Status, to: Status) -> bool {
    match from {
        Status::Pending => to != Status::Pending,
        Status::Running | Status::Waiting => to != from && to != Status::Pending,
        ended => {
            debug_assert!(is_terminal(ended));
            false
        }
    }
}

/// The same of a task, whose end the host may only have inferred (the roster no longer had it): its outcome was unknown, and the
/// provider's own word about it comes late.
pub fn task_may_become(from: Status, to: Status) -> bool {
    work_may_become(from, to) || (from == Status::Unknown && is_terminal(to) && to != Status::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_of_a_run_has_one_row_and_an_end_is_an_end() {
        for (at, (state, next)) in RUN.iter().enumerate() {
            assert!(RUN[..at].iter().all(|(other, _)| other != state), "{state:?} twice");
            assert!(!next.contains(state), "{state:?} follows itself");
            let goes_on = next.iter().any(|next| !next.is_terminal());
            assert_eq!(state.is_terminal(), !goes_on, "{state:?}");
        }
        assert_eq!(RUN.len(), 9);
        assert!(run_may_become(RunStatus::Completed, RunStatus::RolledBack));
        assert!(!run_may_become(RunStatus::Completed, RunStatus::Failed));
        assert!(!run_may_become(RunStatus::Queued, RunStatus::Interrupted));
    }

    #[test]
    fn work_that_has_begun_is_pending_no_more_and_what_has_ended_stays() {
        assert!(work_may_become(Status::Pending, Status::Waiting));
        assert!(!work_may_become(Status::Running, Status::Pending));
        assert!(!work_may_become(Status::Completed, Status::Running));
        assert!(work_may_become(Status::Waiting, Status::Declined));
        assert!(task_may_become(Status::Unknown, Status::Failed) && !work_may_become(Status::Unknown, Status::Failed));
        assert!(
            !task_may_become(Status::Unknown, Status::Running) && !task_may_become(Status::Failed, Status::Completed)
        );
    }
}
