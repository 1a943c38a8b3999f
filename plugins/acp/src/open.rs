//! Conversations: made, opened again, copied, let go.
//!
//! **What the agent tells while it opens an old one is history**, and a failure is a fault of the command, never a new conversation.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::answer::{Call, Why};
use crate::conversation::Conversation;
use crate::dialect::AcpDialect;
use crate::replay::Replay;
use crate::servers;
use crate::session::{Acp, Phase};
use crate::wire::{Opened, read};

impl<D: AcpDialect> Acp<D> {
    pub(crate) fn open(&mut self, cx: &mut Cx, op: u32, open: &OpenThread) {
        if self.phase != Phase::Ready {
            return cx.fail(
                op,
                Fault::new(FaultKind::Conflict, "The agent does not run. Open the thread in another session."),
            );
        }
        if !open.context.is_empty() {
            let text = format!("{} takes no context before the first message.", self.data.label);
            return cx.fail(op, Fault::unsupported(text));
        }
        let params = match self.place(cx, open.folder.as_deref()) {
            Ok(params) => params,
            Err(fault) => return cx.fail(op, fault),
        };
        let chosen = |name: &str| open.selection.iter().any(|(other, _)| other == name);
        let mut wanted: Pairs = self.wanted.iter().filter(|(name, _)| !chosen(name)).cloned().collect();
        wanted.extend(open.selection.iter().cloned());
        match &open.cursor {
            None => {
                self.early.opening += 1;
                cx.hold(op);
                self.ask(cx, "session/new", params, Call::New { op, wanted });
            }
            Some(id) => self.go_back(cx, op, id, params, wanted),
        }
    }

    /// Where a conversation works, and with which servers.
    fn place(&self, cx: &Cx, folder: Option<&str>) -> Result<Value, Fault> {
        let own = cx.session().map(|start| start.folder.as_str()).unwrap_or_default();
        let servers = servers::list(&self.data.label, &self.agent, &self.servers)?;
        Ok(json!({"cwd": folder.unwrap_or(own), "mcpServers": servers}))
    }

    fn go_back(&mut self, cx: &mut Cx, op: u32, id: &str, params: Value, wanted: Pairs) {
        if self.conversations.contains_key(id) {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "This conversation is open here already."));
        }
        if !self.agent.resumes() {
            let text = format!("{} can't open an old conversation again: it offers no way to.", self.data.label);
            return cx.fail(op, Fault::unsupported(text));
        }
        let opening =
            Conversation { opening: true, stored: true, replay: Some(Replay::default()), ..Conversation::default() };
        self.conversations.insert(id.to_owned(), opening);
        cx.hold(op);
        let method = if self.agent.returns { "session/resume" } else { "session/load" };
        self.ask_back(cx, op, id, method, params, wanted);
    }

    fn ask_back(&mut self, cx: &mut Cx, op: u32, id: &str, method: &'static str, mut params: Value, wanted: Pairs) {
        params["sessionId"] = id.into();
        self.ask(cx, method, params, Call::Back { op, id: id.to_owned(), method, wanted });
    }

    pub(crate) fn created(&mut self, cx: &mut Cx, op: u32, wanted: Pairs, outcome: Result<Value, Fault>) {
        self.early.opening = self.early.opening.saturating_sub(1);
        let opened: Opened = match outcome {
            Ok(reply) => read(reply),
            Err(fault) => return self.not_let_in(cx, op, fault),
        };
        if opened.session_id.is_empty() {
            let text = format!("{} opened a conversation and did not tell its id.", self.data.label);
            return cx.fail(op, Fault::new(FaultKind::Protocol, text));
        }
        let id = opened.session_id.clone();
        let mut conversation = Conversation { opening: true, ..Conversation::default() };
        conversation.settings.offer(&self.data, opened);
        self.conversations.insert(id.clone(), conversation);
        self.set_next(cx, &id, Why::Open(op), wanted);
    }

    pub(crate) fn came_back(
        &mut self,
        cx: &mut Cx,
        op: u32,
        id: &str,
        method: &str,
        wanted: Pairs,
        outcome: Result<Value, Fault>,
    ) {
        let reply = match outcome {
            Ok(reply) => reply,
            // Some say that they resume, and don't know the method.
            Err(fault) if fault.kind == FaultKind::Unsupported && method == "session/resume" && self.agent.loads => {
                self.agent.returns = false;
                return match self.place(cx, None) {
                    Ok(params) => self.ask_back(cx, op, id, "session/load", params, wanted),
                    Err(fault) => cx.fail(op, fault),
                };
            }
            Err(fault) => {
                self.conversations.remove(id);
                return self.not_let_in(cx, op, fault);
            }
        };
        if self.data.history_trails && method == "session/load" {
            return self.trails(cx, id, op, wanted, reply);
        }
        self.all_told(cx, op, id, wanted, reply);
    }

    /// The old conversation was told whole, and is open.
    pub(crate) fn all_told(&mut self, cx: &mut Cx, op: u32, id: &str, wanted: Pairs, reply: Value) {
        self.replay_ends(cx, id);
        if let Some(conversation) = self.conversations.get_mut(id) {
            // A bare `null` is a good answer, too.
            conversation.settings.offer(&self.data, read(reply));
            self.set_next(cx, id, Why::Open(op), wanted);
        }
    }

    /// The conversation is open, with the settings that were wanted.
    pub(crate) fn opened(&mut self, cx: &mut Cx, op: u32, id: &str) {
        let Some(conversation) = self.conversations.get_mut(id) else { return };
        conversation.opening = false;
        if let Some(thread) = self.to_thread(id, ThreadState::Idle) {
            cx.done(op, OpValue::Thread(thread));
        }
        self.negotiate(cx, Some(id));
        self.tell_settings(cx, id);
        let (told, nobodys) = self.early.take(id);
        for update in told {
            self.told(cx, id, update);
        }
        if nobodys > 0 {
            let text = format!("{nobodys} updates came of a conversation that nobody opened here");
            cx.diagnostic(Level::Warning, "another-conversation", text);
        }
    }

    /// The conversation can't have what was wanted: it is not opened.
    pub(crate) fn not_opened(&mut self, cx: &mut Cx, op: u32, id: &str, fault: Fault) {
        self.conversations.remove(id);
        self.early.take(id);
        self.let_go(cx, id);
        cx.fail(op, fault);
    }

    fn let_go(&mut self, cx: &mut Cx, id: &str) {
        if self.agent.closes {
            self.ask(cx, "session/close", json!({"sessionId": id}), Call::LetGo);
        }
    }

    /// The command `fork-thread`: the whole conversation, in a thread that another session opens.
    pub(crate) fn fork(&mut self, cx: &mut Cx, op: u32, thread: Option<String>, point: &Point) {
        let from = match self.of(thread) {
            Ok(id) => id,
            Err(fault) => return cx.fail(op, fault),
        };
        let label = &self.data.label;
        if !self.agent.forks {
            return cx.fail(op, Fault::unsupported(format!("{label} can't copy a conversation.")));
        }
        if point.turns_after > 0 || point.item.is_some() {
            return cx.fail(op, Fault::unsupported(format!("{label} copies a conversation only whole.")));
        }
        let mut params = match self.place(cx, None) {
            Ok(params) => params,
            Err(fault) => return cx.fail(op, fault),
        };
        params["sessionId"] = from.as_str().into();
        self.early.copying += 1;
        cx.hold(op);
        self.ask(cx, "session/fork", params, Call::Fork { op, from });
    }

    pub(crate) fn forked(&mut self, cx: &mut Cx, op: u32, from: String, outcome: Result<Value, Fault>) {
        let reply: Opened = match outcome {
            Ok(reply) => read(reply),
            Err(fault) => {
                self.early.copying = self.early.copying.saturating_sub(1);
                return cx.fail(op, fault);
            }
        };
        // Some go on to tell the copy's history after their answer: it is known as a copy's from now on.
        self.early.copies.insert(reply.session_id.clone());
        self.early.copying = self.early.copying.saturating_sub(1);
        let cursor = Some(reply.session_id.clone()).filter(|_| self.agent.resumes());
        let thread = Thread { cursor, parent: Some(from), ..Thread::new(&reply.session_id, ThreadState::Stored) };
        cx.done(op, OpValue::Thread(thread));
        self.let_go(cx, &reply.session_id);
    }

    /// The command `close-thread`.
    pub(crate) fn close_thread(&mut self, cx: &mut Cx, op: u32, thread: Option<String>) {
        let id = match self.of(thread) {
            Ok(id) => id,
            Err(fault) => return cx.fail(op, fault),
        };
        if !self.agent.closes {
            return self.thread_closed(cx, op, &id, Ok(Value::Null));
        }
        cx.hold(op);
        self.ask(cx, "session/close", json!({"sessionId": id}), Call::Close { op, id });
    }

    pub(crate) fn thread_closed(&mut self, cx: &mut Cx, op: u32, id: &str, outcome: Result<Value, Fault>) {
        if let Err(fault) = outcome {
            return cx.fail(op, fault);
        }
        self.withdraw(cx, Some(id));
        self.turn_lost(cx, id, &Fault::new(FaultKind::Cancelled, "The thread was closed."));
        self.conversations.remove(id);
        // The program stays, also without a conversation: another may be on its way, and the host says when the session ends.
        cx.done(op, OpValue::Accepted);
    }
}
