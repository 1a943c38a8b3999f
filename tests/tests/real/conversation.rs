//! What can be said to a program that starts in seconds, in one **conversation**, each of whose messages is judged as a run of its own; and
//! that it is resumed after a `kill -9`. Which program it is said to is in `acp.rs` and `opencode_server.rs`.

use super::{HELLO, KILLED, THIRD, remembers};
use jackfield_tests::mock::Seen;
pub(crate) use jackfield_tests::real::CASE;
use jackfield_tests::real::{Act, Case, SAME_THREAD, TURN, Turn};
use serde_json::Value;

pub(crate) const SECOND: Turn =
    Turn { prompt: "And again <<script:second>>", says: &["This is the second answer."], ..TURN };
pub(crate) const AFTER_ALL: Turn =
    Turn { prompt: "And now <<script:third>>", says: &["Third answer, after the restart."], ..TURN };
pub(crate) const RESUMED: Turn = Turn { args: &["--resume", SAME_THREAD], ..THIRD };

/// Words while it speaks, and no more of them.
pub(crate) const STOPPED: Turn = Turn {
    prompt: "Go slow <<script:slow>>",
    act: Act::InterruptAtText("The beginning"),
    status: "interrupted",
    exit: 130,
    says: &["The beginning"],
    ..TURN
};

/// A key that its service does not know. Where the program says so in its own words, a login is asked for, and left.
pub(crate) const NO_KEY: Turn = Turn { prompt: "Go <<script:bad-key>>", status: "failed", exit: 1, ..TURN };

/// The conversation with this agent, by its plugin's name and its program's: text, a second turn, a tool that is allowed, one that is
/// refused, one that is stopped in place of an answer, one that is stopped while it runs, words that are stopped, a failure, and that it
/// goes on after all of it. The scripts are the program's, and so is the name by which it calls its shell.
macro_rules! conversation {
    (
        $agent:literal of $program:literal, shell: $shell:literal, offers: $offers:literal,
        stopped: $stopped:expr, refused: $refused:expr, no_key: $no_key:expr $(,)?
    ) => {
        Case {
            provider: $agent,
            exe: $program,
            one_program: true,
            turns: &[
                Turn { lines: |lines| offers(lines, $offers), ..HELLO },
                SECOND,
                Turn {
                    prompt: concat!("Make it <<script:", $program, "-touch>>"),
                    tools: &[($shell, "completed")],
                    answers: &[true],
                    says: &["The tool has had its turn."],
                    ..TURN
                },
                Turn {
                    prompt: concat!("Make it <<script:", $program, "-refused>>"),
                    tools: &[($shell, "declined")],
                    answers: &[false],
                    ..$refused
                },
                Turn {
                    prompt: concat!("Make it <<script:", $program, "-refused>>"),
                    act: Act::InterruptAtRequest,
                    status: "interrupted",
                    exit: 130,
                    tools: &[($shell, $stopped)],
                    ..TURN
                },
                Turn {
                    prompt: concat!("Wait <<script:", $program, "-wait>>"),
                    act: Act::InterruptAtFile("began.txt"),
                    status: "interrupted",
                    exit: 130,
                    tools: &[($shell, "interrupted")],
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
pub(crate) use conversation;

/// Each agent's cases are tests of their own names.
macro_rules! cases {
    ($module:ident, $agent:literal: $( $(#[$doc:meta])* $name:ident $case:expr; )+) => {
        mod $module {
            use super::*;
            $( $(#[$doc])* #[test] fn $name() { $case.play($agent, JACKFIELD); } )+
        }
    };
}

pub(crate) use cases;

/// Text, a second run that is killed with all that it began, and the conversation goes on.
pub(crate) const KILLED_AND_RESUMED: Case = Case {
    turns: &[HELLO, Turn { args: &["--resume", SAME_THREAD], ..KILLED }, RESUMED],
    model: |seen: &[Seen]| remembers(seen, "Hello from the scripted model"),
    ..CASE
};

/// Whether a setting of this name was told, with choices.
pub(crate) fn offers(lines: &[Value], name: &str) -> bool {
    let mut settings = lines.iter().filter_map(|line| line["settings"].as_array()).flatten();
    settings.any(|setting| setting["name"] == name && setting["choices"].as_array().is_some_and(|all| !all.is_empty()))
}

/// The kind of the fault that the run ended with.
pub(crate) fn fault(lines: &[Value]) -> &str {
    let ended = lines.iter().find(|line| line["type"] == "run.ended");
    ended.and_then(|line| line["fault"]["kind"].as_str()).unwrap_or_default()
}
