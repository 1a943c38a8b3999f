//! The loop of a session: takes what comes, makes batches, gives them to the plugin.

use super::diagnostics::Diagnostics;
use super::ops::{Ops, Purpose};
use super::outlet::{Outlet, fault};
use super::ring::Ring;
use super::rules::RuleAnswer;
use super::survivors::Survivors;
use super::tools::HostTools;
use super::watch::Watch;
use super::{Ask, Left, NewRun, Operation, Outcome, Reply1, SessionStart, Shared, Standing};
use crate::clock;
use crate::journal::{Entry, Journal};
use crate::process::ChannelEvent;
use crate::store::StoreError;
use jackfield_core::capability::{CapabilityView, Staged};
use jackfield_core::contract::{
    ChannelExit, Command, CommandBody, ContextPart, EffectResult, Fault, FaultKind, Input, Tick,
};
use jackfield_core::event::SessionEnd;
use jackfield_core::honesty::Honesty;
use jackfield_core::id::{RequestId, RunId};
use jackfield_core::normalizer::{Disposed, Normalizer, SessionEnded, SessionScope, clean_fault};
use jackfield_core::outbox::Outbox;
use jackfield_core::run_limits::RunGuard;
use jackfield_sandbox::{CallError, Session};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch as watched};
use tokio::time::Instant;

/// How far the session has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The plugin and the provider's program are getting ready.
    Starting,
    /// Takes messages.
    Ready,
    /// Everything is being ended; what still comes is taken in.
    Closing,
    /// Over.
    Ended,
}

/// The run that the provider is at work on.
pub(super) struct Active {
    pub(super) run: RunId,
    pub(super) ladder: Option<super::asks::Ladder>,
}

pub(super) struct Task {
    pub(super) start: SessionStart,
    pub(super) shared: Arc<Shared>,
    pub(super) plugin: Session,
    pub(super) normalizer: Normalizer,
    pub(super) capabilities: Staged,
    pub(super) journal: Journal,
    pub(super) outlet: Outlet,
    pub(super) ops: Ops,
    /// Messages that have not begun.
    pub(super) outbox: Outbox,
    /// The runs that were last said to wait.
    pub(super) said_queue: Vec<RunId>,
    /// What waits at the session's end goes on in the next one.
    pub(super) goes_on: bool,
    pub(super) left: Left,
    pub(super) active: Option<Active>,
    /// The next message waits until then for late words of the turn before.
    pub(super) free_at: Option<Instant>,
    pub(super) phase: Phase,
    /// Holds what the provider does against what it declares.
    pub(super) honesty: Honesty,
    /// A turn ended after our interrupt, and that is not entered yet.
    pub(super) interrupt_held: bool,
    /// The thread is made with its first message, which is not held back until it is there.
    pub(super) opens_with_message: bool,
    /// Context that goes with the first message.
    pub(super) first_context: Vec<ContextPart>,
    pub(super) watch: Watch,
    pub(super) run_guard: RunGuard,
    pub(super) tools: HostTools,
    /// Answers that rules and the host itself give, not yet sent.
    pub(super) by_rule: VecDeque<RuleAnswer>,
    /// The rules that were said to be held by nothing; `None` before the start has come so far.
    pub(super) rules_said: Option<BTreeSet<String>>,
    /// Requests that a rule has answered, and which.
    pub(super) ruled: HashMap<RequestId, String>,
    pub(super) survivors: Survivors,
    pub(super) diagnostics: Diagnostics,
    pub(super) native_thread: Option<String>,
    /// The provider has given a cursor.
    pub(super) resumable: bool,
    pub(super) store_health: watched::Receiver<Option<StoreError>>,
    /// Ends the session with this once the batch is through.
    pub(super) ending: Option<SessionEnded>,
    pub(super) view: watched::Sender<Option<CapabilityView>>,
    /// What was set applies in the session that follows: it begins once nothing is at work in this one.
    pub(super) restart: bool,
    /// Asked for before the thread was open.
    pub(super) later: VecDeque<(Operation, Reply1<Outcome>)>,
    pub(super) standing: watched::Sender<Standing>,
    /// What the host itself has for the plugin's next batch.
    pub(super) feed: VecDeque<Input>,
    pub(super) inbox: mpsc::Receiver<Ask>,
    /// Asked while the session ended; dropped with it, so that nobody begins another one before this one is over.
    pub(super) unheard: Vec<Ask>,
    pub(super) channel_events: mpsc::Receiver<ChannelEvent>,
    pub(super) results: mpsc::UnboundedReceiver<EffectResult>,
    pub(super) ring: Ring,
    pub(super) frames: u64,
    /// Wishes that were refused.
    pub(super) refusals: u64,
    pub(super) calls: u32,
    pub(super) last_now_ms: f64,
    pub(super) last_exit: Option<ChannelExit>,
}

impl Task {
    #[allow(clippy::too_many_arguments)] // The ends of the channels that its handle has.
    pub(super) fn new(
        start: SessionStart,
        shared: Arc<Shared>,
        plugin: Session,
        first: Vec<NewRun>,
        left: Left,
        inbox: mpsc::Receiver<Ask>,
        view: watched::Sender<Option<CapabilityView>>,
        standing: watched::Sender<Standing>,
    ) -> Task {
        let limits = shared.limits.clone();
        let (frame_sender, channel_events) = mpsc::channel(limits.read_queue_frames as usize);
        let (result_sender, results) = mpsc::unbounded_channel();
        let scope = SessionScope {
            instance: start.instance.name.clone(),
            session: start.session.clone(),
            epoch: start.epoch,
            thread: start.log.thread().clone(),
        };
        Task {
            normalizer: Normalizer::new(scope, &limits),
            capabilities: Staged::new(start.generation.descriptor().declared.clone()),
            journal: Journal::new(&shared.spill_folder, &limits),
            outlet: Outlet::new(&start, shared.clone(), frame_sender, result_sender),
            ops: Ops::default(),
            outbox: Outbox::of(first),
            said_queue: Vec::new(),
            goes_on: false,
            left,
            active: None,
            free_at: None,
            phase: Phase::Starting,
            honesty: Honesty::new(&limits),
            interrupt_held: false,
            opens_with_message: false,
            first_context: Vec::new(),
            watch: Watch::new(&limits),
            run_guard: RunGuard::new(start.instance.limits),
            tools: HostTools::default(),
            by_rule: VecDeque::new(),
            rules_said: None,
            ruled: HashMap::new(),
            survivors: Survivors::default(),
            diagnostics: Diagnostics::new(&limits),
            native_thread: start.native_id.clone(),
            resumable: start.cursor.is_some(),
            store_health: shared.store.health(),
            ending: None,
            view,
            restart: false,
            later: VecDeque::new(),
            standing,
            feed: VecDeque::new(),
            inbox,
            unheard: Vec::new(),
            channel_events,
            results,
            ring: Ring::new(limits.raw_ring_bytes),
            frames: 0,
            refusals: 0,
            calls: 0,
            last_now_ms: 0.0,
            last_exit: None,
            start,
            shared,
            plugin,
        }
    }

    /// Runs until the session is over and every process of it is gone. Each round feeds the plugin once at most, so that
    /// one that asks for something in every answer can't keep a client's word or a deadline from being heard.
    pub(super) async fn run(mut self) {
        let thread = self.start.log.thread().clone();
        // A store that can't be read ends the session by its own way; a turn's number is not worth a word.
        let last = self.shared.store.last_turn(&thread).await.unwrap_or(0);
        self.normalizer.count_turns_from(&thread, last);
        self.normalizer.await_again(self.start.survivors.clone());
        self.begin().await;
        loop {
            self.watch_deadlines().await;
            self.answer_by_rule().await;
            self.settle().await;
            self.operate_later().await;
            self.answer_survivors().await;
            self.interrupt_held().await;
            self.tell_standing();
            match self.phase {
                Phase::Ended => break,
                _ if self.ending.is_some() => continue,
                _ => {}
            }
            let deadline = self.next_deadline();
            tokio::select! {
                biased;
                ask = self.inbox.recv() => match ask {
                    Some(ask) => self.take_ask(ask).await,
                    // Nobody holds the session any more.
                    None => self.close(SessionEnd::Closed, None).await,
                },
                Some(result) = self.results.recv() => self.feed.push_back(Input::EffectDone(result)),
                // What the host has for the plugin is older.
                Some(event) = self.channel_events.recv(), if self.feed.is_empty() => self.take_channel(event).await,
                () = sleep_until(deadline) => {}
            }
        }
    }

    /// Carries out an end that was decided meanwhile; else feeds the plugin what the host has for it, or the next message.
    async fn settle(&mut self) {
        if let Some(ended) = self.ending.take() {
            self.end(ended).await;
        } else if self.feed.is_empty() {
            if self.journal.is_full() && self.is_quiet() {
                // The thread goes on with its next message in a session of its own, on the provider's cursor.
                self.close(SessionEnd::Closed, None).await;
                return;
            }
            if self.restarts() && self.is_idle() {
                self.goes_on = true;
                self.close(SessionEnd::Closed, None).await;
                return;
            }
            self.next_run().await;
        } else {
            let inputs: Vec<_> = self.feed.drain(..).collect();
            let frames = vec![None; inputs.len()];
            self.batch(inputs, frames).await;
        }
    }

    pub(super) fn tell_standing(&self) {
        let now = Standing {
            at_work: self.active.is_some() || self.normalizer.has_open_turn(),
            waiting: self.outbox.len(),
            background: self.normalizer.roster().len(),
        };
        self.standing.send_if_modified(|told| std::mem::replace(told, now) != now);
    }

    /// The next session takes this one's place as soon as it can: there is a way back to the conversation.
    pub(super) fn restarts(&self) -> bool {
        self.restart && self.resumable
    }

    /// The provider is at work on nothing of ours.
    pub(super) fn is_idle(&self) -> bool {
        let at_work = self.active.is_some() || self.outbox.has_handed() || self.normalizer.has_open_turn();
        self.phase == Phase::Ready && !at_work
    }

    /// Nothing is open, nothing waits, and there is a way back to the conversation.
    fn is_quiet(&self) -> bool {
        let idle = self.phase == Phase::Ready && self.active.is_none() && self.outbox.is_empty();
        idle && self.resumable && !self.normalizer.has_open_turn() && self.normalizer.roster().is_empty()
    }

    /// Has the plugin told something at the next opportunity.
    pub(super) fn feed(&mut self, input: Input) {
        self.feed.push_back(input);
    }

    /// Gives the plugin a command, alone in its batch. Returns its number.
    pub(super) async fn command(
        &mut self,
        purpose: Purpose,
        thread: Option<String>,
        body: CommandBody,
        deadline: Option<Instant>,
    ) -> u32 {
        let op = self.ops.open(purpose, deadline);
        let command = Command { op, thread, body };
        self.batch(vec![Input::Command(command)], vec![None]).await;
        op
    }

    /// One batch in, all its outputs out and accepted, in order.
    pub(super) async fn batch(&mut self, inputs: Vec<Input>, frames: Vec<Option<u64>>) {
        let at = self.tick();
        // A copy: the bindings consume what the plugin is given.
        let entry = Entry::Batch { at: at.clone(), inputs: inputs.clone() };
        if let Err(error) = self.journal.append(entry) {
            self.broken(fault(
                FaultKind::Internal,
                format!(
                    "the session's journal could not be written ({error}); free some space in the temporary folder"
                ),
            ));
            return;
        }
        let count = inputs.len();
        let outputs = self.plugin.handle(at, inputs).await;
        tracing::trace!(session = %self.start.session, inputs = count, outputs = outputs.as_ref().map_or(0, Vec::len), "batch");
        for (level, text) in self.plugin.take_log() {
            self.plugin_said(level, &text).await;
        }
        match outputs {
            Ok(outputs) => {
                for caused in outputs {
                    if self.store_is_broken() {
                        break;
                    }
                    let frame = frames.get(caused.cause as usize).copied().flatten();
                    self.release(frame, caused.output).await;
                }
                let rest = self.normalizer.end_batch();
                self.emit(rest).await;
            }
            Err(error) => self.plugin_failed(&error, &frames),
        }
    }

    fn tick(&mut self) -> Tick {
        self.last_now_ms = self.last_now_ms.max(clock::now_ms() as f64);
        self.calls += 1;
        Tick { now_ms: self.last_now_ms, seq: self.calls - 1 }
    }

    /// The plugin broke. This session is over; the thread can be resumed, and no other session notices.
    fn plugin_failed(&mut self, error: &CallError, frames: &[Option<u64>]) {
        let numbers: Vec<u64> = frames.iter().copied().flatten().collect();
        let about = match (numbers.first(), numbers.last()) {
            (Some(first), Some(last)) if first == last => format!("frame {first}"),
            (Some(first), Some(last)) => format!("frames {first} to {last}"),
            _ => "a command of the host".to_owned(),
        };
        self.note("trap", error.code(), serde_json::json!({ "about": about, "message": error.to_string() }));
        self.decided("plugin_failed", numbers.first().copied().unwrap_or(0), error.code());
        for number in &numbers {
            self.ring.disposed(*number, &Disposed::Skipped);
            self.normalizer.dispose(*number, Disposed::Skipped);
        }
        let mut fault = match error {
            CallError::Fault { fault, .. } => fault.clone(),
            other => fault(FaultKind::Internal, other.to_string()),
        };
        fault.message = format!("{} (at {about}; the thread can be resumed)", fault.message);
        fault.code = Some(error.code().to_owned());
        self.broken(fault);
    }

    pub(super) fn broken(&mut self, fault: Fault) {
        self.ending = Some(SessionEnded::new(SessionEnd::PluginFailed, Some(fault)));
    }

    /// Begins an orderly end: the plugin says its last words, then every channel ends, each step bounded.
    pub(super) async fn close(&mut self, end: SessionEnd, fault: Option<Fault>) {
        if matches!(self.phase, Phase::Closing | Phase::Ended) {
            return;
        }
        self.batch(vec![Input::Close], vec![None]).await;
        self.ending.get_or_insert(SessionEnded::new(end, fault));
    }

    /// Ends the session: processes first, so that nothing of them follows the end, then everything that is open is closed.
    /// What is asked meanwhile is never answered: whoever asked learns that the session is over, and may begin another.
    async fn end(&mut self, mut ended: SessionEnded) {
        if self.phase == Phase::Ended {
            return;
        }
        self.phase = Phase::Closing;
        if ended.end == SessionEnd::PluginFailed {
            self.outlet.kill_all();
        } else {
            self.outlet.end_all();
        }
        self.drain_channels().await;
        self.explain_by_exit(&mut ended);
        if let (None, Some(exit)) = (ended.exit_code, &self.last_exit)
            && ended.signal.is_none()
        {
            ended.exit_code = exit.code;
            ended.signal = exit.signal;
            ended.stderr_tail = exit.stderr_tail.clone();
        }
        let mut cause = ended.fault.clone();
        cause.iter_mut().for_each(|fault| clean_fault(fault, &self.shared.limits));
        for pending in self.ops.drain() {
            super::asks::answer_ended(pending);
        }
        // Runs end before the session does: that word is the last.
        self.end_messages(cause).await;
        // Whoever asked for these learns that the session is over.
        self.later.clear();
        self.let_go_of_answers();
        let closing = self.normalizer.end_session(ended);
        self.emit(closing).await;
        self.active = None;
        self.phase = Phase::Ended;
    }

    fn next_deadline(&self) -> Option<Instant> {
        let ladder = self.active.as_ref().and_then(|active| active.ladder.as_ref()).map(|ladder| ladder.deadline);
        let free = self.free_at.filter(|_| self.outbox.has_waiting());
        let late = self
            .normalizer
            .deadline()
            .map(|at_ms| Instant::now() + Duration::from_millis(at_ms.saturating_sub(clock::now_ms())));
        let due = !self.feed.is_empty()
            || !self.by_rule.is_empty()
            || self.may_begin()
            || (self.restarts() && self.is_idle());
        let now = due.then(Instant::now);
        [
            self.ops.next_deadline(),
            self.outlet.next_timer(),
            self.watch.next(self),
            self.tools.next(),
            self.run_limit_at(),
            self.next_settlement(),
            self.survivors.deadline(),
            ladder,
            free,
            late,
            now,
        ]
        .into_iter()
        .flatten()
        .min()
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
