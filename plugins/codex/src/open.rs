//! Threads: begun, resumed, let go. Several on one program.
//!
//! **A cursor is told only once the program has written the thread**: one in which nothing was said yet is not on disk, and can't
//! be resumed. The first whole item of its first turn shows that it is.

use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use serde_json::{Map, Value, json};

use crate::fault::REFUSED;
use crate::session::{Call, Codex};
use crate::settings::Settings;
use crate::thread::Thread;
use crate::wire::Opened;

impl Codex {
    pub(crate) fn open(&mut self, cx: &mut Cx, op: u32, open: &OpenThread) {
        if let Some(fault) = self.not_ready().or_else(|| self.not_logged_in()) {
            return cx.fail(op, fault);
        }
        let mut settings = self.settings.clone();
        for (name, value) in &open.selection {
            if let Err(fault) = Settings::check(name, value) {
                return cx.fail(op, fault);
            }
            settings.choose(name, value);
        }
        let mut params = settings.opening();
        if let Err(fault) = self.give(&mut params, open) {
            return cx.fail(op, fault);
        }
        self.settings_of_opening.insert(op, settings);
        let folder = open.folder.clone().or_else(|| cx.session().map(|start| start.folder.clone()));
        if let Some(folder) = folder {
            params.insert("cwd".into(), folder.into());
        }
        let method = match &open.cursor {
            None => "thread/start",
            Some(cursor) => {
                self.copies.remove(cursor);
                params.insert("threadId".into(), cursor.as_str().into());
                if self.version.is_new() {
                    params.insert("excludeTurns".into(), true.into());
                }
                "thread/resume"
            }
        };
        let call = Call::Open { op, resumes: open.cursor.is_some() };
        self.call(cx, Some(op), method, Value::Object(params), call);
    }

    /// Instructions, MCP servers and tools of the host's.
    fn give(&self, params: &mut Map<String, Value>, open: &OpenThread) -> Result<(), Fault> {
        let mut instructions = vec![];
        for part in &open.context {
            match part.role {
                ContextRole::Developer => instructions.push(part.text.as_str()),
                role => {
                    let text = format!("Codex takes no context in the role {role:?} before the first message.");
                    return Err(Fault::unsupported(text));
                }
            }
        }
        if !instructions.is_empty() {
            params.insert("developerInstructions".into(), instructions.join("\n\n").into());
        }
        if let Some(config) = self.servers.config() {
            params.insert("config".into(), config);
        }
        // A thread that is resumed has those it began with.
        if !self.tools.is_empty() && open.cursor.is_none() {
            let tools = self.tools.iter().map(|tool| {
                let schema: Value = serde_json::from_str(&tool.input_schema).unwrap_or_else(|_| json!({}));
                json!({"name": tool.name, "description": tool.description, "inputSchema": schema})
            });
            params.insert("dynamicTools".into(), tools.collect());
        }
        Ok(())
    }

    pub(crate) fn opened(&mut self, cx: &mut Cx, op: u32, resumes: bool, answer: Result<Value, RpcError>) {
        let mut settings = self.settings_of_opening.remove(&op).unwrap_or_default();
        let opened: Opened = match answer {
            Ok(opened) => serde_json::from_value(opened).unwrap_or_default(),
            Err(error) if resumes && error.code == REFUSED => return cx.fail(op, error.fault(FaultKind::NotFound)),
            Err(error) => return cx.fail(op, crate::fault::of_call(&error)),
        };
        if opened.thread.id.is_empty() {
            return cx.fail(op, Fault::new(FaultKind::Protocol, "Codex opened a thread and did not name it."));
        }
        settings.opened(&opened);
        let thread = Thread {
            id: opened.thread.id.clone(),
            parent: opened.thread.forked_from_id.clone(),
            title: opened.thread.name.clone(),
            settings,
            stored: resumes,
            turns: opened.thread.turns.iter().map(|turn| turn.id.clone()).collect(),
            whole: !resumes || !opened.thread.turns.is_empty(),
            ..Thread::default()
        };
        cx.done(op, OpValue::Thread(thread.to_thread(ThreadState::Idle)));
        let shown = thread.settings.to_settings(&self.models);
        self.threads.insert(thread);
        let scope = self.scope(&opened.thread.id, None);
        cx.event_in(scope.clone(), EventBody::Settings(shown));
        if resumes && !self.tools.is_empty() {
            let text =
                "A conversation that is resumed has the host's tools that it began with; others hold in a new one.";
            cx.event_in(scope, EventBody::Note(Note::new(Level::Info, "tools-of-the-beginning", text)));
        }
    }

    /// The command `close-thread`. The program stays, also without a thread: another may be on its way, and the host says when the
    /// session ends.
    pub(crate) fn close_thread(&mut self, cx: &mut Cx, op: u32, thread: Option<&str>) {
        if let Ok(id) = self.threads.of_command(thread) {
            self.threads.remove(&id);
            self.call(cx, None, "thread/unsubscribe", json!({"threadId": id}), Call::Nothing);
        }
        cx.done(op, OpValue::Accepted);
    }

    /// The command `register-tools`: the protocol has a place for them in `thread/start` and nowhere else, so a thread that is open keeps
    /// those that it began with.
    pub(crate) fn register(&mut self, cx: &mut Cx, op: u32, tools: Vec<ToolSpec>) {
        self.tools = tools;
        let applies = if self.threads.is_empty() { Applies::Now } else { Applies::InNewThread };
        cx.done(op, OpValue::Applied(applies));
    }

    /// Where an event of one of our threads belongs: named only where that says something.
    pub(crate) fn scope(&self, thread: &str, turn: Option<&str>) -> Option<Scope> {
        let open = self.threads.get(thread).and_then(|thread| thread.open.as_ref()).map(|open| open.id.as_str());
        let thread = (self.threads.several() || self.threads.get(thread).is_none()).then(|| thread.to_owned());
        let turn = turn.filter(|turn| open != Some(turn)).map(str::to_owned);
        if thread.is_none() && turn.is_none() {
            return None;
        }
        Some(Scope { thread, turn, ..Scope::root() })
    }

    /// The first whole item of a thread: it is on disk.
    pub(crate) fn stored(&mut self, cx: &mut Cx, id: &str) {
        let Some(thread) = self.threads.get_mut(id) else { return };
        if !thread.stored {
            thread.stored = true;
            let told = thread.to_thread(ThreadState::Active);
            cx.event(EventBody::Threads(vec![told]));
        }
    }
}
