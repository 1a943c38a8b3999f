//! Threads that share a session: each has its own place here from its begin to its end, whatever the others do.
//!
//! **What is minted in a thread follows from that thread alone, and its end closes nothing of another one's.** What the provider says of
//! the session itself is said in every thread; what it still says of a thread that has ended is fenced.

use super::route::names;
use super::run::why;
use super::thread::ThreadState;
use super::{Normalizer, Routed, SessionEnded, clean};
use crate::contract::{self, EventBody as Told};
use crate::event::{Request, Task};
use crate::id::{RequestId, TaskId, ThreadId};
use crate::identity::{Mark, SessionScope, TurnKey};
use std::collections::BTreeMap;

/// Where the ids of each thread are minted.
#[derive(Debug)]
pub(super) struct Scopes {
    first: SessionScope,
    /// Of threads that came later, which have a scope of their own.
    own: BTreeMap<ThreadId, SessionScope>,
}

impl Scopes {
    pub fn new(first: SessionScope) -> Self {
        Self { first, own: BTreeMap::new() }
    }

    pub fn of(&self, thread: &ThreadId) -> &SessionScope {
        self.own.get(thread).unwrap_or(&self.first)
    }

    pub fn mint(&self, thread: &ThreadId, turn: &TurnKey, kind: &str, mark: &Mark<'_>) -> String {
        self.of(thread).mint(thread, turn, kind, mark)
    }
}

impl Normalizer {
    /// One more thread is served from now on. Its ids are minted in this scope, so they are those that it would have alone.
    pub fn begin_thread(&mut self, scope: SessionScope) {
        let thread = scope.thread.clone();
        let known = self.thread_index(&thread);
        // The first one is there from the beginning.
        self.begun += u32::from(known.is_none_or(|t| self.threads[t].over));
        let state = ThreadState { begun: self.begun, ..ThreadState::new(thread.clone()) };
        let free = known.or_else(|| self.threads.iter().position(|thread| thread.over));
        match free {
            Some(at) => self.threads[at] = state,
            None => self.threads.push(state),
        }
        self.scope.own.insert(thread, scope);
    }

    /// One thread's part in the session is over, and the session goes on: what is open in it closes, `session.ended` comes last.
    pub fn end_thread(&mut self, thread: &ThreadId, mut ended: SessionEnded) -> Vec<Routed> {
        if let Some(t) = self.thread_index(thread).filter(|t| !self.ended && !self.threads[*t].over) {
            self.frame = None;
            clean::ended(&mut ended, &self.limits);
            self.leave_requests(Some(t));
            let fault = why(&ended);
            self.thread_ends(t, &ended, &fault);
            self.session_ended(t, &ended);
            self.forget_thread(t);
        }
        self.take()
    }

    /// Nothing of it is known any more but that it is over: what the provider still says of it is nobody's.
    fn forget_thread(&mut self, t: usize) {
        let of_it = |owner: &usize| *owner == t;
        let children = self.children.extract_if(.., |(_, owner)| of_it(owner)).map(|(native, _)| native);
        let gone: Vec<String> = self.threads[t].native.take().into_iter().chain(children).collect();
        self.held.retain(|(_, event)| !gone.iter().any(|native| names(event, native)));
        self.gone.extend(gone);
        while self.gone.len() as u64 > self.limits.ended_kept {
            self.gone.pop_front();
        }
        self.survivors.retain(|(owner, _)| *owner != t);
        self.announced.retain(|(owner, _)| *owner != t);
        let id = self.threads[t].id.clone();
        self.scope.own.remove(&id);
        self.threads[t] = ThreadState { over: true, ..ThreadState::new(id) };
    }

    /// Threads that are served.
    pub(super) fn served(&self) -> Vec<usize> {
        (0..self.threads.len()).filter(|t| !self.threads[*t].over).collect()
    }

    /// The thread that stands for the session, and that is meant where the provider names none: of those that are served, the first
    /// that was begun; one that is still being opened only when there is no other.
    pub(super) fn primary(&self) -> usize {
        let age = |t: &usize| (self.threads[*t].native.is_none(), self.threads[*t].begun);
        self.served().into_iter().min_by_key(age).unwrap_or(0)
    }

    /// True for what was said of a thread that nobody has, in a session that has served several: it is no other one's.
    pub(super) fn is_of_nobody(&self, event: &contract::Event) -> bool {
        let named = event.scope.as_ref().is_some_and(|scope| scope.thread.is_some());
        self.begun > 0 && (named || matches!(event.body, Told::Threads(_)))
    }

    /// The only thread that is served, if it is the only one.
    pub(super) fn only(&self) -> Option<usize> {
        match self.served()[..] {
            [t] => Some(t),
            _ => None,
        }
    }

    /// The thread that an event names, by the provider's id or by the command that it follows from; the first without a name.
    pub(super) fn spoken_of(&self, event: &contract::Event) -> Option<usize> {
        if let Some(native) = event.scope.as_ref().and_then(|scope| scope.thread.as_deref()) {
            let only = self.only().filter(|only| !self.serves_many() || self.may_be(*only));
            return self.thread_of_native(native).or_else(|| self.owner_of_child(native)).or(only);
        }
        let op = match &event.body {
            Told::TurnStarted(start) => start.op,
            Told::TurnEnded(end) => end.op,
            _ => None,
        };
        let has = |thread: &ThreadState, op: u32| {
            let open = thread.open.iter().chain(&thread.ended).any(|turn| turn.op == Some(op));
            open || thread.runs.iter().any(|run| run.op == op) || thread.handed.iter().any(|one| one.op == op)
        };
        let of_op = op.and_then(|op| self.threads.iter().position(|thread| !thread.over && has(thread, op)));
        Some(of_op.unwrap_or_else(|| self.primary()))
    }

    /// The thread of ours that an event is about.
    pub fn thread_of(&self, event: &contract::Event) -> Option<&ThreadId> {
        self.spoken_of(event).filter(|_| !self.is_of_gone(event)).map(|t| &self.threads[t].id)
    }

    /// The thread of ours that one of the provider's works for.
    pub fn thread_of_child(&self, native: &str) -> Option<&ThreadId> {
        self.owner_of_child(native).map(|t| &self.threads[t].id)
    }

    /// True for what is said of the session itself, while it serves more threads than one.
    pub(super) fn is_of_all(&self, event: &contract::Event) -> bool {
        let of_session = matches!(
            event.body,
            Told::Settings(_) | Told::SlashCommands(_) | Told::McpServers(_) | Told::Account(_) | Told::Note(_)
        );
        let named = event.scope.as_ref().is_some_and(|scope| scope.thread.is_some());
        of_session && !named && self.only().is_none()
    }

    /// True for what is said of a thread that is over.
    pub fn is_of_gone(&self, event: &contract::Event) -> bool {
        let native = event.scope.as_ref().and_then(|scope| scope.thread.as_ref());
        let told = match &event.body {
            Told::Threads(threads) if native.is_none() && !threads.is_empty() => {
                threads.iter().all(|thread| self.gone.contains(&thread.id))
            }
            _ => false,
        };
        told || native.is_some_and(|native| self.gone.contains(native))
    }

    /// True when a turn is open in this thread.
    pub fn is_at_work(&self, thread: &ThreadId) -> bool {
        self.thread_index(thread).is_some_and(|t| self.threads[t].open.is_some())
    }

    /// True while a tool of this thread's open turn is at work: the provider may well be silent then.
    pub fn has_tool_at_work(&self, thread: &ThreadId) -> bool {
        let open = self.thread_index(thread).and_then(|t| self.threads[t].open.as_ref());
        open.is_some_and(|turn| turn.open.iter().any(super::item::OpenItem::is_tool_at_work))
    }

    /// Requests of this thread that can be answered, oldest first.
    pub fn requests_of(&self, thread: &ThreadId) -> Vec<&Request> {
        let t = self.thread_index(thread);
        let open = self.requests.open().iter().filter(|open| Some(open.place.thread) == t);
        open.map(|open| &open.request).collect()
    }

    /// The thread that an open request, or one that is waited for, is of.
    pub fn thread_of_request(&self, id: &RequestId) -> Option<&ThreadId> {
        let open = self.requests.open().iter().find(|open| open.request.id == *id).map(|open| open.place.thread);
        let awaited = || self.survivors.iter().find(|(_, one)| one.request.id == *id).map(|(t, _)| *t);
        open.or_else(awaited).map(|t| &self.threads[t].id)
    }

    /// Tasks of this thread that go on in the background.
    pub fn roster_of(&self, thread: &ThreadId) -> Vec<&Task> {
        let tasks = self.thread_index(thread).into_iter().flat_map(|t| &self.threads[t].tasks);
        tasks.map(|task| &*task.task).filter(|task| task.background).collect()
    }

    /// The provider's id of a task of this thread that goes on.
    pub fn task_of(&self, thread: &ThreadId, id: &TaskId) -> Option<&str> {
        let mut tasks = self.thread_index(thread).into_iter().flat_map(|t| &self.threads[t].tasks);
        tasks.find(|task| task.task.id == *id).map(|task| task.native.as_str())
    }

    /// The thread of ours that the provider's thread of this id is bound to.
    pub fn bound_to(&self, native: &str) -> Option<&ThreadId> {
        self.thread_of_native(native).map(|t| &self.threads[t].id)
    }
}
