//! Server-sent events, as the HTML standard frames them: lines end with CR, LF or CRLF, a blank line ends an event.
//!
//! An event without data is none. One that the end of the stream cuts off is noise, not a message: its data may be
//! half of what was meant. `id` and `retry` belong to reconnecting, which is not done here.

use super::{Piece, frame, quote};
use jackfield_core::contract::FrameData;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[derive(Debug)]
pub(super) struct Events {
    limit: usize,
    first_line: bool,
    /// The last byte was a CR: an LF right after it belongs to the same line end.
    after_cr: bool,
    line: Vec<u8>,
    /// Bytes of the line that were not kept because the event is over the limit.
    skipped: u64,
    name: String,
    data: Vec<u8>,
    has_data: bool,
    /// Set once the event is over the limit: the size of its lines so far.
    over: Option<u64>,
}

impl Events {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            first_line: true,
            after_cr: false,
            line: Vec::new(),
            skipped: 0,
            name: String::new(),
            data: Vec::new(),
            has_data: false,
            over: None,
        }
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.line.capacity() + self.data.capacity() + self.name.capacity()
    }

    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Vec<Piece>) {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = memchr::memchr2(b'\n', b'\r', rest) {
            self.take(&rest[..at]);
            self.close_line(out);
            let cr = rest[at] == b'\r';
            rest = &rest[at + 1..];
            if cr {
                self.after_cr = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
        }
        self.take(rest);
    }

    pub(super) fn end(&mut self, out: &mut Vec<Piece>) {
        if !self.line.is_empty() || self.skipped > 0 {
            self.close_line(&mut Vec::new());
        }
        if let Some(bytes) = self.over.take() {
            out.push(Piece::TooLarge { bytes });
        } else if self.has_data {
            out.push(Piece::Noise(format!("an event that the end of the stream cut off: {}", quote(&self.data))));
        }
        self.forget();
    }

    /// Keeps the line's bytes while line and data together are within the limit; `data: ` itself is not counted.
    fn take(&mut self, part: &[u8]) {
        const FIELD: usize = "data: ".len();
        if self.over.is_some() || self.line.len() + self.data.len() + part.len() > self.limit + FIELD {
            let lost = (self.line.len() + part.len()) as u64;
            self.skipped += lost;
            self.over.get_or_insert(self.data.len() as u64);
            self.line = Vec::new();
            self.data = Vec::new();
        } else {
            self.line.extend_from_slice(part);
        }
    }

    fn close_line(&mut self, out: &mut Vec<Piece>) {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.first_line) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if let Some(over) = &mut self.over {
            if line.is_empty() && self.skipped == 0 {
                out.push(Piece::TooLarge { bytes: *over });
                self.forget();
            } else {
                *over += self.skipped;
                self.skipped = 0;
            }
        } else if line.is_empty() {
            self.dispatch(out);
        } else {
            self.field(&line);
        }
    }

    fn field(&mut self, line: &[u8]) {
        let (field, value) = match memchr::memchr(b':', line) {
            Some(at) => (&line[..at], line[at + 1..].strip_prefix(b" ").unwrap_or(&line[at + 1..])),
            None => (line, &[][..]),
        };
        match field {
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
                if self.data.len() > self.limit {
                    self.over = Some(self.data.len() as u64);
                    self.data = Vec::new();
                }
            }
            _ => {}
        }
    }

    fn dispatch(&mut self, out: &mut Vec<Piece>) {
        if self.has_data {
            let data = frame(std::mem::take(&mut self.data));
            let named = !self.name.is_empty() && self.name != "message";
            out.push(Piece::Frame(match data {
                FrameData::Text(text) if named => FrameData::Named((std::mem::take(&mut self.name), text)),
                other => other,
            }));
        }
        self.forget();
    }

    fn forget(&mut self) {
        self.name.clear();
        self.data = Vec::new();
        self.has_data = false;
        self.over = None;
        self.skipped = 0;
    }
}
