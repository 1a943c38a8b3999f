//! `jackfield doctor`: looks for what is needed, says what is missing and how to get it. Makes the data folder
//! if there is none, changes nothing else, asks no network.
//!
//! Of each provider it says where its program is, which version, whether that was tested, whether somebody is logged in as far as the
//! program tells, and what may be started. **Each program is asked in a bounded time**, all beside each other.

use crate::args::DoctorArgs;
use crate::config::{self, Settings};
use crate::exit::{Exit, Failure, Outcome};
use crate::look::{self, LoggedIn, Login};
use crate::{ledger, output, setup};
use jackfield_core::grant::{Grant, GrantRequest, decide_grant};
use jackfield_core::manifest::{CliProgram, Manifest};
use jackfield_runtime::host::Host;
use jackfield_runtime::instance::Instance;
use jackfield_runtime::program::{self, Program};
use jackfield_sandbox::inspect;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

#[derive(Serialize)]
struct Finding {
    what: String,
    ok: bool,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
    /// What was seen of a provider's program.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    cli: Option<Cli>,
}

#[derive(Default, Serialize)]
struct Cli {
    program: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tested: Option<String>,
    /// Whether the version is one of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_tested_range: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    login: Option<Login>,
    grants: Vec<Granted>,
}

/// Whether a spawn profile may be used, and by which rule; or why not.
#[derive(Serialize)]
struct Granted {
    profile: String,
    granted: bool,
    rule: String,
}

/// Carries the command out. Exit code 1 when the host itself can't work; a missing provider is no fault of the host's.
pub async fn run(args: DoctorArgs) -> Outcome {
    if let Some(session) = &args.session {
        return ledger::run(&setup::open_host().await?, session, args.json.json).await;
    }
    let (settings, opened) = match config::load() {
        Ok(settings) => {
            let opened = setup::open_host_with(&settings).await;
            (settings, opened)
        }
        Err(wrong) => (Settings::default(), Err(wrong)),
    };
    let mut findings = vec![host(&opened)];
    let patience = Duration::from_millis(settings.limits().version_ms);
    findings.extend(all_providers(opened.as_ref().ok(), patience).await);
    findings.extend(instances(&settings));
    for finding in &findings {
        if args.json.json {
            output::json(finding)?;
        } else {
            output::line(&format!("{} {:<14} {}", if finding.ok { "✓" } else { "✗" }, finding.what, finding.text))?;
            if let Some(fix) = &finding.fix {
                output::line(&format!("{:17}→ {fix}", ""))?;
            }
            for more in finding.cli.iter().flat_map(|cli| cli.lines(&finding.what)) {
                output::line(&format!("{:17}{more}", ""))?;
            }
        }
    }
    Ok(if opened.is_ok() { Exit::Completed } else { Exit::Failed })
}

fn host(opened: &Result<Host, Failure>) -> Finding {
    let text = match (opened, setup::data_folder()) {
        (Ok(_), Ok(folder)) => format!("data in {}", folder.display()),
        (Err(failure), _) => format!("{:#}", failure.error),
        (_, Err(failure)) => format!("{:#}", failure.error),
    };
    Finding { what: "host".into(), ok: opened.is_ok(), text, fix: None, cli: None }
}

/// Instances of the configuration that can't be used.
fn instances(settings: &Settings) -> Vec<Finding> {
    let names = settings.config.instances.keys();
    let unusable = names.filter_map(|name| {
        let text = format!("the instance is unavailable: {}", config::unavailable(&settings.instance(name)?)?);
        Some(Finding { what: name.clone(), ok: false, text, fix: None, cli: None })
    });
    unusable.collect()
}

/// Every bundled plugin's programs, each asked beside the others, in the plugins' order.
async fn all_providers(host: Option<&Host>, patience: Duration) -> Vec<Finding> {
    let rows = match host {
        Some(host) => host.store().grants::<Grant>(None).await.unwrap_or_default(),
        None => Vec::new(),
    };
    let grants: Arc<Vec<Grant>> = Arc::new(rows.into_iter().map(|row| row.grant).collect());
    let mut asked = JoinSet::new();
    for (at, plugin) in jackfield_bundled::all().iter().enumerate() {
        let grants = grants.clone();
        asked.spawn(async move { (at, provider(plugin.name, plugin.bytes, &grants, patience).await) });
    }
    let mut told = asked.join_all().await;
    told.sort_by_key(|(at, _)| *at);
    told.into_iter().flat_map(|(_, findings)| findings).collect()
}

async fn provider(name: &str, bytes: &[u8], grants: &[Grant], patience: Duration) -> Vec<Finding> {
    let plain = |ok, text| vec![Finding { what: name.into(), ok, text, fix: None, cli: None }];
    let (manifest, digest) = match inspect(bytes) {
        Ok(found) => (found.manifest, found.digest),
        Err(error) => return plain(false, error.to_string()),
    };
    if manifest.cli.is_empty() {
        return plain(true, "needs no program".into());
    }
    let mut findings = Vec::new();
    for cli in &manifest.cli {
        findings.push(look_at(name, cli, &manifest, &digest, grants, patience).await);
    }
    findings
}

async fn look_at(
    name: &str,
    cli: &CliProgram,
    manifest: &Manifest,
    digest: &str,
    grants: &[Grant],
    patience: Duration,
) -> Finding {
    let mut seen = Cli { program: cli.program.clone(), ..Cli::default() };
    seen.tested = cli.tested.as_ref().map(ToString::to_string);
    let finding = |ok, text, fix, seen| Finding { what: name.to_owned(), ok, text, fix, cli: Some(seen) };
    let Ok(found) = program::find(&cli.program, None, &std::env::var("PATH").unwrap_or_default()) else {
        let install = cli.install.as_deref().unwrap_or("install it");
        let fix = format!("{install}; or run with --exe {}=/path/to/it", cli.program);
        return finding(false, format!("'{}' is not in PATH", cli.program), Some(fix), seen);
    };
    seen.path = Some(found.path.clone());
    seen.grants = granted(cli, manifest, digest, grants, &found);
    let shown = found.path.display();
    let version = match look::version(&found.path, cli, patience).await {
        Ok(version) => version,
        Err(problem) => {
            let text = format!("{shown} did not tell its version: {problem}");
            return finding(false, text, cli.install.clone(), seen);
        }
    };
    seen.version = Some(version.to_string());
    seen.in_tested_range = cli.tested.as_ref().map(|tested| tested.matches(&version));
    seen.login = Some(look::login(&found.path, cli, manifest, &Instance::default(), patience).await);
    let text = match (&cli.tested, seen.in_tested_range) {
        (Some(tested), Some(false)) => format!("{shown} {version}; tested with {tested}, what they share works"),
        (Some(tested), _) => format!("{shown} {version}; tested with {tested}"),
        (None, _) => format!("{shown} {version}"),
    };
    finding(true, text, None, seen)
}

/// What the plugin may start of this program.
fn granted(cli: &CliProgram, manifest: &Manifest, digest: &str, grants: &[Grant], found: &Program) -> Vec<Granted> {
    // Where nobody works, nothing lies in the workspace.
    let executable = found.executable(Path::new("/nonexistent"));
    let profiles = manifest.spawn.iter().filter(|profile| profile.program == cli.program);
    let decided = profiles.map(|profile| {
        let profile = profile.profile.clone();
        let request = GrantRequest {
            manifest,
            digest,
            bundled: true,
            open_default: true,
            profile: &profile,
            executable: &executable,
        };
        match decide_grant(request, grants) {
            Ok(by) => Granted { profile, granted: true, rule: by.rule().into() },
            Err(refusal) => Granted { profile, granted: false, rule: refusal.to_string() },
        }
    });
    decided.collect()
}

impl Cli {
    /// What else there is to say, line by line.
    fn lines(&self, provider: &str) -> Vec<String> {
        let login = self.login.iter().map(|login| {
            let fix = match login.logged_in {
                LoggedIn::No => format!("; `jackfield login {provider}` does that"),
                LoggedIn::Yes | LoggedIn::Unknown => String::new(),
            };
            format!("logged in: {} ({}){fix}", login.logged_in.word(), login.how)
        });
        let refused = self.grants.iter().filter(|one| !one.granted);
        let refused = refused.map(|one| format!("may not be started (profile {}): {}", one.profile, one.rule));
        let names: Vec<&str> = self.grants.iter().filter(|one| one.granted).map(|one| one.profile.as_str()).collect();
        let may = (!names.is_empty()).then(|| format!("may be started: {} ({})", names.join(", "), self.rule()));
        login.chain(refused).chain(may).collect()
    }

    fn rule(&self) -> &str {
        self.grants.iter().find(|one| one.granted).map_or("", |one| one.rule.as_str())
    }
}
