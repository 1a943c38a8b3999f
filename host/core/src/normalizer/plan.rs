//! The todo list of a turn, as the provider told it last. **Its turn leaves no step of it at work, unless it ended well.**

use super::Normalizer;
use super::report::{How, Where};
use super::route::Spot;
use crate::contract::{Plan, PlanStep, Status};
use crate::event::EventBody;
use crate::lifecycle::{self, Kept, PlanStatus, State};
use crate::policy::Intent;

/// A list.
#[derive(Debug)]
pub(super) struct PlanState {
    /// All of it but the steps.
    head: Plan,
    steps: Vec<Kept<PlanStep>>,
    state: State<lifecycle::Plan>,
}

impl PlanState {
    fn new(told: &Plan) -> Self {
        let head = Plan { steps: Vec::new(), ..told.clone() };
        let steps = told.steps.iter().cloned().map(Kept::begin).collect();
        Self { head, steps, state: State::default() }
    }

    /// It is told anew, whole.
    fn told(&mut self, told: &Plan, to: PlanStatus) {
        self.state.step(to);
        *self = Self { state: self.state, ..Self::new(told) };
    }

    /// Its turn ends, and steps at work are left so. What is to be shown, if anything is.
    fn ends(&mut self, left: Option<Status>) -> Option<Plan> {
        let held = self.state.is(PlanStatus::Held);
        let ends = self.state.step(PlanStatus::Over);
        let closed = left.map_or(0, |left| self.steps.iter_mut().map(|step| usize::from(step.step(left))).sum());
        (ends && (held || closed > 0)).then(|| {
            let steps = self.steps.iter().map(|step| (**step).clone()).collect();
            Plan { steps, ..self.head.clone() }
        })
    }
}

impl Normalizer {
    /// True when a list of the open turn is kept until its end: its progress is not told.
    pub(super) fn plan_is_held(&mut self, spot: &Spot, told: &Plan) -> bool {
        let live = self.handling.native(Intent::ShowProgress);
        let Some(turn) = self.threads[spot.thread].open.as_mut().filter(|_| !spot.replayed) else { return false };
        let plan = match turn.plan.take() {
            Some(mut plan) => {
                plan.told(told, if live { PlanStatus::Shown } else { PlanStatus::Held });
                plan
            }
            None => PlanState::new(told),
        };
        turn.plan.insert(plan).state.is(PlanStatus::Held)
    }

    /// A list that a stopped turn leaves behind has no step at work; one whose progress was not shown is shown as it stands.
    pub(super) fn finalize_plan(&mut self, t: usize, status: Status) {
        let left = match status {
            Status::Completed => None,
            Status::Interrupted => Some(Status::Interrupted),
            _ => Some(Status::Unknown),
        };
        let Some(turn) = &mut self.threads[t].open else { return };
        let Some(plan) = turn.plan.as_mut().and_then(|plan| plan.ends(left)) else { return };
        let place = Where { run: turn.run.clone(), turn: Some(turn.id.clone()), parent: None };
        self.emit(t, place, How::MADE, EventBody::PlanUpdated { plan });
    }
}
