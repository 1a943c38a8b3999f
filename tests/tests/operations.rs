//! What can be done with a thread beyond messages, through the real stack: done where the provider can, refused with the
//! reason where it can't, announced where something else is done.

use jackfield_core::contract::{Applies, CapabilityValue, Content, FaultKind, McpServer, McpTransport, Media};
use jackfield_core::event::{EventBody, RunStatus};
use jackfield_core::id::{TaskId, TurnId};
use jackfield_runtime::host::HostError;
use jackfield_runtime::instance::Instance;
use jackfield_runtime::session::AskError;
use jackfield_runtime::thread::ForkAt;
use jackfield_tests::bench::{Bench, Talk, word};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

/// An instance whose provider can do what it declares, but for these.
fn with(bench: &Bench, changed: &[(&str, bool)]) -> Instance {
    let declared = &bench.plugin.generation.descriptor().declared.capabilities;
    let value = |value: &CapabilityValue| match value {
        CapabilityValue::Flag(flag) => json!(flag),
        CapabilityValue::Count(count) => json!(count),
        CapabilityValue::Word(word) => json!(word),
        CapabilityValue::Other(_) => Value::Null,
    };
    let mut set: serde_json::Map<String, Value> =
        declared.iter().map(|one| (one.name.clone(), value(&one.value))).collect();
    changed.iter().for_each(|(name, flag)| drop(set.insert((*name).to_owned(), json!(flag))));
    Instance { options: json!({ "capabilities": set }).as_object().expect("an object").clone(), ..Instance::default() }
}

async fn talk(bench: &Bench, instance: Instance) -> Talk {
    Talk::of(bench.host.new_thread(&bench.plugin, instance, bench.work()).await.expect("a thread"))
}

/// Says it, and waits for the end.
async fn said(talk: &mut Talk, words: &str) {
    let run = talk.say(words).await;
    talk.ended(&[&run]).await;
    assert_eq!(talk.end_of(&run).0, "completed");
}

/// All that was said in it, as text.
fn all(talk: &Talk) -> String {
    talk.said.iter().map(|event| serde_json::to_string(event).expect("plain data") + "\n").collect()
}

fn turns(talk: &Talk) -> Vec<TurnId> {
    talk.snapshot().turns.into_iter().map(|turn| turn.id).collect()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, AskError>, kind: FaultKind, words: &str) {
    match outcome {
        Err(AskError::Fault(fault)) => {
            assert_eq!(fault.kind, kind, "{}", fault.message);
            assert!(fault.message.contains(words), "{}", fault.message);
        }
        other => panic!("not refused: {other:?}"),
    }
}

fn server(name: &str, disabled: &[&str]) -> McpServer {
    McpServer {
        name: name.into(),
        transport: McpTransport::Stdio,
        address: "/bin/true".into(),
        args: vec![],
        values: vec![],
        disabled_tools: disabled.iter().map(|tool| (*tool).to_owned()).collect(),
        extra: vec![],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_knows_what_was_said_up_to_its_turn() {
    let bench = Bench::new(PROGRAM).await;
    let mut first = talk(&bench, Instance::default()).await;
    said(&mut first, "one").await;
    said(&mut first, "two").await;
    let at = turns(&first)[0].clone();
    for (point, knows, wanted) in [(ForkAt::Tip, 2, None), (ForkAt::Turn(at.clone()), 1, Some(at))] {
        let copy = bench.host.fork_thread(&first.thread, point).await.expect("a copy");
        assert_ne!(copy.id(), first.thread.id());
        let mut copy = Talk::of(copy);
        said(&mut copy, "three").await;
        copy.close().await;
        assert!(all(&copy).contains(&format!("goes on after {knows} turns")), "{}", all(&copy));
        let forked = copy.said.iter().find_map(|event| match &event.draft.body {
            EventBody::ThreadForked { from, at, .. } => Some((from.clone(), at.clone())),
            _ => None,
        });
        assert_eq!(forked, Some((first.thread.id().clone(), wanted)));
    }
    said(&mut first, "three").await;
    first.close().await;
    assert_eq!(turns(&first).len(), 3, "the first thread goes on by itself");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_rolled_back_is_forgotten_and_its_runs_are_taken_back() {
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, Instance::default()).await;
    for words in ["one", "two", "three"] {
        said(&mut talk, words).await;
    }
    let first = turns(&talk)[0].clone();
    talk.thread.rollback(Some(&first)).await.expect("it goes back");
    let gone = talk.thread.rollback(Some(&turns(&talk)[2])).await;
    refused(gone, FaultKind::NotFound, "or it was rolled back");
    said(&mut talk, "four").await;
    talk.close().await;
    let shown = talk.snapshot();
    let statuses: Vec<_> = shown.runs.iter().map(|run| word(&run.status())).collect();
    assert_eq!(statuses, ["completed", "rolled_back", "rolled_back", "completed"]);
    let gone: Vec<_> = shown.turns.iter().map(|turn| turn.rolled_back).collect();
    assert_eq!(gone, [false, true, true, false], "the turn after it is another one");
    assert_eq!(talk.decisions(), []);
    let id = talk.thread.id().clone();
    drop(talk);
    let thread = bench.host.resume_thread(&bench.plugin, Instance::default(), &id).await.expect("it is resumed");
    let mut talk = Talk::of(thread);
    said(&mut talk, "five").await;
    talk.thread.rollback(None).await.expect("back to the beginning");
    talk.close().await;
    assert!(all(&talk).contains("goes on after 2 turns"), "{}", all(&talk));
    let taken_back = talk.said.iter().filter_map(|event| match &event.draft.body {
        EventBody::ThreadRolledBack { to, turns, runs } => Some((to.clone(), turns.len(), runs.len())),
        _ => None,
    });
    assert_eq!(taken_back.collect::<Vec<_>>(), [(None, 3, 3)], "what was gone already is not gone again");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_goes_back_under_a_run_at_work() {
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, Instance::default()).await;
    let slow = talk.say("slow").await;
    talk.until(|event| matches!(event.draft.body, EventBody::ItemDelta { .. })).await;
    for outcome in [talk.thread.rollback(None).await, talk.thread.compact("").await, talk.thread.clear().await] {
        refused(outcome, FaultKind::Conflict, "interrupt it, or wait for its end");
    }
    match bench.host.fork_thread(&talk.thread, ForkAt::Tip).await {
        Err(HostError::Ask(error)) => refused::<()>(Err(error), FaultKind::Conflict, "a run is at work"),
        _ => panic!("copied"),
    }
    talk.thread.interrupt().await.expect("it is stopped");
    talk.ended(&[&slow]).await;
    talk.close().await;
    assert!(!talk.snapshot().turns[0].rolled_back);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_context_is_shortened_and_emptied() {
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, Instance::default()).await;
    said(&mut talk, "one").await;
    talk.thread.compact("the colours").await.expect("it is shortened");
    talk.thread.clear().await.expect("it is emptied");
    talk.close().await;
    let changes = talk.said.iter().filter_map(|event| match &event.draft.body {
        EventBody::ContextChanged { change } => Some((word(&change.what), change.summary.clone())),
        _ => None,
    });
    let kept = Some("1 turns; you wanted kept: the colours".to_owned());
    assert_eq!(changes.collect::<Vec<_>>(), [("compacted".into(), kept), ("cleared".into(), None)]);
    assert_eq!(turns(&talk).len(), 1, "what was shown stays");
    let row = bench.host.thread_row(talk.thread.id()).await.expect("a row");
    assert!(row.cursor.expect("a cursor").contains("/0/1"), "it is resumed emptied");
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_servers_are_there_from_the_first_turn_and_can_be_changed() {
    let bench = Bench::new(PROGRAM).await;
    let instance = Instance { mcp_servers: vec![server("maps", &[])], ..Instance::default() };
    let mut talk = talk(&bench, instance).await;
    said(&mut talk, "servers").await;
    let applies = talk.thread.set_mcp_servers(vec![server("mail", &["send"]), server("cars", &[])]).await;
    assert_eq!(applies.expect("they are taken"), Applies::Now);
    said(&mut talk, "servers").await;
    talk.close().await;
    assert!(all(&talk).contains("I may use the MCP servers maps."), "{}", all(&talk));
    assert!(all(&talk).contains("I may use the MCP servers mail without send, cars."), "{}", all(&talk));
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_an_instance_that_can_not_be_given_fail_the_run_with_the_reason() {
    let bench = Bench::new(PROGRAM).await;
    let off = with(&bench, &[("tools.supports-mcp-tools", false)]);
    let mut talk = talk(&bench, Instance { mcp_servers: vec![server("maps", &[])], ..off }).await;
    let run = talk.say("servers").await;
    talk.ended(&[&run]).await;
    talk.close().await;
    assert_eq!(talk.end_of(&run).0, "failed");
    assert!(all(&talk).contains("MCP servers cannot be given to the provider"), "{}", all(&talk));
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_listed() {
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, Instance::default()).await;
    let names = talk.thread.list_settings().await.expect("a list").into_iter().map(|setting| setting.name);
    assert_eq!(names.collect::<Vec<_>>(), ["model", "mode"], "before anything was said");
    talk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_goes_where_files_are_taken_and_is_refused_before_it_is_stored() {
    let bench = Bench::new(PROGRAM).await;
    let file = Media { mime: "image/png".into(), name: Some("dot.png".into()), uri: None, base64: Some("eA==".into()) };
    let look = || vec![Content::Text("look".into()), Content::Media(file.clone())];
    let mut talk = talk(&bench, with(&bench, &[("input.accepts-attachments", true)])).await;
    // What the handshake tells is not known yet: what was declared counts.
    refused(talk.thread.send(look()).await, FaultKind::Unsupported, "takes no attachments");
    said(&mut talk, "one").await;
    let run = talk.thread.send(look()).await.expect("it takes files by its handshake");
    talk.ended(&[&run]).await;
    talk.close().await;
    assert!(all(&talk).contains("You attached dot.png (image/png)."), "{}", all(&talk));
    assert_eq!(talk.snapshot().runs.len(), 2, "what was refused is nowhere");
}

async fn background(talk: &mut Talk) -> TaskId {
    said(talk, "background").await;
    talk.snapshot().tasks[0].id.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_waited_for_and_stopped() {
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, Instance::default()).await;
    let task = background(&mut talk).await;
    let (waited, stopped) = tokio::join!(talk.thread.wait_for_task(&task), talk.thread.stop_task(&task));
    stopped.expect("it is stopped");
    waited.expect("whoever waited knows");
    refused(talk.thread.stop_task(&task).await, FaultKind::NotFound, "no task that goes on");
    talk.close().await;
    assert_eq!(word(&talk.snapshot().tasks[0].status), "interrupted");
}

/// Off is off: the reason is typed, the plugin is not asked, and the thread goes on.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_provider_can_not_do_is_refused_with_the_reason() {
    let bench = Bench::new(PROGRAM).await;
    let off = [
        "sessions.lists-settings",
        "tools.supports-mcp-tools",
        "context.supports-compact",
        "context.supports-clear",
        "threads.can-rollback-thread",
        "threads.can-fork-thread",
        "threads.can-fork-from-turn",
        "subagents.can-close-subagents",
        "subagents.can-wait-for-subagents",
    ];
    let mut talk = talk(&bench, with(&bench, &off.map(|name| (name, false)))).await;
    let task = background(&mut talk).await;
    said(&mut talk, "more").await;
    let thread = &talk.thread;
    let kind = FaultKind::Unsupported;
    refused(thread.list_settings().await, kind, "does not list its models and modes");
    refused(thread.set_mcp_servers(vec![server("maps", &[])]).await, kind, "cannot be given to the provider");
    refused(thread.compact("").await, kind, "cannot shorten its context");
    refused(thread.clear().await, kind, "cannot empty its context");
    refused(thread.rollback(None).await, kind, "cannot forget turns");
    refused(thread.stop_task(&task).await, kind, "cannot be ended by itself");
    refused(thread.wait_for_task(&task).await, kind, "cannot wait for a task");
    for (at, words) in
        [(ForkAt::Tip, "cannot copy a thread"), (ForkAt::Turn(turns(&talk)[0].clone()), "at an earlier turn")]
    {
        match bench.host.fork_thread(thread, at).await {
            Err(HostError::Ask(error)) => refused::<()>(Err(error), kind, words),
            _ => panic!("copied"),
        }
    }
    talk.close().await;
    assert_eq!(talk.decisions(), []);
    let changes = talk.said.iter().filter(|event| matches!(event.draft.body, EventBody::ContextChanged { .. }));
    assert_eq!(changes.count(), 0, "nothing was done");
    assert!(talk.snapshot().runs.iter().all(|run| run.status() == RunStatus::Completed));
}

#[tokio::test(flavor = "multi_thread")]
async fn single_tools_are_switched_off_only_where_they_can_be() {
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, with(&bench, &[("tools.supports-mcp-server-selection", false)])).await;
    let picky = talk.thread.set_mcp_servers(vec![server("mail", &["send"])]).await;
    refused(picky, FaultKind::Unsupported, "single MCP servers and tools cannot be switched off");
    talk.thread.set_mcp_servers(vec![server("mail", &[])]).await.expect("whole ones are taken");
    talk.close().await;
}

/// Something else is done: it is said what, and then it is done.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_instead_is_announced() {
    let blind = ("checkpointing.provider-rollback-returns-snapshot", false);
    let mute = ("threads.can-read-thread-snapshot", false);
    for (off, wanted, read_again) in
        [(vec![blind], "rollback-and-reread", true), (vec![blind, mute], "rollback-unseen", false)]
    {
        let bench = Bench::new(PROGRAM).await;
        let mut talk = talk(&bench, with(&bench, &off)).await;
        said(&mut talk, "one").await;
        said(&mut talk, "two").await;
        let first = turns(&talk)[0].clone();
        talk.thread.rollback(Some(&first)).await.expect("it goes back");
        talk.close().await;
        assert_eq!(talk.decisions(), [("rollback".to_owned(), wanted.to_owned())]);
        assert_eq!(all(&talk).contains("Turn 1 of 1."), read_again, "{}", all(&talk));
        assert_eq!(talk.snapshot().runs[1].status(), RunStatus::RolledBack);
    }
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, with(&bench, &[mute])).await;
    said(&mut talk, "one").await;
    assert_eq!(talk.thread.read(None, 10).await.expect("our own record"), None);
    let summary = talk.thread.summarize("").await.expect("a summary");
    assert!(summary.starts_with("Person: one\nAssistant: I am a demonstration"), "{summary}");
    talk.close().await;
    let wanted = [("read-thread", "own-record"), ("summarize", "local-summary")];
    assert_eq!(talk.decisions(), wanted.map(|(asked, done)| (asked.to_owned(), done.to_owned())));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_is_read_from_the_provider_and_marked_as_told_before() {
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, Instance::default()).await;
    said(&mut talk, "one").await;
    assert_eq!(talk.thread.read(None, 10).await.expect("its history"), None);
    talk.close().await;
    let replayed = talk.said.iter().filter(|event| event.draft.origin.replayed);
    assert!(replayed.clone().count() > 0, "{}", all(&talk));
    assert!(all(&talk).contains("Turn 1 of 1."), "{}", all(&talk));
    assert_eq!(turns(&talk).len(), 1, "history is no turn");
}

/// What a running session can't take is for the next one, which resumes the conversation; a run at work is not disturbed.
#[tokio::test(flavor = "multi_thread")]
async fn a_switch_that_needs_a_restart_gets_one_when_nothing_is_at_work() {
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, with(&bench, &[("sessions.supports-model-switch-in-session", false)])).await;
    said(&mut talk, "one").await;
    let slow = talk.say("slow").await;
    talk.until(|event| matches!(event.draft.body, EventBody::ItemDelta { .. })).await;
    let waiting = talk.say("three").await;
    talk.thread.select(vec![("model".into(), "demo-large".into())]).await.expect("it is chosen");
    talk.until(|event| matches!(event.draft.body, EventBody::PolicyDecided { .. })).await;
    talk.thread.interrupt().await.expect("it is stopped");
    talk.ended(&[&slow, &waiting]).await;
    talk.close().await;
    assert_eq!((talk.end_of(&slow).0.as_str(), talk.end_of(&waiting).0.as_str()), ("interrupted", "completed"));
    let waits = ("queue-message".to_owned(), "host-queue".to_owned());
    assert_eq!(talk.decisions(), [waits, ("switch-model".to_owned(), "restart-and-resume".to_owned())]);
    let sessions = talk.said.iter().filter_map(|event| match &event.draft.body {
        EventBody::SessionStarted { epoch, resumed, .. } => Some((*epoch, *resumed)),
        _ => None,
    });
    let sessions: Vec<_> = sessions.collect();
    assert_eq!(sessions.iter().map(|(_, resumed)| *resumed).collect::<Vec<_>>(), [false, true]);
    let model = talk.snapshot().settings.into_iter().find(|setting| setting.name == "model");
    assert_eq!(model.expect("a model").value.as_deref(), Some("demo-large"));
    assert!(all(&talk).contains("goes on after 2 turns"), "{}", all(&talk));
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_were_given_hold_in_the_sessions_that_follow() {
    let bench = Bench::new(PROGRAM).await;
    let mut talk = talk(&bench, with(&bench, &[("sessions.supports-model-switch-in-session", false)])).await;
    said(&mut talk, "one").await;
    talk.thread.set_mcp_servers(vec![server("maps", &[])]).await.expect("they are taken");
    talk.thread.select(vec![("model".into(), "demo-large".into())]).await.expect("it is chosen");
    talk.until(|event| matches!(event.draft.body, EventBody::SessionEnded { .. })).await;
    said(&mut talk, "servers").await;
    talk.close().await;
    assert!(all(&talk).contains("I may use the MCP servers maps."), "{}", all(&talk));
}
