//! Which script, and which step of it: read off the request's messages.
//!
//! The last text of the user that holds `<<script:NAME>>` names the script; the step is the number of the model's turns
//! since. A request without tools is not the conversation (a title, a probe) and gets no script.

use serde_json::Value;

/// The script and the step that a request asks for.
pub(super) fn place(request: &Value) -> (Option<String>, usize) {
    let empty = Vec::new();
    let list = |key: &str| request[key].as_array().unwrap_or(&empty).iter();
    if list("tools").next().is_none() {
        return (None, 0);
    }
    let (mut script, mut step) = (None, 0);
    for message in list("messages") {
        if message["role"] == "assistant" {
            step += 1;
        } else if let Some(name) = texts(&message["content"]).iter().filter_map(|text| marker(text)).next_back() {
            (script, step) = (Some(name.to_owned()), 0);
        }
    }
    if script.is_none() { (None, 0) } else { (script, step) }
}

/// The texts of a message's content, which is a string or a list of blocks.
fn texts(content: &Value) -> Vec<&str> {
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
    fn without_tools_or_marker_there_is_no_script() {
        let messages = json!([{ "role": "user", "content": "<<script:a>>" }]);
        assert_eq!(place(&json!({ "messages": messages })), (None, 0));
        assert_eq!(place(&request(json!([{ "role": "user", "content": "hi" }, { "role": "assistant" }]))), (None, 0));
    }
}
