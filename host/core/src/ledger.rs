//! Conservation: every frame that came in has exactly one disposition.
//!
//! **Frames in = the sum of all dispositions.** A frame waits here while its batch is at work; the batch's end, or the
//! end of a run in the middle of it, settles what is known so far. A frame that nothing came of and nobody disposed of
//! is `unaccounted`: a fault of the plugin that shows as a number instead of hiding. What comes of a batch comes in the order
//! of its frames, so those behind the one at work are still on their way and count in no run's end. Frames are numbered upwards
//! in a session; one at or below the last settled number is settled for good. Tests: below, and the normalizer's properties.

use crate::contract::Disposition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What became of every frame of a session so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerCounts {
    /// Frames that came in.
    pub frames_in: u64,
    /// Something came of them: an event, an effect, an answer.
    pub translated: u64,
    /// Kept by the plugin until a later frame completes them.
    pub held: u64,
    /// Seen before.
    pub duplicate: u64,
    /// Not the protocol's.
    pub noise: u64,
    /// Understood and of no interest.
    pub silent: u64,
    /// Not understood.
    pub unknown: u64,
    /// Over the limit of one frame.
    pub too_large: u64,
    /// Left out because the plugin trapped on them.
    pub skipped: u64,
    /// Of an old epoch or a superseded attempt.
    pub fenced: u64,
    /// Nothing came of them and nobody said why.
    pub unaccounted: u64,
}

impl LedgerCounts {
    /// True when frames in = the sum of the rest.
    pub fn balanced(&self) -> bool {
        let parts = [
            self.translated,
            self.held,
            self.duplicate,
            self.noise,
            self.silent,
            self.unknown,
            self.too_large,
            self.skipped,
            self.fenced,
            self.unaccounted,
        ];
        self.frames_in == parts.iter().sum::<u64>()
    }

    fn add(&mut self, fate: Fate) {
        self.frames_in += 1;
        *match fate {
            Fate::Translated => &mut self.translated,
            Fate::Held => &mut self.held,
            Fate::Duplicate => &mut self.duplicate,
            Fate::Noise => &mut self.noise,
            Fate::Silent => &mut self.silent,
            Fate::Unknown => &mut self.unknown,
            Fate::TooLarge => &mut self.too_large,
            Fate::Skipped => &mut self.skipped,
            Fate::Fenced => &mut self.fenced,
            Fate::Unaccounted => &mut self.unaccounted,
        } += 1;
    }
}

/// What becomes of a frame that no event came of.
#[derive(Debug, Clone, PartialEq)]
pub enum Disposed {
    /// As the plugin says.
    Plugin(Disposition),
    /// The reader found that it is not the protocol's.
    Noise,
    /// The reader found it over the limit.
    TooLarge,
    /// The plugin trapped on it, and the session goes on without it.
    Skipped,
    /// It belongs to an old epoch or a superseded attempt.
    Fenced,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Translated,
    Held,
    Duplicate,
    Noise,
    Silent,
    Unknown,
    TooLarge,
    Skipped,
    Fenced,
    Unaccounted,
}

impl From<&Disposed> for Fate {
    fn from(disposed: &Disposed) -> Self {
        match disposed {
            Disposed::Plugin(Disposition::Held) => Self::Held,
            Disposed::Plugin(Disposition::Duplicate) => Self::Duplicate,
            Disposed::Plugin(Disposition::Noise) | Disposed::Noise => Self::Noise,
            Disposed::Plugin(Disposition::Silent(_)) => Self::Silent,
            Disposed::Plugin(Disposition::Unknown(_) | Disposition::Other(_)) => Self::Unknown,
            Disposed::TooLarge => Self::TooLarge,
            Disposed::Skipped => Self::Skipped,
            Disposed::Fenced => Self::Fenced,
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Waiting {
    outputs: u32,
    /// Outputs that were kept from being shown.
    fenced: u32,
    fate: Option<Fate>,
}

impl Waiting {
    /// What the host said of a frame it kept from the plugin stands; else an output counts more than a word.
    fn fate(&self) -> Fate {
        match self.fate {
            Some(fate @ (Fate::Skipped | Fate::Fenced | Fate::TooLarge)) => fate,
            _ if self.outputs > 0 && self.outputs == self.fenced => Fate::Fenced,
            _ if self.outputs > 0 => Fate::Translated,
            Some(fate) => fate,
            None => Fate::Unaccounted,
        }
    }
}

/// The book of one session's frames.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    settled: LedgerCounts,
    waiting: BTreeMap<u64, Waiting>,
    last_settled: Option<u64>,
    /// The frame of the batch that the plugin spoke of last.
    at_work: Option<u64>,
}

impl Ledger {
    /// A frame came in.
    pub fn frame_in(&mut self, frame: u64) {
        self.waiting_for(frame);
    }

    /// Something came of a frame.
    pub fn output(&mut self, frame: u64) {
        if let Some(waiting) = self.waiting_for(frame) {
            waiting.outputs += 1;
            self.at_work = Some(frame);
        }
    }

    /// What came of a frame belongs to something that is over: that output is not shown. A frame of which nothing else came
    /// is fenced.
    pub fn fence(&mut self, frame: u64) {
        if let Some(waiting) = self.waiting_for(frame) {
            waiting.fenced += 1;
        }
    }

    /// Says what became of a frame; false when that was said before.
    pub fn dispose(&mut self, frame: u64, disposed: &Disposed) -> bool {
        match self.waiting_for(frame) {
            Some(waiting) if waiting.fate.is_none() => {
                waiting.fate = Some(disposed.into());
                // What the host disposes of by itself is not in step with the plugin's words.
                if matches!(disposed, Disposed::Plugin(_)) {
                    self.at_work = Some(frame);
                }
                true
            }
            _ => false,
        }
    }

    /// Settles all frames of the batch; those that nobody accounted for are returned.
    pub fn end_batch(&mut self) -> Vec<u64> {
        let mut unaccounted = Vec::new();
        self.at_work = None;
        for (frame, waiting) in std::mem::take(&mut self.waiting) {
            let fate = waiting.fate();
            if fate == Fate::Unaccounted {
                unaccounted.push(frame);
            }
            self.settled.add(fate);
            self.last_settled = Some(frame);
        }
        unaccounted
    }

    /// The batch comes to nothing more: all that came in counts from now on.
    pub fn stop_work(&mut self) {
        self.at_work = None;
    }

    /// The counts as they stand. Balanced, however the frames are batched: a frame counts when it is not later than the one at
    /// work.
    pub fn counts(&self) -> LedgerCounts {
        let mut counts = self.settled.clone();
        let known = self.waiting.iter().take_while(|(frame, _)| self.at_work.is_none_or(|at_work| **frame <= at_work));
        known.for_each(|(_, waiting)| counts.add(waiting.fate()));
        counts
    }

    fn waiting_for(&mut self, frame: u64) -> Option<&mut Waiting> {
        if self.last_settled.is_some_and(|last| frame <= last) {
            return None;
        }
        Some(self.waiting.entry(frame).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_frame_has_one_fate() {
        let mut ledger = Ledger::default();
        for frame in 1..=6 {
            ledger.frame_in(frame);
        }
        ledger.output(1);
        ledger.dispose(2, &Disposed::Plugin(Disposition::Held));
        assert!(!ledger.dispose(2, &Disposed::Noise), "the second word does not count");
        ledger.dispose(3, &Disposed::TooLarge);
        ledger.output(3);
        ledger.dispose(4, &Disposed::Plugin(Disposition::Silent("ping".into())));
        ledger.output(4);
        ledger.dispose(5, &Disposed::Plugin(Disposition::Unknown("x".into())));
        assert_eq!(ledger.end_batch(), [6]);
        let counts = ledger.counts();
        let wanted = LedgerCounts {
            frames_in: 6,
            translated: 2,
            held: 1,
            too_large: 1,
            unknown: 1,
            unaccounted: 1,
            ..Default::default()
        };
        assert_eq!(counts, wanted);
        assert!(counts.balanced());
    }

    #[test]
    fn a_settled_frame_stays_settled() {
        let mut ledger = Ledger::default();
        ledger.output(7);
        ledger.end_batch();
        ledger.frame_in(7);
        assert!(!ledger.dispose(7, &Disposed::Noise));
        ledger.end_batch();
        assert_eq!(ledger.counts().frames_in, 1);
    }

    #[test]
    fn a_frame_is_fenced_when_nothing_else_came_of_it() {
        let mut ledger = Ledger::default();
        for frame in [1, 2, 2] {
            ledger.output(frame);
        }
        ledger.fence(1);
        ledger.fence(2);
        ledger.end_batch();
        let counts = ledger.counts();
        assert_eq!((counts.fenced, counts.translated), (1, 1));
        assert!(counts.balanced());
    }

    #[test]
    fn the_middle_of_a_batch_balances_too() {
        let mut ledger = Ledger::default();
        (1..=4).for_each(|frame| ledger.frame_in(frame));
        ledger.output(1);
        ledger.output(2);
        let counts = ledger.counts();
        assert_eq!((counts.frames_in, counts.translated), (2, 2));
        assert!(counts.balanced());
        ledger.dispose(3, &Disposed::Plugin(Disposition::Held));
        assert_eq!((ledger.counts().frames_in, ledger.counts().held), (3, 1));
        ledger.dispose(4, &Disposed::TooLarge);
        assert_eq!(ledger.counts().frames_in, 3, "the host's own word comes before its turn");
        ledger.stop_work();
        assert_eq!((ledger.counts().frames_in, ledger.counts().too_large), (4, 1));
    }

    #[test]
    fn an_unbalanced_book_is_seen() {
        assert!(!LedgerCounts { frames_in: 1, ..Default::default() }.balanced());
    }
}
