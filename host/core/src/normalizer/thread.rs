//! What is kept of a thread and its turns. Holds, finds and numbers; says nothing to anybody.

use super::ended::Ended;
use super::history::Recall;
use super::item::{Kind, OpenItem};
use super::plan::PlanState;
use super::record::hash_of;
use crate::contract::{Fault, Status};
use crate::event::{RunStatus, Task};
use crate::id::{ItemId, RunId, ThreadId, TurnId};
use crate::identity::TurnKey;
use crate::ledger::Page;
use crate::lifecycle::{self, AttemptStatus, Kept, State};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// A thread of ours in this session.
#[derive(Debug)]
pub(super) struct ThreadState {
    pub id: ThreadId,
    /// Its part in the session is over.
    pub over: bool,
    /// How many others were begun in the session before it.
    pub begun: u32,
    /// The provider's id of it, once known.
    pub native: Option<String>,
    pub open: Option<TurnState>,
    /// Turns that have ended and still matter: the last one, and those with work in the background. Newest last.
    pub ended: VecDeque<TurnState>,
    /// History that is being told again.
    pub history: Option<TurnState>,
    pub recall: Recall,
    /// Runs that have begun and not ended, in order.
    pub runs: Vec<RunState>,
    /// Messages that were handed over while a turn was open, the last ones; newest last.
    pub handed: VecDeque<HandedState>,
    pub turns: u32,
    /// Turns of the sessions before this one: a thread counts on.
    pub turns_before: u32,
    /// Hashes of the native ids of all turns so far: an id that is used again makes another turn.
    pub turn_ids: HashSet<u64>,
    pub told: u32,
    /// Marks of what belongs to no turn; begun anew with each turn.
    pub loose: Marks,
    pub tasks: Vec<TaskState>,
    /// Tasks that ended lately, newest last.
    pub ended_tasks: VecDeque<TaskState>,
}

/// A turn.
#[derive(Debug)]
pub(super) struct TurnState {
    pub id: TurnId,
    pub key: TurnKey,
    /// Its page in the ledger; history has none.
    pub page: Option<Page>,
    pub native: Option<String>,
    pub op: Option<u32>,
    pub run: Option<RunId>,
    pub ordinals: u32,
    pub marks: Marks,
    pub open: Vec<OpenItem>,
    pub known: HashMap<(Kind, String), ItemId>,
    /// Messages that we closed before the provider told them whole: kind, parent, digest of the words.
    pub unconfirmed: Vec<Unconfirmed>,
    /// What has ended, oldest first: by these what is only told again is known.
    pub done: VecDeque<Ended>,
    pub plan: Option<PlanState>,
    /// A tool was called in it.
    pub acted: bool,
    state: State<lifecycle::Turn>,
    ended_at: Option<u64>,
}

/// A message that was streamed and closed by us, and may still be told whole, once.
#[derive(Debug)]
pub(super) struct Unconfirmed {
    pub kind: Kind,
    pub native: Option<String>,
    pub parent: Option<ItemId>,
    pub words: String,
}

/// A run that has begun.
#[derive(Debug)]
pub(super) struct RunState {
    pub id: RunId,
    pub op: u32,
    pub words: String,
    /// Our own interrupt was sent.
    pub interrupted: bool,
    pub echoed: bool,
    pub echo: Option<String>,
    pub ordinals: u32,
    /// It met a missing login and waits for it: why it fails if none comes.
    pub held: Option<Fault>,
    /// The provider's word about the end that it waits at.
    pub held_reason: Option<String>,
    attempts: u32,
    state: State<lifecycle::Run>,
    attempt: State<lifecycle::Attempt>,
}

/// A message that was handed over while a turn was open.
#[derive(Debug)]
pub(super) struct HandedState {
    pub run: RunId,
    pub op: u32,
    pub words: String,
    pub echoed: bool,
}

/// A subagent or background work.
#[derive(Debug, Clone)]
pub(super) struct TaskState {
    pub task: Kept<Task>,
    pub native: String,
    pub run: Option<RunId>,
    pub turn: Option<TurnId>,
    pub parent: Option<ItemId>,
    /// The host took it for ended; the provider may still say how.
    pub inferred_end: bool,
    /// How the provider said that it ended, where that word is not relied on: it ends with its turn.
    pub told_end: Option<Status>,
}

/// How often ids were seen and kinds were numbered in one scope.
#[derive(Debug, Default)]
pub(super) struct Marks {
    seen: HashMap<(&'static str, String), u32>,
    ordinals: BTreeMap<&'static str, u32>,
}

impl Marks {
    /// One more of this id: which it is, from 1.
    pub fn occurrence(&mut self, kind: &'static str, id: &str) -> u32 {
        let count = self.seen.entry((kind, id.to_owned())).or_default();
        *count += 1;
        *count
    }

    /// One more of this kind: which it is, from 1.
    pub fn ordinal(&mut self, kind: &'static str) -> u32 {
        let count = self.ordinals.entry(kind).or_default();
        *count += 1;
        *count
    }
}

/// A turn of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// The open one.
    Open,
    /// One that has ended.
    Ended(usize),
    /// History told again.
    History,
}

impl ThreadState {
    pub fn new(id: ThreadId) -> Self {
        Self {
            id,
            over: false,
            begun: 0,
            native: None,
            open: None,
            ended: VecDeque::new(),
            history: None,
            recall: Recall::default(),
            runs: Vec::new(),
            handed: VecDeque::new(),
            turns: 0,
            turns_before: 0,
            turn_ids: HashSet::new(),
            told: 0,
            loose: Marks::default(),
            tasks: Vec::new(),
            ended_tasks: VecDeque::new(),
        }
    }

    pub fn turn(&self, slot: Slot) -> Option<&TurnState> {
        match slot {
            Slot::Open => self.open.as_ref(),
            Slot::Ended(at) => self.ended.get(at),
            Slot::History => self.history.as_ref(),
        }
    }

    pub fn turn_mut(&mut self, slot: Slot) -> Option<&mut TurnState> {
        match slot {
            Slot::Open => self.open.as_mut(),
            Slot::Ended(at) => self.ended.get_mut(at),
            Slot::History => self.history.as_mut(),
        }
    }

    /// The open turn, then those that have ended, newest first.
    pub fn live_slots(&self) -> Vec<Slot> {
        let open = self.open.is_some().then_some(Slot::Open);
        open.into_iter().chain((0..self.ended.len()).rev().map(Slot::Ended)).collect()
    }

    pub fn slot_of(&self, turn: &TurnId) -> Option<Slot> {
        self.live_slots().into_iter().find(|slot| self.turn(*slot).is_some_and(|known| known.id == *turn))
    }

    pub fn run(&self, id: &RunId) -> Option<&RunState> {
        self.runs.iter().find(|run| run.id == *id)
    }

    pub fn run_mut(&mut self, id: &RunId) -> Option<&mut RunState> {
        self.runs.iter_mut().find(|run| run.id == *id)
    }

    /// The first run that no turn was opened for.
    pub fn waiting_run(&self) -> Option<&RunState> {
        self.runs.iter().find(|run| !run.started())
    }

    /// True when this item belongs to work that goes on after its turn, itself or one it is inside of.
    pub fn is_background(&self, turn: &TurnState, item: &ItemId) -> bool {
        let is_its =
            |id: &ItemId| self.tasks.iter().any(|task| task.task.background && task.task.item.as_ref() == Some(id));
        if !self.tasks.iter().any(|task| task.task.background) {
            return false;
        }
        let above = turn.above();
        let mut at = Some(item);
        for _ in 0..=turn.open.len() {
            let Some(id) = at else { return false };
            if is_its(id) {
                return true;
            }
            at = above.get(id).copied();
        }
        false
    }

    /// True when no turn had this native id before.
    pub fn is_new_turn_id(&mut self, native: &str) -> bool {
        self.turn_ids.insert(hash_of(native))
    }

    /// True when a turn had it.
    pub fn knows_turn_id(&self, native: &str) -> bool {
        self.turn_ids.contains(&hash_of(native))
    }

    /// Forgets turns that nothing belongs to any more, but for the last.
    pub fn prune(&mut self) {
        let tasks = &self.tasks;
        let last = self.ended.back().map(|turn| turn.id.clone());
        self.ended.retain(|turn| {
            Some(&turn.id) == last.as_ref()
                || !turn.open.is_empty()
                || tasks.iter().any(|task| task.turn.as_ref() == Some(&turn.id))
        });
    }
}

impl RunState {
    /// The plugin has its message: it is starting, and so is an attempt at it.
    pub fn begins(id: RunId, op: u32, words: String) -> Self {
        let (attempt, mut state) = (State::default(), State::default());
        state.step(RunStatus::Starting);
        Self {
            id,
            op,
            words,
            interrupted: false,
            echoed: false,
            echo: None,
            ordinals: 0,
            held: None,
            held_reason: None,
            attempts: 1,
            state,
            attempt,
        }
    }

    /// Its message goes to the plugin once more, by this command: which attempt that is.
    pub fn tried_again(&mut self, op: u32) -> u32 {
        self.attempt.step(AttemptStatus::Over);
        (self.attempt, self.op) = (State::default(), op);
        (self.echoed, self.echo, self.held, self.held_reason) = (false, None, None, None);
        self.attempts += 1;
        self.attempts
    }

    /// Its status changes, if it may; true when it did.
    pub fn comes_to(&mut self, status: RunStatus) -> bool {
        self.state.step(status)
    }

    /// A turn is open for it.
    pub fn turn_opens(&mut self) {
        self.attempt.step(AttemptStatus::AtWork);
    }

    /// True once a turn was opened for it.
    pub fn started(&self) -> bool {
        self.attempt.is(AttemptStatus::AtWork)
    }

    /// How it has ended.
    pub fn ends(mut self, status: RunStatus) -> RunStatus {
        self.attempt.step(AttemptStatus::Over);
        self.state.step(status);
        self.state.get()
    }
}

impl TurnState {
    pub fn new(id: TurnId, key: TurnKey) -> Self {
        Self {
            id,
            key,
            page: None,
            native: None,
            op: None,
            run: None,
            ordinals: 0,
            marks: Marks::default(),
            open: Vec::new(),
            known: HashMap::new(),
            unconfirmed: Vec::new(),
            done: VecDeque::new(),
            plan: None,
            acted: false,
            state: State::default(),
            ended_at: None,
        }
    }

    /// How it has ended.
    pub fn ends(&mut self, status: Status, now: u64) -> Status {
        if self.state.step(status) {
            self.ended_at = Some(now);
        }
        self.state.get()
    }

    /// When it ended, in milliseconds since 1970.
    pub fn ended_at(&self) -> Option<u64> {
        self.ended_at
    }

    pub fn next_ordinal(&mut self) -> u32 {
        self.ordinals += 1;
        self.ordinals
    }

    /// The open items, children before what they are inside of, otherwise in order. Linear but for the sort: a provider may
    /// leave as many open as the bound allows, each inside of the one before.
    pub fn closing_order(&self) -> Vec<ItemId> {
        let above = self.above();
        let mut depths: HashMap<&ItemId, usize> = HashMap::new();
        for open in &self.open {
            let (mut chain, mut at) = (Vec::new(), Some(&open.item.id));
            while let Some(id) = at.filter(|id| !depths.contains_key(id) && chain.len() <= self.open.len()) {
                chain.push(id);
                at = above.get(id).copied();
            }
            let known = at.and_then(|id| depths.get(id)).map_or(0, |depth| depth + 1);
            depths.extend(chain.into_iter().rev().zip(known..));
        }
        let depth = |id: &ItemId| std::cmp::Reverse(depths.get(id).copied().unwrap_or_default());
        let mut order: Vec<_> =
            self.open.iter().map(|open| (depth(&open.item.id), open.item.ordinal, &open.item.id)).collect();
        order.sort();
        order.into_iter().map(|(_, _, id)| id.clone()).collect()
    }

    /// The open items inside of this one, and inside of those.
    pub fn inside(&self, outer: &ItemId) -> HashSet<ItemId> {
        let mut children: HashMap<&ItemId, Vec<&ItemId>> = HashMap::new();
        for open in &self.open {
            children.entry(open.parent.as_ref().unwrap_or(&open.item.id)).or_default().push(&open.item.id);
        }
        let (mut found, mut ahead) = (HashSet::new(), vec![outer]);
        while let Some(id) = ahead.pop() {
            let new = children.get(id).into_iter().flatten().filter(|child| *child != &id);
            ahead.extend(new.filter(|child| found.insert((**child).clone())));
        }
        found
    }

    /// The open item that each open item is inside of.
    pub fn above(&self) -> HashMap<&ItemId, &ItemId> {
        let open: HashSet<&ItemId> = self.open.iter().map(|open| &open.item.id).collect();
        let parents = self.open.iter().filter_map(|one| Some((&one.item.id, one.parent.as_ref()?)));
        parents.filter(|(_, parent)| open.contains(parent)).collect()
    }
}

/// How an item ends when its turn does. A tool without a result: nobody knows.
pub(super) fn status_at_end(kind: Kind, turn: Status) -> Status {
    match (turn, kind.is_message()) {
        (Status::Interrupted | Status::Cancelled, _) => Status::Interrupted,
        (Status::Completed, true) => Status::Completed,
        (Status::Failed, true) => Status::Failed,
        _ => Status::Unknown,
    }
}
