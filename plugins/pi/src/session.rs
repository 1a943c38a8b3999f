//! The plugin's state, and the way in for what the host sends. One session is one program and one conversation.

use jackfield_sdk::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};

use crate::answer::{Model, Response, State};
use crate::ask::Asks;
use crate::branch::Copying;
use crate::calls::{Call, Calls};
use crate::select::{Selection, Then};
use crate::settings::Settings;
use crate::stream::Stream;
use crate::turn::Turns;
use crate::{capabilities, fault, tool};

/// The plugin.
#[derive(Debug, Default)]
pub struct Pi {
    pub(crate) phase: Phase,
    pub(crate) channel: u32,
    pub(crate) thread: Conversation,
    pub(crate) settings: Settings,
    pub(crate) selections: VecDeque<Selection>,
    pub(crate) calls: Calls,
    pub(crate) turns: Turns,
    pub(crate) stream: Stream,
    pub(crate) tools: tool::Calls,
    pub(crate) asks: Asks,
    /// Programs that make copies, by channel.
    pub(crate) copies: BTreeMap<u32, Copying>,
    /// Commands that extensions carry out themselves.
    pub(crate) extension_commands: Vec<String>,
    /// The command that asked for a shorter context, until the program is at it.
    pub(crate) compacts: Option<u32>,
    /// How the last compaction went was told by an event.
    pub(crate) compaction_told: bool,
    /// How many capability sets were sent.
    pub(crate) revision: u32,
}

/// How far the session is.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Phase {
    /// No program runs.
    #[default]
    Empty,
    /// The program starts; the command that opened the thread waits for its handshake.
    Opening(u32),
    /// The program takes messages.
    Ready,
    /// We closed its stdin; its end is no surprise.
    Closing,
    /// The program ended; the host opens the thread in a new session.
    Ended,
}

/// The conversation of this session.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// The program's id of its session.
    pub id: String,
    /// What it was resumed from.
    pub from: Option<String>,
    /// How many messages in the person's name it has.
    pub said: usize,
    /// It has an answer of the model.
    pub answered: bool,
    /// It is on disk.
    pub stored: bool,
}

impl Conversation {
    /// The resume point here.
    pub(crate) fn mark(&self) -> String {
        self.said.to_string()
    }
}

impl Provider for Pi {
    fn describe() -> Descriptor {
        let settings = Settings::default().to_settings();
        Descriptor::new("pi", "pi").with_declared(capabilities::declared()).with_settings(settings)
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        let op = command.op;
        match &command.body {
            CommandBody::Start(start) => self.start(cx, op, start),
            CommandBody::OpenThread(open) => self.open(cx, op, open),
            CommandBody::SendRun(message) => self.send(cx, op, message, false),
            CommandBody::SteerRun(message) => self.send(cx, op, message, true),
            CommandBody::Interrupt(_) => self.interrupt(cx, op),
            CommandBody::Respond(answer) => self.respond(cx, op, answer),
            CommandBody::RollbackThread(point) => self.rollback(cx, op, point),
            CommandBody::ForkThread(point) => self.fork(cx, op, point),
            CommandBody::CompactThread(keep) => self.compact(cx, op, keep),
            CommandBody::ClearThread => self.clear(cx, op),
            CommandBody::SetSelection(choices) => self.select(cx, choices, Then::Answer(op)),
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
        self.line(cx, &frame);
        if std::mem::take(&mut self.turns.unsure) {
            self.calls.ask(cx, self.channel, "get_state", json!({}), Call::Left);
        }
    }

    fn timer(&mut self, cx: &mut Cx, timer: u32) {
        self.expired(cx, timer);
    }

    fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) {
        if result.id == self.channel {
            return match result.outcome {
                Ok(_) => self.shake_hands(cx),
                Err(fault) => {
                    self.channel = 0;
                    self.opening_failed(cx, fault);
                }
            };
        }
        if self.copies.contains_key(&result.id) {
            return match result.outcome {
                Ok(_) => self.copy_runs(cx, result.id),
                Err(fault) => self.copy_ended(cx, result.id, fault),
            };
        }
        if self.answer_written(cx, &result) {
            return;
        }
        if let Some((call, fault)) = self.calls.written(result.id, result.outcome) {
            self.refused(cx, call, fault);
        }
    }

    fn channel_closed(&mut self, cx: &mut Cx, exit: ChannelExit) {
        if exit.channel == self.channel {
            self.program_ended(cx, &exit);
        } else {
            self.copy_ended(cx, exit.channel, fault::of_exit(&exit));
        }
    }

    fn close(&mut self, cx: &mut Cx) {
        self.leave(cx);
    }
}

impl Pi {
    fn start(&mut self, cx: &mut Cx, op: u32, start: &StartSession) {
        if let Err(fault) = self.settings.choose(&start.selection) {
            return cx.fail(op, fault);
        }
        // The program starts with the thread: model, thinking level and session are its arguments.
        cx.done(op, OpValue::Accepted);
    }

    /// Ends the conversation politely: the program ends by itself when its stdin does.
    fn leave(&mut self, cx: &mut Cx) {
        if matches!(self.phase, Phase::Opening(_) | Phase::Ready) {
            self.phase = Phase::Closing;
            self.hang_up(cx);
        }
    }

    pub(crate) fn hang_up(&mut self, cx: &mut Cx) {
        if self.channel != 0 {
            cx.close_stdin(self.channel);
        }
    }

    /// The thread as far as it is known.
    pub(crate) fn to_thread(&self, state: ThreadState) -> Thread {
        let cursor = self.thread.stored.then(|| self.thread.id.clone());
        Thread { cursor, ..Thread::new(&self.thread.id, state) }
    }

    /// The program's answer to what we asked.
    pub(crate) fn answered(&mut self, cx: &mut Cx, frame: Response) {
        let Some(call) = self.calls.answered(frame.id.as_deref(), &frame.command) else {
            return cx.silent("response/stray");
        };
        if !frame.success {
            let text = frame.error.unwrap_or_else(|| "it did not say why".to_owned());
            self.refused(cx, call, fault::of_command(&frame.command, &text));
        } else {
            self.done(cx, call, &frame);
        }
        if cx.said_nothing() {
            cx.silent(format!("response/{}", frame.command));
        }
    }

    fn done(&mut self, cx: &mut Cx, call: Call, frame: &Response) {
        match call {
            Call::Opened => self.opened(cx, data(frame)),
            Call::Models => self.offered(cx, data(frame)),
            Call::Commands => self.commands_told(cx, data(frame)),
            Call::Counted => self.counted(cx, data(frame)),
            Call::Message(op) => {
                let text = self.turns.text_of(op);
                self.message_taken(cx, op, text);
            }
            Call::Handled(op) if !data::<State>(frame).is_streaming => self.turns.handled(cx, op),
            Call::Abort(op) => self.aborted(cx, op),
            Call::Settled => {
                let state: State = data(frame);
                if !state.is_streaming && !state.is_compacting {
                    self.turns.settled(cx);
                }
            }
            Call::Left => {
                let state: State = data(frame);
                if !state.is_streaming && state.pending_message_count > 0 {
                    self.turns.left_over(cx);
                }
            }
            Call::Chosen => self.choice_answered(cx, Ok(frame.data.as_ref().map(|raw| raw.lossy::<Model>()))),
            Call::Compact(op) => self.compact_answered(cx, op, Ok(data(frame))),
            Call::New(op) => self.cleared(cx, op, data(frame)),
            Call::Renewed(op) => self.renewed(cx, op, data(frame)),
            Call::Points(op, keep) => self.points_told(cx, op, keep, data(frame)),
            Call::Back(op, keep) => self.went_back(cx, op, keep, data(frame)),
            Call::Parted(op, keep) => self.parted(cx, op, keep, data(frame)),
            Call::Handled(_) | Call::Copy(..) => {}
        }
    }

    /// The program refused it, or it was never written.
    fn refused(&mut self, cx: &mut Cx, call: Call, fault: Fault) {
        match call {
            Call::Opened => self.opening_failed(cx, fault),
            Call::Message(op) => self.turns.refused(cx, op, fault),
            Call::Abort(op) => {
                self.turns.interrupting = false;
                cx.fail(op, fault);
            }
            // Nobody can be asked: what seemed over counts as over.
            Call::Settled => self.turns.settled(cx),
            Call::Left => self.turns.left_over(cx),
            Call::Handled(op) => self.turns.handled(cx, op),
            Call::Chosen => self.choice_answered(cx, Err(fault)),
            Call::Compact(op) => self.compact_answered(cx, op, Err(fault)),
            Call::New(op) | Call::Renewed(op) => cx.fail(op, fault),
            Call::Points(op, _) | Call::Back(op, _) | Call::Parted(op, _) => cx.fail(op, fault),
            Call::Copy(channel, _) => self.copy_failed(cx, channel, fault),
            Call::Models | Call::Commands | Call::Counted => {
                cx.diagnostic(Level::Warning, "not-told", fault.message);
            }
        }
    }
}

fn data<T: DeserializeOwned + Default>(frame: &Response) -> T {
    frame.data.as_ref().map(|raw| raw.lossy()).unwrap_or_default()
}
