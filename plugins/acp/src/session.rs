//! The plugin's state, and the way in for what the host sends. One session is one program, which may hold several conversations.

use jackfield_sdk::jsonrpc::Peer;
use jackfield_sdk::past::Questions;
use jackfield_sdk::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;

use crate::answer::Call;
use crate::conversation::{Conversation, Early};
use crate::data::Data;
use crate::dialect::AcpDialect;
use crate::request::Requests;
use crate::shake::Agent;
use crate::{capabilities, fault};

/// The plugin, with a dialect.
#[derive(Debug, Default)]
pub struct Acp<D> {
    pub(crate) dialect: D,
    pub(crate) data: Data,
    pub(crate) phase: Phase,
    pub(crate) channel: u32,
    pub(crate) peer: Option<Peer<Call>>,
    pub(crate) agent: Agent,
    pub(crate) options: Options,
    pub(crate) servers: Vec<McpServer>,
    /// Settings chosen before there was a conversation.
    pub(crate) wanted: Pairs,
    /// By the agent's ids.
    pub(crate) conversations: BTreeMap<String, Conversation>,
    pub(crate) early: Early,
    pub(crate) requests: Requests,
    /// This session only lists and reads what is stored.
    pub(crate) query: bool,
    /// What the program was started for, when that is a command by its name: the thread it names, and the name.
    pub(crate) started_for: Option<(Option<String>, String)>,
    /// Questions about what is on disk.
    pub(crate) past: Questions,
    /// Writes that are on their way, by effect, and what waits for them.
    pub(crate) writes: BTreeMap<u32, Write>,
    /// How many capability sets were sent, and the last one.
    pub(crate) told: (u32, Vec<Capability>),
}

/// How far the session is.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Phase {
    /// No program runs.
    #[default]
    Empty,
    /// The program starts; this command waits for its handshake.
    Starting(u32),
    /// The program takes calls.
    Ready,
    /// We closed its stdin; its end is no surprise.
    Closing,
    /// The program ended; the host opens its threads in a new session.
    Ended,
}

/// The instance's options; the manifest has their schema.
#[derive(Debug, Default, serde::Deserialize)]
pub(crate) struct Options {
    /// Log in by this method before anything else.
    pub auth_method: Option<String>,
}

/// What waits for a write.
#[derive(Debug)]
pub(crate) enum Write {
    /// A message of a person, by its command and thread.
    Message(u32, String),
    /// The answer to a request, by command and request.
    Answer(u32, String),
    /// A cancel, by its command.
    Cancel(u32),
    /// Nothing.
    Plain,
}

impl<D: AcpDialect> Provider for Acp<D> {
    fn describe() -> Descriptor {
        // Data that can't be read is told at the start, where a fault can be told.
        let data = D::data().unwrap_or_default();
        Descriptor::new(&data.provider, &data.label).with_declared(capabilities::declared(&data))
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        let (op, thread) = (command.op, command.thread);
        let Some(body) = self.ask_files(cx, op, thread.as_deref(), command.body) else { return };
        match body {
            CommandBody::Start(start) => self.start(cx, op, &start),
            CommandBody::OpenThread(open) => self.open(cx, op, &open),
            CommandBody::SendRun(message) => self.send(cx, op, thread, &message),
            CommandBody::Interrupt(_) => self.interrupt(cx, op, thread),
            CommandBody::Respond(answer) => self.respond(cx, op, &answer),
            CommandBody::ForkThread(point) => self.fork(cx, op, thread, &point),
            CommandBody::SetSelection(pairs) => self.select(cx, op, thread, pairs),
            CommandBody::SetMcpServers(servers) => self.set_servers(cx, op, servers),
            CommandBody::Authenticate(method) => self.authenticate(cx, op, &method),
            CommandBody::ListThreads(list) => self.list(cx, op, list),
            CommandBody::ListSettings => self.list_settings(cx, op, thread),
            CommandBody::CloseThread => self.close_thread(cx, op, thread),
            CommandBody::Other(other) => self.other(cx, op, thread, &other.name),
            _ => {}
        }
    }

    fn frame(&mut self, cx: &mut Cx, frame: Frame) {
        self.hear(cx, &frame);
    }

    fn timer(&mut self, cx: &mut Cx, timer: u32) {
        if self.trail_due(cx, timer) {
            return;
        }
        let of = |which: fn(&Conversation) -> u32| {
            self.conversations.iter().find(|(_, found)| which(found) == timer).map(|(id, _)| id.clone())
        };
        match (of(|conversation| conversation.timer), of(|conversation| conversation.choosing)) {
            (Some(id), _) => self.stored(cx, &id),
            (None, Some(id)) => self.chosen_in_vain(cx, &id),
            (None, None) => {}
        }
    }

    fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) {
        let Some(result) = self.past.effect_done(cx, result) else { return };
        if result.id == self.channel {
            return match result.outcome {
                Ok(_) => self.initialize(cx),
                Err(fault) => {
                    self.channel = 0;
                    self.start_failed(cx, fault);
                }
            };
        }
        let Some(write) = self.writes.remove(&result.id) else { return };
        match (write, result.outcome) {
            // A message is with the agent: in this protocol it has a turn of its own.
            (Write::Message(op, _), Ok(_)) => cx.opened_turn(op),
            (Write::Message(op, thread), Err(fault)) => self.unsent(cx, op, &thread, fault),
            (Write::Answer(op, request), Ok(_)) => self.answered(cx, op, &request),
            (Write::Answer(op, _) | Write::Cancel(op), Err(fault)) if cx.is_open(op) => cx.fail(op, fault),
            (Write::Cancel(op), Ok(_)) if cx.is_open(op) => cx.done(op, OpValue::Interrupted(vec![])),
            _ => {}
        }
    }

    fn channel_closed(&mut self, cx: &mut Cx, exit: ChannelExit) {
        let expected = self.phase == Phase::Closing;
        let fault = fault::of_exit(&self.data, &exit);
        self.phase = if expected { Phase::Empty } else { Phase::Ended };
        self.writes.clear();
        self.peer = None;
        self.started_for = None;
        self.withdraw(cx, None);
        let ids: Vec<String> = self.conversations.keys().cloned().collect();
        for id in &ids {
            self.turn_lost(cx, id, &fault);
        }
        cx.fail_held(&fault);
        if !expected {
            let threads = ids.iter().filter_map(|id| self.to_thread(id, ThreadState::Closed)).collect::<Vec<_>>();
            if !threads.is_empty() {
                cx.event(EventBody::Threads(threads));
            }
        }
        self.conversations.clear();
    }

    fn close(&mut self, cx: &mut Cx) {
        self.leave(cx);
    }
}

impl<D: AcpDialect> Acp<D> {
    fn start(&mut self, cx: &mut Cx, op: u32, start: &StartSession) {
        match (cx.options(), D::data()) {
            (Ok(options), Ok(data)) => (self.options, self.data) = (options, data),
            (Err(fault), _) => return cx.fail(op, fault),
            (_, Err(text)) => return cx.fail(op, Fault::new(FaultKind::Internal, text)),
        }
        self.wanted.clone_from(&start.selection);
        self.query = start.role == Role::Query;
        if self.query && self.data.history.is_some() {
            // Its files answer; nothing is started for that.
            return cx.done(op, OpValue::Accepted);
        }
        self.launch(cx, op);
    }

    /// Starts the program, for a command that waits for it.
    pub(crate) fn launch(&mut self, cx: &mut Cx, op: u32) {
        self.channel = cx.spawn("main", vec![]);
        self.phase = Phase::Starting(op);
        cx.hold(op);
    }

    /// The session can't begin.
    pub(crate) fn start_failed(&mut self, cx: &mut Cx, fault: Fault) {
        let Phase::Starting(op) = self.phase else { return };
        self.started_for = None;
        self.hang_up(cx);
        self.phase = Phase::Closing;
        cx.fail(op, fault);
    }

    /// Ends the program politely: it ends by itself when its stdin does, or the host ends it.
    pub(crate) fn leave(&mut self, cx: &mut Cx) {
        if matches!(self.phase, Phase::Starting(_) | Phase::Ready) {
            self.hang_up(cx);
            self.phase = Phase::Closing;
        }
    }

    /// A program that could not be started has no stdin.
    fn hang_up(&mut self, cx: &mut Cx) {
        if self.channel != 0 {
            let effect = cx.close_stdin(self.channel);
            self.writes.insert(effect, Write::Plain);
        }
    }

    /// Calls the agent; gives the write effect.
    pub(crate) fn ask(&mut self, cx: &mut Cx, method: &str, mut params: Value, call: Call) -> Option<u32> {
        self.dialect.call(method, &mut params);
        Some(self.peer.as_mut()?.call(cx, method, params, call))
    }

    /// The thread a command is about: the one it names, or the only one.
    pub(crate) fn of(&self, thread: Option<String>) -> Result<String, Fault> {
        let only = || if self.conversations.len() == 1 { self.conversations.keys().next().cloned() } else { None };
        let id = thread.or_else(only).filter(|id| self.conversations.get(id).is_some_and(|found| !found.opening));
        match (&self.phase, id) {
            (Phase::Ready, Some(id)) => Ok(id),
            _ => Err(Fault::new(FaultKind::NotFound, "No such thread is open. Open it, or resume it from its cursor.")),
        }
    }

    /// Where something of this conversation happened: named only where there is another.
    pub(crate) fn scope(&self, thread: &str) -> Option<Scope> {
        let only = self.conversations.len() == 1 && self.conversations.contains_key(thread);
        if only { None } else { Some(Scope { thread: Some(thread.to_owned()), ..Scope::root() }) }
    }

    /// The conversation as the contract's thread.
    pub(crate) fn to_thread(&self, id: &str, state: ThreadState) -> Option<Thread> {
        let conversation = self.conversations.get(id)?;
        let cursor = Some(id.to_owned()).filter(|_| conversation.stored && self.agent.resumes());
        let title = conversation.title.clone();
        Some(Thread { cursor, title, parent: conversation.parent.clone(), ..Thread::new(id, state) })
    }
}
