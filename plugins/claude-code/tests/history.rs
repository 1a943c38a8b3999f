//! What the program kept on disk, told again: real files, each beside what the program said while it wrote them (`tests/history/`), and
//! files that no program should write.

mod support;

use std::path::{Path, PathBuf};

use jackfield_plugin_claude_code::ClaudeCode;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::past::{difference, folders, page, query, seen, threads, transcript};
use jackfield_sdk::testing::recording::{self, expect};
use jackfield_sdk::testing::{Disk, Files, Harness, cut, project};
use support::play_in;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/history")
}

fn cases() -> Vec<String> {
    recording::cases(&folder(), 20)
}

fn on_disk(case: &Path) -> Harness<ClaudeCode> {
    query(Disk::new("projects", case.join("projects")).files())
}

/// The conversation that goes on longest in its folder, read from its cursor in pages of this many items.
fn told(case: &Path, limit: u32) -> Vec<Output> {
    let mut harness = on_disk(case);
    let threads = threads(&mut harness, None);
    transcript(&mut harness, threads[0].cursor.as_deref().unwrap(), limit)
}

/// Recordings of which the disk tells only a part, each with its reason.
const LESS: &[(&str, &str)] = &[
    ("2.1.332_resume_session_at", "the client went back: what came after is on no branch that is live"),
    ("2.1.197_resume_session_at", "the same"),
];

/// The words of a subagent are on disk only.
fn is_more(name: &str, line: &str) -> bool {
    name.ends_with("_subagent") && line.starts_with("(toolu_") && line.contains(") assistant ")
}

#[test]
fn history_and_the_live_conversation_show_the_same() {
    let mut wrong = vec![];
    for name in cases() {
        let case = folder().join(&name);
        let (live, history) = (seen(&play_in(&case, "live").outputs), seen(&told(&case, 1_000)));
        let is_part = |history: &[String]| {
            let mut live = live.iter();
            history.iter().all(|line| live.any(|other| other == line))
        };
        let history: Vec<String> = history.into_iter().filter(|line| !is_more(&name, line)).collect();
        let same = match LESS.iter().any(|(less, _)| name == *less) {
            true => !history.is_empty() && history.len() < live.len() && is_part(&history),
            false => live == history,
        };
        if !same {
            wrong.push(format!("== {name}\n{}", difference(&live, &history)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
            let paged = seen(&told(&case, limit));
            assert_eq!(paged, whole, "{name} in pages of {limit}");
        }
    }
}

/// A session whose transcript is these rows.
const SESSION: &str = "00000000-0000-4000-8000-000000000001";

fn written(rows: &[String]) -> Harness<ClaudeCode> {
    let bytes = (rows.join("\n") + "\n").into_bytes();
    query(Files::of(move |body| {
        Some(match body {
            EffectBody::ReadFile(read) => Ok(EffectValue::Bytes(cut(&bytes, read))),
            EffectBody::ListFolder(path) => {
                let folder = path.path.is_empty();
                let name = if folder { "-work".to_owned() } else { format!("{SESSION}.jsonl") };
                Ok(EffectValue::Entries(vec![Entry { name, folder, size: 1.0, modified_ms: 1.0 }]))
            }
            _ => return None,
        })
    }))
}

fn id(number: u32) -> String {
    format!("{number:08}-0000-4000-8000-000000000000")
}

fn row(number: u32, parent: Option<u32>, kind: &str, content: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"{}\"", id(parent)));
    format!(
        r#"{{"parentUuid":{parent},"uuid":"{}","type":"{kind}","isSidechain":false,"message":{{"id":"m{number}","role":"{kind}","content":{content}}}}}"#,
        id(number)
    )
}

fn said(harness: &mut Harness<ClaudeCode>, cursor: &str) -> Vec<String> {
    let text = |body: &ItemBody| match body {
        ItemBody::User(user) => format!("{:?}", user.content),
        ItemBody::Assistant(parts) => format!("{parts:?}"),
        ItemBody::Tool(tool) => format!("{} {:?}", tool.name.as_deref().unwrap(), tool.content),
        other => format!("{other:?}"),
    };
    let (outputs, _) = page(harness, cursor, None, 100);
    let items = outputs.iter().filter_map(|output| match output {
        Output::Event(Event { body: EventBody::Items(items), .. }) => Some(items.clone()),
        _ => None,
    });
    items.flatten().map(|item| text(&item.body).replace("Content::Text", "")).collect()
}

#[test]
fn only_the_branch_that_is_live_is_told_and_a_cursor_picks_another() {
    let rows = [
        row(1, None, "user", "\"one\""),
        row(2, Some(1), "assistant", r#"[{"type":"text","text":"first"}]"#),
        row(3, Some(2), "user", "\"dropped\""),
        row(4, Some(3), "assistant", r#"[{"type":"text","text":"dropped, too"}]"#),
        row(5, Some(2), "user", "\"two\""),
        row(6, Some(5), "assistant", r#"[{"type":"text","text":"second"}]"#),
        r#"{"type":"summary","summary":"x"}"#.to_owned(),
    ];
    let mut harness = written(&rows);
    let words = |harness: &mut _, cursor: &str| said(harness, cursor).join(" ");
    assert_eq!(words(&mut harness, SESSION), r#"[("one")] [("first")] [("two")] [("second")]"#);
    let cursor = format!("{SESSION}@{}", id(4));
    assert_eq!(words(&mut harness, &cursor), r#"[("one")] [("first")] [("dropped")] [("dropped, too")]"#);
    let copy = format!("{SESSION}@{}>{}", id(2), id(99));
    assert_eq!(words(&mut harness, &copy), r#"[("one")] [("first")]"#);
}

#[test]
fn rows_that_name_each_other_in_a_circle_or_nobody_end_the_branch() {
    let rows = [
        row(1, Some(3), "user", "\"one\""),
        row(2, Some(1), "user", "\"two\""),
        row(3, Some(2), "user", "\"three\""),
        row(3, Some(3), "user", "\"three again\""),
    ];
    assert_eq!(said(&mut written(&rows), SESSION).len(), 3, "each id once, and then nothing is before it");
    let lost = [row(1, None, "user", "\"one\""), row(3, Some(2), "user", "\"three\"")];
    assert_eq!(said(&mut written(&lost), SESSION), [r#"[("three")]"#]);
}

#[test]
fn rows_of_any_shape_cost_only_themselves() {
    let rows = [
        row(1, None, "user", "\"one\""),
        r#"[1,2]"#.into(),
        "\u{fffd}\0 nothing".into(),
        r#"{"type":"from-the-future","uuid":7,"parentUuid":[]}"#.into(),
        row(
            2,
            Some(1),
            "assistant",
            r#"[{"type":"text","text":"a"},{"type":"of-tomorrow"},7,{"type":"text","text":9}]"#,
        ),
        row(3, Some(2), "assistant", "null"),
        row(
            4,
            Some(3),
            "user",
            r#"[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]"#,
        ),
        row(5, Some(4), "robot", "\"beep\""),
        row(6, Some(5), "user", "\"last\""),
    ];
    let mut harness = written(&rows);
    let told = said(&mut harness, SESSION);
    assert!(told.len() <= 5 && told.last().unwrap() == r#"[("last")]"#, "{told:?}");
    let (outputs, _) = page(&mut harness, SESSION, None, 100);
    let unreadable = outputs.iter().filter(|output| {
        matches!(output, Output::Diagnostic(note) if note.code == "history-unreadable" && note.text.starts_with("2 rows"))
    });
    assert_eq!(unreadable.count(), 1, "{outputs:?}");
}

#[test]
fn threads_and_folders_are_listed_with_a_cursor_and_nothing_is_started() {
    let case = folder().join("2.1.332_resume_session_at");
    let mut harness = on_disk(&case);
    let threads = threads(&mut harness, Some("/workspace/project"));
    assert_eq!(threads.len(), 2);
    for thread in &threads {
        assert_eq!(
            (thread.cursor.as_deref(), thread.folder.as_deref()),
            (Some(&*thread.id), Some("/workspace/project"))
        );
        assert_eq!((thread.preview.as_deref(), thread.state), (Some("One <<script:hello>>"), ThreadState::Stored));
    }
    assert!(jackfield_sdk::testing::past::threads(&mut harness, Some("/workspace/proj")).is_empty());
    let folders = folders(&mut harness);
    assert_eq!((folders.len(), folders[0].path.as_str(), folders[0].threads), (1, "/workspace/project", 2));
    let resumed = harness.open(threads[0].cursor.as_deref(), &[]);
    assert!(!matches!(resumed.first(), Some(Output::Done(_))), "the program starts with the cursor as its argument");
    assert!(harness.spawned[0].2.contains(&("resume".to_owned(), threads[0].id.clone())));
}

#[test]
fn titles_are_those_that_a_person_gave_then_those_that_were_made_up() {
    let title = |more: &[&str]| {
        let mut rows = vec![row(1, None, "user", "\"one\"")];
        rows.extend(more.iter().map(|row| (*row).to_owned()));
        threads(&mut written(&rows), None)[0].title.clone().unwrap_or_default()
    };
    let (summary, made_up, given) = (
        r#"{"type":"summary","summary":"S"}"#,
        r#"{"type":"ai-title","aiTitle":"A"}"#,
        r#"{"type":"custom-title","customTitle":"C"}"#,
    );
    assert_eq!(title(&[]), "");
    assert_eq!(title(&[summary]), "S");
    assert_eq!(title(&[made_up, given]), "C");
    assert_eq!(title(&[given, made_up]), "C");
    assert!(threads(&mut written(&[summary.to_owned()]), None).is_empty(), "nobody ever spoke in it");
}
