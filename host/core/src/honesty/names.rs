//! Has each thing the id that it is said to have? A thing without one contradicts the promise by itself.

use super::Finding;
use crate::contract::{Event, EventBody, ItemBody, TextKind};

/// What is missing in one event.
pub(super) fn told(event: &Event) -> Option<Finding> {
    match &event.body {
        EventBody::Items(items) => {
            let unnamed = items.iter().any(|item| matches!(item.body, ItemBody::Tool(_)) && item.id.is_none());
            unnamed.then(|| Finding::off("tools.exposes-tool-item-ids", "a tool came without an id"))
        }
        EventBody::Delta(delta) if delta.kind == TextKind::Plan && delta.id.is_none() => {
            Some(Finding::off("planning.plan-deltas-have-item-ids", "a piece of a plan did not name the plan"))
        }
        EventBody::RequestsOpened(requests) => {
            let flag = "approvals.approvals-have-native-request-ids";
            requests.iter().any(|one| one.id.is_empty()).then(|| Finding::off(flag, "a request came without an id"))
        }
        EventBody::Threads(threads) => {
            let flag = "threads.exposes-native-thread-id";
            threads.iter().any(|one| one.id.is_empty()).then(|| Finding::off(flag, "a thread came without an id"))
        }
        _ => None,
    }
}
