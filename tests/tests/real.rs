//! The real Claude Code and the real Codex (`real/codex.rs`), each at both pinned versions, and the real Copilot, Gemini and OpenCode
//! (`real/acp.rs`, `real/opencode_server.rs`), driven by the real program through the
//! sandboxed plugin, against the mock model, in a network with only loopback. Judged: the lines, the exit code, the workspace,
//! what the model saw, and that no process is left.

#[path = "real/acp.rs"]
mod acp;
#[path = "real/codex.rs"]
mod codex;
#[path = "real/codex_props.rs"]
mod codex_props;
#[path = "real/commands.rs"]
mod commands;
#[path = "real/conversation.rs"]
mod conversation;
#[path = "real/history.rs"]
mod history;
#[cfg(target_arch = "x86_64")]
#[path = "real/opencode_server.rs"]
mod opencode_server;

use jackfield_tests::mock::Seen;
use jackfield_tests::real::{Act, Case, SAME_THREAD, Step, TURN, Turn};
use serde_json::Value;

const JACKFIELD: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

/// Each case is a test of its own name, at each version.
macro_rules! cases {
    ($( $(#[$doc:meta])* $name:ident { $($field:ident: $value:expr),+ $(,)? } )+) => {
        mod v2_1_332 {
            use super::*;
            $( $(#[$doc])* #[test] fn $name() { Case { $($field: $value,)+ ..CASE }.play("claude-code", JACKFIELD); } )+
        }
        mod v2_1_197 {
            use super::*;
            $( $(#[$doc])* #[test] fn $name() { Case { $($field: $value,)+ ..CASE }.play("claude-code-2.1.197", JACKFIELD); } )+
        }
    };
}

const CASE: Case = Case { provider: "claude-code", exe: "claude", ..jackfield_tests::real::CASE };

const HELLO: Turn =
    Turn { prompt: "Say hello <<script:hello>>", says: &["Hello from the scripted model, in several pieces."], ..TURN };
const SECOND: Turn = Turn {
    prompt: "And again <<script:second>>",
    args: &["--resume", SAME_THREAD],
    says: &["This is the second answer."],
    ..TURN
};
const THIRD: Turn = Turn {
    prompt: "And now <<script:third>>",
    args: &["--resume", SAME_THREAD],
    says: &["Third answer, after the restart."],
    ..TURN
};

cases! {
    text { turns: &[HELLO] }

    thinking {
        turns: &[Turn { prompt: "Think <<script:think>>", says: &["Here is the considered answer."], ..TURN }],
    }

    tool_allowed {
        turns: &[Turn {
            prompt: "Make it <<script:touch>>", args: &["--approve", "allow"],
            tools: &[("Bash", "completed")], answers: &[true], says: &["The tool has had its turn."], ..TURN
        }],
        files: &[("made-by-bash.txt", true)],
        model: |seen| told(seen).contains("hi-from-bash"),
    }

    tool_denied {
        turns: &[Turn {
            prompt: "Make it <<script:touch>>", args: &["--approve", "deny"],
            tools: &[("Bash", "declined")], answers: &[false], says: &["The tool has had its turn."], ..TURN
        }],
        files: &[("made-by-bash.txt", false)],
        model: |seen| !told(seen).is_empty() && !told(seen).contains("hi-from-bash"),
    }

    without_a_terminal_ask_becomes_deny {
        turns: &[Turn {
            prompt: "Make it <<script:touch>>", args: &["--approve", "ask"],
            tools: &[("Bash", "declined")], answers: &[false], ..TURN
        }],
        files: &[("made-by-bash.txt", false)],
    }

    interrupted_while_it_speaks {
        turns: &[Turn {
            prompt: "Go slow <<script:slow>>", act: Act::InterruptAtText("The beginning"),
            status: "interrupted", exit: 130, says: &["The beginning"], ..TURN
        }],
    }

    interrupted_while_a_tool_runs {
        turns: &[Turn {
            prompt: "Wait <<script:slow-tool>>", args: &["--approve", "allow"], act: Act::InterruptAtFile("began.txt"),
            status: "interrupted", exit: 130, tools: &[("Bash", "interrupted")], answers: &[true], ..TURN
        }],
        files: &[("began.txt", true)],
    }

    two_turns_on_one_thread {
        turns: &[HELLO, SECOND],
        model: |seen| remembers(seen, "Hello from the scripted model") && remembers(seen, "Say hello"),
    }

    resumed_after_each_restart {
        turns: &[HELLO, SECOND, THIRD],
        model: |seen| remembers(seen, "Hello from the scripted model") && remembers(seen, "This is the second answer."),
    }

    resumed_after_an_interrupt {
        turns: &[
            Turn {
                prompt: "Go slow <<script:slow>>", act: Act::InterruptAtText("The beginning"),
                status: "interrupted", exit: 130, ..TURN
            },
            THIRD,
        ],
        model: |seen| remembers(seen, "Go slow") && remembers(seen, "The beginning"),
    }

    resumed_after_kill_9 {
        turns: &[HELLO, Turn { args: &["--resume", SAME_THREAD], ..KILLED }, THIRD],
        model: |seen| remembers(seen, "Hello from the scripted model"),
    }

    resumed_after_kill_9_of_the_first_turn {
        turns: &[Turn { act: Act::KillWhenResumable, ..KILLED }, THIRD],
        model: |seen| remembers(seen, "Go slow"),
    }

    killed_before_the_provider_saved_anything {
        turns: &[KILLED_SOON, Turn { lost: true, ..THIRD }],
        model: |seen| !remembers(seen, "Go slow"),
    }

    http_500_fails_the_run {
        turns: &[Turn { prompt: "Go <<script:down>>", status: "failed", exit: 1, fault: &["500"], ..TURN }],
    }

    http_500_once_is_survived {
        turns: &[Turn { prompt: "Go <<script:down-once>>", says: &["Recovered after one failure."], ..TURN }],
        model: |seen| seen.len() == 2,
    }

    http_429_fails_the_run {
        turns: &[Turn { prompt: "Go <<script:limited>>", status: "failed", exit: 1, fault: &["rate limit"], ..TURN }],
    }

    a_failed_run_leaves_the_thread_usable {
        turns: &[Turn { prompt: "Go <<script:down>>", status: "failed", exit: 1, fault: &["500"], ..TURN }, SECOND],
    }

    the_model_reaches_it {
        turns: &[Turn { args: &["--model", "claude-opus-4-5"], ..HELLO }],
        model: |seen| seen[0].body["model"].as_str().is_some_and(|model| model.starts_with("claude-opus-4-5")),
    }

    the_mode_reaches_it {
        turns: &[Turn {
            prompt: "Write it <<script:write>>", args: &["--mode", "acceptEdits", "--approve", "deny"],
            tools: &[("Write", "completed")], says: &["The file is written."], ..TURN
        }],
        files: &[("out.txt", true)],
    }

    in_the_usual_mode_a_write_asks {
        turns: &[Turn {
            prompt: "Write it <<script:write>>", args: &["--approve", "deny"],
            tools: &[("Write", "declined")], answers: &[false], ..TURN
        }],
        files: &[("out.txt", false)],
    }

    plan_accepted {
        turns: &[Turn {
            prompt: "Plan it <<script:plan>>", args: &["--mode", "plan", "--approve", "allow"],
            answers: &[true], says: &["The plan has had its turn."],
            lines: |lines| plan(lines, "1. Make the file") == "completed" && mode(lines) == "default", ..TURN
        }],
        model: |seen| !told(seen).is_empty() && !told(seen).contains("does not want"),
    }

    plan_rejected {
        turns: &[Turn {
            prompt: "Plan it <<script:plan>>", args: &["--mode", "plan", "--approve", "deny"],
            answers: &[false], says: &["The plan has had its turn."],
            lines: |lines| plan(lines, "1. Make the file") == "declined" && mode(lines) == "plan", ..TURN
        }],
        model: |seen| told(seen).contains("does not want"),
    }

    /// What a subagent in the foreground says is told by its result alone; its tools are told.
    subagent_whose_tool_is_allowed {
        turns: &[Turn {
            prompt: "Delegate <<script:delegate>>", args: &["--approve", "allow"],
            tools: &[("Bash", "completed"), ("Task", "completed")], answers: &[true], says: &["The count is in."],
            lines: |lines| inside(lines, "made-by-subagent") && !inside(lines, "The count is in."), ..TURN
        }],
        files: &[("made-by-subagent.txt", true)],
        model: |seen| told(seen).contains("There are two files."),
    }

    subagent_whose_tool_is_denied {
        turns: &[Turn {
            prompt: "Delegate <<script:delegate>>", args: &["--approve", "deny"],
            tools: &[("Bash", "declined"), ("Task", "completed")], answers: &[false], says: &["The count is in."], ..TURN
        }],
        files: &[("made-by-subagent.txt", false)],
    }

    /// The turn is over when the subagent asks: the request comes from the roster, and its end wakes the provider.
    subagent_in_the_background_asks_after_the_result {
        turns: &[Turn {
            prompt: "Delegate <<script:background>>",
            act: Act::Talk(&[
                Step::Ended(1), Step::Pending(1), Step::Answer("made-by-subagent", true),
                Step::Said("The late count is in."), Step::Turns(2),
            ]),
            tools: &[("Task", "completed"), ("Bash", "completed")], answers: &[true],
            says: &["The count has begun.", "There are two files.", "The late count is in."],
            lines: |lines| inside(lines, "There are two files."), ..TURN
        }],
        files: &[("made-by-subagent.txt", true)],
    }

    approvals_in_parallel_answered_out_of_order {
        turns: &[Turn {
            prompt: "Read them <<script:reads>>",
            act: Act::Talk(&[
                Step::Pending(3), Step::Answer("three.txt", true), Step::Answer("one.txt", false),
                Step::Answer("two.txt", true), Step::Ended(1),
            ]),
            answers: &[true, false, true], says: &["I have read what I may."],
            tools: &[("Read", "completed"), ("Read", "completed"), ("Read", "declined")],
            lines: |lines| tool(lines, "one.txt") == "declined" && tool(lines, "two.txt") == "completed", ..TURN
        }],
        model: |seen| {
            let told = told(seen);
            told.contains("number three") && told.contains("number two") && !told.contains("number one")
        },
    }

    /// The model hears it with the tool's result: one turn, no second answer.
    steered_while_a_tool_runs {
        turns: &[Turn {
            prompt: "Wait <<script:short-tool>>",
            act: Act::Talk(&[
                Step::Pending(1), Step::Answer("began.txt", true), Step::File("began.txt"),
                Step::Steer("Mind the second file"), Step::Make("go-on.txt"), Step::Ended(2),
            ]),
            tools: &[("Bash", "completed")], answers: &[true], joined: 1,
            says: &["The tool is done, and I have heard you."],
            lines: |lines| lines.iter().filter(|line| line["type"] == "turn.ended").count() == 1, ..TURN
        }],
        files: &[("go-on.txt", true)],
        model: |seen| seen.len() == 2 && remembers(seen, "Mind the second file") && told(seen).contains("went-on"),
    }

    the_providers_program_killed_midway {
        turns: &[
            HELLO,
            Turn {
                prompt: "Go slow <<script:slow>>", args: &["--resume", SAME_THREAD, "--exe-arg", "--debug-to-stderr"],
                act: Act::KillProviderAtText("and t"), status: "failed", exit: 1, fault: &["signal 9"],
                lines: |lines| lines.iter().any(|line| {
                    line["type"] == "session.ended" && line["signal"] == 9
                        && line["stderr_tail"].as_str().is_some_and(|tail| !tail.is_empty())
                }),
                ..TURN
            },
            THIRD,
        ],
        model: |seen| remembers(seen, "Hello from the scripted model"),
    }
}

/// Killed two seconds into the text: this CLI writes its own history half a second after a turn's start, not before.
const KILLED_SOON: Turn = Turn { prompt: "Go slow <<script:slow>>", act: Act::KillAtText("The beg"), ..TURN };
const KILLED: Turn = Turn { prompt: "Go slow <<script:slow>>", act: Act::KillAtText("and t"), ..TURN };

/// How the item that is of this kind and holds this ended.
fn ended<'a>(lines: &'a [Value], kind: &str, text: &str) -> &'a str {
    let it = |line: &&Value| {
        line["type"] == "item.ended" && line["item"]["kind"] == kind && line["item"].to_string().contains(text)
    };
    lines.iter().find(it).and_then(|line| line["item"]["status"].as_str()).unwrap_or_default()
}

/// How the proposed plan that holds this ended.
fn plan<'a>(lines: &'a [Value], text: &str) -> &'a str {
    ended(lines, "proposed_plan", text)
}

/// How the tool that is about this ended.
fn tool<'a>(lines: &'a [Value], text: &str) -> &'a str {
    ended(lines, "tool", text)
}

/// The mode in force, as told last.
fn mode(lines: &[Value]) -> &str {
    let settings = lines.iter().rev().filter_map(|line| line["settings"].as_array()).flatten();
    let mut modes =
        settings.filter(|setting| setting["name"] == "mode").filter_map(|setting| setting["value"].as_str());
    modes.next().unwrap_or_default()
}

/// Whether an item that holds this ended inside another item: a subagent's.
fn inside(lines: &[Value], text: &str) -> bool {
    let holds = |line: &&Value| line["type"] == "item.ended" && line["item"].to_string().contains(text);
    lines.iter().filter(holds).any(|line| !line["parent"].is_null())
}

/// What the model was told of its tools' results, last.
fn told(seen: &[Seen]) -> String {
    seen.last().map(Seen::results).unwrap_or_default()
}

/// Whether the conversation that the model saw last holds this.
fn remembers(seen: &[Seen], text: &str) -> bool {
    seen.last().is_some_and(|seen| seen.conversation().to_string().contains(text))
}
