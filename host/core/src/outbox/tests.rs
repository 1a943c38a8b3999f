//! What is promised of messages on their way: one fate each, order kept, nothing lost and nothing sent twice.

use super::*;
use crate::capability::{Capabilities, flag};
use crate::policy::{Decision, PolicyConfig, Strategy};
use proptest::prelude::*;

fn run(number: u32) -> RunId {
    RunId::from_digits(&format!("b{number}"))
}

fn message(number: u32) -> Outgoing {
    Outgoing::new(run(number), number, vec![Content::Text(number.to_string())])
}

fn order(outbox: &Outbox) -> Vec<RunId> {
    outbox.list().into_iter().map(|waiting| waiting.run).collect()
}

#[test]
fn urgent_ones_go_first_and_keep_their_order() {
    let mut outbox = Outbox::default();
    for (number, urgent) in [(1, false), (2, true), (3, false), (4, true)] {
        outbox.add(Outgoing { urgent, ..message(number) });
    }
    assert_eq!(order(&outbox), [run(2), run(4), run(1), run(3)]);
}

#[test]
fn nothing_overtakes_a_message_whose_fate_is_open() {
    let mut outbox = Outbox::of(vec![message(2)]);
    outbox.hand(message(1), 7, Some(run(9)));
    assert_eq!(outbox.take_next(), None);
    assert_eq!(outbox.delivered(7, Delivered::Unknown), Some(Fate::Open));
    assert_eq!(outbox.take_next(), None);
    assert_eq!(outbox.delivered(7, Delivered::JoinedTurn), Some(Fate::Joined(message(1), Some(run(9)))));
    assert_eq!(outbox.delivered(7, Delivered::JoinedTurn), None, "one fate");
    assert_eq!(outbox.take_next(), Some(message(2)));
}

#[test]
fn one_that_came_too_late_goes_before_those_that_wait() {
    let mut outbox = Outbox::of(vec![message(3)]);
    outbox.hand(message(1), 7, None);
    outbox.hand(message(2), 8, None);
    assert_eq!(outbox.delivered(8, Delivered::Stale), Some(Fate::Again(run(2))));
    assert_eq!(outbox.delivered(7, Delivered::Stale), Some(Fate::Again(run(1))));
    assert_eq!(order(&outbox), [run(1), run(2), run(3)]);
}

#[test]
fn a_turn_that_opens_is_the_oldest_ones_and_silence_means_joined() {
    let mut outbox = Outbox::default();
    outbox.hand(message(1), 7, Some(run(9)));
    outbox.hand(message(2), 8, Some(run(9)));
    assert_eq!(outbox.deadline(100), None, "the turn goes on");
    outbox.run_ended(1_000);
    assert_eq!(outbox.deadline(100), Some(1_100));
    assert_eq!(outbox.opens(None), Some((message(1), 7)));
    assert!(outbox.joined_in_silence(1_099, 100).is_empty());
    assert_eq!(outbox.joined_in_silence(1_100, 100), [(message(2), Some(run(9)))]);
    assert!(!outbox.has_handed());
}

#[test]
fn one_in_the_providers_queue_waits_for_its_turn_however_long() {
    let mut outbox = Outbox::default();
    outbox.hand(message(1), 7, None);
    assert_eq!(outbox.delivered(7, Delivered::Queued), Some(Fate::Open));
    outbox.run_ended(1_000);
    assert_eq!(outbox.deadline(100), None);
    assert_eq!(outbox.opens(Some(7)), Some((message(1), 7)));
}

#[test]
fn what_waits_here_can_be_changed_and_what_the_provider_has_can_not() {
    let mut outbox = Outbox::of(vec![message(1), message(2), message(3)]);
    outbox.hand(message(4), 7, None);
    outbox.edit(&run(2), vec![Content::Text("changed".into())]).expect("it waits");
    outbox.reorder(&[run(3), run(1), run(2)]).expect("an order");
    assert_eq!(outbox.withdraw(&run(1)).expect("it waits"), message(1));
    assert_eq!(order(&outbox), [run(4), run(3), run(2)]);
    assert_eq!(outbox.list()[2].content, [Content::Text("changed".into())]);
    assert_eq!(outbox.withdraw(&run(4)).unwrap_err().code(), "with-provider");
    assert_eq!(outbox.edit(&run(1), vec![]).unwrap_err().code(), "not-waiting");
    for wrong in [vec![run(3)], vec![run(3), run(3)], vec![run(3), run(2), run(4)]] {
        assert_eq!(outbox.reorder(&wrong).unwrap_err().code(), "not-an-order");
    }
    assert_eq!(order(&outbox), [run(4), run(3), run(2)], "a refusal changes nothing");
}

type Row<'a> = (Delivery, Scene, &'a [&'a str], Result<Way, &'a str>);

/// All that can be asked of a message, under the providers that differ in it.
#[test]
fn ways() {
    use Delivery::{Auto, Now, Queue, Restart, Steer};
    let with = |names: &[&str]| {
        let mut capabilities = Capabilities::strongest();
        names.iter().for_each(|name| flag(name).expect("a flag").weaken(&mut capabilities));
        capabilities
    };
    let no_steer = "turns.supports-active-steering";
    let no_queue = "turns.supports-queued-messages";
    let no_restart = "turns.supports-steering-by-interrupt-restart";
    let no_stop = "turns.supports-interrupt";
    let busy = Scene { active: true, ..Scene::default() };
    let table: &[Row<'_>] = &[
        (Auto, Scene::default(), &[], Ok(Way::Wait)),
        (Now, Scene::default(), &[], Ok(Way::Next)),
        (Auto, busy, &[], Ok(Way::Steer)),
        (Auto, busy, &["turns.active-steering-interrupts-tools"], Ok(Way::Steer)),
        (Auto, busy, &[no_steer], Ok(Way::Restart)),
        (Auto, busy, &[no_steer, no_restart], Ok(Way::Enqueue)),
        (Auto, busy, &[no_steer, no_restart, no_queue], Ok(Way::Wait)),
        (Auto, Scene { stopping: true, ..busy }, &[], Ok(Way::Wait)),
        (Steer, busy, &[], Ok(Way::Steer)),
        (Steer, busy, &[no_steer], Err("interrupt-and-restart")),
        (Steer, Scene { stopping: true, ..busy }, &[], Err("unsupported")),
        (Queue, busy, &[], Ok(Way::Enqueue)),
        (Queue, Scene { waiting: true, ..busy }, &[], Ok(Way::Wait)),
        (Queue, busy, &[no_queue], Ok(Way::Wait)),
        (Restart, busy, &[], Ok(Way::Restart)),
        (Now, busy, &[no_stop], Ok(Way::Interrupt)),
        (Now, Scene { stopping: true, ..busy }, &[], Ok(Way::Next)),
    ];
    for (delivery, scene, missing, wanted) in table {
        let seen = way(*delivery, *scene, &with(missing), &PolicyConfig::default());
        let seen = seen.map(|(way, _)| way).map_err(|refusal| match refusal.decision {
            Decision::Degraded { strategy, .. } => strategy.code(),
            _ => "unsupported",
        });
        assert_eq!(seen, *wanted, "{delivery:?} {scene:?} without {missing:?}");
    }
    let closed = PolicyConfig { interrupt_restart: false, stop_session_on_interrupt: false, ..PolicyConfig::default() };
    assert!(way(Restart, busy, &with(&[]), &closed).is_err());
    assert!(way(Now, busy, &with(&[no_stop]), &closed).is_err());
}

#[test]
fn what_is_done_instead_is_said_once() {
    let busy = Scene { active: true, ..Scene::default() };
    let (_, said) = way(Delivery::Auto, busy, &Capabilities::default(), &PolicyConfig::default()).expect("a way");
    let [Refusal { decision: Decision::Degraded { strategy, loses, .. }, .. }] = said.as_slice() else {
        panic!("{said:?}")
    };
    assert_eq!(*strategy, Strategy::HostQueue);
    assert!(!loses.is_empty());
}

proptest! {
    /// Whatever the provider says, in whatever order: each message that was taken on is in one place, or had one fate.
    #[test]
    fn one_message_one_fate(steps in proptest::collection::vec((0u8..8, 0u32..6), 0..60)) {
        let (mut outbox, mut taken, mut over) = (Outbox::default(), 0u32, Vec::new());
        for (step, number) in steps {
            match step {
                0 => { taken += 1; outbox.add(Outgoing { urgent: number == 0, ..message(taken) }); }
                1 => { taken += 1; outbox.hand(message(taken), taken, None); }
                2 => over.extend(outbox.take_next().map(|message| message.run)),
                3 => over.extend(outbox.opens((number > 0).then_some(number)).map(|(message, _)| message.run)),
                4 => over.extend(outbox.withdraw(&run(number)).map(|message| message.run)),
                5 => { outbox.run_ended(u64::from(number)); over.extend(outbox.joined_in_silence(9, 5).into_iter().map(|(message, _)| message.run)); }
                6 => over.extend(outbox.give_up(number).map(|message| message.run)),
                _ => {
                    let how = [Delivered::JoinedTurn, Delivered::Stale, Delivered::Queued, Delivered::Unknown, Delivered::OpenedTurn];
                    if let Some(Fate::Joined(message, _)) = outbox.delivered(taken.saturating_sub(number), how[number as usize % 5]) {
                        over.push(message.run);
                    }
                }
            }
            let mut all: Vec<RunId> = over.iter().cloned().chain(order(&outbox)).collect();
            all.sort();
            let mut wanted: Vec<RunId> = (1..=taken).map(run).collect();
            wanted.sort();
            prop_assert_eq!(all, wanted);
        }
    }
}
