//! `cargo xtask fuzz`: the functions of `tests/fuzz` under libFuzzer, by the pinned compiler.
//!
//! libFuzzer needs a program that counts which of its edges are taken; LLVM's pass for that is in every compiler, only cargo-fuzz's
//! sanitizers want a nightly one. Nothing here is unsafe code, so the sanitizers would have nothing to find.

use crate::step::show_and_run;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

const COUNT_EDGES: &str = "--cfg fuzzing -Ccodegen-units=1 -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";
/// For a minute, unless the options say otherwise.
const USUAL: &str = "-max_total_time=60";

/// Builds one target and runs it with options of libFuzzer's own. What it finds lands in `target/fuzz/`, beside its corpus there.
pub fn run(root: &Path, target: &str, options: &[&str]) -> Result<()> {
    let crate_folder = root.join("tests/fuzz/libfuzzer");
    let known = targets(&crate_folder)?;
    if !known.iter().any(|name| name == target) {
        bail!("no fuzz target {target:?}; there are {}", known.join(", "));
    }
    let triple = host_triple()?;
    let built = root.join("target/libfuzzer");
    let mut build = Command::new("cargo");
    build.current_dir(&crate_folder).env("RUSTFLAGS", COUNT_EDGES);
    // A triple of its own keeps the flags away from build scripts.
    build.args(["build", "--release", "--bin", target, "--target", &triple, "--target-dir"]).arg(&built);
    show_and_run(&mut build)?;
    let finds = root.join("target/fuzz");
    let corpus = finds.join("corpus").join(target);
    std::fs::create_dir_all(&corpus).with_context(|| corpus.display().to_string())?;
    let mut fuzz = Command::new(built.join(triple).join("release").join(target));
    fuzz.current_dir(root).arg(USUAL).args(options);
    fuzz.arg(format!("-artifact_prefix={}/{target}-", finds.display()));
    // New finds go into the first folder.
    fuzz.arg(corpus).arg(root.join("tests/fuzz/corpus").join(target));
    show_and_run(&mut fuzz)
}

fn targets(crate_folder: &Path) -> Result<Vec<String>> {
    let files = crate_folder.join("fuzz_targets").read_dir().context("tests/fuzz/libfuzzer/fuzz_targets")?;
    let names = files.map(|file| Ok(file?.path().file_stem().unwrap_or_default().to_string_lossy().into_owned()));
    let mut names: Vec<String> = names.collect::<Result<_>>()?;
    names.sort();
    Ok(names)
}

fn host_triple() -> Result<String> {
    let version = crate::step::output(Command::new("rustc").arg("-vV")).context("`rustc -vV` does not answer")?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` does not name its host")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_is_none_is_refused_with_those_there_are() {
        let error = run(&crate::root(), "nothing", &[]).expect_err("there is no such target");
        assert_eq!(error.to_string(), "no fuzz target \"nothing\"; there are agents, guard, outputs, plugins");
    }

    #[test]
    fn each_target_has_a_corpus() {
        let root = crate::root();
        for target in targets(&root.join("tests/fuzz/libfuzzer")).unwrap() {
            assert!(root.join("tests/fuzz/corpus").join(&target).is_dir(), "{target}");
        }
    }
}
