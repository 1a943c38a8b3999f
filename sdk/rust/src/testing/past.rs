//! History in a plugin's tests: lists and transcripts asked for, and what a person sees of a conversation, told live or from disk.

use super::{Files, Harness, word};
use crate::prelude::*;

/// A session for questions to these files. Panics when it does not begin.
pub fn query<P: Provider>(files: Files) -> Harness<P> {
    let mut harness = Harness::new();
    let outputs = harness.start_query("/workspace/project", files);
    assert!(matches!(outputs.as_slice(), [Output::Done(OpResult { outcome: Ok(OpValue::Accepted), .. })]));
    harness
}

/// The stored threads, at most a hundred of them. Panics when something was started for it, or the list failed.
pub fn threads<P: Provider>(harness: &mut Harness<P>, folder: Option<&str>) -> Vec<Thread> {
    let list = ListThreads { folder: folder.map(str::to_owned), page: None, limit: 100 };
    let outputs = harness.command(CommandBody::ListThreads(list));
    assert!(harness.spawned.is_empty(), "a list starts nothing");
    match outputs.last() {
        Some(Output::Done(OpResult { outcome: Ok(OpValue::Threads(list)), .. })) => list.threads.clone(),
        other => panic!("{other:?}"),
    }
}

/// The folders that hold conversations.
pub fn folders<P: Provider>(harness: &mut Harness<P>) -> Vec<Folder> {
    match harness.command(CommandBody::ListFolders).last() {
        Some(Output::Done(OpResult { outcome: Ok(OpValue::Folders(folders)), .. })) => folders.clone(),
        other => panic!("{other:?}"),
    }
}

/// One page of a transcript, without its answer, and the name of the page before it.
pub fn page<P: Provider>(
    harness: &mut Harness<P>,
    cursor: &str,
    page: Option<String>,
    limit: u32,
) -> (Vec<Output>, Option<String>) {
    let mut outputs = harness.command(CommandBody::ReadThread(ReadThread { cursor: Some(cursor.into()), page, limit }));
    match outputs.pop() {
        Some(Output::Done(OpResult { outcome: Ok(OpValue::Page(next)), .. })) => (outputs, next),
        other => panic!("{other:?}"),
    }
}

/// A whole transcript, read in pages of so many items, oldest first.
pub fn transcript<P: Provider>(harness: &mut Harness<P>, cursor: &str, limit: u32) -> Vec<Output> {
    let (mut pages, mut next) = (vec![], None);
    loop {
        let (outputs, before) = page(harness, cursor, next, limit);
        pages.insert(0, outputs);
        next = before;
        if next.is_none() {
            return pages.concat();
        }
        assert!(pages.len() < 10_000, "pages without an end");
    }
}

/// What a person sees of each item, in its last state where it first stood; not what the person said. Ids that are UUIDs are left out:
/// lines of a program often have other ones than its rows, and a session under test has one of its own.
pub fn seen(outputs: &[Output]) -> Vec<String> {
    let mut items: Vec<(Option<String>, Item)> = vec![];
    for output in outputs {
        let Output::Event(Event { scope, body }) = output else { continue };
        let parent = scope.as_ref().and_then(|scope| scope.parent.clone());
        match body {
            EventBody::Items(told) => told.iter().for_each(|item| merge(&mut items, &parent, item)),
            EventBody::Delta(Delta { id: Some(id), kind: TextKind::ToolOutput, whole: true, text }) => {
                let known = items.iter_mut().find(|(_, item)| item.id.as_ref() == Some(id));
                if let Some((_, Item { body: ItemBody::Tool(tool), .. })) = known {
                    tool.content = vec![text.as_str().into()];
                }
            }
            _ => {}
        }
    }
    items.iter().filter_map(|(parent, item)| shown(parent.as_deref().unwrap_or_default(), item)).collect()
}

fn merge(items: &mut Vec<(Option<String>, Item)>, parent: &Option<String>, item: &Item) {
    let same = |(at, known): &&mut (Option<String>, Item)| at == parent && item.id.is_some() && known.id == item.id;
    let Some((_, known)) = items.iter_mut().find(same) else { return items.push((parent.clone(), item.clone())) };
    match &item.body {
        // Told again without words, it has ended and keeps them.
        ItemBody::Assistant(parts) | ItemBody::Reasoning(parts) if parts.is_empty() => known.status = item.status,
        _ => crate::past::again(known, item.clone()),
    }
}

fn shown(parent: &str, item: &Item) -> Option<String> {
    let id = item.id.as_deref().unwrap_or("-");
    let text = match &item.body {
        ItemBody::User(user) if user.typed => return None,
        ItemBody::User(user) => format!("in the person's name {:?}", user.content),
        ItemBody::Assistant(parts) => format!("assistant {id} {parts:?}"),
        ItemBody::Reasoning(parts) => format!("reasoning {id} {parts:?}"),
        ItemBody::ProposedPlan(plan) => format!("plan {id} {} {plan:?}", word(&item.status)),
        ItemBody::Tool(tool) => format!(
            "{} {id} {} {:?} {:?} {:?} {:?} {:?}",
            word(&tool.kind),
            word(&item.status),
            tool.name,
            tool.title,
            tool.input,
            tool.exit_code,
            tool.content
        ),
        ItemBody::Other(other) => other.name.clone(),
    };
    Some(without_uuids(&format!("({parent}) {text}")).replace("Content::", ""))
}

fn without_uuids(text: &str) -> String {
    let (mut shown, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let uuid = rest.get(..36).is_some_and(crate::random::is_uuid);
        shown.push(if uuid { '~' } else { first });
        rest = &rest[if uuid { 36 } else { first.len_utf8() }..];
    }
    shown
}

/// Lines of one that the other does not have; a text for a test that failed.
pub fn difference(live: &[String], history: &[String]) -> String {
    let only = |one: &[String], other: &[String]| {
        one.iter().filter(|line| !other.contains(line)).cloned().collect::<Vec<_>>().join("\n")
    };
    format!("live only:\n{}\nhistory only:\n{}\n", only(live, history), only(history, live))
}
