//! Effects as awaited calls: what a question asks of the host's files. A refusal is a fault like any other.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use crate::prelude::*;

/// At most so many bytes are asked for at once; the host gives no more than 1 MiB.
pub(super) const PIECE: u64 = 256 * 1024;

/// What one question asks of the world, and what it has to say beside its answer. Cloning it gives the same.
#[derive(Debug, Clone, Default)]
pub struct World(Rc<RefCell<Desk>>);

/// Between a question and the host.
#[derive(Debug, Default)]
pub(super) struct Desk {
    next: u32,
    /// Asked and not yet passed on.
    pub(super) wishes: Vec<(u32, EffectBody)>,
    answers: BTreeMap<u32, Result<EffectValue, Fault>>,
    /// Said and not yet passed on.
    pub(super) notes: Vec<Note>,
    /// To be told when the question is answered, in order.
    pub(super) events: Vec<Event>,
}

impl World {
    /// A part of a file: at most `length` bytes from `offset` on; below zero, the offset counts from the end. Also the file's size.
    pub async fn read(&self, file: &FilePath, offset: f64, length: u64) -> Result<FilePart, Fault> {
        let length = u32::try_from(length.min(PIECE)).unwrap_or(u32::MAX);
        match self.ask(EffectBody::ReadFile(ReadFile { file: file.clone(), offset, length })).await? {
            EffectValue::Bytes(part) => Ok(part),
            other => Err(not_asked_for(&other)),
        }
    }

    /// What a folder holds.
    pub async fn list(&self, folder: &FilePath) -> Result<Vec<Entry>, Fault> {
        match self.ask(EffectBody::ListFolder(folder.clone())).await? {
            EffectValue::Entries(entries) => Ok(entries),
            other => Err(not_asked_for(&other)),
        }
    }

    /// Rows of a SQLite file, each a JSON array as text.
    pub async fn query(&self, file: &FilePath, sql: &str, params: Vec<String>) -> Result<Vec<String>, Fault> {
        match self.ask(EffectBody::QuerySqlite(SqliteQuery { file: file.clone(), sql: sql.into(), params })).await? {
            EffectValue::Rows(rows) => Ok(rows),
            other => Err(not_asked_for(&other)),
        }
    }

    /// The first bytes of a file as text, whole when it is small; nothing when there is none.
    pub async fn head(&self, file: &FilePath, length: u64) -> Option<String> {
        let part = self.read(file, 0.0, length).await.ok()?;
        Some(String::from_utf8_lossy(&part.data).into_owned())
    }

    /// A word to the plugin's author.
    pub fn diagnostic(&self, level: Level, code: &str, text: impl Into<String>) {
        self.0.borrow_mut().notes.push(Note::new(level, code, text));
    }

    /// Something happened long ago; told just before the question's answer.
    pub fn event(&self, scope: Scope, body: EventBody) {
        let scope = Some(Scope { replayed: true, ..scope });
        self.0.borrow_mut().events.push(Event { scope, body });
    }

    async fn ask(&self, body: EffectBody) -> Result<EffectValue, Fault> {
        let slot = {
            let mut desk = self.0.borrow_mut();
            desk.next += 1;
            let slot = desk.next;
            desk.wishes.push((slot, body));
            slot
        };
        poll_fn(|_| match self.0.borrow_mut().answers.remove(&slot) {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        })
        .await
    }

    pub(super) fn answer(&self, slot: u32, answer: Result<EffectValue, Fault>) {
        self.0.borrow_mut().answers.insert(slot, answer);
    }

    pub(super) fn take<T>(&self, what: impl FnOnce(&mut Desk) -> &mut Vec<T>) -> Vec<T> {
        std::mem::take(what(&mut self.0.borrow_mut()))
    }
}

fn not_asked_for(value: &EffectValue) -> Fault {
    Fault::new(FaultKind::Protocol, format!("The host answered with something else than was asked for: {value:?}."))
}

/// A file or folder beneath a root.
pub(super) fn file(root: &str, path: &str) -> FilePath {
    FilePath { root: root.to_owned(), path: path.to_owned() }
}
