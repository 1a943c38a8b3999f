//! The lines of `history … --json` and `models --json` that are no session events.
//!
//! **The types are the schema: `jackfield schema history` prints what is derived from them and from the session events.**

use jackfield_core::contract::{Folder, Note, Setting, Thread};
use jackfield_core::event::SessionEvent;
use schemars::JsonSchema;
use serde::Serialize;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type")]
pub enum HistoryLine {
    /// A folder that holds conversations.
    #[serde(rename = "history.folder")]
    Folder(Folder),
    /// A stored conversation.
    #[serde(rename = "history.session")]
    Session {
        /// The provider's own id; `history show` and `run --resume` take it.
        id: String,
        /// True when it can be gone on with.
        resumable: bool,
        /// Title for a person.
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// First words of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        preview: Option<String>,
        /// Its working folder.
        #[serde(skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
        /// Last change, milliseconds since 1970.
        #[serde(skip_serializing_if = "Option::is_none")]
        modified_ms: Option<f64>,
        /// Id of the conversation that it was forked from, or that its subagent worked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    /// Something went wrong on the way: a list that is empty because it failed, a piece that is missing.
    #[serde(rename = "history.note")]
    Note(Note),
    /// The last line of a list or a page.
    #[serde(rename = "history.end")]
    End {
        /// What `--page` takes for the next one; absent at the end.
        #[serde(skip_serializing_if = "Option::is_none")]
        next: Option<String>,
    },
    /// Settings that a provider offers; the only line of `models --json`.
    #[serde(rename = "models")]
    Models {
        /// The provider.
        provider: String,
        /// The settings, with their choices.
        settings: Vec<Setting>,
        /// When the provider told them, milliseconds since 1970.
        told_ms: u64,
        /// The version of its program, where it tells that.
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<String>,
        /// Why they may not hold any more; absent for an answer that counts.
        #[serde(skip_serializing_if = "Option::is_none")]
        stale: Option<String>,
    },
}

impl HistoryLine {
    /// A conversation's line.
    pub fn session(thread: &Thread) -> HistoryLine {
        let Thread { id, cursor, title, preview, folder, modified_ms, parent, .. } = thread.clone();
        HistoryLine::Session { id, resumable: cursor.is_some(), title, preview, folder, modified_ms, parent }
    }
}

/// One line of `history … --json` or `models --json`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "read by the schema's generator alone")]
pub enum AnyHistoryLine {
    /// Of a list, or an end.
    Line(HistoryLine),
    /// What was said, marked `replayed`.
    Event(Box<SessionEvent>),
}
