//! Plays a recorded conversation against the plugin: what the recorded client wrote becomes commands, what the program wrote becomes
//! frames. The recorded client shook no hands and asked for no end: those answers are made up here, at the moment at which the program
//! would have given them.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use jackfield_plugin_pi::Pi;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::recording::{Heard, lines, recordings};
use jackfield_sdk::testing::{Harness, project};
use serde_json::{Value, json};

pub const SESSION: &str = "01a22dbb-17a7-7171-8a17-18c1ccf7954e";

/// All recordings, by name.
pub fn names() -> Vec<String> {
    recordings(&folder(), 15)
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("recordings")
}

/// A recording played to its end.
#[derive(Default)]
pub struct Played {
    /// All outputs, in order.
    pub outputs: Vec<Output>,
    /// By line of the program.
    pub heard: Vec<Heard>,
    /// The holes that each start of the program was given.
    pub holes: Vec<Pairs>,
    /// What the recorded client wrote, beside what the plugin did.
    pub written: Vec<(Value, Value)>,
}

/// Plays a recording.
pub fn play(name: &str) -> Played {
    let mut player = Player { live: Live::new(), played: Played::default(), ids: BTreeMap::new() };
    lines(&folder(), name).iter().for_each(|(dir, line)| player.row(dir, line));
    player.played
}

struct Player {
    live: Live,
    played: Played,
    /// Ids of the recorded client, and the plugin's for the same.
    ids: BTreeMap<String, String>,
}

impl Player {
    fn row(&mut self, dir: &str, line: &str) {
        match dir {
            "spawn" => self.spawn(&serde_json::from_str(line).unwrap()),
            "in" => self.write(line),
            "out" => self.frame(line),
            "in_eof" => {
                self.settle();
                let outputs = self.live.harness.command(CommandBody::CloseThread);
                self.played.outputs.extend(outputs);
            }
            "exit" => {
                let outputs = self.live.harness.closed(self.live.channel(), line.parse().ok(), "");
                self.played.outputs.extend(outputs);
            }
            _ => {}
        }
    }

    /// The program answers what it was asked, now that it reads its next line.
    fn settle(&mut self) {
        let outputs = self.live.answer_all();
        self.played.outputs.extend(outputs);
    }

    fn spawn(&mut self, spawn: &Value) {
        let argv: Vec<_> = spawn["argv"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        let after = |flag: &str| argv.iter().position(|arg| *arg == flag).map(|at| argv[at + 1]);
        let model = format!("{}/{}", after("--provider").unwrap(), after("--model").unwrap());
        let cursor =
            after("--session").map(|path| path.rsplit('_').next().unwrap().trim_end_matches(".jsonl").to_owned());
        self.live = Live::new();
        let mut outputs = self.live.harness.open(cursor.as_deref(), &[("model", &model)]);
        outputs.extend(self.live.answer_all());
        self.played.holes.push(self.live.harness.spawned.last().unwrap().2.clone());
        self.played.outputs.extend(outputs);
    }

    /// What the recorded client wrote, as a command.
    fn write(&mut self, line: &str) {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        let Some(kind) = message["type"].as_str() else { return };
        let before = self.live.harness.written.len();
        let said = || Some(Message::of_text(message["message"].as_str()?));
        let outputs = match kind {
            "prompt" | "steer" | "follow_up" => match said() {
                Some(said) if self.is_busy() => self.live.harness.command(CommandBody::SteerRun(said)),
                Some(said) => self.live.harness.command(CommandBody::SendRun(said)),
                None => return,
            },
            "abort" => self.live.harness.interrupt(),
            _ => return,
        };
        self.played.outputs.extend(outputs);
        let ours: Vec<Value> =
            self.live.harness.written[before..].iter().map(|(_, text)| serde_json::from_str(text).unwrap()).collect();
        if let Some(ours) = ours.first() {
            self.ids.insert(message["id"].as_str().unwrap().to_owned(), ours["id"].as_str().unwrap().to_owned());
            self.played.written.push((message, ours.clone()));
        }
    }

    fn is_busy(&self) -> bool {
        let opened = self.played.outputs.iter().rev().find_map(|output| match output {
            Output::Event(Event { body: EventBody::TurnEnded(_), .. }) => Some(false),
            Output::Event(Event { body: EventBody::TurnStarted(_), .. }) => Some(true),
            Output::Done(OpResult { outcome: Ok(OpValue::Delivered(_)), .. }) => Some(true),
            _ => None,
        });
        opened == Some(true)
    }

    fn frame(&mut self, line: &str) {
        let mut line = line.to_owned();
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        if message["type"] == "response" {
            self.settle();
        }
        for (theirs, ours) in &self.ids {
            line = line.replace(&format!("\"id\":\"{theirs}\""), &format!("\"id\":\"{ours}\""));
        }
        let outputs = self.live.harness.frame(self.live.channel(), &line);
        self.played.outputs.extend(outputs.iter().cloned());
        self.played.heard.push(Heard { line, outputs });
    }
}

/// A session driven by hand, and a program that answers questions about itself.
pub struct Live {
    pub harness: Harness<Pi>,
    /// What the program says of itself.
    pub state: Value,
    /// So many lines of the plugin were looked at.
    pub answered: usize,
}

impl Live {
    pub fn new() -> Live {
        let mut harness = Harness::new();
        harness.start("{}");
        let model = json!({"id": "mock-model", "name": "mock-model", "provider": "mock", "input": ["text"], "contextWindow": 128000});
        let state = json!({"model": model, "thinkingLevel": "medium", "isStreaming": false, "isCompacting": false,
            "sessionId": SESSION, "pendingMessageCount": 0});
        Live { harness, state, answered: 0 }
    }

    /// A session whose handshake is through.
    pub fn ready() -> Live {
        let mut live = Live::new();
        live.harness.open(None, &[]);
        live.answer_all();
        live
    }

    pub fn channel(&self) -> u32 {
        self.harness.spawned.first().unwrap().0
    }

    pub fn frame(&mut self, line: Value) -> Vec<Output> {
        self.harness.frame(self.channel(), &line.to_string())
    }

    /// The last line that was written.
    pub fn last(&self) -> Value {
        serde_json::from_str(&self.harness.written.last().unwrap().1).unwrap()
    }

    /// Answers the last line.
    pub fn reply(&mut self, data: Value) -> Vec<Output> {
        let asked = self.last();
        self.frame(
            json!({"id": asked["id"], "type": "response", "command": asked["type"], "success": true, "data": data}),
        )
    }

    /// Refuses the last line.
    pub fn refuse(&mut self, error: &str) -> Vec<Output> {
        let asked = self.last();
        self.frame(
            json!({"id": asked["id"], "type": "response", "command": asked["type"], "success": false, "error": error}),
        )
    }

    /// Answers all questions about the program that it was asked and did not answer.
    pub fn answer_all(&mut self) -> Vec<Output> {
        let mut outputs = vec![];
        while self.answered < self.harness.written.len() {
            let (channel, text) = self.harness.written[self.answered].clone();
            self.answered += 1;
            let asked: Value = serde_json::from_str(&text).unwrap();
            let data = match asked["type"].as_str() {
                Some("get_state") => self.state.clone(),
                Some("get_available_models") => json!({"models": [self.state["model"]]}),
                Some("get_commands") => {
                    json!({"commands": [{"name": "review", "description": "Reviews.", "source": "prompt"},
                    {"name": "stats", "source": "extension"}]})
                }
                Some("get_fork_messages") => {
                    json!({"messages": [{"entryId": "ea5b6aa3", "text": "One"}, {"entryId": "4508e64a", "text": "Two"}]})
                }
                _ => continue,
            };
            let reply =
                json!({"id": asked["id"], "type": "response", "command": asked["type"], "success": true, "data": data});
            outputs.extend(self.harness.frame(channel, &reply.to_string()));
        }
        outputs
    }

    /// The program takes the last line and begins.
    pub fn begins(&mut self, text: &str) -> Vec<Output> {
        let mut outputs = self.reply(Value::Null);
        outputs.extend(self.frame(json!({"type": "agent_start"})));
        outputs.extend(self.frame(user(text)));
        outputs
    }

    /// A whole turn with one answer.
    pub fn turn(&mut self, text: &str) -> Vec<Output> {
        let mut outputs = self.harness.say(text);
        outputs.extend(self.begins(text));
        outputs.extend(self.ends("stop", None));
        outputs
    }

    /// The model's message, and the end that it seems to be.
    pub fn ends(&mut self, stop: &str, error: Option<&str>) -> Vec<Output> {
        let content = json!([{"type": "text", "text": "Yes."}]);
        let message = json!({"role": "assistant", "content": content, "stopReason": stop, "errorMessage": error});
        let mut outputs = self.frame(json!({"type": "message_start", "message": {"role": "assistant", "content": []}}));
        outputs.extend(self.frame(json!({"type": "message_end", "message": message})));
        outputs.extend(self.frame(json!({"type": "turn_end", "message": message, "toolResults": []})));
        outputs.extend(self.frame(json!({"type": "agent_end", "messages": []})));
        outputs
    }
}

pub fn user(text: &str) -> Value {
    json!({"type": "message_start", "message": {"role": "user", "content": [{"type": "text", "text": text}]}})
}

/// What was said, as the compact text.
pub fn shown(outputs: &[Output]) -> Vec<String> {
    project(outputs).lines().map(str::to_owned).collect()
}
