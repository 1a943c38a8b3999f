//! What clients ask for: the start, answers, settings; and the ladder of an interrupt. Messages are in `outgoing`.

use super::granted::Granted;
use super::ops::{Pending, Purpose};
use super::outgoing::refused;
use super::outlet::fault;
use super::task::Task;
use super::{Ask, AskError, Operation, Reply1, Stop};
use crate::audit::{Record, Verdict};
use crate::mint;
use jackfield_core::contract::{self, Applies, CommandBody, Fault, FaultKind, Pairs, Role, StartSession};
use jackfield_core::event::{EventBody, LadderStep, Request, SessionEnd};
use jackfield_core::guard::Authorization;
use jackfield_core::hints::hints;
use jackfield_core::honesty::interrupt_failed;
use jackfield_core::id::{RequestId, RunId};
use jackfield_core::normalizer::SessionEnded;
use jackfield_core::policy::{Decision, Handling, Intent, Strategy};
use jackfield_core::requests::{AnswerError, Reply};
use std::time::Duration;
use tokio::time::Instant;

/// How far an interrupt has climbed. Each step has an end; the first success stops it.
pub(super) struct Ladder {
    step: LadderStep,
    stop: Stop,
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
        if self.rules_said.is_some() {
            self.say_rules().await;
        }
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
        self.recall_doubts().await;
        self.begin_watch().await;
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

    /// Between the session's start and its thread: the MCP servers that the operator configured.
    pub(super) async fn started(&mut self) {
        let servers = self.start.instance.mcp_servers.clone();
        if servers.is_empty() {
            return self.give_tools().await;
        }
        if let Some(decision) = self.first_not_native(Operation::SetMcpServers(servers.clone()).intents()) {
            let reason = format!("MCP servers are configured for this instance, and {}", decision.reason());
            return self.start_failed(fault(FaultKind::Unsupported, reason));
        }
        let servers = self.outlet.secrets().marked(servers);
        Box::pin(self.command(Purpose::McpServers, None, CommandBody::SetMcpServers(servers), None)).await;
    }

    pub(super) async fn take_ask(&mut self, ask: Ask) {
        match ask {
            Ask::Send(run, delivery, done) => self.take_message(run, delivery, done).await,
            Ask::May(delivery, needs, done) => {
                let may = self.first_not_native(needs).map_or(Ok(()), |decision| Err(refused(&decision)));
                let _ = done.send(may.and_then(|()| self.way_of(delivery).map(drop)));
            }
            Ask::Operate(operation, done) => self.operate(operation, done).await,
            Ask::Queue(done) => {
                let _ = done.send(self.outbox.list());
            }
            Ask::Change(change, done) => self.change_queue(change, done).await,
            Ask::Interrupt(stop, done) => self.interrupt(stop, done).await,
            Ask::Answer { request, reply, by, done } => self.answer(request, reply, by, done).await,
            Ask::Select(selection, done) => self.select(selection, done).await,
            Ask::Restart(done) => {
                self.restart = true;
                let _ = done.send(Ok(()));
            }
            Ask::RawFrame(number, done) => {
                let _ = done.send(self.ring.get(number).cloned());
            }
            Ask::Close(done) => {
                self.goes_on = false;
                self.close(SessionEnd::Closed, None).await;
                let _ = done.send(Ok(()));
            }
            Ask::Kill(done) => {
                self.outlet.kill_all();
                self.stop_session(LadderStep::Kill).await;
                self.goes_on = false;
                let _ = done.send(Ok(()));
            }
        }
    }

    /// Gives the provider what was chosen. What it can't take in a running session is for the next one, and that is said; or
    /// it is refused in the words of its hint.
    async fn select(&mut self, selection: Pairs, done: Reply1<Applies>) {
        let mut restart = false;
        for (name, _) in &selection {
            let intent = match name.as_str() {
                "model" => Intent::SwitchModel,
                "mode" => Intent::SwitchMode,
                _ => continue,
            };
            match self.decides(intent) {
                Decision::Native => {}
                decision @ Decision::Degraded { strategy: Strategy::RestartAndResume, .. } => {
                    restart = true;
                    self.say_decision(None, intent, decision).await;
                }
                decision => {
                    let _ = done.send(Err(refused(&decision)));
                    return;
                }
            }
        }
        if restart {
            let _ = done.send(Ok(Applies::AfterRestart));
            return;
        }
        self.honesty.unsettled();
        let deadline = self.after(self.shared.limits.command_ms);
        let thread = self.native_thread.clone();
        let names = selection.iter().map(|(name, _)| name.clone()).collect();
        Box::pin(self.command(Purpose::Select(names, done), thread, CommandBody::SetSelection(selection), deadline))
            .await;
    }

    async fn interrupt(&mut self, stop: Stop, done: Reply1<()>) {
        if self.active.is_some() {
            let _ = done.send(self.stop_active(stop).await);
            return;
        }
        // What the provider has may begin yet; it can be stopped then.
        let cancelled = self.outbox.take_waiting();
        let answer = if cancelled.is_empty() { Err(AskError::NothingActive) } else { Ok(()) };
        for run in &cancelled {
            self.end_unstarted(run, None).await;
        }
        let _ = done.send(answer);
    }

    /// Begins to stop the run that is at work: asked of the provider, or by ending the session where that is all there is.
    pub(super) async fn stop_active(&mut self, stop: Stop) -> Result<(), AskError> {
        let Some(active) = &self.active else { return Err(AskError::NothingActive) };
        if active.ladder.is_some() {
            return Ok(());
        }
        let (run, intent) = (active.run.clone(), stop.intent());
        let decision = self.decides(intent);
        if decision != Decision::Native {
            self.say_decision(Some(run.clone()), intent, decision.clone()).await;
        }
        match decision {
            Decision::Native => self.ask_to_stop(run, stop, stop == Stop::TurnOnly).await,
            Decision::Degraded { strategy: Strategy::InterruptEverything, .. } => {
                self.ask_to_stop(run, stop, false).await;
            }
            Decision::Degraded { .. } => {
                self.normalizer.interrupting(&run);
                self.stop_session(LadderStep::CloseSession).await;
            }
            decision => return Err(refused(&decision)),
        }
        Ok(())
    }

    /// The first step: the provider is asked.
    async fn ask_to_stop(&mut self, run: RunId, stop: Stop, keep_background: bool) {
        self.normalizer.interrupting(&run);
        if let Some(active) = &mut self.active {
            let deadline = Instant::now() + Duration::from_millis(self.shared.limits.interrupt_ack_ms);
            active.ladder = Some(Ladder { step: LadderStep::Interrupt, stop, deadline });
        }
        let step = EventBody::InterruptStep { step: LadderStep::Interrupt, outcome: "sent".into() };
        self.say(Some(run.clone()), step).await;
        // The turn's own name where it has one: the next one is not meant.
        let turn = self.normalizer.open_turn(self.start.log.thread()).map(str::to_owned);
        let body = CommandBody::Interrupt(contract::Interrupt { turn, keep_background });
        let thread = self.native_thread.clone();
        let deadline = self.after(self.shared.limits.interrupt_ack_ms);
        Box::pin(self.command(Purpose::Interrupt(run), thread, body, deadline)).await;
        self.dismiss_requests(stop).await;
    }

    /// Requests that wait while the run is being stopped are closed; some providers end a turn only then.
    async fn dismiss_requests(&mut self, stop: Stop) {
        let open: Vec<RequestId> = match stop {
            Stop::Turn => self.normalizer.open_requests().iter().map(|request| request.id.clone()).collect(),
            Stop::TurnOnly => self.normalizer.requests_of_turn(self.start.log.thread()),
        };
        if !open.is_empty() {
            let run = self.active.as_ref().map(|active| active.run.clone());
            let (step, outcome) = (LadderStep::DismissRequests, format!("{} dismissed", open.len()));
            self.say(run, EventBody::InterruptStep { step, outcome }).await;
        }
        for request in open {
            let asked = self.asked(&request);
            if let Ok(answer) = self.normalizer.answer(&request, Reply::Dismissed, "interrupt") {
                self.send_answer(request, asked, answer, "interrupt", None).await;
            }
        }
    }

    pub(super) async fn interrupt_answered(&mut self, run: &RunId, outcome: Result<(), Fault>) {
        if self.active.as_ref().is_none_or(|active| active.run != *run) {
            return;
        }
        match outcome {
            Ok(()) => {
                if let Some(ladder) = self.active.as_mut().and_then(|active| active.ladder.as_mut()) {
                    ladder.deadline = Instant::now() + Duration::from_millis(self.shared.limits.interrupt_end_ms);
                }
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
        self.doubt(vec![interrupt_failed()]).await;
        self.stop_session(LadderStep::CloseSession).await;
    }

    /// The last step: the session goes, the thread stays, and what waits goes on in the next one. Its channels end on their own ladder (stdin, TERM, KILL).
    async fn stop_session(&mut self, step: LadderStep) {
        if let Some(active) = &self.active {
            let (run, stop) = (active.run.clone(), active.ladder.as_ref().map(|ladder| ladder.stop));
            self.normalizer.interrupting(&run);
            if stop == Some(Stop::TurnOnly) {
                self.say_decision(Some(run.clone()), Intent::InterruptTurnOnly, background_lost()).await;
            }
            self.say(Some(run), EventBody::InterruptStep { step, outcome: "the session is ended".into() }).await;
        }
        self.goes_on = true;
        self.ending.get_or_insert(SessionEnded::new(SessionEnd::Closed, None));
    }

    pub(super) async fn answer(&mut self, request: RequestId, reply: Reply, by: String, done: Reply1<()>) {
        if self.normalizer.awaits(&request) {
            return self.hold_answer(request, reply, by, done);
        }
        let asked = self.asked(&request);
        if let Some(refusal) = asked.as_ref().and_then(|asked| self.against_a_rule(asked, &reply)) {
            let _ = done.send(Err(refusal));
            return;
        }
        match self.normalizer.answer(&request, reply, &by) {
            Ok(answer) => self.send_answer(request, asked, answer, &by, Some(done)).await,
            Err(error) => {
                let _ = done.send(Err(error.into()));
            }
        }
    }

    /// The rule that stands against an answer: it forbids the input as it was edited, or the provider would stop asking for
    /// what it forbids.
    fn against_a_rule(&mut self, asked: &Request, reply: &Reply) -> Option<AskError> {
        let granted = Granted::of(asked, reply);
        let native = self.normalizer.native_request(&asked.id)?.to_owned();
        let denied = granted.edited_input.as_ref().and_then(|input| self.outlet.denies_edit(&native, input));
        if let Some(rule) = denied {
            self.note("answer", &rule, serde_json::json!({ "request": asked.id, "edited": true, "taken": false }));
            return Some(AskError::Rule(format!("the edited input is what the rule '{rule}' forbids")));
        }
        let outlived = self.outlet.outlived(&native).filter(|_| granted.lasts())?.text();
        Some(AskError::Rule(format!(
            "the provider would no longer ask for what the rule '{outlived}' forbids: allow it once"
        )))
    }

    pub(super) fn asked(&self, request: &RequestId) -> Option<Request> {
        self.normalizer.open_requests().into_iter().find(|open| open.id == *request).cloned()
    }

    /// The answer was checked against what the provider offered; the guard is told what may leave, then the plugin translates it.
    pub(super) async fn send_answer(
        &mut self,
        request: RequestId,
        asked: Option<Request>,
        answer: contract::Answer,
        by: &str,
        waiting: Option<Reply1<()>>,
    ) {
        let granted = asked.map(|asked| Granted::of(&asked, &answer.reply)).unwrap_or_default();
        self.honesty.answered(&answer.request, granted.always);
        if granted.always {
            self.remember_allowance().await;
        }
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
            self.request_answered(request, waiting, Err(cause)).await;
            return;
        }
        self.outlet.guards().authorize(
            &answer.request,
            Authorization { allow: granted.allows, always: granted.always, edited_input: granted.edited_input },
        );
        // The provider goes on from here: how long the person took is not its silence.
        self.watch.sent();
        let deadline = self.after(self.shared.limits.command_ms);
        let purpose = Purpose::Respond(request, waiting);
        let thread = self.native_thread.clone();
        self.command(purpose, thread, CommandBody::Respond(answer), deadline).await;
    }

    pub(super) async fn request_answered(
        &mut self,
        request: RequestId,
        waiting: Option<Reply1<()>>,
        outcome: Result<(), Fault>,
    ) {
        match &outcome {
            Ok(()) => drop(self.ruled.remove(&request)),
            Err(_) => self.rule_failed(&request),
        }
        let told = self.normalizer.answered(&request, outcome.clone());
        self.emit(told).await;
        // What is acknowledged is in the store: a host that dies now has not forgotten it.
        if let Some(waiting) = waiting {
            let _ = waiting.send(outcome.map_err(AskError::Fault));
        }
    }

    pub(super) async fn command_overdue(&mut self, purpose: Purpose) {
        let late = fault(
            FaultKind::Timeout,
            format!("the plugin did not answer '{}' within {} ms", purpose.name(), self.shared.limits.command_ms),
        );
        match purpose {
            Purpose::Respond(request, waiting) => {
                // What is written counts, whatever the plugin has yet to say; what is not must not come after all.
                let native = self.normalizer.native_request(&request).unwrap_or_default().to_owned();
                let written = self.outlet.guards().is_answered(&native);
                self.outlet.guards().revoke(&native);
                self.request_answered(request, waiting, if written { Ok(()) } else { Err(late) }).await
            }
            Purpose::Select(_, waiting) => {
                let _ = waiting.send(Err(AskError::Fault(late)));
            }
            Purpose::Operate(_, waiting) => {
                let _ = waiting.send(Err(AskError::Fault(late)));
            }
            Purpose::Start
            | Purpose::McpServers
            | Purpose::HostTools
            | Purpose::OpenThread
            | Purpose::Send(..)
            | Purpose::Hand(..)
            | Purpose::Interrupt(_) => {}
        }
    }

    fn after(&self, ms: u64) -> Option<Instant> {
        Some(Instant::now() + Duration::from_millis(ms))
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

/// Whoever still waits for a command learns that the session is over.
pub(super) fn answer_ended(pending: Pending) {
    match pending.purpose {
        Purpose::Respond(id, Some(waiting)) => {
            let _ = waiting.send(Err(AskError::Answer(AnswerError::Expired { id })));
        }
        Purpose::Select(_, waiting) => {
            let _ = waiting.send(Err(AskError::Ended));
        }
        Purpose::Operate(_, waiting) => {
            let _ = waiting.send(Err(AskError::Ended));
        }
        _ => {}
    }
}
