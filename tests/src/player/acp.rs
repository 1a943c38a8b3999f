//! The Agent Client Protocol, as the recordings of four agents show it. Texts are computed in `acp_text`.

use super::dialect::{Answer, Asked, Dialect, Requested, Requests, Start, parse, word};
use super::rpc;
use super::told::Told;
use jackfield_core::contract::Content;
use serde_json::{Value, json};

/// The dialect, for one agent.
pub struct Acp(pub &'static str);

impl Dialect for Acp {
    fn provider(&self) -> &'static str {
        self.0
    }

    fn start(&self, _arguments: &[String]) -> Start {
        // All is said in messages.
        Start::default()
    }

    fn asked(&self, line: &str, requests: &Requests) -> Asked {
        if line.trim().is_empty() {
            return Asked::NotOurs("blank-line".into());
        }
        let Ok(value) = serde_json::from_str::<Value>(line) else { return Asked::NotOurs("not-json".into()) };
        match value["method"].as_str() {
            Some(method) => called(method, &value["params"]),
            None => answered(&value, requests),
        }
    }

    fn requested(&self, line: &str) -> Option<Requested> {
        let value = parse(line);
        let method = value["method"].as_str().filter(|_| !value["id"].is_null())?;
        Some(Requested {
            id: value["id"].to_string(),
            kind: method.to_owned(),
            input: value["params"].clone(),
            questions: false,
            suggests: false,
        })
    }

    fn ends_turn(&self, line: &str) -> bool {
        let value = parse(line);
        value["method"].is_null() && (value["result"]["stopReason"].is_string() || is_of_a_model(&value["error"]))
    }

    fn answers(&self, asked: &str, said: &str) -> bool {
        rpc::answers(asked, said)
    }

    fn session(&self, line: &str) -> Option<String> {
        let value = parse(line);
        let id = value["result"].get("sessionId").or_else(|| value["params"].get("sessionId"));
        id?.as_str().map(str::to_owned)
    }

    fn opened(&self, asked: &str, said: &str) -> Option<String> {
        // An answer to `load` or `resume` need not name what it opened.
        let (asked, answer) = (parse(asked), parse(said));
        let comes_back = ["session/load", "session/resume"].contains(&word(&asked["method"]));
        let named = || asked["params"]["sessionId"].as_str().map(str::to_owned);
        self.session(said).or_else(|| named().filter(|_| comes_back && answer["error"].is_null()))
    }

    fn answers_by_itself(&self, host: &str) -> Option<String> {
        let value = parse(host);
        let result = match word(&value["method"]) {
            // A copy is let go of; and what it is a copy of, or the copy itself, is opened once more than in the recording.
            "session/close" | "session/load" | "session/resume" => json!({}),
            "session/new" => json!({"sessionId": "made-by-the-player"}),
            _ => return None,
        };
        Some(json!({"jsonrpc": "2.0", "id": value["id"], "result": result}).to_string())
    }

    fn kind_of_frame(&self, line: &str) -> String {
        let value = parse(line);
        match word(&value["method"]) {
            "session/update" => format!("update/{}", word(&value["params"]["update"]["sessionUpdate"])),
            "" if value["error"].is_object() => "error".to_owned(),
            "" => "answer".to_owned(),
            method => method.to_owned(),
        }
    }

    fn told(&self, lines: &[String], _messages: &[String]) -> Told {
        super::acp_text::told(lines)
    }

    fn carries(&self, line: &str) -> Option<&'static str> {
        let value = parse(line);
        let update = &value["params"]["update"];
        match word(&value["method"]) {
            "session/request_permission" => Some("a request"),
            "session/update" => match word(&update["sessionUpdate"]) {
                // One agent tells a change of its mode so; it is shown as a setting.
                "agent_message_chunk" if word(&update["content"]["text"]).starts_with("[MODE_UPDATE]") => None,
                "agent_message_chunk" | "agent_thought_chunk" => {
                    Some("a text").filter(|_| !word(&update["content"]["text"]).is_empty())
                }
                "tool_call" => Some("a tool"),
                _ => None,
            },
            "" if self.ends_turn(line) => Some("the end of a turn"),
            _ => None,
        }
    }

    fn refuses(&self, asked: &str, said: &str) -> bool {
        let asked_for = parse(asked);
        // An answer to a prompt ends its turn, well or badly; a conversation that can't be opened again is worth playing.
        let plays = ["session/prompt", "session/load", "session/resume"].contains(&word(&asked_for["method"]));
        !plays && rpc::answers(asked, said) && parse(said)["error"].is_object()
    }

    fn interrupt_answers(&self) -> bool {
        true
    }

    fn is_stopped_for_a_message(&self) -> bool {
        true
    }

    fn tells_of_copies(&self) -> bool {
        true
    }

    fn conversation(&self, line: &str) -> Option<String> {
        parse(line)["params"]["sessionId"].as_str().map(str::to_owned)
    }

    fn call(&self, line: &str) -> Option<String> {
        rpc::call(line)
    }

    fn answered(&self, line: &str) -> Option<String> {
        rpc::answered(line)
    }

    fn readdressed(&self, line: &str, call: &str) -> String {
        rpc::readdressed(line, call)
    }
}

/// An error of the model's service, which ends a turn: other errors say nothing of one.
fn is_of_a_model(error: &Value) -> bool {
    let status = error["code"].as_i64().is_some_and(|code| code > 0);
    status || error["data"]["errorKind"].is_string() || error["data"]["errorName"].is_string()
}

fn called(method: &str, params: &Value) -> Asked {
    let text = |name: &str| params[name].as_str().map(str::to_owned);
    let not_ours = || Asked::NotOurs(format!("call/{method}"));
    let select = |name: &str, value: Option<String>| match value {
        Some(value) => Asked::Select(vec![(name.to_owned(), value)]),
        None => not_ours(),
    };
    match method {
        "initialize" if params["clientInfo"].is_object() => Asked::Handshake,
        "session/new" if params["cwd"].is_string() => Asked::Open(Start::default()),
        "session/load" | "session/resume" => Asked::Open(Start { resume: text("sessionId"), ..Start::default() }),
        "session/fork" => Asked::Open(Start { resume: text("sessionId"), fork: true, ..Start::default() }),
        "session/prompt" => {
            let blocks = params["prompt"].as_array().cloned().unwrap_or_default();
            let texts = blocks.iter().map(|block| block["text"].as_str().map(|text| Content::Text(text.to_owned())));
            match texts.collect::<Option<Vec<_>>>().filter(|content| !content.is_empty()) {
                Some(content) => Asked::Message { content },
                None => not_ours(),
            }
        }
        "session/cancel" => Asked::Interrupt,
        "session/set_mode" => select("mode", text("modeId")),
        "session/set_model" => select("model", text("modelId")),
        "session/set_config_option" => select(&text("configId").unwrap_or_default(), text("value")),
        _ => not_ours(),
    }
}

/// An answer to a permission: every refusal is one, whether the client picked an option or cancelled.
fn answered(value: &Value, requests: &Requests) -> Asked {
    let not_ours = |kind: &str| Asked::NotOurs(format!("answer/{kind}"));
    let Some(request) = requests.get(&value["id"].to_string()) else { return not_ours("stray") };
    if request.kind != "session/request_permission" {
        return not_ours(&request.kind);
    }
    let outcome = &value["result"]["outcome"];
    let answer = match word(&outcome["outcome"]) {
        "cancelled" => Answer::Deny { note: None, stop: false },
        "selected" => {
            let options = request.input["options"].as_array().cloned().unwrap_or_default();
            let Some(option) = options.iter().find(|option| option["optionId"] == outcome["optionId"]) else {
                return not_ours("no-such-option");
            };
            match word(&option["kind"]) {
                "reject_once" => Answer::Deny { note: None, stop: false },
                _ => Answer::Option { id: word(&option["optionId"]).to_owned(), refuses: false },
            }
        }
        _ => return not_ours("error"),
    };
    Asked::Answer { request: request.id.clone(), answer }
}
