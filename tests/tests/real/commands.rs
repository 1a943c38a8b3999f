//! Commands that are no run: what a provider offers and keeps, and its login.

use super::codex::SAY_SECOND;
use super::{HELLO, JACKFIELD};
use jackfield_tests::real::{Stage, jackfield, on_stage, wanted};
use serde_json::Value;

/// What it offers is asked, what it keeps is listed, shown and deleted, and a login is forgotten: commands of ours, no runs.
#[test]
fn models_history_and_logout_of_0_171_0() {
    of_commands("codex", |stage| {
        let ask = |words: &[&str], code, holds: &[&str]| jackfield(stage, JACKFIELD, words, code, holds);
        ask(&["models", "codex", "@EXE@"], 0, &["gpt-5.6-sol", "workspace-write"])?;
        let thread = talked(stage)?;
        let session = session(stage)?;
        ask(&["history", "show", "codex", &session, "@EXE@"], 0, HELLO.says)?;
        ask(&["history", "delete", "codex", &session, "@EXE@"], 2, &["say --yes"])?;
        ask(&["history", "delete", "codex", &session, "--yes", "@EXE@"], 0, &["codex has deleted"])?;
        ask(&["history", "sessions", "codex", "@EXE@"], 0, &["no stored conversations"])?;
        ask(&["history", "delete", "codex", &session, "--yes", "@EXE@"], 1, &["can't be deleted", "not among those"])?;
        ask(&["run", "--json", "--provider", "codex", "@EXE@", "--resume", &thread, SAY_SECOND], 4, &["not_found"])?;
        ask(&["logout", "codex", "@EXE@"], 0, &["codex: logged in: no"]).map(drop)
    });
}

/// It has no way to delete a conversation, and says so; it can be logged out of.
#[cfg(target_arch = "x86_64")]
#[test]
fn history_and_logout_of_0_120_0() {
    of_commands("codex-0.120.0", |stage| {
        let ask = |words: &[&str], code, holds: &[&str]| jackfield(stage, JACKFIELD, words, code, holds);
        talked(stage)?;
        let session = session(stage)?;
        let words = ["'", "deletes no conversations; its newer ones do"];
        ask(&["history", "delete", "codex", &session, "--yes", "@EXE@"], 3, &words)?;
        ask(&["history", "show", "codex", &session, "@EXE@"], 0, HELLO.says)?;
        ask(&["logout", "codex", "@EXE@"], 0, &["codex: logged in: no"]).map(drop)
    });
}

/// It says that it can be logged out of, and reads its stored conversations from files: it is started for this alone.
#[test]
fn logout_of_copilot() {
    of_commands("copilot", |stage| {
        jackfield(stage, JACKFIELD, &["logout", "copilot", "@EXE@"], 0, &["copilot: logged in: no"]).map(drop)
    });
}

fn of_commands(cli: &str, play: impl FnOnce(&Stage) -> anyhow::Result<()> + Send) {
    if !wanted(cli) {
        return;
    }
    if let Err(error) = on_stage(cli, play) {
        panic!("{error:#}");
    }
}

/// A run; the id of its thread.
fn talked(stage: &Stage) -> anyhow::Result<String> {
    let said =
        jackfield(stage, JACKFIELD, &["run", "--json", "--provider", "codex", "@EXE@", HELLO.prompt], 0, HELLO.says)?;
    let first: Value = serde_json::from_str(said.lines().next().unwrap_or_default())?;
    Ok(first["thread"].as_str().unwrap_or_default().to_owned())
}

/// The id of the only conversation that is stored.
fn session(stage: &Stage) -> anyhow::Result<String> {
    let listed =
        jackfield(stage, JACKFIELD, &["history", "sessions", "codex", "--json", "@EXE@"], 0, &["history.end"])?;
    let lines: Vec<Value> = listed.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    anyhow::ensure!(lines.len() == 2, "not one conversation: {listed}");
    Ok(lines[0]["id"].as_str().unwrap_or_default().to_owned())
}
