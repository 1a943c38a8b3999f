//! Drives a plugin natively: no wasm, no host, no process. For a plugin's own tests.
//!
//! It plays a well-behaved host: effects are answered `opened` and `written` at once (unless [`Harness::manual`]), timers fire when
//! [`Harness::advance`] reaches them. What was spawned and written is kept to look at. A fault of the session panics, except in `try_…`.
//! [`recording`] reads recorded conversations and holds texts against expectations; [`project`] is such a text.

mod disk;
pub mod past;
pub mod recording;
mod shown;

pub use disk::{Disk, Files, cut};
pub use shown::{join, project};

use std::collections::BTreeMap;

use crate::driver::Driver;
use crate::prelude::*;

/// A plugin under test.
#[derive(Debug)]
pub struct Harness<P> {
    driver: Driver<P>,
    now_ms: f64,
    seq: u32,
    next_op: u32,
    answer_effects: bool,
    timers: BTreeMap<u32, f64>,
    /// Answers the effects on files; without it they stay unanswered.
    pub files: Files,
    /// Programs that were started: channel, profile, holes.
    pub spawned: Vec<(u32, String, Pairs)>,
    /// Messages that were written: channel, text.
    pub written: Vec<(u32, String)>,
}

impl<P: Provider> Default for Harness<P> {
    fn default() -> Self {
        Harness::new()
    }
}

impl<P: Provider> Harness<P> {
    /// A session that has not begun, at a fixed time.
    pub fn new() -> Self {
        Harness {
            driver: Driver::default(),
            now_ms: 1_700_000_000_000.0,
            seq: 0,
            next_op: 1,
            answer_effects: true,
            timers: BTreeMap::new(),
            files: Files::default(),
            spawned: vec![],
            written: vec![],
        }
    }

    /// The same, but effects are answered by the test.
    pub fn manual() -> Self {
        Harness { answer_effects: false, ..Harness::new() }
    }

    /// The number of the next command.
    pub fn next_op(&self) -> u32 {
        self.next_op
    }

    /// The plugin, to look inside.
    pub fn provider(&self) -> &P {
        self.driver.provider()
    }

    /// Begins a live session with a fixed seed and these options (a JSON object).
    pub fn start(&mut self, options: &str) -> Vec<Output> {
        self.start_with(session(Role::Live, "/work", options))
    }

    /// Begins a session that only lists and reads what is stored, in these files.
    pub fn start_query(&mut self, folder: &str, files: Files) -> Vec<Output> {
        self.files = files;
        self.start_with(session(Role::Query, folder, "{}"))
    }

    /// Begins a session.
    pub fn start_with(&mut self, start: StartSession) -> Vec<Output> {
        self.command(CommandBody::Start(start))
    }

    /// Opens a thread, resuming from a cursor if there is one.
    pub fn open(&mut self, cursor: Option<&str>, selection: &[(&str, &str)]) -> Vec<Output> {
        let selection = selection.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let cursor = cursor.map(str::to_owned);
        self.command(CommandBody::OpenThread(OpenThread {
            cursor,
            selection,
            context: vec![],
            folder: None,
            extra: vec![],
        }))
    }

    /// Sends a person's text.
    pub fn say(&mut self, text: &str) -> Vec<Output> {
        self.command(CommandBody::SendRun(Message::of_text(text)))
    }

    /// Interrupts.
    pub fn interrupt(&mut self) -> Vec<Output> {
        self.command(CommandBody::Interrupt(Interrupt { turn: None, keep_background: false }))
    }

    /// Answers a request with one of its options.
    pub fn choose(&mut self, request: &str, option: &str) -> Vec<Output> {
        let reply = Reply::Chosen(Chosen { option_id: option.into(), note: None, input: None });
        self.command(CommandBody::Respond(Answer { request: request.into(), reply }))
    }

    /// Asks for something.
    pub fn command(&mut self, body: CommandBody) -> Vec<Output> {
        self.try_command(body).expect("the session goes on")
    }

    /// Asks for something in this thread.
    pub fn command_in(&mut self, thread: &str, body: CommandBody) -> Vec<Output> {
        self.ask(Some(thread.to_owned()), body).expect("the session goes on")
    }

    /// Asks for something, or gives the fault that ended the session.
    pub fn try_command(&mut self, body: CommandBody) -> Result<Vec<Output>, Fault> {
        self.ask(None, body)
    }

    fn ask(&mut self, thread: Option<String>, body: CommandBody) -> Result<Vec<Output>, Fault> {
        let op = self.next_op;
        self.next_op += 1;
        Ok(outputs(self.batch(vec![Input::Command(Command { op, thread, body })])?))
    }

    /// Feeds one line of a channel's stdout.
    pub fn frame(&mut self, channel: u32, text: &str) -> Vec<Output> {
        let frame = Frame { channel, pipe: Pipe::Main, data: FrameData::Text(text.into()) };
        self.input(Input::Frame(frame))
    }

    /// Feeds a piece of a channel's stderr.
    pub fn stderr(&mut self, channel: u32, text: &str) -> Vec<Output> {
        let frame = Frame { channel, pipe: Pipe::Error, data: FrameData::Text(text.into()) };
        self.input(Input::Frame(frame))
    }

    /// Ends a channel.
    pub fn closed(&mut self, channel: u32, code: Option<i32>, stderr_tail: &str) -> Vec<Output> {
        self.input(Input::ChannelClosed(ChannelExit {
            channel,
            code,
            signal: None,
            stderr_tail: stderr_tail.into(),
            fault: None,
        }))
    }

    /// Answers an effect.
    pub fn effect_done(&mut self, id: u32, outcome: Result<EffectValue, Fault>) -> Vec<Output> {
        self.input(Input::EffectDone(EffectResult { id, outcome }))
    }

    /// Ends the session.
    pub fn close(&mut self) -> Vec<Output> {
        self.input(Input::Close)
    }

    /// Lets time pass and fires the timers that fall due, in order.
    pub fn advance(&mut self, ms: f64) -> Vec<Output> {
        let end = self.now_ms + ms;
        let mut all = vec![];
        while let Some((&id, &due)) =
            self.timers.iter().filter(|(_, due)| **due <= end).min_by(|a, b| a.1.total_cmp(b.1))
        {
            self.timers.remove(&id);
            self.now_ms = due;
            all.extend(self.input(Input::Timer(id)));
        }
        self.now_ms = end;
        all
    }

    /// Fires timers until none is left, at most so many.
    pub fn run_timers(&mut self, at_most: usize) -> Vec<Output> {
        let mut all = vec![];
        for _ in 0..at_most {
            let Some(due) = self.timers.values().copied().min_by(f64::total_cmp) else { break };
            all.extend(self.advance((due - self.now_ms).max(0.0)));
        }
        all
    }

    /// Feeds one input.
    pub fn input(&mut self, input: Input) -> Vec<Output> {
        outputs(self.batch(vec![input]).expect("the session goes on"))
    }

    /// Feeds a batch, and the answers to the effects that follow from it.
    pub fn batch(&mut self, inputs: Vec<Input>) -> Result<Vec<Caused>, Fault> {
        let mut all = vec![];
        let mut next = inputs;
        while !next.is_empty() {
            let at = Tick { now_ms: self.now_ms, seq: self.seq };
            self.seq += 1;
            let caused = self.driver.handle(at, std::mem::take(&mut next))?;
            let effects = caused
                .iter()
                .filter_map(|caused| if let Output::Effect(effect) = &caused.output { Some(effect) } else { None });
            for effect in effects {
                if let Some(outcome) = self.files.answer(&effect.body) {
                    next.push(Input::EffectDone(EffectResult { id: effect.id, outcome }));
                    continue;
                }
                next.extend(answer(&mut self.timers, &mut self.spawned, &mut self.written, self.now_ms, effect));
            }
            if !self.answer_effects {
                next.clear();
            }
            all.extend(caused);
        }
        Ok(all)
    }
}

/// A session with a fixed seed.
fn session(role: Role, folder: &str, options: &str) -> StartSession {
    StartSession {
        role,
        folder: folder.into(),
        options: options.into(),
        epoch: 0,
        seed: "000102030405060708090a0b0c0d0e0f".into(),
        selection: vec![],
        extra: vec![],
    }
}

fn answer(
    timers: &mut BTreeMap<u32, f64>,
    spawned: &mut Vec<(u32, String, Pairs)>,
    written: &mut Vec<(u32, String)>,
    now_ms: f64,
    effect: &Effect,
) -> Option<Input> {
    let value = match &effect.body {
        EffectBody::Spawn(spawn) => {
            spawned.push((effect.id, spawn.profile.clone(), spawn.holes.clone()));
            EffectValue::Opened
        }
        EffectBody::Write(write) => {
            if let FrameData::Text(text) = &write.data {
                written.push((write.channel, text.clone()));
            }
            EffectValue::Written
        }
        EffectBody::CloseStdin(_) | EffectBody::Signal(_) => EffectValue::Written,
        EffectBody::Timer(ms) => {
            timers.insert(effect.id, now_ms + ms);
            return None;
        }
        EffectBody::Cancel(id) => {
            timers.remove(id);
            return None;
        }
        _ => return None,
    };
    Some(Input::EffectDone(EffectResult { id: effect.id, outcome: Ok(value) }))
}

fn outputs(caused: Vec<Caused>) -> Vec<Output> {
    caused.into_iter().map(|caused| caused.output).collect()
}

/// Makes this the manifest's `[data]` for what runs in `then`, on this thread: JSON, as [`crate::data`] gives it to a plugin.
#[cfg(not(target_arch = "wasm32"))]
pub fn with_data<T>(json: &str, then: impl FnOnce() -> T) -> T {
    let before = crate::data::GIVEN.replace(json.to_owned());
    let result = then();
    crate::data::GIVEN.set(before);
    result
}

/// The case of an enum as one word (`Status::Completed` is `Completed`), for compact expectations.
pub fn word(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    let case = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next().unwrap_or_default();
    case.rsplit("::").next().unwrap_or_default().to_owned()
}
