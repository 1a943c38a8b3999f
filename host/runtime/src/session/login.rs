//! A login that is missing. It is asked for as a request, waited for, and what met it goes on once it is there.
//!
//! A provider says that a login is missing by a fault of the kind `auth`: when a thread is opened, when a message is given, or at the
//! end of its turn. The plugin may offer methods by a login request of its own, with an option for each; where it offers none, the
//! host asks. A method that is picked becomes `authenticate`; what a person must do then is a further request, which the plugin closes.
//!
//! **Nothing is lost by a missing login, and nothing waits for ever:** a thread is opened again and a message is sent again once it is
//! there; given up or overdue (`login_ms`), both end with the fault that met them. **A message of which something came is not sent
//! again.** What the request needs is shown to a person; a key never passes here. Tests: `tests/tests/login.rs`.

use super::ask::{AskError, NewRun, Reply1};
use super::login_words::{Said, Step, at_terminal, own_options};
use super::ops::Purpose;
use super::outgoing::{message, needs_of};
use super::seat::Stage;
use super::task::{Phase, Task};
use crate::audit::Verdict;
use crate::{clock, mint};
use jackfield_core::contract::{self, CommandBody, Fault, FaultKind, Message, Offer, OpValue, Status, Subject};
use jackfield_core::event::{LEAVE, LOGGED_IN, Request, SessionEnd};
use jackfield_core::id::{RequestId, RunId, ThreadId};
use jackfield_core::policy::Intent;
use jackfield_core::requests::Reply;
use std::time::Duration;
use tokio::time::Instant;

/// What waits for a login in a thread.
pub(super) struct Login {
    held: Held,
    /// Why it fails if none comes.
    fault: Fault,
    deadline: Instant,
}

enum Held {
    /// The thread is not open yet.
    Thread,
    /// A message that the provider did not take.
    Run(RunId),
    /// What met it has ended.
    Nothing,
}

impl Task {
    /// True while any thread waits for a login: the handshake has all the time that a person needs.
    pub(super) fn awaits_login(&self) -> bool {
        self.seats.iter().any(|seat| seat.login.is_some())
    }

    pub(super) fn login_deadline(&self, at: usize) -> Option<Instant> {
        self.seats[at].login.as_ref().map(|login| login.deadline)
    }

    /// Logins that wait for an end: the plugin's word that they are over is heard.
    pub(super) fn open_logins(&self, said: &Said) -> Vec<(ThreadId, Status)> {
        let mut found = Vec::new();
        if said.ends.is_empty() {
            return found;
        }
        for thread in self.seated().into_iter().map(|at| self.seats[at].thread()) {
            for login in self.normalizer.requests_of(thread).into_iter().filter(|request| request.is_login()) {
                let native = self.normalizer.native_request(&login.id);
                let end = said.ends.iter().find(|end| Some(end.id.as_str()) == native);
                found.extend(end.map(|end| (thread.clone(), end.status)));
            }
        }
        found
    }

    /// What an event brought about, once it was taken in. `ended` are the logins that it ended.
    pub(super) async fn heard_of_login(&mut self, said: Said, ended: Vec<(ThreadId, Status)>, met: Option<ThreadId>) {
        let at = met.and_then(|thread| self.seat_of(&thread));
        if let Some((at, missing)) = at.zip(said.missing) {
            self.login_missing(at, missing).await;
        }
        for (thread, status) in ended {
            let Some(at) = self.seat_of(&thread).filter(|at| self.seats[*at].login.is_some()) else { continue };
            match status {
                Status::Completed => self.logged_in().await,
                _ => self.no_login(at, "the login was not completed").await,
            }
        }
        if said.logged_in && !self.ops.has_authenticate() {
            self.logged_in().await;
        }
    }

    /// The thread could not be opened for want of a login. False when nothing can be waited for.
    pub(super) async fn thread_needs_login(&mut self, at: usize, fault: &Fault) -> bool {
        let waits = fault.kind == FaultKind::Auth && self.seats[at].stage == Stage::Opening && self.ending.is_none();
        if waits {
            self.ask_for_login(at, Held::Thread, fault.clone()).await;
        }
        waits
    }

    /// A message met a missing login: it waits, where it may be sent again.
    pub(super) async fn login_missing(&mut self, at: usize, fault: Fault) {
        let held = self.normalizer.held_for_login(self.seats[at].thread());
        let (held, fault) = match held {
            Some((run, fault)) => (Held::Run(run.clone()), fault.clone()),
            None => (Held::Nothing, fault),
        };
        self.ask_for_login(at, held, fault).await;
    }

    async fn ask_for_login(&mut self, at: usize, held: Held, fault: Fault) {
        let deadline = Instant::now() + Duration::from_millis(self.shared.limits.login_ms);
        self.note("login", "needed", serde_json::json!({ "thread": self.seats[at].thread() }));
        let request = self.own_request(&held, &fault);
        self.seats[at].login = Some(Login { held, fault, deadline });
        let thread = self.seats[at].thread().clone();
        if !self.normalizer.requests_of(&thread).into_iter().any(Request::is_login_choice) {
            let asked = self.normalizer.ask(&thread, request, clock::now_ms());
            self.emit(asked).await;
        }
    }

    /// What a person is asked where the plugin offers no methods.
    fn own_request(&mut self, held: &Held, fault: &Fault) -> contract::Request {
        self.logins += 1;
        let manifest = self.start.generation.manifest();
        let methods = manifest.login.iter().filter(|way| way.profile.is_none());
        let methods = methods.map(|way| {
            let (id, label) = (way.method.clone(), way.label.clone());
            Offer { id, label, verdict: contract::Verdict::Neutral }
        });
        let then = match held {
            Held::Thread => "The conversation begins then.",
            Held::Run(_) => "The message is sent again then.",
            Held::Nothing => "Send the message again then.",
        };
        let text = format!("{}{} {then}", fault.message, at_terminal(manifest));
        contract::Request {
            id: format!("jackfield-login-{}", self.logins),
            item: None,
            subject: Subject::Login(contract::Login { url: None, code: None, text }),
            reason: None,
            options: methods.chain(own_options()).collect(),
            questions: Vec::new(),
            raw: None,
            expires_ms: None,
            extra: Vec::new(),
        }
    }

    /// An answer to a login request, where it is the host's to carry out; else it is given back.
    pub(super) async fn answer_login(
        &mut self,
        at: usize,
        asked: Option<&Request>,
        reply: Reply,
        by: &str,
        done: Reply1<()>,
    ) -> Option<(Reply, Reply1<()>)> {
        let Some((asked, step)) = asked.and_then(|asked| Some((asked, Step::of(asked, &reply)?))) else {
            return Some((reply, done));
        };
        let request = asked.id.clone();
        if let Err(error) = self.normalizer.answer(&request, reply, by) {
            let _ = done.send(Err(error.into()));
            return None;
        }
        if let Err(problem) = self.record_login(at, &request, &step, by) {
            self.request_answered(request, Some(done), Err(problem)).await;
            return None;
        }
        match step {
            Step::GoOn => {
                self.request_answered(request, Some(done), Ok(())).await;
                self.logged_in_elsewhere(at).await;
            }
            Step::Leave => {
                self.request_answered(request, Some(done), Ok(())).await;
                self.no_login(at, "nobody logged in").await;
            }
            Step::Method(method) => self.authenticate(at, method, Some(request), done).await,
        }
        None
    }

    fn record_login(&self, at: usize, request: &RequestId, step: &Step, by: &str) -> Result<(), Fault> {
        let (verdict, what) = match step {
            Step::GoOn => (Verdict::Allowed, LOGGED_IN),
            Step::Leave => (Verdict::Refused, LEAVE),
            Step::Method(method) => (Verdict::Allowed, method.as_str()),
        };
        self.record_answer(at, verdict, by, serde_json::json!({ "request": request, "login": what }))
    }

    /// Has the provider log in by this method.
    pub(super) async fn authenticate(
        &mut self,
        at: usize,
        method: String,
        request: Option<RequestId>,
        done: Reply1<()>,
    ) {
        let purpose = Purpose::Authenticate(request, done);
        let deadline = self.after(purpose.within(&self.shared.limits).0);
        Box::pin(self.command(at, purpose, None, CommandBody::Authenticate(method), deadline)).await;
    }

    /// The plugin's answer to `authenticate`: it is done, or a person has more to do, which another request tells.
    pub(super) async fn authenticated(
        &mut self,
        at: usize,
        request: Option<RequestId>,
        done: Reply1<()>,
        outcome: Result<OpValue, Fault>,
    ) {
        let thread = self.seats[at].thread();
        let asked = self.normalizer.requests_of(thread).into_iter();
        let more = asked.filter(|asked| asked.is_login() && !asked.is_login_choice()).count() > 0;
        let is_done = outcome.is_ok() && !more;
        let outcome = outcome.map(drop);
        match request {
            Some(request) => self.request_answered(request, Some(done), outcome).await,
            None => drop(done.send(outcome.map_err(AskError::Fault))),
        }
        if is_done {
            self.logged_in().await;
        }
    }

    /// The login is there, for all that the program serves.
    async fn logged_in(&mut self) {
        for at in self.seated() {
            let Some(login) = self.seats[at].login.take() else { continue };
            self.close_choices(at, Status::Completed).await;
            self.note("login", "there", serde_json::json!({ "thread": self.seats[at].thread() }));
            match login.held {
                Held::Thread if self.seats[at].stage == Stage::Opening => {
                    self.watch.begins_again();
                    Box::pin(self.open_thread(at)).await;
                }
                Held::Run(run) => self.send_again(at, run).await,
                Held::Thread | Held::Nothing => {}
            }
        }
    }

    /// A person logged in by another way: a program that runs may not notice, so a thread that is not open is opened by another one.
    async fn logged_in_elsewhere(&mut self, at: usize) {
        if !self.seats[at].login.as_ref().is_some_and(|login| matches!(login.held, Held::Thread)) {
            return self.logged_in().await;
        }
        self.seats[at].login = None;
        (self.seats[at].goes_on, self.altered) = (true, true);
        self.leave(at, SessionEnd::Closed).await;
    }

    /// No login comes: what waited for it ends with the fault that met it.
    async fn no_login(&mut self, at: usize, why: &str) {
        let Some(login) = self.seats[at].login.take() else { return };
        self.close_choices(at, Status::Cancelled).await;
        self.note("login", "none", serde_json::json!({ "thread": self.seats[at].thread(), "why": why }));
        match login.held {
            Held::Thread => self.seat_failed(at, login.fault).await,
            Held::Run(run) => {
                let failed = self.normalizer.fail_run(&run, login.fault);
                self.emit(failed).await;
            }
            Held::Nothing => {}
        }
    }

    /// Nothing is left to be picked in this thread.
    async fn close_choices(&mut self, at: usize, status: Status) {
        let thread = self.seats[at].thread();
        let open = self.normalizer.requests_of(thread).into_iter().filter(|request| request.is_login_choice());
        let ids: Vec<RequestId> = open.map(|request| request.id.clone()).collect();
        for id in ids {
            let closed = self.normalizer.close_request(&id, status);
            self.emit(closed).await;
        }
    }

    /// An interrupt while the run waits for a login: the provider is at work on nothing. True when there was such a run.
    pub(super) async fn stop_waiting_for_login(&mut self, at: usize, run: &RunId) -> bool {
        let login = self.seats[at].login.as_ref();
        let waits = login.is_some_and(|login| matches!(&login.held, Held::Run(held) if held == run));
        if waits {
            self.normalizer.interrupting(run);
            self.no_login(at, "the run was interrupted").await;
        }
        waits
    }

    /// Nobody logged in in time.
    pub(super) async fn login_overdue(&mut self, at: usize, now: Instant) {
        let limit = self.shared.limits.login_ms;
        let Some(login) = self.seats[at].login.as_mut().filter(|login| login.deadline <= now) else { return };
        let said = std::mem::take(&mut login.fault.message);
        login.fault.message = format!("{said} Nobody logged in within {} s (limit login_ms).", limit / 1000);
        login.fault.code = Some("login-timeout".into());
        self.no_login(at, "no login in time").await;
    }

    /// The message that met the missing login, once more: another attempt of the same run.
    async fn send_again(&mut self, at: usize, run: RunId) {
        let kept = match self.shared.store.run(&run).await {
            Ok(kept) => kept,
            Err(error) => return self.store_failed(&error),
        };
        let Some(kept) = kept.filter(|_| self.phase == Phase::Ready || self.seats[at].stays()) else { return };
        let (op, attached) = (self.ops.next(), needs_of(&kept.prompt).contains(&Intent::Attach));
        let context = self.seats[at].last_context.clone();
        let sent = message(&NewRun::new(run.clone(), kept.ordinal, kept.prompt), None, false);
        // The provider may have taken the first one for good, and pass over what has its name.
        let body = CommandBody::SendRun(Message { context, uuid: mint::message_uuid_again(&run, op), ..sent });
        let retried = self.normalizer.retry_run(&run, op, clock::now_ms());
        self.emit(retried).await;
        self.seats[at].silence.broken();
        let thread = self.seats[at].native.clone();
        Box::pin(self.command(at, Purpose::Send(run, attached), thread, body, None)).await;
    }
}
