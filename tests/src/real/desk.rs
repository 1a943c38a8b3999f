//! A person at the desk: commands of `jackfield`, one after the other, on one stage; what one of them shows is what the next one names.

use super::case::{Case, Turn};
use super::judge;
use super::stage::{self, Stage};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The desk.
pub struct Desk<'a> {
    /// What is on it.
    pub stage: &'a Stage,
    case: &'a Case,
    jackfield: &'a str,
    /// Where the host keeps its own data.
    data: PathBuf,
}

impl Case {
    /// Lets somebody sit down with that CLI (a name that `xtask` knows) and that build of the program; panics with all that was seen when
    /// what they see does not hold.
    pub fn at_desk(&self, cli: &str, jackfield: &str, sits: impl FnOnce(&Desk<'_>) -> Result<()> + Send) {
        if !stage::wanted(cli) {
            return;
        }
        let played = stage::on_stage(cli, |stage| sits(&Desk { stage, case: self, jackfield, data: stage.data() }));
        if let Err(error) = played {
            panic!("{error:#}");
        }
    }
}

impl Desk<'_> {
    /// The same stage and the same home, to a host that has seen nothing yet.
    pub fn elsewhere(&self) -> Desk<'_> {
        Desk {
            data: self.data.with_file_name("other-data"),
            stage: self.stage,
            case: self.case,
            jackfield: self.jackfield,
        }
    }

    /// `jackfield run` with these arguments, judged as a run of a case; its lines.
    pub fn run(&self, turn: &Turn, args: &[&str]) -> Result<Vec<Value>> {
        (turn.before)(self.stage)?;
        let mut command = self.case.command(self.stage, self.jackfield);
        command.env("JACKFIELD_DATA", &self.data).args(turn.args).args(args).arg(turn.prompt);
        let (code, stdout, stderr) = ended(&mut command)?;
        let lines = lines(&stdout)?;
        judge::whole(&lines, turn, code)
            .with_context(|| format!("{args:?} {}: exit {code:?}; stderr: {stderr}; seen: {stdout}", turn.prompt))?;
        let left = self.stage.left_behind();
        ensure!(left.is_empty(), "{}: processes left behind: {}", turn.prompt, left.join("; "));
        Ok(lines)
    }

    /// Another command, which must end with this exit code; its stdout and its stderr.
    pub fn types(&self, words: &[&str], exit: i32) -> Result<(String, String)> {
        let mut command = Command::new(self.jackfield);
        self.stage.dress(&mut command).env("JACKFIELD_DATA", &self.data).args(words).current_dir(&self.stage.folder);
        let (code, stdout, stderr) = ended(&mut command)?;
        ensure!(code == Some(exit), "{words:?} ended with {code:?}, not {exit}: {stdout} {stderr}");
        Ok((stdout, stderr))
    }

    /// One that answers in lines of JSON, and well.
    pub fn asks(&self, words: &[&str]) -> Result<Vec<Value>> {
        let (stdout, _) = self.types(&[words, &["--json"]].concat(), 0)?;
        lines(&stdout).with_context(|| format!("{words:?}"))
    }

    /// `jackfield history` of the provider.
    pub fn history(&self, command: &str, words: &[&str]) -> Result<Vec<Value>> {
        self.asks(&self.of_provider(&["history", command], words).iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// A command's words, with those that name the provider and its program.
    pub fn of_provider(&self, command: &[&str], words: &[&str]) -> Vec<String> {
        let named = [command, &[self.case.provider], words].concat().into_iter().map(str::to_owned);
        named.chain(self.case.program(self.stage)).collect()
    }
}

fn ended(command: &mut Command) -> Result<(Option<i32>, String, String)> {
    let out = command.output().with_context(|| format!("{command:?} could not be started"))?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((out.status.code(), text(out.stdout), text(out.stderr)))
}

fn lines(stdout: &str) -> Result<Vec<Value>> {
    stdout.lines().map(|line| serde_json::from_str(line).with_context(|| format!("no JSON: {line}"))).collect()
}
