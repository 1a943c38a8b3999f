//! What a person must be shown of Claude Code's lines: full messages where there are any, else what was streamed.
//!
//! Written from the recordings and from nothing else; it shares no code and no type with the plugin.

use super::told::{Said, Told};
use serde_json::Value;
use std::collections::BTreeSet;

/// A message of the assistant: blocks as streamed, and as told whole.
#[derive(Default)]
struct Message {
    parent: Option<String>,
    id: String,
    streamed: Vec<Block>,
    whole: Vec<(Kind, String)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Thinking,
}

struct Block {
    index: u64,
    kind: Kind,
    text: String,
}

#[derive(Default)]
struct Reader {
    messages: Vec<Message>,
    tools: BTreeSet<String>,
    plans: BTreeSet<String>,
    /// A turn has ended, and no other has begun.
    between_turns: bool,
    told: Told,
}

/// Reads all lines of one start of the program.
pub(super) fn told(lines: &[String], messages: &[String]) -> Told {
    let mut reader = Reader::default();
    for line in lines {
        let value: Value = serde_json::from_str(line).unwrap_or(Value::Null);
        let parent = value["parent_tool_use_id"].as_str().map(str::to_owned);
        match value["type"].as_str().unwrap_or_default() {
            "stream_event" => reader.stream(&value, parent),
            "assistant" => reader.assistant(&value, parent),
            "user" => reader.user(&value, parent, messages),
            "control_request" => reader.request(&value["request"]),
            "result" => {
                reader.between_turns = true;
                reader.told.ends.push(value["subtype"] == "success" && value["is_error"] != true);
            }
            "system" if matches!(value["subtype"].as_str(), Some("init" | "status")) => {
                reader.between_turns &= value["status"].is_null() && value["subtype"] == "status";
            }
            _ => {}
        }
    }
    reader.finish()
}

impl Reader {
    fn message(&mut self, parent: &Option<String>, id: &str) -> &mut Message {
        let at = self.messages.iter().position(|one| one.id == id && one.parent == *parent).unwrap_or_else(|| {
            self.messages.push(Message { parent: parent.clone(), id: id.to_owned(), ..Message::default() });
            self.messages.len() - 1
        });
        &mut self.messages[at]
    }

    /// The message that streams now in this place: the last one that began there.
    fn current(&mut self, parent: &Option<String>) -> Option<&mut Message> {
        self.messages.iter_mut().rev().find(|one| one.parent == *parent)
    }

    fn stream(&mut self, value: &Value, parent: Option<String>) {
        let event = &value["event"];
        let index = event["index"].as_u64().unwrap_or(0);
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                let id = event["message"]["id"].as_str().unwrap_or_default().to_owned();
                self.message(&parent, &id);
            }
            "content_block_start" => {
                let block = &event["content_block"];
                self.tool(block);
                let kind = match block["type"].as_str() {
                    Some("text") => Kind::Text,
                    Some("thinking") => Kind::Thinking,
                    _ => return,
                };
                if let Some(message) = self.current(&parent) {
                    message.streamed.push(Block { index, kind, text: String::new() });
                }
            }
            "content_block_delta" => {
                let delta = &event["delta"];
                let more = delta["text"].as_str().or(delta["thinking"].as_str()).unwrap_or_default();
                let message = self.current(&parent);
                let block = message.and_then(|one| one.streamed.iter_mut().rev().find(|block| block.index == index));
                if let Some(block) = block {
                    block.text.push_str(more);
                }
            }
            "message_stop" => {
                if let Some(from) = value["abandoned_blocks"]["from_block_index"].as_u64()
                    && let Some(message) = self.current(&parent)
                {
                    message.streamed.retain(|block| block.index < from);
                }
            }
            _ => {}
        }
    }

    fn assistant(&mut self, value: &Value, parent: Option<String>) {
        let id = value["message"]["id"].as_str().unwrap_or_default();
        for block in blocks(&value["message"]["content"]) {
            self.tool(&block);
            let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
            match block["type"].as_str().unwrap_or_default() {
                "text" if value["error"].is_string() && parent.is_none() => self.told.errors.push(text("text")),
                "text" => self.message(&parent, id).whole.push((Kind::Text, text("text"))),
                "thinking" => self.message(&parent, id).whole.push((Kind::Thinking, text("thinking"))),
                _ => {}
            }
        }
    }

    fn user(&mut self, value: &Value, parent: Option<String>, messages: &[String]) {
        for block in blocks(&value["message"]["content"]) {
            match block["type"].as_str().unwrap_or_default() {
                "tool_result" => self.result(&block),
                "text" => {
                    let text = block["text"].as_str().unwrap_or_default().to_owned();
                    let echo = value["isReplay"] == true && messages.contains(&text);
                    // What a changed setting prints is no turn's.
                    if self.between_turns && text.starts_with("<local-command-") {
                        self.told.errors.push(text);
                    } else if !echo && !text.is_empty() {
                        self.told.in_the_persons_name.push(Said { nested: parent.is_some(), text });
                    }
                }
                _ => {}
            }
        }
    }

    fn result(&mut self, result: &Value) {
        let id = result["tool_use_id"].as_str().unwrap_or_default().to_owned();
        if self.plans.contains(&id) {
            return; // What a plan's approval gave is the plan again.
        }
        self.tools.insert(id);
        let texts = blocks(&result["content"]);
        let texts = texts.iter().filter_map(|block| block["text"].as_str()).filter(|text| !text.is_empty());
        self.told.results.extend(texts.map(str::to_owned));
    }

    fn request(&mut self, request: &Value) {
        if request["subtype"] != "can_use_tool" {
            return;
        }
        self.told.requests += 1;
        let call = serde_json::json!({"type": "tool_use", "id": request["tool_use_id"], "name": request["tool_name"]});
        self.tool(&call);
    }

    fn tool(&mut self, block: &Value) {
        let kind = block["type"].as_str().unwrap_or_default();
        let Some(id) = block["id"].as_str().filter(|_| kind.ends_with("tool_use")) else { return };
        let set = if block["name"] == "ExitPlanMode" { &mut self.plans } else { &mut self.tools };
        set.insert(id.to_owned());
    }

    fn finish(mut self) -> Told {
        for message in self.messages {
            let nested = message.parent.is_some();
            for kind in [Kind::Text, Kind::Thinking] {
                let whole = message.whole.iter().filter(|(of, _)| *of == kind).map(|(_, text)| text.clone());
                let mut texts: Vec<String> = whole.collect();
                let streamed = message.streamed.iter().filter(|block| block.kind == kind).skip(texts.len());
                texts.extend(streamed.map(|block| block.text.clone()));
                let said = texts.into_iter().filter(|text| !text.is_empty()).map(|text| Said { nested, text });
                match kind {
                    Kind::Text => self.told.assistant.extend(said),
                    Kind::Thinking => self.told.reasoning.extend(said),
                }
            }
        }
        Told { tools: self.tools.len(), plans: self.plans.len(), ..self.told }
    }
}

fn blocks(content: &Value) -> Vec<Value> {
    match content {
        Value::String(text) => vec![serde_json::json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks.clone(),
        _ => Vec::new(),
    }
}
