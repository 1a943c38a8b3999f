//! A session: one plugin at work on one provider's program, and the task that owns it. It serves one thread, or several where the
//! provider can: each has a **seat**, with its own log, lease, runs, queue and requests.
//!
//! The files follow the way of the data:
//! - `registry`: which sessions live, and which thread may have a seat on which;
//! - `handle`, `ask`: a client's hold on a seat, and what is asked through it;
//! - `channels`: what programs say, gathered into batches;
//! - `task`: the loop. Takes what comes (asks, batches, timers), gives it to the plugin; `end` is how it is left;
//! - `seat`, `seats`: what is kept of each thread; how one is let in, and let go while others work on;
//! - `release`: the one function through which every output of the plugin reaches the world;
//! - `outlet`, with `message` and `exchanges`: what wishes become: processes, writes, timers, HTTP; policy and audit come first;
//! - `files`: wishes about files, one after another and apart from the session's task; policy and audit come first there, too;
//! - `speak`: events, journal, audit: what the session itself says;
//! - `books`: what a restart needs, kept by the events that go out;
//! - `begin`: the session's start, and what it says that it can do;
//! - `opening`: how a thread is opened;
//! - `operations`: what is done with the thread beyond messages;
//! - `doubt`: promises that were not kept;
//! - `ops`: commands that wait for the plugin's answer;
//! - `asks`: what clients ask for; `answers`: their answers to requests; `ladder`: the steps of an interrupt;
//! - `login`, with `login_words`: a login that is missing, and what waits for it;
//! - `rules`: what the operator's rules answer before any client is heard;
//! - `secrets`: values that are filled in behind the plugin's back;
//! - `stored`: sessions that only list and read what the provider has stored;
//! - `survivors`: requests that outlived an earlier session, and answers to them that came early;
//! - `traps`: a plugin that breaks, and what is put in its place;
//! - `tools`: tools of the host's own, which the provider calls and the client answers;
//! - `outgoing`, `queue`: messages: how each goes, and what is changed while it waits;
//! - `run_limits`: turns, time and cost of a run;
//! - `watch`: deadlines. They speak, and end only what they say they end;
//! - `ring`: the last raw frames.
//!
//! **The unit is the batch: one batch in, all its outputs out and accepted, in order, before the next.** The task is the
//! only owner of the plugin's store; clients hold a [`SessionHandle`]. Nothing here waits on a listener. What concerns the session
//! is said in each of its threads. **What is asked through one seat changes nothing in another one**, but for what ends the session.
//! Tests: `tests/tests/`, through the real stack.

mod answers;
mod ask;
mod asks;
mod begin;
mod books;
mod channels;
mod diagnostics;
mod doubt;
mod end;
mod exchanges;
mod files;
mod granted;
mod handle;
mod history;
mod ladder;
mod login;
mod login_words;
mod message;
mod opening;
mod operations;
mod ops;
mod outgoing;
mod outlet;
pub(crate) mod queue;
mod registry;
mod release;
mod ring;
mod rules;
mod run_limits;
mod seat;
mod seats;
mod secrets;
mod speak;
mod stored;
mod survivors;
mod task;
mod tools;
mod traps;
mod watch;

pub(crate) use ask::QueueChange;
pub use ask::{AskError, NewRun, Stop};
pub(crate) use handle::Left;
pub use handle::{SessionHandle, Standing};
pub(crate) use operations::{Copying, Operation, Outcome};
pub(crate) use outgoing::{needs_of, refused};
pub(crate) use outlet::fault;
pub(crate) use registry::Registry;
pub use ring::KeptFrame;
pub use seat::SeatStart;
pub(crate) use secrets::{Secrets, missing_secret};
pub(crate) use tools::check as check_tools;

use crate::audit::Audit;
use crate::instance::Instance;
use crate::process::Supervisor;
use crate::store::Store;
use jackfield_core::contract::Role;
use jackfield_core::id::SessionId;
use jackfield_core::limits::Limits;
use jackfield_core::policy::{Intent, PolicyConfig};
use jackfield_sandbox::Generation;
use std::path::PathBuf;
use std::sync::Arc;

/// What this host does not carry out yet, whatever a provider can do: offered to nobody, refused in the same words.
pub const NOT_BUILT: &[Intent] =
    &[Intent::SwitchProvider, Intent::ReturnToProvider, Intent::Checkpoint, Intent::NestedCheckpoint];

/// What the operator allows, less what this host does not do yet: hints and refusals then say the same.
pub fn as_built(policy: PolicyConfig) -> PolicyConfig {
    PolicyConfig {
        not_built: NOT_BUILT.to_vec(),
        fresh_thread_on_switch: false,
        synthetic_forks: false,
        divergent_rollback: false,
        ..policy
    }
}

/// What all sessions of a host share.
pub struct Shared {
    /// The one table of limits.
    pub limits: Arc<Limits>,
    /// What the operator allows.
    pub policy: PolicyConfig,
    /// True in an open install: a bundled plugin is granted its own profiles.
    pub open_default: bool,
    /// Where events and cursors go.
    pub store: Store,
    /// Where decisions are recorded.
    pub audit: Audit,
    /// Starts programs.
    pub supervisor: Supervisor,
    /// For what does not fit in memory.
    pub spill_folder: PathBuf,
    /// Sessions that live, for threads that may share them.
    pub(crate) sessions: Registry,
}

/// What a session is begun with. A thread may have a seat on it when all of this is the same for it, but for its id and number.
#[derive(Clone)]
pub struct SessionStart {
    /// What it is for.
    pub role: Role,
    /// Its id: that of the seat it was begun for.
    pub session: SessionId,
    /// Number of that native start in its thread, from 0.
    pub epoch: u32,
    /// The plugin.
    pub generation: Generation,
    /// True for a plugin that came with the host.
    pub bundled: bool,
    /// How the operator configured it.
    pub instance: Instance,
    /// The workspace.
    pub folder: PathBuf,
}
