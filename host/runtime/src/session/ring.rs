//! The last raw frames of a session, so that a person can see what is behind an event. Bounded by bytes; never stored.

use std::collections::VecDeque;

pub(crate) struct Ring {
    frames: VecDeque<(u64, Vec<u8>)>,
    bytes: u64,
    limit: u64,
}

impl Ring {
    pub(crate) fn new(limit: u64) -> Ring {
        Ring { frames: VecDeque::new(), bytes: 0, limit }
    }

    pub(crate) fn push(&mut self, number: u64, frame: &[u8]) {
        self.bytes += frame.len() as u64;
        self.frames.push_back((number, frame.to_vec()));
        while self.bytes > self.limit {
            match self.frames.pop_front() {
                Some((_, oldest)) => self.bytes -= oldest.len() as u64,
                None => break,
            }
        }
    }

    pub(crate) fn get(&self, number: u64) -> Option<&[u8]> {
        let index = self.frames.binary_search_by_key(&number, |(n, _)| *n).ok()?;
        Some(&self.frames[index].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_forgets_the_oldest_and_one_too_large() {
        let mut ring = Ring::new(10);
        ring.push(1, b"aaaa");
        ring.push(2, b"bbbb");
        assert_eq!(ring.get(1), Some(&b"aaaa"[..]));
        ring.push(3, b"cccc");
        assert_eq!(ring.get(1), None);
        assert_eq!(ring.get(3), Some(&b"cccc"[..]));
        ring.push(4, &[0; 11]);
        assert_eq!((ring.get(3), ring.get(4), ring.bytes), (None, None, 0));
    }
}
