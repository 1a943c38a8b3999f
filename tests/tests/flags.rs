//! Every capability is alive: for each flag a case under `tests/flags` plays the same operation with it and without it.
//!
//! `UPDATE=1 cargo test -p jackfield-tests --test flags` writes what was seen into the cases and the table of the
//! documentation; a person reads the difference. `FLAG=streaming` plays only those whose name holds the word.

use jackfield_core::capability::{Capabilities, FLAGS};
use jackfield_core::contract::CapabilityValue;
use jackfield_core::policy::{Decision, Intent, PolicyConfig, decide};
use jackfield_runtime::session::{NOT_BUILT, as_built};
use jackfield_tests::block_on;
use jackfield_tests::flags::case::Case;
use jackfield_tests::flags::play::House;
use jackfield_tests::flags::{difference, is_refusal, table};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Semaphore;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

#[test]
fn each_flag_changes_what_its_case_says() {
    let word = std::env::var("FLAG").unwrap_or_default();
    let update = std::env::var_os("UPDATE").is_some();
    let cases: Vec<_> = Case::all().unwrap().into_iter().filter(|case| case.name.contains(&word)).collect();
    assert!(!cases.is_empty());
    let wrong: Vec<String> = block_on(async {
        let house = Arc::new(House::open(PolicyConfig::default(), Path::new(PROGRAM)).await.unwrap());
        let room = Arc::new(Semaphore::new(4));
        let mut running = Vec::new();
        for case in cases {
            let (room, house) = (room.clone(), house.clone());
            running.push(tokio::spawn(async move {
                let _turn = room.acquire().await;
                flip(&house, &case, update).await.map_err(|problem| format!("{}: {problem}", case.name))
            }));
        }
        let mut wrong = Vec::new();
        for one in running {
            wrong.extend(one.await.unwrap().err());
        }
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

async fn flip(house: &House, case: &Case, update: bool) -> Result<(), String> {
    let plain = |error: anyhow::Error| format!("{error:#}");
    let (with, without) = case.capabilities().map_err(plain)?;
    let on =
        house.play(case, &with, &format!("{}-on", case.name)).await.map_err(|error| format!("with it: {error:#}"))?;
    let off = house
        .play(case, &without, &format!("{}-off", case.name))
        .await
        .map_err(|error| format!("without it: {error:#}"))?;
    let (seen_on, seen_off) = difference(&on, &off);
    if seen_on.is_empty() && seen_off.is_empty() {
        return Err(format!("nothing differs:\n{}", on.join("\n")));
    }
    if seen_on.iter().any(|line| is_refusal(line)) && seen_off.iter().any(|line| is_refusal(line)) {
        let rest = seen_on.iter().chain(&seen_off).filter(|line| !is_refusal(line));
        if rest.count() == 0 {
            return Err(format!("two refusals are no flip: {seen_on:?} {seen_off:?}"));
        }
    }
    if update {
        return case.rewrite(&seen_on, &seen_off).map_err(plain);
    }
    let wanted = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    if (&seen_on, &seen_off) != (&wanted(&case.seen_on), &wanted(&case.seen_off)) {
        return Err(format!(
            "seen only with it:\n{}\nonly without:\n{}\nwhere the case says:\n{}\n{}",
            seen_on.join("\n"),
            seen_off.join("\n"),
            case.seen_on,
            case.seen_off
        ));
    }
    Ok(())
}

#[test]
fn no_flag_is_forgotten() {
    let cased: BTreeSet<String> = Case::all().unwrap().into_iter().map(|case| case.flag).collect();
    let informational: BTreeSet<String> = table::informational().unwrap().into_keys().collect();
    let waiting: BTreeSet<String> = table::waiting().unwrap().into_keys().collect();
    for name in FLAGS.iter().map(|row| row.name()) {
        let lists = [&cased, &informational, &waiting].iter().filter(|list| list.contains(&name)).count();
        assert_eq!(lists, 1, "{name} must have a case, or be informational, or wait; exactly one of them");
    }
    let known: BTreeSet<String> = FLAGS.iter().map(|row| row.name()).collect();
    for name in cased.iter().chain(&informational).chain(&waiting) {
        assert!(known.contains(name), "there is no flag {name}");
    }
}

/// What waits is exactly what hangs on an operation that is not built, and is not seen to change anything else.
#[test]
fn what_waits_hangs_on_what_is_not_built() {
    let cased: BTreeSet<String> = Case::all().unwrap().into_iter().map(|case| case.flag).collect();
    let unbuilt = |name: &String| hangs_on_unbuilt(name) && !cased.contains(name);
    let hangs: BTreeSet<String> = FLAGS.iter().map(|row| row.name()).filter(unbuilt).collect();
    let waiting: BTreeSet<String> = table::waiting().unwrap().into_keys().collect();
    assert_eq!(
        waiting, hangs,
        "left: tests/flags/waiting.toml, right: what session::NOT_BUILT leaves without an operation"
    );
}

/// True when a flag changes some operation's decision, and only of operations that are not built.
fn hangs_on_unbuilt(name: &str) -> bool {
    let flag = jackfield_core::capability::flag(name).unwrap();
    // What is done instead counts only as far as this host does it.
    let config = PolicyConfig { not_built: Vec::new(), ..as_built(PolicyConfig::default()) };
    let mut touched = Vec::new();
    let mut look = |others: &[&str]| {
        let mut with = jackfield_core::capability::Capabilities::strongest();
        others.iter().for_each(|other| jackfield_core::capability::flag(other).unwrap().weaken(&mut with));
        let mut without = with.clone();
        flag.weaken(&mut without);
        let changes = |intent: &&Intent| decide(intent, &with, &config) != decide(intent, &without, &config);
        touched.extend(Intent::ALL.iter().filter(changes));
    };
    look(&[]);
    for other in FLAGS.iter().map(|row| row.name()) {
        look(&[&other]);
    }
    let handoff_only = name == "context.max-recommended-handoff-chars" && NOT_BUILT.contains(&Intent::SwitchProvider);
    handoff_only || (!touched.is_empty() && touched.iter().all(|intent| NOT_BUILT.contains(intent)))
}

/// Whatever the policy can put in the place of what was asked is carried out by a case, and announced where somebody asked.
#[test]
fn each_strategy_is_carried_out_by_a_case() {
    let listed = table::strategies().unwrap();
    let known: BTreeSet<&String> = listed.cases.keys().chain(listed.unasked.keys()).collect();
    let reached = reachable();
    assert_eq!(
        known,
        reached.iter().collect(),
        "left: tests/flags/strategies.toml, right: what policy::decide can give"
    );
    let cases = Case::all().unwrap();
    let config = as_built(PolicyConfig::default());
    for (pair, name) in &listed.cases {
        let case = cases.iter().find(|case| case.name == *name).unwrap_or_else(|| panic!("{pair}: no case {name}"));
        let (on, off) = case.capabilities().unwrap();
        let intent = *Intent::ALL.iter().find(|intent| pair.split('/').next() == Some(intent.name())).unwrap();
        let [with, without] =
            [&on, &off].map(|able| given(intent, able, &config).is_some_and(|(given, _)| given == *pair));
        assert!(with || without, "{pair}: the capabilities of {name} do not lead to it");
        let announced = intent.is_for_users() || pair.starts_with("give-");
        let (able, seen) = if without { (&off, &case.seen_off) } else { (&on, &case.seen_on) };
        let loses = given(intent, able, &config).map(|(_, loses)| loses).unwrap_or_default();
        let (_, strategy) = pair.split_once('/').unwrap();
        let words = format!("strategy={strategy} intent={}", intent.name());
        let is_it = |line: &&str| {
            line.contains(&words) && line.contains("because=") && (loses.is_empty() || line.contains("loses="))
        };
        assert!(!announced || seen.lines().any(|line| is_it(&line)), "{pair}: {name} does not announce it:\n{seen}");
    }
}

/// What is done instead for these capabilities, as `intent/strategy`, with what it loses.
fn given(intent: Intent, able: &Capabilities, config: &PolicyConfig) -> Option<(String, Vec<String>)> {
    match decide(&intent, able, config) {
        Decision::Degraded { strategy, loses, .. } => Some((format!("{}/{}", intent.name(), strategy.code()), loses)),
        _ => None,
    }
}

type Change = Box<dyn Fn(&mut Capabilities)>;

/// All that the policy gives for a provider that lacks any two things, or all.
fn reachable() -> BTreeSet<String> {
    let config = as_built(PolicyConfig::default());
    let weak = CapabilityValue::Word("weak".into());
    let changes: Vec<Change> = FLAGS
        .iter()
        .flat_map(|flag| {
            let weak = weak.clone();
            let weaken: Change = Box::new(move |able| flag.weaken(able));
            let halve: Change = Box::new(move |able| {
                flag.set(able, &weak);
            });
            [weaken, halve]
        })
        .collect();
    let mut found = BTreeSet::new();
    let mut look = |able: &Capabilities| {
        found.extend(Intent::ALL.iter().filter_map(|intent| given(*intent, able, &config)).map(|(pair, _)| pair));
    };
    look(&Capabilities::default());
    for (at, one) in changes.iter().enumerate() {
        for two in &changes[at..] {
            let mut able = Capabilities::strongest();
            one(&mut able);
            two(&mut able);
            look(&able);
        }
    }
    found
}

#[test]
fn the_documentation_shows_the_cases() {
    let path = xtask::root().join("wit/CAPABILITIES.md");
    let text = table::markdown(&Case::all().unwrap()).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "{} is old: UPDATE=1 cargo test -p jackfield-tests --test flags", path.display());
}
