//! `cargo xtask test`: everything that must hold, step by step, on a machine that may be fresh.

use crate::step::{Steps, line, output, show_and_run};
use crate::{codegen, guests, real, setup, types};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// What to do where npm does not bring what a step needs.
const NO_NPM: &str = "check that npm answers, or leave them out: cargo xtask test --no-real";
const NO_TOOLS: &str = "check that npm and PyPI answer, or leave them out: cargo xtask test --no-real";

/// Which real CLIs are driven.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// Their names; empty means none, and that is said loudly.
    pub real: Vec<&'static str>,
}

impl Options {
    /// Reads `[--real all|NAME,…] [--no-real]`; all is the default.
    pub fn parse(words: &[&str]) -> Result<Options> {
        let all = || real::CLIS.iter().map(|cli| cli.name).collect();
        let real = match words {
            [] | ["--real", "all"] => all(),
            ["--no-real"] => Vec::new(),
            ["--real", names] => names.split(',').map(|name| Ok(real::find(name)?.name)).collect::<Result<_>>()?,
            other => bail!("cargo xtask test takes [--real all|NAME,…] or [--no-real], not {}", other.join(" ")),
        };
        Ok(Options { real })
    }
}

/// Runs the steps; stops at the first that fails.
pub fn run(root: &Path, options: &Options) -> Result<()> {
    let mut steps = Steps::default();
    let outcome = take(root, options, &mut steps);
    steps.summary();
    if options.real.is_empty() {
        println!("\nWARNING: no real CLI was driven (--no-real).");
    }
    outcome
}

fn take(root: &Path, options: &Options, steps: &mut Steps) -> Result<()> {
    steps.run("set-up", "see the message above; it names what is missing and how to get it", || {
        setup::run(root, false)
    })?;
    if !options.real.is_empty() {
        steps.run("real CLIs", NO_NPM, || {
            real::namespace_works()?;
            options.real.iter().try_for_each(|name| real::ensure(root, real::find(name)?).map(drop))
        })?;
        steps.run("the SDK's types", NO_NPM, || types::ensure(root).map(drop))?;
        steps.run("tools for plugins in other languages", NO_TOOLS, || {
            guests::LANGUAGES.iter().try_for_each(|language| guests::ensure(root, *language).map(drop))
        })?;
    }
    steps.run("format", "cargo fmt --all", || cargo(root, &["fmt", "--all", "--check"]))?;
    steps.run("generated sources", "cargo xtask codegen", || codegen::check(root))?;
    steps.run("clippy", "mend what it names; cargo clippy --workspace --all-targets shows it again", || {
        cargo(root, &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
    })?;
    // With the features that a user's build has: tests bring more of them into the tree, and what only those give would be missed.
    steps.run("the program alone", "name the feature that it needs in Cargo.toml; cargo check -p jackfield", || {
        cargo(root, &["check", "--package", "jackfield", "--locked"])
    })?;
    steps
        .run("tests, built", "mend what it names", || cargo(root, &["test", "--workspace", "--locked", "--no-run"]))?;
    steps.run("tests", "run the failing one alone: cargo test -p PACKAGE --test NAME CASE -- --nocapture", || {
        tests(root, options)
    })
}

/// Tests that wait for programs, timers and each other's death more than they compute: they run beside the rest.
const WAITING: [&str; 4] = ["hostile", "real", "restart", "roster"];

/// Runs all tests, in two halves at once; what the second one printed follows the first.
fn tests(root: &Path, options: &Options) -> Result<()> {
    let names = test_targets(root)?;
    let (waiting, others): (Vec<_>, Vec<_>) = names.iter().map(String::as_str).partition(|name| WAITING.contains(name));
    anyhow::ensure!(waiting.len() == WAITING.len(), "no test is called like one of {WAITING:?}; there are {names:?}");
    let mut beside = test_command(root, options, waiting);
    let printed = root.join("target/tests-beside.log");
    let file = std::fs::File::create(&printed).with_context(|| printed.display().to_string())?;
    println!("$ {} > {} &", line(&beside), printed.display());
    let mut beside = beside.stdout(file.try_clone()?).stderr(file).spawn().context("cargo")?;
    let mut rest = test_command(root, options, others);
    let mut outcomes = vec![show_and_run(rest.args(["--lib", "--bins"]))];
    outcomes.push(show_and_run(&mut in_root(root, &["test", "--workspace", "--locked", "--doc"])));
    let status = beside.wait()?;
    print!("\n{}", std::fs::read_to_string(&printed)?);
    if !status.success() {
        outcomes.push(Err(anyhow::anyhow!("`cargo test --test {}` ended with {status}", WAITING.join(" --test "))));
    }
    let failed: Vec<_> = outcomes.into_iter().filter_map(|outcome| Some(outcome.err()?.to_string())).collect();
    anyhow::ensure!(failed.is_empty(), failed.join("\n"));
    Ok(())
}

fn test_command<'a>(root: &Path, options: &Options, targets: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = in_root(root, &["test", "--workspace", "--locked", "--no-fail-fast"]);
    for name in targets {
        command.args(["--test", name]);
    }
    command.env("JACKFIELD_REAL", options.real.join(","));
    if options.real.is_empty() {
        command.env("JACKFIELD_SKIP_REAL", "1");
    } else {
        command.env_remove("JACKFIELD_SKIP_REAL");
    }
    command
}

/// The workspace's integration tests, each name once.
fn test_targets(root: &Path) -> Result<Vec<String>> {
    let metadata = output(&mut in_root(root, &["metadata", "--no-deps", "--locked", "--format-version", "1"]));
    let metadata: serde_json::Value = serde_json::from_str(&metadata.context("cargo metadata does not answer")?)?;
    let targets =
        metadata["packages"].as_array().into_iter().flatten().filter_map(|package| package["targets"].as_array());
    let tests = targets.flatten().filter(|target| target["kind"] == serde_json::json!(["test"]));
    let mut names: Vec<_> = tests.filter_map(|target| Some(target["name"].as_str()?.to_owned())).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<()> {
    show_and_run(&mut in_root(root, arguments))
}

fn in_root(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_real_clis_are_driven_unless_told_otherwise() {
        let all: Vec<_> = real::CLIS.iter().map(|cli| cli.name).collect();
        assert_eq!(Options::parse(&[]).unwrap().real, all);
        assert_eq!(Options::parse(&["--real", "all"]).unwrap().real, all);
        assert_eq!(Options::parse(&["--real", all[0]]).unwrap().real, [all[0]]);
        assert!(Options::parse(&["--no-real"]).unwrap().real.is_empty());
    }

    #[test]
    fn an_unknown_cli_is_named() {
        assert!(Options::parse(&["--real", "nosuch"]).unwrap_err().to_string().contains("nosuch"));
        assert!(Options::parse(&["--fast"]).unwrap_err().to_string().contains("--fast"));
    }
}
