//! What the program asks a person, and the answers: tools, plans, questions.
//!
//! **An answer allows only what was asked and picked**: the input goes back exactly as it came unless the person edited it, and a rule
//! or a mode changes only by the one suggestion that was picked. The program's suggestions come as a bundle whose echo would also
//! switch the session to accepting edits; here each is an option of its own. Nobody's answer is a refusal.

use jackfield_sdk::prelude::*;
use jackfield_sdk::tolerant::{Raw, text};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

use crate::message::call_item;
use crate::session::{ClaudeCode, Phase, Write};
use crate::stream::scope;
use crate::tool;
use crate::wire_session::{Ask, ControlRequest};

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
}

impl Requests {
    pub(crate) fn reopen(&mut self, id: &str) {
        if let Some(open) = self.open.get_mut(id) {
            open.answering = None;
        }
    }

    /// Whether a person refused this call; asked once, when its result comes.
    pub(crate) fn was_refused(&mut self, call: &str) -> bool {
        self.refused.remove(call)
    }

    /// The program withdrew one; false when it was not open.
    pub(crate) fn withdraw(&mut self, id: &str) -> bool {
        self.open.remove(id).is_some()
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
        let request = request(&id, &name, &input, told.as_ref(), &ask);
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
        let Some(Open { tool, call: Some(call), parent, answering, .. }) = open else { return };
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

/// The request as the contract shows it. `told` is the input that the call itself had: a plan's approval leaves it out.
fn request(id: &str, name: &str, input: &Value, told: Option<&Value>, ask: &Ask) -> Request {
    let mut reject = vec![
        Offer::new("reject", "Reject", Verdict::RejectOnce),
        Offer::new("abort", "Reject and stop", Verdict::Abort),
    ];
    let request = match name {
        "AskUserQuestion" => {
            return Request {
                item: ask.tool_use_id.clone(),
                questions: questions(input),
                ..Request::new(id, Subject::Questions)
            };
        }
        "ExitPlanMode" => {
            let plan = [Some(input), told].into_iter().flatten().find_map(|input| input["plan"].as_str());
            Request {
                options: vec![Offer::new("allow", "Accept the plan", Verdict::AllowOnce)],
                ..Request::new(id, Subject::Plan(plan.unwrap_or_default().to_owned()))
            }
        }
        _ => {
            let suggested =
                ask.permission_suggestions.iter().enumerate().map(|(index, suggestion)| offer(index, suggestion));
            let allow = Offer::new("allow", "Allow", Verdict::AllowOnce);
            Request {
                options: std::iter::once(allow).chain(suggested).collect(),
                ..Request::new(id, Subject::Approval(tool::describe(name, input)))
            }
        }
    };
    let mut options = request.options;
    options.append(&mut reject);
    let blocked = ask.blocked_path.as_ref().map(|path| format!("It touches {path}."));
    let reason = ask.decision_reason.clone().or(blocked).or_else(|| ask.description.clone());
    Request { item: ask.tool_use_id.clone(), reason, options, ..request }
}

/// One suggestion of the program as an option. Where it is kept decides how long it holds; what is not known holds for ever.
fn offer(index: usize, suggestion: &Map<String, Value>) -> Offer {
    let verdict = match text(suggestion, "destination") {
        Some("session") => Verdict::AllowSession,
        _ => Verdict::AllowAlways,
    };
    let list = |key: &str| suggestion.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let what = match text(suggestion, "type") {
        Some("addRules") => {
            let rules = list("rules");
            let rules = rules.iter().filter_map(Value::as_object).map(|rule| {
                let tool = text(rule, "toolName").unwrap_or("?");
                text(rule, "ruleContent").map_or(tool.to_owned(), |content| format!("{tool}({content})"))
            });
            rules.collect::<Vec<_>>().join(", ")
        }
        Some("addDirectories") => {
            let folders = list("directories");
            format!("work in {}", folders.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        }
        Some("setMode") => format!("mode {}", text(suggestion, "mode").unwrap_or("?")),
        other => other.unwrap_or("a change of rules").to_owned(),
    };
    let label = match verdict {
        Verdict::AllowSession => format!("Allow, and for this session: {what}"),
        _ => format!("Allow, and from now on: {what}"),
    };
    Offer::new(format!("suggestion-{index}"), label, verdict)
}

fn questions(input: &Value) -> Vec<Question> {
    let questions = input["questions"].as_array().cloned().unwrap_or_default();
    let question = |(index, value): (usize, &Value)| {
        let choices = value["options"].as_array().cloned().unwrap_or_default();
        let choice = |option: &Value| {
            let label = option["label"].as_str()?;
            let choice = Choice::new(label, label);
            Some(option["description"].as_str().map_or(choice.clone(), |text| choice.with_description(text)))
        };
        Question {
            header: value["header"].as_str().map(str::to_owned),
            multiple: value["multiSelect"].as_bool().unwrap_or(false),
            ..Question::new(
                format!("question-{index}"),
                value["question"].as_str().unwrap_or_default(),
                choices.iter().filter_map(choice).collect(),
            )
        }
    };
    questions.iter().enumerate().map(question).collect()
}
