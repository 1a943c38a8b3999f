//! Writes the published JSON Schema of the JSON stream and of its input: what `jackfield schema` prints, kept in the tree for
//! those who have only the sources.
//!
//! `tests/tests/schema.rs` fails when a file is not what the program prints.

use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// What there is a schema of.
pub const NAMES: [&str; 3] = ["events", "input", "history"];

/// Where a schema is kept, relative to the workspace.
pub fn path(name: &str) -> String {
    format!("host/cli/schema/{name}.schema.json")
}

/// Builds the program and keeps what it prints.
pub fn write(root: &Path) -> Result<()> {
    for name in NAMES {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let out = Command::new(cargo)
            .args(["run", "--quiet", "--package", "jackfield", "--", "schema", name])
            .current_dir(root)
            .output()
            .context("cargo run -p jackfield")?;
        ensure!(out.status.success(), "jackfield schema {name}: {}", String::from_utf8_lossy(&out.stderr));
        std::fs::write(root.join(path(name)), &out.stdout).with_context(|| path(name))?;
        println!("wrote {}", path(name));
    }
    Ok(())
}
