//! The official SDK's types, which check what `--format claude` says: types only, none of it is ever run.
//!
//! Pinned like the real CLIs: `tests/types/agent-sdk/` has a `package.json` and its lockfile, npm checks the digests and
//! runs no install script. Its programs for each platform are left out.

use crate::step::{output, show_and_run};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs them unless they are there; returns their folder.
pub fn ensure(root: &Path) -> Result<PathBuf> {
    let pins = root.join("tests/types/agent-sdk");
    let folder = root.join("target/types/agent-sdk");
    let compiler = compiler(&folder);
    let read = |folder: &Path| std::fs::read(folder.join("package-lock.json")).ok();
    if read(&pins).is_some() && read(&pins) == read(&folder) && compiler.exists() {
        println!("the SDK's types: are there");
        return Ok(folder);
    }
    println!("the SDK's types: installing from npm into {}", folder.display());
    if output(Command::new("npm").arg("--version")).is_none() {
        bail!("npm does not answer, and the SDK's types come from npm. Install Node.js 20 or newer with npm");
    }
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for file in ["package.json", "package-lock.json"] {
        std::fs::copy(pins.join(file), folder.join(file)).with_context(|| format!("{}/{file}", pins.display()))?;
    }
    let arguments = ["ci", "--ignore-scripts", "--omit=optional", "--legacy-peer-deps", "--no-audit", "--no-fund"];
    let mut npm = Command::new("npm");
    npm.args(arguments).args(["--loglevel", "error", "--prefix"]).arg(&folder);
    show_and_run(&mut npm).context("with no way to npm run `cargo xtask test --no-real`")?;
    if !compiler.exists() {
        bail!("{} is not there: remove {} and try again", compiler.display(), folder.display());
    }
    Ok(folder)
}

/// What checks a file against the types.
pub fn compiler(folder: &Path) -> PathBuf {
    folder.join("node_modules/typescript/bin/tsc")
}
