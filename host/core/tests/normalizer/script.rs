//! Plays the script of a case: one thing per line, `@name=value` before it says where it happens.

use jackfield_core::capability::{Capabilities, FLAGS, flag};
use jackfield_core::contract::{self, CapabilityValue, Chosen, Content, Disposition, EventBody, Fault, Reply};
use jackfield_core::event::{AttemptReason, SessionEnd};
use jackfield_core::id::{RequestId, RunId, SessionId, ThreadId};
use jackfield_core::limits::Limits;
use jackfield_core::normalizer::{
    BeginRun, Cause, Disposed, JoinedRun, Normalizer, Record, Routed, SessionEnded, SessionScope,
};
use jackfield_core::policy::{Handling, PolicyConfig};
use serde_json::{Value, json};

/// A normalizer at work on a script.
struct Player {
    normalizer: Normalizer,
    capabilities: Capabilities,
    at_ms: u64,
    frame: Option<u64>,
    seen: Vec<Line>,
}

#[allow(clippy::large_enum_variant)] // A handful per case.
/// What was seen: an event, or the words of an answer that was not taken.
pub enum Line {
    /// An event.
    Event(Routed),
    /// Something that the script asked for.
    Said(String),
}

/// All that was seen.
pub fn play(script: &str) -> Vec<Line> {
    let scope =
        SessionScope { instance: "test".into(), session: SessionId::from_digits("5e5"), epoch: 0, thread: thread(1) };
    let mut limits = Limits::default();
    for (name, value) in script.lines().filter_map(|line| line.strip_prefix("limit ")?.split_once(' ')) {
        let mut table = serde_json::to_value(&limits).expect("limits are data");
        table[name] = value.parse::<u64>().expect("a number").into();
        limits = serde_json::from_value(table).expect("a known limit");
    }
    let normalizer = Normalizer::new(scope, &limits);
    let mut player =
        Player { normalizer, capabilities: Capabilities::default(), at_ms: 1_000, frame: None, seen: Vec::new() };
    for line in
        script.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#') && !line.starts_with("limit "))
    {
        player.line(line);
    }
    player.seen
}

fn thread(number: u32) -> ThreadId {
    ThreadId::from_digits(&format!("a{number}"))
}

fn run(op: &str) -> RunId {
    RunId::from_digits(&format!("b{op}"))
}

fn number(text: &str) -> u32 {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

fn fault(message: &str) -> Fault {
    serde_json::from_value(json!({"kind": "overloaded", "message": message, "retryable": false})).expect("a fault")
}

impl Player {
    fn line(&mut self, line: &str) {
        let mut scope = json!({"replayed": false});
        let mut rest = line.trim();
        while let Some(tail) = rest.strip_prefix('@') {
            let (word, tail) = tail.split_once(' ').expect("something after the place");
            match word.split_once('=') {
                Some((name, value)) => scope[name] = value.into(),
                None => scope[word] = true.into(),
            }
            rest = tail.trim_start();
        }
        let scope = (scope != json!({"replayed": false})).then(|| serde_json::from_value(scope).expect("a place"));
        let (verb, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        match event(verb, rest) {
            Some(body) => {
                let body: EventBody =
                    serde_json::from_value(body.clone()).unwrap_or_else(|error| panic!("{line}: {error}: {body}"));
                let cause = Cause { frame: self.frame, at_ms: self.at_ms };
                let routed = self.normalizer.accept(cause, contract::Event { scope, body });
                self.see(routed);
            }
            None => self.act(verb, rest),
        }
    }

    fn see(&mut self, routed: Vec<Routed>) {
        self.seen.extend(routed.into_iter().map(Line::Event));
    }

    fn act(&mut self, verb: &str, rest: &str) {
        let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
        let content = || vec![Content::Text(more.replace("\\n", "\n"))];
        let routed = match verb {
            "caps" => return self.caps(rest),
            "at" => {
                self.at_ms = number(rest).into();
                return;
            }
            "frame" => {
                self.frame = Some(number(rest).into());
                self.normalizer.frame_in(number(rest).into());
                return;
            }
            "out" => {
                self.normalizer.frame_out(number(rest).into());
                return;
            }
            "dispose" => {
                self.normalizer.dispose(number(first).into(), disposed(more));
                return;
            }
            "batch" => self.normalizer.end_batch(),
            "tick" => self.normalizer.tick(number(rest).into()),
            // What the thread holds already: `said WORDS` of a person, `id ITEM`, `nothing`.
            "holds" => return self.normalizer.recall(&thread(1), held(rest)),
            "read" => return self.normalizer.begin_replay(&thread(1)),
            "page" => self.normalizer.end_replay(&thread(1)),
            "bind" => self.normalizer.bind_thread(first, thread(number(more))),
            "run" | "run2" => self.normalizer.begin_run(BeginRun {
                run: run(first),
                ordinal: number(first),
                op: number(first),
                thread: thread(if verb == "run2" { 2 } else { 1 }),
                content: content(),
                attempt: AttemptReason::Initial,
                at_ms: self.at_ms,
            }),
            "hand" => {
                self.normalizer.hand(&thread(1), &run(first), number(first), &content());
                return;
            }
            "joined" => self.normalizer.joined(JoinedRun {
                run: run(first),
                thread: thread(1),
                content: content(),
                into: None,
                inferred: false,
                at_ms: self.at_ms,
            }),
            "interrupt" => {
                self.normalizer.interrupting(&run(rest));
                return;
            }
            "fail" => self.normalizer.fail_run(&run(first), fault(more)),
            "cancel" => self.normalizer.cancel_run(&run(first)),
            "answer" | "edit" | "dismiss" | "fill" => return self.answer(verb, first, more),
            "written" => self.normalizer.answered(&self.request(rest), Ok(())),
            "unwritten" => self.normalizer.answered(&self.request(rest), Err(fault("broken pipe"))),
            "session-end" => self.normalizer.end_session(SessionEnded {
                end: if first == "closed" { SessionEnd::Closed } else { SessionEnd::ProviderExited },
                fault: None,
                exit_code: more.parse().ok(),
                signal: None,
                stderr_tail: if more == "1" { "panic: token=abc".into() } else { String::new() },
            }),
            _ => panic!("nobody knows {verb:?}"),
        };
        self.see(routed);
    }

    /// `strong`, `weak` or `none` for all ids, then `-group.flag` to weaken one.
    fn caps(&mut self, rest: &str) {
        let mut words = rest.split_whitespace();
        let strength = words.next().unwrap_or("strong");
        self.capabilities = Capabilities::strongest();
        for flag in FLAGS.iter().filter(|flag| flag.group == "identity") {
            flag.set(&mut self.capabilities, &CapabilityValue::Word(strength.into()));
        }
        for word in words {
            let name = word.trim_start_matches('-');
            flag(name).unwrap_or_else(|| panic!("no flag {name}")).weaken(&mut self.capabilities);
        }
        self.normalizer.set_handling(Handling::of(&self.capabilities, &PolicyConfig::default()));
    }

    /// The request of this number, in the order in which they were opened; `?` is one that never was.
    fn request(&self, number: &str) -> RequestId {
        let opened = self.seen.iter().filter_map(|line| match line {
            Line::Event(routed) => match &routed.draft.body {
                jackfield_core::event::EventBody::RequestOpened { request } => Some(&request.id),
                _ => None,
            },
            Line::Said(_) => None,
        });
        match number {
            "?" => RequestId::from_digits("0"),
            number => {
                opened.into_iter().nth(self::number(number) as usize - 1).cloned().expect("a request that was opened")
            }
        }
    }

    fn answer(&mut self, verb: &str, request: &str, rest: &str) {
        let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
        let chosen = |input| Reply::Chosen(Chosen { option_id: first.into(), note: None, input });
        let reply = match verb {
            "answer" => chosen(None),
            "edit" => chosen(Some(more.into())),
            "fill" => Reply::Filled(vec![contract::Filled {
                question: first.into(),
                values: more.split('|').map(str::to_owned).collect(),
            }]),
            _ => Reply::Dismissed,
        };
        let id = self.request(request);
        let said = match self.normalizer.answer(&id, reply, "user") {
            Ok(answer) => format!("to the provider: {}", serde_json::to_string(&answer).expect("plain data")),
            Err(error) => format!("not taken, {}: {}", error.code(), error.to_string().replace(id.as_str(), "it")),
        };
        self.seen.push(Line::Said(said));
    }
}

/// `said one | assistant m1 two | tool t1 | back`: what is taken back is all that a person said before.
fn held(text: &str) -> Record {
    let mut record = Record::default();
    let item = |native: &str, mut item: Value| {
        (item["id"], item["ordinal"], item["status"]) = ("itm_1".into(), 1.into(), "completed".into());
        item["native_id"] = (native != "-").then_some(native).into();
        json!({"type": "item.ended", "item": item})
    };
    for (at, one) in text.split(" | ").filter(|one| *one != "nothing").enumerate() {
        let (kind, rest) = one.split_once(' ').unwrap_or((one, ""));
        let (native, words) = rest.split_once(' ').unwrap_or((rest, ""));
        let body = match kind {
            "said" => {
                item("-", json!({"kind": "user_message", "typed": true, "content": [{"type": "text", "value": rest}]}))
            }
            "assistant" => item(native, json!({"kind": "assistant_message", "text": words})),
            "tool" => item(native, json!({"kind": "tool", "tool": {"kind": "execute", "name": words}})),
            "back" => json!({"type": "thread.rolled_back", "turns": [], "runs": [run("1")]}),
            _ => panic!("a thread holds no {kind:?}"),
        };
        let mut event = json!({"seq": at + 1, "at_ms": 0, "thread": thread(1), "run": run("1"), "origin": {}});
        event.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
        record.take(&serde_json::from_value(event).unwrap_or_else(|error| panic!("{one}: {error}")));
    }
    record
}

fn disposed(word: &str) -> Disposed {
    match word {
        "held" => Disposed::Plugin(Disposition::Held),
        "duplicate" => Disposed::Plugin(Disposition::Duplicate),
        "noise" => Disposed::Noise,
        "too-large" => Disposed::TooLarge,
        kind => match kind.strip_prefix("unknown ") {
            Some(kind) => Disposed::Plugin(Disposition::Unknown(kind.into())),
            None => Disposed::Plugin(Disposition::Silent(kind.into())),
        },
    }
}

/// The body of an event, as JSON of the contract.
fn event(verb: &str, rest: &str) -> Option<Value> {
    let words: Vec<&str> = rest.split(' ').collect();
    let word = |at: usize| words.get(at).copied().unwrap_or("");
    let id = |at: usize| if word(at) == "-" { Value::Null } else { word(at).into() };
    let tail =
        |from: usize| words.get(from..).unwrap_or_default().join(" ").replace("\\n", "\n").replace("\\e", "\u{1b}");
    let named = |name: &str| words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let op = named("op").map(number);
    let item = |body: Value| json!({"type": "items", "value": [{"id": id(0), "status": word(1), "body": body}]});
    Some(match verb {
        "say" | "whole" => {
            json!({"type": "delta", "value": {"kind": word(0), "id": id(1), "whole": verb == "whole", "text": tail(2)}})
        }
        "assistant" | "reasoning" => item(json!({"type": verb, "value": [{"type": "text", "value": tail(2)}]})),
        "plan" => item(json!({"type": "proposed_plan", "value": tail(2)})),
        "tool" => item(json!({"type": "tool", "value": tool(&tail(2))})),
        "tools" => {
            let items: Vec<Value> =
                rest.split(" | ").map(|one| event("tool", one).expect("a tool")["value"][0].clone()).collect();
            json!({"type": "items", "value": items})
        }
        "user" => {
            json!({"type": "items", "value": [{"id": id(1), "status": "completed", "body": {"type": "user", "value":
            {"op": word(0).parse::<u32>().ok(), "typed": word(0) != "notice", "content": [{"type": "text", "value": tail(2)}]}}}]})
        }
        "start" => json!({"type": "turn_started", "value": {"op": op, "reason": named("reason")}}),
        "end" => json!({"type": "turn_ended", "value": {"op": op, "status": word(0), "reason": named("reason"),
            "background": words.contains(&"background"),
            "fault": named("fault").map(|message| json!({"kind": "overloaded", "message": message, "retryable": false}))}}),
        "task" => {
            json!({"type": "tasks", "value": [{"id": word(0), "kind": "subagent", "status": word(1), "item": named("item"),
            "thread": named("thread"), "background": words.contains(&"background"), "summary": named("summary")}]})
        }
        "roster" => json!({"type": "roster", "value": rest.split_whitespace().collect::<Vec<_>>()}),
        "ask" => json!({"type": "requests_opened", "value": [{"id": word(0), "item": id(1), "options": [
            {"id": "yes", "label": "Yes", "verdict": "allow_once"}, {"id": "no", "label": "No", "verdict": "reject_once"},
            {"id": "stop", "label": "Stop", "verdict": "abort"}],
            "subject": {"type": "approval", "value": {"kind": "execute", "name": "Bash", "input": tail(2)}}}]}),
        "ask-plan" => json!({"type": "requests_opened", "value": [{"id": word(0), "item": id(1), "options": [
            {"id": "yes", "label": "Yes", "verdict": "allow_once"}], "subject": {"type": "plan", "value": tail(2)}}]}),
        "question" => {
            json!({"type": "requests_opened", "value": [{"id": word(0), "subject": {"type": "questions"}, "questions": [
            {"id": "q", "text": "Which?", "multiple": false, "free_text": false, "secret": false,
             "choices": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}]}]})
        }
        "asked" => json!({"type": "requests_closed", "value": [{"id": word(0), "status": word(1)}]}),
        "thread" => json!({"type": "threads", "value": [{"id": word(0), "state": "idle", "parent": named("parent"),
            "replaces": named("replaces"), "cursor": named("cursor")}]}),
        "todo" => json!({"type": "plan", "value": {"steps": [{"text": tail(1), "status": word(0)}]}}),
        "usage" => json!({"type": "usage", "value": {"span": "turn", "counts": [["output", 3.0]]}}),
        "commands" => json!({"type": "slash_commands", "value": [{"name": word(0), "description": ""}]}),
        "note" => {
            json!({"type": "note", "value": {"level": "info", "code": "x", "text": rest.replace("\\e", "\u{1b}")}})
        }
        "other" => json!({"type": "other", "value": {"name": word(0), "json": tail(1)}}),
        _ => return None,
    })
}

/// A tool: its name, then its input, after `=>` what it gave.
fn tool(text: &str) -> Value {
    let (call, gave) = text.split_once("=>").unwrap_or((text, ""));
    let (name, input) = call.trim().split_once(' ').unwrap_or((call.trim(), ""));
    let some = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
    let content = if gave.trim().is_empty() { json!([]) } else { json!([{"type": "text", "value": gave.trim()}]) };
    json!({"kind": "execute", "name": some(name), "input": some(input), "content": content})
}
