//! Plays a recorded conversation against the plugin: what the recorded client wrote becomes commands, what the agent wrote becomes
//! frames. Ids of calls that the client chose are translated to the plugin's; a call that is no command is left out with its answer.
#![allow(dead_code, reason = "each test uses a part of it")]

mod project;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jackfield_plugin_acp::{Acp, ByData};
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::recording::{Heard, lines, recordings};
use jackfield_sdk::testing::{Harness, with_data};
use serde_json::{Value, json};

#[allow(unused_imports, reason = "each test uses a part of it")]
pub use project::project;

/// The agents that were recorded.
pub const AGENTS: [&str; 4] = ["copilot", "gemini", "opencode", "claude-agent-acp"];

/// The `[data]` of a bundled manifest, as JSON.
pub fn data(agent: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("dialects").join(agent).join("plugin.toml");
    let manifest: toml::Table = toml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    serde_json::to_string(&manifest["data"]).unwrap()
}

fn folder(agent: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/recordings").join(agent)
}

/// All recordings of an agent, by name.
pub fn names(agent: &str) -> Vec<String> {
    recordings(&folder(agent), 26)
}

/// Each recording of each agent.
pub fn each(mut then: impl FnMut(&str, &str, Played)) {
    for agent in AGENTS {
        for name in names(agent) {
            then(agent, &name, play(agent, &name));
        }
    }
}

/// A recording played to its end.
#[derive(Default)]
pub struct Played {
    pub outputs: Vec<Output>,
    pub heard: Vec<Heard>,
    /// What the plugin wrote.
    pub written: Vec<Value>,
    /// Answers of the recorded client to permissions, beside those of the plugin.
    pub answers: Vec<(Value, Value)>,
}

pub fn play(agent: &str, name: &str) -> Played {
    play_in(agent, &folder(agent), name)
}

/// Plays a recording of another folder.
pub fn play_in(agent: &str, folder: &Path, name: &str) -> Played {
    with_data(&data(agent), || {
        let mut player = Player::default();
        lines(folder, name).iter().for_each(|(dir, line)| player.row(dir, line));
        player.played
    })
}

#[derive(Default)]
struct Player {
    harness: Harness<Acp<ByData>>,
    played: Played,
    /// Calls of the recorded client, and the plugin's for the same.
    calls: BTreeMap<String, Value>,
    /// Calls that have no command.
    left_out: Vec<String>,
    op: u32,
    /// How much of what was written is known.
    seen: usize,
}

impl Player {
    fn channel(&self) -> u32 {
        self.harness.spawned.last().unwrap().0
    }

    fn row(&mut self, dir: &str, line: &str) {
        match dir {
            "spawn" => {
                self.harness = Harness::new();
                self.seen = 0;
                let outputs = self.harness.start("{}");
                self.played.outputs.extend(outputs);
            }
            "in" => self.write(line),
            "out" => self.frame(line),
            "err" => {
                let outputs = self.harness.stderr(self.channel(), line);
                self.heard(line, outputs);
            }
            "in_eof" => {
                let outputs = self.harness.close();
                self.played.outputs.extend(outputs);
            }
            "exit" => {
                let outputs = self.harness.closed(self.channel(), line.split(' ').next().unwrap().parse().ok(), "");
                self.played.outputs.extend(outputs);
            }
            _ => {}
        }
        self.look_at_writes();
    }

    fn look_at_writes(&mut self) {
        let new = self.harness.written[self.seen..].iter().map(|(_, text)| serde_json::from_str(text).unwrap());
        self.played.written.extend(new);
        self.seen = self.harness.written.len();
    }

    fn command(&mut self, thread: Option<&str>, body: CommandBody) {
        self.op += 1;
        let command = Command { op: 1000 + self.op, thread: thread.map(str::to_owned), body };
        let outputs = self.harness.input(Input::Command(command));
        self.played.outputs.extend(outputs);
    }

    fn write(&mut self, line: &str) {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        let before = self.harness.written.len();
        let params = &message["params"];
        let thread = params["sessionId"].as_str();
        let open = |cursor: Option<&str>| {
            CommandBody::OpenThread(OpenThread {
                cursor: cursor.map(str::to_owned),
                selection: vec![],
                context: vec![],
                folder: None,
                extra: vec![],
            })
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match message["method"].as_str() {
            Some("initialize") if params["clientInfo"].is_object() => {
                // The start did it.
                let id = serde_json::from_str::<Value>(&self.harness.written[0].1).unwrap()["id"].clone();
                self.calls.insert(message["id"].to_string(), id);
                return;
            }
            Some("session/new") if params["cwd"].is_string() => self.command(None, open(None)),
            Some("session/load" | "session/resume") => self.command(None, open(thread)),
            Some("session/prompt") => {
                let said = text(&params["prompt"][0]["text"]);
                self.command(thread, CommandBody::SendRun(Message::of_text(said)));
            }
            Some("session/cancel") => {
                self.command(thread, CommandBody::Interrupt(Interrupt { turn: None, keep_background: false }));
            }
            Some("session/set_mode") => self.select(thread, "mode", text(&params["modeId"])),
            Some("session/set_model") => self.select(thread, "model", text(&params["modelId"])),
            Some("session/set_config_option") => {
                let name = text(&params["configId"]);
                self.select(thread, &name, text(&params["value"]));
            }
            Some("session/list") if params["cwd"].is_string() => {
                let list = ListThreads { folder: Some(text(&params["cwd"])), page: None, limit: 50 };
                self.command(None, CommandBody::ListThreads(list));
            }
            Some("session/fork") => {
                let point = Point { turn: None, item: None, mark: None, turns_after: 0 };
                self.command(thread, CommandBody::ForkThread(point));
            }
            Some("session/close") => self.command(thread, CommandBody::CloseThread),
            Some("authenticate") => self.command(None, CommandBody::Authenticate(text(&params["methodId"]))),
            None if message["result"]["outcome"].is_object() || message["error"].is_object() => self.respond(&message),
            _ => {}
        }
        let written: Vec<Value> =
            self.harness.written[before..].iter().map(|(_, text)| serde_json::from_str(text).unwrap()).collect();
        let call = written.iter().find(|ours| ours["method"].is_string() && !ours["id"].is_null());
        match call {
            Some(ours) if !message["id"].is_null() && message["method"].is_string() => {
                self.calls.insert(message["id"].to_string(), ours["id"].clone());
            }
            _ if message["method"].is_string() && !message["id"].is_null() => {
                self.left_out.push(message["id"].to_string())
            }
            _ => {}
        }
        if let (None, Some(ours)) = (message["method"].as_str(), written.first()) {
            self.played.answers.push((message, ours.clone()));
        }
    }

    fn select(&mut self, thread: Option<&str>, name: &str, value: String) {
        self.command(thread, CommandBody::SetSelection(vec![(name.to_owned(), value)]));
    }

    /// An answer of the recorded client's. An error of its is nobody's answer.
    fn respond(&mut self, message: &Value) {
        let reply = match message["result"]["outcome"]["optionId"].as_str() {
            Some(option) => Reply::Chosen(Chosen { option_id: option.to_owned(), note: None, input: None }),
            None => Reply::Dismissed,
        };
        let request = message["id"].to_string();
        self.command(None, CommandBody::Respond(Answer { request, reply }));
    }

    fn frame(&mut self, line: &str) {
        let line = match serde_json::from_str::<Value>(line) {
            Ok(mut message) if message["method"].is_null() && !message["id"].is_null() => {
                let id = message["id"].to_string();
                match self.calls.get(&id) {
                    Some(ours) => message["id"] = ours.clone(),
                    None if self.left_out.contains(&id) => return,
                    None => {}
                }
                message.to_string()
            }
            _ => line.to_owned(),
        };
        let outputs = self.harness.frame(self.channel(), &line);
        self.heard(&line, outputs);
    }

    fn heard(&mut self, line: &str, outputs: Vec<Output>) {
        self.played.outputs.extend(outputs.clone());
        self.played.heard.push(Heard { line: line.to_owned(), outputs });
    }
}

/// A session of a dialect that is ready, driven by hand.
pub struct Live {
    pub harness: Harness<Acp<ByData>>,
    pub answered: usize,
}

impl Live {
    /// The program runs and was asked for its handshake.
    pub fn raw() -> Self {
        let mut live = Live { harness: Harness::new(), answered: 0 };
        live.harness.start("{}");
        live
    }

    /// Started, with a handshake that offers these capabilities.
    pub fn started(capabilities: Value) -> Self {
        let mut live = Live::raw();
        live.answer(json!({
            "protocolVersion": 1, "agentCapabilities": capabilities, "agentInfo": {"name": "a", "version": "1.2.3"},
            "authMethods": [{"id": "key", "name": "A key", "description": "set KEY"}],
        }));
        live
    }

    /// With a conversation `s`.
    pub fn ready(capabilities: Value) -> Self {
        let mut live = Live::started(capabilities);
        live.harness.open(None, &[]);
        live.answer(json!({"sessionId": "s"}));
        live
    }

    /// What was written and has not been looked at.
    pub fn written(&mut self) -> Vec<Value> {
        let new = self.harness.written[self.answered..].iter().map(|(_, text)| serde_json::from_str(text).unwrap());
        let new = new.collect();
        self.answered = self.harness.written.len();
        new
    }

    /// The last call, answered.
    pub fn answer(&mut self, result: Value) -> Vec<Output> {
        let call = self.last_call();
        self.frame(json!({"jsonrpc": "2.0", "id": call["id"], "result": result}))
    }

    pub fn fail(&mut self, code: i64, message: &str) -> Vec<Output> {
        let call = self.last_call();
        self.frame(json!({"jsonrpc": "2.0", "id": call["id"], "error": {"code": code, "message": message}}))
    }

    /// The last call that was written.
    pub fn last_call(&self) -> Value {
        let written = self.harness.written.iter().rev().map(|(_, text)| serde_json::from_str::<Value>(text).unwrap());
        written.into_iter().find(|message| message["method"].is_string() && !message["id"].is_null()).unwrap()
    }

    pub fn frame(&mut self, message: Value) -> Vec<Output> {
        let channel = self.harness.spawned.last().unwrap().0;
        self.harness.frame(channel, &message.to_string())
    }

    pub fn update(&mut self, update: Value) -> Vec<Output> {
        self.update_of("s", update)
    }

    pub fn update_of(&mut self, session: &str, update: Value) -> Vec<Output> {
        self.frame(
            json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}}),
        )
    }

    pub fn call(&mut self, id: Value, method: &str, params: Value) -> Vec<Output> {
        self.frame(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }
}
