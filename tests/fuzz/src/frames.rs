//! Lines that a program might say: recorded ones, spoilt in every way, and garbage with the right names in it.

use crate::bytes::Bytes;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::OnceLock;

/// What the real program said in the plugin's recordings, each line once.
pub fn recorded() -> &'static [String] {
    static LINES: OnceLock<Vec<String>> = OnceLock::new();
    LINES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/claude-code/recordings");
        let mut files: Vec<_> =
            std::fs::read_dir(folder).expect("recordings").map(|file| file.expect("a file").path()).collect();
        files.retain(|file| file.extension().is_some_and(|kind| kind == "jsonl"));
        files.sort();
        files.iter().flat_map(|file| said(&std::fs::read_to_string(file).expect("a recording"))).collect()
    })
}

fn said(recording: &str) -> Vec<String> {
    let rows = recording.lines().filter_map(|row| serde_json::from_str::<Value>(row).ok());
    rows.filter(|row| row["dir"] == "out").filter_map(|row| Some(row["line"].as_str()?.to_owned())).collect()
}

/// Names and words that the protocol has.
const WORDS: [&str; 34] = [
    "type",
    "subtype",
    "message",
    "content",
    "text",
    "id",
    "uuid",
    "session_id",
    "request_id",
    "request",
    "response",
    "tool_use_id",
    "parent_tool_use_id",
    "name",
    "input",
    "event",
    "delta",
    "index",
    "stream_event",
    "assistant",
    "user",
    "system",
    "init",
    "result",
    "success",
    "control_request",
    "control_response",
    "can_use_tool",
    "tool_use",
    "tool_result",
    "content_block_delta",
    "is_error",
    "task_started",
    "usage",
];

/// One line, or what is left of it.
pub fn line(b: &mut Bytes<'_>, session: &str) -> Vec<String> {
    let line = match b.below(12) {
        0 => return vec![b.text()],
        1 => value(b, 0).to_string(),
        _ => {
            let line = b.pick_line(recorded());
            named(&line, session)
        }
    };
    match b.below(10) {
        0..=2 => vec![line],
        3 => vec![line.clone(), line],
        // Cut in two, as by a program that writes an end of line in the middle.
        4 => {
            let at = cut(&line, b);
            vec![line[..at].to_owned(), line[at..].to_owned()]
        }
        5 => vec![line[..cut(&line, b)].to_owned()],
        _ => vec![spoilt(&line, b)],
    }
}

/// With our session's id where the recorded one stood, most of what is said concerns us.
fn named(line: &str, session: &str) -> String {
    let recorded =
        serde_json::from_str::<Value>(line).ok().and_then(|value| Some(value["session_id"].as_str()?.to_owned()));
    recorded.map_or_else(|| line.to_owned(), |recorded| line.replace(&recorded, session))
}

fn cut(line: &str, b: &mut Bytes<'_>) -> usize {
    let at = b.below(line.len().max(1));
    (at..=line.len()).find(|at| line.is_char_boundary(*at)).unwrap_or(0)
}

/// Some of its fields are other ones, gone, or twice.
fn spoilt(line: &str, b: &mut Bytes<'_>) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
    for _ in 0..=b.below(3) {
        spoil(&mut value, b, 0);
    }
    value.to_string()
}

fn spoil(value: &mut Value, b: &mut Bytes<'_>, depth: usize) {
    let stop = depth > 6 || b.once_in(4);
    match value {
        Value::Object(map) if !map.is_empty() && !stop => {
            let key = map.keys().nth(b.below(map.len())).cloned().unwrap_or_default();
            match b.below(8) {
                0 => drop(map.remove(&key)),
                1 => drop(map.insert(b.pick(&WORDS).to_owned(), self::value(b, 0))),
                2 => {
                    let other = map.keys().nth(b.below(map.len())).cloned().unwrap_or_default();
                    let taken = map.get(&other).cloned().unwrap_or_default();
                    map.insert(key, taken);
                }
                _ => spoil(&mut map[&key], b, depth + 1),
            }
        }
        Value::Array(list) if !list.is_empty() && !stop => {
            let at = b.below(list.len());
            match b.below(5) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                _ => spoil(&mut list[at], b, depth + 1),
            }
        }
        other => *other = self::value(b, 0),
    }
}

/// Any JSON, with the protocol's own names in it.
fn value(b: &mut Bytes<'_>, depth: usize) -> Value {
    match b.below(if depth > 4 { 7 } else { 10 }) {
        0 => Value::Null,
        1 => json!(b.below(2) == 0),
        2 => b.pick(&[json!(0), json!(-1), json!(1.5), json!(u64::MAX), json!(1e300), json!(7)]),
        3 => json!(b.text()),
        4 => json!(b.id()),
        5 | 6 => json!(b.pick(&WORDS)),
        7 => Value::Array(b.list(3, |b| value(b, depth + 1))),
        _ => {
            let fields = b.list(5, |b| (b.pick(&WORDS).to_owned(), value(b, depth + 1)));
            Value::Object(Map::from_iter(fields))
        }
    }
}

impl Bytes<'_> {
    fn pick_line(&mut self, lines: &[String]) -> String {
        lines[self.below(lines.len())].clone()
    }
}
