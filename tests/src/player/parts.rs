//! A start of the program, cut by its conversations: our host may give each a program of its own.
//!
//! Pure. **A line is in one part: that of the call which it answers, of the conversation that it names, or of the client's last
//! line.** The handshake is in each. A conversation that nobody opened by a message (a subagent's) is where it was first named.

use super::dialect::{Asked, Dialect, Requests};
use super::recording::{Dir, Row};
use std::collections::BTreeMap;

/// The lines of one conversation in a start of the program.
#[derive(Default)]
pub(super) struct Part<'a> {
    /// Its lines.
    pub(super) rows: Vec<&'a Row>,
    /// The conversation, by the program's id, when a message opened it.
    pub(super) conversation: Option<String>,
}

struct Cutter<'a> {
    dialect: &'a dyn Dialect,
    parts: Vec<Part<'a>>,
    /// Which part a conversation is in.
    of: BTreeMap<String, usize>,
    /// Which part the answer to a call belongs to, by line.
    asked: Vec<(String, usize)>,
    greeting: Vec<&'a Row>,
    current: usize,
}

/// The parts of a start, in the order in which they were opened; one, where all is one conversation.
pub(super) fn parts<'a>(rows: &[&'a Row], dialect: &'a dyn Dialect) -> Vec<Part<'a>> {
    let mut cutter = Cutter {
        dialect,
        parts: vec![Part::default()],
        of: BTreeMap::new(),
        asked: Vec::new(),
        greeting: Vec::new(),
        current: 0,
    };
    for (index, row) in rows.iter().enumerate() {
        match row.dir {
            Dir::In => cutter.client_line(row, &rows[index + 1..]),
            Dir::Out => cutter.said(row),
            Dir::Exit | Dir::InEof => cutter.parts.iter_mut().for_each(|part| part.rows.push(row)),
            _ => cutter.push(row, cutter.current),
        }
    }
    cutter.parts
}

/// The line that answers a client's line.
pub(super) fn answer<'a>(dialect: &dyn Dialect, asked: &str, after: &[&'a Row]) -> Option<&'a Row> {
    after.iter().find(|row| row.dir == Dir::Out && dialect.answers(asked, &row.line)).copied()
}

impl<'a> Cutter<'a> {
    fn push(&mut self, row: &'a Row, part: usize) {
        self.parts[part].rows.push(row);
    }

    fn client_line(&mut self, row: &'a Row, after: &[&'a Row]) {
        let answer = answer(self.dialect, &row.line, after);
        let asked = self.dialect.asked(&row.line, &Requests::new());
        if matches!(asked, Asked::Handshake | Asked::Routine(_)) {
            self.greeting.extend([Some(row), answer].into_iter().flatten());
        }
        let opens = answer.filter(|_| matches!(asked, Asked::Open(_)));
        let opened = opens.filter(|said| !self.dialect.refuses(&row.line, &said.line));
        match opened.and_then(|said| self.dialect.opened(&row.line, &said.line)) {
            Some(id) => self.opened(id),
            None => {
                let named = self.dialect.conversation(&row.line);
                self.current = named.and_then(|id| self.of.get(&id).copied()).unwrap_or(self.current);
            }
        }
        self.asked.push((row.line.clone(), self.current));
        self.push(row, self.current);
    }

    /// A conversation was opened: the first in the part that is there, others in parts of their own.
    fn opened(&mut self, id: String) {
        if let Some(part) = self.of.get(&id) {
            self.current = *part;
            return;
        }
        if self.parts[0].conversation.is_some() {
            self.parts.push(Part { rows: self.greeting.clone(), conversation: None });
        }
        self.current = self.parts.len() - 1;
        self.parts[self.current].conversation = Some(id.clone());
        self.of.insert(id, self.current);
    }

    fn said(&mut self, row: &'a Row) {
        let dialect = self.dialect;
        if let Some(at) = self.asked.iter().position(|(asked, _)| dialect.answers(asked, &row.line)) {
            let (_, part) = self.asked.remove(at);
            return self.push(row, part);
        }
        let current = self.current;
        let part = self.dialect.conversation(&row.line).map_or(current, |id| *self.of.entry(id).or_insert(current));
        self.push(row, part);
    }
}
