//! What the README promises to an author, done as the README says it, with the README's own plugin.

use anyhow::{Context, Result, ensure};
use jackfield_tests::guest;
use std::process::Command;

#[test]
fn the_readmes_plugin_runs() {
    if let Err(error) = play() {
        panic!("{error:#}");
    }
}

fn play() -> Result<()> {
    let readme = std::fs::read_to_string(xtask::root().join("README.md"))?;
    let (_, readme) = readme.split_once("\n## A plugin in twenty lines\n").context("README.md has no such chapter")?;
    let source = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("\n```").next());
    let manifest = readme.split("```toml\n").nth(2).and_then(|rest| rest.split("\n```").next());
    let manifest = manifest.context("README.md has no plugin.toml")?;
    let plugin = guest::build("parrot", source.context("README.md has no Rust example")?, manifest)?;
    let scratch = tempfile::tempdir()?;
    std::fs::write(scratch.path().join("parrot.wasm"), plugin)?;
    let jackfield = |words: &[&str]| -> Result<String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jackfield-under-test"));
        command.args(words).current_dir(&scratch).env("JACKFIELD_DATA", scratch.path().join("data"));
        let out = command.output()?;
        let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
        ensure!(out.status.success(), "jackfield {}: {} {stderr}", words.join(" "), out.status);
        Ok(String::from_utf8(out.stdout)?)
    };
    let inspected = jackfield(&["plugin", "inspect", "parrot.wasm"])?;
    ensure!(inspected.contains("me/parrot"), "plugin inspect does not name it: {inspected}");
    let said = jackfield(&["run", "--plugin", "parrot.wasm", "hello from the readme"])?;
    ensure!(said.contains("hello from the readme"), "the parrot said: {said}");
    Ok(())
}
