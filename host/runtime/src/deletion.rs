//! Threads belong to the user: deleting one, and a retention that does so by itself.
//!
//! **A deleted thread leaves nothing in the data folder but audit records, which name it and no word of it.** The journal of a
//! session lies in nameless files that end with it. What the provider keeps of a conversation in its own files is the provider's.

use crate::audit::{Record, Verdict};
use crate::host::{Host, HostError};
use crate::lease::{Lease, LeaseError};
use jackfield_core::id::ThreadId;

impl Host {
    /// Deletes threads, each under its lease, and then every trace in the store's log. Says what became of each; one that is in
    /// use stays as it is. `rule` names who wanted it.
    pub async fn delete_threads(
        &self,
        threads: &[ThreadId],
        rule: &str,
    ) -> Result<Vec<Result<(), HostError>>, HostError> {
        let mut outcomes = Vec::new();
        for thread in threads {
            outcomes.push(self.delete_thread(thread, rule).await);
        }
        if outcomes.iter().any(Result::is_ok) {
            self.store().wipe_log().await?;
        }
        Ok(outcomes)
    }

    async fn delete_thread(&self, thread: &ThreadId, rule: &str) -> Result<(), HostError> {
        self.thread_row(thread).await?;
        let lease = Lease::take(self.data(), thread)?;
        let facts = serde_json::json!({ "thread": thread });
        self.record(&Record {
            kind: "delete",
            verdict: Verdict::Allowed,
            rule,
            plugin: "",
            digest: "",
            session: "",
            facts,
        })?;
        self.store().delete_thread(thread).await?;
        lease.retire();
        Ok(())
    }

    /// Deletes threads in which nothing has happened since `before_ms`: at most `retention_threads` at once, none that is in use.
    /// Returns how many.
    pub async fn apply_retention(&self, before_ms: u64) -> Result<usize, HostError> {
        let old = self.store().threads_silent_since(before_ms, self.limits().retention_threads).await?;
        let mut deleted = 0;
        for outcome in self.delete_threads(&old, "retention").await? {
            match outcome {
                Ok(()) => deleted += 1,
                Err(HostError::Lease(LeaseError::ThreadBusy { .. }) | HostError::NoThread(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(deleted)
    }
}
