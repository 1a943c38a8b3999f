//! Files that a plugin asks for, through the real program: what was granted is read, all else is refused by its name and recorded.
//! How a file is reached is tried in `host/runtime/src/files/tests.rs`.

use jackfield_tests::door::{Door, Ended, text};
use jackfield_tests::packed::demonstration_with;
use serde_json::Value;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

const ROOTS: &str = "[[root]]\nname = 'past'\npath = '~/.table/past'\nmoved-by = { env = 'TABLE_HOME', path = 'past' }\n\
     [[root]]\nname = 'home'\npath = '~/all'\n[[root]]\nname = 'views'\npath = '/proc/self'\n\
     [[root]]\nname = 'gone'\npath = '~/.table/gone'\n";

/// A place with the plugin, and a root that has something in it.
struct Stage {
    door: Door,
    plugin: String,
    home: PathBuf,
}

fn stage() -> Stage {
    let door = Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"));
    let home = door.data().with_file_name("home");
    let past = home.join(".table/past");
    std::fs::create_dir_all(past.join("inner")).unwrap();
    std::fs::write(past.join("inner/file"), "once upon a time").unwrap();
    std::fs::write(home.join("secret"), "what lies outside").unwrap();
    symlink("..", home.join("all")).unwrap();
    let plugin = door.data().with_file_name("table.wasm");
    std::fs::write(&plugin, demonstration_with(ROOTS)).unwrap();
    Stage { door, plugin: text(&plugin), home }
}

impl Stage {
    /// Has the plugin wish for these, one after another; what it was told, and how the run ended.
    fn wish(&self, wishes: &[&str], more: &[&str]) -> (Vec<String>, Ended) {
        let table = format!("on send-run\n  done opened-turn\n  start\n  {}\n  end completed\n", wishes.join("\n  "));
        let table = format!("table={}", serde_json::to_string(&table).unwrap());
        let args = [&["run", "--json", "--plugin", &self.plugin, "--option", &table], more, &["read"]].concat();
        let ended = self.door.run(&args).expect(0, &[]).well_formed();
        let notes = ended.of_type("note").into_iter().filter(|note| note["note"]["code"] == "read");
        // As the bindings show a case.
        let told = notes.map(|note| note["note"]["text"].as_str().unwrap().replace("FaultKind::", "")).collect();
        (told, ended)
    }

    fn records(&self, kind: &str, verdict: &str) -> Vec<Value> {
        let all = self.door.audit().into_iter();
        all.filter(|record| record["kind"] == kind && record["verdict"] == verdict).collect()
    }
}

#[test]
fn a_root_is_read_once_it_is_granted_and_only_where_it_lay_then() {
    let stage = stage();
    let read = ["read past inner/file 5 4"];
    let (told, ended) = stage.wish(&read, &[]);
    assert!(told[0].starts_with("Denied root-not-granted: acme/table may not read beneath"), "{told:?}");
    assert!(told[0].contains("jackfield grant add FILE --root past"), "{told:?}");
    assert_eq!(ended.of_type("effect.refused")[0]["code"], "root-not-granted");
    assert_eq!(stage.records("read_file", "refused")[0]["rule"], "root-not-granted");
    let grant = |root: &str| stage.door.run(&["grant", "add", &stage.plugin, "--root", root]);
    grant("past").expect(0, &["acme/table", "may read beneath", ".table/past"]);
    grant("home").expect(2, &["root 'home'", "holds your whole home folder"]);
    grant("views").expect(2, &["root 'views'", "processes and devices"]);
    grant("gone").expect(2, &["is not there"]);
    grant("else").expect(2, &["asks for no root 'else'", "past, home, views, gone"]);
    stage.door.run(&["grant", "list"]).expect(0, &["may read beneath", "root past"]);

    let (told, _) = stage.wish(&["read past inner/file 5 4", "list past %", "list past inner"], &[]);
    assert_eq!(told, ["`upon` of 16", "entries inner/", "entries file"]);
    let allowed = stage.records("read_file", "allowed");
    assert_eq!((&allowed[0]["rule"], &allowed[0]["facts"]["path"]), (&"granted".into(), &"inner/file".into()));
    assert_eq!(stage.records("list_folder", "allowed").len(), 2);

    // Another place, by the operator's own word: not what was granted.
    let other = stage.home.join("other");
    std::fs::create_dir_all(other.join("past/inner")).unwrap();
    std::fs::write(other.join("past/inner/file"), "in another place").unwrap();
    let moved = format!("TABLE_HOME={}", text(&other));
    let (told, _) = stage.wish(&read, &["--env", &moved]);
    assert!(told[0].starts_with("Denied root-moved: root 'past' of acme/table was granted for"), "{told:?}");
    // The same name, and a link that leads elsewhere.
    std::fs::rename(stage.home.join(".table"), stage.home.join(".before")).unwrap();
    symlink("other", stage.home.join(".table")).unwrap();
    let (told, _) = stage.wish(&read, &[]);
    assert!(told[0].starts_with("Denied root-moved"), "{told:?}");
    stage.door.run(&["grant", "revoke", "acme/table", "--root", "past"]).expect(0, &["revoked 1"]);
    stage.door.run(&["grant", "list"]).expect(0, &["no grants"]);
}

/// A provider may keep what it was given in its files: the plugin reads them without it.
#[test]
fn what_a_file_holds_of_a_secret_is_covered() {
    let stage = stage();
    let file = stage.home.join(".table/past/inner/file");
    std::fs::write(file, "the key s3cret-value opens it").unwrap();
    stage.door.run(&["grant", "add", &stage.plugin, "--root", "past"]).expect(0, &[]);
    let secrets = "secrets = { key = 'MY_KEY' }";
    stage.door.config(&format!("[instances.table]\nplugin = '{}'\n{secrets}\n", stage.plugin));
    let table = "on send-run\n  done opened-turn\n  start\n  read past inner/file 0 100\n  end completed\n";
    let table = format!("table={}", serde_json::to_string(table).unwrap());
    let door = stage.door.env("MY_KEY", "s3cret-value");
    let args = ["run", "--json", "--instance", "table", "--option", &table, "read"];
    let ended = door.run(&args).expect(0, &["the key ************ opens it"]).well_formed();
    assert!(!ended.stdout.contains("s3cret"), "{}", ended.stdout);
}

#[test]
fn each_way_out_of_a_root_is_refused_and_what_is_not_there_is_told() {
    let stage = stage();
    let past = stage.home.join(".table/past");
    symlink("../../secret", past.join("out")).unwrap();
    symlink("/proc/self/root", past.join("kernel")).unwrap();
    nix::unistd::mkfifo(&past.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let db = rusqlite::Connection::open(past.join("db")).unwrap();
    db.execute_batch("CREATE TABLE said (id INTEGER, text TEXT); INSERT INTO said VALUES (1, 'hello')").unwrap();
    drop(db);
    stage.door.run(&["grant", "add", &stage.plugin, "--root", "past"]).expect(0, &[]);
    let out = [
        "read past ../../secret 0 100",
        "read past /etc/passwd 0 100",
        "read past out 0 100",
        "read past kernel/etc/passwd 0 100",
        "list past ..",
        "query past ../db SELECT 1",
        "query past db DELETE FROM said",
        "query past db ATTACH '/tmp/x' AS x",
        "query past db PRAGMA journal_mode",
        "read home secret 0 100",
        "read views status 0 100",
        "read nothing x 0 100",
    ];
    let missing = [
        "read past pipe 0 100",
        "read past inner 0 100",
        "read past none 0 100",
        "read past inner/file 0 2000000",
        "read past inner/file 0.5 1",
        "read gone x 0 100",
        "list past inner/file",
        "query past inner/file SELECT 1",
    ];
    let (told, ended) =
        stage.wish(&[&out[..], &missing[..], &["query past db SELECT id, text FROM said"]].concat(), &[]);
    let codes: Vec<_> = told.iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(
        codes,
        [
            "Denied outside-root",
            "Denied outside-root",
            "Denied outside-root",
            "Denied outside-root",
            "Denied outside-root",
            "Denied outside-root",
            "Denied query-denied",
            "Denied query-denied",
            "Denied query-denied",
            "Denied root-too-wide",
            "Denied root-no-files",
            "Denied no-such-root",
            "Invalid not-a-file",
            "Invalid not-a-file",
            "NotFound no-such-file",
            "Denied too-much",
            "Invalid bad-offset",
            "NotFound root-not-there",
            "Invalid not-a-folder",
            "Invalid not-sqlite",
            "rows [1,\"hello\"]",
        ]
    );
    assert!(!ended.stdout.contains("what lies outside") && !ended.stdout.contains("root:x:"), "{}", ended.stdout);
    // What was refused is said and recorded; what is only not there concerns the plugin alone.
    assert_eq!(ended.of_type("effect.refused").len(), out.len());
    let refused: usize =
        ["read_file", "list_folder", "query_sqlite"].iter().map(|kind| stage.records(kind, "refused").len()).sum();
    assert_eq!(refused, out.len());
    let rows = rusqlite::Connection::open(past.join("db")).unwrap();
    let count: u32 = rows.query_row("SELECT count(*) FROM said", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1);
}
