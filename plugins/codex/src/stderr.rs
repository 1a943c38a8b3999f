//! What the program says on stderr only: a tool that it does not have, a call that it could not read, a patch that does not fit.
//!
//! Its log lines are `TIME LEVEL target: text`, coloured. Errors of its core are told, once each; what the protocol tells, too, is not
//! told twice. **Nothing is decided by them, but that a configuration was not read.**

use jackfield_sdk::prelude::*;

use crate::handshake::DEFAULTS;
use crate::session::Codex;

/// Longer than any line that is told.
const LINE_BYTES: usize = 16 * 1024;

/// The line that has not ended.
#[derive(Debug, Default)]
pub(crate) struct Stderr {
    rest: String,
}

/// A log line.
#[derive(Debug, PartialEq)]
struct Line<'a> {
    level: &'a str,
    target: &'a str,
    text: &'a str,
}

impl Codex {
    /// A piece of stderr.
    pub(crate) fn complained(&mut self, cx: &mut Cx, frame: &Frame) {
        let piece = match &frame.data {
            FrameData::Text(text) => text.clone(),
            FrameData::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        };
        self.stderr.rest.push_str(&piece);
        while let Some(end) = self.stderr.rest.find('\n') {
            let line: String = self.stderr.rest.drain(..=end).collect();
            self.line(cx, &plain(&line));
        }
        if self.stderr.rest.len() > LINE_BYTES {
            self.stderr.rest.clear();
        }
        if cx.said_nothing() {
            cx.silent("stderr");
        }
    }

    fn line(&mut self, cx: &mut Cx, line: &str) {
        if let Some((_, why)) = line.split_once(DEFAULTS) {
            // The protocol says it better, where it does.
            return if self.broken.is_none() {
                self.misconfigured(cx, why.trim_start_matches('.'))
            };
        }
        let Some(Line { level: "ERROR", target, text }) = read(line) else { return };
        // A refusal of a person's is told with its call.
        let told_elsewhere = text.contains("Rejected(") || !target.starts_with("codex_core");
        if !told_elsewhere {
            let code = if target.ends_with("::router") { "tool" } else { "stderr" };
            cx.event(EventBody::Note(Note::new(Level::Warning, code, text.strip_prefix("error=").unwrap_or(text))));
        }
    }
}

/// Without its colours.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.trim_end().chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            chars.by_ref().find(|c| c.is_ascii_alphabetic());
        } else {
            out.push(c);
        }
    }
    out
}

fn read(line: &str) -> Option<Line<'_>> {
    let (_, rest) = line.split_once(' ')?;
    let (level, rest) = rest.trim_start().split_once(' ')?;
    let (target, text) = rest.split_once(": ")?;
    Some(Line { level, target, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coloured_log_line_is_read() {
        let line = "\u{1b}[2m2026-11-30T18:34:19.425372Z\u{1b}[0m \u{1b}[31mERROR\u{1b}[0m \u{1b}[2mcodex_core::tools::router\u{1b}[0m\u{1b}[2m:\u{1b}[0m \u{1b}[3merror\u{1b}[0m\u{1b}[2m=\u{1b}[0munsupported call: no_such_tool\n";
        let line = plain(line);
        let target = "codex_core::tools::router";
        assert_eq!(read(&line), Some(Line { level: "ERROR", target, text: "error=unsupported call: no_such_tool" }));
        assert_eq!(read("panicked"), None);
    }
}
