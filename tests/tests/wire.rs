//! The mock model, judged by the real Claude Code alone, without Jackfield: what the scenarios of `real.rs` stand on.
//! When these hold and those do not, the fault is ours.

use anyhow::{Context, Result};
use jackfield_tests::real::{Process, Stage, on_stage, wanted};
use serde_json::{Value, json};
use std::process::Command;

const ARGUMENTS: &[&str] = &[
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    "--permission-prompt-tool",
    "stdio",
];

#[test]
fn text_is_understood() {
    check(|stage| {
        let result = talk(stage, "Say hello <<script:hello>>", |_| None)?;
        assert_eq!(result["result"], "Hello from the scripted model, in several pieces.");
        assert_eq!(stage.mock.conversation().len(), 1);
        Ok(())
    });
}

#[test]
fn thinking_is_understood() {
    check(|stage| {
        let result = talk(stage, "Think <<script:think>>", |_| None)?;
        assert_eq!(result["result"], "Here is the considered answer.");
        Ok(())
    });
}

#[test]
fn a_tool_is_asked_for_and_run() {
    check(|stage| {
        let allow = |request: &Value| Some(json!({ "behavior": "allow", "updatedInput": request["input"] }));
        let result = talk(stage, "Make it <<script:touch>>", allow)?;
        assert_eq!(result["result"], "The tool has had its turn.");
        assert!(stage.has("made-by-bash.txt"));
        assert_eq!(stage.mock.conversation().iter().map(|seen| seen.step).collect::<Vec<_>>(), [0, 1]);
        Ok(())
    });
}

#[test]
fn a_refused_tool_does_not_run() {
    check(|stage| {
        talk(stage, "Make it <<script:touch>>", |_| Some(json!({ "behavior": "deny", "message": "no" })))?;
        assert!(!stage.has("made-by-bash.txt"));
        Ok(())
    });
}

#[test]
fn http_errors_are_taken_for_what_they_are() {
    check(|stage| {
        let result = talk(stage, "Go <<script:down>>", |_| None)?;
        assert_eq!((&result["is_error"], &result["api_error_status"]), (&json!(true), &json!(500)), "{result}");
        let result = talk(stage, "Go <<script:limited>>", |_| None)?;
        assert_eq!((&result["is_error"], &result["api_error_status"]), (&json!(true), &json!(429)), "{result}");
        let result = talk(stage, "Go <<script:down-once>>", |_| None)?;
        assert_eq!(result["result"], "Recovered after one failure.");
        Ok(())
    });
}

#[test]
fn a_broken_stream_is_taken_for_one() {
    check(|stage| {
        talk(stage, "Go <<script:cut>>", |_| None)?;
        let asked = stage.mock.conversation().len();
        assert!(asked > 1, "the CLI must have asked again after the cut, and asked {asked} times");
        Ok(())
    });
}

#[test]
fn an_interrupt_ends_the_stream() {
    check(|stage| {
        let mut process = open(stage, &[])?;
        ask(&mut process, "Go slow <<script:slow>>")?;
        process.until("the first words", |seen| json!(seen).to_string().contains("The beginnin"))?;
        control(&mut process, "interrupt")?;
        process.until("a result", |seen| result(seen).is_some())?;
        let result = result(&process.seen).context("a result")?;
        assert_eq!(result["terminal_reason"], "aborted_streaming", "{result}");
        close(process, result).map(drop)
    });
}

#[test]
fn a_conversation_goes_on_in_another_process() {
    check(|stage| {
        let first = talk(stage, "Say hello <<script:hello>>", |_| None)?;
        let mut process = open(stage, &["--resume", first["session_id"].as_str().context("session_id")?])?;
        ask(&mut process, "And now <<script:third>>")?;
        process.until("a result", |seen| result(seen).is_some())?;
        let result = result(&process.seen).context("a result")?;
        assert_eq!(result["result"], "Third answer, after the restart.");
        let seen = stage.mock.conversation();
        let messages = seen.last().map(|seen| seen.body["messages"].to_string()).unwrap_or_default();
        assert!(messages.contains("Hello from the scripted model"), "{messages}");
        close(process, result).map(drop)
    });
}

fn check(play: impl FnOnce(&Stage) -> Result<()> + Send) {
    if wanted("claude-code") {
        on_stage("claude-code", play).unwrap_or_else(|error| panic!("{error:#}"));
    }
}

/// One turn with the CLI itself, over its own lines; `answer` answers its requests for a tool.
fn talk(stage: &Stage, prompt: &str, answer: impl Fn(&Value) -> Option<Value>) -> Result<Value> {
    let mut process = open(stage, &[])?;
    ask(&mut process, prompt)?;
    let mut answered = 0;
    loop {
        let asks = |line: &&Value| line["type"] == "control_request";
        process.until("a result or a request", |seen| {
            result(seen).is_some() || seen.iter().filter(asks).count() > answered
        })?;
        if let Some(result) = result(&process.seen) {
            return close(process, result);
        }
        let request = process.seen.iter().filter(asks).nth(answered).cloned().context("a request")?;
        answered += 1;
        let reply = answer(&request["request"]).context("a request that the test did not expect")?;
        let response = json!({ "subtype": "success", "request_id": request["request_id"], "response": reply });
        process.say(&json!({ "type": "control_response", "response": response }))?;
    }
}

fn open(stage: &Stage, more: &[&str]) -> Result<Process> {
    let mut command = Command::new(&stage.cli);
    stage.dress(&mut command).args(ARGUMENTS).args(more).current_dir(&stage.folder).envs(stage.operator_environment());
    let mut process = Process::start(&mut command, true)?;
    control(&mut process, "initialize")?;
    Ok(process)
}

/// Sends a control request and waits for its answer.
fn control(process: &mut Process, subtype: &str) -> Result<()> {
    process.say(&json!({ "type": "control_request", "request_id": subtype, "request": { "subtype": subtype } }))?;
    process.until("its answer", |seen| seen.iter().any(|line| line["response"]["request_id"] == subtype))
}

fn ask(process: &mut Process, prompt: &str) -> Result<()> {
    process.say(&json!({ "type": "user", "message": { "role": "user", "content": prompt } }))
}

fn result(seen: &[Value]) -> Option<Value> {
    seen.iter().find(|line| line["type"] == "result").cloned()
}

fn close(mut process: Process, result: Value) -> Result<Value> {
    process.hang_up();
    process.end()?;
    Ok(result)
}
