//! The outputs of a conversation as a compact text: a line for each thing that a person or the host would notice.

use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::{join, word};

/// One line per output; pieces of one message are joined; dispositions and catalogues are left out.
pub fn project(outputs: &[Output]) -> String {
    join(outputs, of_output, 260)
}

fn of_output(output: &Output) -> Option<(String, String)> {
    let line = match output {
        Output::Done(OpResult { op, outcome: Ok(value) }) => format!("done {op} {}", done(value)),
        Output::Done(OpResult { op, outcome: Err(fault) }) => format!("done {op} fault {}", told(fault)),
        Output::Negotiated(set) => {
            let version = set.provider_version.as_deref().unwrap_or("?");
            format!("negotiated {version} #{}: {} capabilities", set.revision, set.capabilities.len())
        }
        Output::Event(event) => {
            let (head, text) = describe(&event.body)?;
            return Some((place(event.scope.as_ref()) + &head, text));
        }
        _ => return None,
    };
    Some((line, String::new()))
}

fn place(scope: Option<&Scope>) -> String {
    let Some(scope) = scope else { return String::new() };
    let thread = scope.thread.as_ref().map(|id| format!("[{}] ", id.chars().take(12).collect::<String>()));
    let parent = scope.parent.as_ref().map(|id| format!("({id}) "));
    let replayed = scope.replayed.then(|| "replayed ".to_owned());
    [thread, replayed, parent].into_iter().flatten().collect()
}

fn told(fault: &Fault) -> String {
    let again = if fault.retryable { ", retryable" } else { "" };
    format!("{} ({}{again}): {}", word(&fault.kind), fault.code.as_deref().unwrap_or("-"), fault.message)
}

fn describe(body: &EventBody) -> Option<(String, String)> {
    let line = match body {
        EventBody::Delta(delta) => {
            let id = delta.id.as_deref().unwrap_or("-");
            return Some((format!("+{} {id}: ", word(&delta.kind)), delta.text.clone()));
        }
        EventBody::Items(items) => items.iter().map(item).collect::<Vec<_>>().join(" | "),
        EventBody::TurnEnded(end) => {
            let fault = end.fault.as_ref().map(|fault| format!(" {}", told(fault))).unwrap_or_default();
            format!(
                "turn of {} ended {} {}{fault}",
                end.op.unwrap_or(0),
                word(&end.status),
                end.reason.as_deref().unwrap_or("-")
            )
        }
        EventBody::Threads(threads) => {
            let thread = &threads[0];
            let cursor = if thread.cursor.is_some() { " resumable" } else { "" };
            format!("thread {}{cursor} {}", word(&thread.state), thread.title.as_deref().unwrap_or("-"))
        }
        EventBody::Plan(plan) => {
            let steps: Vec<_> = plan.steps.iter().map(|step| format!("{} {}", word(&step.status), step.text)).collect();
            format!("plan: {}", steps.join(", "))
        }
        EventBody::RequestsOpened(requests) => {
            let request = &requests[0];
            let options: Vec<_> =
                request.options.iter().map(|offer| format!("{}={}", offer.id, word(&offer.verdict))).collect();
            format!("asks {} {}: {}", request.id, subject(&request.subject), options.join(" "))
        }
        EventBody::RequestsClosed(ends) => format!("request {} {}", ends[0].id, word(&ends[0].status)),
        EventBody::Settings(settings) => {
            let value = |setting: &Setting| format!("{}={}", setting.name, setting.value.as_deref().unwrap_or("?"));
            format!("settings {}", settings.iter().map(value).collect::<Vec<_>>().join(" "))
        }
        EventBody::Usage(usage) => {
            let counts: Vec<_> = usage.counts.iter().map(|(name, count)| format!("{name}={count}")).collect();
            format!("usage of {}: {}", word(&usage.span), counts.join(" "))
        }
        EventBody::Note(note) => format!("note {}", note.text),
        _ => return None,
    };
    Some((line, String::new()))
}

fn item(item: &Item) -> String {
    let what = match &item.body {
        ItemBody::User(user) => format!("user {}", contents(&user.content)),
        ItemBody::Assistant(parts) => format!("assistant {}", contents(parts)),
        ItemBody::Reasoning(parts) => format!("reasoning {}", contents(parts)),
        ItemBody::Tool(tool) => {
            let (title, input) = (tool.title.as_deref().unwrap_or("-"), tool.input.as_deref().unwrap_or("-"));
            let code = tool.exit_code.map(|code| format!(" exit {code}")).unwrap_or_default();
            format!(
                "{} {} {title} {input} {}{code}",
                word(&tool.kind),
                tool.name.as_deref().unwrap_or("-"),
                contents(&tool.content)
            )
        }
        other => word(other),
    };
    format!("{} {} {}", word(&item.status), item.id.as_deref().unwrap_or("-"), what.trim_end())
}

fn contents(parts: &[Content]) -> String {
    let part = |part: &Content| match part {
        Content::Text(text) => format!("{text:?}"),
        Content::Diff(diff) => format!("diff {} {:?}→{:?}", diff.path, diff.before, diff.after),
        Content::Media(media) => media.mime.clone(),
        Content::Other(other) => other.name.clone(),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(" ")
}

fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Approval(tool) => format!("{} {}", word(&tool.kind), tool.title.as_deref().unwrap_or("-")),
        other => word(other),
    }
}

fn done(value: &OpValue) -> String {
    match value {
        OpValue::Delivered(delivery) => word(&delivery.how),
        OpValue::Applied(applies) => format!("applied {}", word(applies)),
        OpValue::Thread(thread) => format!("thread {}", if thread.cursor.is_some() { "with a cursor" } else { "new" }),
        OpValue::Threads(list) => format!("threads {}", list.threads.len()),
        other => word(other),
    }
}
