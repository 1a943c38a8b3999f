//! From the bytes on stdin to lines that are understood, or to what is wrong with them.
//!
//! **A line is bounded, and a bad one costs itself only: the reader always finds the next.** It reads no further than the
//! run has carried out. Nothing is done here. Tests: below, and `tests/tests/input.rs`.

use super::line::{Line, Order, TYPES};
use serde_json::Value;
use std::io::{self, BufRead};
use tokio::sync::mpsc;

/// Lines that were read and wait to be carried out.
const READ_AHEAD: usize = 2;

/// Which line it is, for the word on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tag {
    /// From 1.
    pub line: u64,
    /// The script's own id of it.
    pub id: Option<String>,
}

/// A line that can't be taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Wrong {
    #[error("the line is empty; write one JSON object per line")]
    Empty,
    #[error(
        "the line has more than {limit} bytes (limit input_line_bytes); put a long text in a file of the workspace and name that"
    )]
    TooLong { limit: u64 },
    #[error("the line is not UTF-8: byte {at} is wrong")]
    NotUtf8 { at: usize },
    #[error("the line is not a JSON object ({problem}); write one JSON object per line")]
    NotJson { problem: String },
    #[error("there is no input of type {kind:?}; write one of {}", TYPES.join(", "))]
    UnknownType { kind: String },
    #[error("the line does not fit its type: {problem}; `jackfield schema input` says what does")]
    Invalid { problem: String },
}

impl Wrong {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty-line",
            Self::TooLong { .. } => "line-too-long",
            Self::NotUtf8 { .. } => "not-utf-8",
            Self::NotJson { .. } => "not-json",
            Self::UnknownType { .. } => "unknown-type",
            Self::Invalid { .. } => "invalid-input",
        }
    }
}

/// What came on stdin.
#[derive(Debug)]
pub enum Raw {
    /// A line without its end.
    Line(Vec<u8>),
    /// A line over the limit; its bytes are gone.
    TooLong,
}

/// Reads stdin from a thread of its own: a read of a terminal can't be cancelled. The channel's end is the input's end.
pub fn stdin(limit: u64) -> mpsc::Receiver<Raw> {
    let (sender, lines) = mpsc::channel(READ_AHEAD);
    std::thread::spawn(move || {
        if let Err(error) = pump(io::stdin().lock(), limit, |raw| sender.blocking_send(raw).is_ok()) {
            eprintln!("jackfield: stdin can't be read ({error}); it counts as ended");
        }
    });
    lines
}

/// Hands over each line until the input ends or nobody takes any more.
fn pump(mut source: impl BufRead, limit: u64, mut hand: impl FnMut(Raw) -> bool) -> io::Result<()> {
    let (mut line, mut over, mut begun) = (Vec::new(), false, false);
    loop {
        let piece = match source.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(piece.len());
        let ended = end.is_some() || piece.is_empty();
        begun |= taken > 0 || end.is_some();
        over |= (line.len() + taken) as u64 > limit;
        if over {
            line = Vec::new();
        } else {
            line.extend_from_slice(&piece[..taken]);
        }
        source.consume(taken + usize::from(end.is_some()));
        if !ended {
            continue;
        }
        let raw = if std::mem::take(&mut over) { Raw::TooLong } else { Raw::Line(std::mem::take(&mut line)) };
        // A last line without an end counts; nothing after the last end does not.
        if (std::mem::take(&mut begun) && !hand(raw)) || end.is_none() {
            return Ok(());
        }
    }
}

/// What a line asks for, and the id it has; or what is wrong with it, and its id where that could be read.
pub fn understand(raw: Raw, limit: u64) -> (Option<String>, Result<Order, Wrong>) {
    match value(raw, limit) {
        Ok(value) => {
            let id = value.get("id").and_then(Value::as_str).map(str::to_owned);
            (id, order(value))
        }
        Err(wrong) => (None, Err(wrong)),
    }
}

fn value(raw: Raw, limit: u64) -> Result<Value, Wrong> {
    let Raw::Line(bytes) = raw else { return Err(Wrong::TooLong { limit }) };
    let text = std::str::from_utf8(&bytes).map_err(|error| Wrong::NotUtf8 { at: error.valid_up_to() + 1 })?;
    if text.trim().is_empty() {
        return Err(Wrong::Empty);
    }
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Wrong::NotJson { problem: "it is another JSON value".into() }),
        Err(error) => Err(Wrong::NotJson { problem: error.to_string() }),
    }
}

fn order(value: Value) -> Result<Order, Wrong> {
    match value.get("type") {
        Some(Value::String(kind)) if !TYPES.contains(&kind.as_str()) => {
            return Err(Wrong::UnknownType { kind: kind.chars().take(80).collect() });
        }
        Some(Value::String(_)) => {}
        _ => return Err(Wrong::Invalid { problem: format!("`type` is missing; write one of {}", TYPES.join(", ")) }),
    }
    let line: Line = serde_json::from_value(value).map_err(|error| Wrong::Invalid { problem: error.to_string() })?;
    line.order().map_err(|problem| Wrong::Invalid { problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8], limit: u64) -> Vec<Option<String>> {
        // Three bytes at a time: a line comes in pieces.
        let mut seen = Vec::new();
        let source = io::BufReader::with_capacity(3, input);
        pump(source, limit, |raw| {
            seen.push(match raw {
                Raw::Line(bytes) => Some(String::from_utf8(bytes).unwrap()),
                Raw::TooLong => None,
            });
            true
        })
        .unwrap();
        seen
    }

    #[test]
    fn lines_are_found_whole_and_long_ones_cost_themselves_only() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(lines(b"", 10), []);
        assert_eq!(lines(b"one\ntwo", 10), [some("one"), some("two")]);
        assert_eq!(lines(b"\n\nthree\n", 10), [some(""), some(""), some("three")]);
        assert_eq!(lines(b"exactly-10\neleven-here\nnext\n", 10), [some("exactly-10"), None, some("next")]);
        assert_eq!(lines(b"much too long at the end", 10), [None]);
    }

    #[test]
    fn each_fault_has_its_code() {
        let code = |text: &[u8]| understand(Raw::Line(text.to_vec()), 9).1.unwrap_err().code();
        assert_eq!(code(b"  \t"), "empty-line");
        assert_eq!(code(b"\xff\xfe"), "not-utf-8");
        assert_eq!(code(b"{\"type\":"), "not-json");
        assert_eq!(code(b"[1]"), "not-json");
        assert_eq!(code(br#"{"type":"nonsense"}"#), "unknown-type");
        for invalid in [
            r#"{}"#,
            r#"{"type":1}"#,
            r#"{"type":"message"}"#,
            r#"{"type":"message","text":"a","content":[]}"#,
            r#"{"type":"message","text":"a","colour":"red"}"#,
            r#"{"type":"message","text":1}"#,
            r#"{"type":"message","text":"a","id":7}"#,
            r#"{"type":"answer","option":"allow"}"#,
            r#"{"type":"answer","request":"req_1"}"#,
            r#"{"type":"answer","request":"req_1","dismiss":false}"#,
            r#"{"type":"answer","request":"req_1","option":"a","dismiss":true}"#,
            r#"{"type":"answer","request":"req_1","answers":[],"note":"n"}"#,
            r#"{"type":"settings"}"#,
            r#"{"type":"fork","at":"turn"}"#,
            r#"{"type":"fork","at":"trn_1","subagent":"tsk_1"}"#,
            r#"{"type":"open_subagent"}"#,
            r#"{"type":"rollback"}"#,
            r#"{"type":"rollback","to":"turn"}"#,
            r#"{"type":"mcp_servers"}"#,
            r#"{"type":"mcp_servers","servers":{"a":{}}}"#,
            r#"{"type":"mcp_servers","servers":{"a":{"command":"x","url":"http://h"}}}"#,
            r#"{"type":"stop_task","task":"x"}"#,
            r#"{"type":"settings","values":{}}"#,
        ] {
            assert_eq!(code(invalid.as_bytes()), "invalid-input", "{invalid}");
        }
        assert_eq!(understand(Raw::TooLong, 9).1.unwrap_err().code(), "line-too-long");
    }

    #[test]
    fn the_id_is_read_even_of_a_line_that_is_wrong() {
        let (id, wrong) = understand(Raw::Line(br#"{"id":"a7","type":"nonsense"}"#.to_vec()), 99);
        assert_eq!((id.as_deref(), wrong.unwrap_err().code()), (Some("a7"), "unknown-type"));
    }
}
