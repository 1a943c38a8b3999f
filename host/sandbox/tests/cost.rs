//! What loading, a session and a call cost on this machine. Prints figures; checks only that they are of the right order.

mod guest;

use guest::{Guest, tick};
use jackfield_core::limits::Limits;
use jackfield_sandbox::Engine;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The median of many runs.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[tokio::test]
async fn figures() {
    let engine = Engine::new(Arc::new(Limits::default())).unwrap();
    let bytes = match std::env::var_os("JACKFIELD_PLUGIN") {
        Some(path) => std::fs::read(path).unwrap(),
        None => Guest::good("cost").build(),
    };
    let begin = Instant::now();
    let generation = engine.load(&bytes).unwrap();
    let load = begin.elapsed();
    let (mut open, mut call) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        let begin = Instant::now();
        let mut session = generation.session().await.unwrap();
        open.push(begin.elapsed());
        for seq in 0..50 {
            let begin = Instant::now();
            assert!(session.handle(tick(seq), vec![]).await.unwrap().is_empty());
            call.push(begin.elapsed());
        }
    }
    let (open, call) = (median(open), median(call));
    println!("{} bytes: load {load:?}, session {open:?}, call of nothing {call:?}", bytes.len());
    assert!(load < Duration::from_secs(20) && open < Duration::from_millis(20) && call < Duration::from_millis(2));
}
