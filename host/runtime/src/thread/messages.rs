//! A thread's messages: taken on, and changed while they wait.
//!
//! **One message is one run, always, and ends once.** A message that joined an open turn ends its run with the reason `joined`
//! and the run that it joined; what was said in its turn belongs to that one. **What was acknowledged is in the store.**

use super::{Inner, State, Thread};
use crate::session::{AskError, Left, NewRun, QueueChange, fault, needs_of, queue::withdrawn, refused};
use crate::store::{RunRecord, StoreError, ThreadChange};
use crate::{clock, mint};
use jackfield_core::capability::Staged;
use jackfield_core::contract::{Content, Fault, FaultKind, Pairs};
use jackfield_core::event::{Draft, EventBody, RunStatus};
use jackfield_core::expert;
use jackfield_core::id::RunId;
use jackfield_core::outbox::{Outbox, QueueError, Waiting};
use jackfield_core::policy::{Decision, decide};
use jackfield_core::scrub;
use std::sync::Arc;

pub use jackfield_core::outbox::Delivery;

impl Thread {
    /// Takes a message on; while a run is at work it waits for that one's end. It is stored when this returns; progress and
    /// end are events of the run.
    pub async fn send(&self, content: Vec<Content>) -> Result<RunId, AskError> {
        self.send_as(content, Delivery::Queue).await
    }

    /// Takes a message on, to go this way when a run is at work. What can't be done is refused before anything is stored;
    /// what is done instead of what was asked is an event of the run, `policy.decided`.
    pub async fn send_as(&self, content: Vec<Content>, delivery: Delivery) -> Result<RunId, AskError> {
        self.inner.take_on(content, delivery).await
    }

    /// Messages that have not begun, in their order: first those that the provider has.
    pub async fn queue(&self) -> Vec<Waiting> {
        let state = self.inner.state.lock().await;
        match state.live() {
            Some(session) => session.queue().await.unwrap_or_default(),
            None => state.kept.list(),
        }
    }

    /// Takes back a message that waits here: its run ends cancelled, with the reason `withdrawn`.
    pub async fn withdraw(&self, run: &RunId) -> Result<(), AskError> {
        self.inner.change(QueueChange::Withdraw(run.clone())).await
    }

    /// Changes what a message says that waits here.
    pub async fn edit(&self, run: &RunId, content: Vec<Content>) -> Result<(), AskError> {
        self.inner.fits(&content)?;
        self.inner.may(&*self.inner.state.lock().await, Delivery::Queue, &content).await?;
        self.inner.change(QueueChange::Edit(run.clone(), content)).await
    }

    /// Puts all messages that wait here into this order.
    pub async fn reorder(&self, order: Vec<RunId>) -> Result<(), AskError> {
        self.inner.change(QueueChange::Reorder(order)).await
    }

    /// Brings a message that waits here into the open turn, as [`Delivery::Auto`] would have.
    pub async fn promote(&self, run: &RunId) -> Result<(), AskError> {
        self.inner.change(QueueChange::Promote(run.clone())).await
    }
}

impl State {
    pub(super) fn live(&self) -> Option<&crate::session::SessionHandle> {
        self.session.as_ref().filter(|session| !session.is_over())
    }
}

impl Inner {
    async fn take_on(self: &Arc<Self>, content: Vec<Content>, delivery: Delivery) -> Result<RunId, AskError> {
        self.fits(&content)?;
        let mut state = self.state.lock().await;
        self.may(&state, delivery, &content).await?;
        state.last_run += 1;
        let ordinal = state.last_run;
        let run = mint::run(&self.id, ordinal);
        let now = clock::now_ms();
        let record = RunRecord {
            id: run.clone(),
            thread: self.id.clone(),
            ordinal,
            status: RunStatus::Queued,
            prompt: content.clone(),
            selection: Pairs::new(),
            created_ms: now,
            updated_ms: now,
        };
        self.shared.store.put_run(record).await?;
        if ordinal == 1 {
            let title = ThreadChange {
                title: Some(first_words(&content, self.shared.limits.title_bytes)),
                at_ms: now,
                ..ThreadChange::default()
            };
            self.shared.store.update_thread(&self.id, title).await?;
        }
        let mut draft: Draft = EventBody::RunCreated { content: content.clone(), ordinal }.into();
        draft.run = Some(run.clone());
        self.log.emit(now, draft).await?.await?;
        let message = NewRun::new(run.clone(), ordinal, content);
        if let Err(error) = self.hand_over(&mut state, message, delivery).await {
            self.end_untaken(&run, &error).await?;
            return Err(error);
        }
        Ok(run)
    }

    /// Whether a message may go this way, as the session at work can; without one, as the plugin declares it. A file goes only
    /// to a provider that takes files, and is refused before anything of the message is stored.
    async fn may(&self, state: &State, delivery: Delivery, content: &[Content]) -> Result<(), AskError> {
        let needs = needs_of(content);
        if let Some(session) = state.live() {
            match session.may(delivery, needs.clone()).await {
                Err(AskError::Ended) => {}
                told => return told,
            }
        }
        let declared = Staged::new(self.plugin.generation.descriptor().declared.clone());
        let capabilities = declared.effective().capabilities;
        let mut decisions = needs.iter().map(|intent| decide(intent, &capabilities, &self.shared.policy));
        decisions.find(|decision| *decision != Decision::Native).map_or(Ok(()), |decision| Err(refused(&decision)))
    }

    fn fits(&self, content: &[Content]) -> Result<(), AskError> {
        expert::check(content).map_err(|problem| AskError::Fault(fault(FaultKind::Invalid, problem)))?;
        let (bytes, limit) = (content.iter().map(size_of).sum(), self.shared.limits.prompt_bytes);
        if bytes > limit { Err(AskError::TooLong { bytes, limit }) } else { Ok(()) }
    }

    /// To the session at work; to a new one, resuming the provider's conversation, when there is none or it has just ended.
    async fn hand_over(self: &Arc<Self>, state: &mut State, run: NewRun, delivery: Delivery) -> Result<(), AskError> {
        if let Some(session) = state.live() {
            match session.send(run.clone(), delivery).await {
                Err(AskError::Ended) => {}
                done => return done,
            }
        }
        let left = state.session.as_ref().map(|session| session.left().take());
        left.into_iter().flatten().for_each(|left| state.kept.add(left));
        state.kept.add(NewRun { urgent: delivery == Delivery::Now, ..run });
        let first = state.kept.take_waiting();
        match self.start_session(state, first.clone()).await {
            Ok(()) => Ok(()),
            Err(error) => {
                // The last one is refused; those before it were acknowledged, and wait.
                let ordinal = first.iter().map(|one| one.ordinal).max();
                state.kept = Outbox::of(first.into_iter().filter(|one| Some(one.ordinal) != ordinal).collect());
                Err(error)
            }
        }
    }

    /// The session ended and left these: they go on in a new one.
    pub(super) async fn go_on(self: &Arc<Self>, left: &Left) {
        let mut state = self.state.lock().await;
        // Whoever sends a message meanwhile takes them along.
        let left = if state.closed { Vec::new() } else { left.take() };
        if left.is_empty() {
            return;
        }
        if let Err(error) = self.start_session(&mut state, left.clone()).await {
            for message in left {
                let _ = self.end_untaken(&message.run, &error).await;
            }
        }
    }

    /// A message that was stored and that no session took ends at once: nobody would ever come back to it.
    async fn end_untaken(&self, run: &RunId, error: &AskError) -> Result<(), StoreError> {
        let code = Some(error.code().into());
        let fault = Fault { code, retryable: true, ..fault(FaultKind::Internal, error.to_string()) };
        let body = EventBody::RunEnded {
            status: RunStatus::Failed,
            reason: None,
            fault: Some(fault),
            background: false,
            joined: None,
            ledger: Default::default(),
        };
        self.end_run(run, RunStatus::Failed, body).await
    }

    pub(super) async fn end_run(&self, run: &RunId, status: RunStatus, body: EventBody) -> Result<(), StoreError> {
        self.say(run, body).await?;
        self.shared.store.update_run(run, status, clock::now_ms()).await
    }

    async fn say(&self, run: &RunId, body: EventBody) -> Result<(), StoreError> {
        let mut draft: Draft = body.into();
        draft.run = Some(run.clone());
        self.log.emit(clock::now_ms(), draft).await.map(drop)
    }

    /// In the session at work; among the kept ones when there is none.
    async fn change(&self, change: QueueChange) -> Result<(), AskError> {
        let mut state = self.state.lock().await;
        if let Some(session) = state.live() {
            return session.change_queue(change).await;
        }
        match change {
            QueueChange::Withdraw(run) => {
                state.kept.withdraw(&run)?;
                self.end_run(&run, RunStatus::Cancelled, withdrawn(Default::default())).await?;
            }
            QueueChange::Edit(run, content) => {
                state.kept.edit(&run, content.clone())?;
                self.shared.store.edit_run(&run, content.clone(), clock::now_ms()).await?;
                self.say(&run, EventBody::RunEdited { content }).await?;
            }
            QueueChange::Reorder(order) => {
                state.kept.reorder(&order)?;
                self.shared.store.order_runs(state.kept.order()).await?;
            }
            // Nothing is at work that it could go into.
            QueueChange::Promote(run) => {
                let waits = state.kept.order().contains(&run);
                return if waits { Ok(()) } else { Err(QueueError::NotWaiting { run }.into()) };
            }
        }
        Ok(())
    }
}

/// Bytes of what a message holds.
fn size_of(part: &Content) -> u64 {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let bytes = match part {
        Content::Text(text) => text.len(),
        Content::Media(media) => text(&media.base64) + text(&media.uri) + text(&media.name),
        Content::Diff(diff) => text(&diff.before) + text(&diff.after) + text(&diff.patch) + diff.path.len(),
        Content::Other(other) => other.json.len(),
    };
    bytes as u64
}

/// A thread is called by the first words said in it, until the provider gives it a title.
fn first_words(content: &[Content], max_bytes: u64) -> Option<String> {
    let text = content.iter().find_map(|part| match part {
        Content::Text(text) => text.lines().map(str::trim).find(|line| !line.is_empty()),
        _ => None,
    })?;
    Some(scrub::label(text, max_bytes).into_owned())
}
