//! Logins through the whole stack: what a missing one does to a conversation, `jackfield login`, and what `doctor` says of them.
//!
//! The agent is `tests/agents/login.sh`: it wants a login before it opens a conversation, and has three ways.

use jackfield_tests::door::{Door, Ended, finish, is_running, text};
use jackfield_tests::live::Live;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::time::{Duration, Instant};

fn door() -> Door {
    Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"))
}

fn agent(door: &Door) -> String {
    agent_of(door, "login.sh")
}

fn agent_of(door: &Door, script: &str) -> String {
    let body = std::fs::read_to_string(xtask::root().join("tests/agents").join(script)).expect("the agent");
    text(&door.script("agent", &body))
}

fn live(door: Door, args: &[&str]) -> Live {
    let agent = agent(&door);
    Live::start(door, &[&["--provider", "acp", "--exe", &agent], args].concat())
}

fn ids(request: &Value) -> Vec<String> {
    let offers = request["request"]["options"].as_array().expect("options");
    offers.iter().map(|offer| offer["id"].as_str().unwrap_or_default().to_owned()).collect()
}

fn pick(live: &mut Live, request: &Value, option: &str) {
    live.say(json!({ "type": "answer", "request": request["request"]["id"], "option": option }));
}

fn codes(ended: &Ended) -> Vec<String> {
    ended.words().into_iter().map(|(_, code)| code).collect()
}

#[test]
fn a_login_is_asked_for_and_the_message_goes_on_once_it_is_there() {
    let mut live = live(door(), &["hello"]);
    let asked = live.until_type("request.opened");
    assert_eq!(asked["request"]["subject"], "login", "{asked}");
    assert_eq!(ids(&asked), ["good", "bad", "never", "logged-in", "leave"]);
    assert!(asked["request"]["login"]["text"].as_str().unwrap().contains("Authentication required"));
    pick(&mut live, &asked, "another");
    assert_eq!(live.word()["code"], "invalid-option", "a method that nobody offered");
    pick(&mut live, &asked, "bad");
    let refused = live.word();
    assert_eq!(refused["code"], "provider-fault");
    assert!(refused["message"].as_str().unwrap().contains("the bad way is closed"), "{refused}");
    pick(&mut live, &asked, "good");
    let resolved = live.until_type("request.resolved");
    assert_eq!(resolved["resolution"], json!({ "outcome": "answered", "option": "good", "by": "script" }));
    assert_eq!(live.until_type("run.ended")["status"], "completed");
    live.say(json!({ "type": "close" }));
    let ended = live.ended().expect(0, &[]).well_formed();
    assert_eq!(ended.said(), "message 1", "it was sent once");
    assert_eq!(ended.of_type("run.created").len(), 1);
}

#[test]
fn a_message_that_met_a_missing_login_is_tried_again_in_the_same_run() {
    let door = door();
    let flag = door.script("expired", "");
    let mut live = live(door, &["--env", "AGENT_LOGGED=yes", "hello"]);
    assert_eq!(live.until_type("turn.ended")["fault"]["kind"], "auth");
    assert_eq!(live.until(|line| line["type"] == "run.updated")["status"], "waiting");
    let asked = live.until_type("request.opened");
    assert_eq!(ids(&asked), ["logged-in", "leave"]);
    pick(&mut live, &asked, "logged-in");
    let again = live.until_type("attempt.started");
    assert_eq!(again["reason"], "retry");
    assert_eq!(live.until_type("run.ended")["status"], "completed");
    live.say(json!({ "type": "close" }));
    let ended = live.ended().expect(0, &[]).well_formed();
    assert_eq!((ended.said().as_str(), flag.exists()), ("message 1", false));
    assert_eq!(ended.of_type("run.created").len(), 1);
    assert_eq!(ended.of_type("turn.started").len(), 2);
    let users = ended.of_type("item.ended").into_iter().filter(|event| event["item"]["kind"] == "user_message");
    assert_eq!(users.count(), 1, "the person said it once");
}

#[test]
fn what_nobody_logs_in_for_ends_with_the_fault_that_met_it() {
    let mut left = live(door(), &["hello"]);
    let asked = left.until_type("request.opened");
    pick(&mut left, &asked, "leave");
    left.end_of_input();
    let ended = left.ended().expect(4, &["Authentication required"]).well_formed();
    assert_eq!(ended.of_type("run.ended")[0]["fault"]["kind"], "auth");
    // Nobody is there: at once.
    let door = door();
    let flag = door.script("expired", "");
    let agent = agent(&door);
    let all = ["run", "--json", "--provider", "acp", "--exe", &agent, "--env", "AGENT_LOGGED=yes", "hello"];
    let ended = door.run(&all).expect(1, &[]).well_formed();
    let end = &ended.of_type("run.ended")[0];
    assert_eq!((&end["status"], &end["fault"]["kind"]), (&"failed".into(), &"auth".into()));
    assert!(!flag.exists());
}

#[test]
fn a_login_that_never_ends_has_a_deadline() {
    let mut live = live(door().limits(&json!({ "login_ms": 4_000 })), &["hello"]);
    let asked = live.until_type("request.opened");
    pick(&mut live, &asked, "never");
    let end = live.until_type("run.ended");
    assert_eq!((&end["status"], &end["fault"]["code"]), (&"failed".into(), &"login-timeout".into()), "{end}");
    live.end_of_input();
    let ended = live.ended().expect(4, &["limit login_ms"]).well_formed();
    assert_eq!(codes(&ended).len(), 1, "the answer has its word");
}

#[test]
fn the_operator_may_forbid_that_a_message_is_sent_again() {
    let door = door();
    door.config("[policy]\nresend_after_login = false\n");
    door.script("expired", "");
    let mut live = live(door, &["--env", "AGENT_LOGGED=yes", "hello"]);
    assert_eq!(live.until_type("run.ended")["fault"]["kind"], "auth");
    let asked = live.until_type("request.opened");
    assert!(asked["request"]["login"]["text"].as_str().unwrap().contains("Send the message again"));
    pick(&mut live, &asked, "logged-in");
    live.message("again");
    assert_eq!(live.until_type("run.ended")["status"], "completed");
    live.say(json!({ "type": "close" }));
    let ended = live.ended().expect(0, &[]).well_formed();
    assert_eq!(ended.of_type("attempt.started").len(), 2);
}

// `jackfield login`.

#[test]
fn login_takes_the_providers_own_way() {
    let door = door();
    let agent = agent(&door);
    let login = |more: &[&str]| door.run(&[&["login", "acp", "--exe", &agent], more].concat());
    login(&["--method", "good"]).expect(0, &["acp: logged in: yes"]);
    login(&["--method", "another"]).expect(2, &["no login 'another'", "good (The good way)"]);
    login(&["--method", "bad"]).expect(1, &["the bad way is closed"]);
    login(&[]).expect(2, &["--method", "good (The good way)", "never"]);
    let json = login(&["--method", "good", "--json"]).expect(0, &[]);
    let said: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&said["provider"], &said["login"]["state"]), (&"acp".into(), &"yes".into()));
    // Nothing is left of it but the record.
    let threads = door.run(&["threads", "list", "--json"]).expect(0, &[]);
    assert_eq!(threads.stdout, "");
    assert!(door.audit().iter().any(|record| record["kind"] == "answer" && record["facts"]["login"] == "good"));
    door.run(&["login", "scripted"]).expect(2, &["needs no login"]);
    door.run(&["login", "nobody"]).expect(2, &["no provider 'nobody'"]);
}

#[test]
fn a_person_who_is_asked_how_to_log_in_may_pick_or_leave() {
    let door = door();
    let agent = agent(&door);
    let asked = |typed: &[u8]| {
        let mut script = door.at_terminal(&format!("login acp --exe {agent}")).spawn().expect("script");
        let mut said = BufReader::new(script.stdout.take().expect("piped"));
        let mut seen = String::new();
        while !seen.contains("[3]") {
            assert!(said.read_line(&mut seen).expect("text") > 0, "{seen}");
        }
        script.stdin.take().expect("piped").write_all(typed).expect("it is typed");
        let rest = std::thread::spawn(move || said.read_to_string(&mut seen).map(|_| seen));
        let ended = finish(script, b"");
        Ended { stdout: rest.join().expect("it is read").expect("text"), ..ended }
    };
    asked(b"1\n").expect(0, &["How do you want to log in?", "[1] The good way", "acp: logged in: yes"]);
    asked(b"7\n").expect(2, &["none of these was picked"]);
    // Ctrl-C, by the terminal.
    asked(b"\x03").expect(130, &[]);
    let threads = door.run(&["threads", "list", "--json"]).expect(0, &[]);
    assert_eq!(threads.stdout, "", "it was left in order");
}

#[test]
fn a_login_at_the_terminal_gets_it_and_ends_with_what_the_program_says() {
    let door = door();
    let body = r#"case "$*" in
'--profile work auth login') [ "$WHO" = me ] && echo "welcome to work, $WHO" ;;
'--profile work auth status') [ "$WHO" = me ] && echo '{ "loggedIn": true }' || echo '{ "loggedIn": false }' ;;
'auth login') [ -t 0 ] && [ -t 1 ] && read -r word && [ "$word" = sesame ] && touch "$HOME/in" && echo "welcome" ;;
'auth status') if [ -e "$HOME/in" ]; then echo '{ "loggedIn": true, "email": "me@example.com" }'; else echo '{ "loggedIn": false }'; exit 1; fi ;;
esac"#;
    let claude = text(&door.script("claude", body));
    let exe = format!("claude={claude}");
    door.run(&["login", "claude-code", "--exe", &exe])
        .expect(1, &["there is none here", "jackfield login claude-code"]);
    let typed = |more: &str, word: &str| {
        let mut script = door.at_terminal(&format!("login claude-code --exe {exe}{more}"));
        finish(script.spawn().expect("script"), format!("{word}\n").as_bytes())
    };
    typed("", "wrong").expect(1, &["ended with exit code 1"]);
    let ended = typed("", "sesame").expect(0, &["welcome", "claude-code: logged in: yes (by `claude auth status`)"]);
    assert!(!ended.stdout.contains("me@example.com"));
    let records = door.audit();
    let spawned = records.iter().filter(|record| record["kind"] == "spawn" && record["facts"]["attached"] == true);
    assert_eq!(spawned.count(), 2);
    // Another account: the program is asked as it is started.
    let mine = " --env WHO=me --exe-arg=--profile --exe-arg=work";
    typed(mine, "sesame").expect(0, &["welcome to work, me", "claude-code: logged in: yes (by `claude auth status`)"]);
    assert!(!std::fs::read_to_string(door.data().join("audit.jsonl")).unwrap().contains("sesame"));
}

// `jackfield logout`.

#[test]
fn logout_is_asked_of_an_agent_that_offers_it_and_refused_where_none_does() {
    let door = door();
    let keeper = agent_of(&door, "keeper.sh");
    let logged_in = door.script("in", "");
    let ended = door.run(&["logout", "acp", "--exe", &keeper, "--json"]).expect(0, &[]);
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&said["provider"], &said["login"]["state"]), (&"acp".into(), &"no".into()));
    assert!(!logged_in.exists());
    door.run(&["logout", "acp", "--exe", &keeper]).expect(1, &["acp was not logged out of", "nobody is logged in"]);
    // One whose stored conversations are read from its files is started for this.
    door.script("in", "");
    door.run(&["logout", "copilot", "--exe", &keeper]).expect(0, &["copilot: logged in: no"]);
    assert!(!logged_in.exists());
    assert_eq!(
        door.audit().iter().filter(|record| record["kind"] == "logout" && record["rule"] == "operator").count(),
        3
    );
    assert_eq!(door.run(&["threads", "list", "--json"]).expect(0, &[]).stdout, "", "no conversation is begun for it");

    let other = agent_of(&door, "login.sh");
    door.run(&["logout", "acp", "--exe", &other]).expect(3, &["does not offer to log out", "a command of its own"]);
    door.run(&["logout", "scripted"]).expect(2, &["has no login"]);
    door.run(&["logout"]).expect(2, &["which provider?"]);
    door.run(&["logout", "nobody"]).expect(2, &["no provider 'nobody'"]);
    let nowhere = format!("{keeper}-nowhere");
    door.run(&["logout", "acp", "--exe", &nowhere]).expect(4, &["agent-nowhere"]);
}

// `jackfield doctor`.

#[test]
fn doctor_says_what_is_known_of_each_program_and_waits_for_none() {
    let door = door().limits(&json!({ "version_ms": 5_000 }));
    door.script(
        "claude",
        r#"case "$1" in --version) echo "2.1.332 (Claude Code)" ;; auth) echo '{ "loggedIn": false }'; exit 1 ;; esac"#,
    );
    door.script(
        "codex",
        r#"case "$1" in --version) echo "codex-cli 0.999.0" ;; login) echo "Logged in using ChatGPT" >&2 ;; esac"#,
    );
    door.script("pi", "sleep 600 & sleep 600");
    door.script("gemini", "echo 'cannot find module x' >&2; exit 1");
    door.script("copilot", "echo 1.0.102");
    let home = text(&door.work()).replace("/work", "/home");
    let door = door.env("PATH", format!("{home}:/usr/bin:/bin"));
    let begun = Instant::now();
    let ended = door.run(&["doctor", "--json"]).expect(0, &[]);
    assert!(begun.elapsed() < Duration::from_secs(60), "it waited for one that hangs");
    let of =
        |name: &str| ended.events().into_iter().find(|line| line["what"] == name).unwrap_or_else(|| panic!("{name}"));
    let claude = of("claude-code");
    assert_eq!((&claude["version"], &claude["in_tested_range"]), (&"2.1.332".into(), &true.into()));
    assert_eq!(claude["login"], json!({ "state": "no", "how": "by `claude auth status`" }));
    assert_eq!(claude["grants"][0], json!({ "profile": "main", "granted": true, "rule": "bundled" }));
    let codex = of("codex");
    assert_eq!((&codex["in_tested_range"], &codex["login"]["state"]), (&false.into(), &"yes".into()));
    assert!(codex["text"].as_str().unwrap().contains("what they share works"));
    assert_eq!(of("copilot")["login"]["state"], "unknown");
    assert!(of("pi")["text"].as_str().unwrap().contains("no answer in 5 s"), "{}", of("pi"));
    assert!(of("gemini")["text"].as_str().unwrap().contains("exit code 1: 'cannot find module x'"), "{}", of("gemini"));
    assert_eq!((&of("opencode")["ok"], of("opencode")["path"].is_null()), (&false.into(), true));
    assert!(!is_running(&format!("{home}/pi")), "what hangs is left running");
    door.run(&["doctor"]).expect(
        0,
        &["logged in: no (by `claude auth status`); `jackfield login claude-code` does that", "may be started: main"],
    );
}

#[test]
fn a_program_newer_than_what_was_tested_works_and_that_is_said_once() {
    let door = door();
    let agent = agent(&door);
    let exe = format!("gemini={agent}");
    let all = [
        "run",
        "--json",
        "--provider",
        "gemini",
        "--exe",
        &exe,
        "--env",
        "AGENT_LOGGED=yes",
        "--env",
        "AGENT_VERSION=9.9.9",
        "hello",
    ];
    let ended = door.run(&all).expect(0, &[]).well_formed();
    assert_eq!(ended.said(), "message 1");
    let said: Vec<_> =
        ended.of_type("diagnostic").into_iter().filter(|one| one["note"]["code"] == "untested-version").collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0]["note"]["text"].as_str().unwrap().contains("version 9.9.9; tested with"), "{said:?}");
}
