//! Plays recorded conversations through the whole house and judges them:
//! `play --provider NAME [--quiet] [--picture] FILE…` prints the session events as JSON lines, or what a person sees as
//! text, and last one verdict line per file.
//! Exit code 0 only if all hold. The same program is the player that stands in for the CLI, the program of the fault
//! cases, the server that misbehaves, and the supervisor.

use anyhow::{Context, Result, bail};
use jackfield_tests::faults::{FAULTY, program};
use jackfield_tests::player::{CLI, cli, report};
use jackfield_tests::web::{self, SERVE};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: play --provider NAME [--quiet] [--picture] FILE…";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some(jackfield_runtime::process::SUPERVISE) => return jackfield_runtime::process::supervise_main(),
        Some(CLI) => return cli::main(&arguments[1..]),
        Some(SERVE) => return web::serve(&arguments[1..]),
        Some(FAULTY) => return program::main(&arguments[1..]),
        _ => {}
    }
    match play(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("play: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn play(arguments: Vec<String>) -> Result<bool> {
    let (mut provider, mut quiet, mut picture, mut files) = (None, false, false, Vec::new());
    let mut words = arguments.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--provider" => provider = Some(words.next().context(USAGE)?),
            "--quiet" => quiet = true,
            "--picture" => picture = true,
            option if option.starts_with('-') => bail!("{USAGE}; not {option}"),
            _ => files.push(PathBuf::from(word)),
        }
    }
    let provider = provider.context(USAGE)?;
    if files.is_empty() {
        bail!(USAGE);
    }
    let program = std::env::current_exe()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let reports = runtime.block_on(report::all(&provider, files, &program, 4))?;
    let mut out = std::io::stdout().lock();
    for report in reports.iter().filter(|_| picture) {
        writeln!(out, "===== {}\n{}", report.name, report.picture)?;
    }
    for event in reports.iter().flat_map(|report| &report.events).filter(|_| !quiet && !picture) {
        serde_json::to_writer(&mut out, event)?;
        out.write_all(b"\n")?;
    }
    for report in &reports {
        for problem in report.problems.iter().skip(1) {
            eprintln!("{}: {problem}", report.name);
        }
        writeln!(out, "{}", report.line())?;
    }
    Ok(reports.iter().all(|report| report.passes()))
}
