//! The plugin's state, and the way in for what the host sends. One session is one server and one conversation, with its subagents'.

use jackfield_sdk::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

use crate::ask::Asks;
use crate::calls::{Call, Calls, Then};
use crate::child::Children;
use crate::part::Parts;
use crate::settings::Settings;
use crate::turn::Turns;
use crate::{capabilities, fault};

/// The plugin.
#[derive(Debug, Default)]
pub struct OpenCode {
    pub(crate) phase: Phase,
    /// The program.
    pub(crate) server: u32,
    /// The timer that waits until it says that it serves, and until it answers; 0 when nothing waits.
    pub(crate) patience: u32,
    /// Its events.
    pub(crate) events: u32,
    pub(crate) thread: Conversation,
    pub(crate) settings: Settings,
    pub(crate) calls: Calls,
    pub(crate) turns: Turns,
    pub(crate) parts: Parts,
    pub(crate) asks: Asks,
    pub(crate) children: Children,
    /// How many capability sets were sent.
    pub(crate) revision: u32,
}

/// How far the session is.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Phase {
    /// No program runs.
    #[default]
    Empty,
    /// The program starts; the command that opened the thread waits for it.
    Opening(u32),
    /// The server takes messages.
    Ready,
    /// We asked for its end, which is no surprise.
    Closing,
    /// It ended; the host opens the thread in a new session.
    Ended,
}

/// The conversation of this session.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// The server's id of it; also the cursor.
    pub id: String,
    /// What it was resumed from.
    pub from: Option<String>,
    pub title: Option<String>,
    /// The person's messages that opened a turn, in order; of a conversation that was resumed those since.
    pub said: Vec<String>,
    /// `said` has all of them.
    pub whole: bool,
    /// The assistant's messages that told their model.
    pub heard: BTreeSet<String>,
}

impl Provider for OpenCode {
    fn describe() -> Descriptor {
        let settings = Settings::default().to_settings();
        Descriptor::new("opencode-server", "OpenCode (server)")
            .with_declared(capabilities::declared())
            .with_settings(settings)
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        let op = command.op;
        match &command.body {
            CommandBody::Start(start) => self.start(cx, op, start),
            CommandBody::OpenThread(open) => self.open(cx, op, open),
            CommandBody::SendRun(message) => self.send(cx, op, message),
            CommandBody::Interrupt(_) => self.interrupt(cx, op),
            CommandBody::Respond(answer) => self.respond(cx, op, answer),
            CommandBody::RollbackThread(point) => self.at_point(cx, op, point, Then::Revert),
            CommandBody::ForkThread(point) => self.at_point(cx, op, point, Then::Fork),
            CommandBody::SetSelection(choices) => self.select(cx, op, choices),
            CommandBody::ListSettings => match self.not_ready() {
                None => cx.done(op, OpValue::Settings(self.settings.to_settings())),
                Some(fault) => cx.fail(op, fault),
            },
            CommandBody::CloseThread => {
                self.leave(cx);
                cx.done(op, OpValue::Accepted);
            }
            _ => {}
        }
    }

    fn frame(&mut self, cx: &mut Cx, frame: Frame) {
        if self.serves(&frame) {
            return self.listen(cx);
        }
        if frame.channel != self.events {
            // What else the program prints is for people.
            return match frame.pipe {
                Pipe::Main => cx.silent("printed"),
                Pipe::Error => cx.silent("stderr"),
            };
        }
        self.event(cx, &frame);
        if cx.said_nothing() {
            cx.silent("nothing-new");
        }
    }

    fn timer(&mut self, cx: &mut Cx, timer: u32) {
        if timer == self.patience {
            self.patience = 0;
            if matches!(self.phase, Phase::Opening(_)) {
                self.listen(cx);
            }
            return;
        }
        self.waited_out(cx, timer);
    }

    fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) {
        if result.id == self.server {
            return match result.outcome {
                Ok(_) => self.patience = cx.timer(crate::open::PATIENCE_MS),
                Err(fault) => {
                    self.server = 0;
                    self.opening_failed(cx, fault);
                }
            };
        }
        if result.id == self.events {
            return self.listening(cx, result.outcome);
        }
        let Some(call) = self.calls.take(result.id) else { return };
        let asked = call.words();
        let answer = match result.outcome {
            Ok(EffectValue::Response(response)) => fault::body(response, asked),
            Ok(_) => Ok(Value::Null),
            Err(fault) => Err(fault),
        };
        self.answered(cx, call, answer);
    }

    fn channel_closed(&mut self, cx: &mut Cx, exit: ChannelExit) {
        if exit.channel == self.server {
            self.server_ended(cx, &exit);
        } else if exit.channel == self.events {
            self.events_ended(cx, &exit);
        }
    }

    fn close(&mut self, cx: &mut Cx) {
        self.leave(cx);
    }
}

impl OpenCode {
    fn start(&mut self, cx: &mut Cx, op: u32, start: &StartSession) {
        if let Err(fault) = self.settings.choose(&start.selection) {
            return cx.fail(op, fault);
        }
        // The program starts with the thread.
        cx.done(op, OpValue::Accepted);
    }

    /// The server's answer to what we asked, or why there is none.
    fn answered(&mut self, cx: &mut Cx, call: Call, answer: Result<Value, Fault>) {
        match call {
            Call::Opened => self.opened(cx, answer),
            Call::Message(op) => self.message_taken(cx, op, answer.map(drop)),
            Call::Abort(op) => self.aborted(cx, op, answer.map(drop)),
            Call::Fork(op) => self.forked(cx, op, answer),
            Call::Revert { op, keep, turn } => self.reverted(cx, op, keep, turn, answer.map(drop)),
            Call::Said { op, point, then } => self.said_read(cx, op, point, then, answer),
            Call::Reply { op, request } => self.replied(cx, op, &request, answer.map(drop)),
            Call::Models => self.told(cx, answer, Settings::offer_models),
            Call::Agents => self.told(cx, answer, Settings::offer_agents),
        }
    }

    /// Something to choose from was told.
    fn told(&mut self, cx: &mut Cx, answer: Result<Value, Fault>, offer: fn(&mut Settings, Value)) {
        match answer {
            Ok(list) => offer(&mut self.settings, list),
            Err(fault) => return cx.diagnostic(Level::Warning, "not-told", fault.message),
        }
        self.tell_settings(cx);
    }

    pub(crate) fn tell_settings(&self, cx: &mut Cx) {
        cx.event(EventBody::Settings(self.settings.to_settings()));
    }

    /// The command `set-selection`: it goes along with the next message.
    fn select(&mut self, cx: &mut Cx, op: u32, choices: &Pairs) {
        if let Err(fault) = self.settings.choose(choices) {
            return cx.fail(op, fault);
        }
        cx.done(op, OpValue::Applied(Applies::NextTurn));
        self.tell_settings(cx);
    }

    /// Why nothing can be asked of the server now.
    pub(crate) fn not_ready(&self) -> Option<Fault> {
        match self.phase {
            Phase::Ready => None,
            Phase::Opening(_) => Some(Fault::new(FaultKind::Conflict, "The thread is being opened. Try again then.")),
            _ => Some(Fault::new(FaultKind::NotFound, "No thread is open. Open it, or resume it from its cursor.")),
        }
    }

    /// Why the conversation can't be changed now.
    pub(crate) fn not_idle(&self) -> Option<Fault> {
        let busy = || Fault::new(FaultKind::Conflict, "OpenCode is at work. Wait for the turn's end, or interrupt it.");
        self.not_ready().or_else(|| self.turns.has_work().then(busy))
    }
}
