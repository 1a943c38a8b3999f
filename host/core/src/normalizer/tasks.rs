//! Subagents and background work. **What goes on after its turn is on the roster until its own end or the session's.**

use super::item::Kind;
use super::report::{How, Where};
use super::route::Spot;
use super::thread::{Slot, TaskState, status_at_end};
use super::{Normalizer, clean};
use crate::capability::Strength;
use crate::contract::{self, Status, TaskKind};
use crate::event::{Correlation, EventBody, Task, is_terminal};
use crate::id::{ItemId, TaskId, TurnId};
use crate::identity::{Mark, TurnKey};
use crate::lifecycle::Kept;
use crate::policy::Intent;

/// What may happen outside of turns, too.
#[derive(Debug, Clone, Copy)]
pub(super) enum Loose {
    Task,
    Request,
}

impl Loose {
    fn in_turn(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Request => "request",
        }
    }

    fn after_turn(self) -> &'static str {
        match self {
            Self::Task => "task/after",
            Self::Request => "request/after",
        }
    }
}

impl Normalizer {
    pub(super) fn tasks_told(&mut self, spot: &Spot, tasks: Vec<contract::Task>) {
        if spot.replayed {
            return self.tally("task-told-again");
        }
        for mut told in tasks {
            clean::maybe(&mut told.title, &self.limits);
            clean::maybe(&mut told.summary, &self.limits);
            self.task_told(spot, told);
        }
    }

    fn task_told(&mut self, spot: &Spot, told: contract::Task) {
        let t = spot.thread;
        let item = told.item.as_ref().and_then(|id| self.tool_item(t, &spot.native(id)));
        if let Some(at) = self.threads[t].tasks.iter().position(|task| task.native == told.id) {
            return self.update_task(t, at, told, item);
        }
        let before = self.threads[t].ended_tasks.iter().rposition(|task| task.native == told.id);
        if let (Some(at), true) = (before, is_terminal(told.status)) {
            let Some(mut task) = self.threads[t].ended_tasks.remove(at) else { return };
            if !task.inferred_end || told.status == Status::Unknown {
                return self.outcome_told(t, at, task, told.summary);
            }
            task.inferred_end = false;
            self.threads[t].tasks.push(task);
            let at = self.threads[t].tasks.len() - 1;
            return self.update_task(t, at, told, item);
        }
        if self.threads[t].tasks.len() as u64 >= self.limits.open_items {
            return self.warn(
                t,
                "open-tasks",
                format!("more than open_items ({}) tasks are open; this one is not shown", self.limits.open_items),
            );
        }
        let at = self.new_task(spot, &told.id, told.kind, item.clone());
        self.update_task(t, at, told, item);
    }

    /// The end was told before; what came of it may still be said. The status stays.
    fn outcome_told(&mut self, t: usize, at: usize, mut task: TaskState, summary: Option<String>) {
        let news = summary.is_some() && summary != task.task.summary;
        let known = task.task.rest().summary;
        *known = summary.or(known.take());
        let place = Where { run: task.run.clone(), turn: task.turn.clone(), parent: task.parent.clone() };
        let shown = (*task.task).clone();
        self.threads[t].ended_tasks.insert(at, task);
        match news {
            true => self.emit(t, place, How::TOLD, EventBody::TaskUpdated { task: shown }),
            false => self.tally("ended-task-told"),
        }
    }

    fn new_task(&mut self, spot: &Spot, native: &str, kind: TaskKind, item: Option<ItemId>) -> usize {
        let t = spot.thread;
        let place = self.here(spot);
        let id = TaskId::from_digits(&self.mint_here(t, Loose::Task, native, Strength::Strong).0);
        let task = Kept::begin(Task {
            id,
            kind,
            status: Status::Running,
            title: None,
            item,
            native_thread: None,
            background: false,
            summary: None,
        });
        let state = TaskState {
            task,
            native: native.to_owned(),
            run: place.run,
            turn: place.turn,
            parent: place.parent,
            inferred_end: false,
            told_end: None,
        };
        self.threads[t].tasks.push(state);
        self.threads[t].tasks.len() - 1
    }

    /// Digits in the open turn, or after the last one.
    pub(super) fn mint_here(
        &mut self,
        t: usize,
        kind: Loose,
        native: &str,
        strength: Strength,
    ) -> (String, Correlation) {
        let state = &mut self.threads[t];
        let after = TurnKey::Number(state.turns);
        let (key, marks, kind) = match &mut state.open {
            Some(turn) => (turn.key.clone(), &mut turn.marks, kind.in_turn()),
            None => (after, &mut state.loose, kind.after_turn()),
        };
        let mark = match (strength, marks.occurrence(kind, native)) {
            (Strength::Strong, 1) => Mark::Strong(native),
            (Strength::Strong | Strength::Weak, occurrence) => Mark::Weak(native, occurrence),
            (Strength::None, _) => Mark::Ordinal(marks.ordinal(kind)),
        };
        (self.scope.mint(&state.id, &key, kind, &mark), mark.correlation())
    }

    fn update_task(&mut self, t: usize, at: usize, told: contract::Task, item: Option<ItemId>) {
        let task = self.threads[t].tasks[at].task.rest();
        if told.kind != TaskKind::Unknown {
            *task.kind = told.kind;
        }
        *task.item = item.or(task.item.take());
        *task.title = told.title.or(task.title.take());
        *task.summary = told.summary.or(task.summary.take());
        *task.native_thread = told.thread.or(task.native_thread.take());
        *task.background |= told.background;
        if is_terminal(told.status) && !self.ends_with_its_turn(t, at) {
            return self.end_task(t, at, told.status, false, How::TOLD);
        }
        let state = &mut self.threads[t].tasks[at];
        match is_terminal(told.status) {
            true => state.told_end = Some(told.status),
            false => _ = state.task.step(told.status),
        }
        self.show_task(t, at, How::TOLD);
    }

    /// Where the word that a subagent has ended is not relied on, it ends with its turn.
    fn ends_with_its_turn(&mut self, t: usize, at: usize) -> bool {
        let state = &self.threads[t].tasks[at];
        let open = self.threads[t].open.as_ref().map(|turn| &turn.id);
        let of_open_turn = state.turn.is_some() && state.turn.as_ref() == open && !state.task.background;
        let waits =
            state.task.kind == TaskKind::Subagent && of_open_turn && !self.handling.native(Intent::FollowSubagents);
        if waits {
            self.tally(Intent::FollowSubagents.name());
        }
        waits
    }

    fn show_task(&mut self, t: usize, at: usize, how: How) {
        let state = &self.threads[t].tasks[at];
        let place = Where { run: state.run.clone(), turn: state.turn.clone(), parent: state.parent.clone() };
        let mut task = (*state.task).clone();
        if task.native_thread.is_some() && !self.handling.native(Intent::OpenSubagent) {
            task.native_thread = None;
            self.degrade(t, Intent::OpenSubagent);
        }
        self.emit(t, place, how, EventBody::TaskUpdated { task });
    }

    /// What is inside of a task ends with it.
    fn end_task(&mut self, t: usize, at: usize, status: Status, inferred: bool, how: How) {
        let told = self.threads[t].tasks[at].told_end.take();
        let (status, inferred) = (told.unwrap_or(status), inferred && told.is_none());
        self.threads[t].tasks[at].task.step(status);
        self.threads[t].tasks[at].inferred_end = inferred;
        let item = self.threads[t].tasks[at].task.item.clone();
        let turn = self.threads[t].tasks[at].turn.clone();
        if let (Some(item), Some(slot)) = (&item, turn.and_then(|turn| self.threads[t].slot_of(&turn))) {
            self.close_children(t, slot, item, status);
        }
        self.show_task(t, at, how);
        let state = &mut self.threads[t];
        let task = state.tasks.remove(at);
        if state.ended_tasks.len() as u64 >= self.limits.ended_kept {
            state.ended_tasks.pop_front();
        }
        state.ended_tasks.push_back(task);
        self.close_carried(t, item.as_ref(), status);
    }

    /// The item that a task kept open beyond its turn closes with the task.
    fn close_carried(&mut self, t: usize, item: Option<&ItemId>, status: Status) {
        let Some(item) = item else { return };
        for slot in self.threads[t].live_slots() {
            let Slot::Ended(_) = slot else { continue };
            let Some(turn) = self.threads[t].turn(slot) else { continue };
            if let Some(open) = turn.open.iter().position(|open| open.item.id == *item) {
                let status = if status == Status::Completed { status } else { status_at_end(Kind::Tool, status) };
                self.end_item(t, slot, open, status, How::MADE);
            }
        }
    }

    fn tool_item(&self, t: usize, native: &str) -> Option<ItemId> {
        let state = &self.threads[t];
        state
            .live_slots()
            .into_iter()
            .find_map(|slot| state.turn(slot)?.known.get(&(Kind::Tool, native.to_owned())).cloned())
    }

    /// All that runs in the background, whole.
    pub(super) fn roster_told(&mut self, spot: &Spot, ids: Vec<String>) {
        let t = spot.thread;
        if spot.replayed {
            return self.tally("task-told-again");
        }
        while let Some(at) =
            self.threads[t].tasks.iter().position(|task| task.task.background && !ids.contains(&task.native))
        {
            self.end_task(t, at, Status::Unknown, true, How::MADE);
        }
        for id in ids {
            let known = self.threads[t].tasks.iter().position(|task| task.native == id);
            let room = (self.threads[t].tasks.len() as u64) < self.limits.open_items;
            let at = match known {
                Some(at) => at,
                None if room => self.new_task(spot, &id, TaskKind::Unknown, None),
                None => return self.tally("open-tasks"),
            };
            if !self.threads[t].tasks[at].task.background {
                *self.threads[t].tasks[at].task.rest().background = true;
                self.show_task(t, at, How::TOLD);
            }
        }
    }

    /// Background work of the turn goes to the roster, the rest ends; true when something goes on.
    pub(super) fn tasks_at_turn_end(&mut self, t: usize, turn: &TurnId, status: Status, goes_on: bool) -> bool {
        let of_turn = |task: &TaskState| task.turn.as_ref() == Some(turn);
        if goes_on {
            for at in 0..self.threads[t].tasks.len() {
                let task = &mut self.threads[t].tasks[at];
                if of_turn(task) && !task.task.background {
                    *task.task.rest().background = true;
                    self.show_task(t, at, How::MADE);
                }
            }
        }
        let left = if status == Status::Interrupted { Status::Interrupted } else { Status::Unknown };
        while let Some(at) = self.threads[t].tasks.iter().position(|task| of_turn(task) && !task.task.background) {
            self.end_task(t, at, left, true, How::MADE);
        }
        goes_on || self.threads[t].tasks.iter().any(of_turn)
    }

    pub(super) fn tasks_at_session_end(&mut self, t: usize) {
        while !self.threads[t].tasks.is_empty() {
            self.end_task(t, 0, Status::Unknown, false, How::MADE);
        }
    }
}
