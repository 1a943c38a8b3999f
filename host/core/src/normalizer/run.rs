//! How runs begin and end. **A run ends once, and its end carries a balanced ledger.**

use super::judge::{End, lost};
use super::report::{How, Where};
use super::thread::{HandedState, RunState, Slot};
use super::{BeginRun, JoinedRun, Normalizer, SessionEnded, clean};
use crate::contract::{Content, Fault, FaultKind, Status};
use crate::event::{AttemptReason, Correlation, EventBody, Item, ItemBody, Resolution, RunStatus, SessionEnd};
use crate::id::{AttemptId, ItemId, RunId};
use crate::identity::{Mark, TurnKey};
use crate::policy::{Intent, Strategy};

/// The words of a message, as an echo would repeat them.
pub(super) fn words(content: &[Content]) -> String {
    crate::expert::rewritten(content)
        .iter()
        .filter_map(|part| if let Content::Text(text) = part { Some(text.as_str()) } else { None })
        .collect()
}

impl Normalizer {
    pub(super) fn run_begins(&mut self, begin: BeginRun) {
        self.now = self.now.max(begin.at_ms);
        let t = self.thread_or_new(&begin.thread);
        if self.threads.iter().any(|thread| thread.run(&begin.run).is_some()) {
            return self.tally("run-begun-again");
        }
        self.end_history(t);
        self.close_late(t, false);
        self.end_unannounced(t);
        self.threads[t].handed.retain(|handed| handed.run != begin.run);
        self.threads[t].runs.push(RunState::begins(begin.run.clone(), begin.op, words(&begin.content)));
        let place = Where { run: Some(begin.run.clone()), ..Where::default() };
        self.emit(t, place.clone(), How::TOLD, EventBody::RunUpdated { status: RunStatus::Starting });
        self.begin_attempt(t, &begin.run, 1, begin.attempt);
        let key = TurnKey::Run(begin.run.as_str().to_owned());
        let digits = self.scope.mint(&self.threads[t].id, &key, "item/user", &Mark::Ordinal(1));
        if let Some(run) = self.threads[t].run_mut(&begin.run) {
            run.ordinals = 1;
        }
        self.show_user(t, place, digits, 1, begin.content);
    }

    /// A run's message is given to the provider, for the first time or again.
    pub(super) fn begin_attempt(&mut self, t: usize, run: &RunId, number: u32, reason: AttemptReason) {
        let key = TurnKey::Run(run.as_str().to_owned());
        let digits = self.scope.mint(&self.threads[t].id, &key, "attempt", &Mark::Ordinal(number));
        let place = Where { run: Some(run.clone()), ..Where::default() };
        let attempt = AttemptId::from_digits(&digits);
        self.emit(t, place, How::TOLD, EventBody::AttemptStarted { attempt, reason });
    }

    pub(super) fn handed(&mut self, t: usize, run: &RunId, op: u32, content: &[Content]) {
        let kept = self.limits.ended_kept as usize;
        let handed = &mut self.threads[t].handed;
        if handed.len() >= kept {
            handed.pop_front();
        }
        handed.push_back(HandedState { run: run.clone(), op, words: words(content), echoed: false });
    }

    /// A message that was put into the open turn: an item there; its run has nothing more to come.
    pub(super) fn run_joins(&mut self, t: usize, joined: JoinedRun) {
        let mark = Mark::Strong(joined.run.as_str());
        let state = &mut self.threads[t];
        // A message that was handed over as a run of its own has shown itself.
        let known = state.runs.iter().position(|run| run.id == joined.run);
        let run = known.map(|at| state.runs.remove(at));
        let begun = run.is_some();
        let slot = if state.open.is_some() { Slot::Open } else { Slot::Ended(state.ended.len().saturating_sub(1)) };
        let thread = state.id.clone();
        let into =
            state.turn(slot).and_then(|turn| turn.run.clone()).or(joined.into).filter(|into| *into != joined.run);
        if let (Some(turn), false) = (state.turn_mut(slot), begun) {
            let ordinal = turn.next_ordinal();
            let place = Where { run: Some(joined.run.clone()), turn: Some(turn.id.clone()), parent: None };
            let digits = self.scope.mint(&thread, &turn.key, "item/steer", &mark);
            self.show_user(t, place, digits, ordinal, joined.content);
        }
        let correlation = joined.inferred.then_some(Correlation::Inferred);
        let run = run.unwrap_or_else(|| RunState::begins(joined.run.clone(), 0, String::new()));
        let place = Where { run: Some(joined.run), ..Where::default() };
        let body = EventBody::RunEnded {
            status: run.ends(RunStatus::Completed),
            reason: Some("joined".into()),
            fault: None,
            background: false,
            joined: into,
            ledger: self.ledger.counts(),
        };
        self.emit(t, place, How { correlation, ..How::TOLD }, body);
    }

    fn show_user(&mut self, t: usize, place: Where, digits: String, ordinal: u32, content: Vec<Content>) {
        let body = ItemBody::UserMessage { typed: true, content };
        let item = Item {
            id: ItemId::from_digits(&digits),
            native_id: None,
            mark: None,
            ordinal,
            status: Status::Completed,
            body,
            at_ms: None,
            facts: Vec::new(),
        };
        let how = How { correlation: Some(Correlation::Strong), ..How::TOLD };
        self.emit(t, place.clone(), how, EventBody::ItemStarted { item: item.clone() });
        self.emit(t, place, how, EventBody::ItemEnded { item });
    }

    /// The provider never took it, or it was dropped: everything of it ends.
    pub(super) fn run_ends_early(&mut self, id: &RunId, status: RunStatus, fault: Option<Fault>) {
        let Some(t) = self.threads.iter().position(|thread| thread.run(id).is_some()) else { return };
        let fault = fault.map(|mut fault| {
            clean::fault(&mut fault, &self.limits);
            fault
        });
        let interrupted = self.threads[t].run(id).is_some_and(|run| run.interrupted);
        let status = if interrupted && status == RunStatus::Failed { RunStatus::Interrupted } else { status };
        let turn_status = match status {
            RunStatus::Interrupted => Status::Interrupted,
            RunStatus::Cancelled => Status::Cancelled,
            _ => Status::Failed,
        };
        let requests = if interrupted { Resolution::Dismissed } else { Resolution::Withdrawn };
        if self.threads[t].open.as_ref().is_some_and(|turn| turn.run.as_ref() == Some(id)) {
            let end = End {
                status: turn_status,
                run_status: status,
                reason: None,
                fault,
                background: false,
                mark: None,
                how: How::MADE,
                items: None,
                requests,
                holds: false,
            };
            return self.finish_turn(t, end);
        }
        self.resolve_requests(&requests, |_, place| place.run.as_ref() == Some(id));
        self.end_run(t, id, status, None, fault, false);
    }

    pub(super) fn end_run(
        &mut self,
        t: usize,
        id: &RunId,
        status: RunStatus,
        reason: Option<String>,
        fault: Option<Fault>,
        background: bool,
    ) {
        let runs = &mut self.threads[t].runs;
        let Some(at) = runs.iter().position(|run| run.id == *id) else { return };
        let mut run = runs.remove(at);
        let reason = reason.or_else(|| run.held_reason.take().filter(|_| status == RunStatus::Failed));
        let status = run.ends(status);
        let ledger = self.ledger.counts();
        let place = Where { run: Some(id.clone()), ..Where::default() };
        self.emit(t, place, How::TOLD, EventBody::RunEnded { status, reason, fault, background, joined: None, ledger });
    }

    /// Everything ends with the session, by the evidence there is.
    pub(super) fn session_ends(&mut self, mut ended: SessionEnded) {
        clean::ended(&mut ended, &self.limits);
        self.deliver_all_held();
        self.leave_requests(None);
        let fault = why(&ended);
        for t in self.served() {
            self.thread_ends(t, &ended, &fault);
        }
        // Every turn has told its frames by now: the rest belongs to none.
        for t in self.served() {
            self.session_ended(t, &ended);
        }
    }

    /// Everything of one thread ends, but for the word that its session did.
    pub(super) fn thread_ends(&mut self, t: usize, ended: &SessionEnded, fault: &Fault) {
        self.end_history(t);
        self.tasks_at_session_end(t);
        let how = How { correlation: Some(Correlation::Inferred), ..How::MADE };
        let mut end = self.end_without_word(t, fault.clone(), how);
        // Such a provider's program says it all by ending well.
        let says_nothing = !self.handling.native(Intent::EndTurn)
            || self.handling.strategy(Intent::JudgeTurn) == Some(Strategy::FromProcess);
        if says_nothing && ended.exit_code == Some(0) && ended.fault.is_none() && end.run_status == RunStatus::Failed {
            (end.status, end.run_status, end.items, end.fault) = (Status::Completed, RunStatus::Completed, None, None);
        } else if end.status == Status::Unknown {
            end.status = Status::Failed;
        }
        end.requests = Resolution::Expired;
        self.finish_turn(t, end);
        self.resolve_requests(&Resolution::Expired, |_, place| place.thread == t);
        let rest: Vec<_> = self.threads[t].runs.iter().map(|run| run.id.clone()).collect();
        for run in rest {
            let held = self.threads[t].run_mut(&run).and_then(|run| run.held.take());
            self.run_ends_early(&run, RunStatus::Failed, Some(held.unwrap_or_else(|| fault.clone())));
        }
        for at in 0..self.threads[t].ended.len() {
            self.close_items(t, Slot::Ended(at), |_| Status::Unknown, true);
        }
    }

    /// That its session ended is a thread's last word.
    pub(super) fn session_ended(&mut self, t: usize, ended: &SessionEnded) {
        let body = EventBody::SessionEnded {
            session: self.scope.of(&self.threads[t].id).session.clone(),
            reason: ended.end,
            fault: ended.fault.clone(),
            exit_code: ended.exit_code,
            signal: ended.signal,
            stderr_tail: ended.stderr_tail.clone(),
            ledger: Some(self.ledger()),
            outside: Some(self.ledger.outside()),
        };
        self.emit(t, Where::default(), How::TOLD, body);
    }
}

/// Why runs fail when their session ends.
pub(super) fn why(ended: &SessionEnded) -> Fault {
    let mut fault = ended.fault.clone().unwrap_or_else(|| match ended.end {
        SessionEnd::Closed => Fault {
            kind: FaultKind::Cancelled,
            ..lost("the session was closed before the run ended; resume the thread to go on")
        },
        SessionEnd::ProviderExited => Fault {
            kind: FaultKind::Internal,
            ..lost(&format!(
                "the provider's program ended{} before the run did; resume the thread to go on",
                exit_words(ended)
            ))
        },
        SessionEnd::PluginFailed => Fault {
            kind: FaultKind::Internal,
            ..lost("the plugin broke before the run ended; resume the thread to go on")
        },
        SessionEnd::StartFailed => {
            Fault { kind: FaultKind::Internal, ..lost("the session could not be started; run `jackfield doctor`") }
        }
        SessionEnd::HostDied => {
            Fault { kind: FaultKind::Internal, ..lost("the host ended before the run did; resume the thread to go on") }
        }
    });
    let told = |fault: &Fault, name: &str| fault.extra.iter().any(|(known, _)| known == name);
    let numbers = [("exit-code", ended.exit_code), ("signal", ended.signal)];
    for (name, number) in numbers {
        if let Some(number) = number.filter(|_| !told(&fault, name)) {
            fault.extra.push((name.to_owned(), number.to_string()));
        }
    }
    if !ended.stderr_tail.is_empty() && !told(&fault, "stderr-tail") {
        fault.extra.push(("stderr-tail".to_owned(), ended.stderr_tail.clone()));
    }
    fault
}

fn exit_words(ended: &SessionEnded) -> String {
    match (ended.exit_code, ended.signal) {
        (Some(code), _) => format!(" with exit code {code}"),
        (None, Some(signal)) => format!(" by signal {signal}"),
        (None, None) => String::new(),
    }
}
