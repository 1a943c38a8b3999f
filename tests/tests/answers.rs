//! Several clients at one thread, all at once: they answer, close and interrupt the same open requests through the runtime's
//! doors, and what reached the program is read off the wire.
//!
//! **For each request exactly one answer reaches the wire, the first that was taken; everybody else is told why not.** Seeded:
//! `SEED=7` plays one of them again.

use jackfield_core::contract::{Chosen, Content};
use jackfield_core::event::{EventBody, Resolution, SessionEvent};
use jackfield_core::id::RequestId;
use jackfield_core::requests::{AnswerError, Reply};
use jackfield_runtime::session::AskError;
use jackfield_runtime::thread::Thread;
use jackfield_tests::block_on;
use jackfield_tests::faults::{Case, House};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const SEEDS: u64 = 30;
const PATIENCE: Duration = Duration::from_secs(60);

/// A small generator: the same seed, the same play.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }
}

/// What a client tried, and what it was told.
struct Tried {
    client: String,
    request: usize,
    reply: Reply,
    told: Result<(), AskError>,
}

/// What one play left behind.
struct Played {
    ids: Vec<RequestId>,
    tried: Vec<Tried>,
    events: Vec<Arc<SessionEvent>>,
    /// The options that reached the program, by the request's own id.
    wire: BTreeMap<String, Vec<String>>,
    interrupted: bool,
}

/// A program that asks so many things in one turn and goes on when each is answered; it takes some back while others are asked.
fn script(requests: usize, taken_back: &BTreeSet<usize>) -> String {
    let mut lines = vec!["hear message".to_owned(), r#"say {"type":"turn-started"}"#.to_owned()];
    for at in 0..requests {
        let offers = if at % 2 == 0 { r#"["once","session","no"]"# } else { r#"["once","no"]"# };
        lines.push(format!(
            r#"say {{"type":"ask","id":"r{at}","name":"Bash","input":{{"command":"ls {at}"}},"offers":{offers}}}"#
        ));
    }
    lines.push("pause 30".into());
    lines
        .extend(taken_back.iter().map(|at| format!(r#"say {{"type":"withdrawn","id":"r{at}","status":"cancelled"}}"#)));
    let waits: Vec<String> =
        (0..requests).filter(|at| !taken_back.contains(at)).map(|at| format!("\"r{at}\"")).collect();
    if !waits.is_empty() {
        lines.push(format!("hear-each answer {}", waits.join(" ")));
    }
    lines.push(r#"say {"type":"turn-ended"}"#.into());
    let program = lines.join("\n");
    format!("Many ask at once.\n\nThe first counts.\n\n== program\n{program}\n\n== host\nsend hello\n\n== expected\n")
}

fn reply(dice: &mut Dice) -> Reply {
    let chosen = |option: &str| Reply::Chosen(Chosen { option_id: option.into(), note: None, input: None });
    match dice.roll(8) {
        0..=2 => chosen("once"),
        3 | 4 => chosen("no"),
        5 => chosen("session"),
        6 => chosen("whatever"),
        _ => Reply::Dismissed,
    }
}

async fn play(house: &House, seed: u64) -> Played {
    let mut dice = Dice(seed ^ 0x9e37_79b9_7f4a_7c15);
    let requests = 1 + dice.roll(6);
    let taken_back: BTreeSet<usize> = (0..requests).filter(|_| dice.roll(5) == 0).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("case.case");
    std::fs::write(&file, script(requests, &taken_back)).unwrap();
    let wire = folder.path().join("wire.jsonl");
    let stage = house.open(&Case::read(&file).unwrap(), folder.path(), Some(&wire)).await.unwrap();
    let thread = Arc::new(stage);
    let mut listener = thread.subscribe();
    thread.send(vec![Content::Text("go".into())]).await.unwrap();
    let (mut ids, mut events) = (Vec::new(), Vec::new());
    while ids.len() < requests {
        let event = tokio::time::timeout(PATIENCE, listener.next()).await.expect("in time").expect("an event");
        if let EventBody::RequestOpened { request } = &event.draft.body {
            ids.push(request.id.clone());
        }
        events.push(event);
    }
    let clients: Vec<Vec<(usize, Reply)>> = (0..2 + dice.roll(6))
        .map(|_| (0..1 + dice.roll(8)).map(|_| (dice.roll(requests), reply(&mut dice))).collect())
        .collect();
    let stops = dice.roll(4) == 0;
    let mut running = Vec::new();
    for (number, tries) in clients.into_iter().enumerate() {
        running.push(tokio::spawn(client(thread.clone(), ids.clone(), format!("client {number}"), tries)));
    }
    if stops {
        let thread = thread.clone();
        running.push(tokio::spawn(async move {
            let _ = thread.interrupt().await;
            Vec::new()
        }));
    }
    let mut tried = Vec::new();
    for one in running {
        tried.extend(one.await.unwrap());
    }
    // What nobody has answered is answered now, so that the turn can end.
    let rest = (0..requests).map(|at| (at, Reply::Dismissed)).collect();
    tried.extend(client(thread.clone(), ids.clone(), "the last".into(), rest).await);
    loop {
        let event = tokio::time::timeout(PATIENCE, listener.next()).await.expect("the run ends").expect("an event");
        let over = matches!(event.draft.body, EventBody::RunEnded { .. });
        events.push(event);
        if over {
            break;
        }
    }
    thread.close().await.unwrap();
    while let Some(event) = listener.next_now() {
        events.push(event);
    }
    Played { ids, tried, events, wire: answers(&wire), interrupted: stops }
}

async fn client(thread: Arc<Thread>, ids: Vec<RequestId>, name: String, tries: Vec<(usize, Reply)>) -> Vec<Tried> {
    let mut tried = Vec::new();
    for (request, reply) in tries {
        let told = thread.answer(ids[request].clone(), reply.clone(), &name).await;
        tried.push(Tried { client: name.clone(), request, reply, told });
    }
    tried
}

/// Lines to the program that answer a request: its id, and what was picked.
fn answers(file: &Path) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in std::fs::read_to_string(file).unwrap().lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        let line: Value = match row["dir"].as_str() {
            Some("in") => serde_json::from_str(row["line"].as_str().unwrap()).unwrap(),
            _ => continue,
        };
        if line["type"] == "answer" {
            let option = line["option"].as_str().unwrap().to_owned();
            found.entry(line["id"].as_str().unwrap().to_owned()).or_default().push(option);
        }
    }
    found
}

fn judge(played: &Played) -> Result<(), String> {
    for (at, id) in played.ids.iter().enumerate() {
        let wire = played.wire.get(&format!("r{at}")).map_or(&[][..], Vec::as_slice);
        let ends: Vec<&Resolution> = played
            .events
            .iter()
            .filter_map(|event| match &event.draft.body {
                EventBody::RequestResolved { request, resolution } if request == id => Some(resolution),
                _ => None,
            })
            .collect();
        let taken: Vec<&Tried> = played.tried.iter().filter(|one| one.request == at && one.told.is_ok()).collect();
        let story = || {
            let tried = played.tried.iter().filter(|one| one.request == at);
            let tried: Vec<String> =
                tried.map(|one| format!("{}: {:?} -> {:?}", one.client, one.reply, one.told)).collect();
            format!("request {at}: wire {wire:?}, ends {ends:?}\n{}", tried.join("\n"))
        };
        let must = |holds: bool, what: &str| if holds { Ok(()) } else { Err(format!("{what}\n{}", story())) };
        must(wire.len() <= 1, "more than one answer reached the program")?;
        must(taken.len() <= 1, "more than one client was told that it had answered")?;
        must(ends.len() == 1, "it ended once")?;
        match (taken.first(), ends[0]) {
            (Some(taken), Resolution::Answered { option, allowed, by }) => {
                must(*by == taken.client, "the event names who was first")?;
                let Reply::Chosen(chosen) = &taken.reply else { return Err(story()) };
                must(option.as_ref() == Some(&chosen.option_id), "the event names what was picked")?;
                must(*allowed == Some(chosen.option_id != "no"), "an allowance is one, a refusal is one")?;
                must(wire == [chosen.option_id.clone()], "what was picked is what the program heard")?;
            }
            (Some(taken), Resolution::Dismissed) => {
                must(taken.reply == Reply::Dismissed, "closed by who closed it")?;
                must(wire == ["no"], "closing is no consent")?;
            }
            (None, Resolution::Dismissed) => {
                must(played.interrupted && wire == ["no"], "closed by the interrupt")?;
            }
            // The provider took it back: whoever was on the way may have been heard, or not.
            (_, Resolution::Withdrawn) => {}
            _ => return Err(format!("ended by nobody\n{}", story())),
        }
        for one in played.tried.iter().filter(|one| one.request == at) {
            let Err(error) = &one.told else { continue };
            let wanted = match (&one.reply, error) {
                (
                    _,
                    AskError::Answer(
                        AnswerError::AlreadyResolved { .. }
                        | AnswerError::AlreadyAnswering { .. }
                        | AnswerError::Expired { .. },
                    ),
                ) => true,
                (Reply::Chosen(chosen), AskError::Answer(AnswerError::InvalidOption { offered, .. })) => {
                    !offered.contains(&chosen.option_id)
                }
                _ => false,
            };
            must(wanted, &format!("{} was told something else: {error:?}", one.client))?;
        }
    }
    Ok(())
}

#[test]
fn of_many_answers_at_once_one_reaches_the_provider() {
    let one = std::env::var("SEED").ok().map(|seed| seed.parse::<u64>().unwrap());
    let (mut wrong, mut raced) = (Vec::new(), 0);
    block_on(async {
        let house = House::build(Path::new(env!("CARGO_BIN_EXE_play"))).await.unwrap();
        for seed in one.map_or(0..SEEDS, |seed| seed..seed + 1) {
            let played = play(&house, seed).await;
            raced += played.tried.iter().filter(|one| one.told.is_err()).count();
            wrong.extend(judge(&played).err().map(|problem| format!("SEED={seed}: {problem}")));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(raced > 0, "nobody came too late: nothing was tested");
}
