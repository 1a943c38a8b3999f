//! The corpus, and a seeded number of cases more. `JACKFIELD_FUZZ_SEED` and `JACKFIELD_FUZZ_CASES` choose others; a case that does
//! not hold is written to `target/fuzz/`, made as small as it goes, for the corpus.

use jackfield_fuzz::{Verdict, bytes, guard, outputs, plugins};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

const SEED: u64 = 0x6a61_636b;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A panic is a verdict, too.
fn judge(play: fn(&[u8]) -> Verdict, data: &[u8]) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| play(data))).unwrap_or_else(|panic| {
        let words = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("it panics: {}", words.unwrap_or_default()))
    })
}

/// Leaves out what is not needed for it to fail.
fn smaller(play: fn(&[u8]) -> Verdict, mut data: Vec<u8>) -> Vec<u8> {
    let mut piece = data.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < data.len() {
            let mut less = data.clone();
            less.drain(at..(at + piece).min(less.len()));
            if judge(play, &less).is_err() { data = less } else { at += piece }
        }
        piece /= 2;
    }
    data
}

fn run(name: &str, play: fn(&[u8]) -> Verdict, cases: u64, most_bytes: u64) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(corpus).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in &files {
        let verdict = judge(play, &std::fs::read(file).unwrap());
        assert_eq!(verdict, Ok(()), "{}", file.display());
    }
    let (seed, cases) =
        (number("JACKFIELD_FUZZ_SEED").unwrap_or(SEED), number("JACKFIELD_FUZZ_CASES").unwrap_or(cases));
    let begun = Instant::now();
    for case in 0..cases {
        let size =
            bytes::of_seed(seed ^ case, 8).iter().fold(0u64, |size, byte| size * 31 + u64::from(*byte)) % most_bytes;
        let data = bytes::of_seed(seed.wrapping_add(case.wrapping_mul(0x9e37_79b9)), size as usize);
        if let Err(problem) = judge(play, &data) {
            let small = smaller(play, data);
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
            std::fs::create_dir_all(&folder).unwrap();
            let file = folder.join(format!("{name}-{seed}-{case}"));
            std::fs::write(&file, &small).unwrap();
            panic!(
                "seed {seed}, case {case}: {problem}\nas {} bytes in {}: {:?}",
                small.len(),
                file.display(),
                judge(play, &small)
            );
        }
    }
    println!("{name}: {} of the corpus, {cases} of seed {seed}, {:.1} s", files.len(), begun.elapsed().as_secs_f64());
}

#[test]
fn any_frames_into_a_plugin() {
    run("plugins", plugins::play, 2_500, 600);
}

#[test]
fn any_frames_into_an_agents_plugin() {
    run("agents", plugins::agents, 1_000, 600);
}

#[test]
fn any_words_of_a_plugin_into_the_normalizer() {
    run("outputs", outputs::play, 4_000, 900);
}

#[test]
fn any_frames_decisions_and_writes_at_the_guard() {
    run("guard", guard::play, 20_000, 200);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    assert_eq!(bytes::of_seed(SEED, 40), bytes::of_seed(SEED, 40));
    assert_ne!(bytes::of_seed(SEED, 40), bytes::of_seed(SEED + 1, 40));
}
