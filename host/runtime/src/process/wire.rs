//! What host and supervisor say to each other: JSON lines over a socket pair; first of all one byte that carries the pipes.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, BufRead, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The program to start. The environment may hold secrets: this is never logged and never on a command line.
#[derive(Serialize, Deserialize)]
pub(super) struct Request {
    pub program: OsString,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    pub cwd: OsString,
    pub leftover_ms: u64,
    pub kill_ms: u64,
}

/// What the host asks for later. The end of the socket is the order to kill everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Order {
    Interrupt,
    Terminate,
    Kill,
    Status,
}

/// What the supervisor tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Report {
    /// The program runs.
    Started { pid: u32 },
    /// It could not be started.
    Refused { why: Refusal, reason: String },
    /// The answer to `Order::Status`: living processes of the tree.
    Status { processes: usize },
    /// The program has ended; what it left behind has not yet.
    Exited { code: Option<i32>, signal: Option<i32> },
    /// The last word: so many processes could not be ended in time.
    Gone { left: usize },
}

/// Why a program could not be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Refusal {
    NotFound,
    NoInterpreter,
    NotPermitted,
    NotExecutable,
    TooLong,
    Folder,
    System,
}

/// One message as a line.
pub(super) fn line(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// The next message; `None` at the end.
pub(super) fn read<T: for<'a> Deserialize<'a>>(from: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line)?;
    if line.last() != Some(&b'\n') {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&line)?))
}

/// Sends the program's stdin, stdout and stderr.
pub(super) fn send_pipes(socket: impl AsFd, pipes: [BorrowedFd<'_>; 3]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&pipes));
    sendmsg(socket, &[IoSlice::new(b"J")], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Receives them; `None` when the host is gone.
pub(super) fn receive_pipes(socket: impl AsFd) -> io::Result<Option<[OwnedFd; 3]>> {
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::empty();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let got = recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, flags)?;
    if got.bytes == 0 {
        return Ok(None);
    }
    let mut pipes = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            pipes.extend(received);
        }
    }
    let pipes: [OwnedFd; 3] = pipes.try_into().map_err(|_| io::Error::other("the host sent no pipes"))?;
    #[cfg(not(target_os = "linux"))]
    for pipe in &pipes {
        rustix::io::fcntl_setfd(pipe, rustix::io::FdFlags::CLOEXEC)?;
    }
    Ok(Some(pipes))
}
