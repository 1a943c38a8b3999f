//! What `--format claude` must say of a recording: its own `assistant`, `user` and `result` frames, in order.
//!
//! Computed from the recording's raw lines and from nothing else: it shares no code and no type with the view. Both sides
//! are brought into the same shape ([`shape`]) and compared one by one; what is in one and not in the other is a
//! [`Difference`], and each kind of difference is on the reviewed list `tests/recordings/format.json`, or a failure.

use super::seen::{Conversation, Sitting};
use jackfield_core::contract::Content;
use serde_json::{Value, json};

/// A frame that one side has and the other has not.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Its kind, for the list: `missing/…` of the recording's, `extra/…` of the view's.
    pub kind: String,
    /// What it is.
    pub frame: String,
}

/// A frame of the recording.
struct Wanted {
    shape: Value,
    kind: &'static str,
}

/// What must be equal of a frame; nothing when it is of another type.
fn shape(frame: &Value) -> Option<Value> {
    let message = &frame["message"];
    match frame["type"].as_str()? {
        kind @ ("assistant" | "user") => Some(json!({
            "type": kind,
            "role": message["role"],
            "content": content(&message["content"]),
            "parent_tool_use_id": frame["parent_tool_use_id"],
        })),
        "result" => Some(json!({
            "type": "result",
            "subtype": frame["subtype"],
            "is_error": frame["is_error"],
            "result": frame["result"].as_str().map(str::trim_end),
        })),
        _ => None,
    }
}

/// Blocks as they are, but for what is on the list of fields.
fn content(content: &Value) -> Value {
    let mut content = content.clone();
    for block in content.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        block.remove("signature");
    }
    content
}

/// Compares what the view said of a conversation with what its program said.
pub fn compare(conversation: &Conversation, lines: &[String]) -> Vec<Difference> {
    let wanted: Vec<Wanted> = conversation.sittings.iter().flat_map(wanted).collect();
    let said = lines.iter().filter_map(|line| shape(&serde_json::from_str(line).unwrap_or_default()));
    let said: Vec<Value> = said.collect();
    differences(&wanted, &said)
}

fn wanted(sitting: &Sitting) -> Vec<Wanted> {
    let texts = sitting.incarnation.messages().flat_map(|(_, content)| content).filter_map(|part| match part {
        Content::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let ours: Vec<&str> = texts.collect();
    let lines = sitting.said.iter().enumerate().filter_map(|(at, (line, _))| {
        let frame: Value = serde_json::from_str(line).ok()?;
        let after = sitting.ended_by_us.is_some_and(|end| at >= end);
        Some(Wanted { shape: shape(&frame)?, kind: kind(&frame, after, &ours) })
    });
    lines.collect()
}

/// Why a frame of the recording may be missing, if it may.
fn kind(frame: &Value, after_our_end: bool, ours: &[&str]) -> &'static str {
    let text = frame["message"]["content"].as_str();
    match frame["type"].as_str().unwrap_or_default() {
        _ if after_our_end => "missing/after-the-session",
        "user" if frame["isReplay"] == true && text.is_some_and(|text| text.starts_with("<local-command-")) => {
            "missing/between-turns"
        }
        "user" if frame["isReplay"] == true && text.is_some_and(|text| ours.contains(&text)) => "missing/echo",
        "assistant" => "missing/assistant",
        "user" => "missing/user",
        _ => "missing/result",
    }
}

/// The longest common subsequence is equal; the rest is different.
fn differences(wanted: &[Wanted], said: &[Value]) -> Vec<Difference> {
    let same = |want: &Wanted, said: &Value| want.shape == *said;
    let mut longest = vec![vec![0_usize; said.len() + 1]; wanted.len() + 1];
    for (w, want) in wanted.iter().enumerate().rev() {
        for (s, say) in said.iter().enumerate().rev() {
            longest[w][s] =
                if same(want, say) { longest[w + 1][s + 1] + 1 } else { longest[w + 1][s].max(longest[w][s + 1]) };
        }
    }
    let (mut w, mut s, mut found) = (0, 0, Vec::new());
    while w < wanted.len() || s < said.len() {
        let equal = w < wanted.len() && s < said.len() && same(&wanted[w], &said[s]);
        let skip_wanted = w < wanted.len() && (s == said.len() || longest[w + 1][s] >= longest[w][s + 1]);
        if equal {
            (w, s) = (w + 1, s + 1);
        } else if skip_wanted {
            found.push(Difference { kind: wanted[w].kind.into(), frame: wanted[w].shape.to_string() });
            w += 1;
        } else {
            found.push(Difference { kind: extra(&said[s]), frame: said[s].to_string() });
            s += 1;
        }
    }
    found
}

fn extra(said: &Value) -> String {
    let subtype = said["subtype"].as_str().map(|subtype| format!("/{subtype}")).unwrap_or_default();
    format!("extra/{}{subtype}", said["type"].as_str().unwrap_or_default())
}
