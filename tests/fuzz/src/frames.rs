//! Lines that a program might say: recorded ones, spoilt in every way, and garbage with the right names in it.

use crate::bytes::Bytes;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::OnceLock;

/// How a plugin's program speaks: what it said in recordings, and the names of its protocol.
pub struct Tongue {
    folders: &'static [&'static str],
    words: &'static [&'static str],
    lines: OnceLock<Vec<String>>,
    /// Where lines carry the conversation's id.
    named_by: &'static [&'static str],
    rpc: bool,
}

const fn tongue(
    folders: &'static [&'static str],
    words: &'static [&'static str],
    named_by: &'static [&'static str],
    rpc: bool,
) -> Tongue {
    Tongue { folders, words, lines: OnceLock::new(), named_by, rpc }
}

const CODEX_RECORDINGS: &[&str] = &["tests/recordings/codex-0.171.0", "tests/recordings/codex-0.120.0"];
const ACP_RECORDINGS: &[&str] = &[
    "tests/recordings/copilot",
    "tests/recordings/gemini",
    "tests/recordings/opencode",
    "tests/recordings/claude-agent-acp",
];

/// Claude Code's.
pub static CLAUDE_CODE: Tongue = tongue(&["plugins/claude-code/recordings"], &WORDS, &["/session_id"], false);
/// Codex'.
pub static CODEX: Tongue = tongue(CODEX_RECORDINGS, &RPC_WORDS, &["/params/threadId", "/result/thread/id"], true);
/// That of the agents with the Agent Client Protocol.
pub static ACP: Tongue = tongue(ACP_RECORDINGS, &RPC_WORDS, &["/params/sessionId", "/result/sessionId"], true);
/// pi's.
pub static PI: Tongue = tongue(&["tests/recordings/pi-0.73.1"], &RPC_WORDS, &[], true);
/// That of a program that prints.
pub static PLAIN: Tongue = tongue(&["tests/recordings/aider-0.86.2"], &WORDS, &[], false);

impl Tongue {
    /// What real programs said in it, in order.
    pub fn recorded(&self) -> &[String] {
        self.lines.get_or_init(|| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            self.folders.iter().flat_map(|folder| said_in(&root.join(folder))).collect()
        })
    }
}

fn said_in(folder: &Path) -> Vec<String> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|file| file.expect("a file").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|kind| kind == "jsonl"));
    files.sort();
    files.iter().flat_map(|file| said(&std::fs::read_to_string(file).expect("a recording"))).collect()
}

fn said(recording: &str) -> Vec<String> {
    let rows = recording.lines().filter_map(|row| serde_json::from_str::<Value>(row).ok());
    rows.filter(|row| row["dir"] == "out").filter_map(|row| Some(row["line"].as_str()?.to_owned())).collect()
}

/// What of a conversation a line must name to concern it.
#[derive(Debug, Default)]
pub struct Ours {
    /// Its id.
    pub session: String,
    /// Ids of calls that nobody has answered.
    pub owed: Vec<Value>,
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

/// Those of JSON-RPC and what agents say in it.
const RPC_WORDS: [&str; 34] = [
    "id",
    "method",
    "params",
    "result",
    "error",
    "code",
    "message",
    "jsonrpc",
    "sessionId",
    "threadId",
    "turnId",
    "itemId",
    "item",
    "turn",
    "thread",
    "type",
    "status",
    "text",
    "content",
    "update",
    "sessionUpdate",
    "toolCallId",
    "options",
    "optionId",
    "kind",
    "stopReason",
    "session/update",
    "session/request_permission",
    "item/completed",
    "turn/completed",
    "agent_message_chunk",
    "tool_call",
    "tool_execution_end",
    "agent_end",
];

/// One line, or what is left of it.
pub fn line(b: &mut Bytes<'_>, tongue: &Tongue, ours: &Ours) -> Vec<String> {
    let line = match b.below(12) {
        0 => return vec![b.text()],
        1 => value(b, tongue.words, 0).to_string(),
        _ => {
            let line = b.pick_line(tongue.recorded());
            named(&line, tongue, ours, b)
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
        _ => vec![spoilt(&line, tongue.words, b)],
    }
}

/// With our ids where the recorded ones stood, most of what is said concerns us.
fn named(line: &str, tongue: &Tongue, ours: &Ours, b: &mut Bytes<'_>) -> String {
    let Ok(value) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
    let recorded = tongue.named_by.iter().find_map(|pointer| value.pointer(pointer)?.as_str());
    let line = match recorded {
        Some(recorded) if !recorded.is_empty() => line.replace(recorded, &ours.session),
        _ => line.to_owned(),
    };
    let answers = tongue.rpc && value.get("id").is_some() && value.get("method").is_none();
    match serde_json::from_str::<Value>(&line) {
        Ok(mut value) if answers && !ours.owed.is_empty() => {
            value["id"] = b.pick(&ours.owed);
            value.to_string()
        }
        _ => line,
    }
}

fn cut(line: &str, b: &mut Bytes<'_>) -> usize {
    let at = b.below(line.len().max(1));
    (at..=line.len()).find(|at| line.is_char_boundary(*at)).unwrap_or(0)
}

/// Some of its fields are other ones, gone, or twice.
fn spoilt(line: &str, words: &[&str], b: &mut Bytes<'_>) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(line) else { return line.to_owned() };
    for _ in 0..=b.below(3) {
        spoil(&mut value, words, b, 0);
    }
    value.to_string()
}

fn spoil(value: &mut Value, words: &[&str], b: &mut Bytes<'_>, depth: usize) {
    let stop = depth > 6 || b.once_in(4);
    match value {
        Value::Object(map) if !map.is_empty() && !stop => {
            let key = map.keys().nth(b.below(map.len())).cloned().unwrap_or_default();
            match b.below(8) {
                0 => drop(map.remove(&key)),
                1 => drop(map.insert(b.pick(words).to_owned(), self::value(b, words, 0))),
                2 => {
                    let other = map.keys().nth(b.below(map.len())).cloned().unwrap_or_default();
                    let taken = map.get(&other).cloned().unwrap_or_default();
                    map.insert(key, taken);
                }
                _ => spoil(&mut map[&key], words, b, depth + 1),
            }
        }
        Value::Array(list) if !list.is_empty() && !stop => {
            let at = b.below(list.len());
            match b.below(5) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                _ => spoil(&mut list[at], words, b, depth + 1),
            }
        }
        other => *other = self::value(b, words, 0),
    }
}

/// Any JSON, with the protocol's own names in it.
fn value(b: &mut Bytes<'_>, words: &[&str], depth: usize) -> Value {
    match b.below(if depth > 4 { 7 } else { 10 }) {
        0 => Value::Null,
        1 => json!(b.below(2) == 0),
        2 => b.pick(&[json!(0), json!(-1), json!(1.5), json!(u64::MAX), json!(1e300), json!(7)]),
        3 => json!(b.text()),
        4 => json!(b.id()),
        5 | 6 => json!(b.pick(words)),
        7 => Value::Array(b.list(3, |b| value(b, words, depth + 1))),
        _ => {
            let fields = b.list(5, |b| (b.pick(words).to_owned(), value(b, words, depth + 1)));
            Value::Object(Map::from_iter(fields))
        }
    }
}

impl Bytes<'_> {
    fn pick_line(&mut self, lines: &[String]) -> String {
        lines[self.below(lines.len())].clone()
    }
}
