//! Copies of a thread and subagents' threads through the real stack: where a copy ends, what it is said to be, and that a
//! subagent's thread is opened once.

use jackfield_core::contract::FaultKind;
use jackfield_core::event::EventBody;
use jackfield_core::id::{ItemId, TaskId};
use jackfield_runtime::host::HostError;
use jackfield_runtime::instance::Instance;
use jackfield_runtime::session::{AskError, Stop};
use jackfield_runtime::thread::ForkAt;
use jackfield_tests::bench::{Bench, Talk};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

/// A provider that can do everything, but for these flags, and plays this table.
fn table(table: &str, without: &[&str]) -> Instance {
    let mut able = jackfield_core::capability::Capabilities::strongest();
    without.iter().for_each(|name| jackfield_core::capability::flag(name).expect("a flag").weaken(&mut able));
    let set = able.to_set(1, None).capabilities.into_iter();
    let set: serde_json::Map<String, Value> =
        set.map(|one| (one.name, serde_json::to_value(&one.value).expect("plain data")["value"].clone())).collect();
    let options = json!({ "table": table, "capabilities": set });
    Instance { options: options.as_object().expect("an object").clone(), ..Instance::default() }
}

async fn talk(bench: &Bench, instance: Instance) -> Talk {
    Talk::of(bench.host.new_thread(&bench.plugin, instance, bench.work()).await.expect("a thread"))
}

async fn said(talk: &mut Talk, words: &str) {
    let run = talk.say(words).await;
    talk.ended(&[&run]).await;
}

fn item(talk: &Talk, native: &str) -> ItemId {
    let items = talk.snapshot().items;
    items.into_iter().find(|shown| shown.item.native_id.as_deref() == Some(native)).expect("the item").item.id.clone()
}

fn task(talk: &Talk) -> TaskId {
    talk.snapshot().tasks[0].id.clone()
}

/// What reached the provider.
fn told(talk: &Talk) -> Vec<String> {
    let notes = talk.said.iter().filter_map(|event| match &event.draft.body {
        EventBody::Note { note } if note.code == "told" => Some(note.text.clone()),
        _ => None,
    });
    notes.collect()
}

fn origin(talk: &Talk) -> Option<EventBody> {
    let mut bodies = talk.said.iter().map(|event| event.draft.body.clone());
    bodies.find(|body| matches!(body, EventBody::ThreadForked { .. } | EventBody::ThreadOpened { .. }))
}

#[track_caller]
fn refused<T>(outcome: Result<T, HostError>, kind: FaultKind, words: &str) {
    match outcome {
        Err(HostError::Ask(AskError::Fault(fault))) => {
            assert_eq!(fault.kind, kind, "{}", fault.message);
            assert!(fault.message.contains(words), "{}", fault.message);
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("not refused"),
    }
}

const ANSWERS: &str = "
on send-run
  done opened-turn
  start
  tool d running delegate Agent go
  @parent=d assistant m completed deep
  tool d completed delegate Agent go
  assistant a completed first
  assistant b completed second
  assistant - completed third
  end completed
on fork-thread
  done thread U
";

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_ends_at_one_answer_or_says_that_it_holds_the_whole_turn() {
    let bench = Bench::new(PROGRAM).await;
    for (without, at_item) in [(&[][..], true), (&["threads.can-fork-from-item"], false)] {
        let mut first = talk(&bench, table(ANSWERS, without)).await;
        said(&mut first, "one").await;
        said(&mut first, "two").await;
        let (at, turn) = (item(&first, "a"), first.snapshot().turns[0].id.clone());
        let copy = bench.host.fork_thread(&first.thread, ForkAt::Item(at.clone())).await.expect("a copy");
        let mut copy = Talk::of(copy);
        said(&mut copy, "three").await;
        let from = first.thread.id().clone();
        let (at, item) = if at_item { (None, Some(at)) } else { (Some(turn), None) };
        assert_eq!(origin(&copy), Some(EventBody::ThreadForked { from, at, item, task: None }));
        copy.close().await;
        assert!(told(&copy).contains(&"open-thread resume cursor-U beside".to_owned()), "{:?}", told(&copy));
        first.close().await;
        let asked = if at_item { "fork-thread 1 item=a" } else { "fork-thread 1" };
        assert!(told(&first).contains(&asked.to_owned()), "{:?}", told(&first));
        let decided = if at_item { vec![] } else { vec![("fork-at-item".into(), "fork-at-turn".into())] };
        assert_eq!(first.decisions(), decided);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_point_of_the_thread_is_refused_before_anything_is_asked() {
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, table(ANSWERS, &[])).await;
    said(&mut talk, "one").await;
    let inside = bench.host.fork_thread(&talk.thread, ForkAt::Item(item(&talk, "m"))).await;
    refused(inside, FaultKind::Invalid, "not said in a turn of this thread itself");
    let unnamed =
        talk.snapshot().items.into_iter().find(|shown| shown.turn.is_some() && shown.item.native_id.is_none());
    let unnamed = bench.host.fork_thread(&talk.thread, ForkAt::Item(unnamed.expect("an item").item.id.clone())).await;
    refused(unnamed, FaultKind::Invalid, "has no name for");
    let nobody = ItemId::from_digits("0");
    refused(bench.host.fork_thread(&talk.thread, ForkAt::Item(nobody)).await, FaultKind::NotFound, "is no item");
    talk.close().await;
    assert!(!told(&talk).iter().any(|asked| asked.starts_with("fork-thread")));
}

const SUBAGENT: &str = "
on send-run
  done opened-turn
  start
  tool d running delegate Agent go
  task k running item=d thread=child
  thread child parent=T
  @thread=child assistant m completed deep
  after 60
  task k completed item=d
  tool d completed delegate Agent go
  end completed
on open-thread resume cursor-child
  done thread child
on open-thread resume
  done thread U
on fork-thread
  done thread U
";

#[tokio::test(flavor = "multi_thread")]
async fn a_subagents_thread_is_opened_once_and_goes_on_by_itself() {
    let bench = Bench::new(PROGRAM).await;
    let instance = table(SUBAGENT, &[]);
    let mut first = talk(&bench, instance.clone()).await;
    let run = first.say("one").await;
    first.until(|event| matches!(event.draft.body, EventBody::TaskUpdated { .. })).await;
    let early = bench.host.open_subagent(&first.thread, &task(&first)).await;
    refused(early, FaultKind::Conflict, "still at work");
    first.ended(&[&run]).await;
    let opened = bench.host.open_subagent(&first.thread, &task(&first)).await.expect("it is opened");
    assert_ne!(opened, *first.thread.id());
    let again = bench.host.open_subagent(&first.thread, &task(&first)).await.expect("it is there");
    assert_eq!(again, opened, "one thread of the provider's is one of ours");
    let mut child = Talk::of(bench.host.resume_thread(&bench.plugin, instance, &opened).await.expect("it is resumed"));
    said(&mut child, "go on").await;
    child.close().await;
    assert!(told(&child).contains(&"open-thread resume cursor-child beside".to_owned()), "{:?}", told(&child));
    let events = child.thread.events_after(0, 100).await.expect("events");
    let from = (first.thread.id().clone(), task(&first));
    let origin = events.iter().find_map(|event| match &event.draft.body {
        EventBody::ThreadOpened { from, task } => Some((from.clone(), task.clone())),
        _ => None,
    });
    assert_eq!(origin, Some(from));
    first.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subagents_thread_is_copied_and_one_without_an_id_is_shown_where_it_worked() {
    let bench = Bench::new(PROGRAM).await;
    let mut first = talk(&bench, table(SUBAGENT, &[])).await;
    said(&mut first, "one").await;
    let copy = bench.host.fork_thread(&first.thread, ForkAt::Subagent(task(&first))).await.expect("a copy");
    let mut copy = Talk::of(copy);
    said(&mut copy, "on").await;
    let (from, task_id) = (first.thread.id().clone(), Some(task(&first)));
    assert_eq!(origin(&copy), Some(EventBody::ThreadForked { from, at: None, item: None, task: task_id }));
    copy.close().await;
    first.close().await;
    assert!(told(&first).contains(&"fork-thread 0 of child".to_owned()), "{:?}", told(&first));

    let mut plain = talk(&bench, table(SUBAGENT, &["subagents.exposes-subagent-thread-ids"])).await;
    said(&mut plain, "one").await;
    let here = bench.host.open_subagent(&plain.thread, &task(&plain)).await.expect("it is shown here");
    assert_eq!(here, *plain.thread.id());
    refused(
        bench.host.fork_thread(&plain.thread, ForkAt::Subagent(task(&plain))).await,
        FaultKind::Unsupported,
        "cannot copy a subagent's thread",
    );
    plain.close().await;
    let asked = ("open-subagent".to_owned(), "nested-nodes".to_owned());
    assert_eq!(plain.decisions(), [asked.clone(), asked], "once as it was told, once as it was asked for");
}

const BACKGROUND: &str = "
on send-run
  done opened-turn
  start
  task k running background
  say assistant m hi
on interrupt keep-background
  fail internal busy
";

/// A turn that was to be stopped alone and can't be: the session ends, and that it takes the background work along is said.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_last_step_of_an_interrupt_costs_is_said() {
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, table(BACKGROUND, &[])).await;
    let run = talk.say("one").await;
    talk.until(|event| matches!(event.draft.body, EventBody::ItemDelta { .. })).await;
    talk.thread.stop(Stop::TurnOnly).await.expect("it is asked");
    talk.ended(&[&run]).await;
    talk.close().await;
    assert_eq!(talk.end_of(&run).0, "interrupted");
    assert_eq!(talk.decisions(), [("interrupt-turn-only".to_owned(), "stop-session".to_owned())]);
}
