//! Conservation: every frame that came in has exactly one disposition.
//!
//! **Frames in = the sum of all dispositions.** A frame waits here while its batch is at work; the batch's end, or the
//! end of a run in the middle of it, settles what is known so far. A frame that nothing came of and nobody disposed of
//! is `unaccounted`: a fault of the plugin that shows as a number instead of hiding. What comes of a batch comes in the order
//! of its frames, so those behind the one at work are still on their way and count in no run's end. Frames are numbered upwards
//! in a session; one at or below the last settled number is settled for good.
//!
//! **A frame belongs to one turn or to none: the turns' own counts, and those of what belonged to none, come to the session's.**
//! It belongs to the first open turn that something of it was shown in; when nothing was, to the only turn that was open when its
//! time came. What comes after a turn's end belongs to none. Tests: below, and the normalizer's properties.

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

    /// Adds other counts to these.
    pub fn add_all(&mut self, more: &Self) {
        let parts = [
            (&mut self.frames_in, more.frames_in),
            (&mut self.translated, more.translated),
            (&mut self.held, more.held),
            (&mut self.duplicate, more.duplicate),
            (&mut self.noise, more.noise),
            (&mut self.silent, more.silent),
            (&mut self.unknown, more.unknown),
            (&mut self.too_large, more.too_large),
            (&mut self.skipped, more.skipped),
            (&mut self.fenced, more.fenced),
            (&mut self.unaccounted, more.unaccounted),
        ];
        parts.into_iter().for_each(|(count, more)| *count += more);
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

/// A turn, as the book knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Page(u32);

/// Where a frame belongs; a later one counts more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Where its time came.
    Here(Option<Page>),
    /// Something was shown of it, in no open turn.
    Outside,
    /// Something was shown of it in this turn.
    Turn(Page),
}

#[derive(Debug, Clone, Default)]
struct Waiting {
    /// Where it belongs, once its time has come.
    place: Option<Place>,
    /// How it was counted when its turn ended.
    counted: Option<Fate>,
    outputs: u32,
    /// Outputs that were kept from being shown: of something that is over.
    fenced: u32,
    /// The same: known already.
    repeated: u32,
    fate: Option<Fate>,
}

impl Waiting {
    /// The turn it belongs to.
    fn page(&self) -> Option<Page> {
        match self.place {
            Some(Place::Turn(page)) => Some(page),
            Some(Place::Here(page)) => page,
            Some(Place::Outside) | None => None,
        }
    }

    /// What the host said of a frame it kept from the plugin stands; else an output counts more than a word.
    fn fate(&self) -> Fate {
        if let Some(counted) = self.counted {
            return counted;
        }
        match self.fate {
            Some(fate @ (Fate::Skipped | Fate::Fenced | Fate::TooLarge)) => fate,
            _ if self.outputs > 0 && self.outputs == self.fenced + self.repeated => {
                if self.fenced > 0 {
                    Fate::Fenced
                } else {
                    Fate::Duplicate
                }
            }
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
    /// The counts of the turns that are open.
    pages: BTreeMap<Page, LedgerCounts>,
    last_page: u32,
    /// What belonged to no turn.
    outside: LedgerCounts,
    /// The last frame of the batch whose time has come.
    come: u64,
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
        self.comes(frame);
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

    /// What came of a frame is known already: that output is not shown. A frame of which nothing else came is a duplicate.
    pub fn repeat(&mut self, frame: u64) {
        if let Some(waiting) = self.waiting_for(frame) {
            waiting.repeated += 1;
        }
    }

    /// Says what became of a frame; false when that was said before.
    pub fn dispose(&mut self, frame: u64, disposed: &Disposed) -> bool {
        if matches!(disposed, Disposed::Plugin(_)) {
            self.comes(frame);
        }
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
        self.comes(u64::MAX);
        self.come = 0;
        for (frame, waiting) in std::mem::take(&mut self.waiting) {
            let fate = waiting.fate();
            if waiting.counted.is_none() {
                let page = waiting.page().and_then(|page| self.pages.get_mut(&page));
                page.unwrap_or(&mut self.outside).add(fate);
            }
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
        self.known().for_each(|waiting| counts.add(waiting.fate()));
        counts
    }

    /// Frames of the batch whose time has come.
    fn known(&self) -> impl Iterator<Item = &Waiting> {
        let last = self.at_work.unwrap_or(u64::MAX);
        self.waiting.range(..=last).map(|(_, waiting)| waiting)
    }

    /// A turn begins.
    pub(crate) fn turn_begins(&mut self) -> Page {
        self.last_page += 1;
        self.pages.insert(Page(self.last_page), LedgerCounts::default());
        Page(self.last_page)
    }

    /// Something of the frame was shown, or is known to belong: in this open turn, or in none.
    pub(crate) fn shown(&mut self, frame: u64, page: Option<Page>) {
        if let Some(waiting) = self.waiting_for(frame) {
            let place = page.map_or(Place::Outside, Place::Turn);
            if !matches!(waiting.place, Some(Place::Turn(_))) {
                waiting.place = waiting.place.max(Some(place));
            }
        }
    }

    /// A turn ends: the counts of its frames. The one at work may be one of them; those behind it are not.
    pub(crate) fn turn_ends(&mut self, page: Page) -> LedgerCounts {
        let mut counts = self.pages.remove(&page).unwrap_or_default();
        let last = self.at_work.unwrap_or(u64::MAX);
        let known = self.waiting.range_mut(..=last).map(|(_, waiting)| waiting);
        for waiting in known.filter(|waiting| waiting.counted.is_none() && waiting.page() == Some(page)) {
            let fate = waiting.fate();
            waiting.counted = Some(fate);
            counts.add(fate);
        }
        counts
    }

    /// What belongs to no turn, or to one that has not ended, so far.
    pub fn outside(&self) -> LedgerCounts {
        let mut counts = self.outside.clone();
        self.pages.values().for_each(|page| counts.add_all(page));
        let rest = self.known().filter(|waiting| waiting.counted.is_none());
        rest.for_each(|waiting| counts.add(waiting.fate()));
        counts
    }

    /// The time of this frame has come, and with it that of those before it: they belong where it comes. What came before is not
    /// looked at again for each output.
    fn comes(&mut self, frame: u64) {
        if frame < self.come {
            return;
        }
        let mut open = self.pages.keys();
        let here = open.next().copied().filter(|_| open.next().is_none());
        let frames = self.waiting.range_mut(self.come..=frame).map(|(_, waiting)| waiting);
        frames.for_each(|waiting| _ = waiting.place.get_or_insert(Place::Here(here)));
        self.come = frame;
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
    fn a_frame_is_fenced_or_a_duplicate_when_nothing_else_came_of_it() {
        let mut ledger = Ledger::default();
        for frame in [1, 2, 2, 3, 4, 4, 5, 5] {
            ledger.output(frame);
        }
        [1, 2, 5].iter().for_each(|frame| ledger.fence(*frame));
        [3, 4, 5].iter().for_each(|frame| ledger.repeat(*frame));
        ledger.end_batch();
        let counts = ledger.counts();
        assert_eq!((counts.fenced, counts.duplicate, counts.translated), (2, 1, 2));
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

    /// A silent frame belongs to the turn that is open when its time comes; the one that ends a turn is the turn's; what comes
    /// after belongs to none; and it makes no difference where a batch ends.
    #[test]
    fn a_frame_belongs_to_a_turn_or_to_none() {
        let play = |batched: bool| {
            let mut ledger = Ledger::default();
            let settle = |ledger: &mut Ledger| drop((!batched).then(|| ledger.end_batch()));
            if batched {
                (1..=6).for_each(|frame| ledger.frame_in(frame));
            }
            let silent = |ledger: &mut Ledger, frame| {
                ledger.frame_in(frame);
                ledger.dispose(frame, &Disposed::Plugin(Disposition::Silent("ping".into())));
            };
            silent(&mut ledger, 1);
            settle(&mut ledger);
            ledger.frame_in(2);
            ledger.output(2);
            let page = ledger.turn_begins();
            ledger.shown(2, Some(page));
            settle(&mut ledger);
            silent(&mut ledger, 3);
            settle(&mut ledger);
            ledger.frame_in(4);
            ledger.output(4);
            ledger.shown(4, Some(page));
            let counts = ledger.turn_ends(page);
            settle(&mut ledger);
            ledger.frame_in(5);
            ledger.output(5);
            ledger.shown(5, None);
            settle(&mut ledger);
            silent(&mut ledger, 6);
            ledger.end_batch();
            (counts, ledger.outside(), ledger.counts())
        };
        let (turn, outside, total) = play(false);
        assert_eq!((turn.translated, turn.silent, turn.frames_in), (2, 1, 3));
        assert_eq!((outside.translated, outside.silent, outside.frames_in), (1, 2, 3));
        let mut sum = turn.clone();
        sum.add_all(&outside);
        assert_eq!(sum, total);
        assert_eq!(play(true), (turn, outside, total));
    }

    #[test]
    fn with_several_turns_open_a_frame_that_nothing_came_of_belongs_to_none() {
        let mut ledger = Ledger::default();
        let pages = [ledger.turn_begins(), ledger.turn_begins()];
        for frame in [1, 2] {
            ledger.frame_in(frame);
        }
        ledger.dispose(1, &Disposed::Plugin(Disposition::Held));
        ledger.output(2);
        ledger.shown(2, Some(pages[1]));
        ledger.shown(2, Some(pages[0]));
        assert_eq!(pages.map(|page| ledger.turn_ends(page).frames_in), [0, 1]);
        ledger.end_batch();
        assert_eq!((ledger.outside().held, ledger.outside().frames_in), (1, 1));
    }

    #[test]
    fn an_unbalanced_book_is_seen() {
        assert!(!LedgerCounts { frames_in: 1, ..Default::default() }.balanced());
    }
}
