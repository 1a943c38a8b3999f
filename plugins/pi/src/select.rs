//! Choosing model and thinking level while the program runs. **Commands are carried out beside each other, so a message waits until the
//! choices that go with it are in force.**

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};
use std::collections::VecDeque;

use crate::answer::Model;
use crate::calls::Call;
use crate::session::Pi;
use crate::settings::Settings;

/// What follows when the choices are in force.
#[derive(Debug)]
pub(crate) enum Then {
    /// The command is answered.
    Answer(u32),
    /// The message is said.
    Say { op: u32, text: String, images: Vec<Value> },
}

/// Choices that are being made.
#[derive(Debug)]
pub(crate) struct Selection {
    left: VecDeque<(String, String)>,
    then: Then,
}

impl Then {
    fn op(&self) -> u32 {
        match self {
            Then::Answer(op) | Then::Say { op, .. } => *op,
        }
    }
}

impl Pi {
    /// Makes these choices, one after another.
    pub(crate) fn select(&mut self, cx: &mut Cx, choices: &Pairs, then: Then) {
        let op = then.op();
        if let Some(fault) = choices.iter().find_map(|(name, value)| Settings::check(name, value).err()) {
            return cx.fail(op, fault);
        }
        if let Some(fault) = self.not_ready() {
            return cx.fail(op, fault);
        }
        let in_force = |name: &str, value: &str| match name {
            "model" => self.settings.model.as_deref() == Some(value),
            _ => self.settings.effort.as_deref() == Some(value),
        };
        let left: VecDeque<_> = choices.iter().filter(|(name, value)| !in_force(name, value)).cloned().collect();
        cx.hold(op);
        self.selections.push_back(Selection { left, then });
        if self.selections.len() == 1 {
            self.next_choice(cx);
        }
    }

    fn next_choice(&mut self, cx: &mut Cx) {
        while let Some(selection) = self.selections.front_mut() {
            let Some((name, value)) = selection.left.front().cloned() else {
                if let Some(done) = self.selections.pop_front() {
                    self.chosen(cx, done.then);
                }
                continue;
            };
            let (command, fields) = match name.as_str() {
                "model" => match self.settings.parts(&value) {
                    (Some(provider), id) => ("set_model", json!({"provider": provider, "modelId": id})),
                    (None, _) => {
                        let text = format!("pi knows no model `{value}`; name it as provider/model.");
                        self.choice_failed(cx, Fault::new(FaultKind::Invalid, text));
                        continue;
                    }
                },
                _ => ("set_thinking_level", json!({"level": value})),
            };
            return self.calls.ask(cx, self.channel, command, fields, Call::Chosen);
        }
    }

    fn chosen(&mut self, cx: &mut Cx, then: Then) {
        match then {
            Then::Answer(op) => cx.done(op, OpValue::Applied(Applies::Now)),
            Then::Say { op, text, images } => self.say(cx, op, text, images),
        }
    }

    /// The program's answer to a choice. `model` is what it says is in force now.
    pub(crate) fn choice_answered(&mut self, cx: &mut Cx, outcome: Result<Option<Model>, Fault>) {
        match outcome {
            Ok(model) => {
                let made = self.selections.front_mut().and_then(|selection| selection.left.pop_front());
                match (made, model) {
                    (Some((name, _)), Some(model)) if name == "model" => self.settings.now(model),
                    (Some((name, value)), _) => self.settings.set(&name, &value),
                    (None, _) => {}
                }
                self.tell_settings(cx);
            }
            Err(fault) => self.choice_failed(cx, fault),
        }
        self.next_choice(cx);
    }

    fn choice_failed(&mut self, cx: &mut Cx, fault: Fault) {
        if let Some(failed) = self.selections.pop_front() {
            cx.fail(failed.then.op(), fault);
        }
    }
}
