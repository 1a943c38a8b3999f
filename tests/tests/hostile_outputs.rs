//! A plugin that says whatever its bytes say, through a real component and the whole host: nothing breaks, everything that was
//! opened is closed, and nothing reaches the provider's program that was not granted. The words are those of `tests/fuzz/`.
//!
//! `JACKFIELD_FUZZ_SEED` and `JACKFIELD_FUZZ_CASES` choose others; each case is its own seed.

use anyhow::{Result, ensure};
use jackfield_core::contract::{Chosen, Content, Reply as Answered};
use jackfield_core::event::{EventBody, Request, SessionEvent};
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_fuzz::bytes::{Bytes, of_seed};
use jackfield_fuzz::life;
use jackfield_runtime::host::{Host, HostConfig, Plugin};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::process::{SUPERVISE, Supervisor};
use jackfield_runtime::thread::{Delivery, Thread};
use jackfield_tests::block_on;
use jackfield_tests::door::{Door, text};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");
const SEED: u64 = 0x6d61_6c6c;
const CASES: u64 = 60;
/// Long enough for what waits on limits; a case that lasts longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that asks, three times at once and again after each line, and keeps what it is told.
const ASKS: &str = r#"ask() { printf '{"type":"ask","id":"%s","input":{"x":1}}\n' "$1"; }
ask 1; ask 2; ask 3
while IFS= read -r line; do printf '%s\n' "$line" >> "$1"; ask 2; done"#;

struct House {
    door: Door,
    host: Host,
    plugin: Plugin,
    program: PathBuf,
}

impl House {
    async fn build() -> Result<House> {
        let folder = xtask::root().join("tests/fuzz");
        let read = |name: &str| std::fs::read_to_string(folder.join(name));
        // Doc comments of a file stand where a module's body may not have them: the modules are files in the guest, too.
        let module = |name: &str| -> Result<String> { Ok(read(&format!("src/{name}.rs"))?.replace("//!", "//")) };
        let source = format!(
            "#![allow(dead_code)]\nmod types {{ pub use jackfield_sdk::prelude::*; }}\nmod bytes {{\n{}\n}}\nmod decode {{\n{}\n}}\n{}",
            module("bytes")?,
            module("decode")?,
            read("guest.rs")?.replace("//!", "//")
        );
        let bytes = jackfield_tests::guest::build("babbling", &source, &read("guest.toml")?)?;
        let door = Door::new(PROGRAM);
        let supervisor = Supervisor { command: PROGRAM.into(), args: vec![SUPERVISE.to_owned()] };
        let limits = Limits {
            interrupt_ack_ms: 200,
            interrupt_end_ms: 200,
            drain_ms: 50,
            steer_settle_ms: 100,
            command_ms: 500,
            // An answer to the question how to log in is waited for as long.
            login_ms: 500,
            ..Limits::default()
        };
        let host = Host::open(HostConfig {
            data: door.data(),
            compiled: jackfield_tests::compiled(),
            limits,
            policy: PolicyConfig::default(),
            supervisor,
        })?;
        // As a bundled one it needs no grant for its program: what it makes of that is what these cases are about.
        let plugin = host.add_plugin(bytes, true).await?;
        let program = door.script("babbling", ASKS);
        Ok(House { door, host, plugin, program })
    }

    async fn play(&self, seed: u64) -> Result<Told> {
        let data = of_seed(seed, 4_000);
        let heard = self.door.work().join(format!("heard-{seed}"));
        let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
        let instance = Instance {
            name: "babbling".into(),
            options: [("bytes".to_owned(), hex.into())].into_iter().collect(),
            program_args: vec![text(&heard)],
            programs: [("babbling".to_owned(), self.program.clone())].into(),
            ..Instance::default()
        };
        let thread = self.host.new_thread(&self.plugin, instance, &self.door.work()).await?;
        let asked = self.converse(&thread, &mut Bytes::new(&of_seed(!seed, 400))).await?;
        let closed = timeout(PATIENCE, thread.close()).await;
        ensure!(closed.is_ok(), "it does not end");
        closed??;
        let mut events: Vec<SessionEvent> = Vec::new();
        loop {
            let page = thread.events_after(events.last().map_or(0, |event| event.seq), 1_000).await?;
            if page.is_empty() {
                break;
            }
            events.extend(page);
        }
        life::judge(&events, events.len() / 2).map_err(anyhow::Error::msg)?;
        let host_broke = |event: &&SessionEvent| matches!(&event.draft.body, EventBody::SessionEnded { fault: Some(fault), .. } if fault.code.as_deref() == Some("host-broken"));
        ensure!(!events.iter().any(|event| host_broke(&event)), "the host broke");
        let lines = self.nothing_was_allowed_that_nobody_allowed(&heard, &events)?;
        Ok(Told { events: events.len(), asked, lines })
    }

    /// Says, stops, answers; returns how many requests came.
    async fn converse(&self, thread: &Thread, b: &mut Bytes<'_>) -> Result<usize> {
        let (mut events, mut asked) = (thread.subscribe(), 0);
        let until = Instant::now() + Duration::from_millis(1_200);
        for said in 0..3 {
            let how = b.pick(&[Delivery::Queue, Delivery::Auto, Delivery::Now, Delivery::Steer]);
            // Never let go in the middle: what is asked is answered, one way or the other.
            let sent = timeout(PATIENCE, thread.send_as(vec![Content::Text(format!("message {said}"))], how)).await;
            ensure!(sent.is_ok(), "a message is neither taken on nor refused");
            let pause = Instant::now() + Duration::from_millis(300);
            while let Ok(Some(event)) = timeout_at(pause.min(until), events.next()).await {
                if let EventBody::RequestOpened { request } = &event.draft.body {
                    asked += 1;
                    let reply = reply(b, request);
                    let answered = timeout(PATIENCE, thread.answer(request.id.clone(), reply, "user")).await;
                    ensure!(answered.is_ok(), "an answer is neither taken nor refused");
                }
            }
            if b.below(3) == 0 {
                ensure!(
                    timeout(PATIENCE, thread.interrupt()).await.is_ok(),
                    "an interrupt is neither heard nor refused"
                );
            }
        }
        Ok(asked)
    }

    /// What the program heard: one JSON value a line, and an allowing answer only where the person allowed.
    fn nothing_was_allowed_that_nobody_allowed(&self, heard: &Path, events: &[SessionEvent]) -> Result<usize> {
        let sessions: Vec<&str> = events
            .iter()
            .filter_map(|event| match &event.draft.body {
                EventBody::SessionStarted { session, .. } => Some(session.as_str()),
                _ => None,
            })
            .collect();
        let allowed: Vec<Value> = self
            .door
            .audit()
            .into_iter()
            .filter(|record| record["kind"] == "answer" && record["verdict"] == "allowed")
            .filter(|record| record["session"].as_str().is_some_and(|session| sessions.contains(&session)))
            .collect();
        let text = std::fs::read_to_string(heard).unwrap_or_default();
        for line in text.lines() {
            let value: Value = serde_json::from_str(line)?;
            let parts = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
            for part in parts.iter().filter(|part| {
                part["type"] == "answer" && ["once", "session"].contains(&part["option"].as_str().unwrap_or_default())
            }) {
                let by_person = allowed
                    .iter()
                    .filter(|record| record["native"] == part["id"] || record["facts"]["native"] == part["id"])
                    .count();
                let left = text.lines().filter(|other| *other == line).count();
                ensure!(by_person >= left, "the program was told {line} {left} times; allowed: {allowed:?}");
                ensure!(part["input"].is_null() || part["input"]["x"] == 1, "with an input that nobody chose: {line}");
            }
        }
        Ok(text.lines().count())
    }
}

/// An answer, mostly one that was offered.
fn reply(b: &mut Bytes<'_>, request: &Request) -> Answered {
    let option_id = match request.options.get(b.below(request.options.len().max(1))) {
        Some(offer) => offer.id.clone(),
        None => return Answered::Dismissed,
    };
    Answered::Chosen(Chosen { option_id, note: None, input: None })
}

/// What a case came to.
struct Told {
    events: usize,
    asked: usize,
    lines: usize,
}

#[test]
fn whatever_a_component_says_the_host_keeps_its_word() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (seed, cases) =
        (number("JACKFIELD_FUZZ_SEED").unwrap_or(SEED), number("JACKFIELD_FUZZ_CASES").unwrap_or(CASES));
    let begun = Instant::now();
    let (mut failed, mut sum) = (Vec::new(), (0, 0, 0));
    block_on(async {
        let house = std::sync::Arc::new(House::build().await.unwrap());
        let places = std::sync::Arc::new(tokio::sync::Semaphore::new(8));
        let mut playing = tokio::task::JoinSet::new();
        for case in 0..cases {
            let (house, places) = (house.clone(), places.clone());
            playing.spawn(async move {
                let _place = places.acquire().await;
                (seed + case, house.play(seed + case).await)
            });
        }
        while let Some(played) = playing.join_next().await {
            match played.expect("a case is played") {
                (_, Ok(told)) => sum = (sum.0 + told.events, sum.1 + told.asked, sum.2 + told.lines),
                (seed, Err(error)) => failed.push(format!("seed {seed}: {error:#}")),
            }
        }
    });
    println!(
        "{cases} cases from seed {seed}, {:.0} s: {} events, {} requests, {} lines heard",
        begun.elapsed().as_secs_f64(),
        sum.0,
        sum.1,
        sum.2
    );
    assert!(failed.is_empty(), "{} cases do not hold:\n{}", failed.len(), failed.join("\n"));
    assert!(cases < CASES || sum.1 > 0 && sum.2 > 0, "nobody was asked, or nothing was written: {sum:?}");
}
