//! `cargo xtask demo`: from a clean clone to the main job, on the built-in provider: no key, no network, no other CLI.

use crate::setup;
use crate::step::{Steps, show_and_run};
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// What the demonstration asks: the words choose what the built-in provider shows.
const PROMPT: &str = "reasoning plan tool";

/// Sets up, builds, runs.
pub fn run(root: &Path) -> Result<()> {
    let mut steps = Steps::default();
    steps.run("set-up", "see the message above; it names what is missing and how to get it", || {
        setup::toolchain(root, &[])?;
        setup::linker()
    })?;
    steps.run("build", "cargo build -p jackfield shows it again", || {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        show_and_run(Command::new(&cargo).args(["build", "--locked", "-p", "jackfield"]).current_dir(root))
    })?;
    // Its own folders: a demonstration leaves no thread in the operator's own list.
    let scratch = root.join("target/demo");
    let workspace = scratch.join("workspace");
    std::fs::create_dir_all(&workspace)?;
    let program = target(root).join("debug/jackfield");
    steps.run("the main job", "run it by hand: cargo run -p jackfield -- run help", || {
        let mut run = Command::new(&program);
        run.args(["run", "--approve", "allow", PROMPT])
            .current_dir(&workspace)
            .env("JACKFIELD_DATA", scratch.join("data"));
        show_and_run(&mut run)
    })?;
    steps.summary();
    println!("\nNow by hand: {} run help", program.display());
    Ok(())
}

fn target(root: &Path) -> std::path::PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}
