//! What comes from PyPI: packages that a folder pins with its `requirements.txt`, each with its digest. Only wheels are taken: nothing is
//! built, and no install script is run.

use crate::step::show_and_run;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

const PINS: &str = "requirements.txt";

/// Whether what was installed into the folder is what is pinned.
pub fn is_installed(pins: &Path, folder: &Path) -> bool {
    let read = |folder: &Path| std::fs::read(folder.join(PINS)).ok();
    read(pins).is_some_and(|pin| read(folder) == Some(pin))
}

/// Installs what is pinned into the folder's `venv`.
pub fn install(pins: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let (pinned, kept, venv) = (pins.join(PINS), folder.join(PINS), folder.join("venv"));
    let _ = std::fs::remove_file(&kept);
    let made = show_and_run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv));
    made.context("Python 3 with venv is needed: apt-get install python3-venv")?;
    let arguments =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"];
    let mut pip = Command::new(venv.join("bin/python"));
    pip.args(arguments).args(["--require-hashes", "--requirement"]).arg(&pinned);
    show_and_run(&mut pip)?;
    // Last: what is only half there is not taken for whole.
    std::fs::copy(&pinned, &kept).map(drop).with_context(|| pinned.display().to_string())
}
