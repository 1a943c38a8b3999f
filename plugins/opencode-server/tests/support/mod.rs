//! Plays a recorded conversation against the plugin: what the recorded client asked becomes commands, what the server answered and told
//! becomes results and frames.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::PathBuf;

use jackfield_plugin_opencode_server::OpenCode;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::Harness;
use jackfield_sdk::testing::recording::{Heard, lines, recordings};
use serde_json::{Value, json};

/// All recordings, by name.
pub fn names() -> Vec<String> {
    recordings(&folder(), 10)
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/recordings/opencode-serve")
}

/// A recording played to its end.
#[derive(Default)]
pub struct Played {
    /// All outputs, in order.
    pub outputs: Vec<Output>,
    /// By event of the server.
    pub heard: Vec<Heard>,
    /// What the recorded client asked, beside what the plugin did.
    pub asked: Vec<(Value, Value)>,
}

/// A session driven by hand, and a server that answers.
pub struct Live {
    pub harness: Harness<OpenCode>,
    pub outputs: Vec<Output>,
    /// Wishes that were not answered: the effect, method, path, body.
    pub open: Vec<(u32, String, String, Value)>,
    pub events: u32,
}

impl Live {
    pub fn new() -> Live {
        let mut harness = Harness::new();
        harness.start("{}");
        Live { harness, outputs: vec![], open: vec![], events: 0 }
    }

    /// Takes what the plugin said.
    pub fn take(&mut self, outputs: Vec<Output>) -> Vec<Output> {
        for output in &outputs {
            if let Output::Effect(Effect { id, body: EffectBody::Http(asked) }) = output {
                let body = match &asked.body {
                    Some(FrameData::Text(text)) => serde_json::from_str(text).unwrap(),
                    _ => Value::Null,
                };
                if asked.streaming {
                    self.events = *id;
                } else {
                    self.open.push((*id, asked.method.clone(), asked.path.clone(), body));
                }
            }
        }
        self.outputs.extend(outputs.iter().cloned());
        outputs
    }

    pub fn do_with(&mut self, act: impl FnOnce(&mut Harness<OpenCode>) -> Vec<Output>) -> Vec<Output> {
        let outputs = act(&mut self.harness);
        self.take(outputs)
    }

    /// The server answers the oldest wish for this path.
    pub fn answer(&mut self, path: &str, status: u32, body: &str) -> Vec<Output> {
        let at = self.open.iter().position(|(_, _, asked, _)| asked == path);
        let at = at.unwrap_or_else(|| panic!("nobody asked for {path}: {:?}", self.open));
        let (id, ..) = self.open.remove(at);
        self.respond(id, status, Some(body))
    }

    fn respond(&mut self, id: u32, status: u32, body: Option<&str>) -> Vec<Output> {
        let body = body.map(|body| FrameData::Text(body.to_owned()));
        let response = HttpResponse { status, headers: vec![], body };
        self.do_with(|harness| harness.effect_done(id, Ok(EffectValue::Response(response))))
    }

    /// Opens the conversation, up to what is asked of it.
    pub fn begin(&mut self, cursor: Option<&str>) {
        self.do_with(|harness| harness.open(cursor, &[]));
        self.serves();
        self.listens();
    }

    /// The program says that it serves.
    pub fn serves(&mut self) -> Vec<Output> {
        let server = self.harness.spawned[0].0;
        self.do_with(|harness| harness.frame(server, "opencode server listening on http://127.0.0.1:4096"))
    }

    /// The stream of events begins.
    pub fn listens(&mut self) -> Vec<Output> {
        let events = self.events;
        self.respond(events, 200, None)
    }

    /// The lists that the plugin asks for of itself.
    pub fn lists(&mut self) {
        let models = json!({"providers": [{"id": "mock", "name": "Mock", "models": {"mock-model": {"name": "Mock model", "limit": {"context": 128000}}}}]});
        self.answer("/config/providers", 200, &models.to_string());
        let agents = json!([{"name": "build", "mode": "primary"}, {"name": "plan", "mode": "primary", "description": "Plans."},
            {"name": "general", "mode": "subagent"}]);
        self.answer("/agent", 200, &agents.to_string());
    }

    /// A session whose conversation is open.
    pub fn ready() -> Live {
        let mut live = Live::new();
        live.begin(None);
        live.answer("/session", 200, r#"{"id":"ses_1","title":"New","version":"1.18.33"}"#);
        live.lists();
        live
    }

    pub fn event(&mut self, event: &Value) -> Vec<Output> {
        self.event_text(&event.to_string())
    }

    pub fn event_text(&mut self, text: &str) -> Vec<Output> {
        let events = self.events;
        self.do_with(|harness| harness.frame(events, text))
    }

    /// An event of the conversation's.
    pub fn of_ours(&mut self, kind: &str, mut properties: Value) -> Vec<Output> {
        properties["sessionID"] = json!("ses_1");
        self.event(&json!({"type": kind, "properties": properties}))
    }

    /// A turn that has begun.
    pub fn said(&mut self, text: &str, id: &str) {
        self.do_with(|harness| harness.say(text));
        self.answer("/session/ses_1/prompt_async", 204, "");
        self.of_ours("message.updated", json!({"info": {"id": id, "role": "user"}}));
    }

    pub fn assistant(&mut self, id: &str, more: Value) -> Vec<Output> {
        let mut info = json!({"id": id, "role": "assistant"});
        info.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.of_ours("message.updated", json!({"info": info}))
    }

    pub fn part(&mut self, part: Value) -> Vec<Output> {
        self.of_ours("message.part.updated", json!({"part": part}))
    }
}

/// Plays a recording.
pub fn play(name: &str) -> Played {
    let mut played = Played::default();
    let mut live = Live::new();
    let mut session: Option<String> = None;
    let mut waiting: Option<Value> = None;
    for (dir, line) in lines(&folder(), name) {
        match dir.as_str() {
            "spawn" => {
                played.outputs.append(&mut live.outputs);
                live = Live::new();
                live.begin(session.as_deref());
                if let Some(session) = &session {
                    live.answer(
                        &format!("/session/{session}"),
                        200,
                        &json!({"id": session, "version": "1.18.33"}).to_string(),
                    );
                    live.lists();
                }
            }
            // A message is sent when the server answers it: the recorded client did not wait for a turn's end.
            "in" if line.contains("/prompt_async") => waiting = Some(serde_json::from_str::<Value>(&line).unwrap()),
            "in" => ask(&mut live, &mut played, &serde_json::from_str(&line).unwrap()),
            "out" if line.starts_with('{') => {
                let said: Value = serde_json::from_str(&line).unwrap();
                let path = said["path"].as_str().unwrap();
                if let Some(asked) = waiting.take_if(|asked| asked["path"] == path) {
                    ask(&mut live, &mut played, &asked);
                }
                if !live.open.iter().any(|(_, _, asked, _)| asked == path) {
                    continue;
                }
                live.answer(path, said["status"].as_u64().unwrap() as u32, said["body"].as_str().unwrap());
                if path == "/session" {
                    session = serde_json::from_str::<Value>(said["body"].as_str().unwrap()).unwrap()["id"]
                        .as_str()
                        .map(str::to_owned);
                    live.lists();
                }
            }
            "sse" if line.starts_with("data:") => {
                let line = line["data:".len()..].trim().to_owned();
                let outputs = live.event_text(&line);
                played.heard.push(Heard { line, outputs });
            }
            "exit" => {
                live.do_with(|harness| harness.command(CommandBody::CloseThread));
                let server = live.harness.spawned[0].0;
                live.do_with(|harness| harness.closed(server, None, ""));
            }
            _ => {}
        }
    }
    played.outputs.append(&mut live.outputs);
    played
}

/// What the recorded client asked, as a command.
fn ask(live: &mut Live, played: &mut Played, asked: &Value) {
    let path = asked["path"].as_str().unwrap();
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let before = live.open.len();
    match segments[..] {
        ["session", _, "prompt_async"] => {
            let text = asked["body"]["parts"][0]["text"].as_str().unwrap().to_owned();
            live.do_with(|harness| harness.say(&text));
        }
        ["session", _, "abort"] => _ = live.do_with(Harness::interrupt),
        ["session", _, "permissions", request] => {
            let (request, option) = (request.to_owned(), asked["body"]["response"].as_str().unwrap().to_owned());
            live.do_with(|harness| harness.choose(&request, &option));
        }
        ["session", _, "fork"] => _ = live.do_with(|harness| harness.command(CommandBody::ForkThread(before_last()))),
        ["session", _, "revert"] => {
            _ = live.do_with(|harness| harness.command(CommandBody::RollbackThread(before_last())))
        }
        _ => return,
    }
    let (_, method, path, body) =
        live.open.get(before).cloned().unwrap_or_else(|| panic!("nothing was asked for {asked}"));
    played.asked.push((asked.clone(), json!({"http": method, "path": path, "body": body})));
}

/// The conversation without its last turn; the mark of the one before is the first that was told.
fn before_last() -> Point {
    Point { turn: None, item: None, mark: Some("msg_22dbe899d0015NTL60mdEFtPpy".into()), turns_after: 1 }
}
