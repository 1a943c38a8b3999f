//! What a person must be shown of OpenCode's events: each text when it is whole, each call, each request, each end of a turn.
//!
//! Written from the recordings and from nothing else; it shares no code and no type with the plugin.

use super::dialect::{parse, word};
use super::told::{Said, Told};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
struct Reader {
    told: Told,
    /// The conversation itself: the first that a person speaks in.
    main: Option<String>,
    children: BTreeSet<String>,
    users: BTreeSet<String>,
    /// Texts in the order in which they began: their part, whose they are, what they are, and their words.
    texts: Vec<(String, bool, bool, String)>,
    tools: BTreeSet<String>,
    results: BTreeMap<String, String>,
    turn: Option<Turn>,
}

#[derive(Default)]
struct Turn {
    message_open: bool,
    failed: Option<String>,
    idle_once: bool,
}

/// Reads all events of one start of the program.
pub(super) fn told(lines: &[String]) -> Told {
    let mut reader = Reader::default();
    for line in lines {
        let value = parse(line);
        reader.event(word(&value["type"]), &value["properties"]);
    }
    let Reader { mut told, texts, tools, results, .. } = reader;
    for (_, nested, thought, text) in texts.into_iter().filter(|(.., text)| !text.is_empty()) {
        let list = if thought { &mut told.reasoning } else { &mut told.assistant };
        list.push(Said { nested, text });
    }
    Told { tools: tools.len(), results: results.into_values().filter(|text| !text.is_empty()).collect(), ..told }
}

impl Reader {
    fn event(&mut self, kind: &str, told: &Value) {
        let session = word(&told["sessionID"]).to_owned();
        if kind == "session.created" && self.owns(word(&told["info"]["parentID"])) {
            self.children.insert(word(&told["info"]["id"]).to_owned());
        }
        if kind == "message.updated" && told["info"]["role"] == "user" && self.main.is_none() {
            self.main = Some(session.clone());
        }
        if !self.owns(&session) {
            return;
        }
        let nested = self.children.contains(&session);
        match kind {
            "message.updated" => self.message(&told["info"], nested),
            "message.part.updated" => self.part(&told["part"], nested),
            "permission.asked" | "question.asked" => self.told.requests += 1,
            "session.error" if !nested => {
                if let Some(turn) = &mut self.turn {
                    turn.failed = Some(word(&told["error"]["name"]).to_owned());
                }
            }
            "session.idle" if !nested => self.idle(),
            _ => {}
        }
    }

    fn owns(&self, session: &str) -> bool {
        self.main.as_deref() == Some(session) || self.children.contains(session)
    }

    fn message(&mut self, info: &Value, nested: bool) {
        if info["role"] == "user" {
            let new = self.users.insert(word(&info["id"]).to_owned());
            if new && !nested && self.turn.is_none() {
                self.turn = Some(Turn::default());
            }
            return;
        }
        let Some(turn) = self.turn.as_mut().filter(|_| !nested) else { return };
        let over = info["time"]["completed"].is_number() || info["error"].is_object();
        if !over && !turn.message_open {
            turn.failed = None;
        }
        turn.message_open = !over;
        if let Some(name) = info["error"]["name"].as_str() {
            turn.failed = Some(name.to_owned());
        }
    }

    fn idle(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        if turn.failed.as_deref() == Some("MessageAbortedError") && turn.message_open && !turn.idle_once {
            turn.idle_once = true;
            return;
        }
        self.told.ends.push(turn.failed.is_none());
        self.turn = None;
    }

    fn part(&mut self, part: &Value, nested: bool) {
        let id = word(&part["id"]).to_owned();
        if self.users.contains(word(&part["messageID"])) {
            if part["synthetic"] == true && part["type"] == "text" && !nested {
                let text = word(&part["text"]).to_owned();
                self.told.in_the_persons_name.push(Said { nested, text });
            }
            return;
        }
        match word(&part["type"]) {
            kind @ ("text" | "reasoning") => {
                if !self.texts.iter().any(|(known, ..)| *known == id) {
                    self.texts.push((id.clone(), nested, kind == "reasoning", String::new()));
                }
                let ended = part["time"]["end"].is_number();
                if let Some(text) = self.texts.iter_mut().find(|(known, ..)| *known == id && ended) {
                    text.3 = word(&part["text"]).to_owned();
                }
            }
            "tool" => {
                self.tools.insert(id.clone());
                let state = &part["state"];
                match word(&state["status"]) {
                    "completed" => _ = self.results.insert(id, word(&state["output"]).to_owned()),
                    "error" => _ = self.results.insert(id, word(&state["error"]).to_owned()),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}
