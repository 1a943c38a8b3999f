//! The text that is shown is the text of the raw frames.

use super::dialect::Dialect;
use super::drive::is_own;
use super::judge::opened;
use super::seen::{Conversation, Problem};
use super::told::{Said, Told};
use jackfield_core::contract::{Content, Status};
use jackfield_core::event::{EventBody, ItemBody, SessionEvent};
use jackfield_core::projection::Snapshot;

/// Compares what the events show with what the frames told.
pub(super) fn texts(conversation: &Conversation, dialect: &dyn Dialect) -> Vec<Problem> {
    let mut wanted = Told::default();
    for sitting in &conversation.sittings {
        let messages = sitting.incarnation.messages().flat_map(|(_, content)| words(content.to_vec()));
        let messages: Vec<String> = messages.collect();
        let told = dialect.told(&sitting.taken(), &messages);
        // A conversation that could not be opened had no turn.
        let ends = if opened(sitting, &conversation.events) { told.ends.clone() } else { Vec::new() };
        wanted.extend(Told { ends, ..told });
    }
    let shown = shown(&conversation.events);
    let mut wrong = Vec::new();
    compare(&mut wrong, "what the assistant said", &wanted.assistant, &shown.assistant);
    compare(&mut wrong, "what it thought", &wanted.reasoning, &shown.reasoning);
    compare(&mut wrong, "what was said in the person's name", &wanted.in_the_persons_name, &shown.in_the_persons_name);
    for (what, wanted, shown) in [
        ("tools", wanted.tools, shown.tools),
        ("plans", wanted.plans, shown.plans),
        ("requests", wanted.requests, shown.requests),
    ] {
        if wanted != shown {
            wrong.push(format!("{shown} {what} are shown, and there are {wanted}"));
        }
    }
    if wanted.ends != shown.ends {
        wrong.push(format!("turns ended well: shown {:?}, in the frames {:?}", shown.ends, wanted.ends));
    }
    let mut left = shown.results;
    for text in wanted.results {
        match left.iter().position(|one| *one == text) {
            Some(at) => _ = left.swap_remove(at),
            None => wrong.push(format!("a tool's result is not shown: {text:.200}")),
        }
    }
    let untold = wanted.errors.iter().filter(|text| !shown.errors.iter().any(|error| error.contains(text.as_str())));
    wrong.extend(untold.map(|text| format!("an error is told neither by the run's end nor by a note: {text:.200}")));
    wrong.into_iter().map(|text| Problem::new("text", text)).collect()
}

/// The main conversation in order; subagents, which speak at once, each in any order.
fn compare(wrong: &mut Vec<String>, what: &str, wanted: &[Said], shown: &[Said]) {
    let main = |said: &[Said]| texts_where(said, false);
    let nested = |said: &[Said]| {
        let mut texts = texts_where(said, true);
        texts.sort();
        texts
    };
    if main(wanted) != main(shown) {
        wrong.push(format!("{what}: shown {:?}, in the frames {:?}", main(shown), main(wanted)));
    }
    if nested(wanted) != nested(shown) {
        wrong.push(format!("{what}, nested: shown {:?}, in the frames {:?}", nested(shown), nested(wanted)));
    }
}

fn texts_where(said: &[Said], nested: bool) -> Vec<String> {
    said.iter().filter(|one| one.nested == nested).map(|one| one.text.clone()).collect()
}

/// What the events show.
fn shown(events: &[SessionEvent]) -> Told {
    let mut told = Told::default();
    for shown in Snapshot::of(events).items {
        // History told again is no news.
        if shown.item.status == Status::Retracted || shown.replayed {
            continue;
        }
        let nested = shown.parent.is_some();
        let said = |list: &mut Vec<Said>, text: String| {
            if !text.is_empty() {
                list.push(Said { nested, text });
            }
        };
        match shown.item.into_inner().body {
            ItemBody::AssistantMessage { text, .. } => said(&mut told.assistant, text),
            ItemBody::Reasoning { text } => said(&mut told.reasoning, text),
            ItemBody::UserMessage { typed: false, content } => {
                words(content).for_each(|text| said(&mut told.in_the_persons_name, text))
            }
            ItemBody::Tool { tool, output, .. } => {
                told.tools += 1;
                told.results.extend(words(tool.content).chain([output]).filter(|text| !text.is_empty()));
            }
            ItemBody::ProposedPlan { .. } => told.plans += 1,
            ItemBody::UserMessage { .. } | ItemBody::Unknown { .. } => {}
        }
    }
    for event in events {
        match &event.draft.body {
            EventBody::RunEnded { fault: Some(fault), .. } => told.errors.push(fault.message.clone()),
            // One that the turn got over.
            EventBody::Note { note } => told.errors.push(note.text.clone()),
            EventBody::RequestOpened { request } if !is_own(request) => told.requests += 1,
            EventBody::TurnEnded { status, .. } if event.draft.origin.frame.is_some() => {
                told.ends.push(*status == Status::Completed)
            }
            _ => {}
        }
    }
    told
}

fn words(content: Vec<Content>) -> impl Iterator<Item = String> {
    content.into_iter().filter_map(|part| match part {
        Content::Text(text) => Some(text),
        _ => None,
    })
}
