//! Looks at a provider's program: where it is, which version, whether somebody is logged in. **Each start is bounded in time, inherits
//! nothing but what a program needs, and leaves no process behind.** What it prints is matched, never kept.

use crate::output;
use jackfield_core::manifest::{CliProgram, LoginCheck, Manifest};
use jackfield_runtime::instance::Instance;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::Serialize;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::Command;

/// What is read of a program's answer.
const MOST: u64 = 16 * 1024;

/// Whether somebody is logged in, as far as it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoggedIn {
    Yes,
    No,
    Unknown,
}

impl LoggedIn {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            LoggedIn::Yes => "yes",
            LoggedIn::No => "no",
            LoggedIn::Unknown => "unknown",
        }
    }
}

/// Whether somebody is logged in, and how that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Login {
    /// As far as it is told.
    #[serde(rename = "state")]
    pub logged_in: LoggedIn,
    /// By what, or why it is not known.
    pub how: String,
}

/// What `login` and `logout` say when they are done.
#[derive(Serialize)]
pub struct Ended<'a> {
    /// As a person calls it.
    pub provider: &'a str,
    /// The way that was taken; none of a logout, nor where the provider chose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<&'a str>,
    /// What is known now.
    pub login: Login,
}

impl Ended<'_> {
    /// Prints it.
    pub fn say(&self, json: bool) -> std::io::Result<()> {
        let Ended { provider, login, .. } = self;
        match json {
            true => output::json(self),
            false => output::line(&format!("{provider}: logged in: {} ({})", login.logged_in.word(), login.how)),
        }
    }
}

/// The version that a program tells.
pub async fn version(path: &Path, cli: &CliProgram, patience: Duration) -> Result<semver::Version, String> {
    let said = ask(command(path, &[]), &cli.version_args, patience).await?;
    let words = said.stdout.split(|c: char| c.is_whitespace() || c == 'v' || c == '(');
    let found = words.into_iter().find_map(|word| semver::Version::parse(word).ok());
    found.ok_or_else(|| match said.code {
        Some(0) => format!("no version in '{}'", output::headline(&said.stdout, 80)),
        code => {
            let code = code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
            let words = if said.stderr.trim().is_empty() { &said.stdout } else { &said.stderr };
            format!("it ended with {code}: '{}'", output::headline(words.trim(), 120))
        }
    })
}

/// Whether somebody is logged in, asked of the program where it tells. It is started with what the instance says of its arguments and
/// variables: another home may be another account.
pub async fn login(
    path: &Path,
    cli: &CliProgram,
    manifest: &Manifest,
    instance: &Instance,
    patience: Duration,
) -> Login {
    let Some(check) = &cli.logged_in else {
        let how = "the program does not tell; the first message does".to_owned();
        return Login { logged_in: LoggedIn::Unknown, how };
    };
    let asked = format!("`{} {}`", cli.program, check.args.join(" "));
    let profiles = manifest.spawn.iter().filter(|profile| profile.program == cli.program);
    let names: Vec<&str> = profiles.flat_map(|profile| &profile.env).map(String::as_str).collect();
    let mut command = command(path, &names);
    command.args(&instance.program_args).envs(instance.env.iter().map(|(name, value)| (name, value)));
    match ask(command, &check.args, patience).await {
        Ok(said) => match reads(check, &said) {
            LoggedIn::Unknown => Login { logged_in: LoggedIn::Unknown, how: format!("{asked} said neither") },
            logged_in => Login { logged_in, how: format!("by {asked}") },
        },
        Err(problem) => Login { logged_in: LoggedIn::Unknown, how: format!("{asked}: {problem}") },
    }
}

fn reads(check: &LoginCheck, said: &Said) -> LoggedIn {
    let holds = |text: &str| said.stdout.contains(text) || said.stderr.contains(text);
    match (holds(&check.no), holds(&check.yes)) {
        (true, _) => LoggedIn::No,
        (false, true) => LoggedIn::Yes,
        (false, false) => LoggedIn::Unknown,
    }
}

struct Said {
    stdout: String,
    stderr: String,
    code: Option<i32>,
}

/// The program, with what every program gets, and those of the operator's variables that have these names.
fn command(path: &Path, names: &[&str]) -> Command {
    let mut command = Command::new(path);
    command.env_clear();
    for name in ["HOME", "PATH", "TMPDIR", "LANG"].iter().chain(names) {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// Runs the program with these arguments, after those that it has: no stdin, a bounded time.
async fn ask(mut command: Command, args: &[String], patience: Duration) -> Result<Said, String> {
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let talk = async { tokio::join!(read(stdout), read(stderr), child.wait()) };
    let talked = tokio::time::timeout(patience, talk).await;
    // Whatever it started: nothing of it stays.
    if let Some(group) = group {
        let _ = killpg(group, Signal::SIGKILL);
    }
    let late = |_| format!("no answer in {} s (limit version_ms)", patience.as_secs_f32());
    let (stdout, stderr, status) = talked.map_err(late)?;
    Ok(Said { stdout, stderr, code: status.map_err(|error| error.to_string())?.code() })
}

async fn read(pipe: Option<impl tokio::io::AsyncRead + Unpin>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let _ = pipe.take(MOST).read_to_end(&mut bytes).await;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
