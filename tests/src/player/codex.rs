//! Codex's app-server, as its recordings show it. What a client's lines ask for is in `codex_client`, texts in `codex_text`.

use super::dialect::{Asked, Dialect, Requested, Requests, Start, Way, parse, word};
use super::rpc;
use super::told::Told;
use serde_json::{Value, json};

/// The dialect.
pub struct Codex;

/// Calls of the program's that wait for a person, or for the host.
const ASKS: &[&str] = &[
    "item/commandExecution/requestApproval",
    "item/fileChange/requestApproval",
    "item/permissions/requestApproval",
    "item/tool/requestUserInput",
    "item/tool/call",
    "mcpServer/elicitation/request",
];

/// A thread that no recording has.
const NO_THREAD: &str = "00000000-0000-7000-8000-00000000c0de";

impl Dialect for Codex {
    fn provider(&self) -> &'static str {
        "codex"
    }

    fn start(&self, arguments: &[String]) -> Start {
        let other = arguments.iter().filter(|word| *word != "app-server");
        Start { not_ours: other.map(|word| format!("start/{word}")).collect(), ..Start::default() }
    }

    fn asked(&self, line: &str, requests: &Requests) -> Asked {
        super::codex_client::asked(line, requests)
    }

    fn requested(&self, line: &str) -> Option<Requested> {
        let value = parse(line);
        let (method, params) = (word(&value["method"]), &value["params"]);
        let is_one = ASKS.contains(&method) && value.get("id").is_some();
        is_one.then(|| Requested {
            id: value["id"].to_string(),
            kind: method.to_owned(),
            input: params.clone(),
            questions: method == "item/tool/requestUserInput",
            suggests: !params["proposedExecpolicyAmendment"].is_null(),
        })
    }

    fn ends_turn(&self, line: &str) -> bool {
        parse(line)["method"] == "turn/completed"
    }

    fn answers(&self, asked: &str, said: &str) -> bool {
        rpc::answers(asked, said)
    }

    fn session(&self, line: &str) -> Option<String> {
        parse(line)["result"]["thread"]["id"].as_str().map(str::to_owned)
    }

    fn tells_of_task(&self, line: &str, task: &str) -> bool {
        let value = parse(line);
        value["params"]["threadId"] == task && word(&value["method"]).starts_with("turn/")
    }

    fn answers_by_itself(&self, host: &str) -> Option<String> {
        let value = parse(host);
        let params = &value["params"];
        let thread = |id: &Value| json!({"thread": {"id": id, "turns": []}});
        let result = match word(&value["method"]) {
            "initialize" => json!({"userAgent": "jackfield/0.171.0 (the player)"}),
            "config/read" => json!({"config": {}}),
            "account/read" => json!({"account": null, "requiresOpenaiAuth": false}),
            "model/list" => json!({"data": [], "nextCursor": null}),
            "thread/start" => thread(&json!(NO_THREAD)),
            "thread/resume" | "thread/read" => thread(&params["threadId"]),
            "thread/unsubscribe" | "turn/interrupt" => json!({}),
            _ => return None,
        };
        Some(json!({"id": value["id"], "result": result}).to_string())
    }

    fn kind_of_frame(&self, line: &str) -> String {
        let value = parse(line);
        let method = word(&value["method"]);
        match value["params"]["item"]["type"].as_str() {
            Some(kind) => format!("{method}/{kind}"),
            None if method.is_empty() => "answer".into(),
            None => method.to_owned(),
        }
    }

    fn told(&self, lines: &[String], _messages: &[String]) -> Told {
        super::codex_text::told(lines)
    }

    fn carries(&self, line: &str) -> Option<&'static str> {
        let value = parse(line);
        let params = &value["params"];
        let method = word(&value["method"]);
        if self.requested(line).is_some() {
            return Some("a request");
        }
        match method {
            "turn/completed" => Some("the end of a turn"),
            "error" | "warning" | "configWarning" => Some("an error"),
            "turn/plan/updated" => Some("a plan"),
            "item/started" | "item/completed" => match word(&params["item"]["type"]) {
                "contextCompaction" => None,
                "agentMessage" if params["item"]["text"] == "" => None,
                "agentMessage" | "reasoning" | "userMessage" | "plan" => Some("a text"),
                _ => Some("a tool"),
            },
            method if method.ends_with("elta") && params["delta"] != "" => Some("a text"),
            _ => None,
        }
    }

    fn way(&self, line: &str) -> Way {
        super::codex_client::way(line)
    }

    fn refuses(&self, asked: &str, said: &str) -> bool {
        rpc::answers(asked, said) && parse(said).get("error").is_some()
    }

    fn withdraws(&self, line: &str) -> Option<String> {
        let value = parse(line);
        (value["method"] == "serverRequest/resolved").then(|| value["params"]["requestId"].to_string())
    }

    fn conversation(&self, line: &str) -> Option<String> {
        let params = &parse(line)["params"];
        params["threadId"].as_str().or(params["thread"]["id"].as_str()).map(str::to_owned)
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
