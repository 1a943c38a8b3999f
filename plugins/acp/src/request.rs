//! What the agent asks a person, and the answers.
//!
//! **An answer allows only what was picked: the agent's own option, by its own id.** Nobody's answer is the protocol's `cancelled`.

use jackfield_sdk::jsonrpc::Id;
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::dialect::AcpDialect;
use crate::questions::Form;
use crate::session::{Acp, Phase, Write};
use crate::tool;
use crate::wire::{Permission, PermissionOption, read};

/// The requests that are open, by their ids as text.
#[derive(Debug, Default)]
pub(crate) struct Requests(pub BTreeMap<String, Open>);

#[derive(Debug)]
pub(crate) struct Open {
    pub id: Id,
    pub thread: Option<String>,
    /// The call it is about.
    pub call: Option<String>,
    pub asked: Asked,
    /// An answer is on its way; whether it refuses.
    pub answering: Option<bool>,
}

/// What was asked.
#[derive(Debug)]
pub(crate) enum Asked {
    /// A permission; its options' ids, and whether each refuses.
    Permission(Vec<(String, bool)>),
    /// A form to fill in.
    Form(Form),
    /// A page to open; the agent tells by this id when it was done.
    Page(Option<String>),
}

impl<D: AcpDialect> Acp<D> {
    /// `session/request_permission`.
    pub(crate) fn asks_permission(&mut self, cx: &mut Cx, id: Id, mut params: Value) {
        self.dialect.asks(&mut params);
        let mut asked: Permission = read(params);
        self.data.rename_kind(&mut asked.tool_call.kind);
        let thread = asked.session_id;
        if !self.conversations.contains_key(&thread) {
            self.reply(cx, &id, cancelled());
            return cx.unknown("a permission in another session");
        }
        if self.is_open(cx, &id) {
            return;
        }
        self.replay_whole(cx, &thread);
        self.call_waits(cx, &thread, &asked.tool_call);
        let call = Some(asked.tool_call.tool_call_id.clone()).filter(|call| !call.is_empty());
        let options: Vec<Offer> = asked.options.iter().map(|option| self.offer(option)).collect();
        let ids = options.iter().map(|offer| {
            let refuses = matches!(offer.verdict, Verdict::RejectOnce | Verdict::RejectAlways | Verdict::Abort);
            (offer.id.clone(), refuses)
        });
        let asked_for = Asked::Permission(ids.collect());
        let subject = Subject::Approval(tool::describe(asked.tool_call));
        let request = Request { item: call.clone(), options, ..Request::new(id.to_text(), subject) };
        let open = Open { id, thread: Some(thread.clone()), call, asked: asked_for, answering: None };
        self.requests.0.insert(request.id.clone(), open);
        cx.event_in(self.scope(&thread), EventBody::RequestsOpened(vec![request]));
    }

    fn offer(&self, option: &PermissionOption) -> Offer {
        let verdict = match option.kind.as_str() {
            "allow_once" => Verdict::AllowOnce,
            "allow_always" if self.data.always_is_session => Verdict::AllowSession,
            "allow_always" => Verdict::AllowAlways,
            "reject_once" => Verdict::RejectOnce,
            "reject_always" => Verdict::RejectAlways,
            _ => Verdict::Unknown,
        };
        let label = if option.name.is_empty() { &option.option_id } else { &option.name };
        Offer::new(&option.option_id, label, verdict)
    }

    /// Whether a request with this id waits: then it was told twice.
    pub(crate) fn is_open(&self, cx: &mut Cx, id: &Id) -> bool {
        let open = self.requests.0.contains_key(&id.to_text());
        if open {
            cx.duplicate();
        }
        open
    }

    /// The command `respond`.
    pub(crate) fn respond(&mut self, cx: &mut Cx, op: u32, answer: &Answer) {
        let name = &answer.request;
        let runs = matches!(self.phase, Phase::Ready | Phase::Starting(_));
        let Some(open) = self.requests.0.get_mut(name).filter(|_| runs) else {
            return cx.fail(op, Fault::new(FaultKind::NotFound, "No such request is open."));
        };
        if open.answering.is_some() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "This request is being answered."));
        }
        let (result, refuses) = match open.result(&answer.reply) {
            Ok(result) => result,
            Err(fault) => return cx.fail(op, fault),
        };
        open.answering = Some(refuses);
        let id = open.id.clone();
        cx.hold(op);
        match self.reply(cx, &id, result) {
            Some(effect) => drop(self.writes.insert(effect, Write::Answer(op, name.clone()))),
            None => cx.fail(op, Fault::new(FaultKind::NotFound, "The agent no longer waits for this.")),
        }
    }

    /// An answer left the host: it counts.
    pub(crate) fn answered(&mut self, cx: &mut Cx, op: u32, name: &str) {
        if cx.is_open(op) {
            cx.done(op, OpValue::Accepted);
        }
        let Some(open) = self.requests.0.remove(name) else { return };
        if let (Some(thread), Some(call), Some(refused)) = (open.thread, open.call, open.answering) {
            self.call_decided(cx, &thread, &call, refused.then_some(Status::Declined));
        }
    }

    /// What a conversation, or the whole program, asks is not to be answered any more: it gets the protocol's word for that.
    pub(crate) fn withdraw(&mut self, cx: &mut Cx, thread: Option<&str>) {
        let is_its = |open: &Open| thread.is_none_or(|thread| open.thread.as_deref() == Some(thread));
        let names: Vec<String> =
            self.requests.0.iter().filter(|(_, open)| is_its(open)).map(|(name, _)| name.clone()).collect();
        let mut ends = vec![];
        for name in names {
            let Some(open) = self.requests.0.remove(&name) else { continue };
            if let (Some(thread), Some(call)) = (&open.thread, &open.call) {
                let refused = match open.answering {
                    None => Some(Status::Cancelled),
                    Some(refuses) => refuses.then_some(Status::Declined),
                };
                self.call_decided(cx, thread, call, refused);
            }
            // One that is answered needs no other word.
            if open.answering.is_none() {
                self.reply(cx, &open.id, open.nobody());
                ends.push(RequestEnd { id: name, status: Status::Cancelled });
            }
        }
        if !ends.is_empty() {
            let scope = thread.and_then(|thread| self.scope(thread));
            cx.event_in(scope, EventBody::RequestsClosed(ends));
        }
    }

    /// `$/cancel_request`: the agent takes a call of its own back.
    pub(crate) fn request_cancelled(&mut self, cx: &mut Cx, params: &Value) {
        let id = serde_json::from_value::<Id>(params["requestId"].clone())
            .or_else(|_| serde_json::from_value(params["id"].clone()));
        let name = id.map(|id| id.to_text()).unwrap_or_default();
        let Some(open) = self.requests.0.remove(&name) else { return cx.duplicate() };
        self.refuse(cx, &open.id, -32800, "Request cancelled");
        let scope = open.thread.as_deref().and_then(|thread| self.scope(thread));
        cx.event_in(scope, EventBody::RequestsClosed(vec![RequestEnd { id: name, status: Status::Cancelled }]));
    }
}

fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

impl Open {
    /// The answer for a reply, and whether it refuses; or why the reply does not fit.
    fn result(&self, reply: &Reply) -> Result<(Value, bool), Fault> {
        let invalid = |text: String| Err(Fault::new(FaultKind::Invalid, text));
        match (&self.asked, reply) {
            (_, Reply::Dismissed) => Ok((self.nobody(), true)),
            (Asked::Permission(_), Reply::Chosen(Chosen { input: Some(_), .. })) => {
                invalid("This protocol takes no other input than the agent's own.".to_owned())
            }
            (Asked::Permission(options), Reply::Chosen(chosen)) => {
                let known = options.iter().find(|(id, _)| *id == chosen.option_id);
                let Some((id, refuses)) = known else {
                    return invalid(format!("There is no option `{}`.", chosen.option_id));
                };
                Ok((json!({"outcome": {"outcome": "selected", "optionId": id}}), *refuses))
            }
            (Asked::Form(form), Reply::Filled(filled)) => Ok((form.accept(filled)?, false)),
            (Asked::Form(_) | Asked::Page(_), Reply::Chosen(chosen)) => match chosen.option_id.as_str() {
                "accept" if matches!(self.asked, Asked::Page(_)) => Ok((json!({"action": "accept"}), false)),
                "decline" => Ok((json!({"action": "decline"}), true)),
                other => invalid(format!("There is no option `{other}`.")),
            },
            _ => invalid("An approval is answered with one of its options, a form with its fields.".to_owned()),
        }
    }

    /// The answer when nobody answers.
    fn nobody(&self) -> Value {
        match self.asked {
            Asked::Permission(_) => cancelled(),
            Asked::Form(_) | Asked::Page(_) => json!({"action": "cancel"}),
        }
    }
}
