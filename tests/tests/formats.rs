//! `--format claude`, made from session events: on the recordings of the program whose format it is, it says that program's
//! own frames; on the demonstration, frames that the official SDK's types accept (`formats_sdk.rs`).
//!
//! What may differ is on the reviewed list `tests/recordings/format.json`: fields, and frames by kind, each with its reason.

use jackfield::ClaudeFrames;
use jackfield_tests::block_on;
use jackfield_tests::player::claude_frames::{Difference, compare};
use jackfield_tests::player::dialect;
use jackfield_tests::player::house::House;
use jackfield_tests::player::manner::Manner;
use jackfield_tests::player::recording::{Recording, files, folder};
use jackfield_tests::player::seen::{Conversation, Play};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

const PLAY: &str = env!("CARGO_BIN_EXE_play");

/// What may differ, with reasons.
#[derive(Deserialize)]
struct Reviewed {
    /// Fields that can't be equal.
    fields: BTreeMap<String, String>,
    /// Frames that one side has alone, by kind; with the recordings in which it is so.
    frames: BTreeMap<String, Kind>,
}

#[derive(Deserialize)]
struct Kind {
    why: String,
    recordings: BTreeSet<String>,
}

#[test]
fn a_recording_gives_its_own_frames_again() {
    let list: Reviewed = serde_json::from_str(include_str!("../recordings/format.json")).expect("format.json");
    assert!(list.fields.values().chain(list.frames.values().map(|kind| &kind.why)).all(|why| why.len() > 20));
    let files: Vec<PathBuf> =
        ["claude-code-2.1.332", "claude-code-2.1.197"].iter().flat_map(|name| files(&folder(name))).collect();
    assert!(files.len() >= 121, "{} recordings; 121 were there", files.len());
    let found = block_on(all(files));
    let mut wrong = Vec::new();
    let mut seen: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, difference) in &found {
        seen.entry(&difference.kind).or_default().insert(name);
        if !list.frames.get(&difference.kind).is_some_and(|kind| kind.recordings.contains(name)) {
            wrong.push(format!("{name}: {} {:.300}", difference.kind, difference.frame));
        }
    }
    // What holds after all is taken off the list.
    for (kind, listed) in &list.frames {
        for name in &listed.recordings {
            if !seen.get(kind.as_str()).is_some_and(|names| names.contains(name.as_str())) {
                wrong.push(format!("format.json lists {kind} for {name}, where it is not so"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences that are not on the list:\n{}", wrong.len(), wrong.join("\n"));
}

/// The judge sees what is spoilt.
#[test]
fn a_spoilt_frame_is_seen() {
    let file = folder("claude-code-2.1.332").join("tool_approval_allow.jsonl");
    let play = block_on(played(&file));
    let conversation = &play.conversations[0];
    let lines = lines(conversation);
    assert_eq!(compare(conversation, &lines), []);
    let at = |kind: &str| lines.iter().position(|line| value(line)["type"] == kind).expect("such a frame");
    let spoils: &[(&str, &str, &str)] = &[
        ("assistant", "\"role\":\"assistant\"", "\"role\":\"user\""),
        ("assistant", "\"type\":\"t", "\"type\":\"x"),
        ("user", "\"tool_use_id\":\"t", "\"tool_use_id\":\"x"),
        ("user", "\"is_error\":false", "\"is_error\":true"),
        ("result", "\"subtype\":\"success\"", "\"subtype\":\"error_max_turns\""),
        ("result", "\"is_error\":false", "\"is_error\":true"),
    ];
    for (kind, from, to) in spoils {
        let mut spoilt = lines.clone();
        let line = &mut spoilt[at(kind)];
        assert!(line.contains(from), "{line} has no {from}");
        *line = line.replacen(from, to, 1);
        assert!(!compare(conversation, &spoilt).is_empty(), "{kind}: {from} → {to} was not seen");
    }
    for kind in ["assistant", "user", "result"] {
        let mut shorter = lines.clone();
        shorter.remove(at(kind));
        assert!(!compare(conversation, &shorter).is_empty(), "a missing {kind} frame was not seen");
    }
}

async fn all(files: Vec<PathBuf>) -> Vec<(String, Difference)> {
    let house =
        Arc::new(House::open(dialect("claude-code").expect("the dialect"), Path::new(PLAY)).await.expect("a house"));
    let room = Arc::new(Semaphore::new(4));
    let plays: Vec<_> = files
        .into_iter()
        .map(|file| {
            let (house, room) = (house.clone(), room.clone());
            tokio::spawn(async move {
                let _room = room.acquire().await;
                let play = house.play(&file, &Recording::read(&file)?, Manner::Plain).await?;
                let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
                let name = format!("{folder}/{}", file.file_stem().unwrap_or_default().to_string_lossy());
                anyhow::Ok((name, play))
            })
        })
        .collect();
    let mut found = Vec::new();
    for play in plays {
        let (name, play) = play.await.expect("no panic").expect("it plays");
        for conversation in &play.conversations {
            let differences = compare(conversation, &lines(conversation));
            found.extend(differences.into_iter().map(|difference| (name.clone(), difference)));
        }
    }
    found
}

async fn played(file: &Path) -> Play {
    let house = House::open(dialect("claude-code").expect("the dialect"), Path::new(PLAY)).await.expect("a house");
    house.play(file, &Recording::read(file).expect("a recording"), Manner::Plain).await.expect("it plays")
}

/// What the view says of a conversation: a view for each sitting, as each run of the program has one.
fn lines(conversation: &Conversation) -> Vec<String> {
    let mut frames = ClaudeFrames::new(&conversation.thread, "/", "claude-code", false);
    let lines = conversation.events.iter().flat_map(|event| frames.lines(event).expect("frames are JSON"));
    lines.collect()
}

fn value(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}
