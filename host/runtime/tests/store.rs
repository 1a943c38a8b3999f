//! The store's promises, and its refusals: what is asked for comes back, every number once, and nothing of another's is touched.

mod support;

use jackfield_core::contract::{Content, TextKind};
use jackfield_core::event::{
    Correlation, Draft, EventBody, Origin, Request, RequestSubject, Resolution, RunStatus, SessionEnd, SessionEvent,
};
use jackfield_core::id::{ItemId, RequestId, RunId, SessionId, ThreadId};
use jackfield_runtime::store::{FILE, GrantRow, RunRecord, SCHEMA, SessionRecord, Store, ThreadChange, ThreadRecord};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use support::{limits, testbed};
use tempfile::{TempDir, tempdir};

fn thread(digits: &str) -> ThreadId {
    ThreadId::from_digits(digits)
}

fn record(digits: &str) -> ThreadRecord {
    ThreadRecord {
        id: thread(digits),
        provider: "demo".to_owned(),
        plugin: "acme/demo".to_owned(),
        digest: "00".to_owned(),
        folder: "/work".to_owned(),
        title: None,
        created_ms: 5,
        updated_ms: 5,
        native_id: None,
        cursor: None,
        last_seq: 0,
    }
}

fn event(digits: &str, seq: u64, body: EventBody) -> SessionEvent {
    let origin = Origin { frame: Some(seq * 10), ..Origin::default() };
    SessionEvent {
        seq,
        at_ms: 100 + seq,
        thread: thread(digits),
        draft: Draft { run: Some(RunId::from_digits("1")), turn: None, parent: None, origin, body },
    }
}

fn delta(digits: &str, seq: u64, item: &str, text: &str) -> SessionEvent {
    event(
        digits,
        seq,
        EventBody::ItemDelta { item: ItemId::from_digits(item), kind: TextKind::Assistant, text: text.to_owned() },
    )
}

async fn open() -> (TempDir, Store) {
    let data = tempdir().unwrap();
    let store = Store::open(data.path(), limits(|_| ())).unwrap();
    store.create_thread(record("1")).await.unwrap();
    (data, store)
}

fn rows(data: &Path) -> i64 {
    rusqlite::Connection::open(data.join(FILE))
        .unwrap()
        .query_row("SELECT count(*) FROM events", [], |row| row.get(0))
        .unwrap()
}

#[tokio::test]
async fn deltas_are_stored_merged_and_read_as_they_were() {
    let (data, store) = open().await;
    store.create_thread(record("2")).await.unwrap();
    let mut events: Vec<SessionEvent> =
        (1..=6).map(|seq| delta("1", seq, "a", ["H", "é", "", "台", "\"", "o"][seq as usize - 1])).collect();
    events.push(delta("1", 7, "b", "other item"));
    events.push(SessionEvent {
        draft: Draft {
            origin: Origin { correlation: Some(Correlation::Weak), ..Origin::default() },
            ..delta("1", 8, "b", "x").draft
        },
        ..delta("1", 8, "b", "x")
    });
    events.push(event("1", 9, EventBody::RunUpdated { status: RunStatus::Running }));
    events.push(delta("1", 11, "b", "after a hole"));
    events.push(delta("1", 12, "b", "!"));
    for event in &events {
        // Another thread's deltas between them do not part them.
        drop(store.append(vec![delta("2", event.seq, "c", "-")]).await);
        drop(store.append(vec![event.clone()]).await);
    }
    assert_eq!(store.events(&thread("1"), 0, 100).await.unwrap(), events);
    for after in 0..=13 {
        let expected: Vec<_> = events.iter().filter(|event| event.seq > after).cloned().collect();
        assert_eq!(store.events(&thread("1"), after, 100).await.unwrap(), expected, "after {after}");
        assert_eq!(
            store.events(&thread("1"), after, 2).await.unwrap(),
            expected[..expected.len().min(2)],
            "two after {after}"
        );
    }
    let found = store.thread(&thread("1")).await.unwrap().unwrap();
    assert_eq!((found.last_seq, found.updated_ms), (12, 112));
    assert!(rows(data.path()) < 11 + 11, "{} rows: nothing was merged", rows(data.path()));
}

#[tokio::test]
async fn a_merged_row_is_bounded() {
    let data = tempdir().unwrap();
    let store = Store::open(data.path(), limits(|limits| limits.store_merge_bytes = 10)).unwrap();
    store.create_thread(record("1")).await.unwrap();
    let events: Vec<_> = (1..=9).map(|seq| delta("1", seq, "a", "four")).collect();
    store.append(events.clone()).await.await.unwrap();
    assert_eq!((rows(data.path()), store.events(&thread("1"), 0, 9).await.unwrap()), (5, events));
}

#[tokio::test]
async fn one_wrong_event_costs_only_itself() {
    let (_data, store) = open().await;
    let commits = [
        store.append(vec![delta("1", 1, "a", "one")]).await,
        store.append(vec![delta("404", 1, "a", "nobody's")]).await,
        store.append(vec![event("1", 2, EventBody::RunUpdated { status: RunStatus::Running })]).await,
        store.append(vec![event("1", 2, EventBody::RunUpdated { status: RunStatus::Failed })]).await,
        store.append(vec![delta("1", 3, "a", "three")]).await,
    ];
    let mut codes = Vec::new();
    for commit in commits {
        codes.push(commit.await.map_err(|error| error.code()));
    }
    assert_eq!(codes, [Ok(()), Err("not-stored"), Ok(()), Err("seq-used"), Ok(())]);
    let stored = store.events(&thread("1"), 0, 9).await.unwrap();
    assert_eq!(stored.iter().map(|event| event.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(stored[1].draft.body, EventBody::RunUpdated { status: RunStatus::Running });
    assert_eq!(*store.health().borrow(), None);
}

#[tokio::test]
async fn numbers_go_on_after_the_block_unless_it_is_given_back() {
    let data = tempdir().unwrap();
    let store = Store::open(data.path(), limits(|limits| limits.seq_reserve = 10)).unwrap();
    store.create_thread(record("1")).await.unwrap();
    let (mut sequence, gap) = store.sequence(&thread("1")).await.unwrap();
    assert_eq!((gap, sequence.last()), (None, 0));
    for seq in 1..=13 {
        assert_eq!(sequence.next().await.unwrap(), seq);
        store.append(vec![delta("1", seq, "a", "x")]).await.await.unwrap();
    }
    drop(sequence);
    // As after a crash: 20 were reserved, 13 stored.
    let (mut sequence, gap) = store.sequence(&thread("1")).await.unwrap();
    assert_eq!((gap, sequence.try_next()), (Some(14..=20), Some(21)));
    store.append(vec![event("1", 21, EventBody::Gap { from_seq: 14, to_seq: 20 })]).await.await.unwrap();
    sequence.release().await.unwrap();
    let (mut sequence, gap) = store.sequence(&thread("1")).await.unwrap();
    assert_eq!((gap, sequence.next().await), (None, Ok(22)));
    assert_eq!(store.sequence(&thread("404")).await.map(|_| ()).unwrap_err().code(), "not-stored");
}

#[tokio::test]
async fn threads_change_and_cursors_are_cleared() {
    let (_data, store) = open().await;
    store.create_thread(ThreadRecord { updated_ms: 9, ..record("2") }).await.unwrap();
    assert_eq!(store.create_thread(record("2")).await.unwrap_err().code(), "already-stored");
    let named = ThreadChange {
        title: Some(Some("Title".to_owned())),
        cursor: Some(Some("cur".to_owned())),
        native_id: Some(Some("nat".to_owned())),
        at_ms: 50,
        ..ThreadChange::default()
    };
    store.update_thread(&thread("1"), named).await.unwrap();
    store
        .update_thread(
            &thread("1"),
            ThreadChange {
                cursor: Some(None),
                plugin: Some(("acme/two".to_owned(), "11".to_owned())),
                at_ms: 1,
                ..ThreadChange::default()
            },
        )
        .await
        .unwrap();
    let threads = store.list_threads().await.unwrap();
    let expected = ThreadRecord {
        title: Some("Title".to_owned()),
        native_id: Some("nat".to_owned()),
        plugin: "acme/two".to_owned(),
        digest: "11".to_owned(),
        updated_ms: 50,
        ..record("1")
    };
    assert_eq!(threads, [expected, ThreadRecord { updated_ms: 9, ..record("2") }]);
    assert_eq!(store.thread(&thread("404")).await.unwrap(), None);
    assert_eq!(store.update_thread(&thread("404"), ThreadChange::default()).await.unwrap_err().code(), "not-stored");
}

#[tokio::test]
async fn what_is_unfinished_is_told_after_a_crash() {
    let (data, store) = open().await;
    let run = |ordinal: u32, status| RunRecord {
        id: RunId::from_digits(&ordinal.to_string()),
        thread: thread("1"),
        ordinal,
        status,
        prompt: vec![Content::Text("hi".to_owned())],
        selection: vec![("model".to_owned(), "m".to_owned())],
        created_ms: 1,
        updated_ms: 1,
    };
    for (ordinal, status) in
        [(1, RunStatus::Starting), (2, RunStatus::Running), (3, RunStatus::Queued), (4, RunStatus::Queued)]
    {
        store.put_run(run(ordinal, status)).await.unwrap();
    }
    assert_eq!(store.put_run(run(4, RunStatus::Queued)).await.unwrap_err().code(), "already-stored");
    store.update_run(&RunId::from_digits("1"), RunStatus::Completed, 2).await.unwrap();
    let request = |digits: &str| Request {
        id: RequestId::from_digits(digits),
        item: None,
        subject: RequestSubject::Questions,
        reason: None,
        options: Vec::new(),
        questions: Vec::new(),
        raw: None,
        expires_ms: None,
        ruled: None,
    };
    for digits in ["1", "2"] {
        store
            .put_request(&thread("1"), Some(&RunId::from_digits("2")), request(digits), Some(format!("q-{digits}")), 7)
            .await
            .unwrap();
    }
    let answered = Resolution::Answered { option: None, allowed: Some(true), by: "user".to_owned() };
    assert!(store.resolve_request(&RequestId::from_digits("1"), answered.clone(), 8).await.unwrap());
    assert!(
        !store.resolve_request(&RequestId::from_digits("1"), Resolution::Expired, 9).await.unwrap(),
        "the first one stays"
    );
    let session = |epoch: u32| SessionRecord {
        id: SessionId::from_digits("1"),
        epoch,
        thread: thread("1"),
        plugin: "acme/demo".to_owned(),
        digest: "00".to_owned(),
        capabilities: "{}".to_owned(),
        started_ms: u64::from(epoch),
        ended: None,
    };
    store.put_session(session(1)).await.unwrap();
    store.put_session(session(2)).await.unwrap();
    store.set_session_capabilities(&SessionId::from_digits("1"), 2, "{\"v\":2}".to_owned()).await.unwrap();
    store.end_session(&SessionId::from_digits("1"), 1, SessionEnd::Closed, 10).await.unwrap();
    drop(store);

    let store = Store::open(data.path(), limits(|_| ())).unwrap();
    let recovery = store.recover(&thread("1")).await.unwrap();
    assert_eq!(recovery.open_runs, [run(2, RunStatus::Running)]);
    assert_eq!(recovery.queued_runs, [run(3, RunStatus::Queued), run(4, RunStatus::Queued)]);
    assert_eq!(recovery.queued_runs, store.queued_runs(&thread("1")).await.unwrap());
    assert_eq!(recovery.open_requests.iter().map(|open| open.request.clone()).collect::<Vec<_>>(), [request("2")]);
    assert_eq!(recovery.unended_sessions, [SessionRecord { capabilities: "{\"v\":2}".to_owned(), ..session(2) }]);
    assert_eq!((recovery.last_ordinal, recovery.next_epoch, recovery.last_seq, recovery.reserved_seq), (4, 3, 0, 0));
    assert_eq!(store.requests(&thread("1")).await.unwrap()[0].resolution, Some(answered));
}

#[tokio::test]
async fn grants_are_kept_replaced_and_taken_back() {
    let (_data, store) = open().await;
    let grant = |plugin: &str, digest: &str, what: &str, grant: u32| GrantRow {
        plugin: plugin.to_owned(),
        digest: digest.to_owned(),
        what: what.to_owned(),
        grant,
        granted_ms: 1,
    };
    for row in [
        grant("a/b", "1", "spawn main", 1),
        grant("a/b", "2", "spawn main", 2),
        grant("a/b", "1", "root x", 3),
        grant("c/d", "1", "spawn main", 4),
        grant("a/b", "1", "spawn main", 5),
    ] {
        store.add_grant(&row).await.unwrap();
    }
    let all = async |plugin: Option<&str>| {
        store.grants::<u32>(plugin).await.unwrap().into_iter().map(|row| row.grant).collect::<Vec<_>>()
    };
    assert_eq!((all(None).await, all(Some("a/b")).await), (vec![5, 2, 4], vec![5, 2]));
    let roots = store.grants_about::<u32>("root", None).await.unwrap();
    assert_eq!(roots.into_iter().map(|row| row.grant).collect::<Vec<_>>(), [3]);
    assert_eq!(store.revoke_grants("a/b", Some("spawn main")).await, Ok(2));
    assert_eq!(store.revoke_grants("a/b", None).await, Ok(1));
    assert_eq!(all(None).await, [4]);
    assert_eq!(
        store.grants::<Vec<String>>(None).await.unwrap_err().code(),
        "store-unreadable",
        "what is not understood is no grant"
    );
}

fn code(data: &Path) -> Result<(), &'static str> {
    Store::open(data, limits(|limits| limits.store_busy_ms = 50)).map(drop).map_err(|error| {
        assert!(error.to_string().contains(data.to_str().unwrap()), "{error}");
        error.code()
    })
}

#[test]
fn an_empty_file_is_brought_up_to_date_and_only_the_owner_sees_it() {
    let parent = tempdir().unwrap();
    let data = parent.path().join("deep/data");
    assert_eq!(code(&data), Ok(()));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&data), mode(&data.join(FILE))), (0o700, 0o600));
    let version = |data: &Path| -> i64 {
        rusqlite::Connection::open(data.join(FILE))
            .unwrap()
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(version(&data), SCHEMA);
    assert_eq!(code(&data), Ok(()), "the second time nothing is to be done");

    let old = tempdir().unwrap();
    std::fs::write(old.path().join(FILE), b"").unwrap();
    assert_eq!((code(old.path()), version(old.path())), (Ok(()), SCHEMA));
}

#[test]
fn what_is_not_ours_is_refused_and_left_as_it_is() {
    let check = |make: &dyn Fn(&Path), expected: &str| {
        let data = tempdir().unwrap();
        let file = data.path().join(FILE);
        make(&file);
        let before = std::fs::read(&file).unwrap();
        assert_eq!(code(data.path()), Err(expected));
        assert_eq!(std::fs::read(&file).unwrap(), before, "{expected}: it was changed");
    };
    let sql =
        |sql: &'static str| move |file: &Path| rusqlite::Connection::open(file).unwrap().execute_batch(sql).unwrap();
    check(&|file| std::fs::write(file, "words, not a database. ".repeat(100)).unwrap(), "store-foreign");
    check(&sql("CREATE TABLE cats (name TEXT)"), "store-foreign");
    check(&sql("PRAGMA user_version = 1; CREATE TABLE cats (name TEXT)"), "store-foreign");
    check(&sql("PRAGMA application_id = 1246121028; PRAGMA user_version = 99; CREATE TABLE t (x)"), "store-newer");
}

#[test]
fn two_processes_may_open_it_and_one_that_holds_it_too_long_is_named() {
    let data = tempdir().unwrap();
    let one = Store::open(data.path(), limits(|_| ())).unwrap();
    assert_eq!(code(data.path()), Ok(()));
    let holder = rusqlite::Connection::open(data.path().join(FILE)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(code(data.path()), Err("store-busy"));
    drop(one);
}

#[test]
fn a_folder_that_is_not_writable_is_named() {
    let outer = tempdir().unwrap();
    std::fs::set_permissions(outer.path(), std::fs::Permissions::from_mode(0o555)).unwrap();
    let mut open = Command::new(testbed());
    if rustix::process::geteuid().is_root() {
        // Root may write anywhere: as nobody, then. The program must be reachable for nobody, too.
        let copy = tempdir().unwrap().keep();
        std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::copy(testbed(), copy.join("testbed")).unwrap();
        open = Command::new(copy.join("testbed"));
        open.uid(65534).gid(65534);
    }
    for data in [outer.path().join("data"), outer.path().to_owned()] {
        let output = open.args(["open", data.to_str().unwrap()]).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(
            said.starts_with(&format!("store-unusable `{}", data.display())) && said.contains("ermission denied"),
            "{said}"
        );
        let program = open.get_program().to_owned();
        let root = rustix::process::geteuid().is_root();
        open = Command::new(program);
        if root {
            open.uid(65534).gid(65534);
        }
    }
    let copy = Path::new(open.get_program());
    if copy != testbed() {
        std::fs::remove_dir_all(copy.parent().unwrap()).unwrap();
    }
}

#[test]
fn a_full_disk_is_said_and_nothing_acknowledged_is_lost() {
    let script = r#"mount -t tmpfs -o size=2m,mode=700 none "$1" || exit 9
        "$0" fill "$1" && rm -f "$1"/* && { dd if=/dev/zero of="$1/ballast" bs=4k 2>/dev/null; "$0" fill "$1"; }"#;
    let folder = tempdir().unwrap();
    let namespaces: &[&str] =
        if rustix::process::geteuid().is_root() { &["--mount"] } else { &["--user", "--map-root-user", "--mount"] };
    let output = Command::new("unshare")
        .args(namespaces)
        .args(["sh", "-c", script])
        .arg(testbed())
        .arg(folder.path())
        .output()
        .expect("unshare");
    assert_ne!(
        output.status.code(),
        Some(9),
        "this machine lets nobody mount a tmpfs, which this test needs: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        said,
        "store-full Some(\"store-full\") true true\ntrue true\nstore-full\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
