//! Commands that wait for the plugin's answer, each with its deadline.

use super::{Operation, Outcome, Reply1};
use jackfield_core::contract::Applies;
use jackfield_core::id::{RequestId, RunId};
use std::collections::BTreeMap;
use tokio::time::Instant;

/// What a command was for.
pub(crate) enum Purpose {
    Start,
    /// The servers that the instance was configured with.
    McpServers,
    /// The host's own tools that the thread was given.
    HostTools,
    OpenThread,
    Send(RunId),
    /// A message into an open turn or the provider's queue, and the command's own number.
    Hand(RunId, u32),
    Interrupt(RunId),
    Respond(RequestId, Option<Reply1<()>>),
    Select(Reply1<Applies>),
    Operate(Operation, Reply1<Outcome>),
}

impl Purpose {
    /// The command's name, for texts.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Purpose::Start => "start",
            Purpose::McpServers => "set-mcp-servers",
            Purpose::HostTools => "register-tools",
            Purpose::OpenThread => "open-thread",
            Purpose::Send(_) => "send-run",
            Purpose::Hand(..) => "steer-run",
            Purpose::Interrupt(_) => "interrupt",
            Purpose::Respond(..) => "respond",
            Purpose::Select(_) => "set-selection",
            Purpose::Operate(operation, _) => operation.name(),
        }
    }
}

pub(crate) struct Pending {
    pub(crate) purpose: Purpose,
    pub(crate) deadline: Option<Instant>,
}

/// The table of open commands. Numbers are never used twice.
#[derive(Default)]
pub(crate) struct Ops {
    last: u32,
    open: BTreeMap<u32, Pending>,
}

impl Ops {
    pub(crate) fn open(&mut self, purpose: Purpose, deadline: Option<Instant>) -> u32 {
        self.last += 1;
        self.open.insert(self.last, Pending { purpose, deadline });
        self.last
    }

    /// The number that the next command will have.
    pub(crate) fn next(&self) -> u32 {
        self.last + 1
    }

    pub(crate) fn close(&mut self, op: u32) -> Option<Pending> {
        self.open.remove(&op)
    }

    /// The next deadline of a command.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.open.values().filter_map(|one| one.deadline).min()
    }

    /// Takes one command whose time is up.
    pub(crate) fn take_overdue(&mut self, now: Instant) -> Option<(u32, Pending)> {
        let op = *self.open.iter().find(|(_, one)| one.deadline.is_some_and(|at| at <= now))?.0;
        self.open.remove_entry(&op)
    }

    /// Takes all that is still open, at the session's end.
    pub(crate) fn drain(&mut self) -> Vec<Pending> {
        std::mem::take(&mut self.open).into_values().collect()
    }
}
