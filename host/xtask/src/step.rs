//! A step of a task: it has a name, it is timed, and when it fails the person is told what to do.

use anyhow::{Context, Result, bail};
use std::process::Command;
use std::time::{Duration, Instant};

/// Runs steps and remembers how long each took.
#[derive(Default)]
pub struct Steps {
    taken: Vec<(String, Duration)>,
}

impl Steps {
    /// Runs one step; `remedy` is said when it fails.
    pub fn run(&mut self, name: &str, remedy: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        println!("\n=== {name}");
        let start = Instant::now();
        let outcome = work();
        let taken = start.elapsed();
        println!("=== {name}: {} in {:.1} s", if outcome.is_ok() { "ok" } else { "FAILED" }, taken.as_secs_f64());
        self.taken.push((name.to_owned(), taken));
        outcome.with_context(|| format!("step `{name}` failed. What to do: {remedy}"))
    }

    /// Prints the steps with their times.
    pub fn summary(&self) {
        println!("\nsteps:");
        for (name, taken) in &self.taken {
            println!("  {:>8.1} s  {name}", taken.as_secs_f64());
        }
        let all: Duration = self.taken.iter().map(|(_, taken)| *taken).sum();
        println!("  {:>8.1} s  in all", all.as_secs_f64());
    }
}

/// Shows a command line, runs it with this terminal, and fails unless it succeeds.
pub fn show_and_run(command: &mut Command) -> Result<()> {
    println!("$ {}", line(command));
    let status = command.status().with_context(|| format!("`{}` could not be started", line(command)))?;
    if !status.success() {
        bail!("`{}` ended with {status}", line(command));
    }
    Ok(())
}

/// Runs a command silently and returns what it printed; `None` when it is missing or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let out = command.output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

/// A command as it can be typed.
pub fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    // What is shown can be typed: a word with a space stands in quotes, a program by its name.
    let shown = words.enumerate().map(|(n, word)| match word.to_string_lossy().into_owned() {
        word if n == 0 => word.rsplit('/').next().unwrap_or(&word).to_owned(),
        word if word.is_empty() || word.contains(' ') => format!("{word:?}"),
        word => word,
    });
    shown.collect::<Vec<_>>().join(" ")
}
