//! One page of a transcript: the rows that the limit takes, from its end or from where the page before began.
//!
//! Rows are read newest first until there is one item too many; the page then begins at the last border that was passed. **A border is
//! a place at which nothing that stands after it waits for something before it**: no result for its call.

use std::collections::BTreeSet;

use super::archive::{Archive, Row, Rows};
use super::catalog::{Found, walk, winners};
use super::lines::{Lines, Stop};
use super::told::Told;
use super::world::World;
use crate::prelude::*;

/// What happened inside of a call goes with it, whatever the limit, up to so many items.
const INSIDE: usize = 500;
/// A page has at most so many items, whatever the limit.
pub const ITEMS: usize = 1_000;
/// A page holds rows of at most so many bytes, unless one item needs more.
const HELD: usize = 12 * 1024 * 1024;
/// For one page at most so many bytes are read; then it may be short, or empty, and the next one goes on.
const READ: u64 = 64 * 1024 * 1024;
/// So many times what the limit takes is read to find a result's call; then the two are parted, and that is said.
const PATIENCE: usize = 8;

/// A place between two rows.
#[derive(Debug, Clone)]
struct Border {
    /// How many rows are told that stand after it.
    rows: usize,
    /// The file, the end of the row before it, and what the plugin needs to go on.
    at: (String, u64, String),
}

/// The command `read-thread`: events, and the next page's name.
pub(super) async fn read<A: Archive>(
    world: &World,
    archive: &A,
    cursor: &str,
    read: &ReadThread,
) -> Result<Option<String>, Fault> {
    let ((thread, upto), id) = (archive.cursor(cursor), archive.id(cursor));
    let all: Vec<Found> = walk(world, archive, None).await;
    let Some(newest) = winners(archive, &all).into_iter().find(|found| found.thread == thread) else {
        return Err(Fault::new(FaultKind::NotFound, format!("There is no transcript of the thread `{thread}`.")));
    };
    let begin = match &read.page {
        None => (newest.clone(), None, upto),
        Some(page) => {
            let (place, path, mark) = place_of(page)?;
            let found = all.iter().find(|found| found.path == path);
            let gone =
                || Fault::new(FaultKind::NotFound, "The transcript of this page is gone. Begin with the newest page.");
            (found.cloned().ok_or_else(gone)?, Some(place), Some(mark))
        }
    };
    let limit = (read.limit as usize).clamp(1, ITEMS);
    let mut again = 0;
    loop {
        let (found, before, mark) = begin.clone();
        let mut page = Page::new(world, archive, &id, &all, limit, archive.rows(&thread, mark.as_deref()));
        match page.collect(found, before).await {
            Ok(next) => {
                let told = page.told(next.is_none()).await;
                for (scope, body) in told.events() {
                    world.event(scope, body);
                }
                return Ok(next);
            }
            Err(Stop::Fault(fault)) => return Err(fault),
            // Nothing was told yet: the newest page is simply read again.
            Err(Stop::Changed) if read.page.is_none() && again < 2 => again += 1,
            Err(Stop::Changed) => {
                let text = "The transcript is another one than it was. Begin with the newest page.";
                return Err(Fault::new(FaultKind::Conflict, text).with_retry(None));
            }
        }
    }
}

/// `PLACE:LENGTH:PATH MARK`, with the length of the path, as [`name_of`] writes it.
fn place_of(page: &str) -> Result<(u64, String, String), Fault> {
    let read = || {
        let (place, rest) = page.split_once(':')?;
        let (length, rest) = rest.split_once(':')?;
        let length: usize = length.parse().ok()?;
        let (path, mark) = (rest.get(..length)?, rest.get(length..)?);
        Some((place.parse().ok()?, path.to_owned(), mark.to_owned()))
    };
    read().ok_or_else(|| Fault::new(FaultKind::Invalid, "There is no such page."))
}

fn name_of(at: &(String, u64, String)) -> String {
    format!("{}:{}:{}{}", at.1, at.0.len(), at.0, at.2)
}

/// What became of a row.
#[derive(Debug, PartialEq)]
enum Met {
    /// It is not told.
    Passed,
    /// It is told.
    Told,
    /// It is told together with what stands after it.
    Joined,
    /// The conversation begins with it.
    Begin,
}

struct Page<'a, A: Archive> {
    world: &'a World,
    archive: &'a A,
    thread: &'a str,
    all: &'a [Found],
    limit: usize,
    rows: A::Rows,
    /// Rows that are told, by transcript (the newest is 0) and place.
    kept: Vec<(usize, u64, String)>,
    bytes: usize,
    items: usize,
    /// Results that were met, and whose calls were not.
    waits: BTreeSet<String>,
    unreadable: usize,
    /// The transcript that is read last.
    last: Option<Found>,
}

impl<'a, A: Archive> Page<'a, A> {
    fn new(world: &'a World, archive: &'a A, thread: &'a str, all: &'a [Found], limit: usize, rows: A::Rows) -> Self {
        let (kept, waits) = (vec![], BTreeSet::new());
        Page { world, archive, thread, all, limit, rows, kept, bytes: 0, items: 0, waits, unreadable: 0, last: None }
    }

    /// Reads the page's rows; gives the name of the next page.
    async fn collect(&mut self, mut found: Found, mut before: Option<u64>) -> Result<Option<String>, Stop> {
        let (mut read, mut transcripts) = (0, 0);
        // The last border, and the one that counts if the next row that is told is not joined to what stands after it.
        let (mut border, mut next): (Option<Border>, Option<Border>) = (None, None);
        loop {
            let mut lines = Lines::open(self.world, found.file(), before.take()).await?;
            self.last = Some(found.clone());
            let mut first = String::new();
            while let Some(line) = lines.next().await? {
                let at = line.at;
                let Some(text) = line.text else {
                    let text = format!("a row of `{}` at byte {at} is too long and was passed over", found.path);
                    self.world.diagnostic(Level::Warning, "history-long-row", text);
                    continue;
                };
                let met = self.row(&Row { text: &text, at, torn: line.torn }, transcripts);
                match met {
                    Met::Begin => return Ok(None),
                    Met::Told => border = next.take().or(border),
                    Met::Joined => next = None,
                    Met::Passed => {}
                }
                let far = read + lines.read;
                let full = self.items > self.limit || self.bytes > HELD;
                let cut = if far > READ { border.take().or(next.take()) } else { border.take_if(|_| full) };
                if let Some(border) = cut {
                    return Ok(self.cut(border));
                }
                let here = || Border { rows: self.kept.len(), at: (found.path.clone(), at, self.rows.mark()) };
                if self.items > self.limit * PATIENCE || self.bytes > HELD * 4 || far > READ * 2 {
                    let text = format!("what belongs together in `{}` is too far apart for one page", found.path);
                    self.world.diagnostic(Level::Warning, "history-parted", text);
                    let here = here();
                    return Ok(self.cut(here));
                }
                if self.waits.is_empty() && (self.items > 0 || far > READ) {
                    next = Some(here());
                }
                first = text;
            }
            read += lines.read;
            transcripts += 1;
            let earlier = self.archive.before(&mut self.rows, &first, &found, self.all);
            // Transcripts that name each other in a circle have no beginning.
            let Some(earlier) = earlier.filter(|_| transcripts <= self.all.len()) else { return Ok(None) };
            found = earlier;
        }
    }

    fn row(&mut self, row: &Row<'_>, transcript: usize) -> Met {
        if row.text.trim().is_empty() {
            return Met::Passed;
        }
        let back = self.rows.back(row);
        // The last line may be in the middle of being written.
        self.unreadable += usize::from(back.unreadable && !row.torn);
        let met = back.settles.iter().filter(|call| self.waits.remove(*call)).count();
        self.waits.extend(back.waits_for);
        for (at, text) in back.with {
            self.bytes += text.len();
            self.kept.push((transcript, at, text));
        }
        if back.kept {
            self.items += back.items.saturating_sub(met);
            self.bytes += row.text.len();
            self.kept.push((transcript, row.at, row.text.to_owned()));
        }
        match (back.begins, back.kept, back.joined) {
            (true, ..) => Met::Begin,
            (_, true, true) => Met::Joined,
            (_, true, false) => Met::Told,
            _ => Met::Passed,
        }
    }

    /// The page begins here; what was read before is the next one's.
    fn cut(&mut self, border: Border) -> Option<String> {
        self.kept.truncate(border.rows);
        Some(name_of(&border.at))
    }

    /// What the rows tell, oldest first, and what happened inside of their calls.
    async fn told(mut self, first: bool) -> Told {
        let mut told = self.tell(first, None);
        let last = self.last.clone();
        for (item, name) in told.take_inside() {
            let file = last.as_ref().and_then(|at| self.archive.inside(at, &name));
            let Some(file) = file else { continue };
            match self.inside(&item, file).await {
                Ok(inner) => told.insert(&item, inner),
                Err(text) => self.world.diagnostic(Level::Warning, "history-inside", text),
            }
        }
        told
    }

    /// What the rows tell, oldest first; all of it inside of this call, if there is one.
    fn tell(&mut self, first: bool, parent: Option<&str>) -> Told {
        let mut told = Told::of(self.thread, parent.map(str::to_owned));
        self.kept.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        self.rows.begin(first);
        for (_, _, row) in &self.kept {
            self.rows.tell(row, &mut told);
        }
        self.rows.end(&mut told);
        let unreadable = self.unreadable + told.count_unreadable();
        if unreadable > 0 {
            let inside = parent.map(|call| format!(", inside of the call `{call}`,")).unwrap_or_default();
            let text = format!("{unreadable} rows of the thread `{}`{inside} cannot be read", self.thread);
            self.world.diagnostic(Level::Warning, "history-unreadable", text);
        }
        told
    }

    /// What happened inside of a call, the newest of it.
    async fn inside(&self, item: &str, file: FilePath) -> Result<Told, String> {
        let unread = |stop: Stop| match stop {
            Stop::Fault(fault) => format!("`{}` cannot be read: {}", file.path, fault.message),
            Stop::Changed => format!("`{}` changed while it was read", file.path),
        };
        let found = Found {
            thread: self.thread.to_owned(),
            root: file.root.clone(),
            path: file.path.clone(),
            size: 0.0,
            modified_ms: 0.0,
        };
        let rows = self.archive.rows_inside(self.thread);
        let mut page = Page::new(self.world, self.archive, self.thread, &[], INSIDE, rows);
        let next = page.collect(found, None).await.map_err(unread)?;
        if next.is_some() {
            let text = format!("`{}` has more than {INSIDE} items; its newest are told", file.path);
            self.world.diagnostic(Level::Info, "history-inside", text);
        }
        Ok(page.tell(next.is_none(), Some(item)))
    }
}
