//! Grants: whether a plugin may start a program. Two keys: the manifest asks for a profile, the operator grants it.
//!
//! A grant is bound to the plugin's digest and to the program as it was resolved. **It is never wider than what a person
//! read**: another build, another file at the same name, a file that others can change, each needs a new one. Pure: the
//! facts about the file come from the one who looked, `runtime`, which starts the very path it asked about.

use crate::manifest::Manifest;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What an operator granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The plugin, `publisher/name`.
    pub plugin: String,
    /// SHA-256 of its bytes.
    pub digest: String,
    /// The spawn profile.
    pub profile: String,
    /// Real path of the program.
    pub program: PathBuf,
    /// Real path of the script that an interpreter is granted for, and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<PathBuf>,
    /// When, milliseconds since 1970.
    pub granted_at_ms: u64,
    /// Who granted it: a user's name, `file`.
    pub by: String,
}

/// A program as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// Its real path, links resolved.
    pub path: PathBuf,
    /// Real path of the script it is started for, when it is an interpreter that a link or a `#!` line led to.
    pub script: Option<PathBuf>,
    /// Its owner, and the owner of each folder above it, is root or the operator.
    pub owner_trusted: bool,
    /// The owner of the file.
    pub owner_uid: u32,
    /// Its permission bits.
    pub mode: u32,
    /// It lies in the workspace of the session.
    pub in_workspace: bool,
}

/// What a plugin wants to start.
#[derive(Debug, Clone, Copy)]
pub struct GrantRequest<'a> {
    /// The plugin.
    pub manifest: &'a Manifest,
    /// SHA-256 of its bytes.
    pub digest: &'a str,
    /// True when it came with the program.
    pub bundled: bool,
    /// True in the open default, false in locked mode.
    pub open_default: bool,
    /// The spawn profile.
    pub profile: &'a str,
    /// The program as it was found.
    pub executable: &'a Executable,
}

/// Why it may be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum GrantedBy {
    /// It came with the program, and the default is open.
    Bundled,
    /// An operator granted it.
    Operator {
        /// Who.
        by: String,
    },
}

impl GrantedBy {
    /// The rule's name, for records.
    pub fn rule(&self) -> &'static str {
        match self {
            GrantedBy::Bundled => "bundled",
            GrantedBy::Operator { .. } => "granted",
        }
    }
}

/// Why it may not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrantRefusal {
    /// The manifest has no such profile.
    #[error("{plugin} asks to start profile '{profile}', which its manifest does not declare")]
    NotDeclared {
        /// The plugin.
        plugin: String,
        /// The profile.
        profile: String,
    },
    /// Nobody granted it.
    #[error("{plugin} may not start {} (profile '{profile}'); to allow it: jackfield grant add FILE --profile {profile}", program.display())]
    NotGranted {
        /// The plugin.
        plugin: String,
        /// The profile.
        profile: String,
        /// The program.
        program: PathBuf,
    },
    /// It was granted to another build.
    #[error(
        "{plugin} has changed since profile '{profile}' was granted to it; look at it (jackfield plugin inspect) and grant it again: jackfield grant add FILE --profile {profile}"
    )]
    DigestChanged {
        /// The plugin.
        plugin: String,
        /// The profile.
        profile: String,
    },
    /// Another program than the one that was granted.
    #[error("profile '{profile}' of {plugin} was granted for {}, but now starts {}; if that is right: jackfield grant add FILE --profile {profile}", granted.display(), found.display())]
    ProgramChanged {
        /// The plugin.
        plugin: String,
        /// The profile.
        profile: String,
        /// What was granted.
        granted: PathBuf,
        /// What was found.
        found: PathBuf,
    },
    /// The program lies in the workspace, where the agent itself can write.
    #[error("{} lies in the workspace, where the agent can change it; install it elsewhere", program.display())]
    InsideWorkspace {
        /// The program.
        program: PathBuf,
    },
    /// Others can write the program.
    #[error("{} can be changed by others (owner {owner_uid}, mode {mode:o}); it must belong to you or root, with its folders, and be writable by nobody else", program.display())]
    WritableByOthers {
        /// The program.
        program: PathBuf,
        /// Its owner.
        owner_uid: u32,
        /// Its permission bits.
        mode: u32,
    },
    /// The program was not resolved to an absolute path.
    #[error("{} is not an absolute path; name the program by its place, or let PATH hold absolute folders only", program.display())]
    RelativeProgram {
        /// The program.
        program: PathBuf,
    },
    /// An interpreter runs whatever it is told.
    #[error("{} runs any code it is given, so that granting it grants everything; name the script or program itself", program.display())]
    Interpreter {
        /// The program.
        program: PathBuf,
    },
}

impl GrantRefusal {
    /// Stable name of the refusal.
    pub fn code(&self) -> &'static str {
        match self {
            GrantRefusal::NotDeclared { .. } => "not-declared",
            GrantRefusal::NotGranted { .. } => "not-granted",
            GrantRefusal::DigestChanged { .. } => "digest-changed",
            GrantRefusal::ProgramChanged { .. } => "program-changed",
            GrantRefusal::InsideWorkspace { .. } => "inside-workspace",
            GrantRefusal::WritableByOthers { .. } => "writable-by-others",
            GrantRefusal::RelativeProgram { .. } => "relative-program",
            GrantRefusal::Interpreter { .. } => "interpreter",
        }
    }
}

/// Decides whether a plugin may start a program. The facts about the file come first: no grant makes them right.
pub fn decide_grant(request: GrantRequest<'_>, grants: &[Grant]) -> Result<GrantedBy, GrantRefusal> {
    let GrantRequest { manifest, digest, bundled, open_default, profile, executable } = request;
    let plugin = manifest.full_name();
    let name = || (plugin.clone(), profile.to_owned());
    if manifest.profile(profile).is_none() {
        let (plugin, profile) = name();
        return Err(GrantRefusal::NotDeclared { plugin, profile });
    }
    check_executable(executable)?;
    if bundled && open_default {
        return Ok(GrantedBy::Bundled);
    }
    let ours: Vec<_> = grants.iter().filter(|grant| grant.plugin == plugin && grant.profile == profile).collect();
    let program = &executable.path;
    let exact = |grant: &&&Grant| grant.program == *program && grant.script == executable.script;
    let (plugin, profile) = name();
    let of_digest: Vec<_> = ours.iter().copied().filter(|grant| grant.digest == digest).collect();
    match (of_digest.iter().find(exact), of_digest.last(), ours.is_empty()) {
        (Some(grant), _, _) => Ok(GrantedBy::Operator { by: grant.by.clone() }),
        (None, Some(grant), _) => Err(GrantRefusal::ProgramChanged {
            plugin,
            profile,
            granted: grant.script.clone().unwrap_or_else(|| grant.program.clone()),
            found: executable.script.clone().unwrap_or_else(|| program.clone()),
        }),
        (None, None, false) => Err(GrantRefusal::DigestChanged { plugin, profile }),
        (None, None, true) => Err(GrantRefusal::NotGranted { plugin, profile, program: program.clone() }),
    }
}

/// Whether a file may be started at all; also asked before a grant is written down.
pub fn check_executable(executable: &Executable) -> Result<(), GrantRefusal> {
    let program = executable.path.clone();
    let mut paths = std::iter::once(&executable.path).chain(&executable.script);
    if let Some(path) = paths.find(|path| !path.is_absolute()) {
        return Err(GrantRefusal::RelativeProgram { program: path.clone() });
    }
    if executable.in_workspace {
        return Err(GrantRefusal::InsideWorkspace { program });
    }
    if !executable.owner_trusted || executable.mode & 0o022 != 0 {
        return Err(GrantRefusal::WritableByOthers {
            program,
            owner_uid: executable.owner_uid,
            mode: executable.mode & 0o7777,
        });
    }
    // An interpreter that is pinned together with its script runs that script only.
    if executable.script.is_none() && is_interpreter(&program) {
        return Err(GrantRefusal::Interpreter { program });
    }
    Ok(())
}

const INTERPRETERS: &[&str] = &[
    "sh",
    "ash",
    "bash",
    "dash",
    "zsh",
    "fish",
    "ksh",
    "mksh",
    "csh",
    "tcsh",
    "busybox",
    "toybox",
    "env",
    "node",
    "nodejs",
    "deno",
    "bun",
    "npx",
    "npm",
    "python",
    "pypy",
    "perl",
    "ruby",
    "php",
    "lua",
    "luajit",
    "tclsh",
    "awk",
    "gawk",
    "mawk",
    "java",
    "osascript",
    "pwsh",
    "powershell",
    "sudo",
    "doas",
    "su",
    "xargs",
    "nohup",
    "nice",
    "timeout",
    "setsid",
    "ssh",
    "docker",
    "podman",
    "git",
    "make",
    "uv",
    "uvx",
    "pipx",
    "script",
    "expect",
    "gdb",
    "strace",
    "ld.so",
    "ld-linux-x86-64.so",
];

/// True for programs that run whatever code their arguments or input hold: `python3.12` as `python`.
pub fn is_interpreter(program: &Path) -> bool {
    let name = program.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.contains(&name) || INTERPRETERS.contains(&stem)
}

mod root;

pub use root::{RootGrant, RootRefusal, RootRequest, check_root, decide_root};

#[cfg(test)]
mod tests;
