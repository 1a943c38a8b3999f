//! A thing that is told whole, its state in it. **It is read like what it is; its state changes by a step, the rest through
//! [`Kept::rest`], and all of it at once only by what may follow it.**

use super::{Item as ItemLife, Lifecycle, State, Step, Task as TaskLife};
use crate::contract::{Pairs, PlanStep, Status, TaskKind};
use crate::event::{Item, ItemBody, Task};
use crate::id::ItemId;
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// A thing with its state in it.
pub trait Stateful {
    /// Its table.
    type Life: Lifecycle;
    /// What of it may be changed at any time.
    type Rest<'a>
    where
        Self: 'a;

    /// Its state, as it was told.
    fn state(&self) -> <Self::Life as Lifecycle>::Word;
    /// Sets its state; [`Kept`] asks the table before.
    fn set(&mut self, state: State<Self::Life>);
    /// What of it may be changed at any time.
    fn rest(&mut self) -> Self::Rest<'_>;
}

/// A thing as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Kept<T: Stateful>(T);

impl<T: Stateful> Kept<T> {
    /// Begins as it is told; in the first state of its table when it is told in one that it can't begin in.
    pub fn begin(mut thing: T) -> Self {
        thing.set(State::begin(thing.state()));
        Self(thing)
    }

    /// As it is found by who did not see it begin: it has come in one step from a beginning.
    pub fn found(thing: T) -> Self
    where
        T: Clone,
    {
        let mut kept = Self::begin(thing.clone());
        kept.take(thing);
        kept
    }

    /// Takes the step if the table has it; true when it was taken.
    pub fn step(&mut self, to: <T::Life as Lifecycle>::Word) -> bool {
        let mut state = State::<T::Life>(self.0.state());
        let taken = state.step(to);
        self.0.set(state);
        taken
    }

    /// It is told whole again: takes its place where its state fits, else stays as it is. True when it fits.
    pub fn take(&mut self, told: T) -> bool {
        let fits = State::<T::Life>(self.0.state()).fits(told.state());
        if fits {
            self.0 = told;
        }
        fits
    }

    /// What of it may be changed at any time.
    pub fn rest(&mut self) -> T::Rest<'_> {
        self.0.rest()
    }

    /// The thing itself, to be told.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T: Stateful> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// What of an item may be changed while it is open.
#[derive(Debug)]
pub struct ItemRest<'a> {
    /// The provider's own id of it, which may be told late.
    pub native_id: &'a mut Option<String>,
    /// The provider's resume point after it.
    pub mark: &'a mut Option<String>,
    /// What it is.
    pub body: &'a mut ItemBody,
    /// When it was told again: the time it had then.
    pub at_ms: &'a mut Option<u64>,
    /// More facts by name.
    pub facts: &'a mut Pairs,
}

/// What of a task may be changed at any time.
#[derive(Debug)]
pub struct TaskRest<'a> {
    /// What it is.
    pub kind: &'a mut TaskKind,
    /// A line for a person.
    pub title: &'a mut Option<String>,
    /// The item that began it.
    pub item: &'a mut Option<ItemId>,
    /// The provider's thread it works in.
    pub native_thread: &'a mut Option<String>,
    /// True when it goes on after its turn.
    pub background: &'a mut bool,
    /// What came of it.
    pub summary: &'a mut Option<String>,
}

impl Stateful for Item {
    type Life = ItemLife;
    type Rest<'a> = ItemRest<'a>;

    fn state(&self) -> Status {
        self.status
    }

    fn set(&mut self, state: State<ItemLife>) {
        self.status = state.get();
    }

    fn rest(&mut self) -> ItemRest<'_> {
        ItemRest {
            native_id: &mut self.native_id,
            mark: &mut self.mark,
            body: &mut self.body,
            at_ms: &mut self.at_ms,
            facts: &mut self.facts,
        }
    }
}

impl Stateful for Task {
    type Life = TaskLife;
    type Rest<'a> = TaskRest<'a>;

    fn state(&self) -> Status {
        self.status
    }

    fn set(&mut self, state: State<TaskLife>) {
        self.status = state.get();
    }

    fn rest(&mut self) -> TaskRest<'_> {
        TaskRest {
            kind: &mut self.kind,
            title: &mut self.title,
            item: &mut self.item,
            native_thread: &mut self.native_thread,
            background: &mut self.background,
            summary: &mut self.summary,
        }
    }
}

impl Stateful for PlanStep {
    type Life = Step;
    type Rest<'a> = &'a mut String;

    fn state(&self) -> Status {
        self.status
    }

    fn set(&mut self, state: State<Step>) {
        self.status = state.get();
    }

    /// Its words.
    fn rest(&mut self) -> &mut String {
        &mut self.text
    }
}
