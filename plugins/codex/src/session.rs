//! The plugin's state, and the way in for what the host sends. One session is one program, with as many threads as the host opens.

use jackfield_sdk::jsonrpc::{Peer, RpcError};
use jackfield_sdk::past::Questions;
use jackfield_sdk::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

use crate::account::Login;
use crate::agent::Agents;
use crate::capabilities::{self, Version};
use crate::mcp::Servers;
use crate::request::Requests;
use crate::rollout::Sessions;
use crate::settings::{Models, Settings};
use crate::stderr::Stderr;
use crate::thread::Threads;

/// The plugin.
#[derive(Debug, Default)]
pub struct Codex {
    /// This session only lists and reads what is stored.
    pub(crate) query: bool,
    /// Questions about what is on disk.
    pub(crate) past: Questions,
    pub(crate) phase: Phase,
    pub(crate) channel: u32,
    pub(crate) peer: Option<Peer<Call>>,
    pub(crate) version: Version,
    /// What the program was started for, when that is a command by its name: the thread it names, and the name.
    pub(crate) started_for: Option<(Option<String>, String)>,
    /// How many capability sets were sent.
    pub(crate) revision: u32,
    /// Settings that a thread begins with.
    pub(crate) settings: Settings,
    /// Settings of threads that are being opened, by command.
    pub(crate) settings_of_opening: BTreeMap<u32, Settings>,
    pub(crate) models: Models,
    pub(crate) threads: Threads,
    pub(crate) agents: Agents,
    /// Threads that were copied here and that the host has not opened.
    pub(crate) copies: BTreeSet<String>,
    pub(crate) requests: Requests,
    pub(crate) servers: Servers,
    /// The host's tools, for threads that begin.
    pub(crate) tools: Vec<ToolSpec>,
    pub(crate) login: Login,
    /// Why the program goes on without its configuration, if it does.
    pub(crate) broken: Option<String>,
    pub(crate) stderr: Stderr,
    /// Writes that are on their way, by effect, and what waits for them.
    pub(crate) writes: BTreeMap<u32, Write>,
}

/// How far the session is.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Phase {
    /// No program runs.
    #[default]
    Empty,
    /// The program starts; the command `start` waits for its handshake.
    Starting(u32),
    /// The program takes threads and messages.
    Ready,
    /// We closed its stdin; its end is no surprise.
    Closing,
    /// It ended, or was refused.
    Ended,
}

/// What waits for a write.
#[derive(Debug)]
pub(crate) enum Write {
    /// A command whose call this is, if a command waits for it.
    Call(Option<u32>),
    /// The answer to a request, by command and request.
    Answer(u32, String),
    /// Nothing.
    Plain,
}

/// A call of ours, and what its answer is for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Call {
    Initialize,
    Config,
    Account,
    /// A thread is opened.
    Open {
        op: u32,
        resumes: bool,
    },
    /// A message that is to open a turn.
    Turn {
        op: u32,
        thread: String,
    },
    /// A message into the open turn.
    Steer {
        op: u32,
        thread: String,
    },
    /// A message into the program's queue.
    Queue {
        op: u32,
        thread: String,
    },
    /// The end of a turn, for a command; none for that of a subagent behind it.
    Interrupt {
        op: Option<u32>,
        thread: String,
    },
    Fork {
        op: u32,
    },
    /// The turns of a thread, to go back in it.
    Turns {
        op: u32,
        thread: String,
        point: Point,
    },
    /// The thread goes back, by the method of this version or by the other one.
    Back {
        op: u32,
        thread: String,
        point: Point,
        other_tried: bool,
    },
    Compact {
        op: u32,
    },
    /// The history of a thread, and how much of it.
    Read {
        op: u32,
        thread: String,
        page: ReadThread,
    },
    List {
        op: u32,
    },
    Models {
        op: u32,
    },
    Login {
        op: u32,
    },
    Logout {
        op: u32,
    },
    /// The thread is deleted for good.
    Delete {
        op: u32,
        thread: String,
    },
    /// Nobody waits for it.
    Nothing,
}

impl Provider for Codex {
    fn describe() -> Descriptor {
        Descriptor::new("codex", "Codex")
            .with_declared(capabilities::declared())
            .with_settings(Settings::default().to_settings(&Models::default()))
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        let (op, thread) = (command.op, command.thread.as_deref());
        match command.body {
            CommandBody::Start(start) => self.start(cx, op, &start),
            CommandBody::OpenThread(open) => self.open(cx, op, &open),
            CommandBody::SendRun(message) => self.send(cx, op, thread, &message),
            CommandBody::SteerRun(message) => self.steer(cx, op, thread, &message),
            CommandBody::Interrupt(interrupt) => self.interrupt(cx, op, thread, &interrupt),
            CommandBody::Respond(answer) => self.respond(cx, op, &answer),
            CommandBody::ListFolders => self.past.folders(cx, op, Sessions),
            CommandBody::ListThreads(list) if self.query => self.past.threads(cx, op, Sessions, list),
            CommandBody::ReadThread(page) if self.query => self.past.transcript(cx, op, Sessions, command.thread, page),
            CommandBody::ListSettings if self.query && self.phase == Phase::Empty => self.launch(cx, op),
            CommandBody::ReadThread(page) => self.read(cx, op, thread, page),
            CommandBody::RollbackThread(point) => self.rollback(cx, op, thread, point),
            CommandBody::ForkThread(point) => self.fork(cx, op, thread, &point),
            CommandBody::CompactThread(keep) => self.compact(cx, op, thread, &keep),
            CommandBody::CloseThread => self.close_thread(cx, op, thread),
            CommandBody::SetSelection(pairs) => self.select(cx, op, thread, &pairs),
            CommandBody::SetMcpServers(servers) => self.set_servers(cx, op, servers),
            CommandBody::RegisterTools(tools) => self.register(cx, op, tools),
            CommandBody::WaitTask(task) => self.wait_task(cx, op, &task),
            CommandBody::Authenticate(method) => self.authenticate(cx, op, &method),
            CommandBody::ListThreads(list) => self.list(cx, op, &list),
            CommandBody::ListSettings => self.list_settings(cx, op),
            CommandBody::Other(other) => self.other(cx, op, command.thread, &other.name),
            _ => {}
        }
    }

    fn frame(&mut self, cx: &mut Cx, frame: Frame) {
        self.translate(cx, &frame);
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
        match (self.writes.remove(&result.id), result.outcome) {
            (Some(Write::Answer(op, request)), outcome) => self.answer_written(cx, op, &request, outcome),
            (Some(Write::Call(Some(op))), Err(fault)) if cx.is_open(op) => cx.fail(op, fault),
            _ => {}
        }
    }

    fn channel_closed(&mut self, cx: &mut Cx, exit: ChannelExit) {
        let expected = self.phase == Phase::Closing;
        let fault = Fault::channel_closed(&exit);
        self.phase = if expected { Phase::Empty } else { Phase::Ended };
        self.writes.clear();
        self.peer = None;
        self.started_for = None;
        let withdrawn = self.requests.withdraw_all();
        if !withdrawn.is_empty() {
            cx.event(EventBody::RequestsClosed(withdrawn));
        }
        self.lose_turns(cx, &fault);
        cx.fail_held(&fault);
        if !expected {
            let closed = self.threads.iter().map(|thread| thread.to_thread(ThreadState::Closed)).collect::<Vec<_>>();
            if !closed.is_empty() {
                cx.event(EventBody::Threads(closed));
            }
        }
    }

    fn close(&mut self, cx: &mut Cx) {
        self.leave(cx);
    }
}

impl Codex {
    /// Calls the program for a command, which then waits for the answer.
    pub(crate) fn call(&mut self, cx: &mut Cx, op: Option<u32>, method: &str, params: Value, call: Call) {
        if let Some(op) = op {
            cx.hold(op);
        }
        let Some(peer) = &mut self.peer else { return };
        let effect = peer.call(cx, method, params, call);
        self.writes.insert(effect, Write::Call(op));
    }

    /// The program answered a call of ours.
    pub(crate) fn answered(&mut self, cx: &mut Cx, call: Call, answer: Result<Value, RpcError>) {
        match (call, answer) {
            // It was closed or deleted meanwhile.
            (
                Call::Turn { op, thread }
                | Call::Steer { op, thread }
                | Call::Queue { op, thread }
                | Call::Turns { op, thread, .. }
                | Call::Back { op, thread, .. },
                _,
            ) if self.threads.get(&thread).is_none() => {
                if cx.is_open(op) {
                    cx.fail(op, Fault::new(FaultKind::NotFound, "The thread is not open any more."));
                }
            }
            (Call::Initialize, answer) => self.initialized(cx, answer),
            (Call::Config, answer) => self.configured(cx, answer),
            (Call::Account, answer) => self.account_read(cx, answer),
            (Call::Open { op, resumes }, answer) => self.opened(cx, op, resumes, answer),
            (Call::Turn { op, thread }, answer) => self.turn_accepted(cx, op, &thread, answer),
            (Call::Steer { op, thread }, answer) => self.steered(cx, op, &thread, answer),
            (Call::Queue { op, thread }, answer) => self.queued(cx, op, &thread, answer),
            (Call::Interrupt { op, thread }, answer) => self.interrupted(cx, op, &thread, answer),
            (Call::Fork { op }, answer) => self.forked(cx, op, answer),
            (Call::Turns { op, thread, point }, answer) => self.turns_read(cx, op, &thread, point, answer),
            (Call::Back { op, thread, point, other_tried }, answer) => {
                self.went_back(cx, op, &thread, point, other_tried, answer)
            }
            (Call::Compact { op }, answer) => crate::fault::answer(cx, op, answer.map(|_| OpValue::Accepted)),
            (Call::Read { op, thread, page }, answer) => self.history(cx, op, &thread, &page, answer),
            (Call::List { op }, answer) => self.listed(cx, op, answer),
            (Call::Models { op }, answer) => self.models_told(cx, op, answer),
            (Call::Login { op }, answer) => self.login_started(cx, op, answer),
            (Call::Logout { op }, answer) => self.logged_out(cx, op, answer),
            (Call::Delete { op, thread }, answer) => self.deleted(cx, op, &thread, answer),
            (Call::Nothing, _) => {}
        }
        if cx.said_nothing() {
            cx.silent("answer");
        }
    }

    /// Why nothing can be asked of the program now.
    pub(crate) fn not_ready(&self) -> Option<Fault> {
        match self.phase {
            Phase::Ready => None,
            Phase::Starting(_) => Some(Fault::new(FaultKind::Conflict, "Codex is starting. Try again then.")),
            _ => Some(Fault::new(FaultKind::NotFound, "Codex does not run. Begin a session.")),
        }
    }

    /// Ends the program politely: it ends by itself when its stdin does.
    pub(crate) fn leave(&mut self, cx: &mut Cx) {
        if matches!(self.phase, Phase::Starting(_) | Phase::Ready) {
            // A program that could not be started has no stdin.
            if self.channel != 0 {
                let effect = cx.close_stdin(self.channel);
                self.writes.insert(effect, Write::Plain);
            }
            self.phase = Phase::Closing;
        }
    }
}
