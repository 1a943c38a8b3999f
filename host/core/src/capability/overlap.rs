//! Flags that say the same thing twice. **When two of them disagree the weaker counts, and the disagreement is told.**

use super::{Capabilities, flag};
use serde::{Deserialize, Serialize};

/// Pairs of flags that say the same. A strength agrees with a flag that is set as long as it is not `none`.
pub const OVERLAPS: &[(&str, &str)] = &[
    ("threads.can-rollback-thread", "checkpointing.provider-can-rollback-conversation"),
    ("threads.can-read-thread-snapshot", "checkpointing.provider-can-read-conversation-snapshot"),
    ("threads.can-fork-from-subagent-thread", "subagents.can-fork-subagent-thread"),
    ("threads.exposes-native-thread-id", "identity.native-thread-ids"),
    ("turns.exposes-native-turn-id", "identity.native-turn-ids"),
    ("tools.exposes-tool-item-ids", "identity.native-item-ids"),
    ("approvals.approvals-have-native-request-ids", "identity.native-request-ids"),
    ("sessions.pending-requests-survive-restart", "approvals.approval-callbacks-are-live-only"),
];

/// Two overlapping flags disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The stronger flag, which does not count.
    pub stronger: String,
    /// The weaker one, which does.
    pub weaker: String,
}

/// Weakens the stronger flag of each pair that disagrees.
pub(super) fn settle(capabilities: &mut Capabilities) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    for (first, second) in OVERLAPS {
        let (Some(a), Some(b)) = (flag(first), flag(second)) else { continue };
        let (stronger, weaker) = match (a.is_more_than_weakest(capabilities), b.is_more_than_weakest(capabilities)) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            _ => continue,
        };
        stronger.weaken(capabilities);
        conflicts.push(Conflict { stronger: stronger.name(), weaker: weaker.name() });
    }
    conflicts
}
