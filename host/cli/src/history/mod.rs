//! `jackfield history`: conversations that a provider has stored itself, as its plugin lists and reads them.
//!
//! A session is begun for it that holds no conversation, and ends with it. **A list that fails is empty, and says why; a transcript that
//! fails is an error.** Nothing of it becomes a thread here: that is `run --resume`. Tests: `tests/tests/history.rs`.

mod delete;
mod lines;

pub use lines::AnyHistoryLine;
pub(crate) use lines::HistoryLine;

use crate::args::{HistoryCommand, PageArgs, ProviderArgs};
use crate::config;
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{self, headline, plain};
use crate::run::plugin_of;
use crate::setup;
use crate::threads::{age, at_home, line_of, real};
use jackfield_core::contract::{Note, Thread};
use jackfield_runtime::host::{Host, Plugin};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::query::{Listed, Query};
use jackfield_runtime::session::AskError;
use std::path::{Path, PathBuf};

/// A provider that is asked.
pub(crate) struct Asked {
    pub(crate) host: Host,
    pub(crate) plugin: Plugin,
    pub(crate) instance: Instance,
    /// As a person calls it.
    pub(crate) provider: String,
}

/// Carries the command out.
pub async fn run(command: HistoryCommand) -> Outcome {
    match command {
        HistoryCommand::Folders { of, json } => folders(&of, json.json).await,
        HistoryCommand::Sessions { of, folder, page, json } => sessions(&of, folder, page, json.json).await,
        HistoryCommand::Show { of, session, folder, page, json } => show(&of, &session, folder, page, json.json).await,
        HistoryCommand::Delete { of, session, folder, yes } => delete::run(&of, &session, folder, yes).await,
    }
}

/// The provider that was named, with its instance.
pub(crate) async fn asked(of: &ProviderArgs) -> Result<Asked, Failure> {
    let settings = config::load()?;
    let choice = config::choose_asked(&settings, of)?;
    let host = setup::open_host_with(&settings).await?;
    let (plugin, provider) = plugin_of(&host, &choice, None).await?;
    let instance = choice.instance(&provider)?;
    Ok(Asked { host, plugin, instance, provider })
}

impl Asked {
    pub(crate) async fn query(&self, subject: &str, page: Option<&str>) -> Result<Query, Failure> {
        let here = std::env::current_dir()?;
        Ok(self.host.query(&self.plugin, self.instance.clone(), &here, subject, page).await?)
    }

    /// Why nothing could be done with a conversation, and the way out where it is not among those that are listed.
    fn cannot(&self, session: &str, done: &str, error: AskError, listed: bool, notes: &[Note]) -> Failure {
        let Failure { exit, error } = Failure::from(error);
        let way = match listed {
            true => String::new(),
            false => {
                let others = notes.iter().map(|note| format!("; {}", note.text)).collect::<String>();
                let provider = &self.provider;
                format!(
                    "; it is not among those that are listed{others}: `jackfield history sessions {provider}` shows them"
                )
            }
        };
        Failure { exit, error: anyhow::anyhow!("'{session}' can't be {done}: {error}{way}") }
    }
}

async fn folders(of: &ProviderArgs, json: bool) -> Outcome {
    let asked = asked(of).await?;
    let mut query = asked.query("folders", None).await?;
    let Listed { found, notes, .. } = query.folders().await;
    query.close().await;
    for folder in &found {
        if json {
            output::json(&HistoryLine::Folder(folder.clone()))?;
            continue;
        }
        let when = folder.modified_ms.map_or_else(String::new, since);
        output::line(&format!("{:>5}  {when:>8}  {}", folder.threads, at_home(&plain(&folder.path))))?;
    }
    if found.is_empty() && notes.is_empty() && !json {
        output::line(&format!("{} has no stored conversations", asked.provider))?;
    }
    last(&notes, None, json, "")
}

async fn sessions(of: &ProviderArgs, folder: Option<PathBuf>, page: PageArgs, json: bool) -> Outcome {
    let folder = folder.as_deref().map(written).transpose()?;
    let asked = asked(of).await?;
    let mut query = asked.query("sessions", None).await?;
    let Listed { found, next, notes } = query.threads(folder, page.page.clone(), page.limit).await;
    query.close().await;
    for thread in &found {
        if json {
            output::json(&HistoryLine::session(thread))?;
            continue;
        }
        let when = thread.modified_ms.map_or_else(String::new, since);
        let words = thread.title.as_deref().or(thread.preview.as_deref()).unwrap_or_default();
        let room = output::width().saturating_sub(36 + 2 + 8 + 2).max(10);
        let line = format!("{:<36}  {when:>8}  {}", plain(&thread.id), headline(words, room - 1));
        output::line(line.trim_end())?;
        if let Some(folder) = &thread.folder {
            output::line(&format!("{:36}  {:8}  {}", "", "", at_home(&plain(folder))))?;
        }
    }
    if found.is_empty() && notes.is_empty() && !json {
        output::line(&format!("{} has no stored conversations there", asked.provider))?;
    }
    last(&notes, next, json, "jackfield history sessions")
}

async fn show(of: &ProviderArgs, session: &str, folder: Option<PathBuf>, page: PageArgs, json: bool) -> Outcome {
    let folder = folder.as_deref().map(written).transpose()?;
    let asked = asked(of).await?;
    let mut query = asked.query(session, page.page.as_deref()).await?;
    let Listed { found, notes, .. } = query.find(session, folder.as_deref()).await;
    let found: Option<Thread> = found.into_iter().next();
    // A provider that lists nothing may still know a conversation by its name.
    let (id, cursor) = match &found {
        Some(Thread { id, cursor, .. }) => (Some(id.as_str()), cursor.as_deref().unwrap_or(id)),
        None => (None, session),
    };
    let read = query.read(id, cursor, page.page, page.limit).await;
    query.close().await;
    let read = read.map_err(|error| asked.cannot(session, "shown", error, found.is_some(), &notes))?;
    for event in &read.events {
        if json {
            output::json(event.as_ref())?;
        } else if let Some(line) = line_of(event) {
            output::line(&line)?;
        }
    }
    last(&read.notes, read.next, json, "jackfield history show")
}

/// What is to be known of a list or a page, and how it goes on.
fn last(notes: &[Note], next: Option<String>, json: bool, command: &str) -> Outcome {
    for note in notes {
        if json {
            output::json(&HistoryLine::Note(note.clone()))?;
        } else {
            eprintln!("jackfield: {} ({})", plain(&note.text), plain(&note.code));
        }
    }
    if json {
        output::json(&HistoryLine::End { next })?;
    } else if let Some(next) = next {
        eprintln!("jackfield: there is more: {command} … --page '{}'", plain(&next));
    }
    Ok(Exit::Completed)
}

/// A folder as providers write it down.
fn written(folder: &Path) -> Result<String, Failure> {
    Ok(real(folder)?.display().to_string())
}

fn since(ms: f64) -> String {
    age(ms.max(0.0) as u64)
}
