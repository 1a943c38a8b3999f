//! What a plugin's wishes become. Each goes the same way: policy and grants, then the audit record, then the world.
//!
//! **A refusal is a typed result for the plugin, an audit record and an event; it is never a trap, and nothing of the wish
//! has happened.** A wish whose record cannot be written is refused. Called from `release` only.

use super::exchanges::Asking;
use super::files::{FileDone, Files};
use super::message::compose;
use super::rules::Judge;
use super::secrets::Secrets;
use super::{SessionStart, Shared};
use crate::audit::{Record, Verdict};
use crate::launch::{self, LaunchError};
use crate::process::{self, Channel, ChannelEvent};
use jackfield_core::contract::{
    Effect, EffectBody, EffectResult, EffectValue, Fault, FaultKind, FrameData, SignalKind, SignalSend, Spawn, Write,
};
use jackfield_core::guard::Guards;
use jackfield_core::manifest::Framing;
use jackfield_core::rules::{Rule, Ruling};
use jackfield_core::scrub;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// A channel that is open.
pub(super) struct Open {
    pub(super) channel: Channel,
    pub(super) profile: String,
    framing: Framing,
    /// Where it serves, if it is a server: the host chose it.
    pub(super) port: Option<u16>,
    pub(super) began: Instant,
    /// True once the plugin or we asked for its end: an exit is then no surprise.
    ending: bool,
}

/// What came of a wish at once; what comes later arrives through `results`.
pub(crate) enum Outcome {
    /// Taken on; the answer follows.
    Taken,
    /// It waits its turn: it is decided then, and answered.
    Waits,
    /// Answered.
    Done(EffectValue),
    /// Refused: code and fault.
    Refused(&'static str, Fault),
}

/// A channel that has closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// A program whose end nobody had asked for.
    ByItself,
    /// A program, as it was asked.
    AsAsked,
    /// The answer of a server that streamed.
    Exchange,
}

pub(crate) struct Outlet {
    pub(super) shared: Arc<Shared>,
    pub(super) channels: HashMap<u32, Open>,
    pub(super) exchanges: HashMap<u32, Asking>,
    timers: BTreeSet<(Instant, u32)>,
    timer_ids: BTreeMap<u32, Instant>,
    last_id: Option<u32>,
    pub(super) guards: Guards,
    judge: Judge,
    pub(super) secrets: Secrets,
    files: Files,
    pub(super) frames: mpsc::Sender<ChannelEvent>,
    pub(super) results: mpsc::UnboundedSender<EffectResult>,
    /// Programs started so far.
    pub(crate) spawned: u32,
}

impl Outlet {
    pub(crate) fn new(
        start: &SessionStart,
        shared: Arc<Shared>,
        frames: mpsc::Sender<ChannelEvent>,
        results: mpsc::UnboundedSender<EffectResult>,
        read: mpsc::Sender<FileDone>,
    ) -> Outlet {
        Outlet {
            files: Files::new(start, shared.clone(), read),
            channels: HashMap::new(),
            exchanges: HashMap::new(),
            timers: BTreeSet::new(),
            timer_ids: BTreeMap::new(),
            last_id: None,
            guards: Guards::new(start.generation.manifest(), &shared.limits),
            judge: Judge::new(&start.instance.rules, &start.folder),
            secrets: Secrets::of(start),
            frames,
            results,
            spawned: 0,
            shared,
        }
    }

    /// Carries out one wish, or refuses it.
    pub(crate) async fn perform(&mut self, start: &SessionStart, effect: Effect) -> Outcome {
        if !matches!(effect.body, EffectBody::Cancel(_)) {
            if self.last_id.is_some_and(|last| effect.id <= last) {
                let message =
                    format!("effect id {} is not higher than the last one; each effect needs a new id", effect.id);
                return self.refuse(start, &effect.body, "effect-id-used", FaultKind::Invalid, message);
            }
            self.last_id = Some(effect.id);
        }
        match &effect.body {
            EffectBody::Spawn(spawn) => self.spawn(start, effect.id, spawn).await,
            EffectBody::Write(write) => self.write(start, effect.id, write, &effect.body),
            EffectBody::CloseStdin(channel) => self.close_stdin(start, *channel, &effect.body),
            EffectBody::Signal(signal) => self.signal(start, signal, &effect.body),
            EffectBody::Timer(after_ms) => self.timer(start, effect.id, *after_ms, &effect.body),
            EffectBody::Cancel(id) => self.cancel(start, *id),
            EffectBody::Http(wish) => self.exchange(start, effect.id, wish, &effect.body),
            EffectBody::ReadFile(_) | EffectBody::ListFolder(_) | EffectBody::QuerySqlite(_) => {
                self.file(start, effect.id, effect.body)
            }
            EffectBody::Other(_) => {
                let name = name_of(&effect.body);
                self.refuse(
                    start,
                    &effect.body,
                    "effect-unsupported",
                    FaultKind::Unsupported,
                    format!("this host does not carry out the effect '{name}'"),
                )
            }
        }
    }

    async fn spawn(&mut self, start: &SessionStart, id: u32, wish: &Spawn) -> Outcome {
        let body = EffectBody::Spawn(wish.clone());
        let limit = self.shared.limits.session_processes;
        if self.channels.len() as u64 >= limit {
            return self.refuse(
                start,
                &body,
                "too-many-processes",
                FaultKind::Denied,
                format!("{limit} programs of this session run already (limit session_processes)"),
            );
        }
        let (wish, port) = match self.with_port(start, wish) {
            Ok(settled) => settled,
            Err((code, kind, message)) => return self.refuse(start, &body, code, kind, message),
        };
        let launch = match launch::prepare(start, &self.shared, &wish, &self.secrets).await {
            Ok(launch) => launch,
            Err(error) => return self.refuse_launch(start, &body, &error),
        };
        let facts = json!({
            "effect": id,
            "profile": wish.profile,
            "command": launch.command_line(),
            "env": launch.env_names(),
            "folder": start.folder,
        });
        if let Some(refusal) = self.record(start, "spawn", launch.rule, facts) {
            return refusal;
        }
        let framing = launch.framing;
        match process::spawn(
            launch.spec(start),
            id,
            &self.shared.supervisor,
            self.shared.limits.clone(),
            self.frames.clone(),
        )
        .await
        {
            Ok(channel) => {
                self.spawned += 1;
                let (profile, began) = (wish.profile.clone(), Instant::now());
                self.channels.insert(id, Open { channel, profile, framing, port, began, ending: false });
                Outcome::Done(EffectValue::Opened)
            }
            Err(error) => self.refuse(start, &body, error.code(), FaultKind::NotFound, error.to_string()),
        }
    }

    fn write(&mut self, start: &SessionStart, id: u32, wish: &Write, body: &EffectBody) -> Outcome {
        let Some(open) = self.channels.get(&wish.channel) else {
            return self.refuse_channel(start, body, wish.channel);
        };
        let (profile, framing) = (open.profile.clone(), open.framing);
        let line = match compose(&wish.data, framing) {
            Ok(line) => line,
            Err(problem) => return self.refuse(start, body, "not-one-message", FaultKind::Invalid, format!("what was to be written to channel {} ({profile}) {problem}; write one message per effect, without a line end", wish.channel)),
        };
        let (line, rule) = match self.check_guard(&profile, framing, line) {
            Ok(checked) => checked,
            Err((code, message)) => return self.refuse(start, body, code, FaultKind::Denied, message),
        };
        let facts = json!({ "effect": id, "channel": wish.channel, "profile": profile, "bytes": line.len() });
        if let Some(refusal) = self.record(start, "write", rule, facts) {
            return refusal;
        }
        let Some(open) = self.channels.get(&wish.channel) else {
            return self.refuse_channel(start, body, wish.channel);
        };
        // Behind the record: it tells the size of what the plugin wrote.
        let line = if framing.is_json() { self.secrets.filled(line) } else { line };
        let results = self.results.clone();
        let tell = move |written: Result<(), process::WriteError>| {
            let outcome =
                written.map(|()| EffectValue::Written).map_err(|error| fault(FaultKind::Network, error.to_string()));
            let _ = results.send(EffectResult { id, outcome });
        };
        match open.channel.write(line, tell) {
            Ok(()) => Outcome::Taken,
            Err(full) => self.refuse(start, body, "write-queue-full", FaultKind::Overloaded, full.to_string()),
        }
    }

    /// An answer to a guarded request passes only as a person or a rule gave it. Checked text is what is sent: no second reading of it can differ.
    fn check_guard(
        &mut self,
        profile: &str,
        framing: Framing,
        line: Vec<u8>,
    ) -> Result<(Vec<u8>, &'static str), (&'static str, String)> {
        if !framing.is_json() || !self.guards.guards(profile) {
            return Ok((line, "channel-open"));
        }
        let value: Value = serde_json::from_slice(&line).map_err(|error| ("not-one-message", error.to_string()))?;
        match self.guards.check_write(profile, &value) {
            Ok(()) => serde_json::to_vec(&value)
                .map(|line| (line, "guarded-channel"))
                .map_err(|error| ("not-one-message", error.to_string())),
            Err(refusal) => Err((refusal.code(), refusal.to_string())),
        }
    }

    fn close_stdin(&mut self, start: &SessionStart, channel: u32, body: &EffectBody) -> Outcome {
        if !self.channels.contains_key(&channel) {
            return self.refuse_channel(start, body, channel);
        }
        if let Some(refusal) = self.record(start, "close_stdin", "channel-open", json!({ "channel": channel })) {
            return refusal;
        }
        if let Some(open) = self.channels.get_mut(&channel) {
            open.ending = true;
            open.channel.close_stdin();
        }
        Outcome::Done(EffectValue::Written)
    }

    fn signal(&mut self, start: &SessionStart, wish: &SignalSend, body: &EffectBody) -> Outcome {
        if !self.channels.contains_key(&wish.channel) {
            return self.refuse_channel(start, body, wish.channel);
        }
        let facts = json!({ "channel": wish.channel, "signal": wish.kind });
        if let Some(refusal) = self.record(start, "signal", "channel-open", facts) {
            return refusal;
        }
        if let Some(open) = self.channels.get_mut(&wish.channel) {
            open.ending |= !matches!(wish.kind, SignalKind::Interrupt);
            open.channel.signal(wish.kind);
        }
        Outcome::Done(EffectValue::Written)
    }

    fn file(&mut self, start: &SessionStart, id: u32, body: EffectBody) -> Outcome {
        match self.files.ask(id, &body) {
            Ok(()) => Outcome::Waits,
            Err(full) => self.refuse(start, &body, "file-queue-full", FaultKind::Overloaded, full),
        }
    }

    /// A timer touches nothing outside of the session, so it has a bound and no audit record.
    fn timer(&mut self, start: &SessionStart, id: u32, after_ms: f64, body: &EffectBody) -> Outcome {
        let limit = self.shared.limits.session_timers;
        if self.timers.len() as u64 >= limit {
            return self.refuse(
                start,
                body,
                "too-many-timers",
                FaultKind::Denied,
                format!("{limit} timers of this session run already (limit session_timers)"),
            );
        }
        let longest = self.shared.limits.timer_max_ms;
        if !after_ms.is_finite() || !(0.0..=longest as f64).contains(&after_ms) {
            return self.refuse(
                start,
                body,
                "timer-out-of-range",
                FaultKind::Invalid,
                format!("a timer runs from 0 to {longest} ms (limit timer_max_ms), not {after_ms}"),
            );
        }
        let after_ms = after_ms.max(self.shared.limits.timer_min_ms as f64);
        let at = Instant::now() + Duration::from_micros((after_ms * 1000.0) as u64);
        self.timers.insert((at, id));
        self.timer_ids.insert(id, at);
        Outcome::Taken
    }

    fn cancel(&mut self, start: &SessionStart, id: u32) -> Outcome {
        if let Some(at) = self.timer_ids.remove(&id) {
            self.timers.remove(&(at, id));
        }
        self.files.cancel(id);
        if (self.channels.contains_key(&id) || self.exchanges.contains_key(&id))
            && let Some(refusal) = self.record(start, "end_channel", "channel-open", json!({ "channel": id }))
        {
            return refusal;
        }
        if let Some(open) = self.channels.get_mut(&id) {
            open.ending = true;
            open.channel.end();
        }
        if let Some(asking) = self.exchanges.get(&id) {
            asking.exchange.cancel();
        }
        Outcome::Taken
    }

    /// The guards and the rules see a frame before the plugin does.
    pub(crate) fn observe(&mut self, channel: u32, data: &FrameData) {
        let carrier = match (self.channels.get(&channel), self.exchanges.get(&channel)) {
            (Some(open), _) if open.framing.is_json() => &open.profile,
            (None, Some(asking)) => &asking.carrier,
            _ => return,
        };
        if let FrameData::Text(text) | FrameData::Named((_, text)) = data
            && self.guards.may_concern(carrier, text)
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            for (key, call) in self.guards.observe_frame(carrier, &value) {
                self.guards.rule(&key, self.judge.judge(&call));
            }
        }
    }

    /// Values that are filled in behind the plugin's back.
    pub(crate) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// The rule that forbids this input, which a person put in place of the provider's.
    pub(crate) fn denies_edit(&self, request: &str, input: &Value) -> Option<String> {
        match self.guards.edited(request, input).map(|call| self.judge.judge(&call)) {
            Some(Ruling::Deny(rule)) => Some(rule),
            _ => None,
        }
    }

    /// The rule that would lose its hold if the provider stopped asking for the like of this request.
    pub(crate) fn outlived(&self, request: &str) -> Option<&Rule> {
        self.judge.outlived(self.guards.call_does(request)?)
    }

    /// What a person or a rule answered to a provider's request, so that the plugin's write of it may pass.
    pub(crate) fn guards(&mut self) -> &mut Guards {
        &mut self.guards
    }

    pub(crate) fn next_timer(&self) -> Option<Instant> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// Takes one timer whose time has come.
    pub(crate) fn take_timer(&mut self, now: Instant) -> Option<u32> {
        let (at, id) = *self.timers.first()?;
        if at > now {
            return None;
        }
        self.timers.pop_first();
        self.timer_ids.remove(&id);
        Some(id)
    }

    /// Forgets a channel that has closed.
    pub(crate) fn closed(&mut self, channel: u32) -> Ended {
        self.exchanges.remove(&channel);
        // Also one that was let go of before: a program is known until its end.
        let Some(open) = self.channels.remove(&channel) else { return Ended::Exchange };
        for asking in self.exchanges.values().filter(|asking| asking.server == channel) {
            asking.exchange.server_gone();
        }
        if open.ending { Ended::AsAsked } else { Ended::ByItself }
    }

    /// What became of writes is in `results` before what the programs said to them is handed on.
    pub(crate) fn settle(&self) {
        for open in self.channels.values() {
            open.channel.settle();
        }
    }

    /// Programs that run.
    pub(crate) fn has_channels(&self) -> bool {
        !self.channels.is_empty()
    }

    /// Begins the end of every channel: stdin, TERM, KILL, each bounded.
    pub(crate) fn end_all(&mut self) {
        self.drop_wishes();
        for open in self.channels.values_mut() {
            open.ending = true;
            open.channel.end();
        }
    }

    /// Kills every process tree at once.
    pub(crate) fn kill_all(&mut self) {
        self.drop_wishes();
        for open in self.channels.values_mut() {
            open.ending = true;
            open.channel.signal(SignalKind::Kill);
        }
    }

    /// What was taken on and has not happened yet never does.
    fn drop_wishes(&mut self) {
        self.files.end();
        self.timers.clear();
        self.timer_ids.clear();
        self.exchanges.clear();
    }

    fn refuse_channel(&self, start: &SessionStart, body: &EffectBody, channel: u32) -> Outcome {
        self.refuse(
            start,
            body,
            "no-such-channel",
            FaultKind::NotFound,
            format!("channel {channel} is not open in this session"),
        )
    }

    fn refuse_launch(&self, start: &SessionStart, body: &EffectBody, error: &LaunchError) -> Outcome {
        self.refuse(start, body, error.code(), error.fault_kind(), error.to_string())
    }

    pub(super) fn refuse(
        &self,
        start: &SessionStart,
        body: &EffectBody,
        code: &'static str,
        kind: FaultKind,
        message: String,
    ) -> Outcome {
        // It may quote what the plugin asked for.
        let message = scrub::error(&message, self.shared.limits.label_bytes);
        // A refusal stands even when its record cannot be written: nothing happens either way.
        let _ = self.shared.audit.write(&Record {
            kind: name_of(body),
            verdict: Verdict::Refused,
            rule: code,
            plugin: &start.generation.manifest().full_name(),
            digest: start.generation.digest(),
            session: start.session.as_str(),
            facts: json!({ "message": message }),
        });
        Outcome::Refused(code, Fault { code: Some(code.to_owned()), ..fault(kind, message) })
    }

    /// Writes the record of what is about to happen; the refusal when it can't.
    pub(super) fn record(&self, start: &SessionStart, kind: &str, rule: &str, facts: Value) -> Option<Outcome> {
        let written = self.shared.audit.write(&Record {
            kind,
            verdict: Verdict::Allowed,
            rule,
            plugin: &start.generation.manifest().full_name(),
            digest: start.generation.digest(),
            session: start.session.as_str(),
            facts,
        });
        let error = written.err()?;
        Some(Outcome::Refused(
            "audit-failed",
            fault(
                FaultKind::Internal,
                format!("the audit record could not be written ({error}), so this was not done"),
            ),
        ))
    }
}

/// The name of a wish, for records and texts.
pub(crate) fn name_of(body: &EffectBody) -> &'static str {
    match body {
        EffectBody::Spawn(_) => "spawn",
        EffectBody::Write(_) => "write",
        EffectBody::CloseStdin(_) => "close_stdin",
        EffectBody::Signal(_) => "signal",
        EffectBody::Http(_) => "http",
        EffectBody::Timer(_) => "timer",
        EffectBody::ReadFile(_) => "read_file",
        EffectBody::ListFolder(_) => "list_folder",
        EffectBody::QuerySqlite(_) => "query_sqlite",
        EffectBody::Cancel(_) => "cancel",
        EffectBody::Other(_) => "other",
    }
}

pub(crate) fn fault(kind: FaultKind, message: String) -> Fault {
    Fault { kind, message, code: None, retryable: false, retry_after_ms: None, extra: Vec::new() }
}
