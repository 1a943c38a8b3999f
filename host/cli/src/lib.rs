//! The command line: one front end of the host among others. It shows events and hands over what a person wants.
//!
//! `args` is what may be typed; the other modules below are what it becomes. **It decides nothing about providers: what it shows
//! and offers comes from session events and the options in them.** Exit codes are in `exit`. Tests: `tests/tests/doors.rs`.

mod args;
mod catalog;
mod config;
mod doctor;
mod exit;
mod grants;
mod history;
mod ledger;
mod login;
mod logout;
mod look;
mod matrix;
mod models;
mod output;
mod plugins;
mod record;
mod run;
mod schema;
mod setup;
mod threads;

use args::{Args, Command};
use clap::Parser;
use std::process::ExitCode;

pub use exit::Exit;
#[doc(hidden)]
pub use run::claude::Frames as ClaudeFrames;

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    // The supervisor is this same program; it takes no other way and must not load anything else.
    if std::env::args_os().nth(1).is_some_and(|arg| arg == jackfield_runtime::process::SUPERVISE) {
        return jackfield_runtime::process::supervise_main();
    }
    let args = Args::parse();
    if let Err(problem) = start_log() {
        eprintln!("jackfield: {problem}");
        return Exit::Usage.into();
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("jackfield: the event loop can't start: {error}");
            return Exit::Failed.into();
        }
    };
    let exit = runtime.block_on(dispatch(args));
    // A blocked read of the terminal must not hold the program up.
    runtime.shutdown_background();
    exit.into()
}

async fn dispatch(args: Args) -> Exit {
    let result = match args.command {
        Command::Run(run) => run::run(*run).await,
        Command::Threads(threads) => threads::run(threads).await,
        Command::History(history) => history::run(history).await,
        Command::Models(args) => models::run(args).await,
        Command::Plugin(plugin) => plugins::run(plugin).await,
        Command::Grant(grant) => grants::run(grant).await,
        Command::Config(config) => config::run(config),
        Command::Schema(which) => schema::run(&which),
        Command::Matrix(args) => matrix::run(args).await,
        Command::Record(command) => record::run(command),
        Command::Login(args) => login::run(args).await,
        Command::Logout(args) => logout::run(args).await,
        Command::Doctor(doctor) => doctor::run(doctor).await,
    };
    match result {
        Ok(exit) => exit,
        // Who pipes a list into `head` has seen enough.
        Err(failure) if failure.is_broken_pipe() => failure.exit,
        Err(failure) => {
            eprintln!("jackfield: {:#}", failure.error);
            failure.exit
        }
    }
}

/// Logs for those who ask for them, on stderr.
fn start_log() -> Result<(), String> {
    let Ok(wanted) = std::env::var("JACKFIELD_LOG") else { return Ok(()) };
    let known = ["off", "error", "warn", "info", "debug", "trace"];
    let mut levels = wanted.split(',').map(|one| one.rsplit('=').next().unwrap_or(one));
    if let Some(unknown) = levels.find(|level| !known.contains(&level.to_lowercase().as_str())) {
        let known = known.join(", ");
        return Err(format!("JACKFIELD_LOG={wanted}: '{unknown}' is no level; write one of {known}, or MODULE=LEVEL"));
    }
    let filter = tracing_subscriber::EnvFilter::try_new(&wanted);
    let filter = filter.map_err(|error| format!("JACKFIELD_LOG={wanted}: {error}"))?;
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
    Ok(())
}
