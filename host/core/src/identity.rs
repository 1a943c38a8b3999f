//! How the host mints ids.
//!
//! **The host mints every id; a provider's own id is only a reference in a scope, and a text is never part of an id.**
//!
//! An id is a prefix and the first twenty hexadecimal digits of sha256 over its key. The key is a list of parts; each part
//! goes in as its length in bytes (eight bytes, little-endian) and then its bytes, so that no two lists run together:
//!
//! | part | what |
//! | --- | --- |
//! | 1–4 | instance, session, epoch, thread of ours (within a session it names one provider thread at a time, and is known before the provider names its own) |
//! | 5 | the turn: `id` and the provider's own id where those are strong, else `no` and the turn's number in the thread; `run` and the run's id for what comes before its turn; `told` and a number for history told again; `-` for what belongs to no turn |
//! | 6 | the kind: `turn`, `item/tool`, `request`, `task` … |
//! | 7 | how the thing is told from its like: by [`Mark`] |
//!
//! A strong id marks by itself; a weak one together with its occurrence in the turn; without an id it is the ordinal of
//! its kind in the turn. So the same conversation played twice has the same ids, however its frames are batched, and the
//! same native id in a later turn is another thing. Tests: below, and the normalizer's properties.

use crate::capability::Strength;
use crate::event::Correlation;
use crate::id::{SessionId, ThreadId};
use sha2::{Digest, Sha256};

/// How many hexadecimal digits an id has.
const DIGITS: usize = 20;

/// The first twenty hexadecimal digits of sha256 over the parts, each with its length.
pub fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let bytes = hash.finalize();
    bytes.iter().take(DIGITS / 2).fold(String::with_capacity(DIGITS), |mut digits, byte| {
        for half in [byte >> 4, byte & 15] {
            digits.push(char::from_digit(half.into(), 16).unwrap_or('0'));
        }
        digits
    })
}

/// Where ids of a session are minted.
#[derive(Debug, Clone)]
pub struct SessionScope {
    /// The configured use of a plugin.
    pub instance: String,
    /// The session.
    pub session: SessionId,
    /// Number of the native start.
    pub epoch: u32,
    /// Our thread, the session's primary one.
    pub thread: ThreadId,
}

impl SessionScope {
    /// Digits for something in a thread and a turn of this session.
    pub fn mint(&self, thread: &ThreadId, turn: &TurnKey, kind: &str, mark: &Mark<'_>) -> String {
        let epoch = self.epoch.to_string();
        let (turn_how, turn_what) = turn.parts();
        let (how, what, occurrence) = mark.parts();
        digest(&[
            &self.instance,
            self.session.as_str(),
            &epoch,
            thread.as_str(),
            turn_how,
            &turn_what,
            kind,
            how,
            &what,
            &occurrence,
        ])
    }
}

impl From<Strength> for Correlation {
    /// What is known of a thing whose ids are so strong.
    fn from(strength: Strength) -> Self {
        match strength {
            Strength::Strong => Self::Strong,
            Strength::Weak => Self::Weak,
            Strength::None => Self::None,
        }
    }
}

/// The turn part of a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TurnKey {
    /// By the provider's strong id.
    Native(String),
    /// By its number in the thread.
    Number(u32),
    /// What comes before the turn of a run.
    Run(String),
    /// History told again, by the number of its turn.
    Told(u32),
    /// No turn.
    None,
}

impl TurnKey {
    fn parts(&self) -> (&'static str, String) {
        match self {
            Self::Native(id) => ("id", id.clone()),
            Self::Number(number) => ("no", number.to_string()),
            Self::Run(run) => ("run", run.clone()),
            Self::Told(number) => ("told", number.to_string()),
            Self::None => ("-", String::new()),
        }
    }
}

/// How a thing is told from its like in the same scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark<'a> {
    /// By a native id that is unique in its scope.
    Strong(&'a str),
    /// By a native id and the number of its occurrence, from 1.
    Weak(&'a str, u32),
    /// By its number among its kind, from 1.
    Ordinal(u32),
}

impl Mark<'_> {
    /// What events say about it.
    pub fn correlation(&self) -> Correlation {
        match self {
            Self::Strong(_) => Correlation::Strong,
            Self::Weak(..) => Correlation::Weak,
            Self::Ordinal(_) => Correlation::None,
        }
    }

    fn parts(&self) -> (&'static str, String, String) {
        match self {
            Self::Strong(id) => ("strong", (*id).to_owned(), String::new()),
            Self::Weak(id, occurrence) => ("weak", (*id).to_owned(), occurrence.to_string()),
            Self::Ordinal(number) => ("none", String::new(), number.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> SessionScope {
        SessionScope {
            instance: "one".into(),
            session: SessionId::from_digits("a1"),
            epoch: 0,
            thread: ThreadId::from_digits("b2"),
        }
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_ne!(digest(&["a", ""]), digest(&["a"]));
        assert_eq!(digest(&["a"]).len(), DIGITS);
    }

    #[test]
    fn every_part_of_the_scope_counts() {
        let base = scope();
        let mint = |scope: &SessionScope, turn: TurnKey, kind: &str, mark: Mark<'_>| {
            scope.mint(&scope.thread.clone(), &turn, kind, &mark)
        };
        let same = mint(&base, TurnKey::Number(1), "item/tool", Mark::Strong("x"));
        assert_eq!(same, mint(&base, TurnKey::Number(1), "item/tool", Mark::Strong("x")));
        let others = [
            mint(
                &SessionScope { instance: "two".into(), ..base.clone() },
                TurnKey::Number(1),
                "item/tool",
                Mark::Strong("x"),
            ),
            mint(
                &SessionScope { session: SessionId::from_digits("a2"), ..base.clone() },
                TurnKey::Number(1),
                "item/tool",
                Mark::Strong("x"),
            ),
            mint(&SessionScope { epoch: 1, ..base.clone() }, TurnKey::Number(1), "item/tool", Mark::Strong("x")),
            mint(
                &SessionScope { thread: ThreadId::from_digits("b3"), ..base.clone() },
                TurnKey::Number(1),
                "item/tool",
                Mark::Strong("x"),
            ),
            mint(&base, TurnKey::Number(2), "item/tool", Mark::Strong("x")),
            mint(&base, TurnKey::Native("1".into()), "item/tool", Mark::Strong("x")),
            mint(&base, TurnKey::Number(1), "item/assistant", Mark::Strong("x")),
            mint(&base, TurnKey::Number(1), "item/tool", Mark::Strong("y")),
            mint(&base, TurnKey::Number(1), "item/tool", Mark::Weak("x", 1)),
            mint(&base, TurnKey::Number(1), "item/tool", Mark::Weak("x", 2)),
            mint(&base, TurnKey::Number(1), "item/tool", Mark::Ordinal(1)),
        ];
        let all: std::collections::BTreeSet<_> = others.iter().chain([&same]).collect();
        assert_eq!(all.len(), others.len() + 1);
    }
}
