//! What holds of ids, for any conversation: unique in their scope, the same when played again, however the text was cut up,
//! the frames were batched, or what is known by a strong id was delivered again; apart for threads, forks and connections.

mod make;

use jackfield_core::capability::{Capabilities, Strength};
use jackfield_core::contract::*;
use jackfield_core::event::{AttemptReason, EventBody as Seen, ItemBody as Shown};
use jackfield_core::id::{RunId, SessionId, ThreadId};
use jackfield_core::limits::Limits;
use jackfield_core::normalizer::{BeginRun, Cause, Normalizer, Routed, SessionScope};
use jackfield_core::policy::{Handling, PolicyConfig};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// One thing that a provider tells of a call or a message in a turn.
#[derive(Debug, Clone)]
enum Told {
    Message(u8, String),
    Call(u8),
    Result(u8),
}

fn told() -> impl Strategy<Value = Told> {
    prop_oneof![
        (0..3u8, "[a-zé]{1,12}").prop_map(|(id, text)| Told::Message(id, text)),
        (0..4u8).prop_map(Told::Call),
        (0..4u8).prop_map(Told::Result),
    ]
}

fn call(id: u8, status: Status) -> Event {
    let tool = make::command("run");
    let item = Item { id: Some(format!("c{id}")), status, body: ItemBody::Tool(tool), mark: None, extra: vec![] };
    Event { scope: None, body: EventBody::Items(vec![item]) }
}

fn piece(id: u8, text: &str) -> Event {
    let delta = Delta { id: Some(format!("m{id}")), kind: TextKind::Assistant, whole: false, text: text.into() };
    Event { scope: None, body: EventBody::Delta(delta) }
}

/// The events of a turn, with texts cut into pieces of so many characters.
fn events(told: &[Told], cut: usize) -> Vec<Event> {
    let mut events = Vec::new();
    for one in told {
        match one {
            Told::Message(id, text) => {
                let letters: Vec<char> = text.chars().collect();
                events.extend(letters.chunks(cut).map(|part| piece(*id, &part.iter().collect::<String>())));
            }
            Told::Call(id) => events.push(call(*id, Status::Running)),
            Told::Result(id) => events.push(call(*id, Status::Completed)),
        }
    }
    events
}

fn thread(number: u32) -> ThreadId {
    ThreadId::from_digits(&format!("a{number}"))
}

fn normalizer(epoch: u32, strength: Strength, many: bool) -> Normalizer {
    let session = SessionId::from_digits("5");
    let scope = SessionScope { instance: "one".into(), session, epoch, thread: thread(1) };
    let mut capabilities = Capabilities::strongest();
    capabilities.identity.native_item_ids = strength;
    capabilities.identity.native_request_ids = strength;
    capabilities.sessions.supports_multiple_provider_threads_per_session = many;
    let mut normalizer = Normalizer::new(scope, &Limits::default());
    normalizer.set_handling(Handling::of(&capabilities, &PolicyConfig::default()));
    normalizer
}

fn begin(normalizer: &mut Normalizer, number: u32) -> Vec<Routed> {
    let run = RunId::from_digits(&format!("b{number}"));
    let (thread, attempt) = (thread(number), AttemptReason::Initial);
    normalizer.begin_run(BeginRun { run, ordinal: 1, op: number, thread, content: vec![], attempt, at_ms: 1 })
}

fn end(op: u32) -> Event {
    let end = TurnEnd {
        op: Some(op),
        status: Status::Completed,
        reason: None,
        fault: None,
        mark: None,
        background: false,
        extra: vec![],
    };
    Event { scope: None, body: EventBody::TurnEnded(end) }
}

fn play(events: &[Event], strength: Strength, batch: usize) -> Vec<Routed> {
    let mut normalizer = normalizer(0, strength, false);
    let mut out = begin(&mut normalizer, 1);
    for (at, event) in events.iter().enumerate() {
        out.extend(normalizer.accept(Cause { frame: None, at_ms: 1 }, event.clone()));
        if at % batch == 0 {
            out.extend(normalizer.end_batch());
        }
    }
    out.extend(normalizer.accept(Cause { frame: None, at_ms: 1 }, end(1)));
    out
}

/// Items by id, as they ended; an id that ends twice fails.
fn ended(routed: &[Routed]) -> BTreeMap<String, (Status, Shown)> {
    let mut items = BTreeMap::new();
    for routed in routed {
        if let Seen::ItemEnded { item } = &routed.draft.body {
            let before = items.insert(item.id.to_string(), (item.status, item.body.clone()));
            assert!(before.is_none(), "{} ended twice", item.id);
        }
    }
    items
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ids_do_not_depend_on_pieces_and_batches(told in prop::collection::vec(told(), 0..30), strength in prop::sample::select(vec![Strength::Strong, Strength::Weak, Strength::None])) {
        let whole = ended(&play(&events(&told, 99), strength, 1));
        for (cut, batch) in [(1, 3), (2, 1), (5, 100)] {
            prop_assert_eq!(&ended(&play(&events(&told, cut), strength, batch)), &whole);
        }
    }

    /// What is known by a strong id and was told whole can be delivered again without a trace.
    #[test]
    fn a_second_delivery_makes_nothing_new(told in prop::collection::vec(told(), 0..30), times in 1..4usize) {
        let calls: Vec<Told> = told.into_iter().filter(|one| !matches!(one, Told::Message(..))).collect();
        let once = events(&calls, 99);
        let again: Vec<Event> = once.iter().flat_map(|event| vec![event.clone(); times]).collect();
        prop_assert_eq!(ended(&play(&again, Strength::Strong, 1)), ended(&play(&once, Strength::Strong, 1)));
    }

    /// Threads on one process do not know of each other: each has what it has alone, and no id is in two.
    #[test]
    fn threads_are_apart(told in prop::collection::vec((1..4u32, told()), 0..40)) {
        let mut normalizer = normalizer(0, Strength::Strong, true);
        let mut out = Vec::new();
        for number in 1..4 {
            out.extend(normalizer.bind_thread(&format!("N{number}"), thread(number)));
            out.extend(begin(&mut normalizer, number));
        }
        let at = |event: &Event, number: u32| Event {
            scope: Some(Scope { thread: Some(format!("N{number}")), turn: None, parent: None, replayed: false }),
            body: event.body.clone(),
        };
        let mut alone: BTreeMap<u32, Vec<Event>> = BTreeMap::new();
        for (number, one) in &told {
            for event in events(std::slice::from_ref(one), 3) {
                out.extend(normalizer.accept(Cause { frame: None, at_ms: 1 }, at(&event, *number)));
                alone.entry(*number).or_default().push(event);
            }
        }
        let mut ids = BTreeSet::new();
        for number in 1..4 {
            out.extend(normalizer.accept(Cause { frame: None, at_ms: 1 }, at(&end(number), number)));
            let of_thread: Vec<Routed> = out.iter().filter(|one| one.thread == thread(number)).cloned().collect();
            let items = ended(&of_thread);
            let bodies: Vec<_> = items.values().map(|(_, body)| format!("{body:?}")).collect::<BTreeSet<_>>().into_iter().collect();
            let expected = ended(&play(alone.get(&number).map_or(&[][..], Vec::as_slice), Strength::Strong, 1));
            let expected: Vec<_> = expected.values().map(|(_, body)| format!("{body:?}")).collect::<BTreeSet<_>>().into_iter().collect();
            prop_assert_eq!(bodies, expected);
            prop_assert!(items.into_keys().all(|id| ids.insert(id)), "an id in two threads");
        }
    }
}

/// Where ids are not strong, what is told twice is two things: nothing is taken for a repetition.
#[test]
fn a_weak_id_twice_is_two() {
    for (strength, items) in [(Strength::Strong, 1), (Strength::Weak, 2), (Strength::None, 2)] {
        let twice = [Told::Call(0), Told::Result(0), Told::Call(0), Told::Result(0)];
        let routed = play(&events(&twice, 9), strength, 1);
        let calls = ended(&routed).into_values().filter(|(_, body)| matches!(body, Shown::Tool { .. }));
        assert_eq!(calls.count(), items, "{strength:?}");
    }
}

/// Work that outlives its turn is on the roster, goes on through the next turn, and ends by its own end under its own id.
#[test]
fn background_work_keeps_its_id() {
    let task = |status: Status| {
        let task = Task {
            id: "k".into(),
            kind: TaskKind::Subagent,
            status,
            title: None,
            item: Some("c1".into()),
            thread: None,
            background: true,
            summary: None,
            extra: vec![],
        };
        Event { scope: None, body: EventBody::Tasks(vec![task]) }
    };
    let mut normalizer = normalizer(0, Strength::Strong, false);
    let mut out = begin(&mut normalizer, 1);
    let cause = Cause { frame: None, at_ms: 1 };
    for event in [call(1, Status::Running), task(Status::Running), end(1)] {
        out.extend(normalizer.accept(cause, event));
    }
    assert_eq!(normalizer.roster().len(), 1);
    out.extend(begin(&mut normalizer, 2));
    let start = Event { scope: None, body: EventBody::TurnStarted(TurnStart { op: Some(2), reason: None }) };
    for event in [start, call(2, Status::Running), call(2, Status::Completed), end(2)] {
        out.extend(normalizer.accept(cause, event));
    }
    assert_eq!(normalizer.roster().len(), 1, "the next turn's end does not end it");
    for event in [call(1, Status::Completed), task(Status::Completed)] {
        out.extend(normalizer.accept(cause, event));
    }
    assert!(normalizer.roster().is_empty());
    let started: BTreeSet<String> = out
        .iter()
        .filter_map(
            |one| if let Seen::ItemStarted { item } = &one.draft.body { Some(item.id.to_string()) } else { None },
        )
        .collect();
    assert_eq!(started, ended(&out).into_keys().collect(), "each ended by the id with which it began");
}

/// A fork repeats the native ids of what it was copied from; a new connection counts its requests from 0 again.
#[test]
fn the_same_native_ids_elsewhere_are_other_things() {
    let request = |id: &str| {
        let request = make::question(id);
        Event { scope: None, body: EventBody::RequestsOpened(vec![request]) }
    };
    let mut ids = BTreeSet::new();
    for epoch in 0..3 {
        for number in 1..3 {
            let mut normalizer = normalizer(epoch, Strength::Strong, true);
            let _ = normalizer.bind_thread("N", thread(number));
            begin(&mut normalizer, number);
            for event in [call(1, Status::Running), request("0")] {
                let scope = Some(Scope { thread: Some("N".into()), turn: None, parent: None, replayed: false });
                for routed in normalizer.accept(Cause::default(), Event { scope, body: event.body }) {
                    match &routed.draft.body {
                        Seen::ItemStarted { item } => assert!(ids.insert(item.id.to_string()), "{epoch} {number}"),
                        Seen::RequestOpened { request } => {
                            assert!(ids.insert(request.id.to_string()), "{epoch} {number}")
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    assert_eq!(ids.len(), 12);
}

/// Ten thousand items in a turn: each has its own id and number, begins once and ends. What one costs among so many is measured by
/// `benches/many_items.rs`.
#[test]
fn ten_thousand_items_in_a_turn() {
    let told = (0..10_000).map(|at| {
        let mut event = call(0, Status::Completed);
        if let EventBody::Items(items) = &mut event.body {
            items[0].id = (at % 2 == 0).then(|| format!("c{at}"));
        }
        event
    });
    let out = play(&told.collect::<Vec<_>>(), Strength::Strong, 64);
    let (mut begun, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    for routed in &out {
        if let Seen::ItemStarted { item } = &routed.draft.body {
            assert!(begun.insert(item.id.to_string()), "{} began twice", item.id);
            assert!(numbers.insert(item.ordinal), "number {} twice", item.ordinal);
        }
    }
    assert_eq!(begun.len(), 10_001, "and the message of the run");
    assert_eq!(begun, ended(&out).into_keys().collect(), "each ended by the id with which it began");
}
