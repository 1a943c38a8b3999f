//! The faulty program: says, byte by byte, what a case's script tells it, in the words of `tests/faults/README.md`.
//!
//! `play __faulty CASE FOLDER`. The folder keeps how often it was started. It knows nothing of the host.

use super::rpc::Rpc;
use super::{Case, sign};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, StdinLock, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Exit code of the program's own failures: no case ends so.
const BROKEN: u8 = 97;

/// Longer than the host needs for anything on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// The body of the program. The arguments are those after `__faulty`.
pub fn main(arguments: &[String]) -> ExitCode {
    match run(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("faulty: {error:#}");
            ExitCode::from(BROKEN)
        }
    }
}

fn run(arguments: &[String]) -> Result<u8> {
    let [file, folder, ..] = arguments else { bail!("usage: play __faulty CASE FOLDER") };
    let case = Case::read(file.as_ref())?;
    let start = number(folder.as_ref())?;
    let script = case.programs.get(start).or(case.programs.last()).context("no script")?;
    let rpc = case.plugin.as_ref().map(|_| Rpc::default());
    let mut program = Program { stdin: std::io::stdin().lock(), rpc, folder: folder.into() };
    for line in script {
        if let Some(code) = program.does(line).with_context(|| format!("`{line}`"))? {
            return Ok(code);
        }
    }
    program.listen_to_the_end();
    Ok(0)
}

/// How often it was started before.
fn number(folder: &Path) -> Result<usize> {
    for number in 0.. {
        let made =
            std::fs::OpenOptions::new().write(true).create_new(true).open(folder.join(format!("start-{number}")));
        match made {
            Ok(_) => return Ok(number),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
    }
    bail!("started too often")
}

struct Program {
    stdin: StdinLock<'static>,
    /// What a program that speaks JSON-RPC was called.
    rpc: Option<Rpc>,
    /// Where signs are given.
    folder: PathBuf,
}

impl Program {
    /// One line of the script; its exit code when it is the last.
    fn does(&mut self, line: &str) -> Result<Option<u8>> {
        let here = std::env::current_dir()?;
        let line = &line.replace("$WORK", &here.display().to_string());
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        if let Some(lines) = self.rpc.as_ref().and_then(|rpc| rpc.says(verb, rest).transpose()) {
            out(lines?.as_bytes())?;
            return Ok(None);
        }
        match verb {
            "shake" => {
                let initialized = format!("answer initialize {{\"protocolVersion\":1{rest}}}");
                let opened = "answer session/new {\"sessionId\":\"s1\"}";
                for line in ["hear initialize", &initialized, "hear session/new", opened] {
                    self.does(line)?;
                }
            }
            "hear" => drop(self.hear(rest)?),
            // `hear-each answer "r1" "r2"`: lines with these words, in whatever order.
            "hear-each" => {
                let (kind, words) = rest.split_once(' ').context("a kind and words")?;
                let mut missing: Vec<&str> = words.split_whitespace().collect();
                while !missing.is_empty() {
                    let line = self.line()?;
                    let kind = line.contains(&format!("\"type\":\"{kind}\""));
                    missing.retain(|word| !kind || !line.contains(word));
                }
            }
            // Tells how much it heard.
            "measure" => {
                let bytes = self.hear(rest)?;
                out(format!("{}\n", serde_json::json!({ "type": "message", "id": format!("heard-{bytes}"), "text": format!("heard {bytes} bytes") })).as_bytes())?;
            }
            "say" => out(format!("{rest}\n").as_bytes())?,
            "bytes" => out(&unescaped(rest)?)?,
            "slowly" => {
                for byte in format!("{rest}\n").bytes() {
                    out(&[byte])?;
                    std::thread::sleep(Duration::from_micros(300));
                }
            }
            // `repeat 3 {"text":"#"}`: three lines, `#` is the number.
            "repeat" => {
                let (count, template) = counted(rest)?;
                for number in 1..=count {
                    out(format!("{}\n", template.replace('#', &number.to_string())).as_bytes())?;
                }
            }
            // `large 64 {"text":"@"}`: a line in which `@` is so many KiB of x.
            "large" => {
                let (kib, template) = counted(rest)?;
                let (before, after) = template.split_once('@').context("large: no @")?;
                out(before.as_bytes())?;
                (0..kib).try_for_each(|_| out(&[b'x'; 1024]))?;
                out(format!("{after}\n").as_bytes())?;
            }
            // `repeat-large 100 4 {"text":"@"}`: a hundred lines of 4 KiB each.
            "repeat-large" => {
                let (count, rest) = counted(rest)?;
                let (kib, template) = counted(rest)?;
                let line = format!("{}\n", template.replace('@', &"x".repeat(kib as usize * 1024)));
                (0..count).try_for_each(|_| out(line.as_bytes()))?;
            }
            // `padded 199 é\n`: so many x, then these bytes.
            "padded" => {
                let (count, rest) = counted(rest)?;
                let mut bytes = vec![b'x'; count as usize];
                bytes.extend(unescaped(rest)?);
                out(&bytes)?;
            }
            // The line once for each place where it can be cut in two.
            "split-everywhere" => {
                let line = format!("{rest}\n");
                for at in 1..line.len() {
                    out(&line.as_bytes()[..at])?;
                    std::thread::sleep(Duration::from_millis(2));
                    out(&line.as_bytes()[at..])?;
                }
            }
            // `babble 100`: so many MiB without an end of line.
            "babble" => {
                let piece = vec![b'a'; 1 << 20];
                (0..rest.parse::<u32>()?).try_for_each(|_| out(&piece))?;
            }
            "complain" => err(format!("{rest}\n").as_bytes())?,
            // `complain-much 1024`: so many KiB on stderr.
            "complain-much" => {
                (0..rest.parse::<u32>()?).try_for_each(|_| err(format!("{}\n", "e".repeat(1023)).as_bytes()))?
            }
            // Answers all that comes from here on: each message is a turn that says its words again, and where it was resumed.
            "converse" => self.converse()?,
            "pause" => std::thread::sleep(Duration::from_millis(rest.parse()?)),
            "sign" => sign::give(&self.folder, rest)?,
            "await" => {
                let deadline = Instant::now() + PATIENCE;
                while !sign::is_given(&self.folder, rest) {
                    anyhow::ensure!(Instant::now() < deadline, "no such sign in {PATIENCE:?}");
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
            "exit" => return Ok(Some(rest.parse()?)),
            "die" => std::process::abort(),
            // Lives on, whatever becomes of its stdin.
            "stay" => std::thread::sleep(Duration::from_secs(300)),
            "close-stdout" => {
                use std::os::unix::process::CommandExt;
                bail!("sh: {}", std::process::Command::new("sh").args(["-c", "exec >&-; sleep 300"]).exec());
            }
            "leave-a-child" => {
                std::process::Command::new("sleep").arg("300").spawn()?;
            }
            // In a session of its own, whose parent is gone, and deaf to what asks it to end.
            "leave-a-stray" => {
                let words = "(trap '' HUP INT TERM; exec sleep 300) </dev/null >/dev/null 2>&1 & exit 0";
                std::process::Command::new("setsid").args(["sh", "-c", words]).status()?;
            }
            other => bail!("the program knows no `{other}`"),
        }
        Ok(None)
    }

    /// Reads until a line of this type that holds these words; what comes before it is read and dropped.
    fn hear(&mut self, wanted: &str) -> Result<usize> {
        let (kind, words) = wanted.split_once(' ').unwrap_or((wanted, ""));
        loop {
            let line = self.line()?;
            if let Some(rpc) = &mut self.rpc {
                if rpc.hears(&line, kind) && line.contains(words) {
                    return Ok(line.len());
                }
                continue;
            }
            let kind = format!("\"type\":\"{kind}\"");
            if line.contains(&kind) && line.contains(words) {
                return Ok(line.len());
            }
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stdin.read_line(&mut line)? == 0 {
            bail!("stdin ended");
        }
        anyhow::ensure!(!line.trim().is_empty(), "the host sent an empty line");
        Ok(line)
    }

    fn converse(&mut self) -> Result<()> {
        let say = |line: Value| out(format!("{line}\n").as_bytes());
        let (mut line, mut resumed, mut turns) = (String::new(), Value::Null, 0);
        while self.stdin.read_line(&mut line)? > 0 {
            let heard: Value = serde_json::from_str(&line)?;
            line.clear();
            match heard["type"].as_str() {
                Some("open") => {
                    resumed = heard["resume"].clone();
                    let thread = resumed.as_str().unwrap_or("00000000-0000-4000-8000-00000000000b");
                    say(json!({ "type": "ready", "thread": thread }))?;
                }
                Some("message") => {
                    turns += 1;
                    let text = format!("heard {} in {resumed}", heard["text"]);
                    say(json!({ "type": "turn-started" }))?;
                    say(json!({ "type": "message", "id": format!("heard-{turns}"), "text": text }))?;
                    say(json!({ "type": "turn-ended", "status": "completed" }))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn listen_to_the_end(&mut self) {
        let mut line = Vec::new();
        while self.stdin.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            line.clear();
        }
    }
}

fn out(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

fn err(bytes: &[u8]) -> Result<()> {
    Ok(std::io::stderr().write_all(bytes)?)
}

fn counted(rest: &str) -> Result<(u32, &str)> {
    let (count, template) = rest.split_once(' ').context("a count and a line")?;
    Ok((count.parse()?, template))
}

/// `\n`, `\r`, `\e` (escape), `\xff`, `\\`.
fn unescaped(text: &str) -> Result<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next().context("a \\ at the end")? {
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b'e' => bytes.push(0x1b),
            b'\\' => bytes.push(b'\\'),
            b'x' => {
                let digits = [rest.next().context("\\x")?, rest.next().context("\\x")?];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits)?, 16)?);
            }
            other => bail!("no escape \\{}", char::from(other)),
        }
    }
    Ok(bytes)
}
