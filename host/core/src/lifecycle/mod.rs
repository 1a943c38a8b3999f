//! Which state may follow which: of runs and their attempts, and of what the provider's work is made of.
//!
//! **The state of a thing is held in a [`State`], or, where the thing is told whole with its state in it, in a [`Kept`]: the only
//! way to change it is a step that its table has, and the compiler refuses every other.** A step that the table does not have
//! changes nothing and says so; a state that follows itself is no change. Who must not begin a state anew has it behind a private
//! field. An event only reports a state.
//!
//! | file | noun |
//! | --- | --- |
//! | `tables.rs` | the tables: per kind of thing its states, those it begins in, and what may follow each |
//! | `kept.rs` | a thing that is told whole, its state in it |
//!
//! Tests: `tests.rs` beside this file (every pair of states of every table), the store's, and `tests/fuzz`, which holds every
//! event of every case against these tables.
//!
//! ```compile_fail,E0616
//! use jackfield_core::event::RunStatus;
//! use jackfield_core::lifecycle::{Run, State};
//! let mut run = State::<Run>::default();
//! run.0 = RunStatus::Completed; // error: the field is private
//! ```
//!
//! ```compile_fail,E0594
//! # fn ended(mut item: jackfield_core::lifecycle::Kept<jackfield_core::event::Item>) {
//! item.status = jackfield_core::contract::Status::Completed; // error: what is kept can't be assigned to
//! # }
//! ```
//!
//! ```
//! use jackfield_core::event::RunStatus;
//! use jackfield_core::lifecycle::{Run, State};
//! let mut run = State::<Run>::default();
//! assert!(!run.step(RunStatus::Interrupted), "it has not begun");
//! assert!(run.step(RunStatus::Starting) && run.is(RunStatus::Starting));
//! ```

mod kept;
mod tables;
#[cfg(test)]
mod tests;

pub use kept::{ItemRest, Kept, Stateful, TaskRest};
pub use tables::{
    Attempt, AttemptStatus, Item, Message, MessageStatus, Plan, PlanStatus, Request, RequestStatus, Run, Step, Task,
    Turn,
};

use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// A kind of thing that has states: its table.
pub trait Lifecycle: Copy + Debug + Eq + 'static {
    /// Its states.
    type Word: Copy + Debug + Eq + 'static;
    /// All of them.
    const STATES: &'static [Self::Word];
    /// Those that it may begin in; the first is the one it begins in when nobody says another.
    const BEGINS: &'static [Self::Word];
    /// The same first one.
    const FIRST: Self::Word;

    /// What may follow this state. Nothing follows an end, but where the table argues it.
    fn next(state: Self::Word) -> &'static [Self::Word];
}

/// The state that a thing is in. Read from where it was stored, it is what it was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent, bound(serialize = "L::Word: Serialize", deserialize = "L::Word: serde::de::DeserializeOwned"))]
pub struct State<L: Lifecycle>(L::Word);

impl<L: Lifecycle> State<L> {
    /// In this state if a thing may begin in it, else in the first of those.
    pub fn begin(state: L::Word) -> Self {
        Self(if L::BEGINS.contains(&state) { state } else { L::FIRST })
    }

    /// The state.
    pub fn get(self) -> L::Word {
        self.0
    }

    /// True in this state.
    pub fn is(self, state: L::Word) -> bool {
        self.0 == state
    }

    /// True when the table has this step.
    pub fn may_become(self, to: L::Word) -> bool {
        L::next(self.0).contains(&to)
    }

    /// True when being in that state now is no contradiction: the table has the step, or it is in it already.
    pub fn fits(self, to: L::Word) -> bool {
        self.is(to) || self.may_become(to)
    }

    /// Takes the step if the table has it; true when it was taken.
    pub fn step(&mut self, to: L::Word) -> bool {
        let may = self.may_become(to);
        if may {
            self.0 = to;
        }
        may
    }
}

impl<L: Lifecycle> Default for State<L> {
    fn default() -> Self {
        Self(L::FIRST)
    }
}
