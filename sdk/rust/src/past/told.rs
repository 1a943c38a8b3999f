//! What the rows of a page tell, put together: of a call and its result one item, where the call stood.

use std::collections::BTreeMap;

use crate::prelude::*;

/// Where rows tell what a person sees.
#[derive(Debug, Default)]
pub struct Told {
    thread: String,
    /// The call inside of which all happens that is told.
    parent: Option<String>,
    what: Vec<(Scope, What)>,
    /// Where items stand, by the call inside of which they happened and their id: each turn may have one.
    known: BTreeMap<(Option<String>, String), Vec<usize>>,
    inside: Vec<(String, String)>,
    unreadable: usize,
    /// When what is told now happened.
    at_ms: Option<f64>,
}

#[derive(Debug)]
enum What {
    Item(Box<Item>),
    Other(EventBody),
}

impl Told {
    /// Nothing yet, of this thread; all of it inside of this call, if there is one.
    pub fn of(thread: &str, parent: Option<String>) -> Self {
        Told { thread: thread.to_owned(), parent, ..Told::default() }
    }

    /// What is told from now on happened then: a moment as ISO 8601 writes it.
    pub fn at(&mut self, moment: Option<&str>) {
        self.at_ms = moment.and_then(crate::moment::milliseconds);
    }

    /// What is told from now on happened then, in milliseconds since 1970.
    pub fn at_ms(&mut self, ms: Option<f64>) {
        self.at_ms = ms;
    }

    /// What a plugin's own translation of live frames told, of those kinds of events that are history, inside of this call where
    /// nothing else is said; items can be changed on the way.
    pub fn take(&mut self, cx: &mut Cx, parent: Option<&str>, change: impl Fn(&mut Item)) {
        for output in std::mem::take(&mut cx.out) {
            let Output::Event(Event { scope, body }) = output.output else { continue };
            let scope = scope.unwrap_or_else(Scope::root);
            let scope = Scope { parent: scope.parent.or(parent.map(str::to_owned)), ..scope };
            match body {
                EventBody::Items(items) => {
                    for mut item in items {
                        change(&mut item);
                        self.item(scope.clone(), item);
                    }
                }
                EventBody::Plan(_) | EventBody::Note(_) | EventBody::Context(_) => self.event(scope, body),
                _ => {}
            }
        }
    }

    /// An item, as far as it is known: told again under its id, it is the same one, and keeps what is not told again.
    pub fn item(&mut self, scope: Scope, mut item: Item) {
        let scope = self.place(scope);
        if let Some(ms) = self.at_ms {
            item.extra.push(("at-ms".to_owned(), ms.to_string()));
        }
        if let Some(id) = &item.id {
            let key = (scope.parent.clone(), format!("{} {id}", kind(&item.body)));
            if let Some(at) = self.find(&key, &scope.turn) {
                if let What::Item(known) = &mut self.what[at].1 {
                    again(known, item);
                }
                return;
            }
            self.known.entry(key).or_default().push(self.what.len());
        }
        self.what.push((scope, What::Item(Box::new(item))));
    }

    /// Anything else that happened.
    pub fn event(&mut self, scope: Scope, body: EventBody) {
        let scope = self.place(scope);
        self.what.push((scope, What::Other(body)));
    }

    /// How far the tool's item with this id has come, when it was told there.
    pub fn status(&self, scope: &Scope, id: &str) -> Option<Status> {
        let scope = self.place(scope.clone());
        let at = self.find(&(scope.parent, format!("tool {id}")), &scope.turn)?;
        if let What::Item(item) = &self.what[at].1 { Some(item.status) } else { None }
    }

    /// What happened inside of this item stands in another transcript, which [`Archive::inside`](super::Archive::inside) finds by this name.
    pub fn inside(&mut self, item: &str, transcript: &str) {
        self.inside.push((item.to_owned(), transcript.to_owned()));
    }

    /// A row was met that can't be read.
    pub fn unreadable(&mut self) {
        self.unreadable += 1;
    }

    fn place(&self, scope: Scope) -> Scope {
        let parent = scope.parent.or_else(|| self.parent.clone());
        Scope { thread: Some(self.thread.clone()), parent, replayed: true, ..scope }
    }

    /// An item of this turn; a row may not say of which it is.
    fn find(&self, key: &(Option<String>, String), turn: &Option<String>) -> Option<usize> {
        let same = |at: &&usize| {
            let other = &self.what[**at].0.turn;
            other == turn || other.is_none() || turn.is_none()
        };
        self.known.get(key)?.iter().rev().find(same).copied()
    }

    pub(super) fn take_inside(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.inside)
    }

    pub(super) fn count_unreadable(&self) -> usize {
        self.unreadable
    }

    /// What another transcript told follows this item.
    pub(super) fn insert(&mut self, item: &str, other: Told) {
        let of = |what: &What| matches!(what, What::Item(known) if known.id.as_deref() == Some(item));
        let at = self.what.iter().rposition(|(_, what)| of(what)).map_or(self.what.len(), |at| at + 1);
        self.what.splice(at..at, other.what);
        // The places of what follows are other ones now, and no row is told any more.
        self.known.clear();
    }

    /// The events, in order: items of one place together. What has no end has ended; how, nobody says.
    pub fn events(self) -> Vec<(Scope, EventBody)> {
        let mut events: Vec<(Scope, EventBody)> = vec![];
        for (scope, what) in self.what {
            let mut item = match what {
                What::Item(item) => *item,
                What::Other(body) => {
                    events.push((scope, body));
                    continue;
                }
            };
            if matches!(item.status, Status::Pending | Status::Running | Status::Waiting) {
                item.status = Status::Unknown;
            }
            match events.last_mut() {
                Some((last, EventBody::Items(items))) if *last == scope => items.push(item),
                _ => events.push((scope, EventBody::Items(vec![item]))),
            }
        }
        events
    }
}

/// An item told again: what is missing in it erases nothing.
pub(crate) fn again(known: &mut Item, mut item: Item) {
    item.mark = item.mark.or(known.mark.take());
    for (name, value) in std::mem::take(&mut known.extra) {
        match item.extra.iter_mut().find(|(there, _)| *there == name) {
            // It happened when it began.
            Some(there) if name == "at-ms" => there.1 = value,
            Some(_) => {}
            None => item.extra.push((name, value)),
        }
    }
    if let (ItemBody::Tool(tool), ItemBody::Tool(before)) = (&mut item.body, &mut known.body) {
        if tool.kind == ToolKind::Unknown {
            tool.kind = before.kind;
        }
        tool.name = tool.name.take().filter(|name| !name.is_empty()).or(before.name.take());
        tool.server = tool.server.take().or(before.server.take());
        tool.title = tool.title.take().or(before.title.take());
        tool.input = tool.input.take().or(before.input.take());
        tool.exit_code = tool.exit_code.or(before.exit_code);
        if tool.locations.is_empty() {
            tool.locations = std::mem::take(&mut before.locations);
        }
        if tool.content.is_empty() {
            tool.content = std::mem::take(&mut before.content);
        }
    }
    *known = item;
}

/// Items of different kinds may have one id.
fn kind(body: &ItemBody) -> &'static str {
    match body {
        ItemBody::User(_) => "user",
        ItemBody::Assistant(_) => "assistant",
        ItemBody::Reasoning(_) => "reasoning",
        // A plan that is proposed may be the result of a call.
        ItemBody::ProposedPlan(_) | ItemBody::Tool(_) => "tool",
        ItemBody::Other(_) => "other",
    }
}
