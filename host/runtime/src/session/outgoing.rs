//! Messages of this session's thread: how each goes, when the next begins, what became of one that the provider has.
//!
//! What decides is `core::outbox`; here it is carried out. **A message that was handed over is no longer sent again by a
//! restart: its row says so before the plugin has it.** Tests: `tests/tests/doors.rs`, and `core`'s for the decisions.

use super::ask::{AskError, NewRun, Reply1, Stop};
use super::ops::Purpose;
use super::outlet::fault;
use super::seat::{Active, Stage};
use super::task::{Phase, Task};
use crate::{clock, mint};
use jackfield_core::contract::{
    CommandBody, Content, Delivered, Event, EventBody as Told, Fault, FaultKind, Message, OpValue, Pairs,
};
use jackfield_core::event::{AttemptReason, EventBody, RunStatus};
use jackfield_core::expert;
use jackfield_core::id::RunId;
use jackfield_core::normalizer::{BeginRun, JoinedRun};
use jackfield_core::outbox::{Delivery, Fate, Refusal, Scene, Way, way};
use jackfield_core::policy::{Decision, Intent, Strategy};
use std::time::Duration;
use tokio::time::Instant;

impl Task {
    /// How a message would go now; a refusal before anything of it is stored.
    pub(super) fn way_of(&self, at: usize, delivery: Delivery) -> Result<(Way, Vec<Refusal>), AskError> {
        let scene = Scene {
            active: self.seats[at].active.is_some() || self.seats[at].outbox.has_handed(),
            stopping: self.seats[at].active.as_ref().is_some_and(|active| active.ladder.is_some()),
            waiting: self.seats[at].outbox.has_waiting(),
        };
        let capabilities = self.capabilities.effective().capabilities;
        way(delivery, scene, &capabilities, &self.shared.policy).map_err(|refusal| refused(&refusal.decision))
    }

    pub(super) async fn take_message(&mut self, at: usize, run: NewRun, delivery: Delivery, done: Reply1<()>) {
        let limit = self.shared.limits.queued_runs;
        if self.seats[at].outbox.len() as u64 >= limit {
            let _ = done.send(Err(AskError::QueueFull { limit }));
            return;
        }
        match self.way_of(at, delivery) {
            Ok((way, said)) => {
                self.go(at, run, way, said).await;
                // Whoever asks what goes on once this is acknowledged must find it there.
                self.tell_standing_of(at);
                let _ = done.send(Ok(()));
            }
            Err(error) => {
                let _ = done.send(Err(error));
            }
        }
    }

    /// Sends a message on its way; what is done instead of what was asked is said first.
    pub(super) async fn go(&mut self, at: usize, mut run: NewRun, way: Way, said: Vec<Refusal>) {
        for Refusal { intent, decision } in said {
            self.say_decision(at, Some(run.run.clone()), intent, decision).await;
        }
        match way {
            Way::Wait => self.seats[at].outbox.add(run),
            Way::Steer | Way::Enqueue => return self.hand(at, run, way == Way::Enqueue).await,
            Way::Next | Way::Interrupt | Way::Restart => {
                run.urgent = true;
                if way == Way::Restart {
                    run.attempt = AttemptReason::SteeringRestart;
                }
                self.seats[at].outbox.add(run);
                self.keep_order(at).await;
            }
        }
        if matches!(way, Way::Interrupt | Way::Restart) {
            // Asked of the policy before: it is refused only when the run has ended meanwhile, and then nothing is in the way.
            let _ = self.stop_active(at, Stop::Turn).await;
        }
        self.next_run(at).await;
        self.say_queue(at).await;
    }

    /// Starts the run that waits longest, when the provider is free.
    pub(super) async fn next_run(&mut self, at: usize) {
        if !self.may_begin(at) {
            return;
        }
        let Some(run) = self.seats[at].outbox.take_next() else { return };
        if let Some(refusal) = self.may_not_carry(&run) {
            self.end_unstarted(at, &run, Some(refusal)).await;
            self.say_queue(at).await;
            return Box::pin(self.next_run(at)).await;
        }
        // Or those who still wait would be woken for it without end.
        self.seats[at].free_at = None;
        let context = std::mem::take(&mut self.seats[at].first_context);
        self.seats[at].last_context.clone_from(&context);
        let body = CommandBody::SendRun(Message { context, ..message(&run, None, false) });
        let (id, attached) = (run.run.clone(), needs_of(&run.content).contains(&Intent::Attach));
        // The run begins before the command is given: what the plugin says at once already belongs to it.
        self.begin_run(at, run, self.ops.next()).await;
        self.say_queue(at).await;
        let thread = self.seats[at].native.clone();
        Box::pin(self.command(at, Purpose::Send(id, attached), thread, body, None)).await;
    }

    /// Why a message can't go: it was taken on by what the plugin declared, and the handshake told otherwise.
    fn may_not_carry(&self, run: &NewRun) -> Option<Fault> {
        let decision = self.first_not_native(needs_of(&run.content))?;
        Some(fault(FaultKind::Unsupported, decision.reason()))
    }

    /// A message waits, and nothing is in its way: an interrupt that the provider has yet to hear would stop it instead of the run
    /// before.
    pub(super) fn may_begin(&self, at: usize) -> bool {
        let seat = &self.seats[at];
        let drained = seat.free_at.is_none_or(|at| at <= Instant::now());
        let ends = matches!(self.phase, Phase::Closing | Phase::Ended) || self.ending.is_some();
        let open = self.is_open(at) || (seat.stage == Stage::Opening && seat.opens_with_message && !ends);
        let free = open && self.seats[at].active.is_none() && self.ending.is_none() && drained;
        free && !self.ops.has_interrupt(at)
            && !seat.restarts()
            && !self.gives_way()
            && self.seats[at].outbox.has_waiting()
            && !self.seats[at].outbox.has_handed()
    }

    async fn begin_run(&mut self, at: usize, run: NewRun, op: u32) {
        self.seats[at].active = Some(Active { run: run.run.clone(), ladder: None });
        self.seats[at].silence.broken();
        let begun = self.normalizer.begin_run(BeginRun {
            run: run.run,
            ordinal: run.ordinal,
            op,
            thread: self.seats[at].thread().clone(),
            content: run.content,
            attempt: run.attempt,
            at_ms: clock::now_ms(),
        });
        self.emit(begun).await;
    }

    /// Gives the provider a message while a turn is open: into it, or into its own queue.
    async fn hand(&mut self, at: usize, run: NewRun, enqueue: bool) {
        let turn = self.normalizer.open_turn(self.seats[at].thread()).map(str::to_owned);
        let body = match enqueue {
            true => CommandBody::SendRun(message(&run, None, true)),
            false => CommandBody::SteerRun(message(&run, turn, false)),
        };
        let (id, op) = (run.run.clone(), self.ops.next());
        self.say(at, Some(id.clone()), EventBody::RunUpdated { status: RunStatus::Starting }).await;
        self.normalizer.hand(self.seats[at].thread(), &id, op, &run.content);
        let into = self.seats[at].active.as_ref().map(|active| active.run.clone());
        self.seats[at].outbox.hand(run, op, into);
        self.seats[at].silence.broken();
        let (thread, deadline) = (self.seats[at].native.clone(), None);
        Box::pin(self.command(at, Purpose::Hand(id, op, enqueue), thread, body, deadline)).await;
        self.say_queue(at).await;
    }

    /// The plugin's answer to the command that handed a message over.
    pub(super) async fn handed(&mut self, at: usize, run: RunId, op: u32, outcome: Result<OpValue, Fault>) {
        let how = match outcome {
            Ok(OpValue::Delivered(delivery)) => delivery.how,
            Ok(_) => Delivered::Unknown,
            Err(fault) if matches!(fault.kind, FaultKind::Conflict | FaultKind::Unsupported) => {
                return self.came_back(at, run, op, &fault.message).await;
            }
            Err(fault) => {
                if let Some(run) = self.seats[at].outbox.give_up(op) {
                    self.end_unstarted(at, &run, Some(fault)).await;
                    self.next_run(at).await;
                }
                return;
            }
        };
        match self.seats[at].outbox.delivered(op, how) {
            Some(Fate::Joined(message, into)) => self.has_joined(at, message, into, false).await,
            Some(Fate::Again(run)) => self.goes_again(at, run, "the turn had ended before the message came").await,
            // Nothing is in the way any more: whatever the provider says next is already its turn's.
            Some(Fate::Opens)
                if self.seats[at].active.is_none() && !self.normalizer.is_at_work(self.seats[at].thread()) =>
            {
                if let Some((message, op)) = self.seats[at].outbox.opens(Some(op)) {
                    self.begin_run(at, message, op).await;
                }
            }
            Some(Fate::Opens | Fate::Open) | None => {}
        }
    }

    async fn came_back(&mut self, at: usize, run: RunId, op: u32, why: &str) {
        if self.seats[at].outbox.came_back(op).is_some() {
            self.goes_again(at, run, why).await;
        }
    }

    async fn goes_again(&mut self, at: usize, run: RunId, why: &str) {
        let decision = Decision::Degraded {
            strategy: Strategy::HostQueue,
            because: why.to_owned(),
            loses: vec!["the message arrives only after the turn".into()],
        };
        self.say_decision(at, Some(run.clone()), Intent::Steer, decision).await;
        self.say(at, Some(run), EventBody::RunUpdated { status: RunStatus::Queued }).await;
        self.keep_order(at).await;
        self.next_run(at).await;
        self.say_queue(at).await;
    }

    async fn has_joined(&mut self, at: usize, message: NewRun, into: Option<RunId>, inferred: bool) {
        let joined = self.normalizer.joined(JoinedRun {
            run: message.run,
            thread: self.seats[at].thread().clone(),
            content: message.content,
            into,
            inferred,
            at_ms: clock::now_ms(),
        });
        self.emit(joined).await;
        self.next_run(at).await;
        self.say_queue(at).await;
    }

    /// The answer to the command that began a run: it may have gone into a turn that was open all the same.
    pub(super) async fn sent(&mut self, at: usize, run: RunId, outcome: OpValue) {
        let OpValue::Delivered(delivery) = outcome else { return };
        if matches!(delivery.how, Delivered::OpenedTurn | Delivered::Unknown) {
            let opened = self.normalizer.delivered(&run, delivery.turn, clock::now_ms());
            self.emit(opened).await;
        } else if delivery.how == Delivered::JoinedTurn {
            self.has_joined(at, NewRun::new(run, 0, Vec::new()), None, false).await;
        }
    }

    /// Before an event is taken in: the turn that it opens may be one of a message that the provider has.
    pub(super) async fn begin_what_opens(&mut self, event: &Event) {
        let Some(at) = self.normalizer.thread_of(event).and_then(|thread| self.seat_of(thread)) else { return };
        if !self.seats[at].outbox.has_handed()
            || event.scope.as_ref().is_some_and(|at| at.replayed || at.parent.is_some())
        {
            return;
        }
        let idle = self.seats[at].active.is_none() && !self.normalizer.is_at_work(self.seats[at].thread());
        let says_so = || self.decides(Intent::StartTurn) == Decision::Native;
        let opens = match &event.body {
            Told::TurnStarted(start) if start.op.is_some() => self.seats[at].outbox.opens(start.op),
            Told::TurnEnded(end) if end.op.is_some() => self.seats[at].outbox.opens(end.op),
            Told::TurnStarted(start) if idle && start.reason.is_none() => self.seats[at].outbox.opens(None),
            Told::Items(_) | Told::Delta(_) if idle && !says_so() => self.seats[at].outbox.opens(None),
            _ => None,
        };
        if let Some((message, op)) = opens {
            self.begin_run(at, message, op).await;
            self.say_queue(at).await;
        }
    }

    /// Silence after a turn decides about what was put into it.
    pub(super) async fn settle_handed(&mut self, at: usize) {
        let due = self.seats[at].outbox.joined_in_silence(clock::now_ms(), self.shared.limits.steer_settle_ms);
        for (message, into) in due {
            self.has_joined(at, message, into, true).await;
        }
    }

    pub(super) fn next_settlement(&self, at: usize) -> Option<Instant> {
        let at_ms = self.seats[at].outbox.deadline(self.shared.limits.steer_settle_ms)?;
        Some(Instant::now() + Duration::from_millis(at_ms.saturating_sub(clock::now_ms())))
    }

    /// A run that never reached the provider ends where it waits.
    pub(super) async fn end_unstarted(&mut self, at: usize, run: &NewRun, fault: Option<Fault>) {
        let status = if fault.is_some() { RunStatus::Failed } else { RunStatus::Cancelled };
        let ledger = self.normalizer.ledger();
        let body = EventBody::RunEnded { status, reason: None, fault, background: false, joined: None, ledger };
        self.say(at, Some(run.run.clone()), body).await;
    }

    /// At the session's end: what waits here goes on in the next one, where there is to be one; what the provider had ends.
    pub(super) async fn end_messages(&mut self, at: usize, cause: Option<Fault>) {
        let (waiting, handed) = self.seats[at].outbox.drain();
        let lost = cause.clone().unwrap_or_else(|| {
            fault(FaultKind::Cancelled, "the session ended; whether the message still reached it is not known".into())
        });
        for run in handed {
            self.end_unstarted(at, &run, Some(lost.clone())).await;
        }
        if self.seats[at].goes_on {
            return self.seats[at].left.leave(waiting);
        }
        for run in waiting {
            self.end_unstarted(at, &run, cause.clone()).await;
        }
    }
}

/// What a message asks of the provider beyond taking a text.
pub(crate) fn needs_of(content: &[Content]) -> Vec<Intent> {
    let attachments = content.iter().any(|part| matches!(part, Content::Media(_)));
    let needs = [(attachments, Intent::Attach), (expert::is_for_one(content), Intent::ExpertPrompt)];
    needs.into_iter().filter(|(needed, _)| *needed).map(|(_, intent)| intent).collect()
}

/// A message as the plugin gets it.
pub(super) fn message(run: &NewRun, turn: Option<String>, enqueue: bool) -> Message {
    Message {
        content: expert::rewritten(&run.content).into_owned(),
        turn,
        context: Vec::new(),
        selection: Pairs::new(),
        uuid: mint::message_uuid(&run.run),
        enqueue,
        extra: Pairs::new(),
    }
}

/// A decision that is none, as whoever asked hears it.
pub(crate) fn refused(decision: &Decision) -> AskError {
    let kind = match decision {
        Decision::Blocked { .. } => FaultKind::Denied,
        _ => FaultKind::Unsupported,
    };
    AskError::Fault(fault(kind, decision.reason()))
}
