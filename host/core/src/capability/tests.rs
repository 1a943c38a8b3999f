//! What is promised of capabilities: one table, weakest by default, the weaker wins, nothing unknown is lost.

use super::*;
use crate::hints::hints;
use crate::policy::PolicyConfig;
use std::collections::BTreeSet;

fn told(name: &str, value: CapabilityValue) -> Capability {
    Capability { name: name.into(), value }
}

fn set(capabilities: Vec<Capability>) -> CapabilitySet {
    CapabilitySet { revision: 0, provider_version: None, capabilities }
}

fn word(word: &str) -> CapabilityValue {
    CapabilityValue::Word(word.into())
}

#[test]
fn the_table_is_whole() {
    let names: BTreeSet<String> = FLAGS.iter().map(Flag::name).collect();
    assert_eq!(names.len(), FLAGS.len(), "each name once");
    // 66 flags of the source, 4 later ones, and 6 of the second source that have no counterpart among them.
    assert_eq!(FLAGS.len(), 76);
    assert!(names.contains("sessions.supports-multiple-provider-threads-per-session"));
    assert!(names.contains("context.max-recommended-handoff-chars"));
    assert!(names.contains("runtime.enforcement"));
    assert!(
        FLAGS.iter().all(|row| !row.doc.is_empty() && flag(&row.name()).is_some_and(|found| found.field == row.field))
    );
    assert!(flag("sessions.supports_model_switch_in_session").is_none(), "open names are kebab case");
}

#[test]
fn what_is_not_told_is_weakest() {
    let reading = Capabilities::read(&set(vec![]));
    assert_eq!(reading.capabilities, Capabilities::default());
    assert!(reading.capabilities.approvals.approval_callbacks_are_live_only);
    assert!(reading.capabilities.turns.active_steering_interrupts_tools);
    assert_eq!(reading.capabilities.runtime.enforcement, Enforcement::ClientBoundary);
}

#[test]
fn a_set_goes_there_and_back() {
    let mut all = Capabilities::strongest();
    all.unknown.push(told("acme.flies", CapabilityValue::Count(3)));
    let set = all.to_set(4, Some("1.2".into()));
    assert_eq!((set.revision, set.provider_version.as_deref()), (4, Some("1.2")));
    assert_eq!(Capabilities::read(&set).capabilities, all);
    assert!(Capabilities::default().to_set(0, None).capabilities.is_empty());
}

#[test]
fn every_flag_of_the_wrong_type_is_weakest() {
    for row in FLAGS {
        let wrong =
            if row.value_type == ValueType::Flag { CapabilityValue::Count(1) } else { CapabilityValue::Flag(true) };
        let strong = Capabilities::strongest().to_set(0, None).capabilities;
        let told =
            strong.into_iter().map(|one| if one.name == row.name() { told(&one.name, wrong.clone()) } else { one });
        let reading = Capabilities::read(&set(told.collect()));
        assert!(!row.is_more_than_weakest(&reading.capabilities), "{}", row.name());
        let was_told = (row.get)(&Capabilities::strongest()) != (row.weakest)();
        assert_eq!(reading.mistyped.contains(&row.name()), was_told, "{}", row.name());
    }
    let reading = Capabilities::read(&set(vec![told("identity.native-item-ids", word("very"))]));
    assert_eq!(reading.mistyped, ["identity.native-item-ids"]);
}

#[test]
fn told_twice_the_weaker_wins_in_either_order() {
    let cases = [
        (
            "turns.supports-interrupt",
            CapabilityValue::Flag(true),
            CapabilityValue::Flag(false),
            Some(CapabilityValue::Flag(false)),
        ),
        (
            "turns.active-steering-interrupts-tools",
            CapabilityValue::Flag(true),
            CapabilityValue::Flag(false),
            Some(CapabilityValue::Flag(true)),
        ),
        ("identity.native-item-ids", word("strong"), word("weak"), Some(word("weak"))),
        ("runtime.enforcement", word("native"), word("client-boundary"), Some(word("client-boundary"))),
        (
            "context.max-recommended-handoff-chars",
            CapabilityValue::Count(9),
            CapabilityValue::Count(5),
            Some(CapabilityValue::Count(5)),
        ),
        ("context.max-recommended-handoff-chars", CapabilityValue::Count(9), word("x"), None),
    ];
    for (name, one, two, wanted) in cases {
        for pair in [[one.clone(), two.clone()], [two.clone(), one.clone()]] {
            let reading = Capabilities::read(&set(pair.into_iter().map(|value| told(name, value)).collect()));
            assert_eq!((flag(name).expect("a flag").get)(&reading.capabilities), wanted, "{name}");
            assert_eq!(reading.repeated, [name]);
        }
    }
}

#[test]
fn of_two_that_overlap_the_weaker_counts_and_is_told() {
    for (first, second) in OVERLAPS {
        for (kept, lost) in [(first, second), (second, first)] {
            let mut all = Capabilities::strongest();
            flag(lost).expect("a flag").weaken(&mut all);
            let effective = Staged::new(all.to_set(0, None)).effective();
            let conflict = Conflict { stronger: (*kept).into(), weaker: (*lost).into() };
            assert_eq!(effective.conflicts, [conflict]);
            assert!(!flag(kept).expect("a flag").is_more_than_weakest(&effective.capabilities), "{kept}");
        }
    }
    assert!(Staged::new(Capabilities::strongest().to_set(0, None)).effective().conflicts.is_empty());
}

#[test]
fn a_weak_id_agrees_with_a_flag_that_is_set() {
    let capabilities = vec![
        told("threads.exposes-native-thread-id", CapabilityValue::Flag(true)),
        told("identity.native-thread-ids", word("weak")),
    ];
    let effective = Staged::new(set(capabilities)).effective();
    assert!(effective.conflicts.iter().all(|conflict| conflict.stronger != "threads.exposes-native-thread-id"));
    assert_eq!(effective.capabilities.identity.native_thread_ids, Strength::Weak);
}

#[test]
fn three_stages_and_a_version_that_rises() {
    let interrupt = |value| vec![told("turns.supports-interrupt", CapabilityValue::Flag(value))];
    let mut staged = Staged::new(set(interrupt(false)));
    assert_eq!((staged.version(), staged.stage()), (1, Stage::Declared));
    let negotiated = CapabilitySet { revision: 1, provider_version: Some("2.0".into()), capabilities: interrupt(true) };
    assert!(staged.negotiate(negotiated.clone()));
    assert_eq!((staged.version(), staged.stage()), (2, Stage::Negotiated));
    assert!(staged.effective().capabilities.turns.supports_interrupt, "the handshake may raise");
    assert!(staged.negotiate(negotiated.clone()));
    assert_eq!(staged.version(), 2, "the same again changes nothing");
    assert!(!staged.negotiate(CapabilitySet { revision: 0, ..negotiated }), "an older set is refused");
    let clamp = |value| Clamp {
        name: "turns.supports-interrupt".into(),
        to: CapabilityValue::Flag(value),
        by: ClampedBy::Honesty,
        because: "it never ended a turn".into(),
    };
    staged.clamp(clamp(true));
    assert!(staged.effective().capabilities.turns.supports_interrupt);
    staged.clamp(clamp(false));
    staged.clamp(clamp(false));
    assert_eq!((staged.version(), staged.stage()), (4, Stage::Clamped));
    assert!(!staged.effective().capabilities.turns.supports_interrupt, "a clamp only narrows");
    let text = serde_json::to_string(&staged).expect("it is stored");
    assert_eq!(serde_json::from_str::<Staged>(&text).expect("and read"), staged);
}

#[test]
fn a_view_shows_every_flag_and_the_unknown_ones() {
    let staged = Staged::new(set(vec![told("acme.flies", word("high"))]));
    let effective = staged.effective().capabilities;
    let view = staged.view(hints(&effective, &PolicyConfig::default()));
    assert_eq!(view.values.len(), FLAGS.len() + 1);
    assert_eq!(view.values["acme.flies"], "high");
    assert_eq!(view.values["turns.supports-interrupt"], false);
    assert!(view.values["context.max-recommended-handoff-chars"].is_null());
    let text = serde_json::to_string(&view).expect("events carry it");
    assert_eq!(serde_json::from_str::<CapabilityView>(&text).expect("and clients read it"), view);
}
