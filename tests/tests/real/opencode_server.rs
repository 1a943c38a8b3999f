//! OpenCode over its HTTP server, whose words are more exact than those of its agent protocol (`acp.rs`): see `plugins/opencode-server`.

use super::conversation::*;
use super::{HELLO, JACKFIELD, ended, inside, remembers, told};
use anyhow::{Context, Result, ensure};
use jackfield_tests::real::{Act, Case, Desk, TURN, Turn};
use serde_json::Value;

const SERVER: Case = Case { provider: "opencode-server", exe: "opencode", ..CASE };

cases! { driven, "opencode":
    conversation conversation!(
        "opencode-server" of "opencode", shell: "bash", offers: "model", stopped: "cancelled",
        // Its turn ends with the refusal.
        refused: Turn { says: &[], ..TURN },
        no_key: Turn { answers: &[false], fault: &["not known"], lines: |lines| fault(lines) == "auth", ..NO_KEY }
    );

    /// What its agent protocol does not tell: a list of its own, what a subagent asks, a question, attempts, and why it failed by class.
    its_own_words Case { one_program: true, turns: &[
        Turn {
            prompt: "Think <<script:think>>", says: &["Here is the considered answer."],
            lines: |lines| ended(lines, "reasoning", "First the question") == "completed", ..TURN
        },
        Turn {
            prompt: "List <<script:opencode-todo>>", says: &["The list is done."],
            tools: &[("todowrite", "completed"), ("todowrite", "completed")],
            lines: |lines| steps(lines) == ["completed", "cancelled"], ..TURN
        },
        Turn {
            prompt: "Delegate <<script:opencode-delegate>>", says: &["I count.", "There are two files.", "The count is in."],
            tools: &[("task", "completed"), ("bash", "completed")], answers: &[true],
            lines: |lines| {
                inside(lines, "made-by-subagent") && inside(lines, "There are two files.")
                    && !inside(lines, "The count is in.") && subagent(lines) == ("completed", "There are two files.")
            },
            ..TURN
        },
        Turn {
            prompt: "Delegate <<script:opencode-delegate-refused>>", says: &["I count, too.", "The count is in."],
            tools: &[("task", "failed"), ("bash", "declined")], answers: &[false],
            lines: |lines| inside(lines, "refused-to-subagent") && subagent(lines).0 == "failed"
                && subagent(lines).1.contains("rejected"),
            ..TURN
        },
        Turn {
            prompt: "Ask <<script:opencode-ask>>", says: &["I know now."], tools: &[("question", "completed")],
            answers: &[true], ..TURN
        },
        // Its turn ends with it.
        Turn {
            prompt: "Ask <<script:opencode-ask>>", tools: &[("question", "declined")], answers: &[false], ..TURN
        },
        Turn {
            prompt: "Go <<script:down-once>>", says: &["Recovered after one failure."],
            lines: |lines| lines.iter().any(|line| line["type"] == "retrying"), ..TURN
        },
        // It gets over that by itself.
        Turn {
            prompt: "Go <<script:opencode-full>>", says: &["Done."],
            lines: |lines| lines.iter().any(|line| line["change"]["what"] == "compacted"), ..TURN
        },
        AFTER_ALL,
    ], files: &[("made-by-subagent.txt", true), ("refused-to-subagent.txt", false)], model: |seen| {
        // The context was shortened since.
        ["There are two files.", "Red"].iter().all(|text| seen.iter().any(|seen| seen.results().contains(text)))
    }, ..SERVER };

    resumed_after_kill_9 Case { provider: "opencode-server", exe: "opencode", ..KILLED_AND_RESUMED };
}

/// A copy at a turn, one at the end, and going back, which puts the files back, too: each goes on from what it knows, and the thread that
/// was copied knows nothing of its copies.
#[test]
fn copies_and_going_back() {
    SERVER.at_desk("opencode", JACKFIELD, |desk| {
        let lines = desk.run(&HELLO, &[])?;
        let (thread, first) = (text(&lines, "thread.created", "thread")?, text(&lines, "turn.started", "turn")?);
        let write = Turn {
            prompt: "Write it <<script:opencode-write>>",
            says: &["The file is written."],
            tools: &[("write", "completed")],
            answers: &[true],
            ..TURN
        };
        desk.run(&write, &["--resume", thread, "--approve", "allow"])?;
        ensure!(desk.stage.has("out.txt"), "the file is written");

        let copied = desk.asks(&["threads", "fork", thread, "--at", first])?;
        let at_turn = copied[0]["id"].as_str().context("the copy")?;
        desk.run(&AFTER_ALL, &["--resume", at_turn])?;
        knows(desk, &["Say hello", "And now"], &["Write it"])?;
        let copied = desk.asks(&["threads", "fork", thread])?;
        let whole = copied[0]["id"].as_str().context("the copy")?;
        desk.run(&AFTER_ALL, &["--resume", whole])?;
        knows(desk, &["Say hello", "Write it", "And now"], &[])?;

        desk.types(&["threads", "rollback", thread, "--to", first], 0)?;
        ensure!(!desk.stage.has("out.txt"), "its tools' changes are taken back");
        desk.run(&SECOND, &["--resume", thread])?;
        knows(desk, &["Say hello", "And again"], &["Write it", "And now"])?;
        // What it says of its own is behind the point, too: it was resumed, and only the server knows what was said.
        desk.types(&["threads", "rollback", thread, "--to", "start"], 0)?;
        desk.run(&AFTER_ALL, &["--resume", thread])?;
        knows(desk, &["And now"], &["Say hello", "And again"])
    });
}

/// Whether the conversation that the model saw last holds the first and none of the second.
fn knows(desk: &Desk<'_>, there: &[&str], gone: &[&str]) -> Result<()> {
    let seen = desk.stage.mock.conversation();
    for text in there {
        ensure!(remembers(&seen, text), "the model is not told `{text}`");
    }
    for text in gone {
        ensure!(!remembers(&seen, text), "the model is told `{text}`");
    }
    Ok(())
}

/// What the first line of this type has there.
fn text<'a>(lines: &'a [Value], kind: &str, name: &str) -> Result<&'a str> {
    let line = lines.iter().find(|line| line["type"] == kind);
    line.and_then(|line| line[name].as_str()).with_context(|| format!("no {name} in {kind}"))
}

/// How far the steps of the list are, as told last.
fn steps(lines: &[Value]) -> Vec<&str> {
    let plans = lines.iter().rev().find(|line| line["type"] == "plan.updated");
    let steps = plans.and_then(|line| line["plan"]["steps"].as_array()).into_iter().flatten();
    steps.filter_map(|step| step["status"].as_str()).collect()
}

/// How the subagent ended, and what came of it.
fn subagent(lines: &[Value]) -> (&str, &str) {
    let mut ends = lines.iter().filter(|line| line["type"] == "task.updated" && line["task"]["status"] != "running");
    let (Some(end), None) = (ends.next(), ends.next()) else { return ("not told once", "") };
    let word = |name: &str| end["task"][name].as_str().unwrap_or_default();
    (word("status"), word("summary"))
}
