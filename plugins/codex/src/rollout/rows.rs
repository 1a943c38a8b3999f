//! The rows of one page, told by the live translation of items.
//!
//! Newer versions go back by a new file that says up to which row the one before it counts; older ones by a row that says how many
//! turns before it are dropped. **Both are known when they are met, from the end back**: what is dropped is never told.

use jackfield_sdk::past::{self, Back, Told};
use jackfield_sdk::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

use super::row::Row;
use super::{item, old};
use crate::turn;
use crate::wire::Notice;

/// A thread's rows, from the end back.
#[derive(Debug, Default)]
pub(crate) struct Rollout {
    /// Rows with this number and higher ones were dropped.
    end: Option<f64>,
    /// So many turns that come next, backwards, were dropped.
    dropped: u32,
    /// The turn that is told.
    turn: Option<String>,
    /// Calls whose outputs were met.
    outputs: BTreeSet<String>,
}

impl Rollout {
    /// From the newest row back, or from where a page was marked.
    pub(super) fn new(mark: Option<&str>) -> Self {
        let (end, dropped) = mark.and_then(|mark| mark.split_once('-')).unwrap_or_default();
        Rollout { end: end.parse().ok(), dropped: dropped.parse().unwrap_or_default(), ..Rollout::default() }
    }

    /// The transcript that is read next counts up to this row.
    pub(super) fn ends_before(&mut self, ordinal: f64) {
        self.end = Some(self.end.map_or(ordinal, |end| end.min(ordinal)));
    }
}

/// A call of the model's. In newer versions its item tells more, and only that one of a call which was refused is missing.
fn is_call(what: &str) -> bool {
    matches!(what, "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call")
}

/// A call that is shown by what it does inside, or whose item has another id.
fn is_outer(row: &Row) -> bool {
    let name = row.payload["name"].as_str().unwrap_or_default();
    row.is_numbered() && !matches!(name, "exec_command" | "shell" | "shell_command" | "apply_patch")
}

fn is_output(what: &str) -> bool {
    matches!(what, "function_call_output" | "custom_tool_call_output")
}

/// The todo list is kept by a call that is shown as the list.
fn is_plan(row: &Row) -> bool {
    row.what() == "function_call" && row.payload["name"] == "update_plan"
}

impl Rollout {
    /// An item that is told whole. One that stands between its call and its output was counted with that; one that ended later than
    /// its output still belongs to its call. What code does inside of a call, and what a person ran, has no call of its own.
    fn item(&mut self, row: &Row) -> Back {
        let Some(item) = row.item() else { return Back::skip() };
        let id = item["id"].as_str().unwrap_or_default();
        if !matches!(item["type"].as_str(), Some("CommandExecution" | "FileChange")) {
            return Back::keep(1);
        }
        if self.outputs.remove(id) {
            return Back::keep(0);
        }
        let alone = id.starts_with("exec-") || item["source"] == "user_shell";
        let call = Some(id.to_owned()).filter(|_| !alone);
        Back { waits_for: call.into_iter().collect(), ..Back::keep(1) }
    }

    /// A call whose output is all that is told of its end.
    fn is_open(&self, told: &Told, scope: &Scope, row: &Row) -> bool {
        let id = row.payload["call_id"].as_str().unwrap_or_default();
        is_output(row.what()) && told.status(scope, id) == Some(Status::Running)
    }
}

impl past::Rows for Rollout {
    fn back(&mut self, at: &past::Row<'_>) -> Back {
        let Some(row) = Row::read(at.text) else { return Back::unreadable() };
        if row.ordinal.is_some_and(|ordinal| self.end.is_some_and(|end| ordinal >= end)) {
            return Back::skip();
        }
        let what = row.what();
        if row.is_event() && what == "thread_rolled_back" {
            let turns = row.payload["num_turns"].as_u64().unwrap_or_default();
            self.dropped = self.dropped.saturating_add(u32::try_from(turns).unwrap_or(u32::MAX));
            return Back::skip();
        }
        if self.dropped > 0 {
            // A turn begins with what a person said.
            self.dropped -= u32::from(row.is_event() && what == "user_message");
            return Back::skip();
        }
        let call = || row.payload["call_id"].as_str().map(str::to_owned).into_iter().collect::<Vec<_>>();
        match row.kind.as_str() {
            "event_msg" if row.item().is_some() => self.item(&row),
            "event_msg"
                if matches!(what, "user_message" | "agent_message" | "agent_reasoning") && !row.is_numbered() =>
            {
                Back::keep(1)
            }
            "event_msg" if matches!(what, "task_started" | "turn_started") => Back::keep(0),
            "turn_context" => Back::keep(0),
            "compacted" if !row.is_numbered() => Back::keep(0),
            "response_item" if is_plan(&row) || is_call(what) && is_outer(&row) => {
                Back { settles: call(), ..Back::keep(0) }
            }
            "response_item" if is_call(what) => Back { settles: call(), ..Back::keep(1) },
            "response_item" if is_output(what) => {
                self.outputs.extend(call());
                Back { waits_for: call(), ..Back::keep(1) }
            }
            _ => Back::skip(),
        }
    }

    fn mark(&self) -> String {
        format!("{}-{}", self.end.map(|end| end.to_string()).unwrap_or_default(), self.dropped)
    }

    fn tell(&mut self, text: &str, told: &mut Told) {
        let Some(row) = Row::read(text) else { return };
        told.at(row.timestamp.as_deref());
        if let Some(item) = row.item() {
            // One may end when another turn has begun.
            let turn = row.turn().map(str::to_owned).or(self.turn.clone());
            return whole(item, Scope { turn, ..Scope::root() }, told);
        }
        if let Some(turn) = row.turn() {
            self.turn = Some(turn.to_owned());
        }
        let scope = Scope { turn: self.turn.clone(), ..Scope::root() };
        let what = row.what();
        let item = match row.kind.as_str() {
            "compacted" => {
                let change = ContextChange::new(ContextEffect::Compacted);
                return told.event(scope, EventBody::Context(change));
            }
            "response_item" if is_plan(&row) => {
                let list = row.payload["arguments"].as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
                return told.event(scope, EventBody::Plan(plan(&list.unwrap_or_default())));
            }
            "response_item" if is_call(what) && !is_outer(&row) => old::call(&row),
            // Where the item was told whole, the model's output says no more; nor does the answer to the call that keeps the list.
            "response_item" if self.is_open(told, &scope, &row) => old::output(&row),
            "event_msg" => old::said(&row),
            _ => None,
        };
        if let Some(item) = item {
            told.item(scope, item);
        }
    }
}

/// An item that is told whole.
fn whole(item: &Value, scope: Scope, told: &mut Told) {
    if item["type"] == "ContextCompaction" {
        let change = ContextChange::new(ContextEffect::Compacted);
        return told.event(scope, EventBody::Context(change));
    }
    let Some(wire) = item::of_disk(item) else { return told.unreadable() };
    let mut item = crate::item::of(&wire.lossy(), &wire, None, true);
    let before = item.id.as_ref().and_then(|id| told.status(&scope, id));
    if let Some(stopped @ (Status::Interrupted | Status::Declined)) = before {
        // What was stopped is told as failed when it has come to its end.
        item.status = stopped;
    }
    told.item(scope, item);
}

/// The todo list, by the live translation.
fn plan(list: &Value) -> Plan {
    let mut list = list.clone();
    for step in list["plan"].as_array_mut().into_iter().flatten() {
        if step["status"] == "in_progress" {
            step["status"] = "inProgress".into();
        }
    }
    turn::plan(&serde_json::from_value::<Notice>(list).unwrap_or_default())
}
