//! What builds plugins in another language than Rust: pinned tools, and the example's component made by them.
//!
//! The pins are the SDK's own, `sdk/js/package-lock.json`, with digests. The tools come to
//! `target/tools` and are used again while their pins are unchanged; no install script is run.

use crate::npm;
use crate::step::output;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A language that a plugin is written in, besides Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// QuickJS, by componentize-qjs.
    JavaScript,
}

/// All of them.
pub const LANGUAGES: &[Language] = &[Language::JavaScript];

impl Language {
    /// Its folder under `sdk/`, under `sdk/example/` and under `target/tools/`.
    pub fn folder(self) -> &'static str {
        match self {
            Language::JavaScript => "js",
        }
    }

    fn tool(self) -> &'static str {
        match self {
            Language::JavaScript => "node_modules/.bin/componentize-qjs",
        }
    }
}

/// Brings the tool of this language unless the pinned one is there; returns it.
pub fn ensure(root: &Path, language: Language) -> Result<PathBuf> {
    let (pins, name) = (root.join("sdk").join(language.folder()), language.folder());
    let folder = root.join("target/tools").join(name);
    let tool = folder.join(language.tool());
    let is_installed = match language {
        Language::JavaScript => npm::is_installed(&pins, &folder),
    };
    if is_installed && answers(&tool) {
        println!("tools for {name}: are there");
        return Ok(tool);
    }
    println!("tools for {name}: installing into {}", folder.display());
    match language {
        Language::JavaScript => npm::install(&pins, &folder, "what builds plugins in JavaScript comes", &[])
            .context("with no way to npm: cargo xtask test --no-real")?,
    }
    if !answers(&tool) {
        bail!("`{} --help` does not answer: remove {} and try again", tool.display(), folder.display());
    }
    Ok(tool)
}

/// Makes the example's component; `system` leaves the imports of a system interface in it, which no host of ours offers.
pub fn build(root: &Path, language: Language, system: bool, out: &Path) -> Result<()> {
    let tool = root.join("target/tools").join(language.folder()).join(language.tool());
    let (sdk, wit) = (root.join("sdk"), root.join("wit"));
    let mut command = Command::new(tool);
    match language {
        Language::JavaScript => {
            command
                .arg("--wit")
                .arg(wit)
                .args(["--world", "provider", "--sync", "--opt-size", "--module-root"])
                .arg(&sdk);
            command.arg("--js").arg(sdk.join("example/js/murmur.js")).arg("--output").arg(out);
            command.args((!system).then_some("--stub-wasi"));
        }
    }
    let done = command.output().context("the tool does not start; `cargo xtask setup` brings it")?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
        bail!("the example in {} does not build:\n{said}", language.folder());
    }
    Ok(())
}

fn answers(tool: &Path) -> bool {
    output(Command::new(tool).arg("--help")).is_some()
}
