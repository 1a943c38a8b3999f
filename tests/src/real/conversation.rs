//! A conversation with one run of the program: messages, answers and interrupts go in as lines (`--input json`), and each message is
//! judged as a run of its own. So a CLI that takes seconds to start is started once for all that can be said to it.

use super::case::{Act, Case, Turn};
use super::judge;
use super::process::Process;
use super::stage::Stage;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::time::SystemTime;

/// Holds the conversation and judges it.
pub(super) fn hold(stage: &Stage, jackfield: &str, case: &Case) -> Result<()> {
    let mut command = case.command(stage, jackfield);
    let started = SystemTime::now();
    let mut process = Process::start(command.args(["--input", "json", "--approve", "ask"]), true)?;
    for (number, turn) in case.turns.iter().enumerate() {
        let taken = (turn.before)(stage).and_then(|()| take(stage, &mut process, turn));
        taken.with_context(|| format!("turn {} ({})", number + 1, turn.prompt))?;
    }
    process.hang_up();
    let (status, stderr) = process.end()?;
    println!("{}", judge::times(&process.seen, started));
    judge::conversation(&process.seen, case.turns, status.code())
        .with_context(|| format!("exit {:?}; stderr: {stderr}", status.code()))
}

/// Says one message and does what belongs to it, until its run has ended.
fn take(stage: &Stage, process: &mut Process, turn: &Turn) -> Result<()> {
    ensure!(turn.args.is_empty(), "arguments are the program's, not a message's: {:?}", turn.args);
    let from = process.seen.len();
    process.say(&json!({ "type": "message", "text": turn.prompt }))?;
    let (mut answered, mut acted) = (0, false);
    loop {
        process.until("the run's end", |seen| {
            let lines = &seen[from..];
            ended(lines) || requests(lines).count() > answered || (!acted && reached(stage, turn.act, lines))
        })?;
        let lines = &process.seen[from..];
        let stop = !acted && reached(stage, turn.act, lines);
        let asked = requests(lines).nth(answered).cloned();
        if ended(lines) {
            return Ok(());
        }
        if stop {
            acted = true;
            process.say(&json!({ "type": "interrupt" }))?;
        } else if let Some(request) = asked {
            // What is stopped in place of an answer gets none.
            if turn.act != Act::InterruptAtRequest {
                process.say(&answer(&request, turn, answered)?)?;
            }
            answered += 1;
        }
    }
}

/// The answer that the turn has for its request of that number. A question is answered with the first of its choices.
fn answer(request: &Value, turn: &Turn, number: usize) -> Result<Value> {
    let allow = turn.answers.get(number).with_context(|| format!("nobody expects this to be asked: {request}"))?;
    if *allow && request["subject"] == "questions" {
        let first = |one: &Value| json!({ "question": one["id"], "values": [one["choices"][0]["value"]] });
        let answers: Vec<Value> = request["questions"].as_array().into_iter().flatten().map(first).collect();
        return Ok(json!({ "type": "answer", "request": request["id"], "answers": answers }));
    }
    let verdict = if *allow { "allow_once" } else { "reject_once" };
    let mut options = request["options"].as_array().into_iter().flatten();
    let option = options
        .find(|option| option["verdict"] == verdict)
        .with_context(|| format!("{verdict} is not offered: {request}"))?;
    Ok(json!({ "type": "answer", "request": request["id"], "option": option["id"] }))
}

fn reached(stage: &Stage, act: Act, lines: &[Value]) -> bool {
    match act {
        Act::InterruptAtText(text) => judge::streamed(lines).contains(text),
        Act::InterruptAtFile(file) => stage.has(file),
        Act::InterruptAtRequest => requests(lines).next().is_some(),
        _ => false,
    }
}

fn ended(lines: &[Value]) -> bool {
    judge::of(lines, "run.ended").next().is_some()
}

fn requests(lines: &[Value]) -> impl Iterator<Item = &Value> {
    judge::of(lines, "request.opened").map(|line| &line["request"])
}
