//! Is an id that is called strong one thing for good? A call's within its turn, a turn's and a request's within
//! its thread. **The same thing told twice is no lie; two things of one id are.**

use super::{Finding, shown};
use crate::contract::{Event, EventBody, ItemBody, Request, Tool};
use crate::event::is_terminal;
use crate::identity::digest;
use std::collections::{BTreeMap, BTreeSet};

/// Ids that were seen.
#[derive(Debug)]
pub(super) struct Ids {
    /// Calls of the open turn that have ended: thread and id; digests of their name and input.
    ended: BTreeMap<(Option<String>, String), [Option<String>; 2]>,
    /// Thread and id.
    turns: BTreeSet<(Option<String>, String)>,
    /// Thread and id: what a request is about, and whether it is over.
    requests: BTreeMap<(Option<String>, String), (String, bool)>,
    /// More is not remembered: a repeat is found early or never.
    bound: usize,
}

impl Ids {
    pub fn new(bound: usize) -> Self {
        Self { ended: BTreeMap::new(), turns: BTreeSet::new(), requests: BTreeMap::new(), bound }
    }

    /// One is over, in the thread of this id or in one that was not named.
    pub fn request_over(&mut self, thread: Option<&str>, native: &str) {
        for thread in [thread.map(str::to_owned), None] {
            if let Some((_, over)) = self.requests.get_mut(&(thread, native.to_owned())) {
                *over = true;
            }
        }
    }

    pub fn told(&mut self, event: &Event) -> Option<Finding> {
        let thread = event.scope.as_ref().and_then(|scope| scope.thread.clone());
        match &event.body {
            EventBody::TurnStarted(_) => {
                self.ended.retain(|(of, _), _| *of != thread);
                self.turn(thread, event.scope.as_ref()?.turn.clone()?)
            }
            EventBody::RequestsClosed(ends) => {
                ends.iter().for_each(|end| self.request_over(thread.as_deref(), &end.id));
                None
            }
            EventBody::RequestsOpened(requests) => {
                requests.iter().filter_map(|request| self.request(&thread, request)).next()
            }
            EventBody::Items(items) => items.iter().find_map(|item| match (&item.body, &item.id) {
                (ItemBody::Tool(tool), Some(id)) => {
                    self.call((thread.clone(), id.clone()), tool, is_terminal(item.status))
                }
                _ => None,
            }),
            _ => None,
        }
    }

    fn turn(&mut self, thread: Option<String>, id: String) -> Option<Finding> {
        let key = (thread, id);
        if self.turns.contains(&key) {
            let because = format!("the turn id {} came for two turns", shown(&key.1));
            return Some(Finding::weak("identity.native-turn-ids", because));
        }
        if self.turns.len() < self.bound {
            self.turns.insert(key);
        }
        None
    }

    fn request(&mut self, thread: &Option<String>, request: &Request) -> Option<Finding> {
        let about = digest(&[&format!("{:?} {:?}", request.item, request.subject)]);
        let is_full = self.requests.len() >= self.bound;
        let key = (thread.clone(), request.id.clone());
        match self.requests.get_mut(&key) {
            Some((known, over)) if *over && *known != about => {
                (*known, *over) = (about, false);
                let because = format!("the request id {} came for two requests", shown(&request.id));
                Some(Finding::weak("identity.native-request-ids", because))
            }
            Some(_) => None,
            None if is_full => None,
            None => {
                self.requests.insert(key, (about, false));
                None
            }
        }
    }

    /// One that has ended, and now has another name or another input, is another.
    fn call(&mut self, key: (Option<String>, String), tool: &Tool, ends: bool) -> Option<Finding> {
        let told = [&tool.name, &tool.input].map(|part| part.as_ref().map(|part| digest(&[part])));
        if let Some(known) = self.ended.get(&key) {
            let differs = known.iter().zip(&told).any(|(one, other)| one.is_some() && other.is_some() && one != other);
            let because = || format!("the call id {} came for two calls in one turn", shown(&key.1));
            return differs.then(|| Finding::weak("identity.native-item-ids", because()));
        }
        if ends && self.ended.len() < self.bound {
            self.ended.insert(key, told);
        }
        None
    }
}
