//! How the player says a line: the manners in which the same conversation must look the same.
//!
//! Pure. Bytes change, and lines come between or twice; what is said never changes.

use super::dialect::Dialect;
use super::lists::{Lists, names};
use serde::{Deserialize, Serialize};

/// How lines are said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Manner {
    /// As recorded, each in one write.
    #[default]
    Plain,
    /// Each byte in a write of its own.
    Bytes,
    /// With the line end of other systems.
    Crlf,
    /// With lines between that are not the protocol's.
    Noise,
    /// Those of the list's `doubled` kinds twice.
    Doubled,
}

/// All but the plain one.
pub const OTHERS: &[Manner] = &[Manner::Bytes, Manner::Crlf, Manner::Noise, Manner::Doubled];

/// Lines that are not the protocol's, and whether they count as a frame: blank ones are nothing at all.
pub const NOISE: &[(&str, bool)] = &[
    ("Starting the agent (pid 4711) …", true),
    ("\u{1b}[33mwarning\u{1b}[0m: {\"type\":\"result\"} is what a log may quote", true),
    ("", false),
    ("42", true),
    ("\"a text of its own\"", true),
    ("  \t ", false),
    ("[{\"type\":\"assistant\"}]", true),
    ("null", true),
    ("{\"type\":\"assistant\",\"message\":{ cut off", true),
];

impl Manner {
    /// What is written for a line; `count` is how many lines were said before.
    pub fn writes(self, line: &str, count: usize, dialect: &dyn Dialect, lists: &Lists) -> Vec<Vec<u8>> {
        let plain = format!("{line}\n").into_bytes();
        match self {
            Self::Plain => vec![plain],
            Self::Bytes => plain.into_iter().map(|byte| vec![byte]).collect(),
            Self::Crlf => vec![format!("{line}\r\n").into_bytes()],
            Self::Noise => vec![format!("{}\n", NOISE[count % NOISE.len()].0).into_bytes(), plain],
            Self::Doubled if is_doubled(line, dialect, lists) => vec![plain.clone(), plain],
            Self::Doubled => vec![plain],
        }
    }

    /// How many frames come in beyond those that are said, for lines said in this order.
    pub fn beyond(self, lines: &[String], dialect: &dyn Dialect, lists: &Lists) -> usize {
        match self {
            Self::Plain | Self::Bytes | Self::Crlf => 0,
            Self::Noise => (0..lines.len()).filter(|count| NOISE[count % NOISE.len()].1).count(),
            Self::Doubled => lines.iter().filter(|line| is_doubled(line, dialect, lists)).count(),
        }
    }
}

fn is_doubled(line: &str, dialect: &dyn Dialect, lists: &Lists) -> bool {
    names(&lists.doubled, &dialect.kind_of_frame(line))
}
