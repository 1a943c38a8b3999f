//! The ledger of frames, shown: at a run's end when something is off, and by `doctor --session` for each run, turn and session.
//! It counts nothing itself: the counts are those that the ends of runs, turns and sessions carry. Tests: below, and `tests/tests/threads.rs`.

use crate::exit::{Exit, Failure, Outcome};
use crate::output::{self, headline};
use jackfield_core::event::{EventBody, SessionEvent};
use jackfield_core::id::{RunId, SessionId, ThreadId, TurnId};
use jackfield_core::ledger::LedgerCounts;
use jackfield_runtime::host::Host;
use serde::Serialize;
use std::collections::BTreeMap;

/// What is off with a ledger; nothing is, when every frame was understood and accounted for.
pub fn off(counts: &LedgerCounts) -> Option<String> {
    let mut words = Vec::new();
    if !counts.balanced() {
        words.push("the ledger does not balance".to_owned());
    }
    let kinds = [
        (counts.unaccounted, "unaccounted for"),
        (counts.unknown, "not understood"),
        (counts.too_large, "too large"),
        (counts.skipped, "skipped"),
    ];
    words.extend(kinds.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")));
    (!words.is_empty()).then(|| format!("of {} frames: {}", counts.frames_in, words.join(", ")))
}

/// One session of a thread, as its events tell it.
#[derive(Serialize)]
struct Book {
    session: SessionId,
    epoch: u32,
    runs: Vec<Line>,
    /// Those of a run, and those that the provider opened by itself.
    turns: Vec<TurnLine>,
    /// What belonged to no turn: told at its end.
    outside: Option<LedgerCounts>,
    /// What came after its last run: told at its end.
    after: Option<LedgerCounts>,
    /// In all, as far as it is told.
    total: LedgerCounts,
    balanced: bool,
    /// Diagnostics by kind, with how many there were.
    warnings: BTreeMap<String, u64>,
}

/// One run's share.
#[derive(Serialize)]
struct Line {
    run: RunId,
    counts: LedgerCounts,
}

/// One turn's own frames.
#[derive(Serialize)]
struct TurnLine {
    turn: TurnId,
    run: Option<RunId>,
    counts: LedgerCounts,
}

/// `doctor --session`. Exit code 1 when a ledger does not balance or a frame is unaccounted for.
pub async fn run(host: &Host, text: &str, json: bool) -> Outcome {
    let (thread, only) = find(host, text).await?;
    let mut books: Vec<Book> = Vec::new();
    let mut after = 0;
    loop {
        let page = host.store().events(&thread, after, 500).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        page.iter().for_each(|event| enter(&mut books, event));
    }
    books.retain(|book| only.as_ref().is_none_or(|session| book.session == *session));
    for book in &mut books {
        let wrong = |counts: &LedgerCounts| !counts.balanced() || counts.unaccounted > 0;
        let lines = book.runs.iter().map(|line| &line.counts).chain(book.turns.iter().map(|line| &line.counts));
        book.balanced = ![Some(&book.total), book.after.as_ref(), book.outside.as_ref()]
            .into_iter()
            .flatten()
            .chain(lines)
            .any(wrong);
        if json {
            output::json(book)?;
        } else {
            show(book)?;
        }
    }
    Ok(if books.iter().all(|book| book.balanced) { Exit::Completed } else { Exit::Failed })
}

async fn find(host: &Host, text: &str) -> Result<(ThreadId, Option<SessionId>), Failure> {
    if let Some(thread) = ThreadId::parse(text) {
        host.thread_row(&thread).await?;
        return Ok((thread, None));
    }
    let session = SessionId::parse(text);
    let thread = match &session {
        Some(session) => host.store().thread_of_session(session).await?,
        None => None,
    };
    let nothing =
        || Failure::usage(format!("'{text}' is no thread and no session; `jackfield threads list` shows threads"));
    Ok((thread.ok_or_else(nothing)?, session))
}

fn enter(books: &mut Vec<Book>, event: &SessionEvent) {
    match &event.draft.body {
        EventBody::SessionStarted { session, epoch, .. } => books.push(Book {
            session: session.clone(),
            epoch: *epoch,
            runs: Vec::new(),
            turns: Vec::new(),
            outside: None,
            after: None,
            total: LedgerCounts::default(),
            balanced: true,
            warnings: BTreeMap::new(),
        }),
        EventBody::RunEnded { ledger, .. } => {
            // An end that a dead host left to be told later carries no counts.
            if let (Some(book), Some(run)) = (books.last_mut(), &event.draft.run)
                && ledger.frames_in >= book.total.frames_in
            {
                book.runs.push(Line { run: run.clone(), counts: less(ledger, &book.total) });
                book.total = ledger.clone();
            }
        }
        // An end that a dead host left to be told later carries none.
        EventBody::TurnEnded { frames: Some(frames), .. } => {
            if let (Some(book), Some(turn)) = (books.last_mut(), &event.draft.turn) {
                let run = event.draft.run.clone();
                book.turns.push(TurnLine { turn: turn.clone(), run, counts: frames.clone() });
            }
        }
        EventBody::SessionEnded { ledger: Some(ledger), outside, .. } => {
            if let Some(book) = books.last_mut() {
                book.outside.clone_from(outside);
                book.after = Some(less(ledger, &book.total));
                book.total = ledger.clone();
            }
        }
        EventBody::Diagnostic { note, count } => {
            if let Some(book) = books.last_mut() {
                book.warnings.insert(note.code.clone(), *count);
            }
        }
        _ => {}
    }
}

/// What came in between two counts. A frame that was held may be settled later: no part is less than nothing.
fn less(after: &LedgerCounts, before: &LedgerCounts) -> LedgerCounts {
    LedgerCounts {
        frames_in: after.frames_in.saturating_sub(before.frames_in),
        translated: after.translated.saturating_sub(before.translated),
        held: after.held.saturating_sub(before.held),
        duplicate: after.duplicate.saturating_sub(before.duplicate),
        noise: after.noise.saturating_sub(before.noise),
        silent: after.silent.saturating_sub(before.silent),
        unknown: after.unknown.saturating_sub(before.unknown),
        too_large: after.too_large.saturating_sub(before.too_large),
        skipped: after.skipped.saturating_sub(before.skipped),
        fenced: after.fenced.saturating_sub(before.fenced),
        unaccounted: after.unaccounted.saturating_sub(before.unaccounted),
    }
}

fn show(book: &Book) -> std::io::Result<()> {
    let mark = if book.balanced { "✓" } else { "✗" };
    output::line(&format!("{mark} {} (start {})", book.session, book.epoch))?;
    for Line { run, counts } in &book.runs {
        output::line(&format!("  {run}  {}", sum(counts)))?;
    }
    for TurnLine { turn, run, counts } in &book.turns {
        let of = run.as_ref().map_or("no run".to_owned(), RunId::to_string);
        output::line(&format!("  {turn} of {of}  {}", sum(counts)))?;
    }
    if let Some(outside) = &book.outside {
        output::line(&format!("  in no turn: {}", sum(outside)))?;
    }
    let in_all = match &book.after {
        Some(after) => {
            output::line(&format!("  after its last run: {}", sum(after)))?;
            "in all"
        }
        None => "in all, to the end of its last run",
    };
    output::line(&format!("  {in_all}: {}", sum(&book.total)))?;
    for (code, count) in &book.warnings {
        output::line(&format!("  {count} × {}", headline(code, 70)))?;
    }
    Ok(())
}

/// Frames in = the parts that are not nothing.
fn sum(counts: &LedgerCounts) -> String {
    let parts = [
        (counts.translated, "translated"),
        (counts.held, "held"),
        (counts.duplicate, "duplicate"),
        (counts.noise, "noise"),
        (counts.silent, "silent"),
        (counts.unknown, "not understood"),
        (counts.too_large, "too large"),
        (counts.skipped, "skipped"),
        (counts.fenced, "fenced"),
        (counts.unaccounted, "unaccounted for"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let sign = if counts.balanced() { "=" } else { "≠" };
    format!("{} frames {sign} {}", counts.frames_in, if parts.is_empty() { "none".into() } else { parts.join(" + ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_off_is_said_and_what_is_not_is_not() {
        let good = LedgerCounts { frames_in: 3, translated: 2, silent: 1, ..Default::default() };
        assert_eq!(off(&good), None);
        assert_eq!(sum(&good), "3 frames = 2 translated + 1 silent");
        let lost = LedgerCounts { frames_in: 2, translated: 1, unaccounted: 1, ..Default::default() };
        assert_eq!(off(&lost).as_deref(), Some("of 2 frames: 1 unaccounted for"));
        let wrong = LedgerCounts { frames_in: 2, unknown: 1, ..Default::default() };
        assert_eq!(off(&wrong).as_deref(), Some("of 2 frames: the ledger does not balance, 1 not understood"));
        assert_eq!(sum(&wrong), "2 frames ≠ 1 not understood");
        assert_eq!(less(&lost, &LedgerCounts { frames_in: 1, translated: 1, ..Default::default() }).unaccounted, 1);
    }
}
