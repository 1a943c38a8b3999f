//! The other way to script this plugin: a table of inputs and outputs, given as an option. For tests of a host.
//!
//! A row is `on COMMAND`, then one output per line (`words.rs`), indented. A command is written as one line (`asked.rs`): the row
//! whose words are the longest beginning of it answers; each command is also told as a note, so that what reached the
//! provider is seen. `after MS` puts the rest of a row behind a timer, a wish about a file (`files.rs`) behind its answer. What has no row: `start` and `open-thread` go well,
//! and `close-thread`, too; the rest is unsupported. With several threads open each row speaks in the thread of its command. **It says what the table says, whatever capabilities the second option declares for it.**
//! Tests: below, and the flag cases of the workspace.

mod asked;
mod files;
mod words;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use jackfield_sdk::prelude::*;
use serde_json::Value;

/// Where the thread of a table stands when no row names one.
const THREAD: &str = "T";

/// A table at work.
#[derive(Debug)]
pub struct Table {
    rows: Vec<(String, Vec<String>)>,
    later: BTreeMap<u32, Pending>,
    /// By thread, the command that sent the newest message: what `start` and `end` are about.
    sent: BTreeMap<Option<String>, u32>,
    /// Threads that are open.
    open: BTreeSet<String>,
}

/// Lines of a row that are still to come, and the command they belong to.
#[derive(Debug, Clone)]
struct Pending {
    op: u32,
    thread: Option<String>,
    /// The row opens a thread.
    opens: bool,
    /// The same, when it sent a message: what `start` and `end` are about.
    sent: Option<u32>,
    lines: VecDeque<String>,
}

impl Table {
    /// The table of the options, if there is one.
    pub fn of(options: &Value) -> Option<Self> {
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for line in options.get("table")?.as_str()?.lines().filter(|line| !line.trim().is_empty()) {
            match (line.strip_prefix("on "), rows.last_mut()) {
                (Some(on), _) => rows.push((on.trim().to_owned(), Vec::new())),
                (None, Some((_, lines))) => lines.push(line.trim().to_owned()),
                (None, None) => {}
            }
        }
        Some(Table { rows, later: BTreeMap::new(), sent: BTreeMap::new(), open: BTreeSet::new() })
    }

    /// The set that the options declare for this session.
    pub fn capabilities(options: &Value) -> Option<CapabilitySet> {
        let told = options.get("capabilities")?.as_object()?;
        let version = options.get("version").and_then(Value::as_str).map(str::to_owned);
        let value = |value: &Value| match value {
            Value::Bool(flag) => CapabilityValue::Flag(*flag),
            Value::Number(count) => CapabilityValue::Count(count.as_u64().unwrap_or_default() as u32),
            Value::String(word) => CapabilityValue::Word(word.clone()),
            other => CapabilityValue::Other(Other { name: "json".into(), json: other.to_string() }),
        };
        let capabilities = told.iter().map(|(name, told)| Capability { name: name.clone(), value: value(told) });
        Some(CapabilitySet {
            revision: 1,
            provider_version: version.or_else(|| Some("table-1".into())),
            capabilities: capabilities.collect(),
        })
    }

    /// Answers a command by its row.
    pub fn command(&mut self, cx: &mut Cx, command: &Command) {
        let (op, thread) = (command.op, command.thread.clone());
        let asked = asked::line(command, &self.open);
        if !matches!(command.body, CommandBody::Start(_)) {
            let note = EventBody::Note(Note::new(Level::Info, "told", asked.clone()));
            cx.event_in(self.scope(thread.as_ref()), note);
        }
        match &command.body {
            CommandBody::SendRun(_) => _ = self.sent.insert(thread.clone(), op),
            CommandBody::CloseThread => self.close(thread.as_ref()),
            _ => {}
        }
        let fitting = self.rows.iter().filter(|(on, _)| asked.starts_with(on.as_str()));
        let Some((_, lines)) = fitting.max_by_key(|(on, _)| on.len()) else {
            match &command.body {
                CommandBody::Start(_) => cx.done(op, OpValue::Accepted),
                CommandBody::OpenThread(open) => {
                    let id = self.next_id(open.cursor.as_deref());
                    self.open.insert(id.clone());
                    cx.done(op, OpValue::Thread(of_id(&id)));
                }
                CommandBody::CloseThread => cx.done(op, OpValue::Accepted),
                _ => {}
            }
            return;
        };
        if lines.iter().any(|line| line.starts_with("done") || line.starts_with("fail") || line == "silence") {
            cx.hold(op);
        }
        let sent = matches!(command.body, CommandBody::SendRun(_)).then_some(op);
        let lines = lines.iter().cloned().collect();
        let opens = matches!(command.body, CommandBody::OpenThread(_));
        self.go_on(cx, Pending { op, thread, opens, sent, lines });
    }

    /// A timer of a row.
    pub fn timer(&mut self, cx: &mut Cx, timer: u32) {
        if let Some(pending) = self.later.remove(&timer) {
            self.go_on(cx, pending);
        }
    }

    /// The answer to a wish about a file is told as a note, and its row goes on.
    pub fn effect_done(&mut self, cx: &mut Cx, result: &EffectResult) {
        if let Some(pending) = self.later.remove(&result.id) {
            let note = EventBody::Note(Note::new(Level::Info, "read", files::told(&result.outcome)));
            cx.event_in(self.scope(pending.thread.as_ref()), note);
            self.go_on(cx, pending);
        }
    }

    fn go_on(&mut self, cx: &mut Cx, mut pending: Pending) {
        while let Some(line) = pending.lines.pop_front() {
            if let Some(wish) = files::wish(&line) {
                self.later.insert(cx.effect(wish), pending);
                return;
            }
            if line == "silence" {
                return;
            }
            if let Some(ms) = line.strip_prefix("after ") {
                let timer = cx.timer(ms.trim().parse().unwrap_or(1.0));
                self.later.insert(timer, pending);
                return;
            }
            let opened = line.strip_prefix("done thread ").filter(|_| pending.opens);
            self.open.extend(opened.and_then(|rest| rest.split(' ').next()).map(str::to_owned));
            let sent = pending.sent.or_else(|| self.sent.get(&pending.thread).copied());
            let here = self.scope(pending.thread.as_ref()).unwrap_or_else(Scope::root);
            words::say(cx, &line, here, pending.op, sent);
        }
    }

    /// Where something of this thread is said: without a name, while it is the only one.
    fn scope(&self, thread: Option<&String>) -> Option<Scope> {
        let named = thread.filter(|thread| self.open.len() > 1 && self.open.contains(*thread))?;
        Some(Scope { thread: Some(named.clone()), ..Scope::root() })
    }

    /// The id of a thread that no row names: the one that its cursor holds, else the next that is free.
    fn next_id(&self, cursor: Option<&str>) -> String {
        let numbered = |at: usize| if at == 0 { THREAD.to_owned() } else { format!("{THREAD}{}", at + 1) };
        let held = cursor.and_then(|cursor| cursor.strip_prefix("cursor-")).map(str::to_owned);
        let free = || (0..=self.open.len()).map(numbered).find(|id| !self.open.contains(id));
        held.or_else(free).unwrap_or_else(|| THREAD.to_owned())
    }

    /// What is still to come in a thread does not come any more.
    fn close(&mut self, thread: Option<&String>) {
        self.later.retain(|_, pending| pending.thread.as_ref() != thread);
        if let Some(thread) = thread {
            self.open.remove(thread);
        }
    }
}

fn of_id(id: &str) -> Thread {
    Thread { cursor: Some(format!("cursor-{id}")), ..Thread::new(id, ThreadState::Idle) }
}
