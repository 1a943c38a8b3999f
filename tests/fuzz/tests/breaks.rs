//! The judges of this crate are judged: each rule that they hold up is broken once, and they must see it.

use jackfield_core::event::{EventBody, RunStatus, SessionEvent};
use jackfield_core::ledger::LedgerCounts;
use jackfield_fuzz::{Verdict, bytes, life, outputs, plugins};
use jackfield_sdk::prelude as sdk;
use jackfield_sdk::prelude::{
    Command, CommandBody, Cx, Descriptor, FrameData, Item, Level, OpValue, Provider, Status, Tool, ToolKind,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

const CASES: u64 = 300;

fn case(seed: u64) -> Vec<u8> {
    bytes::of_seed(seed, 900)
}

/// Whether an event is the beginning or the end of something.
fn is_a_bound(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::ItemStarted { .. }
            | EventBody::ItemEnded { .. }
            | EventBody::TurnStarted { .. }
            | EventBody::TurnEnded { .. }
            | EventBody::RequestOpened { .. }
            | EventBody::RequestResolved { .. }
    )
}

fn renumbered(mut events: Vec<SessionEvent>) -> Vec<SessionEvent> {
    (1..).zip(&mut events).for_each(|(seq, event)| event.seq = seq);
    events
}

type Spoil = fn(&[SessionEvent], usize) -> Option<Vec<SessionEvent>>;

/// Ways to spoil a good list of events at a place of it.
const SPOILS: &[(&str, Spoil)] = &[
    ("a beginning or an end is missing", |events, at| {
        is_a_bound(&events[at].draft.body).then(|| renumbered([&events[..at], &events[at + 1..]].concat()))
    }),
    ("a beginning or an end comes twice", |events, at| {
        is_a_bound(&events[at].draft.body).then(|| renumbered([&events[..=at], &events[at..]].concat()))
    }),
    ("a run ends twice", |events, at| {
        let ends = matches!(events[at].draft.body, EventBody::RunEnded { .. });
        ends.then(|| renumbered([&events[..=at], &events[at..]].concat()))
    }),
    ("a number comes again", |events, at| {
        let mut events = events.to_vec();
        let before = at.checked_sub(1)?;
        events[at].seq = events[before].seq;
        Some(events)
    }),
    ("an item ends and is still at work", |events, at| {
        let mut events = events.to_vec();
        let EventBody::ItemEnded { item } = &mut events[at].draft.body else { return None };
        item.status = jackfield_core::contract::Status::Running;
        Some(events)
    }),
    ("a run waits again after its end", |events, at| {
        let EventBody::RunEnded { .. } = events[at].draft.body else { return None };
        let mut again = events[at].clone();
        again.draft.body = EventBody::RunUpdated { status: RunStatus::Queued };
        Some(renumbered([&events[..=at], &[again], &events[at + 1..]].concat()))
    }),
    ("a frame is in no column", |events, at| {
        let mut events = events.to_vec();
        let EventBody::RunEnded { ledger, .. } = &mut events[at].draft.body else { return None };
        *ledger = LedgerCounts { frames_in: ledger.frames_in + 1, ..ledger.clone() };
        Some(events)
    }),
];

#[test]
fn whatever_is_spoilt_in_a_good_list_of_events_is_seen() {
    let mut tried = vec![0u32; SPOILS.len()];
    for seed in 0..40 {
        let good = outputs::events(&case(seed));
        assert_eq!(life::judge(&good, good.len() / 2), Ok(()));
        for at in 0..good.len() {
            for (which, (name, spoil)) in SPOILS.iter().enumerate() {
                let Some(spoilt) = spoil(&good, at) else { continue };
                tried[which] += 1;
                assert!(life::judge(&spoilt, spoilt.len() / 2).is_err(), "{name}, at {:?}", good[at]);
            }
        }
    }
    assert!(tried.iter().all(|count| *count > 20), "each way was tried: {tried:?}");
}

/// A plugin that keeps the contract, but for one rule. That each command is answered once is the SDK's doing: no provider can break it.
#[derive(Default)]
struct Breaks<const RULE: u8> {
    channel: u32,
}

const NOTHING: u8 = 0;
const PANICS: u8 = 1;
const LEAVES_A_FRAME: u8 = 2;
const WRITES_NO_JSON: u8 = 3;
const WRITES_TWO_LINES: u8 = 4;
const ALLOWS: u8 = 5;
const REMEMBERS_OTHERS: u8 = 6;
const COUNTS_NO_NUMBER: u8 = 7;
const GIVES_NO_JSON: u8 = 8;
const PILES_UP_TIMERS: u8 = 9;
const TALKS_WITHOUT_END: u8 = 10;
const CANCELS_A_STRANGER: u8 = 11;

/// What no plugin has: a memory beyond its session.
static BEYOND: AtomicU64 = AtomicU64::new(0);

impl<const RULE: u8> Provider for Breaks<RULE> {
    fn describe() -> Descriptor {
        Descriptor::new("breaks", "Breaks")
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        if let CommandBody::Start(_) = command.body {
            self.channel = cx.spawn("any", vec![]);
        }
        cx.done(command.op, OpValue::Accepted);
    }

    fn frame(&mut self, cx: &mut Cx, frame: sdk::Frame) {
        match RULE {
            PANICS => panic!("a frame"),
            LEAVES_A_FRAME => return,
            WRITES_NO_JSON => _ = cx.write(self.channel, "{".into()),
            WRITES_TWO_LINES => _ = cx.write(self.channel, "{\n}".into()),
            ALLOWS => {
                let line = r#"{"response":{"response":{"behavior":"allow"}}}"#;
                cx.write(self.channel, line.into());
            }
            REMEMBERS_OTHERS => {
                let count = BEYOND.fetch_add(1, Ordering::Relaxed);
                cx.diagnostic(Level::Info, "count", count.to_string());
            }
            COUNTS_NO_NUMBER => {
                let counts = vec![("input".to_owned(), f64::NAN)];
                cx.event(sdk::EventBody::Usage(sdk::Usage { span: sdk::UsageSpan::Turn, counts }));
            }
            GIVES_NO_JSON => {
                let tool = Tool::new(ToolKind::Execute).with_input("{");
                cx.item(Item::tool(None, Status::Running, tool));
            }
            PILES_UP_TIMERS => (0..100).for_each(|_| _ = cx.timer(1_000_000.0)),
            TALKS_WITHOUT_END => (0..2_000).for_each(|_| cx.diagnostic(Level::Info, "more", "and more")),
            CANCELS_A_STRANGER => cx.cancel(1_000_000),
            _ => {}
        }
        if matches!(frame.data, FrameData::Text(_)) { cx.silent("a frame") } else { cx.noise() }
    }
}

fn found<const RULE: u8>() -> bool {
    let judge = |seed| -> Verdict {
        catch_unwind(AssertUnwindSafe(|| plugins::judge::<Breaks<RULE>>(&case(seed))))
            .unwrap_or_else(|_| Err("it panics".into()))
    };
    (0..CASES).any(|seed| judge(seed).is_err())
}

#[test]
fn a_plugin_that_breaks_one_rule_is_found() {
    assert!(!found::<NOTHING>(), "one that breaks none is not");
    let broken = [
        ("panics", found::<PANICS>()),
        ("leaves a frame", found::<LEAVES_A_FRAME>()),
        ("writes no JSON", found::<WRITES_NO_JSON>()),
        ("writes two lines", found::<WRITES_TWO_LINES>()),
        ("allows", found::<ALLOWS>()),
        ("remembers others", found::<REMEMBERS_OTHERS>()),
        ("counts no number", found::<COUNTS_NO_NUMBER>()),
        ("gives no JSON", found::<GIVES_NO_JSON>()),
        ("piles up timers", found::<PILES_UP_TIMERS>()),
        ("talks without end", found::<TALKS_WITHOUT_END>()),
        ("cancels a stranger", found::<CANCELS_A_STRANGER>()),
    ];
    let missed: Vec<_> = broken.iter().filter(|(_, found)| !found).map(|(name, _)| name).collect();
    assert!(missed.is_empty(), "not found: {missed:?}");
}
