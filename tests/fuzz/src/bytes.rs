//! A case as it is drawn from bytes: whatever the bytes are, something comes of them.

/// Bytes that are read once, front to back. Past their end everything is 0, which chooses the first of all choices.
#[derive(Debug)]
pub struct Bytes<'a> {
    data: &'a [u8],
    at: usize,
}

const IDS: [&str; 10] = ["a", "b", "T", "S", "k", "0", "1", "", "a\u{202e}b", "child"];
const TEXTS: [&str; 14] = [
    "",
    "hi",
    "h",
    "é台",
    "\u{1b}[31mred\u{7}",
    "line\nline",
    "{}",
    "{\"command\":\"ls\"}",
    "[1,",
    "\u{0}\u{feff}\u{202e}",
    "sk-ant-api03-0123456789abcdef0123456789abcdef",
    "null",
    "</tool>",
    "ok ok ok",
];

impl<'a> Bytes<'a> {
    /// Reads these.
    pub fn new(data: &'a [u8]) -> Bytes<'a> {
        Bytes { data, at: 0 }
    }

    /// True when all are read.
    pub fn is_over(&self) -> bool {
        self.at >= self.data.len()
    }

    /// The next one.
    pub fn byte(&mut self) -> u8 {
        let byte = self.data.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    /// A number below this one.
    pub fn below(&mut self, most: usize) -> usize {
        let wide = if most > 256 { usize::from(self.byte()) << 8 } else { 0 };
        (wide | usize::from(self.byte())) % most.max(1)
    }

    /// True once in so many times.
    pub fn once_in(&mut self, many: usize) -> bool {
        self.below(many) == 1
    }

    /// One of these.
    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// An id: few, so that they meet; some are no ids at all.
    pub fn id(&mut self) -> String {
        if self.once_in(60) { "x".repeat(5_000) } else { self.pick(&IDS).to_owned() }
    }

    /// An id or none.
    pub fn id_or_none(&mut self) -> Option<String> {
        if self.once_in(4) { None } else { Some(self.id()) }
    }

    /// A text.
    pub fn text(&mut self) -> String {
        if self.once_in(60) { "long ".repeat(4_000) } else { self.pick(&TEXTS).to_owned() }
    }

    /// A text or none.
    pub fn text_or_none(&mut self) -> Option<String> {
        if self.below(2) == 0 { None } else { Some(self.text()) }
    }

    /// A number, sane or not.
    pub fn number(&mut self) -> f64 {
        self.pick(&[0.0, 1.0, 12.5, -1.0, f64::NAN, f64::INFINITY, f64::MAX, 1e-300])
    }

    /// A number or none.
    pub fn number_or_none(&mut self) -> Option<f64> {
        if self.below(2) == 0 { None } else { Some(self.number()) }
    }

    /// A list of at most so many.
    pub fn list<T>(&mut self, most: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(most + 1);
        (0..count).map(|_| one(self)).collect()
    }
}

/// SplitMix64: the bytes of a seed.
pub fn of_seed(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed;
    let mut bytes = Vec::with_capacity(count + 8);
    while bytes.len() < count {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bytes.extend((z ^ (z >> 31)).to_le_bytes());
    }
    bytes.truncate(count);
    bytes
}
