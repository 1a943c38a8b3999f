//! `jackfield plugin`: what plugins are, ask for and declare. Looks at bytes; runs no code of theirs but `describe`.

use crate::args::PluginCommand;
use crate::catalog;
use crate::exit::{Exit, Failure, Outcome};
use crate::output;
use crate::setup;
use jackfield_core::contract::{CapabilityValue, Descriptor};
use jackfield_runtime::audit::{Record, Verdict};
use jackfield_sandbox::{Inspection, inspect};
use serde_json::json;

/// Carries the command out.
pub async fn run(command: PluginCommand) -> Outcome {
    match command {
        PluginCommand::List(args) => list(args.json),
        PluginCommand::Inspect { plugin, json } => show(&plugin, json.json).await,
        PluginCommand::ResetDemoted { plugin, flag } => reset_demoted(&plugin, flag.as_deref()).await,
    }
}

/// The operator believes what a plugin declares again.
async fn reset_demoted(name: &str, flag: Option<&str>) -> Outcome {
    let plugin = if name.contains('/') { name.to_owned() } else { format!("jackfield/{name}") };
    let host = setup::open_host().await?;
    let forgotten = host.store().forget_demotions(&plugin, flag).await?;
    if forgotten == 0 {
        let text = format!("nothing of '{plugin}' is demoted or doubted; `jackfield matrix` shows what is");
        return Err(Failure::usage(text));
    }
    host.record(&Record {
        kind: "reset-demoted",
        verdict: Verdict::Allowed,
        rule: "operator",
        plugin: &plugin,
        digest: "",
        session: "",
        facts: json!({ "flag": flag, "forgotten": forgotten }),
    })?;
    output::line(&format!("{forgotten} of {plugin} count as declared again, from the next session on"))?;
    Ok(Exit::Completed)
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
        output::line(describe(&found, descriptor).trim_end())?;
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

/// In sections, each line as wide as the terminal at most.
fn describe(found: &Inspection, descriptor: &Descriptor) -> String {
    let manifest = &found.manifest;
    let mut page = Page::default();
    page.section(&format!("{} {}", manifest.full_name(), manifest.version));
    page.line("is", &manifest.description);
    page.line("provider", &format!("{} ({})", descriptor.label, descriptor.provider));
    page.line("license", &manifest.license);
    page.line("digest", &format!("sha256:{}", found.digest));
    page.line("size", &format!("{} bytes, contract {}, lane {}", found.size, found.contract, found.lane));
    page.line("imports", &found.imports.join(", "));
    page.section("Asks for");
    for profile in &manifest.spawn {
        let args: Vec<String> = profile.args.iter().map(|arg| arg.parts().join(" ")).collect();
        page.line(&format!("start {}", profile.profile), &format!("{} {}", profile.program, args.join(" ")));
        if !profile.env.is_empty() {
            page.line("your", &profile.env.join(", "));
        }
    }
    for root in &manifest.root {
        let moved = root.moved_by.as_ref().map(|moved| format!(", or ${}/{}", moved.env, moved.path));
        page.line(&format!("read {}", root.name), &format!("{}{}", root.path, moved.unwrap_or_default()));
    }
    for origin in &manifest.origin {
        let profile = origin.loopback.as_deref().unwrap_or_default();
        let server = origin.url.clone().unwrap_or_else(|| format!("the server that is '{profile}'"));
        let routes: Vec<_> = origin.routes.iter().map(ToString::to_string).collect();
        page.line("call", &format!("{server}: {}", routes.join(", ")));
    }
    if manifest.spawn.is_empty() && manifest.root.is_empty() && manifest.origin.is_empty() {
        page.line("nothing", "no program, no folder, no network");
    }
    if let Some(properties) = manifest.options.as_ref().and_then(|schema| schema.get("properties")?.as_object()) {
        page.section("Options");
        for (name, schema) in properties {
            let about = schema.get("description").and_then(|text| text.as_str()).unwrap_or_default();
            let kind = schema.get("type").and_then(|text| text.as_str()).unwrap_or("any");
            page.line(name, &format!("({kind}) {about}"));
        }
    }
    let all = &descriptor.declared.capabilities;
    let flags = |wanted: bool| {
        let named = all.iter().filter(move |one| matches!(one.value, CapabilityValue::Flag(value) if value == wanted));
        named.map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    page.section("Declares");
    page.line("can", &flags(true));
    page.line("can't", &flags(false));
    for capability in all {
        let value = match &capability.value {
            CapabilityValue::Flag(_) => continue,
            CapabilityValue::Count(number) => number.to_string(),
            CapabilityValue::Word(word) => word.clone(),
            CapabilityValue::Other(other) => other.json.clone(),
        };
        page.line("as", &format!("{} = {value}", capability.name));
    }
    page.text
}

/// Lines under headings, wrapped at words.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn section(&mut self, title: &str) {
        self.text.push_str(&format!("{}{}\n", if self.text.is_empty() { "" } else { "\n" }, output::plain(title)));
    }

    fn line(&mut self, name: &str, about: &str) {
        const INDENT: usize = 15;
        let room = output::width().saturating_sub(INDENT).max(20);
        let mut lines: Vec<String> = vec![String::new()];
        for word in output::plain(about).split_whitespace() {
            let last = lines.last_mut().expect("a line");
            if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > room {
                lines.push(word.to_owned());
            } else {
                last.push_str(if last.is_empty() { "" } else { " " });
                last.push_str(word);
            }
        }
        for (n, line) in lines.iter().filter(|line| !line.is_empty()).enumerate() {
            let name = if n == 0 { output::plain(name) } else { String::new() };
            self.text.push_str(&format!("  {name:<width$} {line}\n", width = INDENT - 3));
        }
    }
}
