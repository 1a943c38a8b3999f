//! What must hold after a kill. What was open is read from the events that the killed host had stored, what became of it from
//! those that the next one added: the judge shares nothing with the host's own way of finding out.

use super::killed::Killed;
use super::stage::{AFTER, run_of, words};
use anyhow::Result;
use jackfield_core::contract::{ContextEffect, Status};
use jackfield_core::event::{EventBody, ItemBody, Resolution, RunStatus, SessionEnd, SessionEvent, is_terminal};
use jackfield_core::id::ThreadId;
use jackfield_core::limits::Limits;
use jackfield_core::projection::Snapshot;
use jackfield_runtime::host::Host;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// A client may have seen this much more of what was said than a busy machine has written.
const WRITING: Duration = Duration::from_secs(2);

/// What the killed host left.
pub struct Before {
    killed: Killed,
    /// The thread in the store; it may not have been named yet.
    thread: Option<ThreadId>,
    cursor: Option<String>,
    native: Option<String>,
    /// Number of its last stored event.
    last: u64,
    /// Its messages: run, number, status, words.
    rows: Vec<(String, u32, String, String)>,
}

/// What the next one made of it.
pub struct After {
    pub host: Host,
    pub events: Vec<SessionEvent>,
}

/// What was judged, so that a test of nothing is seen.
#[derive(Debug, Default, Clone)]
pub struct Figures {
    pub points: usize,
    /// Events that clients saw, and those of them that were lost with the kill, in an announced gap.
    pub seen: usize,
    pub unwritten: usize,
    /// Open at the kill, each closed once.
    pub requests: usize,
    pub items: usize,
    pub turns: usize,
    pub runs: usize,
    pub tasks: usize,
    /// Messages that waited, and ran in their order.
    pub queued: usize,
    /// Messages that the store had and no event.
    pub untold: usize,
    pub lost: usize,
    pub resumed: usize,
}

/// What does not hold, and what was looked at.
#[derive(Default)]
pub struct Verdict {
    pub problems: Vec<String>,
    pub figures: Figures,
}

impl Figures {
    /// Adds another point's.
    pub fn add(&mut self, other: &Figures) {
        let sum = |a: &mut usize, b: usize| *a += b;
        sum(&mut self.points, other.points);
        sum(&mut self.seen, other.seen);
        sum(&mut self.unwritten, other.unwritten);
        sum(&mut self.requests, other.requests);
        sum(&mut self.items, other.items);
        sum(&mut self.turns, other.turns);
        sum(&mut self.runs, other.runs);
        sum(&mut self.tasks, other.tasks);
        sum(&mut self.queued, other.queued);
        sum(&mut self.untold, other.untold);
        sum(&mut self.lost, other.lost);
        sum(&mut self.resumed, other.resumed);
    }
}

impl Before {
    /// Reads the file as the killed host left it.
    pub fn read(data: &Path, killed: Killed) -> Result<Before> {
        let mut before = Before { killed, thread: None, cursor: None, native: None, last: 0, rows: Vec::new() };
        let file = data.join("jackfield.sqlite");
        let Ok(db) = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE) else {
            return Ok(before);
        };
        let tables: i64 =
            db.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'threads'", [], |row| row.get(0))?;
        if tables == 0 {
            return Ok(before);
        }
        let mut threads = db.prepare("SELECT id, cursor, native_id, last_seq FROM threads WHERE id <> 'thr_01d'")?;
        let mut found = threads.query([])?;
        if let Some(row) = found.next()? {
            let id: String = row.get(0)?;
            before.thread = ThreadId::parse(&id);
            (before.cursor, before.native, before.last) = (row.get(1)?, row.get(2)?, row.get::<_, i64>(3)? as u64);
        }
        let mut runs = db.prepare("SELECT id, ordinal, status, prompt FROM runs ORDER BY ordinal")?;
        let rows = runs.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, String>(3)?)))?;
        for row in rows {
            let (run, ordinal, status, prompt) = row?;
            let content: Vec<_> = serde_json::from_str(&prompt)?;
            before.rows.push((run, ordinal, status, words(&content)));
        }
        Ok(before)
    }

    /// The thread to go on with.
    pub fn thread(&self) -> Option<ThreadId> {
        self.thread.clone()
    }
}

/// Judges a point.
pub fn judge(before: &Before, after: &After) -> Verdict {
    let mut verdict = Verdict { figures: Figures { points: 1, ..Figures::default() }, ..Verdict::default() };
    if before.killed.thread.is_some() && before.killed.thread != before.thread {
        verdict.says(format!("{:?} was named, and {:?} is stored", before.killed.thread, before.thread));
    }
    verdict.nothing_seen_is_missing(before, after);
    verdict.nothing_acknowledged_is_missing(before, after);
    let cut = if before.thread.is_some() { after.events.partition_point(|event| event.seq <= before.last) } else { 0 };
    let (old, new) = after.events.split_at(cut);
    verdict.open_work_is_closed(old, new);
    verdict.everything_has_one_life(&after.events);
    verdict.what_waited_goes_on(before, old, new);
    verdict.the_conversation_goes_on(before, new);
    verdict.a_client_sees_the_end(after, cut);
    verdict
}

impl Verdict {
    fn says(&mut self, problem: String) {
        self.problems.push(problem);
    }

    fn nothing_seen_is_missing(&mut self, before: &Before, after: &After) {
        let stored: BTreeMap<u64, &SessionEvent> = after.events.iter().map(|event| (event.seq, event)).collect();
        let gaps = after.events.iter().filter_map(|event| match event.draft.body {
            EventBody::Gap { from_seq, to_seq } => Some(from_seq..=to_seq),
            _ => None,
        });
        let gaps: Vec<_> = gaps.collect();
        let flush = Duration::from_millis(Limits::default().store_flush_ms);
        for (ago, line) in &before.killed.seen {
            let Some(seq) = line["seq"].as_u64() else { continue };
            self.figures.seen += 1;
            match stored.get(&seq) {
                Some(event) if serde_json::to_value(event).ok().as_ref() == Some(line) => {}
                None if gaps.iter().any(|gap| gap.contains(&seq)) && *ago < flush + WRITING => {
                    self.figures.unwritten += 1
                }
                other => self.says(format!("{seq}, seen {ago:?} before, was {line} and is stored as {other:?}")),
            }
        }
        if gaps.len() > 1 || gaps.first().is_some_and(|gap| *gap.start() <= before.last) {
            self.says(format!("gaps {gaps:?}, where {} was the last that is stored", before.last));
        }
    }

    fn nothing_acknowledged_is_missing(&mut self, before: &Before, after: &After) {
        for (_, word) in before.killed.seen.iter().filter(|(_, line)| line["type"] == "input.accepted") {
            if let Some(run) = word["run"].as_str() {
                let row = before.rows.iter().find(|row| row.0 == run);
                let told = after.events.iter().filter(|event| run_of(event) == run).find_map(|event| {
                    match &event.draft.body {
                        EventBody::RunCreated { content, .. } => Some(words(content)),
                        _ => None,
                    }
                });
                if row.is_none() || told != row.map(|row| row.3.clone()) {
                    self.says(format!("a message was accepted, {word}; its row is {row:?}, it is told as {told:?}"));
                }
            }
            if let Some(request) = word["request"].as_str() {
                let end = after.events.iter().find_map(|event| match &event.draft.body {
                    EventBody::RequestResolved { request: of, resolution } if of.as_str() == request => {
                        Some(resolution)
                    }
                    _ => None,
                });
                if !matches!(end, Some(Resolution::Answered { .. })) {
                    self.says(format!("an answer was accepted, {word}, and its request ended as {end:?}"));
                }
            }
        }
        for (run, ordinal, _, said) in &before.rows {
            let told = |event: &&SessionEvent| matches!(&event.draft.body, EventBody::RunCreated { content, ordinal: of } if run_of(event) == *run && of == ordinal && words(content) == *said);
            let events: Vec<_> = after.events.iter().filter(told).collect();
            self.figures.untold += events.iter().filter(|event| event.seq > before.last).count();
            if events.len() != 1 {
                self.says(format!("the message {said:?} is told {} times", events.len()));
            }
        }
    }

    fn open_work_is_closed(&mut self, old: &[SessionEvent], new: &[SessionEvent]) {
        let open = Snapshot::of(old);
        let next = new
            .iter()
            .position(|event| matches!(event.draft.body, EventBody::SessionStarted { .. }))
            .unwrap_or(new.len());
        let closing = &new[..next];
        let mut expect = |what: String, ends: usize| {
            if ends != 1 {
                self.problems.push(format!("{what}: closed {ends} times"));
            }
        };
        let count = |closes: &dyn Fn(&EventBody) -> bool| {
            closing.iter().filter(|event| event.draft.origin.synthetic && closes(&event.draft.body)).count()
        };
        for request in &open.requests {
            let ends = count(
                &|body| matches!(body, EventBody::RequestResolved { request: of, resolution: Resolution::Expired } if *of == request.id),
            );
            expect(format!("{} was open", request.id), ends);
        }
        let items: Vec<_> = open.items.iter().filter(|shown| !is_terminal(shown.item.status)).collect();
        for shown in &items {
            let ends = count(
                &|body| matches!(body, EventBody::ItemEnded { item } if item.id == shown.item.id && item.status == Status::Unknown && item.body == shown.item.body),
            );
            expect(format!("{} was open", shown.item.id), ends);
        }
        let turns: Vec<_> = open.turns.iter().filter(|turn| !is_terminal(turn.status())).collect();
        for turn in &turns {
            let ends = closing
                .iter()
                .filter(|event| {
                    event.draft.turn.as_ref() == Some(&turn.id)
                        && matches!(event.draft.body, EventBody::TurnEnded { status: Status::Unknown, .. })
                })
                .count();
            expect(format!("{} was open", turn.id), ends);
        }
        let tasks: Vec<_> = open.tasks.iter().filter(|task| !is_terminal(task.status)).collect();
        for task in &tasks {
            let ends = count(
                &|body| matches!(body, EventBody::TaskUpdated { task: of } if of.id == task.id && of.status == Status::Unknown),
            );
            expect(format!("{} was open", task.id), ends);
        }
        let at_work = |status: RunStatus| !status.is_terminal() && status != RunStatus::Queued;
        let runs: Vec<_> = open.runs.iter().filter(|run| at_work(run.status())).collect();
        for run in &runs {
            let is_end = |event: &&SessionEvent| {
                event.draft.run.as_ref() == Some(&run.id)
                    && matches!(&event.draft.body, EventBody::RunEnded { status: RunStatus::Failed, reason, .. } if reason.as_deref() == Some("host-died"))
            };
            expect(format!("{} was at work", run.id), closing.iter().filter(is_end).count());
        }
        if let Some(session) = &open.session {
            let ends = count(
                &|body| matches!(body, EventBody::SessionEnded { session: of, reason: SessionEnd::HostDied, .. } if of == session),
            );
            expect(format!("{session} was open"), ends);
        }
        let figures = &mut self.figures;
        (figures.requests, figures.items, figures.turns) = (open.requests.len(), items.len(), turns.len());
        (figures.runs, figures.tasks) = (runs.len(), tasks.len());
    }

    /// Opened once, ended once, and nothing ends that was not opened.
    fn everything_has_one_life(&mut self, events: &[SessionEvent]) {
        let mut lives: BTreeMap<String, (u32, u32)> = BTreeMap::new();
        for event in events {
            let draft = &event.draft;
            let turn = || draft.turn.as_ref().map(|turn| turn.as_str().to_owned()).unwrap_or_default();
            let (key, ends) = match &draft.body {
                EventBody::RunCreated { .. } => (run_of(event), false),
                EventBody::RunEnded { .. } => (run_of(event), true),
                EventBody::TurnStarted { .. } => (turn(), false),
                EventBody::TurnEnded { .. } => (turn(), true),
                EventBody::ItemStarted { item } => (item.id.as_str().to_owned(), false),
                EventBody::ItemEnded { item } => (item.id.as_str().to_owned(), true),
                EventBody::RequestOpened { request } => (request.id.as_str().to_owned(), false),
                EventBody::RequestResolved { request, .. } => (request.as_str().to_owned(), true),
                EventBody::SessionStarted { session, .. } => (session.as_str().to_owned(), false),
                EventBody::SessionEnded { session, .. } => (session.as_str().to_owned(), true),
                EventBody::ThreadCreated { .. } => ("the thread".to_owned(), false),
                _ => continue,
            };
            let life = lives.entry(key).or_default();
            *(if ends { &mut life.1 } else { &mut life.0 }) += 1;
        }
        for (what, life) in lives {
            let right = if what == "the thread" { (1, 0) } else { (1, 1) };
            if life != right {
                self.says(format!("{what} began {} times and ended {} times", life.0, life.1));
            }
        }
        let numbers: BTreeSet<u64> = events.iter().map(|event| event.seq).collect();
        if numbers.len() != events.len() {
            self.says("a number is used twice".into());
        }
    }

    /// What waited runs in its order and before what came after, and the provider hears each once.
    fn what_waited_goes_on(&mut self, before: &Before, old: &[SessionEvent], new: &[SessionEvent]) {
        let told = Snapshot::of(old);
        let waits = |run: &str| {
            told.runs.iter().find(|told| told.id.as_str() == run).is_none_or(|told| told.status() == RunStatus::Queued)
        };
        let waited = before.rows.iter().filter(|row| row.2 == "queued" && waits(&row.0));
        let mut wanted: Vec<String> = waited.map(|row| row.3.clone()).collect();
        self.figures.queued = wanted.len();
        wanted.push(AFTER.to_owned());
        let said = Snapshot::of(old.iter().chain(new));
        let begun = new.iter().filter(|event| matches!(event.draft.body, EventBody::AttemptStarted { .. }));
        let begun: Vec<String> = begun
            .filter_map(|event| said.runs.iter().find(|run| run.id.as_str() == run_of(event)))
            .map(|run| words(&run.content))
            .collect();
        let heard = new.iter().filter_map(|event| match &event.draft.body {
            EventBody::ItemEnded { item } => match &item.body {
                ItemBody::AssistantMessage { text, .. } if !event.draft.origin.synthetic => Some(text.clone()),
                _ => None,
            },
            _ => None,
        });
        let place = before.cursor.as_ref().map_or("null".to_owned(), |cursor| format!("{cursor:?}"));
        let heard: Vec<String> = heard.collect();
        let right: Vec<String> = wanted.iter().map(|text| format!("heard {text:?} in {place}")).collect();
        if begun != wanted || heard != right {
            self.says(format!("{wanted:?} should have run; begun: {begun:?}; the provider: {heard:?}, not {right:?}"));
        }
        let ended_well = said.runs.iter().filter(|run| run.status() == RunStatus::Completed);
        let well: BTreeSet<String> = ended_well.map(|run| words(&run.content)).collect();
        if let Some(text) = wanted.iter().find(|text| !well.contains(*text)) {
            self.says(format!("{text:?} did not end well"));
        }
    }

    fn the_conversation_goes_on(&mut self, before: &Before, new: &[SessionEvent]) {
        let started: Vec<bool> = new
            .iter()
            .filter_map(|event| match event.draft.body {
                EventBody::SessionStarted { resumed, .. } => Some(resumed),
                _ => None,
            })
            .collect();
        if started != [before.cursor.is_some()] {
            self.says(format!("sessions, resumed {started:?}; the cursor was {:?}", before.cursor));
        }
        let lost = new.iter().filter(|event| matches!(&event.draft.body, EventBody::ContextChanged { change } if change.what == ContextEffect::Lost)).count();
        let is_so = before.native.is_some() && before.cursor.is_none();
        if lost != usize::from(is_so) {
            self.says(format!(
                "context-lost is said {lost} times; {:?} with the cursor {:?}",
                before.native, before.cursor
            ));
        }
        (self.figures.lost, self.figures.resumed) = (lost, usize::from(before.cursor.is_some()));
    }

    /// The snapshot at the kill and the rest are the whole, and nothing is left in it.
    fn a_client_sees_the_end(&mut self, after: &After, cut: usize) {
        let whole = Snapshot::of(&after.events);
        let mut resumed = Snapshot::of(&after.events[..cut]);
        after.events[cut..].iter().for_each(|event| resumed.apply(event));
        if resumed != whole {
            self.says("the snapshot at the kill and the events after it are not the whole".into());
        }
        let ended = whole.runs.iter().all(|run| run.status().is_terminal())
            && whole.turns.iter().all(|turn| is_terminal(turn.status()))
            && whole.items.iter().all(|shown| is_terminal(shown.item.status))
            && whole.tasks.iter().all(|task| is_terminal(task.status));
        if !ended
            || !whole.requests.is_empty()
            || !whole.queue.is_empty()
            || whole.session.is_some()
            || whole.provider.is_none()
        {
            self.says(format!(
                "something is left: queue {:?}, requests {:?}, session {:?}",
                whole.queue, whole.requests, whole.session
            ));
        }
    }
}
