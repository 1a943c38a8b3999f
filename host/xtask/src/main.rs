//! `cargo xtask demo | test | setup | codegen | schema | fuzz`: see `xtask::TASKS`.

use anyhow::{Result, bail};
use std::process::ExitCode;
use xtask::{codegen, demo, fuzz, root, schema, setup, suite};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nxtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let root = root();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["demo"] => demo::run(&root),
        ["test", options @ ..] => suite::run(&root, &suite::Options::parse(options)?),
        ["setup"] => setup::run(&root, true),
        ["codegen"] => codegen::write(&root),
        ["codegen", "--check"] => codegen::check(&root),
        ["schema"] => schema::write(&root),
        ["fuzz", target, options @ ..] => fuzz::run(&root, target, options),
        [] => bail!("which task?\n{}", usage()),
        other => bail!("no such task: {}\n{}", other.join(" "), usage()),
    }
}

fn usage() -> String {
    xtask::TASKS.iter().map(|(name, what)| format!("  cargo xtask {name:8} {what}\n")).collect()
}
