//! What `config.toml` may hold. Each field's doc is its documentation in the JSON Schema, too.

use super::duration::Span;
use jackfield_core::contract::{self, McpTransport};
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Jackfield's configuration of one user.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The provider that is used when none is named.
    pub default_provider: Option<String>,
    /// The instance that is used when neither an instance nor a provider is named.
    pub default_instance: Option<String>,
    /// Threads in which nothing happened for so many days are deleted when the host starts. Kept until you delete them when this is absent.
    #[schemars(range(min = 1))]
    pub retention_days: Option<u32>,
    /// Limits other than the usual, by the names of `jackfield config show`.
    #[serde(default)]
    pub limits: Limits,
    /// What the host may do where a provider can't, and what is forbidden.
    #[serde(default)]
    pub policy: PolicyConfig,
    /// What is allowed and forbidden before anybody is asked, for every provider.
    #[serde(default)]
    pub rules: RuleTexts,
    /// Configured uses of providers, by name: two accounts of one provider are two instances.
    #[serde(default)]
    pub instances: BTreeMap<String, Setup>,
}

/// Rules, one sentence each. What one of `deny` says is forbidden, whatever else allows it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleTexts {
    /// Allowed once each, without a question: `read in this workspace`, `run cargo test *`.
    pub allow: Vec<String>,
    /// Forbidden, whoever allows it: `rm -rf`, `edit in .git`, `tool NAME`.
    pub deny: Vec<String>,
}

/// A configured use of a provider: an instance of the file, the flags of a command line, or what a thread keeps of both.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Setup {
    /// The provider: the name of a bundled plugin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// A plugin file, instead of a provider. A relative path begins at the configuration file's folder; `~/` is your home.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<PathBuf>,
    /// What a person calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The mode, in the provider's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Options of the plugin; `jackfield plugin inspect` lists them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
    /// Programs to use, by the name that the plugin gives them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub exe: BTreeMap<String, PathBuf>,
    /// Literal arguments for the provider's program, before those of the plugin.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exe_args: Vec<String>,
    /// Variables for the provider's program, with their values. A secret is better passed on by `pass_env`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Names of your own variables that are passed on to the provider's program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pass_env: Vec<String>,
    /// MCP servers for the provider, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp_servers: BTreeMap<String, McpServer>,
    /// Secrets of MCP servers, by name: each with the variable of yours that holds it. `${secret:NAME}` in a server's `env`, `headers`,
    /// `args`, `command` or `url` is filled in when it is written to the provider, and hidden everywhere else.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<String, String>,
    /// Rules that allow, beside those of `[rules]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// Rules that forbid, beside those of `[rules]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    /// Turns of one run, at most: calls of the model where the provider tells them, else the provider's turns.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// Time of one run, at most: `90s`, `10m`, `2h`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time: Option<Span>,
    /// Cost of one run, at most, in US dollars as the provider tells it.
    #[schemars(range(min = 0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
}

/// Whether an MCP server, or a secret, can be called so.
pub fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.chars().all(fits)
}

/// Whether an MCP server can be reached there.
pub fn is_address(url: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme))
}

/// An MCP server: a program, or an address.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpServer {
    /// The program that speaks on stdio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its environment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The address of one that is reached by HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers of every request.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Tools of it that the provider must not use; `*` for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disabled_tools: Vec<String>,
}

impl McpServer {
    /// As the provider is given it, under this name; or what is wrong with it.
    pub fn named(&self, name: &str) -> Result<contract::McpServer, String> {
        if !is_name(name) {
            return Err(format!("the MCP server '{name}': a server's name has letters, digits, - and _ only"));
        }
        let (transport, address, values) = match (&self.command, &self.url) {
            (Some(command), None) if !command.trim().is_empty() && self.headers.is_empty() => {
                (McpTransport::Stdio, command, &self.env)
            }
            (None, Some(url)) if is_address(url) && self.env.is_empty() && self.args.is_empty() => {
                (McpTransport::Http, url, &self.headers)
            }
            _ => {
                return Err(format!(
                    "the MCP server '{name}' is either a program (command, with args and env) or an address (url, http:// or https://, with headers)"
                ));
            }
        };
        Ok(contract::McpServer {
            name: name.to_owned(),
            transport,
            address: address.clone(),
            args: self.args.clone(),
            values: values.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            disabled_tools: self.disabled_tools.clone(),
            extra: Vec::new(),
        })
    }
}
