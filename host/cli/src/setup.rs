//! Opens the host as a user's program does: data folder, supervisor, limits.

use crate::exit::Failure;
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
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

/// The host of this user.
pub fn open_host() -> Result<Host, Failure> {
    let config = HostConfig {
        data: data_folder()?,
        limits: limits()?,
        policy: PolicyConfig::default(),
        supervisor: Supervisor::this_program()?,
    };
    Ok(Host::open(config)?)
}

/// The limits: the defaults, or those of the file that `JACKFIELD_LIMITS` names.
pub fn limits() -> Result<Limits, Failure> {
    let Some(path) = std::env::var_os("JACKFIELD_LIMITS") else {
        return Ok(Limits::default());
    };
    let shown = PathBuf::from(&path).display().to_string();
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::usage(format!("JACKFIELD_LIMITS names {shown}, which can't be read: {error}")))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("JACKFIELD_LIMITS names {shown}, which is not right: {error}")))
}
