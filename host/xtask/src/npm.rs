//! What comes from npm: packages that a folder pins with its `package.json` and its lockfile. npm checks the digest of what it fetches,
//! and no install script is run.

use crate::step::{output, show_and_run};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

const LOCK: &str = "package-lock.json";
const PINS: [&str; 2] = ["package.json", LOCK];

/// Whether what was installed into the folder is what is pinned.
pub fn is_installed(pins: &Path, folder: &Path) -> bool {
    PINS.iter().all(|file| {
        let read = |folder: &Path| std::fs::read(folder.join(file)).ok();
        read(pins).is_some_and(|pin| read(folder) == Some(pin))
    })
}

/// Installs what is pinned into the folder. `comes`: what comes from npm, with its verb, for who has no npm; `more` are arguments more.
pub fn install(pins: &Path, folder: &Path, comes: &str, more: &[&str]) -> Result<()> {
    if output(Command::new("npm").arg("--version")).is_none() {
        bail!("npm does not answer, and {comes} from npm. Install Node.js 20 or newer with npm");
    }
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    // npm takes a folder that is reached through a link for another package than its lockfile's.
    let folder = folder.canonicalize()?;
    for file in PINS {
        std::fs::copy(pins.join(file), folder.join(file)).with_context(|| format!("{}/{file}", pins.display()))?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts"]).args(more).args([
        "--no-audit",
        "--no-fund",
        "--loglevel",
        "error",
        "--prefix",
    ]);
    show_and_run(npm.arg(&folder)).inspect_err(|_| {
        // What is only half there is not taken for whole.
        let _ = std::fs::remove_file(folder.join(LOCK));
    })
}
