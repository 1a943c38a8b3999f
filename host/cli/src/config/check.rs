//! What is wrong with a configuration beyond its syntax; what is unavailable; who can read its secrets. Starts nothing.

use super::parse::{line_of_key, nearest, parse};
use super::{Settings, Setup, is_name};
use crate::catalog;
use crate::exit::{Exit, Failure, Outcome};
use crate::output;
use jackfield_core::manifest::Manifest;
use jackfield_core::policy::Intent;
use jackfield_core::rules::Rules;
use jackfield_core::scrub;
use jackfield_runtime::instance::Instance;
use jackfield_sandbox::inspect;
use serde::Serialize;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// It can't be used.
    Error,
    /// It can't be used here and now; it is kept.
    Unavailable,
    /// It works.
    Warning,
}

/// One thing to say about a file.
#[derive(Debug, Serialize)]
pub struct Finding {
    level: Level,
    /// From 1; 0 when it is about the whole file.
    line: usize,
    text: String,
}

/// `config check`. Exit code 2 when something is wrong; what is unavailable is not.
pub fn run(file: Option<&Path>, json: bool) -> Outcome {
    let Some(path) = file.map(Path::to_owned).or_else(|| super::place().map(|(path, _)| path)) else {
        return Err(Failure::usage("no home folder is known; name the file"));
    };
    let shown = path.display();
    if file.is_none() && !path.exists() {
        output::line(&if json { "[]".to_owned() } else { format!("there is no {shown}; the defaults are in force") })?;
        return Ok(Exit::Completed);
    }
    let text =
        std::fs::read_to_string(&path).map_err(|error| Failure::usage(format!("{shown} can't be read: {error}")))?;
    let found = match parse(&text) {
        Ok(config) => findings(&Settings { path: Some(path.clone()), text, config, ..Settings::default() }),
        Err(wrong) => vec![Finding { level: Level::Error, line: wrong.line, text: wrong.text }],
    };
    if json {
        output::json(&found)?;
    } else {
        for one in &found {
            let word = match one.level {
                Level::Error => "error",
                Level::Unavailable => "unavailable",
                Level::Warning => "warning",
            };
            let place = if one.line == 0 { String::new() } else { format!(", line {}", one.line) };
            output::line(&format!("{word}: {shown}{place}: {}", one.text))?;
        }
        if found.is_empty() {
            output::line(&format!("{shown} is right"))?;
        }
    }
    let wrong = found.iter().any(|one| one.level == Level::Error);
    Ok(if wrong { Exit::Usage } else { Exit::Completed })
}

/// Why an instance can't be used now, when that is so; nothing of it is started.
pub fn unavailable(setup: &Setup) -> Option<String> {
    match (&setup.plugin, &setup.provider) {
        (Some(file), _) => match catalog::file(file) {
            Ok(found) => inspect(&found.bytes).err().map(|error| format!("{}: {error}", file.display())),
            Err(failure) => Some(format!("{:#}", failure.error)),
        },
        (None, Some(name)) if catalog::bundled(name).is_err() => {
            Some(format!("this Jackfield has no plugin for the provider '{name}'"))
        }
        _ => None,
    }
}

fn findings(settings: &Settings) -> Vec<Finding> {
    let (config, text) = (&settings.config, &settings.text);
    let mut found = Vec::new();
    let mut say = |level, path: &[&str], words: String| {
        found.push(Finding { level, line: line_of_key(text, path), text: words });
    };
    if let Some(name) = &config.default_instance
        && !config.instances.contains_key(name)
    {
        let near = nearest(name, config.instances.keys().map(String::as_str));
        let hint = near.map_or("add [instances.NAME]".into(), |near| format!("did you mean '{near}'?"));
        say(Level::Error, &["default_instance"], format!("there is no instance '{name}'; {hint}"));
    }
    if let (Some(_), Some(_)) = (&config.default_instance, &config.default_provider) {
        say(Level::Warning, &["default_provider"], "default_instance is there, too, and counts".into());
    }
    if let Some(name) = &config.default_provider
        && let Some(why) = unavailable(&Setup { provider: Some(name.clone()), ..Setup::default() })
    {
        say(Level::Unavailable, &["default_provider"], why);
    }
    if config.retention_days == Some(0) {
        say(Level::Error, &["retention_days"], "at least 1; leave it out to keep threads until you delete them".into());
    }
    if let Err(rules) = config.limits.check() {
        say(Level::Error, &["limits"], format!("the limits do not fit each other: {rules}"));
    }
    for name in config.policy.blocked.keys() {
        if !Intent::ALL.iter().any(|intent| intent.name() == name) {
            let near = nearest(name, Intent::ALL.iter().map(|intent| intent.name()));
            let hint = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            say(Level::Error, &["policy", "blocked", name], format!("nothing is called '{name}'{hint}"));
        }
    }
    for (key, wrong) in wrong_rules(&config.rules.allow, &config.rules.deny) {
        say(Level::Error, &["rules", key], wrong);
    }
    let mut secrets = false;
    for (name, setup) in &config.instances {
        for (level, key, words) in of_instance(settings, name, setup) {
            say(level, &["instances", name, key], format!("instance '{name}': {words}"));
        }
        let servers = setup.mcp_servers.values().flat_map(|server| server.env.iter().chain(&server.headers));
        secrets |= setup.env.iter().chain(servers).any(|(name, value)| scrub::is_secret(name, value));
    }
    if let Some(words) = settings.path.as_deref().filter(|_| secrets).and_then(readable_by_others) {
        say(Level::Warning, &[], words);
    }
    found
}

/// What is to be said of one instance: how bad, about which key, in which words.
fn of_instance(settings: &Settings, name: &str, setup: &Setup) -> Vec<(Level, &'static str, String)> {
    let mut found = Vec::new();
    match (&setup.provider, &setup.plugin) {
        (Some(_), Some(_)) => found.push((Level::Error, "plugin", "it has a provider, too; leave one out".to_owned())),
        (None, None) => found.push((Level::Error, "", "name a provider, or a plugin file".into())),
        _ => {}
    }
    if let Some(bad) = setup.pass_env.iter().find(|name| !is_variable(name)) {
        found.push((Level::Error, "pass_env", format!("'{bad}' is no name of a variable; values go into env")));
    }
    if setup.max_turns == Some(0) {
        found.push((Level::Error, "max_turns", "at least 1".into()));
    }
    if setup.max_cost.is_some_and(|cost| !cost.is_finite() || cost < 0.0) {
        found.push((Level::Error, "max_cost", "a number of US dollars, 0 or more".into()));
    }
    if let Some((name, _)) = setup.secrets.iter().find(|(name, variable)| !is_name(name) || !is_variable(variable)) {
        found.push((Level::Error, "secrets", format!("'{name}' names no variable: write NAME = \"MY_VARIABLE\"")));
    }
    for (key, wrong) in wrong_rules(&setup.allow, &setup.deny) {
        found.push((Level::Error, key, wrong));
    }
    for (name, server) in &setup.mcp_servers {
        if let Err(wrong) = server.named(name) {
            found.push((Level::Error, "mcp_servers", wrong));
        }
    }
    let Some(anchored) = settings.instance(name) else { return found };
    if let Some(why) = unavailable(&anchored) {
        found.push((Level::Unavailable, if setup.plugin.is_some() { "plugin" } else { "provider" }, why));
        return found;
    }
    let Some(manifest) = manifest(&anchored) else { return found };
    // Without what must be in the environment now: that is asked when a run begins.
    let secrets = anchored.secrets.keys().map(|name| (name.clone(), String::new())).collect();
    let checked = Setup { pass_env: Vec::new(), secrets: Default::default(), ..anchored };
    if let Ok(instance) = checked.into_instance(name, name)
        && let Err(error) = (Instance { secrets, ..instance }).check(&manifest)
    {
        let key = match error.code() {
            "unknown-program" => "exe",
            "loader-variable" | "bad-variable" => "env",
            "unknown-secret" => "mcp_servers",
            _ => "options",
        };
        found.push((Level::Error, key, error.to_string()));
    }
    found
}

/// Whether a variable can be called so.
fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

fn wrong_rules(allow: &[String], deny: &[String]) -> Vec<(&'static str, String)> {
    let one = |rule: &String| [rule.clone()];
    let allow = allow.iter().filter_map(|rule| Some(("allow", Rules::parse(&one(rule), &[]).err()?.to_string())));
    let deny = deny.iter().filter_map(|rule| Some(("deny", Rules::parse(&[], &one(rule)).err()?.to_string())));
    allow.chain(deny).collect()
}

fn manifest(setup: &Setup) -> Option<Manifest> {
    let found = match (&setup.plugin, &setup.provider) {
        (Some(file), _) => catalog::file(file),
        (None, Some(name)) => catalog::bundled(name),
        (None, None) => return None,
    };
    Some(inspect(&found.ok()?.bytes).ok()?.manifest)
}

/// A warning when others than the owner can read a file that holds secrets.
fn readable_by_others(path: &Path) -> Option<String> {
    let mode = std::fs::metadata(path).ok()?.permissions().mode();
    (mode & 0o044 != 0).then(|| {
        format!(
            "it holds what looks like a secret and others can read it: chmod 600 {}, or use pass_env",
            path.display()
        )
    })
}
