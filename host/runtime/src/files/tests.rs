//! Each way out of a folder, tried; and what is read of files that are odd, huge or being changed.

use super::reach::walk_in;
use super::*;
use rusqlite::Connection;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SECRET: &str = "what lies outside";

/// A root, and a folder around it that holds a secret.
fn stage() -> (TempDir, PathBuf, Beneath) {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().join("root");
    std::fs::create_dir_all(root.join("inner")).unwrap();
    std::fs::write(around.path().join("secret"), SECRET).unwrap();
    std::fs::write(root.join("inner/file"), "0123456789").unwrap();
    let beneath = Beneath::open(&root).unwrap();
    (around, root, beneath)
}

fn read(root: &Beneath, path: &str, offset: f64, length: u32) -> Result<String, &'static str> {
    let part = root.read(path, offset, length, &Limits::default()).map_err(|error| error.code())?;
    Ok(format!("{} of {}", String::from_utf8_lossy(&part.data), part.size))
}

#[test]
fn a_part_is_read_from_either_end() {
    let (_around, _, root) = stage();
    for (offset, length, wanted) in [
        (0.0, 4, "0123 of 10"),
        (4.0, 100, "456789 of 10"),
        (-3.0, 100, "789 of 10"),
        (-100.0, 2, "01 of 10"),
        (10.0, 1, " of 10"),
        (1e15, 1, " of 10"),
        (0.0, 0, " of 10"),
    ] {
        assert_eq!(read(&root, "inner/file", offset, length).as_deref(), Ok(wanted), "{offset} {length}");
    }
    for offset in [0.5, f64::NAN, f64::INFINITY] {
        assert_eq!(read(&root, "inner/file", offset, 1), Err("bad-offset"));
    }
    assert_eq!(read(&root, "inner/file", 0.0, 1024 * 1024 + 1), Err("too-much"));
}

#[test]
fn nothing_outside_is_reached_by_any_path() {
    let (around, path, root) = stage();
    symlink("../secret", path.join("out")).unwrap();
    symlink(around.path().join("secret"), path.join("absolute")).unwrap();
    symlink("..", path.join("up")).unwrap();
    symlink("/proc/self/root", path.join("proc")).unwrap();
    symlink("inner/../inner/file", path.join("within")).unwrap();
    symlink("loop", path.join("loop")).unwrap();
    let secret = around.path().join("secret").display().to_string();
    let out =
        ["../secret", "inner/../../secret", "/etc/passwd", &secret, "out", "absolute", "up/secret", "loop", "a\0b"];
    for path in out.into_iter().chain(["proc/etc/passwd", "..", "/"]) {
        assert_eq!(read(&root, path, 0.0, 100), Err("outside-root"), "{path}");
        assert_eq!(root.list(path, &Limits::default()).map_err(|error| error.code()), Err("outside-root"), "{path}");
    }
    assert_eq!(read(&root, "within", 0.0, 1).as_deref(), Ok("0 of 10"), "a link that stays within is none");
    let names = root.list("", &Limits::default()).unwrap().into_iter().map(|entry| (entry.name, entry.folder));
    assert_eq!(names.collect::<Vec<_>>(), [("inner".to_owned(), true), ("within".to_owned(), false)]);
    // Without openat2 no link is followed, and all else is the same.
    for (path, wanted) in [("inner/file", true), ("out", false), ("up/secret", false), ("within", false)] {
        assert_eq!(walk_in(&root.folder, path, READ).is_ok(), wanted, "{path}");
    }
}

#[test]
fn a_link_that_is_exchanged_meanwhile_leads_nowhere() {
    let (around, path, root) = stage();
    std::fs::write(path.join("harmless"), "harmless").unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // By turns a folder and a link that leads to where a file of that name is the secret.
            std::fs::create_dir(path.join("a")).unwrap();
            std::fs::write(path.join("a/secret"), "harmless").unwrap();
            symlink(around.path(), path.join("b")).unwrap();
            while !over.load(Ordering::Relaxed) {
                for (from, to) in [("a", "now"), ("now", "a"), ("b", "now"), ("now", "b")] {
                    std::fs::rename(path.join(from), path.join(to)).unwrap();
                }
            }
        });
        let (mut found, mut tries, begun) = (0, 0, Instant::now());
        while (found < 50 || tries < 2_000) && begun.elapsed() < Duration::from_secs(20) {
            tries += 1;
            if let Ok(told) = read(&root, "now/secret", 0.0, 100) {
                assert_eq!(told, "harmless of 8");
                found += 1;
            }
        }
        over.store(true, Ordering::Relaxed);
        assert!(found > 0, "the file itself is found between");
    });
}

#[test]
fn only_what_has_contents_is_opened() {
    let (_around, path, root) = stage();
    rustix::fs::mknodat(rustix::fs::CWD, path.join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap();
    let begun = Instant::now();
    for name in ["pipe", "socket", "inner", "."] {
        assert_eq!(read(&root, name, 0.0, 1), Err("not-a-file"), "{name}");
    }
    assert!(begun.elapsed() < Duration::from_secs(5), "a pipe without a writer holds nobody up");
    assert_eq!(read(&root, "inner/file/x", 0.0, 1), Err("not-a-folder"));
    assert_eq!(read(&root, "gone", 0.0, 1), Err("no-such-file"));
    let list = |name: &str| root.list(name, &Limits::default()).map(|_| ()).map_err(|error| error.code());
    assert_eq!(
        [list("inner/file"), list("pipe"), list("gone")].map(Result::unwrap_err),
        ["not-a-folder", "not-a-folder", "no-such-file"]
    );
    let names = root.list("", &Limits::default()).unwrap().into_iter().map(|entry| entry.name);
    assert_eq!(names.collect::<Vec<_>>(), ["inner"]);
    assert_eq!(Beneath::open(&path.join("nowhere")).map(|_| ()).unwrap_err().code(), "root-not-there");
    assert_eq!(Beneath::open(&path.join("inner/file")).map(|_| ()).unwrap_err().code(), "root-not-there");
}

#[test]
fn a_huge_file_and_one_that_grows_are_read_as_they_are_found() {
    let (_around, path, root) = stage();
    let huge = File::create(path.join("huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    huge.write_at(b"the end", (1 << 40) - 7).unwrap();
    assert_eq!(read(&root, "huge", -7.0, 7).unwrap(), format!("the end of {}", 1u64 << 40));
    let growing = File::options().create(true).append(true).open(path.join("growing")).unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                std::io::Write::write_all(&mut &growing, b"line\n").unwrap();
                if growing.metadata().unwrap().len() > 5_000_000 {
                    growing.set_len(0).unwrap();
                }
            }
        });
        for _ in 0..300 {
            let part = root.read("growing", -4096.0, 4096, &Limits::default()).unwrap();
            assert!(part.data.len() <= 4096 && part.data.len() as f64 <= part.size);
        }
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_folder_of_too_much_is_refused_by_its_number() {
    let (_around, path, root) = stage();
    (0..30).for_each(|number| std::fs::write(path.join(format!("inner/{number}")), "").unwrap());
    let few = Limits { folder_entries: 20, ..Limits::default() };
    assert_eq!(root.list("inner", &few).unwrap_err().code(), "too-much");
    assert_eq!(root.list("inner", &Limits::default()).unwrap().len(), 31);
}

// SQLite.

fn ask(root: &Beneath, path: &str, sql: &str, params: &[&str], limits: &Limits) -> Result<Vec<String>, String> {
    let scratch = tempfile::tempdir().unwrap();
    let params: Vec<String> = params.iter().map(|one| (*one).to_owned()).collect();
    let asked = Query { path, sql, params: &params };
    query(root, &asked, scratch.path(), limits).map_err(|error| format!("{}: {error}", error.code()))
}

fn database(path: &Path, mode: &str) -> Connection {
    let db = Connection::open(path).unwrap();
    db.pragma_update(None, "journal_mode", mode).unwrap();
    db.execute_batch(
        "CREATE TABLE said (id INTEGER PRIMARY KEY, who TEXT, text TEXT, at REAL, raw BLOB);\
         INSERT INTO said VALUES (1, 'ann', '{\"a\": [1, 2]}', 1.5, x'0011'), (2, NULL, 'héllo', 2.0, NULL);",
    )
    .unwrap();
    db
}

fn files(path: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(path).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn rows_are_read_in_every_state_of_the_file_and_nothing_is_made_beside_it() {
    let (_around, path, root) = stage();
    let limits = Limits::default();
    let all = "SELECT id, who, text, at, raw FROM said WHERE id >= ? ORDER BY id";
    let first = r#"[1,"ann","{\"a\": [1, 2]}",1.5,{"bytes":2}]"#;
    let second = r#"[2,null,"héllo",2.0,null]"#;
    for mode in ["delete", "wal"] {
        let place = path.join("db ?#%.sqlite");
        let db = database(&place, mode);
        let before = files(&path);
        // While its program has it open, a log and an index may be there.
        assert_eq!(ask(&root, "db ?#%.sqlite", all, &["1"], &limits).unwrap(), [first, second], "{mode}, open");
        assert_eq!(files(&path), before, "{mode}");
        // Left behind by a program that was killed: with its index, and without.
        let left: Vec<_> = before.iter().filter(|name| name.starts_with("db")).cloned().collect();
        let copies: Vec<_> = left.iter().map(|name| (name.clone(), std::fs::read(path.join(name)).unwrap())).collect();
        drop(db);
        assert_eq!(ask(&root, "db ?#%.sqlite", all, &["2"], &limits).unwrap(), [second], "{mode}, closed");
        for without in ["-none", "-shm"] {
            for (name, bytes) in copies.iter().filter(|(name, _)| !name.ends_with(without)) {
                std::fs::write(path.join(name), bytes).unwrap();
            }
            let before = files(&path);
            assert_eq!(ask(&root, "db ?#%.sqlite", all, &["1"], &limits).unwrap(), [first, second], "{mode} {without}");
            assert_eq!(files(&path), before, "{mode} {without}");
            left.iter().for_each(|name| drop(std::fs::remove_file(path.join(name))));
        }
    }
}

#[test]
fn a_query_only_reads_tables_and_has_an_end() {
    let (around, path, root) = stage();
    let db = database(&path.join("db"), "delete");
    let other = around.path().join("other");
    database(&other, "delete");
    db.execute_batch("CREATE TABLE many AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 2000) SELECT x FROM n")
        .unwrap();
    let before = std::fs::read(path.join("db")).unwrap();
    let attach = format!("ATTACH '{}' AS other", other.display());
    let vacuum = format!("VACUUM INTO '{}'", path.join("out").display());
    let limits = Limits { query_rows: 100, query_bytes: 4_000, query_steps: 1_000_000, ..Limits::default() };
    for (sql, wanted) in [
        ("INSERT INTO said (id) VALUES (3)", "query-denied"),
        ("UPDATE said SET who = 'bob' RETURNING id", "query-denied"),
        ("DELETE FROM said", "query-denied"),
        ("CREATE TABLE x (y)", "query-denied"),
        ("DROP TABLE said", "query-denied"),
        (&attach, "query-denied"),
        (&vacuum, "query-denied"),
        ("PRAGMA journal_mode = wal", "query-denied"),
        ("PRAGMA table_info(said)", "query-denied"),
        ("SELECT * FROM pragma_database_list", "query-denied"),
        ("BEGIN IMMEDIATE", "query-denied"),
        ("SELECT load_extension('/tmp/x.so')", "query-denied"),
        ("SELECT zeroblob(1000000000)", "query-denied"),
        ("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n", "query-denied"),
        ("SELECT 1; DELETE FROM said", "query-denied"),
        ("SELECT 1; SELECT 2", "query-denied"),
        ("SELECT count(*) FROM many a, many b, many c", "query-too-long"),
        ("SELECT x FROM many", "too-much"),
        ("SELECT a.text || b.x FROM said a, many b, many c WHERE c.x < 50", "too-much"),
        ("SELECT nothing FROM said", "bad-query"),
        ("", "bad-query"),
        ("SELECT ?", "bad-query"),
    ] {
        let told = ask(&root, "db", sql, &[], &limits).expect_err(sql);
        assert!(told.starts_with(wanted), "{sql}: {told}");
    }
    assert_eq!(std::fs::read(path.join("db")).unwrap(), before, "not a byte has changed");
    assert_eq!(files(&path), ["db", "inner"]);
    let json = "SELECT json_extract(text, '$.a[1]'), text ->> '$.a', upper(who) FROM said WHERE id = ?";
    assert_eq!(ask(&root, "db", json, &["1"], &limits).unwrap(), [r#"[2,"[1,2]","ANN"]"#]);
    let each = "SELECT value FROM said, json_each(said.text, '$.a') WHERE said.id = 1 AND who LIKE 'a%'";
    assert_eq!(ask(&root, "db", each, &[], &limits).unwrap(), ["[1]", "[2]"]);
    symlink(&other, path.join("out")).unwrap();
    for (name, wanted) in [("out", "outside-root"), ("../other", "outside-root"), ("inner/file", "not-sqlite")] {
        let told = ask(&root, name, "SELECT 1", &[], &limits).expect_err(name);
        assert!(told.starts_with(wanted), "{name}: {told}");
    }
    std::fs::write(path.join("broken"), [&before[..200], &[0xff; 8_000][..]].concat()).unwrap();
    let told = ask(&root, "broken", "SELECT * FROM said", &[], &limits).expect_err("broken");
    assert!(told.starts_with("file-failed") || told.starts_with("bad-query"), "{told}");
}
