//! What an extension asks a person, and the answers. The program itself asks nothing.
//!
//! **Each dialog is answered once, and nobody's answer is the cancelling one.** What wants no answer is shown when it is for a person,
//! and passed over when it is about a terminal that nobody has.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::session::{Phase, Pi};
use crate::wire::Ask;

/// Dialogs that are open, by their id.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    open: BTreeMap<String, Open>,
    /// Answers that are on their way, by effect: the command and the dialog.
    writes: BTreeMap<u32, (u32, String)>,
    /// When a dialog expires, by timer.
    timers: BTreeMap<u32, String>,
}

#[derive(Debug)]
struct Open {
    confirms: bool,
    answering: bool,
}

const YES: &str = "yes";
const NO: &str = "no";

impl Pi {
    pub(crate) fn asked(&mut self, cx: &mut Cx, ask: Ask) {
        let mut question = Question::new("answer", title(&ask), vec![]);
        match ask.method.as_str() {
            "confirm" => {
                question.choices = vec![Choice::new(YES, "Yes"), Choice::new(NO, "No")];
                question.free_text = false;
            }
            "select" => {
                question.choices =
                    ask.options.iter().map(|option| Choice::new(option.as_str(), option.as_str())).collect();
                question.free_text = false;
            }
            "input" | "editor" => {}
            "notify" => {
                let level = match ask.notify_type.as_str() {
                    "error" => Level::Error,
                    "warning" => Level::Warning,
                    _ => Level::Info,
                };
                return cx.event(EventBody::Note(Note::new(level, "extension", ask.message)));
            }
            "setStatus" | "setWidget" | "setTitle" | "set_editor_text" => {
                return cx.silent(format!("extension_ui_request/{}", ask.method));
            }
            other => {
                // It may wait for an answer: what is not known is cancelled.
                cx.write_json(self.channel, &answer(&ask.id, "cancelled", json!(true)));
                return cx.unknown(format!("extension_ui_request/{other}"));
            }
        }
        if self.asks.open.contains_key(&ask.id) {
            return cx.duplicate();
        }
        let expires_ms = ask.timeout.filter(|ms| *ms > 0.0).map(|ms| {
            self.asks.timers.insert(cx.timer(ms), ask.id.clone());
            cx.now_ms() + ms
        });
        let reason = ask.placeholder.or(ask.prefill).filter(|text| !text.is_empty());
        self.asks.open.insert(ask.id.clone(), Open { confirms: ask.method == "confirm", answering: false });
        let request =
            Request { questions: vec![question], reason, expires_ms, ..Request::new(ask.id, Subject::Questions) };
        cx.event(EventBody::RequestsOpened(vec![request]));
    }

    /// The command `respond`.
    pub(crate) fn respond(&mut self, cx: &mut Cx, op: u32, given: &Answer) {
        let id = &given.request;
        let Some(open) = self.asks.open.get_mut(id).filter(|_| self.phase == Phase::Ready) else {
            return cx.fail(op, Fault::new(FaultKind::NotFound, "No such request is open."));
        };
        if open.answering {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "This request is being answered."));
        }
        let line = match (&given.reply, open.confirms) {
            (Reply::Dismissed, _) => answer(id, "cancelled", json!(true)),
            (Reply::Filled(filled), confirms) => match (one(filled), confirms) {
                (Some(YES), true) => answer(id, "confirmed", json!(true)),
                (Some(NO), true) => answer(id, "confirmed", json!(false)),
                (Some(value), false) => answer(id, "value", json!(value)),
                _ => {
                    return cx.fail(
                        op,
                        Fault::new(FaultKind::Invalid, "The question has one answer, and this is none of its."),
                    );
                }
            },
            _ => return cx.fail(op, Fault::new(FaultKind::Invalid, "A question is answered with its answer.")),
        };
        open.answering = true;
        cx.hold(op);
        let effect = cx.write_json(self.channel, &line);
        self.asks.writes.insert(effect, (op, id.clone()));
    }

    /// What became of an answer's write; false when this is none.
    pub(crate) fn answer_written(&mut self, cx: &mut Cx, result: &EffectResult) -> bool {
        let Some((op, id)) = self.asks.writes.remove(&result.id) else { return false };
        match &result.outcome {
            Ok(_) => {
                self.asks.open.remove(&id);
                cx.done(op, OpValue::Accepted);
            }
            Err(fault) => {
                if let Some(open) = self.asks.open.get_mut(&id) {
                    open.answering = false;
                }
                cx.fail(op, fault.clone());
            }
        }
        true
    }

    /// The time of a dialog is up: the extension goes on without an answer.
    pub(crate) fn expired(&mut self, cx: &mut Cx, timer: u32) {
        let Some(id) = self.asks.timers.remove(&timer) else { return };
        if self.asks.open.get(&id).is_some_and(|open| !open.answering) {
            self.asks.open.remove(&id);
            cx.event(EventBody::RequestsClosed(vec![RequestEnd { id, status: Status::Cancelled }]));
        }
    }

    /// The program ended: nobody waits for answers.
    pub(crate) fn asks_no_more(&mut self, cx: &mut Cx) {
        let open = std::mem::take(&mut self.asks).open;
        let ends: Vec<_> = open.into_keys().map(|id| RequestEnd { id, status: Status::Cancelled }).collect();
        if !ends.is_empty() {
            cx.event(EventBody::RequestsClosed(ends));
        }
    }
}

fn title(ask: &Ask) -> String {
    let parts = [ask.title.as_str(), ask.message.as_str()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn one(filled: &[Filled]) -> Option<&str> {
    match filled {
        [Filled { question, values }] if question == "answer" && values.len() == 1 => {
            values.first().map(String::as_str)
        }
        _ => None,
    }
}

fn answer(id: &str, field: &str, value: Value) -> Value {
    let mut line = json!({"type": "extension_ui_response", "id": id});
    line[field] = value;
    line
}
