//! What a provider declares is held against what it does: each lying plugin is caught, its flag counts for less from then on,
//! in later sessions too, and only for its build and its program's version; its honest twin is not doubted.
//!
//! A case is a file of `tests/honesty`, named by the flag: a lying and an honest table for the plugin `scripted`, which
//! declares everything. `FLAG=word` plays only some. Detectors one by one: `host/core/src/honesty/`; recordings:
//! `tests/recordings/honesty.json`.

use jackfield_core::capability::{Capabilities, flag};
use jackfield_core::honesty::{REACH, Reach};
use jackfield_core::policy::PolicyConfig;
use jackfield_tests::block_on;
use jackfield_tests::door::Door;
use jackfield_tests::flags::case::Case;
use jackfield_tests::flags::play::House;
use jackfield_tests::player::house::House as Players;
use jackfield_tests::player::manner::Manner;
use jackfield_tests::player::recording::{Recording, folder};
use jackfield_tests::player::{dialect, honesty};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");
const PLAY: &str = env!("CARGO_BIN_EXE_play");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lie {
    /// What is seen.
    what: String,
    /// What a client does.
    steps: String,
    /// How often it must be seen before it counts.
    #[serde(default = "once")]
    times: usize,
    /// The table of the lying plugin; none where only an honest one is shown.
    lie: Option<String>,
    /// The table of the honest one.
    honest: String,
}

fn once() -> usize {
    1
}

/// By name; the flag is what stands before a second dot.
fn lies() -> BTreeMap<String, Lie> {
    let word = std::env::var("FLAG").unwrap_or_default();
    let folder = xtask::root().join("tests/honesty");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let named = files.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path));
    let lies = named.filter(|(name, _)| name.contains(&word)).map(|(name, path)| {
        let text = std::fs::read_to_string(&path).unwrap();
        let lie = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, lie)
    });
    lies.collect()
}

fn flag_of(name: &str) -> String {
    name.splitn(3, '.').take(2).collect::<Vec<_>>().join(".")
}

fn case(name: &str, table: &str, steps: &str) -> Case {
    Case::played(&flag_of(name), name, table, steps)
}

fn demoted<'a>(lines: &'a [String], flag: &str) -> Vec<&'a String> {
    let is_it = |line: &&String| line.starts_with("capability.demoted") && line.contains(flag);
    lines.iter().filter(is_it).collect()
}

/// Plays it as often as it takes; what was seen the last time.
async fn lie_until_it_counts(house: &House, name: &str, lie: &Lie, version: &str) -> Result<(), String> {
    let flag = flag_of(name);
    let case = case(name, lie.lie.as_ref().unwrap(), &lie.steps);
    for time in 1..=lie.times {
        let seen =
            house.play(&case, &Capabilities::strongest(), version).await.map_err(|error| format!("{error:#}"))?;
        let caught = demoted(&seen, &format!("flag={flag}")).len();
        if caught != usize::from(time == lie.times) {
            return Err(format!("the {time}. time it was found {caught} times:\n{}", seen.join("\n")));
        }
    }
    Ok(())
}

#[test]
fn each_lying_plugin_is_caught_once() {
    let wrong = block_on(async {
        let house = House::open(PolicyConfig::default(), Path::new(PROGRAM)).await.unwrap();
        let mut wrong = Vec::new();
        for (name, lie) in lies().iter().filter(|(_, lie)| lie.lie.is_some()) {
            if let Err(problem) = caught_once(&house, name, lie).await {
                wrong.push(format!("{name}: {}: {problem}", lie.what));
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

async fn caught_once(house: &House, name: &str, lie: &Lie) -> Result<(), String> {
    let flag = flag_of(name);
    lie_until_it_counts(house, name, lie, name).await?;
    let kept = house.demotions().await.unwrap();
    let kept: Vec<_> = kept.iter().filter(|kept| kept.version == *name && kept.flag == flag && kept.counts()).collect();
    if kept.len() != 1 {
        return Err(format!("it is kept {} times", kept.len()));
    }
    let again = case(name, lie.lie.as_ref().unwrap(), &lie.steps);
    // What it can't be asked any more may leave the steps without an end; that it is not caught again is what counts.
    let declared = Capabilities::strongest();
    let play = house.play(&again, &declared, name);
    if let Ok(Ok(seen)) = tokio::time::timeout(Duration::from_secs(5), play).await
        && !demoted(&seen, &format!("flag={flag}")).is_empty()
    {
        return Err(format!("it does not count for less from the start:\n{}", seen.join("\n")));
    }
    lie_until_it_counts(house, name, lie, &format!("{name}-other"))
        .await
        .map_err(|problem| format!("another version: {problem}"))
}

#[test]
fn an_honest_twin_is_not_doubted() {
    let wrong = block_on(async {
        let house = House::open(PolicyConfig::default(), Path::new(PROGRAM)).await.unwrap();
        let mut wrong = Vec::new();
        for (name, lie) in &lies() {
            let honest = case(name, &lie.honest, &lie.steps);
            match house.play(&honest, &Capabilities::strongest(), name).await {
                Err(error) => wrong.push(format!("{name}: {error:#}")),
                Ok(seen) if seen.iter().any(|line| line.contains("demoted") || line.contains("promise-doubted")) => {
                    wrong.push(format!("{name}:\n{}", seen.join("\n")))
                }
                Ok(_) => {}
            }
        }
        assert_eq!(house.demotions().await.unwrap(), []);
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Who declares nothing breaks no promise, whatever it does.
#[test]
fn who_promises_nothing_breaks_nothing() {
    block_on(async {
        let house = House::open(PolicyConfig::default(), Path::new(PROGRAM)).await.unwrap();
        for (name, lie) in &lies() {
            let (Some(table), "send hello\nuntil run.ended") = (&lie.lie, lie.steps.trim()) else { continue };
            let seen = house.play(&case(name, table, &lie.steps), &Capabilities::default(), "none").await.unwrap();
            assert!(demoted(&seen, "").is_empty(), "{name}:\n{}", seen.join("\n"));
        }
        assert_eq!(house.demotions().await.unwrap(), []);
    });
}

/// A slow interrupt is a doubt; one that is kept ends it.
#[test]
fn a_promise_kept_ends_the_doubt() {
    block_on(async {
        let house = House::open(PolicyConfig::default(), Path::new(PROGRAM)).await.unwrap();
        let lies = lies();
        let Some(lie) = lies.get("turns.supports-interrupt") else { return };
        let play = async |table: &str| {
            house.play(&case("i", table, &lie.steps), &Capabilities::strongest(), "v").await.unwrap();
            house.demotions().await.unwrap().first().map_or(0, |doubt| doubt.seen)
        };
        let bad = lie.lie.as_ref().unwrap();
        assert_eq!(play(bad).await, 1);
        assert_eq!(play(bad).await, 2);
        assert_eq!(play(&lie.honest).await, 0);
        assert_eq!(play(bad).await, 1);
    });
}

#[test]
fn each_flag_that_is_watched_has_its_liar() {
    if std::env::var_os("FLAG").is_some() {
        return;
    }
    let lies = lies();
    for (name, reach) in REACH {
        let has = lies.iter().any(|(lie, it)| flag_of(lie) == *name && it.lie.is_some());
        assert_eq!(has, matches!(reach, Reach::By(_)), "{name}: {reach:?}");
    }
    for name in lies.keys() {
        assert!(flag(&flag_of(name)).is_some(), "there is no flag {name}");
    }
}

/// A recorded program that changes a file without the question that its mode promises: its plugin says what its modes promise.
#[test]
fn a_recording_without_its_question_is_caught() {
    let file = folder("claude-code-2.1.332").join("file_write_allow.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    let about_the_question =
        |line: &&str| line.contains("can_use_tool") || (line.contains("control_response") && line.contains("behavior"));
    let without: Vec<&str> = text.lines().filter(|line| !about_the_question(line)).collect();
    assert!(without.len() < text.lines().count());
    let temp = tempfile::tempdir().unwrap();
    let spoilt = temp.path().join("spoilt.jsonl");
    std::fs::write(&spoilt, without.join("\n") + "\n").unwrap();
    let found = |path: &Path| {
        block_on(async {
            let house = Players::open(dialect("claude-code").unwrap(), Path::new(PLAY)).await.unwrap();
            let play = house.play(path, &Recording::read(path).unwrap(), Manner::Plain).await.unwrap();
            honesty::judge(&play, "", &BTreeMap::new()).into_iter().map(|problem| problem.text).collect::<Vec<_>>()
        })
    };
    assert_eq!(found(&file), Vec::<String>::new());
    let seen = found(&spoilt);
    assert!(seen.len() == 1 && seen[0].starts_with("approvals.supports-file-change-approval"), "{seen:?}");
}

/// `matrix` has a line for it, the hint says so, and an operator can believe the plugin again.
#[test]
fn the_matrix_shows_it_until_it_is_reset() {
    let door = Door::new(PROGRAM);
    let table = "on send-run\n  done opened-turn\n  start\n  end completed\non interrupt\n  done accepted\n";
    let table = table.to_owned() + "on compact-thread\n  fail unsupported no\n";
    let lying = table.replace("  start\n", "  start\n  tool t running execute Bash ls\n");
    let flag = "tools.emits-tool-completed";
    let declared = json!({flag: true, "turns.emits-turn-completed": true, "turns.emits-turn-started": true});
    let run = |table: &str| {
        let table = format!("table={}", json!(table));
        let declared = format!("capabilities={declared}");
        door.run(&["run", "--json", "--option", &table, "--option", &declared, "hello"]).expect(0, &[]).well_formed()
    };
    let matrix = || door.run(&["matrix"]).expect(0, &[]).stdout;
    assert_eq!(run(&table).of_type("capability.demoted").len(), 0);
    assert!(!matrix().contains("reset-demoted"));
    let ended = run(&lying);
    assert_eq!(ended.of_type("capability.demoted")[0]["flag"], flag);
    let last = ended.of_type("capabilities.updated").last().unwrap().clone();
    assert_eq!(
        (&last["capabilities"]["stage"], &last["capabilities"]["values"][flag]),
        (&json!("clamped"), &json!(false))
    );
    let page = matrix();
    assert!(page.lines().any(|line| line.contains("! ") && line.contains(flag)), "{page}");
    assert!(page.contains("jackfield plugin reset-demoted jackfield/scripted"), "{page}");
    let all: serde_json::Value = serde_json::from_str(&door.run(&["matrix", "--json"]).stdout).unwrap();
    let broken: Vec<_> = all["plugins"].as_array().unwrap().iter().filter_map(|one| one["broken"].get(0)).collect();
    assert_eq!((&broken[0]["flag"], &broken[0]["counts"]), (&json!(flag), &json!(true)));
    assert_eq!(run(&lying).of_type("capability.demoted").len(), 0, "it counts for less from the start");
    door.run(&["plugin", "reset-demoted", "scripted", "--flag", "tools.emits-tool-started"]).expect(2, &[]);
    door.run(&["plugin", "reset-demoted", "scripted"]).expect(0, &["1 of jackfield/scripted"]);
    assert!(!matrix().contains("reset-demoted"));
    assert_eq!(run(&lying).of_type("capability.demoted").len(), 1);
    assert!(door.audit().iter().any(|record| record["kind"] == "reset-demoted"));
}
