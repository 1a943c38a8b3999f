//! The threads that the host has opened: turns, messages on their way, items seen.

use jackfield_sdk::prelude::*;
use std::collections::{BTreeMap, VecDeque};

use crate::settings::Settings;

/// All of them, by id.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    all: BTreeMap<String, Thread>,
    /// There were several at some time: events name theirs.
    several: bool,
}

/// One of them.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    pub id: String,
    pub parent: Option<String>,
    pub title: Option<String>,
    pub settings: Settings,
    /// The program has it on disk: only then can it be resumed.
    pub stored: bool,
    /// Its turns in order, as far as they are known.
    pub turns: Vec<String>,
    /// They are known from the first on.
    pub whole: bool,
    pub open: Option<OpenTurn>,
    /// The one before it: the end of a command may come after its turn's.
    pub last: Option<OpenTurn>,
    /// Messages that are to open a turn and have none yet.
    pub starting: VecDeque<Starting>,
    /// Messages in the program's own queue.
    pub queue: VecDeque<Queued>,
    /// Messages that went into the open turn and were not echoed yet.
    pub steered: VecDeque<u32>,
    /// A turn is to be stopped as soon as its id is known; and what waits behind it with it.
    pub stop: Option<(u32, bool)>,
    /// An error that ends the turn; its end tells it.
    pub error: Option<Fault>,
    /// We asked for the context to be shortened: the program does that in a turn of its own.
    pub compacting: bool,
    /// How often the program tried again by itself in this turn.
    pub attempts: u32,
}

/// A message that is to open a turn.
#[derive(Debug)]
pub(crate) struct Starting {
    pub op: u32,
    /// The turn's id, once the program has told it.
    pub turn: Option<String>,
}

/// A message in the program's queue.
#[derive(Debug)]
pub(crate) struct Queued {
    pub op: u32,
    /// Our id of it, which the program echoes.
    pub uuid: String,
}

/// The turn that is open.
#[derive(Debug, Default)]
pub(crate) struct OpenTurn {
    pub id: String,
    pub op: Option<u32>,
    /// Its first message was echoed.
    pub echoed: bool,
    /// Items by id; true once they have ended.
    pub items: BTreeMap<String, bool>,
}

impl Threads {
    pub(crate) fn insert(&mut self, thread: Thread) {
        self.all.insert(thread.id.clone(), thread);
        self.several |= self.all.len() > 1;
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<Thread> {
        self.all.remove(id)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn several(&self) -> bool {
        self.several
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Thread> {
        self.all.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut Thread> {
        self.all.get_mut(id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Thread> {
        self.all.values()
    }

    /// The thread that a command is about: the named one, or the only one.
    pub(crate) fn of_command(&self, named: Option<&str>) -> Result<String, Fault> {
        let missing =
            || Fault::new(FaultKind::NotFound, "No such thread is open. Open it, or resume it from its cursor.");
        match named {
            Some(id) => self.all.get(id).map(|thread| thread.id.clone()).ok_or_else(missing),
            None if self.all.len() == 1 => self.all.keys().next().cloned().ok_or_else(missing),
            None => Err(missing()),
        }
    }
}

impl Thread {
    /// As the contract shows it.
    pub(crate) fn to_thread(&self, state: ThreadState) -> jackfield_sdk::prelude::Thread {
        jackfield_sdk::prelude::Thread {
            cursor: self.stored.then(|| self.id.clone()),
            parent: self.parent.clone(),
            title: self.title.clone(),
            ..jackfield_sdk::prelude::Thread::new(&self.id, state)
        }
    }

    /// A turn is open, or about to be.
    pub(crate) fn has_work(&self) -> bool {
        self.open.is_some() || !self.starting.is_empty()
    }

    /// Commands that wait for something of it.
    pub(crate) fn held(&self) -> Vec<u32> {
        let starting = self.starting.iter().map(|starting| starting.op);
        let queued = self.queue.iter().map(|queued| queued.op);
        starting.chain(queued).chain(self.stop.map(|(op, _)| op)).collect()
    }

    /// The turn that is open or has been promised to a message.
    pub(crate) fn turn(&self) -> Option<&str> {
        let promised = || self.starting.front().and_then(|first| first.turn.as_deref());
        self.open.as_ref().map(|open| open.id.as_str()).or_else(promised)
    }
}
