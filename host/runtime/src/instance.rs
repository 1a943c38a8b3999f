//! An instance: a configured use of a plugin, as the operator wrote it. What it says is the operator's word, not a plugin's.

use crate::process::Tap;
use jackfield_core::contract::{McpServer, Pairs, ToolSpec};
use jackfield_core::manifest::{EnvKind, Manifest, forbidden_env};
use jackfield_core::options;
use jackfield_core::rules::Rules;
use jackfield_core::run_limits::RunLimits;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the operator set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Instance {
    /// Its name; the plugin's own when it has none.
    pub name: String,
    /// Options of the plugin, checked against its manifest.
    pub options: Map<String, Value>,
    /// Environment of the provider's program, beyond the fixed base and what the manifest may pass on.
    pub env: Vec<(String, String)>,
    /// Programs to use in place of those the manifest names, by that name.
    pub programs: BTreeMap<String, PathBuf>,
    /// Literal arguments, put before those of the manifest's template.
    pub program_args: Vec<String>,
    /// Settings in force from the start: `model`, `mode` …
    pub selection: Pairs,
    /// Limits of each run.
    pub limits: RunLimits,
    /// What is allowed and forbidden before anybody is asked.
    pub rules: Rules,
    /// The operator's instructions for every conversation: as part of the system prompt where the provider takes that.
    pub instructions: Option<String>,
    /// Where what crosses the wire to its programs is recorded.
    pub tap: Option<Tap>,
    /// MCP servers for the provider, given before its thread is opened. Secrets are holes, `${secret:NAME}`.
    pub mcp_servers: Vec<McpServer>,
    /// Values for those holes, by name. They are in what is written to the program, and nowhere else.
    pub secrets: BTreeMap<String, String>,
    /// Tools of the host's own for the provider, given before its thread is opened; the client answers their calls.
    pub tools: Vec<ToolSpec>,
}

/// Why an instance does not fit its plugin.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// An option that the plugin does not have.
    #[error("{plugin} has no option '{name}'; it has {known}. `jackfield plugin inspect` says what each is")]
    UnknownOption {
        /// The plugin.
        plugin: String,
        /// The option.
        name: String,
        /// Those it has.
        known: String,
    },
    /// A value outside of what the option allows.
    #[error("option '{name}' of {plugin} is {wanted}, not {got}; `jackfield plugin inspect` says what each is")]
    BadOption {
        /// The plugin.
        plugin: String,
        /// The option.
        name: String,
        /// What it should be.
        wanted: String,
        /// What was given.
        got: String,
    },
    /// A variable that makes the loader run other code.
    #[error(
        "the variable {name} makes the system's loader run other code in the provider's program; no instance may set it"
    )]
    LoaderVariable {
        /// The variable.
        name: String,
    },
    /// A name that is no name of a variable.
    #[error("'{name}' is no name of an environment variable: write NAME=VALUE, or NAME to pass on your own")]
    BadVariable {
        /// The name.
        name: String,
    },
    /// A hole for a secret that nobody named.
    #[error(
        "the MCP server '{server}' has ${{secret:{name}}}, and there is no secret '{name}'; name the variable that holds it, in the instance: secrets = {{ {name} = \"MY_VARIABLE\" }}"
    )]
    UnknownSecret {
        /// The server.
        server: String,
        /// The secret.
        name: String,
    },
    /// A program that no profile of the plugin names.
    #[error("{plugin} starts no program called '{name}'; it starts {known}")]
    UnknownProgram {
        /// The plugin.
        plugin: String,
        /// The name.
        name: String,
        /// Those it starts.
        known: String,
    },
}

impl InstanceError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownOption { .. } => "unknown-option",
            Self::BadOption { .. } => "bad-option",
            Self::LoaderVariable { .. } => "loader-variable",
            Self::BadVariable { .. } => "bad-variable",
            Self::UnknownSecret { .. } => "unknown-secret",
            Self::UnknownProgram { .. } => "unknown-program",
        }
    }
}

/// The name that stands for the plugin's only program.
pub const ONLY: &str = "";

fn only_program(manifest: &Manifest) -> Option<&str> {
    let first = manifest.spawn.first()?.program.as_str();
    manifest.spawn.iter().all(|profile| profile.program == first).then_some(first)
}

impl Instance {
    /// The operator's path for a program of the plugin: by its name, or said of the only one.
    pub fn program(&self, manifest: &Manifest, name: &str) -> Option<&Path> {
        let only = || self.programs.get(ONLY).filter(|_| only_program(manifest) == Some(name));
        self.programs.get(name).or_else(only).map(PathBuf::as_path)
    }

    /// Checks the instance against the plugin it is for, before anything starts.
    pub fn check(&self, manifest: &Manifest) -> Result<(), InstanceError> {
        let plugin = manifest.full_name();
        for (name, _) in &self.env {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(InstanceError::BadVariable { name: name.clone() });
            }
            if forbidden_env(name) == Some(EnvKind::Loader) {
                return Err(InstanceError::LoaderVariable { name: name.clone() });
            }
        }
        for name in self.programs.keys() {
            let known = match name.as_str() {
                ONLY => only_program(manifest).is_some(),
                name => manifest.spawn.iter().any(|profile| profile.program == name),
            };
            if !known {
                return Err(InstanceError::UnknownProgram {
                    plugin,
                    name: name.clone(),
                    known: list(manifest.spawn.iter().map(|profile| profile.program.as_str())),
                });
            }
        }
        self.check_secrets(&self.mcp_servers)?;
        self.check_options(plugin, manifest)
    }

    /// Every hole of these servers has a secret.
    pub fn check_secrets(&self, servers: &[McpServer]) -> Result<(), InstanceError> {
        for server in servers {
            let values = server.values.iter().map(|(_, value)| value);
            for text in values.chain(&server.args).chain([&server.address]) {
                let mut holes = text.split("${secret:").skip(1).map(|rest| rest.split('}').next().unwrap_or_default());
                if let Some(name) = holes.find(|name| !self.secrets.contains_key(*name)) {
                    let name = name.chars().take(80).collect();
                    return Err(InstanceError::UnknownSecret { server: server.name.clone(), name });
                }
            }
        }
        Ok(())
    }

    /// The options as a whole, by the plugin's own schema.
    fn check_options(&self, plugin: String, manifest: &Manifest) -> Result<(), InstanceError> {
        let schema = manifest.options.clone().unwrap_or_default();
        let properties = schema.get("properties").and_then(Value::as_object);
        let open = schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false));
        for name in self.options.keys().filter(|_| !open) {
            if properties.is_none_or(|all| !all.contains_key(name)) {
                let known = list(properties.into_iter().flat_map(|all| all.keys().map(String::as_str)));
                return Err(InstanceError::UnknownOption { plugin, name: name.clone(), known });
            }
        }
        match options::in_object(&Value::Object(schema), &self.options, "") {
            Some(found) => {
                Err(InstanceError::BadOption { plugin, name: found.at, wanted: found.wanted, got: found.got })
            }
            None => Ok(()),
        }
    }
}

fn list<T: std::fmt::Display>(names: impl Iterator<Item = T>) -> String {
    let names: Vec<_> = names.map(|name| name.to_string()).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
