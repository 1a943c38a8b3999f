//! The RPC mode of pi, as its recordings show it. Texts are computed in `pi_text`.

use super::dialect::{Asked, Dialect, Requested, Requests, Start, parse, word};
use super::told::Told;
use jackfield_core::contract::Content;
use serde_json::{Value, json};

/// The dialect.
pub struct Pi;

/// The session that the player is in when its recording does not say: the recorded clients seldom asked.
const SESSION: &str = "01a22dbb-0000-7000-8000-000000000001";

impl Dialect for Pi {
    fn provider(&self) -> &'static str {
        "pi"
    }

    fn start(&self, arguments: &[String]) -> Start {
        let after = |flag: &str| arguments.iter().position(|word| word == flag).and_then(|at| arguments.get(at + 1));
        let model = after("--provider").zip(after("--model")).map(|(provider, model)| format!("{provider}/{model}"));
        let effort = after("--thinking").cloned();
        let named = |name: &str, value: Option<String>| value.map(|value| (name.to_owned(), value));
        // A file is named by its session.
        let session = |path: &String| path.rsplit('_').next().unwrap_or(path).trim_end_matches(".jsonl").to_owned();
        Start {
            resume: after("--session").map(session),
            selection: named("model", model).into_iter().chain(named("effort", effort)).collect(),
            ..Start::default()
        }
    }

    fn asked(&self, line: &str, _requests: &Requests) -> Asked {
        if line.trim().is_empty() {
            return Asked::NotOurs("blank-line".into());
        }
        let Ok(value) = serde_json::from_str::<Value>(line) else { return Asked::NotOurs("not-json".into()) };
        match (word(&value["type"]), value["message"].as_str()) {
            ("prompt" | "steer" | "follow_up", Some(text)) => {
                Asked::Message { content: vec![Content::Text(text.to_owned())] }
            }
            ("prompt" | "steer" | "follow_up", None) => Asked::NotOurs("message/malformed".into()),
            ("abort", _) => Asked::Interrupt,
            (kind @ ("fork" | "clone" | "new_session"), _) => Asked::NotOurs(format!("part/{kind}")),
            (kind, _) if kind.starts_with("get_") => Asked::NotOurs(format!("ask/{kind}")),
            _ => Asked::NotOurs("unknown-type".into()),
        }
    }

    fn requested(&self, _line: &str) -> Option<Requested> {
        None
    }

    fn ends_turn(&self, line: &str) -> bool {
        let value = parse(line);
        value["type"] == "agent_end" && !is_tried_again(&value)
    }

    fn answers(&self, asked: &str, said: &str) -> bool {
        self.call(asked).is_some_and(|call| self.answered(said) == Some(call))
    }

    fn session(&self, line: &str) -> Option<String> {
        parse(line)["data"]["sessionId"].as_str().map(str::to_owned)
    }

    fn answers_by_itself(&self, host: &str) -> Option<String> {
        let asked = parse(host);
        let model = json!({"id": "mock-model", "name": "mock-model", "provider": "mock", "reasoning": true,
            "input": ["text"], "contextWindow": 128_000, "maxTokens": 16_384});
        let data = match word(&asked["type"]) {
            "get_state" => {
                json!({"model": model, "thinkingLevel": "medium", "isStreaming": false, "isCompacting": false,
                "sessionId": SESSION, "messageCount": 0, "pendingMessageCount": 0})
            }
            "get_available_models" => json!({"models": [model]}),
            "get_commands" => json!({"commands": []}),
            "get_fork_messages" => json!({"messages": []}),
            _ => return None,
        };
        let answer =
            json!({"id": asked["id"], "type": "response", "command": asked["type"], "success": true, "data": data});
        Some(answer.to_string())
    }

    fn kind_of_frame(&self, line: &str) -> String {
        let value = parse(line);
        let kind = word(&value["type"]);
        let of = match kind {
            "message_update" => word(&value["assistantMessageEvent"]["type"]),
            "message_start" | "message_end" => word(&value["message"]["role"]),
            "response" => word(&value["command"]),
            _ => "",
        };
        if of.is_empty() { kind.to_owned() } else { format!("{kind}/{of}") }
    }

    fn told(&self, lines: &[String], messages: &[String]) -> Told {
        super::pi_text::told(lines, messages)
    }

    fn carries(&self, line: &str) -> Option<&'static str> {
        let value = parse(line);
        match word(&value["type"]) {
            "message_update" => match word(&value["assistantMessageEvent"]["type"]) {
                "text_delta" | "thinking_delta" if has_text(&value["assistantMessageEvent"]["delta"]) => Some("a text"),
                "toolcall_start" => Some("a tool"),
                _ => None,
            },
            "message_end" if value["message"]["role"] == "assistant" => Some("a message"),
            "tool_execution_start" | "tool_execution_end" => Some("a tool"),
            "agent_end" => Some("the end of a turn"),
            "auto_retry_start" => Some("an error"),
            _ => None,
        }
    }

    fn refuses(&self, asked: &str, said: &str) -> bool {
        self.answers(asked, said) && parse(said)["success"] == false
    }

    fn call(&self, line: &str) -> Option<String> {
        Some(parse(line).get("id")?.to_string())
    }

    fn answered(&self, line: &str) -> Option<String> {
        let value = parse(line);
        (value["type"] == "response").then(|| value.get("id").map(Value::to_string))?
    }

    fn readdressed(&self, line: &str, call: &str) -> String {
        let mut value = parse(line);
        value["id"] = serde_json::from_str(call).unwrap_or_default();
        value.to_string()
    }

    fn is_read_when_answered(&self, line: &str) -> bool {
        matches!(word(&parse(line)["type"]), "prompt" | "steer" | "follow_up")
    }

    fn is_asked_about(&self, line: &str) -> bool {
        let value = parse(line);
        value["type"] == "agent_end" && error(&value).is_some()
    }
}

/// What went wrong in the last message of those that an end tells.
pub(super) fn error(end: &Value) -> Option<String> {
    let last = end["messages"].as_array()?.iter().rfind(|message| message["role"] == "assistant")?;
    (last["stopReason"] == "error").then(|| word(&last["errorMessage"]).to_owned())
}

/// The program tries again by itself after a failure of its service or of the connection, and says so behind the end.
fn is_tried_again(end: &Value) -> bool {
    error(end).is_some_and(|error| error.starts_with('5') || error.starts_with("429") || error.contains("terminated"))
}

fn has_text(value: &Value) -> bool {
    !word(value).is_empty()
}
