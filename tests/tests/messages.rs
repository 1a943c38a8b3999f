//! Messages while a run is active, through the real stack: one run each, one end each, order kept, nothing lost, nothing
//! sent twice.

use jackfield_core::event::{AttemptReason, EventBody, RunStatus};
use jackfield_core::id::RunId;
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_runtime::instance::Instance;
use jackfield_runtime::store::RunRecord;
use jackfield_runtime::thread::Delivery;
use jackfield_tests::bench::{Bench, End, Talk, text, word};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

/// A thread in which a turn goes on until it is interrupted.
async fn busy(bench: &Bench) -> (Talk, RunId) {
    let mut talk = bench.thread().await;
    let slow = talk.say("slow").await;
    talk.until(|event| matches!(event.draft.body, EventBody::ItemDelta { .. })).await;
    (talk, slow)
}

fn ended(status: &str, reason: &str) -> End {
    (status.into(), Some(reason.into()), None)
}

fn joined(run: &RunId) -> End {
    ("completed".into(), Some("joined".into()), Some(run.clone()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_joins_the_open_turn_and_its_run_says_so() {
    let bench = Bench::new(PROGRAM).await;
    let (mut talk, slow) = busy(&bench).await;
    let steered = talk.thread.send_as(text("hurry up"), Delivery::Auto).await.unwrap();
    talk.ended(&[&steered]).await;
    assert_eq!(talk.end_of(&steered), joined(&slow));
    assert_eq!(talk.typed(), [(slow.clone(), true), (steered.clone(), false)], "it is said in the turn that it joined");
    let shown = talk.snapshot();
    let item = shown.items.iter().find(|item| item.run.as_ref() == Some(&steered)).unwrap();
    assert_eq!(item.turn.as_ref(), Some(&shown.turns[0].id));
    talk.thread.interrupt().await.unwrap();
    talk.ended(&[&slow]).await;
    talk.close().await;
    assert_eq!(talk.end_of(&slow).0, "interrupted");
    assert_eq!(talk.decisions(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_provider_tells_what_became_of_it_or_what_follows_does() {
    let limits = Limits { steer_settle_ms: 600, ..Limits::default() };
    let bench = Bench::with(PROGRAM, limits, PolicyConfig::default()).await;
    for (words, joins, said) in [
        ("behind", false, vec![]),
        ("late", false, vec![("steer".to_owned(), "host-queue".to_owned())]),
        ("untold", true, vec![]),
        ("untold behind", false, vec![]),
    ] {
        let (mut talk, slow) = busy(&bench).await;
        let second = talk.thread.send_as(text(words), Delivery::Steer).await.unwrap();
        let third = talk.say("third").await;
        talk.thread.interrupt().await.unwrap();
        talk.ended(&[&slow, &second, &third]).await;
        talk.close().await;
        assert_eq!(talk.end_of(&slow).0, "interrupted", "{words}");
        let wanted = if joins { joined(&slow) } else { ended("completed", "end_turn") };
        assert_eq!(talk.end_of(&second), wanted, "{words}");
        assert_eq!(talk.typed(), [(slow, true), (second, !joins), (third, true)], "{words}: in order, once each");
        let decided: Vec<_> = talk.decisions().into_iter().filter(|(intent, _)| intent == "steer").collect();
        assert_eq!(decided, said, "{words}");
        assert_eq!(talk.snapshot().turns.len(), if joins { 2 } else { 3 }, "{words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_steer_that_races_the_end_settles_once() {
    let bench = Bench::new(PROGRAM).await;
    for wait_ms in [0, 20, 60, 100, 140, 160, 180, 200, 220, 240, 260, 300] {
        let mut talk = bench.thread().await;
        let first = talk.say("hello").await;
        tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        let second = talk.thread.send_as(text("and this"), Delivery::Auto).await.unwrap();
        talk.ended(&[&first, &second]).await;
        talk.close().await;
        assert_eq!(talk.end_of(&first).0, "completed");
        let (status, reason, into) = talk.end_of(&second);
        assert_eq!(status, "completed");
        assert_eq!(into.is_some(), reason.as_deref() == Some("joined"));
        assert_eq!(talk.typed().len(), 2, "each is said once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn restart_and_now_interrupt_and_go_before_the_queue() {
    let bench = Bench::new(PROGRAM).await;
    for (delivery, attempt) in
        [(Delivery::Restart, AttemptReason::SteeringRestart), (Delivery::Now, AttemptReason::Initial)]
    {
        let (mut talk, slow) = busy(&bench).await;
        let waits = talk.say("waits").await;
        let urgent = talk.thread.send_as(text("urgent"), delivery).await.unwrap();
        talk.ended(&[&slow, &waits, &urgent]).await;
        talk.close().await;
        assert_eq!(talk.end_of(&slow).0, "interrupted");
        assert_eq!(talk.end_of(&urgent), ended("completed", "end_turn"));
        assert_eq!(talk.end_of(&waits), ended("completed", "end_turn"));
        assert_eq!(talk.typed(), [(slow, true), (urgent.clone(), true), (waits, true)]);
        let run = talk.snapshot().runs.into_iter().find(|run| run.id == urgent).unwrap();
        assert_eq!(run.attempts.iter().map(|(_, reason)| *reason).collect::<Vec<_>>(), [attempt]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_policy_forbids_is_refused_before_it_is_stored() {
    let blocked = [("steer".to_owned(), "no-steering".to_owned())].into();
    let policy = PolicyConfig { blocked, interrupt_restart: false, ..PolicyConfig::default() };
    let bench = Bench::with(PROGRAM, Limits::default(), policy).await;
    let (mut talk, slow) = busy(&bench).await;
    for delivery in [Delivery::Auto, Delivery::Steer, Delivery::Restart] {
        let refused = talk.thread.send_as(text("no"), delivery).await.unwrap_err();
        assert_eq!(refused.code(), "provider-fault", "{refused}");
    }
    talk.thread.interrupt().await.unwrap();
    talk.ended(&[&slow]).await;
    talk.close().await;
    assert_eq!(bench.host.store().runs(talk.thread.id()).await.unwrap().len(), 1);
}

/// Where a turn can only be stopped by ending the session, what waits goes on in the next one.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_goes_on_in_a_new_session_when_the_old_one_must_end() {
    let limits = Limits { interrupt_ack_ms: 50, ..Limits::default() };
    let bench = Bench::with(PROGRAM, limits, PolicyConfig::default()).await;
    let (mut talk, slow) = busy(&bench).await;
    let waits = talk.say("waits").await;
    let now = talk.thread.send_as(text("now"), Delivery::Now).await.unwrap();
    talk.ended(&[&slow, &waits, &now]).await;
    talk.close().await;
    assert_eq!(talk.end_of(&slow).0, "interrupted");
    assert_eq!(talk.typed(), [(slow, true), (now, true), (waits, true)]);
    let started = talk.said.iter().filter(|event| matches!(event.draft.body, EventBody::SessionStarted { .. }));
    assert_eq!(started.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_listed_changed_taken_back_and_promoted() {
    let bench = Bench::new(PROGRAM).await;
    let (mut talk, slow) = busy(&bench).await;
    let mut runs = Vec::new();
    for words in ["one", "two", "three", "four"] {
        runs.push(talk.say(words).await);
    }
    let [one, two, three, four] = &runs[..] else { unreachable!() };
    assert_eq!(queue(&talk).await, runs);
    talk.thread.reorder(vec![three.clone(), one.clone(), two.clone(), four.clone()]).await.unwrap();
    talk.thread.withdraw(two).await.unwrap();
    talk.thread.edit(four, text("four and more")).await.unwrap();
    let order = [three.clone(), one.clone(), four.clone()];
    assert_eq!(queue(&talk).await, order);
    assert_eq!(talk.thread.withdraw(&slow).await.unwrap_err().code(), "not-waiting");
    assert_eq!(talk.thread.reorder(vec![one.clone()]).await.unwrap_err().code(), "not-an-order");
    // The store keeps step.
    let stored = bench.host.store().queued_runs(talk.thread.id()).await.unwrap();
    assert_eq!(stored.iter().map(|run| run.id.clone()).collect::<Vec<_>>(), order);
    assert_eq!(stored[2].prompt, text("four and more"));
    talk.thread.promote(one).await.unwrap();
    talk.ended(&[two, one]).await;
    assert_eq!(talk.end_of(two), ended("cancelled", "withdrawn"));
    assert_eq!(talk.end_of(one), joined(&slow));
    talk.thread.interrupt().await.unwrap();
    talk.ended(&[three, four]).await;
    talk.close().await;
    let snapshot = talk.snapshot();
    assert!(snapshot.queue.is_empty());
    let turns: Vec<_> = snapshot.turns.iter().filter_map(|turn| turn.run.clone()).collect();
    assert_eq!(turns, [slow, three.clone(), four.clone()]);
    assert_eq!(snapshot.runs.iter().find(|run| run.id == *four).unwrap().content, text("four and more"));
}

async fn queue(talk: &Talk) -> Vec<RunId> {
    talk.thread.queue().await.into_iter().map(|one| one.run).collect()
}

/// What a killed host had taken on: its order and its words are kept, and a message that the provider had is not sent again.
#[tokio::test(flavor = "multi_thread")]
async fn the_queue_of_a_killed_host_is_kept_and_can_be_changed() {
    let bench = Bench::new(PROGRAM).await;
    let thread = bench.thread().await.thread.id().clone();
    let id = |ordinal: u32| RunId::from_digits(&format!("a{ordinal}"));
    let statuses = [RunStatus::Queued, RunStatus::Starting, RunStatus::Queued, RunStatus::Queued];
    for (ordinal, status) in (1..).zip(statuses) {
        let record = RunRecord {
            id: id(ordinal),
            thread: thread.clone(),
            ordinal,
            status,
            prompt: text(&format!("number {ordinal}")),
            selection: vec![],
            created_ms: 1,
            updated_ms: 1,
        };
        bench.host.store().put_run(record).await.unwrap();
    }
    bench.host.store().order_runs(vec![id(3), id(1)]).await.unwrap();
    let bench = bench.again().await;
    let opened = bench.host.resume_thread(&bench.plugin, Instance::default(), &thread).await.unwrap();
    let mut talk = Talk::of(opened);
    assert_eq!(queue(&talk).await, [id(3), id(1), id(4)]);
    talk.thread.withdraw(&id(1)).await.unwrap();
    let last = talk.say("five").await;
    talk.ended(&[&id(3), &id(4), &last]).await;
    talk.close().await;
    assert_eq!(talk.typed().into_iter().map(|(run, _)| run).collect::<Vec<_>>(), [id(3), id(4), last]);
    assert_eq!(talk.end_of(&id(1)), ended("cancelled", "withdrawn"));
    let rows = bench.host.store().runs(&thread).await.unwrap();
    let ends: Vec<_> = rows.iter().map(|row| word(&row.status)).collect();
    assert_eq!(ends, ["cancelled", "failed", "completed", "completed", "completed"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_can_wait_until_nothing_goes_on() {
    let limits = Limits { roster_wait_ms: 1_500, ..Limits::default() };
    let bench = Bench::with(PROGRAM, limits, PolicyConfig::default()).await;
    let (mut talk, slow) = busy(&bench).await;
    let waits = talk.say("waits").await;
    let standing = talk.thread.standing().await;
    assert_eq!((standing.at_work, standing.waiting, standing.background), (true, 1, 0));
    assert!(!talk.thread.rest().await, "the slow turn goes on");
    talk.thread.interrupt().await.unwrap();
    // A loaded machine may need more than one wait.
    while !talk.thread.rest().await {}
    assert!(talk.thread.standing().await.is_at_rest());
    talk.close().await;
    assert_eq!((talk.end_of(&slow).0, talk.end_of(&waits).0), ("interrupted".into(), "completed".into()));
}
