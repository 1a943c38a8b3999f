//! A command that a declared capability promises, and that is answered otherwise: as unsupported, for later, with the same
//! thread again.

use super::{Finding, shown};
use crate::contract::Applies;

/// What each command rests on, by the host's name of it: where one flag alone promises it.
const PROMISES: &[(&str, &str)] = &[
    ("interrupt", "turns.supports-interrupt"),
    ("steer-run", "turns.supports-active-steering"),
    ("send-run-enqueued", "turns.supports-queued-messages"),
    ("send-run-attached", "input.accepts-attachments"),
    ("open-thread-empty", "threads.can-create-empty-thread"),
    ("open-thread-shared", SHARES),
    ("read-thread", "threads.can-read-thread-snapshot"),
    ("rollback-thread", "threads.can-rollback-thread"),
    ("fork-thread", "threads.can-fork-thread"),
    ("fork-thread-at-turn", "threads.can-fork-from-turn"),
    ("fork-thread-at-item", "threads.can-fork-from-item"),
    ("compact-thread", "context.supports-compact"),
    ("clear-thread", "context.supports-clear"),
    ("summarize", "context.can-generate-summaries"),
    ("set-mcp-servers", "tools.supports-mcp-tools"),
    ("register-tools", "tools.supports-dynamic-tool-callbacks"),
    ("set-mcp-servers-without-tools", "tools.supports-mcp-server-selection"),
    ("set-model", "sessions.supports-model-switch-in-session"),
    ("set-mode", "sessions.supports-runtime-mode-switch-in-session"),
    ("stop-task", "subagents.can-close-subagents"),
    ("wait-task", "subagents.can-wait-for-subagents"),
    ("list-settings", "sessions.lists-settings"),
];

/// The flag that says a session serves several threads.
const SHARES: &str = "sessions.supports-multiple-provider-threads-per-session";

/// Flags that a refusal breaks.
#[cfg(test)]
pub(super) fn flags() -> impl Iterator<Item = &'static str> {
    PROMISES.iter().map(|(_, flag)| *flag)
}

/// What follows when the command of this name is answered `unsupported`.
pub fn refused(command: &str) -> Option<Finding> {
    let (name, flag) = PROMISES.iter().find(|(name, _)| *name == command)?;
    Some(Finding::off(flag, format!("`{name}` was declared and answered as unsupported")))
}

/// A setting was to change in the session, and the plugin answered when it does. `command` as for [`refused`].
pub fn applied(command: &str, applies: Applies) -> Option<Finding> {
    let not_here = matches!(applies, Applies::AfterRestart | Applies::InNewThread);
    let (name, flag) = PROMISES.iter().find(|(name, flag)| *name == command && flag.ends_with("-in-session"))?;
    not_here.then(|| Finding::off(flag, format!("`{name}` was declared for a live session and answered for later")))
}

/// A thread was copied, and the copy has this id.
pub fn copied(from: Option<&str>, copy: &str) -> Option<Finding> {
    let same = from.is_some_and(|from| from == copy);
    let because = || format!("a copy has the id of the thread it was made of, {}", shown(copy));
    same.then(|| Finding::weak("identity.native-thread-ids", because()))
}

/// A thread was opened in a session that serves others, and it has the id of one of those: the session serves one after all.
pub fn one_of_two(id: &str) -> Finding {
    Finding::off(SHARES, format!("two threads of one session have the id {}", shown(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_promise_is_a_flag() {
        assert!(PROMISES.iter().all(|(_, flag)| crate::capability::flag(flag).is_some()));
        assert_eq!(refused("start"), None);
    }

    #[test]
    fn only_a_later_time_breaks_a_promise_of_now() {
        assert_eq!(applied("set-model", Applies::Now), None);
        assert_eq!(applied("set-model", Applies::NextTurn), None);
        assert!(applied("set-mode", Applies::AfterRestart).is_some());
        assert_eq!(applied("set-mcp-servers", Applies::AfterRestart), None, "servers were promised for no time");
    }

    #[test]
    fn a_copy_is_another_thread() {
        assert_eq!(copied(Some("a"), "b"), None);
        assert_eq!(copied(None, "b"), None);
        assert!(copied(Some("a"), "a").is_some());
    }
}
