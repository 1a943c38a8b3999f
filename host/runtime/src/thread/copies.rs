//! Copies of a thread, and a subagent's thread as a conversation: what the provider is asked for, and where it ends.
//!
//! **A copy is never cut elsewhere than was asked without a word**: where the provider cuts at turns only, that is announced
//! first. Tests: `tests/tests/copies.rs`.

use super::Thread;
use super::operations::unfit;
use crate::session::{AskError, Copying, Operation, Outcome, fault};
use jackfield_core::contract::{self, FaultKind, OpValue, Point};
use jackfield_core::event::is_terminal;
use jackfield_core::id::{ItemId, TaskId, TurnId};
use jackfield_core::policy::{ForkPoint, Strategy};
use jackfield_core::projection::{ShownItem, Snapshot, Turn};

/// Where a thread is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkAt {
    /// At its end.
    Tip,
    /// After this turn.
    Turn(TurnId),
    /// After this item, inside of its turn.
    Item(ItemId),
    /// The thread of this subagent, at its end.
    Subagent(TaskId),
}

/// A copy that the provider made, and where it ends.
pub(crate) struct Copied {
    pub(crate) thread: contract::Thread,
    pub(crate) at: Option<TurnId>,
    pub(crate) item: Option<ItemId>,
    pub(crate) task: Option<TaskId>,
}

impl Thread {
    /// The provider's copy of this thread.
    pub(crate) async fn fork(&self, at: &ForkAt) -> Result<Copied, AskError> {
        let snapshot = self.inner.snapshot().await?;
        let copying = copying(&snapshot, at)?;
        let (thread, what) = match self.inner.operate(Operation::Fork(copying)).await? {
            Outcome::Copied(thread, what) => (thread, what),
            other => return Err(unfit("fork-thread", &other)),
        };
        let copied = Copied { thread, at: None, item: None, task: None };
        Ok(match at {
            ForkAt::Tip => copied,
            ForkAt::Turn(turn) => Copied { at: Some(turn.clone()), ..copied },
            ForkAt::Item(item) if what == ForkPoint::Item => Copied { item: Some(item.clone()), ..copied },
            ForkAt::Item(item) => Copied { at: found(&snapshot, item).and_then(|shown| shown.turn.clone()), ..copied },
            ForkAt::Subagent(task) => Copied { task: Some(task.clone()), ..copied },
        })
    }

    /// The provider's id of a subagent's thread that is to be opened as a conversation; `None` where it is shown in this one instead.
    pub(crate) async fn child(&self, task: &TaskId) -> Result<Option<String>, AskError> {
        let native = at_rest(&self.inner.snapshot().await?, task)?;
        match self.inner.operate(Operation::OpenSubagent).await? {
            Outcome::Done(OpValue::Accepted) => native.map(Some).ok_or_else(no_thread),
            Outcome::Instead(Strategy::NestedNodes) => Ok(None),
            other => Err(unfit("open-subagent", &other)),
        }
    }
}

fn copying(snapshot: &Snapshot, at: &ForkAt) -> Result<Copying, AskError> {
    let tip = Point { turn: None, item: None, mark: None, turns_after: 0 };
    let (mut whole_turn, mut subagent) = (None, None);
    let (what, point) = match at {
        // Named by its last turn: a session that only resumed the conversation does not know its end.
        ForkAt::Tip => {
            let last = snapshot.turns.iter().rev().find(|turn| !turn.rolled_back);
            let (turn, mark) = last.map_or((None, None), |turn| (turn.native_id.clone(), turn.mark.clone()));
            (ForkPoint::Tip, Point { turn, mark, ..tip })
        }
        ForkAt::Turn(id) => {
            let point = end_of(snapshot, id)?;
            (if point.turns_after == 0 { ForkPoint::Tip } else { ForkPoint::Turn }, point)
        }
        ForkAt::Item(id) => {
            let (point, turn) = inside(snapshot, id)?;
            whole_turn = Some(turn);
            (ForkPoint::Item, point)
        }
        ForkAt::Subagent(task) => {
            subagent = at_rest(snapshot, task)?;
            (ForkPoint::Subagent, tip)
        }
    };
    Ok(Copying { what, point, whole_turn, subagent })
}

/// The point after a turn.
fn end_of(snapshot: &Snapshot, id: &TurnId) -> Result<Point, AskError> {
    let turns: Vec<&Turn> = snapshot.turns.iter().filter(|turn| !turn.rolled_back).collect();
    let at = turns.iter().position(|turn| turn.id == *id).ok_or_else(|| {
        AskError::Fault(fault(FaultKind::NotFound, format!("{id} is no turn of this thread, or it was rolled back")))
    })?;
    Ok(Point {
        turn: turns[at].native_id.clone(),
        item: None,
        mark: turns[at].mark.clone(),
        turns_after: (turns.len() - at - 1) as u32,
    })
}

/// The point after an item, and the one after its turn.
fn inside(snapshot: &Snapshot, id: &ItemId) -> Result<(Point, Point), AskError> {
    let invalid = |text: String| AskError::Fault(fault(FaultKind::Invalid, text));
    let Some(shown) = found(snapshot, id) else {
        return Err(AskError::Fault(fault(FaultKind::NotFound, format!("{id} is no item of this thread"))));
    };
    let Some(turn) = shown.turn.as_ref().filter(|_| shown.parent.is_none() && !shown.replayed) else {
        return Err(invalid(format!("{id} is not said in a turn of this thread itself; name one that is, or a turn")));
    };
    let turn = end_of(snapshot, turn)?;
    let item = &shown.item;
    if item.native_id.is_none() && item.mark.is_none() {
        return Err(invalid(format!("the provider has no name for {id}; name another item, or its turn")));
    }
    Ok((Point { item: item.native_id.clone(), mark: item.mark.clone(), ..turn.clone() }, turn))
}

fn found<'a>(snapshot: &'a Snapshot, id: &ItemId) -> Option<&'a ShownItem> {
    snapshot.items.iter().find(|shown| shown.item.id == *id)
}

/// The provider's id of a subagent's thread; the subagent has ended.
fn at_rest(snapshot: &Snapshot, id: &TaskId) -> Result<Option<String>, AskError> {
    let refuse = |kind, text: String| Err(AskError::Fault(fault(kind, text)));
    match snapshot.tasks.iter().find(|task| task.id == *id) {
        None => refuse(FaultKind::NotFound, format!("{id} is no subagent of this thread")),
        Some(task) if !is_terminal(task.status) => {
            refuse(FaultKind::Conflict, format!("{id} is still at work; wait for its end, or stop it"))
        }
        Some(task) => Ok(task.native_thread.clone()),
    }
}

fn no_thread() -> AskError {
    AskError::Fault(fault(FaultKind::NotFound, "the provider gave this subagent no thread of its own".into()))
}
