//! Requests that outlive their session, where the provider promises it: they stay open, are asked again under the same id, and
//! an answer reaches the provider once. What is not asked again, or asks for another thing, has expired.

use jackfield_core::contract::{Chosen, Reply};
use jackfield_core::event::{EventBody, Resolution};
use jackfield_core::id::RequestId;
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_runtime::instance::Instance;
use jackfield_runtime::session::AskError;
use jackfield_tests::bench::{Bench, Talk};
use jackfield_tests::door::Door;
use jackfield_tests::live::Live;
use serde_json::{Map, Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

const AGAIN: &str = "
on send-run
  done opened-turn
  start
  ask q - execute Bash ls
on open-thread resume
  done thread T
  ask q - execute Bash ls
on respond
  done accepted
";

/// The options of a provider that can do everything and plays this table.
fn options(table: &str) -> Map<String, Value> {
    let set = jackfield_core::capability::Capabilities::strongest().to_set(1, None).capabilities.into_iter();
    let set: Map<String, Value> =
        set.map(|one| (one.name, serde_json::to_value(&one.value).expect("plain data")["value"].clone())).collect();
    json!({ "table": table, "capabilities": set }).as_object().expect("an object").clone()
}

fn instance(table: &str) -> Instance {
    Instance { options: options(table), ..Instance::default() }
}

/// A thread whose first request was left open by an orderly end; its id, and the request's.
async fn left(bench: &Bench, table: &str) -> (Talk, RequestId) {
    let mut talk =
        Talk::of(bench.host.new_thread(&bench.plugin, instance(table), bench.work()).await.expect("a thread"));
    talk.say("one").await;
    let opened = talk.until(|event| matches!(event.draft.body, EventBody::RequestOpened { .. })).await;
    let EventBody::RequestOpened { request } = &opened.draft.body else { unreachable!() };
    let id = request.id.clone();
    talk.close().await;
    assert!(talk.snapshot().requests.iter().any(|open| open.id == id), "it is still open");
    let thread = talk.thread.id().clone();
    drop(talk);
    let thread = bench.host.resume_thread(&bench.plugin, instance(table), &thread).await.expect("it is resumed");
    (Talk::of(thread), id)
}

fn yes() -> Reply {
    Reply::Chosen(Chosen { option_id: "yes".into(), note: None, input: None })
}

fn told(talk: &Talk, what: &str) -> usize {
    let told = talk.said.iter().filter(|event| match &event.draft.body {
        EventBody::Note { note } => note.code == "told" && note.text.starts_with(what),
        _ => false,
    });
    told.count()
}

fn resolved(talk: &Talk, id: &RequestId) -> Vec<Resolution> {
    let ends = talk.said.iter().filter_map(|event| match &event.draft.body {
        EventBody::RequestResolved { request, resolution } if request == id => Some(resolution.clone()),
        _ => None,
    });
    ends.collect()
}

fn code(outcome: Result<(), AskError>) -> &'static str {
    outcome.err().map_or("ok", |error| error.code())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_first_waits_for_its_question_and_is_given_once() {
    let bench = Bench::new(PROGRAM).await;
    let (mut talk, id) = left(&bench, AGAIN).await;
    // Nothing is at work: each begins the session, or finds it, and one of them wins.
    let (one, two) =
        tokio::join!(talk.thread.answer(id.clone(), yes(), "one"), talk.thread.answer(id.clone(), yes(), "two"));
    let mut codes = [code(one), code(two)];
    codes.sort();
    assert!(codes[1] == "ok" && codes[0].starts_with("already-"), "{codes:?}");
    assert_eq!(code(talk.thread.answer(id.clone(), yes(), "late").await), "already-resolved");
    talk.close().await;
    assert_eq!(told(&talk, "respond q yes"), 1);
    assert!(matches!(resolved(&talk, &id)[..], [Resolution::Answered { allowed: Some(true), .. }]));
    assert_eq!(code(talk.thread.answer(id, yes(), "later").await), "already-resolved", "also without a session");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_question_under_the_same_id_is_another_request() {
    let bench = Bench::new(PROGRAM).await;
    let changed =
        AGAIN.replace("  done thread T\n  ask q - execute Bash ls", "  done thread T\n  ask q - execute Bash rm -rf");
    let (mut talk, id) = left(&bench, &changed).await;
    assert_eq!(code(talk.thread.answer(id.clone(), yes(), "one").await), "expired");
    talk.close().await;
    assert_eq!(resolved(&talk, &id), [Resolution::Expired]);
    assert_eq!(told(&talk, "respond"), 0, "what was allowed was another thing");
    let open = talk.snapshot().requests;
    assert!(open.len() == 1 && open[0].id != id, "{open:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_asked_again_expires() {
    let limits = Limits { asked_again_ms: 100, ..Limits::default() };
    let bench = Bench::with(PROGRAM, limits, PolicyConfig::default()).await;
    let silent = AGAIN.replace("  done thread T\n  ask q - execute Bash ls", "  done thread T");
    let (mut talk, id) = left(&bench, &silent).await;
    assert_eq!(code(talk.thread.answer(id.clone(), yes(), "one").await), "expired");
    talk.close().await;
    assert_eq!((resolved(&talk, &id), told(&talk, "respond")), (vec![Resolution::Expired], 0));
    assert_eq!(code(talk.thread.answer(id, yes(), "late").await), "expired");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_stopped_leaves_no_request() {
    let bench = Bench::new(PROGRAM).await;
    let stopped = AGAIN.replace("on respond\n  done accepted", "on interrupt\n  fail internal busy");
    let mut talk =
        Talk::of(bench.host.new_thread(&bench.plugin, instance(&stopped), bench.work()).await.expect("a thread"));
    let run = talk.say("one").await;
    talk.until(|event| matches!(event.draft.body, EventBody::RequestOpened { .. })).await;
    talk.thread.interrupt().await.expect("it is asked");
    talk.ended(&[&run]).await;
    talk.close().await;
    assert_eq!(talk.snapshot().requests, []);
}

/// `kill -9` of the host while a request is open: the next host offers it under the same id, and its answer arrives once.
#[test]
fn the_request_of_a_killed_host_is_answered_in_the_next() {
    let door = Door::new(PROGRAM);
    let able = options(AGAIN)["capabilities"].as_object().expect("an object").clone();
    let able: String = able.iter().map(|(name, value)| format!("{name:?} = {value}\n")).collect();
    door.config(&format!(
        "default_instance = \"table\"\n[instances.table]\nprovider = \"scripted\"\n[instances.table.options]\n\
         table = '''{AGAIN}'''\n[instances.table.options.capabilities]\n{able}"
    ));
    let mut live = Live::start(door, &[]);
    live.message("one");
    let opened = live.until_type("request.opened");
    let (thread, request) = (opened["thread"].as_str().expect("a thread").to_owned(), opened["request"]["id"].clone());
    let door = live.kill();
    let mut live = Live::start(door, &["--resume", &thread]);
    live.say(json!({ "type": "answer", "request": request, "option": "yes" }));
    let again = live.until_type("request.opened");
    assert_eq!(again["request"]["id"], request);
    let end = live.until_type("request.resolved");
    assert_eq!((&end["request"], &end["resolution"]["outcome"]), (&request, &json!("answered")), "{end}");
    live.end_of_input();
    let ended = live.ended();
    let told = ended.of_type("note").iter().filter(|note| note["note"]["text"] == "respond q yes").count();
    assert_eq!(told, 1, "{}", ended.stdout);
}
