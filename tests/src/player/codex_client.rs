//! What the lines of Codex's clients ask for, whoever wrote them.

use super::dialect::{Answer, Asked, Cut, Requests, Start, Way};
use super::dialect::{parse, word};
use jackfield_core::contract::{Content, Media, ToolSpec};
use serde_json::Value;

pub(super) fn asked(line: &str, requests: &Requests) -> Asked {
    let not_ours = |kind: &str| Asked::NotOurs(kind.into());
    if line.trim().is_empty() {
        return not_ours("blank-line");
    }
    let Ok(value) = serde_json::from_str::<Value>(line) else { return not_ours("not-json") };
    let params = &value["params"];
    match word(&value["method"]) {
        "" if value.get("id").is_some() => answer(&value, requests),
        "" => not_ours("malformed"),
        "initialize" if params["clientInfo"].is_object() => Asked::Handshake,
        "initialized" => Asked::Routine("initialized".into()),
        "thread/start" => Asked::Open(opening(params)),
        "thread/resume" => {
            Asked::Open(Start { resume: params["threadId"].as_str().map(str::to_owned), ..opening(params) })
        }
        "thread/fork" => Asked::Open(Start {
            fork: true,
            resume: params["threadId"].as_str().map(str::to_owned),
            at: params["lastTurnId"].as_str().map(str::to_owned),
            ..opening(params)
        }),
        "turn/start" | "turn/steer" | "thread/queue/add" => match content(&params["input"]) {
            content if content.is_empty() => not_ours("message/malformed"),
            content => Asked::Message { content },
        },
        "turn/interrupt" => Asked::Interrupt,
        "thread/revert" if params["beforeTurnId"].is_string() => {
            Asked::Back(Cut::Before(word(&params["beforeTurnId"]).to_owned()))
        }
        "thread/rollback" => Asked::Back(Cut::Turns(params["numTurns"].as_u64().unwrap_or(0) as usize)),
        "thread/compact/start" => Asked::Compact(String::new()),
        method => Asked::NotOurs(format!("call/{method}")),
    }
}

/// What is chosen for a thread that is opened.
fn opening(params: &Value) -> Start {
    let tools = params["dynamicTools"].as_array().into_iter().flatten().map(|tool| ToolSpec {
        name: word(&tool["name"]).to_owned(),
        description: word(&tool["description"]).to_owned(),
        input_schema: tool["inputSchema"].to_string(),
    });
    Start { selection: selection(params), tools: tools.collect(), ..Start::default() }
}

/// Settings by our names. The word for no sandbox is ours.
fn selection(params: &Value) -> Vec<(String, String)> {
    let sandbox = match (params["sandbox"].as_str(), params["sandboxPolicy"]["type"].as_str()) {
        (Some("danger-full-access"), _) | (_, Some("dangerFullAccess")) => Some("none"),
        (Some("workspace-write"), _) | (_, Some("workspaceWrite")) => Some("workspace-write"),
        (Some("read-only"), _) | (_, Some("readOnly")) => Some("read-only"),
        _ => None,
    };
    let named = [
        ("model", params["model"].as_str()),
        ("effort", params["effort"].as_str()),
        ("approvals", params["approvalPolicy"].as_str()),
        ("sandbox", sandbox),
        ("mode", params["collaborationMode"]["mode"].as_str()),
    ];
    named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect()
}

pub(super) fn way(line: &str) -> Way {
    let value = parse(line);
    Way { selection: selection(&value["params"]), behind: value["method"] == "thread/queue/add" }
}

fn content(input: &Value) -> Vec<Content> {
    let part = |part: &Value| match word(&part["type"]) {
        "text" => Some(Content::Text(word(&part["text"]).to_owned())),
        "image" => {
            let (mime, data) = word(&part["url"]).strip_prefix("data:")?.split_once(";base64,")?;
            Some(Content::Media(Media { mime: mime.into(), name: None, uri: None, base64: Some(data.into()) }))
        }
        _ => None,
    };
    input.as_array().into_iter().flatten().filter_map(part).collect()
}

fn answer(value: &Value, requests: &Requests) -> Asked {
    let not_ours = |kind: &str| Asked::NotOurs(format!("answer/{kind}"));
    let Some(request) = requests.get(&value["id"].to_string()) else { return not_ours("stray") };
    if value.get("error").is_some() {
        return not_ours("error");
    }
    let result = &value["result"];
    let option = |id: &str, refuses: bool| Answer::Option { id: id.to_owned(), refuses };
    let answer = match request.kind.as_str() {
        "item/commandExecution/requestApproval" | "item/fileChange/requestApproval" => match &result["decision"] {
            Value::String(word) => match word.as_str() {
                "accept" | "acceptForSession" => option(word, false),
                "decline" | "cancel" => option(word, true),
                _ => return not_ours("malformed"),
            },
            Value::Object(members) => match members.keys().next() {
                Some(word) => option(word, false),
                None => return not_ours("malformed"),
            },
            _ => return not_ours("malformed"),
        },
        "item/permissions/requestApproval" => match (&result["permissions"], word(&result["scope"])) {
            (Value::Object(granted), _) if granted.is_empty() => option("none", true),
            (_, "session") => option("session", false),
            _ => option("turn", false),
        },
        "item/tool/requestUserInput" => {
            let answers = result["answers"].as_object().into_iter().flatten();
            let values = answers.flat_map(|(question, answer)| {
                let values = answer["answers"].as_array().into_iter().flatten();
                values.map(|value| (question.clone(), word(value).to_owned()))
            });
            Answer::Filled(values.collect())
        }
        "item/tool/call" => {
            let parts = result["contentItems"].as_array().into_iter().flatten();
            let content = parts.filter_map(|part| Some(Content::Text(part["text"].as_str()?.to_owned())));
            Answer::Output { content: content.collect(), failed: result["success"] != true }
        }
        _ => match word(&result["action"]) {
            "accept" => option("accept", false),
            action => option(action, true),
        },
    };
    Asked::Answer { request: request.id.clone(), answer }
}
