//! The program as a person or a script meets it: a fresh data folder and workspace, a command line, and what came of it.

use serde_json::Value;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than anything takes on a loaded machine: what lasts longer hangs.
const PATIENCE: Duration = Duration::from_secs(90);

/// The beginning of a script that stands in for Claude Code: it answers the handshake.
pub const SHAKES_HANDS: &str = r#"read first
id=$(printf '%s' "$first" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$id""#;

/// What follows: it takes the prompt, and its turn begins.
pub const TAKES_THE_PROMPT: &str = r#"
read prompt
printf '%s\n' '{"type":"system","subtype":"init","session_id":"11111111-1111-4111-8111-111111111111","model":"m","tools":[]}'
"#;

/// A place to run the program in.
pub struct Door {
    program: PathBuf,
    folder: TempDir,
    env: Vec<(String, String)>,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit code; 128 and the signal when a signal ended it.
    pub code: i32,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
}

impl Door {
    /// A fresh place for this program.
    pub fn new(program: &str) -> Door {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["work", "home", "data"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Door { program: program.into(), folder, env: Vec::new() }
    }

    /// Sets a variable for the program.
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Door {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Writes the user's configuration file.
    pub fn config(&self, text: &str) -> PathBuf {
        let folder = self.folder.path().join("home/.config/jackfield");
        std::fs::create_dir_all(&folder).expect("the configuration folder");
        let path = folder.join("config.toml");
        std::fs::write(&path, text).expect("the configuration file");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("a private file");
        path
    }

    /// Sets limits that differ from the defaults.
    pub fn limits(self, limits: &Value) -> Door {
        let path = self.folder.path().join("limits.json");
        std::fs::write(&path, limits.to_string()).expect("the limits file");
        let path = path.display().to_string();
        self.env("JACKFIELD_LIMITS", path)
    }

    /// The workspace.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A shell script that plays a provider's program, outside of the workspace.
    pub fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.folder.path().join("home").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("a script");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("an executable script");
        path
    }

    /// The command, ready to be changed or started.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(args)
            .env_clear()
            .env("HOME", self.folder.path().join("home"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("JACKFIELD_DATA", self.data())
            .envs(crate::compiled().map(|folder| ("JACKFIELD_COMPILED", folder)))
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(self.work())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The command that gives it a terminal, which is `script`'s; `line` are its arguments, as a shell reads them.
    pub fn at_terminal(&self, line: &str) -> Command {
        let ours = self.command(&[]);
        let mut command = Command::new("script");
        command
            .args(["-qec", &format!("{} {line}", self.program.display()), "/dev/null"])
            .env_clear()
            .envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .current_dir(self.work())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    pub fn run(&self, args: &[&str]) -> Ended {
        finish(self.command(args).spawn().expect("the program starts"), b"")
    }

    /// Runs it with this on stdin.
    pub fn run_with_input(&self, args: &[&str], input: &[u8]) -> Ended {
        finish(self.command(args).stdin(Stdio::piped()).spawn().expect("the program starts"), input)
    }

    /// The audit file's records.
    pub fn audit(&self) -> Vec<Value> {
        lines(&std::fs::read_to_string(self.data().join("audit.jsonl")).unwrap_or_default())
    }
}

/// Waits for a program's end, reading all it writes; one that does not end in time is a failure.
pub fn finish(mut child: Child, input: &[u8]) -> Ended {
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_vec();
        std::thread::spawn(move || stdin.write_all(&input));
    }
    let reader = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut pipe) = pipe {
                let _ = pipe.read_to_end(&mut bytes);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let stdout = reader(child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let stderr = reader(child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().expect("the program's state") {
            Some(status) => break status,
            None if Instant::now() > deadline => {
                let _ = child.kill();
                panic!("it did not end in {PATIENCE:?}; stdout: {:?}; stderr: {:?}", stdout.join(), stderr.join());
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    Ended {
        code: status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
        stdout: stdout.join().expect("stdout"),
        stderr: stderr.join().expect("stderr"),
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| Value::String(line.into()))).collect()
}

impl Ended {
    /// The lines of a `--json` run.
    pub fn events(&self) -> Vec<Value> {
        lines(&self.stdout)
    }

    /// The events of one type.
    pub fn of_type(&self, kind: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["type"] == kind).collect()
    }

    /// All that the assistant said, by the ended items.
    pub fn said(&self) -> String {
        let ended = self.of_type("item.ended");
        let texts =
            ended.iter().filter(|event| event["item"]["kind"] == "assistant_message" && event["parent"].is_null());
        texts.map(|event| event["item"]["text"].as_str().unwrap_or_default()).collect::<Vec<_>>().join("\n")
    }

    /// The id of the thread.
    pub fn thread(&self) -> String {
        self.events()
            .first()
            .and_then(|opened| opened["thread"].as_str())
            .expect("stream.opened names the thread")
            .to_owned()
    }

    /// Asserts the exit code and that each of these words is in what a person reads.
    #[track_caller]
    pub fn expect(self, code: i32, words: &[&str]) -> Ended {
        let seen = format!("{}\n{}", self.stderr, self.stdout);
        for word in words {
            assert!(
                seen.contains(word),
                "{word:?} is missing; exit {}\nstderr: {}\nstdout: {}",
                self.code,
                self.stderr,
                cut(&self.stdout)
            );
        }
        assert_eq!(self.code, code, "stderr: {}\nstdout: {}", self.stderr, cut(&self.stdout));
        self
    }

    /// Asserts what holds of every `--json` stream: its first and last line, rising numbers, one end per run, a balanced ledger, nothing left open.
    #[track_caller]
    pub fn well_formed(self) -> Ended {
        let events = self.events();
        assert_eq!(events.first().map(|event| &event["type"]), Some(&"stream.opened".into()), "{}", cut(&self.stdout));
        assert_eq!(events.last().map(|event| &event["type"]), Some(&"stream.closed".into()), "{}", cut(&self.stdout));
        assert_eq!(events[0]["schema_version"], 1);
        let seqs: Vec<u64> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
        assert!(seqs.is_sorted_by(|a, b| a < b), "numbers rise: {seqs:?}");
        for run in self.of_type("run.created") {
            let ends = self.of_type("run.ended").into_iter().filter(|end| end["run"] == run["run"]).count();
            assert_eq!(ends, 1, "one end per run: {}", cut(&self.stdout));
        }
        for end in self.of_type("run.ended") {
            let counts = end["ledger"].as_object().expect("a ledger");
            let sum: u64 =
                counts.iter().filter(|(name, _)| *name != "frames_in").filter_map(|(_, count)| count.as_u64()).sum();
            assert_eq!(counts["frames_in"].as_u64(), Some(sum), "the ledger balances: {end}");
        }
        let all_ends = self.of_type("item.ended");
        for item in self.of_type("item.started") {
            let id = &item["item"]["id"];
            let ends = all_ends.iter().filter(|end| &end["item"]["id"] == id).count();
            assert_eq!(ends, 1, "item {id} ends once: {}", cut(&self.stdout));
        }
        let all_answers = self.of_type("request.resolved");
        for request in self.of_type("request.opened") {
            let resolved = all_answers.iter().filter(|end| end["request"] == request["request"]["id"]).count();
            assert_eq!(resolved, 1, "a request is resolved once: {request}");
        }
        self
    }
}

/// The end of a long text.
fn cut(text: &str) -> &str {
    let from = text.len().saturating_sub(6_000);
    let from = (from..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[from..]
}

/// True while a process of this command line lives.
pub fn is_running(marker: &str) -> bool {
    let Ok(entries) = std::fs::read_dir("/proc") else { return false };
    entries.flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        entry.file_name().to_string_lossy().parse::<u32>().is_ok_and(|pid| pid != std::process::id())
            && contains(&line, marker.as_bytes())
    })
}

fn contains(hay: &[u8], needle: &[u8]) -> bool {
    hay.windows(needle.len().max(1)).any(|window| window == needle)
}

/// A path as text.
pub fn text(path: &Path) -> String {
    path.display().to_string()
}
