//! The questions that wait for files, and the commands that wait for them.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::archive::Archive;
use super::world::World;
use super::{catalog, page};
use crate::prelude::*;

type Answer = Result<OpValue, Fault>;

/// Questions on their way. A plugin keeps one value and gives it the answers to effects.
#[derive(Default)]
pub struct Questions {
    asked: BTreeMap<u32, Asked>,
    /// Effects, the question that each is for, and its number there.
    waits: BTreeMap<u32, (u32, u32)>,
}

struct Asked {
    world: World,
    future: Pin<Box<dyn Future<Output = Answer>>>,
}

impl Questions {
    /// The command `list-folders`.
    pub fn folders(&mut self, cx: &mut Cx, op: u32, archive: impl Archive) {
        self.ask(cx, op, |world| async move { Ok(OpValue::Folders(catalog::folders(&world, &archive).await)) });
    }

    /// The command `list-threads`.
    pub fn threads(&mut self, cx: &mut Cx, op: u32, archive: impl Archive, list: ListThreads) {
        self.ask(cx, op, |world| async move { Ok(OpValue::Threads(catalog::threads(&world, &archive, &list).await)) });
    }

    /// The command `read-thread` for a thread's transcript: by the cursor, else by the thread's id.
    pub fn transcript(
        &mut self,
        cx: &mut Cx,
        op: u32,
        archive: impl Archive,
        thread: Option<String>,
        read: ReadThread,
    ) {
        let cursor = match read.of_thread(thread.as_deref()) {
            Ok(cursor) => cursor,
            Err(fault) => return cx.fail(op, fault),
        };
        self.ask(cx, op, |world| async move { page::read(&world, &archive, &cursor, &read).await.map(OpValue::Page) });
    }

    /// Any other question to the files: its answer is the command's.
    pub fn ask<F>(&mut self, cx: &mut Cx, op: u32, question: impl FnOnce(World) -> F)
    where
        F: Future<Output = Answer> + 'static,
    {
        cx.hold(op);
        let world = World::default();
        let future = Box::pin(question(world.clone()));
        self.asked.insert(op, Asked { world, future });
        self.go_on(cx, op);
    }

    /// The answer to an effect. It is given back when no question asked for it.
    pub fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) -> Option<EffectResult> {
        let Some((op, slot)) = self.waits.remove(&result.id) else { return Some(result) };
        if let Some(asked) = self.asked.get(&op) {
            asked.world.answer(slot, result.outcome);
            self.go_on(cx, op);
        }
        None
    }

    fn go_on(&mut self, cx: &mut Cx, op: u32) {
        let Some(asked) = self.asked.get_mut(&op) else { return };
        let polled = asked.future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let world = asked.world.clone();
        for note in world.take(|desk| &mut desk.notes) {
            cx.diagnostic(note.level, &note.code, note.text);
        }
        for (slot, body) in world.take(|desk| &mut desk.wishes) {
            let effect = cx.effect(body);
            self.waits.insert(effect, (op, slot));
        }
        if let Poll::Ready(answer) = polled {
            self.asked.remove(&op);
            // A transcript that failed tells nothing: its pages are whole or not there.
            for event in world.take(|desk| &mut desk.events).into_iter().filter(|_| answer.is_ok()) {
                cx.event_in(event.scope, event.body);
            }
            cx.answer(op, answer);
        }
    }
}

impl fmt::Debug for Questions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Questions").field("ops", &self.asked.keys()).field("waits", &self.waits).finish()
    }
}
