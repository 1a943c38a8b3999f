//! What may be typed. Parsed into plain values here, made strict by the commands.

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
    /// Plugins: those that come with the host, and files.
    #[command(subcommand)]
    Plugin(PluginCommand),
    /// What plugins of third parties may start.
    #[command(subcommand)]
    Grant(GrantCommand),
    /// Every flag of every plugin: declared, and negotiated where a session ran.
    Matrix(MatrixArgs),
    /// Recordings of what crossed the wire, made with `run --record`.
    #[command(subcommand)]
    Record(RecordCommand),
    /// Looks for what is needed and says how to get what is missing.
    Doctor(DoctorArgs),
}

#[derive(ClapArgs)]
#[command(after_help = exit::HELP)]
pub struct RunArgs {
    /// What to say; `-` reads it from stdin.
    pub prompt: String,
    /// The provider: the name of a bundled plugin [default: scripted, a demonstration without a model].
    #[arg(long, value_name = "NAME", conflicts_with = "plugin")]
    pub provider: Option<String>,
    /// A plugin file to use instead of a bundled one.
    #[arg(long, value_name = "FILE")]
    pub plugin: Option<PathBuf>,
    /// The workspace [default: the current folder].
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// Goes on with this thread.
    #[arg(long, value_name = "THREAD")]
    pub resume: Option<String>,
    /// The model.
    #[arg(long, value_name = "M")]
    pub model: Option<String>,
    /// The mode, in the provider's words.
    #[arg(long, value_name = "M")]
    pub mode: Option<String>,
    /// An option of the plugin; VALUE is JSON, or a text. `plugin inspect` lists them.
    #[arg(long = "option", value_name = "KEY=VALUE", value_parser = key_value)]
    pub options: Vec<(String, String)>,
    /// Who decides what the provider asks. Without a terminal, `ask` becomes `deny`.
    #[arg(long, value_enum, default_value = "ask")]
    pub approve: Approve,
    /// The program to use for the one the plugin calls NAME.
    #[arg(long = "exe", value_name = "NAME=PATH", value_parser = key_value)]
    pub exe: Vec<(String, String)>,
    /// A literal argument for the provider's program, before those of the plugin. May be given several times.
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub exe_arg: Vec<String>,
    /// A variable for the provider's program; NAME alone passes on your own.
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    pub env: Vec<String>,
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
}

/// Who decides what the provider asks.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Approve {
    /// You, at the terminal.
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
    /// All threads, newest first.
    List(JsonArgs),
    /// What was said in one.
    Show {
        /// The thread.
        thread: String,
        #[command(flatten)]
        json: JsonArgs,
    },
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
}

#[derive(Subcommand)]
pub enum GrantCommand {
    /// Lets a plugin start a program that its manifest asks for.
    Add {
        /// The plugin's file.
        plugin: PathBuf,
        /// The spawn profile.
        #[arg(long, default_value = "main")]
        profile: String,
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
    },
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
pub struct DoctorArgs {
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(ClapArgs)]
pub struct JsonArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".into()),
    }
}
