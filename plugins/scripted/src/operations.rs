//! What can be done with the conversation beyond messages: going back, copies, its context, MCP servers, a task that goes on.
//!
//! Shown, not done: no text is kept and no server is started. **A turn's id is never used twice, also after going back.**

use jackfield_sdk::prelude::*;

use crate::{Conversation, Scripted};

/// The task that goes on behind its turn, and who waits for its end.
#[derive(Debug)]
pub struct Watcher {
    task: Task,
    waiting: Vec<u32>,
}

impl Scripted {
    /// Carries out a command on the open conversation; false when it is none of these.
    pub(crate) fn operate(&mut self, cx: &mut Cx, op: u32, body: CommandBody) -> bool {
        let outcome = match body {
            CommandBody::ForkThread(point) => self.fork(cx, &point),
            CommandBody::RollbackThread(point) => self.roll_back(cx, &point),
            CommandBody::CompactThread(keep) => self.compact(cx, &keep),
            CommandBody::ClearThread => self.clear(cx),
            CommandBody::SetMcpServers(servers) => {
                self.servers = servers;
                Ok(OpValue::Applied(Applies::Now))
            }
            CommandBody::ReadThread(_) => self.read(cx),
            CommandBody::StopTask(id) => self.stop_task(cx, &id),
            CommandBody::WaitTask(id) => return self.wait_task(cx, op, &id),
            _ => return false,
        };
        cx.answer(op, outcome);
        true
    }

    fn fork(&mut self, cx: &mut Cx, point: &Point) -> Result<OpValue, Fault> {
        if point.item.is_some() {
            return Err(Fault::new(FaultKind::Unsupported, "A copy ends with a turn here: no text is kept."));
        }
        let turns = self.idle_at(point)?;
        let copy = Conversation { id: cx.uuid(), turns, made: turns };
        Ok(OpValue::Thread(copy.to_thread(ThreadState::Idle)))
    }

    fn roll_back(&mut self, cx: &mut Cx, point: &Point) -> Result<OpValue, Fault> {
        let turns = self.idle_at(point)?;
        let thread = self.thread.as_mut().ok_or_else(none_open)?;
        thread.turns = turns;
        let left = point.turn.clone();
        cx.event(EventBody::Context(ContextChange { turn: left, ..ContextChange::new(ContextEffect::Rewound) }));
        Ok(OpValue::Thread(thread.to_thread(ThreadState::Idle)))
    }

    /// The text of earlier turns is not kept: that there were so many is all there is to read.
    fn read(&mut self, cx: &mut Cx) -> Result<OpValue, Fault> {
        let turns = self.thread.as_ref().ok_or_else(none_open)?.turns;
        for turn in 1..=turns {
            let scope = Scope { replayed: true, ..Scope::root() };
            let item = Item::assistant(Some(format!("remembered-{turn}")), format!("Turn {turn} of {turns}."));
            cx.event_in(Some(scope), EventBody::Items(vec![item]));
        }
        Ok(OpValue::Page(None))
    }

    fn compact(&mut self, cx: &mut Cx, keep: &str) -> Result<OpValue, Fault> {
        let turns = self.thread.as_ref().ok_or_else(none_open)?.turns;
        let summary = match keep {
            "" => format!("{turns} turns."),
            keep => format!("{turns} turns; you wanted kept: {keep}"),
        };
        let change = ContextChange { summary: Some(summary), ..ContextChange::new(ContextEffect::Compacted) };
        cx.event(EventBody::Context(change));
        Ok(OpValue::Accepted)
    }

    fn clear(&mut self, cx: &mut Cx) -> Result<OpValue, Fault> {
        let thread = self.thread.as_mut().ok_or_else(none_open)?;
        *thread = Conversation { id: cx.uuid(), turns: 0, made: thread.made };
        cx.event(EventBody::Context(ContextChange::new(ContextEffect::Cleared)));
        Ok(OpValue::Thread(thread.to_thread(ThreadState::Idle)))
    }

    /// How many turns there are up to this point, when no turn is open.
    fn idle_at(&self, point: &Point) -> Result<u32, Fault> {
        let thread = self.thread.as_ref().ok_or_else(none_open)?;
        if self.stage.is_open() {
            return Err(Fault::new(FaultKind::Conflict, "A turn is open. Wait for its end, or interrupt it."));
        }
        let short = || Fault::new(FaultKind::NotFound, format!("The conversation has {} turns only.", thread.turns));
        thread.turns.checked_sub(point.turns_after).ok_or_else(short)
    }

    /// The word `background` was said: a task begins with this turn and goes on behind it.
    pub(crate) fn watch(&mut self, cx: &mut Cx, turn: u32) {
        if self.watcher.is_none() {
            let id = format!("watcher-{turn}");
            let title = Some("Watch until it is stopped".to_owned());
            let task = Task { title, background: true, ..Task::new(&id, TaskKind::Shell, Status::Running) };
            cx.event(EventBody::Tasks(vec![task.clone()]));
            self.watcher = Some(Watcher { task, waiting: Vec::new() });
        }
    }

    fn stop_task(&mut self, cx: &mut Cx, id: &str) -> Result<OpValue, Fault> {
        let Watcher { task, waiting } = self.watcher.take_if(|watcher| watcher.task.id == id).ok_or_else(no_task)?;
        let task = Task { status: Status::Interrupted, ..task };
        cx.event(EventBody::Tasks(vec![task.clone()]));
        waiting.into_iter().for_each(|op| cx.done(op, OpValue::Task(task.clone())));
        Ok(OpValue::Accepted)
    }

    fn wait_task(&mut self, cx: &mut Cx, op: u32, id: &str) -> bool {
        match self.watcher.as_mut().filter(|watcher| watcher.task.id == id) {
            Some(watcher) => {
                watcher.waiting.push(op);
                cx.hold(op);
            }
            None => cx.fail(op, no_task()),
        }
        true
    }
}

/// What came with a message and what there is to use, in words; empty when there is nothing to tell.
pub fn told(message: &Message, servers: &[McpServer]) -> String {
    let files = message.content.iter().filter_map(|part| match part {
        Content::Media(media) => Some(format!("{} ({})", media.name.as_deref().unwrap_or("a file"), media.mime)),
        _ => None,
    });
    let files: Vec<String> = files.collect();
    let names: Vec<String> = servers.iter().map(server).collect();
    let mut told = Vec::new();
    if !files.is_empty() {
        told.push(format!("You attached {}.", files.join(", ")));
    }
    if !names.is_empty() && message.text().contains("servers") {
        told.push(format!("I may use the MCP servers {}.", names.join(", ")));
    }
    told.join(" ")
}

fn server(server: &McpServer) -> String {
    match server.disabled_tools.as_slice() {
        [] => server.name.clone(),
        without => format!("{} without {}", server.name, without.join(", ")),
    }
}

fn none_open() -> Fault {
    Fault::new(FaultKind::NotFound, "No thread is open. Open one first.")
}

fn no_task() -> Fault {
    Fault::new(FaultKind::NotFound, "No such task goes on.")
}
