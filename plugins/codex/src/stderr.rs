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
        let text = text.strip_prefix("error=").unwrap_or(text);
        if target.starts_with("codex_core") && !is_refusal(text) {
            let code = if target.ends_with("::router") { "tool" } else { "stderr" };
            cx.event(EventBody::Note(Note::new(Level::Warning, code, text)));
        }
    }
}

/// Whether a call of a command or of a patch was refused: that is told with the call.
fn is_refusal(text: &str) -> bool {
    text.contains("Rejected(") || text == "patch rejected by user"
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
    fn a_refusal_is_told_with_its_call_alone() {
        assert!(is_refusal("patch rejected by user"));
        assert!(is_refusal(r#"exec_command failed: CreateProcess { message: "Rejected(\"rejected by user\")" }"#));
        assert!(!is_refusal("apply_patch verification failed: Failed to find the patch rejected by user in x"));
    }

    #[test]
    fn a_coloured_log_line_is_read() {
        let line = "\u{1b}[2m2026-11-30T18:34:19.425372Z\u{1b}[0m \u{1b}[31mERROR\u{1b}[0m \u{1b}[2mcodex_core::tools::router\u{1b}[0m\u{1b}[2m:\u{1b}[0m \u{1b}[3merror\u{1b}[0m\u{1b}[2m=\u{1b}[0munsupported call: no_such_tool\n";
        let line = plain(line);
        let target = "codex_core::tools::router";
        assert_eq!(read(&line), Some(Line { level: "ERROR", target, text: "error=unsupported call: no_such_tool" }));
        assert_eq!(read("panicked"), None);
    }
}
