//! Was a person asked before it was done? Only where a setting in force promises a question (`promise.rs`). After an answer
//! that allows for good the provider need not ask again.

use super::promise::Promise;
use super::{Finding, shown};
use crate::contract::{Content, Event, EventBody, Item, ItemBody, Pairs, Setting, Status, Subject, Tool, ToolKind};
use crate::event::is_terminal;
use std::collections::{BTreeMap, BTreeSet};

/// Calls that somebody was asked about.
#[derive(Debug)]
pub(super) struct Approvals {
    /// What each setting that speaks of it promises, by its thread; nothing is promised where none does. Of threads that promise
    /// different things, what all promise counts.
    told: BTreeMap<(Option<String>, String), Promise>,
    allowed_for_good: bool,
    /// Calls that need no question any more: asked about, or begun before the mode changed.
    asked: BTreeSet<String>,
    /// Calls at work.
    running: BTreeSet<String>,
    /// Threads in whose turn a question did not say which call it is about: any may be meant.
    asked_at_large: BTreeSet<Option<String>>,
    /// More is not remembered; nothing is found then.
    bound: usize,
}

impl Approvals {
    pub fn new(bound: usize) -> Self {
        let (asked, running) = (BTreeSet::new(), BTreeSet::new());
        Self { told: BTreeMap::new(), allowed_for_good: false, asked, running, asked_at_large: BTreeSet::new(), bound }
    }

    pub fn begins_with(&mut self, selection: &Pairs) {
        let approvals = selection.iter().rev().find(|(name, _)| name == "approvals");
        let promise = approvals.and_then(|(_, value)| Promise::of_approvals(value));
        self.told.extend(promise.map(|promise| ((None, "approvals".to_owned()), promise)));
    }

    pub fn settings(&mut self, thread: &Option<String>, settings: &[Setting]) {
        let mut now = self.told.clone();
        for setting in settings {
            let key = (thread.clone(), setting.name.clone());
            match Promise::of(setting) {
                Some(promise) if now.len() < self.bound => _ = now.insert(key, promise),
                _ => _ = now.remove(&key),
            }
        }
        if now != self.told {
            self.unsettled();
            self.told = now;
        }
    }

    pub fn unsettled(&mut self) {
        self.told.clear();
        self.asked.append(&mut self.running);
    }

    pub fn allowed_for_good(&mut self) {
        self.allowed_for_good = true;
    }

    pub fn told(&mut self, event: &Event) -> Option<Finding> {
        let thread = event.scope.as_ref().and_then(|scope| scope.thread.clone());
        match &event.body {
            EventBody::RequestsOpened(requests) => {
                for request in requests.iter().filter(|one| matches!(one.subject, Subject::Approval(_))) {
                    match &request.item {
                        Some(item) => _ = self.asked.insert(item.clone()),
                        None if self.asked_at_large.len() < self.bound => {
                            _ = self.asked_at_large.insert(thread.clone())
                        }
                        // What comes after is not judged by half a memory.
                        None => self.allowed_for_good = true,
                    }
                }
                None
            }
            EventBody::TurnEnded(end) => {
                if !end.background {
                    self.asked_at_large.remove(&thread);
                }
                None
            }
            EventBody::Items(items) => {
                let nested = event.scope.as_ref().is_some_and(|scope| scope.parent.is_some());
                items.iter().filter_map(|item| self.call(item, nested)).next()
            }
            _ => None,
        }
    }

    fn call(&mut self, item: &Item, nested: bool) -> Option<Finding> {
        let (ItemBody::Tool(tool), Some(id)) = (&item.body, &item.id) else { return None };
        if !is_terminal(item.status) {
            self.running.insert(id.clone());
            return None;
        }
        self.running.remove(id);
        let is_full = self.asked.len() + self.running.len() > self.bound;
        let asked = !self.asked_at_large.is_empty() || is_full || self.asked.contains(id);
        if is_full {
            // What comes after is not judged by half a memory.
            (self.allowed_for_good, self.asked, self.running) = (true, BTreeSet::new(), BTreeSet::new());
        }
        (item.status == Status::Completed && !asked).then(|| self.unasked(tool, nested)).flatten()
    }

    /// What was promised for a call like this, if anything was.
    fn unasked(&self, tool: &Tool, nested: bool) -> Option<Finding> {
        let promised = self.told.values().copied().reduce(Promise::and)?;
        let (flag, what) = promise_of(tool, promised)?;
        if self.allowed_for_good {
            return None;
        }
        let name = tool.name.as_deref().map_or("a tool".to_owned(), shown);
        let because = format!("{name} {what}, and nobody was asked, though the mode promises it");
        match nested {
            true => Some(Finding::off("approvals.approvals-can-originate-from-subagents", because)),
            false => Some(Finding::off(flag, because)),
        }
    }
}

/// The flag that stands for a call like this, where it is promised to be asked about, and what was done.
fn promise_of(tool: &Tool, promised: Promise) -> Option<(&'static str, &'static str)> {
    let is_patch = |part: &Content| matches!(part, Content::Diff(diff) if diff.patch.is_some() && diff.after.is_none());
    let (flag, what, is_promised) = match tool.kind {
        ToolKind::Execute => ("approvals.supports-command-approval", "ran a command", promised.commands),
        ToolKind::Read => ("approvals.supports-file-read-approval", "read a file", promised.reads),
        ToolKind::Edit if tool.content.iter().any(is_patch) => {
            ("approvals.supports-apply-patch-approval", "applied a patch", promised.patches)
        }
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => {
            ("approvals.supports-file-change-approval", "changed a file", promised.changes)
        }
        _ => return None,
    };
    is_promised.then_some((flag, what))
}
