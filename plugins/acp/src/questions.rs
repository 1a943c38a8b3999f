//! `elicitation/create`: a form to fill in, or a page to open. Tests: `tests/requests.rs`.

use jackfield_sdk::jsonrpc::Id;
use jackfield_sdk::prelude::*;
use serde_json::{Map, Value, json};

use crate::dialect::AcpDialect;
use crate::request::{Asked, Open};
use crate::session::Acp;
use crate::wire::{Elicitation, read};

/// A form.
#[derive(Debug, Default)]
pub(crate) struct Form {
    /// Its fields, by name, with the schema of each. A field of a kind that nobody knows is not among them: it must not be shown as another.
    fields: Map<String, Value>,
    /// Those that can't be left out.
    required: Vec<String>,
}

impl<D: AcpDialect> Acp<D> {
    pub(crate) fn elicits(&mut self, cx: &mut Cx, id: Id, params: Value) {
        let asked: Elicitation = read(params);
        if self.is_open(cx, &id) {
            return;
        }
        // A mode that is left out is a form's.
        if !["", "form", "url"].contains(&asked.mode.as_str()) || (asked.mode == "url" && asked.url.is_none()) {
            self.refuse(
                cx,
                &id,
                -32602,
                &format!("Invalid params: no elicitation in the mode '{}' is offered", asked.mode),
            );
            return cx.unknown(format!("elicitation/{}", asked.mode));
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
                let form = Form::of(&asked.requested_schema);
                let questions = form.fields.iter().map(|(name, schema)| question(name, schema)).collect();
                let reason = Some(asked.message).filter(|message| !message.is_empty());
                let options = vec![Offer::new("decline", "Decline", Verdict::RejectOnce)];
                let request = Request { questions, reason, options, ..Request::new(&name, Subject::Questions) };
                (request, Asked::Form(form))
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
        schema: Some(schema.to_string()),
        ..Question::new(name, text, choices)
    }
}

impl Form {
    fn of(schema: &Value) -> Form {
        let known = |schema: &Value| {
            let kinds = ["string", "number", "integer", "boolean", "array"];
            schema["type"].as_str().is_none_or(|kind| kinds.contains(&kind))
        };
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let fields = fields.filter(|(_, schema)| known(schema)).map(|(name, schema)| (name.clone(), schema.clone()));
        let required = schema["required"].as_array().into_iter().flatten();
        let required = required.filter_map(|name| name.as_str().map(str::to_owned));
        Form { fields: fields.collect(), required: required.collect() }
    }

    /// The answer with what was filled in, each value of its field's type.
    pub(crate) fn accept(&self, filled: &[Filled]) -> Result<Value, Fault> {
        let mut content = Map::new();
        for Filled { question, values } in filled {
            let Some(schema) = self.fields.get(question) else {
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
        if let Some(missing) = self.required.iter().find(|name| !content.contains_key(*name)) {
            return Err(Fault::new(
                FaultKind::Invalid,
                format!("`{missing}` has to be answered, or the whole declined."),
            ));
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
