//! `jackfield plugin`: what plugins are, ask for and declare. Looks at bytes; runs no code of theirs but `describe`.

use crate::args::PluginCommand;
use crate::catalog;
use crate::exit::{Exit, Failure, Outcome};
use crate::output;
use crate::setup;
use jackfield_core::contract::{CapabilityValue, Descriptor};
use jackfield_sandbox::{Inspection, inspect};
use serde_json::json;

/// Carries the command out.
pub async fn run(command: PluginCommand) -> Outcome {
    match command {
        PluginCommand::List(args) => list(args.json),
        PluginCommand::Inspect { plugin, json } => show(&plugin, json.json).await,
    }
}

fn list(json: bool) -> Outcome {
    for plugin in jackfield_bundled::all() {
        let found = look(plugin.name, plugin.bytes)?;
        if json {
            output::json(&facts(&found))?;
        } else {
            let mark = if plugin.name == catalog::DEFAULT { " (default)" } else { "" };
            output::line(&format!(
                "{:<14} {:<8} {}{mark}",
                plugin.name, found.manifest.version, found.manifest.description
            ))?;
        }
    }
    Ok(Exit::Completed)
}

async fn show(name: &str, json: bool) -> Outcome {
    let plugin = catalog::any(name)?;
    let found = look(name, &plugin.bytes)?;
    let loaded = setup::open_host().await?.add_plugin(plugin.bytes, plugin.bundled).await?;
    let descriptor = loaded.generation.descriptor();
    if json {
        let mut all = facts(&found);
        all["descriptor"] = serde_json::to_value(descriptor).unwrap_or_default();
        output::json(&all)?;
    } else {
        output::line(&describe(&found, descriptor))?;
    }
    Ok(Exit::Completed)
}

fn look(name: &str, bytes: &[u8]) -> Result<Inspection, Failure> {
    inspect(bytes).map_err(|error| Failure::unavailable(format!("{name}: {error}")))
}

fn facts(found: &Inspection) -> serde_json::Value {
    json!({
        "name": found.manifest.full_name(),
        "digest": found.digest,
        "bytes": found.size,
        "contract": found.contract.to_string(),
        "lane": found.lane.to_string(),
        "imports": found.imports,
        "exports": found.exports,
        "manifest": found.manifest,
    })
}

fn describe(found: &Inspection, descriptor: &Descriptor) -> String {
    let manifest = &found.manifest;
    let mut out = vec![
        format!("{} {}", manifest.full_name(), manifest.version),
        format!("  {}", manifest.description),
        format!("  provider   {} ({})", descriptor.provider, descriptor.label),
        format!("  digest     sha256:{}", found.digest),
        format!("  size       {} bytes", found.size),
        format!("  contract   {}", found.contract),
        format!("  lane       {}", found.lane),
        format!("  imports    {}", found.imports.join(", ")),
        format!("  license    {}", manifest.license),
    ];
    for profile in &manifest.spawn {
        let args: Vec<String> = profile.args.iter().map(|arg| arg.parts().join(" ")).collect();
        out.push(format!("  may start  {} {} (profile {})", profile.program, args.join(" "), profile.profile));
        if !profile.env.is_empty() {
            out.push(format!("             with your {}", profile.env.join(", ")));
        }
    }
    for root in &manifest.root {
        out.push(format!("  may read   {}", root.path));
    }
    for origin in &manifest.origin {
        out.push(format!("  may call   {}", origin.url.as_deref().unwrap_or("a server that it starts")));
    }
    if let Some(properties) = manifest.options.as_ref().and_then(|schema| schema.get("properties")?.as_object()) {
        for (name, schema) in properties {
            let about = schema.get("description").and_then(|text| text.as_str()).unwrap_or_default();
            out.push(format!("  option     {name}: {about}"));
        }
    }
    out.push("  declares".into());
    for capability in &descriptor.declared.capabilities {
        let value = match &capability.value {
            CapabilityValue::Flag(true) => "yes".into(),
            CapabilityValue::Flag(false) => "no".into(),
            CapabilityValue::Count(number) => number.to_string(),
            CapabilityValue::Word(word) => word.clone(),
            CapabilityValue::Other(other) => other.json.clone(),
        };
        out.push(format!("    {:<52} {value}", capability.name));
    }
    out.join("\n")
}
