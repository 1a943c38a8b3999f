//! Makes a fresh machine ready, and says what it does: the wasm target, rustfmt and clippy, a C linker, the real CLIs,
//! the tools for plugins in JavaScript and in Python.
//!
//! What is there is left alone; what rustup, npm and pip can bring is brought; what only the operator can install is asked
//! for in one sentence.

use crate::step::{output, show_and_run};
use crate::{guests, real};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// The target that plugins are built for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Sets up what building needs and, when asked, what comes from other registries: the real CLIs, and the tools for other languages.
pub fn run(root: &Path, with_real: bool) -> Result<()> {
    toolchain(root, &["rustfmt", "clippy"])?;
    linker()?;
    if with_real {
        real::namespace_works()?;
        for cli in real::CLIS {
            real::ensure(root, cli)?;
        }
        for language in guests::LANGUAGES {
            guests::ensure(root, *language)?;
        }
    }
    Ok(())
}

/// The toolchain that `rust-toolchain.toml` names, with the plugins' target and these components.
pub fn toolchain(root: &Path, components: &[&str]) -> Result<()> {
    let channel = channel(root)?;
    let Some(active) = output(Command::new("rustc").arg("--version").current_dir(root)) else {
        bail!("rustc {channel} does not start here. Install it: rustup toolchain install {channel}");
    };
    println!("toolchain: {active}");
    if !active.contains(&format!(" {channel} ")) {
        bail!("this project is built with rustc {channel}. Install it: rustup toolchain install {channel}");
    }
    // Some machines have the compiler from a package and no rustup: then the target must simply be there.
    if has_target(root) {
        println!("target: {TARGET} is there");
    } else {
        add(&["target", "add", "--toolchain", &channel, TARGET])?;
        if !has_target(root) {
            bail!("rustc still does not find {TARGET}: rustup target add --toolchain {channel} {TARGET}");
        }
    }
    for component in components {
        let tool = if *component == "clippy" { "clippy-driver" } else { component };
        match output(Command::new(tool).arg("--version").current_dir(root)) {
            Some(version) => println!("component: {version}"),
            None => add(&["component", "add", "--toolchain", &channel, component])?,
        }
    }
    Ok(())
}

/// A C linker: rustc links with it, and SQLite is compiled with it.
pub fn linker() -> Result<()> {
    match output(Command::new("cc").arg("--version")) {
        Some(version) => println!("C compiler: {}", version.lines().next().unwrap_or_default()),
        None => bail!(
            "no C compiler: `cc --version` does not answer. Install one: `apt-get install gcc libc6-dev` (Debian), \
             `dnf install gcc` (Fedora), `xcode-select --install` (macOS)"
        ),
    }
    Ok(())
}

fn add(arguments: &[&str]) -> Result<()> {
    let words = arguments.join(" ");
    show_and_run(Command::new("rustup").args(arguments)).with_context(|| format!("run by hand: rustup {words}"))
}

fn has_target(root: &Path) -> bool {
    let folder = output(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).current_dir(root));
    folder.is_some_and(|folder| Path::new(&folder).is_dir())
}

fn channel(root: &Path) -> Result<String> {
    let text = std::fs::read_to_string(root.join("rust-toolchain.toml")).context("rust-toolchain.toml")?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("channel = "))
        .context("rust-toolchain.toml names no channel")?;
    Ok(line.trim().trim_matches('"').to_owned())
}
