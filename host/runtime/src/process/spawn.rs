//! Starting a program: pipes, socket, supervisor, request, and its answer.

use super::channel::{Channel, ChannelEvent};
use super::error::SpawnError;
use super::reader::{ReadBudget, Reader};
use super::stderr::Stderr;
use super::tap::{Dir, Tap, Wire};
use super::warden::{Warden, end_without_supervisor};
use super::wire::{self, Refusal, Report, Request};
use super::writer::Writer;
use crate::framing::{Framing, Splitter};
use jackfield_core::limits::Limits;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, pipe};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// A program to start, settled in every detail. `Debug` is left out on purpose: the environment may hold secrets.
#[derive(Clone)]
pub struct SpawnSpec {
    /// Its absolute path.
    pub program: PathBuf,
    /// Its arguments, without the program itself.
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// The folder it starts in.
    pub cwd: PathBuf,
    /// How its stdout is cut into messages, and what may be written to its stdin. stderr is always `raw`.
    pub framing: Framing,
    /// Where what crosses its pipes is recorded.
    pub tap: Option<Tap>,
}

/// How our supervisor is started.
#[derive(Debug, Clone)]
pub struct Supervisor {
    /// A program that calls [`super::supervise_main`].
    pub command: PathBuf,
    /// The arguments that make it do so.
    pub args: Vec<String>,
}

impl Supervisor {
    /// This very program, which must call [`super::supervise_main`] when its first argument is [`super::SUPERVISE`].
    pub fn this_program() -> io::Result<Self> {
        // Through /proc it is the same program even after its file was replaced by an upgrade.
        let through_proc = Path::new("/proc/self/exe");
        let command = if through_proc.exists() { through_proc.to_owned() } else { std::env::current_exe()? };
        Ok(Self { command, args: vec![super::SUPERVISE.to_owned()] })
    }
}

/// Starts a program under a supervisor and opens channel number `channel` to it. Returns once it runs; what it writes, and
/// in the end how it ended, arrives at `events`. If the returned future is dropped, the program is not left behind.
pub async fn spawn(
    spec: SpawnSpec,
    channel: u32,
    supervisor: &Supervisor,
    limits: Arc<Limits>,
    events: mpsc::Sender<ChannelEvent>,
) -> Result<Channel, SpawnError> {
    if !spec.program.is_absolute() {
        return Err(SpawnError::NotAbsolute { program: spec.program });
    }
    let failed = |reason: String| SpawnError::Supervisor {
        program: spec.program.clone(),
        supervisor: supervisor.command.clone(),
        reason,
    };
    let broken = |error: io::Error| failed(format!("could not be set to work: {error}"));
    let (ours, mut child) =
        start_supervisor(supervisor).map_err(|error| failed(format!("could not be started: {error}")))?;
    let control = UnixStream::from_std(ours.control).map_err(broken)?;
    let (from_supervisor, mut to_supervisor) = control.into_split();
    let mut reports: Reports = BufReader::new(from_supervisor).lines();
    let answer = timeout(Duration::from_millis(limits.spawn_ms), async {
        to_supervisor.write_all(&wire::line(&request(&spec, &limits))?).await?;
        let report = reports.next_line().await?;
        Ok::<_, io::Error>(report.map(|line| serde_json::from_str(&line)).transpose()?)
    });
    let pid = match answer.await {
        Ok(Ok(Some(Report::Started { pid }))) => pid,
        Ok(Ok(Some(Report::Refused { why, reason }))) => return Err(refused(&spec, why, reason)),
        Ok(Ok(_)) => {
            return Err(failed(
                "ended before it had started the program; was it interrupted, or is it not ours?".to_owned(),
            ));
        }
        Ok(Err(error)) => return Err(broken(error)),
        Err(_) => {
            // It hangs, so the program, if it runs, is ended without it.
            end_without_supervisor(&mut child, Duration::from_millis(limits.kill_ms)).await;
            return Err(failed(format!("did not start the program within {} ms", limits.spawn_ms)));
        }
    };

    let (exited, has_exited) = watch::channel(false);
    let leftover = Duration::from_millis(limits.leftover_ms);
    let stdin = pipe::Sender::from_owned_fd(ours.stdin).map_err(broken)?;
    let stdout = pipe::Receiver::from_owned_fd(ours.stdout).map_err(broken)?;
    let stderr = pipe::Receiver::from_owned_fd(ours.stderr).map_err(broken)?;
    let tapped = Wire::begin(&spec);
    let (writer, writing) = Writer::start(stdin, spec.framing, &limits, tapped.clone());
    let reader = Reader {
        channel,
        pipe: stdout,
        splitter: Splitter::new(spec.framing, limits.frame_bytes as usize),
        budget: ReadBudget::new(&limits),
        events: events.clone(),
        exited: has_exited.clone(),
        leftover,
        tapped: tapped.pipe(Dir::Out, limits.frame_bytes as usize),
    };
    let tapped_errors = tapped.pipe(Dir::Err, limits.stderr_frame_bytes as usize);
    let errors = Stderr::new(channel, stderr, events.clone(), has_exited, &limits, tapped_errors);
    let (orders, inbox) = mpsc::channel(16);
    let root = child.id().unwrap_or(pid);
    let writer = Arc::new(writer);
    let warden = Warden {
        channel,
        program: spec.program,
        child,
        reports,
        to_supervisor,
        inbox,
        exited,
        writer: writer.clone(),
        writing,
        reading: Some(tokio::spawn(reader.run())),
        speaks: spec.framing.is_json(),
        stderr: tokio::spawn(errors.run()),
        events,
        limits,
        tapped,
    };
    tokio::spawn(warden.run());
    Ok(Channel::new(channel, pid, root, writer, orders))
}

/// Our ends.
struct Ours {
    control: StdUnixStream,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

fn start_supervisor(supervisor: &Supervisor) -> io::Result<(Ours, Child)> {
    let (ours, theirs) = StdUnixStream::pair()?;
    let (their_stdin, stdin) = io::pipe()?;
    let (stdout, their_stdout) = io::pipe()?;
    let (stderr, their_stderr) = io::pipe()?;
    // The pipes wait in the socket until the supervisor takes them; our copies of its ends are closed on return.
    wire::send_pipes(&ours, [their_stdin.as_fd(), their_stdout.as_fd(), their_stderr.as_fd()])?;
    let child = Command::new(&supervisor.command)
        .args(&supervisor.args)
        .arg0("jackfield-supervisor")
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    ours.set_nonblocking(true)?;
    Ok((Ours { control: ours, stdin: stdin.into(), stdout: stdout.into(), stderr: stderr.into() }, child))
}

fn request(spec: &SpawnSpec, limits: &Limits) -> Request {
    Request {
        program: spec.program.clone().into_os_string(),
        args: spec.args.clone(),
        env: spec.env.clone(),
        cwd: spec.cwd.clone().into_os_string(),
        leftover_ms: limits.leftover_ms,
        kill_ms: limits.kill_ms,
    }
}

/// The supervisor's reports, a line each.
pub(super) type Reports = Lines<BufReader<OwnedReadHalf>>;

fn refused(spec: &SpawnSpec, why: Refusal, reason: String) -> SpawnError {
    let program = spec.program.clone();
    match why {
        Refusal::NotFound => SpawnError::NotFound { program },
        Refusal::NoInterpreter => SpawnError::NoInterpreter { program },
        Refusal::NotPermitted => SpawnError::NotPermitted { program },
        Refusal::NotExecutable => SpawnError::NotExecutable { program },
        Refusal::TooLong => {
            let args: usize = spec.args.iter().map(|arg| arg.len() + 1).sum();
            let env: usize = spec.env.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
            SpawnError::TooLong { program, bytes: (args + env) as u64 }
        }
        Refusal::Folder => SpawnError::Folder { program, folder: spec.cwd.clone(), reason },
        Refusal::System => SpawnError::System { program, reason },
    }
}
