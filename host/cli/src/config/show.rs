//! `jackfield config show`: the values in force and where each came from. Secrets are not shown.

use super::parse::find_key;
use super::{Settings, unavailable};
use crate::exit::{Exit, Outcome};
use crate::output::{self, plain};
use crate::{catalog, setup};
use jackfield_core::policy::PolicyConfig;
use jackfield_core::scrub;
use serde::Serialize;
use serde_json::Value;

/// One value in force.
#[derive(Serialize)]
struct Row {
    key: String,
    value: Value,
    /// `default`, `config.toml line 3`, or the name of a variable.
    from: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<String>,
}

/// Carries the command out.
pub fn run(json: bool) -> Outcome {
    let settings = super::load()?;
    for row in rows(&settings)? {
        if json {
            output::json(&row)?;
            continue;
        }
        let value = match &row.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        output::line(&format!("{:<34} {} ({})", plain(&row.key), plain(&value), row.from))?;
        if let Some(why) = &row.unavailable {
            output::line(&format!("{:<34} unavailable: {}", "", plain(why)))?;
        }
    }
    Ok(Exit::Completed)
}

fn rows(settings: &Settings) -> Result<Vec<Row>, crate::exit::Failure> {
    let from = |path: &[&str]| from(settings, path);
    let row = |key: &str, value: Value, from: String| Row { key: key.into(), value, from, unavailable: None };
    let config = &settings.config;
    let file = settings.path.as_deref().filter(|path| path.exists()).map(|path| path.display().to_string());
    let by = |name: &str| if std::env::var_os(name).is_some() { name.to_owned() } else { "default".to_owned() };
    let mut rows = vec![
        row("config", file.map_or_else(|| "none".into(), Value::String), by("JACKFIELD_CONFIG")),
        row("data", setup::data_folder()?.display().to_string().into(), by("JACKFIELD_DATA")),
    ];
    let provider = config.default_provider.as_deref().unwrap_or(catalog::DEFAULT);
    let asked = super::Setup { provider: Some(provider.to_owned()), ..Default::default() };
    rows.push(Row {
        unavailable: unavailable(&asked),
        ..row("default_provider", provider.into(), from(&["default_provider"]))
    });
    rows.push(row("default_instance", config.default_instance.clone().into(), from(&["default_instance"])));
    let kept = config.retention_days.map_or_else(|| "until you delete them".into(), Value::from);
    rows.push(row("retention_days", kept, from(&["retention_days"])));
    for (key, rules) in [("allow", &config.rules.allow), ("deny", &config.rules.deny)] {
        rows.push(row(&format!("rules.{key}"), rules.clone().into(), from(&["rules", key])));
    }
    for name in config.instances.keys() {
        let Some(setup) = settings.instance(name) else { continue };
        let why = unavailable(&setup);
        let at = |key: &str| from(&["instances", name, key]);
        let provider = setup.provider.clone().or(setup.plugin.as_ref().map(|path| path.display().to_string()));
        rows.push(Row {
            unavailable: why,
            ..row(&format!("instances.{name}"), provider.into(), from(&["instances", name]))
        });
        let Ok(Value::Object(fields)) = serde_json::to_value(&setup) else { continue };
        for (key, value) in fields.iter().filter(|(key, _)| !["provider", "plugin"].contains(&key.as_str())) {
            rows.push(row(&format!("instances.{name}.{key}"), hidden(key, value), at(key)));
        }
    }
    rows.extend(limits(settings, &from));
    rows.extend(policy(&config.policy, &from));
    Ok(rows)
}

/// All limits; those that differ from the default say who set them.
fn limits(settings: &Settings, from: &dyn Fn(&[&str]) -> String) -> Vec<Row> {
    let rows = settings.limits().table().into_iter().map(|(name, value, _)| {
        let by_env = settings.limits_by_env.contains_key(name);
        let from = if by_env { "JACKFIELD_LIMITS".into() } else { from(&["limits", name]) };
        Row { key: format!("limits.{name}"), value: value.into(), from, unavailable: None }
    });
    rows.collect()
}

fn policy(policy: &PolicyConfig, from: &dyn Fn(&[&str]) -> String) -> Vec<Row> {
    let Ok(Value::Object(fields)) = serde_json::to_value(policy) else { return Vec::new() };
    let row = |(name, value): (String, Value)| {
        let from = from(&["policy", &name]);
        Row { key: format!("policy.{name}"), value, from, unavailable: None }
    };
    fields.into_iter().map(row).collect()
}

/// Where a key of the file stands, or `default`.
fn from(settings: &Settings, path: &[&str]) -> String {
    match find_key(&settings.text, path) {
        (line, true) => format!("config.toml line {line}"),
        _ => "default".into(),
    }
}

/// A value of an instance, with what looks like a secret left out.
fn hidden(name: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if scrub::is_secret(name, text) => "[hidden]".into(),
        Value::String(text) => scrub::secrets(text).into(),
        Value::Array(items) => items.iter().map(|item| hidden("", item)).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), hidden(name, value))).collect(),
        other => other.clone(),
    }
}
