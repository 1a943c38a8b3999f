//! The lists: which transcripts there are, newest first, and what the head and the tail of each tell.

use std::collections::BTreeMap;

use super::archive::{Archive, Facts, Place, Side};
use super::world::{World, file};
use crate::prelude::*;

/// A list looks into at most so many folders.
const FOLDERS: usize = 4_000;
/// And knows at most so many transcripts.
const FILES: usize = 20_000;
/// One answer looks into at most so many transcripts; the next page goes on.
const LOOKS: usize = 400;
/// A page of a list has at most so many threads.
pub const THREADS: usize = 200;
/// Of each end of a transcript so many bytes are looked at.
const ENDS: u64 = 128 * 1024;

/// A transcript that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The thread it belongs to.
    pub thread: String,
    /// The root beneath which it lies.
    pub root: String,
    /// Its path there.
    pub path: String,
    /// Size in bytes.
    pub size: f64,
    /// Last change, milliseconds since 1970.
    pub modified_ms: f64,
}

impl Found {
    /// As effects name it.
    pub fn file(&self) -> FilePath {
        file(&self.root, &self.path)
    }
}

/// All transcripts at these places, newest first. A place that can't be listed has none, and that is said, unless it is not there.
pub(super) async fn walk<A: Archive>(world: &World, archive: &A, folder: Option<&str>) -> Vec<Found> {
    let mut walk = Walk { folders: 0, found: vec![], cut: false };
    for place in archive.places(folder) {
        walk.place(world, archive, &place).await;
    }
    if walk.cut {
        world.diagnostic(
            Level::Warning,
            "history-cut",
            "there are more transcripts than are looked for; some are missing",
        );
    }
    walk.found.sort_by(|one, other| other.modified_ms.total_cmp(&one.modified_ms).then(other.path.cmp(&one.path)));
    walk.found
}

/// Of each thread the transcript that counts, in the same order.
pub(super) fn winners<'a, A: Archive>(archive: &A, all: &'a [Found]) -> Vec<&'a Found> {
    let mut winners: BTreeMap<&str, &Found> = BTreeMap::new();
    for found in all {
        let winner = winners.entry(&found.thread).or_insert(found);
        if archive.by_what_counts(found, winner).is_gt() {
            *winner = found;
        }
    }
    all.iter().filter(|found| winners.get(&*found.thread).is_some_and(|winner| std::ptr::eq(*winner, *found))).collect()
}

struct Walk {
    folders: usize,
    found: Vec<Found>,
    cut: bool,
}

impl Walk {
    async fn place<A: Archive>(&mut self, world: &World, archive: &A, place: &Place) {
        let parts: Vec<&str> = place.pattern.split('/').collect();
        let (last, folders) = parts.split_last().expect("a text has a part");
        let mut at = vec![String::new()];
        for part in folders {
            let mut next = vec![];
            for path in at {
                if part.contains('*') {
                    let entries = self.list(world, &place.root, &path).await.into_iter();
                    let inside = entries.filter(|entry| entry.folder && matches(part, &entry.name));
                    next.extend(inside.map(|entry| join(&path, &entry.name)));
                } else {
                    next.push(join(&path, part));
                }
            }
            // Names of days and of sessions rise: the newest are looked at first.
            next.sort_by(|one, other| other.cmp(one));
            at = next;
        }
        for path in at {
            for entry in self.list(world, &place.root, &path).await {
                let path = join(&path, &entry.name);
                let Some(thread) = archive.thread(&path).filter(|_| !entry.folder && matches(last, &entry.name)) else {
                    continue;
                };
                if self.found.len() >= FILES {
                    self.cut = true;
                    return;
                }
                let Entry { size, modified_ms, .. } = entry;
                self.found.push(Found { thread, root: place.root.clone(), path, size, modified_ms });
            }
        }
    }

    async fn list(&mut self, world: &World, root: &str, path: &str) -> Vec<Entry> {
        if self.folders >= FOLDERS || self.found.len() >= FILES {
            self.cut = true;
            return vec![];
        }
        self.folders += 1;
        match world.list(&file(root, path)).await {
            Ok(entries) => entries,
            // A provider that was never used, or a folder that is gone since.
            Err(fault) if fault.kind == FaultKind::NotFound => vec![],
            Err(fault) => {
                let text = format!("the folder `{path}` of `{root}` cannot be listed: {}", fault.message);
                world.diagnostic(Level::Warning, "history-unlisted", text);
                vec![]
            }
        }
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Whether a name is of this pattern, in which one `*` stands for any letters.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
    }
}

/// What is known of a transcript by its ends. Nothing when it can't be read; then that is said.
pub(super) async fn facts<A: Archive>(world: &World, archive: &A, found: &Found) -> Option<Facts> {
    let mut facts = Facts::default();
    archive.beside(world, found, &mut facts).await;
    let head = match world.read(&found.file(), 0.0, ENDS).await {
        Ok(head) => head,
        Err(fault) => {
            let text = format!("`{}` cannot be read: {}", found.path, fault.message);
            world.diagnostic(Level::Warning, "history-unread", text);
            return None;
        }
    };
    let whole = head.size <= head.data.len() as f64;
    for row in whole_lines(&String::from_utf8_lossy(&head.data), true, whole) {
        archive.learn(&mut facts, row, Side::Head);
    }
    let tail = if whole { Some(head) } else { world.read(&found.file(), -(ENDS as f64), ENDS).await.ok() };
    if let Some(tail) = tail {
        for row in whole_lines(&String::from_utf8_lossy(&tail.data), whole, true).into_iter().rev() {
            archive.learn(&mut facts, row, Side::Tail);
        }
    }
    Some(facts)
}

/// The lines of a part of a file that are whole in it: the first if the part begins with the file, the last if it ends with it.
fn whole_lines(text: &str, first: bool, last: bool) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if !last {
        lines.pop();
    }
    let from = usize::from(!first).min(lines.len());
    lines.drain(..from);
    lines.retain(|line| !line.trim().is_empty());
    lines
}

/// The command `list-threads`.
pub(super) async fn threads<A: Archive>(world: &World, archive: &A, list: &ListThreads) -> ThreadList {
    let all = walk(world, archive, list.folder.as_deref()).await;
    let limit = (list.limit as usize).clamp(1, THREADS);
    let after = list.page.as_deref().and_then(|page| page.split_once(':'));
    let after = after.and_then(|(time, path)| Some((time.parse::<f64>().ok()?, path)));
    if list.page.is_some() && after.is_none() {
        world.diagnostic(
            Level::Warning,
            "history-page",
            "the page's name is not one of this plugin's; the list is empty",
        );
        return ThreadList { threads: vec![], next: None };
    }
    let comes_after = |found: &&Found| match after {
        Some((time, path)) => found.modified_ms < time || (found.modified_ms == time && *found.path < *path),
        None => true,
    };
    let winners = winners(archive, &all);
    let (mut threads, mut looks) = (vec![], 0);
    for found in winners.iter().copied().filter(comes_after) {
        looks += 1;
        let facts = facts(world, archive, found).await;
        threads.extend(facts.filter(|facts| is_listed(facts, list)).map(|facts| thread(found, facts)));
        if threads.len() == limit || looks == LOOKS {
            let last = winners.last().is_none_or(|last| last.path == found.path);
            let next = (!last).then(|| format!("{}:{}", found.modified_ms, found.path));
            return ThreadList { threads, next };
        }
    }
    ThreadList { threads, next: None }
}

fn is_listed(facts: &Facts, list: &ListThreads) -> bool {
    facts.listed && list.folder.as_ref().is_none_or(|folder| facts.folder.as_ref() == Some(folder))
}

fn thread(found: &Found, facts: Facts) -> Thread {
    let id = facts.id.unwrap_or_else(|| found.thread.clone());
    Thread {
        cursor: Some(id.clone()),
        parent: facts.parent,
        title: facts.title,
        preview: facts.preview,
        folder: facts.folder,
        modified_ms: Some(found.modified_ms),
        extra: facts.extra,
        ..Thread::new(id, ThreadState::Stored)
    }
}

/// The command `list-folders`, newest first.
pub(super) async fn folders<A: Archive>(world: &World, archive: &A) -> Vec<Folder> {
    let all = walk(world, archive, None).await;
    let mut groups: BTreeMap<(&str, &str), Vec<&Found>> = BTreeMap::new();
    let mut looks = 0;
    for found in winners(archive, &all) {
        let group = archive.group(&found.path).unwrap_or(&found.path);
        groups.entry((&found.root, group)).or_default().push(found);
    }
    let mut folders: BTreeMap<String, Folder> = BTreeMap::new();
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by(|one, other| other[0].modified_ms.total_cmp(&one[0].modified_ms));
    for group in groups {
        for found in group.iter().take(3) {
            if looks == FOLDERS {
                world.diagnostic(Level::Warning, "history-cut", "there are more transcripts than are looked into");
                return sorted(folders);
            }
            looks += 1;
            let Some(facts) = facts(world, archive, found).await else { continue };
            let Some(path) = facts.folder.filter(|_| facts.listed) else { continue };
            let new = || Folder { path: path.clone(), threads: 0, modified_ms: None };
            let folder = folders.entry(path.clone()).or_insert_with(new);
            folder.threads += u32::try_from(group.len()).unwrap_or(u32::MAX);
            let newest = folder.modified_ms.map_or(group[0].modified_ms, |time| time.max(group[0].modified_ms));
            folder.modified_ms = Some(newest);
            break;
        }
    }
    sorted(folders)
}

fn sorted(folders: BTreeMap<String, Folder>) -> Vec<Folder> {
    let mut folders: Vec<Folder> = folders.into_values().collect();
    let time = |folder: &Folder| folder.modified_ms.unwrap_or(0.0);
    folders.sort_by(|one, other| time(other).total_cmp(&time(one)));
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_letters_of_one_name() {
        assert!(matches("rollout-*.jsonl", "rollout-2026.jsonl") && matches("*", "a") && matches("chats", "chats"));
        assert!(!matches("rollout-*.jsonl", "rollout-.json") && !matches("ab*ba", "aba") && !matches("chats", "chat"));
    }

    #[test]
    fn lines_that_a_part_cuts_are_no_lines() {
        assert_eq!(whole_lines("cut\na\n\nb\ncut", false, false), ["a", "b"]);
        assert_eq!(whole_lines("a\nb\n", true, true), ["a", "b"]);
        assert!(whole_lines("cut", false, false).is_empty() && whole_lines("", true, false).is_empty());
    }
}
