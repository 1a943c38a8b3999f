//! The player: a program that plays a recording as if it were the CLI.
//!
//! `play __cli PROVIDER FILE [SOCKET] ARGUMENTS…`. It says what the recording says, in order, waits for what the recording's
//! client sent, by meaning, writes the host's ids where the client's stood, and ends as recorded. Without a socket it
//! plays the first start by itself, so that it can be tried by hand behind `--exe`.

use super::dialect::{Asked, Dialect, INTERRUPTED, Requests};
use super::lists::Lists;
use super::manner::Manner;
use super::plan::{Incarnation, What, plan};
use super::recording::Recording;
use super::rpc::NO_CALL;
use super::served::Served;
use super::stage::{FromPlayer, ToPlayer};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// Longer than anything takes on a loaded machine: who waits so long was forgotten.
const PATIENCE: Duration = Duration::from_secs(60);

/// Exit codes of the player's own failures: no recording ends so.
const BROKEN: u8 = 97;

/// Plays. The arguments are those after `__cli`.
pub fn main(arguments: &[String]) -> ExitCode {
    match play(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("player: {error:#}");
            ExitCode::from(BROKEN)
        }
    }
}

fn play(arguments: &[String]) -> Result<u8> {
    let [provider, file, rest @ ..] = arguments else { bail!("usage: play __cli PROVIDER FILE [SOCKET] ARGUMENTS…") };
    let dialect = super::dialect(provider).with_context(|| format!("no recordings of '{provider}' are known"))?;
    let plan = plan(&Recording::read(file.as_ref())?, dialect);
    let socket = rest.first().filter(|word| word.contains('/'));
    let arguments = if socket.is_some() { &rest[1..] } else { rest };
    let mut driver = match socket {
        Some(path) => Some(Driver::connect(path, arguments)?),
        None => None,
    };
    let ((proc, part), manner, only_greets) = match &mut driver {
        Some(driver) => driver.task()?,
        None => ((plan.first().context("it starts no program")?.proc, 0), Manner::Plain, false),
    };
    let mut plan = plan.into_iter();
    let mut incarnation = plan.find(|one| (one.proc, one.part) == (proc, part)).context("no such start")?;
    if only_greets {
        incarnation = incarnation.only_greets(dialect);
    }
    Player::new(dialect, incarnation, driver, (manner, Lists::of(provider)?), arguments).run()
}

/// The line to the driver.
struct Driver {
    out: UnixStream,
    words: BufReader<UnixStream>,
}

impl Driver {
    fn connect(path: &str, arguments: &[String]) -> Result<Driver> {
        let out = UnixStream::connect(path).context("the driver's socket")?;
        out.set_read_timeout(Some(PATIENCE))?;
        let mut driver = Driver { words: BufReader::new(out.try_clone()?), out };
        driver.tell(&FromPlayer::Here { arguments: arguments.to_vec() })?;
        Ok(driver)
    }

    fn tell(&mut self, word: &FromPlayer) -> Result<()> {
        let mut line = serde_json::to_vec(word)?;
        line.push(b'\n');
        self.out.write_all(&line).context("the driver has gone")
    }

    fn task(&mut self) -> Result<((u32, usize), Manner, bool)> {
        let mut line = String::new();
        self.words.read_line(&mut line)?;
        match serde_json::from_str(&line)? {
            ToPlayer::Play { proc, part, manner, only_greets } => Ok(((proc, part), manner, only_greets)),
            ToPlayer::Go => bail!("the driver named no start"),
        }
    }
}

pub(super) enum Host {
    Line(String),
    /// Somebody listens to our events.
    Listens,
    Eof,
}

struct Player {
    dialect: &'static dyn Dialect,
    incarnation: Incarnation,
    driver: Option<Driver>,
    /// What is replaced in what is said.
    rewrites: Vec<(String, String)>,
    /// The recorded client's calls, and the host's in their place.
    calls: BTreeMap<String, String>,
    host: Receiver<Host>,
    /// Connections, where the program is a server.
    served: Served,
    /// Lines of the host that were not awaited yet.
    inbox: Vec<String>,
    hung_up: bool,
    requests: Requests,
    manner: Manner,
    lists: Lists,
    said: usize,
    /// The host will ask something, and is answered before anything else is done.
    owes: bool,
}

impl Player {
    fn new(
        dialect: &'static dyn Dialect,
        incarnation: Incarnation,
        driver: Option<Driver>,
        (manner, lists): (Manner, Lists),
        arguments: &[String],
    ) -> Player {
        let said = incarnation.steps.iter().filter(|step| matches!(step.what, What::Say));
        let recorded = said.filter_map(|step| dialect.session(&step.line)).next();
        let ours = dialect.start(arguments);
        // A copy has an id of its own beside that of what it was made from.
        let new = recorded.zip(ours.session.clone().or(ours.resume.clone()));
        let old = incarnation.start.resume.clone().zip(ours.resume.or(ours.session));
        let rewrites = new.into_iter().chain(old).collect();
        let served = Served::default();
        let host = match dialect.announces() {
            Some(announces) => {
                let (sender, host) = channel();
                served.listen(arguments, announces, sender);
                host
            }
            None => hear(dialect.is_raw()),
        };
        Player {
            dialect,
            incarnation,
            driver,
            rewrites,
            calls: BTreeMap::new(),
            host,
            served,
            inbox: ours.says.into_iter().collect(),
            hung_up: false,
            requests: Requests::new(),
            manner,
            lists,
            said: 0,
            owes: false,
        }
    }

    fn run(mut self) -> Result<u8> {
        for index in 0..self.incarnation.steps.len() {
            let step = self.incarnation.steps[index].clone();
            match step.what {
                What::Say if self.dialect.is_raw() => {
                    self.say(&step.line, step.at)?;
                    self.is_looked_at(index)?;
                }
                What::Say => self.say(&step.line, step.at)?,
                What::Complain => {
                    eprintln!("{}", step.line);
                    self.tell(FromPlayer::Complained { line: step.line })?;
                }
                What::Wait(_) | What::Into(_) | What::Follows(_) => {
                    let Some(asked) = step.what.awaited() else { continue };
                    self.settle()?;
                    self.tell(FromPlayer::At { step: index })?;
                    if !self.wait(index, &asked, &step.line)? {
                        self.tell(FromPlayer::Deserted { step: index })?;
                        self.empty_inbox()?;
                        return Ok(0);
                    }
                }
                // It dies with the line in its pipe. When the host is the first to hang up there never was one.
                What::Unread(asked) => _ = self.wait(index, &asked, &step.line)?,
                What::LeaveOut(_) | What::Before(_) | What::SaidBefore => {}
                What::Opens => {
                    self.owes = true;
                    self.settle()?;
                }
                What::Hold => self.hold()?,
                What::HangUp => {
                    self.settle()?;
                    self.tell(FromPlayer::At { step: index })?;
                    while !self.hung_up {
                        self.listen()?;
                    }
                }
                What::Exit(code) => {
                    self.may_end(index)?;
                    self.empty_inbox()?;
                    return Ok(u8::try_from(code).unwrap_or(BROKEN));
                }
                What::Killed => {
                    self.tell(FromPlayer::At { step: index })?;
                    std::thread::sleep(PATIENCE);
                    bail!("nobody killed it");
                }
            }
        }
        self.empty_inbox()?;
        Ok(0)
    }

    fn say(&mut self, line: &str, at: usize) -> Result<()> {
        if self.dialect.announces().is_some() {
            return self.serve(line, at);
        }
        if let Some(request) = self.dialect.requested(line) {
            self.requests.insert(request.id.clone(), request);
        }
        let mut line = self.addressed(line, at);
        for (theirs, ours) in &self.rewrites {
            line = line.replace(theirs, ours);
        }
        self.owes |= at > 0 && self.dialect.is_asked_about(&line);
        if self.dialect.is_raw() {
            line.push('\n');
        }
        // Told first: once the host has it, the driver knows of it.
        self.tell(FromPlayer::Said { line: line.clone(), at })?;
        let mut stdout = std::io::stdout().lock();
        // A host that is ending the session reads no more; the recording is played to its end all the same.
        let written = line.strip_suffix('\n').unwrap_or(&line);
        for bytes in self.manner.writes(written, self.said, self.dialect, &self.lists) {
            let _ = stdout.write_all(&bytes).and_then(|()| stdout.flush());
        }
        self.said += 1;
        Ok(())
    }

    /// An answer goes to who asked, an event to who listens.
    fn serve(&mut self, line: &str, at: usize) -> Result<()> {
        let value = super::dialect::parse(line);
        if value["status"].is_u64() {
            self.served.answer(&value);
            return Ok(());
        }
        if let Some(request) = self.dialect.requested(line) {
            self.requests.insert(request.id.clone(), request);
        }
        while !self.served.is_heard() && !self.hung_up {
            self.listen()?;
        }
        self.tell(FromPlayer::Said { line: line.to_owned(), at })?;
        self.served.tell(line);
        Ok(())
    }

    /// An answer goes to the host's own call; one to a line that was left out, to none. What the player made is right as it is.
    fn addressed(&self, line: &str, at: usize) -> String {
        match self.dialect.answered(line).filter(|_| at > 0) {
            Some(call) => match self.calls.get(&call) {
                Some(ours) => self.dialect.readdressed(line, ours),
                None => self.dialect.readdressed(line, NO_CALL),
            },
            None => line.to_owned(),
        }
    }

    /// Waits for a line that means this; false when the host closes stdin first.
    fn wait(&mut self, index: usize, asked: &Asked, recorded: &str) -> Result<bool> {
        loop {
            let requests = &self.requests;
            let found = self.inbox.iter().position(|line| asked.means(&self.dialect.asked(line, requests)));
            if let Some(at) = found {
                let line = self.inbox.remove(at);
                self.rewrites.extend(self.dialect.learn(recorded, &line));
                self.calls.extend(self.dialect.call(recorded).zip(self.dialect.call(&line)));
                self.tell(FromPlayer::Heard { line, step: Some(index) })?;
                return Ok(true);
            }
            if self.hung_up {
                return Ok(false);
            }
            self.listen()?;
        }
    }

    /// Waits for the host's first message and leaves it for its step.
    fn hold(&mut self) -> Result<()> {
        let content = self.incarnation.first_message().unwrap_or_default().to_vec();
        let first = Asked::Message { content };
        while !self.hung_up && !self.inbox.iter().any(|line| first.means(&self.dialect.asked(line, &self.requests))) {
            self.listen()?;
        }
        Ok(())
    }

    /// What the host is known to ask now is answered before it is told anything else.
    fn settle(&mut self) -> Result<()> {
        while self.owes && !self.hung_up {
            self.listen()?;
        }
        Ok(())
    }

    /// Pieces that come at once may come as one: each is looked at by itself.
    fn is_looked_at(&mut self, index: usize) -> Result<()> {
        self.tell(FromPlayer::At { step: index })?;
        if let Some(driver) = &mut self.driver {
            driver.words.read_line(&mut String::new())?;
        }
        Ok(())
    }

    fn listen(&mut self) -> Result<()> {
        match self.host.recv_timeout(PATIENCE) {
            Ok(Host::Line(line)) => {
                if let Some(reply) = self.by_itself(&line) {
                    self.owes = false;
                    self.say(&reply, 0)?;
                }
                self.inbox.push(line);
            }
            Ok(Host::Listens) => {}
            Ok(Host::Eof) | Err(RecvTimeoutError::Disconnected) => self.hung_up = true,
            Err(RecvTimeoutError::Timeout) => bail!("the host said nothing for {PATIENCE:?}"),
        }
        Ok(())
    }

    /// The answer to a line that the recording never answers, and without which the host does not go on.
    fn by_itself(&self, line: &str) -> Option<String> {
        let asked = self.dialect.asked(line, &self.requests);
        let awaited =
            self.incarnation.steps.iter().any(|step| step.what.awaited().is_some_and(|wait| wait.means(&asked)));
        if awaited { None } else { self.dialect.answers_by_itself(line) }
    }

    /// Ends when the driver has seen all, or the host wants no more.
    fn may_end(&mut self, index: usize) -> Result<()> {
        if self.driver.is_none() || self.hung_up {
            return Ok(());
        }
        self.tell(FromPlayer::At { step: index })?;
        let (sender, go) = channel();
        let words = self.driver.as_ref().context("the driver")?.words.get_ref().try_clone()?;
        std::thread::spawn(move || {
            let mut line = String::new();
            let _ = BufReader::new(words).read_line(&mut line);
            let _ = sender.send(());
        });
        loop {
            if go.try_recv().is_ok() {
                return Ok(());
            }
            match self.host.recv_timeout(Duration::from_millis(5)) {
                Ok(Host::Line(line)) => self.inbox.push(line),
                Ok(Host::Listens) => {}
                Ok(Host::Eof) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// What the host wrote and the recording never awaited.
    fn empty_inbox(&mut self) -> Result<()> {
        while let Ok(Host::Line(line)) = self.host.try_recv() {
            self.inbox.push(line);
        }
        for line in std::mem::take(&mut self.inbox) {
            self.tell(FromPlayer::Heard { line, step: None })?;
        }
        Ok(())
    }

    fn tell(&mut self, word: FromPlayer) -> Result<()> {
        match &mut self.driver {
            Some(driver) => driver.tell(&word),
            None => Ok(()),
        }
    }
}

/// What the host says. A program without a protocol has its stdin closed at once, and is told no more than a signal.
fn hear(raw: bool) -> Receiver<Host> {
    let (sender, host) = channel();
    if raw {
        std::thread::spawn(move || hear_signals(&sender));
        return host;
    }
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if sender.send(Host::Line(line)).is_err() {
                return;
            }
        }
        let _ = sender.send(Host::Eof);
    });
    host
}

fn hear_signals(sender: &Sender<Host>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    runtime.block_on(async {
        let Ok(mut signals) = signal(SignalKind::interrupt()) else { return };
        while signals.recv().await.is_some() {
            if sender.send(Host::Line(INTERRUPTED.into())).is_err() {
                return;
            }
        }
    });
}
