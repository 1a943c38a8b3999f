//! What the program says beside the conversation: warnings, another model, a thread's name, settings.

use jackfield_sdk::prelude::*;

use crate::handshake::DEFAULTS;
use crate::session::Codex;
use crate::wire::Notice;

impl Codex {
    /// `configWarning`. One says that the configuration was not read at all.
    pub(crate) fn config_warning(&mut self, cx: &mut Cx, notice: &Notice) {
        let summary = notice.summary.clone().unwrap_or_default();
        let text = match &notice.details {
            Some(details) => format!("{summary} {details}"),
            None => summary.clone(),
        };
        cx.event(EventBody::Note(Note::new(Level::Warning, "config", &text)));
        if summary.starts_with(DEFAULTS) {
            self.misconfigured(cx, notice.details.as_deref().unwrap_or(&summary));
        }
    }

    /// `warning`.
    pub(crate) fn warning(&mut self, cx: &mut Cx, notice: &Notice) {
        let scope = self.scope_of(notice);
        let text = notice.message.clone().unwrap_or_default();
        cx.event_in(scope, EventBody::Note(Note::new(Level::Warning, "warning", text)));
    }

    /// `deprecationNotice`: a word to us, who call the method.
    pub(crate) fn deprecated(cx: &mut Cx, notice: &Notice) {
        cx.diagnostic(Level::Info, "deprecated", notice.summary.clone().unwrap_or_default());
        cx.silent("deprecationNotice");
    }

    /// `model/rerouted`.
    pub(crate) fn rerouted(&mut self, cx: &mut Cx, notice: &Notice) {
        let name = |model: &Option<String>| model.clone().unwrap_or_else(|| "another model".into());
        let text = format!("{} answers instead of {}.", name(&notice.to_model), name(&notice.from_model));
        let scope = self.scope_of(notice);
        cx.event_in(scope, EventBody::Note(Note::new(Level::Info, "model-rerouted", text)));
    }

    /// `thread/name/updated`.
    pub(crate) fn named(&mut self, cx: &mut Cx, id: &str, notice: &Notice) {
        let Some(thread) = self.threads.get_mut(id) else { return };
        thread.title = notice.thread_name.clone();
        let state = if thread.open.is_some() { ThreadState::Active } else { ThreadState::Idle };
        let told = thread.to_thread(state);
        cx.event(EventBody::Threads(vec![told]));
    }

    /// `thread/settings/updated`.
    pub(crate) fn settings_told(&mut self, cx: &mut Cx, id: &str, notice: &Notice) {
        let Some(thread) = self.threads.get_mut(id) else { return };
        let changed = notice.thread_settings.as_ref().is_some_and(|told| thread.settings.told(told));
        if !changed {
            return cx.silent("thread/settings/updated");
        }
        let settings = thread.settings.to_settings(&self.models);
        let scope = self.scope(id, None);
        cx.event_in(scope, EventBody::Settings(settings));
    }

    /// `thread/closed` and `thread/archived`, which we did not ask for.
    pub(crate) fn closed(&mut self, cx: &mut Cx, id: &str) {
        let Some(thread) = self.threads.get(id) else { return };
        let told = thread.to_thread(ThreadState::Closed);
        cx.event(EventBody::Threads(vec![told]));
    }

    /// Where a notice belongs that may name no thread.
    fn scope_of(&mut self, notice: &Notice) -> Option<Scope> {
        let id = notice.thread_id.as_deref()?;
        let known = self.threads.get(id).is_some() || self.agents.is(id);
        if known { self.scope(id, notice.turn_id.as_deref()) } else { None }
    }
}
