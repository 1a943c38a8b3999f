//! The official SDK's types, which check what `--format claude` says: types only, none of it is ever run.
//!
//! Pinned like the real CLIs: `tests/types/agent-sdk/` has a `package.json` and its lockfile, npm checks the digests and
//! runs no install script. Its programs for each platform are left out.

use crate::npm;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Installs them unless they are there; returns their folder.
pub fn ensure(root: &Path) -> Result<PathBuf> {
    let pins = root.join("tests/types/agent-sdk");
    let folder = root.join("target/types/agent-sdk");
    let compiler = compiler(&folder);
    if npm::is_installed(&pins, &folder) && compiler.exists() {
        println!("the SDK's types: are there");
        return Ok(folder);
    }
    println!("the SDK's types: installing from npm into {}", folder.display());
    npm::install(&pins, &folder, "the SDK's types come", &["--omit=optional", "--legacy-peer-deps"])
        .context("with no way to npm run `cargo xtask test --no-real`")?;
    if !compiler.exists() {
        bail!("{} is not there: remove {} and try again", compiler.display(), folder.display());
    }
    Ok(folder)
}

/// What checks a file against the types.
pub fn compiler(folder: &Path) -> PathBuf {
    folder.join("node_modules/typescript/bin/tsc")
}
