//! The frames that came lately, by their own ids: one that comes twice is told once.
//!
//! Every frame but the control ones has a uuid of its own. **Only the same uuid makes a duplicate, never the same words.**
//! Tests: below, and the host's, which play recordings with each line doubled.

use std::collections::VecDeque;

/// How many are remembered: a frame that is delivered again comes soon.
const KEPT: usize = 64;

/// The ids of the last frames.
#[derive(Debug, Default)]
pub(crate) struct Seen(VecDeque<u128>);

impl Seen {
    /// True when this id was there lately; remembers it. What is no uuid is never a duplicate.
    pub(crate) fn again(&mut self, id: Option<&str>) -> bool {
        let Some(id) = id.and_then(uuid) else { return false };
        if self.0.contains(&id) {
            return true;
        }
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(id);
        false
    }
}

fn uuid(text: &str) -> Option<u128> {
    let digits: String = text.chars().filter(|char| *char != '-').collect();
    if digits.len() == 32 { u128::from_str_radix(&digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_uuid_that_came_lately_is_there_again() {
        let mut seen = Seen::default();
        let id = |number: usize| format!("00000000-0000-4000-8000-{number:012}");
        assert!(!seen.again(Some(&id(1))) && seen.again(Some(&id(1))));
        assert!(!seen.again(None) && !seen.again(Some("abc")) && !seen.again(Some("abc")));
        (2..=KEPT + 1).for_each(|number| _ = seen.again(Some(&id(number))));
        assert!(!seen.again(Some(&id(1))), "it was long ago");
        assert_eq!(seen.0.len(), KEPT);
    }
}
