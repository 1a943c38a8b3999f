//! Our requests to the program and their answers: handshake, interrupt, model, mode, MCP servers, the end of a task.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::session::{ClaudeCode, Phase, Write};
use crate::settings::Settings;
use crate::wire_session::{ControlOutcome, Initialized};

/// What a control request is about.
#[derive(Debug, Clone)]
pub(crate) enum Control {
    /// The handshake.
    Initialize,
    /// The stop of a turn, for a command.
    Interrupt(u32),
    /// A setting, for a command, and those that follow it.
    Select { op: u32, name: String, value: String, rest: Pairs },
    /// A setting that a message brought along.
    Along { name: String, value: String },
    /// The MCP servers, for a command or from the start.
    Servers(Option<u32>),
    /// How the MCP servers are.
    ServersStatus,
    /// The end of a task, for a command.
    Stop(u32),
}

/// The open requests of ours, by id.
#[derive(Debug, Default)]
pub(crate) struct Controls {
    next: u32,
    open: BTreeMap<String, Control>,
}

/// What an interrupt's answer tells: messages that still wait, by their uuid.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
struct Receipt {
    still_queued: Vec<Value>,
}

impl ClaudeCode {
    /// Sends a control request.
    pub(crate) fn ask(&mut self, cx: &mut Cx, request: Value, control: Control) {
        self.controls.next += 1;
        let id = format!("jackfield-{}", self.controls.next);
        self.controls.open.insert(id.clone(), control);
        let message = json!({"type": "control_request", "request_id": id, "request": request});
        self.write(cx, &message, Write::Control(id));
    }

    /// The program answered one of ours.
    pub(crate) fn control_answer(&mut self, cx: &mut Cx, answer: ControlOutcome) {
        let Some(control) = self.controls.open.remove(&answer.request_id) else {
            return cx.silent("control_response/stray");
        };
        if answer.subtype == "success" {
            return self.granted(cx, control, &answer);
        }
        let text = answer.error.unwrap_or_else(|| "The program refused and did not say why.".to_owned());
        let kind = match answer.error_code.as_deref() {
            Some("unsupported_request") => FaultKind::Unsupported,
            Some(_) => FaultKind::Invalid,
            None => FaultKind::Unknown,
        };
        let fault = Fault { code: answer.error_code, ..Fault::new(kind, text) };
        self.refused(cx, control, fault);
    }

    /// A control request could not be written.
    pub(crate) fn control_failed(&mut self, cx: &mut Cx, id: &str, fault: Fault) {
        if let Some(control) = self.controls.open.remove(id) {
            self.refused(cx, control, fault);
        }
    }

    fn granted(&mut self, cx: &mut Cx, control: Control, answer: &ControlOutcome) {
        match control {
            Control::Initialize => {
                let reply: Initialized = answer.response.as_ref().map(|raw| raw.lossy()).unwrap_or_default();
                self.initialized(cx, reply);
            }
            Control::Interrupt(op) => {
                let receipt: Receipt = answer.response.as_ref().map(|raw| raw.lossy()).unwrap_or_default();
                let waiting = receipt.still_queued.iter().filter_map(|message| self.turns.op_of(&message.to_string()));
                let waiting = waiting.collect();
                cx.done(op, OpValue::Interrupted(waiting));
            }
            Control::Select { op, name, value, rest } => {
                self.settings.set(&name, &value);
                if rest.is_empty() {
                    cx.done(op, OpValue::Applied(Applies::Now));
                    cx.event(EventBody::Settings(self.settings.to_settings()));
                } else {
                    self.select_next(cx, op, rest);
                }
            }
            Control::Servers(op) => self.servers_set(cx, op, answer.response.as_ref()),
            Control::ServersStatus => self.servers_status(cx, answer.response.as_ref()),
            Control::Stop(op) => cx.done(op, OpValue::Accepted),
            Control::Along { name, value } => {
                if self.settings.set(&name, &value) {
                    cx.event(EventBody::Settings(self.settings.to_settings()));
                } else {
                    cx.silent("control_response");
                }
            }
        }
    }

    fn refused(&mut self, cx: &mut Cx, control: Control, fault: Fault) {
        match control {
            Control::Initialize => self.opening_failed(cx, Fault { kind: FaultKind::Protocol, ..fault }),
            Control::Interrupt(op) => {
                self.turns.interrupting = false;
                cx.fail(op, fault);
            }
            Control::Select { op, .. } | Control::Stop(op) | Control::Servers(Some(op)) => cx.fail(op, fault),
            Control::Servers(None) => {
                let text = format!("The program did not take the MCP servers: {}", fault.message);
                cx.event(EventBody::Note(Note { fault: Some(fault), ..Note::new(Level::Warning, "mcp", text) }));
            }
            Control::ServersStatus => cx.diagnostic(Level::Warning, "mcp-status", fault.message),
            Control::Along { name, value } => {
                let text = format!("The program did not take {name} `{value}`: {}", fault.message);
                cx.event(EventBody::Note(Note { fault: Some(fault), ..Note::new(Level::Warning, "config", text) }));
            }
        }
    }

    /// The command `interrupt`.
    pub(crate) fn interrupt(&mut self, cx: &mut Cx, op: u32) {
        if self.phase != Phase::Ready || !self.turns.has_work() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "No turn is open."));
        }
        self.turns.interrupting = true;
        cx.hold(op);
        self.ask(cx, json!({"subtype": "interrupt"}), Control::Interrupt(op));
    }

    /// The command `set-selection`.
    pub(crate) fn select(&mut self, cx: &mut Cx, op: u32, pairs: Pairs) {
        if let Some(fault) = pairs.iter().find_map(|(name, value)| Settings::check(name, value).err()) {
            return cx.fail(op, fault);
        }
        match self.phase {
            Phase::Ready if !pairs.is_empty() => {
                cx.hold(op);
                self.select_next(cx, op, pairs);
            }
            Phase::Opening(_) => {
                cx.fail(op, Fault::new(FaultKind::Conflict, "The thread is being opened. Try again then."))
            }
            _ => {
                for (name, value) in &pairs {
                    self.settings.set(name, value);
                }
                cx.done(op, OpValue::Applied(Applies::Now));
            }
        }
    }

    fn select_next(&mut self, cx: &mut Cx, op: u32, mut pairs: Pairs) {
        let (name, value) = pairs.remove(0);
        self.ask(cx, setting_request(&name, &value), Control::Select { op, name, value, rest: pairs });
    }

    /// Settings that come with a message go ahead of it.
    pub(crate) fn select_along(&mut self, cx: &mut Cx, pairs: &Pairs) {
        for (name, value) in pairs {
            let control = Control::Along { name: name.clone(), value: value.clone() };
            self.ask(cx, setting_request(name, value), control);
        }
    }
}

fn setting_request(name: &str, value: &str) -> Value {
    match name {
        "model" => json!({"subtype": "set_model", "model": value}),
        _ => json!({"subtype": "set_permission_mode", "mode": value}),
    }
}
