//! What a person must be shown of an ACP agent's lines. Written from the recordings and from nothing else; it shares no code and no
//! type with the plugin.

use super::told::{Said, Told};
use serde_json::Value;
use std::collections::BTreeMap;

/// Reads all lines of one start of the program.
pub(super) fn told(lines: &[String]) -> Told {
    let mut reader = Reader::default();
    for line in lines {
        if let Ok(value) = serde_json::from_str::<Value>(line) {
            reader.line(&value);
        }
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    /// Answers so far: the first is the handshake's, the second opens the conversation. What comes before it is history.
    answers: usize,
    /// The text that is being said: whether it is a thought, and of which message.
    saying: Option<(bool, Option<String>, String)>,
    /// What each call gave, by id.
    calls: BTreeMap<String, Call>,
    /// The last piece of text of the turn.
    last: String,
    told: Told,
}

#[derive(Default)]
struct Call {
    content: Vec<String>,
    raw: Option<String>,
}

impl Reader {
    fn line(&mut self, value: &Value) {
        match value["method"].as_str() {
            Some("session/update") if self.answers >= 2 => self.update(&value["params"]["update"]),
            Some("session/request_permission") => {
                self.told.requests += 1;
                // Some tell of a call only here.
                self.call(&value["params"]["toolCall"], true);
            }
            Some(_) => {}
            None if value["result"].is_null() && value["error"].is_null() && value.get("result").is_none() => {}
            None => self.answer(value),
        }
    }

    fn answer(&mut self, value: &Value) {
        if super::rpc::is_nobodys(value) {
            return;
        }
        self.answers += 1;
        let reason = value["result"]["stopReason"].as_str();
        let error = &value["error"];
        let status = error["code"].as_i64().is_some_and(|code| code > 0);
        let failed = status || error["data"]["errorKind"].is_string() || error["data"]["errorName"].is_string();
        if reason.is_none() && !failed {
            return;
        }
        self.said();
        // One agent tells a failure as a text and a good end that has no usage.
        let in_words = reason == Some("end_turn") && value["result"].get("usage").is_none();
        let in_words = self.last.strip_prefix("Error: ").filter(|_| in_words && value["result"].get("_meta").is_none());
        if let Some(words) = in_words {
            self.told.errors.push(words.trim().to_owned());
        }
        if failed {
            let message = error["message"].as_str().unwrap_or_default();
            let inner = serde_json::from_str::<Value>(message).ok();
            let inner = inner.and_then(|inner| Some(inner["error"]["message"].as_str()?.to_owned()));
            self.told.errors.push(inner.unwrap_or_else(|| message.to_owned()));
        }
        self.told.ends.push(reason == Some("end_turn") && in_words.is_none());
        self.last.clear();
    }

    fn update(&mut self, update: &Value) {
        let text = update["content"]["text"].as_str().unwrap_or_default();
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") if !text.starts_with("[MODE_UPDATE]") => self.piece(false, update, text),
            Some("agent_thought_chunk") => self.piece(true, update, text),
            Some("tool_call" | "tool_call_update") => self.call(update, false),
            _ => {}
        }
    }

    fn piece(&mut self, thought: bool, update: &Value, text: &str) {
        if text.is_empty() {
            return;
        }
        let id = update["messageId"].as_str().map(str::to_owned);
        let goes_on = self.saying.as_ref().is_some_and(|(was, of, _)| *was == thought && *of == id);
        if !goes_on {
            self.said();
            self.saying = Some((thought, id, String::new()));
        }
        if let Some((.., said)) = &mut self.saying {
            said.push_str(text);
        }
        if !thought {
            self.last = text.to_owned();
        }
    }

    /// What is being said is whole.
    fn said(&mut self) {
        let Some((thought, _, text)) = self.saying.take() else { return };
        let list = if thought { &mut self.told.reasoning } else { &mut self.told.assistant };
        list.push(Said { nested: false, text });
    }

    fn call(&mut self, told: &Value, asks: bool) {
        let Some(id) = told["toolCallId"].as_str() else { return };
        self.said();
        let known = self.calls.contains_key(id);
        let call = self.calls.entry(id.to_owned()).or_default();
        if asks && known {
            return;
        }
        let content = told["content"].as_array().cloned().unwrap_or_default();
        if !content.is_empty() {
            let texts = content.iter().filter_map(|part| part["content"]["text"].as_str());
            call.content = texts.filter(|text| !text.is_empty()).map(str::to_owned).collect();
            call.raw = None;
        } else if let Some(raw) = raw(&told["rawOutput"]) {
            call.raw = Some(raw);
        }
    }

    fn finish(mut self) -> Told {
        self.said();
        self.told.tools = self.calls.len();
        for call in self.calls.into_values() {
            match call.raw {
                Some(raw) => self.told.results.push(raw),
                None => self.told.results.extend(call.content),
            }
        }
        self.told
    }
}

fn raw(output: &Value) -> Option<String> {
    let words = ["content", "output", "message"].into_iter().find_map(|name| output[name].as_str());
    words.or(output.as_str()).filter(|text| !text.is_empty()).map(str::to_owned)
}
