//! The last raw frames of a session and what became of each, so that a person can see what is behind an event. Bounded by
//! bytes; never stored.

use jackfield_core::contract::Disposition;
use jackfield_core::normalizer::Disposed;
use std::collections::VecDeque;

/// A frame that is still kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptFrame {
    /// As it came in.
    pub raw: Vec<u8>,
    /// What became of it: `translated`, or the word it was disposed of with, such as `silent system/status`. Empty when
    /// nothing came of it.
    pub fate: String,
}

pub(crate) struct Ring {
    frames: VecDeque<(u64, KeptFrame)>,
    bytes: u64,
    limit: u64,
}

impl Ring {
    pub(crate) fn new(limit: u64) -> Ring {
        Ring { frames: VecDeque::new(), bytes: 0, limit }
    }

    pub(crate) fn push(&mut self, number: u64, frame: &[u8]) {
        if frame.len() as u64 > self.limit {
            // It would push out all others and itself: not worth its copy.
            return;
        }
        self.bytes += frame.len() as u64;
        self.frames.push_back((number, KeptFrame { raw: frame.to_vec(), fate: String::new() }));
        while self.bytes > self.limit {
            match self.frames.pop_front() {
                Some((_, oldest)) => self.bytes -= oldest.raw.len() as u64,
                None => break,
            }
        }
    }

    /// Something came of a frame: that counts more than any word about it.
    pub(crate) fn translated(&mut self, number: u64) {
        if let Some(kept) = self.kept(number) {
            kept.fate = TRANSLATED.to_owned();
        }
    }

    /// The first word about a frame that nothing came of stands.
    pub(crate) fn disposed(&mut self, number: u64, disposed: &Disposed) {
        if let Some(kept) = self.kept(number)
            && kept.fate.is_empty()
        {
            kept.fate = word(disposed);
        }
    }

    pub(crate) fn get(&self, number: u64) -> Option<&KeptFrame> {
        let index = self.frames.binary_search_by_key(&number, |(n, _)| *n).ok()?;
        Some(&self.frames[index].1)
    }

    fn kept(&mut self, number: u64) -> Option<&mut KeptFrame> {
        let index = self.frames.binary_search_by_key(&number, |(n, _)| *n).ok()?;
        Some(&mut self.frames[index].1)
    }
}

const TRANSLATED: &str = "translated";

fn word(disposed: &Disposed) -> String {
    match disposed {
        Disposed::Plugin(Disposition::Held) => "held".into(),
        Disposed::Plugin(Disposition::Duplicate) => "duplicate".into(),
        Disposed::Plugin(Disposition::Noise) | Disposed::Noise => "noise".into(),
        Disposed::Plugin(Disposition::Silent(kind)) => format!("silent {kind}"),
        Disposed::Plugin(Disposition::Unknown(kind)) => format!("unknown {kind}"),
        Disposed::Plugin(Disposition::Other(other)) => format!("unknown {}", other.name),
        Disposed::TooLarge => "too-large".into(),
        Disposed::Skipped => "skipped".into(),
        Disposed::Fenced => "fenced".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(ring: &Ring, number: u64) -> Option<&[u8]> {
        ring.get(number).map(|kept| kept.raw.as_slice())
    }

    #[test]
    fn an_output_counts_more_than_a_word_and_the_first_word_stands() {
        let mut ring = Ring::new(10);
        (1..=3).for_each(|number| ring.push(number, b"a"));
        ring.disposed(1, &Disposed::Plugin(Disposition::Silent("ping".into())));
        ring.disposed(1, &Disposed::Noise);
        ring.disposed(2, &Disposed::Fenced);
        ring.translated(2);
        ring.disposed(2, &Disposed::Noise);
        let fates: Vec<&str> = (1..=3).filter_map(|number| ring.get(number)).map(|kept| kept.fate.as_str()).collect();
        assert_eq!(fates, ["silent ping", "translated", ""]);
    }

    #[test]
    fn it_forgets_the_oldest_and_one_too_large() {
        let mut ring = Ring::new(10);
        ring.push(1, b"aaaa");
        ring.push(2, b"bbbb");
        assert_eq!(raw(&ring, 1), Some(&b"aaaa"[..]));
        ring.push(3, b"cccc");
        assert_eq!(raw(&ring, 1), None);
        assert_eq!(raw(&ring, 3), Some(&b"cccc"[..]));
        ring.push(4, &[0; 11]);
        assert_eq!((raw(&ring, 3), raw(&ring, 4), ring.bytes), (Some(&b"cccc"[..]), None, 8));
    }
}
