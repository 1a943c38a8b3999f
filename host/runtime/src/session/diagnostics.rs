//! Words for the plugin's author and the operator: counted by kind, shown the first time, then only counted.

use jackfield_core::contract::{Level, Note};
use jackfield_core::event::EventBody;
use jackfield_core::limits::Limits;
use jackfield_core::scrub;
use std::collections::BTreeMap;

pub(super) struct Diagnostics {
    counts: BTreeMap<String, u64>,
    shown_per_kind: u64,
    kinds: u64,
    text_bytes: u64,
}

impl Diagnostics {
    pub(super) fn new(limits: &Limits) -> Diagnostics {
        Diagnostics {
            counts: BTreeMap::new(),
            shown_per_kind: limits.warnings_per_kind,
            kinds: limits.diagnostics_kept,
            text_bytes: limits.label_bytes,
        }
    }

    /// Counts one; the event when it is to be shown.
    pub(super) fn add(&mut self, level: Level, code: &str, text: &str) -> Option<EventBody> {
        let code = scrub::label(code, 64).into_owned();
        if !self.counts.contains_key(&code) && self.counts.len() as u64 >= self.kinds {
            return None;
        }
        let count = self.counts.entry(code.clone()).or_default();
        *count += 1;
        // After the first ones, each power of two: a flood is seen to be one, and stays a handful of events.
        if *count > self.shown_per_kind && !count.is_power_of_two() {
            return None;
        }
        let note = Note { level, code, text: scrub::error(text, self.text_bytes), fault: None };
        Some(EventBody::Diagnostic { note, count: *count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted_and_hardly_shown() {
        let mut diagnostics = Diagnostics::new(&Limits::default());
        let shown: Vec<u64> = (0..1_000)
            .filter_map(|_| diagnostics.add(Level::Warning, "noise", "x"))
            .map(|body| match body {
                EventBody::Diagnostic { count, .. } => count,
                _ => 0,
            })
            .collect();
        assert_eq!(shown, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
    }
}
