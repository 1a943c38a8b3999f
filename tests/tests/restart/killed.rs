//! The host that is killed: the real program, with a script at its stdin, and what its client had of it.

use super::point::{At, Point};
use super::stage::Place;
use anyhow::{Context, Result, ensure};
use jackfield_core::id::ThreadId;
use jackfield_runtime::lease::Lease;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longer than anything takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// When nothing more comes, it waits for an answer that nobody gives: that is a point, too.
const QUIET: Duration = Duration::from_millis(1_500);

/// What its client had of it.
pub struct Killed {
    /// Its lines, each with the time from its arrival to the kill.
    pub seen: Vec<(Duration, Value)>,
    /// The thread, if it was named.
    pub thread: Option<ThreadId>,
}

/// What is said to the host, and when: after so many lines of a type.
pub struct Said {
    kind: String,
    count: usize,
    line: Value,
}

impl Said {
    /// `run.created 1: {"type":"message", …}`
    pub fn parse(line: &str) -> Result<Said> {
        let (when, line) = line.split_once(": ").context("when: what")?;
        let (kind, count) = when.split_once(' ').context("a type and a number")?;
        Ok(Said { kind: kind.into(), count: count.parse()?, line: serde_json::from_str(line)? })
    }
}

/// Talks until the point, and kills.
pub fn kill_at(place: &Place, script: &[Said], point: Point) -> Result<Killed> {
    let args = place.args();
    let mut command = place.door.command(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let stdout = child.stdout.take().context("stdout")?;
    let (sender, lines) = channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            // A last line that was cut is not one that a client acts on.
            let Ok(value) = serde_json::from_str::<Value>(&line) else { continue };
            let _ = sender.send((Instant::now(), value));
        }
    });
    let mut client =
        Client { script, point, lines, stdin: child.stdin.take().context("stdin")?, seen: Vec::new(), said: 0 };
    client.talk()?;
    std::thread::sleep(point.later);
    let held = client.is_held(place);
    child.kill()?;
    let killed = Instant::now();
    child.wait()?;
    reader.join().expect("the reader");
    client.seen.extend(client.lines.try_iter());
    ensure!(held.is_none_or(|held| held), "while it was at work, its thread was free for others");
    let thread = client.thread();
    let seen = client.seen.into_iter().map(|(at, line)| (killed.saturating_duration_since(at), line)).collect();
    Ok(Killed { seen, thread })
}

struct Client<'a> {
    script: &'a [Said],
    point: Point,
    lines: Receiver<(Instant, Value)>,
    stdin: ChildStdin,
    seen: Vec<(Instant, Value)>,
    said: u64,
}

impl Client<'_> {
    fn talk(&mut self) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while !self.is_there() {
            // Starting takes long on a loaded machine: quiet counts only once it has been asked for an answer.
            let asked = self.count("request.opened") > 1 && self.point.pending;
            let wait = if asked { QUIET } else { deadline.saturating_duration_since(Instant::now()) };
            match self.lines.recv_timeout(wait) {
                Ok(line) => self.take(line)?,
                Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => return Ok(()),
                Err(error) => anyhow::bail!("{error}; seen: {}", self.last_seen()),
            }
        }
        Ok(())
    }

    /// Its last lines, for whoever has to find out.
    fn last_seen(&self) -> String {
        let last = self.seen.iter().rev().take(20).rev();
        last.map(|(_, line)| line.to_string()).collect::<Vec<_>>().join("\n")
    }

    fn is_there(&self) -> bool {
        let there = match self.point.at {
            At::Start => true,
            At::Line(line) => self.seen.len() as u64 >= line,
            At::Said(count) => self.said >= count,
        };
        there || self.count("run.ended") == 3
    }

    fn take(&mut self, (at, line): (Instant, Value)) -> Result<()> {
        let kind = line["type"].as_str().unwrap_or_default().to_owned();
        self.seen.push((at, line.clone()));
        let count = self.count(&kind);
        for said in self.script.iter().filter(|said| said.kind == kind && said.count == count) {
            if self.is_there() {
                break;
            }
            let mut told = said.line.clone();
            if kind == "request.opened" {
                if count == 2 && self.point.pending {
                    continue;
                }
                told["request"] = line["request"]["id"].clone();
            }
            writeln!(self.stdin, "{told}")?;
            self.said += 1;
        }
        Ok(())
    }

    fn count(&self, kind: &str) -> usize {
        self.seen.iter().filter(|(_, line)| line["type"] == kind).count()
    }

    fn thread(&self) -> Option<ThreadId> {
        ThreadId::parse(self.seen.first()?.1["thread"].as_str()?)
    }

    /// Whether nobody else can have the thread while this host is at work in it.
    fn is_held(&self, place: &Place) -> Option<bool> {
        let thread = self.thread()?;
        let refused = Lease::take(&place.door.data(), &thread).err();
        Some(refused.is_some_and(|error| error.code() == "thread-busy"))
    }
}
