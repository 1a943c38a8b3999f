//! OpenCode's HTTP server, as its recordings show it: a client's line is what was asked, a line of the program's an event, or the answer to
//! what was asked (`{"status", "path", "body"}`). Texts are computed in `opencode_server_text`.

use super::dialect::{Answer, Asked, Dialect, Requested, Requests, Start, parse, word};
use super::told::Told;
use jackfield_core::contract::Content;
use serde_json::{Value, json};

/// The dialect.
pub struct OpenCodeServer;

impl Dialect for OpenCodeServer {
    fn provider(&self) -> &'static str {
        "opencode-server"
    }

    fn start(&self, _arguments: &[String]) -> Start {
        Start::default()
    }

    fn asked(&self, line: &str, _requests: &Requests) -> Asked {
        let value = parse(line);
        let path = word(&value["path"]).to_owned();
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        match (word(&value["http"]), &segments[..]) {
            ("POST", ["session"]) => Asked::Open(Start::default()),
            ("GET", ["session", id]) => Asked::Open(Start { resume: Some((*id).to_owned()), ..Start::default() }),
            ("POST", ["session", _, "prompt_async"]) => {
                let parts = value["body"]["parts"].as_array().cloned().unwrap_or_default();
                let texts = parts.iter().filter(|part| part["type"] == "text");
                Asked::Message { content: texts.map(|part| Content::Text(word(&part["text"]).to_owned())).collect() }
            }
            ("POST", ["session", _, "abort"]) => Asked::Interrupt,
            ("POST", ["session", _, "permissions", request]) => {
                let id = word(&value["body"]["response"]).to_owned();
                let refuses = id == "reject";
                Asked::Answer { request: (*request).to_owned(), answer: Answer::Option { id, refuses } }
            }
            ("POST", ["session", _, what]) => Asked::NotOurs(format!("part/{what}")),
            ("GET", ["session", .., last]) => Asked::NotOurs(format!("ask/session/{last}")),
            ("GET", [first, ..]) => Asked::NotOurs(format!("ask/{first}")),
            _ => Asked::NotOurs("unknown".into()),
        }
    }

    fn requested(&self, line: &str) -> Option<Requested> {
        let value = parse(line);
        (value["type"] == "permission.asked").then(|| Requested {
            id: word(&value["properties"]["id"]).to_owned(),
            kind: word(&value["properties"]["permission"]).to_owned(),
            input: value["properties"]["metadata"].clone(),
            questions: false,
            suggests: true,
        })
    }

    fn ends_turn(&self, line: &str) -> bool {
        parse(line)["type"] == "session.idle"
    }

    fn answers(&self, asked: &str, said: &str) -> bool {
        let (asked, said) = (parse(asked), parse(said));
        said["status"].is_u64() && asked["path"].is_string() && asked["path"] == said["path"]
    }

    fn session(&self, line: &str) -> Option<String> {
        let value = parse(line);
        let body = parse(value["body"].as_str().filter(|_| value["status"].is_u64())?);
        body["id"].as_str().filter(|id| id.starts_with("ses_")).map(str::to_owned)
    }

    fn answers_by_itself(&self, host: &str) -> Option<String> {
        let asked = parse(host);
        let path = word(&asked["path"]);
        let body = match path {
            "/config/providers" => json!({"providers": [{"id": "mock", "name": "Mock",
                "models": {"mock-model": {"id": "mock-model", "name": "Mock model", "limit": {"context": 128_000}}}}]}),
            "/agent" => json!([{"name": "build", "mode": "primary"}, {"name": "plan", "mode": "primary"}]),
            _ => return None,
        };
        Some(json!({"status": 200, "path": path, "body": body.to_string()}).to_string())
    }

    fn kind_of_frame(&self, line: &str) -> String {
        word(&parse(line)["type"]).to_owned()
    }

    fn told(&self, lines: &[String], _messages: &[String]) -> Told {
        super::opencode_server_text::told(lines)
    }

    fn carries(&self, line: &str) -> Option<&'static str> {
        let value = parse(line);
        let part = &value["properties"]["part"];
        match word(&value["type"]) {
            "message.part.delta" => Some("a text"),
            "message.part.updated" => match word(&part["type"]) {
                "text" | "reasoning" if part["time"]["end"].is_number() => Some("a text"),
                "tool" => Some("a tool"),
                _ => None,
            },
            "permission.asked" | "question.asked" => Some("a request"),
            "todo.updated" => Some("a list"),
            _ => None,
        }
    }

    fn refuses(&self, asked: &str, said: &str) -> bool {
        self.answers(asked, said) && parse(said)["status"].as_u64().is_some_and(|status| status >= 400)
    }

    fn conversation(&self, line: &str) -> Option<String> {
        let value = parse(line);
        let of = word(&value["path"]).strip_prefix("/session/").and_then(|rest| rest.split('/').next());
        of.or(value["properties"]["sessionID"].as_str()).map(str::to_owned)
    }

    fn is_read_when_answered(&self, line: &str) -> bool {
        // An answer to a request is through when the server has answered: several wait for one another.
        let value = parse(line);
        let path = word(&value["path"]);
        path.ends_with("/prompt_async") || path.contains("/permissions/")
    }

    fn announces(&self) -> Option<&'static str> {
        // Before that it takes connections and answers nothing on them.
        Some("opencode server listening on ")
    }

    fn resumes(&self, asked: &[&str]) -> Option<(String, [String; 2])> {
        let opened = asked.iter().any(|line| matches!(self.asked(line, &Requests::new()), Asked::Open(_)));
        let spoken = asked.iter().find(|line| word(&parse(line)["path"]).ends_with("/prompt_async"));
        let id = spoken.filter(|_| !opened).and_then(|line| self.conversation(line))?;
        let path = format!("/session/{id}");
        let body: Value = json!({"id": id, "version": "1.18.33", "title": "Mock title"});
        let answer = json!({"status": 200, "path": path, "body": body.to_string()});
        Some((id, [json!({"http": "GET", "path": path}).to_string(), answer.to_string()]))
    }
}
