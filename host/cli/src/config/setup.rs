//! How setups are laid over each other, and what becomes of one for the runtime.

use super::types::Setup;
use crate::args::{ProgramArgs, ProviderArgs, RunArgs};
use crate::exit::Failure;
use jackfield_core::rules::Rules;
use jackfield_core::run_limits::RunLimits;
use jackfield_core::scrub;
use jackfield_runtime::instance::Instance;
use serde_json::Value;
use std::path::{Path, PathBuf};

impl Setup {
    /// What the flags of a command line say.
    pub fn of_flags(args: &RunArgs) -> Result<Setup, Failure> {
        let mut setup = Setup {
            provider: args.provider.clone(),
            plugin: args.plugin.as_deref().map(std::path::absolute).transpose()?,
            model: args.model.clone(),
            mode: args.mode.clone(),
            allow: args.allow.clone(),
            deny: args.deny.clone(),
            max_turns: args.max_turns,
            max_time: args.max_time,
            max_cost: args.max_cost,
            ..Setup::default()
        };
        setup.add_options(&args.options);
        setup.with_programs(&args.programs)
    }

    /// What the flags say of a provider that is only asked.
    pub fn of_provider(args: &ProviderArgs) -> Result<Setup, Failure> {
        let mut setup = Setup {
            provider: args.provider.clone(),
            plugin: args.plugin.as_deref().map(std::path::absolute).transpose()?,
            ..Setup::default()
        };
        setup.add_options(&args.options);
        setup.with_programs(&args.programs)
    }

    fn add_options(&mut self, options: &[(String, String)]) {
        for (key, value) in options {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.clone()));
            self.options.insert(key.clone(), value);
        }
    }

    /// With the programs, arguments and variables that flags name.
    pub fn with_programs(mut self, args: &ProgramArgs) -> Result<Setup, Failure> {
        self.exe_args.clone_from(&args.exe_arg);
        for (name, path) in &args.exe {
            self.exe.insert(name.clone(), std::path::absolute(path)?);
        }
        for text in &args.env {
            match text.split_once('=') {
                Some((name, value)) => drop(self.env.insert(name.to_owned(), value.to_owned())),
                None if std::env::var_os(text).is_none() => {
                    return Err(Failure::usage(format!("--env {text} passes on your own {text}, which is not set")));
                }
                None => self.pass_env.push(text.clone()),
            }
        }
        Ok(self)
    }

    /// This one with another over it: what the other says counts; tables are joined, a list is replaced.
    pub fn under(mut self, over: &Setup) -> Setup {
        if over.provider.is_some() || over.plugin.is_some() {
            (self.provider, self.plugin) = (over.provider.clone(), over.plugin.clone());
        }
        let or = |over: &Option<String>, under: Option<String>| over.clone().or(under);
        (self.label, self.model, self.mode) =
            (or(&over.label, self.label), or(&over.model, self.model), or(&over.mode, self.mode));
        self.options.extend(over.options.clone());
        self.exe.extend(over.exe.clone());
        if !over.exe_args.is_empty() {
            self.exe_args.clone_from(&over.exe_args);
        }
        // A variable is either set or passed on: the later word counts.
        self.env.retain(|name, _| !over.pass_env.contains(name));
        self.pass_env.retain(|name| !over.env.contains_key(name) && !over.pass_env.contains(name));
        self.env.extend(over.env.clone());
        self.pass_env.extend(over.pass_env.clone());
        self.mcp_servers.extend(over.mcp_servers.clone());
        self.secrets.extend(over.secrets.clone());
        // A rule that stands is not taken away by another.
        join(&mut self.allow, &over.allow);
        join(&mut self.deny, &over.deny);
        self.max_turns = over.max_turns.or(self.max_turns);
        self.max_time = over.max_time.or(self.max_time);
        self.max_cost = over.max_cost.or(self.max_cost);
        self
    }

    /// With its paths made absolute: `~/` is the home folder, all else begins at this one.
    pub fn anchored(&self, folder: &Path) -> Setup {
        let anchor = |path: &PathBuf| match (path.strip_prefix("~"), std::env::var_os("HOME")) {
            (Ok(rest), Some(home)) => PathBuf::from(home).join(rest),
            _ => folder.join(path),
        };
        let mut setup = self.clone();
        setup.plugin = self.plugin.as_ref().map(anchor);
        setup.exe = self.exe.iter().map(|(name, path)| (name.clone(), anchor(path))).collect();
        setup
    }

    /// What may be kept with a thread, and the names of what may not: secrets. Limits, and what is allowed without a question, are
    /// of one run and are not kept.
    pub fn without_secrets(&self) -> (Setup, Vec<String>) {
        let mut kept = Setup { max_turns: None, max_time: None, max_cost: None, allow: Vec::new(), ..self.clone() };
        let mut withheld = Vec::new();
        kept.env.retain(|name, value| keep(!scrub::is_secret(name, value), format!("--env {name}"), &mut withheld));
        kept.options.retain(|name, value| {
            let secret = value.as_str().is_some_and(|text| scrub::is_secret(name, text));
            keep(!secret, format!("--option {name}"), &mut withheld)
        });
        if kept.exe_args.iter().any(|arg| scrub::secrets(arg) != *arg) {
            kept.exe_args.clear();
            withheld.push("--exe-arg".into());
        }
        (kept, withheld)
    }

    /// Limits of each run.
    pub fn limits(&self) -> RunLimits {
        RunLimits {
            max_turns: self.max_turns,
            max_time_ms: self.max_time.map(|span| span.ms()),
            max_cost_usd: self.max_cost,
        }
    }

    /// As the runtime takes it, under this name. `whose` tells a person where a variable is asked for.
    pub fn into_instance(self, name: &str, whose: &str) -> Result<Instance, Failure> {
        let servers = self.mcp_servers.iter().map(|(name, server)| server.named(name));
        let mcp_servers =
            servers.collect::<Result<_, _>>().map_err(|wrong| Failure::usage(format!("{whose}: {wrong}")))?;
        let limits = self.limits();
        let rules =
            Rules::parse(&self.allow, &self.deny).map_err(|wrong| Failure::usage(format!("{whose}: {wrong}")))?;
        let mut env: Vec<(String, String)> = self.env.into_iter().collect();
        for name in self.pass_env {
            let value = std::env::var(&name).map_err(|_| {
                Failure::usage(format!(
                    "{whose} passes on your own {name}, which is not set: set it, or give --env {name}=VALUE"
                ))
            })?;
            env.push((name, value));
        }
        let mut secrets = std::collections::BTreeMap::new();
        for (name, variable) in self.secrets {
            let value = std::env::var(&variable).map_err(|_| {
                Failure::usage(format!("{whose}: the secret '{name}' is in your variable {variable}, which is not set"))
            })?;
            secrets.insert(name, value);
        }
        let chosen = [("model", self.model), ("mode", self.mode)];
        Ok(Instance {
            name: name.to_owned(),
            options: self.options,
            env,
            programs: self.exe,
            program_args: self.exe_args,
            selection: chosen.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect(),
            limits,
            rules,
            instructions: None,
            tap: None,
            mcp_servers,
            secrets,
            tools: Vec::new(),
        })
    }
}

fn join(all: &mut Vec<String>, more: &[String]) {
    all.extend(more.iter().filter(|rule| !all.contains(rule)).cloned().collect::<Vec<_>>());
}

fn keep(stays: bool, name: String, withheld: &mut Vec<String>) -> bool {
    if !stays {
        withheld.push(name);
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(text: &str) -> Setup {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_later_word_counts() {
        let below = setup(
            "provider = 'a'\nmodel = 'x'\nexe_args = ['1']\npass_env = ['A', 'B']\nmax_turns = 1\n[env]\nC = '1'\nD = '1'\n[options]\na = 1\nb = 1\n",
        );
        let above = setup(
            "plugin = '/p'\nmode = 'plan'\nexe_args = ['2']\npass_env = ['C']\n[env]\nA = '2'\n[options]\nb = 2\n",
        );
        let wanted = setup(
            "plugin = '/p'\nmodel = 'x'\nmode = 'plan'\nexe_args = ['2']\npass_env = ['B', 'C']\nmax_turns = 1\n[env]\nA = '2'\nD = '1'\n[options]\na = 1\nb = 2\n",
        );
        assert_eq!(below.clone().under(&above), wanted);
        assert_eq!(below.clone().under(&Setup::default()), below);
    }

    #[test]
    fn secrets_and_limits_are_not_kept() {
        let given = setup(
            "exe_args = ['--token=abc']\nmax_turns = 3\nmodel = 'm'\npass_env = ['KEY']\n[env]\nAPI_KEY = 'v'\nBASE = 'http://h:1'\n[options]\nsecret_word = 'v'\nturns = 1\n",
        );
        let (kept, withheld) = given.without_secrets();
        assert_eq!(kept, setup("model = 'm'\npass_env = ['KEY']\n[env]\nBASE = 'http://h:1'\n[options]\nturns = 1\n"));
        assert_eq!(withheld, ["--env API_KEY", "--option secret_word", "--exe-arg"]);
    }

    #[test]
    fn paths_begin_at_the_file() {
        let anchored = setup("plugin = 'p.wasm'\n[exe]\na = '/b'\n").anchored(Path::new("/conf"));
        assert_eq!(anchored, setup("plugin = '/conf/p.wasm'\n[exe]\na = '/b'\n"));
    }
}
