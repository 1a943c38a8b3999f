//! Turns: how each begins and ends. **Only `turn/completed` ends a turn, or the end of the program**; a state of the thread never does.

use jackfield_sdk::prelude::*;
use serde_json::Value;

use crate::fault;
use crate::session::Codex;
use crate::thread::OpenTurn;
use crate::wire::{Notice, Turn};

impl Codex {
    /// `turn/started`, of a thread of ours.
    pub(crate) fn turn_started(&mut self, cx: &mut Cx, id: &str, turn: &Turn) {
        let Some(thread) = self.threads.get_mut(id) else { return };
        if thread.open.as_ref().is_some_and(|open| open.id == turn.id) || thread.turns.contains(&turn.id) {
            return cx.duplicate();
        }
        let promised = |starting: &crate::thread::Starting| starting.turn.as_ref() == Some(&turn.id);
        let at = thread.starting.iter().position(promised);
        let at = at.or_else(|| thread.starting.iter().position(|starting| starting.turn.is_none()));
        let started = at.and_then(|at| thread.starting.remove(at)).map(|starting| starting.op);
        // With none of ours on its way, the next is the program's queue's.
        let queued = started.is_none().then(|| thread.queue.pop_front()).flatten();
        let op = started.or(queued.as_ref().map(|queued| queued.op));
        let compacts = std::mem::take(&mut thread.compacting) && op.is_none();
        let reason = compacts.then(|| "compact".to_owned());
        thread.turns.push(turn.id.clone());
        thread.open = Some(OpenTurn { id: turn.id.clone(), op, ..OpenTurn::default() });
        (thread.attempts, thread.error) = (0, None);
        let mut scope = self.scope(id, None).unwrap_or_else(Scope::root);
        scope.turn = Some(turn.id.clone());
        cx.event_in(Some(scope), EventBody::TurnStarted(TurnStart { op, reason }));
        if queued.is_some() {
            self.tell_queue(cx, id);
        }
        self.stop_if_asked(cx, id);
    }

    /// `turn/completed`, of a thread of ours.
    pub(crate) fn turn_completed(&mut self, cx: &mut Cx, id: &str, turn: &Turn) {
        let Some(thread) = self.threads.get_mut(id) else { return };
        let known = thread.open.as_ref().is_some_and(|open| open.id == turn.id);
        if !known && thread.turns.contains(&turn.id) {
            return cx.duplicate();
        }
        let open = thread.open.take_if(|open| open.id == turn.id).unwrap_or_default();
        let (op, id_of_turn) = (open.op, turn.id.clone());
        thread.last = Some(OpenTurn { id: id_of_turn, ..open });
        let held = thread.error.take();
        let told = turn.error.as_ref().map(fault::of_turn);
        let status = match turn.status.as_str() {
            "completed" => Status::Completed,
            "interrupted" => Status::Interrupted,
            "failed" => Status::Failed,
            _ => Status::Unknown,
        };
        let (fault, got_over) = match status {
            Status::Failed => (told.or(held), None),
            _ => (told, held),
        };
        let stopping = thread.stop.take();
        thread.steered.clear();
        if !thread.turns.contains(&turn.id) {
            thread.turns.push(turn.id.clone());
        }
        let mut scope = self.scope(id, None).unwrap_or_else(Scope::root);
        scope.turn = Some(turn.id.clone());
        let background = self.agents.go_on(cx, id, &scope);
        if let Some(fault) = got_over {
            let note = Note { fault: Some(fault.clone()), ..Note::new(Level::Warning, "model", fault.message) };
            cx.event_in(Some(scope.clone()), EventBody::Note(note));
        }
        let reason = Some(turn.status.clone()).filter(|word| !word.is_empty());
        let end = TurnEnd { reason, fault, background, ..TurnEnd::new(op, status) };
        cx.event_in(Some(scope), EventBody::TurnEnded(end));
        if let Some((op, _)) = stopping {
            cx.fail(op, Fault::new(FaultKind::Conflict, "The turn has ended."));
        }
    }

    /// `error`, of a turn: one that the program tries to get over, or one that ends the turn and is told with its end.
    pub(crate) fn turn_error(&mut self, cx: &mut Cx, notice: &Notice) {
        let fault = fault::of_turn(&notice.error);
        let id = notice.thread_id.clone().unwrap_or_default();
        let scope = self.scope(&id, notice.turn_id.as_deref());
        let Some(thread) = self.threads.get_mut(&id) else {
            let note = Note { fault: Some(fault.clone()), ..Note::new(Level::Error, "model", fault.message) };
            return cx.event_in(scope, EventBody::Note(note));
        };
        if notice.will_retry {
            thread.attempts += 1;
            let (attempt, most) = counted(&notice.error.message).unwrap_or((thread.attempts, None));
            let retry = Retry { attempt, max_attempts: most, delay_ms: None, fault };
            return cx.event_in(scope, EventBody::Retrying(retry));
        }
        if thread.open.is_none() {
            let note = Note { fault: Some(fault.clone()), ..Note::new(Level::Error, "model", fault.message) };
            return cx.event_in(scope, EventBody::Note(note));
        }
        thread.error = Some(fault);
        cx.held();
    }

    /// The program is gone: what was open ends with it.
    pub(crate) fn lose_turns(&mut self, cx: &mut Cx, fault: &Fault) {
        let ids: Vec<String> = self.threads.iter().map(|thread| thread.id.clone()).collect();
        ids.iter().for_each(|id| self.lose_turn(cx, id, fault));
    }

    /// The thread is gone, and its open turn with it.
    pub(crate) fn lose_turn(&mut self, cx: &mut Cx, id: &str, fault: &Fault) {
        let Some(thread) = self.threads.get_mut(id) else { return };
        thread.starting.clear();
        thread.stop = None;
        let Some(open) = thread.open.take() else { return };
        let mut scope = self.scope(id, None).unwrap_or_else(Scope::root);
        scope.turn = Some(open.id);
        let end = TurnEnd { fault: Some(fault.clone()), ..TurnEnd::new(open.op, Status::Failed) };
        cx.event_in(Some(scope), EventBody::TurnEnded(end));
    }
}

/// The numbers in `Reconnecting... 1/5`, for a person to see; nothing is decided by them.
fn counted(text: &str) -> Option<(u32, Option<u32>)> {
    let (attempt, most) = text.split_whitespace().last()?.split_once('/')?;
    Some((attempt.parse().ok()?, most.parse().ok()))
}

/// Steps of the todo list.
pub(crate) fn plan(notice: &Notice) -> Plan {
    let steps = notice.plan.iter().map(|step| {
        let status = match step.status.as_str() {
            "completed" => Status::Completed,
            "inProgress" => Status::Running,
            "pending" => Status::Pending,
            _ => Status::Unknown,
        };
        PlanStep::new(&step.step, status)
    });
    Plan { id: None, explanation: notice.explanation.clone(), steps: steps.collect() }
}

/// What the turn has changed in files so far: one unified diff, cut by its files.
pub(crate) fn changes(diff: &str) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = vec![];
    for line in diff.split_inclusive('\n') {
        if let Some(names) = line.strip_prefix("diff --git ") {
            let path = names.trim_end().rsplit_once(" b/").map_or(names.trim_end(), |(_, path)| path);
            files.push(FileDiff { path: path.to_owned(), moved_from: None, before: None, after: None, patch: None });
        }
        if let Some(file) = files.last_mut() {
            file.patch.get_or_insert_default().push_str(line);
        }
    }
    files
}

/// The text of a status that is a word, or an object that names one.
pub(crate) fn status_word(status: &Value) -> Option<&str> {
    status.as_str().or_else(|| status["type"].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_of_two_files_is_two_changes() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/d/y b/d/y\nnew file\n";
        let changes = changes(diff);
        let paths: Vec<_> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["x", "d/y"]);
        assert!(changes[0].patch.as_deref().unwrap().ends_with("+b\n"));
        assert_eq!(super::changes("no diff"), []);
        assert_eq!(counted("Reconnecting... 2/5"), Some((2, Some(5))));
        assert_eq!(counted("no"), None);
    }
}
