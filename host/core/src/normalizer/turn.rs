//! How turns begin and end.
//!
//! **Only a terminal event ends a turn, and the end is a barrier:** messages and items close, children first; requests that
//! are still open are resolved; then the turn ends; then its run. A second end is counted, not shown.

use super::Normalizer;
use super::item::{Kind, OpenItem};
use super::judge::{End, Ends, lost};
use super::report::{How, Where};
use super::route::Spot;
use super::thread::{Marks, Slot, TurnState, status_at_end};
use crate::capability::Strength;
use crate::contract::{Status, TurnEnd, TurnStart};
use crate::event::{Correlation, EventBody, RunStatus};
use crate::id::{ItemId, RunId, TurnId};
use crate::identity::{Mark, TurnKey};
use crate::policy::Intent;

impl Normalizer {
    pub(super) fn turn_started(&mut self, spot: &Spot, told: TurnStart) {
        let t = spot.thread;
        if spot.replayed {
            return self.next_told_turn(t);
        }
        if spot.is_nested() {
            return self.tally("nested-turn-started");
        }
        if let Some(open) = &self.threads[t].open {
            let same = (spot.turn.is_none() || open.native.is_none() || open.native == spot.turn)
                && (told.op.is_none() || open.op.is_none() || open.op == told.op);
            let is_own = told.op.is_some() && open.op.is_none() && open.run.is_none();
            if same && !is_own {
                if let Some(open) = &mut self.threads[t].open {
                    open.native = open.native.take().or(spot.turn.clone());
                }
                return self.tally("turn-started-again");
            }
            self.warn(
                t,
                "turn-never-ended",
                "a turn began while another was open; the open one ended, how is not known".into(),
            );
            let how = How { correlation: Some(Correlation::Inferred), ..How::MADE };
            let fault = lost("the provider began another turn without ending this one");
            self.finish_turn(t, self.end_without_word(t, fault, how));
        }
        let mut reason = told.reason;
        super::clean::maybe(&mut reason, &self.limits);
        let how = if self.handling.native(Intent::StartTurn) { How::TOLD } else { How::MADE };
        self.start_turn(t, spot.turn.clone(), told.op, reason, how);
    }

    /// The provider took the message and does not say when the turn begins: it begins now.
    pub(super) fn opens_by_delivery(&mut self, run: &RunId, native: Option<String>) {
        let Some(t) = self.threads.iter().position(|thread| thread.run(run).is_some()) else { return };
        let state = &self.threads[t];
        let Some(op) = state.run(run).filter(|run| !run.started() && state.open.is_none()).map(|run| run.op) else {
            return;
        };
        let native = native.filter(|_| self.strength(Intent::IdentifyTurn) != Strength::None);
        self.start_turn(t, native, Some(op), None, How { correlation: Some(Correlation::Inferred), ..How::MADE });
    }

    pub(super) fn start_turn(
        &mut self,
        t: usize,
        native: Option<String>,
        op: Option<u32>,
        reason: Option<String>,
        how: How,
    ) {
        self.end_history(t);
        self.threads[t].recall.forget();
        self.close_late(t, true);
        let strength = self.strength(Intent::IdentifyTurn);
        let state = &mut self.threads[t];
        state.prune();
        state.turns += 1;
        let number = state.turns;
        let is_new = native.as_ref().is_some_and(|id| state.is_new_turn_id(id));
        let key = match &native {
            Some(id) if strength == Strength::Strong && is_new => TurnKey::Native(id.clone()),
            _ => TurnKey::Number(number),
        };
        let run = match (op, &reason) {
            (Some(op), _) => state.runs.iter().find(|run| run.op == op).map(|run| run.id.clone()),
            (None, Some(_)) => None,
            (None, None) => state.waiting_run().map(|run| run.id.clone()),
        };
        let id = state.id.clone();
        let mark = match (&key, &native) {
            (TurnKey::Native(_), _) => Mark::Strong(""),
            (_, Some(native)) if strength != Strength::None => Mark::Weak(native, number),
            _ => Mark::Ordinal(number),
        };
        let how = How { correlation: how.correlation.or(Some(mark.correlation())), ..how };
        let mut turn = TurnState::new(TurnId::from_digits(&self.scope.mint(&id, &key, "turn", &mark)), key);
        turn.page = Some(self.ledger.turn_begins());
        let state = &mut self.threads[t];
        state.loose = Marks::default();
        (turn.native, turn.run) = (native, run.clone());
        turn.op = op;
        if let Some(run) = run.as_ref().and_then(|id| state.run_mut(id)) {
            run.turn_opens();
            turn.op = turn.op.or(Some(run.op));
            turn.ordinals = run.ordinals;
        }
        let place = Where { run: run.clone(), turn: Some(turn.id.clone()), parent: None };
        let ordinal = state.turns_before + number;
        state.open = Some(turn);
        self.emit(t, place, how, EventBody::TurnStarted { ordinal, reason });
        if let Some(run) = run {
            self.set_run_status(t, &run, RunStatus::Running);
        }
    }

    pub(super) fn turn_ended(&mut self, spot: &Spot, told: TurnEnd) {
        let t = spot.thread;
        if spot.replayed {
            return self.next_told_turn(t);
        }
        if spot.is_nested() {
            return self.close_nested(spot, told.status);
        }
        match self.what_ends(spot, &told) {
            Ends::Open => {}
            Ends::WaitingRun => self.start_turn(
                t,
                spot.turn.clone(),
                told.op,
                None,
                How { correlation: Some(Correlation::Inferred), ..How::MADE },
            ),
            Ends::Again => return self.tally("turn-ended-again"),
            Ends::Foreign => {
                return self.warn(
                    t,
                    "foreign-turn-end",
                    "the end of a turn that is not open; nothing was ended".into(),
                );
            }
        }
        let end = self.judge(t, told);
        self.finish_turn(t, end);
    }

    /// The turn of an answer whose end was never told.
    pub(super) fn turn_fell_silent(&mut self, t: usize) {
        let last = self.threads[t].open.as_ref().and_then(|turn| turn.open.last());
        if last.is_some_and(|item| item.kind == Kind::Assistant) {
            self.end_inferred(t);
        }
    }

    /// What a provider that says nothing of its turns' beginnings says of its own accord has no end either: it ends where a message begins,
    /// whose turn it must not be taken for.
    pub(super) fn end_unannounced(&mut self, t: usize) {
        let says_so = self.handling.native(Intent::StartTurn);
        let open = self.threads[t].open.as_ref().filter(|_| !says_so);
        if open.is_some_and(|turn| turn.run.is_none() && turn.op.is_none() && turn.native.is_none()) {
            self.end_inferred(t);
        }
    }

    fn end_inferred(&mut self, t: usize) {
        let how = How { correlation: Some(Correlation::Inferred), ..How::MADE };
        let at_work = self.threads[t].open.as_ref().is_some_and(|turn| turn.open.iter().any(OpenItem::is_tool_at_work));
        let told = TurnEnd {
            op: None,
            status: Status::Unknown,
            reason: None,
            fault: None,
            mark: None,
            background: false,
            extra: vec![],
        };
        let items = if at_work { None } else { Some(Status::Completed) };
        let end = End { how, items, ..self.judge(t, told) };
        self.finish_turn(t, end);
    }

    /// The barrier. Does nothing when no turn is open.
    pub(super) fn finish_turn(&mut self, t: usize, end: End) {
        let Some(turn) = &self.threads[t].open else { return };
        let (turn_id, page) = (turn.id.clone(), turn.page);
        let (run, native_id) = (turn.run.clone(), turn.native.clone());
        let background = self.tasks_at_turn_end(t, &turn_id, end.status, end.background);
        self.close_items(t, Slot::Open, |kind| end.items.unwrap_or_else(|| status_at_end(kind, end.status)), false);
        self.finalize_plan(t, end.status);
        let carried = self.requests_of_background(t);
        self.resolve_requests(&end.requests, |request, place| {
            place.thread == t
                && !carried.contains(request)
                && (place.turn.as_ref() == Some(&turn_id) || (run.is_some() && place.run == run))
        });
        if let Some(frame) = self.frame {
            self.ledger.shown(frame, page);
        }
        let frames = page.map(|page| self.ledger.turn_ends(page));
        let now = self.now;
        let state = &mut self.threads[t];
        let Some(mut turn) = state.open.take() else { return };
        let (status, acted) = (turn.ends(end.status, now), turn.acted);
        // It may have been told after the turn's beginning.
        turn.native.iter().for_each(|native| _ = state.is_new_turn_id(native));
        state.ended.push_back(turn);
        state.prune();
        let place = Where { run: run.clone(), turn: Some(turn_id), parent: None };
        let (reason, fault) = (end.reason.clone(), end.fault.clone());
        self.emit(t, place, end.how, EventBody::TurnEnded { status, reason, fault, native_id, mark: end.mark, frames });
        match (run, end.fault) {
            (Some(run), Some(fault)) if end.holds && !acted && self.resends => self.hold(t, &run, end.reason, fault),
            (Some(run), fault) => self.end_run(t, &run, end.run_status, end.reason, fault, background),
            (None, _) => {}
        }
    }

    /// Closes what is open in a turn, children first; what goes on in the background stays open unless `all`.
    pub(super) fn close_items(&mut self, t: usize, slot: Slot, status: impl Fn(Kind) -> Status, all: bool) {
        let Some(turn) = self.threads[t].turn(slot) else { return };
        for id in turn.closing_order() {
            let state = &self.threads[t];
            let Some(turn) = state.turn(slot) else { return };
            if !all && state.is_background(turn, &id) {
                continue;
            }
            let Some(at) = turn.open.iter().position(|open| open.item.id == id) else { continue };
            let status = status(turn.open[at].kind);
            self.end_item(t, slot, at, status, How::MADE);
        }
    }

    /// Closes what is inside of an item, and what is inside of that.
    pub(super) fn close_children(&mut self, t: usize, slot: Slot, parent: &ItemId, status: Status) {
        let Some(turn) = self.threads[t].turn(slot) else { return };
        if !turn.open.iter().any(|open| open.parent.as_ref() == Some(parent)) {
            return;
        }
        let inside = turn.inside(parent);
        for id in turn.closing_order().into_iter().filter(|id| inside.contains(id)) {
            let Some(turn) = self.threads[t].turn(slot) else { return };
            let Some(at) = turn.open.iter().position(|open| open.item.id == id) else { continue };
            let status = status_at_end(turn.open[at].kind, status);
            self.end_item(t, slot, at, status, How::MADE);
        }
    }

    fn close_nested(&mut self, spot: &Spot, status: Status) {
        let (slot, parent) = self.settle(spot);
        if let Some(parent) = parent {
            self.close_children(spot.thread, slot, &parent, status);
        }
    }

    /// Closes what came after a turn's end once its window is over.
    pub(super) fn close_late(&mut self, t: usize, now: bool) {
        for at in 0..self.threads[t].ended.len() {
            let Some(turn) = self.threads[t].ended.get(at) else { return };
            let over = turn.ended_at().is_some_and(|ended| self.now.saturating_sub(ended) > self.limits.drain_ms);
            if (over || now) && turn.open.iter().any(|open| open.late) {
                self.close_items(t, Slot::Ended(at), |kind| status_at_end(kind, Status::Completed), false);
            }
        }
    }

    /// The turn of history that is being told; begun if need be.
    pub(super) fn history(&mut self, t: usize) -> Slot {
        let state = &mut self.threads[t];
        if state.history.is_none() {
            state.told += 1;
            let key = TurnKey::Told(state.told);
            let digits = self.scope.mint(&state.id, &key, "turn", &Mark::Ordinal(1));
            state.history = Some(TurnState::new(TurnId::from_digits(&digits), key));
        }
        Slot::History
    }

    fn next_told_turn(&mut self, t: usize) {
        self.end_history(t);
    }

    /// History told again ends: at its next turn, when something live comes, or when its page is through.
    pub(super) fn end_history(&mut self, t: usize) {
        self.close_items(
            t,
            Slot::History,
            |kind| if kind.is_message() { Status::Completed } else { Status::Unknown },
            true,
        );
        self.threads[t].history = None;
    }

    pub(super) fn set_run_status(&mut self, t: usize, id: &RunId, status: RunStatus) {
        let state = &mut self.threads[t];
        let turn = state.open.as_ref().filter(|turn| turn.run.as_ref() == Some(id)).map(|turn| turn.id.clone());
        let Some(run) = state.run_mut(id) else { return };
        if run.comes_to(status) {
            let place = Where { run: Some(id.clone()), turn, parent: None };
            self.emit(t, place, How::MADE, EventBody::RunUpdated { status });
        }
    }
}
