//! What a plugin costs in each language. Prints figures; what is of the wrong order is red elsewhere, by the limits.
//!
//! By hand, and alone: `JACKFIELD_COMPILED=$(mktemp -d) cargo test -p jackfield-tests --test guests costs -- --nocapture`

use jackfield_sandbox::{Origin, Session};
use std::time::Duration;

use crate::block_on;
use crate::built::{all, engine};
use crate::conversation::{feed, frame};

/// What sdk/python/README.md tells of it. Times are of the processor: a busy machine prints the same.
#[test]
fn what_each_language_costs() {
    for built in all() {
        let (engine, compiled) = (engine(), jackfield_tests::compiled());
        let (again, took) = on_processor(|| engine.load(&built.bytes).expect("it loads"));
        assert!(compiled.is_none() || *again.origin() == Origin::Kept, "{}: {:?}", built.name, again.origin());
        let before = resident_kib();
        let mut sessions: Vec<Session> =
            (0..16).map(|_| block_on(built.generation.session()).expect("a session")).collect();
        let empty = resident_kib().saturating_sub(before) / sessions.len() as u64;
        let said = frame(r#"{"t":"said","text":"Murmur, "}"#);
        for session in &mut sessions {
            block_on(feed(session, 0, vec![said.clone()])).expect("a delta");
        }
        let used = resident_kib().saturating_sub(before) / sessions.len() as u64;
        let mut frames = |batches: u32, size: usize| {
            let each = |seq| drop(block_on(feed(&mut sessions[0], seq, vec![said.clone(); size])).expect("deltas"));
            on_processor(|| (1..=batches).for_each(each)).1 / (batches * size as u32)
        };
        let (alone, together) = (frames(512, 1), frames(16, 64));
        eprintln!(
            "{}: read again in {took:.1?}; a session holds {empty} KiB, {used} KiB after a frame; a frame takes {alone:.1?}, \
             {together:.1?} in a batch of 64",
            built.name
        );
    }
}

/// What this gives, and the time that a processor worked on it in this thread.
fn on_processor<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = worked();
    let made = work();
    (made, worked() - before)
}

fn worked() -> Duration {
    Duration::from_nanos(number("/proc/thread-self/schedstat", 0))
}

/// The memory that this process holds, in KiB.
fn resident_kib() -> u64 {
    number("/proc/self/statm", 1) * 4
}

fn number(file: &str, at: usize) -> u64 {
    let text = std::fs::read_to_string(file).expect("Linux tells it");
    text.split_whitespace().nth(at).and_then(|word| word.parse().ok()).expect("a number")
}
