//! A command of the program that is no run: what a provider offers and keeps, as the operator of a stage asks for it.

use super::stage::Stage;
use anyhow::{Context, Result, ensure};
use std::process::Command;

/// Runs `jackfield` with these words, in which `@EXE@` stands for what binds the real program and gives it the stage's variables. It must end
/// with this code and hold these words, in what it says on stdout and stderr; the first is returned.
pub fn jackfield(stage: &Stage, program: &str, words: &[&str], code: i32, holds: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    stage.dress(&mut command).current_dir(&stage.folder);
    for word in words {
        if *word != "@EXE@" {
            command.arg(word);
            continue;
        }
        command.arg("--exe").arg(&stage.cli);
        for (name, value) in stage.operator_environment() {
            command.arg("--env").arg(format!("{name}={value}"));
        }
    }
    let out = command.output().with_context(|| program.to_owned())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&out.stdout), text(&out.stderr));
    let seen = || format!("{words:?} ended with {:?} and said\n{stdout}\n{stderr}", out.status.code());
    ensure!(out.status.code() == Some(code), "{}", seen());
    let missing = holds.iter().find(|word| !stdout.contains(**word) && !stderr.contains(**word));
    ensure!(missing.is_none(), "`{}` is missing: {}", missing.unwrap_or(&""), seen());
    let left = stage.left_behind();
    ensure!(left.is_empty(), "processes left behind: {}: {}", left.join("; "), seen());
    Ok(stdout)
}
