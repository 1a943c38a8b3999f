//! What a person must be shown of Codex's lines: items told whole where they are, else what was streamed.
//!
//! Written from the recordings and from nothing else; it shares no code and no type with the plugin.

use super::dialect::{parse, word};
use super::told::{Said, Told};
use serde_json::Value;
use std::collections::BTreeSet;

/// An item, by its thread and id.
struct Item {
    thread: String,
    id: String,
    kind: String,
    streamed: String,
    whole: Option<Value>,
}

#[derive(Default)]
struct Reader {
    items: Vec<Item>,
    /// Threads that a client opened: the others are subagents'.
    opened: BTreeSet<String>,
    told: Told,
}

/// Reads all lines of one start of the program.
pub(super) fn told(lines: &[String]) -> Told {
    let mut reader = Reader::default();
    for value in lines.iter().map(|line| parse(line)) {
        reader.line(&value);
    }
    reader.finish()
}

impl Reader {
    fn line(&mut self, value: &Value) {
        let params = &value["params"];
        if let Some(id) = value["result"]["thread"]["id"].as_str() {
            self.opened.insert(id.to_owned());
        }
        match word(&value["method"]) {
            "item/started" | "item/completed" => {
                let (item, ended) = (&params["item"], value["method"] == "item/completed");
                let told = self.item(params, word(&item["id"]), word(&item["type"]));
                if ended || told.whole.is_none() {
                    told.whole = Some(item.clone()).filter(|_| ended);
                }
            }
            method if method.starts_with("item/") && method.ends_with("elta") => {
                let kind = method.split('/').nth(1).unwrap_or_default().to_owned();
                let item = self.item(params, word(&params["itemId"]), &kind);
                item.streamed.push_str(word(&params["delta"]));
            }
            "turn/completed" if self.is_ours(params) => {
                self.told.ends.push(params["turn"]["status"] == "completed");
                if let Some(text) = params["turn"]["error"]["message"].as_str() {
                    self.told.errors.push(text.to_owned());
                }
            }
            "warning" => self.told.errors.push(word(&params["message"]).to_owned()),
            "configWarning" => self.told.errors.push(word(&params["summary"]).to_owned()),
            method
                if value.get("id").is_some() && (method.starts_with("item/") || method.starts_with("mcpServer/")) =>
            {
                self.told.requests += 1;
            }
            _ => {}
        }
    }

    fn is_ours(&self, params: &Value) -> bool {
        self.opened.contains(word(&params["threadId"]))
    }

    fn item(&mut self, params: &Value, id: &str, kind: &str) -> &mut Item {
        let thread = word(&params["threadId"]);
        let at = self.items.iter().position(|item| item.thread == thread && item.id == id).unwrap_or_else(|| {
            let (thread, id, kind) = (thread.to_owned(), id.to_owned(), kind.to_owned());
            self.items.push(Item { thread, id, kind, streamed: String::new(), whole: None });
            self.items.len() - 1
        });
        &mut self.items[at]
    }

    fn finish(mut self) -> Told {
        for item in std::mem::take(&mut self.items) {
            let nested = !self.opened.contains(&item.thread);
            let whole = item.whole.clone().unwrap_or(Value::Null);
            let text = whole["text"].as_str().map_or_else(|| item.streamed.clone(), str::to_owned);
            let said = |text: String| Some(Said { nested, text }).filter(|said| !said.text.is_empty());
            match item.kind.as_str() {
                "agentMessage" | "plan" => self.told.assistant.extend(said(text)),
                "reasoning" => {
                    let texts = |key: &str| whole[key].as_array().into_iter().flatten().map(word).collect::<Vec<_>>();
                    let (content, summary) = (texts("content"), texts("summary"));
                    let told = if content.is_empty() { summary } else { content }.join("\n\n");
                    self.told.reasoning.extend(said(if told.is_empty() { item.streamed } else { told }));
                }
                "userMessage" if nested => {
                    let texts = whole["content"].as_array().into_iter().flatten();
                    let texts = texts.filter_map(|part| part["text"].as_str()).map(str::to_owned);
                    self.told.in_the_persons_name.extend(texts.filter_map(said));
                }
                "userMessage" | "contextCompaction" => {}
                _ => {
                    self.told.tools += 1;
                    self.told.results.extend(results(&whole, &item.streamed));
                }
            }
        }
        self.told
    }
}

/// What a call gave: its output, parts of it, what subagents said.
fn results(whole: &Value, streamed: &str) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let output = whole["aggregatedOutput"].as_str().map(str::to_owned);
    let output = output.or_else(|| Some(streamed.to_owned()).filter(|_| whole.is_null()));
    let parts = [list(&whole["contentItems"]), list(&whole["result"]["content"])].concat();
    let parts = parts.iter().filter_map(|part| part["text"].as_str()).map(str::to_owned);
    let agents = whole["agentsStates"].as_object().into_iter().flatten();
    let agents = agents.filter_map(|(_, agent)| agent["message"].as_str()).map(str::to_owned);
    output.into_iter().chain(parts).chain(agents).filter(|text| !text.is_empty()).collect()
}
