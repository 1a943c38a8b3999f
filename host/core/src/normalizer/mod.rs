//! From what a provider says to what clients see: one session's events, with ids, closed and in order.
//!
//! The host mints the ids, closes what is open, decides how runs end; the plugin only reports. Time is an argument.
//! **Whatever is opened is closed, once; a run ends once; no input makes it panic; nothing depends on how frames were batched.**
//!
//! | file | noun |
//! | --- | --- |
//! | `mod.rs` | the doors: runs, events, requests, the session's end |
//! | `told.rs` | one row per kind of event: who takes it |
//! | `route.rs` | which thread, turn and parent an event belongs to |
//! | `thread.rs`, `turn.rs`, `run.rs` | what is kept of each, and how turns and runs begin and end |
//! | `seats.rs` | threads that share the session: how one begins and ends among others |
//! | `judge.rs` | how a turn and its run end |
//! | `items.rs`, `find.rs`, `item.rs`, `text.rs` | items: told whole, found again, kept, told in pieces |
//! | `ended.rs` | items that have ended, and what is only one of them told again |
//! | `history.rs`, `record.rs` | history told again, and what the thread holds of it already |
//! | `tasks.rs` | subagents and background work: the roster |
//! | `plan.rs` | the todo list of a turn |
//! | `declared.rs` | what is told beyond, or short of, what the provider can do |
//! | `asks.rs` | requests, as the provider opens and closes them |
//! | `report.rs` | where drafts, counts and diagnostics are gathered |
//! | `clean.rs` | labels scrubbed, texts bounded, numbers finite |
//!
//! # The algorithm
//!
//! **Identity.** The host mints every id; how, part by part, is said in `crate::identity`. A native id is a reference in a scope:
//! instance, session, epoch, thread of ours, turn, kind. What is inside of a subagent's own thread has that thread's id before its
//! own. How far ids can be relied on is the policy's answer (`Intent::IdentifyItem` and its like):
//!
//! | ids are | a thing is told from its like by | the same told again |
//! | --- | --- | --- |
//! | strong | its id; used a second time in a turn for another request, task or turn, by `#2` | an ended item is absorbed and counted |
//! | weak | its id and the number of its occurrence in the turn | is another one; a result goes to the oldest that is open; an end that no beginning preceded, and that says nothing new, is absorbed and counted |
//! | none | its kind and its number among its kind in the turn | is another one; a result goes to the oldest of its name that is open |
//!
//! A text is never part of an id. Every event says how sure it is (`correlation`). Ordinals rise through the whole turn. An id is
//! a function of what was told, so a conversation played again has the same ones; nothing depends on where a batch ended.
//!
//! **Place** (`route`). An event goes to the thread that its scope names. One that is not known yet is held, at most `held_updates`
//! events, until [`Normalizer::bind_thread`], and shown in the first thread when the session ends without. In a thread, a turn's
//! name decides; without a name it is the open turn. With no turn open: within `drain_ms` of the last turn's end the event joins
//! that turn (marked inferred); later, or before any turn, it opens a turn of the provider's own. It is never given to a message
//! that waits, unless the provider does not say when turns begin. What names a turn that is over joins that turn while it is kept
//! (the last one, and those with work in the background); words of an older one that come while another is open are fenced: counted,
//! not shown. Requests are never fenced.
//!
//! **Items** (`items`, `find`). What is told finds its open item, or begins one. An end, an update or a result without a beginning
//! makes the beginning (`synthetic`). A field that is missing erases nothing. Text told in pieces is added; text told whole, or
//! cumulatively, is compared with what is there: what is more is a piece, what differs corrects the item. A message told whole after
//! its pieces is that message once, also when it was closed meanwhile or has its id only now; two equal pieces are two pieces.
//!
//! **Closing.** A message closes on its own end; where it has no id or no end is told, when another kind or another message of its
//! place begins, or a tool; a tool on its end, or at its turn's end where ends are not told. A turn's end closes all that is open in
//! it, what is inside first, with the true status (`thread::status_at_end`). What goes on in the background stays open, on the roster
//! (`tasks`), until its own end or the session's. Terminal states absorb: nothing changes after.
//!
//! **A turn's end** (`turn`, `judge`) comes by a terminal event alone: the acknowledgement of an interrupt ends nothing. It is a
//! barrier: messages, items and nodes close; the plan is finished; open requests are resolved, but for those of background work;
//! the turn ends; its run ends. Interrupted is what did not end well after our own interrupt; what the provider interrupted by
//! itself failed; a success with a fault failed; prose decides nothing. Where the status is weak it is inferred and marked; where it
//! says nothing it is taken from the process. A second end is counted, not shown. A turn that begins while another is open ends that
//! one, as unknown.
//!
//! **Runs** (`run`). A run is begun by the host and bound to the turn that its command opens. One that joined another's turn ends
//! there. One whose turn never came ends by the evidence there is at the session's end.
//!
//! **Requests** (`asks`) have ids of the host; one is open until answered, withdrawn, expired, or its turn's end. The provider's id
//! may begin again at 0 in each session: it is looked for among the open ones only.
//!
//! **History** told again is marked `replayed`, has turns of its own numbering, opens no turn and ends no run; what is live ends it.
//! What the thread holds already is counted and not shown, unless the history was asked for (`history`).
//!
//! **Drift.** What nobody understands is kept as `unknown`, bounded, and warned of once per kind. What the provider tells beyond what
//! it declares is left out of panels and counted (`declared`).
//!
//! **Conservation.** Each frame gets one disposition when its batch ends (`crate::ledger`); after the session's end what still
//! comes is fenced. Nothing is unbounded: open items, held events, kept ends, texts, labels and diagnostics have limits, and reaching
//! one is said.
//!
//! Tests: `tests/normalizer/` (cases as data), `tests/properties.rs` (closed once, batching, replay, bounds, snapshots) and
//! `tests/identity.rs` (ids).

mod asks;
mod clean;
mod declared;
mod ended;
mod find;
mod history;
mod item;
mod items;
mod judge;
mod login;
mod plan;
mod record;
mod report;
mod route;
mod run;
mod seats;
mod tasks;
mod text;
mod thread;
mod told;
mod turn;

pub use crate::identity::SessionScope;
pub use crate::ledger::Disposed;
pub use clean::fault as clean_fault;
pub use record::Record;

use crate::contract::{self, Content, Disposition, Fault};
use crate::event::{AttemptReason, Draft, Request, Resolution, RunStatus, SessionEnd, Task};
use crate::id::{RequestId, RunId, TaskId, ThreadId};
use crate::ledger::{Ledger, LedgerCounts};
use crate::limits::Limits;
use crate::policy::{Handling, Intent, Strategy};
use crate::requests::{AnswerError, Reply, Requests, Survivor};
use report::Report;
use seats::Scopes;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use thread::ThreadState;

/// An event and the thread of ours it goes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Routed {
    /// The thread.
    pub thread: ThreadId,
    /// The event, without a number.
    pub draft: Draft,
}

/// What made the plugin say something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cause {
    /// The frame, when it was one.
    pub frame: Option<u64>,
    /// Milliseconds since 1970.
    pub at_ms: u64,
}

/// A run that is about to be handed to the plugin.
#[derive(Debug, Clone, PartialEq)]
pub struct BeginRun {
    /// The run.
    pub run: RunId,
    /// Its number in the thread, from 1.
    pub ordinal: u32,
    /// Number of the command that hands it over.
    pub op: u32,
    /// The thread of ours.
    pub thread: ThreadId,
    /// What the person sent.
    pub content: Vec<Content>,
    /// Why this attempt is made.
    pub attempt: AttemptReason,
    /// Milliseconds since 1970.
    pub at_ms: u64,
}

/// A message that was put into an open turn.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedRun {
    /// Its run.
    pub run: RunId,
    /// The thread of ours.
    pub thread: ThreadId,
    /// What the person sent.
    pub content: Vec<Content>,
    /// The run that was at work when it was handed over.
    pub into: Option<RunId>,
    /// True when the provider did not say so: nothing else followed.
    pub inferred: bool,
    /// Milliseconds since 1970.
    pub at_ms: u64,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionEnded {
    /// Why.
    pub end: SessionEnd,
    /// What went wrong.
    pub fault: Option<Fault>,
    /// Exit code of the provider's program.
    pub exit_code: Option<i32>,
    /// Signal that ended it.
    pub signal: Option<i32>,
    /// The last words of its stderr.
    pub stderr_tail: String,
}

impl SessionEnded {
    /// An end that no program's exit explains.
    pub fn new(end: SessionEnd, fault: Option<Fault>) -> Self {
        Self { end, fault, exit_code: None, signal: None, stderr_tail: String::new() }
    }
}

/// One session's normalizer.
#[derive(Debug)]
pub struct Normalizer {
    scope: Scopes,
    limits: Limits,
    /// What the policy says of the provider's ways; no flag is read here.
    handling: Handling,
    /// Intents of which it was said already in a thread that something else is done.
    announced: BTreeSet<(usize, &'static str)>,
    /// The first that is served stands for the session.
    threads: Vec<ThreadState>,
    /// The provider's ids of threads that are over, the last ones.
    gone: VecDeque<String>,
    /// Threads that were begun beside the first one, so far.
    begun: u32,
    /// Subagents' threads, and the thread of ours that each works for.
    children: Vec<(String, usize)>,
    requests: Requests,
    /// Requests of earlier sessions that the provider is to ask again, each with its thread.
    survivors: Vec<(usize, Survivor)>,
    ledger: Ledger,
    report: Report,
    /// Events whose thread is not known yet.
    held: VecDeque<(Cause, contract::Event)>,
    now: u64,
    frame: Option<u64>,
    /// A turn or a run is being ended: its status changes no more.
    closing: bool,
    ended: bool,
    /// A run that met a missing login is tried again.
    resends: bool,
}

impl Normalizer {
    /// For a session that begins now, with the weakest capabilities.
    pub fn new(scope: SessionScope, limits: &Limits) -> Self {
        Self {
            threads: vec![ThreadState::new(scope.thread.clone())],
            requests: Requests::new(limits.ended_kept as usize),
            survivors: Vec::new(),
            limits: limits.clone(),
            scope: Scopes::new(scope),
            gone: VecDeque::new(),
            begun: 0,
            handling: Handling::default(),
            announced: BTreeSet::new(),
            children: Vec::new(),
            ledger: Ledger::default(),
            report: Report::default(),
            held: VecDeque::new(),
            now: 0,
            frame: None,
            closing: false,
            ended: false,
            resends: false,
        }
    }

    /// What the policy makes of the effective capabilities counts from the next event on.
    pub fn set_handling(&mut self, handling: Handling) {
        self.handling = handling;
    }

    /// Turns that this thread of ours had in earlier sessions: the next one is counted on from there.
    pub fn count_turns_from(&mut self, thread: &ThreadId, last: u32) {
        let at = self.thread_or_new(thread);
        self.threads[at].turns_before = last;
    }

    /// The provider's thread of this id is this thread of ours. What was held for it is delivered now.
    #[must_use = "events that were held for the thread"]
    pub fn bind_thread(&mut self, native: &str, thread: ThreadId) -> Vec<Routed> {
        let at = self.thread_or_new(&thread);
        for (other, state) in self.threads.iter_mut().enumerate() {
            if other != at && state.native.as_deref() == Some(native) {
                state.native = None;
            }
        }
        self.threads[at].native = Some(native.to_owned());
        self.gone.retain(|gone| gone != native);
        let held = std::mem::take(&mut self.held);
        let is_its = |event: &contract::Event| route::names(event, native);
        let (now, later): (VecDeque<_>, VecDeque<_>) = held.into_iter().partition(|(_, event)| is_its(event));
        self.held = later;
        now.into_iter().for_each(|(cause, event)| self.deliver(cause, event));
        self.take()
    }

    /// A run is handed to the plugin: it is starting, its first attempt began, and its message is an item.
    pub fn begin_run(&mut self, begin: BeginRun) -> Vec<Routed> {
        self.frame = None;
        if !self.ended {
            self.run_begins(begin);
        }
        self.take()
    }

    /// The provider took the run's message, and a turn is open for it. One that does not say when turns begin is taken at this word.
    pub fn delivered(&mut self, run: &RunId, turn: Option<String>, at_ms: u64) -> Vec<Routed> {
        self.at(None, at_ms);
        if !self.handling.native(Intent::StartTurn) {
            self.opens_by_delivery(run, turn);
        }
        self.take()
    }

    /// The provider gets this message by this command while a turn is open. What becomes of it is not known yet; an echo of
    /// it is known by `op`, or by its words.
    pub fn hand(&mut self, thread: &ThreadId, run: &RunId, op: u32, content: &[Content]) {
        if let Some(t) = self.thread_index(thread) {
            self.handed(t, run, op, content);
        }
    }

    /// The message joined the turn that is open, or that has just ended: it is an item there, and its run is over.
    pub fn joined(&mut self, joined: JoinedRun) -> Vec<Routed> {
        self.at(None, joined.at_ms);
        if let Some(t) = self.thread_index(&joined.thread).filter(|_| !self.ended) {
            self.run_joins(t, joined);
        }
        self.take()
    }

    /// Our own interrupt was sent: the evidence that a turn which does not end well was interrupted.
    pub fn interrupting(&mut self, run: &RunId) {
        let run = self.threads.iter_mut().find_map(|thread| thread.run_mut(run));
        if let Some(run) = run {
            run.interrupted = true;
        }
    }

    /// A frame came in.
    pub fn frame_in(&mut self, frame: u64) {
        self.ledger.frame_in(frame);
    }

    /// Something other than an event came of a frame: an effect, an answer to a command, new capabilities.
    pub fn frame_out(&mut self, frame: u64) {
        self.ledger.output(frame);
    }

    /// One thing that the plugin reports.
    pub fn accept(&mut self, cause: Cause, event: contract::Event) -> Vec<Routed> {
        if self.ended {
            self.tally("event-after-end");
            if let Some(frame) = cause.frame {
                self.ledger.dispose(frame, &Disposed::Fenced);
            }
            return self.take();
        }
        if let Some(frame) = cause.frame {
            self.ledger.output(frame);
        }
        self.deliver(cause, event);
        self.take()
    }

    /// What became of a frame that no event came of.
    pub fn dispose(&mut self, frame: u64, disposed: Disposed) {
        if !self.ledger.dispose(frame, &disposed) {
            return self.tally("frame-disposed-again");
        }
        self.frame = Some(frame);
        match disposed {
            Disposed::Plugin(Disposition::Unknown(kind)) => self.unknown(self.primary(), kind, String::new()),
            Disposed::Plugin(Disposition::Other(other)) => self.unknown(self.primary(), other.name, other.json),
            Disposed::TooLarge => self.tally("frame-too-large"),
            Disposed::Skipped => self.tally("frame-skipped"),
            Disposed::Noise | Disposed::Plugin(Disposition::Noise) => self.tally("noise"),
            Disposed::Fenced => self.tally("fenced"),
            Disposed::Plugin(_) => {}
        }
    }

    /// The batch is through: every frame of it has exactly one disposition from now on.
    pub fn end_batch(&mut self) -> Vec<Routed> {
        for frame in self.ledger.end_batch() {
            self.frame = Some(frame);
            self.warn(
                self.primary(),
                "frame-unaccounted",
                "the plugin made nothing of a frame and did not say why".into(),
            );
        }
        self.frame = None;
        self.take()
    }

    /// Time has passed: closes what came after a turn's end once its window is over, and requests that have expired.
    pub fn tick(&mut self, now_ms: u64) -> Vec<Routed> {
        self.at(None, now_ms);
        let now = self.now;
        let expired = self
            .requests
            .resolve_where(&Resolution::Expired, |open| open.request.expires_ms.is_some_and(|at| at <= now));
        expired.into_iter().for_each(|resolved| self.show_resolved(resolved));
        self.take()
    }

    /// When [`Self::tick`] has something to do next, in milliseconds since 1970.
    pub fn deadline(&self) -> Option<u64> {
        let late =
            self.threads.iter().flat_map(|thread| &thread.ended).filter(|turn| turn.open.iter().any(|open| open.late));
        let late = late.filter_map(|turn| Some(turn.ended_at()? + self.limits.drain_ms + 1));
        late.chain(self.requests.open().iter().filter_map(|open| open.request.expires_ms)).min()
    }

    /// A page of history is through: what is open in it closes.
    pub fn end_replay(&mut self, thread: &ThreadId) -> Vec<Routed> {
        self.frame = None;
        if let Some(t) = self.thread_index(thread) {
            self.end_history(t);
            self.replay_ends(t);
        }
        self.take()
    }

    /// The provider refused the command: the run ends failed, or interrupted if we had interrupted it.
    pub fn fail_run(&mut self, run: &RunId, fault: Fault) -> Vec<Routed> {
        self.frame = None;
        self.run_ends_early(run, RunStatus::Failed, Some(fault));
        self.take()
    }

    /// The run was dropped before the provider had it.
    pub fn cancel_run(&mut self, run: &RunId) -> Vec<Routed> {
        self.frame = None;
        self.run_ends_early(run, RunStatus::Cancelled, None);
        self.take()
    }

    /// The provider has said its words and never that they were all: its turn is taken for over, and that is marked. Nothing where the
    /// policy infers no end, or where what it said last was no answer.
    pub fn end_silent(&mut self, thread: &ThreadId) -> Vec<Routed> {
        self.frame = None;
        let infers = self.handling.strategy(Intent::JudgeTurn) == Some(Strategy::Infer);
        if let Some(t) = self.thread_index(thread).filter(|_| infers) {
            self.turn_fell_silent(t);
        }
        self.take()
    }

    /// The session is over: everything closes, runs end by the evidence there is, `session.ended` comes last in each thread.
    pub fn end_session(&mut self, ended: SessionEnded) -> Vec<Routed> {
        if !self.ended {
            self.frame = None;
            self.ledger.stop_work();
            self.session_ends(ended);
            self.ended = true;
        }
        self.take()
    }

    /// Checks an answer against what was offered and marks the request; what is returned goes to the plugin.
    pub fn answer(&mut self, id: &RequestId, reply: Reply, by: &str) -> Result<contract::Answer, AnswerError> {
        self.requests.answer(id, reply, by)
    }

    /// The plugin's answer to `respond`: written, and the request is resolved; or not, and it is open again.
    pub fn answered(&mut self, id: &RequestId, outcome: Result<(), Fault>) -> Vec<Routed> {
        self.frame = None;
        match outcome {
            Ok(()) => {
                if let Some(resolved) = self.requests.written(id) {
                    self.show_resolved(resolved);
                }
            }
            Err(fault) => {
                if self.requests.reopen(id) {
                    let t = self.thread_of_request(id).and_then(|thread| self.thread_index(thread)).unwrap_or(0);
                    self.warn(
                        t,
                        "answer-not-written",
                        format!("the answer to {id} did not reach the provider ({}); it is open again", fault.message),
                    );
                }
            }
        }
        self.take()
    }

    /// True when a turn is open on any thread.
    pub fn has_open_turn(&self) -> bool {
        self.threads.iter().any(|thread| thread.open.is_some())
    }

    /// The provider's id of the turn that is open in this thread.
    pub fn open_turn(&self, thread: &ThreadId) -> Option<&str> {
        let thread = self.threads.iter().find(|known| known.id == *thread)?;
        thread.open.as_ref()?.native.as_deref()
    }

    /// True while a tool of an open turn is at work: the provider may well be silent then.
    pub fn has_open_tool(&self) -> bool {
        let mut open = self.threads.iter().filter_map(|thread| thread.open.as_ref()).flat_map(|turn| &turn.open);
        open.any(item::OpenItem::is_tool_at_work)
    }

    /// Requests of earlier sessions of this thread, which the provider promised to ask again.
    pub fn await_again(&mut self, thread: &ThreadId, survivors: Vec<Survivor>) {
        let t = self.thread_or_new(thread);
        self.survivors.retain(|(owner, _)| *owner != t);
        self.survivors.extend(survivors.into_iter().map(|survivor| (t, survivor)));
    }

    /// True while it is waited for that this request is asked again.
    pub fn awaits(&self, id: &RequestId) -> bool {
        self.survivors.iter().any(|(_, survivor)| survivor.request.id == *id)
    }

    /// True while any request of this thread is waited for.
    pub fn awaits_any(&self, thread: &ThreadId) -> bool {
        self.survivors.iter().any(|(t, _)| self.threads[*t].id == *thread)
    }

    /// What was not asked again in this thread has expired.
    pub fn not_asked_again(&mut self, thread: &ThreadId, now_ms: u64) -> Vec<Routed> {
        self.at(None, now_ms);
        let Some(at) = self.thread_index(thread) else { return self.take() };
        let due: Vec<_> = self.survivors.extract_if(.., |(t, _)| *t == at).collect();
        for (_, survivor) in due {
            self.survivor_expired(at, survivor.request.id);
        }
        self.take()
    }

    /// The provider's id of a request that can be answered.
    pub fn native_request(&self, id: &RequestId) -> Option<&str> {
        self.requests.open().iter().find(|open| open.request.id == *id).map(|open| open.native.as_str())
    }

    /// Requests that can be answered, oldest first.
    pub fn open_requests(&self) -> Vec<&Request> {
        self.requests.open().iter().map(|open| &open.request).collect()
    }

    /// True when a thread of this id was announced that works for one of ours.
    pub fn is_child(&self, native: &str) -> bool {
        self.thread_of_native(native).is_none() && self.owner_of_child(native).is_some()
    }

    /// Requests of this thread that are not from work in the background, oldest first.
    pub fn requests_of_turn(&self, thread: &ThreadId) -> Vec<RequestId> {
        let Some(t) = self.thread_index(thread) else { return Vec::new() };
        let carried = self.requests_of_background(t);
        let open = self.requests.open().iter().filter(|open| open.place.thread == t);
        open.map(|open| open.request.id.clone()).filter(|id| !carried.contains(id)).collect()
    }

    /// Tasks that go on in the background.
    pub fn roster(&self) -> Vec<&Task> {
        let tasks = self.threads.iter().flat_map(|thread| &thread.tasks);
        tasks.map(|task| &*task.task).filter(|task| task.background).collect()
    }

    /// The provider's id of a task that goes on.
    pub fn native_task(&self, id: &TaskId) -> Option<&str> {
        let mut tasks = self.threads.iter().flat_map(|thread| &thread.tasks);
        tasks.find(|task| task.task.id == *id).map(|task| task.native.as_str())
    }

    /// What became of every frame so far.
    pub fn ledger(&self) -> LedgerCounts {
        self.ledger.counts()
    }

    /// What was counted and not shown, by kind.
    pub fn counts(&self) -> &BTreeMap<String, u64> {
        self.report.counts()
    }
}
