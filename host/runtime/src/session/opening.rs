//! How a thread is opened: with the operator's instructions where the provider takes them, and before its first message
//! where it can be. What is not done as the operator asked is said.

use super::ops::Purpose;
use super::task::{Phase, Task};
use jackfield_core::contract::{CommandBody, ContextPart, ContextRole, OpenThread, Pairs};
use jackfield_core::policy::{Decision, Intent, Strategy};

/// Settings by which an operator limits what a provider may do.
const LIMITING: &[&str] = &["mode", "approvals", "sandbox"];

impl Task {
    pub(super) async fn open_thread(&mut self, at: usize) {
        self.say_who_enforces(at).await;
        self.say_rules(at).await;
        if self.ending.is_some() || !self.seats[at].stays() {
            return;
        }
        self.expect_thread(at).await;
        let context = self.instructions(at).await;
        let with_first_message =
            self.seats[at].start.cursor.is_none() && self.decides(Intent::CreateEmptyThread) != Decision::Native;
        let body = CommandBody::OpenThread(OpenThread {
            cursor: self.seats[at].start.cursor.clone(),
            selection: self.start.instance.selection.clone(),
            context,
            folder: None,
            extra: Pairs::new(),
        });
        let thread = self.seats[at].start.native_id.clone();
        // Of the first one the handshake's deadline is.
        let further = self.phase != Phase::Starting && !with_first_message;
        let purpose = Purpose::OpenThread;
        let deadline = self.after(purpose.within(&self.shared.limits).0).filter(|_| further);
        Box::pin(self.command(at, purpose, thread, body, deadline)).await;
        // The provider makes the thread when it has something to say in it.
        self.seats[at].opens_with_message = with_first_message;
    }

    /// A conversation that is resumed beside others is known by its id before its provider tells of it: what is told until the command is
    /// answered is its own.
    async fn expect_thread(&mut self, at: usize) {
        let Some(native) = self.seats[at].start.native_id.clone().filter(|_| self.phase != Phase::Starting) else {
            return;
        };
        let ours = self.seats[at].thread().clone();
        if self.normalizer.bound_to(&native).is_none_or(|thread| *thread == ours) {
            let bound = self.normalizer.bind_thread(&native, ours);
            self.emit(bound).await;
        }
    }

    async fn say_who_enforces(&mut self, at: usize) {
        let limits = self.start.instance.selection.iter().any(|(name, _)| LIMITING.contains(&name.as_str()));
        let decision = self.decides(Intent::EnforceModes);
        if limits && decision != Decision::Native {
            self.say_decision(at, None, Intent::EnforceModes, decision).await;
        }
    }

    /// The operator's instructions, in the highest rank that the provider takes. Those in the person's name go with the first
    /// message of a conversation; one that is resumed has them.
    async fn instructions(&mut self, at: usize) -> Vec<ContextPart> {
        let Some(text) = self.start.instance.instructions.clone() else { return Vec::new() };
        let decision = self.decides(Intent::GiveSystemContext);
        let role = match &decision {
            Decision::Native => ContextRole::System,
            Decision::Degraded { strategy: Strategy::DeveloperContext, .. } => ContextRole::Developer,
            Decision::Degraded { .. } => ContextRole::User,
            Decision::Unsupported { .. } | Decision::Blocked { .. } => {
                self.say_decision(at, None, Intent::GiveSystemContext, decision).await;
                return Vec::new();
            }
        };
        if decision != Decision::Native {
            self.say_decision(at, None, Intent::GiveSystemContext, decision).await;
        }
        let part = ContextPart { role, text };
        match role {
            ContextRole::User if self.seats[at].start.cursor.is_none() => {
                self.seats[at].first_context = vec![part];
                Vec::new()
            }
            ContextRole::User => Vec::new(),
            _ => vec![part],
        }
    }
}
