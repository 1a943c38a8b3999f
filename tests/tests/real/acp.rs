//! Copilot, Gemini and OpenCode, through the one plugin for agents of this protocol: the cases, as data.

use super::conversation::*;
use super::{HELLO, JACKFIELD, remembers, told};
use anyhow::{Result, ensure};
use jackfield_tests::real::{Act, Case, Stage, TURN, Turn};
use std::path::PathBuf;

cases! { copilot, "copilot":
    conversation conversation!(
        "copilot" of "copilot", shell: "", offers: "mode", stopped: "cancelled",
        // It tells the refusal itself, and asks the model no more.
        refused: Turn { says: &["Operation cancelled by user"], ..TURN },
        no_key: Turn { answers: &[false], fault: &["authentication failed"], lines: |lines| fault(lines) == "auth", ..NO_KEY }
    );

    resumed_after_kill_9 Case { provider: "copilot", exe: "copilot", ..KILLED_AND_RESUMED };
}

cases! { gemini, "gemini":
    conversation conversation!(
        "gemini" of "gemini", shell: "", offers: "model", stopped: "cancelled",
        refused: Turn { says: &["The refusal has been heard."], ..TURN },
        no_key: Turn { answers: &[false], fault: &["needs a login"], lines: |lines| fault(lines) == "auth", ..NO_KEY }
    );

    resumed_a_minute_later Case {
        provider: "gemini", exe: "gemini", turns: &[HELLO, Turn { before: a_minute_passes, ..RESUMED }],
        model: |seen| remembers(seen, "Hello from the scripted model"), ..CASE
    };

    /// A conversation that it can't load is never begun afresh in its place.
    not_resumed_when_its_history_is_gone Case {
        provider: "gemini", exe: "gemini",
        turns: &[
            HELLO,
            Turn {
                before: its_history_is_gone, status: "failed", exit: 4, says: &[], fault: &["no previous sessions found"],
                lines: |lines| fault(lines) == "not_found", ..RESUMED
            },
        ],
        model: |seen| seen.len() == 1, ..CASE
    };
}

/// Gemini CLI names a conversation's file by the minute, and begins it afresh when it loads it in the same one.
pub(crate) fn a_minute_passes(stage: &Stage) -> Result<()> {
    for file in chats(stage)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy().replacen("session-20", "session-19", 1);
        std::fs::rename(&file, file.with_file_name(name))?;
    }
    Ok(())
}

pub(crate) fn its_history_is_gone(stage: &Stage) -> Result<()> {
    chats(stage)?.iter().try_for_each(|file| Ok(std::fs::remove_file(file)?))
}

/// The files of Gemini CLI's conversations.
fn chats(stage: &Stage) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for project in std::fs::read_dir(stage.home().join(".gemini/tmp"))? {
        let Ok(chats) = std::fs::read_dir(project?.path().join("chats")) else { continue };
        files.extend(chats.map(|file| Ok(file?.path())).collect::<Result<Vec<_>>>()?);
    }
    ensure!(!files.is_empty(), "Gemini CLI keeps its conversations elsewhere now");
    Ok(files)
}

#[cfg(target_arch = "x86_64")]
cases! { opencode, "opencode":
    conversation conversation!(
        "opencode" of "opencode", shell: "", offers: "model", stopped: "cancelled",
        refused: Turn { says: &[], ..TURN },
        no_key: Turn { fault: &["not known"], ..NO_KEY }
    );

    resumed_after_kill_9 Case { provider: "opencode", exe: "opencode", ..KILLED_AND_RESUMED };
}
