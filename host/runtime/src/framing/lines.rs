//! One JSON message per line (`ndjson`, `json-rpc`). Never looks further into a line than its first byte that is no blank.

use super::{Piece, frame, quote};

#[derive(Debug)]
pub(super) struct Lines {
    limit: usize,
    /// The line so far, at most `limit + 1` bytes (the one more may be the `\r` of the line's end).
    line: Vec<u8>,
    /// Set once the line is over the limit: its size so far and its last byte. Nothing of it is kept.
    over: Option<Over>,
}

#[derive(Debug, Clone, Copy)]
struct Over {
    bytes: u64,
    last: u8,
}

impl Lines {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), over: None }
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.line.capacity()
    }

    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Vec<Piece>) {
        let mut rest = bytes;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            self.take(&rest[..at]);
            self.close(out);
            rest = &rest[at + 1..];
        }
        self.take(rest);
    }

    pub(super) fn end(&mut self, out: &mut Vec<Piece>) {
        self.close(out);
    }

    fn take(&mut self, part: &[u8]) {
        let Some(&last) = part.last() else { return };
        if let Some(over) = &mut self.over {
            *over = Over { bytes: over.bytes + part.len() as u64, last };
        } else if self.line.len() + part.len() > self.limit + 1 {
            self.over = Some(Over { bytes: (self.line.len() + part.len()) as u64, last });
            self.line = Vec::new();
        } else {
            self.reserve(part.len());
            self.line.extend_from_slice(part);
        }
    }

    /// Doubles like a `Vec`, but never beyond the limit.
    fn reserve(&mut self, more: usize) {
        let needed = self.line.len() + more;
        if needed > self.line.capacity() {
            let target = needed.max(self.line.capacity() * 2).min(self.limit + 1);
            self.line.reserve_exact(target - self.line.len());
        }
    }

    fn close(&mut self, out: &mut Vec<Piece>) {
        if let Some(over) = self.over.take() {
            out.push(Piece::TooLarge { bytes: over.bytes - u64::from(over.last == b'\r') });
            return;
        }
        let mut line = std::mem::take(&mut self.line);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if line.len() > self.limit {
            out.push(Piece::TooLarge { bytes: line.len() as u64 });
            return;
        }
        match line.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) {
            None => {}
            Some(b'{') => out.push(Piece::Frame(frame(line))),
            Some(_) => out.push(Piece::Noise(quote(&line))),
        }
    }
}
