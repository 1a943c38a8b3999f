//! One task per channel that owns the control socket: it passes signals on, walks the ladder of an end, learns how the
//! program ended, and says `Closed` once, after everything that was read.

use super::channel::{Ask, ChannelEvent};
use super::spawn::Reports;
use super::tap::Wire;
use super::tree::{self, Sig};
use super::wire::{self, Order, Report};
use super::writer::Writer;
use jackfield_core::contract::{ChannelExit, Fault, FaultKind};
use jackfield_core::limits::Limits;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::process::Child;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

pub(super) struct Warden {
    pub channel: u32,
    pub program: PathBuf,
    pub child: Child,
    pub reports: Reports,
    pub to_supervisor: OwnedWriteHalf,
    pub inbox: mpsc::Receiver<Ask>,
    pub exited: watch::Sender<bool>,
    pub writer: Arc<Writer>,
    pub writing: JoinHandle<()>,
    pub reading: Option<JoinHandle<()>>,
    /// True where stdout is how the program answers: closed while the program lives, nothing can come any more.
    pub speaks: bool,
    pub stderr: JoinHandle<String>,
    pub events: mpsc::Sender<ChannelEvent>,
    pub limits: Arc<Limits>,
    pub tapped: Wire,
}

/// What happens next if nothing else does.
#[derive(Clone, Copy)]
enum Step {
    Terminate,
    Kill,
    GiveUp,
}

/// How the program ended, as far as is known.
#[derive(Default)]
struct End {
    code: Option<i32>,
    signal: Option<i32>,
    /// True when the supervisor has told that nobody, or who, is left.
    settled: bool,
    /// True when it closed its stdout, lived on and did not end by itself.
    silent: bool,
    fault: Option<Fault>,
}

impl Warden {
    pub(super) async fn run(mut self) {
        let mut end = End::default();
        self.watch(&mut end).await;
        if !end.settled {
            let left = end_without_supervisor(&mut self.child, Duration::from_millis(self.limits.kill_ms)).await;
            end.fault = Some(if left > 0 { self.unkillable(left) } else { self.supervisor_lost() });
        }
        self.exited.send_replace(true);
        self.tapped.ended();
        self.writer.close();
        if end.silent && end.fault.is_none() {
            end.fault = Some(self.stdout_closed());
        }
        // Both end with their pipes, or shortly after: `exited` is said. What waits in the pipes is read first, at the
        // pace of whoever takes the events.
        read_to_end(&mut self.reading).await;
        let stderr_tail = self.stderr.await.unwrap_or_default();
        self.writing.abort();
        self.tapped.exit(end.code, end.signal);
        let exit =
            ChannelExit { channel: self.channel, code: end.code, signal: end.signal, stderr_tail, fault: end.fault };
        // An error means that nobody listens any more; then nobody misses it.
        let _ = self.events.send(ChannelEvent::Closed { channel: self.channel, exit }).await;
        // Reaped here, or by the runtime when it takes longer.
        let _ = timeout(Duration::from_millis(self.limits.kill_ms), self.child.wait()).await;
    }

    /// Until the supervisor has said its last word or is gone, or until we give up.
    async fn watch(&mut self, end: &mut End) {
        let mut next: Option<(Step, Instant)> = None;
        let mut counts: VecDeque<oneshot::Sender<usize>> = VecDeque::new();
        let mut dropped = false;
        // Whether it is our own doing that the program ends.
        let mut asked = false;
        loop {
            let due = next.map_or_else(Instant::now, |(_, at)| at);
            tokio::select! {
                line = self.reports.next_line() => {
                    let Ok(Some(line)) = line else { return };
                    match serde_json::from_str(&line) {
                        Ok(Report::Exited { code, signal }) => {
                            (end.code, end.signal) = (code, signal);
                            self.exited.send_replace(true);
                            next = Some((Step::GiveUp, self.last_moment()));
                        }
                        Ok(Report::Gone { left }) => {
                            end.settled = true;
                            end.fault = (left > 0).then(|| self.unkillable(left));
                            return;
                        }
                        Ok(Report::Status { processes }) => {
                            if let Some(reply) = counts.pop_front() {
                                let _ = reply.send(processes);
                            }
                        }
                        Ok(Report::Started { .. } | Report::Refused { .. }) | Err(_) => return,
                    }
                }
                ask = self.inbox.recv(), if !dropped => match ask {
                    Some(Ask::Send(order)) => self.order(order),
                    Some(Ask::CountProcesses(reply)) => {
                        counts.push_back(reply);
                        self.order(Order::Status);
                    }
                    Some(Ask::End) if next.is_none() => {
                        asked = true;
                        self.writer.close();
                        next = Some((Step::Terminate, after(self.limits.stdin_close_ms)));
                    }
                    Some(Ask::End) => asked = true,
                    None => {
                        dropped = true;
                        next = Some((Step::GiveUp, self.last_moment()));
                        // The end of the socket is the order that needs no obedient reader.
                        let _ = self.to_supervisor.shutdown().await;
                    }
                },
                // A program that can say nothing any more is of no use: it goes the way of a session's end.
                () = read_to_end(&mut self.reading), if self.speaks && next.is_none() && self.reading.is_some() => {
                    self.writer.close();
                    next = Some((Step::Terminate, after(self.limits.stdin_close_ms)));
                }
                () = sleep_until(due), if next.is_some() => next = match next {
                    Some((Step::Terminate, _)) => {
                        end.silent = !asked;
                        self.order(Order::Terminate);
                        Some((Step::Kill, after(self.limits.terminate_ms)))
                    }
                    Some((Step::Kill, _)) => {
                        self.order(Order::Kill);
                        Some((Step::GiveUp, self.last_moment()))
                    }
                    Some((Step::GiveUp, _)) | None => return,
                },
            }
        }
    }

    /// Never waits: a supervisor that reads no orders is given up on in time.
    fn order(&self, order: Order) {
        if let Ok(line) = wire::line(&order) {
            let _ = self.to_supervisor.try_write(&line);
        }
    }

    fn last_moment(&self) -> Instant {
        // Twice: once for the supervisor's own bound, once for a loaded machine.
        after(self.limits.leftover_ms + 2 * self.limits.kill_ms)
    }

    fn supervisor_lost(&self) -> Fault {
        let message = format!(
            "The supervisor of `{}` was ended from outside; the processes in its session were killed.",
            self.program.display()
        );
        fault("supervisor-lost", message)
    }

    fn stdout_closed(&self) -> Fault {
        let message = format!(
            "`{}` closed its stdout, went on running and could say nothing any more; it was ended.",
            self.program.display()
        );
        fault("stdout-closed", message)
    }

    fn unkillable(&self, left: usize) -> Fault {
        let message = format!(
            "{left} processes that `{}` started could not be ended; look for them with `ps` and end them by hand.",
            self.program.display()
        );
        fault("processes-left", message)
    }
}

async fn read_to_end(reading: &mut Option<JoinHandle<()>>) {
    if let Some(handle) = reading {
        let _ = handle.await;
    }
    *reading = None;
}

/// The supervisor was killed or stopped, by the program perhaps. What is left is found by its session; returns how many
/// could not be ended.
pub(super) async fn end_without_supervisor(supervisor: &mut Child, patience: Duration) -> usize {
    let Some(session) = supervisor.id() else { return 0 };
    let _ = supervisor.start_kill();
    tokio::task::spawn_blocking(move || kill_session(session, patience)).await.unwrap_or(0)
}

fn fault(code: &str, message: String) -> Fault {
    Fault {
        kind: FaultKind::Internal,
        message,
        code: Some(code.to_owned()),
        retryable: true,
        retry_after_ms: None,
        extra: Vec::new(),
    }
}

fn after(ms: u64) -> Instant {
    Instant::now() + Duration::from_millis(ms)
}

/// Kills all of a session until nobody is left, or patience ends; returns how many are.
fn kill_session(session: u32, patience: Duration) -> usize {
    let until = std::time::Instant::now() + patience;
    loop {
        let left = tree::signal_all(&tree::of_session(session), Sig::Kill);
        if left == 0 || std::time::Instant::now() >= until {
            return left;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
