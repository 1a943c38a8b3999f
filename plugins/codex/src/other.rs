//! What the protocol has and the contract has no word of its own for: asked for by name (`other`).
//!
//! `logout` forgets the login; `delete-thread` deletes the thread that the command names, open or not, which 0.120 can't do. In a session
//! for questions, which its files answer, the program is started for it.

use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::fault::REFUSED;
use crate::session::{Call, Codex, Phase};
use crate::thread::Thread;

impl Codex {
    /// A command by its name. One that is not known is answered `unsupported` by the SDK.
    pub(crate) fn other(&mut self, cx: &mut Cx, op: u32, thread: Option<String>, name: &str) {
        if !["logout", "delete-thread"].contains(&name) {
            return;
        }
        if self.query && self.phase == Phase::Empty {
            self.started_for = Some((thread, name.to_owned()));
            return self.launch(cx, op);
        }
        if let Some(fault) = self.not_ready() {
            return cx.fail(op, fault);
        }
        match (name, thread) {
            ("logout", _) => self.call(cx, Some(op), "account/logout", Value::Null, Call::Logout { op }),
            (_, None) => cx.fail(op, Fault::new(FaultKind::Invalid, "Name the conversation that is to be deleted.")),
            (_, Some(_)) if !self.version.is_new() => {
                let text = "This version of Codex deletes no conversations; its newer ones do.";
                cx.fail(op, Fault::unsupported(text));
            }
            (_, Some(id)) if self.threads.get(&id).is_some_and(Thread::has_work) => {
                cx.fail(op, Fault::new(FaultKind::Conflict, "A turn is open. Wait for its end, or interrupt it."));
            }
            (_, Some(id)) => {
                let params = json!({"threadId": id});
                self.call(cx, Some(op), "thread/delete", params, Call::Delete { op, thread: id });
            }
        }
    }

    /// The answer to `thread/delete`: a thread that is deleted is open no more.
    pub(crate) fn deleted(&mut self, cx: &mut Cx, op: u32, id: &str, answer: Result<Value, RpcError>) {
        match answer {
            Ok(_) => {
                cx.done(op, OpValue::Accepted);
                self.copies.remove(id);
                self.gone(cx, id);
            }
            Err(error) if error.code == REFUSED => cx.fail(op, error.fault(FaultKind::NotFound)),
            Err(error) => cx.fail(op, crate::fault::of_call(&error)),
        }
    }

    /// The thread is not there any more: `thread/deleted`, or the answer to our call, whichever is first. What was open in it ends with it.
    pub(crate) fn gone(&mut self, cx: &mut Cx, id: &str) {
        let Some(held) = self.threads.get(id).map(Thread::held) else { return };
        let fault = Fault::new(FaultKind::NotFound, "The conversation was deleted.");
        self.withdraw(cx, id);
        self.lose_turn(cx, id, &fault);
        for op in held {
            if cx.is_open(op) {
                cx.fail(op, fault.clone());
            }
        }
        let Some(thread) = self.threads.remove(id) else { return };
        let told = jackfield_sdk::prelude::Thread { cursor: None, ..thread.to_thread(ThreadState::Closed) };
        cx.event(EventBody::Threads(vec![told]));
    }
}
