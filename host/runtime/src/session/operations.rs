//! Operations on the thread, beyond messages: each asked of the policy, given to the plugin as one command, and answered once.
//!
//! **What the policy refuses never reaches the plugin; what is done instead of what was asked is said first.**
//! Tests: `tests/tests/operations.rs`.

use super::ask::{AskError, Reply1};
use super::ops::Purpose;
use super::outgoing::refused;
use super::outlet::fault;
use super::seat::Stage;
use super::task::Task;
use jackfield_core::contract::{
    Applies, CommandBody, Event, EventBody as Told, Fault, FaultKind, ListThreads, McpServer, OpValue, Other, Point,
    ReadThread, Summarize, Thread, ToolSpec,
};
use jackfield_core::id::TaskId;
use jackfield_core::limits::Limits;
use jackfield_core::normalizer::Cause;
use jackfield_core::policy::{Decision, ForkPoint, Intent, Strategy};
use std::time::Duration;
use tokio::time::Instant;

/// What is asked of the provider's thread.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    ListSettings,
    /// In sessions that only ask: what is stored. The last one names the provider's thread, where its id is known.
    ListFolders,
    ListThreads(ListThreads),
    ReadStored(Option<String>, ReadThread),
    /// In sessions that only ask: what the contract has no word of its own for, by its name. It may name a thread of the provider's.
    ByName(&'static str, Option<String>),
    SetMcpServers(Vec<McpServer>),
    RegisterTools(Vec<ToolSpec>),
    Compact(String),
    Clear,
    Fork(Copying),
    /// May a subagent's thread be opened as a conversation? The caller opens it.
    OpenSubagent,
    Rollback(Point),
    Read(ReadThread),
    Summarize(Summarize),
    StopTask(TaskId),
    WaitForTask(TaskId),
}

/// A copy of a thread.
#[derive(Debug, Clone)]
pub(crate) struct Copying {
    pub(crate) what: ForkPoint,
    pub(crate) point: Point,
    /// The end of the turn around an item: what is copied where the provider cuts at turns only.
    pub(crate) whole_turn: Option<Point>,
    /// The provider's id of the subagent's thread that is copied.
    pub(crate) subagent: Option<String>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The plugin's answer.
    Done(OpValue),
    /// The provider's copy, and where it ends.
    Copied(Thread, ForkPoint),
    /// The caller does this, instead or after it; it was announced.
    Instead(Strategy),
}

/// What is to be done once the policy was asked.
enum Prepared {
    Command(CommandBody),
    Instead(Strategy),
    /// The rest is the caller's.
    Nothing,
    /// It holds in a session of the thread's own, which follows.
    Elsewhere,
    /// It holds already: the conversation began with it.
    Held,
}

impl Operation {
    /// The provider's thread that it is about, when that is not the seat's.
    fn names_thread(&self) -> Option<String> {
        match self {
            Self::ReadStored(thread, _) | Self::ByName(_, thread) => thread.clone(),
            Self::Fork(copying) => copying.subagent.clone(),
            _ => None,
        }
    }

    /// What the policy is asked.
    pub(super) fn intents(&self) -> Vec<Intent> {
        match self {
            Self::ListSettings => vec![Intent::ListSettings],
            // No capability speaks of what is stored, or of what has a name only: the plugin's answer does.
            Self::ListFolders | Self::ListThreads(_) | Self::ReadStored(..) | Self::ByName(..) => Vec::new(),
            Self::SetMcpServers(servers) if takes_tools_away(servers) => {
                // The narrower one first: whoever is refused hears the reason of its hint.
                vec![Intent::SelectMcpTools, Intent::SetMcpServers]
            }
            Self::SetMcpServers(_) => vec![Intent::SetMcpServers],
            Self::RegisterTools(_) => vec![Intent::RegisterTools],
            Self::Compact(_) => vec![Intent::Compact],
            Self::Clear => vec![Intent::Clear],
            Self::Fork(copying) => vec![Intent::fork(copying.what)],
            Self::OpenSubagent => vec![Intent::OpenSubagent],
            Self::Rollback(_) => vec![Intent::Rollback],
            Self::Read(_) => vec![Intent::ReadThread],
            Self::Summarize(_) => vec![Intent::Summarize],
            Self::StopTask(_) => vec![Intent::StopTask],
            Self::WaitForTask(_) => vec![Intent::WaitForTask],
        }
    }

    /// It is about the provider's program, not about one thread.
    fn is_of_session(&self) -> bool {
        matches!(self, Self::SetMcpServers(_) | Self::RegisterTools(_))
    }

    /// It changes what the provider knows: no turn may be open.
    fn needs_quiet(&self) -> bool {
        match self {
            Self::Compact(_) | Self::Clear | Self::Rollback(_) => true,
            Self::Fork(copying) => copying.what != ForkPoint::Subagent,
            _ => false,
        }
    }

    /// The provider cuts at turns only: the whole turn is copied.
    fn widen(&mut self) {
        if let Self::Fork(copying) = self
            && let Some(turn) = copying.whole_turn.take()
        {
            (copying.what, copying.point) = (ForkPoint::Turn, turn);
        }
    }

    /// Its answer is history, told again.
    pub(super) fn replays(&self) -> bool {
        matches!(self, Self::Read(_) | Self::ReadStored(..))
    }

    /// How long the plugin has to answer, in milliseconds, and the limit that says so.
    pub(super) fn within(&self, limits: &Limits) -> (u64, &'static str) {
        match self {
            Self::ListFolders | Self::ListThreads(_) | Self::ReadStored(..) => (limits.history_ms, "history_ms"),
            _ => (limits.command_ms, "command_ms"),
        }
    }

    /// The provider may take as long as a model does, or as a task does.
    fn is_long(&self) -> bool {
        matches!(self, Self::Compact(_) | Self::Summarize(_) | Self::WaitForTask(_))
    }

    /// What it rests on, in the words of `core::honesty`.
    pub(super) fn promise(&self) -> &'static str {
        match self {
            Self::Fork(copying) => match copying.what {
                ForkPoint::Tip => "fork-thread",
                ForkPoint::Turn => "fork-thread-at-turn",
                ForkPoint::Item => "fork-thread-at-item",
                ForkPoint::Subagent => "fork-thread-of-subagent",
            },
            Self::SetMcpServers(servers) if takes_tools_away(servers) => "set-mcp-servers-without-tools",
            Self::ReadStored(..) => "read-stored-thread",
            other => other.name(),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::ListSettings => "list-settings",
            Self::ListFolders => "list-folders",
            Self::ListThreads(_) => "list-threads",
            Self::ReadStored(..) => "read-thread",
            Self::ByName(name, _) => name,
            Self::SetMcpServers(_) => "set-mcp-servers",
            Self::RegisterTools(_) => "register-tools",
            Self::Compact(_) => "compact-thread",
            Self::Clear => "clear-thread",
            Self::Fork(_) => "fork-thread",
            Self::OpenSubagent => "open-subagent",
            Self::Rollback(_) => "rollback-thread",
            Self::Read(_) => "read-thread",
            Self::Summarize(_) => "summarize",
            Self::StopTask(_) => "stop-task",
            Self::WaitForTask(_) => "wait-task",
        }
    }
}

/// What is set for the session would be set for the other threads, too.
fn of_its_own() -> Decision {
    Decision::Degraded {
        strategy: Strategy::RestartAndResume,
        because: "the session serves other threads, too: this one goes on in a session of its own".into(),
        loses: Vec::new(),
    }
}

fn takes_tools_away(servers: &[McpServer]) -> bool {
    servers.iter().any(|server| !server.disabled_tools.is_empty())
}

impl Task {
    pub(super) async fn operate(&mut self, at: usize, mut operation: Operation, done: Reply1<Outcome>) {
        if self.seats[at].stage == Stage::Opening && !self.may_operate(at, &operation) {
            return self.seats[at].later.push_back((operation, done));
        }
        match self.prepare(at, &mut operation).await {
            Ok(Prepared::Command(body)) => {
                self.note("operation", operation.name(), serde_json::Value::Null);
                let within = Duration::from_millis(operation.within(&self.shared.limits).0);
                let deadline = (!operation.is_long()).then(|| Instant::now() + within);
                let thread = operation.names_thread().or_else(|| self.seats[at].native.clone());
                if let Operation::ReadStored(Some(native), _) = &operation {
                    self.bind_stored(at, native.clone()).await;
                }
                if operation.replays() {
                    self.normalizer.begin_replay(&self.seats[at].thread().clone());
                }
                Box::pin(self.command(at, Purpose::Operate(operation, done), thread, body, deadline)).await;
            }
            Ok(Prepared::Instead(strategy)) => {
                let _ = done.send(Ok(Outcome::Instead(strategy)));
            }
            Ok(Prepared::Elsewhere) => {
                let _ = done.send(Ok(Outcome::Done(OpValue::Applied(Applies::AfterRestart))));
            }
            Ok(Prepared::Held) => {
                let _ = done.send(Ok(Outcome::Done(OpValue::Applied(Applies::Now))));
            }
            Ok(Prepared::Nothing) => {
                let _ = done.send(Ok(Outcome::Done(OpValue::Accepted)));
            }
            Err(error) => {
                let _ = done.send(Err(error));
            }
        }
    }

    /// Those that were asked for before the thread was open.
    pub(super) async fn operate_later(&mut self, at: usize) {
        while let Some(next) = self.seats[at].later.iter().position(|(operation, _)| self.may_operate(at, operation)) {
            let Some((operation, done)) = self.seats[at].later.remove(next) else { return };
            self.operate(at, operation, done).await;
        }
    }

    /// The thread is open; or it waits for its first message, and what is asked is the session's.
    fn may_operate(&self, at: usize, operation: &Operation) -> bool {
        let waits_for_message = self.seats[at].stage == Stage::Opening && self.seats[at].opens_with_message;
        self.is_open(at) || (waits_for_message && operation.is_of_session())
    }

    /// The command, or what the caller does in its place.
    async fn prepare(&mut self, at: usize, operation: &mut Operation) -> Result<Prepared, AskError> {
        let mut instead = None;
        for intent in operation.intents() {
            let decision = self.decides(intent);
            match &decision {
                Decision::Native => {}
                Decision::Degraded { strategy, .. } => {
                    match strategy {
                        Strategy::RollbackAndReread | Strategy::RollbackUnseen => {}
                        Strategy::ForkAtTurn => operation.widen(),
                        Strategy::OwnRecord | Strategy::LocalSummary | Strategy::NestedNodes => {
                            instead = Some(*strategy);
                        }
                        _ => return Err(refused(&decision)),
                    }
                    self.say_decision(at, None, intent, decision).await;
                }
                _ => return Err(refused(&decision)),
            }
        }
        if let Some(strategy) = instead {
            return Ok(Prepared::Instead(strategy));
        }
        if operation.needs_quiet() && !self.is_idle(at) {
            let text = "a run is at work in this thread; interrupt it, or wait for its end".to_owned();
            return Err(AskError::Fault(fault(FaultKind::Conflict, text)));
        }
        let is_new = self.seats[at].start.cursor.is_none();
        if matches!(operation, Operation::RegisterTools(tools) if is_new && self.tools.are(tools)) {
            return Ok(Prepared::Held);
        }
        if operation.is_of_session() && !self.is_last(at) {
            self.say_decision(at, None, operation.intents()[0], of_its_own()).await;
            return Ok(Prepared::Elsewhere);
        }
        self.altered |= operation.is_of_session();
        match operation {
            Operation::OpenSubagent => Ok(Prepared::Nothing),
            _ => self.body_of(at, operation).map(Prepared::Command),
        }
    }

    fn body_of(&self, at: usize, operation: &Operation) -> Result<CommandBody, AskError> {
        let task = |id: &TaskId| {
            let native = self.normalizer.task_of(self.seats[at].thread(), id).map(str::to_owned);
            let gone = || AskError::Fault(fault(FaultKind::NotFound, format!("{id} is no task that goes on")));
            native.ok_or_else(gone)
        };
        Ok(match operation.clone() {
            Operation::ListSettings => CommandBody::ListSettings,
            Operation::ListFolders => CommandBody::ListFolders,
            Operation::ListThreads(list) => CommandBody::ListThreads(list),
            Operation::ReadStored(_, read) => CommandBody::ReadThread(read),
            Operation::ByName(name, _) => CommandBody::Other(Other { name: name.into(), json: "{}".into() }),
            Operation::SetMcpServers(servers) => CommandBody::SetMcpServers(self.outlet.secrets().marked(servers)),
            Operation::RegisterTools(tools) => CommandBody::RegisterTools(tools),
            Operation::Compact(keep) => CommandBody::CompactThread(keep),
            Operation::Clear => CommandBody::ClearThread,
            Operation::Fork(Copying { what: ForkPoint::Subagent, subagent: None, .. }) | Operation::OpenSubagent => {
                let text = "the provider gave this subagent no thread of its own".to_owned();
                return Err(AskError::Fault(fault(FaultKind::NotFound, text)));
            }
            Operation::Fork(copying) => CommandBody::ForkThread(copying.point),
            Operation::Rollback(point) => CommandBody::RollbackThread(point),
            Operation::Read(page) => CommandBody::ReadThread(page),
            Operation::Summarize(how) => CommandBody::Summarize(how),
            Operation::StopTask(id) => CommandBody::StopTask(task(&id)?),
            Operation::WaitForTask(id) => CommandBody::WaitTask(task(&id)?),
        })
    }

    /// After going back, what the provider still knows is read again.
    fn rereads(&self) -> bool {
        matches!(self.decides(Intent::Rollback), Decision::Degraded { strategy: Strategy::RollbackAndReread, .. })
    }

    /// The plugin's answer: what it changes here is kept before the caller hears of it.
    pub(super) async fn operated(
        &mut self,
        at: usize,
        operation: Operation,
        done: Reply1<Outcome>,
        outcome: Result<OpValue, Fault>,
    ) {
        if let Ok(value) = &outcome {
            self.doubt_operated(at, &operation, value).await;
            match (&operation, value) {
                (Operation::ListSettings, OpValue::Settings(settings)) => {
                    let cause = Cause { frame: None, at_ms: crate::clock::now_ms() };
                    let scope = self.scope_in(at);
                    let event = Event { scope, body: Told::Settings(settings.clone()) };
                    let told = self.normalizer.accept(cause, event);
                    self.emit(told).await;
                }
                (Operation::RegisterTools(tools), OpValue::Applied(Applies::Now | Applies::NextTurn)) => {
                    self.tools.know(tools)
                }
                // Ours by the command, whatever its id.
                (Operation::Clear | Operation::Rollback(_), OpValue::Thread(thread)) => {
                    self.seats[at].native = Some(thread.id.clone());
                    self.remember_thread(at, thread).await;
                    let bound = self.normalizer.bind_thread(&thread.id, self.seats[at].thread().clone());
                    self.emit(bound).await;
                }
                _ => {}
            }
        }
        if operation.replays() {
            let told = self.normalizer.end_replay(&self.seats[at].thread().clone());
            self.emit(told).await;
        }
        let reread = matches!(operation, Operation::Rollback(_)) && self.rereads();
        let outcome = outcome.map(|value| match (operation, value) {
            (Operation::Fork(copying), OpValue::Thread(copy)) => Outcome::Copied(copy, copying.what),
            _ if reread => Outcome::Instead(Strategy::RollbackAndReread),
            (_, value) => Outcome::Done(value),
        });
        let _ = done.send(outcome.map_err(AskError::Fault));
    }
}
