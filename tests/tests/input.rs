//! `run --json --input json`: what a script may write, what it may write wrong, and when it stops writing.
//!
//! After each case the stream is well formed, and every line that was written has had one word.

use jackfield_tests::door::{Door, Ended};
use jackfield_tests::live::Live;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

fn door() -> Door {
    Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"))
}

fn live(args: &[&str]) -> Live {
    Live::start(door(), args)
}

fn codes(ended: &Ended) -> Vec<String> {
    ended.words().into_iter().map(|(_, code)| code).collect()
}

fn answer(request: &Value, with: Value) -> Value {
    let mut line = json!({ "type": "answer", "request": request["request"]["id"] });
    line.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
    line
}

// Each kind of line.

#[test]
fn a_whole_conversation() {
    let mut live = live(&[]);
    live.say(json!({ "type": "message", "id": "first", "text": "tool" }));
    let accepted = live.word();
    assert_eq!(
        (&accepted["type"], &accepted["line"], &accepted["id"]),
        (&"input.accepted".into(), &1.into(), &"first".into())
    );
    live.rewind();
    assert_eq!(live.until_type("run.created")["run"], accepted["run"], "the word names the run");
    let asked = live.until_type("request.opened");
    live.say(answer(&asked, json!({ "option": "allow", "id": "yes" })));
    let resolved = live.until_type("request.resolved");
    assert_eq!(
        resolved["resolution"],
        json!({ "outcome": "answered", "option": "allow", "allowed": true, "by": "script" })
    );
    assert_eq!(live.until_type("run.ended")["status"], "completed");

    live.message("question");
    let asked = live.until_type("request.opened");
    live.say(answer(&asked, json!({ "answers": [{ "question": "colour", "values": ["Green"] }] })));
    assert_eq!(live.until_type("run.ended")["status"], "completed");

    live.message("slow").until_type("item.delta");
    live.say(json!({ "type": "interrupt" }));
    assert_eq!(live.until_type("run.ended")["status"], "interrupted");

    live.message("the last words").until_type("run.ended");
    live.say(json!({ "type": "close", "id": "bye" }));
    let ended = live.ended().expect(0, &["You chose Green.", "the last words"]).well_formed();
    assert_eq!(ended.of_type("run.ended").len(), 4);
    assert!(codes(&ended).iter().all(|code| code == "ok") && ended.words().len() == 8, "{:?}", ended.words());
    assert_eq!(ended.of_type("stream.closed")[0]["reason"], "closed");
}

#[test]
fn a_refusal_with_a_note_an_edited_input_and_a_dismissal() {
    let mut live = live(&["tool tool tool"]);
    let asked = live.until_type("request.opened");
    live.say(answer(&asked, json!({ "option": "reject", "note": "not today" })));
    let asked = live.until_type("request.opened");
    live.say(answer(&asked, json!({ "option": "allow", "input": { "command": "echo edited" } })));
    let asked = live.until_type("request.opened");
    live.say(answer(&asked, json!({ "dismiss": true })));
    live.end_of_input();
    let ended = live.ended().expect(0, &["not today", "edited\\n"]).well_formed();
    let outcomes: Vec<_> =
        ended.of_type("request.resolved").iter().map(|end| end["resolution"]["outcome"].clone()).collect();
    assert_eq!(outcomes, ["answered", "answered", "dismissed"]);
    assert_eq!(codes(&ended), ["ok", "ok", "ok"]);
}

#[test]
fn settings_are_chosen_before_the_first_message_and_between_two() {
    let mut live = live(&[]);
    live.say(json!({ "type": "settings", "values": { "mode": "auto" } }));
    assert_eq!(live.word()["type"], "input.accepted");
    // In this mode the tool does not ask.
    live.message("tool").until_type("run.ended");
    live.say(json!({ "type": "settings", "values": { "model": "demo-large", "mode": "ask" } })).word();
    live.message("tool");
    let asked = live.until_type("request.opened");
    live.say(answer(&asked, json!({ "option": "allow-session" }))).until_type("run.ended");
    live.say(json!({ "type": "settings", "values": { "model": "nonsense" } }));
    let wrong = live.word();
    assert_eq!(wrong["code"], "provider-fault", "{wrong}");
    assert!(wrong["message"].as_str().unwrap().contains("demo-large"), "{wrong}");
    live.say(json!({ "type": "close" }));
    let ended = live.ended().expect(0, &[]).well_formed();
    assert_eq!(ended.of_type("request.opened").len(), 1, "only the second run asks");
    let chosen = ended.of_type("settings.updated").pop().unwrap();
    assert!(chosen["settings"].to_string().contains("demo-large"), "{chosen}");
}

#[test]
fn messages_wait_for_their_turn_in_order() {
    let input = ["one", "two", "three"]
        .map(|text| json!({ "type": "message", "text": text, "delivery": "queue" }).to_string())
        .join("\n");
    let ended =
        door().run_with_input(&["run", "--json", "--input", "json"], input.as_bytes()).expect(0, &[]).well_formed();
    assert_eq!(codes(&ended), ["ok", "ok", "ok"]);
    let ordinals: Vec<_> = ended.of_type("run.created").iter().map(|run| run["ordinal"].as_u64().unwrap()).collect();
    assert_eq!(ordinals, [1, 2, 3]);
    let words: Vec<_> = ["one", "two", "three"].map(|word| ended.said().find(word).unwrap()).to_vec();
    assert!(words.is_sorted(), "{}", ended.said());
    assert_eq!(ended.of_type("stream.closed")[0]["reason"], "finished");
}

#[test]
fn the_rule_of_the_command_line_answers_approvals_and_the_script_questions() {
    let mut live = live(&["--approve", "allow", "tool question"]);
    let question = live.until(|line| line["type"] == "request.opened" && line["request"]["subject"] == "questions");
    live.say(answer(&question, json!({ "answers": [{ "question": "colour", "values": ["Blue"] }] }))).end_of_input();
    let ended = live.ended().expect(0, &["You chose Blue."]).well_formed();
    let by: Vec<_> = ended.of_type("request.resolved").iter().map(|end| end["resolution"]["by"].clone()).collect();
    assert_eq!(by, ["rule --approve allow", "script"]);
}

#[test]
fn a_thread_is_resumed_by_a_script() {
    let door = door();
    let thread = door.run(&["run", "--json", "hello"]).expect(0, &[]).thread();
    let mut live = Live::start(door, &["--resume", &thread]);
    live.message("hello again").until_type("run.ended");
    live.end_of_input();
    let ended = live.ended().expect(0, &["hello again"]).well_formed();
    assert_eq!(ended.thread(), thread);
    assert_eq!(ended.of_type("run.created")[0]["ordinal"], 2);
}

#[test]
fn a_message_into_the_run_at_work_joins_it_or_waits_as_it_says() {
    let mut live = live(&["slow"]);
    live.until_type("item.delta");
    live.say(json!({ "type": "message", "text": "hurry", "delivery": "steer" }));
    let steered = live.word();
    assert_eq!(steered["type"], "input.accepted", "{steered}");
    let joined = live.rewind().until(|line| line["type"] == "run.ended" && line["run"] == steered["run"]);
    assert_eq!((&joined["reason"], joined["joined"].is_string()), (&"joined".into(), true), "{joined}");
    live.say(json!({ "type": "message", "text": "next", "delivery": "now" }));
    assert_eq!(
        live.until(|line| line["type"] == "run.ended" && line["run"] == joined["joined"])["status"],
        "interrupted"
    );
    live.until(|line| line["type"] == "run.ended");
    live.end_of_input();
    let ended = live.ended().expect(0, &["next"]).well_formed();
    assert_eq!(ended.of_type("run.ended").len(), 3);
}

#[test]
fn what_waits_is_listed_changed_and_taken_back() {
    let mut live = live(&["slow"]);
    live.until_type("item.delta");
    let mut runs = Vec::new();
    for text in ["one", "two", "three"] {
        live.say(json!({ "type": "message", "text": text, "delivery": "queue" }));
        runs.push(live.word()["run"].clone());
    }
    live.say(json!({ "type": "edit", "run": runs[0], "text": "changed" })).word();
    live.say(json!({ "type": "withdraw", "run": runs[1] })).word();
    live.say(json!({ "type": "reorder", "runs": [runs[2], runs[0]] })).word();
    live.say(json!({ "type": "queue", "id": "list" }));
    let listed = live.word();
    let waiting: Vec<_> = listed["queue"].as_array().unwrap().iter().map(|one| one["run"].clone()).collect();
    assert_eq!(waiting, [runs[2].clone(), runs[0].clone()], "{listed}");
    assert_eq!(listed["queue"][1]["content"][0]["value"], "changed");
    for (line, code) in [
        (json!({ "type": "withdraw", "run": runs[1] }), "not-waiting"),
        (json!({ "type": "edit", "run": "run_00", "text": "x" }), "not-waiting"),
        (json!({ "type": "edit", "run": "nonsense", "text": "x" }), "invalid-input"),
        (json!({ "type": "promote", "run": runs[1] }), "not-waiting"),
        (json!({ "type": "reorder", "runs": [runs[0]] }), "not-an-order"),
    ] {
        live.say(line);
        assert_eq!(live.word()["code"], code);
    }
    live.say(json!({ "type": "promote", "run": runs[2] }));
    assert_eq!(live.word()["type"], "input.accepted");
    live.say(json!({ "type": "interrupt" })).end_of_input();
    let ended = live.ended().expect(0, &["changed"]).well_formed();
    let end = |run: &Value| ended.of_type("run.ended").into_iter().find(|end| end["run"] == *run).unwrap();
    assert_eq!(
        (end(&runs[0])["status"].clone(), end(&runs[1])["status"].clone()),
        (json!("completed"), json!("cancelled"))
    );
}

#[test]
fn the_context_is_shortened_and_emptied_between_two_messages() {
    let mut live = live(&["one"]);
    live.until_type("run.ended");
    live.say(json!({ "type": "compact", "keep": "the names", "id": "short" }));
    assert_eq!(live.word()["id"], "short");
    live.say(json!({ "type": "clear", "id": "empty" }));
    assert_eq!(live.word()["type"], "input.accepted");
    live.message("slow").until_type("item.delta");
    live.say(json!({ "type": "clear" }));
    live.until(|line| line["line"] == 4 && line["code"] == "provider-fault");
    live.say(json!({ "type": "interrupt" })).until_type("run.ended");
    live.say(json!({ "type": "close" }));
    let ended = live.ended().expect(130, &["you wanted kept: the names"]).well_formed();
    let changes: Vec<_> =
        ended.of_type("context.changed").iter().map(|event| event["change"]["what"].clone()).collect();
    assert_eq!(changes, ["compacted", "cleared"]);
}

#[test]
fn a_thread_is_copied_and_goes_back_by_a_script() {
    let mut live = live(&["one"]);
    live.until_type("run.ended");
    live.message("two").until_type("run.ended");
    live.rewind();
    let first = live.until_type("turn.started")["turn"].clone();
    live.say(json!({ "type": "fork", "id": "all" }));
    let whole = live.until(|line| line["id"] == "all")["thread"].clone();
    live.say(json!({ "type": "fork", "id": "part", "at": first }));
    let part = live.until(|line| line["id"] == "part")["thread"].clone();
    assert!(whole.is_string() && part.is_string() && whole != part, "{whole} {part}");
    live.say(json!({ "type": "rollback", "id": "back", "to": first }));
    live.until(|line| line["id"] == "back" && line["type"] == "input.accepted");
    live.say(json!({ "type": "rollback", "id": "gone", "to": "trn_00000000000000000000" }));
    live.until(|line| line["id"] == "gone" && line["code"] == "provider-fault");
    live.say(json!({ "type": "rollback", "id": "all of it", "to": "start" }));
    live.until(|line| line["id"] == "all of it" && line["type"] == "input.accepted");
    live.say(json!({ "type": "close" }));
    let ended = live.ended().expect(0, &[]).well_formed();
    let back = ended.of_type("thread.rolled_back");
    assert_eq!((back[0]["to"].clone(), back[0]["runs"].as_array().map(Vec::len)), (first, Some(1)));
    assert_eq!((back[1]["to"].clone(), back[1]["runs"].as_array().map(Vec::len)), (Value::Null, Some(1)));
}

#[test]
fn mcp_servers_are_given_and_a_task_is_stopped_by_a_script() {
    let mut live = live(&["background"]);
    let task = live.until_type("task.updated")["task"]["id"].clone();
    live.until_type("run.ended");
    live.say(json!({ "type": "mcp_servers", "id": "m", "servers": { "maps": { "command": "maps", "args": ["-x"] } } }));
    let word = live.until(|line| line["id"] == "m");
    assert_eq!((&word["type"], &word["applies"]), (&json!("input.accepted"), &json!("now")));
    live.message("servers").until_type("run.ended");
    live.say(json!({ "type": "mcp_servers", "id": "wrong", "servers": { "a b": { "command": "x" } } }));
    live.until(|line| line["id"] == "wrong" && line["code"] == "invalid-input");
    live.say(json!({ "type": "stop_task", "id": "s", "task": task }));
    live.until(|line| line["id"] == "s" && line["type"] == "input.accepted");
    live.say(json!({ "type": "stop_task", "id": "again", "task": task }));
    live.until(|line| line["id"] == "again" && line["code"] == "provider-fault");
    live.end_of_input();
    let ended = live.ended().expect(0, &["I may use the MCP servers maps."]).well_formed();
    assert_eq!(ended.of_type("task.updated").last().unwrap()["task"]["status"], "interrupted");
}

// Each wrong line: it costs itself only.

#[test]
fn a_wrong_line_changes_nothing_and_ends_nothing() {
    let mut live = live(&["slow"]);
    live.until_type("item.delta");
    let wrong: [(&[u8], &str); 14] = [
        (b"hello", "not-json"),
        (b"{\"type\":\"message\"", "not-json"),
        (b"[]", "not-json"),
        (b"null", "not-json"),
        (b"", "empty-line"),
        (b"   \r", "empty-line"),
        (b"\xff\xfe{}", "not-utf-8"),
        (b"{}", "invalid-input"),
        (b"{\"type\":\"reboot\"}", "unknown-type"),
        (b"{\"type\":\"message\",\"text\":1}", "invalid-input"),
        (b"{\"type\":\"message\",\"txet\":\"a\"}", "invalid-input"),
        (b"{\"type\":\"answer\",\"request\":\"req_1\",\"option\":\"allow\"}", "not-found"),
        (b"{\"type\":\"answer\",\"request\":\"../../etc\",\"dismiss\":true}", "not-found"),
        (b"{\"type\":\"settings\",\"values\":{\"volume\":\"11\"}}", "provider-fault"),
    ];
    for (line, code) in wrong {
        live.raw(line).raw(b"\n");
        let word = live.word();
        assert_eq!((&word["type"], &word["code"]), (&"input.rejected".into(), &code.into()), "{word}");
        assert!(word["message"].as_str().is_some_and(|message| message.len() > 10), "{word}");
    }
    live.say(json!({ "type": "interrupt" })).until_type("run.ended");
    live.end_of_input();
    let ended = live.ended().expect(130, &["\"interrupted\""]).well_formed();
    assert_eq!(ended.words().len(), wrong.len() + 1, "one word on each line");
    assert_eq!(ended.words().last().unwrap(), &(wrong.len() as u64 + 1, "ok".to_owned()));
}

#[test]
fn answers_that_do_not_fit_leave_the_request_open() {
    let mut live = live(&["tool"]);
    let asked = live.until_type("request.opened");
    for (with, code) in [
        (json!({ "option": "sudo" }), "invalid-option"),
        (json!({ "option": "" }), "invalid-option"),
        (json!({ "answers": [{ "question": "colour", "values": ["Red"] }] }), "invalid-answer"),
        (json!({ "answers": [] }), "invalid-answer"),
        (json!({ "option": "reject", "input": { "command": "rm -rf /" } }), "invalid-answer"),
        (json!({ "option": "allow", "input": "text" }), "invalid-input"),
        (json!({ "option": "allow", "dismiss": true }), "invalid-input"),
        (json!({}), "invalid-input"),
    ] {
        live.say(answer(&asked, with.clone()));
        assert_eq!(live.word()["code"], code, "{with}");
    }
    live.say(answer(&asked, json!({ "option": "reject" })));
    assert_eq!(live.word()["type"], "input.accepted");
    // Twice, and once more when the run is over.
    live.say(answer(&asked, json!({ "option": "allow" })));
    let second = live.word();
    assert_eq!(second["code"], "already-resolved", "{second}");
    assert!(second["message"].as_str().unwrap().contains("script"));
    live.rewind().until_type("run.ended");
    live.say(answer(&asked, json!({ "option": "allow" }))).end_of_input();
    let ended = live.ended().expect(0, &[]).well_formed();
    assert_eq!(codes(&ended).last().unwrap(), "already-resolved");
    assert_eq!(ended.of_type("request.resolved").len(), 1);
    assert_eq!(ended.of_type("request.resolved")[0]["resolution"]["allowed"], false);
}

#[test]
fn two_answers_at_once_are_one_answer() {
    let mut live = live(&["tool"]);
    let asked = live.until_type("request.opened");
    let (yes, no) = (answer(&asked, json!({ "option": "allow" })), answer(&asked, json!({ "option": "reject" })));
    live.raw(format!("{yes}\n{no}\n").as_bytes()).end_of_input();
    let ended = live.ended().expect(0, &[]).well_formed();
    let words = codes(&ended);
    assert_eq!(words[0], "ok");
    assert!(words[1].starts_with("already-"), "{words:?}");
    assert_eq!(ended.of_type("request.resolved")[0]["resolution"]["option"], "allow");
}

#[test]
fn a_line_over_the_limit_is_refused_and_the_next_is_found() {
    let door = door().limits(&json!({ "prompt_bytes": 1_000, "input_line_bytes": 2_000 }));
    let mut live = Live::start(door, &[]);
    live.message(&"a".repeat(3_000));
    assert_eq!(live.word()["code"], "line-too-long");
    live.message(&"b".repeat(1_500));
    assert_eq!(live.word()["code"], "prompt-too-long");
    live.message("short").end_of_input();
    let ended = live.ended().expect(0, &["short", "input_line_bytes", "prompt_bytes"]).well_formed();
    assert_eq!(
        ended.words(),
        [(1, "line-too-long".to_owned()), (2, "prompt-too-long".to_owned()), (3, "ok".to_owned())]
    );
    assert_eq!(ended.of_type("run.created").len(), 1);
}

#[test]
fn a_long_message_comes_whole() {
    let words = "é".repeat(1 << 20);
    let line = json!({ "type": "message", "text": words }).to_string();
    let ended =
        door().run_with_input(&["run", "--json", "--input", "json"], line.as_bytes()).expect(0, &[]).well_formed();
    assert_eq!(ended.of_type("run.created")[0]["content"][0]["value"].as_str().map(str::len), Some(words.len()));
}

#[test]
fn what_is_asked_of_nothing_is_refused() {
    let mut live = live(&[]);
    for (line, code) in [
        (json!({ "type": "interrupt", "id": "i" }), "nothing-active"),
        (json!({ "type": "answer", "request": "req_00", "dismiss": true }), "not-found"),
    ] {
        live.say(line);
        assert_eq!(live.word()["code"], code);
    }
    live.message("hello").until_type("run.ended");
    live.say(json!({ "type": "interrupt" }));
    live.until(|line| line["line"] == 4 && line["code"] == "nothing-active");
    live.say(json!({ "type": "close" }));
    let ended = live.ended().expect(0, &[]).well_formed();
    assert_eq!(codes(&ended), ["nothing-active", "not-found", "ok", "nothing-active", "ok"]);
}

// When stdin ends, and signals.

#[test]
fn an_input_that_says_nothing_is_usage() {
    door().run(&["run", "--json", "--input", "json"]).expect(2, &["nothing was said", "stream.closed"]);
    door()
        .run_with_input(&["run", "--json", "--input", "json"], b"nonsense\n")
        .expect(2, &["not-json", "nothing was said"]);
    let ended = door().run_with_input(&["run", "--json", "--input", "json"], b"{\"type\":\"close\"}\n");
    ended.expect(0, &["\"closed\""]).well_formed();
}

#[test]
fn wrong_command_lines_are_usage() {
    for (args, words) in [
        (&["run", "--input", "json"][..], &["--json"][..]),
        (&["run", "--json", "--input", "json", "-"], &["stdin can't be both"]),
        (&["run", "--json", "--input", "yaml"], &["yaml", "json"]),
        (&["run", "--json"], &["PROMPT"]),
        (&["schema", "nonsense"], &["nonsense"]),
    ] {
        door().run(args).expect(2, words);
    }
}

#[test]
fn the_end_of_stdin_lets_a_run_finish_and_refuses_what_is_asked() {
    let mut live = live(&["tool question long"]);
    live.until_type("request.opened");
    live.end_of_input();
    let ended = live.ended().expect(0, &["no more input can come", "piece 200"]).well_formed();
    let by: Vec<_> = ended.of_type("request.resolved").iter().map(|end| end["resolution"].clone()).collect();
    assert_eq!(by[0]["by"], "end-of-input");
    assert_eq!(by[0]["allowed"], false);
    assert_eq!(by[1]["outcome"], "dismissed");
    assert_eq!(ended.of_type("stream.closed")[0]["reason"], "finished");
}

#[test]
fn an_answer_and_the_end_of_stdin_at_once_is_an_answer() {
    let mut live = live(&["tool"]);
    let asked = live.until_type("request.opened");
    live.say(answer(&asked, json!({ "option": "allow" }))).end_of_input();
    let ended = live.ended().expect(0, &[]).well_formed();
    assert_eq!(ended.of_type("request.resolved")[0]["resolution"]["by"], "script");
    assert!(!ended.stderr.contains("did not count"), "{}", ended.stderr);
}

#[test]
fn close_ends_a_run_at_work_and_what_follows_is_refused() {
    let mut live = live(&["slow"]);
    live.until_type("item.delta");
    let after = json!({ "type": "message", "text": "too late" });
    live.raw(format!("{}\n{after}\n", json!({ "type": "close" })).as_bytes());
    let ended = live.ended().expect(1, &["the session was closed before the run ended"]).well_formed();
    assert_eq!(codes(&ended), ["ok", "closing"]);
    assert_eq!(ended.of_type("stream.closed")[0]["reason"], "closed");
    assert_eq!(ended.of_type("run.created").len(), 1);
}

#[test]
fn close_while_something_is_asked_never_allows_it() {
    let mut live = live(&["tool"]);
    live.until_type("request.opened");
    live.say(json!({ "type": "close" }));
    let ended = live.ended().well_formed();
    assert_ne!(ended.of_type("request.resolved")[0]["resolution"]["allowed"], true);
    assert!(!ended.stdout.contains("hello from the demonstration\\n"), "it did not run");
}

#[test]
fn ctrl_c_interrupts_the_run_and_ends_the_stream() {
    let mut live = live(&["slow"]);
    live.say(json!({ "type": "message", "text": "after it", "delivery": "queue" })).until_type("item.delta");
    live.signal(Signal::SIGINT);
    let ended = live.ended().expect(130, &[]).well_formed();
    let statuses: Vec<_> = ended.of_type("run.ended").iter().map(|end| end["status"].clone()).collect();
    assert_eq!(statuses, ["cancelled", "interrupted"], "what waits is taken back first, and not begun");
    assert_eq!(ended.of_type("stream.closed")[0]["reason"], "interrupted");
}

#[test]
fn signals_while_nothing_is_active_end_the_stream() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let mut live = live(&[]);
        live.until_type("stream.opened");
        live.signal(signal);
        let ended = live.ended().expect(130, &[]).well_formed();
        assert_eq!(ended.of_type("stream.closed")[0]["reason"], "interrupted", "{signal}");
    }
}

#[test]
fn a_signal_while_a_request_waits_for_the_script_refuses_it() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let mut live = live(&["tool"]);
        live.until_type("request.opened");
        live.signal(signal);
        let ended = live.ended().expect(130, &[]).well_formed();
        assert_ne!(ended.of_type("request.resolved")[0]["resolution"]["allowed"], true, "{signal}");
        assert!(!ended.stdout.contains("hello from the demonstration\\n"), "it did not run: {signal}");
    }
}

#[test]
fn a_script_that_stops_reading_ends_the_run() {
    let door = door();
    let mut child = door.command(&["run", "--json", "--input", "json", "slow"]);
    child.stdin(std::process::Stdio::piped());
    let mut child = child.spawn().unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    drop(out);
    let ended = jackfield_tests::door::finish(child, b"");
    ended.expect(1, &["stdout can't be written"]);
}

// Tools of the script's own, and messages for a role.

/// Calls a tool as soon as it is spoken to, and says what it was given.
const CALLS: &str = "on register-tools\n  done now\non send-run\n  done opened-turn\n  start\n  call c1 weather {\"city\":\"Ulm\"}\n\
on respond c1 output\n  done\n  assistant m1 completed it was told\n  end completed\n\
on respond c1 failed\n  done\n  assistant m1 completed it failed\n  end completed\n";

fn calling(can: bool, more: &[&str]) -> Live {
    let table = format!("table={}", Value::from(CALLS));
    let flags = json!({
        "tools.supports-dynamic-tool-callbacks": can, "input.accepts-expert-prompts": can, "threads.can-create-empty-thread": true,
        "turns.emits-turn-started": true, "turns.emits-turn-completed": true, "turns.supports-interrupt": true,
    });
    let flags = format!("capabilities={flags}");
    let mut args = vec!["--option", &table, "--option", &flags];
    args.extend(more);
    live(&args)
}

fn weather() -> Value {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    json!({ "type": "tools", "tools": [{ "name": "weather", "description": "The weather of a city.", "input_schema": schema }] })
}

#[test]
fn a_tool_of_the_scripts_own_is_called_and_answered() {
    for (with, said) in [
        (json!({ "output": "it rains" }), "it was told"),
        (json!({ "output": [{ "type": "text", "value": "it rains" }] }), "it was told"),
        (json!({ "output": "no such city", "failed": true }), "it failed"),
    ] {
        let mut live = calling(true, &[]);
        live.say(weather());
        let word = live.word();
        assert_eq!((&word["type"], &word["applies"]), (&"input.accepted".into(), &"now".into()), "{word}");
        live.message("will it rain?");
        let asked = live.until_type("request.opened");
        assert_eq!(
            (&asked["request"]["subject"], &asked["request"]["tool"]["name"]),
            (&"host_tool".into(), &"weather".into())
        );
        live.say(answer(&asked, with));
        live.until_type("run.ended");
        live.end_of_input();
        let ended = live.ended().expect(0, &[said]).well_formed();
        assert_eq!(ended.of_type("request.resolved")[0]["resolution"]["by"], "script");
    }
}

#[test]
fn a_call_that_nobody_answers_has_an_end() {
    let door = || door().limits(&json!({ "host_tool_ms": 300 }));
    let table = format!("table={}", Value::from(CALLS));
    let flags = r#"capabilities={"tools.supports-dynamic-tool-callbacks":true,"threads.can-create-empty-thread":true,"turns.supports-interrupt":true}"#;
    let start = |tools: bool| {
        let mut live = Live::start(door(), &["--option", &table, "--option", flags]);
        if tools {
            live.say(weather());
        }
        live.message("will it rain?");
        live
    };
    // No result in time: the provider is told that, and it is no refusal.
    let mut late = start(true);
    late.until_type("request.opened");
    let resolved = late.until_type("request.resolved");
    assert_eq!(resolved["resolution"], json!({ "outcome": "answered", "by": "no result in time" }));
    late.until_type("run.ended");
    late.end_of_input();
    late.ended().expect(0, &["it failed"]).well_formed();
    // A tool that nobody gave.
    let mut none = start(false);
    let resolved = none.until_type("request.resolved");
    assert_eq!(resolved["resolution"]["by"], "no such tool");
    none.until_type("run.ended");
    none.end_of_input();
    none.ended().expect(0, &["it failed"]).well_formed();
}

#[test]
fn tools_and_roles_are_refused_where_they_can_not_be() {
    let mut live = calling(false, &[]);
    live.say(weather());
    live.say(json!({ "type": "message", "text": "look", "expert": { "role": "reviewer", "prompt": "Look for what breaks." } }));
    live.say(json!({ "type": "tools", "tools": [{ "name": "a b", "description": "", "input_schema": {} }] }));
    live.say(json!({ "type": "answer", "request": "req_1", "failed": true, "dismiss": true }));
    live.say(json!({ "type": "close" }));
    let ended = live.ended();
    assert_eq!(
        codes(&ended),
        ["provider-fault", "provider-fault", "provider-fault", "invalid-input", "ok"],
        "{:?}",
        ended.words()
    );
    ended.well_formed();
}

#[test]
fn a_message_for_a_role_is_rewritten_for_the_provider_alone() {
    let mut live = calling(true, &[]);
    // The table's provider says what it can do when its session begins.
    live.message("hello").until_type("run.ended");
    live.say(json!({ "type": "message", "text": "Is it right?", "expert": { "role": "reviewer", "prompt": "Look for what breaks." } }));
    let created = live.until_type("run.created");
    assert_eq!(created["content"][0]["value"], "Is it right?");
    live.until_type("run.ended");
    live.end_of_input();
    let ended = live.ended().expect(0, &[]).well_formed();
    let told: Vec<_> =
        ended.of_type("note").iter().map(|note| note["note"]["text"].as_str().unwrap().to_owned()).collect();
    assert!(
        told.iter().any(|text| text.contains("You are asked as reviewer. Look for what breaks.  Is it right?")),
        "{told:?}"
    );
}

#[test]
fn tools_come_before_a_thread_that_waits_for_its_first_message() {
    let table = format!("table={}", Value::from(CALLS));
    let flags = r#"capabilities={"tools.supports-dynamic-tool-callbacks":true,"turns.supports-interrupt":true}"#;
    let mut live = Live::start(door(), &["--option", &table, "--option", flags]);
    live.say(weather());
    assert_eq!(live.word()["type"], "input.accepted");
    live.message("will it rain?");
    let asked = live.until_type("request.opened");
    live.say(answer(&asked, json!({ "output": "it rains" })));
    live.until_type("run.ended");
    live.end_of_input();
    live.ended().expect(0, &["it was told"]).well_formed();
}
