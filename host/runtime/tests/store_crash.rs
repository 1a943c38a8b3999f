//! `kill -9` at any moment: what was acknowledged is there, no number is used twice, what is missing is in the gap.

mod support;

use jackfield_core::event::EventBody;
use jackfield_core::id::ThreadId;
use jackfield_runtime::lease::Lease;
use jackfield_runtime::store::Store;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use support::{limits, testbed};
use tempfile::tempdir;

fn appender(data: &Path, limit: u32) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(testbed())
        .arg("append")
        .arg(data)
        .arg(limit.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("piped"));
    (child, lines)
}

#[derive(Default)]
struct Told {
    given: BTreeSet<u64>,
    acknowledged: BTreeSet<u64>,
    gap: BTreeSet<u64>,
}

/// Lets it append until so many are acknowledged, kills it, and reads the rest of what it had said.
fn round(data: &Path, acknowledged: usize) -> Told {
    let (mut child, mut lines) = appender(data, 0);
    let mut told = Told::default();
    let mut take = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let what = words.next().unwrap_or_default();
        // The last line may be cut by the kill; its number would be another one then.
        let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
        match (what, &numbers[..], line.ends_with('\n')) {
            ("given", &[seq], true) => assert!(told.given.insert(seq)),
            ("acknowledged", &[seq], true) => assert!(told.acknowledged.insert(seq)),
            ("gap", &[from, to], true) => told.gap.extend(from..=to),
            _ => {}
        }
        told.acknowledged.len()
    };
    let mut line = String::new();
    while lines.read_line(&mut line).unwrap() > 0 && take(&line) < acknowledged {
        line.clear();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    for line in rest.split_inclusive('\n') {
        take(line);
    }
    told
}

#[tokio::test]
async fn what_was_acknowledged_survives_and_no_number_is_used_twice() {
    let data = tempdir().unwrap();
    let rounds: Vec<Told> = [1, 40, 150, 333].map(|acknowledged| round(data.path(), acknowledged)).into();
    let store = Store::open(data.path(), limits(|_| ())).unwrap();
    let thread = ThreadId::from_digits("1");
    let (_, last_gap) = store.sequence(&thread).await.unwrap();
    let events = store.events(&thread, 0, usize::MAX).await.unwrap();
    let stored: BTreeSet<u64> = events.iter().map(|event| event.seq).collect();
    assert_eq!(stored.len(), events.len(), "a number is stored twice");
    for event in &events {
        if let EventBody::ItemDelta { text, .. } = &event.draft.body {
            assert_eq!(*text, event.seq.to_string(), "a seam is wrong");
        }
    }
    let gaps = |round: usize| {
        rounds.get(round).map_or_else(|| last_gap.clone().into_iter().flatten().collect(), |told| told.gap.clone())
    };
    let mut used = BTreeSet::new();
    for (number, told) in rounds.iter().enumerate() {
        assert!(told.acknowledged.len() > number, "round {number} did something");
        assert!(
            told.acknowledged.is_subset(&stored),
            "round {number}: lost {:?}",
            told.acknowledged.difference(&stored)
        );
        assert!(told.given.is_disjoint(&used), "round {number}: used again {:?}", told.given.intersection(&used));
        let missing: BTreeSet<u64> = told.given.difference(&stored).copied().collect();
        assert!(missing.is_subset(&gaps(number + 1)), "round {number}: neither stored nor announced {missing:?}");
        assert!(gaps(number + 1).is_disjoint(&stored), "round {number}: announced as lost and stored");
        used.extend(&told.given);
    }
}

#[test]
fn a_lease_is_held_against_another_process_and_freed_by_its_death() {
    let data = tempdir().unwrap();
    let thread = ThreadId::from_digits("1");
    let (mut holder, lines) = appender(data.path(), 8);
    assert!(lines.lines().any(|line| line.unwrap() == "ready"));
    let refused = Lease::take(data.path(), &thread).unwrap_err();
    assert_eq!(
        (refused.code(), refused.to_string().contains(&format!("process {}", holder.id()))),
        ("thread-busy", true)
    );
    let second = Command::new(testbed()).arg("append").arg(data.path()).arg("8").output().unwrap();
    assert!(String::from_utf8_lossy(&second.stderr).contains("is in use by process"), "{second:?}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    Lease::take(data.path(), &thread).unwrap();
}
