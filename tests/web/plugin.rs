//! A plugin that asks an HTTP server what its prompt says, step by step, and tells what came of each step: whatever it may do
//! and may not.

use jackfield_sdk::prelude::*;
use serde_json::Value;
use std::collections::VecDeque;

/// What the plugin remembers.
#[derive(Default)]
pub struct Web {
    server: u32,
    run: u32,
    steps: VecDeque<Value>,
    /// The effects that the step waits for.
    waits: Vec<u32>,
    step: Value,
    frames: u32,
}

jackfield_sdk::plugin!(Web);

impl Provider for Web {
    fn describe() -> Descriptor {
        let declared = CapabilitySet::of(&["turns.emits-turn-completed"], &[("turns.terminal-status-quality", "strong")]);
        Descriptor::new("web", "Web").with_declared(declared)
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        match command.body {
            CommandBody::Start(_) => cx.done(command.op, OpValue::Accepted),
            CommandBody::OpenThread(_) => cx.done(command.op, OpValue::Thread(Thread::new("main", ThreadState::Idle))),
            CommandBody::SendRun(message) => {
                let text = message.content.iter().find_map(|part| if let Content::Text(text) = part { Some(text.clone()) } else { None });
                self.steps = serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default();
                self.run = command.op;
                cx.event(EventBody::TurnStarted(TurnStart { op: Some(command.op), reason: None }));
                self.next(cx);
                cx.done(command.op, OpValue::Accepted);
            }
            CommandBody::Respond(answer) => {
                let Reply::Chosen(chosen) = &answer.reply else { return cx.done(command.op, OpValue::Accepted) };
                let body = format!("{{\"verdict\":\"{}\"}}", chosen.option_id);
                cx.effect(EffectBody::Http(request("POST", &format!("/answers/{}", answer.request), Some(body), false)));
                cx.done(command.op, OpValue::Accepted);
            }
            _ => {}
        }
    }

    fn frame(&mut self, cx: &mut Cx, frame: Frame) {
        if frame.channel == self.server {
            return cx.silent("output");
        }
        self.frames += 1;
        let told = match &frame.data {
            FrameData::Named((name, data)) => format!("{name}={data}"),
            FrameData::Text(text) => text.clone(),
            _ => "bytes".to_owned(),
        };
        if told.contains("\"ask\"") {
            let value: Value = serde_json::from_str(&told).unwrap_or_default();
            cx.event(EventBody::RequestsOpened(vec![approval(value["id"].as_str().unwrap_or_default())]));
        } else if self.step["quiet"] == true {
            cx.silent("counted");
        } else {
            self.say(cx, &format!("frame {told}"));
        }
        // Another wish, while most of the stream still waits.
        if self.step["beside"] == true && self.frames == 20 {
            cx.effect(EffectBody::Http(request("GET", "/echo", None, false)));
        }
        if self.step["cancel"] == true && self.frames == 1 {
            cx.cancel(frame.channel);
        }
    }

    fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) {
        let outcome = match &result.outcome {
            Ok(EffectValue::Response(response)) => {
                let body = match &response.body {
                    Some(FrameData::Text(text)) => text.clone(),
                    Some(_) => "bytes".to_owned(),
                    None => "streams".to_owned(),
                };
                format!("{} {body}", response.status)
            }
            Ok(_) => "done".to_owned(),
            Err(fault) => format!("! {}", fault.code.clone().unwrap_or_default()),
        };
        self.say(cx, &outcome);
        let streams = outcome.ends_with(" streams");
        if !streams {
            self.over(cx, result.id);
        }
    }

    fn channel_closed(&mut self, cx: &mut Cx, exit: ChannelExit) {
        let fault = exit.fault.and_then(|fault| fault.code).unwrap_or_default();
        let counted = if self.step["quiet"] == true { format!(" {} frames", self.frames) } else { String::new() };
        self.say(cx, format!("closed{counted} {fault}").trim_end());
        self.over(cx, exit.channel);
    }
}

impl Web {
    fn over(&mut self, cx: &mut Cx, effect: u32) {
        let awaited = self.waits.len();
        self.waits.retain(|one| *one != effect);
        if awaited > 0 && self.waits.is_empty() {
            self.next(cx);
        }
    }

    fn next(&mut self, cx: &mut Cx) {
        self.frames = 0;
        let Some(step) = self.steps.pop_front() else {
            cx.event(EventBody::TurnEnded(TurnEnd::new(Some(self.run), Status::Completed)));
            return;
        };
        self.step = step.clone();
        let text = |name: &str| step[name].as_str().map(str::to_owned);
        if let Some(holes) = step.get("spawn") {
            let holes = serde_json::from_value(holes.clone()).unwrap_or_default();
            self.waits = vec![cx.spawn("server", holes)];
            if self.server == 0 {
                self.server = self.waits[0];
            }
        } else if step.get("kill").is_some() {
            self.waits = vec![self.server];
            cx.signal(self.server, SignalKind::Kill);
        } else {
            let wish = HttpRequest {
                origin: text("origin").unwrap_or_else(|| "web".to_owned()),
                headers: serde_json::from_value(step["headers"].clone()).unwrap_or_default(),
                ..request(&text("method").unwrap_or_else(|| "GET".to_owned()), &text("path").unwrap_or_default(), text("body"), step["streaming"] == true)
            };
            let times = 1 + step["more"].as_u64().unwrap_or_default();
            self.waits = (0..times).map(|_| cx.effect(EffectBody::Http(wish.clone()))).collect();
        }
    }

    fn say(&self, cx: &mut Cx, text: &str) {
        cx.delta(None, TextKind::Assistant, format!("{text}\n"));
    }
}

fn request(method: &str, path: &str, body: Option<String>, streaming: bool) -> HttpRequest {
    HttpRequest {
        origin: "web".to_owned(),
        method: method.to_owned(),
        path: path.to_owned(),
        headers: vec![],
        body: body.map(FrameData::Text),
        streaming,
    }
}

fn approval(id: &str) -> Request {
    let offers = vec![Offer::new("yes", "Yes", Verdict::AllowOnce), Offer::new("no", "No", Verdict::RejectOnce)];
    Request { options: offers, ..Request::new(id, Subject::Approval(Tool::new(ToolKind::Execute).with_name("Asks"))) }
}
