//! What may be typed. Parsed into plain values here, made strict by the commands.

use crate::config::duration::Span;
use crate::exit;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// One host for every coding agent: each provider is a sandboxed plugin.
#[derive(Parser)]
#[command(name = "jackfield", version, after_help = exit::HELP)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Sends a prompt to a provider and shows what happens.
    Run(Box<RunArgs>),
    /// Conversations that were had.
    #[command(subcommand)]
    Threads(ThreadsCommand),
    /// Conversations that a provider has stored itself, with Jackfield or without it.
    #[command(subcommand)]
    History(HistoryCommand),
    /// Models, modes and other settings that a provider offers.
    Models(ModelsArgs),
    /// Plugins: those that come with the host, and files.
    #[command(subcommand)]
    Plugin(PluginCommand),
    /// What plugins of third parties may start.
    #[command(subcommand)]
    Grant(GrantCommand),
    /// The configuration file.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// The JSON Schema of the JSON stream and of its input.
    #[command(subcommand)]
    Schema(SchemaCommand),
    /// Every flag of every plugin: declared, and negotiated where a session ran.
    Matrix(MatrixArgs),
    /// Recordings of what crossed the wire, made with `run --record`.
    #[command(subcommand)]
    Record(RecordCommand),
    /// Logs in to a provider, the provider's own way.
    Login(LoginArgs),
    /// Logs out of a provider, where its protocol has a way.
    Logout(LogoutArgs),
    /// Looks for what is needed and says how to get what is missing.
    Doctor(DoctorArgs),
}

#[derive(ClapArgs)]
#[command(after_help = exit::HELP)]
pub struct RunArgs {
    /// What to say; `-` reads it from stdin. May be left out with --input, where the first message can come on stdin.
    #[arg(required_unless_present = "input")]
    pub prompt: Option<String>,
    /// The provider: the name of a bundled plugin [default: scripted, a demonstration without a model].
    #[arg(long, value_name = "NAME", conflicts_with = "plugin")]
    pub provider: Option<String>,
    /// An instance of the configuration file: a provider with its options, programs and variables. What is said here counts more.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["provider", "plugin"])]
    pub instance: Option<String>,
    /// A plugin file to use instead of a bundled one.
    #[arg(long, value_name = "FILE")]
    pub plugin: Option<PathBuf>,
    /// The workspace [default: the current folder].
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// Goes on with this thread, with its instance and flags. Secrets among them are given again; limits, --allow, --approve and
    /// --mcp-config are of one run.
    /// A conversation of the provider's own goes on in a new thread: name it as `history sessions` does, and its provider.
    #[arg(long, value_name = "THREAD|SESSION")]
    pub resume: Option<String>,
    /// With --resume: begins afresh in a thread whose conversation the provider does not have any more.
    #[arg(long, requires = "resume")]
    pub fresh: bool,
    /// The model.
    #[arg(long, value_name = "M")]
    pub model: Option<String>,
    /// The mode, in the provider's words.
    #[arg(long, value_name = "M")]
    pub mode: Option<String>,
    /// An option of the plugin; VALUE is JSON, or a text. `plugin inspect` lists them.
    #[arg(long = "option", value_name = "KEY=VALUE", value_parser = key_value)]
    pub options: Vec<(String, String)>,
    /// Who decides what the provider asks. Without a terminal or a script (--input), `ask` becomes `deny`.
    #[arg(long, value_enum, default_value = "ask")]
    pub approve: Approve,
    /// Allows what this rule says before anybody is asked: "read in this workspace", "run cargo test *". May be given several times.
    #[arg(long = "allow", value_name = "RULE")]
    pub allow: Vec<String>,
    /// Forbids what this rule says, whoever allows it: "rm -rf", "edit in .git", "tool NAME". May be given several times.
    #[arg(long = "deny", value_name = "RULE")]
    pub deny: Vec<String>,
    #[command(flatten)]
    pub programs: ProgramArgs,
    /// Stops the run before turn N + 1: calls of the model where the provider tells them, else the provider's turns.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_turns: Option<u64>,
    /// Stops the run after this time: 90s, 10m, 2h.
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<Span>,
    /// Stops the run at this cost in US dollars, as the provider tells it; one that tells none can't be held to it, and that is said.
    #[arg(long, value_name = "USD", value_parser = cost, allow_negative_numbers = true)]
    pub max_cost: Option<f64>,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// How to show what happens.
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// With --format claude: messages are told in pieces, too, while they are made.
    #[arg(long)]
    pub include_partial_messages: bool,
    /// Sends a file along with the message. May be given several times.
    #[arg(long, value_name = "FILE")]
    pub attach: Vec<PathBuf>,
    /// MCP servers for the provider: a file of JSON, {"mcpServers": {"NAME": {…}}}.
    #[arg(long, value_name = "FILE")]
    pub mcp_config: Option<PathBuf>,
    /// Records in a new file what crosses the wire between the host and the provider's programs.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// A script answers, steers, interrupts and goes on, on stdin; with --json. `jackfield schema input` says how.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub input: Option<InputFormat>,
}

/// What comes on stdin.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// One JSON object per line.
    Json,
}

/// Who decides what the provider asks.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Approve {
    /// You, at the terminal; with --input, the script.
    Ask,
    /// Everything is allowed, once each.
    Allow,
    /// Everything is refused.
    Deny,
}

/// How to show what happens.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people: the answer on stdout, all else on stderr.
    Text,
    /// One JSON value per line on stdout.
    Json,
    /// The lines of Claude Code's stream-json, for front ends that speak it; whatever the provider.
    Claude,
}

#[derive(Subcommand)]
pub enum ThreadsCommand {
    /// Threads, the one used last first.
    List(ThreadsListArgs),
    /// What was said in one.
    Show {
        /// The thread.
        thread: String,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// All that is known of one: to keep, to read, to take elsewhere.
    Export {
        /// The thread.
        thread: String,
        /// As what.
        #[arg(long, value_enum, default_value = "ndjson")]
        format: ExportFormat,
        /// The file to write, which must not be there yet [default: stdout].
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Copies one, as its provider does: the copy is a thread of its own.
    Fork {
        /// The thread.
        thread: String,
        /// The last turn that the copy knows, or the last item inside of one [default: all there are].
        #[arg(long, value_name = "TURN|ITEM")]
        at: Option<String>,
        /// Copies the thread of this subagent in it.
        #[arg(long, value_name = "TASK", conflicts_with = "at")]
        subagent: Option<String>,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Opens a subagent's thread as a thread of its own, where its provider can.
    Open {
        /// The thread that it worked for.
        thread: String,
        /// The subagent, from `task.updated`.
        task: String,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Makes the provider forget what came after a turn. Files are as they were.
    Rollback {
        /// The thread.
        thread: String,
        /// The last turn that is left; `start` when none is to be.
        #[arg(long, value_name = "TURN")]
        to: String,
    },
    /// Deletes threads for good, with all that was said in them.
    Delete(DeleteArgs),
}

/// What a thread is exported as.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Its events, one JSON value per line, as `run --json` shows them.
    Ndjson,
    /// For people.
    Markdown,
}

/// How the provider's program is started.
#[derive(ClapArgs)]
pub struct ProgramArgs {
    /// The program to use for the one the plugin calls NAME; without a name, for its only one.
    #[arg(long = "exe", value_name = "[NAME=]PATH", value_parser = program)]
    pub exe: Vec<(String, String)>,
    /// A literal argument for the provider's program, before those of the plugin. May be given several times.
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub exe_arg: Vec<String>,
    /// A variable for the provider's program, which may say where it keeps its files; NAME alone passes on your own.
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    pub env: Vec<String>,
}

/// A provider, as it is used for what begins no conversation.
#[derive(ClapArgs)]
pub struct ProviderArgs {
    /// The provider: the name of a bundled plugin [default: as for `run`].
    #[arg(conflicts_with_all = ["instance", "plugin"])]
    pub provider: Option<String>,
    /// An instance of the configuration file, in place of the provider.
    #[arg(long, value_name = "NAME", conflicts_with = "plugin")]
    pub instance: Option<String>,
    /// A plugin file, in place of a bundled one.
    #[arg(long, value_name = "FILE")]
    pub plugin: Option<PathBuf>,
    /// An option of the plugin; VALUE is JSON, or a text. `plugin inspect` lists them.
    #[arg(long = "option", value_name = "KEY=VALUE", value_parser = key_value)]
    pub options: Vec<(String, String)>,
    #[command(flatten)]
    pub programs: ProgramArgs,
}

#[derive(Subcommand)]
pub enum HistoryCommand {
    /// Folders that hold conversations.
    #[command(after_help = exit::HELP)]
    Folders {
        #[command(flatten)]
        of: ProviderArgs,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Conversations, newest first.
    #[command(after_help = exit::HELP)]
    Sessions {
        #[command(flatten)]
        of: ProviderArgs,
        /// Only those of this folder.
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
        #[command(flatten)]
        page: PageArgs,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// What was said in one, from its end: events marked `replayed`. `run --resume SESSION` goes on with it.
    #[command(after_help = exit::HELP, allow_missing_positional = true)]
    Show {
        #[command(flatten)]
        of: ProviderArgs,
        /// The conversation, by its id.
        session: String,
        /// The folder it was had in: found sooner.
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
        #[command(flatten)]
        page: PageArgs,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Has the provider delete one for good, where its protocol has a way. A thread of ours on it stays: `threads delete`.
    #[command(after_help = exit::HELP, allow_missing_positional = true)]
    Delete {
        #[command(flatten)]
        of: ProviderArgs,
        /// The conversation, by its id.
        session: String,
        /// The folder it was had in: found sooner.
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
        /// Does not ask; needed where there is no terminal.
        #[arg(long, short)]
        yes: bool,
    },
}

/// A piece of something long.
#[derive(ClapArgs)]
pub struct PageArgs {
    /// At most so many; a call and its result are never parted.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Goes on where the page before ended, which says how.
    #[arg(long, value_name = "PAGE", allow_hyphen_values = true)]
    pub page: Option<String>,
}

#[derive(ClapArgs)]
#[command(after_help = exit::HELP)]
pub struct ModelsArgs {
    #[command(flatten)]
    pub of: ProviderArgs,
    /// Asks the provider, however new what is known is.
    #[arg(long)]
    pub refresh: bool,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(ClapArgs)]
pub struct ThreadsListArgs {
    /// Only those with this provider.
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Only those in this folder and beneath it.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// At most so many.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(ClapArgs)]
pub struct DeleteArgs {
    /// The threads.
    pub threads: Vec<String>,
    /// All there are.
    #[arg(long, conflicts_with_all = ["threads", "older_than"])]
    pub all: bool,
    /// Those in which nothing has happened for this time: 30d, 12h.
    #[arg(long, value_name = "TIME", conflicts_with = "threads")]
    pub older_than: Option<Span>,
    /// Does not ask; needed where there is no terminal.
    #[arg(long, short)]
    pub yes: bool,
}

#[derive(Subcommand)]
pub enum PluginCommand {
    /// The plugins that come with the host.
    List(JsonArgs),
    /// What a plugin is, asks for and declares.
    Inspect {
        /// The name of a bundled plugin, or a file.
        plugin: String,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Forgets that capabilities of a plugin did not hold: they count as declared again. `jackfield matrix` shows which they are.
    ResetDemoted {
        /// The plugin, `publisher/name`, or the name of a bundled one.
        plugin: String,
        /// Only this flag.
        #[arg(long, value_name = "FLAG")]
        flag: Option<String>,
    },
}

#[derive(Subcommand)]
pub enum GrantCommand {
    /// Lets a plugin start a program, or read beneath a root, that its manifest asks for.
    Add {
        /// The plugin's file.
        plugin: PathBuf,
        /// The spawn profile [default: main].
        #[arg(long, value_name = "PROFILE")]
        profile: Option<String>,
        /// A root to read beneath, in place of a program to start.
        #[arg(long, value_name = "ROOT", conflicts_with_all = ["profile", "exe"])]
        root: Option<String>,
        /// The program, where it is not to be looked up in PATH.
        #[arg(long = "exe", value_name = "NAME=PATH", value_parser = key_value)]
        exe: Vec<(String, String)>,
    },
    /// All grants.
    List(JsonArgs),
    /// Takes a plugin's grants back: those of all its builds.
    Revoke {
        /// The plugin, `publisher/name`.
        plugin: String,
        /// Only this spawn profile.
        #[arg(long)]
        profile: Option<String>,
        /// Only this root.
        #[arg(long, conflicts_with = "profile")]
        root: Option<String>,
    },
}

#[derive(Subcommand)]
pub enum ConfigCommand {
    /// Says what is wrong with the file, line by line; starts nothing.
    Check {
        /// The file [default: the one in use].
        file: Option<PathBuf>,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// All values in force and where each came from.
    Show(JsonArgs),
    /// The JSON Schema of the file.
    Schema,
}

#[derive(Subcommand)]
pub enum SchemaCommand {
    /// What `run --json` says, line by line.
    Events,
    /// What `run --json --input json` takes, line by line.
    Input,
    /// What `history … --json` and `models --json` say, line by line.
    History,
}

#[derive(ClapArgs)]
pub struct MatrixArgs {
    /// A plugin file, beside those that come with the host. May be given several times.
    #[arg(long, value_name = "FILE")]
    pub plugin: Vec<PathBuf>,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Subcommand)]
pub enum RecordCommand {
    /// Makes a fixture of a recording: without paths, names, addresses, tokens; it still plays.
    Scrub(ScrubArgs),
}

#[derive(ClapArgs)]
pub struct ScrubArgs {
    /// The recording.
    pub file: PathBuf,
    /// The new file [default: beside it, NAME.scrubbed.jsonl].
    #[arg(short = 'o', long = "out", value_name = "OUT", conflicts_with = "check")]
    pub out: Option<PathBuf>,
    /// Writes nothing: says what still looks personal; exit code 1 if anything does.
    #[arg(long)]
    pub check: bool,
}

#[derive(ClapArgs)]
pub struct LoginArgs {
    /// The provider: the name of a bundled plugin.
    #[arg(required_unless_present = "instance")]
    pub provider: Option<String>,
    /// An instance of the configuration file, in place of the provider.
    #[arg(long, value_name = "NAME", conflicts_with = "provider")]
    pub instance: Option<String>,
    /// The way to log in [default: the provider's usual one].
    #[arg(long, value_name = "M")]
    pub method: Option<String>,
    #[command(flatten)]
    pub programs: ProgramArgs,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(ClapArgs)]
#[command(after_help = exit::HELP)]
pub struct LogoutArgs {
    #[command(flatten)]
    pub of: ProviderArgs,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(ClapArgs)]
pub struct DoctorArgs {
    /// Shows what became of every frame of a thread's sessions, or of one session.
    #[arg(long, value_name = "THREAD|SESSION")]
    pub session: Option<String>,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(ClapArgs)]
pub struct JsonArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

fn cost(text: &str) -> Result<f64, String> {
    let cost: f64 = text.parse().map_err(|_| "write it as a number of US dollars: 1.50".to_owned())?;
    if cost.is_finite() && cost >= 0.0 { Ok(cost) } else { Err("a number, 0 or more".into()) }
}

fn program(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() && !name.contains('/') => {
            Ok((name.to_owned(), path.to_owned()))
        }
        None if !text.is_empty() => Ok((String::new(), text.to_owned())),
        _ => Err("write it as NAME=PATH, or as a path".into()),
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".into()),
    }
}
