//! A host that is killed at any point of a conversation, and what the next one finds: nothing acknowledged is missing, what was
//! open is closed once, what waited runs, the conversation goes on where it was.
//!
//! The conversation is `tests/restart/conversation.case`, spoken by the program of the fault cases. The points are chosen by `SEED`:
//! the same seed gives the same points. `JACKFIELD_RESTART_SEED=7` tries others, `JACKFIELD_RESTART_POINT=12` one alone.

mod judge;
mod killed;
mod lagging;
mod point;
mod stage;

use jackfield_tests::block_on;
use jackfield_tests::door::{Door, is_running, text};
use point::{SEED, points};
use stage::Stage;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Points at a time.
const AT_ONCE: usize = 3;

#[test]
fn a_killed_host_loses_nothing_that_it_acknowledged() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seed = number("JACKFIELD_RESTART_SEED").unwrap_or(SEED);
    let only = number("JACKFIELD_RESTART_POINT");
    let begun = Instant::now();
    let (failed, figures) = block_on(async {
        let stage = Arc::new(Stage::build().await.unwrap());
        let (places, mut playing) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
        for (at, point) in points(seed).into_iter().enumerate().filter(|(at, _)| only.is_none_or(|n| n == *at as u64)) {
            let (stage, places) = (stage.clone(), places.clone());
            playing.spawn(async move {
                let _place = places.acquire().await;
                (at, point, stage.play(point).await)
            });
        }
        let (mut failed, mut figures) = (Vec::new(), judge::Figures::default());
        while let Some(played) = playing.join_next().await {
            let (at, point, outcome) = played.expect("a point is played");
            match outcome {
                Ok(verdict) => {
                    failed.extend(verdict.problems.iter().map(|problem| format!("point {at}, {point:?}: {problem}")));
                    figures.add(&verdict.figures);
                }
                Err(error) => failed.push(format!("point {at}, {point:?}: {error:#}")),
            }
        }
        (failed, figures)
    });
    println!("seed {seed}, {:.0} s: {figures:?}", begun.elapsed().as_secs_f64());
    assert!(failed.is_empty(), "seed {seed}, {} problems:\n{}", failed.len(), failed.join("\n"));
    // A conversation that was never in the middle of anything would prove nothing.
    let met =
        [figures.requests, figures.items, figures.turns, figures.runs, figures.queued, figures.lost, figures.resumed];
    assert!(only.is_some() || seed != SEED || met.iter().all(|count| *count > 0), "a kind never met: {figures:?}");
}

#[test]
fn the_same_seed_gives_the_same_points() {
    let shown = |seed| format!("{:?}", points(seed));
    assert_eq!(shown(SEED), shown(SEED));
    assert_ne!(shown(SEED), shown(SEED + 1));
}

/// A killed host cannot end its provider's program; its supervisor does, even one that hears no TERM.
#[test]
fn the_programs_of_a_killed_host_end_with_it() {
    let door = Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"));
    let body = r#"printf started > "$HOME/started"
trap '' TERM
while :; do sleep 0.2; done"#;
    let exe = format!("claude={}", text(&door.script("outlives-its-host", body)));
    let mut child =
        door.command(&["run", "--json", "--provider", "claude-code", "--exe", &exe, "hello"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(90);
    while !is_running("outlives-its-host") || !door.work().join("../home/started").exists() {
        assert!(Instant::now() < deadline, "it does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while is_running("home/outlives-its-host") {
        assert!(Instant::now() < deadline, "a program of the killed host is left");
        std::thread::sleep(Duration::from_millis(50));
    }
}
