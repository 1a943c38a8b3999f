//! `cargo xtask test`: everything that must hold, step by step, on a machine that may be fresh.

use crate::step::{Steps, show_and_run};
use crate::{codegen, real, setup, types};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;

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
        steps.run("real CLIs", "check that npm answers, or leave them out: cargo xtask test --no-real", || {
            for name in &options.real {
                real::ensure(root, real::find(name)?)?;
            }
            real::namespace_works()
        })?;
        steps.run(
            "the SDK's types",
            "check that npm answers, or leave them out: cargo xtask test --no-real",
            || types::ensure(root).map(drop),
        )?;
    }
    steps.run("format", "cargo fmt --all", || cargo(root, &["fmt", "--all", "--check"]))?;
    steps.run("generated sources", "cargo xtask codegen", || codegen::check(root))?;
    steps.run("clippy", "mend what it names; cargo clippy --workspace --all-targets shows it again", || {
        cargo(root, &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
    })?;
    steps.run("tests", "run the failing one alone: cargo test -p PACKAGE --test NAME CASE -- --nocapture", || {
        let mut command = in_root(root, &["test", "--workspace", "--locked", "--no-fail-fast"]);
        command.env("JACKFIELD_REAL", options.real.join(","));
        if options.real.is_empty() {
            command.env("JACKFIELD_SKIP_REAL", "1");
        } else {
            command.env_remove("JACKFIELD_SKIP_REAL");
        }
        show_and_run(&mut command)
    })
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
