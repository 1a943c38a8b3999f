//! Times as a person writes them: `90s`, `10m`, `2h`, `30d`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A time: whole seconds, minutes, hours or days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^[1-9][0-9]*[smhd]$"))]
#[schemars(with = "String")]
pub struct Span {
    seconds: u64,
}

const UNITS: [(char, u64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

impl Span {
    /// In milliseconds.
    pub fn ms(self) -> u64 {
        self.seconds.saturating_mul(1_000)
    }

    /// So many days.
    pub fn days(days: u32) -> Span {
        Span { seconds: u64::from(days) * 86_400 }
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Span, String> {
        let wrong = || format!("'{text}' is no time; write a whole number and a unit: 90s, 10m, 2h, 30d");
        let unit =
            text.chars().last().and_then(|last| UNITS.iter().find(|(unit, _)| *unit == last)).ok_or_else(wrong)?;
        let digits = &text[..text.len() - 1];
        let number: u64 =
            digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten().ok_or_else(wrong)?;
        let seconds = number.checked_mul(unit.1).filter(|seconds| *seconds > 0).ok_or_else(wrong)?;
        Ok(Span { seconds })
    }
}

impl TryFrom<String> for Span {
    type Error = String;

    fn try_from(text: String) -> Result<Span, String> {
        text.parse()
    }
}

impl From<Span> for String {
    fn from(span: Span) -> String {
        span.to_string()
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, size) = UNITS.into_iter().find(|(_, size)| self.seconds.is_multiple_of(*size)).unwrap_or(('s', 1));
        write!(f, "{}{unit}", self.seconds / size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_shown() {
        for (text, ms) in [("90s", 90_000), ("10m", 600_000), ("2h", 7_200_000), ("30d", 2_592_000_000)] {
            let span: Span = text.parse().unwrap();
            assert_eq!((span.ms(), span.to_string()), (ms, text.to_owned()));
        }
        assert_eq!("120s".parse::<Span>().unwrap().to_string(), "2m");
        for wrong in ["", "10", "m", "0s", "-1m", "1.5h", "10 m", "10w", "99999999999999999999d", "é", "+1s"] {
            assert!(wrong.parse::<Span>().unwrap_err().contains("10m"), "{wrong}");
        }
    }
}
