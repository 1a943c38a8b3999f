//! Programs that go wrong, and what a client sees all the same: each file of `tests/faults/` is a case, played through the whole
//! house. `tests/faults/README.md` tells the words of a case; `tests/traps/` has those in which it is the plugin that breaks. `UPDATE=1` writes what was seen into the files, for a person to
//! read; `CASE=c03` plays only those whose name holds that.

use anyhow::{Context, Result, ensure};
use jackfield_tests::block_on;
use jackfield_tests::faults::{Case, House};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Cases at a time: most of their time is waiting.
const AT_ONCE: usize = 16;

#[test]
fn every_fault_has_its_right_outcome() {
    each_holds(files());
}

#[test]
fn a_plugin_that_breaks_is_mended_behind_the_programs_back() {
    each_holds(cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("traps")));
}

fn each_holds(cases: Vec<PathBuf>) {
    let chosen = std::env::var("CASE").unwrap_or_default();
    let wrong = block_on(async {
        let house = Arc::new(House::build(Path::new(env!("CARGO_BIN_EXE_play"))).await.unwrap());
        let (places, mut playing) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
        for file in cases.into_iter().filter(|file| file.to_string_lossy().contains(&chosen)) {
            let (house, places) = (house.clone(), places.clone());
            playing.spawn(async move {
                let _place = places.acquire().await;
                check(&house, &file).await.with_context(|| file.display().to_string())
            });
        }
        playing
            .join_all()
            .await
            .into_iter()
            .filter_map(Result::err)
            .map(|error| format!("{error:#}"))
            .collect::<Vec<_>>()
    });
    assert!(wrong.is_empty(), "{} cases do not hold:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

async fn check(house: &House, file: &Path) -> Result<()> {
    let case = Case::read(file)?;
    let seen = house.play(&case).await?;
    let known = list("known.txt").contains_key(&case.name());
    if std::env::var_os("UPDATE").is_some() && !known {
        return case.rewrite(&seen);
    }
    if known {
        ensure!(seen != case.expected, "it holds now: take it out of tests/faults/known.txt");
        return Ok(());
    }
    ensure!(seen == case.expected, "seen:\n{seen}\nexpected:\n{}", case.expected);
    Ok(())
}

/// The list is whole: each id on it has a case, or waits with a reason, and no file is about anything else.
#[test]
fn every_fault_that_is_known_has_a_case() {
    let list = list("faults.txt");
    let waiting = list_of_waiting();
    let mut found = BTreeSet::new();
    for file in files() {
        let case = Case::read(&file).unwrap();
        for id in case.ids() {
            assert!(list.contains_key(&id), "{}: {id} is not in tests/faults/faults.txt", case.name());
            found.insert(id);
        }
    }
    let missing: Vec<_> = list.iter().filter(|(id, _)| !found.contains(*id) && !waiting.contains_key(*id)).collect();
    assert!(missing.is_empty(), "no case and no reason for: {missing:#?}");
    let both: Vec<_> = waiting.keys().filter(|id| found.contains(*id) || !list.contains_key(*id)).collect();
    assert!(both.is_empty(), "these wait for nothing: {both:?}");
}

fn list_of_waiting() -> BTreeMap<String, String> {
    let waiting = list("waiting.txt");
    for (id, why) in &waiting {
        assert!(why.split_whitespace().count() >= 5, "{id} does not say why it waits");
    }
    waiting
}

/// `C03 sentence`, one a line; a line that begins with `#` is for people.
fn list(name: &str) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(folder().join(name)).unwrap();
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').map(|(id, rest)| (id.to_owned(), rest.trim().to_owned())).unwrap()).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("faults")
}

fn files() -> Vec<PathBuf> {
    cases(&folder())
}

fn cases(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "case"))
        .collect();
    files.sort();
    files
}
