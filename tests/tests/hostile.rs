//! What no plugin may do, through the real program: each misdeed ends in a typed refusal or error, an audit record, and no
//! effect; a neighbour that streams meanwhile is undisturbed.

use jackfield_core::contract::Content;
use jackfield_core::event::{EventBody, ItemBody, SessionEvent};
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_runtime::host::{Host, HostConfig};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::process::{SUPERVISE, Supervisor};
use jackfield_tests::block_on;
use jackfield_tests::door::{Door, Ended, finish, text};
use jackfield_tests::hostile;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

/// Limits that a misdeed reaches soon.
fn small() -> Value {
    json!({ "call_cpu_ms": 300 })
}

fn door() -> Door {
    Door::new(PROGRAM).limits(&small())
}

fn plugin(door: &Door) -> String {
    let path = door.data().parent().unwrap().join("hostile.wasm");
    if !path.exists() {
        std::fs::write(&path, hostile::plugin()).unwrap();
    }
    text(&path)
}

fn run(door: &Door, misdeed: &str, more: &[&str]) -> Ended {
    let plugin = plugin(door);
    let mut args = vec!["run", "--json", "--plugin", &plugin];
    args.extend(more);
    args.push(misdeed);
    door.run(&args)
}

#[track_caller]
fn audited(door: &Door, kind: &str, verdict: &str, rule: &str) -> Value {
    let records = door.audit();
    let found =
        records.iter().find(|record| record["kind"] == kind && record["verdict"] == verdict && record["rule"] == rule);
    found.cloned().unwrap_or_else(|| panic!("no record {kind} {verdict} {rule} in {records:#?}"))
}

// Bombs.

#[test]
fn a_bomb_fails_its_own_message_with_the_limit_named() {
    for (misdeed, words) in [
        ("loop", &["call_cpu_ms", "mallory/hostile"][..]),
        ("memory", &["guest_memory_bytes", "mallory/hostile"]),
        ("list", &["call_outputs", "mallory/hostile"]),
        ("bytes", &["call_output_bytes", "mallory/hostile"]),
        ("stack", &["mallory/hostile"]),
        ("panic", &["these are the words of the panic", "mallory/hostile"]),
        ("fault", &["I give up"]),
    ] {
        // Time is the limit of the loop alone: on a loaded machine it must not be the first that others reach.
        let patient = json!({ "call_cpu_ms": if misdeed == "loop" { 300 } else { 60_000 } });
        let door = Door::new(PROGRAM).limits(&patient);
        let ended = run(&door, misdeed, &[]).expect(1, words).well_formed();
        let failed = &ended.of_type("run.ended")[0];
        let message = failed["fault"]["message"].as_str().unwrap();
        assert!(message.contains("(at command "), "it names what it was given: {message}");
        let code = failed["fault"]["code"].as_str().unwrap();
        assert_eq!(ended.of_type("session.ended")[0]["reason"], "closed", "{misdeed}");
        let record = audited(&door, "trap", "noted", code);
        assert_eq!(record["plugin"], "mallory/hostile");
    }
}

#[test]
fn a_neighbour_that_streams_is_undisturbed() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let limits: Limits = serde_json::from_value(small()).unwrap();
        let host = Host::open(HostConfig {
            data: folder.path().join("data"),
            compiled: jackfield_tests::compiled(),
            limits,
            policy: PolicyConfig::default(),
            supervisor: Supervisor { command: PROGRAM.into(), args: vec![SUPERVISE.into()] },
        })
        .unwrap();
        let good = jackfield_bundled::all().iter().find(|plugin| plugin.name == "scripted").unwrap();
        let good = host.add_plugin(good.bytes.to_vec(), true).await.unwrap();
        let bad = host.add_plugin(hostile::plugin(), false).await.unwrap();
        let alone = converse(&host, &good, folder.path(), "long").await;
        for misdeed in
            ["loop", "memory", "stack", "list", "panic", "bytes", "no-grant", "cat", "no-profile", "write-nowhere"]
        {
            let (beside, hurt) = tokio::join!(
                converse(&host, &good, folder.path(), "long"),
                converse(&host, &bad, folder.path(), misdeed)
            );
            assert_eq!(shape(&beside), shape(&alone), "beside {misdeed}");
            assert!(hurt.iter().any(|event| matches!(event.draft.body, EventBody::SessionEnded { .. })), "{misdeed}");
        }
    });
}

async fn converse(
    host: &Host,
    plugin: &jackfield_runtime::host::Plugin,
    folder: &std::path::Path,
    prompt: &str,
) -> Vec<Arc<SessionEvent>> {
    let thread = host.new_thread(plugin, Instance::default(), folder).await.unwrap();
    let mut events = thread.subscribe();
    thread.send(vec![Content::Text(prompt.into())]).await.unwrap();
    let mut all = Vec::new();
    while let Some(event) = events.next().await {
        let over = matches!(event.draft.body, EventBody::RunEnded { .. });
        all.push(event);
        if over {
            break;
        }
    }
    thread.close().await.unwrap();
    while let Some(event) = events.next_now() {
        all.push(event);
    }
    all
}

/// What was said, without ids and times.
fn shape(events: &[Arc<SessionEvent>]) -> Vec<String> {
    let told = events.iter().filter_map(|event| match &event.draft.body {
        EventBody::ItemDelta { kind, text, .. } => Some(format!("{kind:?} {text}")),
        EventBody::ItemEnded { item } => Some(match &item.body {
            ItemBody::AssistantMessage { text, .. } => format!("{:?} {text}", item.status),
            other => format!("{:?} {:?}", item.status, std::mem::discriminant(other)),
        }),
        EventBody::RunEnded { status, .. } => Some(format!("{status:?}")),
        _ => None,
    });
    told.collect()
}

// Wishes that nobody granted.

#[test]
fn a_program_that_was_not_granted_does_not_start() {
    for (misdeed, code) in [
        ("cat", "not-granted"),
        ("no-grant", "interpreter"),
        ("no-profile", "no-such-profile"),
        ("dash-hole", "hole"),
        ("extra-hole", "hole"),
    ] {
        let door = door();
        let ended = run(&door, misdeed, &[]).well_formed();
        let refused = ended.of_type("effect.refused");
        assert!(refused[0]["code"].as_str().unwrap().contains(code), "{misdeed}: {refused:?}");
        assert!(!door.audit().iter().any(|record| record["kind"] == "spawn" && record["verdict"] == "allowed"));
        let _ = audited(&door, "spawn", "refused", refused[0]["code"].as_str().unwrap());
    }
}

#[test]
fn a_refusal_says_how_to_grant() {
    let door = door();
    let _ = run(&door, "cat", &[]).expect(0, &["jackfield grant add", "not-granted"]);
}

#[test]
fn a_grant_lets_one_program_of_one_build_run_until_it_is_revoked() {
    let door = door();
    let plugin = plugin(&door);
    door.run(&["grant", "add", &plugin, "--profile", "nonsense"]).expect(2, &["no profile 'nonsense'", "cat"]);
    door.run(&["grant", "add", &plugin, "--profile", "cat"]).expect(0, &["granted", "may act as you", "/cat"]);
    let _ = run(&door, "cat", &[]).expect(0, &["the program says"]).well_formed();
    let record = audited(&door, "spawn", "allowed", "granted");
    assert_eq!(record["facts"]["env"], json!(["HOME", "PATH", "TMPDIR", "LANG"]), "nothing is inherited");
    // Another program of the same plugin is not granted by that.
    let _ = run(&door, "no-grant", &[]).expect(0, &["effect.refused", "interpreter"]);
    door.run(&["grant", "list"]).expect(0, &["mallory/hostile", "/cat"]);
    door.run(&["grant", "revoke", "mallory/hostile", "--profile", "shell"]).expect(2, &["no such grant"]);
    door.run(&["grant", "revoke", "mallory/hostile"]).expect(0, &["revoked 1"]);
    let _ = run(&door, "cat", &[]).expect(0, &["not-granted"]);
}

#[test]
fn a_shell_is_no_program_to_be_granted_by_default() {
    let door = door();
    door.run(&["grant", "add", &plugin(&door), "--profile", "shell"]).expect(2, &["runs any code it is given"]);
}

#[test]
fn a_json_channel_takes_one_value_at_a_time() {
    for misdeed in ["newline", "not-json"] {
        let door = door();
        door.run(&["grant", "add", &plugin(&door), "--profile", "cat"]).expect(0, &[]);
        let ended = run(&door, misdeed, &[]).expect(0, &["not-one-message"]).well_formed();
        assert!(ended.said().contains("refused: not-one-message"), "the plugin is told: {}", ended.said());
        assert!(!ended.said().contains("the program says"), "nothing reached the program");
        let _ = audited(&door, "write", "refused", "not-one-message");
    }
}

#[test]
fn what_is_not_open_can_not_be_written_to_or_signalled() {
    for misdeed in ["write-nowhere", "signal-nowhere"] {
        let _ = run(&door(), misdeed, &[]).expect(0, &["no-such-channel"]).well_formed();
    }
    let _ = run(&door(), "timers", &[]).expect(0, &["too-many-timers"]);
    let _ = run(&door(), "endless-timer", &[]).expect(0, &["timer-out-of-range"]);
}

// Guarded exchanges.

/// Runs the plugin with a program that asks for approval and says what it was answered.
fn asks(misdeed: &str, approve: &str) -> (Door, Ended) {
    let door = door();
    let program = door.script(
        "hostile-asks",
        r#"echo '{"type":"ask","id":"q1","input":{"command":"ls"}}'
read answer
printf '%s\n' "$answer" > "$HOME/answered"
echo '{"type":"done"}'
cat >/dev/null"#,
    );
    let exe = format!("hostile-asks={}", text(&program));
    door.run(&["grant", "add", &plugin(&door), "--profile", "asks", "--exe", &exe]).expect(0, &[]);
    let ended = run(&door, misdeed, &["--approve", approve, "--exe", &exe]);
    (door, ended)
}

fn answered(door: &Door) -> Option<Value> {
    let path = door.data().parent().unwrap().join("home/answered");
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

#[test]
fn an_honest_answer_passes() {
    let (door, ended) = asks("honest", "allow");
    let _ = ended.expect(0, &["the program says"]).well_formed();
    assert_eq!(
        answered(&door),
        Some(json!({ "type": "answer", "id": "q1", "verdict": "yes", "input": { "command": "ls" } }))
    );
    let (door, ended) = asks("honest", "deny");
    let _ = ended.expect(0, &[]).well_formed();
    assert_eq!(answered(&door).unwrap()["verdict"], "no");
}

#[test]
fn a_plugin_can_not_answer_for_the_person() {
    for (misdeed, approve) in [
        ("self-approve", "deny"),
        ("self-approve", "allow"),
        ("deny-to-allow", "deny"),
        ("edit-input", "allow"),
        ("slip-rules", "allow"),
    ] {
        let (door, ended) = asks(misdeed, approve);
        let ended = ended.well_formed();
        assert_eq!(answered(&door), None, "{misdeed}: no answer reached the program");
        let refused = ended.of_type("effect.refused");
        assert_eq!(refused[0]["effect"], "write", "{misdeed}: {refused:?}");
        let _ = audited(&door, "write", "refused", refused[0]["code"].as_str().unwrap());
    }
}

// Text.

#[test]
fn nothing_a_plugin_says_moves_the_terminal() {
    let door = door();
    let plugin = plugin(&door);
    let ended = door.run(&["run", "--plugin", &plugin, "escape"]).expect(0, &["gone"]);
    assert!(
        !ended.stdout.contains('\x1b') && !ended.stdout.contains('\u{202e}') && !ended.stdout.contains('\x07'),
        "{:?}",
        ended.stdout
    );
}

#[test]
fn a_second_end_of_a_turn_is_no_second_end_of_the_run() {
    let _ = run(&door(), "two-ends", &[]).expect(0, &[]).well_formed();
}

// Floods, and words about what is not its own.

/// Starts a misdeed that never ends by itself, and interrupts it once it shows; how long it took to end.
fn interrupted(door: &Door, misdeed: &str, marker: &str) -> (Ended, std::time::Duration) {
    let plugin = plugin(door);
    let args = ["run", "--json", "--approve", "allow", "--plugin", &plugin, misdeed];
    let mut child = door.command(&args).spawn().unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut stdout = String::new();
    while !stdout.contains(marker) {
        assert!(reader.read_line(&mut stdout).unwrap() > 0, "{misdeed}: {stdout}");
    }
    let rest = std::thread::spawn(move || {
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        rest
    });
    std::thread::sleep(std::time::Duration::from_millis(300));
    let began = std::time::Instant::now();
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let mut ended = finish(child, b"");
    ended.stdout = stdout + &rest.join().unwrap();
    (ended, began.elapsed())
}

#[test]
fn a_plugin_that_keeps_itself_busy_can_be_interrupted() {
    for (misdeed, marker) in
        [("effect-loop", "effect.refused"), ("timer-loop", "turn.started"), ("no-answer", "request.opened")]
    {
        let door = Door::new(PROGRAM).limits(&json!({ "session_refusals": 1_000_000 }));
        let (ended, took) = interrupted(&door, misdeed, marker);
        let ended = ended.expect(130, &[]).well_formed();
        assert_eq!(ended.of_type("run.ended")[0]["status"], "interrupted", "{misdeed}");
        assert!(took < std::time::Duration::from_secs(20), "{misdeed} held the end up for {took:?}");
    }
}

#[test]
fn a_plugin_that_is_refused_without_end_loses_its_session() {
    let door = door();
    let ended = run(&door, "effect-loop", &[]).expect(1, &["session_refusals", "mallory/hostile"]).well_formed();
    assert_eq!(ended.of_type("session.ended")[0]["fault"]["code"], "too-many-refusals");
    assert!(door.audit().len() < 2_000, "the audit file is no place to fill the disk from");
}

#[test]
fn floods_are_bounded_and_close() {
    for (misdeed, words) in [
        ("many-requests", "open_requests"),
        ("diagnostics", "kind-0"),
        ("nesting", "\"completed\""),
        ("strange-numbers", "\"completed\""),
    ] {
        // Limits of time are for the loop; here the whole of a flood must come through on a loaded machine.
        let door = Door::new(PROGRAM).limits(&json!({ "call_cpu_ms": 60_000 }));
        let ended = run(&door, misdeed, &["--approve", "allow"]).expect(0, &[words]).well_formed();
        assert!(ended.events().len() < 20_000, "{misdeed}: {} events", ended.events().len());
    }
    // Its own run it may call failed, whatever thread it says that of.
    let _ = run(&door(), "others-threads", &[]).expect(1, &["\"failed\""]).well_formed();
}

// Components that want more than there is.

#[test]
fn a_component_that_wants_the_system_is_refused_before_it_is_compiled() {
    let door = door();
    for (name, source, words) in [
        (
            "sockets",
            "(component (import \"wasi:sockets/tcp@0.2.6\" (instance)))",
            &["wasi:sockets/tcp@0.2.6", "mallory", "effect"][..],
        ),
        ("files", "(component (import \"wasi:filesystem/types@0.2.6\" (instance)))", &["wasi:filesystem/types@0.2.6"]),
        ("world", "(component (import \"acme:other/thing@1.0.0\" (instance)))", &["acme:other/thing@1.0.0"]),
    ] {
        let path = door.work().join(format!("{name}.wasm"));
        std::fs::write(&path, hostile::with_manifest(&wat::parse_str(source).unwrap())).unwrap();
        let ended = door.run(&["run", "--plugin", &text(&path), "x"]);
        assert_eq!(ended.code, 4, "{}", ended.stderr);
        assert!(ended.stderr.contains(words[0]), "{}", ended.stderr);
    }
    let record = audited(&door, "load", "refused", "forbidden-imports");
    assert!(
        record["facts"]["message"].as_str().unwrap().contains("acme:other")
            || record["facts"]["message"].as_str().unwrap().contains("wasi:")
    );
}
