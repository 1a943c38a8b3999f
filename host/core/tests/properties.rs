//! What holds for every conversation, sane or not: closed, once, numbered, counted, the same when played again.

mod make;

use jackfield_core::capability::{Capabilities, FLAGS, Strength};
use jackfield_core::contract::*;
use jackfield_core::event::{self, AttemptReason, EventBody as Seen, SessionEnd, SessionEvent, is_terminal};
use jackfield_core::id::{RunId, SessionId, ThreadId};
use jackfield_core::ledger::LedgerCounts;
use jackfield_core::limits::Limits;
use jackfield_core::normalizer::{BeginRun, Cause, Disposed, Normalizer, Routed, SessionEnded, SessionScope};
use jackfield_core::policy::{Handling, Intent, PolicyConfig};
use jackfield_core::projection::Snapshot;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// One thing that happens to a normalizer.
#[allow(clippy::large_enum_variant)] // A few dozen per case.
#[derive(Debug, Clone)]
enum Step {
    Run(String),
    Interrupt(u32),
    Fail(u32),
    Event(Event),
    /// A frame that nothing comes of; `None` is one that nobody accounts for.
    Frame(Option<Disposed>),
    Answer(usize, u8, bool),
    Later(u64),
}

fn id() -> impl Strategy<Value = Option<String>> {
    prop_oneof![2 => Just(None), 5 => "[abT]".prop_map(Some)]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[ah]{1,3}", Just("hi".to_owned()), Just("é台\u{202e}".to_owned())]
}

fn status() -> impl Strategy<Value = Status> {
    prop::sample::select(vec![
        Status::Pending,
        Status::Running,
        Status::Running,
        Status::Waiting,
        Status::Completed,
        Status::Completed,
        Status::Failed,
        Status::Declined,
        Status::Interrupted,
        Status::Cancelled,
        Status::Retracted,
        Status::Unknown,
    ])
}

fn tool() -> impl Strategy<Value = Tool> {
    (prop::option::of("[xy]"), prop::option::of("[pq]")).prop_map(|(name, input)| Tool {
        name,
        input,
        ..make::command("")
    })
}

fn item() -> impl Strategy<Value = Item> {
    let content = || text().prop_map(|text| vec![Content::Text(text)]);
    let body = prop_oneof![
        content().prop_map(ItemBody::Assistant),
        content().prop_map(ItemBody::Reasoning),
        text().prop_map(ItemBody::ProposedPlan),
        tool().prop_map(ItemBody::Tool),
        tool().prop_map(ItemBody::Tool),
        (prop::option::of(0..4u32), any::<bool>(), content())
            .prop_map(|(op, typed, content)| ItemBody::User(UserMessage { op, typed, content })),
        text().prop_map(|json| ItemBody::Other(Other { name: "odd".into(), json })),
    ];
    (id(), status(), body).prop_map(|(id, status, body)| Item { id, status, body, mark: None, extra: vec![] })
}

fn task() -> impl Strategy<Value = Task> {
    (prop::sample::select(vec!["k", "l"]), status(), id(), any::<bool>(), prop::option::of(Just("child".to_owned())))
        .prop_map(|(id, status, item, background, thread)| Task {
            id: id.into(),
            kind: TaskKind::Subagent,
            status,
            title: None,
            item,
            thread,
            background,
            summary: None,
            extra: vec![],
        })
}

fn request() -> impl Strategy<Value = Request> {
    (prop::sample::select(vec!["0", "1"]), id(), tool()).prop_map(|(id, item, tool)| Request {
        id: id.into(),
        item,
        subject: Subject::Approval(tool),
        reason: None,
        options: vec![
            Offer { id: "y".into(), label: "Yes".into(), verdict: Verdict::AllowOnce },
            Offer { id: "s".into(), label: "Stop".into(), verdict: Verdict::Abort },
        ],
        questions: vec![],
        raw: None,
        expires_ms: None,
        extra: vec![],
    })
}

fn body() -> impl Strategy<Value = EventBody> {
    let kind = prop::sample::select(vec![
        TextKind::Assistant,
        TextKind::Assistant,
        TextKind::Reasoning,
        TextKind::ReasoningSummary,
        TextKind::Plan,
        TextKind::ToolInput,
        TextKind::ToolOutput,
    ]);
    let op = || prop::option::of(0..4u32);
    prop_oneof![
        6 => (id(), kind, any::<bool>(), text()).prop_map(|(id, kind, whole, text)| EventBody::Delta(Delta { id, kind, whole, text })),
        6 => prop::collection::vec(item(), 1..3).prop_map(EventBody::Items),
        2 => (op(), prop::option::of("[r]")).prop_map(|(op, reason)| EventBody::TurnStarted(TurnStart { op, reason })),
        2 => (op(), status(), any::<bool>()).prop_map(|(op, status, background)| EventBody::TurnEnded(TurnEnd {
            op, status, reason: None, fault: None, mark: None, background, extra: vec![],
        })),
        2 => task().prop_map(|task| EventBody::Tasks(vec![task])),
        1 => prop::collection::vec(prop::sample::select(vec!["k".to_owned(), "m".to_owned()]), 0..2).prop_map(EventBody::Roster),
        2 => request().prop_map(|request| EventBody::RequestsOpened(vec![request])),
        1 => (prop::sample::select(vec!["0", "1"]), status()).prop_map(|(id, status)| EventBody::RequestsClosed(vec![RequestEnd { id: id.into(), status }])),
        1 => prop_oneof![(0..9u32).prop_map(f64::from), Just(f64::NAN), Just(f64::INFINITY)].prop_map(|count| {
            EventBody::Usage(Usage { span: UsageSpan::Turn, counts: vec![("output".into(), count)] })
        }),
        1 => Just(EventBody::Plan(Plan { id: None, explanation: None, steps: vec![PlanStep { text: "do".into(), status: Status::Running, priority: None }] })),
        1 => (prop::sample::select(vec!["S", "child", "N"]), prop::option::of(Just("S".to_owned()))).prop_map(|(id, parent)| EventBody::Threads(vec![Thread {
            id: id.into(), cursor: None, parent, replaces: None, state: ThreadState::Idle, title: None, preview: None, folder: None,
            modified_ms: None, extra: vec![],
        }])),
        1 => Just(EventBody::Other(Other { name: "odd".into(), json: "{}".into() })),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let one_of = |names: &[&str]| prop::sample::select(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    let scope = (
        prop::option::weighted(0.2, one_of(&["S", "child", "N"])),
        prop::option::weighted(0.3, one_of(&["A", "B"])),
        prop::option::weighted(0.2, one_of(&["T", "k", "a"])),
        prop::bool::weighted(0.1),
    );
    let scope =
        prop::option::of(scope.prop_map(|(thread, turn, parent, replayed)| Scope { thread, turn, parent, replayed }));
    (scope, body()).prop_map(|(scope, body)| Event { scope, body })
}

fn step() -> impl Strategy<Value = Step> {
    let disposed = prop::sample::select(vec![
        Some(Disposed::Plugin(Disposition::Held)),
        Some(Disposed::Plugin(Disposition::Silent("x".into()))),
        Some(Disposed::Noise),
        Some(Disposed::Plugin(Disposition::Unknown("odd".into()))),
        Some(Disposed::TooLarge),
        Some(Disposed::Skipped),
        None,
    ]);
    prop_oneof![
        2 => text().prop_map(Step::Run),
        1 => (0..4u32).prop_map(Step::Interrupt),
        1 => (0..4u32).prop_map(Step::Fail),
        20 => event().prop_map(Step::Event),
        2 => disposed.prop_map(Step::Frame),
        2 => (0..3usize, 0..4u8, any::<bool>()).prop_map(|(request, reply, written)| Step::Answer(request, reply, written)),
        1 => prop::sample::select(vec![10u64, 300, 5_000]).prop_map(Step::Later),
    ]
}

/// How sure the provider's ids are, and flags that are weakened.
fn capabilities() -> impl Strategy<Value = Capabilities> {
    let strength = prop::sample::select(vec![Strength::Strong, Strength::Weak, Strength::None]);
    (strength, prop::collection::vec(prop::bool::weighted(0.2), FLAGS.len())).prop_map(|(strength, weak)| {
        let mut capabilities = Capabilities::strongest();
        FLAGS.iter().zip(weak).filter(|(_, weak)| *weak).for_each(|(flag, _)| flag.weaken(&mut capabilities));
        capabilities.identity.native_item_ids = strength;
        capabilities.identity.native_turn_ids = strength;
        capabilities.identity.native_request_ids = strength;
        capabilities
    })
}

fn run(op: u32) -> RunId {
    RunId::from_digits(&format!("b{op}"))
}

/// Plays the steps, with a batch's end wherever `ends` says so, and ends the session.
fn play(
    steps: &[Step],
    capabilities: &Capabilities,
    limits: &Limits,
    ends: impl Fn(usize) -> bool,
) -> (Vec<Routed>, Normalizer) {
    let scope = SessionScope {
        instance: "p".into(),
        session: SessionId::from_digits("5"),
        epoch: 0,
        thread: ThreadId::from_digits("a1"),
    };
    let mut normalizer = Normalizer::new(scope, limits);
    normalizer.set_handling(Handling::of(capabilities, &PolicyConfig::default()));
    let (mut at_ms, mut frame, mut op, mut out) = (1_000u64, 0u64, 0u32, Vec::new());
    for (index, step) in steps.iter().enumerate() {
        // What the host does by itself, it does between two batches.
        if !matches!(step, Step::Event(_) | Step::Frame(_)) {
            out.extend(normalizer.end_batch());
        }
        match step {
            Step::Run(text) => {
                let content = vec![Content::Text(text.clone())];
                out.extend(normalizer.begin_run(BeginRun {
                    run: run(op),
                    ordinal: op + 1,
                    op,
                    thread: ThreadId::from_digits("a1"),
                    content,
                    attempt: AttemptReason::Initial,
                    at_ms,
                }));
                op += 1;
            }
            Step::Interrupt(op) => normalizer.interrupting(&run(*op)),
            Step::Fail(op) => {
                let fault = Fault {
                    kind: FaultKind::Quota,
                    message: "no".into(),
                    code: None,
                    retryable: false,
                    retry_after_ms: None,
                    extra: vec![],
                };
                // The provider's refusal comes in a frame, like all else that it says.
                frame += 1;
                normalizer.frame_in(frame);
                normalizer.frame_out(frame);
                out.extend(normalizer.fail_run(&run(*op), fault));
            }
            Step::Event(event) => {
                frame += 1;
                normalizer.frame_in(frame);
                out.extend(normalizer.accept(Cause { frame: Some(frame), at_ms }, event.clone()));
            }
            Step::Frame(disposed) => {
                frame += 1;
                normalizer.frame_in(frame);
                if let Some(disposed) = disposed {
                    normalizer.dispose(frame, disposed.clone());
                }
            }
            Step::Answer(at, reply, written) => {
                let Some(request) = normalizer.open_requests().get(*at).map(|request| request.id.clone()) else {
                    continue;
                };
                let option_id = ["y", "s", "z"].get(usize::from(*reply)).map(|id| (*id).to_owned());
                let reply = option_id
                    .map_or(Reply::Dismissed, |option_id| Reply::Chosen(Chosen { option_id, note: None, input: None }));
                if normalizer.answer(&request, reply, "user").is_ok() && *written {
                    out.extend(normalizer.answered(&request, Ok(())));
                }
            }
            Step::Later(ms) => {
                at_ms += ms;
                out.extend(normalizer.tick(at_ms));
            }
        }
        if ends(index) {
            out.extend(normalizer.end_batch());
        }
    }
    out.extend(normalizer.end_batch());
    let ended = SessionEnded {
        end: SessionEnd::ProviderExited,
        fault: None,
        exit_code: Some(1),
        signal: None,
        stderr_tail: String::new(),
    };
    out.extend(normalizer.end_session(ended));
    (out, normalizer)
}

fn numbered(routed: &[Routed]) -> Vec<SessionEvent> {
    let number = |(at, routed): (usize, &Routed)| SessionEvent {
        seq: at as u64 + 1,
        at_ms: 0,
        thread: routed.thread.clone(),
        draft: routed.draft.clone(),
    };
    routed.iter().enumerate().map(number).collect()
}

/// True where the provider promises to ask again what was open at the session's end: such requests alone may outlive it.
fn outlive(capabilities: &Capabilities) -> bool {
    Handling::of(capabilities, &PolicyConfig::default()).native(Intent::AnswerAfterRestart)
}

/// Each thing is opened once, closed once, and nothing of it comes before or after.
fn check_life(routed: &[Routed], runs: u32, outlive: bool) -> Result<(), TestCaseError> {
    let mut items: BTreeMap<String, bool> = BTreeMap::new();
    let (mut turns, mut requests, mut runs_open) = (items.clone(), items.clone(), items.clone());
    let mut ordinals = BTreeSet::new();
    for routed in routed {
        let draft = &routed.draft;
        let (life, key, open) = match &draft.body {
            Seen::ItemStarted { item } => {
                let place =
                    (draft.turn.clone(), if draft.turn.is_none() { draft.run.clone() } else { None }, item.ordinal);
                prop_assert!(ordinals.insert(place), "an ordinal twice: {:?}", draft);
                (&mut items, item.id.as_str(), Some(true))
            }
            Seen::ItemEnded { item } => {
                prop_assert!(is_terminal(item.status));
                (&mut items, item.id.as_str(), Some(false))
            }
            Seen::ItemUpdated { item } => (&mut items, item.id.as_str(), None),
            Seen::ItemDelta { item, .. } => (&mut items, item.as_str(), None),
            Seen::TurnStarted { .. } => (&mut turns, draft.turn.as_ref().map_or("", |id| id.as_str()), Some(true)),
            Seen::TurnEnded { .. } => (&mut turns, draft.turn.as_ref().map_or("", |id| id.as_str()), Some(false)),
            Seen::RequestOpened { request } => (&mut requests, request.id.as_str(), Some(true)),
            Seen::RequestResolved { request, .. } => (&mut requests, request.as_str(), Some(false)),
            Seen::AttemptStarted { .. } => {
                (&mut runs_open, draft.run.as_ref().map_or("", |id| id.as_str()), Some(true))
            }
            Seen::RunEnded { ledger, .. } => {
                prop_assert!(ledger.balanced());
                (&mut runs_open, draft.run.as_ref().map_or("", |id| id.as_str()), Some(false))
            }
            _ => continue,
        };
        prop_assert!(!key.is_empty(), "no id: {:?}", draft);
        let known = life.get(key).copied();
        match open {
            Some(true) => prop_assert_eq!(known, None, "opened twice: {:?}", draft),
            Some(false) | None => prop_assert_eq!(known, Some(true), "not open: {:?}", draft),
        }
        if let Some(open) = open {
            life.insert(key.to_owned(), open);
        }
    }
    if outlive {
        requests.clear();
    }
    for life in [&items, &turns, &requests, &runs_open] {
        let open: Vec<_> = life.iter().filter(|(_, open)| **open).collect();
        prop_assert!(open.is_empty(), "left open: {:?}", open);
    }
    prop_assert_eq!(runs_open.len(), runs as usize, "each run ends once");
    Ok(())
}

/// The frames of each turn, told at its end, and those of none, told at the session's.
fn apart(routed: &[Routed]) -> Result<LedgerCounts, TestCaseError> {
    let mut sum = LedgerCounts::default();
    let mut outside = None;
    for routed in routed {
        match &routed.draft.body {
            Seen::TurnEnded { frames, .. } => {
                let frames = frames.as_ref().expect("a turn's end tells its frames");
                prop_assert!(frames.balanced());
                sum.add_all(frames);
            }
            Seen::SessionEnded { outside: told, .. } => {
                prop_assert!(outside.is_none() || outside == *told, "each thread is told the same");
                outside.clone_from(told);
            }
            _ => {}
        }
    }
    sum.add_all(&outside.expect("the session's end tells what belonged to no turn"));
    Ok(sum)
}

/// What may differ by batching: when it is noticed that nobody accounted for a frame.
fn apart_from_unaccounted(routed: &[Routed]) -> Vec<&Routed> {
    let is_unaccounted = |routed: &&Routed| matches!(&routed.draft.body, Seen::Diagnostic { note, .. } if note.code == "frame-unaccounted");
    routed.iter().filter(|routed| !is_unaccounted(routed)).collect()
}

/// Where events that a disposition makes are handed out depends on the batch, their order does not.
fn without_frames_alone(steps: &[Step]) -> Vec<Step> {
    let keep = |step: &&Step| {
        !matches!(
            step,
            Step::Frame(Some(Disposed::Plugin(Disposition::Unknown(_)) | Disposed::TooLarge | Disposed::Skipped))
        )
    };
    steps.iter().filter(keep).cloned().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_everything_closes_once(steps in prop::collection::vec(step(), 0..60), capabilities in capabilities()) {
        let (routed, normalizer) = play(&steps, &capabilities, &Limits::default(), |index| index % 3 == 0);
        let runs = steps.iter().filter(|step| matches!(step, Step::Run(_))).count() as u32;
        check_life(&routed, runs, outlive(&capabilities))?;
        let ledger = normalizer.ledger();
        prop_assert!(ledger.balanced());
        let frames = steps.iter().filter(|step| matches!(step, Step::Event(_) | Step::Frame(_) | Step::Fail(_))).count() as u64;
        prop_assert_eq!(ledger.frames_in, frames);
        prop_assert_eq!(apart(&routed)?, ledger);
        prop_assert!(!normalizer.has_open_turn() && normalizer.open_requests().is_empty() && normalizer.roster().is_empty());
    }

    #[test]
    fn bounds_break_nothing(steps in prop::collection::vec(step(), 0..60), capabilities in capabilities()) {
        let tight = Limits {
            open_items: 2, open_requests: 1, item_text_bytes: 3, label_bytes: 4, unknown_raw_bytes: 1, held_updates: 1, ended_kept: 1,
            diagnostics_kept: 2, ..Limits::default()
        };
        let (routed, _) = play(&steps, &capabilities, &tight, |_| true);
        check_life(&routed, steps.iter().filter(|step| matches!(step, Step::Run(_))).count() as u32, outlive(&capabilities))?;
    }

    #[test]
    fn played_again_it_is_the_same_however_it_is_batched(steps in prop::collection::vec(step(), 0..60), capabilities in capabilities()) {
        let steps = without_frames_alone(&steps);
        let (first, _) = play(&steps, &capabilities, &Limits::default(), |_| false);
        let (again, _) = play(&steps, &capabilities, &Limits::default(), |_| false);
        prop_assert_eq!(&first, &again);
        for size in [1, 2, 7] {
            let (other, _) = play(&steps, &capabilities, &Limits::default(), |index| index % size == 0);
            prop_assert_eq!(apart_from_unaccounted(&first), apart_from_unaccounted(&other));
        }
    }

    #[test]
    fn a_snapshot_and_the_rest_are_the_whole(steps in prop::collection::vec(step(), 0..60), capabilities in capabilities(), cut in any::<prop::sample::Index>()) {
        let (routed, _) = play(&steps, &capabilities, &Limits::default(), |_| true);
        let events = numbered(&routed);
        for event in &events {
            let text = serde_json::to_string(event).expect("an event is stored");
            prop_assert_eq!(&serde_json::from_str::<SessionEvent>(&text).expect("and read"), event);
        }
        let whole = Snapshot::of(&events);
        let cut = cut.index(events.len() + 1);
        let stored = serde_json::to_string(&Snapshot::of(&events[..cut])).expect("a snapshot is stored");
        let mut resumed: Snapshot = serde_json::from_str(&stored).expect("and read");
        // A client that asks for a little too much gets nothing twice.
        events[cut.saturating_sub(3)..].iter().for_each(|event| resumed.apply(event));
        prop_assert_eq!((&resumed, whole.left_out), (&whole, 0));
        prop_assert!(whole.items.iter().all(|shown| is_terminal(shown.item.status)));
        prop_assert!(whole.runs.iter().all(|run| run.status().is_terminal()));
        prop_assert!((outlive(&capabilities) || whole.requests.is_empty()) && whole.turns.iter().all(|turn| is_terminal(turn.status())));
    }
}

/// The text that clients put together from pieces is the text that the item ends with.
#[test]
fn pieces_add_up() {
    let delta = |text: &str| Event {
        scope: None,
        body: EventBody::Delta(Delta {
            id: Some("m".into()),
            kind: TextKind::Assistant,
            whole: false,
            text: text.into(),
        }),
    };
    let steps: Vec<_> = (0..150).map(|at| Step::Event(delta(&format!("{at} ")))).collect();
    let (routed, _) = play(&steps, &Capabilities::strongest(), &Limits::default(), |index| index % 8 == 0);
    let pieces: String = routed
        .iter()
        .filter_map(
            |routed| if let Seen::ItemDelta { text, .. } = &routed.draft.body { Some(text.as_str()) } else { None },
        )
        .collect();
    let ended = routed.iter().find_map(|routed| match &routed.draft.body {
        Seen::ItemEnded { item } => Some(&item.body),
        _ => None,
    });
    assert_eq!(ended, Some(&event::ItemBody::AssistantMessage { text: pieces, media: vec![] }));
}

/// More than a hundred items in a turn, each with its own number and id.
#[test]
fn ordinals_have_no_ceiling() {
    let steps: Vec<_> = (0..1_500)
        .map(|_| {
            Step::Event(Event {
                scope: None,
                body: EventBody::Items(vec![Item {
                    id: None,
                    status: Status::Completed,
                    mark: None,
                    extra: vec![],
                    body: ItemBody::Tool(make::command("x")),
                }]),
            })
        })
        .collect();
    let (routed, _) = play(&steps, &Capabilities::default(), &Limits::default(), |_| false);
    let ids: BTreeSet<_> = routed
        .iter()
        .filter_map(|routed| {
            if let Seen::ItemEnded { item } = &routed.draft.body { Some((item.ordinal, item.id.clone())) } else { None }
        })
        .collect();
    assert_eq!(ids.len(), 1_500);
    assert_eq!(ids.last().map(|(ordinal, _)| *ordinal), Some(1_500));
}
