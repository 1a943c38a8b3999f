//! An event as one line, without ids, numbers and times: two runs can then be compared.

use jackfield_core::event::{EventBody, SessionEvent};
use serde_json::Value;
use std::collections::BTreeMap;

/// Names of runs and turns, in the order in which they are seen.
#[derive(Debug, Default)]
pub struct Names(BTreeMap<String, String>);

impl Names {
    fn of(&mut self, kind: &str, id: &str) -> String {
        let next = self.0.values().filter(|name| name.starts_with(kind)).count() + 1;
        self.0.entry(id.to_owned()).or_insert_with(|| format!("{kind}{next}")).clone()
    }
}

/// Fields that say nothing of what happened, or another thing in every run.
const LEFT_OUT: &[&str] = &[
    "id",
    "ordinal",
    "ledger",
    "frames",
    "outside",
    "run",
    "turn",
    "parent",
    "origin",
    "type",
    "session",
    "digest",
    "plugin_version",
    "epoch",
    "item",
    "request",
    "attempt",
    "folder",
    "native",
    "turns",
    "to",
    "from",
    "runs",
    "joined",
    "at_ms",
];

/// The line; `None` for what only tells of capabilities and hints.
pub fn line(names: &mut Names, event: &SessionEvent) -> Option<String> {
    let draft = &event.draft;
    if matches!(draft.body, EventBody::CapabilitiesUpdated { .. } | EventBody::CapabilityConflict { .. }) {
        return None;
    }
    let json = serde_json::to_value(draft).ok()?;
    let mut words = vec![json["type"].as_str().unwrap_or_default().to_owned()];
    flatten(&json, &mut words);
    let queue = json.get("runs").and_then(Value::as_array);
    words.extend(queue.into_iter().flatten().filter_map(|run| Some(names.of("run", run.as_str()?))));
    words.extend(json.get("joined").and_then(|run| Some(format!("into {}", names.of("run", run.as_str()?)))));
    if let Some(run) = &draft.run {
        words.push(names.of("run", run.as_str()));
    }
    if let Some(turn) = &draft.turn {
        words.push(names.of("turn", turn.as_str()));
    }
    if draft.parent.is_some() {
        words.push("nested".into());
    }
    words.extend(draft.origin.correlation.and_then(|word| Some(serde_json::to_value(word).ok()?.as_str()?.to_owned())));
    for (word, is_so) in [("synthetic", draft.origin.synthetic), ("replayed", draft.origin.replayed)] {
        if is_so {
            words.push(word.into());
        }
    }
    Some(words.join(" "))
}

/// The leaves of a value as `name=value`, in order.
fn flatten(value: &Value, words: &mut Vec<String>) {
    let Some(fields) = value.as_object() else { return };
    for (name, value) in fields {
        match value {
            Value::Object(_) if matches!(name.as_str(), "item" | "request" | "tool") => flatten(value, words),
            _ if LEFT_OUT.contains(&name.as_str()) => {}
            Value::Object(_) => flatten(value, words),
            Value::Array(list) if list.is_empty() => {}
            Value::Array(_) => words.push(format!("{name}={value}")),
            Value::String(text) if text.contains([' ', '\n']) || text.is_empty() => {
                words.push(format!("{name}={text:?}"))
            }
            Value::String(text) => words.push(format!("{name}={text}")),
            Value::Null => {}
            other => words.push(format!("{name}={other}")),
        }
    }
}
