//! What a turn used: tokens, the context window, money. Only what the program's own frames tell: asking it costs 35 calls of its service.

use jackfield_sdk::prelude::*;

use crate::wire::Tokens;
use crate::wire_session::TurnResult;

/// What a result tells of its turn, and of the session so far.
pub(crate) fn of_turn(cx: &mut Cx, result: &TurnResult) {
    let mut counts = result.usage.as_ref().map(token_counts).unwrap_or_default();
    let window = result
        .model_usage
        .values()
        .filter_map(|model| model.context_window)
        .fold(None, |max: Option<f64>, window| Some(max.map_or(window, |max| max.max(window))));
    counts.extend(window.map(|window| ("context-window".to_owned(), window)));
    if !counts.is_empty() {
        cx.event(EventBody::Usage(Usage { span: UsageSpan::Turn, counts }));
    }
    if let Some(cost) = result.total_cost_usd {
        let counts = vec![("cost-usd".to_owned(), cost)];
        cx.event(EventBody::Usage(Usage { span: UsageSpan::Session, counts }));
    }
}

/// Counts by the contract's names.
pub(crate) fn token_counts(tokens: &Tokens) -> Numbers {
    let named = [
        ("input", tokens.input_tokens),
        ("cache-read", tokens.cache_read_input_tokens),
        ("cache-write", tokens.cache_creation_input_tokens),
        ("output", tokens.output_tokens),
    ];
    named.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?))).collect()
}
