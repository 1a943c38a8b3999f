//! How a stream's runs go: what is still open, what goes on in the background, and the exit code that comes of it.
//!
//! Follows the events and does nothing. Time is a parameter. Tests: below, `tests/tests/doors.rs` and `tests/tests/input.rs`.

use super::stream::CloseReason;
use crate::exit::Exit;
use jackfield_core::contract::FaultKind;
use jackfield_core::event::{EventBody, RunStatus, SessionEnd, SessionEvent, is_terminal};
use jackfield_core::id::{RunId, TaskId, TurnId};
use jackfield_core::run_limits::LIMIT_REACHED;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long background work is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// From the moment when nothing else is left, to its end.
    pub roster: Duration,
    /// After its end, for a turn that the provider may begin about it.
    pub settle: Duration,
}

/// Follows the events of one stream.
pub struct Course {
    patience: Patience,
    begun: bool,
    /// Runs that were created in this stream and are not over.
    runs: BTreeSet<RunId>,
    /// Turns that are open, those that the provider began by itself among them.
    turns: BTreeSet<TurnId>,
    /// Background work that goes on.
    roster: BTreeSet<TaskId>,
    /// Since when no run is open.
    free_since: Instant,
    /// When the last background work or turn of the provider's own ended.
    settles_since: Option<Instant>,
    /// How the run that was over last ended.
    ended: Option<RunStatus>,
    refused: bool,
    unavailable: bool,
    usage: bool,
    limit: bool,
}

impl Course {
    pub fn new(patience: Patience, now: Instant) -> Course {
        Course {
            patience,
            begun: false,
            runs: BTreeSet::new(),
            turns: BTreeSet::new(),
            roster: BTreeSet::new(),
            free_since: now,
            settles_since: None,
            ended: None,
            refused: false,
            unavailable: false,
            usage: false,
            limit: false,
        }
    }

    pub fn take(&mut self, event: &SessionEvent, now: Instant) {
        let draft = &event.draft;
        match &draft.body {
            // What was said before the first run is about runs and sessions that are over.
            EventBody::RunCreated { .. } => self.run_created(draft.run.clone()),
            _ if !self.begun || draft.origin.replayed => {}
            EventBody::RunEnded { status, reason, fault, .. }
                if draft.run.as_ref().is_some_and(|run| self.runs.remove(run)) =>
            {
                self.limit = reason.as_deref() == Some(LIMIT_REACHED);
                self.ended = Some(*status);
                self.free_since = now;
                self.refused |= fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Denied);
            }
            EventBody::TurnStarted { .. } => self.turns.extend(draft.turn.clone()),
            EventBody::TurnEnded { .. } if draft.turn.as_ref().is_some_and(|turn| self.turns.remove(turn)) => {
                self.settle(now);
            }
            EventBody::TaskUpdated { task } if task.background && !is_terminal(task.status) => {
                self.roster.insert(task.id.clone());
            }
            EventBody::TaskUpdated { task } if self.roster.remove(&task.id) => self.settles_since = Some(now),
            EventBody::SessionEnded { reason, fault, .. } => {
                self.turns.clear();
                self.roster.clear();
                self.settles_since = None;
                if *reason == SessionEnd::HostDied {
                    // Our own task broke: nobody is left to end its runs.
                    self.runs.clear();
                }
                self.refused |= fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Denied);
                self.unavailable |= *reason == SessionEnd::StartFailed;
                // A model or mode that there is not: the command line is wrong, not the provider.
                self.usage |= fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Invalid);
            }
            _ => {}
        }
    }

    fn run_created(&mut self, run: Option<RunId>) {
        self.begun = true;
        if self.runs.is_empty() {
            (self.ended, self.refused, self.unavailable, self.usage) = (None, false, false, false);
        }
        self.runs.extend(run);
    }

    /// A turn of a run has its end told by the run; one of the provider's own may be followed by another.
    fn settle(&mut self, now: Instant) {
        if self.runs.is_empty() {
            self.settles_since = Some(now);
        }
    }

    /// True while a run is open.
    pub fn is_running(&self) -> bool {
        !self.runs.is_empty()
    }

    /// True when a run was created at all.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Background work that goes on.
    pub fn roster(&self) -> &BTreeSet<TaskId> {
        &self.roster
    }

    /// Whether all is over, when no more is asked for: the reason, or when to look again. Neither while a run is open.
    /// `since` is when the last was asked for.
    pub fn over(&self, since: Instant, now: Instant) -> Result<CloseReason, Option<Instant>> {
        if self.is_running() {
            return Err(None);
        }
        let patient_until = self.free_since.max(since) + self.patience.roster;
        let settled_at = self.settles_since.map(|at| at + self.patience.settle);
        let patient = patient_until > now;
        let settled = settled_at.is_none_or(|at| at <= now);
        if self.roster.is_empty() && self.turns.is_empty() && (settled || !patient) {
            return Ok(CloseReason::Finished);
        }
        if !patient {
            return Ok(CloseReason::RosterTimeout);
        }
        Err(Some(settled_at.filter(|at| *at > now).map_or(patient_until, |at| at.min(patient_until))))
    }

    /// The exit code, by the run that ended last.
    pub fn exit(&self) -> Exit {
        match self.ended {
            Some(RunStatus::Completed) => Exit::Completed,
            _ if self.limit => Exit::Refused,
            Some(RunStatus::Interrupted | RunStatus::Cancelled) => Exit::Interrupted,
            _ if self.refused => Exit::Refused,
            _ if self.unavailable && self.usage => Exit::Usage,
            _ if self.unavailable => Exit::Unavailable,
            _ => Exit::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jackfield_core::contract::{Status, TaskKind};
    use jackfield_core::event::{Draft, Task};
    use jackfield_core::id::ThreadId;

    const PATIENCE: Patience = Patience { roster: Duration::from_secs(60), settle: Duration::from_secs(1) };

    fn event(body: EventBody, turn: Option<&str>) -> SessionEvent {
        let mut draft: Draft = body.into();
        draft.run = Some(RunId::from_digits("1"));
        draft.turn = turn.map(TurnId::from_digits);
        SessionEvent { seq: 1, at_ms: 0, thread: ThreadId::from_digits("1"), draft }
    }

    fn ended(status: RunStatus) -> SessionEvent {
        event(
            EventBody::RunEnded {
                status,
                reason: None,
                fault: None,
                background: true,
                ledger: Default::default(),
                joined: None,
            },
            None,
        )
    }

    fn task(status: Status) -> SessionEvent {
        let task = Task {
            id: TaskId::from_digits("1"),
            kind: TaskKind::Subagent,
            status,
            title: None,
            item: None,
            native_thread: None,
            background: true,
            summary: None,
        };
        event(EventBody::TaskUpdated { task }, None)
    }

    #[test]
    fn background_work_is_waited_for_and_so_is_the_turn_about_it() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut course = Course::new(PATIENCE, start);
        course.take(&event(EventBody::RunCreated { content: vec![], ordinal: 1 }, None), at(0));
        course.take(&task(Status::Running), at(10));
        assert_eq!(course.over(start, at(20)), Err(None));
        course.take(&ended(RunStatus::Completed), at(30));
        assert_eq!(course.over(start, at(40)), Err(Some(at(60_030))), "bounded");
        course.take(&task(Status::Completed), at(500));
        assert_eq!(course.over(start, at(600)), Err(Some(at(1_500))), "a turn may follow");
        course.take(&event(EventBody::TurnStarted { ordinal: 2, reason: None }, Some("2")), at(700));
        assert_eq!(course.over(start, at(9_000)), Err(Some(at(60_030))));
        let body = EventBody::TurnEnded {
            status: Status::Completed,
            reason: None,
            fault: None,
            native_id: None,
            mark: None,
            frames: None,
        };
        course.take(&event(body, Some("2")), at(10_000));
        assert_eq!(course.over(start, at(10_500)), Err(Some(at(11_000))));
        assert_eq!(course.over(start, at(11_000)), Ok(CloseReason::Finished));
        assert_eq!(course.exit(), Exit::Completed);
    }

    #[test]
    fn patience_with_background_work_ends() {
        let start = Instant::now();
        let mut course = Course::new(PATIENCE, start);
        course.take(&event(EventBody::RunCreated { content: vec![], ordinal: 1 }, None), start);
        course.take(&task(Status::Running), start);
        course.take(&ended(RunStatus::Completed), start);
        let asked = start + Duration::from_secs(30);
        assert_eq!(course.over(asked, start + Duration::from_secs(89)), Err(Some(start + Duration::from_secs(90))));
        assert_eq!(course.over(asked, start + Duration::from_secs(90)), Ok(CloseReason::RosterTimeout));
    }
}
