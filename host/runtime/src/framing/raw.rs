//! No framing: pieces are handed on as they come, at most so large, cut between characters where that is possible.

use super::{Piece, frame, halved_char_len};

#[derive(Debug)]
pub(super) struct Raw {
    limit: usize,
    /// The beginning of a character whose rest has not come: at most three bytes.
    halved: Vec<u8>,
}

impl Raw {
    pub(super) fn new(limit: usize) -> Self {
        // A character must fit a piece.
        Self { limit: limit.max(4), halved: Vec::new() }
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.halved.capacity()
    }

    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Vec<Piece>) {
        let joined = [std::mem::take(&mut self.halved).as_slice(), bytes].concat();
        let whole = joined.len() - halved_char_len(&joined);
        let mut rest = &joined[..whole];
        while !rest.is_empty() {
            let mut cut = rest.len().min(self.limit);
            if cut < rest.len() {
                cut -= halved_char_len(&rest[..cut]);
            }
            out.push(Piece::Frame(frame(rest[..cut].to_vec())));
            rest = &rest[cut..];
        }
        self.halved = joined[whole..].to_vec();
    }

    pub(super) fn end(&mut self, out: &mut Vec<Piece>) {
        if !self.halved.is_empty() {
            out.push(Piece::Frame(frame(std::mem::take(&mut self.halved))));
        }
    }
}
