//! `jackfield grant`: the operator's key. What a plugin may start is shown whole before it is granted.

use crate::args::GrantCommand;
use crate::catalog;
use crate::exit::{Exit, Failure, Outcome};
use crate::{output, setup};
use jackfield_core::grant::{self, Grant};
use jackfield_runtime::audit::{Record, Verdict};
use jackfield_runtime::host::Host;
use jackfield_runtime::program;
use jackfield_sandbox::inspect;
use std::path::Path;

/// Carries the command out.
pub async fn run(command: GrantCommand) -> Outcome {
    let host = setup::open_host()?;
    match command {
        GrantCommand::Add { plugin, profile, exe } => add(&host, &plugin, &profile, &exe),
        GrantCommand::List(args) => list(&host, args.json),
        GrantCommand::Revoke { id } => revoke(&host, &id),
    }
}

fn add(host: &Host, file: &Path, profile: &str, exe: &[(String, String)]) -> Outcome {
    let bytes = catalog::file(file)?.bytes;
    let found = inspect(&bytes).map_err(|error| Failure::unavailable(format!("{}: {error}", file.display())))?;
    let manifest = &found.manifest;
    let Some(wanted) = manifest.profile(profile) else {
        let known: Vec<_> = manifest.spawn.iter().map(|one| one.profile.as_str()).collect();
        return Err(Failure::usage(format!("{} asks for no profile '{profile}'; it asks for: {}", manifest.full_name(), if known.is_empty() { "none".into() } else { known.join(", ") })));
    };
    let chosen = exe.iter().find(|(name, _)| *name == wanted.program).map(|(_, path)| std::path::absolute(path)).transpose()?;
    if let Some((other, _)) = exe.iter().find(|(name, _)| *name != wanted.program) {
        return Err(Failure::usage(format!("profile '{profile}' starts '{}', not '{other}'", wanted.program)));
    }
    let search = std::env::var("PATH").unwrap_or_default();
    let program = program::find(&wanted.program, chosen.as_deref(), &search).map_err(Failure::usage)?;
    let granted = grant::new_grant(manifest, &found.digest, profile, &program.path, program.owner_uid, program.mode, jackfield_runtime::clock::now_ms()).map_err(Failure::usage)?;
    host.record(&Record {
        kind: "grant",
        verdict: Verdict::Allowed,
        rule: "operator",
        plugin: &granted.plugin,
        digest: &granted.digest,
        session: "",
        facts: serde_json::json!({ "id": granted.id, "profile": profile, "program": program.path }),
    })?;
    host.store().add_grant(&granted)?;
    let args: Vec<String> = wanted.args.iter().map(|arg| arg.parts().join(" ")).collect();
    output::line(&format!("granted {}: {} may start", granted.id, granted.plugin))?;
    output::line(&format!("  {} {}", program.path.display(), args.join(" ")))?;
    if !wanted.env.is_empty() {
        output::line(&format!("  with your {}", wanted.env.join(", ")))?;
    }
    output::line("  That program may act as you in the folder it is started in. `jackfield grant revoke` takes this back.")?;
    Ok(Exit::Completed)
}

fn list(host: &Host, json: bool) -> Outcome {
    let grants: Vec<Grant> = host.store().list_grants()?;
    for granted in &grants {
        if json {
            output::json(granted)?;
        } else {
            output::line(&format!("{}  {} ({}) may start {} (profile {})", granted.id, granted.plugin, &granted.digest[..12.min(granted.digest.len())], granted.program.display(), granted.profile))?;
        }
    }
    if grants.is_empty() && !json {
        output::line("no grants; bundled plugins start their own programs without one")?;
    }
    Ok(Exit::Completed)
}

fn revoke(host: &Host, id: &str) -> Outcome {
    if !host.store().revoke_grant(id)? {
        return Err(Failure::usage(format!("there is no grant '{id}'; `jackfield grant list` shows those there are")));
    }
    host.record(&Record { kind: "revoke", verdict: Verdict::Allowed, rule: "operator", plugin: "", digest: "", session: "", facts: serde_json::json!({ "id": id }) })?;
    output::line(&format!("revoked {id}"))?;
    Ok(Exit::Completed)
}
