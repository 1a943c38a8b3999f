//! The faulty program's words where it speaks JSON-RPC: it answers the host's calls by their methods, and calls by any id.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The host's calls: the id, as JSON, of the last one of each method.
#[derive(Default)]
pub(super) struct Rpc(BTreeMap<String, Value>);

impl Rpc {
    /// Notes a line; true when it is this: a method, or the answer to the call of this id (`1` and `"1"` are two).
    pub(super) fn hears(&mut self, line: &str, wanted: &str) -> bool {
        let Ok(value) = serde_json::from_str::<Value>(line) else { return false };
        match value["method"].as_str() {
            Some(method) => {
                self.0.insert(method.to_owned(), value["id"].clone());
                method == wanted
            }
            None => serde_json::from_str::<Value>(wanted).is_ok_and(|id| value["id"] == id),
        }
    }

    /// The line for these words; none when they are no words of this protocol. `tell` is an update of the conversation `s1`.
    pub(super) fn says(&self, verb: &str, rest: &str) -> Result<Option<String>> {
        let two = || rest.split_once(' ').with_context(|| format!("{verb} wants more words"));
        let id = |method: &str| self.0.get(method).with_context(|| format!("{method} was not heard"));
        let json = |text: &str| serde_json::from_str::<Value>(text).with_context(|| format!("no JSON: {text}"));
        let mut line = match verb {
            "answer" => {
                let (method, result) = two()?;
                json!({"id": id(method)?, "result": json(result)?})
            }
            "refuse" => {
                let (method, error) = two()?;
                json!({"id": id(method)?, "error": json(error)?})
            }
            "call" => {
                let (id, rest) = two()?;
                let (method, params) = rest.split_once(' ').context("call ID METHOD PARAMS")?;
                json!({"id": json(id)?, "method": method, "params": json(params)?})
            }
            "tell" => json!({"method": "session/update", "params": {"sessionId": "s1", "update": json(rest)?}}),
            _ => return Ok(None),
        };
        line["jsonrpc"] = "2.0".into();
        Ok(Some(format!("{line}\n")))
    }
}
