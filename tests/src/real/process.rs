//! A program that speaks JSON lines, watched: its lines are read as they come, kept, and can be waited for.

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Longer than any scenario needs on a loaded machine: a step that takes it hangs.
const PATIENCE: Duration = Duration::from_secs(180);

/// A running program.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    /// All lines so far, parsed; a line that is no JSON is kept as a string.
    pub seen: Vec<Value>,
}

impl Process {
    /// Starts it; with `talk`, its stdin stays open for `say`.
    pub fn start(command: &mut Command, talk: bool) -> Result<Process> {
        let stdin = if talk { Stdio::piped() } else { Stdio::null() };
        let spawned = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.with_context(|| format!("{command:?} could not be started"))?;
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().context("stdout")?);
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok()));
        let mut pipe = child.stderr.take().context("stderr")?;
        let stderr = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Ok(Process { stdin: child.stdin.take(), child, lines, stderr: Some(stderr), seen: Vec::new() })
    }

    /// Writes one JSON line to its stdin.
    pub fn say(&mut self, line: &Value) -> Result<()> {
        let stdin = self.stdin.as_mut().context("its stdin is closed")?;
        writeln!(stdin, "{line}").context("it does not read its stdin any more")
    }

    /// Closes its stdin.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Reads on until what has been seen satisfies `enough`.
    pub fn until(&mut self, what: &str, mut enough: impl FnMut(&[Value]) -> bool) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while !enough(&self.seen) {
            // Short waits: what is waited for may happen on disk, not in a line.
            match self.lines.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => self.seen.push(serde_json::from_str(&line).unwrap_or(Value::String(line))),
                Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
                Err(RecvTimeoutError::Timeout) => bail!("{what}: not in {PATIENCE:?}; seen: {}", self.tail()),
                Err(RecvTimeoutError::Disconnected) => {
                    let stderr = self.last_words();
                    bail!("{what}: its output ended before that; seen: {}; stderr: {stderr}", self.tail());
                }
            }
        }
        Ok(())
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        let pid = i32::try_from(self.child.id()).context("pid")?;
        kill(Pid::from_raw(pid), signal).context("the signal could not be sent")
    }

    /// Reads to the end of its output and waits for it: how it ended, and its stderr.
    pub fn end(&mut self) -> Result<(ExitStatus, String)> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => self.seen.push(serde_json::from_str(&line).unwrap_or(Value::String(line))),
                Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
                Err(RecvTimeoutError::Timeout) => bail!("it does not end; seen: {}", self.tail()),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = loop {
            match self.child.try_wait()? {
                Some(status) => break status,
                None if Instant::now() > deadline => bail!("its output ended but it does not; seen: {}", self.tail()),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        Ok((status, self.last_words()))
    }

    fn last_words(&mut self) -> String {
        self.stderr.take().and_then(|reader| reader.join().ok()).unwrap_or_default()
    }

    /// The last lines seen, cut: for a failure's message.
    pub fn tail(&self) -> String {
        tail(&self.seen)
    }
}

/// The last of these lines, cut.
pub(super) fn tail(lines: &[Value]) -> String {
    let skipped = lines.len().saturating_sub(12);
    let cut = |value: &Value| value.to_string().chars().take(600).collect::<String>();
    let lines: Vec<String> = lines[skipped..].iter().map(cut).collect();
    format!("({skipped} earlier lines)\n  {}", lines.join("\n  "))
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
