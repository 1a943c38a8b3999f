//! A command as one line: its name and what it holds, in a fixed order.

use jackfield_sdk::prelude::*;
use std::collections::BTreeSet;

/// The line; `open` are the threads that are open.
pub fn line(command: &Command, open: &BTreeSet<String>) -> String {
    let mut words = vec![command.body.name().to_owned()];
    let mut word = |text: &str| words.push(text.to_owned());
    match &command.body {
        CommandBody::OpenThread(started) => {
            match &started.cursor {
                Some(cursor) => word(&format!("resume {cursor}")),
                None => word("create"),
            }
            started.context.iter().for_each(|part| word(&context(part)));
            // Others are open in this session.
            if !open.is_empty() {
                word("beside");
            }
        }
        CommandBody::SendRun(message) | CommandBody::SteerRun(message) => {
            word(&message.text());
            message.context.iter().for_each(|part| word(&context(part)));
            message.selection.iter().for_each(|(name, value)| word(&format!("+{name}={value}")));
            let media = message.content.iter().filter_map(|part| match part {
                Content::Media(media) => Some(&media.mime),
                _ => None,
            });
            media.for_each(|mime| word(&format!("+{mime}")));
            if message.enqueue {
                word("+enqueue");
            }
        }
        CommandBody::Interrupt(interrupt) if interrupt.keep_background => word("keep-background"),
        CommandBody::Respond(answer) => {
            word(&answer.request);
            word(&reply(&answer.reply));
        }
        CommandBody::ReadThread(ReadThread { cursor: Some(cursor), page, limit }) => {
            word(cursor);
            page.iter().for_each(|page| word(&format!("page={page}")));
            word(&format!("limit={limit}"));
        }
        CommandBody::ListThreads(list) => {
            list.folder.iter().for_each(|folder| word(&format!("folder={folder}")));
            list.page.iter().for_each(|page| word(&format!("page={page}")));
            word(&format!("limit={}", list.limit));
        }
        CommandBody::ReadThread(_) | CommandBody::ClearThread | CommandBody::CloseThread => {}
        CommandBody::RollbackThread(point) | CommandBody::ForkThread(point) => {
            word(&point.turns_after.to_string());
            if let Some(item) = &point.item {
                word(&format!("item={item}"));
            }
            if let Some(mark) = &point.mark {
                word(&format!("mark={mark}"));
            }
        }
        CommandBody::CompactThread(keep) => word(keep),
        CommandBody::SetSelection(pairs) => pairs.iter().for_each(|(name, value)| word(&format!("{name}={value}"))),
        CommandBody::SetMcpServers(servers) => {
            for server in servers {
                word(&format!("{} without {}", server.name, server.disabled_tools.join(",")));
            }
        }
        CommandBody::RegisterTools(tools) => tools.iter().for_each(|tool| word(&tool.name)),
        CommandBody::StopTask(id) | CommandBody::WaitTask(id) | CommandBody::Authenticate(id) => word(id),
        _ => {}
    }
    // A copy may be of a subagent's thread: the one thing that is asked of a thread that was not opened.
    if matches!(command.body, CommandBody::ForkThread(_)) {
        words.extend(command.thread.iter().filter(|id| !open.contains(*id)).map(|id| format!("of {id}")));
    }
    words.retain(|word| !word.is_empty());
    words.join(" ").replace('\n', " ")
}

fn context(part: &ContextPart) -> String {
    let role = match part.role {
        ContextRole::System => "system",
        ContextRole::Developer => "developer",
        ContextRole::User => "user",
        ContextRole::Handoff => "handoff",
    };
    format!("[{role}: {}]", part.text)
}

fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Chosen(chosen) => chosen.option_id.clone(),
        Reply::Filled(filled) => filled.iter().map(|one| one.values.join("+")).collect::<Vec<_>>().join(","),
        Reply::Output(output) => {
            let texts = output.content.iter().filter_map(|part| match part {
                Content::Text(text) => Some(text.as_str()),
                _ => None,
            });
            format!("{} {}", if output.failed { "failed" } else { "output" }, texts.collect::<String>())
        }
        Reply::Dismissed => "dismissed".into(),
        Reply::Other(other) => other.name.clone(),
    }
}
