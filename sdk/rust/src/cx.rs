//! What a plugin says in one call: events, effects, results, and what became of a frame.
//!
//! It numbers effects, remembers which commands are unanswered, and ties each output to the input that caused it. It decides nothing.
//! Tests: below, and every plugin's.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::prelude::*;
use crate::random::Random;

/// Where a plugin's outputs go, and all it knows besides its own state.
#[derive(Debug)]
pub struct Cx {
    pub(crate) tick: Tick,
    pub(crate) cause: u32,
    pub(crate) out: Vec<Caused>,
    pub(crate) failed: Option<Fault>,
    /// Never 0, so that 0 can mean none.
    next_effect: u32,
    random: Random,
    start: Option<StartSession>,
    /// Unanswered commands: their number, and whether the plugin said it answers later.
    open: BTreeMap<u32, bool>,
}

impl Default for Cx {
    fn default() -> Self {
        Cx {
            tick: Tick { now_ms: 0.0, seq: 0 },
            cause: 0,
            out: Vec::new(),
            failed: None,
            next_effect: 1,
            random: Random::new(""),
            start: None,
            open: BTreeMap::new(),
        }
    }
}

/// What the plugin knows.
impl Cx {
    /// Milliseconds since 1970, as the host counts them. The only clock there is.
    pub fn now_ms(&self) -> f64 {
        self.tick.now_ms
    }

    /// Number of this call in the session.
    pub fn seq(&self) -> u32 {
        self.tick.seq
    }

    /// How the session began; absent before the command `start`.
    pub fn session(&self) -> Option<&StartSession> {
        self.start.as_ref()
    }

    /// Whether a thread is to be opened in another folder than the session's.
    pub fn is_elsewhere(&self, open: &OpenThread) -> bool {
        let other = |folder: &String| self.start.as_ref().is_some_and(|start| start.folder != *folder);
        open.folder.as_ref().is_some_and(other)
    }

    /// The instance's options, parsed. An empty text counts as `{}`.
    pub fn options<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        let text = self.start.as_ref().map_or("", |start| start.options.trim());
        let text = if text.is_empty() { "{}" } else { text };
        serde_json::from_str(text)
            .map_err(|error| Fault::new(FaultKind::Invalid, format!("The plugin's options cannot be read: {error}.")))
    }

    /// The next number of the session's own random sequence; the same in every replay.
    pub fn random(&mut self) -> u64 {
        self.random.next()
    }

    /// A UUID (version 4) of that sequence.
    pub fn uuid(&mut self) -> String {
        self.random.uuid()
    }
}

/// Events.
impl Cx {
    /// Something happened, in the session's only thread and the turn that is open in it.
    pub fn event(&mut self, body: EventBody) {
        self.event_in(None, body);
    }

    /// Something happened, and where.
    pub fn event_in(&mut self, scope: Option<Scope>, body: EventBody) {
        self.push(Output::Event(Event { scope, body }));
    }

    /// One item began, changed or ended.
    pub fn item(&mut self, item: Item) {
        self.event(EventBody::Items(vec![item]));
    }

    /// More text of an item.
    pub fn delta(&mut self, id: Option<String>, kind: TextKind, text: impl Into<String>) {
        self.event(EventBody::Delta(Delta { id, kind, whole: false, text: text.into() }));
    }

    /// What this provider can do in this session; replaces what was declared.
    pub fn negotiated(&mut self, set: CapabilitySet) {
        self.push(Output::Negotiated(set));
    }
}

/// Answers to commands.
impl Cx {
    /// Answers a command.
    pub fn done(&mut self, op: u32, value: OpValue) {
        self.answer(op, Ok(value));
    }

    /// Answers a command with a fault.
    pub fn fail(&mut self, op: u32, fault: Fault) {
        self.answer(op, Err(fault));
    }

    /// Answers a command either way.
    pub fn answer(&mut self, op: u32, outcome: Result<OpValue, Fault>) {
        if self.open.remove(&op).is_some() {
            self.push(Output::Done(OpResult { op, outcome }));
        } else {
            self.diagnostic(
                Level::Error,
                "answered-twice",
                format!("command {op} is not open; its answer was dropped"),
            );
        }
    }

    /// Answers the command of a message that has a turn of its own, unless it was answered.
    pub fn opened_turn(&mut self, op: u32) {
        if self.is_open(op) {
            self.done(op, OpValue::Delivered(Delivery::new(Delivered::OpenedTurn)));
        }
    }

    /// Says that this command is answered in a later call.
    pub fn hold(&mut self, op: u32) {
        if let Some(held) = self.open.get_mut(&op) {
            *held = true;
        }
    }

    /// Whether a command still waits for its answer.
    pub fn is_open(&self, op: u32) -> bool {
        self.open.contains_key(&op)
    }

    /// Answers every command that is still open with this fault: the provider is gone.
    pub fn fail_held(&mut self, fault: &Fault) {
        for op in self.open.keys().copied().collect::<Vec<_>>() {
            self.fail(op, fault.clone());
        }
    }

    /// Ends the whole session with a fault; the host restarts it from its cursors. What else was said in this call is lost. One of kind
    /// `internal` is a bug of the plugin's, which the host first tries to get over, as [`Provider`](crate::prelude::Provider) has it.
    pub fn end_session(&mut self, fault: Fault) {
        self.failed.get_or_insert(fault);
    }
}

/// Effects. Each gives the number under which its answer comes.
impl Cx {
    /// Starts a program by a spawn profile of the manifest; the number is also its channel.
    pub fn spawn(&mut self, profile: &str, holes: Pairs) -> u32 {
        self.effect(EffectBody::Spawn(Spawn { profile: profile.into(), holes }))
    }

    /// Writes one message to a channel.
    pub fn write(&mut self, channel: u32, text: String) -> u32 {
        self.effect(EffectBody::Write(Write { channel, data: FrameData::Text(text) }))
    }

    /// Writes one message to a channel, as JSON.
    pub fn write_json(&mut self, channel: u32, message: &impl Serialize) -> u32 {
        let text = serde_json::to_string(message).expect("a message of ours has string keys and no failing serializer");
        self.write(channel, text)
    }

    /// Closes a channel's stdin.
    pub fn close_stdin(&mut self, channel: u32) -> u32 {
        self.effect(EffectBody::CloseStdin(channel))
    }

    /// Sends a signal to a channel's process tree.
    pub fn signal(&mut self, channel: u32, kind: SignalKind) -> u32 {
        self.effect(EffectBody::Signal(SignalSend { channel, kind }))
    }

    /// Asks an HTTP server, an origin of the manifest; the answer comes as the effect's result. A body is JSON.
    pub fn http(&mut self, origin: &str, method: &str, path: &str, body: Option<&serde_json::Value>) -> u32 {
        let json = || vec![("content-type".to_owned(), "application/json".to_owned())];
        self.effect(EffectBody::Http(HttpRequest {
            origin: origin.to_owned(),
            method: method.to_owned(),
            path: path.to_owned(),
            headers: body.map(|_| json()).unwrap_or_default(),
            body: body.map(|body| FrameData::Text(body.to_string())),
            streaming: false,
        }))
    }

    /// Listens to an HTTP server's events; they come as frames of the channel that is returned, once the effect's result tells the head.
    pub fn listen(&mut self, origin: &str, path: &str) -> u32 {
        self.effect(EffectBody::Http(HttpRequest {
            origin: origin.to_owned(),
            method: "GET".to_owned(),
            path: path.to_owned(),
            headers: vec![("accept".to_owned(), "text/event-stream".to_owned())],
            body: None,
            streaming: true,
        }))
    }

    /// Fires after so many milliseconds.
    pub fn timer(&mut self, ms: f64) -> u32 {
        self.effect(EffectBody::Timer(ms))
    }

    /// Drops an effect that has not happened; closes its channel if it has one.
    pub fn cancel(&mut self, effect: u32) {
        self.effect(EffectBody::Cancel(effect));
    }

    /// Any effect.
    pub fn effect(&mut self, body: EffectBody) -> u32 {
        let id = self.next_effect;
        self.next_effect += 1;
        self.push(Output::Effect(Effect { id, body }));
        id
    }
}

/// What became of a frame that has no other output.
impl Cx {
    /// It was understood and is of no interest.
    pub fn silent(&mut self, kind: impl Into<String>) {
        self.push(Output::Disposition(Disposition::Silent(kind.into())));
    }

    /// It was not understood.
    pub fn unknown(&mut self, kind: impl Into<String>) {
        self.push(Output::Disposition(Disposition::Unknown(kind.into())));
    }

    /// It is not the protocol's: a log line, a banner.
    pub fn noise(&mut self) {
        self.push(Output::Disposition(Disposition::Noise));
    }

    /// It was seen before.
    pub fn duplicate(&mut self) {
        self.push(Output::Disposition(Disposition::Duplicate));
    }

    /// It is kept until a later frame completes it.
    pub fn held(&mut self) {
        self.push(Output::Disposition(Disposition::Held));
    }

    /// A word to the plugin's author; no user sees it.
    pub fn diagnostic(&mut self, level: Level, code: &str, text: impl Into<String>) {
        self.push(Output::Diagnostic(Note { level, code: code.into(), text: text.into(), fault: None }));
    }

    /// Whether this input has said anything yet.
    pub fn said_nothing(&self) -> bool {
        self.out.last().is_none_or(|last| last.cause != self.cause)
    }
}

impl Cx {
    pub(crate) fn opened(&mut self, command: &Command) {
        self.open.insert(command.op, false);
        if let CommandBody::Start(start) = &command.body {
            self.random = Random::new(&start.seed);
            self.start = Some(start.clone());
        }
    }

    /// A command that its provider neither answered nor held.
    pub(crate) fn settle(&mut self, op: u32, name: &str) {
        if self.open.get(&op) == Some(&false) {
            self.fail(op, Fault::new(FaultKind::Unsupported, format!("This provider cannot do `{name}`.")));
        }
    }

    fn push(&mut self, output: Output) {
        self.out.push(Caused { cause: self.cause, output });
    }
}
