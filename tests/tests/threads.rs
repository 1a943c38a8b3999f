//! Threads belong to the user: listed, exported, and deleted so that no word of them is left. And limits of a run.

use jackfield_tests::door::{Door, SHAKES_HANDS, TAKES_THE_PROMPT, text};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, SystemTime};

fn door() -> Door {
    Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"))
}

/// Files beneath a folder that hold these bytes.
fn files_with(folder: &Path, marker: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, marker));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        if bytes.windows(marker.len()).any(|window| window == marker.as_bytes()) || text(&path).contains(marker) {
            found.push(text(&path));
        }
    }
    found
}

fn begin(door: &Door, words: &str) -> String {
    door.run(&["run", "--json", "--approve", "allow", words]).expect(0, &[]).thread()
}

#[test]
fn a_list_is_narrowed_and_fits_a_narrow_terminal() {
    let door = door();
    let thread = begin(&door, "first words that are rather longer than any line of a list can be, and go on and on");
    begin(&door, "second");
    let list = door.run(&["threads", "list"]).expect(0, &[&thread, "scripted", "first words"]);
    assert!(list.stdout.lines().all(|line| line.chars().count() <= 100), "{}", list.stdout);
    let narrowed =
        |args: &[&str]| door.run(&[&["threads", "list", "--json"], args].concat()).expect(0, &[]).events().len();
    assert_eq!((narrowed(&[]), narrowed(&["--limit", "1"]), narrowed(&["--limit", "0"])), (2, 1, 0));
    assert_eq!((narrowed(&["--provider", "scripted"]), narrowed(&["--provider", "claude-code"])), (2, 0));
    assert_eq!((narrowed(&["--folder", "."]), narrowed(&["--folder", "/nonexistent"])), (2, 0));
    door.run(&["threads", "list", "--provider", "nobody"]).expect(0, &["none of 2 threads"]);
    door.run(&["threads", "list", "--limit", "x"]).expect(2, &["--limit"]);
}

#[test]
fn an_export_is_whole_and_for_people_readable() {
    let door = door();
    let thread = begin(&door, "reasoning tool marker-of-the-export");
    let events = door.run(&["threads", "export", &thread]).expect(0, &[]);
    let shown = door.run(&["threads", "show", &thread, "--json"]).expect(0, &[]);
    assert_eq!(events.stdout, shown.stdout);
    assert!(events.events().iter().all(|event| event["seq"].is_u64() && event["type"].is_string()));
    let out = door.work().join("out.md");
    door.run(&["threads", "export", &thread, "--format", "markdown", "-o", &text(&out)]).expect(0, &[]);
    let markdown = std::fs::read_to_string(&out).unwrap();
    for words in [
        "# reasoning tool marker",
        "## You\n\n> reasoning tool marker",
        "## Assistant",
        "Thought:",
        "- command",
        "```text",
    ] {
        assert!(markdown.contains(words), "{words:?} is missing in\n{markdown}");
    }
    door.run(&["threads", "export", &thread, "-o", &text(&out)]).expect(2, &["out.md", "not there yet"]);
    door.run(&["threads", "export", "thr_00000000"]).expect(2, &["thr_00000000", "threads list"]);
    door.run(&["threads", "export", "x"]).expect(2, &["'x' is no thread"]);
    door.run(&["threads", "export", &thread, "--format", "pdf"]).expect(2, &["markdown"]);
}

#[test]
fn a_deleted_thread_leaves_no_word_behind() {
    let door = door();
    let words = "tool plan subagent long marker-of-what-is-deleted";
    let (kept, gone) = (begin(&door, "tool marker-of-what-stays"), begin(&door, words));
    door.run(&["run", "--json", "--resume", &gone, "--approve", "allow", words]).expect(0, &[]);
    assert!(!files_with(&door.data(), "marker-of-what-is-deleted").is_empty(), "it was there");
    door.run(&["threads", "delete", &gone]).expect(2, &["--yes"]);
    door.run(&["threads", "delete", &gone, "--yes"]).expect(0, &["deleted 1 of 1", "audit records"]);
    assert_eq!(files_with(&door.data(), "marker-of-what-is-deleted"), Vec::<String>::new());
    let named = files_with(&door.data(), &gone);
    assert!(named.iter().all(|file| file.ends_with("audit.jsonl")), "only the audit names it: {named:?}");
    assert!(door.audit().iter().any(|record| record["kind"] == "delete" && record["rule"] == "operator"));
    door.run(&["threads", "show", &gone]).expect(2, &["there is no thread"]);
    door.run(&["threads", "delete", &gone, "--yes"]).expect(2, &["there is no thread"]);
    door.run(&["threads", "show", &kept]).expect(0, &["marker-of-what-stays"]);
    door.run(&["run", "--resume", &kept, "goes on"]).expect(0, &[]);
}

#[test]
fn many_are_deleted_and_the_rest_is_whole() {
    let door = door();
    let threads: Vec<String> = (0..6).map(|n| begin(&door, &format!("long tool marker-{n}-end"))).collect();
    for n in [0, 2, 3] {
        door.run(&["threads", "delete", "--yes", &threads[n]]).expect(0, &[]);
    }
    for n in 0..6 {
        let there = !files_with(&door.data(), &format!("marker-{n}-end")).is_empty();
        assert_eq!(there, ![0, 2, 3].contains(&n), "{n}");
    }
    door.run(&["threads", "delete", "--older-than", "1d", "--yes"]).expect(0, &["nothing was deleted"]);
    door.run(&["threads", "delete", "--older-than", "soon", "--yes"]).expect(2, &["'soon'", "30d"]);
    door.run(&["threads", "delete", "--yes"]).expect(2, &["--all"]);
    door.run(&["threads", "delete", "--all", "--yes"]).expect(0, &["deleted 3 of 3"]);
    door.run(&["threads", "list"]).expect(0, &["no threads yet"]);
    assert!(files_with(&door.data(), "-end").is_empty());
}

#[test]
fn a_thread_in_use_is_not_deleted() {
    let door = door();
    let (busy, free) = (begin(&door, "one"), begin(&door, "two"));
    let mut slow = door.command(&["run", "--json", "--resume", &busy, "slow"]).spawn().unwrap();
    let mut lines = BufReader::new(slow.stdout.take().unwrap()).lines().map_while(Result::ok);
    lines.find(|line| line.contains("item.delta")).expect("it streams");
    door.run(&["threads", "delete", "--yes", &busy, &free]).expect(1, &["in use", "deleted 1 of 2"]);
    slow.kill().unwrap();
    slow.wait().unwrap();
    door.run(&["threads", "list"]).expect(0, &[&busy]);
}

#[test]
fn the_stated_retention_is_applied_at_the_start() {
    let door = door();
    let old = begin(&door, "marker-of-the-old");
    begin(&door, "marker-of-the-new");
    // As if it had been silent for a month.
    let month_ms = 31 * 86_400_000_u64;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis() as u64;
    age(&door, &old, now - month_ms);
    door.run(&["threads", "list"]).expect(0, &[&old]);
    door.config("retention_days = 30\n");
    let list = door.run(&["threads", "list"]).expect(0, &["marker-of-the-new"]);
    assert!(!list.stdout.contains(&old), "{}", list.stdout);
    assert!(files_with(&door.data(), "marker-of-the-old").is_empty());
    assert!(door.audit().iter().any(|record| record["kind"] == "delete" && record["rule"] == "retention"));
}

/// Puts a thread's last use back in the store.
fn age(door: &Door, thread: &str, at_ms: u64) {
    let db = rusqlite::Connection::open(door.data().join("jackfield.sqlite")).unwrap();
    let changed = db.execute("UPDATE threads SET updated_ms = ?2 WHERE id = ?1", (thread, at_ms as i64)).unwrap();
    assert_eq!(changed, 1);
}

// The ledger.

#[test]
fn the_ledger_is_shown_and_an_unknown_frame_is_said() {
    let door = door();
    let then = r#"printf '%s\n' '{"type":"never_heard_of"}'
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"x"}'
while read -r line; do :; done"#;
    let exe =
        format!("claude={}", text(&door.script("fake-claude", &format!("{SHAKES_HANDS}{TAKES_THE_PROMPT}{then}"))));
    let ended = door.run(&["run", "--provider", "claude-code", "--exe", &exe, "hello"]);
    let ended = ended.expect(0, &["of 4 frames: 1 not understood", "doctor --session thr_"]);
    let thread = ended.stderr.split_whitespace().find(|word| word.starts_with("thr_")).unwrap().to_owned();
    let shown = door.run(&["doctor", "--session", &thread]).expect(
        0,
        &[
            "✓ ses_",
            "4 frames = ",
            "1 not understood",
            "after its last run: 0 frames",
            "in all: 4",
            "trn_",
            "in no turn: ",
        ],
    );
    let session = shown.stdout.split_whitespace().find(|word| word.starts_with("ses_")).unwrap().to_owned();
    let json = door.run(&["doctor", "--session", &session, "--json"]).expect(0, &[]);
    assert_eq!(json.events()[0]["total"]["frames_in"], 4, "{}", json.stdout);
    assert_eq!(json.events()[0]["balanced"], true);
    let book = &json.events()[0];
    let turns: u64 =
        book["turns"].as_array().unwrap().iter().filter_map(|turn| turn["counts"]["frames_in"].as_u64()).sum();
    assert!(turns > 0, "{book}");
    assert_eq!(turns + book["outside"]["frames_in"].as_u64().unwrap(), 4, "{book}");
    door.run(&["doctor", "--session", "nothing"]).expect(2, &["'nothing'", "threads list"]);
    door.run(&["doctor", "--session", "thr_00000000"]).expect(2, &["thr_00000000"]);
    let quiet = door.run(&["run", "hello"]).expect(0, &[]);
    assert!(!quiet.stderr.contains("frames"), "{}", quiet.stderr);
}

// Limits of a run.

#[test]
fn a_run_stops_at_its_time_and_says_so() {
    let door = door();
    let ended = door.run(&["run", "--json", "--max-time", "1s", "slow"]).expect(3, &["limit-reached"]).well_formed();
    let end = &ended.of_type("run.ended")[0];
    assert_eq!((end["status"].as_str(), end["reason"].as_str()), (Some("interrupted"), Some("limit-reached")), "{end}");
    assert_eq!(end["fault"]["code"], "limit-reached", "{end}");
    assert_eq!(ended.of_type("policy.decided")[0]["decision"]["rule"], "max-time 1 s");
    door.run(&["run", "--max-time", "1s", "slow"]).expect(3, &["stopped after", "max-time 1 s"]);
    door.config("[instances.short]\nprovider = \"scripted\"\nmax_time = \"1s\"\n");
    door.run(&["run", "--instance", "short", "slow"]).expect(3, &["max-time 1 s"]);
    door.run(&["run", "--max-time", "60s", "hello"]).expect(0, &[]);
}

#[test]
fn a_cost_that_nobody_tells_is_said_to_be_unheld() {
    door().run(&["run", "--max-cost", "0.50", "hello"]).expect(0, &["told no cost", "0.5 USD"]);
    for (args, words) in [
        (["--max-cost", "-1"], "0 or more"),
        (["--max-cost", "NaN"], "0 or more"),
        (["--max-turns", "0"], "0 is not in 1.."),
        (["--max-time", "1"], "10m"),
    ] {
        door().run(&["run", args[0], args[1], "hello"]).expect(2, &[words]);
    }
}

/// Turns are counted by what the provider tells of each call of the model; cost by what it tells during the run.
#[test]
fn a_run_stops_before_the_turn_beyond_its_limit() {
    const CALLS: &str = r#"for n in 1 2 3; do
  printf '{"type":"stream_event","event":{"type":"message_start","message":{"id":"msg_%s","usage":{"input_tokens":1}}}}\n' $n
  printf '%s\n' '{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}}'
  printf '%s\n' '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word"}}}'
  printf '%s\n' '{"type":"stream_event","event":{"type":"content_block_stop","index":0}}'
  printf '%s\n' '{"type":"stream_event","event":{"type":"message_delta","delta":{},"usage":{"output_tokens":1}}}'
  printf '%s\n' '{"type":"stream_event","event":{"type":"message_stop"}}'
done
ENDS
while read -r line; do :; done"#;
    let run = |most: &str, ends: &str| {
        let door = door();
        let exe = format!(
            "claude={}",
            text(
                &door
                    .script("fake-claude", &format!("{SHAKES_HANDS}{TAKES_THE_PROMPT}{}", CALLS.replace("ENDS", ends)))
            )
        );
        door.run(&["run", "--json", "--provider", "claude-code", "--exe", &exe, "--max-turns", most, "hello"])
    };
    let ended = run("3", r#"printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"x"}'"#);
    assert!(ended.expect(0, &[]).of_type("policy.decided").is_empty(), "exactly as many is not too many");
    // It goes on until it is interrupted, and then says how it ended.
    let waits = r#"read -r interrupt
id=$(printf '%s' "$interrupt" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$id"
printf '%s\n' '{"type":"result","subtype":"error_during_execution","is_error":true}'"#;
    let ended = run("2", waits).expect(3, &["limit-reached", "max-turns 2"]).well_formed();
    assert_eq!(ended.of_type("run.ended")[0]["fault"]["extra"][0][1], "max-turns");
}

#[test]
fn a_thread_is_copied_and_goes_back_from_the_command_line() {
    let door = door();
    let thread = begin(&door, "first words");
    let again = door.run(&["run", "--json", "--resume", &thread, "second words"]).expect(0, &[]);
    let shown = door.run(&["threads", "show", &thread, "--json"]).expect(0, &[]);
    let first = shown.of_type("turn.started")[0]["turn"].as_str().unwrap().to_owned();
    assert_eq!(again.of_type("turn.started").len(), 1);
    let copy = door.run(&["threads", "fork", &thread, "--at", &first, "--json"]).expect(0, &[]);
    let copy = copy.events()[0]["id"].as_str().unwrap().to_owned();
    door.run(&["threads", "show", &copy]).expect(0, &["a copy of", &thread]);
    door.run(&["run", "--resume", &copy, "--json", "third"]).expect(0, &["goes on after 1 turns"]);
    let whole = door.run(&["threads", "fork", &thread]).expect(0, &[]).stdout;
    door.run(&["run", "--resume", whole.trim(), "--json", "third"]).expect(0, &["goes on after 2 turns"]);

    door.run(&["threads", "rollback", &thread, "--to", &first]).expect(0, &[]);
    door.run(&["threads", "show", &thread]).expect(0, &["rolled back: 1 runs"]);
    door.run(&["run", "--resume", &thread, "--json", "third"]).expect(0, &["goes on after 1 turns"]);
    door.run(&["threads", "rollback", &thread, "--to", "start"]).expect(0, &[]);
    door.run(&["run", "--resume", &thread, "--json", "third"]).expect(0, &["model. Say `help`"]);

    door.run(&["threads", "rollback", &thread, "--to", "nonsense"]).expect(2, &["is no turn"]);
    door.run(&["threads", "rollback", &thread, "--to", &first]).expect(1, &["or it was rolled back"]);
    door.run(&["threads", "fork", "nonsense"]).expect(2, &["is no thread"]);
    door.run(&["threads", "fork", &thread, "--at", "trn_00000000000000000000"])
        .expect(1, &["is no turn of this thread"]);
}
