//! The ids of a conversation: each is minted once, and a second play mints the same.

use super::seen::Problem;
use jackfield_core::event::{EventBody, SessionEvent};
use std::collections::BTreeSet;

/// Everything that was opened, in order, by its id: what a second play must repeat.
pub fn trace(events: &[SessionEvent]) -> Vec<String> {
    let mut tasks = BTreeSet::new();
    let opened = events.iter().filter_map(|event| {
        let draft = &event.draft;
        let id = match &draft.body {
            EventBody::RunCreated { .. } => format!("run {}", draft.run.as_ref()?),
            EventBody::AttemptStarted { attempt, .. } => format!("attempt {attempt}"),
            EventBody::TurnStarted { .. } => format!("turn {}", draft.turn.as_ref()?),
            EventBody::ItemStarted { item } => format!("item {}", item.id),
            EventBody::RequestOpened { request } => format!("request {}", request.id),
            EventBody::SessionStarted { session, .. } => format!("session {session}"),
            EventBody::TaskUpdated { task } if tasks.insert(task.id.clone()) => format!("task {}", task.id),
            _ => return None,
        };
        let part = |name: &str, id: Option<String>| id.map(|id| format!(" {name} {id}")).unwrap_or_default();
        let run = part("in", draft.run.as_ref().map(ToString::to_string));
        Some(id + &run + &part("inside", draft.parent.as_ref().map(ToString::to_string)))
    });
    opened.collect()
}

/// No id is minted twice.
pub fn unique(events: &[SessionEvent]) -> Vec<Problem> {
    let mut seen = BTreeSet::new();
    let named = trace(events);
    let ids = named.iter().map(|line| line.split(" in ").next().unwrap_or(line));
    let twice: Vec<&str> = ids.filter(|id| !seen.insert(*id)).collect();
    twice.into_iter().map(|id| Problem::new("ids", format!("{id} was opened twice"))).collect()
}

/// Two plays of one recording have the same ids, in the same order.
pub fn same(first: &[SessionEvent], second: &[SessionEvent]) -> Option<Problem> {
    let (first, second) = (trace(first), trace(second));
    if first == second {
        return None;
    }
    let at = first.iter().zip(&second).take_while(|(one, other)| one == other).count();
    let shown = |ids: &[String]| ids.get(at).cloned().unwrap_or_else(|| "nothing more".into());
    let text = format!("the second play differs at {at}: {} and then {}", shown(&first), shown(&second));
    Some(Problem::new("ids", text))
}
