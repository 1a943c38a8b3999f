//! `jackfield doctor`: looks for what is needed, says what is missing and how to get it. Makes the data folder
//! if there is none, changes nothing else, asks no network.

use crate::args::DoctorArgs;
use crate::exit::{Exit, Outcome};
use crate::{config, ledger, output, setup};
use jackfield_core::manifest::CliProgram;
use jackfield_runtime::program;
use jackfield_sandbox::inspect;
use serde::Serialize;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;

#[derive(Serialize)]
struct Finding {
    what: String,
    ok: bool,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

/// Carries the command out. Exit code 1 when the host itself can't work; a missing provider is no fault of the host's.
pub async fn run(args: DoctorArgs) -> Outcome {
    if let Some(session) = &args.session {
        return ledger::run(&setup::open_host().await?, session, args.json.json).await;
    }
    let (host_works, mut findings) = host().await;
    for plugin in jackfield_bundled::all() {
        findings.extend(providers(plugin.name, plugin.bytes).await);
    }
    findings.extend(instances());
    for finding in &findings {
        if args.json.json {
            output::json(finding)?;
        } else {
            output::line(&format!("{} {:<14} {}", if finding.ok { "✓" } else { "✗" }, finding.what, finding.text))?;
            if let Some(fix) = &finding.fix {
                output::line(&format!("{:17}→ {fix}", ""))?;
            }
        }
    }
    Ok(if host_works { Exit::Completed } else { Exit::Failed })
}

async fn host() -> (bool, Vec<Finding>) {
    let opened = setup::open_host().await;
    let ok = opened.is_ok();
    let text = match (&opened, setup::data_folder()) {
        (Ok(_), Ok(folder)) => format!("data in {}", folder.display()),
        (Err(failure), _) => format!("{:#}", failure.error),
        (_, Err(failure)) => format!("{:#}", failure.error),
    };
    (ok, vec![Finding { what: "host".into(), ok, text, fix: None }])
}

/// Instances of the configuration that can't be used.
fn instances() -> Vec<Finding> {
    let Ok(settings) = config::load() else { return Vec::new() };
    let names = settings.config.instances.keys();
    let unusable = names.filter_map(|name| {
        let text = format!("the instance is unavailable: {}", config::unavailable(&settings.instance(name)?)?);
        Some(Finding { what: name.clone(), ok: false, text, fix: None })
    });
    unusable.collect()
}

async fn providers(name: &str, bytes: &[u8]) -> Vec<Finding> {
    let manifest = match inspect(bytes) {
        Ok(found) => found.manifest,
        Err(error) => return vec![Finding { what: name.into(), ok: false, text: error.to_string(), fix: None }],
    };
    if manifest.cli.is_empty() {
        return vec![Finding { what: name.into(), ok: true, text: "needs no program".into(), fix: None }];
    }
    let mut findings = Vec::new();
    for cli in &manifest.cli {
        findings.push(look_for(name, cli).await);
    }
    findings
}

async fn look_for(name: &str, cli: &CliProgram) -> Finding {
    let finding = |ok, text, fix| Finding { what: name.to_owned(), ok, text, fix };
    let path = match program::find(&cli.program, None, &std::env::var("PATH").unwrap_or_default()) {
        Ok(found) => found.path,
        Err(_) => {
            return finding(
                false,
                format!("'{}' is not in PATH", cli.program),
                Some(format!(
                    "{}; or run with --exe {}=/path/to/it",
                    cli.install.as_deref().unwrap_or("install it"),
                    cli.program
                )),
            );
        }
    };
    let patience = Duration::from_millis(setup::limits().unwrap_or_default().version_ms);
    let version = version(&path, &cli.version_args, patience).await;
    let shown = path.display();
    match (version, &cli.tested) {
        (Err(problem), _) => {
            finding(false, format!("{shown} did not tell its version: {problem}"), cli.install.clone())
        }
        (Ok(version), Some(tested)) if !tested.matches(&version) => {
            finding(true, format!("{shown} {version}; tested with {tested}, what they share works"), None)
        }
        (Ok(version), _) => finding(true, format!("{shown} {version}"), None),
    }
}

/// Runs the program for its version: nothing inherited but what a program needs, no stdin, a bounded time.
async fn version(path: &std::path::Path, args: &[String], patience: Duration) -> Result<semver::Version, String> {
    let mut command = tokio::process::Command::new(path);
    command.args(args).env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    for name in ["HOME", "PATH", "TMPDIR", "LANG"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut text = String::new();
    let reading = async {
        if let Some(stdout) = child.stdout.take() {
            stdout.take(4096).read_to_string(&mut text).await.map_err(|error| error.to_string())?;
        }
        child.wait().await.map_err(|error| error.to_string())
    };
    let late = |_| format!("no answer in {} s (limit version_ms)", patience.as_secs_f32());
    tokio::time::timeout(patience, reading).await.map_err(late)??;
    let words = text.split(|c: char| c.is_whitespace() || c == 'v' || c == '(');
    words
        .into_iter()
        .find_map(|word| semver::Version::parse(word).ok())
        .ok_or_else(|| format!("no version in '{}'", output::headline(&text, 80)))
}
