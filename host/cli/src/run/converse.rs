//! The conversation of one stream: events to the view; answers, messages and signals to the thread; until it is over.
//!
//! `course` says when all is over, `hands` do what is asked, `approve` answers for a person or a rule, `input` brings a
//! script's lines. Here they meet. **Whatever happens, the thread is closed in order or its processes are killed, and each
//! line of input that was read has had its word.** Tests: `tests/tests/doors.rs`, `tests/tests/input.rs`.

mod finish;
mod lines;

use super::approve::{Answer, Approver};
use super::course::{Course, Patience};
use super::hands::{Done, Hands};
use super::input::{Order, Script, Tag, Wrong};
use super::signals::{Signal, Signals};
use super::stream::CloseReason;
use super::{End, View};
use crate::exit::{Exit, Failure};
use jackfield_core::contract::Content;
use jackfield_core::event::{EventBody, SessionEvent};
use jackfield_core::limits::Limits;
use jackfield_core::requests::AnswerError;
use jackfield_runtime::host::Host;
use jackfield_runtime::session::AskError;
use jackfield_runtime::thread::Thread;
use jackfield_runtime::thread_log::Subscription;
use lines::next_line;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::Interval;

/// A conversation under way.
pub struct Talk<'a> {
    thread: &'a Thread,
    view: &'a mut dyn View,
    approver: Approver,
    /// A script's lines; `None` once they are over, or where there is no script.
    script: Option<Script>,
    hands: Hands<'a>,
    course: Course,
    events: Subscription,
    signals: Signals,
    life: Interval,
    /// When something was last asked for.
    asked_at: Instant,
    /// A signal asked for the end.
    stopping: bool,
    /// A line of input asked for the end.
    closing: bool,
    kill: bool,
    /// The background tasks that were last spoken of.
    lingering: usize,
    /// Nobody reads what the view writes.
    deaf: Option<io::Error>,
}

/// What comes next.
enum Happening {
    Event(Option<Arc<SessionEvent>>),
    Answer(Box<Answer>),
    Done(Done),
    Line(Option<(Tag, Result<Order, Wrong>)>),
    Signal(Signal),
    Look,
    Tick,
}

impl<'a> Talk<'a> {
    pub fn new(
        host: &'a Host,
        thread: &'a Thread,
        view: &'a mut dyn View,
        approver: Approver,
        script: Option<Script>,
        signals: Signals,
        limits: &Limits,
    ) -> Talk<'a> {
        let patience = Patience {
            roster: Duration::from_millis(limits.roster_wait_ms),
            settle: Duration::from_millis(limits.roster_settle_ms),
        };
        Talk {
            thread,
            view,
            approver,
            script,
            hands: Hands::new(host, thread, limits.open_requests),
            course: Course::new(patience, Instant::now()),
            events: thread.subscribe(),
            signals,
            life: tokio::time::interval(Duration::from_millis(500)),
            asked_at: Instant::now(),
            stopping: false,
            closing: false,
            kill: false,
            lingering: 0,
            deaf: None,
        }
    }

    /// Sends the prompt, if there is one, and goes on until all is over.
    pub async fn run(mut self, prompt: Option<Vec<Content>>) -> Result<End, Failure> {
        if let Some(content) = prompt {
            self.hands.send(content);
        }
        let reason = self.follow().await?;
        let tasks = self.course.roster().iter().cloned().collect();
        self.finish().await?;
        if let Some(error) = &self.deaf {
            eprintln!("jackfield: stdout can't be written ({error}); the run is ended, its thread can be resumed");
            return Ok(End { exit: Exit::Failed, reason, tasks });
        }
        let exit = match self.course.exit() {
            Exit::Completed => Exit::Completed,
            _ if self.stopping => Exit::Interrupted,
            _ if self.closing && !self.course.has_begun() => Exit::Completed,
            _ if !self.course.has_begun() => {
                return Err(Failure::usage("nothing was said: give a PROMPT, or send a message on stdin"));
            }
            exit => exit,
        };
        Ok(End { exit, reason, tasks })
    }

    async fn follow(&mut self) -> Result<CloseReason, Failure> {
        loop {
            if self.kill || self.deaf.is_some() {
                self.kill = true;
                return Ok(if self.deaf.is_some() { CloseReason::Failed } else { CloseReason::Interrupted });
            }
            if self.script.is_none() && self.hands.are_free() {
                self.approver.script_left();
            }
            let look_again = match self.over() {
                Ok(reason) => return Ok(reason),
                Err(at) => at,
            };
            self.tell_lingering(look_again.is_some());
            match self.next(look_again).await {
                Happening::Event(Some(event)) => self.event(event).await?,
                // The log is closed: nothing can be said any more.
                Happening::Event(None) => return Ok(CloseReason::Failed),
                Happening::Answer(answer) => self.hands.answer(*answer),
                Happening::Done(done) => {
                    // What it brought about is known before it is looked at.
                    self.events_so_far().await?;
                    self.done(done)?;
                }
                Happening::Line(line) => self.line(line),
                Happening::Signal(signal) => self.signal(signal),
                Happening::Tick => drop(self.view.tick()),
                Happening::Look => {}
            }
        }
    }

    async fn next(&mut self, look_again: Option<Instant>) -> Happening {
        tokio::select! {
            event = self.events.next() => Happening::Event(event),
            answer = self.approver.next() => Happening::Answer(Box::new(answer)),
            done = self.hands.next() => Happening::Done(done),
            line = next_line(&mut self.script), if self.hands.may_begin() => Happening::Line(line),
            signal = self.signals.next() => Happening::Signal(signal),
            () = sleep_until(look_again) => Happening::Look,
            // While a question stands on the last line, that is sign enough.
            _ = self.life.tick(), if !self.approver.is_asking() => Happening::Tick,
        }
    }

    /// Whether the stream is over, and why; else when to look again.
    fn over(&self) -> Result<CloseReason, Option<Instant>> {
        // What waited was taken back; what is at work has heard the interrupt and ends.
        if self.stopping && !self.course.is_running() && self.hands.are_free() {
            return Ok(CloseReason::Interrupted);
        }
        if !self.hands.are_free() {
            return Err(None);
        }
        if self.closing {
            return Ok(CloseReason::Closed);
        }
        if self.script.is_some() {
            return Err(None);
        }
        self.course.over(self.asked_at, Instant::now())
    }

    async fn event(&mut self, event: Arc<SessionEvent>) -> Result<(), Failure> {
        for event in expand(self.thread, event).await? {
            self.course.take(&event, Instant::now());
            let shown = self.view.event(&event);
            self.heard(shown);
            self.approver.take(&event);
        }
        Ok(())
    }

    async fn events_so_far(&mut self) -> Result<(), Failure> {
        while let Some(event) = self.events.next_now() {
            self.event(event).await?;
        }
        Ok(())
    }

    fn done(&mut self, done: Done) -> Result<(), Failure> {
        match done {
            Done::Sent(Err(error)) if !self.stopping => return Err(error.into()),
            Done::Sent(_) | Done::Answered(_, Ok(())) | Done::Interrupted(Ok(())) => {}
            Done::Answered(
                answer,
                Err(AskError::Answer(error @ (AnswerError::InvalidAnswer { .. } | AnswerError::InvalidOption { .. }))),
            ) => {
                self.view.say(&error.to_string());
                self.approver.ask_again(*answer);
            }
            // Somebody was first: then nothing is left to say for nobody.
            Done::Answered(answer, Err(AskError::Answer(_))) if answer.is_for_nobody() => {}
            Done::Answered(answer, Err(error @ AskError::Fault(_))) if answer.is_login() => {
                self.view.say(&error.to_string());
                self.approver.ask_again(*answer);
            }
            Done::Answered(_, Err(error)) => self.view.say(&format!("the answer did not count: {error}")),
            Done::Interrupted(Err(error)) => self.view.say(&error.to_string()),
            Done::Line(tag, outcome) => self.line_done(tag, outcome),
        }
        Ok(())
    }

    fn signal(&mut self, signal: Signal) {
        self.approver.give_up();
        if signal == Signal::Terminate || self.stopping {
            self.kill = true;
        } else if self.course.is_running() || !self.hands.are_free() {
            self.view.say("interrupting; Ctrl-C again ends it at once");
            self.hands.interrupt();
        }
        self.stopping = true;
    }

    fn heard(&mut self, shown: io::Result<()>) {
        if let Err(error) = shown {
            self.deaf.get_or_insert(error);
        }
    }

    /// Says that it is background work that is waited for, when that begins and when it changes.
    fn tell_lingering(&mut self, waits: bool) {
        let now = if waits { self.course.roster().len() } else { 0 };
        if std::mem::replace(&mut self.lingering, now) != now && now > 0 {
            self.view.lingering(now);
        }
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// A gap of our own queue is filled from the store: a slow reader loses nothing.
async fn expand(thread: &Thread, event: Arc<SessionEvent>) -> Result<Vec<Arc<SessionEvent>>, Failure> {
    let EventBody::Gap { from_seq, to_seq } = event.draft.body else {
        return Ok(vec![event]);
    };
    if to_seq != event.seq {
        // A gap that is itself stored: numbers that a dead host had reserved.
        return Ok(vec![event]);
    }
    let mut found = Vec::new();
    let mut after = from_seq - 1;
    while after < to_seq {
        let page = thread.events_after(after, 500).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        found.extend(page.into_iter().filter(|event| event.seq <= to_seq).map(Arc::new));
    }
    Ok(found)
}
