//! Messages that wait, changed by their author. **Each change is in the store before it is acknowledged.**

use super::ask::{AskError, QueueChange, Reply1};
use super::task::Task;
use crate::clock;
use jackfield_core::event::{EventBody, RunStatus};
use jackfield_core::id::RunId;
use jackfield_core::outbox::Delivery;

impl Task {
    pub(super) async fn change_queue(&mut self, at: usize, change: QueueChange, done: Reply1<()>) {
        let outcome = match change {
            QueueChange::Withdraw(run) => self.withdraw(at, run).await,
            QueueChange::Edit(run, content) => match self.seats[at].outbox.edit(&run, content.clone()) {
                Ok(()) => match self.shared.store.edit_run(&run, content.clone(), clock::now_ms()).await {
                    Ok(()) => {
                        self.say(at, Some(run), EventBody::RunEdited { content }).await;
                        Ok(())
                    }
                    Err(error) => Err(error.into()),
                },
                Err(error) => Err(error.into()),
            },
            QueueChange::Reorder(order) => match self.seats[at].outbox.reorder(&order) {
                Ok(()) => {
                    self.keep_order(at).await;
                    Ok(())
                }
                Err(error) => Err(error.into()),
            },
            QueueChange::Promote(run) => self.promote(at, run).await,
        };
        let _ = done.send(outcome);
        self.say_queue(at).await;
    }

    async fn withdraw(&mut self, at: usize, run: RunId) -> Result<(), AskError> {
        self.seats[at].outbox.withdraw(&run)?;
        self.say(at, Some(run), withdrawn(self.normalizer.ledger())).await;
        Ok(())
    }

    /// A message that waits goes into the open turn after all, as the policy has it.
    async fn promote(&mut self, at: usize, run: RunId) -> Result<(), AskError> {
        let (way, said) = self.way_of(at, Delivery::Auto)?;
        let message = self.seats[at].outbox.withdraw(&run)?;
        self.go(at, message, way, said).await;
        Ok(())
    }

    /// The order of those that wait, for a restart.
    pub(super) async fn keep_order(&mut self, at: usize) {
        if let Err(error) = self.shared.store.order_runs(self.seats[at].outbox.order()).await {
            self.store_failed(&error);
        }
    }

    /// Says which runs wait, when that is another answer than before.
    pub(super) async fn say_queue(&mut self, at: usize) {
        let runs: Vec<RunId> = self.seats[at].outbox.list().into_iter().map(|waiting| waiting.run).collect();
        if runs != self.seats[at].said_queue
            && (self.seats[at].active.is_some() || !self.seats[at].said_queue.is_empty())
        {
            self.seats[at].said_queue.clone_from(&runs);
            self.say(at, None, EventBody::QueueUpdated { runs }).await;
        }
    }
}

/// The end of a message that was taken back.
pub(crate) fn withdrawn(ledger: jackfield_core::ledger::LedgerCounts) -> EventBody {
    EventBody::RunEnded {
        status: RunStatus::Cancelled,
        reason: Some("withdrawn".into()),
        fault: None,
        background: false,
        joined: None,
        ledger,
    }
}
