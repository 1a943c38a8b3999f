//! Reading a channel that carries one JSON object per line.
//!
//! A line that is no JSON object is noise (a banner, a log line, a bare number), never an error: real programs print them. Tests: below.

use serde_json::{Map, Value};

use crate::prelude::*;

/// What a frame of such a channel is.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// A JSON object.
    Object(Map<String, Value>),
    /// Something else on stdout.
    Noise,
    /// A piece of stderr.
    Stderr(String),
}

/// Parses a frame; says nothing.
pub fn parse(frame: &Frame) -> Line {
    match text(frame) {
        Some(text) => match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Line::Object(object),
            _ => Line::Noise,
        },
        None if frame.pipe == Pipe::Error => Line::Stderr(stderr(frame)),
        None => Line::Noise,
    }
}

/// Gives the object in a frame, or says what became of the frame: stderr is `silent("stderr")`, everything else noise.
pub fn read(cx: &mut Cx, frame: &Frame) -> Option<Map<String, Value>> {
    match parse(frame) {
        Line::Object(object) => return Some(object),
        Line::Noise => cx.noise(),
        Line::Stderr(_) => cx.silent("stderr"),
    }
    None
}

/// The text of a stdout frame, for those who parse into types of their own.
pub fn text(frame: &Frame) -> Option<&str> {
    match (&frame.pipe, &frame.data) {
        (Pipe::Main, FrameData::Text(text)) => Some(text),
        _ => None,
    }
}

fn stderr(frame: &Frame) -> String {
    match &frame.data {
        FrameData::Text(text) => text.clone(),
        FrameData::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(pipe: Pipe, text: &str) -> Line {
        parse(&Frame { channel: 1, pipe, data: FrameData::Text(text.into()) })
    }

    #[test]
    fn only_an_object_is_a_message() {
        assert!(matches!(line(Pipe::Main, r#" {"type":"x"} "#), Line::Object(object) if object["type"] == "x"));
        for noise in ["", "17", "[1]", "null", "\"text\"", "Starting up …", "{\"cut\":", "\u{1b}[31mred\u{1b}[0m"] {
            assert_eq!(line(Pipe::Main, noise), Line::Noise, "{noise:?}");
        }
    }

    #[test]
    fn stderr_is_never_a_message() {
        assert_eq!(line(Pipe::Error, "{}"), Line::Stderr("{}".into()));
    }
}
