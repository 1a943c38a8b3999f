//! What the program kept on disk, told again: real files, each beside what the program said while it wrote them (`tests/rollout/`), and
//! files that no program should write.

mod support;

use std::path::{Path, PathBuf};

use jackfield_plugin_codex::Codex;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::past::{difference, folders, page, query, seen, threads, transcript};
use jackfield_sdk::testing::recording::{self, expect};
use jackfield_sdk::testing::{Disk, Files, Harness, cut, project};
use support::play_in;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rollout")
}

fn cases() -> Vec<String> {
    recording::cases(&folder(), 25)
}

fn on_disk(case: &Path) -> Harness<Codex> {
    query(Disk::new("sessions", case.join("sessions")).files())
}

/// The newest conversation of its folder, read in pages of this many items.
fn told(case: &Path, limit: u32) -> Vec<Output> {
    let mut harness = on_disk(case);
    let threads = threads(&mut harness, None);
    transcript(&mut harness, threads[0].cursor.as_deref().unwrap(), limit)
}

/// Where disk and conversation differ, and why; how, is in `tests/rollout/<recording>/difference.txt`.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "0.120.0_file_patch_accept",
        "a call that the program did not carry out: live it is a note, on disk a call with its output",
    ),
    ("0.120.0_fork", "one conversation of the two is read"),
    ("0.120.0_interrupt_tool_running", "what is open is ended by the host; the disk says that it was stopped"),
    ("0.120.0_rollback_revert", "what was dropped by going back is not told"),
    ("0.120.0_steer_active_turn", "the program told a part of the output, and kept all"),
    ("0.120.0_tool_approval_decline", "the words of the refusal stand in the output"),
    ("0.171.0_fork", "one conversation of the three is read"),
    ("0.171.0_interrupt_tool_running", "what is open is ended by the host; the disk says that it was stopped"),
    ("0.171.0_rollback_revert", "what was dropped by going back is not told"),
    ("0.171.0_subagent_spawn", "a subagent has a thread of its own"),
    ("0.171.0_tool_approval_decline", "the words of the refusal stand in the output"),
];

/// 0.120 keeps no ids of messages, and of a command neither the shell around it nor its folder.
fn as_kept(line: &str) -> String {
    let (head, rest) = match line.strip_prefix("() ").and_then(|rest| rest.split_once(' ')) {
        Some((kind @ ("assistant" | "reasoning"), rest)) => (format!("{kind} -"), rest.split_once(' ').unwrap().1),
        _ => (String::new(), line),
    };
    match rest.split_once(r#" Some("{"#).and_then(|(before, rest)| Some((before, rest.split_once(r#"}")"#)?.1))) {
        Some((before, after)) => format!("{head}{before} …{after}"),
        None => format!("{head}{rest}"),
    }
}

#[test]
fn history_and_the_live_conversation_show_the_same() {
    let (mut different, mut shown) = (vec![], vec![]);
    for name in cases() {
        let case = folder().join(&name);
        let old = name.starts_with("0.120");
        let kept = |lines: Vec<String>| if old { lines.iter().map(|line| as_kept(line)).collect() } else { lines };
        let (live, history) = (kept(seen(&play_in(&case, "live").outputs)), kept(seen(&told(&case, 1_000))));
        if live != history {
            different.push(name.clone());
            shown.push((format!("{name}/difference"), difference(&live, &history)));
        }
    }
    expect(&folder(), shown);
    assert_eq!(different, DIFFERENT.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

#[test]
fn history_reads_as_expected() {
    let shown = cases().into_iter().map(|name| {
        let case = folder().join(&name);
        (format!("{name}/history"), project(&told(&case, 1_000)))
    });
    expect(&folder(), shown);
}

#[test]
fn pages_of_any_size_give_the_same_and_part_no_call_from_its_result() {
    for name in cases() {
        let case = folder().join(&name);
        let whole = seen(&told(&case, 1_000));
        for limit in [1, 4] {
            assert_eq!(seen(&told(&case, limit)), whole, "{name} in pages of {limit}");
        }
    }
}

/// A thread with these rows, numbered or not.
const THREAD: &str = "00000000-0000-7000-8000-000000000001";

fn written(rows: &[&str]) -> Harness<Codex> {
    let bytes = (rows.join("\n") + "\n").into_bytes();
    query(Files::of(move |body| {
        Some(match body {
            EffectBody::ReadFile(read) => Ok(EffectValue::Bytes(cut(&bytes, read))),
            EffectBody::ListFolder(path) => {
                let entry = |name: &str, folder| Entry { name: name.into(), folder, size: 1.0, modified_ms: 1.0 };
                Ok(EffectValue::Entries(vec![match path.path.split('/').count() {
                    3 => entry(&format!("rollout-2026-11-30T18-33-29-{THREAD}.jsonl"), false),
                    _ => entry("01", true),
                }]))
            }
            _ => return None,
        })
    }))
}

fn said(harness: &mut Harness<Codex>) -> Vec<String> {
    let outputs = transcript(harness, THREAD, 100);
    let items = outputs.iter().filter_map(|output| match output {
        Output::Event(Event { body: EventBody::Items(items), .. }) => Some(items.clone()),
        _ => None,
    });
    let text = |item: Item| match item.body {
        ItemBody::User(user) => format!("{:?}", user.content),
        ItemBody::Assistant(parts) => format!("{parts:?}"),
        other => format!("{other:?}"),
    };
    items.flatten().map(|item| text(item).replace("Content::Text", "")).collect()
}

#[test]
fn what_was_dropped_by_going_back_is_not_told_however_often() {
    let user = |text: &str| format!(r#"{{"type":"event_msg","payload":{{"type":"user_message","message":"{text}"}}}}"#);
    let agent =
        |text: &str| format!(r#"{{"type":"event_msg","payload":{{"type":"agent_message","message":"{text}"}}}}"#);
    let back =
        |turns: u32| format!(r#"{{"type":"event_msg","payload":{{"type":"thread_rolled_back","num_turns":{turns}}}}}"#);
    let rows = [
        user("one"),
        agent("first"),
        user("two"),
        agent("second"),
        user("three"),
        back(1),
        back(1),
        user("four"),
        back(1),
        user("five"),
        agent("fifth"),
    ];
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    assert_eq!(said(&mut written(&rows)), [r#"[("one")]"#, r#"[("first")]"#, r#"[("five")]"#, r#"[("fifth")]"#]);
    let all = [back(7), user("one")];
    let all: Vec<&str> = all.iter().rev().map(String::as_str).collect();
    assert_eq!(said(&mut written(&all)), [""; 0], "more turns than there are");
}

#[test]
fn rows_of_any_shape_cost_only_themselves_and_a_base_that_is_gone_ends_the_history() {
    let rows = [
        r#"{"type":"session_meta","ordinal":3,"payload":{"id":"x","history_base":{"thread_id":"gone","end_ordinal_exclusive":3}}}"#,
        "nothing",
        r#"{"type":7,"payload":[]}"#,
        r#"{"type":"event_msg","ordinal":4,"payload":{"type":"item_completed","item":{"type":"OfTomorrow","id":"t"}}}"#,
        r#"{"type":"event_msg","ordinal":5,"payload":{"type":"item_completed","item":"none"}}"#,
        r#"{"type":"response_item","ordinal":6,"payload":{"type":"function_call_output","call_id":"nobody's","output":{"a":1}}}"#,
        r#"{"type":"event_msg","ordinal":7,"payload":{"type":"item_completed","item":{"type":"AgentMessage","id":"m","content":[{"text":"last"}]}}}"#,
    ];
    let mut harness = written(&rows);
    let told = said(&mut harness);
    assert!(told.len() == 2 && told[0].contains("codex.of-tomorrow") && told[1] == r#"[("last")]"#, "{told:?}");
    let (outputs, _) = page(&mut harness, THREAD, None, 100);
    assert!(
        outputs.iter().any(|output| matches!(output, Output::Diagnostic(note) if note.code == "history-unreadable"))
    );
}

#[test]
fn threads_are_listed_with_a_cursor_a_thread_with_two_files_once_and_a_subagents_not() {
    let list = |name: &str| threads(&mut on_disk(&folder().join(name)), Some("/workspace/project"));
    let back = list("0.171.0_rollback_revert");
    assert_eq!(back.len(), 1);
    assert_eq!((back[0].cursor.as_ref(), back[0].folder.as_deref()), (Some(&back[0].id), Some("/workspace/project")));
    let copies = list("0.171.0_fork");
    assert_eq!(copies.len(), 3);
    let original = copies.iter().find(|thread| thread.parent.is_none()).unwrap();
    assert!(copies.iter().filter(|thread| thread.parent.as_ref() == Some(&original.id)).count() == 2);
    assert_eq!(original.preview.as_deref(), Some("One <<script:hello>>"));
    assert_eq!(list("0.171.0_subagent_spawn").len(), 1);
    let mut harness = on_disk(&folder().join("0.171.0_fork"));
    let folders = folders(&mut harness);
    assert_eq!((folders.len(), folders[0].path.as_str(), folders[0].threads), (1, "/workspace/project", 3));
    // The copy at its end has all turns of the thread that it was made of, and its own.
    let whole: Vec<usize> = copies.iter().map(|copy| transcript(&mut harness, &copy.id, 2).len()).collect();
    assert!(whole.iter().all(|events| *events > 0), "{whole:?}");
}

#[test]
fn only_the_models_need_the_program() {
    let mut harness: Harness<Codex> = query(Files::default());
    assert!(harness.spawned.is_empty());
    assert!(harness.command(CommandBody::ListSettings).iter().all(|output| !matches!(output, Output::Done(_))));
    assert_eq!(harness.spawned.len(), 1);
}
