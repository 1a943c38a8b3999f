//! What the tests with real processes share.

#![allow(dead_code)]

use jackfield_core::contract::{ChannelExit, FrameData, Pipe};
use jackfield_core::limits::Limits;
use jackfield_runtime::framing::Framing;
use jackfield_runtime::process::{Channel, ChannelEvent, SpawnError, SpawnSpec, Supervisor, WriteError, spawn};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{self, Receiver};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The other program of these tests; `cargo test -p jackfield-runtime` builds it.
pub fn testbed() -> PathBuf {
    let test = std::env::current_exe().expect("this test has a file");
    let path = test.ancestors().nth(2).expect("it lies in target/*/deps").join("examples/testbed");
    assert!(path.exists(), "{} is missing: run `cargo build -p jackfield-runtime --examples`", path.display());
    path
}

/// A host of its own with this script, which takes signals as usual, whatever this test has ignored.
pub fn host(script: &str) -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(testbed()).args(["host", script]);
    command
}

pub fn supervisor() -> Supervisor {
    Supervisor { command: testbed(), args: vec![jackfield_runtime::process::SUPERVISE.to_owned()] }
}

pub fn limits(change: impl FnOnce(&mut Limits)) -> Arc<Limits> {
    let mut limits = Limits::default();
    change(&mut limits);
    Arc::new(limits)
}

pub fn shell(script: &str) -> SpawnSpec {
    SpawnSpec {
        program: "/bin/sh".into(),
        args: vec!["-c".to_owned(), script.to_owned()],
        env: vec![("PATH".to_owned(), std::env::var("PATH").unwrap_or_default())],
        cwd: "/".into(),
        framing: Framing::Ndjson,
        tap: None,
    }
}

/// A channel and what arrives from it.
pub struct Talk {
    pub channel: Channel,
    pub events: Receiver<ChannelEvent>,
}

pub async fn open(spec: SpawnSpec, limits: Arc<Limits>, queue: usize) -> Result<Talk, SpawnError> {
    let (sender, events) = mpsc::channel(queue);
    let channel = spawn(spec, 7, &supervisor(), limits, sender).await?;
    Ok(Talk { channel, events })
}

/// A shell script with default limits.
pub async fn sh(script: &str) -> Talk {
    open(shell(script), limits(|_| ()), 64).await.expect("sh starts")
}

/// All that a channel said until it closed.
#[derive(Debug, Default)]
pub struct Said {
    pub frames: Vec<String>,
    pub stderr: String,
    pub noise: Vec<String>,
    pub too_large: Vec<u64>,
    pub stderr_dropped: u64,
}

impl Talk {
    /// Queues a message. The receiver hears what became of it.
    pub fn write(&self, line: Vec<u8>) -> Result<oneshot::Receiver<Result<(), WriteError>>, WriteError> {
        let (done, receipt) = oneshot::channel();
        self.channel.write(line, |written| drop(done.send(written))).map(|()| receipt)
    }

    pub async fn next(&mut self) -> Option<ChannelEvent> {
        timeout(Duration::from_secs(20), self.events.recv()).await.expect("the channel says something within 20 s")
    }

    /// The next message on stdout.
    pub async fn frame(&mut self) -> String {
        loop {
            match self.next().await {
                Some(ChannelEvent::Frame { pipe: Pipe::Main, data: FrameData::Text(text), .. }) => return text,
                Some(ChannelEvent::Frame { pipe: Pipe::Error, .. }) => {}
                other => panic!("a message was expected, not {other:?}"),
            }
        }
    }

    /// The number in the next message `{"pid":N}`.
    pub async fn pid(&mut self) -> u32 {
        pid_in(&self.frame().await)
    }

    /// Everything until `Closed`, after which nothing may come.
    pub async fn rest(&mut self) -> (Said, ChannelExit) {
        let mut said = Said::default();
        loop {
            match self.next().await.expect("`Closed` comes") {
                ChannelEvent::Frame { pipe, data, .. } => match (pipe, data) {
                    (Pipe::Main, FrameData::Text(text)) => said.frames.push(text),
                    (Pipe::Error, FrameData::Text(text)) => said.stderr.push_str(&text),
                    (_, data) => panic!("text was expected, not {data:?}"),
                },
                ChannelEvent::Noise { text, .. } => said.noise.push(text),
                ChannelEvent::TooLarge { bytes, .. } => said.too_large.push(bytes),
                ChannelEvent::StderrDropped { bytes, .. } => said.stderr_dropped += bytes,
                ChannelEvent::Closed { channel, exit } => {
                    assert_eq!((channel, exit.channel), (7, 7));
                    assert!(self.next().await.is_none(), "nothing follows `Closed`");
                    return (said, exit);
                }
            }
        }
    }
}

pub fn pid_in(frame: &str) -> u32 {
    let value: serde_json::Value = serde_json::from_str(frame).expect("JSON");
    value["pid"].as_u64().expect("a pid") as u32
}

/// True when the process is there and no zombie.
pub fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

/// Fails unless all these are gone long before they would end by themselves.
pub async fn all_die(pids: &[u32]) {
    let start = Instant::now();
    while pids.iter().any(|&pid| lives(pid)) {
        assert!(start.elapsed() < Duration::from_secs(30), "of {pids:?} some live on");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
