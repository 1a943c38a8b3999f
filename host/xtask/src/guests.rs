//! What builds plugins in another language than Rust: pinned tools, and the example's components made by them.
//!
//! The pins are the SDKs' own: `sdk/js/package-lock.json` and `sdk/python/requirements.txt`, both with digests. The tools come to
//! `target/tools` and are used again while their pins are unchanged; no install script is run.

use crate::step::output;
use crate::{npm, pypi};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// A language that a plugin is written in, besides Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// QuickJS, by componentize-qjs.
    JavaScript,
    /// CPython, by componentize-py.
    Python,
}

/// All of them.
pub const LANGUAGES: &[Language] = &[Language::JavaScript, Language::Python];

impl Language {
    /// Its folder under `sdk/`, under `sdk/example/` and under `target/tools/`.
    pub fn folder(self) -> &'static str {
        match self {
            Language::JavaScript => "js",
            Language::Python => "python",
        }
    }

    fn tool(self) -> &'static str {
        match self {
            Language::JavaScript => "node_modules/.bin/componentize-qjs",
            Language::Python => "venv/bin/componentize-py",
        }
    }
}

/// Brings the tool of this language unless the pinned one is there; returns it. Tests ask for it side by side: one brings it.
pub fn ensure(root: &Path, language: Language) -> Result<PathBuf> {
    static ONE_BY_ONE: Mutex<()> = Mutex::new(());
    let _turn = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (pins, name) = (root.join("sdk").join(language.folder()), language.folder());
    let folder = root.join("target/tools").join(name);
    let tool = folder.join(language.tool());
    let is_installed = match language {
        Language::JavaScript => npm::is_installed(&pins, &folder),
        Language::Python => pypi::is_installed(&pins, &folder),
    };
    if is_installed && answers(&tool) {
        println!("tools for {name}: are there");
        return Ok(tool);
    }
    println!("tools for {name}: installing into {}", folder.display());
    match language {
        Language::JavaScript => npm::install(&pins, &folder, "what builds plugins in JavaScript comes", &[])
            .context("with no way to npm: cargo xtask test --no-real")?,
        Language::Python => {
            pypi::install(&pins, &folder).context("with no way to PyPI: cargo xtask test --no-real")?;
        }
    }
    if !answers(&tool) {
        bail!("`{} --help` does not answer: remove {} and try again", tool.display(), folder.display());
    }
    Ok(tool)
}

/// The example's component: what was kept of the last time while all that it is made of is the same, else made anew.
pub fn component(root: &Path, language: Language) -> Result<Vec<u8>> {
    let folder = root.join("target/guests").join(language.folder());
    let (kept, recipe) = (folder.join("plugin.wasm"), folder.join("made-of"));
    let made_of = sources(root, language)?;
    if std::fs::read(&recipe).is_ok_and(|before| before == made_of)
        && let Ok(bytes) = std::fs::read(&kept)
    {
        println!("the example in {}: is there", language.folder());
        return Ok(bytes);
    }
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let _ = std::fs::remove_file(&recipe);
    build(root, language, false, &kept)?;
    // Last: a component is taken again only when all of it was written.
    std::fs::write(&recipe, made_of).with_context(|| recipe.display().to_string())?;
    std::fs::read(&kept).with_context(|| kept.display().to_string())
}

/// All files that a component is made of, with their names, and how it is made: what differs in a byte is another component.
fn sources(root: &Path, language: Language) -> Result<Vec<u8>> {
    let mut files = Vec::new();
    let folders =
        [root.join("wit"), root.join("sdk").join(language.folder()), root.join("sdk/example").join(language.folder())];
    for folder in folders {
        list(&folder, &mut files)?;
    }
    files.sort();
    let mut all = include_bytes!("guests.rs").to_vec();
    for file in files {
        let bytes = std::fs::read(&file).with_context(|| file.display().to_string())?;
        all.extend_from_slice(format!("{} {}\n", file.display(), bytes.len()).as_bytes());
        all.extend(bytes);
    }
    Ok(all)
}

/// The files beneath a folder that a component may be made of: no tool's own, no tests and no pages.
fn list(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            if !["node_modules", "__pycache__", "tests"].iter().any(|other| name == *other) {
                list(&path, into)?;
            }
        } else if path.extension().is_none_or(|kind| kind != "md") {
            into.push(path);
        }
    }
    Ok(())
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
        Language::Python => {
            command.arg("--quiet").arg("--wit-path").arg(wit).args(["--world", "provider", "componentize"]);
            command.args((!system).then_some("--stub-wasi")).arg("--python-path").arg(sdk.join("example/python"));
            command.arg("--python-path").arg(sdk.join("python")).arg("murmur").arg("--output").arg(out);
            // Else it looks for packages of the machine, too.
            command.env("VIRTUAL_ENV", root.join("target/tools/python/venv"));
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
