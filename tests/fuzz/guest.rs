//! A plugin that says whatever its bytes say: events of every kind, answers to commands that are open and to some that are not,
//! wishes that nobody granted, answers to the provider in the person's name; and it breaks now and then. The first two commands
//! it answers as it should, so that there is a conversation to spoil. Its bytes are the option `bytes`, hexadecimal.
//!
//! `bytes` and `decode` stand before this when `tests/tests/hostile_outputs.rs` builds it.

use bytes::Bytes;
use jackfield_sdk::bindings::exports::jackfield::provider::adapter::{Guest, GuestSession};
use jackfield_sdk::prelude::*;
use std::cell::RefCell;

struct Exports;

#[derive(Default)]
struct State {
    data: Vec<u8>,
    at: usize,
    effect: u32,
    last_op: u32,
}

struct Session(RefCell<State>);

impl Guest for Exports {
    type Session = Session;

    fn describe() -> Descriptor {
        let flags = ["turns.emits-turn-started", "turns.emits-turn-completed", "turns.supports-interrupt", "turns.supports-active-steering",
            "threads.can-create-empty-thread", "approvals.supports-command-approval"];
        Descriptor::new("babbling", "Babbling").with_declared(CapabilitySet::of(&flags, &[("turns.terminal-status-quality", "strong")]))
    }
}

impl GuestSession for Session {
    fn new() -> Self {
        Session(RefCell::default())
    }

    fn handle(&self, _: Tick, inputs: Vec<Input>) -> Result<Vec<Caused>, Fault> {
        let mut state = self.0.borrow_mut();
        let mut out = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            let outputs = state.react(input)?;
            out.extend(outputs.into_iter().map(|output| Caused { cause: index as u32, output }));
        }
        if state.data.len() > 40 && state.data[state.at % state.data.len()] == 7 {
            // Caused by nothing that there was.
            out.iter_mut().for_each(|one| one.cause = u32::MAX);
        }
        Ok(out)
    }
}

impl State {
    fn react(&mut self, input: &Input) -> Result<Vec<Output>, Fault> {
        let done = |op, value| Output::Done(OpResult { op, outcome: Ok(value) });
        if let Input::Command(command) = input {
            self.last_op = command.op;
            match &command.body {
                CommandBody::Start(start) => {
                    let options: serde_json::Value = serde_json::from_str(&start.options).unwrap_or_default();
                    let hex = options["bytes"].as_str().unwrap_or_default();
                    self.data = (0..hex.len() / 2).filter_map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok()).collect();
                    return Ok(vec![done(command.op, OpValue::Accepted)]);
                }
                CommandBody::OpenThread(_) => {
                    self.effect += 1;
                    let spawn = EffectBody::Spawn(Spawn { profile: "main".into(), holes: vec![] });
                    let thread = Thread::new("S", ThreadState::Idle);
                    return Ok(vec![Output::Effect(Effect { id: self.effect, body: spawn }), done(command.op, OpValue::Thread(thread))]);
                }
                _ => {}
            }
        }
        let piece = std::mem::take(&mut self.data);
        let mut b = Bytes::new(piece.get(self.at..).unwrap_or_default());
        let said = self.babble(&mut b, input);
        self.at += 40;
        self.data = piece;
        said
    }

    fn babble(&mut self, b: &mut Bytes<'_>, input: &Input) -> Result<Vec<Output>, Fault> {
        if b.is_over() {
            // Out of words: silent from now on, but for what it owes.
            return Ok(match input {
                Input::Command(command) => vec![Output::Done(OpResult { op: command.op, outcome: Err(Fault::new(FaultKind::Unsupported, "no more")) })],
                Input::Frame(_) => vec![Output::Disposition(Disposition::Noise)],
                _ => vec![],
            });
        }
        match b.below(256) {
            201 => panic!("it was told to"),
            202 => return Err(decode::fault(b)),
            _ => {}
        }
        Ok((0..b.below(5)).map(|_| self.word(b)).collect())
    }

    fn word(&mut self, b: &mut Bytes<'_>) -> Output {
        match b.below(14) {
            0..=5 => Output::Event(decode::event(b)),
            6 | 7 => {
                let op = if b.below(3) == 0 { decode::op(b) } else { self.last_op };
                let outcome = if b.once_in(4) { Err(decode::fault(b)) } else { Ok(decode::value(b)) };
                Output::Done(OpResult { op, outcome })
            }
            8 | 9 => self.wish(b),
            10 => Output::Negotiated(decode::capabilities(b)),
            11 => Output::Disposition(decode::disposition(b)),
            12 => Output::Diagnostic(decode::note(b)),
            _ => Output::Other(Other { name: b.id(), json: b.text() }),
        }
    }

    fn wish(&mut self, b: &mut Bytes<'_>) -> Output {
        self.effect += 1;
        let id = if b.once_in(12) { decode::op(b) } else { self.effect };
        let channel = if b.once_in(8) { decode::op(b) } else { 1 };
        let lines = ["{\"type\":\"hello\"}", "{\"type\":\"hello\"}\n{\"type\":\"answer\",\"id\":\"2\",\"option\":\"once\"}", "no json", "", "[1"];
        let body = match b.below(12) {
            0..=4 => {
                let line = match b.below(3) {
                    0 => b.pick(&lines).to_owned(),
                    _ => answer(b),
                };
                let data = if b.once_in(10) { FrameData::Bytes(line.into_bytes()) } else { FrameData::Text(line) };
                EffectBody::Write(Write { channel, data })
            }
            5 => EffectBody::Spawn(Spawn { profile: b.pick(&["main", "shell", ""]).to_owned(), holes: vec![(b.id(), b.text())] }),
            6 => EffectBody::Timer(b.number()),
            7 => EffectBody::Cancel(decode::op(b)),
            8 => EffectBody::Signal(SignalSend { channel: 9, kind: SignalKind::Kill }),
            9 => EffectBody::ReadFile(ReadFile { file: FilePath { root: "home".into(), path: "../x".into() }, offset: b.number(), length: u32::MAX }),
            10 => EffectBody::CloseStdin(7),
            _ => EffectBody::Other(Other { name: b.id(), json: b.text() }),
        };
        Output::Effect(Effect { id, body })
    }
}

/// An answer to the provider, in the person's name.
fn answer(b: &mut Bytes<'_>) -> String {
    let id = b.pick(&["\"1\"", "\"2\"", "\"3\"", "1", "null"]);
    let option = b.pick(&["\"once\"", "\"session\"", "\"no\"", "[\"once\"]"]);
    let input = b.pick(&["", ",\"input\":{\"x\":1}", ",\"input\":{\"x\":9}"]);
    let one = format!("{{\"type\":\"answer\",\"id\":{id},\"option\":{option}{input}}}");
    if b.once_in(6) { format!("[{one},{one}]") } else { one }
}

jackfield_sdk::bindings::export_component!(Exports with_types_in jackfield_sdk::bindings);
