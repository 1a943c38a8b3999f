//! Conversations that a provider has stored: listed, shown, gone on with; and what a provider offers. Through the real stack; what a
//! person and a script see of it, through the program.

use jackfield_core::contract::FaultKind;
use jackfield_core::event::{EventBody, ItemBody};
use jackfield_core::id::ThreadId;
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_runtime::host::HostError;
use jackfield_runtime::instance::Instance;
use jackfield_runtime::lease::Lease;
use jackfield_runtime::query::{Asking, Page, Query};
use jackfield_runtime::session::AskError;
use jackfield_tests::bench::Bench;
use jackfield_tests::door::{Door, Ended, text};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

const STORED: &str = "\
on list-folders
  done folders /work/one:2 /work/two:1
on list-threads limit
  done threads s1 s2 next=p2
on list-threads page=p2
  done threads s3
on list-threads folder=/work/one limit
  done threads s1
on read-thread cursor-s1 limit
  @replayed @thread=s1 @turn=u1 assistant m1 completed the answer
  @replayed @thread=s1 @turn=u1 tool c1 completed execute run ls => a file
  done page older
on read-thread cursor-s1 page=older
  @replayed @thread=s1 @turn=u0 assistant m0 completed the beginning
  done page
on list-settings
  done settings model=large
";

/// An instance whose provider says what the table says.
fn table(table: &str) -> Instance {
    Instance { options: json!({ "table": table }).as_object().unwrap().clone(), ..Instance::default() }
}

async fn bench(limits: Limits) -> Bench {
    Bench::with(PROGRAM, limits, PolicyConfig::default()).await
}

async fn query(bench: &Bench, told: &str, page: Option<&str>) -> Query {
    bench.host.query(&bench.plugin, table(told), bench.work(), "s1", page).await.expect("a session")
}

fn said(page: &Page) -> Vec<String> {
    let texts = page.events.iter().filter_map(|event| match &event.draft.body {
        EventBody::ItemEnded { item } => match &item.body {
            ItemBody::AssistantMessage { text, .. } => Some(text.clone()),
            ItemBody::Tool { tool, .. } => tool.name.clone(),
            _ => None,
        },
        _ => None,
    });
    texts.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_is_told_as_history_and_none_of_it_is_kept() {
    let bench = bench(Limits::default()).await;
    let mut asked = query(&bench, STORED, None).await;
    let folders = asked.folders().await;
    assert_eq!(
        folders.found.iter().map(|one| (one.path.as_str(), one.threads)).collect::<Vec<_>>(),
        [("/work/one", 2), ("/work/two", 1)]
    );
    let ids = |found: &[jackfield_core::contract::Thread]| found.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    let first = asked.threads(None, None, 5).await;
    assert_eq!((ids(&first.found), first.next.as_deref()), (vec!["s1".into(), "s2".into()], Some("p2")));
    let rest = asked.threads(None, first.next, 5).await;
    assert_eq!((ids(&rest.found), rest.next), (vec!["s3".into()], None));
    assert_eq!(ids(&asked.threads(Some("/work/one".into()), None, 5).await.found), ["s1"]);
    for name in ["s3", "cursor-s3"] {
        assert_eq!(ids(&asked.find(name, None).await.found), ["s3"], "on the second page");
    }
    assert!(asked.find("s9", None).await.found.is_empty());

    let page = asked.read(Some("s1"), "cursor-s1", None, 50).await.expect("a page");
    assert_eq!(said(&page), ["the answer", "run"]);
    assert!(page.events.iter().all(|event| event.draft.origin.replayed), "{:#?}", page.events);
    assert!(page.notes.is_empty(), "{:?}", page.notes);
    assert_eq!(page.next.as_deref(), Some("older"));
    asked.close().await;
    // The same question has the same ids; a conversation that is known by its cursor alone is read all the same.
    let mut again = query(&bench, STORED, None).await;
    let same = again.read(None, "cursor-s1", None, 50).await.expect("a page");
    let items =
        |page: &Page| page.events.iter().map(|event| serde_json::to_value(&event.draft).unwrap()).collect::<Vec<_>>();
    assert_eq!(items(&same), items(&page));
    again.close().await;
    let mut older = query(&bench, STORED, Some("older")).await;
    let page = older.read(Some("s1"), "cursor-s1", Some("older".into()), 50).await.expect("a page");
    assert_eq!((said(&page), &page.next), (vec!["the beginning".to_owned()], &None));
    older.close().await;
    assert!(bench.host.store().list_threads().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_fails_is_empty_and_says_why_and_a_transcript_that_fails_is_an_error() {
    let patient = bench(Limits::default()).await;
    let hurried = bench(Limits { history_ms: 300, ..Limits::default() }).await;
    for (told, kind, words) in [
        ("on list\n  fail internal on fire\non read-thread\n  fail internal on fire\n", FaultKind::Internal, "on fire"),
        ("on list\n  silence\non read-thread\n  silence\n", FaultKind::Timeout, "history_ms"),
        ("on nothing\n", FaultKind::Unsupported, "cannot do"),
        ("on list\n  done thread s1\non read-thread\n  done thread s1\n", FaultKind::Protocol, "of another kind"),
    ] {
        // Only who is never answered waits for a deadline.
        let bench = if kind == FaultKind::Timeout { &hurried } else { &patient };
        let mut asked = query(bench, told, None).await;
        let folders = asked.folders().await;
        let threads = asked.threads(None, None, 5).await;
        assert!(folders.found.is_empty() && threads.found.is_empty());
        for notes in [folders.notes, threads.notes] {
            assert_eq!(notes.len(), 1, "{notes:?}");
            assert!(notes[0].text.contains(words) && notes[0].text.contains("empty because it failed"), "{notes:?}");
        }
        match asked.read(None, "cursor-s1", None, 50).await {
            Err(AskError::Fault(fault)) => {
                assert_eq!(fault.kind, kind, "{}", fault.message);
                assert!(fault.message.contains(words), "{}", fault.message);
            }
            other => panic!("{other:?}"),
        }
        asked.close().await;
    }
    let mut dies = query(&patient, "on list\n  broken I fell over\n", None).await;
    assert!(dies.folders().await.notes[0].text.contains("I fell over"));
    match dies.read(None, "cursor-s1", None, 50).await {
        Err(AskError::Ended) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_parted_from_its_result_is_said_to_be() {
    let bench = bench(Limits::default()).await;
    let told = "on read-thread cursor-s1 limit\n  @replayed @thread=s1 tool c1 completed edit  => a file\n  done page older\n\
        on read-thread cursor-s1 page=older\n  @replayed @thread=s1 tool c1 running edit patch it\n  done page\n\
        on read-thread whole\n  @replayed @thread=s1 tool c1 completed edit patch it => a file\n  done page older\n";
    for (cursor, page, parted) in [("cursor-s1", None, 1), ("cursor-s1", Some("older"), 1), ("whole", None, 0)] {
        let mut asked = query(&bench, told, page).await;
        let read = asked.read(Some("s1"), cursor, page.map(str::to_owned), 50).await.expect("a page");
        let codes: Vec<_> = read.notes.iter().map(|note| note.code.as_str()).collect();
        assert_eq!(codes, vec!["history-parted"; parted], "{cursor} {page:?}");
        asked.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_provider_offers_is_asked_once_and_an_old_answer_says_so() {
    let bench = bench(Limits::default()).await;
    let slow = table("on list-settings\n  after 200\n  done settings model=large\n");
    let ask = async |bench: &Bench, instance: &Instance, asking| {
        bench.host.settings(&bench.plugin, instance.clone(), bench.work(), asking).await
    };
    let told = ask(&bench, &slow, Asking::WhenOld).await.expect("settings");
    assert_eq!((told.settings[0].value.as_deref(), &told.stale), (Some("large"), &None));
    assert_eq!(ask(&bench, &slow, Asking::WhenOld).await.expect("settings"), told, "it was not asked again");
    let anew = ask(&bench, &slow, Asking::Always).await.expect("settings");
    assert!(anew.told_ms > told.told_ms);
    let other = Instance { env: vec![("ACCOUNT".into(), "other".into())], ..slow.clone() };
    assert!(ask(&bench, &other, Asking::WhenOld).await.expect("settings").told_ms > anew.told_ms, "another account's");
    let broken = table("on list-settings\n  fail internal no network\n");
    let failed = ask(&bench, &broken, Asking::Always).await.expect_err("it failed").to_string();
    assert!(failed.contains("no network"), "{failed}");

    let folder = tempfile::tempdir().unwrap();
    std::fs::rename(bench.work().join("data/settings"), folder.path().join("settings")).unwrap();
    drop(bench);
    let hurried = self::bench(Limits { settings_ms: 50, settings_fresh_ms: 1, ..Limits::default() }).await;
    let silence = |error: HostError| match error {
        HostError::Ask(AskError::Fault(fault)) => assert!(fault.message.contains("settings_ms"), "{}", fault.message),
        other => panic!("{other}"),
    };
    silence(ask(&hurried, &slow, Asking::WhenOld).await.expect_err("nothing is known"));
    std::fs::rename(folder.path().join("settings"), hurried.work().join("data/settings")).unwrap();
    let stale = ask(&hurried, &slow, Asking::WhenOld).await.expect("what was kept");
    assert_eq!(stale.told_ms, anew.told_ms);
    assert!(stale.stale.expect("it says so").contains("settings_ms"));
}

// Through the program.

fn door() -> Door {
    Door::new(PROGRAM)
}

/// Runs it with the demonstration on this table.
fn run(door: &Door, words: &[&str], table: &str) -> Ended {
    let table = format!("table={}", serde_json::to_string(table).unwrap());
    door.run(&[words, &["--option", &table]].concat())
}

/// What reached the plugin, by the notes of its table.
fn asked(ended: &Ended) -> Vec<String> {
    let notes = ended.of_type("note").into_iter().filter(|note| note["note"]["code"] == "told");
    notes.map(|note| note["note"]["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn history_is_read_by_people_and_by_scripts() {
    let door = door();
    let schema: Value = serde_json::from_str(&door.run(&["schema", "history"]).expect(0, &[]).stdout).unwrap();
    let schema = jsonschema::draft202012::new(&schema).expect("a schema");
    let json = |words: &[&str]| {
        let ended = run(&door, &[words, &["--json"]].concat(), STORED).expect(0, &[]);
        for line in ended.events() {
            schema.validate(&line).unwrap_or_else(|error| panic!("{error} in {line}"));
        }
        ended
    };
    assert_eq!(
        json(&["history", "folders", "scripted"]).events(),
        [
            json!({ "type": "history.folder", "path": "/work/one", "threads": 2 }),
            json!({ "type": "history.folder", "path": "/work/two", "threads": 1 }),
            json!({ "type": "history.end" }),
        ]
    );
    let sessions = json(&["history", "sessions", "scripted", "--page", "p2"]).events();
    assert_eq!((&sessions[0]["id"], &sessions[1]), (&json!("s3"), &json!({ "type": "history.end" })));
    let page = json(&["history", "show", "scripted", "s1"]);
    assert_eq!(page.events().last(), Some(&json!({ "type": "history.end", "next": "older" })));
    assert_eq!((page.said(), page.of_type("item.ended").len()), ("the answer".into(), 2));
    let models = json(&["models", "scripted"]);
    assert_eq!(models.events().len(), 1, "{models:?}");

    let listed = run(&door, &["history", "sessions", "scripted"], STORED).expect(0, &["First words of s1"]);
    assert!(listed.stderr.contains("--page 'p2'"), "{listed:?}");
    let shown = run(&door, &["history", "show", "scripted", "s1"], STORED).expect(0, &["--page 'older'"]);
    assert!(shown.stdout.contains("the answer") && shown.stdout.contains("● run"), "{shown:?}");
    let broken = "on list-folders\n  fail internal on fire\non read-thread\n  fail unsupported not here\n";
    let empty = run(&door, &["history", "folders", "scripted"], broken).expect(0, &["on fire"]);
    assert_eq!(empty.stdout, "");
    let words = ["'s1' can't be shown", "not here", "jackfield history sessions scripted"];
    run(&door, &["history", "show", "scripted", "s1"], broken).expect(3, &words);
    door.run(&["history", "sessions"]).expect(0, &["scripted has no stored conversations"]);
    door.run(&["threads", "list"]).expect(0, &["no threads yet"]);
    assert!(door.audit().iter().all(|record| record["kind"] != "spawn"));
    // Bad input, told before anything begins.
    door.run(&["history", "folders", "nobody"]).expect(2, &["there is no provider 'nobody'", "scripted"]);
    door.run(&["history", "sessions", "scripted", "--limit", "0"]).expect(2, &["--limit"]);
    door.run(&["history", "show"]).expect(2, &["SESSION"]);
    door.run(&["history", "show", "--help"]).expect(0, &["Exit codes: 0 completed"]);
    door.run(&["models", "--help"]).expect(0, &["Exit codes: 0 completed"]);
}

#[test]
fn a_stored_conversation_goes_on_in_a_thread_of_ours() {
    let door = door();
    let stored = |more: &str| {
        format!(
            "on list-threads limit\n  done threads s0 next=p2 folder={0}\non list-threads page=p2\n  done threads s1 folder={0}\n{more}",
            door.data().display()
        )
    };
    let talks = stored("on send-run\n  done opened-turn\n  start\n  assistant a completed yes\n  end completed\n");
    let resume = |name: &str, table: &str, more: &[&str]| {
        run(&door, &[&["run", "--json", "--provider", "scripted", "--resume", name], more, &["hello"]].concat(), table)
    };
    let first = resume("s1", &talks, &[]).expect(0, &[]).well_formed();
    assert_eq!(first.of_type("session.started")[0]["resumed"], true);
    assert!(asked(&first)[0].starts_with("open-thread resume cursor-s1"), "{:?}", asked(&first));
    let folder = std::fs::canonicalize(door.data()).unwrap().display().to_string();
    assert_eq!(first.of_type("thread.created")[0]["folder"], folder, "where it was had");
    assert_eq!(resume("s1", &talks, &[]).expect(0, &[]).thread(), first.thread(), "one conversation is one thread");
    let words = ["lists no stored conversation 's7'", "jackfield history sessions", "jackfield threads list"];
    resume("s7", &talks, &[]).expect(2, &words);
    assert_eq!(door.run(&["threads", "list", "--json"]).events().len(), 1, "nothing was begun for those");

    // One that is not there any more fails by its kind, and is begun afresh only when that is asked for.
    let gone = stored("on open-thread resume\n  fail not-found it is gone\n");
    let failed = resume("s1", &gone, &[]).expect(4, &["it is gone"]).well_formed();
    assert_eq!(failed.of_type("run.ended")[0]["fault"]["kind"], "not_found");
    resume(&failed.thread(), &talks, &[]).expect(1, &["does not have the conversation", "--fresh"]);
    let fresh = resume(&failed.thread(), &talks, &["--fresh"]).expect(0, &[]);
    assert_eq!(fresh.of_type("context.changed")[0]["change"]["what"], "lost");
    assert!(asked(&fresh)[0].starts_with("open-thread create"), "{:?}", asked(&fresh));
}

// `jackfield history delete`: `tests/agents/keeper.sh` keeps conversations as files, and offers to delete them.

/// A door with that agent, and the conversations that it keeps.
fn keeper(names: &[&str]) -> (Door, String, std::path::PathBuf) {
    let door = door();
    let body = std::fs::read_to_string(xtask::root().join("tests/agents/keeper.sh")).expect("the agent");
    let agent = door.script("agent", &body);
    let kept = agent.with_file_name("kept");
    std::fs::create_dir(&kept).expect("a folder");
    names.iter().for_each(|name| std::fs::write(kept.join(name), "").expect("a conversation"));
    (door, agent.display().to_string(), kept)
}

#[test]
fn a_stored_conversation_is_deleted_by_its_provider() {
    let (door, agent, kept) = keeper(&["one", "two"]);
    let delete = |provider: &str, session: &str, more: &[&str]| {
        door.run(&[&["history", "delete", provider, session, "--exe", &agent], more].concat())
    };
    delete("acp", "one", &[]).expect(2, &["deletes for good", "--yes"]);
    assert!(kept.join("one").exists(), "nobody agreed");
    delete("acp", "one", &["--yes"]).expect(0, &["acp has deleted 'one'", "jackfield threads list"]);
    assert!(!kept.join("one").exists() && kept.join("two").exists());
    let words = ["'one' can't be deleted", "no conversation one", "jackfield history sessions acp"];
    delete("acp", "one", &["--yes"]).expect(1, &words);
    // One whose conversations are read from its files is started for this, and knows what those do not show.
    delete("copilot", "two", &["--yes"]).expect(0, &["copilot has deleted 'two'"]);
    assert!(!kept.join("two").exists());
    let records = door.audit();
    let asked: Vec<_> = records.iter().filter(|record| record["kind"] == "delete-stored").collect();
    assert_eq!(asked.len(), 3);
    assert_eq!((&asked[0]["facts"]["thread"], &asked[0]["rule"]), (&json!("one"), &json!("operator")));
    // Whoever has no way to do it says so.
    run(&door, &["history", "delete", "scripted", "s1", "--yes"], STORED)
        .expect(3, &["'s1' can't be deleted", "delete-thread"]);
    door.run(&["history", "delete"]).expect(2, &["SESSION"]);
}

/// What a thread of ours is at work in is not deleted beneath it.
#[test]
fn a_stored_conversation_that_is_at_work_is_not_deleted() {
    let (door, agent, kept) = keeper(&["one"]);
    let folder = text(&door.work());
    let line = ["run", "--json", "--provider", "acp", "--exe", &agent, "--resume", "one", "--cwd", &folder, "hello"];
    let thread = door.run(&line).expect(0, &[]).thread();
    let lease = Lease::take(&door.data(), &ThreadId::parse(&thread).expect("an id")).expect("nobody has it");
    let delete = || door.run(&["history", "delete", "acp", "one", "--exe", &agent, "--yes"]);
    delete().expect(1, &["'one' can't be deleted", &thread, "in use by process"]);
    assert!(kept.join("one").exists() && door.audit().iter().all(|record| record["kind"] != "delete-stored"));
    drop(lease);
    delete().expect(0, &["acp has deleted 'one'"]);
    assert!(!kept.join("one").exists());
}

/// A person is shown what would go, and asked.
#[test]
fn a_person_is_asked_before_a_stored_conversation_is_deleted() {
    let (door, agent, kept) = keeper(&["one"]);
    let typed = |word: &str| {
        let line = format!("history delete acp one --exe {agent}");
        jackfield_tests::door::finish(door.at_terminal(&line).spawn().expect("script"), format!("{word}\n").as_bytes())
    };
    let asked = "Have acp delete this conversation for good? [y/N]";
    typed("").expect(0, &["About one", asked, "nothing was deleted"]);
    assert!(kept.join("one").exists());
    typed("y").expect(0, &[asked, "acp has deleted 'one'"]);
    assert!(!kept.join("one").exists());
}
