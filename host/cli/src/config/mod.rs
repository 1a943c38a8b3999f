//! The user's configuration file: where it is, what it says, and `jackfield config`.
//!
//! | file | noun |
//! | --- | --- |
//! | `types.rs` | what the file may hold; the JSON Schema follows from it |
//! | `parse.rs` | text into that, or what is wrong on which line |
//! | `setup.rs` | an instance, flags and what a thread keeps, laid over each other |
//! | `choice.rs` | which instance and plugin a run uses |
//! | `check.rs` | what is wrong beyond the syntax, what is unavailable, who can read the file |
//! | `show.rs` | the values in force and where each came from |
//!
//! **A provider that is not here stays in the configuration and is shown as unavailable; another never takes its place.**
//! Nothing is ever written to the file. Tests: `tests/tests/config.rs`, and beside the code.

mod check;
mod choice;
pub mod duration;
mod parse;
mod setup;
mod show;
mod types;

pub use check::unavailable;
pub use choice::{Choice, Kept, choose, choose_asked, choose_for, choose_for_login};
pub use types::{Config, McpServer, Setup, is_address, is_name};

use crate::args::ConfigCommand;
use crate::exit::{Exit, Failure, Outcome};
use crate::output;
use jackfield_core::limits::Limits;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The configuration in force.
#[derive(Default)]
pub struct Settings {
    /// Where the file is, or would be.
    pub path: Option<PathBuf>,
    /// Its text; empty when there is none.
    pub text: String,
    /// What it says.
    pub config: Config,
    /// Limits that the file of `JACKFIELD_LIMITS` sets, by name.
    pub limits_by_env: Map<String, Value>,
}

/// Carries `jackfield config` out.
pub fn run(command: ConfigCommand) -> Outcome {
    match command {
        ConfigCommand::Check { file, json } => check::run(file.as_deref(), json.json),
        ConfigCommand::Show(args) => show::run(args.json),
        ConfigCommand::Schema => {
            let schema = serde_json::to_string_pretty(&schemars::schema_for!(Config)).unwrap_or_default();
            output::line(&schema)?;
            Ok(Exit::Completed)
        }
    }
}

/// Reads the user's configuration; none is as good as an empty one.
pub fn load() -> Result<Settings, Failure> {
    let mut settings = match place() {
        Some((path, named)) if named || path.exists() => read(&path)?,
        Some((path, _)) => Settings { path: Some(path), ..Settings::default() },
        None => Settings::default(),
    };
    settings.limits_by_env = limits_by_env()?;
    Ok(settings)
}

/// `JACKFIELD_CONFIG`, else `config.toml` in the user's configuration folder; true when it was named.
fn place() -> Option<(PathBuf, bool)> {
    if let Some(named) = std::env::var_os("JACKFIELD_CONFIG").filter(|path| !path.is_empty()) {
        return Some((PathBuf::from(named), true));
    }
    let folders = directories::ProjectDirs::from("", "", "jackfield")?;
    Some((folders.config_dir().join("config.toml"), false))
}

fn read(path: &Path) -> Result<Settings, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("the configuration {shown} can't be read: {error}")))?;
    let config = parse::parse(&text).map_err(|wrong| {
        Failure::usage(format!("{shown}, line {}: {}; `jackfield config check` shows it again", wrong.line, wrong.text))
    })?;
    Ok(Settings { path: Some(path.to_owned()), text, config, limits_by_env: Map::new() })
}

impl Settings {
    /// The limits: those of `JACKFIELD_LIMITS` over those of the file over the defaults.
    pub fn limits(&self) -> Limits {
        let Ok(Value::Object(mut all)) = serde_json::to_value(&self.config.limits) else {
            return self.config.limits.clone();
        };
        all.extend(self.limits_by_env.clone());
        serde_json::from_value(Value::Object(all)).unwrap_or_else(|_| self.config.limits.clone())
    }

    /// The folder at which the file's relative paths begin.
    fn folder(&self) -> &Path {
        self.path.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"))
    }

    /// The file, as it is named to a person.
    pub fn shown(&self) -> String {
        self.path.as_deref().map_or_else(|| "config.toml".into(), |path| path.display().to_string())
    }

    /// The instance of this name.
    pub fn instance(&self, name: &str) -> Option<Setup> {
        self.config.instances.get(name).map(|setup| setup.anchored(self.folder()))
    }
}

/// The limits of the file that `JACKFIELD_LIMITS` names.
fn limits_by_env() -> Result<Map<String, Value>, Failure> {
    let Some(path) = std::env::var_os("JACKFIELD_LIMITS") else {
        return Ok(Map::new());
    };
    let shown = PathBuf::from(&path).display().to_string();
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::usage(format!("JACKFIELD_LIMITS names {shown}, which can't be read: {error}")))?;
    // Read as limits first: only that names a key that there is not.
    let limits: Result<Limits, _> = serde_json::from_str(&text);
    match limits.and_then(|_| serde_json::from_str(&text)) {
        Ok(map) => Ok(map),
        Err(error) => Err(Failure::usage(format!("JACKFIELD_LIMITS names {shown}, which is not right: {error}"))),
    }
}
