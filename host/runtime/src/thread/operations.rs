//! What can be done with a thread beyond messages: settings, MCP servers, its context, going back, its tasks. Copies are
//! in `copies`.
//!
//! Each asks the policy in the session; one that is not there begins, resuming the provider's conversation. **What was rolled
//! back is said, and the runs of it are taken back; files are as they were.** Tests: `tests/tests/operations.rs`.

use super::{Inner, State, Thread};
use crate::instance::InstanceError;
use crate::recovery::fold;
use crate::session::{AskError, Operation, Outcome, check_tools, fault};
use crate::store::StoreError;
use jackfield_core::capability::Staged;
use jackfield_core::contract::{
    Applies, FaultKind, McpServer, OpValue, Point, ReadThread, Setting, Summarize, ToolSpec,
};
use jackfield_core::event::{EventBody, RunStatus};
use jackfield_core::id::{RunId, TaskId, TurnId};
use jackfield_core::outbox::Outbox;
use jackfield_core::policy::{Decision, Intent, Strategy, decide};
use jackfield_core::projection::{Run, Snapshot, Turn};
use jackfield_core::summary::local_summary;
use std::sync::Arc;

/// Items of a page, and pages, that are read again after going back.
const REREAD_ITEMS: u32 = 200;
const REREAD_PAGES: usize = 50;

/// What comes after a point of the thread.
struct Gone {
    /// The last turn before it.
    to: Option<TurnId>,
    turns: Vec<TurnId>,
    /// Their runs, and those that joined them.
    runs: Vec<RunId>,
}

impl Gone {
    fn of(to: Option<TurnId>, turns: &[&Turn], all: &[Run]) -> Gone {
        let mut runs: Vec<Option<RunId>> = turns.iter().map(|turn| turn.run.clone()).collect();
        runs.dedup();
        let mut runs: Vec<RunId> = runs.into_iter().flatten().collect();
        let joined = all.iter().filter(|run| run.joined.as_ref().is_some_and(|into| runs.contains(into)));
        let joined: Vec<RunId> = joined.map(|run| run.id.clone()).collect();
        runs.extend(joined);
        Gone { to, turns: turns.iter().map(|turn| turn.id.clone()).collect(), runs }
    }
}

impl Thread {
    /// The settings that there are, with their choices; also an event, `settings.updated`.
    pub async fn list_settings(&self) -> Result<Vec<Setting>, AskError> {
        match self.inner.operate(Operation::ListSettings).await? {
            Outcome::Done(OpValue::Settings(settings)) => Ok(settings),
            other => Err(unfit("list-settings", &other)),
        }
    }

    /// The MCP servers that the provider may use from now on, whole, in the sessions that follow, too. Secrets stay holes,
    /// `${secret:NAME}`.
    pub async fn set_mcp_servers(&self, servers: Vec<McpServer>) -> Result<Applies, AskError> {
        let unknown = |error: InstanceError| AskError::Fault(fault(FaultKind::Invalid, error.to_string()));
        self.inner.instance.check_secrets(&servers).map_err(unknown)?;
        let applies = match self.inner.operate(Operation::SetMcpServers(servers.clone())).await? {
            Outcome::Done(OpValue::Applied(applies)) => applies,
            other => return Err(unfit("set-mcp-servers", &other)),
        };
        self.inner.keep(applies, |state| state.servers = Some(servers)).await
    }

    /// The host's own tools that the provider may call from now on, whole, in the sessions that follow, too. A call is a request
    /// whose subject is `host_tool`; answer it with an output, within `host_tool_ms`.
    pub async fn register_tools(&self, tools: Vec<ToolSpec>) -> Result<Applies, AskError> {
        check_tools(&tools, &self.inner.shared.limits).map_err(AskError::Fault)?;
        let operation = Operation::RegisterTools(tools.clone());
        let tools = Arc::new(tools);
        let begins = self.inner.begins_with(&tools).await?;
        let told = match begins {
            // One that ended at once would only do so again.
            true => match self.inner.current().await {
                Ok(session) => session.operate(operation).await,
                Err(ended) => Err(ended),
            },
            false => self.inner.operate(operation).await,
        };
        let applies = match told {
            Ok(Outcome::Done(OpValue::Applied(applies))) => Ok(applies),
            Ok(other) => Err(unfit("register-tools", &other)),
            Err(error) => Err(error),
        };
        if begins && applies.is_err() {
            // There were none before its first session; what somebody else registered meanwhile stays.
            self.inner.state.lock().await.tools.take_if(|kept| Arc::ptr_eq(kept, &tools));
        }
        self.inner.keep(applies?, |state| state.tools = Some(tools)).await
    }

    /// Shortens the provider's context; the words say what to keep.
    pub async fn compact(&self, keep: &str) -> Result<(), AskError> {
        self.inner.operate(Operation::Compact(keep.into())).await.map(drop)
    }

    /// Empties the provider's context; the thread and what is shown of it stay.
    pub async fn clear(&self) -> Result<(), AskError> {
        self.inner.operate(Operation::Clear).await.map(drop)
    }

    /// Makes the provider forget all that came after this turn; all there is without one. The runs of it are taken back.
    pub async fn rollback(&self, to: Option<&TurnId>) -> Result<(), AskError> {
        let (point, gone) = self.inner.point(to).await?;
        let outcome = self.inner.operate(Operation::Rollback(point)).await?;
        self.inner.take_back(gone).await?;
        if matches!(outcome, Outcome::Instead(Strategy::RollbackAndReread))
            && let Err(error) = self.read_all().await
        {
            self.inner.say_unseen(error).await?;
        }
        Ok(())
    }

    /// A page of the history as the provider has it, as events marked `replayed`; the next page, if there is one. Where the
    /// provider gives none back, our own record is all there is: see [`Self::events_after`].
    pub async fn read(&self, page: Option<String>, limit: u32) -> Result<Option<String>, AskError> {
        match self.inner.operate(Operation::Read(ReadThread { cursor: None, page, limit })).await? {
            Outcome::Done(OpValue::Page(next)) => Ok(next),
            Outcome::Instead(Strategy::OwnRecord) => Ok(None),
            other => Err(unfit("read-thread", &other)),
        }
    }

    /// What the provider still knows, whole.
    async fn read_all(&self) -> Result<(), AskError> {
        let mut page = None;
        for _ in 0..REREAD_PAGES {
            page = self.read(page, REREAD_ITEMS).await?;
            if page.is_none() {
                return Ok(());
            }
        }
        Err(AskError::Fault(fault(FaultKind::Protocol, format!("its history has no end within {REREAD_PAGES} pages"))))
    }

    /// A summary of the thread: the provider's own, else by a fixed rule.
    pub async fn summarize(&self, instructions: &str) -> Result<String, AskError> {
        let max = self.inner.shared.limits.handoff_chars;
        let how = Summarize { instructions: instructions.into(), max_chars: max.min(u64::from(u32::MAX)) as u32 };
        match self.inner.operate(Operation::Summarize(how)).await? {
            Outcome::Done(OpValue::Text(text)) => Ok(text),
            Outcome::Instead(Strategy::LocalSummary) => Ok(local_summary(&self.inner.snapshot().await?, max)),
            other => Err(unfit("summarize", &other)),
        }
    }

    /// Ends a background task; its end is an event.
    pub async fn stop_task(&self, task: &TaskId) -> Result<(), AskError> {
        self.inner.current().await?.operate(Operation::StopTask(task.clone())).await.map(drop)
    }

    /// Returns once this task has ended.
    pub async fn wait_for_task(&self, task: &TaskId) -> Result<(), AskError> {
        self.inner.current().await?.operate(Operation::WaitForTask(task.clone())).await.map(drop)
    }
}

impl Inner {
    /// What the provider took holds in the sessions that follow, too; where it holds only there, the next one takes its place.
    async fn keep(&self, applies: Applies, change: impl FnOnce(&mut State)) -> Result<Applies, AskError> {
        let session = {
            let mut state = self.state.lock().await;
            change(&mut state);
            state.session.clone()
        };
        self.apply(session.as_ref(), applies).await?;
        Ok(applies)
    }

    /// A conversation that has not begun begins with these tools, where the provider takes any: some take them at no later time. False
    /// for one that has begun.
    async fn begins_with(self: &Arc<Self>, tools: &Arc<Vec<ToolSpec>>) -> Result<bool, AskError> {
        let declared = Staged::new(self.plugin.generation.descriptor().declared.clone());
        let decision = decide(&Intent::RegisterTools, &declared.effective().capabilities, &self.shared.policy);
        let row = self.shared.store.thread(&self.id).await?;
        let mut state = self.state.lock().await;
        if state.next_epoch > 0 || row.is_some_and(|row| row.cursor.is_some()) || decision != Decision::Native {
            return Ok(false);
        }
        let before = state.tools.replace(tools.clone());
        let first = state.kept.take_waiting();
        if let Err(error) = self.start_session(&mut state, first.clone()).await {
            state.tools = before;
            state.kept = Outbox::of(first);
            return Err(error);
        }
        Ok(true)
    }

    pub(super) async fn operate(self: &Arc<Self>, operation: Operation) -> Result<Outcome, AskError> {
        self.begun().await?.operate(operation).await
    }

    pub(super) async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        fold(&self.shared.store, &self.id).await
    }

    /// The point after a turn, or before the first, and what comes after it.
    async fn point(&self, after: Option<&TurnId>) -> Result<(Point, Gone), AskError> {
        let snapshot = self.snapshot().await?;
        let turns: Vec<&Turn> = snapshot.turns.iter().filter(|turn| !turn.rolled_back).collect();
        let at = match after {
            None => 0,
            Some(id) => match turns.iter().position(|turn| turn.id == *id) {
                Some(at) => at + 1,
                None => {
                    let text = format!("{id} is no turn of this thread, or it was rolled back");
                    return Err(AskError::Fault(fault(FaultKind::NotFound, text)));
                }
            },
        };
        let last = at.checked_sub(1).and_then(|at| turns.get(at));
        let point = Point {
            turn: last.and_then(|turn| turn.native_id.clone()),
            item: None,
            mark: last.and_then(|turn| turn.mark.clone()),
            turns_after: (turns.len() - at) as u32,
        };
        Ok((point, Gone::of(after.cloned(), &turns[at..], &snapshot.runs)))
    }

    /// The provider went back, and what it still knows could not be read.
    async fn say_unseen(&self, error: AskError) -> Result<(), StoreError> {
        let decision = Decision::Degraded {
            strategy: Strategy::RollbackUnseen,
            because: format!("what is left could not be read again: {error}"),
            loses: vec!["proof of what the provider still knows".into()],
        };
        let body = EventBody::PolicyDecided { intent: Intent::Rollback.name().into(), decision };
        self.log.emit(crate::clock::now_ms(), body.into()).await?.await
    }

    /// Says what the provider forgot, and takes the runs of it back.
    async fn take_back(&self, Gone { to, turns, runs }: Gone) -> Result<(), StoreError> {
        let now = crate::clock::now_ms();
        let body = EventBody::ThreadRolledBack { to, turns, runs: runs.clone() };
        self.log.emit(now, body.into()).await?.await?;
        for run in &runs {
            self.shared.store.update_run(run, RunStatus::RolledBack, now).await?;
        }
        Ok(())
    }
}

pub(super) fn unfit(command: &str, outcome: &Outcome) -> AskError {
    tracing::warn!(command, ?outcome, "an answer of another kind");
    AskError::Fault(fault(FaultKind::Protocol, format!("the plugin answered {command} with something of another kind")))
}
