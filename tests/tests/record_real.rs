//! Recordings of the real Claude Code, made by `run --record`, scrubbed by `record scrub`, and played through the whole house:
//! what a person records of a program of today is a fixture tomorrow. Each on a stage of its own, as in `real.rs`.

use anyhow::{Context, Result, ensure};
use jackfield_tests::real::{Stage, on_stage, wanted};
use std::path::Path;
use std::process::{Command, Output};

const JACKFIELD: &str = env!("CARGO_BIN_EXE_jackfield-under-test");
const PLAY: &str = env!("CARGO_BIN_EXE_play");

/// What is said, how it is answered, and what the run's exit code is.
const RUNS: &[(&str, &str, &str, i32)] = &[
    ("thinking", "Think <<script:think>>", "deny", 0),
    ("allowed", "Make it <<script:touch>>", "allow", 0),
    ("refused", "Make it <<script:touch>>", "deny", 0),
    ("failed", "Go <<script:down>>", "deny", 1),
];

#[test]
fn what_is_recorded_of_2_1_332_plays() {
    records("claude-code");
}

#[test]
fn what_is_recorded_of_2_1_197_plays() {
    records("claude-code-2.1.197");
}

fn records(cli: &str) {
    if !wanted(cli) {
        return;
    }
    let kept = tempfile::tempdir().expect("a folder");
    for (name, prompt, approve, exit) in RUNS {
        let file = kept.path().join(format!("{name}.jsonl"));
        if let Err(error) = on_stage(cli, |stage| recorded(stage, &[prompt, "--approve", approve], *exit, &file)) {
            panic!("{name}: {error:#}");
        }
        plays(&file).unwrap_or_else(|error| panic!("{name}: {error:#}"));
    }
}

/// Records a run and makes a fixture of it.
fn recorded(stage: &Stage, args: &[&str], exit: i32, file: &Path) -> Result<()> {
    let raw = stage.folder.with_file_name("raw.jsonl");
    let mut command = Command::new(JACKFIELD);
    let exe = format!("claude={}", stage.cli.display());
    stage.dress(&mut command).args(["run", "--provider", "claude-code", "--exe", &exe, "--record"]).arg(&raw);
    for (name, value) in stage.operator_environment() {
        command.arg("--env").arg(format!("{name}={value}"));
    }
    let run = command.arg("--cwd").arg(&stage.folder).args(args).output()?;
    ensure!(run.status.code() == Some(exit), "exit {:?}: {}", run.status.code(), said(&run));
    let mut scrub = Command::new(JACKFIELD);
    let scrubbed = stage.dress(&mut scrub).args(["record", "scrub"]).arg(&raw).arg("-o").arg(file).output()?;
    ensure!(scrubbed.status.success(), "not scrubbed: {}", said(&scrubbed));
    let fixture = std::fs::read_to_string(file)?;
    for gone in [stage.folder.display().to_string(), stage.data().display().to_string()] {
        ensure!(!fixture.contains(&gone), "{gone} is in the fixture");
    }
    Ok(())
}

fn plays(file: &Path) -> Result<()> {
    let out = Command::new(PLAY).args(["--provider", "claude-code", "--quiet"]).arg(file).output().context("play")?;
    ensure!(out.status.success() && said(&out).starts_with("PASS"), "{}", said(&out));
    Ok(())
}

fn said(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}
