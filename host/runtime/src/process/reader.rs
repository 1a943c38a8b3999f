//! One task per stdout: bytes in, messages out, in order, none lost. It waits when the session is behind, and then the
//! program waits at its pipe; stderr has its own task and never waits for this one.

use super::channel::{ChannelEvent, Held};
use super::tap::Cutter;
use crate::framing::{Piece, Splitter};
use jackfield_core::contract::{FrameData, Pipe};
use jackfield_core::limits::Limits;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::timeout;

/// What one read takes at most: what a pipe holds.
const READ_BYTES: usize = 64 * 1024;

/// Bytes read from a channel that the session may be behind.
pub(crate) struct ReadBudget {
    room: Arc<Semaphore>,
    bytes: usize,
}

impl ReadBudget {
    pub(crate) fn new(limits: &Limits) -> Self {
        let bytes = limits.read_queue_bytes.min(u64::from(u32::MAX) >> 4) as usize;
        Self { room: Arc::new(Semaphore::new(bytes)), bytes }
    }

    /// Waits for room; one message always fits.
    pub(crate) async fn take(&self, data: &FrameData) -> Held {
        let wanted = data_len(data).clamp(1, self.bytes) as u32;
        Held { _room: self.room.clone().acquire_many_owned(wanted).await.ok() }
    }

    /// What was cut out of a channel's bytes, as its event; a message waits for room first.
    pub(crate) async fn event(&self, channel: u32, piece: Piece) -> ChannelEvent {
        match piece {
            Piece::Frame(data) => {
                let held = self.take(&data).await;
                ChannelEvent::Frame { channel, pipe: Pipe::Main, data, held }
            }
            Piece::Noise(text) => ChannelEvent::Noise { channel, text },
            Piece::TooLarge { bytes } => ChannelEvent::TooLarge { channel, bytes },
        }
    }
}

pub(super) struct Reader {
    pub channel: u32,
    pub pipe: pipe::Receiver,
    pub splitter: Splitter,
    pub budget: ReadBudget,
    pub events: mpsc::Sender<ChannelEvent>,
    pub exited: watch::Receiver<bool>,
    pub leftover: Duration,
    pub tapped: Cutter,
}

impl Reader {
    /// Until the pipe's end, or until nobody listens.
    pub(super) async fn run(mut self) {
        while let Some(bytes) = next_bytes(&self.pipe, &mut self.exited, self.leftover).await {
            self.tapped.feed(&bytes);
            for piece in self.splitter.feed(&bytes) {
                if !self.deliver(piece).await {
                    return;
                }
            }
        }
        self.tapped.end();
        for piece in self.splitter.end() {
            if !self.deliver(piece).await {
                return;
            }
        }
    }

    async fn deliver(&self, piece: Piece) -> bool {
        self.events.send(self.budget.event(self.channel, piece).await).await.is_ok()
    }
}

pub(crate) fn data_len(data: &FrameData) -> usize {
    match data {
        FrameData::Text(text) => text.len(),
        FrameData::Named((name, data)) => name.len() + data.len(),
        FrameData::Bytes(bytes) => bytes.len(),
        FrameData::Other(other) => other.json.len(),
    }
}

/// What the pipe holds next, or `None` at its end. After the program's end a pipe that some process still holds open counts
/// as ended once it has been silent for `leftover`. No buffer is held while it waits: an idle channel costs nothing.
pub(super) async fn next_bytes(
    pipe: &pipe::Receiver,
    exited: &mut watch::Receiver<bool>,
    leftover: Duration,
) -> Option<Vec<u8>> {
    loop {
        let ready = if *exited.borrow() {
            timeout(leftover, pipe.readable()).await.ok()?
        } else {
            tokio::select! {
                ready = pipe.readable() => ready,
                _ = exited.wait_for(|exited| *exited) => continue,
            }
        };
        ready.ok()?;
        let mut bytes = Vec::with_capacity(READ_BYTES);
        match pipe.try_read_buf(&mut bytes) {
            Ok(0) => return None,
            Ok(_) => return Some(bytes),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => return None,
        }
    }
}
