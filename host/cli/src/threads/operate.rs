//! `jackfield threads fork` and `threads rollback`: a session is begun for it, with what the thread keeps, and ends with it.
//!
//! **Nothing is asked of the model.** Tests: `tests/tests/threads.rs`.

use super::parse;
use crate::config::{self, Choice, Kept};
use crate::exit::{Exit, Failure, Outcome};
use crate::output;
use crate::run::plugin_of;
use jackfield_core::id::TurnId;
use jackfield_runtime::host::{Host, HostError};
use jackfield_runtime::thread::{ForkAt, Thread};

/// Copies it, and says the copy's id.
pub async fn fork(host: &Host, thread: &str, at: Option<&str>, json: bool) -> Outcome {
    let at = at.map(turn).transpose()?.map_or(ForkAt::Tip, ForkAt::Turn);
    let thread = open(host, thread).await?;
    let copied = host.copy_thread(&thread, at).await;
    thread.close().await?;
    let copy = copied?;
    match json {
        true => output::json(&serde_json::json!({ "id": copy, "from": thread.id() }))?,
        false => output::line(copy.as_str())?,
    }
    Ok(Exit::Completed)
}

/// Goes back in it.
pub async fn rollback(host: &Host, thread: &str, to: &str) -> Outcome {
    let to = if to == "start" { None } else { Some(turn(to)?) };
    let thread = open(host, thread).await?;
    let gone = thread.rollback(to.as_ref()).await;
    thread.close().await?;
    gone.map_err(HostError::from)?;
    Ok(Exit::Completed)
}

fn turn(text: &str) -> Result<TurnId, Failure> {
    TurnId::parse(text).ok_or_else(|| {
        Failure::usage(format!(
            "'{text}' is no turn; `jackfield threads show THREAD --json` has them in `turn.started`"
        ))
    })
}

/// As `run --resume` opens it, without a word of ours.
async fn open(host: &Host, text: &str) -> Result<Thread, Failure> {
    let row = host.thread_row(&parse(text)?).await?;
    let kept = host.store().setup(&row.id).await?.and_then(|json| serde_json::from_str::<Kept>(&json).ok());
    let choice = config::choose_for(&config::load()?, &row, kept)?;
    let (plugin, provider) = plugin_of(host, &choice, Some(&row)).await?;
    let Choice { setup, kept, whose, .. } = choice;
    let instance = setup.into_instance(kept.instance.as_deref().unwrap_or(&provider), &whose)?;
    Ok(host.resume_thread(&plugin, instance, &row.id).await?)
}
