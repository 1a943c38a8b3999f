//! The agent shortens its own context: said when it begins and how it ends, with the summary that took its place. In history it is of no
//! interest: what it came to is what stands there.

use jackfield_sdk::prelude::*;

use crate::content;
use crate::dialect::AcpDialect;
use crate::session::Acp;
use crate::wire::Compaction;

/// A shortening, as far as it was told.
#[derive(Debug, Default)]
pub(crate) struct Shortening {
    id: String,
    status: String,
    summary: String,
}

impl Shortening {
    /// Takes over what is told; what is left out stays as it was.
    fn take(&mut self, told: &Compaction) {
        if self.id != told.compaction_id {
            *self = Shortening { id: told.compaction_id.clone(), ..Shortening::default() };
        }
        if !told.summary.is_empty() {
            self.summary = told.summary.iter().map(words).collect();
        }
        self.summary.push_str(&words(&told.content));
    }
}

impl<D: AcpDialect> Acp<D> {
    /// `compaction_update`.
    pub(crate) fn compaction(&mut self, cx: &mut Cx, id: &str, told: Compaction) {
        let replays = self.replays(id);
        let Some(conversation) = self.conversations.get_mut(id) else { return };
        let known = &mut conversation.compaction;
        known.take(&told);
        let what = match told.status.as_str() {
            _ if replays || known.status == told.status => return,
            "in_progress" => ContextEffect::Compacting,
            "completed" => ContextEffect::Compacted,
            "failed" | "cancelled" => ContextEffect::CompactFailed,
            other => return cx.unknown(format!("compaction/{other}")),
        };
        known.status = told.status;
        let summary = told.error.or_else(|| Some(known.summary.clone()).filter(|summary| !summary.is_empty()));
        let change = ContextChange { automatic: true, summary, ..ContextChange::new(what) };
        cx.event_in(self.scope(id), EventBody::Context(change));
    }

    /// `compaction_summary_chunk`: what is told of one that nobody has announced begins it.
    pub(crate) fn compaction_piece(&mut self, cx: &mut Cx, id: &str, told: Compaction) {
        let is_new = self.conversations.get(id).is_some_and(|found| found.compaction.id != told.compaction_id);
        if is_new {
            return self.compaction(cx, id, Compaction { status: "in_progress".to_owned(), ..told });
        }
        if let Some(conversation) = self.conversations.get_mut(id) {
            conversation.compaction.take(&told);
        }
        cx.held();
    }
}

fn words(block: &serde_json::Value) -> String {
    match content::of_block(block) {
        Content::Text(text) => text,
        _ => String::new(),
    }
}
