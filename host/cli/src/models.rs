//! `jackfield models`: what a provider offers to choose from, as it last told it. Tests: `tests/tests/history.rs`.

use crate::args::ModelsArgs;
use crate::exit::{Exit, Outcome};
use crate::history::{HistoryLine, asked};
use crate::output::{self, headline, plain};
use crate::threads::age;
use jackfield_core::contract::Setting;
use jackfield_runtime::query::{Asking, KnownSettings};

/// Carries the command out.
pub async fn run(args: ModelsArgs) -> Outcome {
    let asked = asked(&args.of).await?;
    let asking = if args.refresh { Asking::Always } else { Asking::WhenOld };
    let here = std::env::current_dir()?;
    let known = asked.host.settings(&asked.plugin, asked.instance, &here, asking).await?;
    let KnownSettings { settings, told_ms, version, stale } = known;
    if args.json.json {
        let provider = asked.provider;
        output::json(&HistoryLine::Models { provider, settings, told_ms, version, stale })?;
        return Ok(Exit::Completed);
    }
    for setting in &settings {
        show(setting)?;
    }
    if settings.is_empty() {
        output::line(&format!("{} offers nothing to choose from", asked.provider))?;
    }
    let age = age(told_ms);
    let version = version.map_or_else(String::new, |version| format!(" by version {}", plain(&version)));
    match stale {
        Some(why) => {
            eprintln!("jackfield: this is what was told{version} {age} ago, and may not hold any more: {}", plain(&why))
        }
        None if age == "just now" => {}
        None => eprintln!("jackfield: told{version} {age} ago; --refresh asks again"),
    }
    Ok(Exit::Completed)
}

fn show(setting: &Setting) -> std::io::Result<()> {
    let value = setting.value.as_deref().map_or_else(String::new, |value| format!(" ({})", plain(value)));
    output::line(&format!("{} · {}{value}", plain(&setting.name), plain(&setting.label)))?;
    for choice in &setting.choices {
        let words = choice.description.as_deref().filter(|text| !text.is_empty());
        let words = words.map_or_else(String::new, |text| format!("  {}", headline(text, 80)));
        let label = if choice.label == choice.value { String::new() } else { format!("  {}", plain(&choice.label)) };
        output::line(&format!("  {}{label}{words}", plain(&choice.value)))?;
    }
    Ok(())
}
