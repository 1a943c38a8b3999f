//! What a plugin says through `diag.log`: bounded, scrubbed, kept until somebody takes it.
//!
//! **Its text is data: nothing in the house is decided by it.** The one use made of it is that a panic's message, which the
//! SDK's hook writes before the trap, becomes the message of the error.

use jackfield_core::contract::Level;
use jackfield_core::limits::Limits;
use jackfield_core::scrub;

/// How the SDK's panic hook begins its line.
const PANIC: &str = "panic: ";

/// The lines of one session.
#[derive(Debug)]
pub(crate) struct Log {
    lines: Vec<(Level, String)>,
    dropped: u64,
    panic: Option<String>,
    max_lines: usize,
    max_bytes: usize,
}

impl Log {
    pub(crate) fn new(limits: &Limits) -> Self {
        Log {
            lines: Vec::new(),
            dropped: 0,
            panic: None,
            max_lines: limits.diag_lines as usize,
            max_bytes: limits.diag_line_bytes as usize,
        }
    }

    /// Keeps a line; beyond the limit only their number.
    pub(crate) fn push(&mut self, level: Level, text: &str) {
        if level == Level::Error
            && let Some(message) = text.strip_prefix(PANIC)
        {
            self.panic = Some(clean(message, self.max_bytes));
        }
        if self.lines.len() < self.max_lines {
            self.lines.push((level, clean(text, self.max_bytes)));
        } else {
            self.dropped += 1;
        }
    }

    /// All lines since the last time.
    pub(crate) fn take(&mut self) -> Vec<(Level, String)> {
        let mut lines = std::mem::take(&mut self.lines);
        let dropped = std::mem::take(&mut self.dropped);
        if dropped > 0 {
            lines.push((Level::Warning, format!("{dropped} more lines were dropped (diag_lines)")));
        }
        lines
    }

    /// The message of a panic in this call.
    pub(crate) fn take_panic(&mut self) -> Option<String> {
        self.panic.take()
    }
}

/// Cuts a text at a character's border, and takes out what could steer a terminal or turn text around.
pub(crate) fn clean(text: &str, max_bytes: usize) -> String {
    let cut = text.floor_char_boundary(max_bytes);
    text[..cut]
        .chars()
        .map(|c| {
            if c == '\n' || c == '\t' {
                ' '
            } else if scrub::steers(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> Log {
        Log::new(&Limits { diag_lines: 2, diag_line_bytes: 8, ..Limits::default() })
    }

    #[test]
    fn lines_are_cut_cleaned_and_counted() {
        let mut log = log();
        for text in ["1234567é", "\u{1b}[2J\u{202e}x", "third", "fourth"] {
            log.push(Level::Info, text);
        }
        let texts: Vec<_> = log.take().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["1234567", "\u{fffd}[2J\u{fffd}x", "2 more lines were dropped (diag_lines)"]);
        assert!(log.take().is_empty());
    }

    #[test]
    fn a_panic_is_kept_even_when_the_lines_are_full() {
        let mut log = log();
        log.push(Level::Info, "a");
        log.push(Level::Info, "b");
        log.push(Level::Info, "panic: not one");
        assert_eq!(log.take_panic(), None);
        log.push(Level::Error, "panic: at x");
        assert_eq!(log.take_panic().as_deref(), Some("at x"));
        assert_eq!(log.take_panic(), None);
    }
}
