//! What a provider is asked to do to what is its own: forget its login, delete a conversation.
//!
//! The contract has no word for either, and a plugin knows them by their names. **Nobody but the operator asks for it: a record of it is
//! written first, and without one it is not asked.** A provider that does not offer it answers `unsupported`. Tests: `tests/tests/login.rs`
//! and `tests/tests/history.rs`.

use super::Query;
use crate::audit::{Audit, Record, Verdict};
use crate::lease::{Lease, LeaseError};
use crate::session::{AskError, Operation, SessionStart, Shared, fault};
use crate::store::Store;
use jackfield_core::contract::{Fault, FaultKind};
use jackfield_core::id::SessionId;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// In whose name it is recorded.
pub(super) struct Whose {
    audit: Audit,
    store: Store,
    data: PathBuf,
    plugin: String,
    digest: String,
    session: SessionId,
}

impl Whose {
    pub(super) fn of(start: &SessionStart, shared: &Shared, data: &Path) -> Whose {
        Whose {
            audit: shared.audit.clone(),
            store: shared.store.clone(),
            data: data.to_owned(),
            plugin: start.generation.manifest().full_name(),
            digest: start.generation.digest().to_owned(),
            session: start.session.clone(),
        }
    }

    /// Our thread on a conversation, where there is one: nobody works in it as long as this is held.
    async fn hold(&self, id: &str) -> Result<Option<Lease>, AskError> {
        let Some(ours) = self.store.thread_of_native(&self.plugin, id).await? else { return Ok(None) };
        Lease::take(&self.data, &ours).map(Some).map_err(|error| {
            let kind = match &error {
                LeaseError::ThreadBusy { .. } => FaultKind::Conflict,
                LeaseError::Unusable { .. } => FaultKind::Internal,
            };
            AskError::Fault(Fault { code: Some(error.code().into()), ..fault(kind, error.to_string()) })
        })
    }

    fn record(&self, kind: &str, facts: Value) -> Result<(), AskError> {
        let recorded = self.audit.write(&Record {
            kind,
            verdict: Verdict::Allowed,
            rule: "operator",
            plugin: &self.plugin,
            digest: &self.digest,
            session: self.session.as_str(),
            facts,
        });
        recorded.map_err(|error| {
            let text = format!("the audit record could not be written ({error}), so nothing was asked of the provider");
            AskError::Fault(fault(FaultKind::Internal, text))
        })
    }
}

impl Query {
    /// Has the provider forget its login.
    pub async fn log_out(&mut self) -> Result<(), AskError> {
        self.whose.record("logout", json!({}))?;
        self.ask(Operation::ByName("logout", None)).await.map(drop)
    }

    /// Has the provider delete a conversation of its own, by its id, for good. One that a thread of ours is at work in is refused,
    /// `conflict`.
    pub async fn delete(&mut self, thread: &str) -> Result<(), AskError> {
        let _held = self.whose.hold(thread).await?;
        self.whose.record("delete-stored", json!({ "thread": thread }))?;
        self.ask(Operation::ByName("delete-thread", Some(thread.to_owned()))).await.map(drop)
    }
}
