//! Signs between the two sides of a case, past the pipes: what the one waits for is what the other has done, however long that took.

use anyhow::{Context, Result};
use std::path::Path;

/// Gives a sign; `folder` is the one that both sides know.
pub(super) fn give(folder: &Path, name: &str) -> Result<()> {
    let file = folder.join(format!("sign-{name}"));
    std::fs::write(&file, "").with_context(|| file.display().to_string())
}

/// Whether it was given.
pub(super) fn is_given(folder: &Path, name: &str) -> bool {
    folder.join(format!("sign-{name}")).exists()
}
