//! Plays a case: a host with the faulty plugin in a folder of its own, asked what the case's `== host` says.

use super::view::View;
use super::{Case, FAULTY, sign};
use crate::packed::bundled;
use anyhow::{Context, Result, bail};
use jackfield_core::contract::{Chosen, Content};
use jackfield_core::event::{EventBody, SessionEvent};
use jackfield_core::id::{RequestId, TurnId};
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_core::requests::Reply;
use jackfield_core::rules::Rules;
use jackfield_runtime::host::{Host, HostConfig, HostError, Plugin};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::process::{SUPERVISE, Supervisor, Tap};
use jackfield_runtime::session::AskError;
use jackfield_runtime::thread::{Delivery, Thread};
use jackfield_runtime::thread_log::Subscription;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

/// Longer than anything takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// What all cases share: the plugin's bytes, and the program that is both supervisor and faulty program.
pub struct House {
    plugin: Plugin,
    /// Bundled plugins that a case was about, by name.
    bundled: Mutex<BTreeMap<String, Plugin>>,
    host: Host,
    program: PathBuf,
    _folder: tempfile::TempDir,
}

impl House {
    /// Builds the faulty plugin, once for all cases; `program` is this crate's `play`.
    pub async fn build(program: &Path) -> Result<House> {
        let sources = xtask::root().join("tests/faults");
        let source = std::fs::read_to_string(sources.join("plugin.rs"))?;
        let manifest = std::fs::read_to_string(sources.join("plugin.toml"))?;
        let bytes = crate::guest::build("faulty", &source, &manifest)?;
        let folder = tempfile::tempdir()?;
        let host = open_host(folder.path(), program, Limits::default(), true)?;
        // As a bundled one it needs no grant: what is granted to whom is not what these cases are about.
        let plugin = host.add_plugin(bytes, true).await?;
        let bundled = Mutex::default();
        Ok(House { plugin, bundled, host, program: program.to_owned(), _folder: folder })
    }

    /// The plugin that a case is about.
    async fn plugin(&self, case: &Case) -> Result<Plugin> {
        let Some(name) = &case.plugin else { return Ok(self.plugin.clone()) };
        let mut loaded = self.bundled.lock().await;
        if let Some(plugin) = loaded.get(name) {
            return Ok(plugin.clone());
        }
        let plugin = self.host.add_plugin(bundled(name), true).await?;
        loaded.insert(name.clone(), plugin.clone());
        Ok(plugin)
    }

    /// Plays a case; the text of what a client saw.
    pub async fn play(&self, case: &Case) -> Result<String> {
        let folder = tempfile::tempdir()?;
        for made in ["work", "starts"] {
            std::fs::create_dir(folder.path().join(made))?;
        }
        furnish(&folder.path().join("work"), &case.workspace)?;
        let data = folder.path().join("data");
        let host = open_host(&data, &self.program, case.limits.clone(), case.unasked)?;
        let plugin = &self.plugin(case).await?;
        let instance = self.instance(case, plugin, folder.path())?;
        let thread = host.new_thread(plugin, instance.clone(), &folder.path().join("work")).await?;
        let desk = Desk {
            host: &host,
            audit: data.join("audit.jsonl"),
            signs: folder.path().join("starts"),
            work: folder.path().join("work").canonicalize()?,
            plugin,
            instance,
            events: thread.subscribe(),
            thread: Some(thread),
            view: View::default(),
            heard: 0,
        };
        // Where the program lies is this machine's affair.
        let program = self.program.display().to_string();
        desk.sit(case).await.map(|seen| seen.replace(&program, "the program"))
    }

    /// A thread on a case's program, for whoever plays the host's side himself; `wire` is where what crosses the pipes is kept.
    pub async fn open(&self, case: &Case, folder: &Path, wire: Option<&Path>) -> Result<Thread> {
        for made in ["work", "starts"] {
            std::fs::create_dir_all(folder.join(made))?;
        }
        let host = open_host(&folder.join("data"), &self.program, case.limits.clone(), case.unasked)?;
        let plugin = self.plugin(case).await?;
        let mut instance = self.instance(case, &plugin, folder)?;
        instance.tap = wire.map(|file| Tap::create(file, &[])).transpose()?;
        Ok(host.new_thread(&plugin, instance, &folder.join("work")).await?)
    }

    fn instance(&self, case: &Case, plugin: &Plugin, folder: &Path) -> Result<Instance> {
        let those =
            |word: &str| case.rules.iter().filter_map(|rule| rule.strip_prefix(word)).map(str::to_owned).collect();
        let (allow, deny): (Vec<String>, Vec<String>) = (those("allow "), those("deny "));
        anyhow::ensure!(allow.len() + deny.len() == case.rules.len(), "a rule begins with allow or deny");
        let text = |path: &Path| path.display().to_string();
        let profiles = plugin.generation.manifest().spawn.iter();
        Ok(Instance {
            name: "faulty".into(),
            options: case.options.clone(),
            program_args: vec![FAULTY.into(), text(&case.file.canonicalize()?), text(&folder.join("starts"))],
            rules: Rules::parse(&allow, &deny)?,
            programs: profiles.map(|profile| (profile.program.clone(), self.program.clone())).collect(),
            ..Instance::default()
        })
    }
}

fn open_host(data: &Path, program: &Path, limits: Limits, unasked: bool) -> Result<Host> {
    let policy = PolicyConfig { run_without_approvals: unasked, ..PolicyConfig::default() };
    let supervisor = Supervisor { command: program.to_owned(), args: vec![SUPERVISE.to_owned()] };
    Ok(Host::open(HostConfig { data: data.to_owned(), compiled: crate::compiled(), limits, policy, supervisor })?)
}

fn furnish(folder: &Path, lines: &[String]) -> Result<()> {
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["file", name] => std::fs::write(folder.join(name), "x")?,
            ["folder", name] => std::fs::create_dir_all(folder.join(name))?,
            ["link", name, target] => std::os::unix::fs::symlink(target, folder.join(name))?,
            _ => bail!("nothing in a workspace is `{line}`"),
        }
    }
    Ok(())
}

/// The programs that are at work in this folder, once none is, or so long after the end that none may be even on a loaded machine.
async fn at_work_in(folder: &Path) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
        let here = processes.filter(|path| std::fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == folder));
        let left: Vec<String> = here.filter_map(|path| std::fs::read_to_string(path.join("comm")).ok()).collect();
        if left.is_empty() || Instant::now() > deadline {
            return left.iter().map(|name| name.trim().to_owned()).collect();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Where the host's side of a case is done.
struct Desk<'a> {
    host: &'a Host,
    audit: PathBuf,
    /// Where signs are given.
    signs: PathBuf,
    work: PathBuf,
    plugin: &'a Plugin,
    instance: Instance,
    /// Absent only while it is taken up again.
    thread: Option<Thread>,
    events: Subscription,
    view: View,
    /// How much of the view a step has waited for.
    heard: usize,
}

impl Desk<'_> {
    async fn sit(mut self, case: &Case) -> Result<String> {
        for step in &case.host {
            if let Err(error) = self.does(step).await {
                bail!("`{step}`: {error:#}; seen so far:\n{}", self.view.text());
            }
        }
        self.thread()?.close().await?;
        self.listen().await?;
        self.same_in_the_store().await?;
        Ok(self.view.text())
    }

    async fn does(&mut self, step: &str) -> Result<()> {
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        match verb {
            "send" => {
                let sent = self.thread()?.send(vec![Content::Text(rest.to_owned())]).await;
                self.outcome("the message", sent.map(|_| ())).await?;
            }
            // Into the open turn, or refused.
            "steer" => {
                let sent = self.thread()?.send_as(vec![Content::Text(rest.to_owned())], Delivery::Steer).await;
                self.outcome("the message", sent.map(|_| ())).await?;
            }
            "send-large" => {
                let text = "x".repeat(rest.parse::<usize>()? * 1024);
                self.thread()?.send(vec![Content::Text(text)]).await?;
            }
            "interrupt" => {
                let done = self.thread()?.interrupt().await;
                self.outcome("the interrupt", done).await?;
            }
            "answer" => self.answer(rest).await?,
            "until" => self.until(rest).await?,
            "audit" => self.audited(rest)?,
            "sign" => sign::give(&self.signs, rest)?,
            "await" => {
                let deadline = Instant::now() + PATIENCE;
                while !sign::is_given(&self.signs, rest) {
                    anyhow::ensure!(Instant::now() < deadline, "no such sign in {PATIENCE:?}");
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
            "close" => self.thread()?.close().await?,
            "kill" => self.thread()?.kill().await?,
            "rollback" => self.rollback(rest.parse()?).await?,
            "read" => {
                let read = self.thread()?.read(None, 100).await;
                self.outcome("the reading", read.map(drop)).await?;
            }
            "select" => {
                let (name, value) = rest.split_once(' ').context("select NAME VALUE")?;
                let chosen = self.thread()?.select(vec![(name.to_owned(), value.to_owned())]).await;
                self.outcome("the choice", chosen).await?;
            }
            "resume" => self.resume().await?,
            "gone" => {
                let left = at_work_in(&self.work).await;
                self.view.say(&match left.is_empty() {
                    true => "> nothing is at work in the workspace".to_owned(),
                    false => format!("> still at work in the workspace: {}", left.join(", ")),
                });
            }
            other => bail!("the host knows no `{other}`"),
        }
        Ok(())
    }

    /// `rollback 1`: all after the first turn that was seen is taken back; `rollback 0`: all.
    async fn rollback(&mut self, number: usize) -> Result<()> {
        let turn = match number {
            0 => None,
            _ => Some(self.view.turn(number).with_context(|| format!("turn {number} was not seen"))?.as_str()),
        };
        let turn = turn.map(|id| serde_json::from_value::<TurnId>(id.into())).transpose()?;
        let gone_back = self.thread()?.rollback(turn.as_ref()).await;
        self.listen().await?;
        self.outcome("going back", gone_back).await
    }

    /// `audit answer`: the records of this kind, their verdicts and rules.
    fn audited(&mut self, kind: &str) -> Result<()> {
        for line in std::fs::read_to_string(&self.audit)?.lines() {
            let record: serde_json::Value = serde_json::from_str(line)?;
            if record["kind"] == kind {
                let text = |name: &str| record[name].as_str().unwrap_or_default();
                self.view.say(&format!("> on record: {kind}, {}, {}", text("verdict"), text("rule")));
            }
        }
        Ok(())
    }

    /// `answer 1 once`, `answer 1 once by alice`, `answer 1 once with {"command":"ls"}`.
    async fn answer(&mut self, rest: &str) -> Result<()> {
        let (number, rest) = rest.split_once(' ').context("answer NUMBER OPTION [by NAME]")?;
        let (rest, input) =
            rest.split_once(" with ").map_or((rest, None), |(rest, input)| (rest, Some(input.to_owned())));
        let (option, by) = rest.split_once(" by ").unwrap_or((rest, "user"));
        let id = self.view.request(number.parse()?).with_context(|| format!("request {number} was not seen"))?;
        let id: RequestId = serde_json::from_value(id.as_str().into())?;
        let reply = Reply::Chosen(Chosen { option_id: option.to_owned(), note: None, input });
        let given = self.thread()?.answer(id, reply, by).await;
        self.listen().await?;
        self.outcome(&format!("the answer {option}"), given).await
    }

    async fn outcome(&mut self, what: &str, outcome: Result<(), AskError>) -> Result<()> {
        if let Err(error) = outcome {
            self.listen().await?;
            self.view.say(&format!("> {what} did not count: {}", error.code()));
        }
        Ok(())
    }

    /// Reads on until a line, after those that were waited for before, holds this.
    async fn until(&mut self, text: &str) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        // The run's own line: its turn's line ends with the same words.
        let wanted = if text.starts_with("run ") { format!("\n{text}") } else { text.to_owned() };
        loop {
            self.listen().await?;
            let heard = self.heard;
            if let Some(at) = self.view.text().get(heard..).and_then(|rest| rest.find(&wanted)) {
                self.heard += at + wanted.len();
                return Ok(());
            }
            let soon = (Instant::now() + Duration::from_millis(200)).min(deadline);
            if let Ok(Some(event)) = timeout_at(soon, self.events.next()).await {
                self.take(&event).await?;
            } else if Instant::now() >= deadline {
                bail!("not in {PATIENCE:?}");
            }
        }
    }

    /// Lets the thread go and takes it up again, as a program that is started anew does.
    async fn resume(&mut self) -> Result<()> {
        self.thread()?.close().await?;
        self.listen().await?;
        let id = self.thread()?.id().clone();
        let last = self.stored().await?.last().map_or(0, |event| event.seq);
        self.thread = None;
        let deadline = Instant::now() + PATIENCE;
        let thread = loop {
            // Its lease ends with its session, a moment later.
            match self.host.resume_thread(self.plugin, self.instance.clone(), &id).await {
                Err(HostError::Lease(_)) if Instant::now() < deadline => {
                    tokio::time::sleep(Duration::from_millis(5)).await
                }
                done => break done?,
            }
        };
        self.events = thread.subscribe();
        // What taking it up has closed is read in the store.
        for event in thread.events_after(last, 1_000).await? {
            self.view.take(&event);
        }
        self.thread = Some(thread);
        Ok(())
    }

    fn thread(&self) -> Result<&Thread> {
        self.thread.as_ref().context("the thread is let go")
    }

    async fn listen(&mut self) -> Result<()> {
        while let Some(event) = self.events.next_now() {
            self.take(&event).await?;
        }
        Ok(())
    }

    /// Who reads too slowly is told what he missed, and reads it in the store.
    async fn take(&mut self, event: &SessionEvent) -> Result<()> {
        let EventBody::Gap { from_seq, to_seq } = event.draft.body else {
            self.view.take(event);
            return Ok(());
        };
        let mut after = from_seq - 1;
        while after < to_seq {
            let page = self.thread()?.events_after(after, 500).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            page.iter().filter(|event| event.seq <= to_seq).for_each(|event| self.view.take(event));
        }
        Ok(())
    }

    async fn stored(&self) -> Result<Vec<SessionEvent>> {
        let mut events: Vec<SessionEvent> = Vec::new();
        loop {
            let page = self.thread()?.events_after(events.last().map_or(0, |event| event.seq), 1_000).await?;
            if page.is_empty() {
                return Ok(events);
            }
            events.extend(page);
        }
    }

    /// Whoever was not there reads the same in the store.
    async fn same_in_the_store(&mut self) -> Result<()> {
        let mut stored = View::default();
        self.stored().await?.iter().for_each(|event| stored.take(event));
        let live = self.view.text().lines().filter(|line| !line.starts_with("> ")).collect::<Vec<_>>().join("\n");
        anyhow::ensure!(
            stored.text().trim() == live.trim(),
            "the store tells otherwise:\n{}\nlive:\n{live}",
            stored.text()
        );
        Ok(())
    }
}
