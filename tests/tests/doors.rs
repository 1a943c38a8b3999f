//! Every door with good and bad input: what a person or a script sees, and that nothing hangs and nothing is lost.

use jackfield_tests::door::{Door, Ended, SHAKES_HANDS, TAKES_THE_PROMPT, finish, is_running, text};
use jackfield_tests::packed::{bundled, replace_manifest};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn door() -> Door {
    Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"))
}

// The first success: no key, no network, no program.

#[test]
fn the_first_run_needs_nothing() {
    let door = door();
    let ended = door.run(&["run", "hello there"]).expect(0, &["demonstration", "hello there", "thr_"]);
    assert!(ended.stdout.contains("hello there"), "the answer is on stdout");
    assert!(!ended.stdout.contains('\x1b') && !ended.stderr.contains('\x1b'), "no colour without a terminal");
}

#[test]
fn everything_the_demonstration_shows_is_well_formed() {
    for words in [
        "help",
        "reasoning",
        "plan",
        "tool",
        "question",
        "subagent",
        "long",
        "reasoning plan tool subagent long",
        "tool tool tool",
    ] {
        let ended =
            door().run(&["run", "--json", "--approve", "allow", words]).expect(0, &["\"completed\""]).well_formed();
        assert!(!ended.said().is_empty(), "{words}: {}", ended.stdout);
    }
    door().run(&["run", "--json", "error"]).expect(1, &["overloaded"]).well_formed();
}

#[test]
fn the_same_prompt_gives_the_same_words() {
    let words = |ended: Ended| (ended.said(), ended.of_type("item.ended").len());
    let play =
        || words(door().run(&["run", "--json", "--approve", "allow", "reasoning plan tool subagent"]).expect(0, &[]));
    assert_eq!(play(), play());
}

// Approvals.

#[test]
fn approvals_are_asked_allowed_and_refused() {
    let answered = |ended: &Ended| ended.of_type("request.resolved")[0].clone();
    let ended = door().run(&["run", "--json", "--approve", "allow", "tool"]).expect(0, &[]).well_formed();
    assert_eq!(
        (answered(&ended)["resolution"]["allowed"].as_bool(), answered(&ended)["resolution"]["by"].as_str()),
        (Some(true), Some("rule --approve allow"))
    );
    assert!(
        ended
            .of_type("item.ended")
            .iter()
            .any(|event| event["item"]["kind"] == "tool" && event["item"]["status"] == "completed")
    );

    let ended = door().run(&["run", "--json", "--approve", "deny", "tool"]).expect(0, &[]).well_formed();
    assert_eq!(answered(&ended)["resolution"]["allowed"], false);
    assert!(
        ended
            .of_type("item.ended")
            .iter()
            .any(|event| event["item"]["kind"] == "tool" && event["item"]["status"] == "declined")
    );
}

#[test]
fn without_a_terminal_ask_becomes_deny_and_says_so() {
    let ended = door().run(&["run", "tool"]).expect(0, &["--approve ask becomes deny", "refused (no-terminal)"]);
    assert!(!ended.stdout.contains("hello from the demonstration"));
    let ended = door().run(&["run", "--json", "tool"]).expect(0, &["--approve ask becomes deny"]).well_formed();
    assert_eq!(ended.of_type("request.resolved")[0]["resolution"]["by"], "no-terminal");
}

// Two turns, threads, resume.

#[test]
fn a_thread_goes_on_and_is_shown() {
    let door = door();
    let first = door.run(&["run", "--json", "my first words"]).expect(0, &[]).well_formed();
    let thread = first.thread();
    let second = door.run(&["run", "--json", "--resume", &thread, "my second words"]).expect(0, &[]).well_formed();
    assert_eq!(second.thread(), thread);
    assert_eq!(second.of_type("run.created")[0]["ordinal"], 2);
    assert_eq!(second.of_type("session.started")[0]["resumed"], true);
    let last_of_first = first.events().iter().filter_map(|event| event["seq"].as_u64()).max();
    let first_of_second = second.events().iter().filter_map(|event| event["seq"].as_u64()).min();
    assert!(first_of_second > last_of_first, "no number is used twice");
    door.run(&["threads", "list"]).expect(0, &[&thread, "scripted", "my first words"]);
    door.run(&["threads", "show", &thread]).expect(0, &["> my first words", "> my second words", "completed"]);
    door.run(&["threads", "show", &thread, "--json"]).expect(0, &["run.ended"]);
    door.run(&["run", "--resume", &thread, "--provider", "claude-code", "x"])
        .expect(2, &["was begun with jackfield/scripted"]);
}

#[test]
fn threads_that_are_not_there_are_named() {
    door().run(&["threads", "list"]).expect(0, &["no threads yet"]);
    door().run(&["threads", "show", "nonsense"]).expect(2, &["'nonsense'", "threads list"]);
    door().run(&["threads", "show", "thr_00000000"]).expect(2, &["thr_00000000", "threads list"]);
    door().run(&["run", "--resume", "thr_00000000", "x"]).expect(2, &["thr_00000000"]);
}

#[test]
fn a_thread_in_use_is_busy_for_others() {
    let door = door();
    let thread = door.run(&["run", "--json", "hello"]).expect(0, &[]).thread();
    let mut slow = door.command(&["run", "--json", "--resume", &thread, "slow"]).spawn().unwrap();
    let mut lines = BufReader::new(slow.stdout.take().unwrap()).lines();
    lines.by_ref().map_while(Result::ok).find(|line| line.contains("item.delta")).expect("it streams");
    door.run(&["run", "--resume", &thread, "hello"]).expect(1, &["in use", &slow.id().to_string()]);
    kill(Pid::from_raw(slow.id() as i32), Signal::SIGKILL).unwrap();
    slow.wait().unwrap();
    // The lease went with its holder.
    let ended = door.run(&["run", "--json", "--resume", &thread, "hello again"]).expect(0, &[]).well_formed();
    let shown = door.run(&["threads", "show", &thread, "--json"]).expect(0, &[]);
    let events = shown.events();
    assert!(
        events.iter().any(|event| event["type"] == "session.ended" && event["reason"] == "host_died"),
        "{}",
        shown.stdout
    );
    for run in shown.of_type("run.created") {
        assert_eq!(shown.of_type("run.ended").iter().filter(|end| end["run"] == run["run"]).count(), 1);
    }
    for item in shown.of_type("item.started") {
        assert_eq!(
            shown.of_type("item.ended").iter().filter(|end| end["item"]["id"] == item["item"]["id"]).count(),
            1,
            "{item}"
        );
    }
    let mut seqs: Vec<u64> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    let all = seqs.len();
    seqs.dedup();
    assert_eq!(seqs.len(), all, "no number twice");
    assert!(ended.said().contains("hello again"));
}

#[test]
fn a_message_that_waits_is_kept_when_the_host_dies() {
    let door = door();
    let stuck = format!("claude={}", text(&door.script("stuck", "sleep 300")));
    let mut child =
        door.command(&["run", "--json", "--provider", "claude-code", "--exe", &stuck, "the first"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let opened = lines.next().unwrap();
    lines.find(|line| line.contains("session.started")).expect("the message is taken on");
    kill(Pid::from_raw(child.id() as i32), Signal::SIGKILL).unwrap();
    child.wait().unwrap();
    let thread = serde_json::from_str::<serde_json::Value>(&opened).unwrap()["thread"].as_str().unwrap().to_owned();
    let body = format!(
        r#"{SHAKES_HANDS}
while read -r prompt; do
  case "$prompt" in *'"type":"user"'*) ;; *) continue ;; esac
  printf '%s\n' "$prompt" >> "$HOME/seen"
  printf '%s\n' '{{"type":"system","subtype":"init","session_id":"11111111-1111-4111-8111-111111111111","model":"m","tools":[]}}'
  printf '%s\n' '{{"type":"result","subtype":"success","is_error":false,"result":"x"}}'
done"#
    );
    let works = format!("claude={}", text(&door.script("works", &body)));
    let ended = door.run(&["run", "--json", "--resume", &thread, "--exe", &works, "the second"]).expect(0, &[]);
    assert_eq!(ended.of_type("run.ended").len(), 2, "{}", ended.stdout);
    let seen = std::fs::read_to_string(door.data().parent().unwrap().join("home/seen")).unwrap();
    let seen: Vec<&str> = seen.lines().collect();
    assert!(seen.len() == 2 && seen[0].contains("the first") && seen[1].contains("the second"), "{seen:?}");
}

#[test]
fn a_pending_approval_expires_when_the_host_dies() {
    let door = door();
    // A person at a terminal who never answers.
    let mut command = door.at_terminal("run --approve ask tool");
    command.env("TERM", "dumb").stderr(Stdio::null()).process_group(0);
    let mut asked = command.spawn().unwrap();
    let mut out = BufReader::new(asked.stdout.take().unwrap());
    let mut seen = String::new();
    while !seen.contains("Enter refuses") {
        let mut piece = vec![0; 1];
        assert!(std::io::Read::read(&mut out, &mut piece).unwrap() > 0, "{seen}");
        seen.push(piece[0] as char);
    }
    // The terminal's program is not ours to kill: it would only hang up. The lease names the one that holds the thread.
    let lock = std::fs::read_dir(door.data().join("locks")).unwrap().next().unwrap().unwrap().path();
    let holder: i32 = std::fs::read_to_string(lock).unwrap().trim().parse().unwrap();
    // What a client saw is stored a moment later, or announced as a gap; here it is to be stored.
    let list = door.run(&["threads", "list", "--json"]).expect(0, &[]);
    let thread = list.events()[0]["id"].as_str().unwrap().to_owned();
    let deadline = Instant::now() + Duration::from_secs(60);
    while door.run(&["threads", "show", &thread, "--json"]).expect(0, &[]).of_type("request.opened").is_empty() {
        assert!(Instant::now() < deadline, "the request is stored");
    }
    kill(Pid::from_raw(holder), Signal::SIGKILL).unwrap();
    asked.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while door.run(&["run", "--resume", &thread, "hello"]).code != 0 {
        assert!(Instant::now() < deadline, "the dead host's lease is freed");
    }
    let shown = door.run(&["threads", "show", &thread, "--json"]).expect(0, &[]);
    assert_eq!(shown.of_type("request.resolved")[0]["resolution"]["outcome"], "expired");
}

// Ctrl-C.

fn interrupted_at(door: &Door, prompt: &str, marker: &str, signals: u32) -> Ended {
    let mut child = door.command(&["run", "--json", prompt]).spawn().unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut stdout = String::new();
    while !stdout.contains(marker) {
        assert!(reader.read_line(&mut stdout).unwrap() > 0, "{stdout}");
    }
    let pid = Pid::from_raw(child.id() as i32);
    let rest = std::thread::spawn(move || {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut reader, &mut rest).unwrap();
        rest
    });
    for n in 0..signals {
        if n > 0 {
            std::thread::sleep(Duration::from_millis(100));
        }
        kill(pid, Signal::SIGINT).unwrap();
    }
    let mut ended = finish(child, b"");
    ended.stdout = stdout + &rest.join().unwrap();
    ended
}

#[test]
fn ctrl_c_interrupts_and_a_slow_answer_is_waited_for() {
    let ended = interrupted_at(&door(), "slow", "item.delta", 1).expect(130, &["\"interrupted\""]).well_formed();
    assert_eq!(ended.of_type("run.ended")[0]["status"], "interrupted");
    assert!(!ended.said().is_empty(), "what was said is kept");
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let began = Instant::now();
    let ended = interrupted_at(&door(), "slow", "item.delta", 2).expect(130, &[]).well_formed();
    assert_eq!(ended.of_type("run.ended")[0]["status"], "interrupted");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn ctrl_c_while_an_approval_waits_refuses_it() {
    let door = door();
    let ended = interrupted_at(&door, "slow tool", "item.delta", 1).expect(130, &[]).well_formed();
    assert!(ended.of_type("request.opened").is_empty(), "nothing is asked after the interrupt");
}

// Bad command lines.

#[test]
fn wrong_command_lines_are_usage() {
    let door = door();
    for (args, words) in [
        (&["run"][..], &["PROMPT"][..]),
        (&["run", ""], &["prompt is empty"]),
        (&["run", "   "], &["prompt is empty"]),
        (&["run", "--provider", "nobody", "x"], &["no provider 'nobody'", "scripted", "claude-code", "--plugin"]),
        (&["run", "--plugin", "/nonexistent/p.wasm", "x"], &["/nonexistent/p.wasm"]),
        (&["run", "--plugin", "/", "x"], &["no file"]),
        (&["run", "--plugin", "a.wasm", "--provider", "scripted", "x"], &["--plugin", "--provider"]),
        (&["run", "--cwd", "/nonexistent", "x"], &["/nonexistent", "--cwd"]),
        (&["run", "--cwd", "/etc/hostname", "x"], &["/etc/hostname", "folder"]),
        (&["run", "--option", "nonsense", "x"], &["NAME=VALUE"]),
        (&["run", "--option", "nosuch=1", "x"], &["no option 'nosuch'"]),
        (&["run", "--exe", "claude=/bin/true", "x"], &["starts no program called 'claude'"]),
        (&["run", "--env", "=x", "x"], &["no name of an environment variable"]),
        (&["run", "--env", "LD_PRELOAD=/x.so", "x"], &["LD_PRELOAD"]),
        (&["run", "--env", "NOT_SET_ANYWHERE", "x"], &["NOT_SET_ANYWHERE", "not set"]),
        (&["run", "--approve", "maybe", "x"], &["ask", "allow", "deny"]),
        (&["plugin", "inspect", "nobody"], &["no provider 'nobody'"]),
        (&["grant", "revoke", "acme/nothing"], &["acme/nothing", "grant list"]),
        (&["nonsense"], &["nonsense"]),
    ] {
        let ended = door.run(args);
        let _ = ended.expect(2, words);
    }
}

#[test]
fn help_names_the_exit_codes() {
    for args in [&["--help"][..], &["run", "--help"]] {
        door().run(args).expect(
            0,
            &["0 completed", "1 failed", "2 usage", "3 refused", "4 provider unavailable", "130 interrupted"],
        );
    }
}

// Prompts.

#[test]
fn the_prompt_comes_from_stdin_whole() {
    let words = "é".repeat(5 << 20);
    let ended = door().run_with_input(&["run", "--json", "-"], words.as_bytes()).expect(0, &[]).well_formed();
    assert_eq!(ended.of_type("run.created")[0]["content"][0]["value"].as_str().map(str::len), Some(words.len()));
    assert!(ended.said().contains(&words), "ten megabytes come back");
}

#[test]
fn a_prompt_that_can_not_be_is_refused() {
    door().run_with_input(&["run", "-"], b"good \xff\xfe bad").expect(2, &["not UTF-8", "byte 6"]);
    door().run_with_input(&["run", "-"], b"").expect(2, &["prompt is empty"]);
    door().run_with_input(&["run", "-"], &vec![b'a'; 13 << 20]).expect(2, &["prompt_bytes"]);
}

// Plugin files.

#[test]
fn a_file_that_is_no_plugin_is_named_with_the_way_out() {
    let door = door();
    let cases: [(&str, &[u8], &[&str]); 5] = [
        ("empty.wasm", b"", &["empty"]),
        ("text.wasm", b"#!/bin/sh\necho hello\n", &["not a plugin", "script"]),
        ("module.wasm", b"\0asm\x01\0\0\0", &["module", "component"]),
        ("bare.wasm", b"\0asm\x0d\0\x01\0", &["exports nothing"]),
        ("cut.wasm", &bundled("scripted")[..4_000], &["cut.wasm"]),
    ];
    for (name, bytes, words) in cases {
        let path = door.work().join(name);
        std::fs::write(&path, bytes).unwrap();
        let ended = door.run(&["run", "--plugin", &text(&path), "x"]).expect(4, words);
        assert!(ended.stderr.contains(name), "{}", ended.stderr);
        let _ = door.run(&["plugin", "inspect", &text(&path)]).expect(4, words);
    }
    let refused =
        door.audit().iter().filter(|record| record["kind"] == "load" && record["verdict"] == "refused").count();
    assert!(refused >= 5, "{:?}", door.audit());
}

#[test]
fn a_key_that_no_manifest_has_is_named() {
    let door = door();
    let manifest = jackfield_sandbox::inspect(&bundled("scripted")).unwrap().manifest;
    let mut json: serde_json::Value = serde_json::from_slice(&manifest.to_json()).unwrap();
    json["wishes"] = json!(["everything"]);
    let path = door.work().join("greedy.wasm");
    let greedy = replace_manifest(&bundled("scripted"), json.to_string().as_bytes());
    std::fs::write(&path, greedy).unwrap();
    door.run(&["plugin", "inspect", &text(&path)]).expect(4, &["greedy.wasm", "wishes"]);
    door.run(&["run", "--plugin", &text(&path), "x"]).expect(4, &["greedy.wasm", "wishes"]);
}

// Programs that do not behave. The plugin is a real one, the program is a script.

/// Runs a script that shakes hands, takes the prompt, and then does this.
fn after_the_prompt(door: &Door, then: &str) -> Ended {
    with_program(door, &format!("{SHAKES_HANDS}{TAKES_THE_PROMPT}{then}"))
}

fn with_program(door: &Door, body: &str) -> Ended {
    let exe = format!("claude={}", text(&door.script("fake-claude", body)));
    door.run(&["run", "--json", "--provider", "claude-code", "--exe", &exe, "hello"])
}

#[test]
fn a_missing_program_is_named_with_the_way_to_get_it() {
    let ended = door()
        .run(&["run", "--json", "--provider", "claude-code", "hello"])
        .expect(4, &["'claude' is not in PATH", "--exe claude="])
        .well_formed();
    assert_eq!(ended.of_type("session.ended")[0]["reason"], "start_failed");
    door()
        .run(&["run", "--provider", "claude-code", "--exe", "claude=/nonexistent/claude", "hello"])
        .expect(4, &["/nonexistent/claude"]);
    let door = door();
    let plain = door.data().join("plain");
    std::fs::write(&plain, "no program").unwrap();
    let exe = format!("claude={}", text(&plain));
    door.run(&["run", "--provider", "claude-code", "--exe", &exe, "hello"]).expect(4, &[&text(&plain), "chmod +x"]);
    std::fs::set_permissions(&plain, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    door.run(&["run", "--provider", "claude-code", "--exe", &exe, "hello"])
        .expect(4, &[&text(&plain), "no program for this machine"]);
}

#[test]
fn a_program_that_prints_a_banner_and_waits_is_found_out() {
    let door = door().limits(&json!({ "handshake_ms": 5_000, "stdin_close_ms": 300 }));
    let ended = with_program(&door, "echo 'Welcome to the TUI 7'; sleep 300")
        .expect(4, &["Welcome to the TUI 7", "handshake_ms"])
        .well_formed();
    assert_eq!(ended.of_type("session.ended")[0]["fault"]["code"], "handshake-timeout");
}

#[test]
fn a_program_that_closes_its_stdout_and_lives_on_is_ended() {
    let door = door().limits(&json!({ "stdin_close_ms": 300, "terminate_ms": 300 }));
    let ended = with_program(&door, "read first; exec 1>&-; sleep 300").expect(4, &["closed its stdout"]).well_formed();
    assert_eq!(ended.of_type("session.ended")[0]["fault"]["code"], "stdout-closed");
}

#[test]
fn a_program_that_dies_before_it_reads_is_reported_with_its_last_words_too() {
    let _ = with_program(&door(), "exec <&-; echo 'fatal: my config is broken' >&2; exit 3")
        .expect(4, &["fatal: my config is broken", "code 3"])
        .well_formed();
}

#[test]
fn a_log_that_nobody_knows_is_named() {
    door().env("JACKFIELD_LOG", "banana").run(&["run", "x"]).expect(2, &["JACKFIELD_LOG=banana", "debug"]);
    door().env("JACKFIELD_LOG", "jackfield_runtime=debug").run(&["run", "x"]).expect(0, &["effect"]);
}

#[test]
fn a_model_that_there_is_not_is_usage() {
    door().run(&["run", "--model", "nope", "hi"]).expect(2, &["demo-small"]);
}

#[test]
fn a_program_that_dies_is_reported_with_its_last_words() {
    let began = Instant::now();
    let ended = with_program(&door(), "echo 'cannot find my config' >&2; exit 7")
        .expect(4, &["cannot find my config"])
        .well_formed();
    assert_eq!(ended.of_type("session.ended")[0]["exit_code"], 7);
    assert!(began.elapsed() < Duration::from_secs(30), "known at once, not by a timeout");
}

#[test]
fn a_program_that_dies_in_the_middle_fails_the_run_and_closes_what_is_open() {
    let ended = after_the_prompt(
        &door(),
        r#"
printf '%s\n' '{"type":"stream_event","event":{"type":"message_start","message":{"id":"msg_1"}},"parent_tool_use_id":null}'
printf '%s\n' '{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},"parent_tool_use_id":null}'
printf '%s\n' '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half a sen"}},"parent_tool_use_id":null}'
echo 'Segmentation fault' >&2
kill -9 $$"#,
    );
    let ended = ended.expect(1, &["Segmentation fault"]).well_formed();
    assert_eq!(ended.said(), "half a sen");
    assert_eq!(ended.of_type("run.ended")[0]["status"], "failed");
    assert_eq!(ended.of_type("session.ended")[0]["signal"], 9);
}

#[test]
fn silence_is_said_and_ends_nothing() {
    let ended = after_the_prompt(
        &door().limits(&json!({ "silence_ms": 700 })),
        r#"sleep 2
printf '%s\n' '{"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"late, but here"}]},"parent_tool_use_id":null}'
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"late, but here"}'
cat > /dev/null"#,
    );
    let ended = ended.expect(0, &["late, but here"]).well_formed();
    let lines = ended.events();
    let silent: Vec<Option<u64>> = lines.iter().map(|line| line["silent_ms"].as_u64()).collect();
    let stalled: Vec<u64> = silent.iter().copied().flatten().collect();
    assert_eq!(stalled[0], 700);
    // However long it took: each silence begins with the limit, and another one begins only where something was said.
    let lessening = stalled.windows(2).all(|two| two[1] == 700 || two[1] == two[0] * 2);
    let doubles = silent.windows(2).all(|two| match two {
        [Some(before), Some(after)] => *after == before * 2,
        _ => true,
    });
    assert!(lessening && doubles, "it is said less and less often: {silent:?}");
}

#[test]
fn noise_and_broken_bytes_cost_only_themselves() {
    let ended = after_the_prompt(
        &door(),
        r#"printf 'Starting up\n\033[2Jnoise {"type":"result"}\n\n42\n"text"\n[1]\n'
printf '\377\376 junk\n'
printf '{"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"t\303'
sleep 0.2
printf '\251 and \357\277\275"}]},"parent_tool_use_id":null}\r\n'
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"x"}'
cat > /dev/null"#,
    );
    let ended = ended.expect(0, &[]).well_formed();
    assert_eq!(ended.said(), "té and \u{fffd}");
    assert_eq!(ended.of_type("run.ended")[0]["ledger"]["noise"], 6, "{}", ended.stdout);
    assert_eq!(ended.of_type("diagnostic")[0]["note"]["code"], "noise");
}

#[test]
fn a_line_that_is_too_long_costs_only_itself() {
    let door = door().limits(&json!({
        "frame_bytes": 200_000, "prompt_bytes": 100_000, "batch_bytes": 400_000, "item_text_bytes": 200_000,
        "file_read_bytes": 400_000, "query_bytes": 400_000, "http_body_bytes": 400_000
    }));
    let ended = after_the_prompt(
        &door,
        r#"head -c 300000 /dev/zero | tr '\0' 'x' | sed 's/^/{"type":"assistant","text":"/; s/$/"}/'
echo
printf '%s\n' '{"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"after it"}]},"parent_tool_use_id":null}'
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"x"}'
cat > /dev/null"#,
    );
    let ended = ended.expect(0, &["frame_bytes"]).well_formed();
    assert_eq!((ended.said().as_str(), &ended.of_type("run.ended")[0]["ledger"]["too_large"]), ("after it", &json!(1)));
}

#[test]
fn no_process_outlives_the_program_however_it_ends() {
    let door = door().limits(&json!({ "stdin_close_ms": 300, "terminate_ms": 300 }));
    let marker = format!("jackfield-orphan-{}", std::process::id());
    let body = format!(
        "setsid sh -c 'setsid sleep 1234.{marker} & sleep 1234.{marker}' & exec sh -c 'while read l; do :; done; sleep 1234; : {marker}'"
    );
    let exe = format!("claude={}", text(&door.script("fake-claude", &body)));
    let mut child =
        door.command(&["run", "--json", "--provider", "claude-code", "--exe", &exe, "hello"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !is_running(&marker) {
        assert!(Instant::now() < deadline, "the program starts");
        std::thread::sleep(Duration::from_millis(20));
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGKILL).unwrap();
    child.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while is_running(&marker) {
        assert!(Instant::now() < deadline, "a process outlived the host's SIGKILL");
        std::thread::sleep(Duration::from_millis(20));
    }
}

// Places that can't be written to.

#[test]
fn a_closed_stdout_ends_the_run_quietly() {
    let door = door();
    let mut child = door.command(&["run", "--json", "long long long"]).spawn().unwrap();
    drop(child.stdout.take());
    let ended = finish(child, b"");
    let _ = ended.expect(1, &["stdout can't be written"]);
}

#[test]
fn a_full_stdout_ends_the_run() {
    let door = door();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let child = door.command(&["run", "--json", "hello"]).stdout(full).spawn().unwrap();
    let _ = finish(child, b"").expect(1, &["stdout can't be written", "resumed"]);
}

#[test]
fn a_data_folder_that_can_not_be_written_is_named() {
    let door = door().env("JACKFIELD_DATA", "/proc/nowhere");
    door.run(&["run", "x"]).expect(1, &["/proc/nowhere", "JACKFIELD_DATA"]);
    let file = door.work().join("file");
    std::fs::write(&file, "x").unwrap();
    let door = door.env("JACKFIELD_DATA", text(&file));
    door.run(&["run", "x"]).expect(1, &["JACKFIELD_DATA"]);
    door.run(&["doctor"]).expect(1, &["JACKFIELD_DATA"]);
}

#[test]
fn a_data_folder_of_somebody_else_is_named() {
    if !nix::unistd::geteuid().is_root() {
        // Another user's folder can't be made without being root; a folder without permissions is as good.
        return data_folder_without_permission(door(), None);
    }
    data_folder_without_permission(door(), Some(65_534));
}

fn data_folder_without_permission(door: Door, uid: Option<u32>) {
    use std::os::unix::fs::PermissionsExt;
    let locked = door.data().join("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o500)).unwrap();
    for ancestor in [door.data(), door.work(), door.data().parent().unwrap().to_owned()] {
        std::fs::set_permissions(ancestor, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = door.command(&["run", "x"]);
    command.env("JACKFIELD_DATA", &locked);
    if let Some(uid) = uid {
        // The program itself may lie where only root can read: a copy in a public place runs for anybody.
        let copy = door.data().parent().unwrap().join("program");
        std::fs::copy(env!("CARGO_BIN_EXE_jackfield-under-test"), &copy).unwrap();
        let mut dropped = std::process::Command::new(copy);
        dropped
            .args(["run", "x"])
            .env_clear()
            .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        dropped
            .current_dir(door.work())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .uid(uid)
            .gid(uid);
        command = dropped;
    }
    let _ = finish(command.spawn().unwrap(), b"").expect(1, &["locked"]);
}

#[test]
fn a_store_that_is_none_or_newer_is_refused_and_kept() {
    let door = door();
    let store = door.data().join("jackfield.sqlite");
    std::fs::write(&store, "this is no database, but it may be somebody's").unwrap();
    door.run(&["run", "x"]).expect(1, &["jackfield.sqlite"]);
    assert_eq!(std::fs::read_to_string(&store).unwrap(), "this is no database, but it may be somebody's");
}

#[test]
fn a_full_disk_is_said_and_nothing_hangs() {
    if !nix::unistd::geteuid().is_root() {
        panic!("this test mounts a small tmpfs and needs root, as in CI");
    }
    let door = door();
    let small = door.data().join("small");
    std::fs::create_dir(&small).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=400k", "none"])
        .arg(&small)
        .status()
        .unwrap();
    assert!(mounted.success(), "a tmpfs could not be mounted");
    let door = door.env("JACKFIELD_DATA", text(&small));
    let ended = door.run_with_input(&["run", "-"], "many words ".repeat(100_000).as_bytes());
    std::process::Command::new("umount").arg(&small).status().unwrap();
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("no room left") && ended.stderr.contains("jackfield.sqlite"), "{}", ended.stderr);
}

// A reader that does not keep up.

#[test]
fn a_slow_reader_loses_nothing() {
    let door = door().limits(&json!({ "subscriber_events": 16 }));
    let mut child = door.command(&["run", "--json", "long long"]).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let mut stdout = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut stdout).unwrap();
    let mut ended = finish(child, b"");
    ended.stdout = stdout;
    let ended = ended.expect(0, &[]).well_formed();
    let deltas: String =
        ended.of_type("item.delta").iter().filter_map(|event| event["text"].as_str().map(str::to_owned)).collect();
    let whole: String = ended.said().replace('\n', "");
    assert_eq!(deltas.replace('\n', "").len(), whole.len(), "what was streamed is what was said");
}

// Listings.

#[test]
fn plugins_and_doctor_say_what_there_is() {
    let door = door();
    door.run(&["plugin", "list"]).expect(0, &["scripted", "(default)", "claude-code"]);
    door.run(&["plugin", "list", "--json"]).expect(0, &["\"digest\""]);
    door.run(&["plugin", "inspect", "claude-code"])
        .expect(0, &["start main", "claude -p", "strict", "jackfield:provider/diag", "turns.supports-interrupt"]);
    door.run(&["plugin", "inspect", "scripted", "--json"]).expect(0, &["\"descriptor\""]);
    door.run(&["doctor"]).expect(0, &["host", "claude-code", "'claude' is not in PATH", "npm install"]);
    let path = door.script("claude", "echo '2.1.332 (Claude Code)'");
    let door = door.env("PATH", format!("{}:/bin:/usr/bin", text(path.parent().unwrap())));
    door.run(&["doctor"]).expect(0, &["2.1.332"]);
}

/// What is compiled is kept for those that load a plugin, and no concern of the others.
#[test]
fn the_folder_of_compiled_plugins_is_made_with_the_first_plugin() {
    let door = door();
    let compiled = door.data().with_file_name("compiled-here");
    let door = door.env("JACKFIELD_COMPILED", text(&compiled));
    door.run(&["threads", "list"]).expect(0, &["no threads yet"]);
    assert!(!compiled.exists());
    door.run(&["run", "hello"]).expect(0, &["hello"]);
    assert!(compiled.join("key").exists());
}
