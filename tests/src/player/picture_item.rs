//! An item in the picture of a conversation: its words, what was asked about it, and what happened inside of it.

use super::drive::is_own;
use super::picture::{Picture, word};
use jackfield_core::contract::{Content, Tool};
use jackfield_core::event::{EventBody, ItemBody, Request, RequestSubject, Resolution};
use jackfield_core::id::ItemId;
use jackfield_core::projection::ShownItem;
use serde_json::Value;

/// The item and all inside of it.
pub(super) fn item(picture: &mut Picture<'_>, depth: usize, shown: &ShownItem) {
    let number = picture.number_of(&shown.item.id);
    let replayed = if shown.replayed { ", told again" } else { "" };
    let kind = match &shown.item.body {
        ItemBody::UserMessage { typed: true, .. } => "user".into(),
        ItemBody::UserMessage { typed: false, .. } => "in the person's name".into(),
        ItemBody::AssistantMessage { .. } => "assistant".into(),
        ItemBody::Reasoning { .. } => "thought".into(),
        ItemBody::ProposedPlan { .. } => "plan".into(),
        ItemBody::Tool { tool, .. } => {
            let server = tool.server.as_deref().map(|server| format!("{server}/")).unwrap_or_default();
            format!("tool {server}{}, {}", tool.name.as_deref().unwrap_or("?"), word(&tool.kind))
        }
        ItemBody::Unknown { name, .. } => format!("unknown {name}"),
    };
    picture.line(depth, format!("{number} {kind}: {}{replayed}", word(&shown.item.status)));
    match &shown.item.body {
        ItemBody::UserMessage { content: parts, .. } => content(picture, depth + 1, "|", parts),
        ItemBody::AssistantMessage { text, media } => {
            picture.text(depth + 1, "|", text);
            content(picture, depth + 1, "|", media);
        }
        ItemBody::Reasoning { text } | ItemBody::ProposedPlan { text } => picture.text(depth + 1, "|", text),
        ItemBody::Tool { tool, input_text, output } => {
            call(picture, depth + 1, tool, input_text);
            requests(picture, depth + 1, Some(&shown.item.id));
            inside(picture, depth + 1, &shown.item.id);
            if let Some((_, by)) = shown.item.facts.iter().find(|(name, _)| name == "declined-by") {
                picture.line(depth + 1, format!("declined by: {by}"));
            }
            result(picture, depth + 1, tool, output);
            return;
        }
        ItemBody::Unknown { json, .. } => picture.text(depth + 1, "|", json),
    }
    requests(picture, depth + 1, Some(&shown.item.id));
    inside(picture, depth + 1, &shown.item.id);
}

fn inside(picture: &mut Picture<'_>, depth: usize, parent: &ItemId) {
    let inside = picture.snapshot.items.iter().filter(|shown| shown.parent.as_ref() == Some(parent));
    for shown in inside {
        item(picture, depth, shown);
    }
}

fn call(picture: &mut Picture<'_>, depth: usize, tool: &Tool, streamed: &str) {
    if let Some(title) = &tool.title {
        picture.line(depth, format!("title: {title}"));
    }
    match &tool.input {
        Some(input) => picture.line(depth, format!("input: {}", in_order(input))),
        None if !streamed.is_empty() => picture.line(depth, format!("input so far: {streamed}")),
        None => {}
    }
    for place in &tool.locations {
        let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
        picture.line(depth, format!("file: {}{line}", place.path));
    }
}

fn result(picture: &mut Picture<'_>, depth: usize, tool: &Tool, output: &str) {
    content(picture, depth, "=", &tool.content);
    if !output.is_empty() {
        picture.text(depth, "=", output);
    }
    if let Some(code) = tool.exit_code {
        picture.line(depth, format!("exit {code}"));
    }
}

/// Requests about this item, each with what became of it.
pub(super) fn requests(picture: &mut Picture<'_>, depth: usize, about: Option<&ItemId>) {
    let opened = picture.events.iter().filter_map(|event| match &event.draft.body {
        EventBody::RequestOpened { request } if request.item.as_ref() == about && !is_own(request) => Some(request),
        _ => None,
    });
    for request in opened {
        let subject = match &request.subject {
            RequestSubject::Approval { .. } => "approval",
            RequestSubject::Plan { .. } => "plan",
            RequestSubject::Questions => "questions",
            RequestSubject::Login { .. } => "login",
            RequestSubject::HostTool { .. } => "host tool",
            RequestSubject::Unknown { .. } => "unknown",
        };
        let offers: Vec<String> = request.options.iter().map(|offer| word(&offer.verdict)).collect();
        let offers = if offers.is_empty() { String::new() } else { format!(", offers {}", offers.join(" ")) };
        let end = picture.events.iter().find_map(|event| match &event.draft.body {
            EventBody::RequestResolved { request: id, resolution } if *id == request.id => Some(resolution),
            _ => None,
        });
        let end = end.map_or("open".into(), |end| outcome(request, end));
        picture.line(depth, format!("request: {subject}{offers}; {end}"));
        for question in &request.questions {
            let choices: Vec<&str> = question.choices.iter().map(|choice| choice.label.as_str()).collect();
            let many = if question.multiple { ", more than one" } else { "" };
            picture.line(depth + 1, format!("? {} [{}]{many}", question.text, choices.join(", ")));
        }
    }
}

fn outcome(request: &Request, resolution: &Resolution) -> String {
    match resolution {
        Resolution::Answered { option, by, .. } => {
            let offer = option.as_ref().and_then(|id| request.options.iter().find(|offer| offer.id == *id));
            let option = offer.map(|offer| format!(" {}", word(&offer.verdict))).unwrap_or_default();
            format!("answered{option} by {by}")
        }
        Resolution::Withdrawn => "withdrawn".into(),
        Resolution::Dismissed => "dismissed".into(),
        Resolution::Expired => "expired".into(),
        Resolution::Failed => "failed".into(),
    }
}

/// Texts, line by line; pictures and the like by what they are.
pub(super) fn content(picture: &mut Picture<'_>, depth: usize, mark: &str, parts: &[Content]) {
    for part in parts {
        match part {
            Content::Text(text) => picture.text(depth, mark, text),
            Content::Media(media) => picture.line(depth, format!("{mark} (media {})", media.mime)),
            Content::Diff(diff) => picture.line(depth, format!("{mark} (change of {})", diff.path)),
            Content::Other(other) => picture.line(depth, format!("{mark} (other {})", other.name)),
        }
    }
}

/// JSON with its keys in order; what is none stays as it is.
fn in_order(json: &str) -> String {
    serde_json::from_str::<Value>(json).map_or_else(|_| json.to_owned(), |value| sorted(value).to_string())
}

/// The order of an object's keys depends on how `serde_json` is built; here it must not.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(sorted).collect(),
        Value::Object(pairs) => {
            let mut pairs: Vec<_> = pairs.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            pairs.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(pairs.into_iter().collect())
        }
        other => other,
    }
}
