//! The driver: the host's commands, in step with the player.
//!
//! It does what the plan says for one start of the program. Before each command it waits until the host has taken in all
//! that the program has said by then.

use super::dialect::{Asked, Dialect, Requests, Start};
use super::judge::start_failed;
use super::lists::Lists;
use super::manner::Manner;
use super::plan::{Incarnation, What};
use super::seen::{Frame, Problem, Sitting, is_over};
use super::stage::{FromPlayer, ToPlayer};
use anyhow::Result;
use jackfield_core::contract::FaultKind;
use jackfield_core::event::{EventBody, Request, SessionEvent};
use jackfield_core::id::{ThreadId, TurnId};
use jackfield_core::requests::Reply;
use jackfield_runtime::host::{Host, HostError};
use jackfield_runtime::session::AskError;
use jackfield_runtime::thread::{ForkAt, Thread};
use jackfield_runtime::thread_log::Subscription;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

/// Longer than a step takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Our host refused the session, where the recorded client went on.
const REFUSED_START: &str = "start/refused";

/// True for what the host itself asks when a login is missing: no line of a recording asks for it.
pub(super) fn is_own(request: &Request) -> bool {
    request.options.iter().any(|offer| offer.id == "leave")
}

/// The provider copies whole conversations only.
const NOT_AT_A_TURN: &str = "start/--resume-session-at/whole";

/// One start of the program, being driven.
pub(super) struct Seat {
    pub(super) dialect: &'static dyn Dialect,
    pub(super) sitting: Sitting,
    events: Subscription,
    pub(super) live: Vec<SessionEvent>,
    pub(super) problems: Vec<Problem>,
    /// The first message, which started the program, when there is one.
    pub(super) first: Option<usize>,
    /// What must have come about before the first message goes, where the program was started for that.
    pub(super) before: Option<oneshot::Receiver<Result<(), AskError>>>,
    /// The step at which the host hung up, though a line was awaited.
    deserted: Option<usize>,
    next_frame: u64,
    taken: usize,
    beyond: usize,
    /// Events that were looked through for logins.
    looked_through: usize,
    manner: Manner,
    lists: Lists,
}

type Words = Lines<BufReader<OwnedReadHalf>>;

impl Seat {
    pub(super) fn new(
        dialect: &'static dyn Dialect,
        incarnation: Incarnation,
        thread: &Thread,
        (manner, lists): (Manner, Lists),
    ) -> Seat {
        let first = incarnation.messages().next().map(|(step, _)| step);
        let sitting = Sitting {
            order: 0,
            incarnation,
            started: Start::default(),
            said: Vec::new(),
            complained: Vec::new(),
            frames: Vec::new(),
            heard: Vec::new(),
            ended_by_us: None,
        };
        let events = thread.subscribe();
        Seat {
            dialect,
            sitting,
            events,
            live: vec![],
            problems: vec![],
            first,
            before: None,
            deserted: None,
            next_frame: 1,
            taken: 0,
            beyond: 0,
            looked_through: 0,
            manner,
            lists,
        }
    }

    fn problem(&mut self, text: impl Into<String>) {
        self.problems.push(Problem::new("drive", text).of(self.sitting.incarnation.proc));
    }

    pub(super) async fn sit(&mut self, thread: &Thread, listener: &UnixListener) {
        let Some(first) = self.sitting.incarnation.first_message().map(<[_]>::to_vec) else {
            return self.look_in(thread, listener).await;
        };
        if let Err(error) = thread.send(first).await {
            return self.problem(format!("the first message was refused: {error}"));
        }
        self.play(thread, listener).await;
    }

    /// A start without a message: what our host does most quietly is to ask for the settings. That it may not get them, or gets
    /// no session, is for the recording to say.
    async fn look_in(&mut self, thread: &Thread, listener: &UnixListener) {
        let (done, before) = oneshot::channel();
        self.before = Some(before);
        let asks = async { _ = done.send(thread.list_settings().await.map(drop)) };
        tokio::join!(asks, self.play(thread, listener));
    }

    /// The conversation goes back to after this turn, for which the program is started, ends, and starts again.
    pub(super) async fn go_back(&mut self, thread: &Thread, to: &TurnId, listener: &UnixListener) {
        let (done, before) = oneshot::channel();
        self.before = Some(before);
        let back = async { _ = done.send(thread.rollback(Some(to)).await) };
        let play = async {
            self.attend(listener).await;
            self.play(thread, listener).await;
        };
        tokio::join!(back, play);
    }

    /// The copy of the conversation, for which the program is started and asked nothing.
    pub(super) async fn copy(
        &mut self,
        host: &Host,
        parent: &Thread,
        at: ForkAt,
        id: ThreadId,
        listener: &UnixListener,
    ) -> Option<Thread> {
        let mut whole = false;
        let copying = async {
            let copy = match host.fork_thread_with_id(parent, at.clone(), id.clone()).await {
                Err(HostError::Ask(AskError::Fault(fault)))
                    if fault.kind == FaultKind::Unsupported && at != ForkAt::Tip =>
                {
                    whole = true;
                    host.fork_thread_with_id(parent, ForkAt::Tip, id).await
                }
                copy => copy,
            };
            let closed = parent.close().await;
            copy.and_then(|copy| Ok(closed.map(|()| copy)?))
        };
        let (copy, ()) = tokio::join!(copying, self.attend(listener));
        if whole {
            self.sitting.incarnation.start.not_ours.push(NOT_AT_A_TURN.into());
        }
        self.listen();
        copy.map_err(|error| self.problem(format!("the thread was not copied: {error}"))).ok()
    }

    /// A start of which nothing but the handshake is played.
    async fn attend(&mut self, listener: &UnixListener) {
        let Some((mut words, mut player)) = self.accept(listener).await else { return };
        while let Ok(Ok(Some(line))) = timeout(PATIENCE * 2, words.next_line()).await {
            match serde_json::from_str(&line) {
                Ok(FromPlayer::Here { .. }) => self.give_part(&mut player, true).await,
                Ok(FromPlayer::Heard { line, step: Some(_) }) => self.note_opening(&line),
                _ => {}
            }
        }
    }

    async fn accept(&mut self, listener: &UnixListener) -> Option<(Words, OwnedWriteHalf)> {
        let Ok(Ok((stream, _))) = timeout(PATIENCE, listener.accept()).await else {
            self.listen();
            let last: Vec<_> = self.live.iter().rev().take(3).map(|event| format!("{:?}", event.draft.body)).collect();
            self.problem(format!("the program was not started; the last events: {}", last.join("; ")));
            return None;
        };
        Some(split(stream))
    }

    async fn give_part(&mut self, player: &mut OwnedWriteHalf, only_greets: bool) {
        let (proc, part) = (self.sitting.incarnation.proc, self.sitting.incarnation.part);
        tell(player, &ToPlayer::Play { proc, part, manner: self.manner, only_greets }).await;
    }

    /// A conversation is opened by a message where the program takes no arguments for it; a setting may go along with another.
    fn note_opening(&mut self, line: &str) {
        match self.dialect.asked(line, &Requests::new()) {
            Asked::Open(opening) => {
                self.sitting.started = std::mem::take(&mut self.sitting.started).opened_by(opening);
            }
            Asked::Message { .. } => self.sitting.started.selection.extend(self.dialect.way(line).selection),
            _ => {}
        }
    }

    async fn play(&mut self, thread: &Thread, listener: &UnixListener) {
        let Some((mut words, mut player)) = self.accept(listener).await else { return };
        loop {
            match timeout(PATIENCE * 2, words.next_line()).await {
                Ok(Ok(Some(line))) => match serde_json::from_str(&line) {
                    Ok(word) => self.word(thread, &mut player, word).await,
                    Err(error) => return self.problem(format!("the player said {line:?}: {error}")),
                },
                Ok(_) => return,
                Err(_) => return self.problem("the player said nothing more"),
            }
        }
    }

    async fn word(&mut self, thread: &Thread, player: &mut OwnedWriteHalf, word: FromPlayer) {
        match word {
            FromPlayer::Here { arguments } => {
                let opened = std::mem::take(&mut self.sitting.started);
                self.sitting.started = self.dialect.start(&arguments).opened_by(opened);
                self.give_part(player, false).await;
            }
            FromPlayer::Said { line, at } => self.sitting.said.push((line, at)),
            FromPlayer::Complained { line } => self.sitting.complained.push(line),
            FromPlayer::Heard { line, step } => {
                if step.is_some() {
                    self.note_opening(&line);
                }
                self.sitting.heard.push((line, step));
            }
            FromPlayer::Deserted { step } => self.deserted = Some(step),
            FromPlayer::At { step } => {
                self.look(thread).await;
                let what = self.sitting.incarnation.steps[step].what.clone();
                match timeout(PATIENCE, self.act(thread, player, step, what)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => self.problem(format!("{error:#}")),
                    Err(_) => self.problem(format!("step {step} took longer than {PATIENCE:?}")),
                }
            }
        }
    }

    /// Frames that must come in beyond the recorded lines: those that were said twice. What else is said beyond
    /// comes before a line, or need not come.
    fn due_beyond(&self) -> usize {
        match self.manner {
            Manner::Doubled => {
                let said: Vec<String> = self.sitting.said.iter().map(|(line, _)| line.clone()).collect();
                self.manner.beyond(&said, self.dialect, &self.lists)
            }
            _ => 0,
        }
    }

    /// Waits until the host has taken in all that the program has said.
    async fn look(&mut self, thread: &Thread) {
        let deadline = Instant::now() + PATIENCE;
        while self.taken < self.sitting.said.len() || self.beyond < self.due_beyond() {
            // A session that is ending answers no more; it need not be waited for long.
            let kept = timeout(Duration::from_millis(500), thread.frame(self.next_frame)).await;
            if let Ok(Some(kept)) = kept {
                let raw = String::from_utf8_lossy(&kept.raw).into_owned();
                let main = self.sitting.said.get(self.taken).is_some_and(|(line, _)| *line == raw);
                self.taken += usize::from(main);
                self.beyond += usize::from(!main);
                self.sitting.frames.push(Frame { number: self.next_frame, raw, fate: kept.fate, main });
                self.next_frame += 1;
                continue;
            }
            self.listen();
            if is_over(&self.live) {
                return;
            }
            if Instant::now() > deadline {
                let last = self.taken.min(self.sitting.said.len() - 1);
                let (line, at) = self.sitting.said[last].clone();
                return self.problem(format!("line {at} never reached the host: {line:.120}"));
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.listen();
        self.leave_logins(thread).await;
    }

    /// No recorded client logged in: what the host asks when a login is missing is left, so that its message ends as the provider said.
    async fn leave_logins(&mut self, thread: &Thread) {
        let since = std::mem::replace(&mut self.looked_through, self.live.len());
        let opened = self.live[since..].iter().filter_map(|event| match &event.draft.body {
            EventBody::RequestOpened { request } if is_own(request) => Some(request.id.clone()),
            _ => None,
        });
        let opened: Vec<_> = opened.collect();
        for request in opened {
            let left = thread.answer(request, Reply::Dismissed, "player").await;
            left.unwrap_or_else(|error| self.problem(format!("a login was not left: {error}")));
        }
        self.listen();
    }

    /// The session has ended with the program; one of programs that end with their messages goes on, and its run has ended.
    fn is_through(&self) -> bool {
        let has_run = || self.live.iter().any(|event| matches!(event.draft.body, EventBody::RunEnded { .. }));
        is_over(&self.live) || (self.dialect.is_raw() && has_run())
    }

    fn listen(&mut self) {
        while let Some(event) = self.events.next_now() {
            self.live.push((*event).clone());
        }
    }

    /// The program has ended: so does the session, by itself or by us.
    pub(super) async fn leave(&mut self, thread: &Thread) {
        let deadline = Instant::now() + PATIENCE;
        while self.sitting.ended_by_us.is_none() && !self.is_through() && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(2)).await;
            self.listen();
        }
        if self.sitting.ended_by_us.is_none() && !self.is_through() {
            self.problem("the program has ended, and the session goes on");
        }
        match timeout(PATIENCE, thread.close()).await {
            Ok(Ok(())) => {}
            // Closed before, by the recording's word.
            Ok(Err(_)) if self.sitting.ended_by_us.is_some() => {}
            Ok(Err(error)) => self.problem(format!("the thread could not be closed: {error}")),
            Err(_) => self.problem("the session does not close"),
        }
        self.listen();
        if let Some(step) = self.deserted {
            self.hung_up_at(step);
        }
    }

    /// A session that was refused at its start asks for nothing more; anything else is a line that never came.
    fn hung_up_at(&mut self, step: usize) {
        let steps = &mut self.sitting.incarnation.steps;
        if self.live.iter().any(start_failed) {
            let awaited = steps[step..].iter_mut().filter(|step| step.what.awaited().is_some());
            return awaited.for_each(|step| step.what = What::LeaveOut(REFUSED_START.into()));
        }
        let text = format!("the host closed stdin while line {} was awaited: {:?}", steps[step].at, steps[step].what);
        self.problem(text);
    }
}

fn split(stream: UnixStream) -> (Words, OwnedWriteHalf) {
    let (read, write) = stream.into_split();
    (BufReader::new(read).lines(), write)
}

/// A player that has gone needs no word.
pub(super) async fn tell(player: &mut OwnedWriteHalf, word: &ToPlayer) {
    let mut line = serde_json::to_vec(word).unwrap_or_default();
    line.push(b'\n');
    let _ = player.write_all(&line).await;
}
