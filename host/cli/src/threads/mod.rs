//! `jackfield threads`: conversations that were had, from the store.

mod delete;
mod export;
mod markdown;
mod operate;

pub use operate::fork_at;

use crate::args::{ThreadsCommand, ThreadsListArgs};
use crate::exit::{Exit, Outcome};
use crate::output::{self, headline, plain};
use crate::run::thread_id;
use crate::setup;
use jackfield_core::contract::Content;
use jackfield_core::event::{EventBody, ItemBody, SessionEvent};
use jackfield_runtime::host::Host;
use jackfield_runtime::store::ThreadRecord;
use std::path::{Path, PathBuf};

/// Events that are read at once.
const PAGE: usize = 500;

/// Carries the command out.
pub async fn run(command: ThreadsCommand) -> Outcome {
    let host = setup::open_host().await?;
    match command {
        ThreadsCommand::List(args) => list(&host, args).await,
        ThreadsCommand::Show { thread, json } => show(&host, &thread, json.json).await,
        ThreadsCommand::Export { thread, format, output } => {
            export::run(&host, &thread, format, output.as_deref()).await
        }
        ThreadsCommand::Fork { thread, at, subagent, json } => {
            operate::fork(&host, &thread, operate::point(at.as_deref(), subagent.as_deref())?, json.json).await
        }
        ThreadsCommand::Open { thread, task, json } => operate::open_subagent(&host, &thread, &task, json.json).await,
        ThreadsCommand::Rollback { thread, to } => operate::rollback(&host, &thread, &to).await,
        ThreadsCommand::Delete(args) => delete::run(&host, args).await,
    }
}

/// A plugin as people call it: bundled ones by their name.
fn provider_of(row: &ThreadRecord) -> &str {
    row.plugin.strip_prefix("jackfield/").unwrap_or(&row.plugin)
}

async fn list(host: &Host, args: ThreadsListArgs) -> Outcome {
    let folder = args.folder.as_deref().map(real).transpose()?;
    let wanted = |row: &&ThreadRecord| {
        args.provider
            .as_ref()
            .is_none_or(|name| [provider_of(row), &row.plugin, &row.provider].contains(&name.as_str()))
            && folder.as_ref().is_none_or(|folder| Path::new(&row.folder).starts_with(folder))
    };
    let all = host.store().list_threads().await?;
    let rows: Vec<&ThreadRecord> = all.iter().filter(wanted).take(args.limit.unwrap_or(usize::MAX)).collect();
    if args.json.json {
        for row in &rows {
            output::json(&serde_json::json!({
                "id": row.id, "provider": row.provider, "plugin": row.plugin, "folder": row.folder, "title": row.title,
                "created_ms": row.created_ms, "updated_ms": row.updated_ms, "resumable": row.cursor.is_some(), "last_seq": row.last_seq,
            }))?;
        }
        return Ok(Exit::Completed);
    }
    if all.is_empty() {
        output::line("no threads yet; `jackfield run hello` begins one")?;
    } else if rows.is_empty() {
        output::line(&format!("none of {} threads is like that; `jackfield threads list` shows them", all.len()))?;
    }
    let room = output::width().saturating_sub(36 + 2 + 8 + 2 + 11 + 2).max(10);
    for row in &rows {
        let age = age(row.updated_ms);
        let title = headline(row.title.as_deref().unwrap_or_default(), room - 1);
        let line = format!("{}  {age:>8}  {:<11}  {title}", row.id, headline(provider_of(row), 11));
        output::line(line.trim_end())?;
        output::line(&format!("{:36}  {:8}  {}", "", "", at_home(&plain(&row.folder))))?;
    }
    Ok(Exit::Completed)
}

/// A path with the home folder as `~`.
pub(crate) fn at_home(path: &str) -> String {
    let home = std::env::var("HOME").unwrap_or_default();
    match path.strip_prefix(&home) {
        Some(rest) if !home.is_empty() && (rest.is_empty() || rest.starts_with('/')) => format!("~{rest}"),
        _ => path.to_owned(),
    }
}

/// A folder as it is written down. It may be gone, and its conversations not.
pub(crate) fn real(folder: &Path) -> std::io::Result<PathBuf> {
    folder.canonicalize().or_else(|_| std::path::absolute(folder))
}

/// How long ago that moment was, in the largest unit that fits. Milliseconds since 1970.
pub(crate) fn age(at_ms: u64) -> String {
    match jackfield_runtime::clock::now_ms().saturating_sub(at_ms) / 60_000 {
        0 => "just now".into(),
        minutes @ 1..60 => format!("{minutes} min"),
        minutes @ 60..1_440 => format!("{} h", minutes / 60),
        minutes => format!("{} d", minutes / 1_440),
    }
}

async fn show(host: &Host, text: &str, json: bool) -> Outcome {
    let id = thread_id(text)?;
    host.thread_row(&id).await?;
    let mut after = 0;
    loop {
        let page = host.store().events(&id, after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(Exit::Completed) };
        after = last.seq;
        for event in &page {
            if json {
                output::json(event)?;
            } else if let Some(line) = line_of(event) {
                output::line(&line)?;
            }
        }
    }
}

/// What was said and done, one line or text for each thing that ended.
pub(crate) fn line_of(event: &SessionEvent) -> Option<String> {
    let inside = if event.draft.parent.is_some() { "    " } else { "" };
    let text = match &event.draft.body {
        EventBody::ItemEnded { item } => match &item.body {
            ItemBody::UserMessage { content, typed: true } => format!("> {}", texts(content)),
            ItemBody::AssistantMessage { text, .. } => text.clone(),
            ItemBody::Tool { tool, .. } => format!(
                "● {} {} ({})",
                tool.name.as_deref().unwrap_or("tool"),
                headline(tool.title.as_deref().unwrap_or_default(), 120),
                word(&item.status)
            ),
            _ => return None,
        },
        EventBody::RunEnded { status, fault, .. } => match fault {
            Some(fault) => format!("— {}: {}", word(status), fault.message),
            None => format!("— {}", word(status)),
        },
        EventBody::ThreadRolledBack { runs, .. } => format!("— rolled back: {} runs are taken back", runs.len()),
        EventBody::ThreadForked { from, .. } => format!("— a copy of {from}"),
        EventBody::ThreadOpened { from, .. } => format!("— a subagent's thread of {from}"),
        EventBody::ContextChanged { change } => format!("— context {}", word(&change.what)),
        EventBody::Gap { from_seq, to_seq } => format!("— events {from_seq} to {to_seq} are not kept"),
        _ => return None,
    };
    Some(plain(&format!("{inside}{text}")))
}

fn texts(content: &[Content]) -> String {
    let parts = content.iter().map(|part| match part {
        Content::Text(text) => text.clone(),
        Content::Media(media) => format!("[{}]", media.name.as_deref().unwrap_or(&media.mime)),
        Content::Diff(diff) => format!("[{}]", diff.path),
        Content::Other(other) => format!("[{}]", other.name),
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// The word that the schema uses.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
