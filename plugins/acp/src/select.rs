//! Choosing settings: one call after the other, each when the one before was taken.

use jackfield_sdk::prelude::*;
use serde_json::Value;

use crate::answer::{Call, Why};
use crate::dialect::AcpDialect;
use crate::session::Acp;
use crate::wire::{Opened, read};

/// So many milliseconds a message waits for the choice of a setting that came along with it.
const HOLDS_UP_MS: f64 = 10_000.0;

impl<D: AcpDialect> Acp<D> {
    /// The command `set-selection`. Before there is a conversation it is kept for those to come.
    pub(crate) fn select(&mut self, cx: &mut Cx, op: u32, thread: Option<String>, pairs: Pairs) {
        if thread.is_none() && self.conversations.is_empty() {
            for (name, value) in pairs {
                self.wanted.retain(|(other, _)| *other != name);
                self.wanted.push((name, value));
            }
            return cx.done(op, OpValue::Applied(Applies::Now));
        }
        match self.of(thread) {
            Ok(id) => {
                cx.hold(op);
                self.set_next(cx, &id, Why::Command(op), pairs);
            }
            Err(fault) => cx.fail(op, fault),
        }
    }

    /// The command `list-settings`.
    pub(crate) fn list_settings(&mut self, cx: &mut Cx, op: u32, thread: Option<String>) {
        match self.of(thread) {
            Ok(id) => {
                let settings = self.conversations.get(&id).map(|conversation| conversation.settings.to_settings());
                cx.done(op, OpValue::Settings(settings.unwrap_or_default()));
            }
            Err(_) => {
                let text = format!(
                    "{} tells its settings only within a conversation. Begin one; a value that it does not have is refused \
                     with those that it has.",
                    self.data.label
                );
                cx.fail(op, Fault::new(FaultKind::Conflict, text));
            }
        }
    }

    /// Chooses the next of these, or ends the choosing.
    pub(crate) fn set_next(&mut self, cx: &mut Cx, id: &str, why: Why, mut pairs: Pairs) {
        loop {
            let Some(conversation) = self.conversations.get(id) else { return };
            if pairs.is_empty() {
                return self.all_set(cx, id, why);
            }
            let (name, value) = pairs.remove(0);
            match conversation.settings.call(&self.data, &name, &value) {
                Ok(None) => {}
                Ok(Some((method, mut params, value))) => {
                    params["sessionId"] = id.into();
                    if why == Why::Along {
                        self.may_hold_up(cx, id);
                    }
                    self.ask(cx, method, params, Call::Set { id: id.to_owned(), why, name, value, rest: pairs });
                    return;
                }
                Err(fault) => return self.unset(cx, id, why, &name, pairs, fault),
            }
        }
    }

    pub(crate) fn set(
        &mut self,
        cx: &mut Cx,
        id: &str,
        why: Why,
        (name, value): (String, String),
        rest: Pairs,
        outcome: Result<Value, Fault>,
    ) {
        match outcome {
            Ok(reply) => {
                let Some(conversation) = self.conversations.get_mut(id) else { return };
                conversation.settings.set(&name, &value);
                // Other options may depend on this one.
                if let Some(options) = read::<Opened>(reply).config_options {
                    conversation.settings.offer_options(&self.data, options);
                }
                self.set_next(cx, id, why, rest);
            }
            Err(fault) => self.unset(cx, id, why, &name, rest, fault),
        }
    }

    /// A message waits for a choice: not for ever.
    fn may_hold_up(&mut self, cx: &mut Cx, id: &str) {
        let timer = cx.timer(HOLDS_UP_MS);
        if let Some(conversation) = self.conversations.get_mut(id) {
            conversation.choosing = timer;
        }
    }

    /// The choice that came along with a message is not answered: the message goes without it.
    pub(crate) fn chosen_in_vain(&mut self, cx: &mut Cx, id: &str) {
        if self.conversations.get(id).is_some_and(|found| found.waiting.is_some()) {
            let text =
                format!("{} does not answer the choice of a setting; the message went without it.", self.data.label);
            let note = Note::new(Level::Warning, "config", text);
            cx.event_in(self.scope(id), EventBody::Note(note));
            self.say_waiting(cx, id);
        }
    }

    fn all_set(&mut self, cx: &mut Cx, id: &str, why: Why) {
        match why {
            Why::Open(op) => self.opened(cx, op, id),
            Why::Command(op) => {
                cx.done(op, OpValue::Applied(Applies::Now));
                self.tell_settings(cx, id);
            }
            Why::Along => {
                self.tell_settings(cx, id);
                self.say_waiting(cx, id);
            }
        }
    }

    fn unset(&mut self, cx: &mut Cx, id: &str, why: Why, name: &str, rest: Pairs, fault: Fault) {
        match why {
            Why::Open(op) => self.not_opened(cx, op, id, fault),
            Why::Command(op) => cx.fail(op, fault),
            Why::Along => {
                let text = format!("{} did not take the {name}: {}", self.data.label, fault.message);
                let note = Note { fault: Some(fault), ..Note::new(Level::Warning, "config", text) };
                cx.event_in(self.scope(id), EventBody::Note(note));
                self.set_next(cx, id, why, rest);
            }
        }
    }

    /// Tells the settings, when they are not as they were told last.
    pub(crate) fn tell_settings(&mut self, cx: &mut Cx, id: &str) {
        let Some(conversation) = self.conversations.get_mut(id).filter(|found| !found.opening) else { return };
        let settings = conversation.settings.to_settings();
        if settings != conversation.told {
            conversation.told.clone_from(&settings);
            cx.event_in(self.scope(id), EventBody::Settings(settings));
        }
    }
}
