//! The loop of a session: takes what comes, makes batches, gives them to the plugin.

use super::ask::NewRun;
use super::channels::size_of;
use super::diagnostics::Diagnostics;
use super::files::{FILES_READ_AHEAD, FileDone};
use super::handle::{SessionHandle, Standing};
use super::ops::{Ops, Purpose};
use super::outlet::{Outlet, fault};
use super::ring::Ring;
use super::rules::RuleAnswer;
use super::seat::{Ends, Newcomer, Seat, SeatStart, Stage};
use super::seats::next_ask;
use super::tools::HostTools;
use super::watch::Watch;
use super::{SessionStart, Shared};
use crate::clock;
use crate::journal::{Entry, Journal};
use crate::process::ChannelEvent;
use crate::store::StoreError;
use jackfield_core::capability::{CapabilityView, Staged};
use jackfield_core::contract::{
    Caused, ChannelExit, Command, CommandBody, EffectResult, EffectValue, FaultKind, Input, Role, Tick,
};
use jackfield_core::event::SessionEnd;
use jackfield_core::honesty::Honesty;
use jackfield_core::id::{RequestId, ThreadId};
use jackfield_core::normalizer::{Normalizer, SessionEnded, SessionScope};
use jackfield_sandbox::{CallError, Session};
use std::collections::{HashMap, VecDeque};
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

pub(super) struct Task {
    pub(super) start: SessionStart,
    pub(super) shared: Arc<Shared>,
    pub(super) plugin: Session,
    pub(super) normalizer: Normalizer,
    pub(super) capabilities: Staged,
    pub(super) journal: Journal,
    pub(super) outlet: Outlet,
    pub(super) ops: Ops,
    /// The threads that it serves. A free seat may be taken again.
    pub(super) seats: Vec<Seat>,
    /// Where others ask for a seat, and those that wait until it is known whether there is one.
    pub(super) door: mpsc::Receiver<Newcomer>,
    pub(super) waiting_room: Vec<Newcomer>,
    /// What was changed for the whole session since it began: who would begin the same finds another one.
    pub(super) altered: bool,
    pub(super) ends: Ends,
    /// The seat that was heard last.
    pub(super) last_heard: usize,
    pub(super) phase: Phase,
    /// Holds what the provider does against what it declares.
    pub(super) honesty: Honesty,
    /// The version of the provider's program, as it was last looked at.
    pub(super) version_told: String,
    /// A turn ended after our interrupt, and that is not entered yet.
    pub(super) interrupt_held: bool,
    pub(super) watch: Watch,
    pub(super) tools: HostTools,
    /// Logins that the host has asked for.
    pub(super) logins: u32,
    /// Answers that rules and the host itself give, not yet sent.
    pub(super) by_rule: VecDeque<RuleAnswer>,
    /// Requests that a rule has answered, and which.
    pub(super) ruled: HashMap<RequestId, String>,
    pub(super) diagnostics: Diagnostics,
    pub(super) store_health: watched::Receiver<Option<StoreError>>,
    /// Batches that are being let out: what comes of one may ask the plugin something, in a batch inside of it.
    pub(super) batches: u32,
    /// Ends the session with this once the batch is through.
    pub(super) ending: Option<SessionEnded>,
    pub(super) view: watched::Sender<Option<CapabilityView>>,
    /// What the host itself has for the plugin's next batch.
    pub(super) feed: VecDeque<Input>,
    pub(super) channel_events: mpsc::Receiver<ChannelEvent>,
    pub(super) results: mpsc::UnboundedReceiver<EffectResult>,
    /// What was read of files; the next is read when there is room here.
    pub(super) read: mpsc::Receiver<FileDone>,
    pub(super) ring: Ring,
    pub(super) frames: u64,
    /// Wishes that were refused.
    pub(super) refusals: u64,
    pub(super) calls: u32,
    pub(super) last_now_ms: f64,
    pub(super) last_exit: Option<ChannelExit>,
    /// When the plugin broke last.
    pub(super) trapped: Option<Instant>,
}

impl Task {
    pub(super) fn new(
        start: SessionStart,
        thread: ThreadId,
        shared: Arc<Shared>,
        plugin: Session,
        door: mpsc::Receiver<Newcomer>,
        ends: Ends,
    ) -> Task {
        let limits = shared.limits.clone();
        let (frame_sender, channel_events) = mpsc::channel(limits.read_queue_frames as usize);
        let (result_sender, results) = mpsc::unbounded_channel();
        let (read_sender, read) = mpsc::channel(FILES_READ_AHEAD);
        let scope = SessionScope {
            instance: start.instance.name.clone(),
            session: start.session.clone(),
            epoch: start.epoch,
            thread,
        };
        let mut normalizer = Normalizer::new(scope, &limits);
        normalizer.set_resends(shared.policy.resend_after_login);
        Task {
            normalizer,
            capabilities: Staged::new(start.generation.descriptor().declared.clone()),
            journal: match start.role {
                Role::Live => Journal::new(&shared.spill_folder, &limits),
                Role::Query => Journal::off(&limits),
            },
            outlet: Outlet::new(&start, shared.clone(), frame_sender, result_sender, read_sender),
            ops: Ops::default(),
            seats: Vec::new(),
            door,
            waiting_room: Vec::new(),
            altered: false,
            ends,
            last_heard: 0,
            phase: Phase::Starting,
            honesty: Honesty::new(&limits),
            version_told: String::new(),
            interrupt_held: false,
            watch: Watch::new(&limits),
            tools: HostTools::default(),
            logins: 0,
            by_rule: VecDeque::new(),
            ruled: HashMap::new(),
            diagnostics: Diagnostics::new(&limits),
            store_health: shared.store.health(),
            batches: 0,
            ending: None,
            view: watched::Sender::new(None),
            feed: VecDeque::new(),
            channel_events,
            results,
            read,
            ring: Ring::new(limits.raw_ring_bytes),
            frames: 0,
            refusals: 0,
            calls: 0,
            last_now_ms: 0.0,
            last_exit: None,
            trapped: None,
            start,
            shared,
            plugin,
        }
    }

    /// A seat for this thread; what its handle needs. Nothing is said in it yet.
    pub(super) fn seat_for(
        &mut self,
        start: SeatStart,
        first: Vec<NewRun>,
        door: mpsc::Sender<Newcomer>,
    ) -> SessionHandle {
        self.normalizer.begin_thread(self.scope_of(&start));
        let (seat, ways) = Seat::new(start, first, &self.shared.limits, self.start.instance.limits);
        self.ends.add(&seat);
        match self.seats.iter().position(Seat::is_free) {
            Some(at) => self.seats[at] = seat,
            None => self.seats.push(seat),
        }
        SessionHandle::of(ways, door, self.view.subscribe())
    }

    /// Runs until the session is over and every process of it is gone. Each round feeds the plugin once at most, so that
    /// one that asks for something in every answer can't keep a client's word or a deadline from being heard.
    pub(super) async fn run(mut self) {
        self.begin().await;
        loop {
            self.watch_deadlines().await;
            self.answer_by_rule().await;
            self.settle().await;
            for at in self.seated() {
                self.operate_later(at).await;
                self.answer_survivors(at).await;
            }
            self.interrupt_held().await;
            self.let_in().await;
            self.tell_standing();
            match self.phase {
                Phase::Ended => break,
                _ if self.ending.is_some() => continue,
                _ => {}
            }
            let deadline = self.next_deadline();
            tokio::select! {
                biased;
                (at, ask) = next_ask(&mut self.seats, &mut self.last_heard) => match ask {
                    Some(ask) => self.take_ask(at, ask).await,
                    // Nobody holds it any more.
                    None => self.leave(at, SessionEnd::Closed).await,
                },
                Some(newcomer) = self.door.recv() => self.waiting_room.push(newcomer),
                Some(mut result) = self.results.recv() => {
                    self.outlet.secrets().hide_result(&mut result);
                    self.feed(Input::EffectDone(result));
                }
                Some(done) = self.read.recv(), if self.feed.is_empty() => self.file_done(done).await,
                // What the host has for the plugin is older.
                Some(event) = self.channel_events.recv(), if self.feed.is_empty() => self.take_channel(event).await,
                () = sleep_until(deadline) => {}
            }
        }
    }

    /// Carries out an end that was decided meanwhile; else feeds the plugin what the host has for it, or the next messages.
    async fn settle(&mut self) {
        if let Some(ended) = self.ending.take() {
            self.end(ended).await;
        } else if self.feed.is_empty() {
            if self.journal.is_full() && self.is_quiet() {
                // Each thread goes on with its next message in another session, on the provider's cursor.
                self.all_go_on();
                self.close(SessionEnd::Closed, None).await;
                return;
            }
            for at in self.seated() {
                if self.seats[at].restarts() && self.is_idle(at) {
                    self.seats[at].goes_on = true;
                    self.leave(at, SessionEnd::Closed).await;
                }
                self.next_run(at).await;
            }
        } else {
            let inputs = self.next_of_feed();
            let frames = vec![None; inputs.len()];
            self.batch(inputs, frames).await;
        }
    }

    /// What the host has for the plugin, as much as a batch holds.
    fn next_of_feed(&mut self) -> Vec<Input> {
        let mut room = self.shared.limits.batch_bytes;
        let mut inputs = Vec::new();
        while let Some(input) = self.feed.front() {
            let bytes = answered_bytes(input);
            if bytes > room && !inputs.is_empty() {
                break;
            }
            room = room.saturating_sub(bytes);
            inputs.extend(self.feed.pop_front());
        }
        inputs
    }

    pub(super) fn tell_standing(&self) {
        for at in self.seated() {
            self.tell_standing_of(at);
        }
    }

    pub(super) fn tell_standing_of(&self, at: usize) {
        let seat = &self.seats[at];
        let now = Standing {
            at_work: seat.active.is_some() || self.normalizer.is_at_work(seat.thread()),
            waiting: seat.outbox.len(),
            background: self.normalizer.roster_of(seat.thread()).len(),
        };
        seat.standing.send_if_modified(|told| std::mem::replace(told, now) != now);
    }

    /// The thread is open, and nothing of the session's end has begun.
    pub(super) fn is_open(&self, at: usize) -> bool {
        self.phase == Phase::Ready && self.seats[at].stage == Stage::Open
    }

    /// The provider is at work on nothing of ours in this thread.
    pub(super) fn is_idle(&self, at: usize) -> bool {
        let seat = &self.seats[at];
        let at_work = seat.active.is_some() || seat.outbox.has_handed() || self.normalizer.is_at_work(seat.thread());
        self.is_open(at) && !at_work
    }

    /// Nothing is open in any thread, and there is a way back to each conversation.
    fn is_quiet(&self) -> bool {
        self.phase == Phase::Ready && self.seated().into_iter().all(|at| self.is_idle(at) && self.may_be_left(at))
    }

    /// Nothing is lost of this thread when the session gives way to another one.
    fn may_be_left(&self, at: usize) -> bool {
        self.seats[at].resumable && self.normalizer.roster_of(self.seats[at].thread()).is_empty()
    }

    /// The journal is full: nothing new begins, so that the threads come to rest together and go on in the next session.
    pub(super) fn gives_way(&self) -> bool {
        self.journal.is_full() && self.seated().into_iter().all(|at| self.may_be_left(at))
    }

    /// Has the plugin told something at the next opportunity.
    pub(super) fn feed(&mut self, input: Input) {
        self.feed.push_back(input);
    }

    /// Gives the plugin a command of a seat's, alone in its batch. Returns its number.
    pub(super) async fn command(
        &mut self,
        at: usize,
        purpose: Purpose,
        thread: Option<String>,
        body: CommandBody,
        deadline: Option<Instant>,
    ) -> u32 {
        let op = self.ops.open(at, purpose, deadline);
        let command = Command { op, thread, body };
        self.batch(vec![Input::Command(command)], vec![None]).await;
        op
    }

    /// One batch in, all its outputs out and accepted, in order.
    pub(super) async fn batch(&mut self, inputs: Vec<Input>, frames: Vec<Option<u64>>) {
        let at = self.tick();
        // A copy: the bindings consume what the plugin is given.
        if self.journal.keeps() && !self.write_down(Entry::Batch { at: at.clone(), inputs: inputs.clone() }) {
            return;
        }
        let (seq, timers) = (at.seq, timers(&inputs));
        let outputs = self.call(at, inputs).await;
        self.batches += 1;
        // In boxes: what comes of a batch may be a batch, and each of them takes room on the stack.
        match outputs {
            Ok(outputs) => Box::pin(self.release_all(outputs, &frames, &timers)).await,
            Err(error) => Box::pin(self.recover(error, seq, &frames)).await,
        }
        self.batches -= 1;
        // The frames of the batch around it are not through yet: what becomes of them is still to be told.
        if self.batches == 0 {
            let rest = self.normalizer.end_batch();
            self.emit(rest).await;
        }
    }

    /// Gives the plugin a batch that is written down.
    pub(super) async fn call(&mut self, at: Tick, inputs: Vec<Input>) -> Result<Vec<Caused>, CallError> {
        let count = inputs.len();
        let outputs = self.plugin.handle(at, inputs).await;
        tracing::trace!(session = %self.start.session, inputs = count, outputs = outputs.as_ref().map_or(0, Vec::len), "batch");
        for (level, text) in self.plugin.take_log() {
            // The error says that, and where it belongs.
            if outputs.is_err() && text.starts_with("panic: ") {
                continue;
            }
            self.plugin_said(level, &text).await;
        }
        outputs
    }

    /// Lets out what a batch brought; of each input it is known which frame it was, and whether it was a timer.
    pub(super) async fn release_all(&mut self, outputs: Vec<Caused>, frames: &[Option<u64>], timers: &[bool]) {
        for caused in outputs {
            if self.store_is_broken() {
                break;
            }
            let cause = caused.cause as usize;
            let frame = frames.get(cause).copied().flatten();
            self.release(frame, timers.get(cause) == Some(&true), caused.output).await;
        }
    }

    /// True when the journal took it; else the session ends.
    pub(super) fn write_down(&mut self, entry: Entry) -> bool {
        let Err(error) = self.journal.append(entry) else { return true };
        self.broken(fault(
            FaultKind::Internal,
            format!("the session's journal could not be written ({error}); free some space in the temporary folder"),
        ));
        false
    }

    pub(super) fn tick(&mut self) -> Tick {
        self.last_now_ms = self.last_now_ms.max(clock::now_ms() as f64);
        self.calls += 1;
        Tick { now_ms: self.last_now_ms, seq: self.calls - 1 }
    }

    fn next_deadline(&self) -> Option<Instant> {
        let late = self
            .normalizer
            .deadline()
            .map(|at_ms| Instant::now() + Duration::from_millis(at_ms.saturating_sub(clock::now_ms())));
        let due = !self.feed.is_empty() || !self.by_rule.is_empty() || (self.journal.is_full() && self.is_quiet());
        let now = due.then(Instant::now);
        let of_session =
            [self.ops.next_deadline(), self.outlet.next_timer(), self.watch.next(self), self.tools.next(), late, now];
        let of_seats = self.seated().into_iter().filter_map(|at| self.next_deadline_of(at));
        of_session.into_iter().flatten().chain(of_seats).min()
    }

    fn next_deadline_of(&self, at: usize) -> Option<Instant> {
        let seat = &self.seats[at];
        let ladder = seat.active.as_ref().and_then(|active| active.ladder.as_ref()).map(|ladder| ladder.deadline);
        // Once it is past, it is `may_begin` that tells.
        let free = seat.free_at.filter(|free| seat.outbox.has_waiting() && *free > Instant::now());
        let due = self.may_begin(at) || (seat.restarts() && self.is_idle(at));
        let now = due.then(Instant::now);
        let (limit, settlement) = (self.run_limit_at(at), self.next_settlement(at));
        [limit, settlement, self.login_deadline(at), seat.survivors.deadline(), ladder, free, now]
            .into_iter()
            .flatten()
            .min()
    }
}

/// The bytes of a server's answer: all else that is fed is small.
fn answered_bytes(input: &Input) -> u64 {
    match input {
        Input::EffectDone(EffectResult { outcome: Ok(EffectValue::Response(response)), .. }) => {
            response.body.as_ref().map_or(0, size_of)
        }
        _ => 0,
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Which of them are timers.
pub(super) fn timers(inputs: &[Input]) -> Vec<bool> {
    inputs.iter().map(|input| matches!(input, Input::Timer(_))).collect()
}
