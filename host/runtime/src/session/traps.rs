//! A plugin that breaks in a call: a trap, a limit, a fault of kind `internal`, which is what SDKs make of an exception. Any other fault is
//! the plugin's way to end its session, and does.
//!
//! Its instance is thrown away. A new one is given the journal, and nothing of what it says to that is carried out: it was, long ago.
//! Then what the old one broke on is given to it input by input. What it breaks on once more is left out: **a frame is skipped, a command
//! is answered with the error's code** (`plugin-trapped`, `plugin-limit`, `plugin-fault`), so that a request whose answer it was is open
//! again. All else of that batch arrives, and the provider's program notices nothing. A plugin that breaks anew within `trap_window_ms` ends
//! its session; the thread can be resumed. Tests: `tests/traps/`, by `tests/tests/faults.rs`.

use super::outlet::fault;
use super::task::{Phase, Task, timers};
use crate::journal::Entry;
use jackfield_core::contract::{Caused, CommandBody, Fault, FaultKind, Input, OpResult, Output};
use jackfield_core::normalizer::Disposed;
use jackfield_sandbox::CallError;
use std::io;
use std::time::Duration;
use tokio::time::Instant;

/// An input of the batch that broke the plugin, given once more.
struct Given {
    input: Input,
    frame: Option<u64>,
    outcome: Result<Vec<Caused>, CallError>,
}

/// Why a session does not go on.
enum Lost {
    /// The plugin broke again.
    Again(CallError),
    /// It was ended meanwhile, for a reason of its own.
    Ended,
}

impl Task {
    /// The batch with this number broke the plugin.
    pub(super) async fn recover(&mut self, error: CallError, seq: u32, frames: &[Option<u64>]) {
        if is_its_own_end(&error) {
            return self.plugin_failed(&error, frames);
        }
        let now = Instant::now();
        let window = Duration::from_millis(self.shared.limits.trap_window_ms);
        let again = self.trapped.replace(now).is_some_and(|last| now < last + window);
        if again || !self.journal.keeps() || matches!(self.phase, Phase::Closing | Phase::Ended) {
            return self.plugin_failed(&error, frames);
        }
        self.note_trap(&error, frames);
        match self.one_by_one(seq, frames).await {
            Ok(given) => {
                self.decided("plugin_recovered", u64::from(seq), error.code());
                for one in given {
                    self.release_given(one).await;
                }
            }
            Err(Lost::Again(error)) => self.plugin_failed(&error, frames),
            Err(Lost::Ended) => {}
        }
    }

    /// Nothing is let out before the last of them was given, as in the batch that they were.
    async fn one_by_one(&mut self, seq: u32, frames: &[Option<u64>]) -> Result<Vec<Given>, Lost> {
        let inputs = self.inputs_of(seq)?;
        self.undo(seq)?;
        self.replay().await?;
        let mut given = Vec::new();
        for (input, frame) in inputs.into_iter().zip(frames) {
            let at = self.tick();
            let entry = Entry::Batch { at: at.clone(), inputs: vec![input.clone()] };
            if !self.write_down(entry) {
                return Err(Lost::Ended);
            }
            let seq = at.seq;
            let outcome = self.call(at, vec![input.clone()]).await;
            if let Err(error) = &outcome {
                let left_out = given.iter().any(|one: &Given| one.outcome.is_err());
                if left_out || !may_be_left_out(&input) {
                    return Err(Lost::Again(error.clone()));
                }
                self.undo(seq)?;
                self.replay().await?;
            }
            given.push(Given { input, frame: *frame, outcome });
        }
        Ok(given)
    }

    /// Puts an instance that knows all that the broken one knew in its place.
    async fn replay(&mut self) -> Result<(), Lost> {
        let batches = match self.journal.batches() {
            Ok(batches) => batches,
            Err(error) => return Err(self.unreadable(&error)),
        };
        let most = self.shared.limits.replay_ms;
        let until = Instant::now() + Duration::from_millis(most);
        let mut plugin = self.start.generation.session().await.map_err(Lost::Again)?;
        for (at, inputs) in batches {
            // Nobody who asks something of the session is heard meanwhile.
            if Instant::now() >= until {
                let message = format!(
                    "the plugin broke, and to give its journal to another instance takes longer than {most} ms (limit replay_ms); the thread can be resumed"
                );
                self.broken(fault(FaultKind::Internal, message));
                return Err(Lost::Ended);
            }
            plugin.handle(at, inputs).await.map_err(Lost::Again)?;
        }
        plugin.take_log();
        self.plugin = plugin;
        Ok(())
    }

    /// The batch that was written down last.
    fn inputs_of(&mut self, seq: u32) -> Result<Vec<Input>, Lost> {
        let found = self.journal.batches().map(|mut batches| batches.pop().filter(|(at, _)| at.seq == seq));
        match found {
            Ok(Some((_, inputs))) => Ok(inputs),
            Ok(None) => Err(self.unreadable(&io::Error::other("the batch is not in it"))),
            Err(error) => Err(self.unreadable(&error)),
        }
    }

    fn undo(&mut self, seq: u32) -> Result<(), Lost> {
        if self.write_down(Entry::Undone { seq }) { Ok(()) } else { Err(Lost::Ended) }
    }

    fn unreadable(&mut self, error: &io::Error) -> Lost {
        let message = format!(
            "the plugin broke, and the session's journal could not be read ({error}); the thread can be resumed"
        );
        self.broken(fault(FaultKind::Internal, message));
        Lost::Ended
    }

    async fn release_given(&mut self, given: Given) {
        let Given { input, frame, outcome } = given;
        match outcome {
            Ok(outputs) => self.release_all(outputs, &[frame], &timers(&[input])).await,
            Err(error) => self.left_out(input, frame, &error).await,
        }
    }

    async fn left_out(&mut self, input: Input, frame: Option<u64>, error: &CallError) {
        let (what, number) = match (&input, frame) {
            (Input::Command(command), _) => (format!("command {}", command.op), u64::from(command.op)),
            (_, Some(frame)) => (format!("frame {frame}"), frame),
            _ => ("an input of the host's".to_owned(), 0),
        };
        self.decided("input_left_out", number, error.code());
        if let Some(frame) = frame {
            self.ring.disposed(frame, &Disposed::Skipped);
            self.normalizer.dispose(frame, Disposed::Skipped);
        }
        self.diagnose("plugin-broke", &format!("{error} (at {what}, which was left out; the session goes on)")).await;
        if let Input::Command(command) = input {
            let outcome = Err(fault_of(error, &what));
            self.release(None, false, Output::Done(OpResult { op: command.op, outcome })).await;
        }
    }
}

/// A fault that the plugin itself thought of, not one that befell it.
fn is_its_own_end(error: &CallError) -> bool {
    matches!(error, CallError::Fault { fault, .. } if fault.kind != FaultKind::Internal)
}

/// A plugin that can't begin, or that does not hear of a channel's end, is of no use to its session.
fn may_be_left_out(input: &Input) -> bool {
    match input {
        Input::Command(command) => !matches!(command.body, CommandBody::Start(_)),
        Input::ChannelClosed(_) => false,
        _ => true,
    }
}

/// What went wrong, as whoever waits is told.
pub(super) fn fault_of(error: &CallError, about: &str) -> Fault {
    let mut told = match error {
        CallError::Fault { fault, .. } => fault.clone(),
        other => fault(FaultKind::Internal, other.to_string()),
    };
    told.message = format!("{} (at {about})", told.message);
    told.code = Some(error.code().to_owned());
    told
}
