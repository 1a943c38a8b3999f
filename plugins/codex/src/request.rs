//! The program's calls: what waits for an answer, and how it is answered. What is asked is in `card`, what is answered in `answer`.
//!
//! **A call that the plugin does not know is refused at once, -32601: the program waits for every answer.** Ids count from 0 on each
//! connection and are compared exactly.

use jackfield_sdk::jsonrpc::Id;
use jackfield_sdk::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;

use crate::answer::Shape;
use crate::card;
use crate::session::{Codex, Write};
use crate::wire::{Ask, Notice};

/// Requests that are open, by their id as text.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    open: BTreeMap<String, Open>,
}

#[derive(Debug)]
struct Open {
    id: Id,
    thread: String,
    shape: Shape,
    answering: bool,
}

impl Requests {
    /// The program is gone.
    pub(crate) fn withdraw_all(&mut self) -> Vec<RequestEnd> {
        let open = std::mem::take(&mut self.open);
        open.into_keys().map(|id| RequestEnd { id, status: Status::Cancelled }).collect()
    }
}

impl Codex {
    /// A call of the program's.
    pub(crate) fn asked(&mut self, cx: &mut Cx, id: Id, method: &str, params: Value) {
        let key = id.to_text();
        if self.requests.open.contains_key(&key) {
            return cx.duplicate();
        }
        let ask: Ask = serde_json::from_value(params).unwrap_or_default();
        let Some((request, shape)) = card::request(&key, method, &ask) else {
            if let Some(effect) = self.peer.as_mut().and_then(|peer| peer.refuse(cx, &id, method)) {
                self.writes.insert(effect, Write::Plain);
            }
            return cx.diagnostic(
                Level::Warning,
                "unknown-call",
                format!("`{method}` was refused: this plugin does not know it"),
            );
        };
        let thread = ask.thread_id.clone().unwrap_or_default();
        let scope = match self.threads.get(&thread).is_some() || self.is_agent(cx, &thread) {
            true => self.scope(&thread, ask.turn_id.as_deref()),
            false => None,
        };
        self.requests.open.insert(key, Open { id, thread, shape, answering: false });
        cx.event_in(scope, EventBody::RequestsOpened(vec![request]));
    }

    /// The command `respond`.
    pub(crate) fn respond(&mut self, cx: &mut Cx, op: u32, answer: &Answer) {
        if self.give_up_login(cx, op, &answer.request) {
            return;
        }
        let Some(open) = self.requests.open.get_mut(&answer.request) else {
            return cx.fail(op, Fault::new(FaultKind::NotFound, "No such request is open."));
        };
        if open.answering {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "This request is being answered."));
        }
        let result = match open.shape.answer(&answer.reply) {
            Ok(result) => result,
            Err(fault) => return cx.fail(op, fault),
        };
        let Some(effect) = self.peer.as_mut().and_then(|peer| peer.reply(cx, &open.id, result)) else {
            return cx.fail(op, Fault::new(FaultKind::NotFound, "The program does not wait for this answer any more."));
        };
        open.answering = true;
        cx.hold(op);
        self.writes.insert(effect, Write::Answer(op, answer.request.clone()));
    }

    /// The answer left the host, or was stopped there: then the request is open again, and its call, too.
    pub(crate) fn answer_written(&mut self, cx: &mut Cx, op: u32, id: &str, outcome: Result<EffectValue, Fault>) {
        match outcome {
            Ok(_) => {
                self.requests.open.remove(id);
                cx.done(op, OpValue::Accepted);
            }
            Err(fault) => {
                if let Some(open) = self.requests.open.get_mut(id) {
                    open.answering = false;
                    if let Some(peer) = &mut self.peer {
                        peer.reopen(&open.id);
                    }
                }
                cx.fail(op, fault);
            }
        }
    }

    /// The thread is gone: nobody is asked for it any more. What is being answered is not asked.
    pub(crate) fn withdraw(&mut self, cx: &mut Cx, thread: &str) {
        let of_thread = self.requests.open.iter().filter(|(_, open)| open.thread == thread && !open.answering);
        let keys: Vec<String> = of_thread.map(|(key, _)| key.clone()).collect();
        for key in &keys {
            if let (Some(open), Some(peer)) = (self.requests.open.remove(key), &mut self.peer) {
                peer.forget(&open.id);
            }
        }
        if !keys.is_empty() {
            let scope = self.scope(thread, None);
            let ends = keys.into_iter().map(|id| RequestEnd { id, status: Status::Cancelled }).collect();
            cx.event_in(scope, EventBody::RequestsClosed(ends));
        }
    }

    /// `serverRequest/resolved`: the program wants no answer any more, or has got ours.
    pub(crate) fn resolved(&mut self, cx: &mut Cx, notice: &Notice) {
        let Ok(id) = serde_json::from_value::<Id>(notice.request_id.clone()) else {
            return cx.unknown("serverRequest/resolved without an id");
        };
        let key = id.to_text();
        match self.requests.open.get(&key) {
            Some(open) if !open.answering => {
                self.requests.open.remove(&key);
                if let Some(peer) = &mut self.peer {
                    peer.forget(&id);
                }
                let thread = notice.thread_id.clone().unwrap_or_default();
                let scope = self.scope(&thread, None).filter(|_| !thread.is_empty());
                let end = RequestEnd { id: key, status: Status::Cancelled };
                cx.event_in(scope, EventBody::RequestsClosed(vec![end]));
            }
            _ => cx.silent("serverRequest/resolved"),
        }
    }
}
