//! GitHub Copilot: `~/.copilot/session-state/<session>/events.jsonl`, and beside it `workspace.yaml` with the folder and the name.

use jackfield_sdk::past::{Back, Facts, Found, Told, World};
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use super::kind;
use super::retold::{Retold, content, words};

/// The folder has the session's id for its name.
pub(super) fn thread(path: &str) -> Option<String> {
    Some(path.split_once('/')?.0.to_owned())
}

/// The lines `cwd: …` and `name: …` of a file that is as simple as that.
pub(super) async fn beside(world: &World, found: &Found, facts: &mut Facts) {
    let Some((folder, _)) = found.path.rsplit_once('/') else { return };
    let file = FilePath { root: found.root.clone(), path: format!("{folder}/workspace.yaml") };
    let text = world.head(&file, 16 * 1024).await.unwrap_or_default();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(line.trim().trim_matches(['"', '\'']).to_owned()).filter(|value| !value.is_empty())
    };
    (facts.folder, facts.title) = (value("cwd"), value("name"));
}

/// What a person said in this row.
pub(super) fn learn<'a>(facts: &mut Facts, row: &'a Value) -> Option<&'a str> {
    if row["type"] == "session.start" && facts.folder.is_none() {
        facts.folder = row["data"]["context"]["cwd"].as_str().map(str::to_owned);
    }
    row["data"]["content"].as_str().filter(|_| row["type"] == "user.message")
}

pub(super) fn back(row: &Value) -> Back {
    let data = &row["data"];
    let call = || data["toolCallId"].as_str().map(str::to_owned).into_iter().collect::<Vec<_>>();
    match row["type"].as_str().unwrap_or_default() {
        "user.message" | "session.compaction_complete" => Back::keep(1),
        "assistant.message" => {
            let calls: Vec<String> =
                requests(data).filter_map(|call| Some(call["toolCallId"].as_str()?.to_owned())).collect();
            let said = ["content", "reasoningText"]
                .iter()
                .filter(|name| data[**name].as_str().is_some_and(|text| !text.is_empty()));
            Back { settles: calls.clone(), ..Back::keep(said.count() + calls.len()) }
        }
        "permission.completed" => Back::keep(0),
        "tool.execution_complete" => Back { waits_for: call(), ..Back::keep(1) },
        _ => Back::skip(),
    }
}

fn requests(data: &Value) -> impl Iterator<Item = &Value> {
    data["toolRequests"].as_array().into_iter().flatten()
}

pub(super) fn tell(retold: &mut Retold, row: &Value, told: &mut Told) {
    let data = &row["data"];
    let text = |name: &str| data[name].as_str().unwrap_or_default();
    let updates = match row["type"].as_str().unwrap_or_default() {
        "user.message" => words("user_message_chunk", None, text("content")).into_iter().collect(),
        "assistant.message" => {
            let thought = words("agent_thought_chunk", None, text("reasoningText"));
            let said = words("agent_message_chunk", None, text("content"));
            thought.into_iter().chain(said).chain(requests(data).map(called)).collect()
        }
        "tool.execution_complete" => vec![ended(data)],
        "permission.completed" => {
            let kind = data["result"]["kind"].as_str().unwrap_or_default();
            if kind.starts_with("denied") || kind.starts_with("rejected") {
                retold.refused(text("toolCallId"));
            }
            return;
        }
        "session.compaction_complete" => {
            let change = ContextChange::new(ContextEffect::Compacted);
            return told.event(Scope::root(), EventBody::Context(change));
        }
        _ => return,
    };
    retold.tell(told, data["parentToolCallId"].as_str(), updates);
}

/// A call, as it is told before it is carried out.
fn called(call: &Value) -> Value {
    let name = call["name"].as_str().unwrap_or_default();
    let title = call["intentionSummary"].as_str().or(call["toolTitle"].as_str()).unwrap_or(name);
    json!({
        "sessionUpdate": "tool_call", "toolCallId": call["toolCallId"], "title": title, "kind": kind(name),
        "status": "pending", "rawInput": call["arguments"],
    })
}

fn ended(data: &Value) -> Value {
    let failed = data["success"] == false;
    let text = data["result"]["content"].as_str().or(data["error"]["message"].as_str());
    let exit = &data["shellExecution"]["exitCode"];
    json!({
        "sessionUpdate": "tool_call_update", "toolCallId": data["toolCallId"],
        "status": if failed { "failed" } else { "completed" }, "content": content(text),
        "rawOutput": {"content": text, "contents": [{"exitCode": exit}]},
    })
}
