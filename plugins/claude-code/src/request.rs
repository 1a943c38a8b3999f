//! What the program asks a person, and the answers: tools, plans, questions.
//!
//! **An answer allows only what was asked and picked**: the input goes back exactly as it came unless the person edited it, and a rule
//! or a mode changes only by the one suggestion that was picked. The program's suggestions come as a bundle whose echo would also
//! switch the session to accepting edits; here each is an option of its own. Nobody's answer is a refusal.

use jackfield_sdk::prelude::*;
use jackfield_sdk::tolerant::Raw;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

use crate::card;
use crate::message::call_item;
use crate::session::{ClaudeCode, Phase, Write};
use crate::stream::scope;
use crate::wire_session::ControlRequest;

/// The requests that are open, and the calls that were refused.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    open: BTreeMap<String, Open>,
    refused: BTreeSet<String>,
}

#[derive(Debug)]
struct Open {
    tool: String,
    call: Option<String>,
    parent: Option<String>,
    input: Option<Raw>,
    suggestions: Vec<Map<String, Value>>,
    /// The texts of the questions, by which the program takes the answers.
    questions: Vec<String>,
    /// An answer is on its way; whether it refuses.
    answering: Option<bool>,
    /// The input as the person changed it.
    edited: Option<Value>,
}

impl Requests {
    pub(crate) fn reopen(&mut self, id: &str) {
        if let Some(open) = self.open.get_mut(id) {
            open.answering = None;
        }
    }

    /// Whether this call was refused; asked once, when its result comes.
    pub(crate) fn was_refused(&mut self, call: &str) -> bool {
        self.refused.remove(call)
    }

    /// The program refused this call by itself.
    pub(crate) fn refuse(&mut self, call: &str) {
        self.refused.insert(call.to_owned());
    }

    /// The program withdrew one; false when it was not open. A refusal that is on its way counts: an interrupt brings about both,
    /// and which of the two is heard first must not matter.
    pub(crate) fn withdraw(&mut self, id: &str) -> bool {
        let Some(open) = self.open.remove(id) else { return false };
        self.refused.extend(open.call.filter(|_| open.answering == Some(true)));
        true
    }

    /// The program ended.
    pub(crate) fn withdraw_all(&mut self) -> Vec<RequestEnd> {
        let open = std::mem::take(&mut self.open);
        open.into_keys().map(|id| RequestEnd { id, status: Status::Cancelled }).collect()
    }
}

impl ClaudeCode {
    /// A `control_request`. What is not known is refused at once: the program waits for every answer.
    pub(crate) fn asked(&mut self, cx: &mut Cx, frame: ControlRequest) {
        let (id, ask) = (frame.request_id, frame.request);
        if self.requests.open.contains_key(&id) {
            return cx.duplicate();
        }
        if ask.subtype != "can_use_tool" {
            let error = format!("Unsupported control request subtype: {}", ask.subtype);
            let answer =
                json!({"type": "control_response", "response": {"subtype": "error", "request_id": id, "error": error}});
            self.write(cx, &answer, Write::Plain);
            return cx.diagnostic(
                Level::Warning,
                "unknown-request",
                format!("`{}` was refused: this plugin does not know it", ask.subtype),
            );
        }
        let parent = ask.agent_id.as_deref().and_then(|agent| self.tasks.item_of(agent));
        if parent.is_none() && ask.agent_id.is_none() {
            self.turns.touch(cx, &[]);
        }
        let name = ask.tool_name.clone().unwrap_or_default();
        let input: Value = ask.input.as_ref().map(|raw| raw.lossy()).unwrap_or_default();
        let told = ask.tool_use_id.as_deref().and_then(|call| self.messages.call(call)).map(|call| call.input.clone());
        let request = card::request(&id, &name, &input, told.as_ref(), &ask);
        if let Some(call) = &ask.tool_use_id {
            if told.is_none() {
                self.messages.remember(call, &name, &input);
            }
            let item = call_item(call, &name, told.as_ref().unwrap_or(&input), Status::Waiting);
            cx.event_in(scope(&parent), EventBody::Items(vec![item]));
        }
        let open = Open {
            tool: name,
            call: ask.tool_use_id,
            parent: parent.clone(),
            input: ask.input,
            suggestions: ask.permission_suggestions,
            questions: request.questions.iter().map(|question| question.text.clone()).collect(),
            answering: None,
            edited: None,
        };
        self.requests.open.insert(id, open);
        cx.event_in(scope(&parent), EventBody::RequestsOpened(vec![request]));
    }

    /// The command `respond`.
    pub(crate) fn respond(&mut self, cx: &mut Cx, op: u32, answer: &Answer) {
        let id = &answer.request;
        let Some(open) = self.requests.open.get_mut(id).filter(|_| self.phase == Phase::Ready) else {
            return cx.fail(op, Fault::new(FaultKind::NotFound, "No such request is open."));
        };
        if open.answering.is_some() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "This request is being answered."));
        }
        let response = match open.response(&answer.reply) {
            Ok(response) => response,
            Err(fault) => return cx.fail(op, fault),
        };
        open.answering = Some(response["behavior"] == "deny");
        let edits = matches!(&answer.reply, Reply::Chosen(Chosen { input: Some(_), .. }));
        open.edited = response.get("updatedInput").filter(|_| edits).cloned();
        let line = json!({
            "type": "control_response",
            "response": {"subtype": "success", "request_id": id, "response": response},
        });
        cx.hold(op);
        self.write(cx, &line, Write::Answer(op, id.clone()));
    }

    /// An answer left the host: it counts.
    pub(crate) fn answered(&mut self, cx: &mut Cx, op: u32, id: &str) {
        let open = self.requests.open.remove(id);
        cx.done(op, OpValue::Accepted);
        if let Some(mut open) = open {
            self.counts(cx, &mut open);
        }
    }

    /// The program tells of a call: an answer to it that is on its way has reached it, whatever we have heard of the write.
    pub(crate) fn acted_on(&mut self, cx: &mut Cx, call: &str) {
        let is_its = |open: &Open| open.call.as_deref() == Some(call) && open.answering.is_some();
        let Some(id) = self.requests.open.iter().find(|(_, open)| is_its(open)).map(|(id, _)| id.clone()) else {
            return;
        };
        let Some(mut open) = self.requests.open.remove(&id) else { return };
        self.counts(cx, &mut open);
        self.requests.open.insert(id, open);
    }

    /// Once for each answer: what it means for its call.
    fn counts(&mut self, cx: &mut Cx, open: &mut Open) {
        let Some(call) = open.call.take() else { return };
        let (tool, parent, answering) = (open.tool.clone(), open.parent.clone(), open.answering);
        if let Some(input) = open.edited.take() {
            // This is what runs.
            self.messages.remember(&call, &tool, &input);
        }
        if answering == Some(true) {
            self.requests.refused.insert(call);
        } else if let Some(known) = self.messages.call(&call) {
            let item = call_item(&call, &tool, &known.input, Status::Running);
            cx.event_in(scope(&parent), EventBody::Items(vec![item]));
        }
    }
}

impl Open {
    /// The program's answer to a reply, or why the reply does not fit.
    fn response(&self, reply: &Reply) -> Result<Value, Fault> {
        let deny = |message: &str| json!({"behavior": "deny", "message": message});
        let invalid = |text: &str| Err(Fault::new(FaultKind::Invalid, text));
        match reply {
            Reply::Dismissed => Ok(deny("The person closed the request without an answer.")),
            Reply::Filled(filled) if !self.questions.is_empty() => self.answers(filled),
            Reply::Chosen(chosen) if self.questions.is_empty() => {
                let note = chosen.note.as_deref().filter(|note| !note.is_empty());
                let note = note.unwrap_or("The person does not want this.");
                match chosen.option_id.as_str() {
                    "reject" => Ok(deny(note)),
                    "abort" => Ok(json!({"behavior": "deny", "message": note, "interrupt": true})),
                    option => {
                        let mut response =
                            json!({"behavior": "allow", "updatedInput": self.input(chosen.input.as_deref())?});
                        if let Some(suggestion) = self.suggestion(option)? {
                            response["updatedPermissions"] = json!([suggestion]);
                        }
                        Ok(response)
                    }
                }
            }
            _ => invalid("An approval is answered with one of its options, a question with its answers."),
        }
    }

    fn input(&self, edited: Option<&str>) -> Result<Value, Fault> {
        match edited {
            None => Ok(self.input.as_ref().map_or_else(|| json!({}), |raw| raw.lossy())),
            Some(text) => match serde_json::from_str(text) {
                Ok(Value::Object(input)) => Ok(Value::Object(input)),
                _ => Err(Fault::new(FaultKind::Invalid, "The edited input is no JSON object.")),
            },
        }
    }

    fn suggestion(&self, option: &str) -> Result<Option<&Map<String, Value>>, Fault> {
        if option == "allow" {
            return Ok(None);
        }
        let index = option.strip_prefix("suggestion-").and_then(|number| number.parse::<usize>().ok());
        let found = index.and_then(|index| self.suggestions.get(index));
        found.map(Some).ok_or_else(|| Fault::new(FaultKind::Invalid, format!("There is no option `{option}`.")))
    }

    /// The questions go back with the answers in them, by the question's text.
    fn answers(&self, filled: &[Filled]) -> Result<Value, Fault> {
        let mut answers = Map::new();
        for entry in filled {
            let index = entry.question.strip_prefix("question-").and_then(|number| number.parse::<usize>().ok());
            let text = index.and_then(|index| self.questions.get(index));
            let text = text
                .ok_or_else(|| Fault::new(FaultKind::Invalid, format!("There is no question `{}`.", entry.question)))?;
            answers.insert(text.clone(), entry.values.join(", ").into());
        }
        let mut input = self.input(None)?;
        input["answers"] = Value::Object(answers);
        Ok(json!({"behavior": "allow", "updatedInput": input}))
    }
}
