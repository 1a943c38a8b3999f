//! Stored conversations of a provider, and the settings it offers: a session of role *query*, which never begins a conversation.
//!
//! Nothing of it is kept: it has a log that only its asker hears, no journal, no row in the store. What it tells of a transcript goes
//! through the normalizer like everything else, marked `replayed`; the same transcript asked for in the same way has the same ids.
//! **A list that fails is empty, with a note that says why; a transcript that fails is an error.** Tests: `tests/tests/history.rs`.

mod own;
mod settings;

pub use settings::{Asking, KnownSettings};

use crate::host::{Host, HostError, Plugin};
use crate::instance::Instance;
use crate::mint;
use crate::query::own::Whose;
use crate::session::{AskError, Operation, Outcome, SeatStart, SessionHandle, SessionStart, fault};
use crate::thread_log::{Subscription, ThreadLog};
use jackfield_core::contract::{
    Fault, FaultKind, Folder, Level, ListThreads, Note, OpValue, ReadThread, Role, Setting, Thread,
};
use jackfield_core::event::{EventBody, Item, ItemBody, SessionEvent};
use jackfield_core::id::ThreadId;
use jackfield_core::identity::digest;
use jackfield_core::limits::Limits;
use jackfield_core::scrub;
use std::path::Path;
use std::sync::Arc;

/// Pages of a list that are looked through for one conversation.
const PAGES: usize = 50;

/// What a list gave, and what its reader must know of it.
#[derive(Debug, Clone)]
pub struct Listed<T> {
    /// What was found; nothing, when the list failed.
    pub found: Vec<T>,
    /// Where the next page begins; absent at the end.
    pub next: Option<String>,
    /// What went wrong on the way.
    pub notes: Vec<Note>,
}

/// A page of a transcript.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its events, oldest first, each marked `replayed`.
    pub events: Vec<Arc<SessionEvent>>,
    /// Where the page before it begins; absent at the beginning of the conversation.
    pub next: Option<String>,
    /// What its reader must know.
    pub notes: Vec<Note>,
}

/// A session of role query. Dropping it ends the session.
pub struct Query {
    session: SessionHandle,
    heard: Subscription,
    limits: Arc<Limits>,
    whose: Whose,
}

impl Host {
    /// Begins a session that only lists and reads. `subject` and `page` say what it is for: the ids of what it tells follow from them.
    pub async fn query(
        &self,
        plugin: &Plugin,
        instance: Instance,
        folder: &Path,
        subject: &str,
        page: Option<&str>,
    ) -> Result<Query, HostError> {
        instance.check(plugin.generation.manifest())?;
        let folder = crate::host::usable_folder(folder)?;
        let provider = plugin.generation.manifest().full_name();
        let thread =
            ThreadId::from_digits(&digest(&["query", &provider, &instance.name, subject, page.unwrap_or_default()]));
        let session = mint::session(&thread, 0);
        let shared = self.shared().clone();
        let log = Arc::new(ThreadLog::passing(thread, shared.store.clone(), shared.limits.clone()));
        let heard = log.subscribe();
        let start = SessionStart {
            role: Role::Query,
            session: session.clone(),
            epoch: 0,
            generation: plugin.generation.clone(),
            bundled: plugin.bundled,
            // What a conversation is begun with is not begun here.
            instance: Instance { mcp_servers: Vec::new(), tools: Vec::new(), ..instance },
            folder,
        };
        let seat =
            SeatStart { session, epoch: 0, cursor: None, native_id: None, log, survivors: Vec::new(), lease: None };
        let limits = shared.limits.clone();
        let whose = Whose::of(&start, &shared, self.data());
        let session = SessionHandle::start(start, seat, shared, Vec::new()).await?;
        Ok(Query { session, heard, limits, whose })
    }
}

impl Query {
    /// Folders that hold conversations.
    pub async fn folders(&mut self) -> Listed<Folder> {
        let told = self.ask(Operation::ListFolders).await;
        let limits = self.limits.clone();
        self.listed(told, |value| match value {
            OpValue::Folders(folders) => {
                let clean = |one: Folder| Folder { path: scrub::label(&one.path, limits.label_bytes).into(), ..one };
                Some((folders.into_iter().map(clean).collect(), None))
            }
            _ => None,
        })
    }

    /// Conversations, newest first: of one folder or of all.
    pub async fn threads(&mut self, folder: Option<String>, page: Option<String>, limit: u32) -> Listed<Thread> {
        let limit = self.most(limit);
        let told = self.ask(Operation::ListThreads(ListThreads { folder, page, limit })).await;
        let limits = self.limits.clone();
        self.listed(told, |value| match value {
            OpValue::Threads(list) => {
                Some((list.threads.into_iter().map(|one| clean(one, &limits)).collect(), list.next))
            }
            _ => None,
        })
    }

    /// The conversation that goes by this id or this cursor, as the provider lists it.
    pub async fn find(&mut self, name: &str, folder: Option<&str>) -> Listed<Thread> {
        let mut page = None;
        let mut notes = Vec::new();
        for _ in 0..PAGES {
            let list = self.threads(folder.map(str::to_owned), page, u32::MAX).await;
            notes.extend(list.notes);
            if let Some(found) =
                list.found.into_iter().find(|one| one.id == name || one.cursor.as_deref() == Some(name))
            {
                return Listed { found: vec![found], next: None, notes };
            }
            page = list.next;
            if page.is_none() {
                break;
            }
        }
        Listed { found: Vec::new(), next: None, notes }
    }

    /// A page of a conversation, from its end. `cursor` is the provider's own; the id, where it is known, says whose words are read.
    pub async fn read(
        &mut self,
        id: Option<&str>,
        cursor: &str,
        page: Option<String>,
        limit: u32,
    ) -> Result<Page, AskError> {
        let is_newest = page.is_none();
        let read = ReadThread { cursor: Some(cursor.to_owned()), page, limit: self.most(limit) };
        let told = self.ask(Operation::ReadStored(id.map(str::to_owned), read)).await;
        let (events, mut notes) = self.take_heard();
        let next = match told? {
            OpValue::Page(next) => next,
            _ => return Err(unfit("read-thread")),
        };
        if events.iter().any(|event| matches!(event.draft.body, EventBody::Gap { .. })) {
            let text =
                "the page has more events than can be held at once (limit subscriber_events); ask for fewer items";
            return Err(AskError::Fault(fault(FaultKind::Denied, text.into())));
        }
        let events: Vec<_> = events.into_iter().filter(|event| event.draft.origin.replayed).collect();
        notes.extend(parted(&events, next.is_some(), is_newest));
        Ok(Page { events, next, notes })
    }

    /// The settings that a new thread could have, and the version of the program that told them.
    pub async fn settings(&mut self) -> Result<(Vec<Setting>, Option<String>), AskError> {
        match self.ask(Operation::ListSettings).await? {
            OpValue::Settings(settings) => {
                let version = self.session.capabilities().and_then(|view| view.provider_version);
                Ok((settings, version))
            }
            _ => Err(unfit("list-settings")),
        }
    }

    /// Ends the session in order.
    pub async fn close(self) {
        self.session.close().await;
    }

    fn most(&self, limit: u32) -> u32 {
        u64::from(limit).clamp(1, self.limits.history_items) as u32
    }

    async fn ask(&mut self, operation: Operation) -> Result<OpValue, AskError> {
        match self.session.operate(operation).await {
            Ok(Outcome::Done(value)) => Ok(value),
            Ok(_) => Err(unfit("a question")),
            // Why it ended is the answer.
            Err(AskError::Ended) => Err(self.why_ended().await),
            Err(error) => Err(error),
        }
    }

    async fn why_ended(&mut self) -> AskError {
        self.session.ended().await;
        while let Some(event) = self.heard.next_now() {
            if let EventBody::SessionEnded { fault: Some(fault), .. } = &event.draft.body {
                return AskError::Fault(fault.clone());
            }
        }
        AskError::Ended
    }

    fn listed<T>(
        &mut self,
        told: Result<OpValue, AskError>,
        of: impl FnOnce(OpValue) -> Option<(Vec<T>, Option<String>)>,
    ) -> Listed<T> {
        let (_, mut notes) = self.take_heard();
        let told = told.and_then(|value| of(value).ok_or_else(|| unfit("a list")));
        let (found, next) = told.unwrap_or_else(|error| {
            notes.push(failed(&error));
            (Vec::new(), None)
        });
        Listed { found, next, notes }
    }

    /// What was told since it was last asked, and what of it is a note for the reader.
    fn take_heard(&mut self) -> (Vec<Arc<SessionEvent>>, Vec<Note>) {
        let mut events = Vec::new();
        while let Some(event) = self.heard.next_now() {
            events.push(event);
        }
        let notes = events.iter().filter_map(|event| match &event.draft.body {
            EventBody::Diagnostic { note, .. } if note.level >= Level::Warning => Some(note.clone()),
            EventBody::EffectRefused { code, message, .. } => Some(warning(code, message.clone())),
            _ => None,
        });
        let notes = notes.collect();
        (events, notes)
    }
}

/// What a person reads of it is bounded and moves no terminal; what names it is as the provider wrote it.
fn clean(told: Thread, limits: &Limits) -> Thread {
    let text = |text: Option<String>| text.map(|text| scrub::label(&text, limits.label_bytes).into_owned());
    Thread { title: text(told.title), preview: text(told.preview), folder: text(told.folder), ..told }
}

/// Calls that were parted from their results: the plugin's promise is that none is, and a reader must not take a piece for the whole.
fn parted(events: &[Arc<SessionEvent>], has_older: bool, is_newest: bool) -> Option<Note> {
    let ended = |event: &&Arc<SessionEvent>| match &event.draft.body {
        EventBody::ItemEnded { item } => Some((event.draft.origin.synthetic, item.clone())),
        _ => None,
    };
    let items: Vec<(bool, Item)> = events.iter().filter_map(|event| ended(&event)).collect();
    let without_call = |item: &Item| match &item.body {
        ItemBody::Tool { tool, .. } => {
            let named = [&tool.name, &tool.title, &tool.input].into_iter().flatten().any(|text| !text.is_empty());
            !named && !tool.content.is_empty()
        }
        _ => false,
    };
    let is_words = |item: &Item| matches!(item.body, ItemBody::UserMessage { .. } | ItemBody::AssistantMessage { .. });
    let orphans = items.iter().filter(|(_, item)| has_older && without_call(item)).count();
    // Nothing follows them in this page: what does stands in the one after it.
    let last = items.iter().rev().take_while(|(_, item)| !is_words(item));
    let open = last.filter(|(made, item)| !is_newest && *made && matches!(item.body, ItemBody::Tool { .. })).count();
    (orphans + open > 0).then(|| {
        let text = format!("{} calls and their results stand in different pages; ask for more items", orphans + open);
        warning("history-parted", text)
    })
}

fn failed(error: &AskError) -> Note {
    let cause = match error {
        AskError::Fault(fault) => fault.clone(),
        other => fault(FaultKind::Internal, other.to_string()),
    };
    let code = cause.code.clone().unwrap_or_else(|| "list-failed".into());
    Note { fault: Some(cause), ..warning(&code, format!("the list is empty because it failed: {error}")) }
}

fn warning(code: &str, text: String) -> Note {
    Note { level: Level::Warning, code: code.to_owned(), text, fault: None }
}

fn unfit(command: &str) -> AskError {
    let text = format!("the plugin answered {command} with something of another kind");
    AskError::Fault(Fault { code: Some("unfit-answer".into()), ..fault(FaultKind::Protocol, text) })
}
