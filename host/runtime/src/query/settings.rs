//! Models and other settings of a provider, as it last told them: asked for when what is kept is old, else read from a file.
//!
//! An answer is kept for one build of the plugin, one program as it lies on the disk (which stands for its version: that is known
//! only once it runs), and one instance. **An answer that may not hold any more is given only when no better one can be had, and says so.**
//! Tests: `tests/tests/history.rs`.

use crate::clock;
use crate::host::{Host, HostError, Plugin};
use crate::instance::Instance;
use crate::program;
use crate::session::AskError;
use jackfield_core::contract::Setting;
use jackfield_core::identity::digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// When the provider is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// When nothing is kept, or what is kept is older than `settings_fresh_ms`.
    WhenOld,
    /// In any case.
    Always,
}

/// Settings, and how well they are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownSettings {
    /// The settings, with their choices.
    pub settings: Vec<Setting>,
    /// When the provider told them, milliseconds since 1970.
    pub told_ms: u64,
    /// The version of its program, where it tells that.
    pub version: Option<String>,
    /// Why they may not hold any more; absent for an answer that counts.
    #[serde(skip)]
    pub stale: Option<String>,
}

impl Host {
    /// The settings that a new thread of this provider could have.
    pub async fn settings(
        &self,
        plugin: &Plugin,
        instance: Instance,
        folder: &Path,
        asking: Asking,
    ) -> Result<KnownSettings, HostError> {
        instance.check(plugin.generation.manifest())?;
        let file = self.data().join("settings").join(key(plugin, &instance));
        let kept = read(&file);
        let age = |kept: &KnownSettings| clock::now_ms().saturating_sub(kept.told_ms);
        if let Some(kept) = &kept
            && asking == Asking::WhenOld
            && age(kept) <= self.limits().settings_fresh_ms
        {
            return Ok(kept.clone());
        }
        match (self.ask_settings(plugin, instance, folder).await, kept) {
            (Ok(told), _) => {
                // Whoever can't keep it asks again.
                if let Err(error) = write(&file, &told) {
                    tracing::warn!(%error, file = %file.display(), "settings are not kept");
                }
                Ok(told)
            }
            (Err(error), Some(kept)) => {
                Ok(KnownSettings { stale: Some(format!("the provider could not be asked: {error}")), ..kept })
            }
            (Err(error), None) => Err(error),
        }
    }

    async fn ask_settings(
        &self,
        plugin: &Plugin,
        instance: Instance,
        folder: &Path,
    ) -> Result<KnownSettings, HostError> {
        let within = self.limits().settings_ms;
        let asked = async {
            let mut query = self.query(plugin, instance, folder, "settings", None).await?;
            let told = query.settings().await;
            query.close().await;
            let (settings, version) = told?;
            Ok(KnownSettings { settings, told_ms: clock::now_ms(), version, stale: None })
        };
        let late = || {
            let text = format!("it did not answer within {within} ms (limit settings_ms)");
            let late = crate::session::fault(jackfield_core::contract::FaultKind::Timeout, text);
            HostError::Ask(AskError::Fault(late))
        };
        tokio::time::timeout(Duration::from_millis(within), asked).await.unwrap_or_else(|_| Err(late()))
    }
}

/// What an answer holds for, as the name of its file.
fn key(plugin: &Plugin, instance: &Instance) -> String {
    let manifest = plugin.generation.manifest();
    let search = std::env::var("PATH").unwrap_or_default();
    let programs = manifest.spawn.iter().map(|profile| {
        let chosen = instance.program(manifest, &profile.program);
        let found = program::find(&profile.program, chosen, &search).ok()?;
        let facts = std::fs::metadata(&found.path).ok()?;
        Some(json!([found.path, facts.ino(), facts.len(), facts.mtime(), facts.mtime_nsec()]))
    });
    let what = json!({
        "digest": plugin.generation.digest(),
        "programs": programs.collect::<Vec<Option<Value>>>(),
        "instance": [
            json!(instance.name), json!(instance.options), json!(instance.env), json!(instance.program_args),
            json!(instance.selection),
        ],
        "home": std::env::var("HOME").unwrap_or_default(),
    });
    digest(&["settings", &what.to_string()]) + ".json"
}

fn read(file: &PathBuf) -> Option<KnownSettings> {
    serde_json::from_slice(&std::fs::read(file).ok()?).ok()
}

/// Whole or not at all, and its owner's alone.
fn write(file: &Path, known: &KnownSettings) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut new, known)?;
    new.persist(file).map(drop).map_err(|error| error.error)
}
