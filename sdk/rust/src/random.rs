//! A plugin's randomness: a sequence that follows from the session's seed, so that a replay gives the same ids.
//!
//! Not for secrets: whoever knows the seed knows the sequence. Tests: below.

/// SplitMix64 over the session's seed.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Begins the sequence of a seed; any text is a seed.
    pub fn new(seed: &str) -> Self {
        // FNV-1a: all digits of the seed count, whatever its length.
        Random(
            seed.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)),
        )
    }

    /// The next number.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next UUID, version 4.
    pub fn uuid(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        let high = (high & !0xf000) | 0x4000;
        let low = (low & !(0b11 << 62)) | (0b10 << 62);
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    }
}

/// Whether a text is written as UUIDs are, of any version.
pub fn is_uuid(text: &str) -> bool {
    let dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    let fits = |(at, c): (usize, char)| if dash(at) { c == '-' } else { c.is_ascii_hexdigit() };
    text.len() == 36 && text.chars().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::{Random, is_uuid};

    #[test]
    fn a_seed_gives_one_sequence_and_another_seed_another() {
        let three = |seed: &str| {
            let mut random = Random::new(seed);
            [random.next(), random.next(), random.next()]
        };
        assert_eq!(three("00ff"), three("00ff"));
        assert_ne!(three("00ff"), three("00fe"));
    }

    #[test]
    fn a_uuid_has_its_version_and_variant() {
        let mut random = Random::new("5eed");
        for _ in 0..200 {
            let uuid = random.uuid();
            assert_eq!(uuid.len(), 36, "{uuid}");
            assert_eq!(uuid.as_bytes()[14], b'4', "{uuid}");
            assert!(b"89ab".contains(&uuid.as_bytes()[19]), "{uuid}");
            assert!(is_uuid(&uuid) && is_uuid(&uuid.to_uppercase()));
        }
        for other in [
            "",
            "52a052ba-2996-443a-9758-a2569c18110",
            "52a052ba-2996-443a-9758-a2569c18110g",
            "52a052ba2996-443a-9758-a2569c18110a-",
        ] {
            assert!(!is_uuid(other), "{other}");
        }
    }
}
