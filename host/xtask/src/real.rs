//! The real CLIs that the tests drive: which, at what exact version, and how they come here.
//!
//! Each has a folder under `tests/real/` with a `package.json` and its lockfile: npm checks the digest of what it
//! fetches. They are installed under `target/real/` without running any install script, and reused while these pins
//! are unchanged. Even to tell its version, a CLI runs in a network without a way out and in a home of its own. **A CLI that can't be had is an error with a way out, never a test that is left out.**

use crate::npm;
use crate::step::output;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that the tests drive, at one version.
pub struct Cli {
    /// Its folder under `tests/real/` and under `target/real/`.
    pub name: &'static str,
    /// Its npm package.
    pub package: &'static str,
    /// The program, from the folder it is installed in.
    pub program: &'static str,
    /// The variable that says where it unpacks itself: that is done once, beside the program, and not in each test's own home.
    pub unpacks: Option<&'static str>,
}

/// All of them. A program whose protocol changed is here at each version that the plugin speaks with.
pub const CLIS: &[Cli] = &[
    claude_code("claude-code"),
    claude_code("claude-code-2.1.197"),
    codex("codex"),
    #[cfg(target_arch = "x86_64")]
    CODEX_0_120,
    COPILOT,
    GEMINI,
    #[cfg(target_arch = "x86_64")]
    OPENCODE,
];

const fn claude_code(name: &'static str) -> Cli {
    let program = if cfg!(target_arch = "aarch64") {
        "node_modules/@anthropic-ai/claude-code-linux-arm64/claude"
    } else {
        "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
    };
    Cli { name, package: "@anthropic-ai/claude-code", program, unpacks: None }
}

const fn codex(name: &'static str) -> Cli {
    let program = if cfg!(target_arch = "aarch64") {
        "node_modules/@openai/codex-linux-arm64/vendor/aarch64-unknown-linux-musl/bin/codex"
    } else {
        "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
    };
    Cli { name, package: "@openai/codex", program, unpacks: None }
}

/// Pinned by its program's own package: not every registry has the others that its launcher names, and npm locks all or none.
#[cfg(target_arch = "x86_64")]
const CODEX_0_120: Cli = Cli {
    name: "codex-0.120.0",
    package: "@openai/codex-linux-x64",
    program: "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/codex/codex",
    unpacks: None,
};

/// Pinned by its programs' own packages: its launcher would only look for one of them.
const COPILOT: Cli = Cli {
    name: "copilot",
    package: if cfg!(target_arch = "aarch64") { "@github/copilot-linux-arm64" } else { "@github/copilot-linux-x64" },
    program: if cfg!(target_arch = "aarch64") {
        "node_modules/@github/copilot-linux-arm64/copilot"
    } else {
        "node_modules/@github/copilot-linux-x64/copilot"
    },
    unpacks: Some("COPILOT_PKG_CACHE_HOME"),
};

const GEMINI: Cli = Cli {
    name: "gemini",
    package: "@google/gemini-cli",
    program: "node_modules/@google/gemini-cli/bundle/gemini.js",
    unpacks: None,
};

/// Pinned by its program's own package: npm would bring four that fit this processor.
#[cfg(target_arch = "x86_64")]
const OPENCODE: Cli = Cli {
    name: "opencode",
    package: "opencode-linux-x64",
    program: "node_modules/opencode-linux-x64/bin/opencode",
    unpacks: None,
};

/// The CLI of that name.
pub fn find(name: &str) -> Result<&'static Cli> {
    let known = || CLIS.iter().map(|cli| cli.name).collect::<Vec<_>>().join(", ");
    CLIS.iter()
        .find(|cli| cli.name == name)
        .with_context(|| format!("no real CLI is called {name}; there are: {}", known()))
}

/// Installs the CLI unless the pinned version is there; returns its program.
pub fn ensure(root: &Path, cli: &Cli) -> Result<PathBuf> {
    let pins = root.join("tests/real").join(cli.name);
    let folder = root.join("target/real").join(cli.name);
    let program = folder.join(cli.program);
    let wanted = version(&pins, cli)?;
    let unpacked = unpacked(root, cli);
    if npm::is_installed(&pins, &folder) && says(&program, &wanted, &unpacked) {
        println!("{} {wanted}: is there", cli.name);
        return Ok(program);
    }
    println!("{} {wanted}: installing from npm into {}", cli.name, folder.display());
    npm::install(&pins, &folder, &format!("the real {} comes", cli.name), &[]).with_context(|| {
        format!(
            "the real {} {wanted} could not be installed; with no way to npm run `cargo xtask test --no-real`",
            cli.name
        )
    })?;
    if !says(&program, &wanted, &unpacked) {
        bail!("`{} --version` does not say {wanted}: remove {} and try again", program.display(), folder.display());
    }
    Ok(program)
}

/// Where a CLI that unpacks itself does so, and the variable that tells it.
pub fn unpacked(root: &Path, cli: &Cli) -> Option<(&'static str, PathBuf)> {
    cli.unpacks.map(|variable| (variable, root.join("target/real").join(cli.name).join("unpacked")))
}

/// Whether the tests can make a network of their own, with loopback only: a real CLI is never given another.
pub fn namespace_works() -> Result<()> {
    let mut command = Command::new("unshare");
    command.args(["--net", "--", "ip", "link", "set", "lo", "up"]);
    let out = command.output().context("`unshare` is missing: apt-get install util-linux")?;
    if out.status.success() {
        println!("network namespace: can be made");
        return Ok(());
    }
    bail!(
        "a network namespace with only loopback can't be made here, and a real CLI is not run outside one ({}). \
         It needs root and iproute2 (apt-get install iproute2); without them: cargo xtask test --no-real",
        String::from_utf8_lossy(&out.stderr).trim()
    );
}

/// The exact version that `package.json` pins.
fn version(pins: &Path, cli: &Cli) -> Result<String> {
    let text = std::fs::read_to_string(pins.join("package.json")).with_context(|| pins.display().to_string())?;
    let package: serde_json::Value = serde_json::from_str(&text)?;
    let pinned = ["dependencies", "optionalDependencies"]
        .iter()
        .find_map(|kind| package[*kind][cli.package].as_str())
        .context("package.json does not name the CLI's version")?;
    // Another name for a package is `npm:PACKAGE@VERSION`, and a package of one platform says so behind its version.
    let exact = pinned.strip_prefix("npm:").and_then(|alias| alias.rsplit('@').next()).unwrap_or(pinned);
    if !exact.starts_with(|c: char| c.is_ascii_digit()) {
        bail!("{}/package.json must pin an exact version, not {pinned}", pins.display());
    }
    Ok(exact.split('-').next().unwrap_or(exact).to_owned())
}

/// Whether the program tells this version. It is asked without a network, and its home is gone afterwards.
fn says(program: &Path, version: &str, unpacked: &Option<(&str, PathBuf)>) -> bool {
    let home = std::env::temp_dir().join(format!("jackfield-version-{}", std::process::id()));
    if std::fs::create_dir_all(&home).is_err() {
        return false;
    }
    let mut command = Command::new("unshare");
    command.args(["--net", "--"]).arg(program).arg("--version").env("HOME", &home);
    command.envs(unpacked.iter().map(|(variable, folder)| (variable, folder)));
    let said = output(&mut command);
    let _ = std::fs::remove_dir_all(&home);
    said.is_some_and(|said| said.split_whitespace().any(|word| word.trim_end_matches('.') == version))
}
