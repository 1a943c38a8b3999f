//! A run with a script at its stdin: lines in, lines out, each waited for.

use crate::door::{Door, Ended, finish};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// A `run --json --input json` under way.
pub struct Live {
    /// Where it runs; gone when this is.
    door: Door,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    seen: Vec<Value>,
    stdout: String,
    /// What was already waited for.
    at: usize,
}

impl Live {
    /// Starts it here, with these arguments more.
    pub fn start(door: Door, args: &[&str]) -> Live {
        let all = [&["run", "--json", "--input", "json"][..], args].concat();
        let mut child = door.command(&all).stdin(Stdio::piped()).spawn().expect("the program starts");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().expect("stdout"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Live { door, child, stdin, lines, seen: Vec::new(), stdout: String::new(), at: 0 }
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Live {
        self.stdin.as_mut().expect("stdin is open").write_all(bytes).expect("it reads its stdin");
        self
    }

    /// Writes a line.
    pub fn say(&mut self, line: Value) -> &mut Live {
        self.raw(format!("{line}\n").as_bytes())
    }

    /// Says something.
    pub fn message(&mut self, text: &str) -> &mut Live {
        self.say(json!({ "type": "message", "text": text }))
    }

    /// Ends its stdin.
    pub fn end_of_input(&mut self) -> &mut Live {
        self.stdin = None;
        self
    }

    /// Sends it a signal.
    pub fn signal(&mut self, signal: Signal) -> &mut Live {
        kill(Pid::from_raw(self.child.id() as i32), signal).expect("a signal");
        self
    }

    /// Kills it at once; where it ran.
    pub fn kill(mut self) -> Door {
        self.signal(Signal::SIGKILL);
        self.child.wait().expect("its end");
        self.door
    }

    /// The next line that fits, after the one that was waited for before.
    #[track_caller]
    pub fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            while self.at < self.seen.len() {
                self.at += 1;
                if fits(&self.seen[self.at - 1]) {
                    return self.seen[self.at - 1].clone();
                }
            }
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => self.take(&line),
                Err(error) => panic!("it does not come ({error}):\n{}", self.stdout),
            }
        }
    }

    /// The next line of this type.
    #[track_caller]
    pub fn until_type(&mut self, kind: &str) -> Value {
        self.until(|line| line["type"] == kind)
    }

    /// The next word on a line of input.
    #[track_caller]
    pub fn word(&mut self) -> Value {
        self.until(|line| line["type"].as_str().is_some_and(|kind| kind.starts_with("input.")))
    }

    /// Looks at everything again from the beginning.
    pub fn rewind(&mut self) -> &mut Live {
        self.at = 0;
        self
    }

    /// Waits for its end, without ending its stdin.
    #[track_caller]
    pub fn ended(mut self) -> Ended {
        // The reader of stdout goes on to the end, so that nobody waits for it here.
        let held = self.stdin.take();
        let mut ended = finish(self.child, b"");
        drop(held);
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.stdout += &line;
            self.stdout.push('\n');
        }
        ended.stdout = self.stdout;
        ended
    }

    fn take(&mut self, line: &str) {
        self.stdout += line;
        self.stdout.push('\n');
        self.seen.push(serde_json::from_str(line).unwrap_or_else(|_| Value::String(line.into())));
    }
}

impl Ended {
    /// The words on lines of input: for each, its line and its code, or `ok`.
    pub fn words(&self) -> Vec<(u64, String)> {
        let words = self.events().into_iter().filter_map(|event| {
            let code = match event["type"].as_str()? {
                "input.accepted" => "ok",
                "input.rejected" => event["code"].as_str()?,
                _ => return None,
            };
            Some((event["line"].as_u64()?, code.to_owned()))
        });
        let mut words: Vec<_> = words.collect();
        words.sort();
        words
    }
}
