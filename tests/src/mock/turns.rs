//! What a request tells of its conversation: which script, and which step of it; what was said, and what tools gave.
//!
//! The last text of the user that holds `<<script:NAME>>` names the script; the step is the number of the model's turns
//! since. A request without tools is not the conversation (a title, a probe) and gets no script; but Codex asks for the conversation
//! alone, and gives some models their tools elsewhere.

use super::server::Seen;
use serde_json::Value;

impl Seen {
    /// The conversation as the model was told it, whole.
    pub fn conversation(&self) -> &Value {
        conversation(&self.body)
    }

    /// What the model was told of its tools' results.
    pub fn results(&self) -> String {
        let said = list(self.conversation());
        let outputs = said.iter().filter(|item| is_output(item)).map(|item| item["output"].to_string());
        let answers = said.iter().filter(|message| message["role"] == "tool").map(|m| m["content"].to_string());
        let parts = said.iter().flat_map(|message| list(&message["parts"])).map(|part| &part["functionResponse"]);
        let responses = parts.filter(|response| !response.is_null()).map(|response| response["response"].to_string());
        let blocks = said.iter().flat_map(|message| list(&message["content"]));
        let results = blocks.filter(|block| block["type"] == "tool_result").map(|block| block["content"].to_string());
        outputs.chain(answers).chain(responses).chain(results).collect()
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The list of messages, by each dialect's name for it.
fn conversation(request: &Value) -> &Value {
    ["input", "contents"]
        .iter()
        .map(|name| &request[*name])
        .find(|list| list.is_array())
        .unwrap_or(&request["messages"])
}

/// The script and the step that a request asks for.
pub(super) fn place(request: &Value) -> (Option<String>, usize) {
    if request["input"].is_null() && list(&request["tools"]).is_empty() {
        return (None, 0);
    }
    let (mut script, mut step, mut speaks) = (None, 0, false);
    for message in list(conversation(request)) {
        if is_models(message) {
            // In most dialects each message is a turn; in one a turn is all items that follow one another.
            step += usize::from(!speaks || message["type"].is_null());
        } else if let Some(name) = texts(message).iter().filter_map(|text| marker(text)).next_back() {
            (script, step) = (Some(name.to_owned()), 0);
        }
        speaks = is_models(message);
    }
    if script.is_none() { (None, 0) } else { (script, step) }
}

/// Whether the model said this: a message of its own, or an item that is neither a message nor a result.
fn is_models(item: &Value) -> bool {
    match item["role"].as_str() {
        Some(role) => role == "assistant" || role == "model",
        None => !is_output(item),
    }
}

/// Whether this is what a tool gave, in the dialect where that is an item.
fn is_output(item: &Value) -> bool {
    item["type"].as_str().is_some_and(|kind| kind.ends_with("_output"))
}

/// The texts of a message, whose content is a string or a list of blocks.
fn texts(message: &Value) -> Vec<&str> {
    let content = &message[if message["parts"].is_array() { "parts" } else { "content" }];
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        _ => Vec::new(),
    }
}

fn marker(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once("<<script:")?;
    rest.split_once(">>").map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(messages: Value) -> Value {
        json!({ "tools": [{}], "messages": messages })
    }

    #[test]
    fn the_last_marker_counts_and_the_models_turns_after_it() {
        let messages = json!([
            { "role": "user", "content": "one <<script:first>>" },
            { "role": "assistant", "content": "…" },
            { "role": "user", "content": [{ "type": "text", "text": "two <<script:second>>" }] },
            { "role": "assistant", "content": [] },
            { "role": "user", "content": [{ "type": "tool_result", "content": "x" }] },
        ]);
        assert_eq!(place(&request(messages)), (Some("second".into()), 1));
    }

    #[test]
    fn what_the_model_says_in_items_is_one_turn_until_something_comes_between() {
        let said = json!([
            { "type": "message", "role": "developer", "content": [{ "type": "input_text", "text": "rules" }] },
            { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "go <<script:go>>" }] },
            { "type": "reasoning", "summary": [] },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "I call." }] },
            { "type": "function_call", "call_id": "1", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "1", "output": "it printed" },
            { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "mind" }] },
        ]);
        let body = json!({ "input": said });
        assert_eq!(place(&body), (Some("go".into()), 1));
        let seen = Seen { line: String::new(), script: None, step: 0, body };
        assert_eq!(seen.results(), "\"it printed\"");
        assert!(seen.conversation().to_string().contains("mind"));
    }

    #[test]
    fn what_tools_gave_is_read_in_each_dialect() {
        let chat = json!([
            { "role": "system", "content": "rules" },
            { "role": "user", "content": "go <<script:go>>" },
            { "role": "assistant", "content": null, "tool_calls": [{ "id": "1" }] },
            { "role": "tool", "tool_call_id": "1", "content": "it printed" },
        ]);
        let gemini = json!([
            { "role": "user", "parts": [{ "text": "the setting" }] },
            { "role": "user", "parts": [{ "text": "go <<script:go>>" }] },
            { "role": "model", "parts": [{ "functionCall": { "name": "t" } }] },
            { "role": "user", "parts": [{ "functionResponse": { "name": "t", "response": { "output": "it printed" } } }] },
        ]);
        for body in [json!({ "tools": [{}], "messages": chat }), json!({ "tools": [{}], "contents": gemini })] {
            assert_eq!(place(&body), (Some("go".into()), 1));
            let seen = Seen { line: String::new(), script: None, step: 0, body };
            assert!(seen.results().contains("it printed"), "{}", seen.results());
            assert!(seen.conversation().to_string().contains("go <<"));
        }
    }

    #[test]
    fn without_tools_or_marker_there_is_no_script() {
        let messages = json!([{ "role": "user", "content": "<<script:a>>" }]);
        assert_eq!(place(&json!({ "messages": messages })), (None, 0));
        assert_eq!(place(&request(json!([{ "role": "user", "content": "hi" }, { "role": "assistant" }]))), (None, 0));
    }
}
