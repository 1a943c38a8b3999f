//! Where a host is killed: chosen by a seed, spread over its start, its lines, and what it is told.

use std::time::Duration;

/// The seed of every ordinary run.
pub const SEED: u64 = 0x6a66_6c64;
const POINTS: usize = 50;
/// About as many lines as the longer conversation has.
const LINES: u64 = 125;

/// A moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// The host has just been started: it opens or makes its store.
    Start,
    /// After this many of its lines.
    Line(u64),
    /// After this many lines were said to it: it writes down what it is asked.
    Said(u64),
}

/// Where a host is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The moment.
    pub at: At,
    /// And so much later: between two lines, in the middle of a write.
    pub later: Duration,
    /// The second request is left without an answer.
    pub pending: bool,
    /// The store that it finds is of the first schema, with a thread in it.
    pub old_store: bool,
}

/// The points of a seed.
pub fn points(seed: u64) -> Vec<Point> {
    let mut random = Random(seed);
    (0..POINTS).map(|number| point(number, &mut random)).collect()
}

fn point(number: usize, random: &mut Random) -> Point {
    let (at, later_us) = match number % 10 {
        0 => (At::Start, 150_000),
        // Its first lines: before the provider has said anything.
        1 => (At::Line(1 + random.below(12)), 3_000),
        2 | 3 => (At::Said(1 + random.below(4)), 4_000),
        _ => (At::Line(1 + random.below(LINES)), 12_000),
    };
    let later = Duration::from_micros(random.below(later_us));
    // A quarter exactly at the line: the write of it is under way.
    let later = if at != At::Start && random.below(4) == 0 { Duration::ZERO } else { later };
    Point { at, later, pending: random.below(3) > 0, old_store: at == At::Start && random.below(2) == 0 }
}

/// SplitMix64: small, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    /// A number below this one.
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }
}
