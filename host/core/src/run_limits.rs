//! Limits of one run: turns, time, cost. What they mean, and when one is reached; the session interrupts.
//!
//! - **turns**: calls of the model, where the provider tells the usage of each; else turns as the provider opens them. It is reached
//!   when the one beyond the last begins; a subagent's calls are its own.
//! - **time**: from the run's start, a person's answers included.
//! - **cost**: what the provider tells, in US dollars. One that tells it late or never can't be held to it: that is said.
//!
//! **A run that a limit stopped says so in its end, whatever the provider calls it.** Time is an argument. Tests: below.

use crate::contract::{Fault, FaultKind, Usage, UsageSpan};
use crate::event::{Draft, EventBody, ItemBody, RunStatus};
use crate::id::RunId;
use crate::policy::Decision;
use serde::{Deserialize, Serialize};

/// The reason and the fault's code of a run that was stopped by a limit.
pub const LIMIT_REACHED: &str = "limit-reached";

/// The limits of each run; what is absent does not bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunLimits {
    /// Turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// Time, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time_ms: Option<u64>,
    /// Cost, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
}

/// A limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reached {
    /// So many turns were made.
    Turns(u64),
    /// So many milliseconds have passed.
    Time(u64),
    /// It cost as much.
    Cost {
        /// The limit.
        limit: f64,
        /// What was told.
        told: f64,
    },
}

impl Reached {
    /// The limit's name, as it is written on a command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Turns(_) => "max-turns",
            Self::Time(_) => "max-time",
            Self::Cost { .. } => "max-cost",
        }
    }

    /// The limit with its value, for a person.
    pub fn rule(&self) -> String {
        match self {
            Self::Turns(turns) => format!("max-turns {turns}"),
            Self::Time(ms) => format!("max-time {} s", *ms as f64 / 1000.0),
            Self::Cost { limit, told } => format!("max-cost {limit} USD ({told} told)"),
        }
    }

    fn fault(&self) -> Fault {
        Fault {
            kind: FaultKind::Cancelled,
            message: format!(
                "the run was stopped by its limit {}; resume the thread to go on, with a higher one if need be",
                self.rule()
            ),
            code: Some(LIMIT_REACHED.into()),
            retryable: false,
            retry_after_ms: None,
            extra: vec![("limit".into(), self.name().into())],
        }
    }
}

/// What was told of money, by what it is about. A total that covers earlier runs is known before a run begins.
#[derive(Debug, Clone, Copy, Default)]
struct Costs {
    session: f64,
    thread: f64,
}

#[derive(Debug, Clone)]
struct Meter {
    run: RunId,
    started_ms: u64,
    before: Costs,
    calls: u64,
    turns: u64,
    /// One more call has begun than was ended.
    beyond: bool,
    turns_cost: f64,
    turn_cost: f64,
    calls_cost: f64,
    cost_told: bool,
    stopped: Option<Reached>,
}

/// Follows the runs of one session, one after another.
#[derive(Debug, Clone, Default)]
pub struct RunGuard {
    limits: RunLimits,
    totals: Costs,
    meter: Option<Meter>,
}

impl RunGuard {
    /// A guard with the limits of each run.
    pub fn new(limits: RunLimits) -> RunGuard {
        RunGuard { limits, ..RunGuard::default() }
    }

    /// Sees an event before it is said. The end of a run that a limit stopped is made to say so; what is returned is to be said first.
    pub fn see(&mut self, draft: &mut Draft, now_ms: u64) -> Option<EventBody> {
        if draft.origin.replayed || self.limits == RunLimits::default() {
            return None;
        }
        let run = draft.run.clone();
        match &draft.body {
            EventBody::AttemptStarted { .. } => {
                if let Some(run) = run.filter(|run| self.meter.as_ref().is_none_or(|meter| meter.run != *run)) {
                    self.meter = Some(Meter::new(run, now_ms, self.totals));
                }
            }
            EventBody::UsageUpdated { usage } => self.usage(usage, draft.parent.is_none()),
            EventBody::RunEnded { .. } => return self.ends(draft),
            body if draft.parent.is_none() => {
                let most = self.limits.max_turns.unwrap_or(u64::MAX);
                if let Some(meter) = &mut self.meter {
                    meter.moves(body, most);
                }
            }
            _ => {}
        }
        None
    }

    /// The limit that is reached now, once; the caller interrupts.
    pub fn due(&mut self, now_ms: u64) -> Option<Reached> {
        let (limits, told) = (self.limits, self.cost());
        let meter = self.meter.as_mut().filter(|meter| meter.stopped.is_none())?;
        let time = limits.max_time_ms.filter(|most| now_ms.saturating_sub(meter.started_ms) >= *most);
        let turns = limits.max_turns.filter(|_| meter.beyond);
        let cost = limits.max_cost_usd.filter(|most| told >= *most);
        let cost = cost.map(|limit| Reached::Cost { limit, told });
        meter.stopped = time.map(Reached::Time).or(turns.map(Reached::Turns)).or(cost);
        meter.stopped
    }

    /// When the time will be up.
    pub fn deadline_ms(&self) -> Option<u64> {
        let meter = self.meter.as_ref().filter(|meter| meter.stopped.is_none())?;
        Some(meter.started_ms.saturating_add(self.limits.max_time_ms?))
    }

    /// What the run has cost so far. The spans are told of the same money: the highest counts, nothing is added up across them.
    fn cost(&self) -> f64 {
        let Some(meter) = &self.meter else { return 0.0 };
        let spans = [
            self.totals.session - meter.before.session,
            self.totals.thread - meter.before.thread,
            meter.turns_cost + meter.turn_cost,
            meter.calls_cost,
        ];
        spans.into_iter().fold(0.0, f64::max)
    }

    fn usage(&mut self, usage: &Usage, of_the_run: bool) {
        let told = usage.counts.iter().find(|(name, _)| name == "cost-usd").map(|(_, cost)| *cost);
        let told = told.filter(|cost| cost.is_finite() && *cost >= 0.0);
        match (usage.span, told) {
            (UsageSpan::Session, Some(cost)) => self.totals.session = cost,
            (UsageSpan::Thread, Some(cost)) => self.totals.thread = cost,
            _ => {}
        }
        let Some(meter) = &mut self.meter else { return };
        meter.cost_told |= told.is_some();
        match usage.span {
            UsageSpan::Turn if of_the_run => meter.turn_cost = told.unwrap_or(meter.turn_cost),
            UsageSpan::Call => {
                meter.calls += u64::from(of_the_run);
                meter.calls_cost += told.unwrap_or(0.0);
            }
            _ => {}
        }
    }

    /// The run ends: by a limit, or with a cost that nobody could hold it to.
    fn ends(&mut self, draft: &mut Draft) -> Option<EventBody> {
        let cost = self.cost();
        let run = draft.run.clone();
        let meter = self.meter.take_if(|meter| Some(&meter.run) == run.as_ref())?;
        let EventBody::RunEnded { status, reason, fault, .. } = &mut draft.body else { return None };
        if let Some(stopped) = meter.stopped
            && *status != RunStatus::Completed
        {
            (*status, *reason, *fault) = (RunStatus::Interrupted, Some(LIMIT_REACHED.into()), Some(stopped.fault()));
            return None;
        }
        let limit = self.limits.max_cost_usd?;
        let because = if !meter.cost_told {
            format!("the provider told no cost in this run, so max-cost {limit} USD could not be held")
        } else if cost > limit {
            format!(
                "the provider told its cost ({cost} USD) only when the run was over, so max-cost {limit} USD came too late"
            )
        } else {
            return None;
        };
        Some(EventBody::PolicyDecided { intent: "limit-cost".into(), decision: Decision::Unsupported { because } })
    }
}

impl Meter {
    fn new(run: RunId, started_ms: u64, before: Costs) -> Meter {
        Meter {
            run,
            started_ms,
            before,
            calls: 0,
            turns: 0,
            beyond: false,
            turns_cost: 0.0,
            turn_cost: 0.0,
            calls_cost: 0.0,
            cost_told: false,
            stopped: None,
        }
    }

    fn moves(&mut self, body: &EventBody, most: u64) {
        match body {
            EventBody::TurnStarted { .. } => {
                self.turns += 1;
                self.turns_cost += std::mem::take(&mut self.turn_cost);
                self.beyond |= self.calls == 0 && self.turns > most;
            }
            // A thing of the next call: the calls that were told are over.
            EventBody::ItemStarted { item } => {
                let by_model = matches!(
                    item.body,
                    ItemBody::AssistantMessage { .. } | ItemBody::Reasoning { .. } | ItemBody::Tool { .. }
                );
                self.beyond |= by_model && self.calls >= most;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "run_limits_tests.rs"]
mod tests;
