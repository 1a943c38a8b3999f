//! A stream stays open while background work goes on: it is waited for, served, bounded, and ended when told to.
//!
//! The plugin is a real one; the program is a recording's player, or a script.

use jackfield_tests::door::{Door, Ended, finish, text};
use jackfield_tests::live::Live;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use std::io::{BufRead, BufReader};

fn door() -> Door {
    Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"))
}

/// A program that begins a background task in its first turn, ends the turn, and then does this.
fn with_background(door: &Door, then: &str) -> String {
    let body = format!(
        r#"read first
id=$(printf '%s' "$first" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
say() {{ printf '%s\n' "$1"; }}
say '{{"type":"control_response","response":{{"subtype":"success","request_id":"'"$id"'","response":{{}}}}}}'
while read -r prompt; do case "$prompt" in *'"type":"user"'*) break ;; esac; done
say '{{"type":"system","subtype":"init","session_id":"11111111-1111-4111-8111-111111111111","model":"m","tools":[]}}'
say '{{"type":"assistant","message":{{"id":"m1","role":"assistant","content":[{{"type":"tool_use","id":"t1","name":"Task","input":{{"description":"Count","prompt":"Count"}}}}]}},"parent_tool_use_id":null}}'
say '{{"type":"system","subtype":"task_started","task_id":"a1","tool_use_id":"t1","description":"Count","task_type":"local_agent"}}'
say '{{"type":"system","subtype":"background_tasks_changed","tasks":[{{"task_id":"a1"}}]}}'
say '{{"type":"result","subtype":"success","is_error":false,"result":"Started it.","stop_reason":"end_turn"}}'
{then}"#
    );
    format!("claude={}", text(&door.script("background", &body)))
}

const FOREVER: &str = "while read -r line; do :; done";

/// The task ends, and the program takes a turn about it.
const ENDS: &str = r#"
say '{"type":"system","subtype":"background_tasks_changed","tasks":[]}'
say '{"type":"system","subtype":"task_notification","task_id":"a1","tool_use_id":"t1","status":"completed","summary":"Counted"}'
sleep 0.2
say '{"type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"It is counted."}]},"parent_tool_use_id":null}'
say '{"type":"result","subtype":"success","is_error":false,"result":"It is counted.","stop_reason":"end_turn"}'
while read -r line; do :; done"#;

fn reason(ended: &Ended) -> String {
    ended.of_type("stream.closed")[0]["reason"].as_str().unwrap().to_owned()
}

#[test]
fn background_work_is_waited_for_and_so_is_the_turn_about_it() {
    let door = door();
    let exe = with_background(&door, &format!("sleep 1\n{ENDS}"));
    let ended = door
        .run(&["run", "--json", "--provider", "claude-code", "--exe", &exe, "count"])
        .expect(0, &["It is counted."])
        .well_formed();
    assert_eq!(reason(&ended), "finished");
    assert_eq!(ended.of_type("run.ended")[0]["background"], true);
    let run_ended = ended.events().iter().position(|event| event["type"] == "run.ended").unwrap();
    let said = ended.events().iter().rposition(|event| event["item"]["text"] == "It is counted.").unwrap();
    assert!(said > run_ended, "it came after the run");
}

#[test]
fn a_task_without_end_is_ended_at_the_bound() {
    let door = door().limits(&json!({ "roster_wait_ms": 1_500 }));
    let exe = with_background(&door, FOREVER);
    let ended =
        door.run(&["run", "--json", "--provider", "claude-code", "--exe", &exe, "count"]).expect(0, &[]).well_formed();
    assert_eq!(reason(&ended), "roster_timeout");
    let closed = ended.of_type("stream.closed")[0].clone();
    assert_eq!(closed["tasks"].as_array().map(Vec::len), Some(1), "{closed}");
    let last = ended.of_type("task.updated").pop().unwrap();
    assert_ne!(last["task"]["status"], "running", "it does not outlive the session: {last}");
}

#[test]
fn a_person_is_told_and_ctrl_c_ends_it() {
    let door = door();
    let exe = with_background(&door, FOREVER);
    let mut child = door.command(&["run", "--provider", "claude-code", "--exe", &exe, "count"]).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut seen = String::new();
    while !seen.contains("1 background task still runs; Ctrl-C ends it") {
        assert!(stderr.read_line(&mut seen).unwrap() > 0, "{seen}");
    }
    assert!(seen.contains("done in"), "the run is over: {seen}");
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    finish(child, b"").expect(0, &[]);
}

#[test]
fn what_background_work_asks_is_put_to_the_script() {
    let door = door();
    let asks = format!(
        r#"say '{{"type":"control_request","request_id":"ask-1","request":{{"subtype":"can_use_tool","tool_name":"Bash","input":{{"command":"ls"}},"agent_id":"a1","tool_use_id":"t2"}}}}'
while read -r answer; do case "$answer" in *ask-1*) break ;; esac; done
{ENDS}"#
    );
    let exe = with_background(&door, &asks);
    let mut live = Live::start(door, &["--provider", "claude-code", "--exe", &exe, "count"]);
    live.until_type("run.ended");
    let asked = live.rewind().until_type("request.opened");
    let allow =
        asked["request"]["options"].as_array().unwrap().iter().find(|offer| offer["verdict"] == "allow_once").unwrap();
    live.say(json!({ "type": "answer", "request": asked["request"]["id"], "option": allow["id"] })).end_of_input();
    let ended = live.ended().expect(0, &["It is counted."]).well_formed();
    assert_eq!(ended.of_type("request.resolved")[0]["resolution"]["by"], "script");
    assert_eq!(reason(&ended), "finished");
}

#[test]
fn a_recorded_background_agent_is_heard_to_its_end() {
    let file = text(&xtask::root().join("tests/recordings/claude-code-2.1.197/subagent_background.jsonl"));
    let exe = format!("claude={}", env!("CARGO_BIN_EXE_play"));
    let mut args = vec!["run", "--json", "--approve", "allow", "--provider", "claude-code", "--exe", &exe];
    for arg in ["__cli", "claude-code", &file] {
        args.extend(["--exe-arg", arg]);
    }
    args.push("Delegate <<script:bgagent>>");
    let ended = door().run(&args).expect(0, &["Started it.", "Done."]);
    assert_eq!(reason(&ended), "finished");
}
