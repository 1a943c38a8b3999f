//! Tokens and money, as far as the agent tells them.

use jackfield_sdk::prelude::*;
use serde_json::Value;

use crate::data::Data;
use crate::dialect::AcpDialect;
use crate::session::Acp;

/// The protocol's names of counts, and the contract's.
const COUNTS: [(&str, &str); 5] = [
    ("/usage/inputTokens", "input"),
    ("/usage/outputTokens", "output"),
    ("/usage/cachedReadTokens", "cache-read"),
    ("/usage/cachedWriteTokens", "cache-write"),
    ("/usage/thoughtTokens", "reasoning"),
];

/// The usage in a prompt's answer.
pub(crate) fn of_result(data: &Data, result: &Value) -> Option<Usage> {
    let own = data.pointers.usage.iter().map(|(name, pointer)| (pointer.as_str(), name.as_str()));
    let counts = COUNTS.into_iter().chain(own).filter_map(|(pointer, name)| {
        let count = result.pointer(pointer)?.as_f64()?;
        Some((name.to_owned(), count))
    });
    let counts: Numbers = counts.collect();
    let span = if data.usage_is_of_call { UsageSpan::Call } else { UsageSpan::Turn };
    (!counts.is_empty()).then_some(Usage { span, counts })
}

impl<D: AcpDialect> Acp<D> {
    /// The usage of this turn alone, where the agent tells the sum of all; none when nothing was added.
    pub(crate) fn usage_of_turn(&mut self, id: &str, usage: Usage) -> Option<Usage> {
        if !self.data.usage_adds_up {
            return Some(usage);
        }
        let conversation = self.conversations.get_mut(id)?;
        let before = std::mem::replace(&mut conversation.used, usage.counts.clone());
        let earlier = |name: &str| before.iter().find(|(other, _)| other == name).map_or(0.0, |(_, count)| *count);
        let counts: Numbers = usage
            .counts
            .into_iter()
            .map(|(name, count)| {
                let own = count - earlier(&name);
                (name, own)
            })
            .collect();
        counts.iter().any(|(_, count)| *count > 0.0).then_some(Usage { counts, ..usage })
    }
}

/// The usage of the conversation, in an update.
pub(crate) fn of_update(update: &Value) -> Option<Usage> {
    let number = |pointer: &str| update.pointer(pointer).and_then(Value::as_f64);
    let dollars = update.pointer("/cost/currency").and_then(Value::as_str) == Some("USD");
    let counts = [
        ("context-used", number("/used")),
        ("context-window", number("/size")),
        ("cost-usd", number("/cost/amount").filter(|_| dollars)),
    ];
    let counts: Numbers = counts.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?))).collect();
    (!counts.is_empty()).then_some(Usage { span: UsageSpan::Thread, counts })
}
