//! The state of one thread, folded from its session events.
//!
//! **The snapshot at N and the events after N give the snapshot at the end: folding knows nothing but the events.**
//! It decides nothing, and an event that makes no sense is left out rather than a panic. Tests: `tests/properties.rs`.

use crate::capability::CapabilityView;
use crate::contract::{
    Account, Content, ContextChange, Fault, FileDiff, McpState, Plan, Setting, SlashCommand, Status, TextKind,
    ThreadState, Usage, UsageSpan,
};
use crate::event::{
    AttemptReason, Correlation, EventBody, Item, ItemBody, Request, RunStatus, SessionEvent, Task, is_terminal,
};
use crate::id::{AttemptId, ItemId, RequestId, RunId, SessionId, TaskId, ThreadId, TurnId};
use crate::ledger::LedgerCounts;
use serde::{Deserialize, Serialize};

/// All that a client needs to show a thread.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    /// Number of the last event in it; 0 for none.
    pub seq: u64,
    /// The thread.
    pub thread: Option<ThreadId>,
    /// The provider it talks to.
    pub provider: Option<String>,
    /// Its working folder.
    pub folder: Option<String>,
    /// Title for a person.
    pub title: Option<String>,
    /// The provider's own id of it.
    pub native_id: Option<String>,
    /// Whether it can take a message.
    pub state: Option<ThreadState>,
    /// True when there is a cursor to resume from.
    pub resumable: bool,
    /// The session at work.
    pub session: Option<SessionId>,
    /// What it can do.
    pub capabilities: Option<CapabilityView>,
    /// Runs, in order.
    pub runs: Vec<Run>,
    /// Turns, in order.
    pub turns: Vec<Turn>,
    /// Items, in the order in which they appeared.
    pub items: Vec<ShownItem>,
    /// Requests that wait for an answer.
    pub requests: Vec<Request>,
    /// The todo list.
    pub plan: Option<Plan>,
    /// Subagents and background work, in order.
    pub tasks: Vec<Task>,
    /// Settings and their values.
    pub settings: Vec<Setting>,
    /// Slash commands.
    pub commands: Vec<SlashCommand>,
    /// MCP servers.
    pub mcp: Vec<McpState>,
    /// The account.
    pub account: Option<Account>,
    /// The last usage told, one for each span.
    pub usage: Vec<Usage>,
    /// The last change of the provider's context.
    pub context: Option<ContextChange>,
    /// Files the open or last turn has changed.
    pub changes: Vec<FileDiff>,
    /// Runs that wait.
    pub queue: Vec<RunId>,
}

/// A run, as far as it is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The run.
    pub id: RunId,
    /// Its number in the thread; 0 while unknown.
    pub ordinal: u32,
    /// How far it has come.
    pub status: RunStatus,
    /// What the person sent.
    pub content: Vec<Content>,
    /// Its attempts, in order.
    pub attempts: Vec<(AttemptId, AttemptReason)>,
    /// The provider's own word about its end.
    pub reason: Option<String>,
    /// Why it failed.
    pub fault: Option<Fault>,
    /// True when background work of it goes on after its end.
    pub background: bool,
    /// The run whose turn its message joined.
    pub joined: Option<RunId>,
    /// The ledger at its end.
    pub ledger: Option<LedgerCounts>,
}

/// A turn, as far as it is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The turn.
    pub id: TurnId,
    /// Its number in the thread.
    pub ordinal: u32,
    /// The run it belongs to.
    pub run: Option<RunId>,
    /// How far it has come.
    pub status: Status,
    /// The provider's own word.
    pub reason: Option<String>,
    /// Why it failed.
    pub fault: Option<Fault>,
    /// The provider's own id of it.
    pub native_id: Option<String>,
    /// The provider's resume point after it.
    pub mark: Option<String>,
    /// The provider has forgotten it.
    pub rolled_back: bool,
}

/// An item and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownItem {
    /// The run it belongs to.
    pub run: Option<RunId>,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// The item inside which it happened.
    pub parent: Option<ItemId>,
    /// How sure its correlation is.
    pub correlation: Option<Correlation>,
    /// True for history told again.
    pub replayed: bool,
    /// The item.
    #[serde(flatten)]
    pub item: Item,
}

impl Snapshot {
    /// The snapshot after these events.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a SessionEvent>) -> Self {
        let mut snapshot = Self::default();
        events.into_iter().for_each(|event| snapshot.apply(event));
        snapshot
    }

    /// Tasks that go on in the background.
    pub fn roster(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(|task| task.background && !is_terminal(task.status))
    }

    /// Takes one event in. One that is not newer than the last is left out.
    pub fn apply(&mut self, event: &SessionEvent) {
        if event.seq <= self.seq {
            return;
        }
        self.seq = event.seq;
        self.thread.get_or_insert_with(|| event.thread.clone());
        self.fold(event);
    }

    fn fold(&mut self, event: &SessionEvent) {
        let draft = &event.draft;
        match &draft.body {
            EventBody::ThreadCreated { provider, folder } => {
                self.provider = Some(provider.clone());
                self.folder = Some(folder.clone());
            }
            EventBody::ThreadUpdated { native_id, state, title, parent_native_id, resumable }
                if parent_native_id.is_none() =>
            {
                self.native_id = Some(native_id.clone());
                self.state = Some(*state);
                self.resumable = *resumable || self.resumable;
                self.title = title.clone().or(self.title.take());
            }
            EventBody::SessionStarted { session, .. } => self.session = Some(session.clone()),
            EventBody::SessionEnded { .. } => self.session = None,
            EventBody::CapabilitiesUpdated { capabilities } => self.capabilities = Some(capabilities.clone()),
            EventBody::RunCreated { .. }
            | EventBody::RunUpdated { .. }
            | EventBody::RunEdited { .. }
            | EventBody::RunEnded { .. }
            | EventBody::AttemptStarted { .. } => {
                if let Some(run) = &draft.run {
                    self.run(run).fold(&draft.body);
                }
            }
            EventBody::TurnStarted { .. } | EventBody::TurnEnded { .. } => self.fold_turn(event),
            EventBody::ThreadRolledBack { turns, runs, .. } => {
                self.turns.iter_mut().filter(|turn| turns.contains(&turn.id)).for_each(|turn| turn.rolled_back = true);
                let taken_back = self.runs.iter_mut().filter(|run| runs.contains(&run.id));
                taken_back.for_each(|run| run.status = RunStatus::RolledBack);
            }
            EventBody::ItemStarted { item } | EventBody::ItemUpdated { item } | EventBody::ItemEnded { item } => {
                self.put_item(event, item)
            }
            EventBody::ItemDelta { item, kind, text } => self.append(item, *kind, text),
            EventBody::RequestOpened { request } => put(&mut self.requests, request, |known| &known.id),
            EventBody::RequestResolved { request, .. } => self.resolve(request),
            EventBody::PlanUpdated { plan } => self.plan = Some(plan.clone()),
            EventBody::TaskUpdated { task } => put(&mut self.tasks, task, |known: &Task| -> &TaskId { &known.id }),
            EventBody::UsageUpdated { usage } => {
                put(&mut self.usage, usage, |known: &Usage| -> &UsageSpan { &known.span })
            }
            EventBody::ContextChanged { change } => self.context = Some(change.clone()),
            EventBody::ChangesUpdated { changes } => self.changes = changes.clone(),
            EventBody::SettingsUpdated { settings } => self.settings = settings.clone(),
            EventBody::SlashCommandsUpdated { commands } => self.commands = commands.clone(),
            EventBody::McpUpdated { servers } => self.mcp = servers.clone(),
            EventBody::AccountUpdated { account } => self.account = Some(account.clone()),
            EventBody::QueueUpdated { runs } => self.queue = runs.clone(),
            EventBody::ThreadUpdated { .. }
            | EventBody::ThreadForked { .. }
            | EventBody::ThreadOpened { .. }
            | EventBody::CapabilityConflict { .. }
            | EventBody::CapabilityDemoted { .. }
            | EventBody::Retrying { .. }
            | EventBody::Note { .. }
            | EventBody::PolicyDecided { .. }
            | EventBody::EffectRefused { .. }
            | EventBody::InterruptStep { .. }
            | EventBody::Stalled { .. }
            | EventBody::Diagnostic { .. }
            | EventBody::Unknown { .. }
            | EventBody::Gap { .. } => {}
        }
    }

    fn run(&mut self, id: &RunId) -> &mut Run {
        let at = self.runs.iter().position(|run| run.id == *id).unwrap_or_else(|| {
            self.runs.push(Run::new(id.clone()));
            self.runs.len() - 1
        });
        &mut self.runs[at]
    }

    fn fold_turn(&mut self, event: &SessionEvent) {
        let Some(id) = &event.draft.turn else { return };
        let at = self.turns.iter().position(|turn| turn.id == *id).unwrap_or_else(|| {
            let run = event.draft.run.clone();
            self.turns.push(Turn {
                id: id.clone(),
                ordinal: 0,
                run,
                status: Status::Running,
                reason: None,
                fault: None,
                native_id: None,
                mark: None,
                rolled_back: false,
            });
            self.turns.len() - 1
        });
        let turn = &mut self.turns[at];
        match &event.draft.body {
            EventBody::TurnStarted { ordinal, .. } => turn.ordinal = *ordinal,
            EventBody::TurnEnded { status, reason, fault, native_id, mark } => {
                (turn.status, turn.reason, turn.fault) = (*status, reason.clone(), fault.clone());
                (turn.native_id, turn.mark) = (native_id.clone(), mark.clone());
            }
            _ => {}
        }
    }

    fn put_item(&mut self, event: &SessionEvent, item: &Item) {
        if let Some(shown) = self.items.iter_mut().rev().find(|shown| shown.item.id == item.id) {
            if !is_terminal(shown.item.status) || shown.replayed {
                shown.item = item.clone();
            }
            return;
        }
        let draft = &event.draft;
        self.items.push(ShownItem {
            run: draft.run.clone(),
            turn: draft.turn.clone(),
            parent: draft.parent.clone(),
            correlation: draft.origin.correlation,
            replayed: draft.origin.replayed,
            item: item.clone(),
        });
    }

    fn append(&mut self, item: &ItemId, kind: TextKind, more: &str) {
        let Some(shown) = self.items.iter_mut().rev().find(|shown| shown.item.id == *item) else { return };
        match (&mut shown.item.body, kind) {
            (ItemBody::Tool { input_text, .. }, TextKind::ToolInput) => input_text.push_str(more),
            (ItemBody::Tool { output, .. }, _) => output.push_str(more),
            (
                ItemBody::AssistantMessage { text, .. }
                | ItemBody::Reasoning { text }
                | ItemBody::ProposedPlan { text },
                _,
            ) => text.push_str(more),
            (ItemBody::UserMessage { .. } | ItemBody::Unknown { .. }, _) => {}
        }
    }

    fn resolve(&mut self, id: &RequestId) {
        self.requests.retain(|request| request.id != *id);
    }
}

impl Run {
    fn new(id: RunId) -> Self {
        Self {
            id,
            ordinal: 0,
            status: RunStatus::Queued,
            content: Vec::new(),
            attempts: Vec::new(),
            reason: None,
            fault: None,
            background: false,
            joined: None,
            ledger: None,
        }
    }

    fn fold(&mut self, body: &EventBody) {
        match body {
            EventBody::RunCreated { content, ordinal } => (self.content, self.ordinal) = (content.clone(), *ordinal),
            EventBody::RunUpdated { status } => self.status = *status,
            EventBody::AttemptStarted { attempt, reason } => self.attempts.push((attempt.clone(), *reason)),
            EventBody::RunEdited { content } => self.content = content.clone(),
            EventBody::RunEnded { status, reason, fault, background, joined, ledger } => {
                self.status = *status;
                self.joined = joined.clone();
                (self.reason, self.fault, self.background) = (reason.clone(), fault.clone(), *background);
                self.ledger = Some(ledger.clone());
            }
            _ => {}
        }
    }
}

/// Replaces the one with the same key, or adds it.
fn put<T: Clone, K: PartialEq>(list: &mut Vec<T>, new: &T, key: impl Fn(&T) -> &K) {
    match list.iter_mut().find(|known| key(known) == key(new)) {
        Some(known) => *known = new.clone(),
        None => list.push(new.clone()),
    }
}
