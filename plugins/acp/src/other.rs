//! What the protocol has and the contract has no word of its own for: asked for by name (`other`), where the agent offers it.
//!
//! `logout` forgets the login; `delete-thread` deletes the conversation that the command names from the agent's own list, open or not.
//! In a session for questions, which its files answer, the agent is started for it.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::answer::Call;
use crate::dialect::AcpDialect;
use crate::session::{Acp, Phase};

impl<D: AcpDialect> Acp<D> {
    /// A command by its name. One that is not known is answered `unsupported` by the SDK.
    pub(crate) fn other(&mut self, cx: &mut Cx, op: u32, thread: Option<String>, name: &str) {
        let (offered, what) = match name {
            "logout" => (self.agent.logs_out, "log out"),
            "delete-thread" => (self.agent.deletes, "delete its conversations"),
            _ => return,
        };
        if self.query && self.phase == Phase::Empty {
            self.started_for = Some((thread, name.to_owned()));
            return self.launch(cx, op);
        }
        if self.phase != Phase::Ready {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "The agent has not started. Try again then."));
        }
        if !offered {
            return cx.fail(op, Fault::unsupported(format!("{} does not offer to {what}.", self.data.label)));
        }
        match (name, thread) {
            ("logout", _) => self.ask_other(cx, op, "logout", json!({}), None),
            (_, Some(id)) => self.ask_other(cx, op, "session/delete", json!({"sessionId": id}), Some(id)),
            (_, None) => cx.fail(op, Fault::new(FaultKind::Invalid, "Name the conversation that is to be deleted.")),
        }
    }

    fn ask_other(&mut self, cx: &mut Cx, op: u32, method: &'static str, params: Value, deletes: Option<String>) {
        cx.hold(op);
        self.ask(cx, method, params, Call::Other { op, method, deletes });
    }

    /// It was done: a conversation that is deleted is open no more, and a turn of it has ended with that.
    pub(crate) fn did_other(&mut self, cx: &mut Cx, op: u32, deletes: Option<&str>, outcome: Result<Value, Fault>) {
        match (outcome, deletes) {
            (Err(fault), _) => cx.fail(op, self.with_login(fault)),
            (Ok(_), Some(id)) if self.conversations.contains_key(id) => self.thread_closed(cx, op, id, Ok(Value::Null)),
            (Ok(_), _) => cx.done(op, OpValue::Accepted),
        }
    }
}
