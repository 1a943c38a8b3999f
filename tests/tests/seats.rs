//! Several threads on one process, where the provider can: one plugin at work, each thread with its own log, runs, queue, requests and
//! end. What happens in one changes nothing in another; what ends the session ends in each, and each goes on by itself.

use jackfield_core::contract::{Chosen, Reply};
use jackfield_core::event::{EventBody, SessionEnd, SessionEvent, is_terminal};
use jackfield_core::id::{RequestId, RunId, SessionId, ThreadId};
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_runtime::instance::Instance;
use jackfield_runtime::thread::ForkAt;
use jackfield_tests::bench::{Bench, Talk, text};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");
const SHARES: &str = "sessions.supports-multiple-provider-threads-per-session";

/// What a thread does, by its message.
const TABLE: &str = "
on send-run talk
  done opened-turn
  start
  say assistant m a
  after 5
  say assistant m b
  after 5
  tool c running execute Bash ls
  after 5
  tool c completed execute Bash ls => out
  after 5
  assistant m completed ab
  end completed
on send-run ask
  done opened-turn
  start
  ask q - execute Bash ls
on respond
  done accepted
  assistant n completed answered
  end completed
on send-run forever
  done opened-turn
  start
  say assistant m on
on interrupt
  done interrupted
  end interrupted
on send-run break
  done opened-turn
  start
  broken it is torn
on set-selection
  done after-restart
on set-mcp-servers
  done now
on fork-thread
  done thread U
";

fn instance(table: &str, without: &[&str]) -> Instance {
    let set = jackfield_core::capability::Capabilities::strongest().to_set(1, None).capabilities.into_iter();
    let mut set: Map<String, Value> =
        set.map(|one| (one.name, serde_json::to_value(&one.value).expect("plain data")["value"].clone())).collect();
    without.iter().for_each(|flag| _ = set.insert((*flag).to_owned(), json!(false)));
    let options = json!({ "table": table, "capabilities": set });
    Instance { options: options.as_object().expect("an object").clone(), ..Instance::default() }
}

async fn talk(bench: &Bench, instance: Instance) -> Talk {
    Talk::of(bench.host.new_thread(&bench.plugin, instance, bench.work()).await.expect("a thread"))
}

/// So many threads, each after a first turn: they are open.
async fn talks(bench: &Bench, instance: &Instance, count: usize) -> Vec<Talk> {
    let mut talks = Vec::new();
    for _ in 0..count {
        let mut one = talk(bench, instance.clone()).await;
        let run = one.say("talk").await;
        one.ended(&[&run]).await;
        talks.push(one);
    }
    talks
}

/// Sessions that a thread was told of: its own id of each, and whose program it shares.
fn sessions(talk: &Talk) -> Vec<(SessionId, Option<SessionId>)> {
    let started = talk.said.iter().filter_map(|event| match &event.draft.body {
        EventBody::SessionStarted { session, shares, .. } => Some((session.clone(), shares.clone())),
        _ => None,
    });
    started.collect()
}

fn ends(talk: &Talk) -> Vec<SessionEnd> {
    let ends = talk.said.iter().filter_map(|event| match &event.draft.body {
        EventBody::SessionEnded { reason, .. } => Some(*reason),
        _ => None,
    });
    ends.collect()
}

fn told(talk: &Talk) -> Vec<String> {
    let notes = talk.said.iter().filter_map(|event| match &event.draft.body {
        EventBody::Note { note } if note.code == "told" => Some(note.text.clone()),
        _ => None,
    });
    notes.collect()
}

fn was_told(talk: &Talk, what: &str) -> bool {
    told(talk).iter().any(|line| line.starts_with(what))
}

async fn asked(talk: &mut Talk) -> RequestId {
    let opened = talk.until(|event| matches!(event.draft.body, EventBody::RequestOpened { .. })).await;
    let EventBody::RequestOpened { request } = &opened.draft.body else { unreachable!() };
    request.id.clone()
}

async fn at_work(talk: &mut Talk) {
    talk.until(|event| matches!(event.draft.body, EventBody::ItemDelta { .. })).await;
}

fn yes() -> Reply {
    Reply::Chosen(Chosen { option_id: "yes".into(), note: None, input: None })
}

fn status(talk: &Talk, run: &RunId) -> String {
    talk.end_of(run).0
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_of_one_start_share_a_process_and_others_do_not() {
    let bench = Bench::new(PROGRAM).await;
    let alike = instance(TABLE, &[]);
    let mut three = talks(&bench, &alike, 3).await;
    let first = sessions(&three[0])[0].0.clone();
    assert_eq!(sessions(&three[0])[0].1, None);
    for later in &three[1..] {
        assert_eq!(sessions(later)[0].1, Some(first.clone()), "it has a seat on the first one's session");
    }
    // Whatever goes into a start tells them apart.
    let other = Instance { name: "other".into(), ..alike.clone() };
    let secret = Instance { secrets: [("K".to_owned(), "v".to_owned())].into(), ..alike.clone() };
    let limited = Instance {
        limits: jackfield_core::run_limits::RunLimits { max_turns: Some(9), ..Default::default() },
        ..alike.clone()
    };
    let chosen = Instance { selection: vec![("model".into(), "large".into())], ..alike.clone() };
    for different in [other, secret, limited, chosen] {
        let mut alone = talks(&bench, &different, 1).await.remove(0);
        assert_eq!(sessions(&alone)[0].1, None);
        alone.close().await;
    }
    let elsewhere = bench.work().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    let thread = bench.host.new_thread(&bench.plugin, alike.clone(), &elsewhere).await.expect("a thread");
    let mut alone = Talk::of(thread);
    let run = alone.say("talk").await;
    alone.ended(&[&run]).await;
    assert_eq!(sessions(&alone)[0].1, None);
    alone.close().await;
    for one in &mut three {
        one.close().await;
        assert_eq!(ends(one), [SessionEnd::Closed]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_serves_one_thread_gets_a_session_for_each_and_nothing_is_lost_or_said() {
    let bench = Bench::new(PROGRAM).await;
    let mut two = talks(&bench, &instance(TABLE, &[SHARES]), 2).await;
    for one in &mut two {
        one.close().await;
        assert_eq!(sessions(one)[0].1, None);
        assert_eq!(one.decisions(), [], "it loses nothing");
        assert_eq!(ends(one), [SessionEnd::Closed]);
    }
    // A rule of the operator's decides over what the provider can.
    let policy = PolicyConfig {
        blocked: [("share-session".to_owned(), "one-each".to_owned())].into(),
        ..PolicyConfig::default()
    };
    let bench = Bench::with(PROGRAM, Limits::default(), policy).await;
    let mut two = talks(&bench, &instance(TABLE, &[]), 2).await;
    for one in &mut two {
        one.close().await;
        assert_eq!(sessions(one)[0].1, None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_id_in_two_threads_is_two_requests() {
    let bench = Bench::new(PROGRAM).await;
    let mut two = talks(&bench, &instance(TABLE, &[]), 2).await;
    let (b, a) = (two.pop().expect("b"), two.pop().expect("a"));
    let (mut a, mut b) = (a, b);
    let (run_a, run_b) = (a.say("ask").await, b.say("ask").await);
    let (of_a, of_b) = (asked(&mut a).await, asked(&mut b).await);
    assert_ne!(of_a, of_b);
    let foreign = a.thread.answer(of_b.clone(), yes(), "a").await;
    assert_eq!(foreign.expect_err("it is not its own").code(), "not-found");
    b.thread.answer(of_b, yes(), "b").await.expect("it is answered");
    b.ended(&[&run_b]).await;
    let open: Vec<_> = a.snapshot().requests.iter().map(|open| open.id.clone()).collect();
    assert!(open.len() == 1 && open[0] == of_a, "{open:?}");
    a.thread.answer(of_a, yes(), "a").await.expect("it is answered");
    a.ended(&[&run_a]).await;
    for (talk, run) in [(&mut a, &run_a), (&mut b, &run_b)] {
        talk.close().await;
        assert_eq!(status(talk, run), "completed");
        let answers = told(talk).iter().filter(|line| line.starts_with("respond")).count();
        assert_eq!(answers, 1, "{:?}", told(talk));
        let demoted = talk.said.iter().filter(|event| matches!(event.draft.body, EventBody::CapabilityDemoted { .. }));
        assert_eq!(demoted.count(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_is_interrupted_or_closed_and_the_other_works_on() {
    let bench = Bench::new(PROGRAM).await;
    let alike = instance(TABLE, &[]);
    let mut three = talks(&bench, &alike, 3).await;
    let mut runs = Vec::new();
    for one in &mut three {
        runs.push(one.say("forever").await);
        at_work(one).await;
    }
    let [mut a, mut b, mut c] = <[Talk; 3]>::try_from(three).ok().expect("three");
    a.thread.interrupt().await.expect("it is asked");
    a.ended(&[&runs[0]]).await;
    assert_eq!(status(&a, &runs[0]), "interrupted");
    assert!(b.thread.standing().await.at_work && c.thread.standing().await.at_work);
    // In the middle of its turn: it is stopped, and its thread let go of.
    b.close().await;
    assert_eq!((status(&b, &runs[1]), ends(&b)), ("interrupted".into(), vec![SessionEnd::Closed]));
    assert!(b.snapshot().session.is_none());
    let run = a.say("talk").await;
    a.ended(&[&run]).await;
    assert_eq!(status(&a, &run), "completed");
    assert!(c.thread.standing().await.at_work);
    // The lease is free: it comes back, onto the same session, and its ids go on.
    let id = b.thread.id().clone();
    let before: Vec<_> = b.snapshot().items.iter().map(|shown| shown.item.id.clone()).collect();
    drop(b);
    let mut b = Talk::of(bench.host.resume_thread(&bench.plugin, alike, &id).await.expect("it is resumed"));
    let run = b.say("talk").await;
    b.ended(&[&run]).await;
    assert_eq!(sessions(&b)[0].1, sessions(&c)[0].1);
    assert!(was_told(&b, "open-thread resume cursor-T2"), "{:?}", told(&b));
    let after: Vec<_> = b.snapshot().items.iter().map(|shown| shown.item.id.clone()).collect();
    assert!(after.iter().all(|item| !before.contains(item)), "a new item has a new id");
    // The one it was begun for goes, too; the last one ends the session.
    a.close().await;
    let run = b.say("talk").await;
    b.ended(&[&run]).await;
    b.thread.kill().await.expect("at once");
    assert!(c.thread.standing().await.at_work, "what others are at work on is not killed");
    c.close().await;
    assert_eq!((ends(&a), ends(&c)), (vec![SessionEnd::Closed], vec![SessionEnd::Closed]));
}

/// What is told of a conversation before its `open-thread` is answered is its own, beside others, too: history that it holds is not
/// shown again, and a question that is asked again is asked there.
#[tokio::test(flavor = "multi_thread")]
async fn a_thread_that_comes_back_beside_another_shows_its_history_once_and_is_asked() {
    let bench = Bench::new(PROGRAM).await;
    let table = format!(
        "{TABLE}
on open-thread resume
  @thread=T2 @replayed assistant m completed ab
  @thread=T2 ask q - execute Bash ls
  done thread T2
"
    );
    let alike = instance(&table, &[]);
    let [mut a, mut b] = <[Talk; 2]>::try_from(talks(&bench, &alike, 2).await).ok().expect("two");
    b.close().await;
    let id = b.thread.id().clone();
    drop(b);
    let mut b = Talk::of(bench.host.resume_thread(&bench.plugin, alike, &id).await.expect("it is resumed"));
    let run = b.say("talk").await;
    asked(&mut b).await;
    b.ended(&[&run]).await;
    assert_eq!(sessions(&b)[0].1, Some(sessions(&a)[0].0.clone()), "on the same session");
    let again = b.said.iter().filter(|event| event.draft.origin.replayed).count();
    assert_eq!(again, 0, "{:?}", b.said);
    a.close().await;
    b.close().await;
    assert!(a.said.iter().all(|event| !event.draft.origin.replayed));
    assert!(a.said.iter().all(|event| !matches!(event.draft.body, EventBody::RequestOpened { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_lets_go_of_a_thread_without_a_word_closes_it_alone() {
    let bench = Bench::new(PROGRAM).await;
    let alike = instance(TABLE, &[]);
    let mut two = talks(&bench, &alike, 2).await;
    let (gone, mut stays) = (two.pop().expect("b"), two.pop().expect("a"));
    let id = gone.thread.id().clone();
    drop(gone);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let mut again = loop {
        match bench.host.resume_thread(&bench.plugin, alike.clone(), &id).await {
            Ok(thread) => break Talk::of(thread),
            Err(error) => assert!(std::time::Instant::now() < deadline, "its lease is free: {error}"),
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    let run = stays.say("talk").await;
    stays.ended(&[&run]).await;
    let run = again.say("talk").await;
    again.ended(&[&run]).await;
    again.close().await;
    stays.close().await;
    assert_eq!(ends(&stays), [SessionEnd::Closed]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_that_breaks_again_ends_in_each_thread_and_each_goes_on() {
    let bench = Bench::new(PROGRAM).await;
    let mut three = talks(&bench, &instance(TABLE, &[]), 3).await;
    let forever = three[0].say("forever").await;
    at_work(&mut three[0]).await;
    let asks = three[1].say("ask").await;
    asked(&mut three[1]).await;
    let once = three[2].say("break").await;
    three[2].ended(&[&once]).await;
    assert_eq!((status(&three[2], &once), ends(&three[2])), ("failed".into(), vec![]), "only that message");
    let breaks = three[2].say("break").await;
    for (one, run) in three.iter_mut().zip([&forever, &asks, &breaks]) {
        one.ended(&[run]).await;
        one.until(|event| matches!(event.draft.body, EventBody::SessionEnded { .. })).await;
        assert_eq!((status(one, run), ends(one)), ("failed".into(), vec![SessionEnd::PluginFailed]));
        assert!(one.snapshot().items.iter().all(|shown| is_terminal(shown.item.status)));
    }
    for (one, cursor) in three.iter_mut().zip(["cursor-T", "cursor-T2", "cursor-T3"]) {
        let run = one.say("talk").await;
        one.ended(&[&run]).await;
        assert_eq!(status(one, &run), "completed");
        assert!(was_told(one, &format!("open-thread resume {cursor}")), "{:?}", told(one));
    }
    let again: Vec<_> = three.iter().map(|one| sessions(one)[1].clone()).collect();
    assert!(again.iter().filter(|(_, shares)| shares.is_none()).count() == 1, "they share again: {again:?}");
    for one in &mut three {
        one.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_needs_a_session_of_its_own_moves_the_thread_out_and_leaves_the_others() {
    let bench = Bench::new(PROGRAM).await;
    let cannot = ["sessions.supports-model-switch-in-session"];
    let mut three = talks(&bench, &instance(TABLE, &cannot), 3).await;
    let forever = three[2].say("forever").await;
    at_work(&mut three[2]).await;
    three[0].thread.select(vec![("model".into(), "large".into())]).await.expect("it is chosen");
    let run = three[0].say("talk").await;
    three[0].ended(&[&run]).await;
    assert_eq!(sessions(&three[0]).len(), 2);
    assert_eq!(sessions(&three[0])[1].1, None, "no other one was begun with that model");
    assert!(three[0].decisions().contains(&("switch-model".into(), "restart-and-resume".into())));
    three[1].thread.set_mcp_servers(vec![]).await.expect("they are set");
    let run = three[1].say("talk").await;
    three[1].ended(&[&run]).await;
    assert!(three[1].decisions().contains(&("set-mcp-servers".into(), "restart-and-resume".into())));
    assert!(three[2].thread.standing().await.at_work);
    assert_eq!((sessions(&three[2]).len(), ends(&three[2]).len()), (1, 0));
    three[2].thread.interrupt().await.expect("it is asked");
    three[2].ended(&[&forever]).await;
    for one in &mut three {
        one.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_lives_on_the_session_it_was_made_in() {
    let bench = Bench::new(PROGRAM).await;
    let mut first = talks(&bench, &instance(TABLE, &[]), 1).await.remove(0);
    let copy = bench.host.fork_thread(&first.thread, ForkAt::Tip).await.expect("a copy");
    let mut copy = Talk::of(copy);
    let run = copy.say("talk").await;
    copy.ended(&[&run]).await;
    assert_eq!(sessions(&copy)[0].1, Some(sessions(&first)[0].0.clone()));
    assert!(was_told(&copy, "open-thread resume cursor-U"), "{:?}", told(&copy));
    first.close().await;
    let run = copy.say("talk").await;
    copy.ended(&[&run]).await;
    copy.close().await;
    assert_eq!(status(&copy, &run), "completed");
}

/// A provider that declares it and answers with the same thread, or that it can't: the lie is caught, and no message is lost.
#[tokio::test(flavor = "multi_thread")]
async fn who_serves_one_thread_after_all_is_believed_no_more() {
    for lie in ["done thread T", "fail unsupported one is enough"] {
        let bench = Bench::new(PROGRAM).await;
        let table = format!("{TABLE}on open-thread create beside\n  {lie}\n");
        let mut two = talks(&bench, &instance(&table, &[]), 2).await;
        let started = sessions(&two[1]);
        assert_eq!(started.len(), 2, "it was let in, and has a session of its own now");
        assert!(started[0].1.is_some() && started[1].1.is_none(), "{started:?}");
        for one in &mut two {
            one.close().await;
        }
        let demoted = bench.host.store().demotions(None).await.expect("demotions");
        assert_eq!(demoted.iter().map(|one| one.flag.as_str()).collect::<Vec<_>>(), [SHARES]);
        let mut third = talks(&bench, &instance(&table, &[]), 1).await.remove(0);
        third.close().await;
    }
}

/// A further thread that is never opened is given up by the limit of a handshake, and the session goes on without it.
#[tokio::test(flavor = "multi_thread")]
async fn a_further_thread_that_is_never_opened_is_given_up_in_the_name_of_its_limit() {
    let limits = Limits { handshake_ms: 4_000, ..Limits::default() };
    let bench = Bench::with(PROGRAM, limits, PolicyConfig::default()).await;
    let table = format!("{TABLE}on open-thread create beside\n  silence\n");
    let instance = instance(&table, &[]);
    let mut first = talks(&bench, &instance, 1).await.remove(0);
    let mut second = talk(&bench, instance).await;
    let run = second.say("talk").await;
    second.ended(&[&run]).await;
    let end = second.said.iter().find_map(|event| match &event.draft.body {
        EventBody::RunEnded { fault: Some(fault), .. } => Some(fault.message.clone()),
        _ => None,
    });
    let wanted = "the plugin did not answer 'open-thread' within 4000 ms (limit handshake_ms)";
    assert_eq!(end.as_deref(), Some(wanted));
    let run = first.say("talk").await;
    first.ended(&[&run]).await;
    assert_eq!(status(&first, &run), "completed");
    first.close().await;
}

/// What is seen of an event but its number and time, and what tells of others that are served, too.
fn shown(event: &SessionEvent) -> Option<Value> {
    if matches!(&event.draft.body, EventBody::Note { note } if note.text.starts_with("open-thread") || note.text == "close-thread")
    {
        return None;
    }
    let mut draft = serde_json::to_value(&event.draft).ok()?;
    let fields = draft.as_object_mut()?;
    if matches!(event.draft.body, EventBody::CapabilitiesUpdated { .. }) {
        return None;
    }
    ["shares", "ledger", "native_id", "folder"].into_iter().for_each(|name| _ = fields.remove(name));
    Some(draft)
}

/// Set for the process that plays the host which is killed: its data folder.
const KILLED: &str = "JACKFIELD_SEATS_KILLED";

fn killed_thread(at: u32) -> ThreadId {
    ThreadId::from_digits(&format!("{at:032}"))
}

fn killed_instance() -> Instance {
    // What waits, waits here; what was asked has expired.
    instance(TABLE, &["sessions.pending-requests-survive-restart", "turns.supports-queued-messages"])
}

/// The host that is killed, when this is its process: two threads at work on one process, each with a message that waits.
#[tokio::test(flavor = "multi_thread")]
async fn the_host_that_is_killed() {
    let Some(folder) = std::env::var_os(KILLED) else { return };
    let bench = Bench::on(PROGRAM, std::path::Path::new(&folder)).await;
    let mut talks = Vec::new();
    for at in 1..=2 {
        let new =
            bench.host.new_thread_with_id(&bench.plugin, killed_instance(), bench.work(), killed_thread(at)).await;
        let mut one = Talk::of(new.expect("a thread"));
        let run = one.say("talk").await;
        one.ended(&[&run]).await;
        talks.push(one);
    }
    assert!(sessions(&talks[1])[0].1.is_some());
    talks[0].say("forever").await;
    at_work(&mut talks[0]).await;
    talks[1].say("ask").await;
    asked(&mut talks[1]).await;
    for one in &talks {
        one.say("talk").await;
    }
    bench.host.store().flush().await.expect("all is stored");
    std::fs::write(bench.work().join("ready"), "").expect("a word");
    std::future::pending::<()>().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_kill_9_of_the_host_each_thread_is_recovered_and_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "the_host_that_is_killed", "--nocapture"])
        .env(KILLED, folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    for _ in 0..6_000 {
        if folder.path().join("ready").exists() {
            break;
        }
        assert!(child.try_wait().expect("its state").is_none(), "it ended by itself");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    child.kill().expect("kill -9");
    child.wait().expect("its end");
    let bench = Bench::on(PROGRAM, folder.path()).await;
    let mut talks = Vec::new();
    for at in 1..=2 {
        let thread = bench.host.resume_thread(&bench.plugin, killed_instance(), &killed_thread(at)).await;
        let mut one = Talk::of(thread.expect("it is resumed"));
        let events = one.thread.events_after(0, 10_000).await.expect("events");
        one.said = events.into_iter().map(std::sync::Arc::new).collect();
        assert_eq!(ends(&one), [SessionEnd::HostDied], "its part in the session ended, once");
        let before = one.snapshot();
        assert!(before.requests.is_empty() && before.session.is_none(), "{:?}", before.requests);
        let status: Vec<_> = before.runs.iter().map(|run| jackfield_tests::bench::word(&run.status())).collect();
        assert_eq!(status, ["completed", "failed", "queued"]);
        talks.push(one);
    }
    for one in &mut talks {
        let last = one.say("talk").await;
        one.ended(&[&last]).await;
        let status: Vec<_> =
            one.snapshot().runs.iter().map(|run| jackfield_tests::bench::word(&run.status())).collect();
        assert_eq!(
            status,
            ["completed", "failed", "completed", "completed"],
            "what waited ran, before what came after"
        );
    }
    assert!(was_told(&talks[0], "open-thread resume cursor-T") && was_told(&talks[1], "open-thread resume cursor-T2"));
    assert!(sessions(&talks[1])[1].1.is_some(), "they share again");
    for one in &mut talks {
        one.close().await;
        assert_eq!(ends(one), [SessionEnd::HostDied, SessionEnd::Closed]);
    }
}

/// A turn of this thread, as steps with pauses: what a random table gives one of several.
fn script(steps: &[(u8, u8)]) -> String {
    let mut lines = vec!["done opened-turn".to_owned(), "start".to_owned()];
    for (at, (kind, pause)) in steps.iter().enumerate() {
        lines.push(format!("after {}", 1 + pause % 6));
        lines.push(match kind % 6 {
            0 => format!("say assistant m{} w{at}", at / 4),
            1 => format!("assistant m{} completed whole {at}", at / 4),
            2 => format!("tool c{} running execute Bash ls", at / 3),
            3 => format!("tool c{} completed execute Bash ls => out {at}", at / 3),
            4 => "todo running think".to_owned(),
            _ => format!("say reasoning - r{at}"),
        });
    }
    lines.push("after 2".into());
    lines.push("end completed".into());
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

/// Plays two turns in each of these threads: all at once on one process, or one after the other, each on its own; what was seen in each.
async fn played(bench: &Bench, case: u32, scripts: &[String], shares: bool) -> Vec<Vec<Value>> {
    let rows: String = scripts.iter().enumerate().map(|(at, lines)| format!("on send-run s{at}\n{lines}")).collect();
    let rows = format!("{rows}on list-settings\n  done settings\n");
    // A random turn keeps none of these promises, and a broken one counts for all threads.
    let mut without =
        vec!["streaming.emits-message-completed", "tools.emits-tool-started", "tools.emits-tool-completed"];
    without.extend((!shares).then_some(SHARES));
    let alike = instance(&rows, &without);
    let mut talks = Vec::new();
    for at in 0..scripts.len() {
        let id = ThreadId::from_digits(&format!("{case:030}{at:02}"));
        let thread = bench.host.new_thread_with_id(&bench.plugin, alike.clone(), bench.work(), id).await.expect("one");
        let talk = Talk::of(thread);
        // Open before the next one asks for a seat.
        talk.thread.list_settings().await.expect("settings");
        talks.push(talk);
    }
    for _ in 0..2 {
        let mut runs = Vec::new();
        for (at, talk) in talks.iter_mut().enumerate() {
            let run = talk.thread.send(text(&format!("s{at}"))).await.expect("it is taken on");
            if !shares {
                talk.ended(&[&run]).await;
            }
            runs.push(run);
        }
        for (talk, run) in talks.iter_mut().zip(&runs) {
            talk.ended(&[run]).await;
        }
    }
    let shared = talks.iter().filter(|talk| sessions(talk)[0].1.is_some()).count();
    assert_eq!(shared, if shares { scripts.len() - 1 } else { 0 });
    let mut seen = Vec::new();
    for mut talk in talks {
        talk.close().await;
        seen.push(talk.said.iter().filter_map(|event| shown(event)).collect());
    }
    seen
}

/// Whatever threads do at once on one process, each is told what it would be told alone: every event, every id, in the same order.
#[test]
fn each_thread_is_told_what_it_would_be_told_alone() {
    let cases = std::env::var("SEATS_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let steps = prop::collection::vec((any::<u8>(), any::<u8>()), 1..24);
    let strategy = prop::collection::vec(steps, 2..4);
    let runtime = tokio::runtime::Runtime::new().expect("an event loop");
    let (alone, shared) = runtime.block_on(async { (Bench::new(PROGRAM).await, Bench::new(PROGRAM).await) });
    let case = std::cell::Cell::new(0);
    let outcome = runner.run(&strategy, |threads| {
        let scripts: Vec<String> = threads.iter().map(|steps| script(steps)).collect();
        case.set(case.get() + 1);
        let (alone, shared) = runtime.block_on(async {
            let alone = played(&alone, case.get(), &scripts, false).await;
            (alone, played(&shared, case.get(), &scripts, true).await)
        });
        for (at, (alone, shared)) in alone.iter().zip(&shared).enumerate() {
            let differs = alone.iter().zip(shared).find(|(one, other)| one != other);
            prop_assert!(differs.is_none() && alone.len() == shared.len(), "thread {}: {:?}", at, differs);
        }
        Ok(())
    });
    outcome.expect("the same, whoever else is served");
}
