//! What the server asks a person: permissions and questions, its own and its subagents'. **The plugin answers nothing by itself.**

use jackfield_sdk::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

use crate::calls::Call;
use crate::part;
use crate::session::OpenCode;
use crate::wire::{Asked, OfCall, Permission, Replied};

/// Requests that are open, by id.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    open: BTreeMap<String, Open>,
    /// Items whose request a person refused.
    refused: BTreeSet<String>,
    /// Items whose request nobody answered: their turn was stopped instead.
    dropped: BTreeSet<String>,
}

#[derive(Debug)]
struct Open {
    kind: Kind,
    /// The conversation that asked, in the path of the answer.
    session: String,
    scope: Option<Scope>,
    item: Option<String>,
    /// An answer of ours is on its way, and refuses.
    answering: Option<bool>,
}

#[derive(Debug)]
enum Kind {
    Permission,
    /// With the ids of its questions.
    Question(Vec<String>),
}

impl Asks {
    /// A request about this item is open.
    pub(crate) fn waits_for(&self, item: &str) -> bool {
        self.open.values().any(|open| open.answering.is_none() && open.item.as_deref() == Some(item))
    }

    /// It was stopped before anybody allowed it.
    pub(crate) fn was_dropped(&self, item: &str) -> bool {
        self.dropped.contains(item) || self.waits_for(item)
    }

    /// A person refused it.
    pub(crate) fn was_refused(&self, item: &str) -> bool {
        self.refused.contains(item)
    }
}

impl OpenCode {
    pub(crate) fn permission(&mut self, cx: &mut Cx, scope: Option<Scope>, told: Permission, session: &str) {
        if told.id.is_empty() {
            return cx.unknown("a request without an id");
        }
        let item = self.item_of(&told.tool);
        let input = serde_json::Value::Object(told.metadata.clone()).to_string();
        let text = |name: &str| told.metadata.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        let title = text("command").or_else(|| text("filepath")).or_else(|| told.patterns.first().cloned());
        let path = text("filepath").map(|path| Location { path, line: None });
        let tool = Tool {
            title,
            locations: path.into_iter().collect(),
            ..Tool::new(part::kind(&told.permission)).with_name(told.permission.as_str()).with_input(input)
        };
        let always = match told.always.as_slice() {
            [] => "Always allow".to_owned(),
            patterns => format!("Always allow {}", patterns.join(", ")),
        };
        let options = vec![
            Offer::new("once", "Allow once", Verdict::AllowOnce),
            // Until the server ends: it is kept in no file.
            Offer::new("always", always, Verdict::AllowSession),
            Offer::new("reject", "Reject", Verdict::RejectOnce),
        ];
        let request = Request { item, options, ..Request::new(&told.id, Subject::Approval(tool)) };
        self.opens(cx, scope, request, Kind::Permission, session);
    }

    pub(crate) fn question(&mut self, cx: &mut Cx, scope: Option<Scope>, told: Asked, session: &str) {
        if told.id.is_empty() || told.questions.is_empty() {
            return cx.unknown("a question without words");
        }
        let item = self.item_of(&told.tool);
        let mut ids = vec![];
        let mut questions = vec![];
        for (at, asked) in told.questions.into_iter().enumerate() {
            let choice = |option: crate::wire::QuestionOption| Choice {
                description: option.description,
                ..Choice::new(&*option.label, &*option.label)
            };
            let choices = asked.options.into_iter().map(choice).collect();
            ids.push(at.to_string());
            let question = Question::new(at.to_string(), asked.question, choices);
            questions.push(Question { header: asked.header, multiple: asked.multiple, ..question });
        }
        let options = vec![Offer::new("reject", "Dismiss", Verdict::RejectOnce)];
        let request = Request { item, questions, options, ..Request::new(&told.id, Subject::Questions) };
        self.opens(cx, scope, request, Kind::Question(ids), session);
    }

    fn opens(&mut self, cx: &mut Cx, scope: Option<Scope>, request: Request, kind: Kind, session: &str) {
        let item = request.item.clone();
        let open = Open { kind, session: session.to_owned(), scope: scope.clone(), item, answering: None };
        if self.asks.open.insert(request.id.clone(), open).is_some() {
            return cx.duplicate();
        }
        cx.event_in(scope, EventBody::RequestsOpened(vec![request]));
    }

    fn item_of(&self, tool: &OfCall) -> Option<String> {
        self.parts.of_call(&tool.message_id, &tool.call_id)
    }

    /// The command `respond`.
    pub(crate) fn respond(&mut self, cx: &mut Cx, op: u32, answer: &Answer) {
        let Some(open) = self.asks.open.get_mut(&answer.request) else {
            return cx.fail(op, Fault::new(FaultKind::NotFound, "Nothing waits for this answer any more."));
        };
        let invalid = |text: &str| Fault::new(FaultKind::Invalid, text);
        let nobody = answer.reply == Reply::Dismissed && self.turns.is_stopping();
        let (path, body, refuses) = match (&open.kind, &answer.reply) {
            (Kind::Permission, Reply::Chosen(Chosen { input: Some(_), .. })) => {
                return cx.fail(op, invalid("OpenCode takes no other input than its own."));
            }
            (Kind::Permission, reply) => {
                let word = match reply {
                    Reply::Chosen(chosen) if matches!(chosen.option_id.as_str(), "once" | "always" | "reject") => {
                        chosen.option_id.as_str()
                    }
                    Reply::Dismissed => "reject",
                    _ => return cx.fail(op, invalid("A permission is given once, always, or not at all.")),
                };
                let path = format!("/session/{}/permissions/{}", open.session, answer.request);
                (path, Some(json!({"response": word})), word == "reject")
            }
            (Kind::Question(ids), Reply::Filled(filled)) => {
                let of = |id: &String| filled.iter().find(|one| one.question == *id).map(|one| one.values.clone());
                let answers: Vec<_> = ids.iter().map(|id| of(id).unwrap_or_default()).collect();
                (format!("/question/{}/reply", answer.request), Some(json!({"answers": answers})), false)
            }
            (Kind::Question(_), Reply::Dismissed | Reply::Chosen(_)) => {
                (format!("/question/{}/reject", answer.request), None, true)
            }
            (Kind::Question(_), _) => return cx.fail(op, invalid("Questions are answered one by one, or dismissed.")),
        };
        open.answering = Some(refuses);
        if refuses {
            let to = if nobody { &mut self.asks.dropped } else { &mut self.asks.refused };
            to.extend(open.item.clone());
        }
        let call = Call::Reply { op, request: answer.request.clone() };
        self.calls.ask(cx, "POST", &path, body.as_ref(), call);
        cx.hold(op);
    }

    /// The server has the answer, or did not take it.
    pub(crate) fn replied(&mut self, cx: &mut Cx, op: u32, request: &str, taken: Result<(), Fault>) {
        match taken {
            Ok(()) => {
                self.asks.open.remove(request);
                cx.done(op, OpValue::Accepted);
            }
            Err(fault) => {
                if let Some(open) = self.asks.open.get_mut(request) {
                    open.answering = None;
                    for ended in [&mut self.asks.refused, &mut self.asks.dropped] {
                        ended.retain(|item| Some(item) != open.item.as_ref());
                    }
                }
                cx.fail(op, fault);
            }
        }
    }

    /// `permission.replied` and its like: ours come back, too; what another client answered, or the server took back, is over.
    pub(crate) fn request_over(&mut self, cx: &mut Cx, scope: Option<Scope>, told: Replied) {
        match self.asks.open.get(&told.request_id).map(|open| open.answering.is_some()) {
            Some(true) | None => cx.silent("replied"),
            Some(false) => {
                self.asks.open.remove(&told.request_id);
                let end = RequestEnd { id: told.request_id, status: Status::Completed };
                cx.event_in(scope, EventBody::RequestsClosed(vec![end]));
            }
        }
    }

    /// The server is gone.
    pub(crate) fn asks_no_more(&mut self, cx: &mut Cx) {
        for (id, open) in std::mem::take(&mut self.asks.open) {
            let end = RequestEnd { id, status: Status::Cancelled };
            cx.event_in(open.scope, EventBody::RequestsClosed(vec![end]));
        }
    }
}
