//! `jackfield history delete`: for good, and only when a person says so, on a terminal or by `--yes`.

use super::{asked, since, written};
use crate::args::ProviderArgs;
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{self, headline, plain};
use jackfield_core::contract::Thread;
use jackfield_runtime::query::Listed;
use std::path::PathBuf;

/// Carries the command out.
pub(super) async fn run(of: &ProviderArgs, session: &str, folder: Option<PathBuf>, yes: bool) -> Outcome {
    if !yes && !output::person_present() {
        return Err(Failure::usage("this deletes for good; without a terminal, say --yes"));
    }
    let folder = folder.as_deref().map(written).transpose()?;
    let asked = asked(of).await?;
    let mut query = asked.query(session, None).await?;
    let Listed { found, notes, .. } = query.find(session, folder.as_deref()).await;
    let found: Option<Thread> = found.into_iter().next();
    if !yes && !agreed(&asked.provider, session, found.as_ref())? {
        query.close().await;
        output::line("nothing was deleted")?;
        return Ok(Exit::Completed);
    }
    // A provider that lists nothing may still know a conversation by its name.
    let id = found.as_ref().map_or(session, |found| &found.id);
    let deleted = query.delete(id).await;
    query.close().await;
    deleted.map_err(|error| asked.cannot(session, "deleted", error, found.is_some(), &notes))?;
    output::line(&format!(
        "{} has deleted '{}'. A thread of ours on it stays, with what was said in it: `jackfield threads list`",
        asked.provider,
        plain(id)
    ))?;
    Ok(Exit::Completed)
}

/// Shows what would go and asks.
fn agreed(provider: &str, session: &str, found: Option<&Thread>) -> Result<bool, Failure> {
    match found {
        Some(found) => {
            let when = found.modified_ms.map_or_else(String::new, since);
            let words = found.title.as_deref().or(found.preview.as_deref()).unwrap_or_default();
            eprintln!("  {}  {when}  {}", plain(&found.id), headline(words, 40));
        }
        None => eprintln!("  {}, which is not among those that {provider} lists", plain(session)),
    }
    Ok(output::agrees(&format!("Have {provider} delete this conversation for good?"))?)
}
