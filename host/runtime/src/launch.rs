//! From a plugin's wish to start a program to the exact thing that will run: program, arguments, environment; and the key
//! that lets it. Starts nothing itself.
//!
//! **Two keys: the manifest asks and the operator grants. The child inherits nothing: its environment is a fixed base,
//! what the manifest names and the operator has, and what the operator set.**

use crate::process::SpawnSpec;
use crate::program::{self, Program, ProgramError};
use crate::session::{Secrets, SessionStart, Shared, missing_secret};
use crate::store::StoreError;
use jackfield_core::contract::{FaultKind, Spawn};
use jackfield_core::grant::{Grant, GrantRefusal, GrantRequest, decide_grant};
use jackfield_core::manifest::{Framing, HoleError, SpawnProfile};

/// What every child gets, from the host's own environment where it is set.
const BASE: [(&str, &str); 4] =
    [("HOME", "/"), ("PATH", "/usr/local/bin:/usr/bin:/bin"), ("TMPDIR", "/tmp"), ("LANG", "C.UTF-8")];

/// A start that was allowed.
pub(crate) struct Launch {
    program: Program,
    args: Vec<String>,
    /// The arguments as they may be written down.
    shown: Vec<String>,
    env: Vec<(String, String)>,
    pub(crate) framing: Framing,
    /// The rule that allowed it.
    pub(crate) rule: &'static str,
}

/// Why a program is not started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    #[error("the manifest of {plugin} has no spawn profile '{profile}'; it has {known}")]
    NoProfile { plugin: String, profile: String, known: String },
    #[error(transparent)]
    Hole(#[from] HoleError),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Grant(#[from] GrantRefusal),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{}", missing_secret(&format!("profile '{profile}'"), secret))]
    NoSecret { profile: String, secret: String },
}

impl LaunchError {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NoProfile { .. } => "no-such-profile",
            Self::Hole(error) => error.code(),
            Self::Program(ProgramError::NotFound { .. }) => "program-not-found",
            Self::Program(ProgramError::Unusable { .. }) => "program-unusable",
            Self::Grant(refusal) => refusal.code(),
            Self::Store(error) => error.code(),
            Self::NoSecret { .. } => "secret-missing",
        }
    }

    pub(crate) fn fault_kind(&self) -> FaultKind {
        match self {
            Self::NoProfile { .. } | Self::Grant(_) => FaultKind::Denied,
            Self::Hole(_) => FaultKind::Invalid,
            Self::Program(_) => FaultKind::NotFound,
            Self::Store(_) => FaultKind::Internal,
            Self::NoSecret { .. } => FaultKind::Auth,
        }
    }
}

/// Settles everything about a start, without starting.
pub(crate) async fn prepare(
    start: &SessionStart,
    shared: &Shared,
    wish: &Spawn,
    secrets: &Secrets,
) -> Result<Launch, LaunchError> {
    let manifest = start.generation.manifest();
    let profile = manifest.profile(&wish.profile).ok_or_else(|| LaunchError::NoProfile {
        plugin: manifest.full_name(),
        profile: wish.profile.clone(),
        known: match manifest.spawn.iter().map(|one| one.profile.as_str()).collect::<Vec<_>>() {
            names if names.is_empty() => "none".into(),
            names => names.join(", "),
        },
    })?;
    let mut args = start.instance.program_args.clone();
    let mut shown = args.clone();
    args.extend(profile.command_line(&wish.holes, &start.folder)?);
    shown.extend(profile.shown_line(&wish.holes, &start.folder)?);
    let chosen = start.instance.program(manifest, &profile.program);
    let search = std::env::var("PATH").unwrap_or_default();
    let program = program::find(&profile.program, chosen, &search)?;
    let executable = program.executable(&start.folder);
    let stored = shared.store.grants::<Grant>(Some(&manifest.full_name())).await?;
    let grants: Vec<Grant> = stored.into_iter().map(|row| row.grant).collect();
    let granted = decide_grant(
        GrantRequest {
            manifest,
            digest: start.generation.digest(),
            bundled: start.bundled,
            open_default: shared.open_default,
            profile: &profile.profile,
            executable: &executable,
        },
        &grants,
    )?;
    Ok(Launch {
        env: environment(start, profile, secrets)?,
        framing: profile.framing,
        rule: granted.rule(),
        program,
        args,
        shown,
    })
}

/// Later names win: the base, what the manifest may pass on from the operator's environment, what the operator set, secrets by slot.
fn environment(
    start: &SessionStart,
    profile: &SpawnProfile,
    secrets: &Secrets,
) -> Result<Vec<(String, String)>, LaunchError> {
    let mut env: Vec<(String, String)> = Vec::new();
    let mut set = |name: &str, value: String| {
        env.retain(|(known, _)| known != name);
        env.push((name.to_owned(), value));
    };
    for (name, default) in BASE {
        set(name, std::env::var(name).unwrap_or_else(|_| default.to_owned()));
    }
    for name in &profile.env {
        if let Ok(value) = std::env::var(name) {
            set(name, value);
        }
    }
    for (name, value) in &start.instance.env {
        set(name, value.clone());
    }
    for (name, secret) in &profile.secret_env {
        let missing = || LaunchError::NoSecret { profile: profile.profile.clone(), secret: secret.clone() };
        set(name, secrets.value(secret).ok_or_else(missing)?.to_owned());
    }
    Ok(env)
}

impl Launch {
    /// The whole command line, as a record has it: without what was said.
    pub(crate) fn command_line(&self) -> Vec<String> {
        let mut line = vec![self.program.path.display().to_string()];
        line.extend(self.shown.iter().cloned());
        line
    }

    /// The names of its environment; values are nobody's business.
    pub(crate) fn env_names(&self) -> Vec<&str> {
        self.env.iter().map(|(name, _)| name.as_str()).collect()
    }

    pub(crate) fn spec(self, start: &SessionStart) -> SpawnSpec {
        SpawnSpec {
            program: self.program.path,
            args: self.args,
            env: self.env,
            cwd: start.folder.clone(),
            framing: self.framing,
            tap: start.instance.tap.clone(),
        }
    }
}
