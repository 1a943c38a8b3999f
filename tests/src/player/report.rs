//! A recording, played twice and judged: the verdict and the counts behind it.

use super::house::House;
use super::judge::judge;
use super::lists::Lists;
use super::manner::Manner;
use super::picture::picture;
use super::plan::What;
use super::recording::Recording;
use super::seen::{Play, Problem};
use super::{dialect, honesty, ids};
use anyhow::{Context, Result};
use jackfield_core::event::{EventBody, SessionEvent};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The verdict on one recording.
pub struct Report {
    /// Folder and name of the file.
    pub name: String,
    /// Its events, of the first play.
    pub events: Vec<SessionEvent>,
    /// What a person sees of it, thread by thread; of the first play.
    pub picture: String,
    /// What does not hold.
    pub problems: Vec<Problem>,
    /// What was counted.
    pub counts: BTreeMap<String, usize>,
}

impl Report {
    /// True when all holds.
    pub fn passes(&self) -> bool {
        self.problems.is_empty()
    }

    /// The verdict in one line.
    pub fn line(&self) -> String {
        let counts: Vec<String> = self.counts.iter().map(|(name, count)| format!("{name}={count}")).collect();
        let counts = counts.join(" ");
        match self.problems.as_slice() {
            [] => format!("PASS {} {counts}", self.name),
            [first, rest @ ..] => {
                let more = if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
                let first = first.to_string().replace('\n', " ");
                format!("FAIL {} {first}{more} {counts}", self.name)
            }
        }
    }
}

/// Plays and judges files, a few at once; the reports come in the order of the files. `program` is player and supervisor.
pub async fn all(provider: &str, files: Vec<PathBuf>, program: &Path, at_once: usize) -> Result<Vec<Report>> {
    let dialect = dialect(provider).with_context(|| format!("no recordings of '{provider}' can be played"))?;
    let house = Arc::new(House::open(dialect, program).await?);
    let lists = Arc::new(Lists::of(provider)?);
    let room = Arc::new(Semaphore::new(at_once));
    let plays: Vec<_> = files
        .into_iter()
        .map(|file| {
            let (house, lists, room) = (house.clone(), lists.clone(), room.clone());
            tokio::spawn(async move {
                let _room = room.acquire().await;
                one(&house, &lists, &file).await
            })
        })
        .collect();
    let mut reports = Vec::new();
    for play in plays {
        reports.push(play.await?);
    }
    Ok(reports)
}

async fn one(house: &House, lists: &Lists, file: &Path) -> Report {
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let name = format!("{folder}/{}", file.file_stem().unwrap_or_default().to_string_lossy());
    let mut report = Report { name, events: vec![], picture: String::new(), problems: vec![], counts: BTreeMap::new() };
    if let Err(error) = judged(house, lists, file, &mut report).await {
        report.problems.push(Problem::new("play", format!("{error:#}")));
    }
    report
}

async fn judged(house: &House, lists: &Lists, file: &Path, report: &mut Report) -> Result<()> {
    let recording = Recording::read(file)?;
    let first = house.play(file, &recording, Manner::Plain).await?;
    report.problems = judge(&first, house.dialect(), lists);
    report.problems.extend(honesty::judge(&first, &report.name, &honesty::list()?));
    let second = house.play(file, &recording, Manner::Plain).await?;
    let pairs = first.conversations.iter().zip(&second.conversations);
    report.problems.extend(pairs.filter_map(|(one, other)| ids::same(&one.events, &other.events)));
    if report.problems.is_empty() {
        report.problems = judge(&second, house.dialect(), lists);
    }
    report.picture = shown(&first);
    if report.problems.is_empty() && report.picture != shown(&second) {
        report.problems.push(Problem::new("picture", "the second play looks otherwise"));
    }
    report.counts = counts(&first);
    report.events = first.conversations.into_iter().flat_map(|one| one.events).collect();
    Ok(())
}

/// What a person sees of a play, thread by thread.
pub fn shown(play: &Play) -> String {
    let pictures = play.conversations.iter().map(|conversation| picture(&conversation.events));
    pictures.collect::<Vec<_>>().join("\nanother thread\n")
}

fn counts(play: &Play) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut add = |name: &str, by: usize| *counts.entry(name.to_owned()).or_default() += by;
    for conversation in &play.conversations {
        add("events", conversation.events.len());
        for event in &conversation.events {
            match event.draft.body {
                EventBody::RunEnded { .. } => add("runs", 1),
                EventBody::TurnEnded { .. } => add("turns", 1),
                EventBody::ItemEnded { .. } => add("items", 1),
                EventBody::RequestResolved { .. } => add("requests", 1),
                _ => {}
            }
        }
        for sitting in &conversation.sittings {
            add("starts", 1);
            add("lines", sitting.said.len());
            for frame in &sitting.frames {
                let word = frame.fate.split(' ').next().unwrap_or_default();
                add(if word.is_empty() { "unaccounted" } else { word }, 1);
            }
            for step in &sitting.incarnation.steps {
                match step.what {
                    What::Wait(_) | What::Unread(_) => add("driven", 1),
                    What::LeaveOut(_) => add("left-out", 1),
                    _ => {}
                }
            }
        }
    }
    counts
}
