//! What the end of a turn is about, and how it and its run end.
//!
//! **By our own interrupt and the provider's status, never by prose.** A success that carries an error is a failure.

use super::Normalizer;
use super::report::How;
use super::route::Spot;
use super::thread::{RunState, TurnState};
use crate::contract::{Fault, FaultKind, Status, TurnEnd};
use crate::event::{Correlation, Resolution, RunStatus};
use crate::policy::{Intent, Strategy};

/// How a turn ends, once it is decided.
pub(super) struct End {
    pub status: Status,
    pub run_status: RunStatus,
    pub reason: Option<String>,
    pub fault: Option<Fault>,
    pub background: bool,
    pub mark: Option<String>,
    pub how: How,
    /// How items end that have no end of their own; absent: by the turn's status.
    pub items: Option<Status>,
    /// How requests end.
    pub requests: Resolution,
    /// Its run waits for a login instead of ending, where it may be tried again.
    pub holds: bool,
}

/// What the end of a turn is about.
pub(super) enum Ends {
    Open,
    WaitingRun,
    Again,
    Foreign,
}

impl Normalizer {
    pub(super) fn what_ends(&self, spot: &Spot, told: &TurnEnd) -> Ends {
        let state = &self.threads[spot.thread];
        let was = |turn: &TurnState| {
            (spot.turn.is_some() && turn.native == spot.turn)
                || (told.op.is_some() && turn.op == told.op && spot.turn.is_none())
        };
        let waiting = told.op.is_some_and(|op| state.runs.iter().any(|run| run.op == op && !run.started()));
        if let Some(open) = &state.open {
            let id_fits = spot.turn.is_none() || open.native.is_none() || open.native == spot.turn;
            let op_fits = told.op.is_none() || open.op == told.op || (open.op.is_none() && !waiting);
            return match (id_fits && op_fits, state.ended.iter().any(was)) {
                (true, false) => Ends::Open,
                (true, true) if was(open) => Ends::Open,
                (_, true) => Ends::Again,
                (_, false) => Ends::Foreign,
            };
        }
        if state.ended.iter().any(was) && !waiting {
            return Ends::Again;
        }
        let unnamed = told.op.is_none() && state.waiting_run().is_some();
        // A provider that says when turns begin has not begun this one: the word belongs to the one before.
        let of_the_last =
            unnamed && self.handling.native(Intent::StartTurn) && !state.ended.is_empty() && spot.turn.is_none();
        match waiting || (unnamed && !of_the_last) {
            true => Ends::WaitingRun,
            false => Ends::Again,
        }
    }

    /// We stopped it: by an interrupt, or by an answer that stops the turn. The provider can end the turn before the plugin hears
    /// that the answer was written.
    fn we_stopped(&self, run: &RunState) -> bool {
        run.interrupted || self.requests.is_stopping(&run.id)
    }

    /// How the turn and its run end: by our own interrupt and the provider's status, never by prose.
    pub(super) fn judge(&self, t: usize, mut told: TurnEnd) -> End {
        told.fault.iter_mut().for_each(|fault| super::clean::fault(fault, &self.limits));
        super::clean::maybe(&mut told.reason, &self.limits);
        let state = &self.threads[t];
        let run = state.open.as_ref().and_then(|turn| turn.run.as_ref()).and_then(|id| state.run(id));
        let ours = run.is_some_and(|run| self.we_stopped(run));
        let certain = self.handling.native(Intent::JudgeTurn);
        if self.handling.strategy(Intent::JudgeTurn) == Some(Strategy::FromProcess) {
            // Its word says nothing; its program is still there, which is all that is known.
            told.status = Status::Completed;
        }
        let succeeded = told.status == Status::Completed && told.fault.is_none();
        let status = match told.status {
            _ if succeeded => Status::Completed,
            _ if ours => Status::Interrupted,
            Status::Completed | Status::Failed | Status::Declined | Status::Retracted => Status::Failed,
            Status::Interrupted => Status::Interrupted,
            Status::Cancelled => Status::Cancelled,
            Status::Unknown | Status::Pending | Status::Running | Status::Waiting => Status::Unknown,
        };
        let run_status = match status {
            Status::Completed => RunStatus::Completed,
            Status::Interrupted if ours => RunStatus::Interrupted,
            Status::Cancelled => RunStatus::Cancelled,
            Status::Unknown if !certain && told.fault.is_none() => RunStatus::Completed,
            _ => RunStatus::Failed,
        };
        let fault = match (run_status, told.fault) {
            (RunStatus::Failed, None) => Some(why_failed(status)),
            (_, fault) => fault,
        };
        let ends_itself = self.handling.native(Intent::EndTurn);
        let correlation = match self.handling.strategy(Intent::JudgeTurn) {
            _ if status == Status::Unknown || !ends_itself => Some(Correlation::Inferred),
            Some(Strategy::FromProcess) => Some(Correlation::Inferred),
            _ if certain => None,
            _ => Some(Correlation::Weak),
        };
        let holds =
            run_status == RunStatus::Failed && fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Auth);
        End {
            status,
            run_status,
            reason: told.reason,
            fault,
            background: told.background,
            mark: told.mark,
            how: How { correlation, synthetic: !ends_itself, replayed: false },
            items: None,
            requests: if ours { Resolution::Dismissed } else { Resolution::Withdrawn },
            holds,
        }
    }

    /// The end of a turn that the provider never ended.
    pub(super) fn end_without_word(&self, t: usize, fault: Fault, how: How) -> End {
        let state = &self.threads[t];
        let run = state.open.as_ref().and_then(|turn| turn.run.as_ref()).and_then(|id| state.run(id));
        let ours = run.is_some_and(|run| self.we_stopped(run));
        End {
            status: if ours { Status::Interrupted } else { Status::Unknown },
            run_status: if ours { RunStatus::Interrupted } else { RunStatus::Failed },
            reason: None,
            fault: Some(fault),
            background: false,
            mark: None,
            how,
            items: Some(if ours { Status::Interrupted } else { Status::Unknown }),
            requests: if ours { Resolution::Dismissed } else { Resolution::Withdrawn },
            holds: false,
        }
    }
}

fn why_failed(status: Status) -> Fault {
    match status {
        Status::Interrupted => Fault {
            kind: FaultKind::Cancelled,
            ..lost("the provider interrupted the turn by itself; send the message again to go on")
        },
        _ => Fault {
            kind: FaultKind::Unknown,
            ..lost("the provider did not say why the turn failed; see the frame behind this event")
        },
    }
}

/// Something that the provider should have said and did not.
pub(super) fn lost(message: &str) -> Fault {
    Fault {
        kind: FaultKind::Protocol,
        message: message.into(),
        code: None,
        retryable: true,
        retry_after_ms: None,
        extra: Vec::new(),
    }
}
