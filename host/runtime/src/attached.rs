//! A program that a person goes through at the terminal: a provider's own login. It has our terminal for itself.
//!
//! **It takes the way of every start**: by a spawn profile of the manifest, with a grant, with nothing inherited but what every child
//! gets; the record comes first. Nothing of what is said there passes through the host.

use crate::audit::{Record, Verdict};
use crate::host::{Host, HostError, Plugin};
use crate::instance::Instance;
use crate::launch;
use crate::mint;
use crate::session::{Secrets, SessionStart};
use jackfield_core::contract::{Role, Spawn};
use jackfield_core::id::ThreadId;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// How a program at the terminal ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedEnd {
    /// Its whole command line, for a person.
    pub command: String,
    /// Its exit code; nothing when a signal ended it.
    pub code: Option<i32>,
    /// It was ended because it took longer than `login_ms`.
    pub overdue: bool,
}

impl Host {
    /// Runs a profile of the plugin's at our own terminal, to its end or to the end of `login_ms`.
    pub async fn run_attached(
        &self,
        plugin: &Plugin,
        instance: Instance,
        folder: &Path,
        profile: &str,
    ) -> Result<AttachedEnd, HostError> {
        instance.check(plugin.generation.manifest())?;
        let manifest = plugin.generation.manifest().full_name();
        let digest = plugin.generation.digest().to_owned();
        let start = SessionStart {
            session: mint::session(&ThreadId::from_digits("0"), 0),
            role: Role::Query,
            epoch: 0,
            generation: plugin.generation.clone(),
            bundled: plugin.bundled,
            instance,
            folder: folder.to_owned(),
        };
        let wish = Spawn { profile: profile.to_owned(), holes: Vec::new() };
        let record = |verdict, rule: &str, facts| {
            let (plugin, digest) = (manifest.as_str(), digest.as_str());
            self.record(&Record { kind: "spawn", verdict, rule, plugin, digest, session: "", facts })
        };
        let launch = match launch::prepare(&start, self.shared(), &wish, &Secrets::of(&start)).await {
            Ok(launch) => launch,
            Err(error) => {
                record(Verdict::Refused, error.code(), serde_json::json!({ "profile": profile, "attached": true }))?;
                return Err(HostError::Attached { code: error.code(), problem: error.to_string() });
            }
        };
        let command = launch.command_line().join(" ");
        let facts =
            serde_json::json!({ "profile": profile, "command": command, "env": launch.env_names(), "attached": true });
        record(Verdict::Allowed, launch.rule, facts)?;
        let spec = launch.spec(&start);
        let mut child = tokio::process::Command::new(&spec.program)
            .args(&spec.args)
            .env_clear()
            .envs(spec.env)
            .current_dir(&spec.cwd)
            .stdin(Stdio::inherit())
            .stdout(Stdio::inherit())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| HostError::Attached { code: "spawn-failed", problem: format!("{command}: {error}") })?;
        let patience = Duration::from_millis(self.limits().login_ms);
        let ended = tokio::time::timeout(patience, child.wait()).await;
        let overdue = ended.is_err();
        let status = match ended {
            Ok(status) => status.ok(),
            Err(_) => {
                let _ = child.kill().await;
                None
            }
        };
        Ok(AttachedEnd { command, code: status.and_then(|status| status.code()), overdue })
    }
}
