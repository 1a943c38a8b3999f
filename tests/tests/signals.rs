//! Signals at a run that a person watches: what they end, how fast, and that nothing is left running.

use jackfield_tests::door::{Door, Ended, SHAKES_HANDS, TAKES_THE_PROMPT, finish, is_running, text};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

fn door() -> Door {
    Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"))
}

/// Sends a signal as soon as this is on stdout.
fn signalled(door: &Door, args: &[&str], marker: &str, signal: Signal) -> (Ended, Duration) {
    let mut child = door.command(args).spawn().unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut stdout = String::new();
    while !stdout.contains(marker) {
        assert!(reader.read_line(&mut stdout).unwrap() > 0, "{stdout}");
    }
    kill(Pid::from_raw(child.id() as i32), signal).unwrap();
    let began = Instant::now();
    let rest = std::thread::spawn(move || {
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        rest
    });
    let mut ended = finish(child, b"");
    ended.stdout = stdout + &rest.join().unwrap();
    (ended, began.elapsed())
}

#[test]
fn to_hang_up_or_to_be_told_to_go_ends_the_run_at_once() {
    for signal in [Signal::SIGHUP, Signal::SIGTERM] {
        let door = door();
        let (ended, _) = signalled(&door, &["run", "--json", "slow"], "item.delta", signal);
        let ended = ended.expect(130, &[]).well_formed();
        assert_eq!(ended.of_type("stream.closed")[0]["reason"], "interrupted", "{signal}");
        assert_eq!(ended.of_type("run.ended").len(), 1, "{signal}");
        door.run(&["run", "--resume", &ended.thread(), "hello"]).expect(0, &["hello"]);
    }
}

#[test]
fn ctrl_c_while_the_session_closes_ends_it_at_once() {
    let door = door().limits(&json!({ "stdin_close_ms": 40_000, "terminate_ms": 10_000, "close_ms": 60_000 }));
    // It takes no notice of the end of its stdin, nor of SIGTERM.
    let then = r#"printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"x"}'
trap '' TERM
while :; do sleep 0.2; done"#;
    let exe =
        format!("claude={}", text(&door.script("stays-for-ever", &format!("{SHAKES_HANDS}{TAKES_THE_PROMPT}{then}"))));
    let args = ["run", "--json", "--provider", "claude-code", "--exe", &exe, "hello"];
    let (ended, took) = signalled(&door, &args, "run.ended", Signal::SIGINT);
    let ended = ended.expect(0, &["\"completed\""]).well_formed();
    assert!(took < Duration::from_secs(30), "it waited for the program to end by itself: {took:?}");
    assert_eq!(ended.of_type("session.ended").len(), 1);
    assert!(!is_running("stays-for-ever"), "nothing is left");
}
