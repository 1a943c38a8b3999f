//! One task per stdin: whole lines, in order, never a blank one, at the pace of the program that reads them.
//!
//! **What became of a line is told before anything that the program says to it is taken further:** a line leaves and is told
//! of under one lock, which [`Writer::settle`] takes for a moment.

use super::error::WriteError;
use super::tap::Wire;
use crate::framing::Framing;
use jackfield_core::limits::Limits;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::unix::pipe;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;

type Written = Result<(), WriteError>;

struct Job {
    line: Vec<u8>,
    receipt: Receipt,
    _held: OwnedSemaphorePermit,
}

/// Tells what became of a line, once: dropped with a queue that is given up, that the stdin was closed.
struct Receipt(Option<Box<dyn FnOnce(Written) + Send>>);

impl Receipt {
    fn tell(mut self, written: Written) {
        if let Some(tell) = self.0.take() {
            tell(written);
        }
    }
}

impl Drop for Receipt {
    fn drop(&mut self) {
        if let Some(tell) = self.0.take() {
            tell(Err(WriteError::Closed));
        }
    }
}

/// The queue of a program's stdin.
#[derive(Debug)]
pub(super) struct Writer {
    queue: Mutex<Option<mpsc::Sender<Job>>>,
    room: Arc<Semaphore>,
    limit: usize,
    one_line: bool,
    /// Held while bytes leave, until it is told that the line is out or that the program does not read on.
    leaving: Arc<Mutex<()>>,
}

impl Writer {
    pub(super) fn start(
        stdin: pipe::Sender,
        framing: Framing,
        limits: &Limits,
        tapped: Wire,
    ) -> (Self, JoinHandle<()>) {
        let limit = limits.write_queue_bytes.min(u64::from(u32::MAX) >> 4) as usize;
        let (queue, jobs) = mpsc::channel(limits.write_queue_messages as usize);
        let leaving = Arc::new(Mutex::new(()));
        let writing = tokio::spawn(write_all(stdin, jobs, tapped, leaving.clone()));
        (
            Self {
                queue: Mutex::new(Some(queue)),
                room: Arc::new(Semaphore::new(limit)),
                limit,
                one_line: framing.is_json(),
                leaving,
            },
            writing,
        )
    }

    pub(super) fn write(
        &self,
        mut line: Vec<u8>,
        tell: impl FnOnce(Written) + Send + 'static,
    ) -> Result<(), WriteError> {
        self.check(&line)?;
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = queue.as_ref().ok_or(WriteError::Closed)?;
        line.push(b'\n');
        let bytes = line.len();
        let full = || WriteError::QueueFull {
            waiting: (self.limit - self.room.available_permits()) as u64,
            bytes: bytes as u64,
            limit: self.limit as u64,
        };
        if bytes > self.limit {
            return Err(full());
        }
        let held = self.room.clone().try_acquire_many_owned(bytes as u32).map_err(|_| full())?;
        match queue.try_reserve() {
            Ok(place) => {
                place.send(Job { line, receipt: Receipt(Some(Box::new(tell))), _held: held });
                Ok(())
            }
            Err(mpsc::error::TrySendError::Full(())) => Err(full()),
            Err(mpsc::error::TrySendError::Closed(())) => Err(WriteError::Closed),
        }
    }

    /// When this returns, it has been told what became of every line that the program can have answered by now.
    pub(super) fn settle(&self) {
        drop(self.leaving.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// No more is taken; the pipe is closed after what is queued.
    pub(super) fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn check(&self, line: &[u8]) -> Result<(), WriteError> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Err(WriteError::Blank);
        }
        // Elsewhere a message may have several lines, but its last line end is ours to add.
        let line_end = match self.one_line {
            true => memchr::memchr2(b'\n', b'\r', line),
            false => line.ends_with(b"\n").then(|| line.len() - 1),
        };
        line_end.map_or(Ok(()), |at| Err(WriteError::LineEnd { at }))
    }
}

async fn write_all(stdin: pipe::Sender, mut jobs: mpsc::Receiver<Job>, tapped: Wire, leaving: Arc<Mutex<()>>) {
    while let Some(Job { line, receipt, _held }) = jobs.recv().await {
        // Before it is written: the answer to it may be read before we are back.
        tapped.written(&line);
        if let Err(error) = write_line(&stdin, &line, receipt, &leaving).await {
            jobs.close();
            while let Some(job) = jobs.recv().await {
                job.receipt.tell(Err(error.clone()));
            }
        }
    }
    tapped.hung_up();
}

/// Writes one line and tells what became of it.
async fn write_line(stdin: &pipe::Sender, line: &[u8], receipt: Receipt, leaving: &Mutex<()>) -> Written {
    let mut left = line;
    loop {
        let ready = stdin.writable().await;
        let _leaving = leaving.lock().unwrap_or_else(PoisonError::into_inner);
        let written = match ready.and_then(|()| write_out(stdin, &mut left)) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
            done => done.map_err(|error| WriteError::Broken { reason: error.to_string() }),
        };
        receipt.tell(written.clone());
        return written;
    }
}

/// Writes what the pipe takes without waiting, and moves `left` on by that.
fn write_out(stdin: &pipe::Sender, left: &mut &[u8]) -> io::Result<()> {
    while !left.is_empty() {
        match stdin.try_write(left)? {
            0 => return Err(ErrorKind::WriteZero.into()),
            written => *left = &left[written..],
        }
    }
    Ok(())
}
