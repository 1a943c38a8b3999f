//! The state of one thread, folded from its session events.
//!
//! **The snapshot at N and the events after N give the snapshot at the end: folding knows nothing but the events.**
//! It decides nothing; an event that does not fit the state of what it names, by the tables of [`crate::lifecycle`], is left out and
//! counted. Tests: `tests/properties.rs` and `tests.rs` beside this file.

mod shown;
#[cfg(test)]
mod tests;

pub use shown::{Run, ShownItem, Turn};

use crate::capability::CapabilityView;
use crate::contract::{
    Account, ContextChange, FileDiff, McpState, Plan, Setting, SlashCommand, TextKind, ThreadState, Usage, UsageSpan,
};
use crate::event::{EventBody, Item, ItemBody, Request, RunStatus, SessionEvent, Task, is_terminal};
use crate::id::{ItemId, RequestId, RunId, SessionId, ThreadId, TurnId};
use crate::lifecycle::Kept;
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
    pub tasks: Vec<Kept<Task>>,
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
    /// Events that did not fit the state of what they name, and were left out. Not stored.
    #[serde(skip)]
    pub left_out: u64,
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
        self.tasks.iter().map(|task| &**task).filter(|task| task.background && !is_terminal(task.status))
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
                    let fits = self.run(run).fold(&draft.body);
                    self.count(fits);
                }
            }
            EventBody::TurnStarted { .. } | EventBody::TurnEnded { .. } => {
                if let Some(turn) = &draft.turn {
                    let fits = self.turn(turn, &draft.run).fold(&draft.body);
                    self.count(fits);
                }
            }
            EventBody::ThreadRolledBack { turns, runs, .. } => {
                self.turns.iter_mut().filter(|turn| turns.contains(&turn.id)).for_each(|turn| turn.rolled_back = true);
                for run in self.runs.iter_mut().filter(|run| runs.contains(&run.id)) {
                    self.left_out += u64::from(!run.comes_to(RunStatus::RolledBack));
                }
            }
            EventBody::ItemStarted { item } | EventBody::ItemUpdated { item } | EventBody::ItemEnded { item } => {
                self.put_item(event, item)
            }
            EventBody::ItemDelta { item, kind, text } => self.append(item, *kind, text),
            EventBody::RequestOpened { request } => put(&mut self.requests, request, |known| &known.id),
            EventBody::RequestResolved { request, .. } => self.resolve(request),
            EventBody::PlanUpdated { plan } => self.plan = Some(plan.clone()),
            EventBody::TaskUpdated { task } => self.put_task(task),
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

    fn turn(&mut self, id: &TurnId, run: &Option<RunId>) -> &mut Turn {
        let at = self.turns.iter().position(|turn| turn.id == *id).unwrap_or_else(|| {
            self.turns.push(Turn::new(id.clone(), run.clone()));
            self.turns.len() - 1
        });
        &mut self.turns[at]
    }

    fn count(&mut self, fits: bool) {
        self.left_out += u64::from(!fits);
    }

    fn put_item(&mut self, event: &SessionEvent, item: &Item) {
        if let Some(shown) = self.items.iter_mut().rev().find(|shown| shown.item.id == item.id) {
            let begins = matches!(event.draft.body, EventBody::ItemStarted { .. });
            let fits = match is_terminal(shown.item.status) {
                // History that is told once more begins once more.
                true if begins && shown.replayed => {
                    shown.item = Kept::begin(item.clone());
                    true
                }
                true => *shown.item == *item,
                false => shown.item.take(item.clone()),
            };
            return self.count(fits);
        }
        let draft = &event.draft;
        self.items.push(ShownItem {
            run: draft.run.clone(),
            turn: draft.turn.clone(),
            parent: draft.parent.clone(),
            correlation: draft.origin.correlation,
            replayed: draft.origin.replayed,
            item: Kept::found(item.clone()),
        });
    }

    fn append(&mut self, item: &ItemId, kind: TextKind, more: &str) {
        let shown = self.items.iter_mut().rev().find(|shown| shown.item.id == *item);
        let Some(shown) = shown.filter(|shown| !is_terminal(shown.item.status)) else { return self.count(false) };
        match (shown.item.rest().body, kind) {
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

    fn put_task(&mut self, told: &Task) {
        let fits = match self.tasks.iter_mut().find(|known| known.id == told.id) {
            Some(known) => known.take(told.clone()),
            None => {
                self.tasks.push(Kept::found(told.clone()));
                true
            }
        };
        self.count(fits);
    }

    /// What is here is open; what has ended is here no more.
    fn resolve(&mut self, id: &RequestId) {
        let before = self.requests.len();
        self.requests.retain(|request| request.id != *id);
        self.count(self.requests.len() < before);
    }
}

/// Replaces the one with the same key, or adds it.
fn put<T: Clone, K: PartialEq>(list: &mut Vec<T>, new: &T, key: impl Fn(&T) -> &K) {
    match list.iter_mut().find(|known| key(known) == key(new)) {
        Some(known) => *known = new.clone(),
        None => list.push(new.clone()),
    }
}
