//! `jackfield threads fork`, `threads open` and `threads rollback`: a session is begun for it, with what the thread keeps, and ends with it.
//!
//! **Nothing is asked of the model.** Tests: `tests/tests/threads.rs`.

use crate::config::{self, Kept};
use crate::exit::{Exit, Failure, Outcome};
use crate::output;
use crate::run::{plugin_of, thread_id};
use jackfield_core::id::{ItemId, TaskId, ThreadId, TurnId};
use jackfield_runtime::host::{Host, HostError};
use jackfield_runtime::thread::{ForkAt, Thread};

/// Copies it, and says the copy's id.
pub async fn fork(host: &Host, thread: &str, at: ForkAt, json: bool) -> Outcome {
    let thread = open(host, thread).await?;
    let copied = host.copy_thread(&thread, at).await;
    thread.close().await?;
    told(&thread, &copied?, json)
}

/// Opens a subagent's thread, and says its id; the thread's own where the subagent is shown in that.
pub async fn open_subagent(host: &Host, thread: &str, task: &str, json: bool) -> Outcome {
    let task = subagent(task).map_err(Failure::usage)?;
    let thread = open(host, thread).await?;
    let opened = host.open_subagent(&thread, &task).await;
    thread.close().await?;
    told(&thread, &opened?, json)
}

fn told(from: &Thread, made: &ThreadId, json: bool) -> Outcome {
    match json {
        true => output::json(&serde_json::json!({ "id": made, "from": from.id() }))?,
        false => output::line(made.as_str())?,
    }
    Ok(Exit::Completed)
}

/// Where a thread is to be copied, as a person names it.
pub fn point(at: Option<&str>, task: Option<&str>) -> Result<ForkAt, Failure> {
    fork_at(at, task).map_err(Failure::usage)
}

/// The same for a script; what is wrong with the names.
pub fn fork_at(at: Option<&str>, task: Option<&str>) -> Result<ForkAt, String> {
    let point = |text: &str| {
        let turn = TurnId::parse(text).map(ForkAt::Turn);
        turn.or_else(|| ItemId::parse(text).map(ForkAt::Item)).ok_or_else(|| {
            format!(
                "'{text}' is no turn and no item; `jackfield threads show THREAD --json` has them in `turn.started` and `item.ended`"
            )
        })
    };
    match (at, task) {
        (None, None) => Ok(ForkAt::Tip),
        (Some(at), None) => point(at),
        (None, Some(task)) => subagent(task).map(ForkAt::Subagent),
        (Some(_), Some(_)) => Err("give either a point of the thread or a subagent".into()),
    }
}

fn subagent(text: &str) -> Result<TaskId, String> {
    let nobody = || format!("'{text}' is no task; `jackfield threads show THREAD --json` has them in `task.updated`");
    TaskId::parse(text).ok_or_else(nobody)
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
    let row = host.thread_row(&thread_id(text)?).await?;
    let kept = host.store().setup(&row.id).await?.and_then(|json| serde_json::from_str::<Kept>(&json).ok());
    let choice = config::choose_for(&config::load()?, &row, kept)?;
    let (plugin, provider) = plugin_of(host, &choice, Some(&row)).await?;
    Ok(host.resume_thread(&plugin, choice.instance(&provider)?, &row.id).await?)
}
