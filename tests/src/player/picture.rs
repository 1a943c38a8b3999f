//! A conversation as a person sees it, as text: what the folder's `.txt` files expect.
//!
//! Made of the last snapshot and of what only events tell (answers, sessions' ends, retries). **No id and no time is in
//! it**: things are numbered in the order in which they appeared. It judges nothing. The format is told in `tests/README.md`.

use super::picture_item;
use jackfield_core::contract::{ContextChange, Plan, Usage};
use jackfield_core::event::{EventBody, Request, SessionEvent, Task};
use jackfield_core::id::{ItemId, RunId};
use jackfield_core::projection::{Run, ShownItem, Snapshot, Turn};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;

/// All that one thread shows.
pub fn picture(events: &[SessionEvent]) -> String {
    let snapshot = Snapshot::of(events);
    let mut picture = Picture { events, snapshot: &snapshot, out: String::new() };
    picture.thread();
    picture.ends();
    snapshot.runs.iter().for_each(|run| picture.run(run));
    snapshot.turns.iter().for_each(|turn| picture.turn(turn));
    picture.outside();
    snapshot.plan.iter().for_each(|plan| picture.plan(plan));
    snapshot.tasks.iter().for_each(|task| picture.task(task));
    let mut usage: Vec<&Usage> = snapshot.usage.iter().collect();
    usage.sort_by_key(|usage| usage.span);
    usage.into_iter().for_each(|usage| picture.usage(usage));
    snapshot.context.iter().for_each(|change| picture.context(change));
    picture.asides();
    match snapshot.native_id.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => picture.out.replace(id, "<thread>"),
        None => picture.out,
    }
}

pub(super) struct Picture<'a> {
    pub(super) events: &'a [SessionEvent],
    pub(super) snapshot: &'a Snapshot,
    pub(super) out: String,
}

impl Picture<'_> {
    pub(super) fn line(&mut self, depth: usize, text: impl AsRef<str>) {
        let _ = writeln!(self.out, "{}{}", "  ".repeat(depth), text.as_ref().trim_end());
    }

    /// A text of any number of lines, each behind a mark.
    pub(super) fn text(&mut self, depth: usize, mark: &str, text: &str) {
        for line in text.split('\n') {
            self.line(depth, format!("{mark} {line}"));
        }
    }

    pub(super) fn number_of(&self, item: &ItemId) -> usize {
        1 + self.snapshot.items.iter().position(|shown| shown.item.id == *item).unwrap_or(usize::MAX - 1)
    }

    fn number_of_run(&self, run: &Option<RunId>) -> String {
        let at = run.as_ref().and_then(|id| self.snapshot.runs.iter().position(|run| run.id == *id));
        at.map_or(" of no run".into(), |at| format!(" of run {}", at + 1))
    }

    fn thread(&mut self) {
        let snapshot = self.snapshot;
        let resumable = if snapshot.resumable { "resumable" } else { "not resumable" };
        let title = snapshot.title.as_ref().map(|title| format!(", \"{title}\"")).unwrap_or_default();
        self.line(0, format!("thread: {resumable}{title}"));
        if let Some(capabilities) = &snapshot.capabilities {
            let version = capabilities.provider_version.as_deref().unwrap_or("of no known version");
            self.line(0, format!("provider: {version}, {}", word(&capabilities.stage)));
        }
        let settings = snapshot.settings.iter().filter_map(|one| Some((&one.name, one.value.as_ref()?)));
        let settings: Vec<String> = settings.map(|(name, value)| format!("{name} {value}")).collect();
        if !settings.is_empty() {
            self.line(0, format!("settings: {}", settings.join(", ")));
        }
        for server in &snapshot.mcp {
            self.line(0, format!("mcp {}: {}", server.name, word(&server.status)));
        }
    }

    fn ends(&mut self) {
        let mut number = 0;
        for event in self.events {
            match &event.draft.body {
                EventBody::SessionStarted { resumed, .. } => {
                    number += 1;
                    if *resumed {
                        self.line(0, format!("session {number}: resumed"));
                    }
                }
                EventBody::SessionEnded { reason, fault, exit_code, signal, stderr_tail, .. } => {
                    let code = exit_code.map(|code| format!(", exit {code}")).unwrap_or_default();
                    let signal = signal.map(|signal| format!(", signal {signal}")).unwrap_or_default();
                    self.line(0, format!("session {number}: {}{code}{signal}", word(reason)));
                    if let Some(fault) = fault {
                        self.line(1, format!("fault: {} | {}", word(&fault.kind), fault.message));
                    }
                    if !stderr_tail.is_empty() {
                        self.text(1, "stderr |", stderr_tail.trim_end());
                    }
                }
                _ => {}
            }
        }
    }

    fn run(&mut self, run: &Run) {
        let background = if run.background { ", work goes on" } else { "" };
        let head = format!("run {}: {}{}{background}", run.ordinal, word(&run.status()), reason(&run.reason));
        self.line(0, head);
        for (_, reason) in run.attempts.iter().skip(1) {
            self.line(1, format!("tried again: {}", word(reason)));
        }
        let items =
            self.snapshot.items.iter().filter(|shown| shown.turn.is_none() && shown.run.as_ref() == Some(&run.id));
        let items: Vec<&ShownItem> = items.collect();
        if items.is_empty() {
            picture_item::content(self, 1, ">", &run.content);
        }
        self.top(items);
        if let Some(fault) = &run.fault {
            self.line(1, format!("fault: {} | {}", word(&fault.kind), fault.message));
        }
    }

    fn turn(&mut self, turn: &Turn) {
        let run = self.number_of_run(&turn.run);
        self.line(0, format!("turn {}{run}: {}{}", turn.ordinal, word(&turn.status()), reason(&turn.reason)));
        if let Some(fault) = &turn.fault {
            self.line(1, format!("fault: {} | {}", word(&fault.kind), fault.message));
        }
        let items = self.snapshot.items.iter().filter(|shown| shown.turn.as_ref() == Some(&turn.id));
        self.top(items.collect());
    }

    fn outside(&mut self) {
        let items: Vec<&ShownItem> =
            self.snapshot.items.iter().filter(|shown| shown.turn.is_none() && shown.run.is_none()).collect();
        let nested = |shown: &ShownItem| shown.parent.as_ref().is_some_and(|parent| self.knows(parent));
        if items.iter().any(|shown| !nested(shown)) {
            self.line(0, "outside of any turn");
            self.top(items);
        }
        let unbound = |request: &Request| request.item.as_ref().is_none_or(|item| !self.knows(item));
        let mut about: Vec<Option<ItemId>> = Vec::new();
        for event in self.events {
            if let EventBody::RequestOpened { request } = &event.draft.body
                && unbound(request)
                && !about.contains(&request.item)
            {
                about.push(request.item.clone());
            }
        }
        about.iter().for_each(|item| picture_item::requests(self, 0, item.as_ref()));
    }

    /// Those of these items that are not inside of one that is shown; the others are told with theirs.
    fn top(&mut self, items: Vec<&ShownItem>) {
        for shown in items {
            if !shown.parent.as_ref().is_some_and(|parent| self.knows(parent)) {
                picture_item::item(self, 1, shown);
            }
        }
    }

    fn knows(&self, item: &ItemId) -> bool {
        self.snapshot.items.iter().any(|shown| shown.item.id == *item)
    }

    fn plan(&mut self, plan: &Plan) {
        self.line(0, "todo");
        for step in &plan.steps {
            self.line(1, format!("[{}] {}", word(&step.status), step.text));
        }
    }

    fn task(&mut self, task: &Task) {
        let by = task.item.as_ref().map(|item| format!(" of {}", self.number_of(item))).unwrap_or_default();
        let place = if task.background { "background" } else { "foreground" };
        let title = task.title.as_deref().unwrap_or_default();
        self.line(0, format!("task {}{by}: {}, {place}, {title}", word(&task.kind), word(&task.status)));
        if let Some(summary) = &task.summary {
            self.text(1, "|", summary);
        }
    }

    fn usage(&mut self, usage: &Usage) {
        let mut counts: Vec<(String, f64)> = usage.counts.iter().map(|(name, value)| (name.clone(), *value)).collect();
        counts.sort_by(|one, other| one.0.cmp(&other.0));
        let told = counts.iter().map(|(name, value)| format!("{name} {}", (value * 1e6).round() / 1e6));
        self.line(0, format!("usage of the {}: {}", word(&usage.span), told.collect::<Vec<_>>().join(", ")));
    }

    fn context(&mut self, change: &ContextChange) {
        let automatic = if change.automatic { ", by itself" } else { "" };
        let tokens = match (change.tokens_before, change.tokens_after) {
            (Some(before), Some(after)) => format!(", {before} to {after} tokens"),
            (Some(before), None) => format!(", {before} tokens before"),
            _ => String::new(),
        };
        self.line(0, format!("context: {}{tokens}{automatic}", word(&change.what)));
        if let Some(summary) = &change.summary {
            self.text(1, "|", summary);
        }
    }

    /// What belongs to no item.
    fn asides(&mut self) {
        for event in self.events {
            match &event.draft.body {
                EventBody::Note { note } => self.line(0, format!("note {}: {}", note.code, note.text)),
                EventBody::Retrying { retry } => {
                    let most = retry.max_attempts.map(|most| format!(" of {most}")).unwrap_or_default();
                    self.line(0, format!("retry {}{most}: {}", retry.attempt, word(&retry.fault.kind)));
                }
                EventBody::Unknown { kind, .. } => self.line(0, format!("unknown {kind}")),
                EventBody::EffectRefused { effect, code, .. } => self.line(0, format!("refused {effect}: {code}")),
                _ => {}
            }
        }
    }
}

fn reason(reason: &Option<String>) -> String {
    reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default()
}

/// The word that a value has in the events.
pub(super) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word.replace('_', "-"),
        _ => "?".into(),
    }
}
