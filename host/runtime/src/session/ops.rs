//! Commands that wait for the plugin's answer, each with its deadline.

use super::ask::Reply1;
use super::operations::{Operation, Outcome};
use jackfield_core::contract::Applies;
use jackfield_core::id::{RequestId, RunId, SessionId};
use jackfield_core::limits::Limits;
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
    /// Lets the thread of this seat go.
    CloseThread(SessionId),
    /// Stops the turn of a thread that is let go: nobody waits for the answer.
    LetGo,
    /// A message that begins a turn; true when something is attached to it.
    Send(RunId, bool),
    /// A message into an open turn, or into the provider's queue when true, and the command's own number.
    Hand(RunId, u32, bool),
    Interrupt(RunId),
    /// A login by a method; the request that offered it, where one did.
    Authenticate(Option<RequestId>, Reply1<()>),
    Respond(RequestId, Option<Reply1<()>>),
    /// The settings' names.
    Select(Vec<String>, Reply1<Applies>),
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
            Purpose::CloseThread(_) => "close-thread",
            Purpose::Send(..) => "send-run",
            Purpose::Hand(..) => "steer-run",
            Purpose::Interrupt(_) | Purpose::LetGo => "interrupt",
            Purpose::Authenticate(..) => "authenticate",
            Purpose::Respond(..) => "respond",
            Purpose::Select(..) => "set-selection",
            Purpose::Operate(operation, _) => operation.name(),
        }
    }

    /// How long the plugin has to answer, in milliseconds, and the limit that says so.
    pub(crate) fn within(&self, limits: &Limits) -> (u64, &'static str) {
        match self {
            Purpose::Operate(operation, _) => operation.within(limits),
            Purpose::Authenticate(..) => (limits.login_ms, "login_ms"),
            Purpose::OpenThread => (limits.handshake_ms, "handshake_ms"),
            _ => (limits.command_ms, "command_ms"),
        }
    }

    /// What it rests on, in the words of `core::honesty`: its name, and how it was meant where that is a promise of its own.
    pub(crate) fn promises(&self) -> Vec<String> {
        let name = match self {
            Purpose::Send(_, true) => "send-run-attached",
            Purpose::Hand(_, _, true) => "send-run-enqueued",
            Purpose::Operate(operation, _) => operation.promise(),
            Purpose::Select(names, _) => return names.iter().map(|name| format!("set-{name}")).collect(),
            other => other.name(),
        };
        vec![name.to_owned()]
    }
}

pub(crate) struct Pending {
    /// The seat that it is about.
    pub(crate) at: usize,
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
    pub(crate) fn open(&mut self, at: usize, purpose: Purpose, deadline: Option<Instant>) -> u32 {
        self.last += 1;
        self.open.insert(self.last, Pending { at, purpose, deadline });
        self.last
    }

    /// The number that the next command will have.
    pub(crate) fn next(&self) -> u32 {
        self.last + 1
    }

    pub(crate) fn close(&mut self, op: u32) -> Option<Pending> {
        self.open.remove(&op)
    }

    /// True while an interrupt of this seat was neither answered nor given up.
    pub(crate) fn has_interrupt(&self, at: usize) -> bool {
        self.open.values().any(|one| one.at == at && matches!(one.purpose, Purpose::Interrupt(_)))
    }

    /// True while a login by a method is under way.
    pub(crate) fn has_authenticate(&self) -> bool {
        self.open.values().any(|one| matches!(one.purpose, Purpose::Authenticate(..)))
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

    /// Takes what is still open of a seat that is left, but for its own leaving.
    pub(crate) fn drain_of(&mut self, at: usize) -> Vec<Pending> {
        let of_leaving = |one: &Pending| matches!(one.purpose, Purpose::CloseThread(_) | Purpose::LetGo);
        let left = self.open.extract_if(.., |_, one| one.at == at && !of_leaving(one));
        left.map(|(_, one)| one).collect()
    }

    /// Takes all that is still open, at the session's end.
    pub(crate) fn drain(&mut self) -> Vec<Pending> {
        std::mem::take(&mut self.open).into_values().collect()
    }
}
