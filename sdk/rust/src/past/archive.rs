//! What a plugin says about its provider's files: where they are, and what a row means.

use std::future::Future;

use super::catalog::Found;
use super::told::Told;
use super::world::World;
use crate::prelude::*;

/// So many letters of a conversation's first words are its preview.
const PREVIEW: usize = 200;

/// Files that hold a conversation each, one JSON value per line, appended to.
pub trait Archive: Clone + 'static {
    /// What the rows of a transcript mean.
    type Rows: Rows;

    /// Where transcripts lie. With a folder, only the places that may hold its conversations.
    fn places(&self, folder: Option<&str>) -> Vec<Place>;

    /// The id of the thread whose transcript this file is; nothing when it is none.
    fn thread(&self, path: &str) -> Option<String>;

    /// What all transcripts of one folder have in common in their paths; without it, each file tells its folder by itself.
    fn group<'a>(&self, path: &'a str) -> Option<&'a str> {
        let _ = path;
        None
    }

    /// Learns from a row at the head of a transcript (oldest first) or at its tail (newest first).
    fn learn(&self, facts: &mut Facts, row: &str, side: Side);

    /// Learns from files beside the transcript, before its rows are looked at.
    fn beside(&self, world: &World, found: &Found, facts: &mut Facts) -> impl Future<Output = ()> {
        let _ = (world, found, facts);
        async {}
    }

    /// The thread that a cursor opens, and the place in it up to which it goes.
    fn cursor(&self, cursor: &str) -> (String, Option<String>) {
        (cursor.to_owned(), None)
    }

    /// Which of two transcripts of one thread counts: the greater one. By default the one with the last name: it holds the time at which it
    /// was begun.
    fn by_what_counts(&self, one: &Found, other: &Found) -> std::cmp::Ordering {
        let name = |found: &'_ Found| found.path.rsplit('/').next().unwrap_or_default().to_owned();
        name(one).cmp(&name(other)).then(one.modified_ms.total_cmp(&other.modified_ms))
    }

    /// The id of that thread, as the list tells it: its files may go by a part of it.
    fn id(&self, cursor: &str) -> String {
        self.cursor(cursor).0
    }

    /// Reads a page of this thread's rows: from the newest back, or from where an earlier page was marked by [`Rows::mark`].
    fn rows(&self, thread: &str, mark: Option<&str>) -> Self::Rows;

    /// Reads the rows of a transcript that [`Archive::inside`] found.
    fn rows_inside(&self, thread: &str) -> Self::Rows {
        self.rows(thread, None)
    }

    /// The transcript that goes on before the first row of this one, out of all that there are.
    fn before(&self, rows: &mut Self::Rows, first: &str, at: &Found, all: &[Found]) -> Option<Found> {
        let _ = (rows, first, at, all);
        None
    }

    /// The transcript of what happened inside of a call, by what [`Told::inside`] said.
    fn inside(&self, at: &Found, name: &str) -> Option<FilePath> {
        let _ = (at, name);
        None
    }
}

/// What the rows of one page mean.
pub trait Rows {
    /// A row, newest first: whether it belongs to the conversation. Say only what is needed for that.
    fn back(&mut self, row: &Row<'_>) -> Back;

    /// Where the rows before the last one given to `back` are gone on with, for [`Archive::rows`].
    fn mark(&self) -> String {
        String::new()
    }

    /// Telling begins: `first` when the page begins with the conversation.
    fn begin(&mut self, first: bool) {
        let _ = first;
    }

    /// A row that belongs to the page, oldest first: what a person sees of it.
    fn tell(&mut self, row: &str, told: &mut Told);

    /// All rows of the page were told.
    fn end(&mut self, told: &mut Told) {
        let _ = told;
    }
}

/// A row and its place.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The line.
    pub text: &'a str,
    /// Its first byte in its file.
    pub at: u64,
    /// It is the last line and has no end: it may be in the middle of being written.
    pub torn: bool,
}

/// What a row is to the conversation, seen from its end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Back {
    /// It is told.
    pub kept: bool,
    /// How many things a person sees of it; of a call and its result together this is one.
    pub items: usize,
    /// What must stand before it on the same page: the calls whose results it holds.
    pub waits_for: Vec<String>,
    /// What it has of that which later rows wait for: calls.
    pub settles: Vec<String>,
    /// Rows that were not kept when they were met and belong to the conversation after all, with their places.
    pub with: Vec<(u64, String)>,
    /// It is never parted from the row that is told after it: a message has several rows.
    pub joined: bool,
    /// Nothing before it belongs to the conversation.
    pub begins: bool,
    /// It is no row that can be read.
    pub unreadable: bool,
}

impl Back {
    /// A row that does not matter.
    pub fn skip() -> Self {
        Back::default()
    }

    /// A row that can't be read.
    pub fn unreadable() -> Self {
        Back { unreadable: true, ..Back::default() }
    }

    /// A row that is told, and of which a person sees so many things.
    pub fn keep(items: usize) -> Self {
        Back { kept: true, items, ..Back::default() }
    }
}

/// Where transcripts lie: a path beneath a root, in which `*` stands for any letters within one name.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Name of the root in the manifest.
    pub root: String,
    /// `*/*.jsonl`.
    pub pattern: String,
}

impl Place {
    /// A place beneath a root.
    pub fn new(root: impl Into<String>, pattern: impl Into<String>) -> Self {
        Place { root: root.into(), pattern: pattern.into() }
    }
}

/// Which end of a transcript a row is from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    /// The beginning: rows come oldest first.
    Head,
    /// The end: rows come newest first.
    Tail,
}

/// What is known of a thread without reading it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The id that opens it, when the file's name has only a part of it.
    pub id: Option<String>,
    /// Title for a person.
    pub title: Option<String>,
    /// First words of the conversation.
    pub preview: Option<String>,
    /// Its working folder.
    pub folder: Option<String>,
    /// Id of the thread it was forked from, or works for.
    pub parent: Option<String>,
    /// It is a conversation of a person; one that nobody spoke in is not listed.
    pub listed: bool,
    /// More facts by name.
    pub extra: Pairs,
}

impl Facts {
    /// The conversation begins with these words; only the first count.
    pub fn begins_with(&mut self, words: &str) {
        if self.preview.is_none() {
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            self.preview = Some(words.chars().take(PREVIEW).collect()).filter(|words: &String| !words.is_empty());
        }
    }
}
