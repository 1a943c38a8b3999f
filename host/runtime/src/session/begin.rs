//! How a session begins, and what it says of itself: who is at work, what it can do. What concerns the session is said in each thread.

use super::Operation;
use super::ops::Purpose;
use super::outlet::fault;
use super::task::Task;
use crate::mint;
use jackfield_core::contract::{CommandBody, FaultKind, Pairs, StartSession};
use jackfield_core::event::EventBody;
use jackfield_core::hints::hints;
use jackfield_core::policy::Handling;

/// The seat that a session is begun for.
pub(super) const FIRST: usize = 0;

impl Task {
    /// Says who is at work and what it can do, at the start and whenever that changes.
    pub(super) async fn announce(&mut self) {
        let effective = self.capabilities.effective();
        self.normalizer.set_handling(Handling::of(&effective.capabilities, &self.shared.policy));
        let view = self.capabilities.view(hints(&effective.capabilities, &self.shared.policy));
        for conflict in effective.conflicts {
            self.say_all(EventBody::CapabilityConflict { stronger: conflict.stronger, weaker: conflict.weaker }).await;
        }
        for name in effective.mistyped {
            self.diagnose(
                "capability-mistyped",
                &format!("the capability '{name}' has a value of the wrong type; it counts as its weakest"),
            )
            .await;
        }
        self.view.send_replace(Some(view.clone()));
        for at in self.seated() {
            self.keep_capabilities(at).await;
        }
        self.say_all(EventBody::CapabilitiesUpdated { capabilities: view }).await;
        for at in self.seated() {
            if self.seats[at].rules_said.is_some() {
                self.say_rules(at).await;
            }
        }
    }

    async fn keep_capabilities(&mut self, at: usize) {
        if self.only_asks() {
            return;
        }
        let stored = serde_json::to_string(&self.capabilities).unwrap_or_default();
        let start = &self.seats[at].start;
        if let Err(error) = self.shared.store.set_session_capabilities(&start.session, start.epoch, stored).await {
            self.store_failed(&error);
        }
    }

    /// A thread has its seat: its log says so, and what earlier sessions left of it is known.
    pub(super) async fn take_up(&mut self, at: usize) {
        let start = self.seats[at].start.clone();
        let thread = start.log.thread();
        // A store that can't be read ends the session by its own way; a turn's number is not worth a word.
        let last = self.shared.store.last_turn(thread).await.unwrap_or(0);
        self.normalizer.count_turns_from(thread, last);
        self.normalizer.await_again(thread, start.survivors.clone());
        let manifest = self.start.generation.manifest();
        let started = EventBody::SessionStarted {
            session: start.session.clone(),
            epoch: start.epoch,
            plugin: manifest.full_name(),
            plugin_version: manifest.version.to_string(),
            digest: self.start.generation.digest().to_owned(),
            resumed: start.cursor.is_some(),
            shares: (start.session != self.start.session).then(|| self.start.session.clone()),
        };
        tracing::debug!(session = %start.session, epoch = start.epoch, on = %self.start.session, "session starts");
        self.say(at, None, started).await;
        if self.view.borrow().is_some() {
            self.keep_capabilities(at).await;
        }
    }

    /// The first command of a session, for the seat that it is begun for.
    pub(super) async fn begin(&mut self) {
        self.take_up(FIRST).await;
        self.recall_doubts().await;
        self.begin_watch().await;
        self.announce().await;
        let body = CommandBody::Start(StartSession {
            role: self.start.role,
            folder: self.start.folder.display().to_string(),
            options: serde_json::Value::Object(self.start.instance.options.clone()).to_string(),
            epoch: self.start.epoch,
            seed: mint::seed(&self.start.session, self.start.epoch),
            selection: self.start.instance.selection.clone(),
            extra: Pairs::new(),
        });
        self.command(FIRST, Purpose::Start, None, body, None).await;
    }

    /// Between the session's start and its thread: the MCP servers that the operator configured.
    pub(super) async fn started(&mut self) {
        if self.only_asks() {
            return self.takes_questions();
        }
        let servers = self.start.instance.mcp_servers.clone();
        if servers.is_empty() {
            return self.give_tools().await;
        }
        if let Some(decision) = self.first_not_native(Operation::SetMcpServers(servers.clone()).intents()) {
            let reason = format!("MCP servers are configured for this instance, and {}", decision.reason());
            return self.start_failed(fault(FaultKind::Unsupported, reason));
        }
        let servers = self.outlet.secrets().marked(servers);
        Box::pin(self.command(FIRST, Purpose::McpServers, None, CommandBody::SetMcpServers(servers), None)).await;
    }
}
