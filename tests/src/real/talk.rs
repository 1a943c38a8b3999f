//! A conversation with somebody who looks and acts while it runs: answers out of order, speaks into a tool, waits for what
//! goes on after the end. The host itself is at work in this process, on the stage, with the supervisor of the real program.
//!
//! What `jackfield run` can be told in advance by its arguments is played through it instead (`case.rs`).

use super::case::{TURN, Turn};
use super::judge;
use super::stage::Stage;
use crate::packed::bundled;
use anyhow::{Context, Result, bail, ensure};
use jackfield_core::contract::{Applies, Chosen, Content, Filled, McpServer, ToolOutput, ToolSpec, Verdict};
use jackfield_core::event::{EventBody, Request};
use jackfield_core::id::TurnId;
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_core::requests::Reply;
use jackfield_runtime::host::{Host, HostConfig, Plugin};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::process::{SUPERVISE, Supervisor};
use jackfield_runtime::thread::{Delivery, ForkAt, Thread};
use jackfield_runtime::thread_log::Subscription;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Longer than a step takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// So long may a provider take to read what was written to it.
const TO_READ: Duration = Duration::from_secs(2);

/// One thing that the person does, or waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Waits until so many requests are open at once.
    Pending(usize),
    /// Answers the open request about this: allow it or not.
    Answer(&'static str, bool),
    /// Answers the only open request by the option of this name.
    Pick(&'static str),
    /// Waits for this file in the workspace.
    File(&'static str),
    /// Makes this file in the workspace.
    Make(&'static str),
    /// Says this into the turn that is open, and gives the provider a moment to read it: not every one says that it has.
    Steer(&'static str),
    /// Says another thing, in a run of its own.
    Say(&'static str),
    /// Says it while a run is at work; it waits its turn.
    Queue(&'static str),
    /// Answers the questions of the open request with these, in their order.
    Fill(&'static [&'static str]),
    /// Gives this as the result of the open call of a tool of ours.
    Give(&'static str),
    /// Offers the provider a tool of ours by this name, which holds from then on.
    Offer(&'static str, Applies),
    /// Chooses this setting.
    Choose(&'static str, &'static str),
    /// Waits for the settings, of which the named one can be this.
    Offered(&'static str, &'static str),
    /// Has the context shortened, and waits until it is.
    Compact,
    /// Goes back to the end of the turn of this number, from 1.
    Back(usize),
    /// Copies the thread, up to the turn of this number or whole, and says the first in the copy and hears the second, to the end.
    Copy(Option<usize>, &'static str, &'static [&'static str]),
    /// On a second thread, which the provider's same process serves, says the first and hears the second, to the end. It is
    /// judged as any other run, and closed.
    Beside(&'static str, &'static [&'static str]),
    /// Waits until the assistant has said this, whole.
    Said(&'static str),
    /// Waits until so many runs have ended.
    Ended(usize),
    /// Waits until so many of the provider's turns have ended.
    Turns(usize),
}

/// Plays a turn and returns its lines, as the stream for scripts would have shown them.
pub(super) fn talk(
    stage: &Stage,
    jackfield: &str,
    provider: &str,
    exe: &str,
    turn: &Turn,
    steps: &[Step],
) -> Result<Vec<Value>> {
    // Its threads are made by this one, and so are in this one's network.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let host = Host::open(HostConfig {
            data: stage.data(),
            compiled: crate::compiled(),
            limits: Limits::default(),
            policy: PolicyConfig::default(),
            supervisor: Supervisor { command: PathBuf::from(jackfield), args: vec![SUPERVISE.to_owned()] },
        })?;
        let plugin = host.add_plugin(bundled(provider), true).await?;
        let house =
            House { stage, instance: instance(stage, &plugin, provider, exe, (turn.servers)(stage)), host, plugin };
        let mut room = house.room().await?;
        let played = room.play(&house, turn.prompt, steps).await;
        room.leave(played).await
    })
}

/// The host, and what each thread is opened with.
struct House<'a> {
    stage: &'a Stage,
    host: Host,
    plugin: Plugin,
    instance: Instance,
}

impl House<'_> {
    async fn room(&self) -> Result<Room> {
        let thread = self.host.new_thread(&self.plugin, self.instance.clone(), &self.stage.folder).await?;
        Ok(Room { events: thread.subscribe(), thread, lines: Vec::new(), open: Vec::new() })
    }

    /// A run on a thread of its own, while another thread is open.
    async fn beside(&self, turn: &Turn) -> Result<()> {
        let mut room = self.room().await?;
        let heard = room.hear(turn.prompt).await;
        let programs = self.stage.running_clis();
        let lines = room.leave(heard).await?;
        judge::told(&lines, turn).with_context(|| format!("seen: {}", super::process::tail(&lines)))?;
        ensure!(programs.len() == 1, "two threads, and the provider's program ran as {programs:?}");
        Ok(())
    }
}

/// The operator's settings: this stage's folders, the mock model, and nothing that the test's own environment says.
fn instance(stage: &Stage, plugin: &Plugin, provider: &str, exe: &str, mcp_servers: Vec<McpServer>) -> Instance {
    let mut env = stage.environment();
    let named = plugin.generation.manifest().spawn.iter().flat_map(|profile| &profile.env);
    env.extend(named.filter(|name| std::env::var_os(name).is_some()).map(|name| (name.clone(), String::new())));
    env.extend(stage.operator_environment());
    let programs = [(exe.to_owned(), stage.cli.clone())].into();
    Instance { name: provider.to_owned(), env, programs, mcp_servers, ..Instance::default() }
}

/// The thread, and what was seen of it.
struct Room {
    thread: Thread,
    events: Subscription,
    lines: Vec<Value>,
    open: Vec<Request>,
}

impl Room {
    async fn play(&mut self, house: &House<'_>, prompt: &str, steps: &[Step]) -> Result<()> {
        if !prompt.is_empty() {
            self.say(prompt, Delivery::Auto).await?;
        }
        for (number, step) in steps.iter().enumerate() {
            let done = match *step {
                Step::Beside(prompt, says) => house.beside(&Turn { prompt, says, ..TURN }).await,
                Step::Copy(turn, prompt, says) => self.copy(house, turn, &Turn { prompt, says, ..TURN }).await,
                step => self.step(step, &house.stage.folder).await,
            };
            done.with_context(|| format!("step {} ({step:?})", number + 1))?;
        }
        Ok(())
    }

    /// Says it, and waits for the run's end.
    async fn hear(&mut self, prompt: &str) -> Result<()> {
        self.say(prompt, Delivery::Auto).await?;
        self.until(|room| room.count("run.ended") > 0).await
    }

    /// Closes the thread; all that was seen of it, unless what was played on it went wrong.
    async fn leave(mut self, played: Result<()>) -> Result<Vec<Value>> {
        let closed = self.thread.close().await;
        self.listen();
        played.with_context(|| format!("seen: {}", super::process::tail(&self.lines)))?;
        closed?;
        Ok(self.lines)
    }

    async fn step(&mut self, step: Step, folder: &Path) -> Result<()> {
        match step {
            Step::Beside(..) | Step::Copy(..) => bail!("it is played by the house"),
            Step::Pending(count) => self.until(|room| room.open.len() >= count).await,
            Step::Answer(about, allow) => self.answer(about, allow).await,
            Step::Pick(option) => {
                let option_id = option.to_owned();
                self.reply(Reply::Chosen(Chosen { option_id, note: None, input: None })).await
            }
            Step::File(name) => self.until(|_| folder.join(name).exists()).await,
            Step::Make(name) => Ok(std::fs::write(folder.join(name), "")?),
            Step::Say(text) => self.say(text, Delivery::Auto).await,
            Step::Queue(text) => self.say(text, Delivery::Queue).await,
            Step::Fill(values) => self.fill(values).await,
            Step::Give(text) => {
                let output = ToolOutput { content: vec![Content::Text(text.to_owned())], failed: false };
                self.reply(Reply::Output(output)).await
            }
            Step::Offer(name, applies) => {
                let tool = ToolSpec {
                    name: name.to_owned(),
                    description: "Answers.".to_owned(),
                    input_schema: r#"{"type":"object","properties":{}}"#.to_owned(),
                };
                let told = self.thread.register_tools(vec![tool]).await?;
                ensure!(told == applies, "it holds {told:?}");
                Ok(())
            }
            Step::Choose(name, value) => Ok(self.thread.select(vec![(name.to_owned(), value.to_owned())]).await?),
            Step::Offered(name, value) => {
                let settings = self.thread.list_settings().await?;
                let setting = settings.iter().find(|setting| setting.name == name).context("no such setting")?;
                ensure!(setting.choices.iter().any(|choice| choice.value == value), "it can be {:?}", setting.choices);
                Ok(())
            }
            Step::Compact => {
                self.thread.compact("").await?;
                let done = |line: &Value| line["type"] == "context.changed" && line["change"]["what"] == "compacted";
                self.until(|room| room.lines.iter().any(done)).await?;
                // It is the provider's own turn.
                self.until(|room| room.count("turn.ended") == room.count("turn.started")).await
            }
            Step::Back(turn) => Ok(self.thread.rollback(Some(&self.turn(turn)?)).await?),
            Step::Steer(text) => {
                self.say(text, Delivery::Steer).await?;
                tokio::time::sleep(TO_READ).await;
                Ok(())
            }
            Step::Said(text) => {
                let said = |line: &Value| {
                    line["type"] == "item.ended"
                        && line["item"]["text"].as_str().is_some_and(|said| said.contains(text))
                };
                self.until(|room| room.lines.iter().any(said)).await
            }
            Step::Ended(count) => self.until(|room| room.count("run.ended") >= count).await,
            Step::Turns(count) => self.until(|room| room.count("turn.ended") >= count).await,
        }
    }

    async fn say(&self, text: &str, delivery: Delivery) -> Result<()> {
        self.thread.send_as(vec![Content::Text(text.to_owned())], delivery).await?;
        Ok(())
    }

    /// The turn of this number, which has ended.
    fn turn(&self, number: usize) -> Result<TurnId> {
        let ended = self.lines.iter().filter(|line| line["type"] == "turn.ended").nth(number - 1);
        let id = ended.and_then(|line| line["turn"].as_str()).context("no such turn has ended")?;
        TurnId::parse(id).with_context(|| format!("{id} is no turn"))
    }

    /// A run in a copy of the thread.
    async fn copy(&self, house: &House<'_>, turn: Option<usize>, run: &Turn) -> Result<()> {
        let at = match turn {
            Some(number) => ForkAt::Turn(self.turn(number)?),
            None => ForkAt::Tip,
        };
        let thread = house.host.fork_thread(&self.thread, at).await?;
        let mut copy = Room { events: thread.subscribe(), thread, lines: Vec::new(), open: Vec::new() };
        let heard = copy.hear(run.prompt).await;
        let lines = copy.leave(heard).await?;
        judge::told(&lines, run).with_context(|| format!("seen: {}", super::process::tail(&lines)))
    }

    async fn fill(&mut self, values: &[&str]) -> Result<()> {
        let questions = self.open.first().map(|request| request.questions.clone()).unwrap_or_default();
        ensure!(questions.len() == values.len(), "{} questions are open, not {}", questions.len(), values.len());
        let filled = questions
            .iter()
            .zip(values)
            .map(|(question, value)| Filled { question: question.id.clone(), values: vec![(*value).to_owned()] });
        self.reply(Reply::Filled(filled.collect())).await
    }

    /// Answers the only open request.
    async fn reply(&mut self, reply: Reply) -> Result<()> {
        ensure!(self.open.len() == 1, "{} requests are open, not 1", self.open.len());
        let id = self.open[0].id.clone();
        Ok(self.thread.answer(id, reply, "user").await?)
    }

    async fn answer(&mut self, about: &str, allow: bool) -> Result<()> {
        let is_it = |request: &&Request| serde_json::to_string(request).is_ok_and(|text| text.contains(about));
        let found: Vec<&Request> = self.open.iter().filter(is_it).collect();
        ensure!(found.len() == 1, "{} of {} open requests are about {about}", found.len(), self.open.len());
        let wanted = if allow { Verdict::AllowOnce } else { Verdict::RejectOnce };
        let offer = found[0].options.iter().find(|offer| offer.verdict == wanted);
        let option_id = offer.with_context(|| format!("{wanted:?} is not offered"))?.id.clone();
        let reply = Reply::Chosen(Chosen { option_id, note: None, input: None });
        let id = found[0].id.clone();
        self.thread.answer(id, reply, "user").await?;
        Ok(())
    }

    async fn until(&mut self, enough: impl Fn(&Room) -> bool) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.listen();
            if enough(self) {
                return Ok(());
            }
            if Instant::now() > deadline {
                bail!("not in {PATIENCE:?}");
            }
            // Short waits: what is waited for may happen on disk, not in an event.
            let soon = deadline.min(Instant::now() + Duration::from_millis(50));
            if let Ok(Some(event)) = timeout_at(soon, self.events.next()).await {
                self.take(&event);
            }
        }
    }

    fn count(&self, kind: &str) -> usize {
        judge::of(&self.lines, kind).count()
    }

    fn listen(&mut self) {
        while let Some(event) = self.events.next_now() {
            self.take(&event);
        }
    }

    fn take(&mut self, event: &jackfield_core::event::SessionEvent) {
        match &event.draft.body {
            EventBody::RequestOpened { request } => self.open.push(request.clone()),
            EventBody::RequestResolved { request, .. } => self.open.retain(|open| open.id != *request),
            _ => {}
        }
        self.lines.push(serde_json::to_value(event).unwrap_or_default());
    }
}
