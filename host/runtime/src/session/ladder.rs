//! The steps of an interrupt: asked of the provider, then the session's end. **Each step has an end; the first success stops it.**

use super::ask::Reply1;
use super::ops::Purpose;
use super::outgoing::refused;
use super::task::Task;
use super::{AskError, Stop};
use jackfield_core::contract::{self, CommandBody, Fault};
use jackfield_core::event::{EventBody, LadderStep, SessionEnd};
use jackfield_core::honesty::interrupt_failed;
use jackfield_core::id::{RequestId, RunId};
use jackfield_core::normalizer::SessionEnded;
use jackfield_core::policy::{Decision, Intent, Strategy};
use jackfield_core::requests::Reply;
use std::time::Duration;
use tokio::time::Instant;

/// How far an interrupt has climbed. Each step has an end; the first success stops it.
pub(super) struct Ladder {
    step: LadderStep,
    stop: Stop,
    pub(super) deadline: Instant,
}

impl Task {
    pub(super) async fn interrupt(&mut self, at: usize, stop: Stop, done: Reply1<()>) {
        if self.seats[at].active.is_some() {
            let _ = done.send(self.stop_active(at, stop).await);
            return;
        }
        // What the provider has may begin yet; it can be stopped then.
        let cancelled = self.seats[at].outbox.take_waiting();
        let answer = if cancelled.is_empty() { Err(AskError::NothingActive) } else { Ok(()) };
        for run in &cancelled {
            self.end_unstarted(at, run, None).await;
        }
        let _ = done.send(answer);
    }

    /// Begins to stop the run that is at work: asked of the provider, or by ending the session where that is all there is.
    pub(super) async fn stop_active(&mut self, at: usize, stop: Stop) -> Result<(), AskError> {
        let Some(active) = &self.seats[at].active else { return Err(AskError::NothingActive) };
        if active.ladder.is_some() {
            return Ok(());
        }
        let (run, intent) = (active.run.clone(), stop.intent());
        if self.stop_waiting_for_login(at, &run).await {
            return Ok(());
        }
        let decision = self.decides(intent);
        if decision != Decision::Native {
            self.say_decision(at, Some(run.clone()), intent, decision.clone()).await;
        }
        match decision {
            Decision::Native => self.ask_to_stop(at, run, stop, stop == Stop::TurnOnly).await,
            Decision::Degraded { strategy: Strategy::InterruptEverything, .. } => {
                self.ask_to_stop(at, run, stop, false).await;
            }
            Decision::Degraded { .. } => {
                self.normalizer.interrupting(&run);
                self.stop_session(at, LadderStep::CloseSession).await;
            }
            decision => return Err(refused(&decision)),
        }
        Ok(())
    }

    /// The first step: the provider is asked.
    async fn ask_to_stop(&mut self, at: usize, run: RunId, stop: Stop, keep_background: bool) {
        self.normalizer.interrupting(&run);
        if let Some(active) = &mut self.seats[at].active {
            let deadline = Instant::now() + Duration::from_millis(self.shared.limits.interrupt_ack_ms);
            active.ladder = Some(Ladder { step: LadderStep::Interrupt, stop, deadline });
        }
        let step = EventBody::InterruptStep { step: LadderStep::Interrupt, outcome: "sent".into() };
        self.say(at, Some(run.clone()), step).await;
        // The turn's own name where it has one: the next one is not meant.
        let turn = self.normalizer.open_turn(self.seats[at].thread()).map(str::to_owned);
        let body = CommandBody::Interrupt(contract::Interrupt { turn, keep_background });
        let thread = self.seats[at].native.clone();
        let deadline = self.after(self.shared.limits.interrupt_ack_ms);
        Box::pin(self.command(at, Purpose::Interrupt(run), thread, body, deadline)).await;
        self.dismiss_requests(at, stop).await;
    }

    /// Requests that wait while the run is being stopped are closed; some providers end a turn only then.
    async fn dismiss_requests(&mut self, at: usize, stop: Stop) {
        let open: Vec<RequestId> = match stop {
            Stop::Turn => {
                let open = self.normalizer.requests_of(self.seats[at].thread());
                open.iter().map(|request| request.id.clone()).collect()
            }
            Stop::TurnOnly => self.normalizer.requests_of_turn(self.seats[at].thread()),
        };
        if !open.is_empty() {
            let run = self.seats[at].active.as_ref().map(|active| active.run.clone());
            let (step, outcome) = (LadderStep::DismissRequests, format!("{} dismissed", open.len()));
            self.say(at, run, EventBody::InterruptStep { step, outcome }).await;
        }
        for request in open {
            let asked = self.asked(&request);
            if let Ok(answer) = self.normalizer.answer(&request, Reply::Dismissed, "interrupt") {
                self.send_answer(at, request, asked, answer, "interrupt", None).await;
            }
        }
    }

    pub(super) async fn interrupt_answered(&mut self, at: usize, run: &RunId, outcome: Result<(), Fault>) {
        if !self.seats[at].stays() || self.seats[at].active.as_ref().is_none_or(|active| active.run != *run) {
            return;
        }
        match outcome {
            Ok(()) => {
                if let Some(ladder) = self.seats[at].active.as_mut().and_then(|active| active.ladder.as_mut()) {
                    ladder.deadline = Instant::now() + Duration::from_millis(self.shared.limits.interrupt_end_ms);
                }
                self.say(
                    at,
                    Some(run.clone()),
                    EventBody::InterruptStep { step: LadderStep::Interrupt, outcome: "acknowledged".into() },
                )
                .await;
            }
            Err(fault) => {
                self.say(
                    at,
                    Some(run.clone()),
                    EventBody::InterruptStep {
                        step: LadderStep::Interrupt,
                        outcome: format!("refused: {}", fault.message),
                    },
                )
                .await;
                self.stop_session(at, LadderStep::CloseSession).await;
            }
        }
    }

    /// The next step, when the one before had its time.
    pub(super) async fn climb(&mut self, at: usize, now: Instant) {
        let Some(active) = &self.seats[at].active else { return };
        let Some(ladder) = &active.ladder else { return };
        if ladder.deadline > now || self.ending.is_some() || !self.seats[at].stays() {
            return;
        }
        let (run, step) = (active.run.clone(), ladder.step);
        self.say(at, Some(run), EventBody::InterruptStep { step, outcome: "no end in time".into() }).await;
        self.doubt(vec![interrupt_failed()]).await;
        self.stop_session(at, LadderStep::CloseSession).await;
    }

    /// The last step: the session goes, its threads stay, and what waits in them goes on in the next one. Its channels end on their
    /// own ladder (stdin, TERM, KILL).
    pub(super) async fn stop_session(&mut self, at: usize, step: LadderStep) {
        if let Some(active) = &self.seats[at].active {
            let (run, stop) = (active.run.clone(), active.ladder.as_ref().map(|ladder| ladder.stop));
            self.normalizer.interrupting(&run);
            if stop == Some(Stop::TurnOnly) {
                self.say_decision(at, Some(run.clone()), Intent::InterruptTurnOnly, background_lost()).await;
            }
            self.say(at, Some(run), EventBody::InterruptStep { step, outcome: "the session is ended".into() }).await;
        }
        self.all_go_on();
        let fault = self.ended_for_one();
        self.ending.get_or_insert(SessionEnded::new(SessionEnd::Closed, fault));
    }
}

/// The provider was asked to stop the turn alone and did not.
fn background_lost() -> Decision {
    Decision::Degraded {
        strategy: Strategy::StopSession,
        because: "the provider did not stop the turn when it was asked to".into(),
        loses: vec!["background work".into(), "open requests".into()],
    }
}
