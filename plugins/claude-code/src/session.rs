//! The plugin's state, and the way in for what the host sends. One session is one program and one conversation.

use jackfield_sdk::past::Questions;
use jackfield_sdk::prelude::*;
use std::collections::BTreeMap;

use crate::control::Controls;
use crate::cursor::Cursor;
use crate::history::Projects;
use crate::mcp::Servers;
use crate::message::Messages;
use crate::request::Requests;
use crate::seen::Seen;
use crate::settings::Settings;
use crate::stream::Streams;
use crate::task::Tasks;
use crate::todo::Todos;
use crate::turn::Turns;
use crate::{capabilities, fault};

/// The plugin.
#[derive(Debug, Default)]
pub struct ClaudeCode {
    pub(crate) phase: Phase,
    pub(crate) channel: u32,
    pub(crate) thread: Conversation,
    pub(crate) settings: Settings,
    pub(crate) options: Options,
    pub(crate) controls: Controls,
    pub(crate) turns: Turns,
    pub(crate) requests: Requests,
    pub(crate) seen: Seen,
    pub(crate) streams: Streams,
    pub(crate) messages: Messages,
    pub(crate) tasks: Tasks,
    pub(crate) todos: Todos,
    pub(crate) servers: Servers,
    /// Questions about what is on disk.
    pub(crate) past: Questions,
    /// Writes that are on their way, by effect, and what waits for them.
    pub(crate) writes: BTreeMap<u32, Write>,
    /// How many capability sets were sent.
    pub(crate) revision: u32,
    /// This version takes a list of tools that it must not use.
    pub(crate) selects_tools: bool,
    /// The program's version, once it was told.
    pub(crate) version: Option<String>,
}

/// How far the session is.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Phase {
    /// No program runs.
    #[default]
    Empty,
    /// The program starts; the command that opened the thread waits for its handshake.
    Opening(u32),
    /// The program was told to end and starts again at another point; the command that wants it waits.
    Restarting(u32),
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
    pub id: String,
    /// What it was opened from.
    pub from: Option<Cursor>,
    /// Whether the program is known to have it on disk, as far as it goes: only then its id alone resumes it.
    pub stored: bool,
    /// The program is being started again at an earlier point.
    pub rewinding: Option<Rewinding>,
    /// The timer that makes it count as stored.
    pub timer: u32,
}

/// Going back in a conversation.
#[derive(Debug)]
pub(crate) struct Rewinding {
    /// What opens the conversation as it was.
    pub before: Cursor,
    /// Why it could not go back: it is being opened as it was.
    pub refused: Option<Fault>,
}

/// The instance's options; the manifest has their schema.
#[derive(Debug, Default, serde::Deserialize)]
pub(crate) struct Options {
    pub max_turns: Option<u32>,
}

/// What waits for a write.
#[derive(Debug)]
pub(crate) enum Write {
    /// A message of a person, by its command.
    Message(u32),
    /// The answer to a request, by command and request.
    Answer(u32, String),
    /// A control request, by its id.
    Control(String),
    /// Nothing.
    Plain,
}

impl Provider for ClaudeCode {
    fn describe() -> Descriptor {
        Descriptor::new("claude-code", "Claude Code")
            .with_declared(capabilities::declared())
            .with_settings(Settings::default().to_settings())
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        let op = command.op;
        match command.body {
            CommandBody::Start(start) => self.start(cx, op, &start),
            CommandBody::OpenThread(open) => self.open(cx, op, &open),
            CommandBody::SendRun(message) => self.send(cx, op, &message, false),
            CommandBody::SteerRun(message) => self.send(cx, op, &message, true),
            CommandBody::Interrupt(_) => self.interrupt(cx, op),
            CommandBody::Respond(answer) => self.respond(cx, op, &answer),
            CommandBody::RollbackThread(point) => self.rollback(cx, op, &point),
            CommandBody::ForkThread(point) => self.fork(cx, op, &point),
            CommandBody::CompactThread(keep) => self.compact(cx, op, &keep),
            CommandBody::ClearThread => self.clear(cx, op),
            CommandBody::SetSelection(pairs) => self.select(cx, op, pairs),
            CommandBody::SetMcpServers(servers) => self.set_servers(cx, op, servers),
            CommandBody::StopTask(task) => self.stop_task(cx, op, task),
            CommandBody::WaitTask(task) => self.wait_task(cx, op, task),
            CommandBody::ListFolders => self.past.folders(cx, op, Projects),
            CommandBody::ListThreads(list) => self.past.threads(cx, op, Projects, list),
            CommandBody::ReadThread(read) => self.past.transcript(cx, op, Projects, command.thread, read),
            CommandBody::ListSettings => cx.done(op, OpValue::Settings(self.settings.to_settings())),
            CommandBody::CloseThread => {
                self.leave(cx);
                cx.done(op, OpValue::Accepted);
            }
            _ => {}
        }
    }

    fn frame(&mut self, cx: &mut Cx, frame: Frame) {
        self.translate(cx, &frame);
    }

    fn timer(&mut self, cx: &mut Cx, timer: u32) {
        if timer == self.thread.timer {
            self.stored(cx);
        }
    }

    fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) {
        let Some(result) = self.past.effect_done(cx, result) else { return };
        if result.id == self.channel {
            return match result.outcome {
                Ok(_) => self.initialize(cx),
                Err(fault) => {
                    // No program runs whose end would start another.
                    if let Some(rewinding) = &mut self.thread.rewinding {
                        rewinding.refused.get_or_insert_with(|| fault.clone());
                    }
                    self.opening_failed(cx, fault);
                }
            };
        }
        let Some(write) = self.writes.remove(&result.id) else { return };
        match (write, result.outcome) {
            (Write::Message(op), Ok(_)) => self.turns.written(cx, op),
            (Write::Message(op), Err(fault)) => self.turns.unwritten(cx, op, fault),
            (Write::Answer(op, request), Ok(_)) => self.answered(cx, op, &request),
            (Write::Answer(op, request), Err(fault)) => {
                self.requests.reopen(&request);
                cx.fail(op, fault);
            }
            (Write::Control(id), Err(fault)) => self.control_failed(cx, &id, fault),
            (Write::Control(_) | Write::Plain, _) => {}
        }
    }

    fn channel_closed(&mut self, cx: &mut Cx, exit: ChannelExit) {
        if let Some(op) = self.starts_again(&exit) {
            return self.start_again(cx, op);
        }
        let expected = self.phase == Phase::Closing;
        let mut fault = fault::of_exit(&exit);
        if let Some(error) = self.messages.error.take() {
            fault.message = format!("{error} ({})", fault.message);
        }
        self.phase = if expected { Phase::Empty } else { Phase::Ended };
        self.writes.clear();
        self.controls = Controls::default();
        let withdrawn = self.requests.withdraw_all();
        if !withdrawn.is_empty() {
            cx.event(EventBody::RequestsClosed(withdrawn));
        }
        self.turns.lost(cx, &fault);
        cx.fail_held(&fault);
        if !expected && !self.thread.id.is_empty() {
            cx.event(EventBody::Threads(vec![self.to_thread(ThreadState::Closed)]));
        }
    }

    fn close(&mut self, cx: &mut Cx) {
        // No result will tell it any more.
        self.got_over_error(cx);
        self.leave(cx);
    }
}

impl ClaudeCode {
    fn start(&mut self, cx: &mut Cx, op: u32, start: &StartSession) {
        match cx.options() {
            Ok(options) => self.options = options,
            Err(fault) => return cx.fail(op, fault),
        }
        if let Err(fault) = self.settings.choose(&start.selection) {
            return cx.fail(op, fault);
        }
        // The program starts with the thread: model, mode and the session to resume are its arguments.
        cx.done(op, OpValue::Accepted);
    }

    /// Ends the conversation politely: the program ends by itself when its stdin does.
    fn leave(&mut self, cx: &mut Cx) {
        match self.phase {
            Phase::Opening(_) | Phase::Ready => {
                self.hang_up(cx);
                self.phase = Phase::Closing;
            }
            // It was told so already, and is not started again.
            Phase::Restarting(_) => self.phase = Phase::Closing,
            _ => {}
        }
    }

    /// Closes the program's stdin, by which it ends.
    pub(crate) fn hang_up(&mut self, cx: &mut Cx) {
        let effect = cx.close_stdin(self.channel);
        self.writes.insert(effect, Write::Plain);
    }

    /// The thread as far as it is known.
    pub(crate) fn to_thread(&self, state: ThreadState) -> Thread {
        let cursor = match &self.thread.from {
            _ if self.thread.stored => Some(self.thread.id.clone()),
            from => from.as_ref().map(Cursor::write),
        };
        let parent = self.thread.from.as_ref().filter(|from| from.copy.is_some()).map(|from| from.session.clone());
        Thread { cursor, parent, ..Thread::new(&self.thread.id, state) }
    }

    /// Writes a message and remembers what waits for it.
    pub(crate) fn write(&mut self, cx: &mut Cx, message: &impl serde::Serialize, waits: Write) {
        let effect = cx.write_json(self.channel, message);
        self.writes.insert(effect, waits);
    }
}
