//! Bytes into messages: where a line, an event, a piece of stderr begins and ends.
//!
//! Pure: bytes in, pieces out; no I/O, no async, no clock. It never parses JSON, never changes a byte of a message
//! (a U+FFFD of the provider's stays), and never emits a part of a message that was cut as if it were one.
//! **How the bytes were split over reads changes nothing (`raw` apart, which hands on what comes), and what is kept
//! inside never exceeds the frame limit and a constant.**
//!
//! Tests: `framing/tests.rs` (each case of the "framing and bytes" faults, every split offset, random chunks).

mod lines;
mod raw;
mod sse;
#[cfg(test)]
mod tests;

use jackfield_core::contract::FrameData;
pub use jackfield_core::manifest::Framing;

/// What is quoted of a line that is no message, in bytes of the line.
const NOISE_BYTES: usize = 200;

/// What came out of the bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// A whole message, without its line end.
    Frame(FrameData),
    /// Something that is not the protocol's: a log line, a banner, a JSON scalar. Its first bytes, for a diagnostic;
    /// bytes that are no UTF-8 are shown as `\xff`. As the program wrote it: whoever shows it scrubs it.
    Noise(String),
    /// A message over the limit; all of it is gone, the next one is read as usual.
    TooLarge {
        /// Its exact size.
        bytes: u64,
    },
}

/// Cuts one pipe's bytes into messages.
#[derive(Debug)]
pub struct Splitter(Kind);

#[derive(Debug)]
enum Kind {
    Lines(lines::Lines),
    Sse(sse::Events),
    Raw(raw::Raw),
}

impl Splitter {
    /// A splitter at the beginning of a pipe. `frame_limit` is the largest message, in bytes; for `raw` it is the largest
    /// piece that is handed on.
    pub fn new(framing: Framing, frame_limit: usize) -> Self {
        Self(match framing {
            Framing::Ndjson | Framing::JsonRpc => Kind::Lines(lines::Lines::new(frame_limit)),
            Framing::Sse => Kind::Sse(sse::Events::new(frame_limit)),
            Framing::Raw => Kind::Raw(raw::Raw::new(frame_limit)),
        })
    }

    /// Takes the next bytes; returns what they completed.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Piece> {
        let mut out = Vec::new();
        match &mut self.0 {
            Kind::Lines(lines) => lines.feed(bytes, &mut out),
            Kind::Sse(events) => events.feed(bytes, &mut out),
            Kind::Raw(raw) => raw.feed(bytes, &mut out),
        }
        out
    }

    /// The pipe has ended; returns what was left. A last line without its newline is a message.
    pub fn end(&mut self) -> Vec<Piece> {
        let mut out = Vec::new();
        match &mut self.0 {
            Kind::Lines(lines) => lines.end(&mut out),
            Kind::Sse(events) => events.end(&mut out),
            Kind::Raw(raw) => raw.end(&mut out),
        }
        out
    }

    /// Bytes of memory held for a message that is not complete.
    pub fn held_bytes(&self) -> usize {
        match &self.0 {
            Kind::Lines(lines) => lines.held_bytes(),
            Kind::Sse(events) => events.held_bytes(),
            Kind::Raw(raw) => raw.held_bytes(),
        }
    }
}

/// Text where it is valid UTF-8, else bytes.
fn frame(bytes: Vec<u8>) -> FrameData {
    match String::from_utf8(bytes) {
        Ok(text) => FrameData::Text(text),
        Err(not_utf8) => FrameData::Bytes(not_utf8.into_bytes()),
    }
}

/// The beginning of a line, cut at a character's boundary, with every byte that is no UTF-8 as `\xff`.
fn quote(line: &[u8]) -> String {
    let cut = &line[..line.len().min(NOISE_BYTES)];
    let whole = cut.len() == line.len();
    let mut text = String::new();
    let mut chunks = cut.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        text.push_str(chunk.valid());
        let halved = !whole && chunks.peek().is_none() && is_beginning_of_char(chunk.invalid());
        if !halved {
            for byte in chunk.invalid() {
                text.push_str(&format!("\\x{byte:02x}"));
            }
        }
    }
    text
}

/// True when more bytes could make a character of these.
fn is_beginning_of_char(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

/// How many bytes at the end are the beginning of a character that the next bytes may complete (0 to 3).
fn halved_char_len(bytes: &[u8]) -> usize {
    let start = bytes.len().saturating_sub(3);
    (start..bytes.len()).find(|&at| is_beginning_of_char(&bytes[at..])).map_or(0, |at| bytes.len() - at)
}
