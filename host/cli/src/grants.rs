//! `jackfield grant`: the operator's key. What a plugin may start from now on is shown whole.

use crate::args::GrantCommand;
use crate::catalog;
use crate::exit::{Exit, Failure, Outcome};
use crate::{output, setup};
use jackfield_core::grant::{self, Grant, RootGrant};
use jackfield_core::manifest::Manifest;
use jackfield_runtime::audit::{Record, Verdict};
use jackfield_runtime::host::Host;
use jackfield_runtime::program;
use jackfield_runtime::store::GrantRow;
use jackfield_sandbox::{Inspection, inspect};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// Carries the command out.
pub async fn run(command: GrantCommand) -> Outcome {
    let host = setup::open_host().await?;
    match command {
        GrantCommand::Add { plugin, root: Some(root), .. } => add_root(&host, &plugin, &root).await,
        GrantCommand::Add { plugin, profile, exe, root: None } => {
            add(&host, &plugin, profile.as_deref().unwrap_or("main"), &exe).await
        }
        GrantCommand::List(args) => list(&host, args.json).await,
        GrantCommand::Revoke { plugin, profile, root } => {
            let what = profile.as_deref().map(subject).or(root.as_deref().map(root_subject));
            revoke(&host, &plugin, what.as_deref()).await
        }
    }
}

async fn add(host: &Host, file: &Path, profile: &str, exe: &[(String, String)]) -> Outcome {
    let found = inspected(file)?;
    let manifest = &found.manifest;
    let Some(wanted) = manifest.profile(profile) else {
        return Err(not_asked_for("profile", profile, manifest, manifest.spawn.iter().map(|one| one.profile.as_str())));
    };
    let chosen =
        exe.iter().find(|(name, _)| *name == wanted.program).map(|(_, path)| std::path::absolute(path)).transpose()?;
    if let Some((other, _)) = exe.iter().find(|(name, _)| *name != wanted.program) {
        return Err(Failure::usage(format!("profile '{profile}' starts '{}', not '{other}'", wanted.program)));
    }
    let search = std::env::var("PATH").unwrap_or_default();
    let program = program::find(&wanted.program, chosen.as_deref(), &search).map_err(Failure::usage)?;
    grant::check_executable(&program.executable(Path::new("/nonexistent"))).map_err(Failure::usage)?;
    let facts = json!({ "profile": profile, "program": program.path });
    keep(host, &found, subject(profile), facts, |plugin, digest, granted_at_ms, by| Grant {
        plugin,
        digest,
        profile: profile.to_owned(),
        program: program.path.clone(),
        script: None,
        granted_at_ms,
        by,
    })
    .await?;
    let args: Vec<String> = wanted.args.iter().map(|arg| arg.parts().join(" ")).collect();
    output::line(&format!("granted: {} may start", known_as(&manifest.full_name(), &found.digest)))?;
    output::line(&format!("  {} {}", program.path.display(), args.join(" ")))?;
    if !wanted.env.is_empty() {
        output::line(&format!("  with your {}", wanted.env.join(", ")))?;
    }
    for origin in manifest.origin.iter().filter(|origin| origin.loopback.as_deref() == Some(profile)) {
        let routes: Vec<_> = origin.routes.iter().map(ToString::to_string).collect();
        output::line(&format!("  and ask the server that it is: {}", routes.join(", ")))?;
    }
    output::line(
        "  That program may act as you in the folder it is started in. `jackfield grant revoke` takes this back.",
    )?;
    Ok(Exit::Completed)
}

/// A folder to read beneath: where it lies for this operator, by its real path.
async fn add_root(host: &Host, file: &Path, name: &str) -> Outcome {
    let found = inspected(file)?;
    let manifest = &found.manifest;
    let Some(root) = manifest.root(name) else {
        return Err(not_asked_for("root", name, manifest, manifest.root.iter().map(|one| one.name.as_str())));
    };
    let own = |name: &str| std::env::var(name).ok();
    let place = root.place(own).map_err(Failure::usage)?;
    let path = place.canonicalize().map_err(|error| {
        Failure::usage(format!("{} is not there ({error}); it can be granted once it is", place.display()))
    })?;
    let home = own("HOME").and_then(|home| Path::new(&home).canonicalize().ok());
    grant::check_root(name, &path, home.as_deref()).map_err(Failure::usage)?;
    let facts = json!({ "root": name, "path": path });
    keep(host, &found, root_subject(name), facts, |plugin, digest, granted_at_ms, by| RootGrant {
        plugin,
        digest,
        root: name.to_owned(),
        path: path.clone(),
        granted_at_ms,
        by,
    })
    .await?;
    output::line(&format!("granted: {} may read beneath", known_as(&manifest.full_name(), &found.digest)))?;
    output::line(&format!("  {}", path.display()))?;
    output::line("  It gets to see every file there. `jackfield grant revoke` takes this back.")?;
    Ok(Exit::Completed)
}

fn inspected(file: &Path) -> Result<Inspection, Failure> {
    let bytes = catalog::file(file)?.bytes;
    inspect(&bytes).map_err(|error| Failure::unavailable(format!("{}: {error}", file.display())))
}

fn not_asked_for<'a>(kind: &str, name: &str, manifest: &Manifest, known: impl Iterator<Item = &'a str>) -> Failure {
    let known: Vec<_> = known.collect();
    Failure::usage(format!(
        "{} asks for no {kind} '{name}'; it asks for: {}",
        manifest.full_name(),
        if known.is_empty() { "none".into() } else { known.join(", ") }
    ))
}

/// Writes a grant down, its record first. It is made of the plugin, its digest, now, and who grants it.
async fn keep<G: Serialize>(
    host: &Host,
    found: &Inspection,
    what: String,
    facts: Value,
    grant: impl FnOnce(String, String, u64, String) -> G,
) -> Result<(), Failure> {
    let (plugin, digest) = (found.manifest.full_name(), found.digest.clone());
    let granted_ms = jackfield_runtime::clock::now_ms();
    let by = std::env::var("USER").unwrap_or_else(|_| "operator".into());
    host.record(&Record {
        kind: "grant",
        verdict: Verdict::Allowed,
        rule: "operator",
        plugin: &plugin,
        digest: &digest,
        session: "",
        facts,
    })?;
    let grant = grant(plugin.clone(), digest.clone(), granted_ms, by);
    Ok(host.store().add_grant(&GrantRow { plugin, digest, what, grant, granted_ms }).await?)
}

/// A build of a plugin, for a person.
fn known_as(plugin: &str, digest: &str) -> String {
    format!("{plugin} ({})", digest.get(..12).unwrap_or(digest))
}

async fn list(host: &Host, json: bool) -> Outcome {
    let grants: Vec<GrantRow<Grant>> = host.store().grants(None).await?;
    for GrantRow { grant, .. } in &grants {
        let may = format!("start {} (profile {}, granted by {})", grant.program.display(), grant.profile, grant.by);
        show(grant, &known_as(&grant.plugin, &grant.digest), &may, json)?;
    }
    let roots: Vec<GrantRow<RootGrant>> = host.store().grants_about("root", None).await?;
    for GrantRow { grant, .. } in &roots {
        let may = format!("read beneath {} (root {}, granted by {})", grant.path.display(), grant.root, grant.by);
        show(grant, &known_as(&grant.plugin, &grant.digest), &may, json)?;
    }
    if grants.is_empty() && roots.is_empty() && !json {
        output::line("no grants; bundled plugins start their own programs without one")?;
    }
    Ok(Exit::Completed)
}

fn show(grant: &impl Serialize, who: &str, may: &str, json: bool) -> std::io::Result<()> {
    if json { output::json(grant) } else { output::line(&format!("{who} may {may}")) }
}

async fn revoke(host: &Host, plugin: &str, what: Option<&str>) -> Outcome {
    let taken = host.store().revoke_grants(plugin, what).await?;
    if taken == 0 {
        return Err(Failure::usage(format!(
            "'{plugin}' has no such grant; `jackfield grant list` shows those there are"
        )));
    }
    host.record(&Record {
        kind: "revoke",
        verdict: Verdict::Allowed,
        rule: "operator",
        plugin,
        digest: "",
        session: "",
        facts: json!({ "what": what, "grants": taken }),
    })?;
    output::line(&format!("revoked {taken} of {plugin}"))?;
    Ok(Exit::Completed)
}

/// What a grant is found by in the store.
fn subject(profile: &str) -> String {
    format!("spawn {profile}")
}

fn root_subject(root: &str) -> String {
    format!("root {root}")
}
