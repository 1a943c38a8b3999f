//! What clients ask for: the start, messages in order, answers, settings; and the ladder of an interrupt.

use super::granted::Granted;
use super::ops::{Pending, Purpose};
use super::outlet::fault;
use super::task::{Active, Phase, Task};
use super::{Ask, AskError, NewRun, Reply1};
use crate::audit::{Record, Verdict};
use crate::{clock, mint};
use jackfield_core::contract::{self, CommandBody, Fault, FaultKind, Message, Pairs, Role, StartSession};
use jackfield_core::event::{EventBody, LadderStep, Request, RunStatus, SessionEnd};
use jackfield_core::guard::Authorization;
use jackfield_core::hints::hints;
use jackfield_core::id::{RequestId, RunId};
use jackfield_core::normalizer::{BeginRun, SessionEnded};
use jackfield_core::policy::{Decision, Handling, Intent, decide};
use jackfield_core::requests::{AnswerError, Reply};
use std::time::Duration;
use tokio::time::Instant;

/// How far an interrupt has climbed. Each step has an end; the first success stops it.
pub(super) struct Ladder {
    step: LadderStep,
    pub(super) deadline: Instant,
}

impl Task {
    /// Says who is at work and what it can do, at the start and whenever that changes.
    pub(super) async fn announce(&mut self) {
        let effective = self.capabilities.effective();
        self.normalizer.set_handling(Handling::of(&effective.capabilities, &self.shared.policy));
        let view = self.capabilities.view(hints(&effective.capabilities, &self.shared.policy));
        for conflict in effective.conflicts {
            self.say(None, EventBody::CapabilityConflict { stronger: conflict.stronger, weaker: conflict.weaker })
                .await;
        }
        for name in effective.mistyped {
            self.diagnose(
                "capability-mistyped",
                &format!("the capability '{name}' has a value of the wrong type; it counts as its weakest"),
            )
            .await;
        }
        self.view.send_replace(Some(view.clone()));
        let stored = serde_json::to_string(&self.capabilities).unwrap_or_default();
        let (session, epoch) = (self.start.session.clone(), self.start.epoch);
        if let Err(error) = self.shared.store.set_session_capabilities(&session, epoch, stored).await {
            self.store_failed(&error);
        }
        self.say(None, EventBody::CapabilitiesUpdated { capabilities: view }).await;
    }

    /// The first command of a session.
    pub(super) async fn begin(&mut self) {
        let manifest = self.start.generation.manifest();
        let started = EventBody::SessionStarted {
            session: self.start.session.clone(),
            epoch: self.start.epoch,
            plugin: manifest.full_name(),
            plugin_version: manifest.version.to_string(),
            digest: self.start.generation.digest().to_owned(),
            resumed: self.start.cursor.is_some(),
        };
        tracing::debug!(session = %self.start.session, epoch = self.start.epoch, "session starts");
        self.say(None, started).await;
        self.announce().await;
        let body = CommandBody::Start(StartSession {
            role: Role::Live,
            folder: self.start.folder.display().to_string(),
            options: serde_json::Value::Object(self.start.instance.options.clone()).to_string(),
            epoch: self.start.epoch,
            seed: mint::seed(&self.start.session, self.start.epoch),
            selection: self.start.instance.selection.clone(),
            extra: Pairs::new(),
        });
        self.command(Purpose::Start, None, body, None).await;
    }

    pub(super) async fn take_ask(&mut self, ask: Ask) {
        match ask {
            Ask::Send(run, done) => self.take_run(run, done).await,
            Ask::Interrupt(done) => self.interrupt(done).await,
            Ask::Answer { request, reply, by, done } => self.answer(request, reply, by, done).await,
            Ask::Select(selection, done) => {
                if let Err(refusal) = self.may_select(&selection) {
                    let _ = done.send(Err(refusal));
                    return;
                }
                let deadline = self.after(self.shared.limits.command_ms);
                let thread = self.native_thread.clone();
                self.command(Purpose::Select(done), thread, CommandBody::SetSelection(selection), deadline).await;
            }
            Ask::RawFrame(number, done) => {
                let _ = done.send(self.ring.get(number).cloned());
            }
            Ask::Close(done) => {
                self.close(SessionEnd::Closed, None).await;
                let _ = done.send(Ok(()));
            }
            Ask::Kill(done) => {
                self.outlet.kill_all();
                self.stop_session(LadderStep::Kill).await;
                let _ = done.send(Ok(()));
            }
        }
    }

    /// Settings whose switch the provider can't take in a running session are refused in the words of their hint.
    fn may_select(&self, selection: &Pairs) -> Result<(), AskError> {
        let capabilities = self.capabilities.effective().capabilities;
        for (name, _) in selection {
            let intent = match name.as_str() {
                "model" => Intent::SwitchModel,
                "mode" => Intent::SwitchMode,
                _ => continue,
            };
            let decision = decide(&intent, &capabilities, &self.shared.policy);
            if decision != Decision::Native {
                return Err(AskError::Fault(fault(FaultKind::Unsupported, decision.reason())));
            }
        }
        Ok(())
    }

    async fn take_run(&mut self, run: NewRun, done: Reply1<()>) {
        let limit = self.shared.limits.queued_runs;
        if self.queue.len() as u64 >= limit {
            let _ = done.send(Err(AskError::QueueFull { limit }));
            return;
        }
        self.queue.push_back(run);
        let _ = done.send(Ok(()));
        self.next_run().await;
    }

    /// Starts the run that waits longest, when the provider is free.
    pub(super) async fn next_run(&mut self) {
        let drained = self.free_at.is_none_or(|at| at <= Instant::now());
        let open = self.phase == Phase::Ready || (self.phase == Phase::Starting && self.opens_with_message);
        if !open || self.active.is_some() || self.ending.is_some() || !drained {
            return;
        }
        let Some(run) = self.queue.pop_front() else { return };
        // Or those who still wait would be woken for it without end.
        self.free_at = None;
        self.active = Some(Active { run: run.run.clone(), ladder: None });
        self.watch.sent();
        let body = CommandBody::SendRun(Message {
            content: run.content.clone(),
            turn: None,
            context: std::mem::take(&mut self.first_context),
            selection: Pairs::new(),
            uuid: mint::message_uuid(&run.run),
            enqueue: false,
            extra: Pairs::new(),
        });
        // The run begins before the command is given: what the plugin says at once already belongs to it.
        let begun = self.normalizer.begin_run(BeginRun {
            run: run.run.clone(),
            ordinal: run.ordinal,
            op: self.ops.next(),
            thread: self.start.log.thread().clone(),
            content: run.content,
            at_ms: clock::now_ms(),
        });
        self.emit(begun).await;
        let thread = self.native_thread.clone();
        Box::pin(self.command(Purpose::Send(run.run), thread, body, None)).await;
    }

    /// A run that never reached the provider ends where it waits.
    pub(super) async fn end_unstarted(&mut self, run: &NewRun, fault: Option<Fault>) {
        let status = if fault.is_some() { RunStatus::Failed } else { RunStatus::Cancelled };
        let ledger = self.normalizer.ledger();
        self.say(Some(run.run.clone()), EventBody::RunEnded { status, reason: None, fault, background: false, ledger })
            .await;
    }

    pub(super) async fn interrupt(&mut self, done: Reply1<()>) {
        let Some(active) = &self.active else {
            let cancelled: Vec<NewRun> = self.queue.drain(..).collect();
            let answer = if cancelled.is_empty() { Err(AskError::NothingActive) } else { Ok(()) };
            for run in &cancelled {
                self.end_unstarted(run, None).await;
            }
            let _ = done.send(answer);
            return;
        };
        if active.ladder.is_some() {
            let _ = done.send(Ok(()));
            return;
        }
        let run = active.run.clone();
        match decide(&Intent::Interrupt, &self.capabilities.effective().capabilities, &self.shared.policy) {
            Decision::Native => {
                let _ = done.send(Ok(()));
                self.normalizer.interrupting(&run);
                self.set_ladder(LadderStep::Interrupt, self.shared.limits.interrupt_ack_ms);
                self.say(
                    Some(run.clone()),
                    EventBody::InterruptStep { step: LadderStep::Interrupt, outcome: "sent".into() },
                )
                .await;
                let body = CommandBody::Interrupt(contract::Interrupt { turn: None, keep_background: false });
                let thread = self.native_thread.clone();
                self.command(Purpose::Interrupt(run), thread, body, None).await;
                self.dismiss_requests().await;
            }
            decision @ Decision::Degraded { .. } => {
                let _ = done.send(Ok(()));
                self.say(
                    Some(run.clone()),
                    EventBody::PolicyDecided { intent: Intent::Interrupt.name().into(), decision },
                )
                .await;
                self.normalizer.interrupting(&run);
                self.stop_session(LadderStep::CloseSession).await;
            }
            decision => {
                let because = decision.reason();
                self.say(Some(run), EventBody::PolicyDecided { intent: Intent::Interrupt.name().into(), decision })
                    .await;
                let _ = done.send(Err(AskError::Fault(fault(FaultKind::Unsupported, because))));
            }
        }
    }

    /// Requests that wait while the run is being stopped are closed; some providers end a turn only then.
    async fn dismiss_requests(&mut self) {
        let open: Vec<RequestId> = self.normalizer.open_requests().iter().map(|request| request.id.clone()).collect();
        for request in open {
            let asked = self.asked(&request);
            if let Ok(answer) = self.normalizer.answer(&request, Reply::Dismissed, "interrupt") {
                self.send_answer(request, asked, answer, None).await;
            }
        }
    }

    pub(super) async fn interrupt_answered(&mut self, run: &RunId, outcome: Result<(), Fault>) {
        if self.active.as_ref().is_none_or(|active| active.run != *run) {
            return;
        }
        match outcome {
            Ok(()) => {
                self.set_ladder(LadderStep::Interrupt, self.shared.limits.interrupt_end_ms);
                self.say(
                    Some(run.clone()),
                    EventBody::InterruptStep { step: LadderStep::Interrupt, outcome: "acknowledged".into() },
                )
                .await;
            }
            Err(fault) => {
                self.say(
                    Some(run.clone()),
                    EventBody::InterruptStep {
                        step: LadderStep::Interrupt,
                        outcome: format!("refused: {}", fault.message),
                    },
                )
                .await;
                self.stop_session(LadderStep::CloseSession).await;
            }
        }
    }

    /// The next step, when the one before had its time.
    pub(super) async fn climb(&mut self, now: Instant) {
        let Some(active) = &self.active else { return };
        let Some(ladder) = &active.ladder else { return };
        if ladder.deadline > now || self.ending.is_some() {
            return;
        }
        let (run, step) = (active.run.clone(), ladder.step);
        self.say(Some(run), EventBody::InterruptStep { step, outcome: "no end in time".into() }).await;
        self.stop_session(LadderStep::CloseSession).await;
    }

    /// The last step: the session goes, the thread stays. Its channels end on their own ladder (stdin, TERM, KILL).
    async fn stop_session(&mut self, step: LadderStep) {
        if let Some(active) = &self.active {
            let run = active.run.clone();
            self.normalizer.interrupting(&run);
            self.say(Some(run), EventBody::InterruptStep { step, outcome: "the session is ended".into() }).await;
        }
        self.ending.get_or_insert(SessionEnded::new(SessionEnd::Closed, None));
    }

    fn set_ladder(&mut self, step: LadderStep, within_ms: u64) {
        if let Some(active) = &mut self.active {
            active.ladder = Some(Ladder { step, deadline: Instant::now() + Duration::from_millis(within_ms) });
        }
    }

    async fn answer(&mut self, request: RequestId, reply: Reply, by: String, done: Reply1<()>) {
        let asked = self.asked(&request);
        match self.normalizer.answer(&request, reply, &by) {
            Ok(answer) => self.send_answer(request, asked, answer, Some((by, done))).await,
            Err(error) => {
                let _ = done.send(Err(error.into()));
            }
        }
    }

    fn asked(&self, request: &RequestId) -> Option<Request> {
        self.normalizer.open_requests().into_iter().find(|open| open.id == *request).cloned()
    }

    /// The answer was checked against what the provider offered; the guard is told what may leave, then the plugin translates it.
    async fn send_answer(
        &mut self,
        request: RequestId,
        asked: Option<Request>,
        answer: contract::Answer,
        waiting: Option<(String, Reply1<()>)>,
    ) {
        let granted = asked.map(|asked| Granted::by(&asked, &answer)).unwrap_or_default();
        let by = waiting.as_ref().map_or("interrupt", |(by, _)| by.as_str());
        let recorded = self.shared.audit.write(&Record {
            kind: "answer",
            verdict: if granted.allows { Verdict::Allowed } else { Verdict::Refused },
            rule: by,
            plugin: &self.start.generation.manifest().full_name(),
            digest: self.start.generation.digest(),
            session: self.start.session.as_str(),
            facts: serde_json::json!({ "request": request, "native": answer.request, "always": granted.always, "edited": granted.edited_input.is_some() }),
        });
        if let Err(error) = recorded {
            let cause = fault(
                FaultKind::Internal,
                format!("the audit record could not be written ({error}), so the answer was not sent"),
            );
            self.request_answered(request, waiting.map(|(_, done)| done), Err(cause)).await;
            return;
        }
        self.outlet.guards().authorize(
            &answer.request,
            Authorization { allow: granted.allows, always: granted.always, edited_input: granted.edited_input },
        );
        // The provider goes on from here: how long the person took is not its silence.
        self.watch.sent();
        let deadline = self.after(self.shared.limits.command_ms);
        let purpose = Purpose::Respond(request, waiting.map(|(_, done)| done));
        let thread = self.native_thread.clone();
        self.command(purpose, thread, CommandBody::Respond(answer), deadline).await;
    }

    pub(super) async fn request_answered(
        &mut self,
        request: RequestId,
        waiting: Option<Reply1<()>>,
        outcome: Result<(), Fault>,
    ) {
        if let Some(waiting) = waiting {
            let _ = waiting.send(outcome.clone().map_err(AskError::Fault));
        }
        let told = self.normalizer.answered(&request, outcome);
        self.emit(told).await;
    }

    pub(super) async fn command_overdue(&mut self, purpose: Purpose) {
        let late = fault(
            FaultKind::Timeout,
            format!("the plugin did not answer '{}' within {} ms", purpose.name(), self.shared.limits.command_ms),
        );
        match purpose {
            Purpose::Respond(request, waiting) => self.request_answered(request, waiting, Err(late)).await,
            Purpose::Select(waiting) => {
                let _ = waiting.send(Err(AskError::Fault(late)));
            }
            Purpose::Start | Purpose::OpenThread | Purpose::Send(_) | Purpose::Interrupt(_) => {}
        }
    }

    fn after(&self, ms: u64) -> Option<Instant> {
        Some(Instant::now() + Duration::from_millis(ms))
    }
}

/// Whoever still waits for a command learns that the session is over.
pub(super) fn answer_ended(pending: Pending) {
    match pending.purpose {
        Purpose::Respond(id, Some(waiting)) => {
            let _ = waiting.send(Err(AskError::Answer(AnswerError::Expired { id })));
        }
        Purpose::Select(waiting) => {
            let _ = waiting.send(Err(AskError::Ended));
        }
        _ => {}
    }
}
