//! A case: what is asked of `jackfield run`, turn by turn, and what must have come of it. Data; `play` is the one player.

use super::conversation;
use super::judge;
use super::process::{self, Process};
use super::stage::{self, Stage};
use super::talk::{Step, talk};
use crate::mock::Seen;
use anyhow::{Context, Result};
use jackfield_core::contract::McpServer;
use nix::sys::signal::{Signal, kill};
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

/// A case.
pub struct Case {
    /// The provider, by its name at `--provider`.
    pub provider: &'static str,
    /// The name that `--exe` binds to the real program.
    pub exe: &'static str,
    /// What is asked, in order: each is a run of the program, or all of them are one.
    pub turns: &'static [Turn],
    /// All are messages to one run of the program, which takes them, the answers and the interrupts as lines: `conversation.rs`.
    pub one_program: bool,
    /// Files of the workspace afterwards: is it there?
    pub files: &'static [(&'static str, bool)],
    /// What must hold of the requests that the model saw.
    pub model: fn(&[Seen]) -> bool,
}

/// One `jackfield run`, or a message to one, and what must come of it.
#[derive(Clone, Copy)]
pub struct Turn {
    /// The prompt.
    pub prompt: &'static str,
    /// More arguments; `SAME_THREAD` stands for the thread of the turn before.
    pub args: &'static [&'static str],
    /// What happens on the stage before it.
    pub before: fn(&Stage) -> Result<()>,
    /// MCP servers that the instance has, where a person talks.
    pub servers: fn(&Stage) -> Vec<McpServer>,
    /// What is done to it meanwhile.
    pub act: Act,
    /// Runs that it comes to, beside messages that join one; more than one where a person talks.
    pub runs: usize,
    /// How the run must end; each of several.
    pub status: &'static str,
    /// The exit code.
    pub exit: i32,
    /// Texts that the assistant's finished messages must hold.
    pub says: &'static [&'static str],
    /// Finished tool items: name and status, in any order.
    pub tools: &'static [(&'static str, &'static str)],
    /// Answers to requests, in order: allowed?
    pub answers: &'static [bool],
    /// Messages that joined its turn.
    pub joined: usize,
    /// Words that the failure's message must hold, in small letters.
    pub fault: &'static [&'static str],
    /// The provider had not kept what was said before, and that is said.
    pub lost: bool,
    /// What must hold of its lines beyond that.
    pub lines: fn(&[Value]) -> bool,
}

/// So soon must a client know that the provider's program was killed: far beyond the few milliseconds that it takes here,
/// and far below any watchdog, also where the machine is at work on much else.
const AT_ONCE: Duration = Duration::from_secs(5);

/// In `args`: the id of the thread that the turn before was on.
pub const SAME_THREAD: &str = "@THREAD@";

/// A case of which nothing is asked but that the model was.
pub const CASE: Case =
    Case { provider: "", exe: "", turns: &[], one_program: false, files: &[], model: |seen| !seen.is_empty() };

/// In `args`: the workspace.
const FOLDER: &str = "@FOLDER@";

/// A turn that completes and of which nothing else is asked.
pub const TURN: Turn = Turn {
    prompt: "",
    args: &[],
    before: |_| Ok(()),
    servers: |_| Vec::new(),
    act: Act::Watch,
    runs: 1,
    status: "completed",
    exit: 0,
    says: &[],
    tools: &[],
    answers: &[],
    joined: 0,
    fault: &[],
    lost: false,
    lines: |_| true,
};

/// What is done to a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Nothing.
    Watch,
    /// Ctrl-C as soon as the assistant has said this.
    InterruptAtText(&'static str),
    /// Ctrl-C as soon as this file is in the workspace.
    InterruptAtFile(&'static str),
    /// The interrupt in place of an answer, as soon as something is asked; in a conversation only.
    InterruptAtRequest,
    /// `kill -9` as soon as the assistant has said this.
    KillAtText(&'static str),
    /// `kill -9` as soon as the thread can be resumed by a cursor.
    KillWhenResumable,
    /// `kill -9` to the provider's program as soon as the assistant has said this.
    KillProviderAtText(&'static str),
    /// A person looks and acts, step by step.
    Talk(&'static [Step]),
}

impl Case {
    /// Plays the case on that CLI (a name that `xtask` knows) with that build of the program; panics with all that was
    /// seen when it does not hold.
    pub fn play(&self, cli: &str, jackfield: &str) {
        if !stage::wanted(cli) {
            return;
        }
        if let Err(error) = stage::on_stage(cli, |stage| self.play_on(stage, jackfield)) {
            panic!("{error:#}");
        }
    }

    fn play_on(&self, stage: &Stage, jackfield: &str) -> Result<()> {
        if self.one_program {
            conversation::hold(stage, jackfield, self)?;
        } else {
            self.play_apart(stage, jackfield)?;
        }
        for (file, there) in self.files {
            anyhow::ensure!(stage.has(file) == *there, "{file} must {}be there", if *there { "" } else { "not " });
        }
        let seen = stage.mock.conversation();
        anyhow::ensure!((self.model)(&seen), "the model saw other requests than it should:\n{}", shown(&seen));
        Ok(())
    }

    fn play_apart(&self, stage: &Stage, jackfield: &str) -> Result<()> {
        let mut thread = String::new();
        for (number, turn) in self.turns.iter().enumerate() {
            let run = (turn.before)(stage).and_then(|()| self.run(stage, jackfield, turn, &mut thread));
            run.with_context(|| format!("turn {} ({})", number + 1, turn.prompt))?;
            let left = stage.left_behind();
            anyhow::ensure!(left.is_empty(), "turn {}: processes left behind: {}", number + 1, left.join("; "));
        }
        Ok(())
    }

    /// `jackfield run` as the operator of this stage starts it.
    pub(super) fn command(&self, stage: &Stage, jackfield: &str) -> Command {
        let mut command = Command::new(jackfield);
        stage.dress(&mut command).args(["run", "--provider", self.provider, "--json"]);
        command.args(self.program(stage)).arg("--cwd").arg(&stage.folder);
        command
    }

    /// The real program and what it is told of this stage, as the arguments that say it.
    pub(super) fn program(&self, stage: &Stage) -> Vec<String> {
        let exe = format!("{}={}", self.exe, stage.cli.display());
        let env = stage.operator_environment().into_iter().map(|(name, value)| format!("{name}={value}"));
        ["--exe".to_owned(), exe].into_iter().chain(env.flat_map(|pair| ["--env".to_owned(), pair])).collect()
    }

    fn run(&self, stage: &Stage, jackfield: &str, turn: &Turn, thread: &mut String) -> Result<()> {
        if let Act::Talk(steps) = turn.act {
            let lines = talk(stage, jackfield, self.provider, self.exe, turn, steps)?;
            return judge::told(&lines, turn).with_context(|| format!("seen: {}", process::tail(&lines)));
        }
        let mut command = self.command(stage, jackfield);
        let folder = stage.folder.display().to_string();
        let words = turn.args.iter().map(|word| word.replace(SAME_THREAD, thread).replace(FOLDER, &folder));
        command.args(words);
        let started = SystemTime::now();
        let mut process = Process::start(command.arg(turn.prompt), false)?;
        act(stage, &mut process, turn.act)?;
        let (status, stderr) = process.end()?;
        println!("{}", judge::times(&process.seen, started));
        judge::thread_of(&process.seen, thread);
        let verdict = if matches!(turn.act, Act::KillAtText(_) | Act::KillWhenResumable) {
            judge::killed(&process.seen)
        } else {
            judge::whole(&process.seen, turn, status.code())
        };
        verdict.with_context(|| format!("exit {:?}; stderr: {stderr}; seen: {}", status.code(), process.tail()))
    }
}

/// The requests for a failure's message: the newest words of each.
fn shown(seen: &[Seen]) -> String {
    let line = |seen: &Seen| {
        let messages = seen.conversation().to_string();
        let skipped = messages.chars().count().saturating_sub(2_000);
        let end: String = messages.chars().skip(skipped).collect();
        format!("{:?} step {} model {}: … {end}", seen.script, seen.step, seen.body["model"])
    };
    seen.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn act(stage: &Stage, process: &mut Process, act: Act) -> Result<()> {
    let said = |text: &'static str| move |seen: &[Value]| judge::streamed(seen).contains(text);
    match act {
        Act::Watch | Act::Talk(_) => Ok(()),
        Act::InterruptAtRequest => anyhow::bail!("only in a conversation"),
        Act::InterruptAtText(text) => {
            process.until(&format!("the text `{text}`"), said(text))?;
            process.signal(Signal::SIGINT)
        }
        Act::InterruptAtFile(file) => {
            process.until(&format!("the file {file}"), |_| stage.has(file))?;
            process.signal(Signal::SIGINT)
        }
        Act::KillAtText(text) => {
            process.until(&format!("the text `{text}`"), said(text))?;
            process.signal(Signal::SIGKILL)
        }
        Act::KillWhenResumable => {
            process.until("a cursor", judge::resumable)?;
            process.signal(Signal::SIGKILL)
        }
        Act::KillProviderAtText(text) => {
            process.until(&format!("the text `{text}`"), said(text))?;
            let running = stage.running_clis();
            kill(*running.first().context("the provider's program does not run")?, Signal::SIGKILL)?;
            let killed = Instant::now();
            process
                .until("the session's end", |seen| seen.last().is_some_and(|line| line["type"] == "session.ended"))?;
            let learnt = killed.elapsed();
            println!("the client learnt of the killed program after {} ms", learnt.as_millis());
            anyhow::ensure!(learnt < AT_ONCE, "the client learnt of the killed program only after {learnt:?}");
            Ok(())
        }
    }
}
