//! `jackfield run`: one prompt, from the first word to the exit code.

mod approve;
mod attach;
mod card;
pub(crate) mod claude;
mod json;
mod mcp;
mod prompt;
mod text;
mod verdict;

use crate::args::{Format, RunArgs};
use crate::config::{self, Choice, Kept};
use crate::exit::{Exit, Failure, Outcome};
use crate::{output, record, setup};
use approve::{Answer, Approver};
use jackfield_core::contract::Content;
use jackfield_core::event::{EventBody, SessionEvent};
use jackfield_core::id::{RunId, ThreadId};
use jackfield_core::requests::AnswerError;
use jackfield_runtime::host::{Host, Plugin};
use jackfield_runtime::session::AskError;
use jackfield_runtime::store::ThreadRecord;
use jackfield_runtime::thread::Thread;
use std::pin::Pin;
use std::sync::Arc;
use tokio::signal::unix::{Signal, SignalKind, signal};
use verdict::Verdict;

/// Shows events to somebody. An error means that nobody reads any more.
trait View {
    fn opened(&mut self, thread: &Thread, provider: &str) -> std::io::Result<()>;
    fn event(&mut self, event: &SessionEvent) -> std::io::Result<()>;
    /// A sign of life, when nothing has come for a while.
    fn tick(&mut self) -> std::io::Result<()>;
    fn closed(&mut self, exit: Exit) -> std::io::Result<()>;
    /// A word of our own to the person.
    fn say(&mut self, text: &str);
    /// What is waited for, before anything can be shown.
    fn waiting(&mut self, what: &str);
}

/// Carries the command out.
pub async fn run(args: RunArgs) -> Outcome {
    let mut content = vec![Content::Text(prompt::read(&args.prompt)?)];
    content.extend(attach::read(&args.attach)?);
    if let Some(file) = &args.mcp_config {
        mcp::refuse(file, &mcp::read(file)?)?;
    }
    let mut view: Box<dyn View> = match (args.json, args.format) {
        (true, _) | (_, Format::Json) => Box::new(json::Json::default()),
        (false, Format::Text) => Box::new(text::Text::new()),
        (false, Format::Claude) => {
            let folder = args.cwd.clone().map_or_else(std::env::current_dir, Ok)?;
            Box::new(claude::Claude::new(folder.display().to_string(), args.include_partial_messages))
        }
    };
    let settings = config::load()?;
    let host = setup::open_host_with(&settings).await?;
    let row = match &args.resume {
        Some(id) => Some(host.thread_row(&thread_id(id)?).await?),
        None => None,
    };
    let kept = match &row {
        Some(row) => host.store().setup(&row.id).await?.and_then(|json| serde_json::from_str::<Kept>(&json).ok()),
        None => None,
    };
    let choice = config::choose(&settings, &args, row.as_ref().map(|row| (row, kept)))?;
    let (plugin, provider) = {
        let mut choosing = std::pin::pin!(load_plugin(&host, &choice, row.as_ref()));
        tokio::select! {
            chosen = &mut choosing => chosen?,
            () = tokio::time::sleep(std::time::Duration::from_secs(1)) => {
                view.waiting("loading the plugin");
                choosing.await?
            }
        }
    };
    let Choice { setup, kept, whose, .. } = choice;
    let mut instance = setup.into_instance(kept.instance.as_deref().unwrap_or(&provider), &whose)?;
    let tap = match &args.record {
        Some(file) => Some((file, record::begin(file, &secrets(&instance, &plugin))?)),
        None => None,
    };
    instance.tap = tap.as_ref().map(|(_, tap)| tap.clone());
    let thread = match &row {
        Some(row) => host.resume_thread(&plugin, instance, &row.id).await?,
        None => {
            let folder = match &args.cwd {
                Some(folder) => folder.clone(),
                None => std::env::current_dir()?,
            };
            host.new_thread(&plugin, instance, &folder).await?
        }
    };
    let kept = serde_json::to_string(&kept).map_err(std::io::Error::from)?;
    host.store().put_setup(thread.id(), kept).await?;
    let silent = is_for_programs(&args);
    let mut approver = Approver::new(args.approve, output::person_present() && !silent, silent);
    let outcome = converse(&thread, &provider, content, view.as_mut(), &mut approver).await;
    if let Some((file, tap)) = &tap {
        view.say(&record::finish(file, tap));
    }
    // Whoever reads the stream learns that it is over, however it ended.
    let _ = view.closed(match &outcome {
        Ok(exit) => *exit,
        Err(failure) => failure.exit,
    });
    outcome
}

/// Whoever reads the stream is no person.
fn is_for_programs(args: &RunArgs) -> bool {
    args.json || args.format != Format::Text
}

async fn converse(
    thread: &Thread,
    provider: &str,
    content: Vec<Content>,
    view: &mut dyn View,
    approver: &mut Approver,
) -> Outcome {
    let mut events = thread.subscribe();
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut terminations =
        Terminations { term: signal(SignalKind::terminate())?, hang_up: signal(SignalKind::hangup())? };
    let mut life = tokio::time::interval(std::time::Duration::from_millis(500));
    if let Err(error) = view.opened(thread, provider) {
        return Ok(nobody_reads(&error));
    }
    let run = tokio::select! {
        run = thread.send(content) => run?,
        _ = interrupts.recv() => return stopped(thread).await,
        _ = terminations.recv() => return stopped(thread).await,
    };
    let mut verdict = Verdict::new(run.clone());
    let mut ctrl_c = 0;
    // An answer is given beside all else: while the plugin ponders it, Ctrl-C still counts.
    let mut answering: Answering<'_> = None;
    while !verdict.is_final() {
        tokio::select! {
            event = events.next() => {
                let Some(event) = event else { break };
                for event in expand(thread, event).await? {
                    verdict.take(&event);
                    if let Err(error) = view.event(&event) {
                        thread.kill().await?;
                        return Ok(nobody_reads(&error));
                    }
                    approver.take(&event);
                }
            }
            answer = approver.next(), if answering.is_none() => {
                answering = Some(Box::pin(async move {
                    let given = thread.answer(answer.request.clone(), answer.reply.clone(), &answer.by).await;
                    (answer, given)
                }));
            }
            (answer, given) = given(&mut answering) => match given {
                Ok(()) => {}
                Err(AskError::Answer(error @ (AnswerError::InvalidAnswer { .. } | AnswerError::InvalidOption { .. }))) => {
                    view.say(&error.to_string());
                    approver.ask_again(answer);
                }
                Err(error) => view.say(&format!("the answer did not count: {error}")),
            },
            _ = interrupts.recv() => {
                ctrl_c += 1;
                approver.give_up();
                if ctrl_c > 1 {
                    thread.kill().await?;
                } else {
                    view.say("interrupting; Ctrl-C again ends it at once");
                    if let Err(error) = thread.interrupt().await {
                        view.say(&error.to_string());
                    }
                }
            }
            _ = terminations.recv() => {
                ctrl_c += 1;
                thread.kill().await?;
            }
            // While a question stands on the last line, that is sign enough.
            _ = life.tick(), if !approver.is_asking() => {
                let _ = view.tick();
            }
        }
    }
    tokio::select! {
        closed = thread.close() => closed?,
        _ = interrupts.recv() => thread.kill().await?,
        _ = terminations.recv() => thread.kill().await?,
    }
    show_rest(thread, &mut events, view, &mut verdict).await?;
    Ok(if ctrl_c > 0 && verdict.exit() != Exit::Completed { Exit::Interrupted } else { verdict.exit() })
}

/// An answer that is on its way, with what comes of it.
type Answering<'a> = Option<Pin<Box<dyn Future<Output = (Answer, Result<(), AskError>)> + Send + 'a>>>;

/// What came of the answer that is being given; never comes while there is none.
async fn given(answering: &mut Answering<'_>) -> (Answer, Result<(), AskError>) {
    let Some(answer) = answering else { return std::future::pending().await };
    let given = answer.await;
    *answering = None;
    given
}

/// The signals that end the run at once: we are told to go, or our terminal has gone.
struct Terminations {
    term: Signal,
    hang_up: Signal,
}

impl Terminations {
    async fn recv(&mut self) {
        tokio::select! {
            _ = self.term.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// stdout is closed or full: the run is ended, quietly.
fn nobody_reads(error: &std::io::Error) -> Exit {
    eprintln!("jackfield: stdout can't be written ({error}); the run is ended, its thread can be resumed");
    Exit::Failed
}

/// Stopped before the message was taken.
async fn stopped(thread: &Thread) -> Outcome {
    thread.kill().await?;
    Ok(Exit::Interrupted)
}

/// What the end of the session still says.
async fn show_rest(
    thread: &Thread,
    events: &mut jackfield_runtime::thread_log::Subscription,
    view: &mut dyn View,
    verdict: &mut Verdict,
) -> Result<(), Failure> {
    while let Some(event) = events.next_now() {
        for event in expand(thread, event).await? {
            verdict.take(&event);
            let _ = view.event(&event);
        }
    }
    Ok(())
}

/// A gap of our own queue is filled from the store: a slow reader loses nothing.
async fn expand(thread: &Thread, event: Arc<SessionEvent>) -> Result<Vec<Arc<SessionEvent>>, Failure> {
    let EventBody::Gap { from_seq, to_seq } = event.draft.body else {
        return Ok(vec![event]);
    };
    if to_seq != event.seq {
        // A gap that is itself stored: numbers that a dead host had reserved.
        return Ok(vec![event]);
    }
    let mut found = Vec::new();
    let mut after = from_seq - 1;
    while after < to_seq {
        let page = thread.events_after(after, 500).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        found.extend(page.into_iter().filter(|event| event.seq <= to_seq).map(Arc::new));
    }
    Ok(found)
}

async fn load_plugin(host: &Host, choice: &Choice, thread: Option<&ThreadRecord>) -> Result<(Plugin, String), Failure> {
    let found = choice.find(thread)?;
    let plugin = host.add_plugin(found.bytes, found.bundled).await.map_err(|error| match &choice.setup.plugin {
        Some(file) => Failure::unavailable(format!("{}: {error}", file.display())),
        None => error.into(),
    })?;
    let name = plugin.generation.manifest().full_name();
    let provider = name.strip_prefix("jackfield/").filter(|_| plugin.bundled).map_or(name.clone(), str::to_owned);
    Ok((plugin, provider))
}

/// What a recording must not hold: the values that the operator passed, and what the manifest passes on for a secret.
fn secrets(instance: &Instance, plugin: &Plugin) -> Vec<(String, String)> {
    let is_secret = |name: &str| ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.contains(word));
    let profiles = &plugin.generation.manifest().spawn;
    let passed_on = profiles.iter().flat_map(|profile| &profile.env).filter(|name| is_secret(name));
    let own = passed_on.filter_map(|name| Some((name.clone(), std::env::var(name).ok()?)));
    instance.env.iter().cloned().chain(own).collect()
}

fn thread_id(text: &str) -> Result<ThreadId, Failure> {
    ThreadId::parse(text)
        .ok_or_else(|| Failure::usage(format!("'{text}' is no thread; `jackfield threads list` shows those there are")))
}

/// The run that a view or a verdict is about.
fn is_of(event: &SessionEvent, run: &RunId) -> bool {
    event.draft.run.as_ref() == Some(run)
}
