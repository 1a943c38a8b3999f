//! Codex: the cases, as data. Its model's address is in the stage's `~/.codex/config.toml`; commands only read unless somebody is asked.

use super::{HELLO, JACKFIELD, KILLED, SECOND, THIRD, remembers, told, tool};
use crate::codex_props::{DOT, forms, of};
use jackfield_core::contract::Applies;
use jackfield_tests::real::{Act, Case, SAME_THREAD, Step, TURN, Turn};
use serde_json::Value;

/// Each case is a test of its own name. The older version, which takes five seconds to end, plays those that go by another way there;
/// patches it could not: it knows no model of the newer one's, and has no tool for them with one that it does not know.
macro_rules! cases {
    (
        both { $( $(#[$doc:meta])* $name:ident { $($field:ident: $value:expr),+ $(,)? } )+ }
        newer { $( $(#[$note:meta])* $new:ident { $($member:ident: $given:expr),+ $(,)? } )+ }
    ) => {
        mod v0_171_0 {
            use super::*;
            $( $(#[$doc])* #[test] fn $name() { Case { $($field: $value,)+ ..CASE }.play("codex", JACKFIELD); } )+
            $( $(#[$note])* #[test] fn $new() { Case { $($member: $given,)+ ..CASE }.play("codex", JACKFIELD); } )+
        }
        /// Pinned by its program for this processor alone: see `host/xtask/src/real.rs`.
        #[cfg(target_arch = "x86_64")]
        mod v0_120_0 {
            use super::*;
            $( $(#[$doc])* #[test] fn $name() { Case { $($field: $value,)+ ..CASE }.play("codex-0.120.0", JACKFIELD); } )+
        }
    };
}

const CASE: Case = Case { provider: "codex", exe: "codex", ..jackfield_tests::real::CASE };

/// A service that is down, in Codex's own words.
const DOWN: Turn = Turn { prompt: "Go <<script:down>>", status: "failed", exit: 1, fault: &["high demand"], ..TURN };

/// What is said in three runs, whose answers are HELLO's, SECOND's and THIRD's.
pub(super) const SAY_SECOND: &str = "And again <<script:second>>";
const SAY_THIRD: &str = "And now <<script:third>>";
const FIRST_SAID: &str = "Hello from the scripted model, in several pieces.";
const SECOND_SAID: &str = "This is the second answer.";
const THIRD_SAID: &str = "Third answer, after the restart.";

cases! {
    both {
        text { turns: &[HELLO] }

        /// 0.171 goes back to before a turn, 0.120 by a number of turns: what was dropped the model does not hear any more.
        gone_back {
            turns: &[Turn {
                act: Act::Talk(&[
                    Step::Ended(1), Step::Say(SAY_SECOND), Step::Ended(2), Step::Back(1), Step::Say(SAY_THIRD), Step::Ended(3),
                ]),
                runs: 3, says: &[FIRST_SAID, SECOND_SAID, THIRD_SAID],
                lines: |lines| of(lines, "context.changed").filter(|line| line["change"]["what"] == "rewound").count() == 1,
                ..HELLO
            }],
            model: |seen| {
                remembers(seen, FIRST_SAID) && !remembers(seen, "And again") && !remembers(seen, SECOND_SAID)
            },
        }

        copied_whole {
            turns: &[Turn { act: Act::Talk(&[Step::Ended(1), Step::Copy(None, SAY_SECOND, SECOND.says)]), ..HELLO }],
            model: |seen| seen.len() == 2 && remembers(seen, FIRST_SAID),
        }

        context_shortened {
            turns: &[Turn {
                act: Act::Talk(&[Step::Ended(1), Step::Compact, Step::Say(SAY_SECOND), Step::Ended(2)]),
                runs: 2, says: &[FIRST_SAID, SECOND_SAID], ..HELLO
            }],
            model: |seen| seen.len() == 3 && !remembers(seen, FIRST_SAID),
        }

        tool_allowed {
            turns: &[Turn {
                prompt: "Make it <<script:shell-touch>>", args: &["--approve", "allow"],
                tools: &[("exec_command", "completed")], answers: &[true], says: &["The tool has had its turn."], ..TURN
            }],
            files: &[("made-by-shell.txt", true)],
            model: |seen| told(seen).contains("hi-from-42"),
        }

        tool_denied {
            turns: &[Turn {
                prompt: "Make it <<script:shell-touch>>", args: &["--approve", "deny"],
                tools: &[("exec_command", "declined")], answers: &[false], says: &["The tool has had its turn."], ..TURN
            }],
            files: &[("made-by-shell.txt", false)],
            model: |seen| !told(seen).is_empty() && !told(seen).contains("hi-from-42"),
        }

        interrupted_while_a_tool_runs {
            turns: &[Turn {
                prompt: "Wait <<script:shell-wait>>", args: &["--approve", "allow"], act: Act::InterruptAtFile("began.txt"),
                status: "interrupted", exit: 130, tools: &[("exec_command", "interrupted")], answers: &[true], ..TURN
            }],
            files: &[("began.txt", true)],
        }

        resumed_after_an_interrupt {
            turns: &[
                Turn {
                    prompt: "Go slow <<script:slow>>", act: Act::InterruptAtText("The beginning"),
                    status: "interrupted", exit: 130, ..TURN
                },
                THIRD,
            ],
            model: |seen| remembers(seen, "Go slow") && remembers(seen, "turn_aborted"),
        }

        resumed_after_kill_9_of_the_first_turn {
            turns: &[Turn { act: Act::KillWhenResumable, ..KILLED }, THIRD],
            model: |seen| remembers(seen, "Go slow"),
        }

        http_500_fails_the_run { turns: &[DOWN] }

        /// A whole run on the one while the other waits for an answer.
        two_threads_on_one_program {
            turns: &[Turn {
                prompt: "Make it <<script:shell-touch>>",
                act: Act::Talk(&[
                    Step::Pending(1),
                    Step::Beside("Say hello <<script:hello>>", &["Hello from the scripted model, in several pieces."]),
                    Step::Answer("made-by-shell", true), Step::Ended(1),
                ]),
                tools: &[("exec_command", "completed")], answers: &[true], says: &["The tool has had its turn."], ..TURN
            }],
            files: &[("made-by-shell.txt", true)],
            model: |seen| {
                let of = |script: &str| seen.iter().filter(|seen| seen.script.as_deref() == Some(script)).count();
                of("hello") == 1 && of("shell-touch") == 2 && !remembers(seen, "Say hello")
            },
        }
    }

    newer {
        copied_at_a_turn {
            turns: &[Turn {
                act: Act::Talk(&[
                    Step::Ended(1), Step::Say(SAY_SECOND), Step::Ended(2), Step::Copy(Some(1), SAY_THIRD, THIRD.says),
                ]),
                runs: 2, says: &[FIRST_SAID, SECOND_SAID], ..HELLO
            }],
            model: |seen| seen.len() == 3 && remembers(seen, FIRST_SAID) && !remembers(seen, "And again"),
        }

        /// It waits in the program's own queue, and has a turn and an end of its own.
        queued_while_a_tool_runs {
            turns: &[Turn {
                prompt: "Wait <<script:shell-go-on>>",
                act: Act::Talk(&[
                    Step::Pending(1), Step::Answer("began.txt", true), Step::File("began.txt"), Step::Queue(SAY_SECOND),
                    Step::Make("go-on.txt"), Step::Ended(2),
                ]),
                runs: 2, tools: &[("exec_command", "completed")], answers: &[true],
                says: &["The tool is done, and I have heard you.", SECOND_SAID],
                lines: |lines| of(lines, "turn.ended").count() == 2, ..TURN
            }],
            model: |seen| seen.len() == 3 && remembers(seen, "went-42"),
        }

        /// The answer that refuses and stops the turn with it.
        refused_and_stopped {
            turns: &[Turn {
                prompt: "Make it <<script:shell-touch>>", act: Act::Talk(&[Step::Pending(1), Step::Pick("cancel"), Step::Ended(1)]),
                status: "interrupted", tools: &[("exec_command", "declined")], answers: &[false], ..TURN
            }],
            files: &[("made-by-shell.txt", false)],
        }

        /// An answer that changes a rule along with it: the same command is not asked about again.
        allowed_from_now_on {
            turns: &[Turn {
                prompt: "Make it <<script:shell-touch>>",
                act: Act::Talk(&[
                    Step::Pending(1), Step::Pick("acceptWithExecpolicyAmendment"), Step::Ended(1),
                    Step::Say("Make it again <<script:shell-touch>>"), Step::Ended(2),
                ]),
                runs: 2, tools: &[("exec_command", "completed"), ("exec_command", "completed")], answers: &[true],
                says: &["The tool has had its turn."], ..TURN
            }],
            files: &[("made-by-shell.txt", true)],
            model: |seen| seen.len() == 4,
        }

        /// Two questions at once, in the mode that asks some.
        questions_answered {
            turns: &[Turn {
                act: Act::Talk(&[
                    Step::Choose("mode", "plan"), Step::Say("Ask <<script:ask>>"), Step::Pending(1), Step::Fill(&["Blue", "Small"]),
                    Step::Ended(1),
                ]),
                says: &["The questions have had their turn."], answers: &[true],
                lines: |lines| of(lines, "request.opened").all(|line| line["request"]["subject"] == "questions"), ..TURN
            }],
            model: |seen| told(seen).contains("Blue") && told(seen).contains("Small"),
        }

        /// A tool of ours, and from when on another one holds: the protocol takes them with a thread's beginning alone.
        a_tool_of_the_hosts {
            turns: &[Turn {
                act: Act::Talk(&[
                    Step::Offer("host_ping", Applies::Now), Step::Say("Ping <<script:ping>>"), Step::Pending(1), Step::Give("pong-42"),
                    Step::Ended(1), Step::Offer("host_pong", Applies::InNewThread),
                ]),
                tools: &[("host_ping", "completed")], says: &["The ping has had its turn."], answers: &[true], ..TURN
            }],
            model: |seen| told(seen).contains("pong-42"),
        }

        /// An MCP server that came with the instance asks a person, in the middle of its tool.
        a_form_of_an_mcp_server {
            turns: &[Turn {
                prompt: "Fill it <<script:fill>>", servers: forms,
                act: Act::Talk(&[Step::Pending(1), Step::Fill(&["\"Ada\""]), Step::Ended(1)]),
                tools: &[("fill", "completed")], says: &["The form has had its turn."], answers: &[true],
                lines: |lines| {
                    let up = |line: &Value| line.to_string().contains("\"name\":\"forms\"");
                    of(lines, "mcp.updated").any(up)
                },
                ..TURN
            }],
            model: |seen| told(seen).contains("hello-Ada"),
        }

        settings_with_the_models {
            turns: &[Turn {
                act: Act::Talk(&[
                    Step::Ended(1), Step::Offered("model", "gpt-5.6-sol"), Step::Offered("effort", "high"), Step::Offered("mode", "plan"),
                ]),
                ..HELLO
            }],
        }

        a_picture_reaches_the_model {
            turns: &[Turn {
                before: |stage| Ok(std::fs::write(stage.folder.join("dot.png"), DOT)?),
                args: &["--attach", "@FOLDER@/dot.png"], ..HELLO
            }],
            model: |seen| seen[0].conversation().to_string().contains("data:image/png;base64,"),
        }

        /// The allowance is used up: how much, and until when, is told beside the failure.
        a_limit_of_the_account_is_told {
            turns: &[Turn {
                prompt: "Go <<script:spent>>", status: "failed", exit: 1, fault: &["limit"],
                lines: |lines| {
                    let windows = of(lines, "account.updated").filter_map(|line| line["account"]["limits"].as_array()).flatten();
                    windows.filter(|one| one["name"] == "five-hour" && one["used_percent"] == 100.0).count() >= 1
                        && of(lines, "run.ended").all(|line| line["fault"]["kind"] == "quota")
                },
                ..TURN
            }],
        }

        without_a_terminal_ask_becomes_deny {
            turns: &[Turn {
                prompt: "Make it <<script:shell-touch>>", args: &["--approve", "ask"],
                tools: &[("exec_command", "declined")], answers: &[false], ..TURN
            }],
            files: &[("made-by-shell.txt", false)],
        }

        approvals_in_parallel_answered_out_of_order {
            turns: &[Turn {
                prompt: "Make both <<script:shell-two>>",
                act: Act::Talk(&[
                    Step::Pending(2), Step::Answer("two.txt", false), Step::Answer("one.txt", true), Step::Ended(1),
                ]),
                tools: &[("exec_command", "completed"), ("exec_command", "declined")], answers: &[false, true],
                says: &["Both have had their turn."],
                lines: |lines| tool(lines, "one.txt") == "completed" && tool(lines, "two.txt") == "declined", ..TURN
            }],
            files: &[("one.txt", true), ("two.txt", false)],
            model: |seen| told(seen).contains("number-11") && !told(seen).contains("number-22"),
        }

        interrupted_while_it_speaks {
            turns: &[Turn {
                prompt: "Go slow <<script:slow>>", act: Act::InterruptAtText("The beginning"),
                status: "interrupted", exit: 130, says: &["The beginning"], ..TURN
            }],
        }

        resumed_after_each_restart {
            turns: &[HELLO, SECOND, THIRD],
            model: |seen| remembers(seen, "Hello from the scripted model") && remembers(seen, "This is the second answer."),
        }

        resumed_after_kill_9 {
            turns: &[HELLO, Turn { args: &["--resume", SAME_THREAD], ..KILLED }, THIRD],
            model: |seen| remembers(seen, "Hello from the scripted model") && remembers(seen, "Go slow"),
        }

        http_500_once_is_survived {
            turns: &[Turn { prompt: "Go <<script:down-once>>", says: &["Recovered after one failure."], ..TURN }],
            model: |seen| seen.len() == 2,
        }

        http_429_fails_the_run {
            turns: &[Turn { prompt: "Go <<script:limited>>", status: "failed", exit: 1, fault: &["429"], ..TURN }],
        }

        a_failed_run_leaves_the_thread_usable { turns: &[DOWN, SECOND], model: |seen| remembers(seen, "Go ") }

        the_model_reaches_it {
            turns: &[Turn { args: &["--model", "gpt-5.6-sol"], ..HELLO }],
            model: |seen| seen[0].body["model"] == "gpt-5.6-sol",
        }

        the_providers_program_killed_midway {
            turns: &[
                HELLO,
                Turn {
                    prompt: "Go slow <<script:slow>>", args: &["--resume", SAME_THREAD],
                    act: Act::KillProviderAtText("and t"), status: "failed", exit: 1, fault: &["signal 9"],
                    lines: |lines| lines.iter().any(|line| line["type"] == "session.ended" && line["signal"] == 9), ..TURN
                },
                THIRD,
            ],
            model: |seen| remembers(seen, "Hello from the scripted model"),
        }

        /// The model hears it with the tool's result: one turn, no second answer. The older version may tell the command's end after its
        /// turn's, and then how it ended is not known.
        steered_while_a_tool_runs {
            turns: &[Turn {
                prompt: "Wait <<script:shell-go-on>>",
                act: Act::Talk(&[
                    Step::Pending(1), Step::Answer("began.txt", true), Step::File("began.txt"),
                    Step::Steer("Mind the second file"), Step::Make("go-on.txt"), Step::Ended(2),
                ]),
                tools: &[("exec_command", "completed")], answers: &[true], joined: 1,
                says: &["The tool is done, and I have heard you."],
                lines: |lines| lines.iter().filter(|line| line["type"] == "turn.ended").count() == 1, ..TURN
            }],
            files: &[("go-on.txt", true)],
            model: |seen| seen.len() == 2 && remembers(seen, "Mind the second file") && told(seen).contains("went-42"),
        }

        patch_allowed {
            turns: &[Turn {
                prompt: "Write it <<script:patch>>", args: &["--approve", "allow"],
                tools: &[("apply_patch", "completed")], answers: &[true], says: &["The file has had its turn."], ..TURN
            }],
            files: &[("out.txt", true)],
        }

        patch_denied {
            turns: &[Turn {
                prompt: "Write it <<script:patch>>", args: &["--approve", "deny"],
                tools: &[("apply_patch", "declined")], answers: &[false], says: &["The file has had its turn."],
                lines: |lines| !lines.iter().any(|line| line["note"]["code"] == "tool"), ..TURN
            }],
            files: &[("out.txt", false)],
        }
    }
}
