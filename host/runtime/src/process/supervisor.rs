//! What the supervisor process runs: it starts one program, watches the host, and leaves nobody behind.
//!
//! It copies no bytes, decides nothing, and holds neither the program's pipes nor its secrets once it runs. It has its own
//! session, so a terminal's Ctrl-C reaches neither it nor the program, and a program finds no terminal to ask at.
//! **It ends when no descendant is left, and makes sure of that when the program or the host has ended.**

use super::tree::{self, Sig};
use super::wire::{self, Order, Refusal, Report, Request};
use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::wait::{WaitStatus, waitpid};
use std::io::{self, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};

/// How often a dying tree is looked at again.
const SWEEP: Duration = Duration::from_millis(2);

/// The body of the hidden sub-command [`super::SUPERVISE`]. Call it first thing in `main`, before any thread or
/// runtime: it closes every file but stdin, stdout and stderr.
pub fn supervise_main() -> ExitCode {
    match supervise() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("jackfield: the supervisor cannot work: {error}. The host starts it; it is of no use by hand.");
            ExitCode::from(2)
        }
    }
}

fn supervise() -> io::Result<()> {
    close_inherited();
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    become_reaper();
    catch_signals()?;
    let Some(pipes) = wire::receive_pipes(&control)? else { return Ok(()) };
    let mut orders = BufReader::new(control.try_clone()?);
    let Some(request) = wire::read::<Request>(&mut orders)? else { return Ok(()) };
    let (leftover, kill) = (Duration::from_millis(request.leftover_ms), Duration::from_millis(request.kill_ms));
    let mut host = Host(control);
    let program = match start(request, pipes) {
        Ok(pid) => pid,
        Err((why, reason)) => {
            host.tell(&Report::Refused { why, reason });
            return Ok(());
        }
    };
    tree::remember_group(program);
    host.tell(&Report::Started { pid: program });

    let (news, inbox) = mpsc::channel();
    watch_signals(news.clone())?;
    watch_children(news.clone());
    watch_host(orders, news);
    Watch { program, host, phase: Phase::Running, leftover, kill }.run(&inbox);
    Ok(())
}

/// Files that somebody left open for the host, without marking them, are nothing to the program.
fn close_inherited() {
    #[cfg(target_os = "linux")]
    if let Ok(entries) = std::fs::read_dir("/proc/self/fd") {
        let open: Vec<i32> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        for fd in open.into_iter().filter(|&fd| fd > 2) {
            // An error is the listing's own descriptor, which is closed already.
            let _ = nix::unistd::close(fd);
        }
    }
}

/// Orphans below become our children; we have a session of our own.
fn become_reaper() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_child_subreaper(true);
    let _ = nix::unistd::setsid();
    // The host may have been started with signals blocked: a program begins with none.
    let _ = SigSet::empty().thread_set_mask();
}

/// Whoever started the host may have had signals ignored (a shell does, of what it has in the background), and an ignored signal is
/// inherited: a program would not be interrupted, and of no program's end we would hear. What is *caught* is as usual again in
/// whoever is started. So we catch them, and do nothing about them. SIGPIPE is set so for every program by `Command`.
fn catch_signals() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _within = runtime.enter();
    let (one, two) = (SignalKind::user_defined1(), SignalKind::user_defined2());
    let ends = [SignalKind::interrupt(), SignalKind::quit(), SignalKind::hangup(), SignalKind::terminate()];
    for kind in ends.into_iter().chain([SignalKind::child(), SignalKind::alarm(), one, two]) {
        // Nobody hears it, and it stays caught.
        drop(signal(kind)?);
    }
    Ok(())
}

fn start(request: Request, [stdin, stdout, stderr]: [OwnedFd; 3]) -> Result<u32, (Refusal, String)> {
    let cwd = Path::new(&request.cwd);
    let folder = |reason: &str| (Refusal::Folder, reason.to_owned());
    match cwd.metadata() {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(folder("it is not a folder")),
        Err(error) => return Err(folder(&error.to_string())),
    }
    let mut command = Command::new(&request.program);
    command
        .args(&request.args)
        .env_clear()
        .envs(request.env.iter().map(|(name, value)| (name, value)))
        .current_dir(cwd)
        .process_group(0)
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr));
    // The `Child` is not kept: its end is seen by `watch_children`. With `command` our copies of the pipes are closed.
    command
        .spawn()
        .map(|child| child.id())
        .map_err(|error| (refusal(&error, Path::new(&request.program)), error.to_string()))
}

fn refusal(error: &io::Error, program: &Path) -> Refusal {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ENOENT | Errno::ENOTDIR) if program.exists() => Refusal::NoInterpreter,
        Some(Errno::ENOENT | Errno::ENOTDIR) => Refusal::NotFound,
        Some(Errno::EACCES | Errno::EPERM) => Refusal::NotPermitted,
        Some(Errno::ENOEXEC) => Refusal::NotExecutable,
        Some(Errno::E2BIG) => Refusal::TooLong,
        _ => Refusal::System,
    }
}

/// What the watching threads tell.
enum News {
    Exited {
        pid: u32,
        code: Option<i32>,
        signal: Option<i32>,
    },
    /// No child is left, hence no descendant.
    Childless,
    Order(Order),
    HostGone,
    /// Somebody asks us to end: it is passed on to the tree.
    Terminate,
}

fn watch_children(news: Sender<News>) {
    thread::spawn(move || {
        loop {
            let (pid, code, signal) = match waitpid(None, None) {
                Ok(WaitStatus::Exited(pid, code)) => (pid, Some(code), None),
                Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, None, Some(signal as i32)),
                Ok(_) | Err(Errno::EINTR) => continue,
                Err(_) => break,
            };
            let _ = news.send(News::Exited { pid: pid.as_raw() as u32, code, signal });
        }
        let _ = news.send(News::Childless);
    });
}

fn watch_host(mut orders: BufReader<UnixStream>, news: Sender<News>) {
    thread::spawn(move || {
        // An order that is not understood is as bad as none: the host is broken.
        while let Ok(Some(order)) = wire::read(&mut orders) {
            let _ = news.send(News::Order(order));
        }
        let _ = news.send(News::HostGone);
    });
}

/// The belt to the control socket's braces: the kernel tells us when our parent dies, even if another process holds a copy
/// of the socket. It tells at the end of the *thread* that started us, too; so the parent's number is compared.
fn watch_signals(news: Sender<News>) -> io::Result<()> {
    let parent = nix::unistd::getppid();
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGHUP, Signal::SIGTERM, Signal::SIGUSR1] {
        signals.add(signal);
    }
    signals.thread_block()?;
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(Signal::SIGUSR1)?;
    if nix::unistd::getppid() != parent {
        let _ = news.send(News::HostGone);
    }
    thread::spawn(move || {
        loop {
            match signals.wait() {
                Ok(Signal::SIGUSR1) if nix::unistd::getppid() != parent => {
                    let _ = news.send(News::HostGone);
                }
                Ok(Signal::SIGTERM) => {
                    let _ = news.send(News::Terminate);
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
    });
    Ok(())
}

/// The host's end of the socket. That it is gone is learnt elsewhere, so a failed report is of no interest.
struct Host(UnixStream);

impl Host {
    fn tell(&mut self, report: &Report) {
        if let Ok(line) = wire::line(report) {
            let _ = self.0.write_all(&line);
        }
    }
}

enum Phase {
    Running,
    /// The program has ended; what it left behind may end by itself until then.
    Leftovers(Instant),
    /// Everybody is killed, again and again, until then.
    Killing(Instant),
}

struct Watch {
    program: u32,
    host: Host,
    phase: Phase,
    leftover: Duration,
    kill: Duration,
}

impl Watch {
    fn run(mut self, inbox: &mpsc::Receiver<News>) {
        loop {
            match self.next(inbox) {
                Ok(News::Exited { pid, code, signal }) if pid == self.program => {
                    self.host.tell(&Report::Exited { code, signal });
                    if matches!(self.phase, Phase::Running) {
                        self.phase = Phase::Leftovers(Instant::now() + self.leftover);
                    }
                }
                Ok(News::Exited { .. }) => {}
                Ok(News::Childless) => {
                    self.host.tell(&Report::Gone { left: 0 });
                    return;
                }
                Ok(News::Order(Order::Status)) => self.host.tell(&Report::Status { processes: self.living().len() }),
                Ok(News::Order(Order::Interrupt)) => self.signal(Sig::Interrupt),
                Ok(News::Order(Order::Terminate) | News::Terminate) => self.signal(Sig::Terminate),
                Ok(News::Order(Order::Kill) | News::HostGone) => self.begin_to_kill(),
                Err(RecvTimeoutError::Timeout) => {
                    if let Phase::Leftovers(_) = self.phase {
                        self.begin_to_kill();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if let Phase::Killing(until) = self.phase {
                let left = tree::signal_all(&self.living(), Sig::Kill);
                if Instant::now() >= until {
                    // Not childless, so there is one at least, even if it can't be seen.
                    self.host.tell(&Report::Gone { left: left.max(1) });
                    return;
                }
            }
        }
    }

    fn next(&self, inbox: &mpsc::Receiver<News>) -> Result<News, RecvTimeoutError> {
        match self.phase {
            Phase::Running => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Phase::Leftovers(until) => inbox.recv_timeout(until.saturating_duration_since(Instant::now())),
            Phase::Killing(_) => inbox.recv_timeout(SWEEP),
        }
    }

    fn begin_to_kill(&mut self) {
        if !matches!(self.phase, Phase::Killing(_)) {
            self.phase = Phase::Killing(Instant::now() + self.kill);
        }
    }

    fn signal(&self, signal: Sig) {
        tree::signal_all(&self.living(), signal);
    }

    fn living(&self) -> Vec<tree::Process> {
        tree::descendants(std::process::id())
    }
}
