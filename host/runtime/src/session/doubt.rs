//! A promise that was not kept: the flag counts for less from now on, in this session and in every later one of the same
//! build with the same version of its program. It is said, audited and kept.
//!
//! What only silence shows is kept as a doubt, and counts once it was seen often enough in a row; a promise that is kept
//! meanwhile ends the doubt. What is found, and how much it proves, is `core::honesty`. Tests: `tests/tests/honesty.rs`.

use super::Operation;
use super::ops::Purpose;
use super::seat::Stage;
use super::task::{Phase, Task};
use crate::clock;
use crate::store::Demotion;
use jackfield_core::capability::{Clamp, ClampedBy};
use jackfield_core::contract::{Applies, CapabilityValue, Fault, FaultKind, OpValue};
use jackfield_core::event::EventBody;
use jackfield_core::honesty::{Finding, INTERRUPT, applied, copied, refused};

impl Task {
    /// What was promised for the session that begins.
    pub(super) async fn begin_watch(&mut self) {
        self.honesty.begins_with(&self.start.instance.selection.clone());
        let (plugin, folder) = (self.plugin(), self.start.folder.clone());
        match self.shared.store.has_allowance(&plugin, &folder).await {
            Ok(true) => self.honesty.was_allowed_for_good(),
            Ok(false) => {}
            Err(error) => self.store_failed(&error),
        }
    }

    /// Somebody allowed something for good: the provider may remember it in this folder, beyond this session.
    pub(super) async fn remember_allowance(&mut self) {
        let (plugin, folder) = (self.plugin(), self.start.folder.clone());
        if let Err(error) = self.shared.store.put_allowance(&plugin, &folder).await {
            self.store_failed(&error);
        }
    }

    /// The plugin's answer to a command, held against what was declared.
    pub(super) async fn doubt_answered(&mut self, at: usize, purpose: &Purpose, outcome: &Result<OpValue, Fault>) {
        let mut promises = purpose.promises();
        if matches!(purpose, Purpose::OpenThread) {
            let seat = &self.seats[at];
            let empty = seat.start.cursor.is_none() && !seat.opens_with_message && seat.stage == Stage::Opening;
            let promise = if self.phase == Phase::Starting { "open-thread-empty" } else { "open-thread-shared" };
            let promised = empty || self.phase != Phase::Starting;
            promises = promised.then(|| promise.to_owned()).into_iter().collect();
        }
        // Which of several was meant is not said.
        let [promise] = promises.as_slice() else { return };
        let finding = match outcome {
            Err(fault) if fault.kind == FaultKind::Unsupported => refused(promise),
            Ok(OpValue::Applied(applies)) => applied(promise, *applies),
            _ => None,
        };
        if matches!((purpose, outcome), (Purpose::McpServers, Ok(_))) {
            self.honesty.served(&self.start.instance.mcp_servers.clone());
        }
        self.doubt(finding.into_iter().collect()).await;
    }

    /// What came of an operation, held against what was declared.
    pub(super) async fn doubt_operated(&mut self, at: usize, operation: &Operation, value: &OpValue) {
        match (operation, value) {
            (Operation::SetMcpServers(servers), OpValue::Applied(Applies::Now)) => self.honesty.served(servers),
            // Until it takes hold nothing is promised.
            (Operation::SetMcpServers(_), _) => self.honesty.served(&[]),
            (Operation::Fork(_), OpValue::Thread(copy)) => {
                let finding = copied(self.seats[at].native.as_deref(), &copy.id);
                self.doubt(finding.into_iter().collect()).await;
            }
            _ => {}
        }
    }

    /// What was found counts, where it takes something back.
    pub(super) async fn doubt(&mut self, findings: Vec<Finding>) {
        // What is declared is declared of conversations.
        if self.only_asks() {
            return;
        }
        for finding in findings {
            if finding.narrows(&self.capabilities.effective().capabilities) {
                self.doubt_one(finding).await;
            }
        }
    }

    async fn doubt_one(&mut self, finding: Finding) {
        let needed = finding.needed(&self.shared.limits);
        let Finding { flag, to, because, .. } = finding;
        let demotion = Demotion {
            plugin: self.plugin(),
            digest: self.start.generation.digest().to_owned(),
            version: self.provider_version(),
            flag: flag.to_owned(),
            to: to.clone(),
            because: because.clone(),
            at_ms: clock::now_ms(),
            seen: 1,
            needed,
        };
        let seen = match self.shared.store.doubt(demotion).await {
            Ok(seen) => seen,
            Err(error) => return self.store_failed(&error),
        };
        if seen < needed {
            self.note("honesty", "doubted", serde_json::json!({ "flag": flag, "because": because, "seen": seen }));
            let text = format!("{flag}: {because} ({seen} of {needed} times in a row before it counts for less)");
            return self.diagnose("promise-doubted", &text).await;
        }
        self.clamp(flag, to.clone(), &because);
        self.note("honesty", "demoted", serde_json::json!({ "flag": flag, "because": because }));
        self.say_all(EventBody::CapabilityDemoted { flag: flag.to_owned(), to, because }).await;
        self.announce().await;
    }

    /// A turn ended after our interrupt, in time.
    pub(super) async fn interrupt_held(&mut self) {
        if !std::mem::take(&mut self.interrupt_held) {
            return;
        }
        let (digest, version) = (self.start.generation.digest().to_owned(), self.provider_version());
        if let Err(error) = self.shared.store.promise_kept(&digest, &version, INTERRUPT).await {
            self.store_failed(&error);
        }
    }

    /// What earlier sessions found counts from the start, and again once the handshake tells the program's version: what was
    /// found with another one does not count then.
    pub(super) async fn recall_doubts(&mut self) {
        let (digest, version) = (self.start.generation.digest().to_owned(), self.provider_version());
        match self.shared.store.demotions(Some((&digest, &version))).await {
            Ok(known) => {
                self.capabilities.unclamp(ClampedBy::Honesty);
                let counts = known.into_iter().filter(Demotion::counts);
                counts.for_each(|one| self.clamp(&one.flag, one.to, &one.because));
            }
            Err(error) => self.store_failed(&error),
        }
    }

    /// A version that the plugin was never tested with is said once in a session: what the two share works.
    pub(super) async fn say_untested(&mut self) {
        let version = self.provider_version();
        if std::mem::replace(&mut self.version_told, version.clone()) == version {
            return;
        }
        if let Some(tested) = self.start.generation.manifest().not_tested(&version) {
            let text =
                format!("the provider's program is version {version}; tested with {tested}, what they share works");
            self.diagnose("untested-version", &text).await;
        }
    }

    fn clamp(&mut self, flag: &str, to: CapabilityValue, because: &str) {
        let clamp = Clamp { name: flag.to_owned(), to, by: ClampedBy::Honesty, because: because.to_owned() };
        self.capabilities.clamp(clamp);
    }

    fn plugin(&self) -> String {
        self.start.generation.manifest().full_name()
    }

    fn provider_version(&self) -> String {
        self.capabilities.provider_version().unwrap_or_default().to_owned()
    }
}
