//! Arbitrary frames into a plugin, between commands, timers and refused effects: it does not panic, keeps the contract, answers
//! each command once, allows nothing by itself, and says the same again.

use crate::bytes::Bytes;
use crate::frames::{self, Ours, Tongue};
use crate::{Verdict, holds};
use jackfield_plugin_acp::{Acp, ByData};
use jackfield_plugin_claude_code::ClaudeCode;
use jackfield_plugin_codex::Codex;
use jackfield_plugin_pi::Pi;
use jackfield_plugin_plain::PlainText;
use jackfield_plugin_scripted::Scripted;
use jackfield_sdk::driver::Driver;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::with_data;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::OnceLock;

const STEPS: usize = 120;
/// More than any frame makes; the host takes some thousands a call.
const OUTPUTS: usize = 1_000;
/// More than any plugin needs at a time.
const TIMERS: usize = 64;

/// Plays a case into the plugin that its first byte names.
pub fn play(data: &[u8]) -> Verdict {
    let (name, data) = data.split_first().map_or((0, data), |(first, rest)| (*first, rest));
    if name % 4 == 3 { judge::<Scripted>(data) } else { judge::<ClaudeCode>(data) }
}

/// Plays a case into the plugin of another agent, which its first byte names.
pub fn agents(data: &[u8]) -> Verdict {
    let (name, data) = data.split_first().map_or((0, data), |(first, rest)| (*first, rest));
    match name % 8 {
        0..=2 => judge_in::<Codex>(&frames::CODEX, data),
        3..=5 => with_data(acp_data(), || judge_in::<Acp<ByData>>(&frames::ACP, data)),
        6 => judge_in::<Pi>(&frames::PI, data),
        _ => judge_in::<PlainText>(&frames::PLAIN, data),
    }
}

/// What the manifest of an agent with the Agent Client Protocol says of its dialect.
fn acp_data() -> &'static str {
    static DATA: OnceLock<String> = OnceLock::new();
    DATA.get_or_init(|| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/acp/dialects/opencode/plugin.toml");
        let manifest: toml::Table =
            toml::from_str(&std::fs::read_to_string(file).expect("a manifest")).expect("TOML in a manifest");
        serde_json::to_string(&manifest["data"]).expect("data that is JSON")
    })
}

/// Plays a case into this plugin, twice, in Claude Code's words.
pub fn judge<P: Provider>(data: &[u8]) -> Verdict {
    judge_in::<P>(&frames::CLAUDE_CODE, data)
}

/// Plays a case into this plugin, twice, in the words of its program.
fn judge_in<P: Provider>(tongue: &'static Tongue, data: &[u8]) -> Verdict {
    let mut first = Play::<P>::new(tongue, data);
    first.play_out()?;
    let mut again = Play::<P>::new(tongue, data);
    again.play_out()?;
    holds!(first.said == again.said, "the same inputs, and other outputs");
    Ok(())
}

struct Play<'a, P> {
    tongue: &'static Tongue,
    bytes: Bytes<'a>,
    driver: Driver<P>,
    now_ms: f64,
    seq: u32,
    next_op: u32,
    /// Commands, and how often each was answered.
    ops: BTreeMap<u32, u32>,
    effects: BTreeSet<u32>,
    timers: BTreeMap<u32, f64>,
    channels: Vec<u32>,
    requests: Vec<Request>,
    ours: Ours,
    /// Inputs that a host owes it.
    owed: VecDeque<Input>,
    said: Vec<Caused>,
    over: bool,
}

impl<'a, P: Provider> Play<'a, P> {
    fn new(tongue: &'static Tongue, data: &'a [u8]) -> Self {
        Play {
            tongue,
            bytes: Bytes::new(data),
            driver: Driver::default(),
            now_ms: 1_700_000_000_000.0,
            seq: 0,
            next_op: 1,
            ops: BTreeMap::new(),
            effects: BTreeSet::new(),
            timers: BTreeMap::new(),
            channels: Vec::new(),
            requests: Vec::new(),
            ours: Ours::default(),
            owed: VecDeque::new(),
            said: Vec::new(),
            over: false,
        }
    }

    fn play_out(&mut self) -> Verdict {
        let start = StartSession {
            role: Role::Live,
            folder: "/work".into(),
            options: "{}".into(),
            epoch: 0,
            seed: "000102030405060708090a0b0c0d0e0f".into(),
            selection: vec![],
            extra: vec![],
        };
        self.command(CommandBody::Start(start))?;
        let cursor = if self.bytes.once_in(4) { Some(self.cursor()) } else { None };
        let open = OpenThread { cursor, selection: vec![], context: vec![], folder: None, extra: vec![] };
        self.command(CommandBody::OpenThread(open))?;
        let mut steps = 0;
        while !self.bytes.is_over() && steps < STEPS && !self.over {
            steps += 1;
            self.step()?;
        }
        if !self.over {
            self.give(vec![Input::Close], false)?;
            let open: Vec<_> = self.ops.iter().filter(|(_, answers)| **answers != 1).collect();
            holds!(self.over || open.is_empty(), "commands and how often they were answered: {open:?}");
        }
        Ok(())
    }

    fn cursor(&mut self) -> String {
        let uuid = "11111111-1111-4111-8111-111111111111";
        self.bytes.pick(&[
            uuid.to_owned(),
            format!("{uuid}@{uuid}"),
            "scripted/a/1/2".into(),
            "scripted/a".into(),
            "@".into(),
            String::new(),
        ])
    }

    fn step(&mut self) -> Verdict {
        match self.bytes.below(24) {
            0 | 1 => self.send(),
            2 => {
                let turn = if self.bytes.once_in(3) { Some(self.bytes.id()) } else { None };
                let keep_background = self.bytes.below(2) == 1;
                self.command(CommandBody::Interrupt(Interrupt { turn, keep_background }))
            }
            3 | 4 => self.respond(),
            5 => {
                let body = self.odd_command();
                self.command(body)
            }
            6 => self.time(),
            7 => self.channel_ends(),
            8 => {
                let text = self.bytes.text();
                self.frame(Pipe::Error, FrameData::Text(text))
            }
            9 => {
                let data = match self.bytes.below(3) {
                    0 => FrameData::Bytes(vec![0xff, 0xfe, 0]),
                    1 => FrameData::Named((self.bytes.text(), self.bytes.text())),
                    _ => FrameData::Other(Other { name: self.bytes.id(), json: self.bytes.text() }),
                };
                self.frame(Pipe::Main, data)
            }
            _ => self.lines(),
        }
    }

    /// Lines of the program, one by one or in one batch.
    fn lines(&mut self) -> Verdict {
        let mut lines = Vec::new();
        for _ in 0..=self.bytes.below(4) {
            lines.extend(frames::line(&mut self.bytes, self.tongue, &self.ours));
        }
        let channel = self.channel();
        let inputs: Vec<_> = lines
            .into_iter()
            .map(|line| Input::Frame(Frame { channel, pipe: Pipe::Main, data: FrameData::Text(line) }))
            .collect();
        if self.bytes.below(2) == 0 {
            return self.give(inputs, false);
        }
        inputs.into_iter().try_for_each(|input| self.give(vec![input], false))
    }

    fn channel(&mut self) -> u32 {
        if self.bytes.once_in(30) { 99 } else { self.channels.last().copied().unwrap_or(1) }
    }

    fn frame(&mut self, pipe: Pipe, data: FrameData) -> Verdict {
        let channel = self.channel();
        self.give(vec![Input::Frame(Frame { channel, pipe, data })], false)
    }

    fn send(&mut self) -> Verdict {
        let words = ["hi", "tool", "question slow", "subagent plan", "background", "reasoning tool", "error", ""];
        let mut message = Message::of_text(self.bytes.pick(&words));
        message.uuid = self
            .bytes
            .pick(&["22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"])
            .to_owned();
        message.enqueue = self.bytes.once_in(4);
        let steers = self.bytes.once_in(3);
        self.command(if steers { CommandBody::SteerRun(message) } else { CommandBody::SendRun(message) })
    }

    fn respond(&mut self) -> Verdict {
        let request = if self.requests.is_empty() || self.bytes.once_in(10) {
            None
        } else {
            let at = self.bytes.below(self.requests.len());
            Some(self.requests[at].clone())
        };
        let id = request.as_ref().map_or_else(|| self.bytes.id(), |request| request.id.clone());
        let options: Vec<String> =
            request.iter().flat_map(|request| request.options.iter().map(|offer| offer.id.clone())).collect();
        let questions: Vec<String> =
            request.iter().flat_map(|request| request.questions.iter().map(|one| one.id.clone())).collect();
        let b = &mut self.bytes;
        let reply = match b.below(5) {
            0..=2 => {
                let option_id = if options.is_empty() { b.id() } else { b.pick(&options) };
                let input = if b.once_in(3) { Some("{\"command\":\"edited\"}".to_owned()) } else { None };
                Reply::Chosen(Chosen { option_id, note: b.text_or_none(), input })
            }
            3 => Reply::Filled(
                questions
                    .iter()
                    .map(|question| Filled { question: question.clone(), values: b.list(2, Bytes::text) })
                    .collect(),
            ),
            _ => Reply::Dismissed,
        };
        self.command(CommandBody::Respond(Answer { request: id, reply }))
    }

    fn odd_command(&mut self) -> CommandBody {
        let b = &mut self.bytes;
        match b.below(12) {
            0 => CommandBody::SetSelection(vec![(b.pick(&["model", "mode", "?"]).to_owned(), b.text())]),
            1 => CommandBody::CompactThread(b.text()),
            2 => CommandBody::ClearThread,
            3 => CommandBody::ForkThread(Point {
                turn: b.id_or_none(),
                item: b.id_or_none(),
                mark: b.text_or_none(),
                turns_after: b.below(4) as u32,
            }),
            4 => CommandBody::RollbackThread(Point {
                turn: b.id_or_none(),
                item: None,
                mark: b.text_or_none(),
                turns_after: b.below(4) as u32,
            }),
            5 => CommandBody::ReadThread(ReadThread { cursor: b.text_or_none(), page: b.text_or_none(), limit: 10 }),
            6 => CommandBody::StopTask(b.id()),
            7 => CommandBody::WaitTask(b.id()),
            8 => CommandBody::ListSettings,
            9 => CommandBody::Summarize(Summarize { instructions: b.text(), max_chars: 100 }),
            10 => CommandBody::CloseThread,
            _ => CommandBody::Other(Other { name: b.id(), json: b.text() }),
        }
    }

    fn time(&mut self) -> Verdict {
        self.now_ms += self.bytes.pick(&[1.0, 50.0, 1_000.0, 120_000.0]);
        let due: Vec<u32> = self.timers.iter().filter(|(_, due)| **due <= self.now_ms).map(|(id, _)| *id).collect();
        for id in due {
            self.timers.remove(&id);
            self.give(vec![Input::Timer(id)], false)?;
        }
        Ok(())
    }

    fn channel_ends(&mut self) -> Verdict {
        if !self.bytes.once_in(4) {
            return Ok(());
        }
        let Some(channel) = self.channels.pop() else { return Ok(()) };
        let code = self.bytes.pick(&[None, Some(0), Some(1)]);
        let exit = ChannelExit { channel, code, signal: None, stderr_tail: self.bytes.text(), fault: None };
        self.give(vec![Input::ChannelClosed(exit)], false)
    }

    fn command(&mut self, body: CommandBody) -> Verdict {
        if self.over {
            return Ok(());
        }
        let op = self.next_op;
        self.next_op += 1;
        self.ops.insert(op, 0);
        let answers = matches!(body, CommandBody::Respond(_));
        self.give(vec![Input::Command(Command { op, thread: None, body })], answers)
    }

    /// Gives it a batch, and then what a host owes it for what it asked.
    fn give(&mut self, inputs: Vec<Input>, answers: bool) -> Verdict {
        self.one_batch(inputs, answers)?;
        while let Some(owed) = self.owed.pop_front() {
            self.one_batch(vec![owed], answers)?;
        }
        Ok(())
    }

    fn one_batch(&mut self, inputs: Vec<Input>, answers: bool) -> Verdict {
        if self.over {
            return Ok(());
        }
        let at = Tick { now_ms: self.now_ms, seq: self.seq };
        self.seq += 1;
        let frames: Vec<bool> = inputs.iter().map(|input| matches!(input, Input::Frame(_))).collect();
        let Ok(caused) = self.driver.handle(at, inputs) else {
            // It ended its session: a host takes nothing of the batch.
            self.over = true;
            return Ok(());
        };
        holds!(caused.len() <= OUTPUTS, "{} outputs of one batch", caused.len());
        self.each_frame_has_one_fate(&frames, &caused)?;
        for one in &caused {
            self.take(&one.output, answers)?;
        }
        self.said.extend(caused);
        Ok(())
    }

    fn each_frame_has_one_fate(&self, frames: &[bool], caused: &[Caused]) -> Verdict {
        let mut fates = vec![(0, 0); frames.len()];
        for one in caused {
            let Some(fate) = fates.get_mut(one.cause as usize) else {
                return Err(format!("caused by no input: {one:?}"));
            };
            match one.output {
                Output::Disposition(_) => fate.0 += 1,
                _ => fate.1 += 1,
            }
        }
        for (at, _) in frames.iter().enumerate().filter(|(_, is_frame)| **is_frame) {
            let (disposed, other) = fates[at];
            let of: Vec<_> = caused.iter().filter(|one| one.cause as usize == at).collect();
            holds!(
                disposed <= 1 && disposed + other > 0,
                "a frame has {disposed} dispositions and {other} outputs: {of:?}"
            );
        }
        let stray = fates.iter().zip(frames).find(|((disposed, _), is_frame)| *disposed > 0 && !**is_frame);
        holds!(stray.is_none(), "a disposition of what is no frame");
        Ok(())
    }

    fn take(&mut self, output: &Output, answers: bool) -> Verdict {
        match output {
            Output::Done(result) => {
                let Some(count) = self.ops.get_mut(&result.op) else {
                    return Err(format!("answers no command: {result:?}"));
                };
                *count += 1;
                holds!(*count == 1, "answers a command twice: {result:?}");
            }
            Output::Effect(effect) => self.effect(effect, answers)?,
            Output::Event(event) => self.event(event)?,
            _ => {}
        }
        Ok(())
    }

    fn effect(&mut self, effect: &Effect, answers: bool) -> Verdict {
        if let EffectBody::Cancel(id) = effect.body {
            holds!(self.effects.contains(&id), "cancels what it never asked for: {effect:?}");
            self.timers.remove(&id);
        }
        holds!(self.effects.insert(effect.id), "an effect's number twice: {effect:?}");
        let value = match &effect.body {
            EffectBody::Spawn(spawn) => {
                self.channels.push(effect.id);
                let id =
                    |wanted: &str| spawn.holes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
                self.ours.session = ["copy", "session", "resume"].into_iter().find_map(id).unwrap_or_default();
                EffectValue::Opened
            }
            EffectBody::Write(write) => {
                let FrameData::Text(text) = &write.data else {
                    return Err(format!("writes what is no text: {write:?}"));
                };
                let value: Value =
                    serde_json::from_str(text).map_err(|error| format!("writes what is no JSON: {error}: {text}"))?;
                holds!(!text.contains('\n'), "writes more than a line: {text}");
                holds!(answers || !allows(&value), "allows by itself: {text}");
                if value.get("method").is_some()
                    && let Some(id) = value.get("id")
                {
                    self.ours.owed.push(id.clone());
                }
                EffectValue::Written
            }
            EffectBody::Timer(ms) => {
                holds!(ms.is_finite() && *ms >= 0.0, "a timer of {ms} ms");
                self.timers.insert(effect.id, self.now_ms + ms);
                holds!(self.timers.len() <= TIMERS, "{} timers at a time", self.timers.len());
                return Ok(());
            }
            EffectBody::Cancel(_) => return Ok(()),
            _ => EffectValue::Written,
        };
        let refused = self.bytes.once_in(40);
        let outcome = if refused { Err(Fault::new(FaultKind::Denied, "refused")) } else { Ok(value) };
        if refused {
            self.channels.retain(|channel| *channel != effect.id);
        }
        self.owed.push_back(Input::EffectDone(EffectResult { id: effect.id, outcome }));
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Verdict {
        match &event.body {
            EventBody::RequestsOpened(requests) => {
                for request in requests {
                    self.requests.retain(|open| open.id != request.id);
                    self.requests.push(request.clone());
                }
            }
            EventBody::RequestsClosed(ends) => {
                self.requests.retain(|open| ends.iter().all(|end| end.id != open.id));
            }
            EventBody::Usage(usage) => {
                let odd = usage.counts.iter().find(|(_, count)| !count.is_finite());
                holds!(odd.is_none(), "a count that is no number: {odd:?}");
            }
            EventBody::Items(items) => {
                for item in items {
                    if let ItemBody::Tool(Tool { input: Some(input), .. }) = &item.body {
                        let read = serde_json::from_str::<Value>(input);
                        holds!(read.is_ok(), "a tool's input is no JSON: {input}");
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether a line lets the program do what it asked for, in the words of any of the protocols.
fn allows(line: &Value) -> bool {
    let says = |pointer: &str, word: &str| {
        line.pointer(pointer).and_then(Value::as_str).is_some_and(|said| said.starts_with(word))
    };
    says("/response/response/behavior", "allow")
        || says("/result/decision", "accept")
        || says("/result/outcome/outcome", "selected")
}
