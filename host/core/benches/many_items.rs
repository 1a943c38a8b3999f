//! What an item costs in a turn of 10,000, against one in a turn of 1,000: the work for one must not grow with those before it.
//!
//!     cargo bench -p jackfield-core --bench many_items
//!
//! Ten turns of the one and one of the other are played by turns, in one run, and the middle of the ratios is told: the machine's
//! speed and its load cancel out.
//! 2026-12-01, two cores shared with five builds, three runs: 1.04, 1.05, 1.17 times (rounds of 0.55 to 2.38).

#[path = "../tests/make/mod.rs"]
mod make;

use jackfield_core::capability::Capabilities;
use jackfield_core::contract::{Event, EventBody, Item, ItemBody, Status, TurnEnd};
use jackfield_core::event::AttemptReason;
use jackfield_core::id::{RunId, SessionId, ThreadId};
use jackfield_core::limits::Limits;
use jackfield_core::normalizer::{BeginRun, Cause, Normalizer, SessionScope};
use jackfield_core::policy::{Handling, PolicyConfig};
use std::time::Instant;

const ROUNDS: usize = 15;

fn main() {
    let (few, many) = (turn(1_000), turn(10_000));
    let ten = || (0..10).map(|_| seconds(&few)).sum::<f64>();
    let mut ratios: Vec<f64> = (0..ROUNDS).map(|_| seconds(&many) / ten()).collect();
    ratios.sort_by(f64::total_cmp);
    let (least, middle, most) = (ratios[0], ratios[ROUNDS / 2], ratios[ROUNDS - 1]);
    println!("an item of 10,000 costs {middle:.2} times one of 1,000 ({least:.2} to {most:.2} in {ROUNDS} rounds)");
}

/// Calls told whole, every other one without an id, and the turn's end.
fn turn(count: u32) -> Vec<Event> {
    let calls = (0..count).map(|at| {
        let tool = make::command("run");
        let id = (at % 2 == 0).then(|| format!("c{at}"));
        let item = Item { id, status: Status::Completed, body: ItemBody::Tool(tool), mark: None, extra: vec![] };
        Event { scope: None, body: EventBody::Items(vec![item]) }
    });
    let end = TurnEnd {
        op: Some(1),
        status: Status::Completed,
        reason: None,
        fault: None,
        mark: None,
        background: false,
        extra: vec![],
    };
    calls.chain([Event { scope: None, body: EventBody::TurnEnded(end) }]).collect()
}

fn seconds(turn: &[Event]) -> f64 {
    let (session, thread) = (SessionId::from_digits("5"), ThreadId::from_digits("a1"));
    let scope = SessionScope { instance: "one".into(), session, epoch: 0, thread: thread.clone() };
    let mut normalizer = Normalizer::new(scope, &Limits::default());
    normalizer.set_handling(Handling::of(&Capabilities::strongest(), &PolicyConfig::default()));
    let (run, attempt) = (RunId::from_digits("b1"), AttemptReason::Initial);
    let begin = BeginRun { run, ordinal: 1, op: 1, thread, content: vec![], attempt, at_ms: 1 };
    std::hint::black_box(normalizer.begin_run(begin));
    let told = turn.to_vec();
    let begun = Instant::now();
    for event in told {
        std::hint::black_box(normalizer.accept(Cause { frame: None, at_ms: 1 }, event));
    }
    begun.elapsed().as_secs_f64()
}
