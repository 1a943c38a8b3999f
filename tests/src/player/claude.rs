//! Claude Code's stream-json, as its recordings show it. Texts are computed in `claude_text`.

use super::dialect::{Answer, Asked, Dialect, Requested, Requests, Start, parse, word};
use super::told::Told;
use jackfield_core::contract::{Content, Media};
use serde_json::{Value, json};

/// The dialect.
pub struct Claude;

/// Modes that may be chosen.
pub(super) const MODES: &[&str] = &["default", "acceptEdits", "plan", "auto", "dontAsk"];

impl Dialect for Claude {
    fn provider(&self) -> &'static str {
        "claude-code"
    }

    fn start(&self, arguments: &[String]) -> Start {
        super::claude_start::start(arguments)
    }

    fn asked(&self, line: &str, requests: &Requests) -> Asked {
        if line.trim().is_empty() {
            return Asked::NotOurs("blank-line".into());
        }
        let Ok(value) = serde_json::from_str::<Value>(line) else { return Asked::NotOurs("not-json".into()) };
        match word(&value["type"]) {
            "user" => message(&value["message"]),
            "control_request" => control(&value["request"]),
            "control_response" => answer(&value["response"], requests),
            _ => Asked::NotOurs("unknown-type".into()),
        }
    }

    fn requested(&self, line: &str) -> Option<Requested> {
        let value = parse(line);
        if value["type"] != "control_request" {
            return None;
        }
        let request = &value["request"];
        Some(Requested {
            id: word(&value["request_id"]).to_owned(),
            kind: word(&request["subtype"]).to_owned(),
            input: request["input"].clone(),
            questions: request["tool_name"] == "AskUserQuestion",
            suggests: request["permission_suggestions"].as_array().is_some_and(|list| !list.is_empty()),
        })
    }

    fn ends_turn(&self, line: &str) -> bool {
        parse(line)["type"] == "result"
    }

    fn answers(&self, asked: &str, said: &str) -> bool {
        let (asked, said) = (parse(asked), parse(said));
        said["type"] == "control_response" && said["response"]["request_id"] == asked["request_id"]
    }

    fn session(&self, line: &str) -> Option<String> {
        parse(line)["session_id"].as_str().map(str::to_owned)
    }

    fn tells_of_task(&self, line: &str, task: &str) -> bool {
        let value = parse(line);
        value["type"] == "system" && value["task_id"] == task
    }

    fn learn(&self, recorded: &str, host: &str) -> Vec<(String, String)> {
        let (recorded, host) = (parse(recorded), parse(host));
        let request = |id: &str| format!("\"request_id\":\"{id}\"");
        match (recorded["type"].as_str(), recorded["request_id"].as_str(), host["request_id"].as_str()) {
            (Some("control_request"), Some(theirs), Some(ours)) => vec![(request(theirs), request(ours))],
            (Some("user"), ..) => match (recorded["uuid"].as_str(), host["uuid"].as_str()) {
                (Some(theirs), Some(ours)) => vec![(theirs.to_owned(), ours.to_owned())],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn answers_by_itself(&self, host: &str) -> Option<String> {
        let value = parse(host);
        let request = &value["request"];
        let response = match (word(&value["type"]), word(&request["subtype"])) {
            ("control_request", "initialize") => json!({}),
            ("control_request", "mcp_set_servers") => {
                let added: Vec<&String> =
                    request["servers"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
                json!({"added": added, "removed": [], "errors": {}})
            }
            ("control_request", "mcp_status") => json!({"mcpServers": []}),
            _ => return None,
        };
        let response = json!({"subtype": "success", "request_id": value["request_id"], "response": response});
        Some(json!({"type": "control_response", "response": response}).to_string())
    }

    fn kind_of_frame(&self, line: &str) -> String {
        let value = parse(line);
        let kind = word(&value["type"]);
        let of = match kind {
            "stream_event" => word(&value["event"]["type"]),
            "control_request" => word(&value["request"]["subtype"]),
            "user" if in_message(&value) == Some("a tool") => "tool_result",
            "user" => "text",
            _ => word(&value["subtype"]),
        };
        if of.is_empty() { kind.to_owned() } else { format!("{kind}/{of}") }
    }

    fn told(&self, lines: &[String], messages: &[String]) -> Told {
        super::claude_text::told(lines, messages)
    }

    fn carries(&self, line: &str) -> Option<&'static str> {
        let value = parse(line);
        match word(&value["type"]) {
            "control_request" | "control_cancel_request" => Some("a request"),
            "result" => Some("the end of a turn"),
            "assistant" | "user" => in_message(&value),
            "stream_event" => in_stream(&value["event"]),
            "system" if value["subtype"] == "api_retry" => Some("an error"),
            "system" if value["subtype"] == "permission_denied" => Some("a tool"),
            _ => None,
        }
    }
}

fn in_message(value: &Value) -> Option<&'static str> {
    let content = &value["message"]["content"];
    let blocks = content.as_array().cloned().unwrap_or_default();
    let kinds: Vec<&str> = blocks.iter().map(|block| word(&block["type"])).collect();
    match () {
        () if value["error"].is_string() => Some("an error"),
        () if kinds.iter().any(|kind| kind.contains("tool")) => Some("a tool"),
        () if content.as_str().is_some_and(|text| !text.is_empty()) => Some("a text"),
        () if blocks.iter().any(|block| has_text(&block["text"]) || has_text(&block["thinking"])) => Some("a text"),
        () => None,
    }
}

/// A piece of a tool's input is half a JSON text that nobody can read; the whole follows.
fn in_stream(event: &Value) -> Option<&'static str> {
    let delta = &event["delta"];
    match word(&event["type"]) {
        "content_block_start" if word(&event["content_block"]["type"]).contains("tool") => Some("a tool"),
        "content_block_delta" if has_text(&delta["text"]) || has_text(&delta["thinking"]) => Some("a text"),
        "error" => Some("an error"),
        _ => None,
    }
}

fn message(message: &Value) -> Asked {
    if message["role"] != "user" {
        return Asked::NotOurs("message/wrong-role".into());
    }
    match &message["content"] {
        Value::String(text) => Asked::Message { content: vec![Content::Text(text.clone())] },
        Value::Array(blocks) if !blocks.is_empty() => match blocks.iter().map(part).collect() {
            Some(content) => Asked::Message { content },
            None => Asked::NotOurs("message/blocks".into()),
        },
        _ => Asked::NotOurs("message/malformed".into()),
    }
}

/// A text, a picture or a document, as a person sends it.
fn part(block: &Value) -> Option<Content> {
    let source = &block["source"];
    match word(&block["type"]) {
        "text" => Some(Content::Text(word(&block["text"]).to_owned())),
        "image" | "document" if source["type"] == "base64" => Some(Content::Media(Media {
            mime: word(&source["media_type"]).to_owned(),
            name: block["title"].as_str().map(str::to_owned),
            uri: None,
            base64: source["data"].as_str().map(str::to_owned),
        })),
        _ => None,
    }
}

fn control(request: &Value) -> Asked {
    let select = |name: &str, value: &Value| Asked::Select(vec![(name.to_owned(), word(value).to_owned())]);
    match word(&request["subtype"]) {
        "initialize" => Asked::Handshake,
        "interrupt" => Asked::Interrupt,
        "set_model" if has_text(&request["model"]) => select("model", &request["model"]),
        "mcp_set_servers" => match super::claude_start::servers(&request["servers"]) {
            Some(servers) => Asked::Servers(servers),
            None => Asked::NotOurs("control/mcp_set_servers".into()),
        },
        "stop_task" => Asked::StopTask(word(&request["task_id"]).to_owned()),
        "set_permission_mode" if MODES.contains(&word(&request["mode"])) => select("mode", &request["mode"]),
        other => Asked::NotOurs(format!("control/{other}")),
    }
}

fn answer(response: &Value, requests: &Requests) -> Asked {
    let not_ours = |kind: &str| Asked::NotOurs(format!("answer/{kind}"));
    let Some(request) = requests.get(word(&response["request_id"])) else { return not_ours("stray") };
    if request.kind != "can_use_tool" {
        return not_ours(&request.kind);
    }
    if response["subtype"] != "success" {
        return not_ours("error");
    }
    let body = &response["response"];
    let answer = match word(&body["behavior"]) {
        "allow" if request.questions => Answer::Filled(filled(&body["updatedInput"]["answers"])),
        "allow" => Answer::Allow {
            edited: Some(body["updatedInput"].clone()).filter(|input| input.is_object() && *input != request.input),
            // Rules that nobody suggested are a client's own; our host lets none pass, and what follows comes unasked.
            rules: request.suggests && body["updatedPermissions"].as_array().is_some_and(|rules| !rules.is_empty()),
        },
        "deny" => Answer::Deny { note: body["message"].as_str().map(str::to_owned), stop: body["interrupt"] == true },
        _ => return not_ours("malformed"),
    };
    Asked::Answer { request: request.id.clone(), answer }
}

fn filled(answers: &Value) -> Vec<(String, String)> {
    let pairs = answers.as_object().into_iter().flatten();
    pairs.map(|(question, answer)| (question.clone(), word(answer).to_owned())).collect()
}

fn has_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}
