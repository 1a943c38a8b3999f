//! Threads that are stored: listed, and told again. What is told again is marked `replayed`; a turn is never parted.

use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use jackfield_sdk::tolerant::Raw;
use serde_json::{Map, Value, json};

use crate::fault::REFUSED;
use crate::item;
use crate::session::{Call, Codex};
use crate::wire::{self, Opened, Page, Turn};

impl Codex {
    /// The command `read-thread`.
    pub(crate) fn read(&mut self, cx: &mut Cx, op: u32, thread: Option<&str>, page: ReadThread) {
        if let Some(fault) = self.not_ready() {
            return cx.fail(op, fault);
        }
        let id = match page.cursor.clone().or_else(|| thread.map(str::to_owned)) {
            Some(id) => id,
            None => match self.threads.of_command(None) {
                Ok(id) => id,
                Err(fault) => return cx.fail(op, fault),
            },
        };
        let params = json!({"threadId": id, "includeTurns": true});
        self.call(cx, Some(op), "thread/read", params, Call::Read { op, thread: id, page });
    }

    /// Its turns: as many whole ones, from the newest back, as the limit takes; one at least. A page is named by the number of
    /// turns before it.
    pub(crate) fn history(
        &mut self,
        cx: &mut Cx,
        op: u32,
        id: &str,
        page: &ReadThread,
        answer: Result<Value, RpcError>,
    ) {
        let read: Opened = match answer {
            Ok(read) => serde_json::from_value(read).unwrap_or_default(),
            Err(error) if error.code == REFUSED => return cx.fail(op, error.fault(FaultKind::NotFound)),
            Err(error) => return cx.fail(op, crate::fault::of_call(&error)),
        };
        let turns = read.thread.turns;
        let end = match &page.page {
            None => turns.len(),
            Some(page) => match page.parse::<usize>() {
                Ok(end) if end <= turns.len() => end,
                _ => return cx.fail(op, Fault::new(FaultKind::Invalid, "There is no such page.")),
            },
        };
        let (mut begin, mut items) = (end, 0);
        while begin > 0 && (begin == end || items + turns[begin - 1].items.len() <= page.limit as usize) {
            begin -= 1;
            items += turns[begin].items.len();
        }
        for turn in &turns[begin..end] {
            self.replay(cx, id, turn);
        }
        cx.done(op, OpValue::Page((begin > 0).then(|| begin.to_string())));
    }

    fn replay(&self, cx: &mut Cx, id: &str, turn: &Turn) {
        let items = turn.items.iter().map(|raw: &Raw| item::of(&raw.lossy(), raw, None, true)).collect::<Vec<_>>();
        if items.is_empty() {
            return;
        }
        let thread = (self.threads.several() || self.threads.get(id).is_none()).then(|| id.to_owned());
        let scope = Scope { thread, turn: Some(turn.id.clone()), replayed: true, ..Scope::root() };
        cx.event_in(Some(scope), EventBody::Items(items));
    }

    /// The command `list-threads`.
    pub(crate) fn list(&mut self, cx: &mut Cx, op: u32, list: &ListThreads) {
        if let Some(fault) = self.not_ready() {
            return cx.fail(op, fault);
        }
        let mut params = Map::from_iter([("limit".to_owned(), Value::from(list.limit))]);
        params.extend(list.page.as_ref().map(|page| ("cursor".to_owned(), page.as_str().into())));
        params.extend(list.folder.as_ref().map(|folder| ("cwd".to_owned(), folder.as_str().into())));
        self.call(cx, Some(op), "thread/list", Value::Object(params), Call::List { op });
    }

    pub(crate) fn listed(&mut self, cx: &mut Cx, op: u32, answer: Result<Value, RpcError>) {
        let page: Page<wire::Thread> = match answer {
            Ok(page) => serde_json::from_value(page).unwrap_or_default(),
            Err(error) => return cx.fail(op, crate::fault::of_call(&error)),
        };
        let threads = page.data.into_iter().map(|told| Thread {
            cursor: Some(told.id.clone()),
            parent: told.forked_from_id.or(told.parent_thread_id),
            title: told.name,
            preview: told.preview,
            folder: told.cwd,
            modified_ms: told.updated_at.map(|seconds| seconds * 1000.0),
            ..Thread::new(told.id, ThreadState::Stored)
        });
        cx.done(op, OpValue::Threads(ThreadList { threads: threads.collect(), next: page.next_cursor }));
    }
}
