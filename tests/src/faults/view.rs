//! A thread's events as text: one line each, in their order, without ids, numbers of frames and times.
//!
//! Things are numbered as they appear. Pieces of a text that follow each other are one line, since how a store merges them
//! is nobody's business. Settings and capabilities are left out: no case is about them. How much of a flood on stderr was taken
//! depends on the machine: it is told as `many`.

use jackfield_core::contract::{Content, Status};
use jackfield_core::event::{EventBody, Item, ItemBody, Resolution, Ruled, SessionEvent};
use jackfield_core::ledger::LedgerCounts;
use serde::Serialize;
use std::fmt::Write;

/// More of a text than this is counted, not shown.
const SHOWN: usize = 120;

/// So many silent frames are a flood.
const MANY: u64 = 20;

/// Makes the text.
#[derive(Default)]
pub(super) struct View {
    runs: Numbers,
    turns: Numbers,
    items: Numbers,
    requests: Numbers,
    tasks: Numbers,
    out: String,
    piece: Option<(String, String)>,
}

/// Ids in the order in which they appeared.
#[derive(Default)]
struct Numbers(Vec<String>);

impl Numbers {
    /// A text in which numbers stand for the ids.
    fn named(&self, word: &str, text: &str) -> String {
        let ids = self.0.iter().enumerate();
        ids.fold(text.to_owned(), |text, (at, id)| text.replace(id.as_str(), &format!("{word} {}", at + 1)))
    }

    fn of(&mut self, id: impl ToString) -> usize {
        let id = id.to_string();
        match self.0.iter().position(|known| *known == id) {
            Some(at) => at + 1,
            None => {
                self.0.push(id);
                self.0.len()
            }
        }
    }
}

impl View {
    /// One more event.
    pub(super) fn take(&mut self, event: &SessionEvent) {
        if let EventBody::ItemDelta { item, kind, text } = &event.draft.body {
            let head = format!("item {} + {}", self.items.of(item), word(kind));
            match &mut self.piece {
                Some((known, pieces)) if *known == head => pieces.push_str(text),
                _ => {
                    self.flush();
                    self.piece = Some((head, text.clone()));
                }
            }
            return;
        }
        if let Some(mut line) = self.line(event) {
            self.flush();
            if let Some(parent) = &event.draft.parent {
                let _ = write!(line, " [inside item {}]", self.items.of(parent));
            }
            let origin = &event.draft.origin;
            if origin.replayed {
                line.push_str(" [told again]");
            }
            self.say(&line);
        }
    }

    /// A line of the host's side: what it was told of what it asked.
    pub(super) fn say(&mut self, line: &str) {
        self.flush();
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// All so far; a piece that may yet go on is in it.
    pub(super) fn text(&self) -> String {
        let piece = self.piece.as_ref().map(|(head, text)| format!("{head} {}\n", quoted(text)));
        format!("{}{}", self.out, piece.unwrap_or_default())
    }

    pub(super) fn request(&self, number: usize) -> Option<&String> {
        self.requests.0.get(number.checked_sub(1)?)
    }

    pub(super) fn turn(&self, number: usize) -> Option<&String> {
        self.turns.0.get(number.checked_sub(1)?)
    }

    fn flush(&mut self) {
        if let Some((head, text)) = self.piece.take() {
            let _ = writeln!(self.out, "{head} {}", quoted(&text));
        }
    }

    fn line(&mut self, event: &SessionEvent) -> Option<String> {
        let run = event.draft.run.as_ref().map(|run| format!("run {}", self.runs.of(run))).unwrap_or("no run".into());
        let turn = event.draft.turn.as_ref().map(|turn| format!("turn {}", self.turns.of(turn)));
        let turn = turn.unwrap_or("no turn".into());
        Some(match &event.draft.body {
            EventBody::SessionStarted { resumed, .. } => {
                format!("session starts{}", if *resumed { ", resumed" } else { "" })
            }
            EventBody::SessionEnded { reason, fault, exit_code, signal, stderr_tail, .. } => {
                let mut line = format!("session ends: {}", word(reason));
                line.extend(exit_code.iter().map(|code| format!(", exit code {code}")));
                line.extend(signal.iter().map(|signal| format!(", signal {signal}")));
                line.extend(fault.iter().map(|fault| format!(", {}", because(fault))));
                if !stderr_tail.is_empty() {
                    let _ = write!(line, ", stderr {}", quoted(stderr_tail.trim()));
                }
                line
            }
            EventBody::RunCreated { content, .. } => format!("{run} asked: {}", quoted(&texts(content))),
            EventBody::RunEnded { status, fault, background, joined, ledger, .. } => {
                let mut line = format!("{run} {}", word(status));
                line.extend(joined.iter().map(|into| format!(", joined run {}", self.runs.of(into))));
                line.extend(fault.iter().map(|fault| format!(", {}", because(fault))));
                line.push_str(if *background { ", work goes on" } else { "" });
                let _ = write!(line, "; frames: {}", frames(ledger));
                line
            }
            EventBody::TurnStarted { reason, .. } => {
                format!(
                    "{turn} of {run} starts{}",
                    reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default()
                )
            }
            EventBody::TurnEnded { status, fault, frames: own, .. } => {
                let own = own.as_ref().filter(|_| event.draft.run.is_none());
                let own = own.map(|own| format!("; its frames: {}", frames(own))).unwrap_or_default();
                let fault = fault.as_ref().map(|fault| format!(", {}", because(fault))).unwrap_or_default();
                let sure = if event.draft.origin.synthetic { ", inferred" } else { "" };
                format!("{turn} of {run} {}{fault}{sure}{own}", word(status))
            }
            EventBody::ItemStarted { item } => {
                format!("item {} of {turn} starts: {}", self.items.of(&item.id), shown(item))
            }
            EventBody::ItemUpdated { item } => format!("item {} is {}", self.items.of(&item.id), shown(item)),
            EventBody::ItemEnded { item } => format!("item {} ends: {}", self.items.of(&item.id), shown(item)),
            EventBody::RequestOpened { request } => {
                let about = request
                    .item
                    .as_ref()
                    .map(|item| format!(" about item {}", self.items.of(item)))
                    .unwrap_or_default();
                let offers: Vec<&str> = request.options.iter().map(|offer| offer.id.as_str()).collect();
                let ruled = match &request.ruled {
                    Some(Ruled::Rule { rule }) => format!(", for the rule '{rule}'"),
                    Some(Ruled::Person { because }) => format!(", for a person only: {because}"),
                    None => String::new(),
                };
                format!("request {} opens{about}: {}{ruled}", self.requests.of(&request.id), offers.join(" | "))
            }
            EventBody::RequestResolved { request, resolution } => {
                format!("request {} {}", self.requests.of(request), resolved(resolution))
            }
            EventBody::TaskUpdated { task } => {
                let about =
                    task.item.as_ref().map(|item| format!(" of item {}", self.items.of(item))).unwrap_or_default();
                let roster = if task.background { ", on the roster" } else { "" };
                format!("task {}{about} is {}{roster}", self.tasks.of(&task.id), word(&task.status))
            }
            EventBody::ThreadRolledBack { to, turns, runs } => {
                let gone: Vec<String> = runs.iter().map(|run| format!("run {}", self.runs.of(run))).collect();
                let left = to.as_ref().map_or("nothing".to_owned(), |to| format!("turn {}", self.turns.of(to)));
                format!("{} turns are taken back ({}); what is left ends with {left}", turns.len(), gone.join(", "))
            }
            EventBody::ContextChanged { change } => format!("context {}", word(&change.what)),
            EventBody::QueueUpdated { runs } => format!("{} wait", runs.len()),
            EventBody::PolicyDecided { intent, decision } => {
                format!("policy on {intent}: {}", serde_json::to_string(decision).unwrap_or_default())
            }
            EventBody::EffectRefused { effect, code, .. } => format!("refused: {effect}, {code}"),
            EventBody::InterruptStep { step, outcome } => format!("interrupt, {}: {outcome}", word(step)),
            EventBody::Stalled { waiting_for, .. } => format!("stalled: nothing from {waiting_for}"),
            EventBody::Diagnostic { note, .. } if note.code == "stderr-dropped" => return None,
            EventBody::Diagnostic { note, .. } => {
                let text = self.requests.named("request", &self.items.named("item", &note.text));
                format!("diagnostic {}: {}", note.code, quoted(&text))
            }
            EventBody::Unknown { kind, raw } => format!("unknown {kind}: {}", quoted(raw)),
            EventBody::Gap { .. } => "gap".into(),
            EventBody::Note { note } => format!("note {}: {}", note.code, quoted(&note.text)),
            _ => return None,
        })
    }
}

/// What became of frames, in words.
fn frames(counts: &LedgerCounts) -> String {
    let counts = serde_json::to_value(counts).unwrap_or_default();
    let counts = counts.as_object().into_iter().flatten().filter(|(name, count)| **count != 0 && *name != "frames_in");
    let counts: Vec<String> = counts
        .map(|(name, count)| match count.as_u64() {
            Some(MANY..) if name == "silent" => format!("many {name}"),
            _ => format!("{count} {name}"),
        })
        .collect();
    if counts.is_empty() { "none".into() } else { counts.join(", ") }
}

fn resolved(resolution: &Resolution) -> String {
    match resolution {
        Resolution::Answered { option, allowed, by } => {
            let allowed = match allowed {
                Some(true) => "allowed",
                Some(false) => "refused",
                None => "answered",
            };
            format!("{allowed}: {} by {by}", option.as_deref().unwrap_or("-"))
        }
        other => word_of(other, "outcome"),
    }
}

/// An item: what it is, how far, and what is in it.
fn shown(item: &Item) -> String {
    let (kind, text) = match &item.body {
        ItemBody::UserMessage { content, typed } => {
            (if *typed { "person" } else { "in the person's name" }.to_owned(), texts(content))
        }
        ItemBody::AssistantMessage { text, .. } => ("assistant".into(), text.clone()),
        ItemBody::Reasoning { text } => ("reasoning".into(), text.clone()),
        ItemBody::ProposedPlan { text } => ("plan".into(), text.clone()),
        ItemBody::Tool { tool, output, .. } => {
            let told = texts(&tool.content);
            (
                format!("tool {}", tool.name.as_deref().unwrap_or("?")),
                if told.is_empty() { output.clone() } else { told },
            )
        }
        ItemBody::Unknown { name, .. } => (format!("unknown {name}"), String::new()),
    };
    let text = if text.is_empty() { String::new() } else { format!(" {}", quoted(&text)) };
    let outcome = if item.status == Status::Unknown { "outcome unknown".to_owned() } else { word(&item.status) };
    format!("{kind}, {outcome}{text}")
}

fn because(fault: &jackfield_core::contract::Fault) -> String {
    format!("{} {}", word(&fault.kind), quoted(&fault.message))
}

fn texts(content: &[Content]) -> String {
    content.iter().filter_map(|part| if let Content::Text(text) = part { Some(text.as_str()) } else { None }).collect()
}

/// A text in quotes; a long one by its ends and its size.
fn quoted(text: &str) -> String {
    let text = text.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}");
    if text.chars().count() <= SHOWN {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(20).collect();
    let end: String = text.chars().skip(text.chars().count() - 20).collect();
    format!("{start:?} … {end:?} ({} bytes)", text.len())
}

/// A word of the vocabulary as it stands in JSON.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn word_of(value: &impl Serialize, field: &str) -> String {
    serde_json::to_value(value).ok().and_then(|value| value[field].as_str().map(str::to_owned)).unwrap_or_default()
}
