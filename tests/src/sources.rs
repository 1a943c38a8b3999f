//! The repository's own files, as the tests read them that hold it to its rules: the tree, its Rust sources, its documents.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Holds the tree to a claim.
#[track_caller]
pub fn check(claim: impl FnOnce(&Path) -> Result<()>) {
    if let Err(error) = claim(&xtask::root()) {
        panic!("{error:#}");
    }
}

/// All Rust files beneath a folder.
pub fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// What stands in code marks.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}
