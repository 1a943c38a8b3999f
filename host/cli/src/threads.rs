//! `jackfield threads`: conversations that were had, from the store.

use crate::args::ThreadsCommand;
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{self, headline, plain};
use crate::setup;
use jackfield_core::contract::Content;
use jackfield_core::event::{EventBody, ItemBody, SessionEvent};
use jackfield_core::id::ThreadId;
use jackfield_runtime::host::Host;

/// Carries the command out.
pub async fn run(command: ThreadsCommand) -> Outcome {
    let host = setup::open_host()?;
    match command {
        ThreadsCommand::List(args) => list(&host, args.json).await,
        ThreadsCommand::Show { thread, json } => show(&host, &thread, json.json).await,
    }
}

async fn list(host: &Host, json: bool) -> Outcome {
    let rows = host.store().list_threads().await?;
    if json {
        for row in &rows {
            output::json(&serde_json::json!({
                "id": row.id, "provider": row.provider, "plugin": row.plugin, "folder": row.folder, "title": row.title,
                "created_ms": row.created_ms, "updated_ms": row.updated_ms, "resumable": row.cursor.is_some(), "last_seq": row.last_seq,
            }))?;
        }
        return Ok(Exit::Completed);
    }
    if rows.is_empty() {
        output::line("no threads yet; `jackfield run hello` begins one")?;
    }
    for row in &rows {
        let title = row.title.as_deref().unwrap_or_default();
        let age = age(jackfield_runtime::clock::now_ms().saturating_sub(row.updated_ms));
        let provider = row.plugin.strip_prefix("jackfield/").unwrap_or(&row.plugin);
        output::line(&format!("{}  {age:>9}  {:<12}  {}", row.id, headline(provider, 24), headline(title, 60)))?;
        output::line(&format!("{:36}  {:>9}  {}", "", "", plain(&row.folder)))?;
    }
    Ok(Exit::Completed)
}

/// How long ago, in the largest unit that fits.
fn age(ms: u64) -> String {
    match ms / 60_000 {
        0 => "just now".into(),
        minutes @ 1..60 => format!("{minutes} min"),
        minutes @ 60..1_440 => format!("{} h", minutes / 60),
        minutes => format!("{} d", minutes / 1_440),
    }
}

async fn show(host: &Host, text: &str, json: bool) -> Outcome {
    let id = ThreadId::parse(text).ok_or_else(|| {
        Failure::usage(format!("'{text}' is no thread; `jackfield threads list` shows those there are"))
    })?;
    host.thread_row(&id).await?;
    let mut after = 0;
    loop {
        let page = host.store().events(&id, after, 500).await?;
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
fn line_of(event: &SessionEvent) -> Option<String> {
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
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
