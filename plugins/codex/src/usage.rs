//! Tokens: of the thread so far, and how full its context is.

use jackfield_sdk::prelude::*;

use crate::session::Codex;
use crate::wire::{Notice, Tokens};

impl Codex {
    /// `thread/tokenUsage/updated`.
    pub(crate) fn used(&mut self, cx: &mut Cx, id: &str, notice: &Notice) {
        let Some(usage) = &notice.token_usage else { return cx.unknown("thread/tokenUsage/updated without counts") };
        let scope = self.scope(id, notice.turn_id.as_deref());
        cx.event_in(scope.clone(), EventBody::Usage(Usage { span: UsageSpan::Thread, counts: counts(&usage.total) }));
        let mut call = counts(&usage.last);
        call.push(("context-used".into(), usage.last.total_tokens));
        call.extend(usage.model_context_window.map(|window| ("context-window".to_owned(), window)));
        cx.event_in(scope, EventBody::Usage(Usage { span: UsageSpan::Call, counts: call }));
    }
}

/// The program counts cached tokens among the input; the contract does not.
fn counts(tokens: &Tokens) -> Numbers {
    let written = tokens.cache_write_input_tokens;
    let fresh = tokens.input_tokens - tokens.cached_input_tokens - written.unwrap_or(0.0);
    let named = [
        ("input", Some(fresh.max(0.0))),
        ("cache-read", Some(tokens.cached_input_tokens)),
        ("cache-write", written),
        ("output", Some(tokens.output_tokens)),
        ("reasoning", Some(tokens.reasoning_output_tokens)),
    ];
    named.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?))).collect()
}
