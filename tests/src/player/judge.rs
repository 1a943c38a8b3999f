//! What must hold of every play, whatever the recording. Each rule is one function; its problems name the frame.

use super::dialect::{Asked, Dialect, Requests};
use super::ids;
use super::judge_text::texts;
use super::lists::{Lists, names};
use super::plan::What;
use super::seen::{Conversation, Frame, Play, Problem, Sitting};
use super::snapshots;
use jackfield_core::event::{EventBody, ItemBody, SessionEvent, is_terminal};
use jackfield_core::ledger::LedgerCounts;
use std::collections::BTreeMap;

/// Judges a play; no problem means that all holds.
pub fn judge(play: &Play, dialect: &dyn Dialect, lists: &Lists) -> Vec<Problem> {
    let mut problems = play.problems.clone();
    for conversation in &play.conversations {
        let events = &conversation.events;
        problems.extend(terminals(events));
        problems.extend(closed(events));
        problems.extend(ids::unique(events));
        problems.extend(ledgers(events));
        problems.extend(unknown(events, lists));
        problems.extend(texts(conversation, dialect));
        problems.extend(snapshots::judge(conversation));
        problems.extend(heard(conversation));
        for sitting in &conversation.sittings {
            problems.extend(frames(sitting, dialect, lists));
            problems.extend(all_taken(sitting, events));
            problems.extend(last_words(sitting, events));
            problems.extend(client_lines(sitting, lists));
            problems.extend(host_lines(sitting, dialect, lists));
        }
    }
    problems
}

/// One terminal per run, and nothing of the run's turn after it.
fn terminals(events: &[SessionEvent]) -> Vec<Problem> {
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    for event in events {
        let run = event.draft.run.as_ref().map(ToString::to_string).unwrap_or_default();
        match &event.draft.body {
            EventBody::RunCreated { .. } => _ = ends.entry(run).or_default(),
            EventBody::RunEnded { .. } => *ends.entry(run).or_default() += 1,
            _ => {}
        }
    }
    let wrong = ends.into_iter().filter(|(_, count)| *count != 1);
    wrong.map(|(run, count)| Problem::new("terminal", format!("{run} has {count} ends"))).collect()
}

/// Everything opened is closed, once, or on the roster.
fn closed(events: &[SessionEvent]) -> Vec<Problem> {
    let mut open: BTreeMap<String, i64> = BTreeMap::new();
    let mut tasks = BTreeMap::new();
    let mut count = |what: String, by: i64| *open.entry(what).or_default() += by;
    for event in events {
        let turn = event.draft.turn.as_ref().map(ToString::to_string).unwrap_or_default();
        match &event.draft.body {
            EventBody::ItemStarted { item } => count(format!("item {}", item.id), 1),
            EventBody::ItemEnded { item } => count(format!("item {}", item.id), -1),
            EventBody::TurnStarted { .. } => count(format!("turn {turn}"), 1),
            EventBody::TurnEnded { .. } => count(format!("turn {turn}"), -1),
            EventBody::RequestOpened { request } => count(format!("request {}", request.id), 1),
            EventBody::RequestResolved { request, .. } => count(format!("request {request}"), -1),
            EventBody::SessionStarted { session, .. } => count(format!("session {session}"), 1),
            EventBody::SessionEnded { session, .. } => count(format!("session {session}"), -1),
            EventBody::TaskUpdated { task } => _ = tasks.insert(task.id.to_string(), (task.status, task.background)),
            _ => {}
        }
    }
    let wrong = open.into_iter().filter(|(_, left)| *left != 0);
    let wrong = wrong.map(|(what, left)| match left {
        1.. => format!("{what} was never closed"),
        _ => format!("{what} was closed more often than opened"),
    });
    let left = tasks.into_iter().filter(|(_, (status, background))| !is_terminal(*status) && !background);
    let left = left.map(|(task, _)| format!("task {task} goes on and is not on the roster"));
    wrong.chain(left).map(|text| Problem::new("closing", text)).collect()
}

/// Every ledger balances, nothing is unaccounted for, and the turns' frames with those of no turn are the session's.
fn ledgers(events: &[SessionEvent]) -> Vec<Problem> {
    let mut wrong = Vec::new();
    let mut turns = LedgerCounts::default();
    for event in events {
        let counts = match &event.draft.body {
            EventBody::SessionStarted { .. } => {
                turns = LedgerCounts::default();
                continue;
            }
            EventBody::RunEnded { ledger, .. } => ledger,
            EventBody::TurnEnded { frames: Some(frames), .. } => {
                turns.add_all(frames);
                frames
            }
            EventBody::SessionEnded { ledger: Some(ledger), outside: Some(outside), .. } => {
                turns.add_all(outside);
                if turns != *ledger {
                    wrong.push(format!("the turns and the rest come to {turns:?}, the session to {ledger:?}"));
                }
                outside
            }
            _ => continue,
        };
        if !counts.balanced() || counts.unaccounted + counts.skipped > 0 {
            wrong.push(format!("the ledger does not balance: {counts:?}"));
        }
    }
    wrong.into_iter().map(|text| Problem::new("conservation", text)).collect()
}

/// Every frame has exactly one fate; one that carries something is never passed over.
fn frames(sitting: &Sitting, dialect: &dyn Dialect, lists: &Lists) -> Vec<Problem> {
    let judged = sitting.frames.iter().filter_map(|frame| {
        let (rule, text) = fate(frame, dialect, lists)?;
        Some(Problem::new(rule, format!("{text}: {:.160}", frame.raw)).of(sitting.incarnation.proc).at(frame.number))
    });
    judged.collect()
}

fn fate(frame: &Frame, dialect: &dyn Dialect, lists: &Lists) -> Option<(&'static str, String)> {
    let (word, kind) = frame.fate.split_once(' ').unwrap_or((&frame.fate, ""));
    let carries = dialect.carries(&frame.raw).filter(|_| frame.main);
    match (word, carries) {
        ("translated" | "held" | "duplicate", _) => None,
        ("silent" | "noise" | "unknown", Some(what)) => {
            Some(("conservation", format!("it carries {what} and is '{}'", frame.fate)))
        }
        ("silent", None) if names(&lists.silent, kind) => None,
        ("silent", None) => Some(("silent", format!("'{kind}' is not on the list"))),
        ("unknown", None) if names(&lists.unknown, kind) => None,
        ("unknown", None) => Some(("unknown", format!("'{kind}' is not on the list"))),
        ("noise", None) if !lists.noise.is_empty() => None,
        ("", _) => Some(("conservation", "nothing became of it".into())),
        (word, _) => Some(("conservation", format!("it is '{word}'"))),
    }
}

/// The host took in every line, in order; only after the session's end it takes none.
fn all_taken(sitting: &Sitting, events: &[SessionEvent]) -> Option<Problem> {
    let (taken, said) = (sitting.taken(), &sitting.said);
    let in_order = taken.iter().zip(said).all(|(one, (other, _))| one == other);
    let due = if opened(sitting, events) { sitting.ended_by_us.unwrap_or(said.len()) } else { 0 };
    if in_order && taken.len() >= due {
        return None;
    }
    let text = format!("the program said {due} lines before the session's end, and the host took in {}", taken.len());
    Some(Problem::new("conservation", text).of(sitting.incarnation.proc))
}

/// What the program wrote to stderr is told with the session's end.
fn last_words(sitting: &Sitting, events: &[SessionEvent]) -> Vec<Problem> {
    let tails: Vec<&str> = events
        .iter()
        .filter_map(|event| match &event.draft.body {
            EventBody::SessionEnded { stderr_tail, .. } => Some(stderr_tail.as_str()),
            _ => None,
        })
        .collect();
    let last = sitting.complained.last();
    // Colours are control characters, and no event holds any.
    let plain = |line: &String| line.chars().filter(|c| !c.is_control()).collect::<String>();
    let untold = last.filter(|line| !tails.iter().any(|tail| tail.contains(&plain(line))));
    let problem = |line| Problem::new("stderr", format!("it is not told: {line:.200}")).of(sitting.incarnation.proc);
    untold.map(problem).into_iter().collect()
}

/// True when the session of this sitting got to work: the sittings of a thread and its sessions come in the same order.
pub(super) fn opened(sitting: &Sitting, events: &[SessionEvent]) -> bool {
    let ends: Vec<&SessionEvent> =
        events.iter().filter(|event| matches!(event.draft.body, EventBody::SessionEnded { .. })).collect();
    ends.get(sitting.order).is_none_or(|event| !start_failed(event))
}

pub(super) fn start_failed(event: &SessionEvent) -> bool {
    use jackfield_core::event::SessionEnd::StartFailed;
    matches!(event.draft.body, EventBody::SessionEnded { reason: StartFailed, .. })
}

/// Nothing unknown is shown that is not on the list.
fn unknown(events: &[SessionEvent], lists: &Lists) -> Vec<Problem> {
    let kinds = events.iter().filter_map(|event| {
        let kind = match &event.draft.body {
            EventBody::Unknown { kind, .. } => kind,
            EventBody::ItemStarted { item } | EventBody::ItemEnded { item } => match &item.body {
                ItemBody::Unknown { name, .. } => name,
                _ => return None,
            },
            _ => return None,
        };
        Some((kind, event.draft.origin.frame))
    });
    let wrong = kinds.filter(|(kind, _)| !names(&lists.unknown, kind));
    let problem = |(kind, frame): (&String, Option<u64>)| {
        let problem = Problem::new("unknown", format!("'{kind}' is shown as unknown and is not on the list"));
        frame.into_iter().fold(problem, Problem::at)
    };
    wrong.map(problem).collect()
}

/// Each of the client's lines was waited for and came, or is on the list.
fn client_lines(sitting: &Sitting, lists: &Lists) -> Vec<Problem> {
    let proc = sitting.incarnation.proc;
    let heard: Vec<usize> = sitting.heard.iter().filter_map(|(_, step)| *step).collect();
    let steps = sitting.incarnation.steps.iter().enumerate().filter_map(|(index, step)| match &step.what {
        What::LeaveOut(kind) if !names(&lists.client_lines, kind) => {
            Some(format!("line {}: '{kind}' is not on the list", step.at))
        }
        what => {
            let asked = what.awaited().filter(|_| !heard.contains(&index))?;
            Some(format!("line {}: the host never wrote its '{}'", step.at, asked.kind()))
        }
    });
    let start = not_started(sitting).into_iter().chain(sitting.incarnation.start.not_ours.iter().cloned());
    let start = start.filter(|kind| !names(&lists.client_lines, kind));
    let start = start.map(|kind| format!("'{kind}' is not on the list"));
    steps.chain(start).map(|text| Problem::new("client-line", text).of(proc)).collect()
}

/// What the recorded client asked for with its arguments and the host did not.
fn not_started(sitting: &Sitting) -> Vec<String> {
    let (wanted, started) = (&sitting.incarnation.start, &sitting.started);
    let left_out = |flag: &str| wanted.not_ours.iter().any(|kind| kind.starts_with(flag));
    let given = |wanted: &[(String, String)]| wanted.iter().all(|pair| started.selection.contains(pair));
    let checks = [
        ("start/--resume", wanted.resume.is_none() || started.resume.is_some()),
        ("start/--fork-session", wanted.fork == started.fork),
        ("start/--resume-session-at", wanted.at.is_none() || wanted.at == started.at),
        ("start/settings", given(&wanted.selection)),
    ];
    let missing = checks.into_iter().filter(|(flag, done)| !done && !left_out("start/--resume/") && !left_out(flag));
    missing.map(|(flag, _)| format!("{flag}: the host did not")).collect()
}

/// What the host wrote beyond the recording is on the list.
fn host_lines(sitting: &Sitting, dialect: &dyn Dialect, lists: &Lists) -> Vec<Problem> {
    let asked: Requests = sitting.said.iter().filter_map(|(line, _)| dialect.requested(line)).fold(
        Requests::new(),
        |mut all, request| {
            all.insert(request.id.clone(), request);
            all
        },
    );
    let unread = sitting.incarnation.steps.iter().filter_map(|step| match &step.what {
        What::Unread(asked) => Some(asked),
        _ => None,
    });
    let unread: Vec<&Asked> = unread.collect();
    let beyond = sitting.heard.iter().filter(|(_, step)| step.is_none()).filter_map(|(line, _)| {
        let meant = dialect.asked(line, &asked);
        let known = names(&lists.host_lines, &meant.kind()) || unread.iter().any(|asked| asked.means(&meant));
        (!known).then(|| format!("the host wrote '{}', which the recording has not: {line:.160}", meant.kind()))
    });
    beyond.map(|text| Problem::new("host-line", text).of(sitting.incarnation.proc)).collect()
}

/// What was stored is what was heard.
fn heard(conversation: &Conversation) -> Option<Problem> {
    let events = &conversation.events;
    let heard: Vec<u64> = conversation.live.iter().map(|event| event.seq).collect();
    let lost = events.iter().filter(|event| heard.first().is_some_and(|first| event.seq >= *first));
    let lost = lost.filter(|event| !heard.contains(&event.seq)).count();
    let unstored = conversation.live.iter().find(|event| !events.iter().any(|stored| stored == *event));
    match unstored {
        Some(event) => Some(Problem::new("store", format!("event {} was heard and is not stored so", event.seq))),
        None if lost > 0 && conversation.openings == 1 => {
            Some(Problem::new("store", format!("{lost} events are stored and were not heard")))
        }
        None => None,
    }
}
