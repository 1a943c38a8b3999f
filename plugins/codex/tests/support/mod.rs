//! Plays a recorded conversation against the plugin: what the recorded client wrote becomes commands, what the program wrote
//! becomes frames. Answers go to the plugin's own calls; what only the plugin asks is answered here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jackfield_plugin_codex::Codex;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::Harness;
use jackfield_sdk::testing::recording::{Heard, lines, recordings};
use serde_json::{Value, json};

/// All recordings, by name.
#[allow(dead_code)]
pub fn names() -> Vec<String> {
    recordings(&folder(), 31)
}

#[allow(dead_code)]
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("recordings")
}

/// A recording played to its end.
#[derive(Default)]
pub struct Played {
    pub outputs: Vec<Output>,
    pub heard: Vec<Heard>,
    /// The same lines told a second time, where an id says that they are.
    pub twice: Vec<Heard>,
    /// Calls of the recorded client, and those of the plugin in their place.
    pub calls: Vec<(Value, Value)>,
    /// The same of answers.
    pub answers: Vec<(Value, Value)>,
}

/// Plays a recording.
#[allow(dead_code)]
pub fn play(name: &str) -> Played {
    play_in(&folder(), name)
}

/// Plays a recording of another folder.
pub fn play_in(folder: &Path, name: &str) -> Played {
    let mut player = Player::default();
    lines(folder, name).iter().for_each(|(dir, line)| player.row(dir, line));
    player.played
}

#[derive(Default)]
struct Player {
    harness: Harness<Codex>,
    played: Played,
    /// The recorded client's calls, and the plugin's in their place.
    ids: BTreeMap<String, Value>,
    /// What the program asked, by id.
    asked: BTreeMap<String, Value>,
    /// Its turns, in order.
    turns: Vec<String>,
    opened: Vec<String>,
    looked: usize,
}

impl Player {
    fn row(&mut self, dir: &str, line: &str) {
        match dir {
            "spawn" => {
                (self.harness, self.ids, self.looked, self.opened) = (Harness::new(), BTreeMap::new(), 0, vec![]);
                let outputs = self.harness.start("{}");
                self.played.outputs.extend(outputs);
            }
            "in" => self.write(line),
            "out" => self.frame(line),
            "err" => {
                let outputs = self.harness.stderr(self.channel(), &format!("{line}\n"));
                self.heard(line, outputs);
            }
            "in_eof" => {
                for thread in std::mem::take(&mut self.opened) {
                    let outputs = self.harness.command_in(&thread, CommandBody::CloseThread);
                    self.played.outputs.extend(outputs);
                }
            }
            "exit" => {
                let outputs = self.harness.closed(self.channel(), line.parse().ok(), "");
                self.played.outputs.extend(outputs);
            }
            _ => {}
        }
    }

    fn channel(&self) -> u32 {
        self.harness.spawned.last().unwrap().0
    }

    /// What the recorded client wrote, as a command.
    fn write(&mut self, line: &str) {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        let before = self.harness.written.len();
        let outputs = match (message["method"].as_str(), message.get("result")) {
            (Some(method), _) => self.call(method, &message["params"]),
            (None, Some(result)) => self.answer(&message["id"], result),
            _ => vec![],
        };
        self.played.outputs.extend(outputs);
        let ours = self.harness.written.get(before).map(|(_, text)| serde_json::from_str::<Value>(text).unwrap());
        let first = message["method"] == "initialize";
        let ours = if first { Some(json!({"id": 1, "method": "initialize"})) } else { ours };
        if let Some(ours) = ours {
            if message["method"].is_string() {
                self.ids.insert(message["id"].to_string(), ours["id"].clone());
                self.played.calls.push((message, ours));
            } else {
                self.played.answers.push((message, ours));
            }
        }
        self.answer_by_itself();
    }

    fn call(&mut self, method: &str, params: &Value) -> Vec<Output> {
        let text = |key: &str| params[key].as_str().map(str::to_owned);
        let thread = text("threadId").unwrap_or_default();
        let busy = self.played.outputs.iter().rev().find_map(|output| match output {
            Output::Event(Event { body: EventBody::TurnEnded(_), .. }) => Some(false),
            Output::Event(Event { body: EventBody::TurnStarted(_), .. }) => Some(true),
            _ => None,
        });
        let mut message = Message::of_text(params["input"][0]["text"].as_str().unwrap_or_default());
        message.turn = text("expectedTurnId");
        message.uuid = text("clientUserMessageId").unwrap_or(message.uuid);
        message.enqueue = method == "thread/queue/add";
        let mode = params["collaborationMode"]["mode"].as_str();
        message.selection.extend(mode.map(|mode| ("mode".to_owned(), mode.to_owned())));
        let point = |turn: Option<String>, turns_after| Point { turn, item: None, mark: None, turns_after };
        let body = match method {
            "thread/start" => {
                let tools = params["dynamicTools"].as_array().into_iter().flatten().map(|tool| ToolSpec {
                    name: tool["name"].as_str().unwrap().into(),
                    description: tool["description"].as_str().unwrap().into(),
                    input_schema: tool["inputSchema"].to_string(),
                });
                self.harness.command(CommandBody::RegisterTools(tools.collect()));
                let sandbox = text("sandbox").map(|word| word.replace("danger-full-access", "none"));
                let (sandbox, approvals) = (sandbox.unwrap_or_default(), text("approvalPolicy").unwrap_or_default());
                let selection: Vec<_> = [("approvals", approvals.as_str()), ("sandbox", sandbox.as_str())].into();
                return self.harness.open(None, &selection);
            }
            "thread/resume" => return self.harness.open(Some(&thread), &[]),
            "turn/start" if busy != Some(true) => CommandBody::SendRun(message),
            "thread/queue/add" => CommandBody::SendRun(message),
            "turn/start" | "turn/steer" => CommandBody::SteerRun(message),
            "turn/interrupt" => CommandBody::Interrupt(Interrupt { turn: None, keep_background: true }),
            "thread/fork" => {
                CommandBody::ForkThread(point(text("lastTurnId"), u32::from(params["lastTurnId"].is_string())))
            }
            "thread/revert" => {
                let at = self.turns.iter().position(|turn| Some(turn) == text("beforeTurnId").as_ref());
                let Some(at) = at else { return vec![] };
                CommandBody::RollbackThread(point(at.checked_sub(1).map(|at| self.turns[at].clone()), 1))
            }
            "thread/compact/start" => CommandBody::CompactThread(String::new()),
            _ => return vec![],
        };
        self.harness.command_in(&thread, body)
    }

    fn answer(&mut self, id: &Value, result: &Value) -> Vec<Output> {
        let Some(asked) = self.asked.get(&id.to_string()) else { return vec![] };
        let chosen = |option: &str| Reply::Chosen(Chosen { option_id: option.into(), note: None, input: None });
        let reply = match (asked["method"].as_str().unwrap(), &result["decision"]) {
            ("item/tool/requestUserInput", _) => {
                let (question, answer) = result["answers"].as_object().unwrap().iter().next().unwrap();
                let values = vec![answer["answers"][0].as_str().unwrap().to_owned()];
                Reply::Filled(vec![Filled { question: question.clone(), values }])
            }
            ("item/tool/call", _) => {
                let text = result["contentItems"][0]["text"].as_str().unwrap();
                Reply::Output(ToolOutput { content: vec![text.into()], failed: result["success"] != true })
            }
            (_, Value::String(word)) => chosen(word),
            _ => return vec![],
        };
        self.harness.command(CommandBody::Respond(Answer { request: id.to_string(), reply }))
    }

    fn frame(&mut self, line: &str) {
        let mut value: Value = serde_json::from_str(line).unwrap();
        if value.get("method").is_none() {
            value["id"] = self.ids.get(&value["id"].to_string()).cloned().unwrap_or("nobody's".into());
            self.opened.extend(value["result"]["thread"]["id"].as_str().map(str::to_owned));
        } else if value.get("id").is_some() {
            self.asked.insert(value["id"].to_string(), value.clone());
        } else if value["method"] == "turn/started" {
            self.turns.push(value["params"]["turn"]["id"].as_str().unwrap().to_owned());
        }
        let line = value.to_string();
        let outputs = self.harness.frame(self.channel(), &line);
        let again = ["turn/started", "turn/completed", "item/started", "item/completed"];
        let ours = value["params"]["threadId"].as_str().is_some_and(|id| self.opened.iter().any(|one| one == id));
        if ours && again.iter().any(|method| value["method"] == *method) {
            let outputs = self.harness.frame(self.channel(), &line);
            self.played.twice.push(Heard { line: line.clone(), outputs });
        }
        let copied = outputs.iter().find_map(|output| match output {
            Output::Done(OpResult { outcome: Ok(OpValue::Thread(thread)), .. }) if thread.parent.is_some() => {
                Some(thread.id.clone())
            }
            _ => None,
        });
        self.heard(&line, outputs);
        self.answer_by_itself();
        // The host opens a copy by its cursor.
        if let Some(copy) = copied {
            let outputs = self.harness.open(Some(&copy), &[]);
            self.played.outputs.extend(outputs);
            self.answer_by_itself();
        }
    }

    /// What the recorded client did not ask.
    fn answer_by_itself(&mut self) {
        while let Some((_, text)) = self.harness.written.get(self.looked) {
            self.looked += 1;
            let call: Value = serde_json::from_str(text).unwrap();
            if self.ids.values().any(|id| *id == call["id"]) {
                continue;
            }
            let result = match call["method"].as_str() {
                Some("config/read") => json!({"config": {}}),
                Some("account/read") => json!({"account": null, "requiresOpenaiAuth": false}),
                Some("thread/resume") => json!({"thread": {"id": call["params"]["threadId"], "turns": []}}),
                _ => continue,
            };
            let line = json!({"id": call["id"], "result": result}).to_string();
            let outputs = self.harness.frame(self.channel(), &line);
            self.played.outputs.extend(outputs);
        }
    }

    fn heard(&mut self, line: &str, outputs: Vec<Output>) {
        self.played.outputs.extend(outputs.iter().cloned());
        self.played.heard.push(Heard { line: line.to_owned(), outputs });
    }
}
