//! Plays a recorded conversation against the plugin: what the recorded client wrote becomes commands, what the program wrote
//! becomes frames. Ids that the client chose (control requests, the session) are translated to the plugin's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jackfield_plugin_claude_code::ClaudeCode;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::Harness;
use jackfield_sdk::testing::recording::{Heard, lines, recordings};
use serde_json::Value;

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
    /// All outputs, in order.
    pub outputs: Vec<Output>,
    /// By line of the program.
    pub heard: Vec<Heard>,
    /// The holes that each start of the program was given.
    pub holes: Vec<Pairs>,
    /// Answers of the recorded client to requests, beside those of the plugin.
    pub answers: Vec<(Value, Value)>,
}

/// Plays a recording.
#[allow(dead_code)]
pub fn play(name: &str) -> Played {
    play_in(&folder(), name)
}

/// Plays a recording of another folder.
pub fn play_in(folder: &Path, name: &str) -> Played {
    let mut player = Player {
        harness: Harness::new(),
        played: Played::default(),
        controls: BTreeMap::new(),
        inputs: BTreeMap::new(),
        session: None,
    };
    lines(folder, name).iter().for_each(|(dir, line)| player.row(dir, line));
    player.played
}

/// The cursor that stands for a recorded start.
fn cursor(argv: &[&str]) -> Option<String> {
    let after = |flag: &str| argv.iter().position(|arg| *arg == flag).map(|at| argv[at + 1]);
    let at = after("--resume-session-at").map(|at| format!("@{at}")).unwrap_or_default();
    let copy = if argv.contains(&"--fork-session") { ">00000000-0000-4000-8000-00000000c097" } else { "" };
    Some(format!("{}{at}{copy}", after("--resume")?))
}

struct Player {
    harness: Harness<ClaudeCode>,
    played: Played,
    /// Control requests of the recorded client, and the plugin's for the same.
    controls: BTreeMap<String, String>,
    /// What the program asked, by request.
    inputs: BTreeMap<String, Value>,
    /// The session's recorded id and ours.
    session: Option<String>,
}

impl Player {
    fn row(&mut self, dir: &str, line: &str) {
        match dir {
            "spawn" => self.spawn(&serde_json::from_str(line).unwrap()),
            "in" => self.write(line),
            "out" => self.frame(line),
            "err" => {
                let outputs = self.harness.stderr(self.channel(), line);
                self.heard(line, outputs);
            }
            "in_eof" => {
                let outputs = self.harness.command(CommandBody::CloseThread);
                self.played.outputs.extend(outputs);
            }
            "exit" => {
                let code = line.parse().ok();
                let outputs = self.harness.closed(self.channel(), code, "");
                self.played.outputs.extend(outputs);
            }
            _ => {}
        }
    }

    fn channel(&self) -> u32 {
        self.harness.spawned.last().unwrap().0
    }

    fn spawn(&mut self, spawn: &Value) {
        let argv: Vec<_> = spawn["argv"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        let after = |flag: &str| argv.iter().position(|arg| *arg == flag).map(|at| argv[at + 1]);
        let mut selection = vec![("model", after("--model").unwrap())];
        selection.extend(after("--permission-mode").map(|mode| ("mode", mode)));
        self.harness = Harness::new();
        self.harness.start("{}");
        let outputs = self.harness.open(cursor(&argv).as_deref(), &selection);
        self.played.holes.push(self.harness.spawned.last().unwrap().2.clone());
        self.played.outputs.extend(outputs);
        self.session = None;
    }

    /// What the recorded client wrote, as a command.
    fn write(&mut self, line: &str) {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        let before = self.harness.written.len();
        let outputs = match message["type"].as_str() {
            Some("user") => self.user(&message),
            Some("control_request") => self.control(&message),
            Some("control_response") => self.respond(&message),
            _ => vec![],
        };
        self.played.outputs.extend(outputs);
        let written =
            self.harness.written[before..].first().map(|(_, text)| serde_json::from_str::<Value>(text).unwrap());
        match (message["type"].as_str(), written) {
            (Some("control_request"), Some(ours)) => {
                let id = |message: &Value| message["request_id"].as_str().unwrap().to_owned();
                self.controls.insert(id(&message), id(&ours));
            }
            (Some("control_response"), Some(ours)) => self.played.answers.push((message, ours)),
            _ => {}
        }
    }

    fn user(&mut self, message: &Value) -> Vec<Output> {
        let mut said = Message::of_text(message["message"]["content"].as_str().unwrap());
        if let Some(uuid) = message["uuid"].as_str() {
            said.uuid = uuid.to_owned();
        }
        let busy = self.played.outputs.iter().rev().find_map(|output| match output {
            Output::Event(Event { body: EventBody::TurnEnded(_), .. }) => Some(false),
            Output::Event(Event { body: EventBody::TurnStarted(_), .. }) => Some(true),
            _ => None,
        });
        let body = if busy == Some(true) { CommandBody::SteerRun(said) } else { CommandBody::SendRun(said) };
        self.harness.command(body)
    }

    fn control(&mut self, message: &Value) -> Vec<Output> {
        let request = &message["request"];
        let text = |key: &str| request[key].as_str().unwrap().to_owned();
        match request["subtype"].as_str().unwrap() {
            "initialize" => {
                self.controls.insert(message["request_id"].as_str().unwrap().to_owned(), "jackfield-1".into());
                vec![]
            }
            "interrupt" => self.harness.interrupt(),
            "set_model" => self.harness.command(CommandBody::SetSelection(vec![("model".into(), text("model"))])),
            "set_permission_mode" => {
                self.harness.command(CommandBody::SetSelection(vec![("mode".into(), text("mode"))]))
            }
            _ => vec![],
        }
    }

    fn respond(&mut self, message: &Value) -> Vec<Output> {
        let outer = &message["response"];
        let (id, response) = (outer["request_id"].as_str().unwrap(), &outer["response"]);
        let note = response["message"].as_str().map(str::to_owned);
        let edited = response.get("updatedInput").filter(|input| Some(*input) != self.inputs.get(id));
        let input = edited.map(Value::to_string);
        let chosen = |option: &str| Reply::Chosen(Chosen { option_id: option.into(), note, input });
        let reply = match (response["behavior"].as_str(), &response["updatedInput"]["answers"]) {
            (Some("allow"), Value::Object(answers)) => {
                let values = answers.values().map(|value| value.as_str().unwrap().to_owned()).collect();
                Reply::Filled(vec![Filled { question: "question-0".into(), values }])
            }
            (Some("allow"), _) if response["updatedPermissions"].is_array() => chosen("suggestion-0"),
            (Some("allow"), _) => chosen("allow"),
            (Some("deny"), _) if response["interrupt"] == true => chosen("abort"),
            (Some("deny"), _) => chosen("reject"),
            _ => return vec![],
        };
        self.harness.command(CommandBody::Respond(Answer { request: id.to_owned(), reply }))
    }

    fn frame(&mut self, line: &str) {
        let mut line = line.to_owned();
        for (theirs, ours) in &self.controls {
            line = line.replace(&format!("\"request_id\":\"{theirs}\""), &format!("\"request_id\":\"{ours}\""));
        }
        let session = |line: &str| Some(serde_json::from_str::<Value>(line).ok()?["session_id"].as_str()?.to_owned());
        if self.session.is_none() {
            self.session = session(&line);
        }
        if let Some(recorded) = &self.session {
            let holes = self.played.holes.last().unwrap();
            let id = |wanted: &str| holes.iter().find(|(name, _)| name == wanted);
            let ours = ["copy", "session", "resume"].into_iter().find_map(id).unwrap();
            line = line.replace(recorded, &ours.1);
        }
        if let Ok(asked) = serde_json::from_str::<Value>(&line)
            && asked["type"] == "control_request"
        {
            self.inputs.insert(asked["request_id"].as_str().unwrap().to_owned(), asked["request"]["input"].clone());
        }
        let outputs = self.harness.frame(self.channel(), &line);
        self.heard(&line, outputs);
    }

    fn heard(&mut self, line: &str, outputs: Vec<Output>) {
        self.played.outputs.extend(outputs.iter().cloned());
        self.played.heard.push(Heard { line: line.to_owned(), outputs });
    }
}
