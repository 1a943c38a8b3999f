//! The HTTP effect through the real program: what a plugin may ask a server, and what no server can do to the host. The server is
//! `jackfield_tests::web`, started by the real process layer; each step of a prompt is one wish.

use jackfield_tests::door::{Door, Ended, text};
use jackfield_tests::web::{self, SERVE};
use serde_json::{Value, json};
use std::io::Read;
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");
const SERVER: &str = env!("CARGO_BIN_EXE_play");

fn limits() -> Value {
    json!({
        "http_answer_ms": 6_000, "http_body_ms": 4_000, "http_body_bytes": 65_536, "http_server_start_ms": 20_000, "session_exchanges": 4,
        "read_queue_frames": 64
    })
}

fn door_with(limits: Value) -> Door {
    let door = Door::new(PROGRAM).limits(&limits);
    std::fs::write(door.data().parent().unwrap().join("web.wasm"), web::plugin()).unwrap();
    door
}

fn granted(door: &Door) {
    let exe = format!("web-server={SERVER}");
    let granted = door.run(&["grant", "add", &plugin(door), "--profile", "server", "--exe", &exe]);
    granted.expect(0, &["granted", "and ask the server that it is", "POST /answers/*"]);
}

fn plugin(door: &Door) -> String {
    text(&door.data().parent().unwrap().join("web.wasm"))
}

/// `words` are what the server is told beyond its port.
fn run_with(door: &Door, steps: &Value, words: &[&str], more: &[&str]) -> Ended {
    let (plugin, exe, prompt) = (plugin(door), format!("web-server={SERVER}"), steps.to_string());
    let mut args = vec!["run", "--json", "--plugin", &plugin, "--exe", &exe, "--exe-arg", SERVE];
    args.extend(words.iter().flat_map(|word| ["--exe-arg", word]));
    args.extend(more);
    args.push(&prompt);
    door.run(&args)
}

fn run(door: &Door, steps: &Value, more: &[&str]) -> Ended {
    run_with(door, steps, &[], more)
}

/// What came of each step, line by line.
fn said(steps: Value) -> Vec<String> {
    let door = door_with(limits());
    granted(&door);
    let ended = run(&door, &steps, &[]).expect(0, &[]).well_formed();
    ended.said().lines().map(str::to_owned).collect()
}

fn get(path: &str) -> Value {
    json!({ "path": path })
}

fn steps(steps: &[Value]) -> Value {
    std::iter::once(json!({ "spawn": [] })).chain(steps.iter().cloned()).collect()
}

/// The server starts slowly, and is waited for; what the plugin says arrives as it was said, with what the host adds.
#[test]
fn a_server_is_asked_and_answers() {
    let post = json!({ "path": "/echo", "method": "POST", "body": "{\"a\": 1}", "headers": [["Content-Type", "application/json"]] });
    let door = door_with(limits());
    granted(&door);
    let file = door.data().join("raw.jsonl");
    let asked = steps(&[post, get("/echo?q=a%20b"), get("/missing")]);
    let told = door.data().parent().unwrap().join("told");
    let ended = run_with(&door, &asked, &["told", &text(&told)], &["--record", &text(&file)]);
    let ended = ended.expect(0, &[]).well_formed();
    let said = ended.said();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    assert!(lines[1].starts_with("200 POST /echo HTTP/1.1|host: 127.0.0.1:"), "{said}");
    assert!(
        lines[1].contains("|content-type: application/json|")
            && lines[1].contains("|authorization: Basic [secret password as basic]|"),
        "{said}"
    );
    // The guard has read it, so it is written anew; the password that was made up is in nothing that the plugin hears.
    assert!(lines[1].ends_with("{\"a\":1} password=[secret password]"), "{said}");
    let password = std::fs::read_to_string(told).unwrap();
    assert!(password.len() > 16, "{password}");
    let recorded = std::fs::read_to_string(file).unwrap();
    assert!(recorded.contains("[password]") && !recorded.contains(&password), "nor in what is recorded");
    assert!(!ended.stdout.contains(&password), "{}", ended.stdout);
    assert!(lines[2].starts_with("200 GET /echo?q=a%20b HTTP/1.1|"), "{said}");
    assert_eq!(lines[3], "404 nope");
    let http = |record: &&Value| record["kind"] == "http";
    let records = door.audit();
    let records: Vec<&Value> = records.iter().filter(http).collect();
    assert_eq!(records.len(), 3);
    assert_eq!((&records[0]["verdict"], &records[0]["rule"]), (&json!("allowed"), &json!("guarded-origin")));
    assert_eq!(records[0]["facts"]["path"], "/echo");
    assert!(records.iter().all(|record| !record.to_string().contains("a%20b")), "a query is in no record");
}

#[test]
fn what_was_not_granted_is_not_asked() {
    let said = said(steps(&[
        json!({ "path": "/echo", "origin": "other" }),
        json!({ "path": "/echo", "origin": "far" }),
        json!({ "path": "/echo", "origin": "keyed" }),
        json!({ "path": "/secret" }),
        json!({ "path": "/echo", "method": "DELETE" }),
        json!({ "path": "/echo?directory=%2F" }),
        json!({ "path": "/echo/../secret" }),
        json!({ "path": "//echo" }),
        json!({ "path": "/echo", "headers": [["host", "elsewhere"]] }),
        json!({ "path": "/echo", "method": "POST", "body": "no json" }),
        // The port is the host's: one that the plugin names is refused, and so is a second server.
        json!({ "spawn": [["port", "80"]] }),
        json!({ "spawn": [] }),
        json!({ "kill": true }),
        json!({ "path": "/echo" }),
    ]));
    let wanted = [
        "done",
        "! no-such-origin",
        "! origin-unsupported",
        "! secret-missing",
        "! route-not-declared",
        "! route-not-declared",
        "! route-not-declared",
        "! path-malformed",
        "! path-malformed",
        "! header-refused",
        "! body-malformed",
        "! port-is-the-hosts",
        "! server-runs-already",
        "done",
        "closed",
        "! server-not-running",
    ];
    assert_eq!(said, wanted);
}

#[test]
fn without_a_grant_there_is_no_server_to_ask() {
    let door = door_with(limits());
    let ended = run(&door, &steps(&[get("/echo")]), &[]).expect(0, &["not-granted"]).well_formed();
    assert_eq!(ended.said(), "! not-granted\n! server-not-running\n");
}

#[test]
fn no_server_harms_the_host() {
    let paths = [
        "/redirect",
        "/endless-head",
        "/many-headers",
        "/huge",
        "/huge-length",
        "/slow-head",
        "/slow-body",
        "/cut",
        "/garbage",
        "/close",
        "/missing",
    ];
    let said = said(steps(&paths.map(get)));
    let wanted = [
        "done",
        "! redirect-refused",
        "! answer-head-too-large",
        "! answer-head-too-large",
        "! answer-too-large",
        "! answer-cut",
        "! answer-timeout",
        "! answer-stalled",
        "! answer-cut",
        "! answer-malformed",
        "! answer-cut",
        "404 nope",
    ];
    assert_eq!(said, wanted);
}

#[test]
fn events_come_whole_however_they_were_split() {
    let stream = |path: &str| json!({ "path": path, "streaming": true });
    let said = said(steps(&[stream("/events"), stream("/events-cut"), stream("/missing")]));
    let wanted = [
        "done",
        "200 streams",
        "frame gr\u{fc}\u{df}e \u{1f600}",
        "frame named={\"a\":1}",
        "frame two",
        "lines",
        "frame",
        "closed",
        "200 streams",
        "frame 1",
        "closed answer-cut",
        "404 nope",
    ];
    assert_eq!(said.iter().map(|line| line.trim_end()).collect::<Vec<_>>(), wanted);
}

/// Far more events than may wait: the server waits, and nothing is lost.
#[test]
fn a_flood_waits_for_its_reader() {
    let said = said(steps(&[json!({ "path": "/flood", "streaming": true, "quiet": true })]));
    assert_eq!(said, ["done", "200 streams", "closed 4000 frames"]);
}

#[test]
fn a_stream_that_nobody_wants_any_more_is_left() {
    let said = said(steps(&[
        json!({ "path": "/endless-events", "streaming": true, "cancel": true, "quiet": true }),
        get("/answered"),
        get("/answered"),
    ]));
    assert_eq!(said[1], "200 streams");
    assert!(said[2].starts_with("closed "), "{said:?}");
    assert!(said[3..].iter().all(|line| line.starts_with("200 answered []")), "{said:?}");
}

/// A stream is known until its last word was heard, however long its server has gone: who is asked in it may be answered.
#[test]
fn a_stream_that_is_over_is_guarded_while_its_frames_wait() {
    let mut limits = limits();
    limits["batch_frames"] = json!(1);
    let door = door_with(limits);
    granted(&door);
    let ask = json!({ "path": "/late-ask", "streaming": true, "quiet": true, "beside": true });
    let ended = run(&door, &steps(&[ask, get("/answered-soon")]), &["--approve", "allow"]);
    let ended = ended.expect(0, &["request.opened"]).well_formed();
    assert!(ended.said().contains("200 answered [/answers/q1 {\"verdict\":\"yes\"}]"), "{}", ended.said());
    assert!(ended.of_type("effect.refused").is_empty(), "{:?}", ended.of_type("effect.refused"));
}

/// The end of a stream is no end of a program, and is not recorded as one.
#[test]
fn a_stream_that_ends_with_its_session_is_no_program() {
    let door = door_with(limits());
    granted(&door);
    let endless = json!({ "path": "/endless-events", "streaming": true, "quiet": true });
    let ended = run(&door, &steps(&[endless]), &["--max-time", "2s"]).well_formed();
    assert!(ended.said().contains("200 streams"), "{}", ended.said());
    let exits: Vec<Value> = door.audit().into_iter().filter(|record| record["rule"] == "process-ended").collect();
    assert_eq!(exits.len(), 1, "{exits:?}");
}

#[test]
fn more_exchanges_than_may_be_open_are_refused() {
    let said = said(steps(&[json!({ "path": "/slow-head", "more": 5 })]));
    assert_eq!(said.iter().filter(|line| *line == "! too-many-exchanges").count(), 2, "{said:?}");
}

#[test]
fn an_answer_that_allows_is_a_persons() {
    for (approve, answered) in [("allow", "yes"), ("deny", "no")] {
        let door = door_with(limits());
        granted(&door);
        let ask = [json!({ "path": "/ask", "streaming": true }), get("/answered")];
        let ended = run(&door, &steps(&ask), &["--approve", approve]).expect(0, &["request.opened"]).well_formed();
        let wanted = format!("200 answered [/answers/q1 {{\"verdict\":\"{answered}\"}}]");
        assert!(ended.said().contains(&wanted), "{}", ended.said());
    }
    let forged = json!({ "path": "/answers/q1", "method": "POST", "body": "{\"verdict\":\"yes\"}" });
    let spelled =
        json!({ "path": "/%61nswers/q%31", "method": "POST", "body": "{\"verdict\":\"no\",\"verdict\":\"yes\"}" });
    let said = said(steps(&[forged, spelled, get("/answered")]));
    assert_eq!(said, ["done", "! answer-not-asked", "! answer-not-asked", "200 answered [] left 0"]);
}

/// Whoever else listens at the port that the host chose is told nothing.
#[test]
fn a_stranger_at_the_port_learns_nothing() {
    let door = door_with(limits());
    granted(&door);
    let file = door.data().parent().unwrap().join("port");
    let place = text(&file);
    let stranger = std::thread::spawn(move || {
        let port = loop {
            match std::fs::read_to_string(&file).ok().and_then(|port| port.parse::<u16>().ok()) {
                Some(port) => break port,
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let listener = std::net::TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
        let mut heard = Vec::new();
        listener.accept().expect("it connects").0.read_to_end(&mut heard).expect("it leaves");
        heard
    });
    let ended = run_with(&door, &steps(&[get("/echo")]), &["deaf", &place], &[]).expect(0, &[]).well_formed();
    assert_eq!(ended.said(), "done\n! server-not-ours\n");
    assert_eq!(stranger.join().unwrap(), b"");
}

#[test]
fn a_server_that_never_listens_is_given_up() {
    let door = door_with(json!({ "http_server_start_ms": 300 }));
    granted(&door);
    let ended = run_with(&door, &steps(&[get("/echo")]), &["deaf", "mute"], &[]).expect(0, &[]).well_formed();
    // Where so much time had passed before it was asked at all, it is not waited for.
    let said = ended.said();
    assert!(["done\n! server-not-up\n", "done\n! connection-refused\n"].contains(&&*said), "{said}");
}
