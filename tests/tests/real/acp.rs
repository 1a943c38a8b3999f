//! Copilot, Gemini and OpenCode, through the one plugin for agents of this protocol, and OpenCode's server through its own: the cases, as
//! data. Each starts in seconds, so what can be said to one program is one case: a **conversation**, each of whose messages is judged as
//! a run of its own.

use super::{HELLO, JACKFIELD, KILLED, THIRD, remembers, told};
use anyhow::{Result, ensure};
use jackfield_tests::mock::Seen;
use jackfield_tests::real::{Act, CASE, Case, SAME_THREAD, Stage, TURN, Turn};
use serde_json::Value;
use std::path::PathBuf;

const SECOND: Turn = Turn { prompt: "And again <<script:second>>", says: &["This is the second answer."], ..TURN };
const AFTER_ALL: Turn =
    Turn { prompt: "And now <<script:third>>", says: &["Third answer, after the restart."], ..TURN };
const RESUMED: Turn = Turn { args: &["--resume", SAME_THREAD], ..THIRD };

/// Words while it speaks, and no more of them.
const STOPPED: Turn = Turn {
    prompt: "Go slow <<script:slow>>",
    act: Act::InterruptAtText("The beginning"),
    status: "interrupted",
    exit: 130,
    says: &["The beginning"],
    ..TURN
};

/// A key that its service does not know. Where the program says so in its own words, a login is asked for, and left.
const NO_KEY: Turn = Turn { prompt: "Go <<script:bad-key>>", status: "failed", exit: 1, ..TURN };

/// The conversation with this agent: text, a second turn, a tool that is allowed, one that is refused, one that is stopped in place of
/// an answer, one that is stopped while it runs, words that are stopped, a failure, and that it goes on after all of it.
macro_rules! conversation {
    ($agent:literal, $offers:literal, $wait:expr, $refused:expr, $no_key:expr) => {
        Case {
            provider: $agent,
            exe: $agent,
            one_program: true,
            turns: &[
                Turn { lines: |lines| offers(lines, $offers), ..HELLO },
                SECOND,
                Turn {
                    prompt: concat!("Make it <<script:", $agent, "-touch>>"),
                    tools: &[("", "completed")],
                    answers: &[true],
                    says: &["The tool has had its turn."],
                    ..TURN
                },
                Turn {
                    prompt: concat!("Make it <<script:", $agent, "-refused>>"),
                    tools: &[("", "declined")],
                    answers: &[false],
                    ..$refused
                },
                Turn {
                    prompt: concat!("Make it <<script:", $agent, "-refused>>"),
                    act: Act::InterruptAtRequest,
                    status: "interrupted",
                    exit: 130,
                    ..$wait
                },
                Turn {
                    prompt: concat!("Wait <<script:", $agent, "-wait>>"),
                    act: Act::InterruptAtFile("began.txt"),
                    status: "interrupted",
                    exit: 130,
                    tools: &[("", "interrupted")],
                    answers: &[true],
                    ..TURN
                },
                STOPPED,
                $no_key,
                AFTER_ALL,
            ],
            files: &[("made-by-shell.txt", true), ("refused.txt", false), ("began.txt", true)],
            model: |seen| {
                told(seen).contains("hi-from-42")
                    && !told(seen).contains("hi-from-52")
                    && remembers(seen, "Hello from the scripted model")
                    && remembers(seen, "This is the second answer.")
            },
        }
    };
}

/// Each agent's cases are tests of their own names.
macro_rules! cases {
    ($module:ident, $agent:literal: $( $(#[$doc:meta])* $name:ident $case:expr; )+) => {
        mod $module {
            use super::*;
            $( $(#[$doc])* #[test] fn $name() { $case.play($agent, JACKFIELD); } )+
        }
    };
}

cases! { copilot, "copilot":
    conversation conversation!(
        "copilot",
        "mode",
        Turn { tools: &[("", "cancelled")], ..TURN },
        // It tells the refusal itself, and asks the model no more.
        Turn { says: &["Operation cancelled by user"], ..TURN },
        Turn { answers: &[false], fault: &["authentication failed"], lines: |lines| fault(lines) == "auth", ..NO_KEY }
    );

    resumed_after_kill_9 Case { provider: "copilot", exe: "copilot", ..KILLED_AND_RESUMED };
}

cases! { gemini, "gemini":
    conversation conversation!(
        "gemini",
        "model",
        Turn { tools: &[("", "cancelled")], ..TURN },
        Turn { says: &["The refusal has been heard."], ..TURN },
        Turn { answers: &[false], fault: &["needs a login"], lines: |lines| fault(lines) == "auth", ..NO_KEY }
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
fn a_minute_passes(stage: &Stage) -> Result<()> {
    for file in chats(stage)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy().replacen("session-20", "session-19", 1);
        std::fs::rename(&file, file.with_file_name(name))?;
    }
    Ok(())
}

fn its_history_is_gone(stage: &Stage) -> Result<()> {
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
        "opencode",
        "model",
        Turn { tools: &[("", "cancelled")], ..TURN },
        Turn { says: &[], ..TURN },
        Turn { fault: &["not known"], ..NO_KEY }
    );

    resumed_after_kill_9 Case { provider: "opencode", exe: "opencode", ..KILLED_AND_RESUMED };
}

// The same program over its HTTP server, whose words are more exact: see `plugins/opencode-server`.
#[cfg(target_arch = "x86_64")]
cases! { opencode_server, "opencode":
    resumed_after_kill_9 Case { provider: "opencode-server", exe: "opencode", ..KILLED_AND_RESUMED };
}

const KILLED_AND_RESUMED: Case = Case {
    turns: &[HELLO, Turn { args: &["--resume", SAME_THREAD], ..KILLED }, RESUMED],
    model: |seen: &[Seen]| remembers(seen, "Hello from the scripted model"),
    ..CASE
};

/// Whether a setting of this name was told, with choices.
fn offers(lines: &[Value], name: &str) -> bool {
    let mut settings = lines.iter().filter_map(|line| line["settings"].as_array()).flatten();
    settings.any(|setting| setting["name"] == name && setting["choices"].as_array().is_some_and(|all| !all.is_empty()))
}

/// The kind of the fault that the run ended with.
fn fault(lines: &[Value]) -> &str {
    let ended = lines.iter().find(|line| line["type"] == "run.ended");
    ended.and_then(|line| line["fault"]["kind"].as_str()).unwrap_or_default()
}
