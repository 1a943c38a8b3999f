//! Opens the host as a user's program does: data folder, supervisor, limits.

use crate::config::duration::Span;
use crate::config::{self, Settings};
use crate::exit::Failure;
use jackfield_core::limits::Limits;
use jackfield_runtime::host::{Host, HostConfig};
use jackfield_runtime::process::Supervisor;
use std::path::PathBuf;

/// Where threads, grants and the audit file live: `JACKFIELD_DATA`, else the user's data folder.
pub fn data_folder() -> Result<PathBuf, Failure> {
    if let Some(chosen) = std::env::var_os("JACKFIELD_DATA").filter(|path| !path.is_empty()) {
        return Ok(PathBuf::from(chosen));
    }
    directories::ProjectDirs::from("", "", "jackfield")
        .map(|folders| folders.data_dir().to_owned())
        .ok_or_else(|| Failure::usage("no home folder is known; set JACKFIELD_DATA to a folder that you can write to"))
}

/// Where compiled plugins are kept, when it is not the data folder.
fn compiled_folder() -> Option<PathBuf> {
    std::env::var_os("JACKFIELD_COMPILED").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The host of this user.
pub async fn open_host() -> Result<Host, Failure> {
    open_host_with(&config::load()?).await
}

/// The host of this user, with a configuration that was read already. What its retention says is done first.
pub async fn open_host_with(settings: &Settings) -> Result<Host, Failure> {
    let config = HostConfig {
        data: data_folder()?,
        compiled: compiled_folder(),
        limits: settings.limits(),
        policy: settings.config.policy.clone(),
        supervisor: Supervisor::this_program()?,
    };
    let host = Host::open(config)?;
    if let Some(days) = settings.config.retention_days {
        let before_ms = jackfield_runtime::clock::now_ms().saturating_sub(Span::days(days).ms());
        if let Err(error) = host.apply_retention(before_ms).await {
            // What was asked is done all the same: old threads are tried again at the next start.
            eprintln!("jackfield: retention_days: {error}");
        }
    }
    Ok(host)
}

/// The limits in force.
pub fn limits() -> Result<Limits, Failure> {
    Ok(config::load()?.limits())
}
