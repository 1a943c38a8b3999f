//! What clients ask for through a seat, and commands that were not answered in time. Messages are in `outgoing`, answers in
//! `answers`, interrupts in `ladder`.

use super::ask::{Ask, AskError, Reply1};
use super::ops::{Pending, Purpose};
use super::outgoing::refused;
use super::outlet::fault;
use super::task::Task;
use jackfield_core::contract::{Applies, CommandBody, FaultKind, Pairs};
use jackfield_core::event::{LadderStep, SessionEnd};
use jackfield_core::policy::{Decision, Intent, Strategy};
use jackfield_core::requests::AnswerError;
use std::time::Duration;
use tokio::time::Instant;

impl Task {
    pub(super) async fn take_ask(&mut self, at: usize, ask: Ask) {
        match ask {
            Ask::Send(run, delivery, done) => self.take_message(at, run, delivery, done).await,
            Ask::May(delivery, needs, done) => {
                let may = self.first_not_native(needs).map_or(Ok(()), |decision| Err(refused(&decision)));
                let _ = done.send(may.and_then(|()| self.way_of(at, delivery).map(drop)));
            }
            Ask::Operate(operation, done) => self.operate(at, operation, done).await,
            Ask::Queue(done) => {
                let _ = done.send(self.seats[at].outbox.list());
            }
            Ask::Change(change, done) => self.change_queue(at, change, done).await,
            Ask::Interrupt(stop, done) => self.interrupt(at, stop, done).await,
            Ask::Answer { request, reply, by, done } => self.answer(at, request, reply, by, done).await,
            Ask::Select(selection, done) => self.select(at, selection, done).await,
            Ask::Authenticate(method, done) => self.authenticate(at, method, None, done).await,
            Ask::Restart(done) => {
                self.seats[at].restart = true;
                let _ = done.send(Ok(()));
            }
            Ask::RawFrame(number, done) => {
                let _ = done.send(self.ring.get(number).cloned());
            }
            Ask::Close(done) => {
                self.seats[at].goes_on = false;
                self.leave(at, SessionEnd::Closed).await;
                let _ = done.send(Ok(()));
            }
            Ask::Kill(done) => {
                // What others are at work on is not killed with it.
                if self.is_last(at) {
                    self.outlet.kill_all();
                    self.stop_session(at, LadderStep::Kill).await;
                } else {
                    self.leave_now(at).await;
                }
                self.seats[at].goes_on = false;
                let _ = done.send(Ok(()));
            }
        }
    }

    /// Gives the provider what was chosen. What it can't take in a running session is for the next one, and that is said; or
    /// it is refused in the words of its hint.
    async fn select(&mut self, at: usize, selection: Pairs, done: Reply1<Applies>) {
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
                    self.say_decision(at, None, intent, decision).await;
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
        let thread = self.seats[at].native.clone();
        let names = selection.iter().map(|(name, _)| name.clone()).collect();
        Box::pin(self.command(
            at,
            Purpose::Select(names, done),
            thread,
            CommandBody::SetSelection(selection),
            deadline,
        ))
        .await;
    }

    pub(super) async fn command_overdue(&mut self, at: usize, purpose: Purpose) {
        let (within, limit) = purpose.within(&self.shared.limits);
        let late = fault(
            FaultKind::Timeout,
            format!("the plugin did not answer '{}' within {within} ms (limit {limit})", purpose.name()),
        );
        match purpose {
            Purpose::Respond(request, waiting) => {
                // What is written counts, whatever the plugin has yet to say; what is not must not come after all.
                let native = self.normalizer.native_request(&request).unwrap_or_default().to_owned();
                let written = self.outlet.guards().is_answered(&native);
                self.outlet.guards().revoke(&native);
                self.request_answered(request, waiting, if written { Ok(()) } else { Err(late) }).await
            }
            Purpose::Authenticate(request, done) => self.authenticated(at, request, done, Err(late)).await,
            Purpose::Select(_, waiting) => {
                let _ = waiting.send(Err(AskError::Fault(late)));
            }
            Purpose::Operate(operation, waiting) => {
                if operation.replays() {
                    let told = self.normalizer.end_replay(&self.seats[at].thread().clone());
                    self.emit(told).await;
                }
                let _ = waiting.send(Err(AskError::Fault(late)));
            }
            // Of a further thread: the first one's is the handshake's affair.
            Purpose::OpenThread => self.seat_failed(at, late).await,
            Purpose::CloseThread(session) => self.let_go(at, &session).await,
            Purpose::Start
            | Purpose::McpServers
            | Purpose::HostTools
            | Purpose::LetGo
            | Purpose::Send(..)
            | Purpose::Hand(..)
            | Purpose::Interrupt(_) => {}
        }
    }

    pub(super) fn after(&self, ms: u64) -> Option<Instant> {
        Some(Instant::now() + Duration::from_millis(ms))
    }
}

/// Whoever still waits for a command learns that the session is over.
pub(super) fn answer_ended(pending: Pending) {
    match pending.purpose {
        Purpose::Respond(id, Some(waiting)) => {
            let _ = waiting.send(Err(AskError::Answer(AnswerError::Expired { id })));
        }
        Purpose::Authenticate(_, waiting) => {
            let _ = waiting.send(Err(AskError::Ended));
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
