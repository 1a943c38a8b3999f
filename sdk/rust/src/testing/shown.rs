//! The outputs of a conversation as a compact text: a line for each thing that a person or the host would notice.

use super::word;
use crate::prelude::*;

/// One line per output; deltas of one item are joined; settings, commands and dispositions are left out.
pub fn project(outputs: &[Output]) -> String {
    join(outputs, describe, 280)
}

/// A line for each output that has one; the texts of those that follow one another with the same head are joined, and a line is cut after
/// so many characters.
pub fn join(outputs: &[Output], describe: impl Fn(&Output) -> Option<(String, String)>, width: usize) -> String {
    let mut lines: Vec<String> = vec![];
    for (head, text) in outputs.iter().filter_map(describe) {
        match lines.last_mut() {
            Some(last) if !text.is_empty() && last.starts_with(&head) => last.push_str(&text),
            _ => lines.push(head + &text),
        }
    }
    lines.iter().map(|line| format!("{}\n", short(line, width))).collect()
}

fn describe(output: &Output) -> Option<(String, String)> {
    let line = match output {
        Output::Done(OpResult { op, outcome: Ok(value) }) => format!("done {op} {}", done(value)),
        Output::Done(OpResult { op, outcome: Err(fault) }) => {
            format!("done {op} fault {}: {}", word(&fault.kind), fault.message)
        }
        Output::Negotiated(set) => format!("negotiated {}", set.provider_version.as_deref().unwrap_or("?")),
        Output::Event(event) => {
            let (head, text) = of_event(&event.body)?;
            return Some((place(event.scope.as_ref()) + &head, text));
        }
        _ => return None,
    };
    Some((line, String::new()))
}

/// Of a thread the last letters of its id.
fn place(scope: Option<&Scope>) -> String {
    let Some(scope) = scope else { return String::new() };
    let thread = scope.thread.as_ref().map(|id| format!("({}) ", &id[id.len().saturating_sub(4)..]));
    let parent = scope.parent.as_ref().map(|parent| format!("({parent}) "));
    [thread, parent].into_iter().flatten().collect()
}

fn of_event(body: &EventBody) -> Option<(String, String)> {
    let line = match body {
        EventBody::Delta(delta) => {
            return Some((
                format!("+{} {}: ", word(&delta.kind), delta.id.as_deref().unwrap_or("-")),
                delta.text.clone(),
            ));
        }
        EventBody::Items(items) => items.iter().map(item).collect::<Vec<_>>().join(" | "),
        EventBody::TurnStarted(start) => match (start.op, &start.reason) {
            (Some(op), _) => format!("turn of {op}"),
            (None, reason) => format!("turn by itself: {}", reason.clone().unwrap_or_default()),
        },
        EventBody::TurnEnded(end) => {
            let reason = end.reason.as_deref().unwrap_or("-");
            let fault = end.fault.as_ref().map(|fault| {
                let again = if fault.retryable { ", retryable" } else { "" };
                format!(" {} ({}{again}): {}", word(&fault.kind), fault.code.as_deref().unwrap_or("-"), fault.message)
            });
            let background = if end.background { " background" } else { "" };
            let mark = end.mark.as_deref().map(|mark| format!(" @{mark}")).unwrap_or_default();
            format!("turn ended {} {reason}{background}{mark}{}", word(&end.status), fault.unwrap_or_default())
        }
        EventBody::Threads(threads) => {
            let thread = &threads[0];
            let cursor = if thread.cursor.is_some() { " resumable" } else { "" };
            let replaces = if thread.replaces.is_some() { " renamed" } else { "" };
            format!("thread {}{cursor}{replaces}", word(&thread.state))
        }
        EventBody::Plan(plan) => {
            let steps: Vec<_> = plan.steps.iter().map(|step| format!("{} {}", word(&step.status), step.text)).collect();
            format!("plan: {}", steps.join(", "))
        }
        EventBody::Tasks(tasks) => {
            let task = &tasks[0];
            let background = if task.background { " background" } else { "" };
            format!(
                "task {} {} {}{background}",
                word(&task.kind),
                word(&task.status),
                task.title.as_deref().unwrap_or("-")
            )
        }
        EventBody::Roster(ids) => format!("roster {}", ids.len()),
        EventBody::RequestsOpened(requests) => {
            let request = &requests[0];
            let options: Vec<_> =
                request.options.iter().map(|offer| format!("{}={}", offer.id, word(&offer.verdict))).collect();
            let questions: Vec<_> = request.questions.iter().map(|question| question.text.as_str()).collect();
            format!("asks {} {}{}", subject(&request.subject), options.join(" "), questions.join(" "))
        }
        EventBody::RequestsClosed(ends) => format!("request {}", word(&ends[0].status)),
        EventBody::Context(change) => {
            format!("context {} {:?}→{:?}", word(&change.what), change.tokens_before, change.tokens_after)
        }
        EventBody::Retrying(retry) => {
            format!("retrying {} of {:?}: {}", retry.attempt, retry.max_attempts, word(&retry.fault.kind))
        }
        EventBody::McpServers(servers) => {
            format!("mcp {} {} {:?}", servers[0].name, word(&servers[0].status), servers[0].tools)
        }
        EventBody::Note(note) => format!("note {}: {}", note.code, note.text),
        EventBody::Queue(ops) => format!("queue {ops:?}"),
        _ => return None,
    };
    Some((line, String::new()))
}

fn item(item: &Item) -> String {
    let what = match &item.body {
        ItemBody::User(user) => format!("user typed={} {}", user.typed, contents(&user.content)),
        ItemBody::Assistant(parts) => format!("assistant {}", contents(parts)),
        ItemBody::Reasoning(parts) => format!("reasoning {}", contents(parts)),
        ItemBody::ProposedPlan(plan) => format!("plan {plan:?}"),
        ItemBody::Tool(tool) => {
            let server = tool.server.as_ref().map(|server| format!("{server}/")).unwrap_or_default();
            let title = tool.title.as_deref().unwrap_or("-");
            format!(
                "{} {server}{} {title} {}",
                word(&tool.kind),
                tool.name.as_deref().unwrap_or("-"),
                contents(&tool.content)
            )
        }
        ItemBody::Other(other) => other.name.clone(),
    };
    let id = match &item.body {
        ItemBody::User(_) => "~",
        _ => item.id.as_deref().unwrap_or("-"),
    };
    format!("{} {id} {}", word(&item.status), what.trim_end())
}

fn contents(parts: &[Content]) -> String {
    let part = |part: &Content| match part {
        Content::Text(text) => format!("{text:?}"),
        Content::Diff(diff) => {
            format!("diff {} {:?}", diff.path, diff.patch.as_deref().or(diff.after.as_deref()).unwrap_or_default())
        }
        Content::Media(media) => media.mime.clone(),
        Content::Other(other) => other.name.clone(),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(" ")
}

fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Approval(tool) => format!("{} {}: ", word(&tool.kind), tool.title.as_deref().unwrap_or("-")),
        Subject::Plan(plan) => format!("plan {plan:?}: "),
        other => format!("{}: ", word(other)),
    }
}

fn done(value: &OpValue) -> String {
    match value {
        OpValue::Delivered(delivery) => word(&delivery.how),
        OpValue::Applied(applies) => format!("applied {}", word(applies)),
        OpValue::Thread(thread) => format!("thread {}", if thread.cursor.is_some() { "resumed" } else { "new" }),
        other => word(other),
    }
}

fn short(line: &str, width: usize) -> String {
    let line = line.replace('\n', "⏎");
    if line.chars().count() <= width { line } else { line.chars().take(width).collect::<String>() + "…" }
}
