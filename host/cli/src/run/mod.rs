//! `jackfield run`: a conversation, from the first word to the exit code.
//!
//! The files follow the way of the data:
//! - `choose`, `prompt`, `attach`, `mcp`: what the command line means;
//! - `converse`: the conversation itself, with `course` (when is it over), `hands` (what is being asked) and `signals`;
//! - `approve`, `card`, `pick`: who answers what the provider asks; `input`: a script on stdin;
//! - `text`, `json`, `stream`, `claude`: what is shown.

mod approve;
mod attach;
mod card;
mod choose;
pub(crate) mod claude;
mod converse;
mod course;
mod hands;
mod input;
mod json;
mod mcp;
mod pick;
mod prompt;
pub(crate) mod signals;
mod stream;
mod text;

pub(crate) use approve::read_lines;
pub(crate) use choose::{plugin as plugin_of, thread_id};
pub use input::Line as InputLine;
pub(crate) use pick::chosen;
pub use stream::AnyLine;

use crate::args::{Format, InputFormat, RunArgs};
use crate::config::{self, Kept, Settings};
use crate::exit::{Exit, Failure, Outcome};
use crate::{output, record, setup};
use approve::{Approver, Who};
use input::Script;
use jackfield_core::contract::{Content, McpServer};
use jackfield_core::event::SessionEvent;
use jackfield_core::id::TaskId;
use jackfield_runtime::host::Host;
use jackfield_runtime::process::Tap;
use jackfield_runtime::store::ThreadRecord;
use jackfield_runtime::thread::Thread;
use signals::Signals;
use std::path::{Path, PathBuf};
use stream::{CloseReason, StreamLine};

/// What every id of a thread of ours begins with.
const THREAD: &str = "thr_";

/// Shows events to somebody. An error means that nobody reads any more.
trait View: Send {
    fn opened(&mut self, thread: &Thread, provider: &str) -> std::io::Result<()>;
    fn event(&mut self, event: &SessionEvent) -> std::io::Result<()>;
    /// A sign of life, when nothing has come for a while.
    fn tick(&mut self) -> std::io::Result<()>;
    fn closed(&mut self, end: &End) -> std::io::Result<()>;
    /// A word of our own to the person.
    fn say(&mut self, text: &str);
    /// What is waited for, before anything can be shown.
    fn waiting(&mut self, what: &str);
    /// So many background tasks go on, and are waited for.
    fn lingering(&mut self, _tasks: usize) {}
    /// The word on a line of input; only for those who read a stream.
    fn word(&mut self, _line: &StreamLine) -> std::io::Result<()> {
        Ok(())
    }
}

/// How a stream ended.
struct End {
    exit: Exit,
    reason: CloseReason,
    /// Background tasks that ended with it.
    tasks: Vec<TaskId>,
}

/// The message with the files that go along.
fn with_files(prompt: Option<Vec<Content>>, files: &[PathBuf], limit: u64) -> Result<Option<Vec<Content>>, Failure> {
    if files.is_empty() {
        return Ok(prompt);
    }
    let Some(mut content) = prompt else {
        return Err(Failure::usage(
            "--attach goes along with a PROMPT; a script says what goes along with its messages",
        ));
    };
    content.extend(attach::read(files, limit)?);
    Ok(Some(content))
}

fn view(args: &RunArgs) -> Result<Box<dyn View>, Failure> {
    Ok(match (args.json, args.format) {
        (true, _) | (_, Format::Json) => Box::new(json::Json::default()),
        (false, Format::Text) => Box::new(text::Text::new()),
        (false, Format::Claude) => {
            let folder = args.cwd.clone().map_or_else(std::env::current_dir, Ok)?;
            Box::new(claude::Claude::new(folder.display().to_string(), args.include_partial_messages))
        }
    })
}

/// Carries the command out.
pub async fn run(args: RunArgs) -> Outcome {
    let is_json = args.json || args.format == Format::Json;
    if args.input.is_some() && !is_json {
        return Err(Failure::usage("--input json goes with --json: what comes of each line is told in that stream"));
    }
    let settings = config::load()?;
    let most = settings.limits().prompt_bytes;
    let prompt = match (args.prompt.as_deref(), args.input) {
        (Some("-"), Some(InputFormat::Json)) => {
            return Err(Failure::usage("stdin can't be both the prompt and the script: leave out `-` or --input json"));
        }
        (Some(prompt), _) => Some(vec![Content::Text(prompt::read(prompt, most)?)]),
        (None, _) => None,
    };
    let prompt = with_files(prompt, &args.attach, most)?;
    let servers = args.mcp_config.as_deref().map(mcp::read).transpose()?.unwrap_or_default();
    let mut view = view(&args)?;
    let host = setup::open_host_with(&settings).await?;
    let (thread, provider, tap) = open(&host, &settings, &args, servers, view.as_mut()).await?;
    let who = match args.input {
        Some(InputFormat::Json) => Who::Script,
        None if output::person_present() && !is_for_programs(&args) => Who::Person,
        None => Who::Nobody,
    };
    let approver = Approver::new(args.approve, who, is_for_programs(&args));
    let ended = converse(&host, &thread, &provider, prompt, view.as_mut(), approver, args.input.is_some()).await;
    if let (Some(file), Some(tap)) = (&args.record, &tap) {
        view.say(&record::finish(file, tap));
    }
    // Whoever reads the stream learns that it is over, however it ended.
    let (end, outcome) = match ended {
        Ok(end) => (end.exit, Ok(end)),
        Err(failure) => (failure.exit, Err(failure)),
    };
    let failed = End { exit: end, reason: CloseReason::Failed, tasks: Vec::new() };
    let _ = view.closed(outcome.as_ref().unwrap_or(&failed));
    outcome.map(|end| end.exit)
}

/// Whoever reads the stream is no person.
fn is_for_programs(args: &RunArgs) -> bool {
    args.json || args.format != Format::Text
}

async fn converse(
    host: &Host,
    thread: &Thread,
    provider: &str,
    prompt: Option<Vec<Content>>,
    view: &mut dyn View,
    approver: Approver,
    scripted: bool,
) -> Result<End, Failure> {
    // Whoever has seen the first line may already send a signal.
    let signals = Signals::new()?;
    if let Err(error) = view.opened(thread, provider) {
        eprintln!("jackfield: stdout can't be written ({error}); the run is ended, its thread can be resumed");
        return Ok(End { exit: Exit::Failed, reason: CloseReason::Failed, tasks: Vec::new() });
    }
    let limits = host.limits();
    let script = scripted.then(|| Script::stdin(limits.input_line_bytes));
    converse::Talk::new(host, thread, view, approver, script, signals, limits).run(prompt).await
}

/// A thread works where it was begun: another folder is refused, not passed over.
fn stays_in(row: &ThreadRecord, folder: &Path) -> Result<(), Failure> {
    let there = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if there(Path::new(&row.folder)) == there(folder) {
        return Ok(());
    }
    let asked = folder.display();
    Err(Failure::usage(format!(
        "thread {} works in {}; it can't go on in {asked}: leave out --cwd, or begin a thread there",
        row.id, row.folder
    )))
}

/// The thread to talk in: a new one, or the one to be resumed, with the instance that it keeps.
async fn open(
    host: &Host,
    settings: &Settings,
    args: &RunArgs,
    servers: Vec<McpServer>,
    view: &mut dyn View,
) -> Result<(Thread, String, Option<Tap>), Failure> {
    // What is no thread of ours is a conversation of the provider's own.
    let stored = args.resume.as_deref().filter(|name| !name.starts_with(THREAD));
    let row = match &args.resume {
        Some(id) if stored.is_none() => Some(host.thread_row(&choose::thread_id(id)?).await?),
        _ => None,
    };
    if let Some(row) = &row {
        choose::not_lost(host, row, args.fresh).await?;
    }
    if let (Some(row), Some(folder)) = (&row, &args.cwd) {
        stays_in(row, folder)?;
    }
    let kept = match &row {
        Some(row) => host.store().setup(&row.id).await?.and_then(|json| serde_json::from_str::<Kept>(&json).ok()),
        None => None,
    };
    let choice = config::choose(settings, args, row.as_ref().map(|row| (row, kept)))?;
    let (plugin, provider) = {
        let mut choosing = std::pin::pin!(choose::plugin(host, &choice, row.as_ref()));
        tokio::select! {
            chosen = &mut choosing => chosen?,
            () = tokio::time::sleep(std::time::Duration::from_secs(1)) => {
                view.waiting("loading the plugin");
                choosing.await?
            }
        }
    };
    let mut instance = choice.instance(&provider)?;
    // Those of this run count more than those of the instance.
    instance.mcp_servers.retain(|one| servers.iter().all(|other| other.name != one.name));
    instance.mcp_servers.extend(servers);
    if let Some(file) = &args.record {
        instance.tap = Some(record::begin(file, &choose::secrets(&instance, &plugin))?);
    }
    let tap = instance.tap.clone();
    let thread = match (&row, stored) {
        (Some(row), _) => host.resume_thread(&plugin, instance, &row.id).await?,
        (None, Some(name)) => {
            view.waiting("looking for the conversation");
            let here = std::env::current_dir()?;
            host.open_stored(&plugin, instance, name, args.cwd.as_deref(), &here).await?
        }
        (None, None) => {
            let folder = match &args.cwd {
                Some(folder) => folder.clone(),
                None => std::env::current_dir()?,
            };
            host.new_thread(&plugin, instance, &folder).await?
        }
    };
    let kept = serde_json::to_string(&choice.kept).map_err(std::io::Error::from)?;
    host.store().put_setup(thread.id(), kept).await?;
    Ok((thread, provider, tap))
}
