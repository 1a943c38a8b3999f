//! Talking with real programs: what goes in, what comes out, what is refused. How they end is in `process_end.rs`.

mod support;

use jackfield_core::contract::SignalKind;
use jackfield_runtime::framing::Framing;
use jackfield_runtime::process::{ChannelEvent, SpawnError, SpawnSpec, Supervisor, WriteError, spawn};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::{Talk, all_die, limits, lives, open, sh, shell, supervisor, testbed};
use tokio::time::{sleep, timeout};

#[tokio::test]
async fn messages_noise_stderr_and_the_exit_code_arrive() {
    let mut talk = sh(r#"echo 'hello'; echo '{"a":1}'; echo oops >&2; printf '{"b":2}'; exit 3"#).await;
    let (said, exit) = talk.rest().await;
    assert_eq!(
        (said.frames, said.noise, said.stderr.as_str()),
        (vec!["{\"a\":1}".to_owned(), "{\"b\":2}".to_owned()], vec!["hello".to_owned()], "oops\n")
    );
    assert_eq!((exit.code, exit.signal, exit.stderr_tail.as_str(), exit.fault), (Some(3), None, "oops\n", None));
    assert!(!talk.channel.signal(SignalKind::Kill), "a closed channel takes no signal");
    assert!(!talk.channel.end());
    assert_eq!(talk.channel.processes().await, None);
}

#[tokio::test]
async fn a_program_gets_exactly_what_was_asked() {
    let script = r#"
        tr '\0' '\n' < /proc/self/environ >&2
        echo "{\"cwd\":\"$(pwd)\",\"fds\":\"$(ls /proc/self/fd | tr '\n' ' ')\"}"
        grep SigBlk /proc/self/status >&2"#;
    let mut spec = shell(script);
    spec.env.push(("SECRET".to_owned(), "s3cret".to_owned()));
    spec.cwd = "/usr".into();
    let mut talk = open(spec, limits(|_| ()), 64).await.expect("starts");
    let (said, _) = talk.rest().await;
    // 3 is the folder that `ls` itself reads.
    assert_eq!(said.frames, ["{\"cwd\":\"/usr\",\"fds\":\"0 1 2 3 \"}"]);
    let path = format!("PATH={}", std::env::var("PATH").unwrap());
    let mut env: Vec<&str> = said.stderr.lines().collect();
    assert_eq!(env.pop(), Some("SigBlk:\t0000000000000000"));
    env.sort_unstable();
    assert_eq!(env, [path.as_str(), "SECRET=s3cret"]);
}

/// A host that a shell has in the background has signals ignored; its programs do not, and their ends are heard of.
#[test]
fn a_program_begins_with_no_signal_ignored() {
    let script = r#"echo "{\"ignored\":\"$(sed -n 's/^SigIgn:[^0-9a-f]*//p' /proc/self/status)\"}"; exit 3"#;
    let as_in_the_background = r#"trap '' INT QUIT HUP TERM CHLD ALRM USR1 USR2 PIPE; exec "$0" host "$1""#;
    let mut host = Command::new("/bin/sh")
        .args(["-c", as_in_the_background, testbed().to_str().expect("a path"), script])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host starts");
    let lines = BufReader::new(host.stdout.take().expect("piped")).lines();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
    let said = [(); 2].map(|()| told.recv_timeout(Duration::from_secs(20)).unwrap_or_default());
    host.kill().and_then(|()| host.wait()).expect("it dies");
    let ignored: serde_json::Value = serde_json::from_str(&said[0]).expect("JSON");
    let ignored = u64::from_str_radix(ignored["ignored"].as_str().expect("a mask"), 16).expect("in hexadecimal");
    // The C library's own two are nobody's to set.
    let ours = [1, 2, 3, 10, 12, 13, 14, 15, 17].iter().fold(0, |mask, number| mask | 1_u64 << (number - 1));
    assert_eq!((ignored & ours, said[1].as_str()), (0, "ended with Some(3)"), "{ignored:x}");
}

#[tokio::test]
async fn a_supervisor_shows_no_secret() {
    let mut spec = shell(
        r#"printf '{"x":"%s %s"}' "$(tr '\0' ' ' < /proc/$PPID/cmdline)" "$(tr '\0' ' ' < /proc/$PPID/environ)""#,
    );
    spec.env.push(("SECRET".to_owned(), "s3cret".to_owned()));
    let frame = open(spec, limits(|_| ()), 64).await.expect("starts").frame().await;
    assert_eq!(frame, "{\"x\":\"jackfield-supervisor __supervise  \"}");
}

#[tokio::test]
async fn stderr_is_read_even_when_nobody_takes_anything() {
    let script = r#"echo '{"first":1}'; echo '{"second":2}'; head -c 1048576 /dev/zero | tr '\0' e >&2; echo last words >&2; echo '{"result":1}'"#;
    let mut talk = open(shell(script), limits(|_| ()), 1).await.expect("starts");
    // A queue of one, and nobody takes from it: the program must come to its end all the same.
    all_die(&[talk.channel.pid()]).await;
    let (said, exit) = talk.rest().await;
    assert_eq!(said.frames, ["{\"first\":1}", "{\"second\":2}", "{\"result\":1}"]);
    assert_eq!(said.stderr.len() as u64 + said.stderr_dropped, 1_048_576 + 11);
    assert!(said.stderr_dropped > 0 && said.stderr.ends_with("elast words\n"));
    assert!(exit.stderr_tail.ends_with("elast words\n"));
    assert_eq!((exit.stderr_tail.len(), exit.code), (4096, Some(0)));
}

#[tokio::test]
async fn a_slow_consumer_loses_nothing() {
    let script =
        r#"x=$(printf '%04000d' 0); i=0; while [ $i -lt 6000 ]; do echo "{\"n\":$i,\"x\":\"$x\"}"; i=$((i+1)); done"#;
    let mut talk =
        open(shell(script), limits(|limits| limits.read_queue_bytes = 64 * 1024), 4096).await.expect("starts");
    sleep(Duration::from_millis(300)).await;
    assert!(lives(talk.channel.pid()), "24 MB do not fit: the program waits");
    let mut next = 0;
    loop {
        match talk.next().await.expect("an event") {
            ChannelEvent::Frame { data: jackfield_core::contract::FrameData::Text(text), held, .. } => {
                assert!(text.starts_with(&format!("{{\"n\":{next},")) && text.len() > 4000, "message {next}");
                next += 1;
                if next % 100 == 0 {
                    sleep(Duration::from_millis(2)).await;
                }
                drop(held);
            }
            ChannelEvent::Closed { exit, .. } => break assert_eq!(exit.code, Some(0)),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(next, 6000);
}

const HUNDRED_MEGABYTES: &str = r#"head -c 100000000 /dev/zero | tr '\0' a; echo; echo '{"ok":1}'; sleep 300"#;

#[tokio::test]
async fn a_hundred_megabytes_without_a_newline_are_one_fault() {
    let mut talk = sh(HUNDRED_MEGABYTES).await;
    assert!(matches!(talk.next().await, Some(ChannelEvent::TooLarge { bytes: 100_000_000, .. })));
    assert_eq!(talk.frame().await, "{\"ok\":1}");
}

#[test]
fn a_hundred_megabytes_without_a_newline_stay_bounded_in_memory() {
    let mut host = Command::new(testbed())
        .args(["host", HUNDRED_MEGABYTES])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host starts");
    let line = BufReader::new(host.stdout.take().expect("piped")).lines().next().expect("a line").expect("text");
    let status = std::fs::read_to_string(format!("/proc/{}/status", host.id())).expect("the host lives");
    host.kill().and_then(|()| host.wait()).expect("it dies");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak").trim();
    let peak: u64 = peak.trim_end_matches(" kB").parse().expect("a number");
    assert_eq!(line, "{\"ok\":1}");
    assert!(peak < 48 * 1024, "a limit of 16 MiB and a peak of {peak} kB");
}

/// What a shell says to wait until this file is there.
fn waits_for(file: &std::path::Path) -> String {
    format!("while [ ! -e {} ]; do sleep 0.02; done", file.display())
}

#[tokio::test]
async fn a_slow_reader_gets_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let go_on = folder.path().join("go-on");
    let waits = waits_for(&go_on);
    let script = format!(r#"read a; {waits}; read b; read c; echo "{{\"a\":${{#a}},\"b\":${{#b}},\"c\":\"$c\"}}""#);
    let mut talk = sh(&script).await;
    let write = |line: Vec<u8>| talk.write(line).expect("queued");
    let (first, second, third) = (write(b"{}".to_vec()), write(vec![b'x'; 200_000]), write(b"end".to_vec()));
    assert_eq!(first.await, Ok(Ok(())));
    let mut second = second;
    assert!(
        timeout(Duration::from_millis(150), &mut second).await.is_err(),
        "200 kB do not fit a pipe that nobody reads"
    );
    std::fs::write(go_on, "").unwrap();
    assert_eq!((second.await, third.await), (Ok(Ok(())), Ok(Ok(()))));
    assert_eq!(talk.frame().await, "{\"a\":2,\"b\":200000,\"c\":\"end\"}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_became_of_a_line_is_told_before_what_is_said_to_it() {
    let mut talk = sh("exec cat").await;
    let told = Arc::new(AtomicUsize::new(0));
    for answer in 1..=2000 {
        let told_one = told.clone();
        let tell = move |written: Result<(), WriteError>| {
            written.expect("written");
            told_one.fetch_add(1, Ordering::Relaxed);
        };
        talk.channel.write(b"{}".to_vec(), tell).expect("queued");
        talk.frame().await;
        talk.channel.settle();
        assert_eq!(told.load(Ordering::Relaxed), answer, "the answer to line {answer} was faster");
    }
}

#[tokio::test]
async fn what_must_not_be_written_is_refused() {
    let mut talk =
        open(shell("exec sleep 300"), limits(|limits| limits.write_queue_bytes = 100_000), 64).await.expect("starts");
    let refusal = |line: &[u8]| talk.write(line.to_vec()).map(|_| ()).unwrap_err();
    assert_eq!((refusal(b""), refusal(b" \r\t\n")), (WriteError::Blank, WriteError::Blank));
    assert_eq!(refusal(b"{}\n{}"), WriteError::LineEnd { at: 2 });
    assert_eq!(refusal(b"{}\r"), WriteError::LineEnd { at: 2 });
    let queued = talk.write(vec![b'x'; 90_000]).expect("fits");
    assert_eq!(refusal(&[b'x'; 20_000]).code(), "write-queue-full");
    assert_eq!(refusal(&[b'x'; 200_000]).code(), "write-queue-full");
    talk.channel.close_stdin();
    assert_eq!(refusal(b"{}"), WriteError::Closed);
    talk.channel.signal(SignalKind::Kill);
    assert_eq!(queued.await.expect("an answer").unwrap_err().code(), "stdin-broken");
    assert_eq!(talk.rest().await.1.signal, Some(9));
}

#[tokio::test]
async fn closing_stdin_ends_a_program_that_heeds_it() {
    let mut talk = sh("cat >&2; echo '{\"bye\":1}'").await;
    talk.write(b"{\"last\":1}".to_vec()).expect("queued");
    talk.channel.close_stdin();
    let (said, exit) = talk.rest().await;
    assert_eq!((said.stderr.as_str(), said.frames.len(), exit.code), ("{\"last\":1}\n", 1, Some(0)));
}

#[tokio::test]
async fn a_program_that_ends_half_way_breaks_what_waits_to_be_written() {
    let mut talk = sh(r#"read a; echo '{"half":'; echo boom >&2; exit 7"#).await;
    talk.write(b"{}".to_vec()).expect("queued");
    let waiting = talk.write(vec![b'x'; 300_000]).expect("queued");
    let (said, exit) = talk.rest().await;
    assert_eq!((said.frames, exit.code, exit.stderr_tail.as_str()), (vec!["{\"half\":".to_owned()], Some(7), "boom\n"));
    assert!(waiting.await.expect("an answer").is_err());
}

#[tokio::test]
async fn a_program_without_a_stdout_lives_on() {
    let folder = tempfile::tempdir().unwrap();
    let go_on = folder.path().join("go-on");
    let mut talk = sh(&format!("exec >&-; {}; exit 4", waits_for(&go_on))).await;
    assert!(timeout(Duration::from_millis(150), talk.events.recv()).await.is_err(), "the end of a pipe is not the end");
    std::fs::write(go_on, "").unwrap();
    assert_eq!(talk.rest().await.1.code, Some(4));
}

#[tokio::test]
async fn a_signal_reaches_the_tree() {
    let mut talk =
        sh(r#"trap 'echo "{\"heard\":1}"; exit 5' INT; echo '{"ready":1}'; while :; do sleep 0.05; done"#).await;
    talk.frame().await;
    assert!(talk.channel.processes().await.is_some_and(|processes| (1..=2).contains(&processes)));
    assert!(talk.channel.signal(SignalKind::Interrupt));
    let (said, exit) = talk.rest().await;
    assert_eq!((said.frames, exit.code), (vec!["{\"heard\":1}".to_owned()], Some(5)));
}

#[tokio::test]
async fn what_cannot_be_started_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &[u8], mode: u32| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let program = |path: std::path::PathBuf| SpawnSpec { program: path, ..shell("true") };
    let cases = [
        (program(folder.path().join("nothing")), "program-not-found"),
        (program("/bin/sh/x".into()), "program-not-found"),
        (program("sh".into()), "program-not-absolute"),
        (program(file("plain", b"#!/bin/sh\n", 0o644)), "program-not-permitted"),
        (program(folder.path().to_owned()), "program-not-permitted"),
        (program(file("text", b"just words\n", 0o755)), "program-not-executable"),
        (program(file("orphan", b"#!/no/such/interpreter\n", 0o755)), "interpreter-not-found"),
        (SpawnSpec { args: vec!["x".repeat(200_000); 40], ..shell("") }, "arguments-too-long"),
        (SpawnSpec { args: vec!["nul\0".to_owned()], ..shell("") }, "spawn-failed"),
        (SpawnSpec { cwd: folder.path().join("nowhere"), ..shell("") }, "folder-unusable"),
        (SpawnSpec { cwd: "/bin/sh".into(), ..shell("") }, "folder-unusable"),
    ];
    for (spec, code) in cases {
        let program = spec.program.clone();
        let error = open(spec, limits(|_| ()), 64).await.err().unwrap_or_else(|| panic!("{code}: it started"));
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(program.to_str().unwrap()), "{error}");
    }
}

#[tokio::test]
async fn a_supervisor_that_is_none_is_named() {
    let failure = async |command: &str| -> SpawnError {
        let (events, _inbox) = tokio::sync::mpsc::channel(1);
        let supervisor = Supervisor { command: command.into(), args: vec!["-c".to_owned(), "exit 0".to_owned()] };
        spawn(shell("true"), 1, &supervisor, limits(|limits| limits.spawn_ms = 500), events).await.unwrap_err()
    };
    for command in ["/no/such/supervisor", "/bin/sh", "/bin/cat"] {
        let error = failure(command).await;
        assert_eq!(error.code(), "supervisor-failed");
        assert!(error.to_string().contains(command), "{error}");
    }
    let by_hand = Command::new(supervisor().command).args(supervisor().args).stdin(Stdio::null()).output().unwrap();
    assert_eq!(by_hand.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&by_hand.stderr).contains("of no use by hand"));
}

#[tokio::test]
async fn raw_output_is_handed_on_as_it_comes() {
    let spec = SpawnSpec { framing: Framing::Raw, ..shell("printf 'no newline'; read x; printf ' and more'") };
    let Talk { channel, mut events } = open(spec, limits(|_| ()), 64).await.expect("starts");
    let Some(ChannelEvent::Frame { data, .. }) = events.recv().await else { panic!("a piece comes at once") };
    assert_eq!(data, jackfield_core::contract::FrameData::Text("no newline".to_owned()));
    assert!(lives(channel.pid()));
}
