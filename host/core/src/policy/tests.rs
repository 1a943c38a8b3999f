//! What is promised of the policy: total, live for every flag, and never at odds with the hints.

use super::*;
use crate::capability::{FLAGS, Flag, flag};
use crate::hints::{HintState, hints};
use proptest::prelude::*;

fn all(capabilities: &Capabilities, config: &PolicyConfig) -> Vec<Decision> {
    Intent::ALL.iter().map(|intent| decide(intent, capabilities, config)).collect()
}

fn strategy_of(intent: Intent, capabilities: &Capabilities, config: &PolicyConfig) -> &'static str {
    match decide(&intent, capabilities, config) {
        Decision::Native => "native",
        Decision::Degraded { strategy, .. } => strategy.code(),
        Decision::Unsupported { .. } => "unsupported",
        Decision::Blocked { .. } => "blocked",
    }
}

fn without(names: &[&str]) -> Capabilities {
    let mut capabilities = Capabilities::strongest();
    names.iter().for_each(|name| flag(name).expect("a flag").weaken(&mut capabilities));
    capabilities
}

#[test]
fn the_strongest_provider_does_everything_itself() {
    let decisions = all(&Capabilities::strongest(), &PolicyConfig::default());
    assert!(decisions.iter().all(|decision| *decision == Decision::Native), "{decisions:?}");
}

/// A capability that changes no decision would be a dead one: alone, or where another one is missing for which it stands
/// in. The longest handoff is a number, not a decision.
#[test]
fn every_flag_is_live() {
    let config = PolicyConfig::default();
    let strongest = all(&Capabilities::strongest(), &config);
    for row in FLAGS.iter().filter(|row| row.field != "max_recommended_handoff_chars") {
        let name = row.name();
        let alone = all(&without(&[&name]), &config) != strongest;
        let stands_in = || {
            let mut others = FLAGS.iter().map(Flag::name);
            others.any(|other| all(&without(&[&other]), &config) != all(&without(&[&other, &name]), &config))
        };
        assert!(alone || stands_in(), "{name} changes nothing");
    }
    let limits = Limits::default();
    assert_eq!(handoff_chars(&Capabilities::default(), &limits), limits.handoff_chars);
    assert_eq!(handoff_chars(&Capabilities::strongest(), &limits), u64::from(u32::MAX));
}

#[test]
fn names_are_stable_and_unique() {
    let names: std::collections::BTreeSet<_> = Intent::ALL.iter().map(|intent| intent.name()).collect();
    assert_eq!(names.len(), Intent::ALL.len());
    for intent in Intent::ALL {
        assert_eq!(serde_json::to_value(intent).expect("plain data"), intent.name());
    }
}

/// The rows that the design names, each with what is missing and what is allowed.
#[test]
fn what_happens_instead() {
    let open = PolicyConfig::default();
    let closed = PolicyConfig {
        stop_session_on_interrupt: false,
        interrupt_restart: false,
        host_queue: false,
        restart_on_switch: false,
        fresh_thread_on_switch: false,
        synthetic_forks: false,
        synthetic_user_context: false,
        local_summaries: false,
        run_without_approvals: false,
        divergent_rollback: false,
        ..PolicyConfig::default()
    };
    let queue = "turns.supports-queued-messages";
    let steer = "turns.supports-active-steering";
    let cases: &[(Intent, &[&str], &str, &str)] = &[
        (Intent::Interrupt, &["turns.supports-interrupt"], "stop-session", "unsupported"),
        (
            Intent::InterruptTurnOnly,
            &["turns.interrupt-keeps-background-work"],
            "interrupt-everything",
            "interrupt-everything",
        ),
        (Intent::Steer, &["turns.active-steering-interrupts-tools"], "steer-and-stop-tools", "steer-and-stop-tools"),
        (Intent::Steer, &[steer], "interrupt-and-restart", "provider-queue"),
        (Intent::Steer, &[steer, "turns.supports-interrupt", queue], "host-queue", "unsupported"),
        (Intent::QueueMessage, &[queue], "host-queue", "unsupported"),
        (Intent::SwitchModel, &["sessions.supports-model-switch-in-session"], "restart-and-resume", "unsupported"),
        (
            Intent::SwitchMode,
            &["sessions.supports-runtime-mode-switch-in-session"],
            "restart-and-resume",
            "unsupported",
        ),
        (
            Intent::ShareSession,
            &["sessions.supports-multiple-provider-threads-per-session"],
            "session-per-thread",
            "session-per-thread",
        ),
        (Intent::Resume, &[], "native", "native"),
        (Intent::AnswerAfterRestart, &["sessions.pending-requests-survive-restart"], "unsupported", "unsupported"),
        (Intent::ForkAtTip, &["threads.can-fork-thread"], "synthetic-fork", "unsupported"),
        (Intent::ForkAtTip, &["identity.native-thread-ids"], "synthetic-fork", "unsupported"),
        (
            Intent::ForkAtTip,
            &["threads.can-fork-thread", "context.accepts-synthetic-user-context"],
            "unsupported",
            "unsupported",
        ),
        (Intent::ForkAtItem, &["threads.can-fork-from-item"], "fork-at-turn", "fork-at-turn"),
        (Intent::Rollback, &["threads.can-rollback-thread"], "restore-files-and-restart", "unsupported"),
        (
            Intent::Rollback,
            &["checkpointing.provider-rollback-returns-snapshot"],
            "rollback-and-reread",
            "rollback-and-reread",
        ),
        (
            Intent::NestedCheckpoint,
            &["checkpointing.supports-nested-checkpoint-scopes"],
            "root-checkpoint",
            "root-checkpoint",
        ),
        (Intent::ReturnToProvider, &["context.supports-delta-handoff"], "full-handoff", "unsupported"),
        (Intent::SwitchProvider, &["context.can-consume-handoff-summaries"], "synthetic-user-context", "unsupported"),
        (
            Intent::SwitchProvider,
            &["context.can-consume-handoff-summaries", "context.accepts-synthetic-user-context"],
            "unsupported",
            "unsupported",
        ),
        (Intent::Summarize, &["context.can-generate-summaries"], "local-summary", "unsupported"),
        (Intent::ApproveCommand, &["approvals.supports-command-approval"], "sandbox-only", "unsupported"),
        (Intent::ShowTodo, &["planning.emits-todo-list"], "assistant-text", "assistant-text"),
        (Intent::OpenSubagent, &["subagents.exposes-subagent-thread-ids"], "nested-nodes", "nested-nodes"),
        (Intent::JudgeTurn, &["turns.terminal-status-quality"], "from-process", "from-process"),
        (Intent::EndMessage, &["streaming.emits-message-completed"], "synthesize", "synthesize"),
        (Intent::PromptAfterTurn, &["identity.native-turn-ids"], "wait-for-drain", "wait-for-drain"),
        (Intent::Compact, &["context.supports-compact"], "unsupported", "unsupported"),
        (Intent::Clear, &["context.supports-clear"], "unsupported", "unsupported"),
        (Intent::Attach, &["input.accepts-attachments"], "unsupported", "unsupported"),
    ];
    for (intent, missing, when_open, when_closed) in cases {
        let capabilities = without(missing);
        assert_eq!(strategy_of(*intent, &capabilities, &open), *when_open, "{intent:?} without {missing:?}");
        assert_eq!(
            strategy_of(*intent, &capabilities, &closed),
            *when_closed,
            "{intent:?} without {missing:?}, closed"
        );
    }
}

#[test]
fn a_rule_blocks_whatever_the_provider_can() {
    let blocked = [("fork-at-tip".to_owned(), "no-forks".to_owned())].into();
    let config = PolicyConfig { blocked, ..PolicyConfig::default() };
    let decision = decide(&Intent::fork(ForkPoint::Tip), &Capabilities::strongest(), &config);
    assert_eq!(decision, Decision::Blocked { rule: "no-forks".into() });
    let hint = hints(&Capabilities::strongest(), &config).into_iter().find(|hint| hint.operation == "fork-at-tip");
    assert_eq!(hint.expect("there is one").state, HintState::BlockedByPolicy { rule: "no-forks".into() });
}

proptest! {
    /// A button can never disagree with what happens, for any provider under any configuration.
    #[test]
    fn hints_agree_with_decisions(weak in prop::collection::vec(any::<bool>(), FLAGS.len()), rules in any::<[bool; 8]>(), blocked in 0..Intent::ALL.len()) {
        let mut capabilities = Capabilities::strongest();
        FLAGS.iter().zip(weak).filter(|(_, weak)| *weak).for_each(|(row, _)| row.weaken(&mut capabilities));
        let config = PolicyConfig {
            stop_session_on_interrupt: rules[0], interrupt_restart: rules[1], host_queue: rules[2], restart_on_switch: rules[3],
            synthetic_forks: rules[4], synthetic_user_context: rules[5], local_summaries: rules[6], run_without_approvals: rules[7],
            blocked: [(Intent::ALL[blocked].name().to_owned(), "rule".to_owned())].into(), ..PolicyConfig::default()
        };
        let hints = hints(&capabilities, &config);
        let shown: Vec<_> = Intent::ALL.iter().filter(|intent| intent.is_for_users()).collect();
        prop_assert_eq!(hints.len(), shown.len());
        for (hint, intent) in hints.iter().zip(shown) {
            prop_assert_eq!(&hint.operation, intent.name());
            let agrees = matches!(
                (&hint.state, decide(intent, &capabilities, &config)),
                (HintState::Available, Decision::Native) | (HintState::Fallback { .. }, Decision::Degraded { .. })
                    | (HintState::Unavailable { .. }, Decision::Unsupported { .. }) | (HintState::BlockedByPolicy { .. }, Decision::Blocked { .. })
            );
            prop_assert!(agrees, "{:?}", hint);
        }
    }
}
