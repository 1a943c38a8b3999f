//! One task per stderr: it never stops reading, whatever the session does. It hands on bounded pieces, drops the oldest with
//! a count when the session is too slow, and keeps the tail for the report of the channel's end.

use super::channel::{ChannelEvent, Held};
use super::reader::{data_len, next_bytes};
use super::tap::Cutter;
use crate::framing::{Framing, Piece, Splitter};
use jackfield_core::contract::{FrameData, Pipe};
use jackfield_core::limits::Limits;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, watch};

pub(super) struct Stderr {
    pipe: pipe::Receiver,
    splitter: Splitter,
    events: mpsc::Sender<ChannelEvent>,
    exited: watch::Receiver<bool>,
    leftover: Duration,
    backlog: Backlog,
    tail: Tail,
    tapped: Cutter,
}

impl Stderr {
    pub(super) fn new(
        channel: u32,
        pipe: pipe::Receiver,
        events: mpsc::Sender<ChannelEvent>,
        exited: watch::Receiver<bool>,
        limits: &Limits,
        tapped: Cutter,
    ) -> Self {
        Self {
            pipe,
            splitter: Splitter::new(Framing::Raw, limits.stderr_frame_bytes as usize),
            events,
            exited,
            leftover: Duration::from_millis(limits.leftover_ms),
            backlog: Backlog {
                channel,
                pieces: VecDeque::new(),
                limit: limits.stderr_queue_frames as usize,
                dropped: 0,
            },
            tail: Tail { bytes: Vec::new(), limit: limits.stderr_tail_bytes as usize },
            tapped,
        }
    }

    /// Until the pipe's end; returns the tail.
    pub(super) async fn run(self) -> String {
        let Self { pipe, mut splitter, events, mut exited, leftover, mut backlog, mut tail, mut tapped } = self;
        loop {
            tokio::select! {
                bytes = next_bytes(&pipe, &mut exited, leftover) => match bytes {
                    Some(bytes) => {
                        tapped.feed(&bytes);
                        tail.push(&bytes);
                        backlog.push(splitter.feed(&bytes));
                    }
                    None => break,
                },
                // When nobody listens any more the pipe is still read: the program must not block on it.
                Ok(permit) = events.reserve(), if !backlog.is_empty() => {
                    if let Some(event) = backlog.next() {
                        permit.send(event);
                    }
                },
            }
        }
        tapped.end();
        backlog.push(splitter.end());
        while let Some(event) = backlog.next() {
            if events.send(event).await.is_err() {
                break;
            }
        }
        tail.text()
    }
}

/// Pieces that the session has not taken; the oldest are dropped and counted.
struct Backlog {
    channel: u32,
    pieces: VecDeque<FrameData>,
    limit: usize,
    dropped: u64,
}

impl Backlog {
    fn is_empty(&self) -> bool {
        self.dropped == 0 && self.pieces.is_empty()
    }

    fn push(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            if let Piece::Frame(data) = piece {
                self.pieces.push_back(data);
            }
        }
        while self.pieces.len() > self.limit {
            self.dropped += self.pieces.pop_front().map_or(0, |data| data_len(&data) as u64);
        }
    }

    /// First that something was dropped, then what came after it.
    fn next(&mut self) -> Option<ChannelEvent> {
        let channel = self.channel;
        match std::mem::take(&mut self.dropped) {
            0 => self.pieces.pop_front().map(|data| ChannelEvent::Frame {
                channel,
                pipe: Pipe::Error,
                data,
                held: Held::default(),
            }),
            bytes => Some(ChannelEvent::StderrDropped { channel, bytes }),
        }
    }
}

/// The last bytes.
struct Tail {
    bytes: Vec<u8>,
    limit: usize,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        let keep = &bytes[bytes.len().saturating_sub(self.limit)..];
        let excess = (self.bytes.len() + keep.len()).saturating_sub(self.limit);
        self.bytes.drain(..excess.min(self.bytes.len()));
        self.bytes.extend_from_slice(keep);
    }

    /// As text of at most the limit: a character that the cut halved is left out, what is no UTF-8 is replaced.
    fn text(self) -> String {
        let start = self.bytes.iter().take(3).take_while(|&&byte| byte & 0b1100_0000 == 0b1000_0000).count();
        let mut text = String::from_utf8_lossy(&self.bytes[start..]).into_owned();
        // Replacement characters are longer than what they replace.
        let excess = text.len().saturating_sub(self.limit);
        let cut = (excess..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
        text.drain(..cut);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_bounded_and_cut_between_characters() {
        let mut tail = Tail { bytes: Vec::new(), limit: 8 };
        for part in ["a long first line\n", "é", "台台"] {
            tail.push(part.as_bytes());
        }
        assert_eq!(tail.text(), "é台台");
        let mut tail = Tail { bytes: Vec::new(), limit: 7 };
        tail.push("é台台".as_bytes());
        assert_eq!(tail.text(), "台台");
        let mut tail = Tail { bytes: Vec::new(), limit: 4 };
        tail.push(b"\xff\xff\xff\xff");
        assert_eq!(tail.text(), "\u{fffd}");
    }
}
