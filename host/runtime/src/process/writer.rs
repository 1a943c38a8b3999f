//! One task per stdin: whole lines, in order, never a blank one, at the pace of the program that reads them.

use super::error::WriteError;
use super::tap::Wire;
use crate::framing::Framing;
use jackfield_core::limits::Limits;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;

type Written = Result<(), WriteError>;

struct Job {
    line: Vec<u8>,
    done: oneshot::Sender<Written>,
    _held: OwnedSemaphorePermit,
}

/// The queue of a program's stdin.
#[derive(Debug)]
pub(super) struct Writer {
    queue: Mutex<Option<mpsc::Sender<Job>>>,
    room: Arc<Semaphore>,
    limit: usize,
    one_line: bool,
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
        let writing = tokio::spawn(write_all(stdin, jobs, tapped));
        (
            Self {
                queue: Mutex::new(Some(queue)),
                room: Arc::new(Semaphore::new(limit)),
                limit,
                one_line: framing.is_json(),
            },
            writing,
        )
    }

    pub(super) fn write(&self, mut line: Vec<u8>) -> Result<oneshot::Receiver<Written>, WriteError> {
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
        let (done, receipt) = oneshot::channel();
        match queue.try_send(Job { line, done, _held: held }) {
            Ok(()) => Ok(receipt),
            Err(mpsc::error::TrySendError::Full(_)) => Err(full()),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(WriteError::Closed),
        }
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

async fn write_all(mut stdin: pipe::Sender, mut jobs: mpsc::Receiver<Job>, tapped: Wire) {
    while let Some(job) = jobs.recv().await {
        // Before it is written: the answer to it may be read before we are back.
        tapped.written(&job.line);
        let written =
            stdin.write_all(&job.line).await.map_err(|error| WriteError::Broken { reason: error.to_string() });
        let broken = written.as_ref().err().cloned();
        let _ = job.done.send(written);
        if let Some(error) = broken {
            jobs.close();
            while let Some(job) = jobs.recv().await {
                let _ = job.done.send(Err(error.clone()));
            }
        }
    }
    tapped.hung_up();
}
