//! **The one function through which every output of a plugin reaches the world.** Policy, then the audit record, then the
//! world: for wishes that is `outlet`; what a plugin says passes the normalizer, which mints, orders and closes.

use super::files::FileDone;
use super::login_words as login;
use super::ops::{Pending, Purpose};
use super::outlet::{Outcome, name_of};
use super::seat::Stage;
use super::task::{Phase, Task};
use crate::store::{ChildRecord, ThreadChange};
use jackfield_core::contract::{
    Applies, Disposition, Effect, EffectResult, Event, EventBody as Told, Fault, FaultKind, Input, Level, OpResult,
    OpValue, Other, Output, Scope, Thread,
};
use jackfield_core::event::{EventBody, SessionEnd};
use jackfield_core::honesty::one_of_two;
use jackfield_core::normalizer::{Cause, Disposed, SessionEnded, clean_fault};
use jackfield_core::policy::{Decision, Intent};

impl Task {
    /// `frame` is the one that brought it, if one did; `by_timer`: the plugin's own clock did, which is no word of the provider's. All else that
    /// tells something of a thread breaks its silence: what an answer to a wish or a command of the host brings about does, too.
    pub(super) async fn release(&mut self, frame: Option<u64>, by_timer: bool, output: Output) {
        if let (Some(frame), false) = (frame, matches!(output, Output::Disposition(_))) {
            // The normalizer counts events itself.
            if !matches!(output, Output::Event(_)) {
                self.normalizer.frame_out(frame);
            }
            self.ring.translated(frame);
        }
        match output {
            Output::Event(event) => self.release_event(frame, by_timer, event).await,
            Output::Effect(effect) => self.release_effect(effect).await,
            Output::Done(result) => self.release_done(result).await,
            Output::Negotiated(set) => {
                if self.capabilities.negotiate(set) {
                    self.recall_doubts().await;
                    self.announce().await;
                    self.say_untested().await;
                } else {
                    self.diagnose(
                        "stale-capabilities",
                        "the plugin negotiated a set of capabilities older than the one in force",
                    )
                    .await;
                }
            }
            Output::Disposition(disposition) => {
                if let Some(frame) = frame {
                    let disposition = self.as_it_came(frame, disposition);
                    let disposed = Disposed::Plugin(disposition);
                    self.ring.disposed(frame, &disposed);
                    self.normalizer.dispose(frame, disposed);
                }
            }
            Output::Diagnostic(note) => self.diagnose_as(note.level, &note.code, &note.text).await,
            Output::Other(other) => {
                self.diagnose(
                    "unknown-output",
                    &format!("the plugin returned '{}', which this host does not know", other.name),
                )
                .await
            }
        }
    }

    /// What a plugin does not understand it only names; the frame is there to be read.
    fn as_it_came(&self, frame: u64, disposition: Disposition) -> Disposition {
        let Disposition::Unknown(name) = disposition else { return disposition };
        let raw = self.ring.get(frame).map(|kept| String::from_utf8_lossy(&kept.raw).into_owned());
        Disposition::Other(Other { name, json: raw.unwrap_or_default() })
    }

    async fn release_event(&mut self, frame: Option<u64>, by_timer: bool, mut event: Event) {
        login::with_own_options(&mut event, self.start.generation.manifest());
        self.expect_stored(&event).await;
        let is_gone = self.normalizer.is_of_gone(&event);
        let threads = match &event.body {
            Told::Threads(threads) if !is_gone => threads.clone(),
            _ => Vec::new(),
        };
        for thread in &threads {
            if let Some(at) = self.seat_told(thread) {
                self.remember_thread(at, thread).await;
            }
        }
        self.begin_what_opens(&event).await;
        self.recall_history(&event).await;
        let cause = Cause { frame, at_ms: crate::clock::now_ms() };
        let findings = if is_gone { Vec::new() } else { self.honesty.told(&event) };
        let said = login::Said::of(&event);
        let ended = self.open_logins(&said);
        let routed = self.normalizer.accept(cause, event);
        for one in &routed {
            if let Some(at) = self.seat_of(&one.thread).filter(|_| !by_timer) {
                self.seats[at].silence.broken();
            }
        }
        let met = said.is_missing().then(|| login::thread_that_met(&routed)).flatten();
        self.emit(routed).await;
        for thread in threads {
            if self.normalizer.is_child(&thread.id) {
                self.remember_child(thread).await;
            }
        }
        self.doubt(findings).await;
        self.heard_of_login(said, ended, met).await;
    }

    /// A subagent's thread: what it can be opened by later, as a conversation.
    async fn remember_child(&mut self, child: Thread) {
        let Some(thread) = self.normalizer.thread_of_child(&child.id).filter(|_| !self.only_asks()).cloned() else {
            return;
        };
        let row = ChildRecord { native_id: child.id, cursor: child.cursor, title: child.title };
        if let Err(error) = self.shared.store.put_child(&thread, row).await {
            self.store_failed(&error);
        }
    }

    async fn release_effect(&mut self, effect: Effect) {
        let (id, name) = (effect.id, name_of(&effect.body));
        tracing::debug!(session = %self.start.session, id, name, "effect");
        // The session is about to end for that: what else this call asked for does not happen, and leaves no record.
        if self.refusals > self.shared.limits.session_refusals {
            return;
        }
        match self.outlet.perform(&self.start, effect).await {
            Outcome::Taken => self.decided("effect_allowed", u64::from(id), name),
            Outcome::Waits => {}
            Outcome::Done(value) => {
                self.decided("effect_allowed", u64::from(id), name);
                self.feed(Input::EffectDone(EffectResult { id, outcome: Ok(value) }));
            }
            Outcome::Refused(code, fault) => {
                self.say_refused(id, name, code, &fault).await;
                self.feed(Input::EffectDone(EffectResult { id, outcome: Err(fault) }));
            }
        }
    }

    async fn say_refused(&mut self, id: u32, name: &str, code: &str, fault: &Fault) {
        self.decided("effect_refused", u64::from(id), code);
        self.count_refusal(&fault.message);
        // Which thread it was for is the plugin's affair.
        for at in self.seated() {
            let (run, effect) = (self.seats[at].run(), name.to_owned());
            let body = EventBody::EffectRefused { effect, code: code.to_owned(), message: fault.message.clone() };
            self.say(at, run, body).await;
        }
    }

    /// A wish about a file had its turn.
    pub(super) async fn file_done(&mut self, done: FileDone) {
        let FileDone { id, name, refused, outcome } = done;
        match (&outcome, refused) {
            (Err(fault), Some(code)) => self.say_refused(id, name, code, fault).await,
            _ => self.decided("effect_allowed", u64::from(id), name),
        }
        let mut result = EffectResult { id, outcome };
        self.outlet.secrets().hide_result(&mut result);
        self.feed(Input::EffectDone(result));
    }

    /// A plugin that is refused over and over fills the audit file and goes nowhere.
    fn count_refusal(&mut self, last: &str) {
        self.refusals += 1;
        let limit = self.shared.limits.session_refusals;
        if self.refusals <= limit {
            return;
        }
        let plugin = self.start.generation.manifest().full_name();
        let message = format!(
            "{plugin} asked for more than {limit} things that were refused (limit session_refusals); the last: {last}"
        );
        let code = Some("too-many-refusals".to_owned());
        self.broken(Fault { code, ..super::outlet::fault(FaultKind::Protocol, message) });
    }

    async fn release_done(&mut self, result: OpResult) {
        let Some(Pending { at, purpose, .. }) = self.ops.close(result.op) else {
            self.diagnose("unknown-op", &format!("the plugin answered command {}, which is not open", result.op)).await;
            return;
        };
        let outcome = result.outcome.map_err(|mut fault| {
            clean_fault(&mut fault, &self.shared.limits);
            fault
        });
        self.doubt_answered(at, &purpose, &outcome).await;
        match (purpose, outcome) {
            (Purpose::Start, Ok(_)) => {
                self.watch.greeted();
                self.started().await
            }
            (Purpose::McpServers, Ok(_)) => self.give_tools().await,
            (Purpose::HostTools, Ok(_)) => self.open_thread(at).await,
            (Purpose::OpenThread, Ok(OpValue::Thread(thread))) => self.opened(at, thread).await,
            (Purpose::OpenThread, Ok(_)) => {
                let fault = protocol("the plugin answered open-thread with something that is no thread");
                self.seat_failed(at, fault).await;
            }
            // It serves one thread after all: that is known by now, and counts.
            (Purpose::OpenThread, Err(fault))
                if fault.kind == FaultKind::Unsupported && self.phase != Phase::Starting && !self.is_last(at) =>
            {
                self.moves_out(at).await
            }
            (Purpose::OpenThread, Err(fault)) => {
                if self.thread_needs_login(at, &fault).await {
                    return;
                }
                // A code says that something narrower is not found: a program to start, a message in the conversation.
                if fault.kind == FaultKind::NotFound && fault.code.is_none() && self.refusals == 0 {
                    self.forget_cursor(at).await;
                }
                self.seat_failed(at, fault).await
            }
            (Purpose::CloseThread(session), _) => self.let_go(at, &session).await,
            (Purpose::LetGo, _) => {}
            (Purpose::Start | Purpose::McpServers | Purpose::HostTools, Err(fault)) => self.start_failed(fault),
            (Purpose::Send(run, _), Ok(value)) => self.sent(at, run, value).await,
            (Purpose::Hand(run, op, _), outcome) => self.handed(at, run, op, outcome).await,
            (Purpose::Send(run, _), Err(fault)) if fault.kind == FaultKind::Auth => {
                let held = self.normalizer.hold_run(&run, fault.clone());
                self.emit(held).await;
                self.login_missing(at, fault).await;
            }
            (Purpose::Authenticate(request, done), outcome) => self.authenticated(at, request, done, outcome).await,
            (Purpose::Send(run, _), Err(fault)) => {
                let routed = self.normalizer.fail_run(&run, fault);
                self.emit(routed).await;
            }
            (Purpose::Operate(operation, done), outcome) => self.operated(at, operation, done, outcome).await,
            (Purpose::Interrupt(run), outcome) => self.interrupt_answered(at, &run, outcome.map(|_| ())).await,
            (Purpose::Respond(request, waiting), outcome) => {
                self.request_answered(request, waiting, outcome.map(|_| ())).await
            }
            (Purpose::Select(_, waiting), outcome) => {
                let applies = |value| if let OpValue::Applied(applies) = value { applies } else { Applies::Now };
                let _ = waiting.send(outcome.map(applies).map_err(super::AskError::Fault));
            }
        }
    }

    /// The thread is open: from now on the provider's word about it is known as its.
    async fn opened(&mut self, at: usize, thread: Thread) {
        if self.seats[at].stage != Stage::Opening {
            return;
        }
        let ours = self.seats[at].thread().clone();
        if self.normalizer.bound_to(&thread.id).is_some_and(|other| *other != ours) {
            self.doubt(vec![one_of_two(&thread.id)]).await;
            return self.moves_out(at).await;
        }
        // Ours by the command, whatever its id: a provider may resume under a new one.
        if self.seats[at].start.native_id.as_ref().is_some_and(|known| *known != thread.id) {
            // What was told of it meanwhile waits for its thread.
            self.recall(at, false).await;
        }
        self.seats[at].native = Some(thread.id.clone());
        self.remember_thread(at, &thread).await;
        let bound = self.normalizer.bind_thread(&thread.id, ours);
        self.emit(bound).await;
        let cause = Cause { frame: None, at_ms: crate::clock::now_ms() };
        let told = self.normalizer.accept(cause, Event { scope: None, body: Told::Threads(vec![thread]) });
        self.emit(told).await;
        self.seats[at].stage = Stage::Open;
        if self.phase == Phase::Starting && self.decides(Intent::ShareSession) != Decision::Native {
            // Nobody is to wait for it to say so.
            self.door.close();
        }
        self.phase = Phase::Ready;
        self.await_survivors(at);
        self.watch.ready();
        self.seats[at].silence.broken();
    }

    /// The seat that an announced thread is of: it names it, or there is only one.
    fn seat_told(&self, thread: &Thread) -> Option<usize> {
        let seated = self.seated();
        let is_its = |at: &&usize| {
            let native = self.seats[**at].native.as_ref();
            native.is_some_and(|native| *native == thread.id || thread.replaces.as_ref() == Some(native))
        };
        // One that is left alone while it is being opened is none that is told of without its name.
        let alone = seated.len() == 1
            && (self.phase == Phase::Starting || self.decides(Intent::ShareSession) != Decision::Native);
        let only = seated.first().filter(|_| alone);
        seated.iter().find(is_its).or(only).copied()
    }

    /// Where what is said of a seat's thread is said.
    pub(super) fn scope_in(&self, at: usize) -> Option<Scope> {
        let thread = self.seats[at].native.clone().filter(|_| self.seated().len() > 1)?;
        Some(Scope { thread: Some(thread), turn: None, parent: None, replayed: false })
    }

    /// The cursor is stored before anything else is said of the thread: it is what a restart needs.
    pub(super) async fn remember_thread(&mut self, at: usize, thread: &Thread) {
        let asks = self.only_asks();
        let seat = &mut self.seats[at];
        let ours =
            seat.native.as_ref().is_none_or(|native| *native == thread.id || thread.replaces.as_ref() == Some(native));
        if !ours || thread.parent.is_some() || asks {
            return;
        }
        seat.native = Some(thread.id.clone());
        seat.resumable |= thread.cursor.is_some();
        let change = ThreadChange {
            native_id: Some(Some(thread.id.clone())),
            cursor: thread.cursor.clone().map(Some),
            title: thread.title.clone().map(Some),
            at_ms: crate::clock::now_ms(),
            ..ThreadChange::default()
        };
        let ours = self.seats[at].thread().clone();
        if let Err(error) = self.shared.store.update_thread(&ours, change).await {
            self.store_failed(&error);
        }
    }

    /// The provider does not know the conversation: no other message is to fail by it. That the thread has none any more
    /// makes the next session say that the context is lost.
    async fn forget_cursor(&mut self, at: usize) {
        if self.seats[at].start.cursor.is_none() {
            return;
        }
        self.seats[at].resumable = false;
        let change = ThreadChange { cursor: Some(None), at_ms: crate::clock::now_ms(), ..ThreadChange::default() };
        if let Err(error) = self.shared.store.update_thread(self.seats[at].thread(), change).await {
            self.store_failed(&error);
        }
    }

    pub(super) fn start_failed(&mut self, fault: Fault) {
        self.ending.get_or_insert(SessionEnded::new(SessionEnd::StartFailed, Some(fault)));
    }

    pub(super) async fn plugin_said(&mut self, level: Level, text: &str) {
        tracing::info!(session = %self.start.session, ?level, text, "the plugin says");
        self.diagnose_as(level, "plugin-log", text).await;
    }
}

fn protocol(message: &str) -> Fault {
    super::outlet::fault(jackfield_core::contract::FaultKind::Protocol, message.to_owned())
}
