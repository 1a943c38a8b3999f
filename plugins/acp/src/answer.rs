//! What comes from the agent, and to whom it goes: the answers to our calls, its own calls, its notifications.

use jackfield_sdk::jsonrpc::{Id, Incoming, RpcError};
use jackfield_sdk::ndjson;
use jackfield_sdk::prelude::*;
use serde_json::Value;

use crate::dialect::AcpDialect;
use crate::fault;
use crate::session::Acp;

/// What waits for the answer to a call of ours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Call {
    Initialize,
    /// Log in: a command's, or the start's own.
    Authenticate {
        op: Option<u32>,
    },
    New {
        op: u32,
        wanted: Pairs,
    },
    /// Load or resume this conversation.
    Back {
        op: u32,
        id: String,
        method: &'static str,
        wanted: Pairs,
    },
    Fork {
        op: u32,
        from: String,
    },
    Close {
        op: u32,
        id: String,
    },
    /// A copy was made, and nobody here talks in it.
    LetGo,
    List {
        op: u32,
        limit: u32,
    },
    /// Something by its name, and the conversation that is gone with it.
    Other {
        op: u32,
        method: &'static str,
        deletes: Option<String>,
    },
    Prompt {
        id: String,
        op: u32,
    },
    /// One of the settings that are being chosen; the rest is to come.
    Set {
        id: String,
        why: Why,
        name: String,
        value: String,
        rest: Pairs,
    },
}

/// Why a setting is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Why {
    /// The conversation is being opened by this command.
    Open(u32),
    /// This command chose it.
    Command(u32),
    /// It came along with a message.
    Along,
}

impl Call {
    /// The method that was called, for what an error means.
    fn method(&self) -> &str {
        match self {
            Call::Initialize => "initialize",
            Call::Authenticate { .. } => "authenticate",
            Call::New { .. } => "session/new",
            Call::Back { method, .. } | Call::Other { method, .. } => method,
            Call::Fork { .. } => "session/fork",
            Call::Close { .. } | Call::LetGo => "session/close",
            Call::List { .. } => "session/list",
            Call::Prompt { .. } => "session/prompt",
            Call::Set { .. } => "session/set_config_option",
        }
    }
}

impl<D: AcpDialect> Acp<D> {
    pub(crate) fn hear(&mut self, cx: &mut Cx, frame: &Frame) {
        if frame.pipe == Pipe::Error {
            // The host keeps its tail; it is told with the channel's end.
            return cx.silent("stderr");
        }
        let (Some(text), Some(peer)) = (ndjson::text(frame), self.peer.as_mut()) else { return cx.noise() };
        match peer.accept(text) {
            Incoming::Notice(method, params) => self.notice(cx, &method, params),
            Incoming::Call(id, method, params) => self.called(cx, id, &method, params),
            Incoming::Answer(call, outcome) => self.answer(cx, call, outcome),
            Incoming::Stray(id) => {
                cx.diagnostic(
                    Level::Warning,
                    "stray-answer",
                    format!("an answer to no call of ours: {}", id.to_text()),
                );
                cx.silent("answer/stray");
            }
            Incoming::Noise => cx.noise(),
        }
    }

    fn notice(&mut self, cx: &mut Cx, method: &str, params: Value) {
        match method {
            "session/update" => self.update(cx, params),
            "$/cancel_request" => self.request_cancelled(cx, &params),
            "elicitation/complete" => self.elicited(cx, &params),
            _ if self.dialect.notice(cx, method, &params) => {
                if cx.said_nothing() {
                    cx.silent(method);
                }
            }
            _ if self.data.acknowledged.iter().any(|known| known == method) => cx.silent(method),
            _ => cx.unknown(method),
        }
    }

    /// A call of the agent's. **Each is answered**: it waits for every one.
    fn called(&mut self, cx: &mut Cx, id: Id, method: &str, params: Value) {
        match method {
            "session/request_permission" => return self.asks_permission(cx, id, params),
            "elicitation/create" => return self.elicits(cx, id, params),
            _ => {}
        }
        if let Some(answer) = self.dialect.request(cx, method, &params) {
            self.reply(cx, &id, answer);
        } else if self.data.acknowledged.iter().any(|known| known == method) {
            self.reply(cx, &id, Value::Object(serde_json::Map::new()));
            cx.silent(method);
        } else {
            // Files and terminals of the client are not advertised: a call all the same is told so.
            self.refuse(cx, &id, -32601, &format!("Method not found: {method}. This client does not offer it."));
            cx.diagnostic(Level::Warning, "unknown-request", format!("`{method}` was refused: it is not offered"));
            if !method.starts_with("fs/") && !method.starts_with("terminal/") {
                cx.unknown(method);
            } else {
                cx.silent(method);
            }
        }
    }

    pub(crate) fn reply(&mut self, cx: &mut Cx, id: &Id, result: Value) -> Option<u32> {
        let effect = self.peer.as_mut()?.reply(cx, id, result)?;
        self.writes.insert(effect, crate::session::Write::Plain);
        Some(effect)
    }

    pub(crate) fn refuse(&mut self, cx: &mut Cx, id: &Id, code: i64, message: &str) {
        if let Some(effect) = self.peer.as_mut().and_then(|peer| peer.fail(cx, id, code, message)) {
            self.writes.insert(effect, crate::session::Write::Plain);
        }
    }

    fn answer(&mut self, cx: &mut Cx, call: Call, outcome: Result<Value, RpcError>) {
        let outcome = outcome.map_err(|error| {
            let mut fault = fault::of_error(&self.data, call.method(), &error);
            self.dialect.fault(call.method(), &error, &mut fault);
            fault
        });
        match call {
            Call::Initialize => self.initialized(cx, outcome),
            Call::Authenticate { op } => self.authenticated(cx, op, outcome),
            Call::New { op, wanted } => self.created(cx, op, wanted, outcome),
            Call::Back { op, id, method, wanted } => self.came_back(cx, op, &id, method, wanted, outcome),
            Call::Fork { op, from } => self.forked(cx, op, from, outcome),
            Call::Close { op, id } => self.thread_closed(cx, op, &id, outcome),
            Call::LetGo => {}
            Call::List { op, limit } => self.listed(cx, op, limit, outcome),
            Call::Other { op, deletes, .. } => self.did_other(cx, op, deletes.as_deref(), outcome),
            Call::Prompt { id, op } => self.prompted(cx, &id, op, outcome),
            Call::Set { id, why, name, value, rest } => self.set(cx, &id, why, (name, value), rest, outcome),
        }
        if cx.said_nothing() {
            cx.silent("answer");
        }
    }
}
