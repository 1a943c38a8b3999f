//! Plays a case: a thread on the real host, with the `scripted` plugin on the case's table.
//!
//! | step | what a client does |
//! | --- | --- |
//! | `send TEXT` | sends a message |
//! | `auto TEXT`, `attach TEXT` | sends one as the policy has it, into the open turn where that can be; one with a picture |
//! | `until WORDS` | waits until a line with all these words is seen, after the line that the last `until` found |
//! | `rest` | waits until nothing goes on |
//! | `wait MS` | waits, for what must not come |
//! | `answer N OPTION`, `fill N VALUE`, `dismiss N` | answers the request that was opened as the Nth |
//! | `tools NAME`, `output N TEXT` | gives the provider a tool of ours; answers the Nth request with what it gave |
//! | `expert ROLE TEXT` | sends a message for an expert role |
//! | `interrupt [turn]`, `select NAME=VALUE` | as they say; the turn alone, or with what the provider stops with it |
//! | `settings`, `mcp NAME [TOOL …]`, `compact`, `clear`, `read`, `summarize` | as they say; the tools are those that are off |
//! | `rollback [N]`, `fork [N]` | goes back to, copies up to the Nth turn; to before the first, the whole |
//! | `fork item ID`, `fork task`, `open` | copies up to this item of the provider's; the first task's thread; opens that one |
//! | `stop`, `wait-for` | the first task |
//! | `beside TEXT` | sends a message in another thread of the same start, waits for its end and closes it; a line says where it was served |
//! | `mark` | puts a line `mark` between what was seen before and after |
//! | `close` | ends the session; `reopen` ends it and goes on with the thread |

use super::case::Case;
use super::show::{Names, line};
use anyhow::{Context, Result, bail};
use jackfield_core::capability::Capabilities;
use jackfield_core::contract::{Chosen, Content, Filled, McpServer, McpTransport, Media, Reply, ToolOutput, ToolSpec};
use jackfield_core::event::EventBody;
use jackfield_core::expert::Expert;
use jackfield_core::hints::Hint;
use jackfield_core::id::{ItemId, RequestId};
use jackfield_core::limits::Limits;
use jackfield_core::outbox::Delivery;
use jackfield_core::policy::PolicyConfig;
use jackfield_core::projection::Snapshot;
use jackfield_runtime::host::{Host, HostConfig, HostError, Plugin};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::process::{SUPERVISE, Supervisor};
use jackfield_runtime::session::{AskError, Stop};
use jackfield_runtime::store::Demotion;
use jackfield_runtime::thread::{ForkAt, Thread};
use jackfield_runtime::thread_log::Subscription;
use serde_json::{Map, Value};
use std::path::Path;
use std::time::Duration;

/// How long a step waits for what it wants to see.
const PATIENCE: Duration = Duration::from_secs(20);

/// A host with the plugin, for all cases: to compile it is what takes long.
pub struct House {
    host: Host,
    plugin: Plugin,
    folder: tempfile::TempDir,
}

impl House {
    /// Opens it under these rules of the operator.
    pub async fn open(policy: PolicyConfig, program: &Path) -> Result<House> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join("work"))?;
        let host = Host::open(HostConfig {
            data: folder.path().join("data"),
            compiled: crate::compiled(),
            limits: Limits { drain_ms: 60, interrupt_ack_ms: 200, interrupt_end_ms: 200, ..Limits::default() },
            policy,
            supervisor: Supervisor { command: program.to_owned(), args: vec![SUPERVISE.to_owned()] },
        })?;
        let scripted =
            jackfield_bundled::all().iter().find(|one| one.name == "scripted").context("the scripted plugin")?;
        let plugin = host.add_plugin(scripted.bytes.to_vec(), true).await?;
        Ok(House { host, plugin, folder })
    }

    /// The promises that were found broken.
    pub async fn demotions(&self) -> Result<Vec<Demotion>> {
        Ok(self.host.store().demotions(None).await?)
    }

    /// Plays the case with these capabilities; what was seen, line by line.
    ///
    /// Promises that are not kept are remembered by the provider's version: each play has its own.
    pub async fn play(&self, case: &Case, capabilities: &Capabilities, version: &str) -> Result<Vec<String>> {
        Ok(self.play_hinted(case, capabilities, version).await?.0)
    }

    /// The same, with the hints that clients had at the last `mark`.
    pub async fn play_hinted(
        &self,
        case: &Case,
        capabilities: &Capabilities,
        version: &str,
    ) -> Result<(Vec<String>, Vec<Hint>)> {
        let instance = instance(case, capabilities, version);
        let work = self.folder.path().join("work");
        let thread = self.host.new_thread(&self.plugin, instance.clone(), &work).await?;
        let mut stage = Stage {
            house: self,
            instance,
            events: thread.subscribe(),
            thread: Some(thread),
            names: Names::default(),
            lines: Vec::new(),
            at: 0,
            requests: Vec::new(),
            hints: Vec::new(),
            marked: Vec::new(),
        };
        for step in case.steps.lines().map(str::trim).filter(|step| !step.is_empty()) {
            stage.step(step).await.with_context(|| format!("step `{step}` after\n{}", stage.lines.join("\n")))?;
        }
        stage.close().await?;
        Ok((stage.lines, stage.marked))
    }
}

fn instance(case: &Case, capabilities: &Capabilities, version: &str) -> Instance {
    let set = capabilities.to_set(1, None);
    let value = |value: jackfield_core::contract::CapabilityValue| match serde_json::to_value(&value) {
        Ok(json) => json["value"].clone(),
        Err(_) => Value::Null,
    };
    let declared: Map<String, Value> = set.capabilities.into_iter().map(|one| (one.name, value(one.value))).collect();
    let options = [
        ("table", Value::from(case.table.clone())),
        ("capabilities", Value::Object(declared)),
        ("version", version.into()),
    ];
    let options = options.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let selection = case.selection.clone().into_iter().collect();
    let instructions = case.instructions.clone();
    Instance { name: "flags".into(), options, selection, instructions, ..Instance::default() }
}

fn server(name: &str, disabled_tools: Vec<String>) -> McpServer {
    McpServer {
        name: name.into(),
        transport: McpTransport::Stdio,
        address: "server".into(),
        args: Vec::new(),
        values: Vec::new(),
        disabled_tools,
        extra: Vec::new(),
    }
}

/// The item that has this name of the provider's.
fn item_called(snapshot: &Snapshot, native: &str) -> Result<ItemId> {
    let found = snapshot.items.iter().find(|shown| shown.item.native_id.as_deref() == Some(native));
    Ok(found.with_context(|| format!("an item called {native}"))?.item.id.clone())
}

struct Stage<'a> {
    house: &'a House,
    instance: Instance,
    /// Absent for the moment between two openings: who holds it holds the lease.
    thread: Option<Thread>,
    events: Subscription,
    names: Names,
    lines: Vec<String>,
    /// Behind the line that the last `until` found.
    at: usize,
    requests: Vec<RequestId>,
    /// Those that were told last, and those that had been at the last `mark`.
    hints: Vec<Hint>,
    marked: Vec<Hint>,
}

impl Stage<'_> {
    async fn step(&mut self, step: &str) -> Result<()> {
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
        if self.operate(verb, first, more).await? {
            return Ok(());
        }
        match verb {
            "send" => {
                let sent = self.thread()?.send(vec![Content::Text(rest.into())]).await.map(drop);
                self.told("send", sent);
            }
            "auto" => {
                let sent = self.thread()?.send_as(vec![Content::Text(rest.into())], Delivery::Auto).await.map(drop);
                self.told("send", sent);
            }
            "attach" => {
                let media = Media { mime: "image/png".into(), name: None, uri: None, base64: Some("aGk=".into()) };
                let content = vec![Content::Text(rest.into()), Content::Media(media)];
                let sent = self.thread()?.send(content).await.map(drop);
                self.told("send", sent);
            }
            "until" => self.until(rest).await?,
            "rest" => while !self.thread()?.rest().await {},
            "wait" => tokio::time::sleep(Duration::from_millis(rest.parse()?)).await,
            "answer" => {
                let chosen = Chosen { option_id: more.into(), note: None, input: None };
                self.answer(first, Reply::Chosen(chosen)).await?;
            }
            "fill" => {
                let filled = Filled { question: "q".into(), values: vec![more.into()] };
                self.answer(first, Reply::Filled(vec![filled])).await?;
            }
            "output" => {
                let content = vec![Content::Text(more.into())];
                self.answer(first, Reply::Output(ToolOutput { content, failed: false })).await?;
            }
            "expert" => {
                let expert = Expert { role: first.into(), prompt: "You look for what breaks.".into() };
                let sent = self.thread()?.send(vec![Content::Text(more.into()), expert.part()]).await.map(drop);
                self.told("send", sent);
            }
            "dismiss" => self.answer(first, Reply::Dismissed).await?,
            "interrupt" => {
                let stop = if rest == "turn" { Stop::TurnOnly } else { Stop::Turn };
                let done = self.thread()?.stop(stop).await;
                self.told("interrupt", done);
            }
            "select" => {
                let (name, value) = rest.split_once('=').context("NAME=VALUE")?;
                let done = self.thread()?.select(vec![(name.into(), value.into())]).await;
                self.told("select", done);
            }
            "mark" => {
                self.take_now();
                self.lines.push("mark".into());
                self.marked.clone_from(&self.hints);
            }
            "close" => self.close().await?,
            "beside" => self.beside(rest).await?,
            "reopen" => {
                self.close().await?;
                let id = self.thread()?.id().clone();
                self.thread = None;
                let thread = self.house.host.resume_thread(&self.house.plugin, self.instance.clone(), &id).await?;
                self.events = thread.subscribe();
                self.thread = Some(thread);
            }
            other => bail!("nobody knows the step {other:?}"),
        }
        Ok(())
    }

    /// What is done with the thread beyond messages; false when it is another step.
    async fn operate(&mut self, verb: &str, first: &str, more: &str) -> Result<bool> {
        let thread = self.thread()?;
        let turns = || async {
            let events = thread.events_after(0, 1_000).await?;
            anyhow::Ok(Snapshot::of(events.iter()))
        };
        let turn = |snapshot: &Snapshot| {
            let at = first.parse::<usize>().ok().and_then(|at| at.checked_sub(1));
            at.and_then(|at| Some(snapshot.turns.get(at)?.id.clone()))
        };
        let done: Result<(), AskError> = match verb {
            "settings" => thread.list_settings().await.map(drop),
            "compact" => thread.compact(first).await,
            "clear" => thread.clear().await,
            "read" => thread.read(None, 10).await.map(drop),
            "summarize" => thread.summarize("").await.map(drop),
            "rollback" => thread.rollback(turn(&turns().await?).as_ref()).await,
            "fork" => {
                let snapshot = turns().await?;
                let at = match first {
                    "item" => ForkAt::Item(item_called(&snapshot, more)?),
                    "task" => ForkAt::Subagent(snapshot.tasks.first().context("a task")?.id.clone()),
                    _ => turn(&snapshot).map_or(ForkAt::Tip, ForkAt::Turn),
                };
                match self.house.host.copy_thread(thread, at).await {
                    Err(HostError::Ask(error)) => Err(error),
                    other => other.map(drop).map(Ok)?,
                }
            }
            "open" => {
                let task = turns().await?.tasks.first().context("a task")?.id.clone();
                let own = thread.id().clone();
                match self.house.host.open_subagent(thread, &task).await {
                    Err(HostError::Ask(error)) => Err(error),
                    other => {
                        let what = if other? == own { "the same thread" } else { "a thread of its own" };
                        self.take_now();
                        self.lines.push(format!("opened {what}"));
                        Ok(())
                    }
                }
            }
            "tools" => {
                let schema = r#"{"type":"object"}"#.to_owned();
                let tool = ToolSpec { name: first.into(), description: "A tool.".into(), input_schema: schema };
                thread.register_tools(vec![tool]).await.map(drop)
            }
            "mcp" => {
                let disabled_tools = more.split_whitespace().map(str::to_owned).collect();
                thread.set_mcp_servers(vec![server(first, disabled_tools)]).await.map(drop)
            }
            "stop" | "wait-for" => {
                let task = turns().await?.tasks.first().context("a task")?.id.clone();
                if verb == "stop" { thread.stop_task(&task).await } else { thread.wait_for_task(&task).await }
            }
            _ => return Ok(false),
        };
        self.told(verb, done);
        Ok(true)
    }

    fn thread(&self) -> Result<&Thread> {
        self.thread.as_ref().context("the thread is open")
    }

    async fn answer(&mut self, number: &str, reply: Reply) -> Result<()> {
        let at = number.parse::<usize>()?.checked_sub(1);
        let request = at.and_then(|at| self.requests.get(at)).context("no such request")?.clone();
        let done = self.thread()?.answer(request, reply, "client").await;
        self.told("answer", done);
        Ok(())
    }

    fn told(&mut self, what: &str, done: Result<(), AskError>) {
        if let Err(error) = done {
            self.take_now();
            // An id is another one in every run.
            let words = error.to_string();
            let words = words.split(' ').map(|word| if word.starts_with("req_") { "…" } else { word });
            let words = words.collect::<Vec<_>>().join(" ");
            self.lines.push(format!("refused {what}: {}: {words}", error.code()));
        }
    }

    async fn until(&mut self, words: &str) -> Result<()> {
        let wanted: Vec<&str> = words.split_whitespace().collect();
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let found = self.lines[self.at..].iter().position(|line| {
                wanted.iter().all(|word| {
                    line.split_whitespace().any(|part| part == *word || part.ends_with(&format!("={word}")))
                })
            });
            if let Some(found) = found {
                self.at += found + 1;
                return Ok(());
            }
            let next = tokio::time::timeout_at(deadline, self.events.next()).await;
            match next.with_context(|| format!("no line with {words:?} in time"))? {
                Some(event) => self.take(&event),
                None => bail!("the thread's events ended"),
            }
        }
    }

    fn take(&mut self, event: &jackfield_core::event::SessionEvent) {
        if let EventBody::RequestOpened { request } = &event.draft.body {
            self.requests.push(request.id.clone());
        }
        if let EventBody::CapabilitiesUpdated { capabilities } = &event.draft.body {
            self.hints.clone_from(&capabilities.hints);
        }
        self.lines.extend(line(&mut self.names, event));
    }

    fn take_now(&mut self) {
        while let Some(event) = self.events.next_now() {
            self.take(&event);
        }
    }

    /// Another thread of the same start: where it was served, and what its provider was asked to open it.
    async fn beside(&mut self, text: &str) -> Result<()> {
        let work = self.house.folder.path().join("work");
        let other = self.house.host.new_thread(&self.house.plugin, self.instance.clone(), &work).await?;
        let mut events = other.subscribe();
        other.send(vec![Content::Text(text.into())]).await?;
        let (mut place, mut asked) = ("", String::new());
        loop {
            let next = tokio::time::timeout(PATIENCE, events.next()).await?.context("events")?;
            match &next.draft.body {
                EventBody::SessionStarted { shares: Some(_), .. } => place = "on the same session",
                EventBody::SessionStarted { .. } => place = "in a session of its own",
                EventBody::Note { note } if note.text.starts_with("open-thread") => asked.clone_from(&note.text),
                EventBody::RunEnded { .. } => break,
                _ => {}
            }
        }
        other.close().await?;
        self.take_now();
        self.lines.push(format!("beside {place}, {asked}"));
        Ok(())
    }

    async fn close(&mut self) -> Result<()> {
        self.thread()?.close().await?;
        self.take_now();
        Ok(())
    }
}
