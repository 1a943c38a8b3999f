//! The driver: the host's commands, in step with the player.
//!
//! It opens a real host (store, audit, process layer, sandboxed plugin) in a folder of its own and does what the plan says.
//! Before each command it waits until the host has taken in all that the program has said by then.

use super::dialect::{Answer, Asked, Dialect};
use super::plan::{Incarnation, What, plan};
use super::recording::Recording;
use super::seen::{Conversation, Frame, Play, Problem, Sitting, is_over};
use super::stage::{FromPlayer, ToPlayer};
use anyhow::{Context, Result};
use jackfield_core::contract::{Chosen, Content, Filled, Reply, Verdict};
use jackfield_core::event::{EventBody, Request, SessionEvent};
use jackfield_core::id::ThreadId;
use jackfield_core::identity::digest;
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_runtime::host::{Host, HostConfig, Plugin};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::process::{SUPERVISE, Supervisor};
use jackfield_runtime::thread::Thread;
use jackfield_runtime::thread_log::Subscription;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{Instant, timeout};

/// Longer than a step takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A plugin that is loaded once and played on many times.
pub struct House {
    dialect: &'static dyn Dialect,
    plugin: Plugin,
    /// The program that is both player and supervisor.
    program: PathBuf,
    _folder: tempfile::TempDir,
}

impl House {
    /// Loads the bundled plugin of this dialect's provider.
    pub async fn open(dialect: &'static dyn Dialect, program: &Path) -> Result<House> {
        let provider = dialect.provider();
        let bundled = jackfield_bundled::all().iter().find(|one| one.name == provider);
        let bytes = bundled.with_context(|| format!("no plugin '{provider}' comes with the host"))?.bytes.to_vec();
        let folder = tempfile::tempdir()?;
        let program = program.canonicalize().with_context(|| program.display().to_string())?;
        let host = open_host(folder.path(), &program)?;
        Ok(House { dialect, plugin: host.add_plugin(bytes, true).await?, program, _folder: folder })
    }

    /// The dialect.
    pub fn dialect(&self) -> &'static dyn Dialect {
        self.dialect
    }

    /// Plays a recording once, from an empty data folder.
    pub async fn play(&self, file: &Path, recording: &Recording) -> Result<Play> {
        let folder = tempfile::tempdir()?;
        let work = folder.path().join("work");
        std::fs::create_dir(&work)?;
        let host = open_host(&folder.path().join("data"), &self.program)?;
        let socket = folder.path().join("stage");
        let listener = UnixListener::bind(&socket)?;
        let file = file.canonicalize()?;
        let mut play = Play::default();
        for incarnation in plan(recording, self.dialect) {
            if incarnation.first_message().is_none() {
                let text = "no message of a person is in it, and our host starts nothing without one";
                play.problems.push(Problem::new("drive", text).of(incarnation.proc));
                continue;
            }
            let instance = self.instance(&incarnation, &file, &socket);
            let again = incarnation.proc > 0 && !incarnation.start.apart && !play.conversations.is_empty();
            let thread = if again {
                host.resume_thread(&self.plugin, instance, &play.conversations[0].thread).await?
            } else {
                let id = digest(&["recording", &recording.name, &incarnation.proc.to_string()]);
                host.new_thread_with_id(&self.plugin, instance, &work, ThreadId::from_digits(&id)).await?
            };
            if !again {
                let thread = thread.id().clone();
                play.conversations.push(Conversation { thread, sittings: vec![], events: vec![], live: vec![] });
            }
            let at = if again { 0 } else { play.conversations.len() - 1 };
            let mut seat = Seat::new(self.dialect, incarnation, &thread);
            seat.sit(&thread, &listener).await;
            seat.leave(&thread).await;
            play.problems.append(&mut seat.problems);
            play.conversations[at].live.append(&mut seat.live);
            seat.sitting.order = play.conversations[at].sittings.len();
            play.conversations[at].sittings.push(seat.sitting);
        }
        for conversation in &mut play.conversations {
            conversation.events = stored(&host, &conversation.thread).await?;
        }
        Ok(play)
    }

    fn instance(&self, incarnation: &Incarnation, file: &Path, socket: &Path) -> Instance {
        let text = |path: &Path| path.display().to_string();
        let mut instance = Instance {
            name: self.dialect.provider().to_owned(),
            program_args: vec![super::CLI.into(), self.dialect.provider().into(), text(file), text(socket)],
            selection: incarnation.start.selection.clone(),
            options: incarnation.start.options.iter().cloned().collect(),
            ..Instance::default()
        };
        for profile in &self.plugin.generation.manifest().spawn {
            instance.programs.insert(profile.program.clone(), self.program.clone());
        }
        instance
    }
}

fn open_host(data: &Path, program: &Path) -> Result<Host> {
    let limits = Limits {
        // All raw frames and live events of a play are looked at.
        raw_ring_bytes: 1 << 30,
        subscriber_events: 1 << 20,
        ..Limits::default()
    };
    let supervisor = Supervisor { command: program.to_owned(), args: vec![SUPERVISE.to_owned()] };
    Ok(Host::open(HostConfig { data: data.to_owned(), limits, policy: PolicyConfig::default(), supervisor })?)
}

async fn stored(host: &Host, thread: &ThreadId) -> Result<Vec<SessionEvent>> {
    let mut events: Vec<SessionEvent> = Vec::new();
    loop {
        let after = events.last().map_or(0, |event| event.seq);
        let page = host.store().events(thread, after, 1_000).await?;
        if page.is_empty() {
            return Ok(events);
        }
        events.extend(page);
    }
}

/// One start of the program, being driven.
struct Seat {
    dialect: &'static dyn Dialect,
    sitting: Sitting,
    events: Subscription,
    live: Vec<SessionEvent>,
    problems: Vec<Problem>,
    /// The first message, which started the program.
    first: usize,
    next_frame: u64,
    taken: usize,
}

type Words = Lines<BufReader<OwnedReadHalf>>;

impl Seat {
    fn new(dialect: &'static dyn Dialect, incarnation: Incarnation, thread: &Thread) -> Seat {
        let first = incarnation.messages().next().map_or(0, |(step, _)| step);
        let sitting = Sitting {
            order: 0,
            incarnation,
            said: Vec::new(),
            complained: Vec::new(),
            frames: Vec::new(),
            heard: Vec::new(),
            ended_by_us: None,
        };
        let events = thread.subscribe();
        Seat { dialect, sitting, events, live: vec![], problems: vec![], first, next_frame: 1, taken: 0 }
    }

    fn problem(&mut self, text: impl Into<String>) {
        self.problems.push(Problem::new("drive", text).of(self.sitting.incarnation.proc));
    }

    async fn sit(&mut self, thread: &Thread, listener: &UnixListener) {
        let first = self.sitting.incarnation.first_message().unwrap_or_default().to_owned();
        if let Err(error) = thread.send(vec![Content::Text(first)]).await {
            return self.problem(format!("the first message was refused: {error}"));
        }
        let Ok(Ok((stream, _))) = timeout(PATIENCE, listener.accept()).await else {
            self.listen();
            let last: Vec<_> = self.live.iter().rev().take(3).map(|event| format!("{:?}", event.draft.body)).collect();
            return self.problem(format!("the program was not started; the last events: {}", last.join("; ")));
        };
        let (mut words, mut player) = split(stream);
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
            FromPlayer::Here => {
                let proc = self.sitting.incarnation.proc;
                tell(player, &ToPlayer::Play { proc }).await;
            }
            FromPlayer::Said { line, at } => self.sitting.said.push((line, at)),
            FromPlayer::Complained { line } => self.sitting.complained.push(line),
            FromPlayer::Heard { line, step } => self.sitting.heard.push((line, step)),
            FromPlayer::Deserted { step } => {
                let step = &self.sitting.incarnation.steps[step];
                let text = format!("the host closed stdin while line {} was awaited: {:?}", step.at, step.what);
                self.problem(text);
            }
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

    async fn act(&mut self, thread: &Thread, player: &mut OwnedWriteHalf, step: usize, what: What) -> Result<()> {
        match what {
            What::Wait(Asked::Message { text }) if step != self.first => {
                thread.send(vec![Content::Text(text)]).await?;
            }
            What::Wait(Asked::Answer { request, answer }) => {
                let open = self.request(&request).with_context(|| format!("request {request} was never shown"))?;
                let reply = reply(&open, answer).with_context(|| format!("request {request} offers no such answer"))?;
                thread.answer(open.id, reply, "user").await?;
            }
            What::Wait(Asked::Interrupt) => thread.interrupt().await?,
            What::Wait(Asked::Select(pairs)) => thread.select(pairs).await?,
            What::HangUp => {
                self.sitting.ended_by_us = Some(self.sitting.said.len());
                thread.close().await?;
            }
            What::Killed => {
                self.sitting.ended_by_us = Some(self.sitting.said.len());
                thread.kill().await?;
            }
            What::Exit(_) => tell(player, &ToPlayer::Go).await,
            What::Wait(_) | What::Say | What::Complain | What::Unread(_) | What::LeaveOut(_) | What::Hold => {}
        }
        Ok(())
    }

    /// Waits until the host has taken in all that the program has said.
    async fn look(&mut self, thread: &Thread) {
        let deadline = Instant::now() + PATIENCE;
        while self.taken < self.sitting.said.len() {
            match timeout(Duration::from_millis(500), thread.frame(self.next_frame)).await {
                Ok(Some(kept)) => {
                    let raw = String::from_utf8_lossy(&kept.raw).into_owned();
                    let main = self.sitting.said.get(self.taken).is_some_and(|(line, _)| *line == raw);
                    self.taken += usize::from(main);
                    self.sitting.frames.push(Frame { number: self.next_frame, raw, fate: kept.fate, main });
                    self.next_frame += 1;
                    continue;
                }
                Ok(None) | Err(_) => {}
            }
            self.listen();
            if is_over(&self.live) {
                return;
            }
            if Instant::now() > deadline {
                let (line, at) = self.sitting.said[self.taken].clone();
                return self.problem(format!("line {at} never reached the host: {line:.120}"));
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.listen();
    }

    fn listen(&mut self) {
        while let Some(event) = self.events.next_now() {
            self.live.push((*event).clone());
        }
    }

    /// Our request that stands for the program's: the one that its frame opened.
    fn request(&self, native: &str) -> Option<Request> {
        self.live.iter().rev().find_map(|event| {
            let EventBody::RequestOpened { request } = &event.draft.body else { return None };
            let number = event.draft.origin.frame?;
            let frame = self.sitting.frames.iter().find(|frame| frame.number == number)?;
            (self.dialect.requested(&frame.raw)?.id == native).then(|| request.clone())
        })
    }

    /// The program has ended: so does the session, by itself or by us.
    async fn leave(&mut self, thread: &Thread) {
        let deadline = Instant::now() + PATIENCE;
        while self.sitting.ended_by_us.is_none() && !is_over(&self.live) && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(2)).await;
            self.listen();
        }
        if self.sitting.ended_by_us.is_none() && !is_over(&self.live) {
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
    }
}

fn split(stream: UnixStream) -> (Words, OwnedWriteHalf) {
    let (read, write) = stream.into_split();
    (BufReader::new(read).lines(), write)
}

/// A player that has gone needs no word.
async fn tell(player: &mut OwnedWriteHalf, word: &ToPlayer) {
    let mut line = serde_json::to_vec(word).unwrap_or_default();
    line.push(b'\n');
    let _ = player.write_all(&line).await;
}

/// The recorded answer as one of what our request offers.
fn reply(request: &Request, answer: Answer) -> Option<Reply> {
    let option = |wanted: &[Verdict]| request.options.iter().find(|offer| wanted.contains(&offer.verdict));
    let (option, note, input) = match answer {
        Answer::Filled(pairs) => {
            let filled = pairs.into_iter().map(|(text, value)| {
                let question = request.questions.iter().find(|question| question.text == text)?;
                Some(Filled { question: question.id.clone(), values: vec![value] })
            });
            return filled.collect::<Option<Vec<_>>>().map(Reply::Filled);
        }
        Answer::Allow { edited, rules: false } => {
            (option(&[Verdict::AllowOnce])?, None, edited.map(|input| input.to_string()))
        }
        Answer::Allow { edited, rules: true } => {
            (option(&[Verdict::AllowSession, Verdict::AllowAlways])?, None, edited.map(|input| input.to_string()))
        }
        Answer::Deny { note, stop: false } => (option(&[Verdict::RejectOnce, Verdict::RejectAlways])?, note, None),
        Answer::Deny { note, stop: true } => (option(&[Verdict::Abort])?, note, None),
    };
    Some(Reply::Chosen(Chosen { option_id: option.id.clone(), note, input }))
}
