//! `elicitation/create`: a form to fill in, or a page to open. Tests: `tests/requests.rs`.

use jackfield_sdk::jsonrpc::Id;
use jackfield_sdk::prelude::*;
use serde_json::{Map, Value, json};

use crate::dialect::AcpDialect;
use crate::request::{Asked, Open};
use crate::session::Acp;
use crate::wire::{Elicitation, read};

/// A form: its fields, by name, with the schema of each.
#[derive(Debug)]
pub(crate) struct Form(Map<String, Value>);

impl<D: AcpDialect> Acp<D> {
    pub(crate) fn elicits(&mut self, cx: &mut Cx, id: Id, params: Value) {
        let asked: Elicitation = read(params);
        if self.is_open(cx, &id) {
            return;
        }
        let thread = asked.session_id.filter(|thread| self.conversations.contains_key(thread));
        let name = id.to_text();
        let (request, what) = match asked.url {
            Some(url) if asked.mode == "url" => {
                let login = Login { url: Some(url), code: None, text: asked.message.clone() };
                let options = vec![
                    Offer::new("accept", "I will open it", Verdict::Neutral),
                    Offer::new("decline", "Decline", Verdict::RejectOnce),
                ];
                let request = Request { options, ..Request::new(&name, Subject::Login(login)) };
                (request, Asked::Page(asked.elicitation_id))
            }
            _ => {
                let fields =
                    asked.requested_schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
                let questions = fields.iter().map(|(name, schema)| question(name, schema)).collect();
                let reason = Some(asked.message).filter(|message| !message.is_empty());
                let options = vec![Offer::new("decline", "Decline", Verdict::RejectOnce)];
                let request = Request { questions, reason, options, ..Request::new(&name, Subject::Questions) };
                (request, Asked::Form(Form(fields)))
            }
        };
        let request = Request { item: asked.tool_call_id.clone(), ..request };
        // No call waits for it: a form allows nothing.
        let open = Open { id, thread: thread.clone(), call: None, asked: what, answering: None };
        self.requests.0.insert(name, open);
        let scope = thread.as_deref().and_then(|thread| self.scope(thread));
        cx.event_in(scope, EventBody::RequestsOpened(vec![request]));
    }

    /// `elicitation/complete`: what was to be done on a page was done.
    pub(crate) fn elicited(&mut self, cx: &mut Cx, params: &Value) {
        let done = params["elicitationId"].as_str();
        let is_it = |open: &Open| matches!(&open.asked, Asked::Page(id) if id.is_some() && id.as_deref() == done);
        let name = self.requests.0.iter().find(|(_, open)| is_it(open)).map(|(name, _)| name.clone());
        let Some(name) = name else { return cx.silent("elicitation/complete") };
        if let Some(open) = self.requests.0.remove(&name) {
            self.reply(cx, &open.id, json!({"action": "accept"}));
        }
        cx.event(EventBody::RequestsClosed(vec![RequestEnd { id: name, status: Status::Completed }]));
    }
}

fn question(name: &str, schema: &Value) -> Question {
    let word = |key: &str| schema[key].as_str().map(str::to_owned);
    let many = schema["type"] == "array";
    let values = if many { &schema["items"] } else { schema };
    let choices: Vec<Choice> = match values["type"].as_str() {
        Some("boolean") => vec![Choice::new("true", "Yes"), Choice::new("false", "No")],
        _ => {
            let plain = values["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let plain = plain.map(|value| Choice::new(value, value));
            let titled = ["oneOf", "anyOf"].into_iter().filter_map(|key| values[key].as_array()).flatten();
            let titled = titled.filter_map(|choice| {
                let value = choice["const"].as_str()?;
                let shown = Choice::new(value, choice["title"].as_str().unwrap_or(value));
                Some(Choice { description: choice["description"].as_str().map(str::to_owned), ..shown })
            });
            plain.chain(titled).collect()
        }
    };
    let text = word("description").or_else(|| word("title")).unwrap_or_else(|| name.to_owned());
    Question {
        header: word("title"),
        multiple: many,
        free_text: choices.is_empty(),
        ..Question::new(name, text, choices)
    }
}

impl Form {
    /// The answer with what was filled in, each value of its field's type.
    pub(crate) fn accept(&self, filled: &[Filled]) -> Result<Value, Fault> {
        let mut content = Map::new();
        for Filled { question, values } in filled {
            let Some(schema) = self.0.get(question) else {
                return Err(Fault::new(FaultKind::Invalid, format!("There is no question `{question}`.")));
            };
            let value = if schema["type"] == "array" {
                Value::Array(values.iter().map(|value| Value::from(value.as_str())).collect())
            } else {
                typed(
                    question,
                    schema["type"].as_str().unwrap_or("string"),
                    values.first().map(String::as_str).unwrap_or_default(),
                )?
            };
            content.insert(question.clone(), value);
        }
        Ok(json!({"action": "accept", "content": content}))
    }
}

fn typed(name: &str, kind: &str, text: &str) -> Result<Value, Fault> {
    let text = text.trim();
    let read = match kind {
        "boolean" => text.parse::<bool>().ok().map(Value::from),
        "integer" => text.parse::<i64>().ok().map(Value::from),
        "number" => text.parse::<f64>().ok().map(Value::from),
        _ => Some(Value::from(text)),
    };
    read.ok_or_else(|| Fault::new(FaultKind::Invalid, format!("`{name}` is to be of type {kind}; {text:?} is not.")))
}
