//! `jackfield threads delete`: for good, and only when a person says so, on a terminal or by `--yes`.

use crate::args::DeleteArgs;
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{self, headline};
use crate::run::thread_id;
use jackfield_runtime::clock::now_ms;
use jackfield_runtime::host::Host;
use jackfield_runtime::store::ThreadRecord;

/// Carries the command out. Exit code 1 when one could not be deleted: it is in use, and named.
pub async fn run(host: &Host, args: DeleteArgs) -> Outcome {
    let rows = chosen(host, &args).await?;
    if rows.is_empty() {
        output::line("no thread is like that; nothing was deleted")?;
        return Ok(Exit::Completed);
    }
    if !args.yes && !agreed(&rows)? {
        output::line("nothing was deleted")?;
        return Ok(Exit::Completed);
    }
    let ids: Vec<_> = rows.iter().map(|row| row.id.clone()).collect();
    let outcomes = host.delete_threads(&ids, "operator").await?;
    let mut failed = None;
    let deleted = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    for error in outcomes.into_iter().filter_map(Result::err) {
        eprintln!("jackfield: {error}");
        failed = Some(Failure::from(error).exit);
    }
    output::line(&format!(
        "deleted {deleted} of {}. Nothing of it is left here but audit records, which hold no word of it; what the provider keeps of its conversations is in the provider's own files",
        rows.len()
    ))?;
    Ok(failed.unwrap_or(Exit::Completed))
}

async fn chosen(host: &Host, args: &DeleteArgs) -> Result<Vec<ThreadRecord>, Failure> {
    if args.all || args.older_than.is_some() {
        let before = args.older_than.map_or(u64::MAX, |span| now_ms().saturating_sub(span.ms()));
        let all = host.store().list_threads().await?;
        return Ok(all.into_iter().filter(|row| row.updated_ms < before).collect());
    }
    if args.threads.is_empty() {
        return Err(Failure::usage(
            "which? Name threads, or say --older-than 30d or --all; `jackfield threads list` shows them",
        ));
    }
    let mut rows: Vec<ThreadRecord> = Vec::new();
    for text in &args.threads {
        let row = host.thread_row(&thread_id(text)?).await?;
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Shows what would go and asks. Without a terminal nobody can agree.
fn agreed(rows: &[ThreadRecord]) -> Result<bool, Failure> {
    if !output::person_present() {
        return Err(Failure::usage("this deletes for good; without a terminal, say --yes"));
    }
    const SHOWN: usize = 10;
    for row in rows.iter().take(SHOWN) {
        eprintln!("  {}  {}", row.id, headline(row.title.as_deref().unwrap_or_default(), 40));
    }
    if rows.len() > SHOWN {
        eprintln!("  and {} more", rows.len() - SHOWN);
    }
    let which = if rows.len() == 1 { "this thread".into() } else { format!("{} threads", rows.len()) };
    Ok(output::agrees(&format!("Delete {which} for good?"))?)
}
