//! No descendant outlives its channel or the host: real trees, ended in every way.

mod support;

use jackfield_core::contract::SignalKind;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{Talk, all_die, host, limits, lives, open, pid_in, sh, shell};

/// A program that lives, a child, and a grandchild that was forked twice and left session, group and parent.
const FAMILY: &str = r#"
    sleep 300 & echo "{\"pid\":$!}"
    (setsid sh -c 'echo "{\"pid\":$$}"; exec sleep 300' &)
    sleep 300"#;

/// The tree of `FAMILY`: program, child, the one who left.
async fn family(talk: &mut Talk) -> [u32; 3] {
    let pids = [talk.channel.pid(), talk.pid().await, talk.pid().await];
    assert!(pids.iter().all(|&pid| lives(pid)), "{pids:?} should live");
    pids
}

/// With `FAMILY`, where what is left behind could work on for longer than any of these tests waits: who dies sooner was ended at once.
async fn patient() -> Talk {
    open(shell(FAMILY), limits(|limits| limits.leftover_ms = 300_000), 64).await.expect("starts")
}

#[tokio::test]
async fn dropping_the_channel_ends_all() {
    let mut talk = patient().await;
    let pids = family(&mut talk).await;
    drop(talk);
    all_die(&pids).await;
}

#[tokio::test]
async fn the_kill_signal_ends_all() {
    let mut talk = patient().await;
    let pids = family(&mut talk).await;
    talk.channel.signal(SignalKind::Kill);
    let (_, exit) = talk.rest().await;
    assert_eq!((exit.code, exit.signal, exit.fault), (None, Some(9), None));
    all_die(&pids).await;
}

#[tokio::test]
async fn a_program_that_ends_leaves_nobody_even_one_that_holds_its_pipes() {
    // One counts how long it may work on, in time that a busy machine takes from it as from whoever ends it.
    let counts = r#"read x; while :; do echo '{"tick":1}'; sleep 0.1; done & exit 6"#;
    let script = format!("{}{counts}", FAMILY.trim_end_matches("sleep 300"));
    let mut talk = sh(&script).await;
    let pids = [talk.pid().await, talk.pid().await];
    let start = Instant::now();
    talk.write(b"{}".to_vec()).expect("queued");
    let (said, exit) = talk.rest().await;
    assert_eq!((exit.code, exit.fault), (Some(6), None));
    assert!(start.elapsed() < Duration::from_secs(30), "they hold the pipes for 300 s: {:?}", start.elapsed());
    assert!(said.frames.len() < 50, "100 ms (limit leftover_ms) are no 5 s: {} ticks", said.frames.len());
    all_die(&pids).await;
}

#[tokio::test]
async fn a_crash_is_known_at_once() {
    let script = r#"echo '{"ready":1}'; read x; echo dying >&2; kill -9 $$"#;
    let mut talk = open(shell(script), limits(|limits| limits.leftover_ms = 60_000), 64).await.expect("starts");
    talk.frame().await;
    talk.write(b"{}".to_vec()).expect("queued");
    let start = Instant::now();
    let (_, exit) = talk.rest().await;
    assert_eq!((exit.signal, exit.stderr_tail.as_str()), (Some(9), "dying\n"));
    assert!(start.elapsed() < Duration::from_secs(30), "no leftovers, no grace: {:?}", start.elapsed());
}

#[tokio::test]
async fn the_ladder_ends_what_ignores_everything() {
    let fast = limits(|limits| (limits.stdin_close_ms, limits.terminate_ms) = (1_000, 500));
    let script = r#"trap '' TERM INT HUP; echo '{"ready":1}'; while :; do sleep 0.05; done"#;
    let mut talk = open(shell(script), fast, 64).await.expect("starts");
    talk.frame().await;
    let start = Instant::now();
    assert!(talk.channel.end() && talk.channel.end(), "asked twice, it ends once");
    assert!(start.elapsed() < Duration::from_millis(900), "`end` does not wait");
    let (_, exit) = talk.rest().await;
    assert_eq!(exit.signal, Some(9));
    // The limits that are not given would take 8 s.
    assert!((1_500..7_500).contains(&start.elapsed().as_millis()), "{:?}", start.elapsed());

    let gentle = limits(|limits| (limits.stdin_close_ms, limits.terminate_ms, limits.close_ms) = (150, 60_000, 90_000));
    let mut talk =
        open(shell("trap 'exit 9' TERM; echo '{}'; while :; do sleep 0.05; done"), gentle, 64).await.expect("starts");
    talk.frame().await;
    talk.channel.end();
    assert_eq!(talk.rest().await.1.code, Some(9), "SIGTERM comes before SIGKILL");
}

/// A process's field of `/proc/PID/stat` behind its name: 0 is its state, 1 its parent.
fn stat(pid: u32, field: usize) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(stat.rsplit_once(") ")?.1.split(' ').nth(field)?.to_owned())
}

fn parent(pid: u32) -> u32 {
    stat(pid, 1).and_then(|parent| parent.parse().ok()).expect("a parent")
}

/// True while it is neither gone nor stopped.
fn works(pid: u32) -> bool {
    stat(pid, 0).is_some_and(|state| !["Z", "X", "T"].contains(&state.as_str()))
}

#[tokio::test]
async fn a_supervisor_that_is_killed_or_stopped_is_noticed() {
    for signal in ["-KILL", "-STOP"] {
        let fast = limits(|limits| (limits.stdin_close_ms, limits.terminate_ms, limits.kill_ms) = (50, 50, 300));
        let script = format!("sleep 300 & echo \"{{\\\"pid\\\":$!}}\"; read x; kill {signal} $PPID; sleep 300");
        let mut talk = open(shell(&script), fast, 64).await.expect("starts");
        let pids = [talk.channel.pid(), talk.pid().await];
        let supervisor = parent(pids[0]);
        talk.write(b"{}".to_vec()).expect("queued").await.expect("an answer").expect("written");
        while works(supervisor) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        talk.channel.end();
        let (_, exit) = talk.rest().await;
        assert_eq!(exit.fault.and_then(|fault| fault.code).as_deref(), Some("supervisor-lost"), "{signal}");
        all_die(&pids).await;
    }
}

#[tokio::test]
async fn a_supervisor_that_is_stopped_before_it_answers_leaves_nobody() {
    let fast = limits(|limits| limits.spawn_ms = 500);
    let _either = open(shell("kill -STOP $PPID; exec sleep 271.8281"), fast, 64).await.map(drop);
    let is_running = || {
        std::fs::read_dir("/proc").unwrap().flatten().any(|process| {
            std::fs::read(process.path().join("cmdline")).is_ok_and(|line| line.ends_with(b"271.8281\0"))
        })
    };
    // Three looks in a row: between two programs a process has no command line.
    let (start, mut absent) = (Instant::now(), 0);
    while absent < 3 {
        assert!(start.elapsed() < Duration::from_secs(20), "it lives on");
        absent = if is_running() { 0 } else { absent + 1 };
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_fork_bomb_is_ended() {
    let script = r#"f() { sleep 300 & (setsid sleep 300 &); }; echo '{"ready":1}'; while :; do f; sleep 0.002; done"#;
    let mut talk = sh(script).await;
    talk.frame().await;
    let start = Instant::now();
    while talk.channel.processes().await.is_none_or(|processes| processes <= 10) {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not multiply");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    talk.channel.signal(SignalKind::Kill);
    assert_eq!(talk.rest().await.1.fault, None);
}

#[tokio::test]
async fn the_hosts_death_ends_all() {
    for signal in ["-KILL", "-INT", "-TERM"] {
        let mut host = host(FAMILY).stdout(Stdio::piped()).spawn().expect("the host starts");
        let mut lines = BufReader::new(host.stdout.take().expect("piped")).lines();
        let pids = [(); 2].map(|()| pid_in(&lines.next().expect("a line").expect("text")));
        assert!(pids.iter().all(|&pid| lives(pid)));
        Command::new("kill").args([signal, &host.id().to_string()]).status().expect("kill");
        host.wait().expect("the host dies");
        all_die(&pids).await;
    }
}

/// The kernel's word about a parent's death is about the thread that forked; it must not be taken for the host's.
#[test]
fn the_end_of_the_thread_that_started_it_ends_nothing() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let handle = runtime.handle().clone();
    let mut talk = std::thread::spawn(move || handle.block_on(sh(r#"echo '{"ready":1}'; read x; echo '{"still":1}'"#)))
        .join()
        .unwrap();
    runtime.block_on(async {
        talk.frame().await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        talk.write(b"{}".to_vec()).expect("queued");
        assert_eq!(talk.frame().await, "{\"still\":1}");
    });
}
