//! What agents keep of their conversations in files of their own. The protocol has `session/list` and `session/load` for that; both need the
//! agent, and a load takes the conversation up. Files start nothing.
//!
//! Which files, and in which dialect of rows, is data in a manifest ([`History`]). A row becomes the updates by which the agent itself would
//! tell it, and those go through the live translation of a replay (`retold`). Tests: `tests/history.rs`.

mod copilot;
mod gemini;
mod kept;
mod opencode;
mod retold;

use jackfield_sdk::prelude::*;
use serde::Deserialize;

use crate::dialect::AcpDialect;
use crate::session::Acp;
use kept::Kept;

/// Where an agent's own files are, and how they read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct History {
    /// Whose rows they are.
    pub rows: Rows,
    /// The root of the manifest beneath which they lie.
    pub root: String,
    /// Their path there; `*` stands for any letters of one name.
    pub files: String,
}

/// A dialect of rows.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rows {
    /// Events of GitHub Copilot, one a line.
    Copilot,
    /// Messages of Gemini CLI, one a line.
    Gemini,
    /// OpenCode's SQLite database.
    Opencode,
}

impl<D: AcpDialect> Acp<D> {
    /// A command that files answer; any other is given back, as are all when there are none. The agent lists its threads itself where it runs.
    pub(crate) fn ask_files(
        &mut self,
        cx: &mut Cx,
        op: u32,
        thread: Option<&str>,
        body: CommandBody,
    ) -> Option<CommandBody> {
        let Some(history) = self.data.history.clone() else { return Some(body) };
        let (rows, data) = (history.rows, self.data.clone());
        let database = FilePath { root: history.root.clone(), path: history.files.clone() };
        let kept = Kept { history, data: self.data.clone() };
        match (body, rows) {
            (CommandBody::ListThreads(list), _) if !self.query => return Some(CommandBody::ListThreads(list)),
            (CommandBody::ListFolders, Rows::Opencode) => {
                self.past.ask(cx, op, |world| async move { Ok(opencode::folders(&world, &database).await) });
            }
            (CommandBody::ListThreads(list), Rows::Opencode) => {
                self.past.ask(cx, op, |world| async move { Ok(opencode::threads(&world, &database, &list).await) });
            }
            (CommandBody::ReadThread(read), Rows::Opencode) => match read.of_thread(thread) {
                Ok(id) => self
                    .past
                    .ask(cx, op, |world| async move { opencode::read(&world, &database, data, &id, &read).await }),
                Err(fault) => cx.fail(op, fault),
            },
            (CommandBody::ListFolders, _) => self.past.folders(cx, op, kept),
            (CommandBody::ListThreads(list), _) => self.past.threads(cx, op, kept, list),
            (CommandBody::ReadThread(read), _) => self.past.transcript(cx, op, kept, thread.map(str::to_owned), read),
            (body, _) => return Some(body),
        }
        None
    }
}

/// What a tool does, by the names that agents have for theirs, as the protocol's word.
fn kind(tool: &str) -> &'static str {
    match tool {
        "bash" | "shell" | "run_shell_command" | "read_bash" | "write_bash" | "stop_bash" => "execute",
        "view" | "read" | "read_file" | "read_many_files" => "read",
        "create" | "edit" | "write" | "write_file" | "replace" | "patch" | "apply_patch" | "multiedit" => "edit",
        "grep" | "glob" | "ls" | "list" | "search_file_content" | "grep_search" | "list_directory" => "search",
        "webfetch" | "web_fetch" | "google_web_search" | "websearch" | "web_search" => "fetch",
        "think" | "report_intent" => "think",
        _ => "other",
    }
}
