//! Plays a script: one timer at a time, waits for answers, hears interrupts.
//!
//! **A turn ends once, by its script or by an interrupt; what was open then is told as interrupted.** A slow turn hears an interrupt late.

use std::collections::VecDeque;

use jackfield_sdk::prelude::*;

use crate::script::{self, Act, Ask, Beat};

/// How long a slow turn takes to hear an interrupt, in milliseconds.
const SLOW_TO_HEAR_MS: f64 = 300.0;
/// Between two pieces of a text without end, in milliseconds.
const FOREVER_MS: f64 = 20.0;

/// The turn that is open, if one is, and what outlives a turn.
#[derive(Debug, Default)]
pub struct Stage {
    turn: Option<Turn>,
    /// The person allowed commands for the whole session.
    allowed: bool,
}

#[derive(Debug)]
struct Turn {
    op: Option<u32>,
    id: String,
    beats: VecDeque<Beat>,
    timer: u32,
    asked: Option<(String, Ask)>,
    requests: u32,
    words: u32,
    forever: bool,
    /// Interrupts that are not heard yet: their timer and their commands.
    hearing: Option<(u32, Vec<u32>)>,
}

impl Stage {
    /// Whether a turn is open.
    pub fn is_open(&self) -> bool {
        self.turn.is_some()
    }

    /// Drops the open turn without a word: its thread is let go.
    pub fn clear(&mut self, cx: &mut Cx) {
        if let Some(turn) = self.turn.take() {
            cx.cancel(turn.timer);
        }
    }

    /// Begins a turn.
    pub fn begin(&mut self, cx: &mut Cx, op: Option<u32>, id: String, beats: VecDeque<Beat>) {
        let scope = Scope { turn: Some(id.clone()), ..Scope::root() };
        cx.event_in(Some(scope), EventBody::TurnStarted(TurnStart { op, reason: None }));
        self.turn =
            Some(Turn { op, id, beats, timer: 0, asked: None, requests: 0, words: 0, forever: false, hearing: None });
        self.schedule(cx);
    }

    /// Takes a message into the open turn: it is answered before the script goes on.
    pub fn take_in(&mut self, cx: &mut Cx, op: u32, text: &str) {
        let Some(turn) = &mut self.turn else { return };
        let item = format!("{}-said-{op}", turn.id);
        let mut beats: VecDeque<Beat> = script::say(&item, &format!("You also said: {text}")).into();
        beats.append(&mut turn.beats);
        turn.beats = beats;
        if turn.asked.is_none() {
            cx.cancel(turn.timer);
            self.schedule(cx);
        }
    }

    /// A timer fired: the next beat, or the moment an interrupt is heard.
    pub fn timer(&mut self, cx: &mut Cx, timer: u32) {
        let Some(turn) = &mut self.turn else { return };
        if let Some((hearing, ops)) = &mut turn.hearing
            && *hearing == timer
        {
            let ops = std::mem::take(ops);
            cx.cancel(turn.timer);
            return self.stop(cx, ops);
        }
        if turn.timer != timer || turn.asked.is_some() {
            return;
        }
        let Some((_, act)) = turn.beats.pop_front() else { return };
        self.act(cx, act);
        self.schedule(cx);
    }

    /// Stops the open turn: at once, or late when it is a slow one.
    pub fn interrupt(&mut self, cx: &mut Cx, op: u32, id: Option<&str>) {
        match &mut self.turn {
            Some(turn) if id.is_none_or(|id| id == turn.id) => {
                if !turn.forever {
                    cx.cancel(turn.timer);
                    return self.stop(cx, vec![op]);
                }
                cx.hold(op);
                match &mut turn.hearing {
                    Some((_, ops)) => ops.push(op),
                    None => turn.hearing = Some((cx.timer(SLOW_TO_HEAR_MS), vec![op])),
                }
            }
            _ => cx.fail(op, Fault::new(FaultKind::Conflict, "That turn is not open any more.")),
        }
    }

    /// Takes the answer to the open request.
    pub fn respond(&mut self, cx: &mut Cx, op: u32, answer: &Answer) {
        let Some((turn, ask)) = self.turn.as_mut().and_then(|turn| {
            let asked = turn.asked.as_ref().filter(|(id, _)| *id == answer.request)?.1.clone();
            Some((turn, asked))
        }) else {
            return cx.fail(op, Fault::new(FaultKind::NotFound, "No such request is open."));
        };
        let beats = match reply_to(&ask, &answer.reply) {
            Ok((beats, for_session)) => {
                self.allowed |= for_session;
                beats
            }
            Err(fault) => return cx.fail(op, fault),
        };
        turn.asked = None;
        for beat in beats.into_iter().rev() {
            turn.beats.push_front(beat);
        }
        cx.done(op, OpValue::Accepted);
        self.schedule(cx);
    }

    fn act(&mut self, cx: &mut Cx, act: Act) {
        let Some(turn) = &mut self.turn else { return };
        match act {
            Act::Tell(body) => {
                if let EventBody::Delta(delta) = &body {
                    turn.words += delta.text.split_whitespace().count() as u32;
                }
                cx.event(body);
            }
            Act::TellInside(parent, body) => cx.event_in(Some(Scope::inside(parent)), body),
            Act::Ask(ask) => self.ask(cx, *ask),
            Act::Forever { item, count } => {
                turn.forever = true;
                turn.words += 1;
                cx.delta(Some(item.clone()), TextKind::Assistant, format!("{count} "));
                turn.beats.push_front((FOREVER_MS, Act::Forever { item, count: count + 1 }));
            }
            Act::End(status, fault) => self.end(cx, status, fault),
        }
    }

    fn ask(&mut self, cx: &mut Cx, ask: Ask) {
        let Some(turn) = &mut self.turn else { return };
        if let (Ask::Command { item, command }, true) = (&ask, self.allowed) {
            for beat in script::allowed(item, command).into_iter().rev() {
                turn.beats.push_front(beat);
            }
            return;
        }
        turn.requests += 1;
        let id = format!("{}/ask-{}", turn.id, turn.requests);
        let request = match &ask {
            Ask::Command { item, command } => Request {
                item: Some(item.clone()),
                reason: Some("It wants to run a command. (It only pretends to.)".into()),
                options: vec![
                    Offer::new("allow", "Allow", Verdict::AllowOnce),
                    Offer::new("allow-session", "Allow for this session", Verdict::AllowSession),
                    Offer::new("reject", "Reject", Verdict::RejectOnce),
                ],
                ..Request::new(&id, Subject::Approval(script::command_tool(command)))
            },
            Ask::Colour { .. } => {
                let colours = ["Red", "Green", "Blue"].map(|colour| Choice::new(colour, colour)).to_vec();
                Request {
                    questions: vec![Question::new("colour", "Which colour do you like?", colours)],
                    ..Request::new(&id, Subject::Questions)
                }
            }
        };
        if let Ask::Command { item, command } = &ask {
            cx.item(Item::tool(Some(item.clone()), Status::Waiting, script::command_tool(command)));
        }
        cx.event(EventBody::RequestsOpened(vec![request]));
        turn.asked = Some((id, ask));
    }

    /// The interrupt is heard.
    fn stop(&mut self, cx: &mut Cx, ops: Vec<u32>) {
        for op in ops {
            cx.done(op, OpValue::Interrupted(vec![]));
        }
        if let Some((id, ask)) = self.turn.as_mut().and_then(|turn| turn.asked.take()) {
            cx.event(EventBody::RequestsClosed(vec![RequestEnd { id, status: Status::Cancelled }]));
            if let Ask::Command { item, command } = ask {
                cx.item(Item::tool(Some(item), Status::Interrupted, script::command_tool(&command)));
            }
        }
        self.end(cx, Status::Interrupted, None);
    }

    fn end(&mut self, cx: &mut Cx, status: Status, fault: Option<Fault>) {
        let Some(turn) = self.turn.take() else { return };
        let counts = vec![("output".to_owned(), f64::from(turn.words))];
        cx.event(EventBody::Usage(Usage { span: UsageSpan::Turn, counts }));
        let scope = Scope { turn: Some(turn.id), ..Scope::root() };
        let reason = if status == Status::Completed { Some("end_turn".to_owned()) } else { None };
        cx.event_in(Some(scope), EventBody::TurnEnded(TurnEnd { reason, fault, ..TurnEnd::new(turn.op, status) }));
    }

    fn schedule(&mut self, cx: &mut Cx) {
        if let Some(turn) = &mut self.turn
            && turn.asked.is_none()
            && let Some((ms, _)) = turn.beats.front()
        {
            turn.timer = cx.timer(*ms);
        }
    }
}

/// What follows from an answer, and whether it allows for the whole session.
fn reply_to(ask: &Ask, reply: &Reply) -> Result<(Vec<Beat>, bool), Fault> {
    let wrong =
        |what: &str| Err(Fault::new(FaultKind::Invalid, format!("The answer does not fit the request: {what}.")));
    Ok(match (ask, reply) {
        (Ask::Command { item, command }, Reply::Chosen(chosen)) => {
            let edited = chosen.input.as_deref().and_then(edited_command);
            let command = edited.as_deref().unwrap_or(command);
            match chosen.option_id.as_str() {
                "allow" => (script::allowed(item, command), false),
                "allow-session" => (script::allowed(item, command), true),
                "reject" => (script::refused(item, chosen.note.as_deref()), false),
                other => return wrong(&format!("there is no option `{other}`")),
            }
        }
        (Ask::Colour { item }, Reply::Filled(filled)) => match filled.iter().find(|filled| filled.question == "colour")
        {
            Some(filled) => (script::say(item, &format!("You chose {}.", filled.values.join(" and "))), false),
            None => return wrong("the question is `colour`"),
        },
        // Nobody decided: never consent.
        (Ask::Command { item, .. }, Reply::Dismissed) => (script::refused(item, None), false),
        (Ask::Colour { item }, Reply::Dismissed) => (script::say(item, "You did not choose."), false),
        _ => return wrong("an approval is answered with an option, a question with its answer"),
    })
}

fn edited_command(input: &str) -> Option<String> {
    let input: serde_json::Value = serde_json::from_str(input).ok()?;
    Some(input.get("command")?.as_str()?.to_owned())
}
