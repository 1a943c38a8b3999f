//! What a session says: events through the log, the policy's decisions, words for the journal, records for the audit file.

use super::outlet::fault;
use super::task::Task;
use crate::audit::{Record, Verdict};
use crate::clock;
use crate::journal::Entry;
use crate::store::StoreError;
use jackfield_core::contract::{self, FaultKind};
use jackfield_core::event::{EventBody, SessionEnd};
use jackfield_core::id::RunId;
use jackfield_core::normalizer::{Routed, SessionEnded};
use jackfield_core::policy::{Decision, Intent, decide};

impl Task {
    /// Numbers, stores and shows what the normalizer made, and keeps the host's own books by it.
    pub(super) async fn emit(&mut self, routed: Vec<Routed>) {
        for mut one in routed {
            // Of a thread that was let go nothing is said any more.
            let Some(at) = self.seat_of(&one.thread) else { continue };
            self.judge(&mut one.draft);
            self.watch_calls(&one.draft);
            if let Some(body) = self.seats[at].run_guard.see(&mut one.draft, clock::now_ms()) {
                let mut draft: jackfield_core::event::Draft = body.into();
                draft.run.clone_from(&one.draft.run);
                self.emit_one(at, Routed { thread: one.thread.clone(), draft }).await;
            }
            self.emit_one(at, one).await;
        }
    }

    async fn emit_one(&mut self, at: usize, one: Routed) {
        if let Err(error) = self.store_one(at, one).await {
            self.store_failed(&error);
        }
    }

    async fn store_one(&mut self, at: usize, one: Routed) -> Result<(), StoreError> {
        let mut entry = self.keep_books(at, &one);
        if let Some(first) = entry.take_if(|entry| entry.comes_first()) {
            self.enter(first).await?;
        }
        self.seats[at].start.log.emit(clock::now_ms(), one.draft).await?;
        match entry {
            Some(entry) => self.enter(entry).await,
            None => Ok(()),
        }
    }

    /// The store says so once it has failed for good; what the plugin still wishes is then not carried out.
    pub(super) fn store_is_broken(&mut self) -> bool {
        let failed = self.store_health.borrow().clone();
        if let Some(error) = &failed {
            self.store_failed(error);
        }
        failed.is_some()
    }

    /// Nothing can be kept any more, so nothing more is done.
    pub(super) fn store_failed(&mut self, error: &StoreError) {
        self.ending.get_or_insert_with(|| {
            SessionEnded::new(SessionEnd::PluginFailed, Some(fault(FaultKind::Internal, error.to_string())))
        });
    }

    /// An event of the host's own.
    pub(super) async fn say(&mut self, at: usize, run: Option<RunId>, body: EventBody) {
        let mut draft: jackfield_core::event::Draft = body.into();
        draft.run = run;
        let thread = self.seats[at].thread().clone();
        self.emit(vec![Routed { thread, draft }]).await;
    }

    /// What concerns the session: said in each thread.
    pub(super) async fn say_all(&mut self, body: EventBody) {
        for at in self.seated() {
            self.say(at, None, body.clone()).await;
        }
    }

    /// What the policy says, for what the session can do now.
    pub(super) fn decides(&self, intent: Intent) -> Decision {
        decide(&intent, &self.capabilities.effective().capabilities, &self.shared.policy)
    }

    /// The first of these that the provider does not do itself.
    pub(super) fn first_not_native(&self, intents: Vec<Intent>) -> Option<Decision> {
        intents.into_iter().map(|intent| self.decides(intent)).find(|decision| *decision != Decision::Native)
    }

    /// Says that something else is done than what was asked, or nothing.
    pub(super) async fn say_decision(&mut self, at: usize, run: Option<RunId>, intent: Intent, decision: Decision) {
        self.say(at, run, EventBody::PolicyDecided { intent: intent.name().into(), decision }).await;
    }

    pub(super) async fn diagnose(&mut self, code: &str, text: &str) {
        self.diagnose_as(contract::Level::Warning, code, text).await;
    }

    pub(super) async fn diagnose_as(&mut self, level: contract::Level, code: &str, text: &str) {
        if let Some(body) = self.diagnostics.add(level, code, text) {
            self.say_all(body).await;
        }
    }

    pub(super) fn decided(&mut self, what: &str, about: u64, rule: &str) {
        // A decision that can't be journaled shows at the next batch, which fails for the same reason.
        let _ = self.journal.append(Entry::Decided { what: what.to_owned(), about, rule: rule.to_owned() });
    }

    /// An audit record of something that nobody decided.
    pub(super) fn note(&self, kind: &str, rule: &str, facts: serde_json::Value) {
        let _ = self.shared.audit.write(&Record {
            kind,
            verdict: Verdict::Noted,
            rule,
            plugin: &self.start.generation.manifest().full_name(),
            digest: self.start.generation.digest(),
            session: self.start.session.as_str(),
            facts,
        });
    }
}
