//! Builds the first-party plugins to wasm, packs each with its manifest, and leaves the files in `OUT_DIR` for `src/lib.rs`.
//!
//! A cargo inside a cargo needs care: **its own target folder** (the outer one is locked: it would wait for ever) and **nothing of the
//! outer one's environment** (its flags and target are meant for the host). Both are done here and nowhere else.

use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "plugin";

/// A plugin: its name, the folder of its manifest in `plugins/`, the package that its code is, and the file that cargo makes of that.
/// Several may be one package's: they differ by the data in their manifests.
const PLUGINS: [(&str, &str, &str, &str); 11] = [
    ("scripted", "scripted", "jackfield-plugin-scripted", "jackfield_plugin_scripted.wasm"),
    ("claude-code", "claude-code", "jackfield-plugin-claude-code", "jackfield_plugin_claude_code.wasm"),
    ("codex", "codex", "jackfield-plugin-codex", "jackfield_plugin_codex.wasm"),
    ("copilot", "acp/dialects/copilot", "jackfield-plugin-acp", "jackfield_plugin_acp.wasm"),
    ("gemini", "acp/dialects/gemini", "jackfield-plugin-acp", "jackfield_plugin_acp.wasm"),
    ("opencode", "acp/dialects/opencode", "jackfield-plugin-acp", "jackfield_plugin_acp.wasm"),
    ("opencode-server", "opencode-server", "jackfield-plugin-opencode-server", "jackfield_plugin_opencode_server.wasm"),
    ("claude-agent-acp", "acp/dialects/claude-agent-acp", "jackfield-plugin-acp", "jackfield_plugin_acp.wasm"),
    ("acp", "acp", "jackfield-plugin-acp", "jackfield_plugin_acp.wasm"),
    ("pi", "pi", "jackfield-plugin-pi", "jackfield_plugin_pi.wasm"),
    ("plain", "plain", "jackfield-plugin-plain", "jackfield_plugin_plain.wasm"),
];

fn main() {
    if let Err(error) = run() {
        // One line each: cargo shows a build script's stderr as it is.
        eprintln!("\nerror: {error:#}\n");
        std::process::exit(1);
    }
}

fn run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    watch(&root);
    needs_target()?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").context("OUT_DIR is set by cargo")?);
    let guests = guest_target(&out)?;
    build(&root, &guests)?;
    for (name, folder, _, file) in PLUGINS {
        let module = guests.join(TARGET).join(PROFILE).join(file);
        let bytes = std::fs::read(&module).with_context(|| format!("{} was not built", module.display()))?;
        let base = root.join("plugins").join(folder);
        let manifest = std::fs::read_to_string(base.join(jackfield_pack::MANIFEST_FILE))?;
        let plugin = jackfield_pack::pack(&bytes, &manifest, &base)?;
        std::fs::write(out.join(format!("{name}.wasm")), plugin)?;
    }
    Ok(())
}

/// What the plugins are made of.
fn watch(root: &Path) {
    let shared = ["wit", "sdk/rust/src", "sdk/rust/Cargo.toml", "Cargo.lock", "Cargo.toml"].map(str::to_owned);
    let own = PLUGINS.iter().flat_map(|(_, folder, ..)| {
        // The code of a plugin without its own lies in the folder that its manifest's begins with.
        let code = folder.split('/').next().unwrap_or(folder);
        [format!("plugins/{folder}/plugin.toml"), format!("plugins/{code}/src"), format!("plugins/{code}/Cargo.toml")]
    });
    for path in shared.into_iter().chain(own) {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
}

/// Says the one command that is missing, before cargo would say a hundred lines.
fn needs_target() -> Result<()> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "sysroot"]).output().context("rustc cannot be run")?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    if !sysroot.join("lib/rustlib").join(TARGET).join("lib").is_dir() {
        bail!("the plugins are built for {TARGET}, which is not installed. Run: rustup target add {TARGET}");
    }
    Ok(())
}

/// A folder beside the outer build's profiles, shared by all of them: `target/guests`.
fn guest_target(out: &Path) -> Result<PathBuf> {
    // OUT_DIR is <target>[/<triple>]/<profile>/build/<package>/out.
    let profile = out.ancestors().nth(3).context("OUT_DIR is in a profile's build folder")?;
    Ok(profile.parent().context("a profile is in a target folder")?.join("guests"))
}

fn build(root: &Path, guests: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(root)
        .args(["build", "--lib", "--target", TARGET, "--profile", PROFILE, "--target-dir"])
        .arg(guests);
    let packages: BTreeSet<&str> = PLUGINS.iter().map(|(_, _, package, _)| *package).collect();
    for package in packages {
        command.args(["--package", package]);
    }
    if std::env::var_os("CARGO_NET_OFFLINE").is_some() {
        command.arg("--offline");
    }
    for (name, _) in std::env::vars_os() {
        if is_the_outer_builds(&name.to_string_lossy()) {
            command.env_remove(&name);
        }
    }
    let output = command.output().context("cargo cannot be run")?;
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        bail!("the first-party plugins did not build; the compiler's words are above");
    }
    Ok(())
}

/// Variables that cargo sets for this build, or that steer it, and that would be wrong for the plugins.
fn is_the_outer_builds(name: &str) -> bool {
    const EXACT: [&str; 15] = [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_BUILD_RUSTFLAGS",
        "CARGO_BUILD_TARGET",
        "CARGO_TARGET_DIR",
        "CARGO_BUILD_TARGET_DIR",
        "CARGO_MAKEFLAGS",
        "RUSTC",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTDOC",
        "TARGET",
        "HOST",
        "PROFILE",
        "OPT_LEVEL",
    ];
    const PREFIX: [&str; 6] =
        ["CARGO_CFG_", "CARGO_FEATURE_", "CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_PROFILE_", "DEP_"];
    EXACT.contains(&name) || PREFIX.iter().any(|prefix| name.starts_with(prefix))
}
