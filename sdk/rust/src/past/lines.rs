//! The lines of a file, newest first, read from its end in pieces.
//!
//! Lines are cut at bytes, so a piece may begin inside a character. A file that grows meanwhile is read as far as it went at first; one
//! that shrinks is [`Stop::Changed`]. A line that is longer than [`LINE`] is passed over, and said so. Tests: below.

use super::world::{PIECE, World};
use crate::prelude::*;

/// A line has at most so many bytes: the largest rows that were seen have a little over 1 MiB.
pub(super) const LINE: usize = 8 * 1024 * 1024;

/// A file's lines from a place on, backwards.
#[derive(Debug)]
pub(super) struct Lines {
    world: World,
    file: FilePath,
    /// The place of the first byte that is held.
    at: u64,
    /// What lies between that and the line that was given last, without its line end.
    held: Vec<u8>,
    /// Where a line end may be among what is held: nothing after it has one.
    unseen: usize,
    /// The line that ends here is longer than what is held of it.
    long: bool,
    /// The last line of the file has no end.
    torn: bool,
    done: bool,
    /// Bytes that were read.
    pub(super) read: u64,
}

/// A line.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    /// Its text; nothing when it was too long.
    pub text: Option<String>,
    /// Its first byte.
    pub at: u64,
    /// It has no line end.
    pub torn: bool,
}

/// Why there is no next line.
#[derive(Debug)]
pub(super) enum Stop {
    /// The file is another one than it was.
    Changed,
    /// It could not be read.
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Fault(fault)
    }
}

impl Lines {
    /// The lines before this place; without one, all from the end on.
    pub(super) async fn open(world: &World, file: FilePath, before: Option<u64>) -> Result<Self, Stop> {
        let mut lines = Lines {
            world: world.clone(),
            file,
            at: 0,
            held: vec![],
            unseen: 0,
            long: false,
            torn: false,
            done: false,
            read: 0,
        };
        match before {
            Some(place) => lines.at = place,
            None => {
                let part = lines.world.read(&lines.file, -(PIECE as f64), PIECE).await?;
                lines.at = place(part.size);
                lines.fill(part.data).await?;
                lines.torn = lines.held.last().is_some_and(|byte| *byte != b'\n');
            }
        }
        if lines.at > 0 && lines.held.is_empty() {
            lines.more().await?;
        }
        lines.done = lines.held.is_empty();
        if lines.held.last() == Some(&b'\n') {
            lines.held.pop();
        } else if before.is_some() && !lines.done {
            // A page ends where a line does.
            return Err(Stop::Changed);
        }
        lines.unseen = lines.held.len();
        Ok(lines)
    }

    /// The line before the last one.
    pub(super) async fn next(&mut self) -> Result<Option<Line>, Stop> {
        while !self.done {
            let end = self.held[..self.unseen].iter().rposition(|byte| *byte == b'\n');
            if let Some(end) = end {
                let line = self.held.split_off(end + 1);
                self.held.pop();
                self.unseen = self.held.len();
                return Ok(Some(self.line(line, self.at + end as u64 + 1)));
            }
            if self.held.len() > LINE {
                (self.long, self.held) = (true, vec![]);
            }
            if self.at == 0 {
                self.done = true;
                let line = std::mem::take(&mut self.held);
                return Ok(Some(self.line(line, 0)));
            }
            self.unseen = 0;
            self.more().await?;
        }
        Ok(None)
    }

    fn line(&mut self, bytes: Vec<u8>, at: u64) -> Line {
        let long = std::mem::take(&mut self.long) || bytes.len() > LINE;
        let text = (!long).then(|| match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        });
        Line { text, at, torn: std::mem::take(&mut self.torn) }
    }

    async fn more(&mut self) -> Result<(), Stop> {
        self.fill(vec![]).await
    }

    /// The piece before what is held, whole, of which this much is there: the host may give less at once.
    async fn fill(&mut self, mut piece: Vec<u8>) -> Result<(), Stop> {
        let begin = self.at.saturating_sub(PIECE);
        while begin + (piece.len() as u64) < self.at {
            let from = begin + piece.len() as u64;
            let part = self.world.read(&self.file, from as f64, self.at - from).await?;
            if part.data.is_empty() || place(part.size) < self.at {
                return Err(Stop::Changed);
            }
            piece.extend(part.data);
            piece.truncate(usize::try_from(self.at - begin).unwrap_or(usize::MAX));
        }
        self.at = begin;
        self.took(piece);
        Ok(())
    }

    fn took(&mut self, mut piece: Vec<u8>) {
        self.read += piece.len() as u64;
        self.unseen += piece.len();
        piece.append(&mut self.held);
        self.held = piece;
    }
}

/// A size as the contract tells it.
fn place(size: f64) -> u64 {
    if size.is_finite() && size > 0.0 { size as u64 } else { 0 }
}
