//! A channel to a running program: what the session task holds, and what arrives at it.

use super::error::WriteError;
use super::wire::Order;
use super::writer::Writer;
use jackfield_core::contract::{ChannelExit, FrameData, Pipe, SignalKind};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

/// What arrives from a channel. The order of one pipe is kept; stdout and stderr have no order between them.
#[derive(Debug)]
pub enum ChannelEvent {
    /// A message.
    Frame {
        /// The channel.
        channel: u32,
        /// Which of its pipes.
        pipe: Pipe,
        /// The message.
        data: FrameData,
        /// The room it takes in the read queue: drop it when the message has been handed on.
        held: Held,
    },
    /// Something on stdout that is no message: its first bytes, as the program wrote them.
    Noise {
        /// The channel.
        channel: u32,
        /// The beginning of it.
        text: String,
    },
    /// A message over the limit; it is lost, the next one is read.
    TooLarge {
        /// The channel.
        channel: u32,
        /// Its size.
        bytes: u64,
    },
    /// Pieces of stderr were dropped because their reader is slow: the program must never wait for stderr to be read.
    StderrDropped {
        /// The channel.
        channel: u32,
        /// How much.
        bytes: u64,
    },
    /// The program has ended and both pipes are read to their end. Exactly once, and last.
    Closed {
        /// The channel.
        channel: u32,
        /// How it ended.
        exit: ChannelExit,
    },
}

/// Room in the read queue of a channel, given back when dropped.
#[derive(Debug, Default)]
pub struct Held {
    pub(super) _room: Option<OwnedSemaphorePermit>,
}

/// What the warden is asked.
#[derive(Debug)]
pub(super) enum Ask {
    Send(Order),
    End,
    CountProcesses(oneshot::Sender<usize>),
}

/// The handle of a channel. **Dropped, it kills the program and all its descendants at once.**
#[derive(Debug)]
pub struct Channel {
    channel: u32,
    pid: u32,
    root: u32,
    writer: Arc<Writer>,
    warden: mpsc::Sender<Ask>,
}

impl Channel {
    pub(super) fn new(channel: u32, pid: u32, root: u32, writer: Arc<Writer>, warden: mpsc::Sender<Ask>) -> Self {
        Self { channel, pid, root, writer, warden }
    }

    /// Its number.
    pub fn number(&self) -> u32 {
        self.channel
    }

    /// The program's process id, for people and the audit record; never to signal it.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The process below which everything of the program's runs: its supervisor; never to signal it.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// Queues one message, without its line end, which is added. `tell` hears once when it has left the host, or why it
    /// did not; an error here means that it hears nothing. Never waits.
    pub fn write(
        &self,
        line: Vec<u8>,
        tell: impl FnOnce(Result<(), WriteError>) + Send + 'static,
    ) -> Result<(), WriteError> {
        self.writer.write(line, tell)
    }

    /// When this returns, it has been told what became of every message that the program can have answered by now. Waits
    /// for nothing but a system call.
    pub fn settle(&self) {
        self.writer.settle();
    }

    /// Closes stdin after everything queued has been written. Does nothing the second time.
    pub fn close_stdin(&self) {
        self.writer.close();
    }

    /// Signals the program and all its descendants. False when the channel has ended.
    pub fn signal(&self, kind: SignalKind) -> bool {
        let order = match kind {
            SignalKind::Interrupt => Order::Interrupt,
            SignalKind::Terminate => Order::Terminate,
            SignalKind::Kill => Order::Kill,
        };
        self.warden.try_send(Ask::Send(order)).is_ok()
    }

    /// Begins the end: stdin is closed, later SIGTERM, later SIGKILL to the tree, each step bounded by the limits. Never
    /// waits: `Closed` arrives when it is over. False when the channel has ended already. Keep the handle until then.
    pub fn end(&self) -> bool {
        self.warden.try_send(Ask::End).is_ok()
    }

    /// Living processes of the tree; `None` when the channel has ended.
    pub async fn processes(&self) -> Option<usize> {
        let (reply, count) = oneshot::channel();
        self.warden.send(Ask::CountProcesses(reply)).await.ok()?;
        count.await.ok()
    }
}
