//! Which thread, turn and parent an event belongs to.
//!
//! **Nothing is lost for want of a place:** what names a thread that is not known yet is held, bounded; what comes after a
//! turn's end joins it inside the drain window, or opens a turn of the provider's own; it is never given to the next prompt.

use super::item::Kind;
use super::report::{How, Where};
use super::thread::{Slot, ThreadState};
use super::{Normalizer, clean};
use crate::capability::Strength;
use crate::contract::{self, EventBody as Told, Status, ToolKind};
use crate::event::{Correlation, EventBody};
use crate::id::{ItemId, ThreadId};
use crate::policy::Intent;

/// Where an event says it belongs, as far as it is known.
#[derive(Debug, Clone, Default)]
pub(super) struct Spot {
    pub thread: usize,
    /// The provider's id of a subagent's own thread.
    pub child: Option<String>,
    pub turn: Option<String>,
    pub parent: Option<String>,
    pub replayed: bool,
}

impl Spot {
    /// True for what happened inside a subagent.
    pub fn is_nested(&self) -> bool {
        self.child.is_some() || self.parent.is_some()
    }

    /// The native id as it is unique in our thread: a subagent's own thread has its own ids.
    pub fn native(&self, id: &str) -> String {
        match &self.child {
            Some(child) => format!("{child}/{id}"),
            None => id.to_owned(),
        }
    }
}

/// True when an event is about the provider's thread of this id.
pub(super) fn names(event: &contract::Event, native: &str) -> bool {
    match event.scope.as_ref().and_then(|scope| scope.thread.as_deref()) {
        Some(thread) => thread == native,
        None => matches!(&event.body, Told::Threads(threads) if threads.iter().any(|thread| thread.id == native)),
    }
}

impl Normalizer {
    /// The place of an event; `None` when its thread has to be waited for.
    pub(super) fn locate(&mut self, event: &contract::Event) -> Option<Spot> {
        let thread = self.spoken_of(event).unwrap_or_else(|| self.primary());
        let Some(scope) = &event.scope else {
            return (!self.waits_for_thread(event)).then(|| Spot { thread, ..Spot::default() });
        };
        let mut spot = Spot {
            thread,
            turn: scope.turn.clone(),
            parent: scope.parent.clone(),
            replayed: scope.replayed,
            ..Spot::default()
        };
        if self.strength(Intent::IdentifyTurn) == Strength::None {
            // A turn's name that the provider made up does not say which turn it is.
            spot.turn = None;
        }
        let Some(native) = &scope.thread else { return (!self.waits_for_thread(event)).then_some(spot) };
        if let Some(thread) = self.thread_of_native(native) {
            spot.thread = thread;
        } else if let Some(thread) = self.owner_of_child(native) {
            (spot.thread, spot.child, spot.turn) = (thread, Some(native.clone()), None);
        } else if matches!(event.body, Told::Threads(_)) {
            // It names its threads itself.
        } else if let Some(only) = self.only().filter(|only| self.may_be(*only)) {
            self.threads[only].native = Some(native.clone());
        } else if self.serves_many() || self.only().is_none() {
            return None;
        } else if self.strength(Intent::IdentifyThread) == Strength::None {
            self.tally("thread-of-no-name");
        } else {
            self.warn(
                thread,
                "unknown-thread",
                format!("events of thread {native:?}, which was never announced; shown in the session's only thread"),
            );
        }
        Some(spot)
    }

    /// A thread without a name may be the one that is named for the first time: in a session of one thread, or once it has begun.
    pub(super) fn may_be(&self, only: usize) -> bool {
        self.threads[only].native.is_none() && (!self.serves_many() || !self.threads[only].runs.is_empty())
    }

    /// One that is not known is announced while several are served: it is the one that is being opened, or nobody's.
    fn waits_for_thread(&self, event: &contract::Event) -> bool {
        let Told::Threads(threads) = &event.body else { return false };
        let unknown = |thread: &contract::Thread| {
            let known = |native: &str| self.thread_of_native(native).or_else(|| self.owner_of_child(native)).is_some();
            let follows = thread.parent.iter().chain(&thread.replaces).any(|native| known(native));
            !known(&thread.id) && !follows
        };
        self.only().is_none() && !threads.is_empty() && threads.iter().all(unknown)
    }

    pub(super) fn serves_many(&self) -> bool {
        self.handling.native(Intent::ShareSession)
    }

    pub(super) fn thread_of_native(&self, native: &str) -> Option<usize> {
        self.threads.iter().position(|thread| thread.native.as_deref() == Some(native))
    }

    pub(super) fn thread_index(&self, id: &ThreadId) -> Option<usize> {
        self.threads.iter().position(|thread| thread.id == *id)
    }

    /// The thread whose subagent works in this one.
    pub(super) fn owner_of_child(&self, native: &str) -> Option<usize> {
        if let Some((_, owner)) = self.children.iter().find(|(child, _)| child == native) {
            return Some(*owner);
        }
        self.threads.iter().position(|thread| {
            let mut tasks = thread.tasks.iter().chain(&thread.ended_tasks);
            tasks.any(|task| task.task.native_thread.as_deref() == Some(native))
        })
    }

    /// The turn that an item or a piece of text goes to, opened if need be, and the item it is inside of.
    pub(super) fn settle(&mut self, spot: &Spot) -> (Slot, Option<ItemId>) {
        if spot.replayed {
            let slot = self.history(spot.thread);
            let parent = spot.parent.as_ref().and_then(|native| self.known_tool(spot.thread, slot, native));
            return (slot, parent);
        }
        if !spot.is_nested() {
            return (self.turn_for(spot), None);
        }
        match self.find_parent(spot) {
            Some((slot, parent)) => (slot, Some(parent)),
            None => {
                let slot = self.turn_for(spot);
                (slot, Some(self.make_parent(spot, slot)))
            }
        }
    }

    fn known_tool(&self, thread: usize, slot: Slot, native: &str) -> Option<ItemId> {
        self.threads[thread].turn(slot)?.known.get(&(Kind::Tool, native.to_owned())).cloned()
    }

    fn find_parent(&mut self, spot: &Spot) -> Option<(Slot, ItemId)> {
        let state = &self.threads[spot.thread];
        let tool = spot.parent.as_ref().map(|parent| spot.native(parent));
        if let Some(tool) = &tool {
            for slot in state.live_slots() {
                if let Some(id) = self.known_tool(spot.thread, slot, tool) {
                    return Some((slot, id));
                }
            }
        }
        let mut tasks = state.tasks.iter().rev().chain(state.ended_tasks.iter().rev());
        let task = tasks.find(|task| match &spot.parent {
            Some(parent) => task.native == *parent,
            None => task.task.native_thread == spot.child,
        })?;
        let slot = task.turn.as_ref().and_then(|turn| state.slot_of(turn))?;
        Some((slot, task.task.item.clone()?))
    }

    /// A subagent's words must not look like the main thread's: what they are inside of is made when nobody told it.
    fn make_parent(&mut self, spot: &Spot, slot: Slot) -> ItemId {
        let native = match (&spot.parent, &spot.child) {
            (Some(parent), _) => spot.native(parent),
            (None, Some(child)) => child.clone(),
            (None, None) => String::new(),
        };
        if let Some(id) = self.known_tool(spot.thread, slot, &native) {
            return id;
        }
        let (kind, first) = (Kind::Tool, Status::Running);
        let at = self.open_item(spot.thread, slot, kind, first, Some(native.clone()), None, How::MADE, |open| {
            if let crate::event::ItemBody::Tool { tool, .. } = open.item.rest().body {
                tool.kind = ToolKind::Delegate;
            }
        });
        let id = at.map(|at| self.threads[spot.thread].turn(slot).map(|turn| turn.open[at].item.id.clone()));
        let id = id.flatten().unwrap_or_else(|| ItemId::from_digits("0"));
        for task in &mut self.threads[spot.thread].tasks {
            let is_it = Some(&task.native) == spot.parent.as_ref()
                || (spot.child.is_some() && task.task.native_thread == spot.child);
            if is_it && task.task.item.is_none() {
                *task.task.rest().item = Some(id.clone());
            }
        }
        id
    }

    fn turn_for(&mut self, spot: &Spot) -> Slot {
        let t = spot.thread;
        let state = &self.threads[t];
        if let Some(native) = &spot.turn {
            if state.open.as_ref().is_some_and(|open| open.native.as_ref() == Some(native)) {
                return Slot::Open;
            }
            if let Some(at) = state.ended.iter().rposition(|turn| turn.native.as_ref() == Some(native)) {
                return Slot::Ended(at);
            }
        }
        match (&mut self.threads[t].open, &spot.turn) {
            (Some(open), Some(native)) if open.native.is_none() => open.native = Some(native.clone()),
            (Some(_), Some(native)) => {
                let text = format!("an event of turn {native:?} while another is open; shown in the open one");
                self.warn(t, "foreign-turn", text);
            }
            (Some(_), None) => {}
            (None, native) => {
                if native.is_none() && self.is_late(t) {
                    return Slot::Ended(self.threads[t].ended.len() - 1);
                }
                self.start_turn(
                    t,
                    spot.turn.clone(),
                    None,
                    None,
                    How { correlation: Some(Correlation::Inferred), ..How::MADE },
                );
            }
        }
        Slot::Open
    }

    /// True when something without a turn still belongs to the one that has just ended.
    fn is_late(&self, t: usize) -> bool {
        let state = &self.threads[t];
        let told_by_start = state.waiting_run().is_none() || self.handling.native(Intent::StartTurn);
        let last = state.ended.back().and_then(|turn| turn.ended_at());
        last.is_some_and(|ended| told_by_start && self.now.saturating_sub(ended) <= self.limits.drain_ms)
    }

    /// Where an event that opens nothing belongs.
    pub(super) fn here(&self, spot: &Spot) -> Where {
        let state = &self.threads[spot.thread];
        if spot.replayed {
            return Where::default();
        }
        let named = spot.turn.as_ref().and_then(|native| {
            let mut turns = state.open.iter().chain(state.ended.iter().rev());
            turns.find(|turn| turn.native.as_ref() == Some(native))
        });
        match named.or(state.open.as_ref()) {
            Some(turn) => Where { run: turn.run.clone(), turn: Some(turn.id.clone()), parent: self.parent_here(spot) },
            None => Where { run: None, turn: None, parent: self.parent_here(spot) },
        }
    }

    fn parent_here(&self, spot: &Spot) -> Option<ItemId> {
        let native = spot.native(spot.parent.as_ref()?);
        self.threads[spot.thread].live_slots().into_iter().find_map(|slot| self.known_tool(spot.thread, slot, &native))
    }

    /// The provider's threads, as they appear and change.
    pub(super) fn threads_told(&mut self, threads: Vec<contract::Thread>) {
        for mut told in threads {
            clean::maybe(&mut told.title, &self.limits);
            let t = self.thread_told(&told);
            let parent_native_id =
                if self.threads[t].native.as_deref() == Some(&told.id) { None } else { told.parent.clone() };
            // A subagent's thread that can't be addressed is not shown as one.
            if parent_native_id.is_some() && !self.handling.native(Intent::OpenSubagent) {
                self.degrade(t, Intent::OpenSubagent);
                continue;
            }
            let body = EventBody::ThreadUpdated {
                native_id: told.id,
                state: told.state,
                title: told.title,
                parent_native_id,
                resumable: told.cursor.is_some(),
            };
            let correlation = Some(self.strength(Intent::IdentifyThread).into());
            self.emit(t, Where::default(), How { correlation, ..How::TOLD }, body);
        }
    }

    fn thread_told(&mut self, told: &contract::Thread) -> usize {
        if let Some(t) = self.thread_of_native(&told.id).or_else(|| self.owner_of_child(&told.id)) {
            return t;
        }
        if let Some(t) = told.replaces.as_ref().and_then(|old| self.thread_of_native(old)) {
            self.threads[t].native = Some(told.id.clone());
            return t;
        }
        if let Some(parent) = &told.parent {
            let primary = self.primary();
            let owner = self.thread_of_native(parent).or_else(|| self.owner_of_child(parent)).unwrap_or(primary);
            if (self.children.len() as u64) < self.limits.open_items {
                self.children.push((told.id.clone(), owner));
            }
            return owner;
        }
        let t = self.primary();
        if self.threads[t].native.is_some() && !self.serves_many() {
            self.warn(
                t,
                "thread-renamed",
                format!(
                    "thread {:?} appeared in a session of one thread and did not say which one it replaces",
                    told.id
                ),
            );
        }
        if self.only().is_some() && (self.threads[t].native.is_none() || !self.serves_many()) {
            self.threads[t].native = Some(told.id.clone());
        }
        t
    }

    /// The thread of ours with this id, known from now on.
    pub(super) fn thread_or_new(&mut self, id: &ThreadId) -> usize {
        self.thread_index(id).unwrap_or_else(|| {
            self.threads.push(ThreadState::new(id.clone()));
            self.threads.len() - 1
        })
    }
}
