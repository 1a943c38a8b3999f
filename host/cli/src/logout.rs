//! `jackfield logout`: has a provider forget its login, by its protocol. No conversation is begun for it. Tests: `tests/tests/login.rs`.

use crate::args::LogoutArgs;
use crate::exit::{Exit, Failure, Outcome};
use crate::history::asked;
use crate::login::told_by_program;
use crate::look::{Ended, LoggedIn, Login};
use jackfield_core::contract::FaultKind;
use jackfield_runtime::session::AskError;
use std::time::Duration;

/// Carries the command out. Exit code 0 when nobody is logged in afterwards, or nothing says otherwise.
pub async fn run(args: LogoutArgs) -> Outcome {
    if args.of.provider.is_none() && args.of.instance.is_none() && args.of.plugin.is_none() {
        return Err(Failure::usage("which provider? Name it, or an instance with --instance NAME"));
    }
    let asked = asked(&args.of).await?;
    let provider = &asked.provider;
    let manifest = asked.plugin.generation.manifest().clone();
    if manifest.spawn.is_empty() {
        return Err(Failure::usage(format!("{provider} has no login: it starts no program")));
    }
    let mut query = asked.query("logout", None).await?;
    let told = query.log_out().await;
    query.close().await;
    told.map_err(|error| {
        let own = matches!(&error, AskError::Fault(fault) if fault.kind == FaultKind::Unsupported);
        let way = match (own, manifest.cli.first()) {
            (true, Some(cli)) => format!("; the program `{}` may have a command of its own for it", cli.program),
            _ => String::new(),
        };
        let Failure { exit, error } = Failure::from(error);
        Failure { exit, error: anyhow::anyhow!("{provider} was not logged out of: {error}{way}") }
    })?;
    let patience = Duration::from_millis(asked.host.limits().version_ms);
    let tells = manifest.cli.first().is_some_and(|cli| cli.logged_in.is_some());
    let login = match tells {
        true => told_by_program(&manifest, &asked.instance, patience).await,
        false => Login { logged_in: LoggedIn::No, how: "as the provider says".into() },
    };
    let exit = if login.logged_in == LoggedIn::Yes { Exit::Failed } else { Exit::Completed };
    Ended { provider, method: None, login }.say(args.json.json)?;
    Ok(exit)
}
