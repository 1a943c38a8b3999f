//! Session events as rows. Deltas that follow each other are one row with its seams; reading takes them apart again.

use super::Store;
use super::error::StoreError;
use super::schema::Place;
use super::words::{all, from_json, json};
use jackfield_core::event::{EventBody, ItemBody, SessionEvent};
use jackfield_core::id::{SessionId, ThreadId};
use jackfield_core::normalizer::Record;
use rusqlite::{Connection, ErrorCode, params};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

impl Store {
    /// Events of a thread after this number, oldest first, each under its own number: at most `limit`, and at most about
    /// `read_queue_bytes`. An empty answer is the end; a short one need not be.
    pub async fn events(
        &self,
        thread: &ThreadId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<SessionEvent>, StoreError> {
        let (place, thread, bytes) = (self.place.clone(), thread.clone(), self.limits.read_queue_bytes as usize);
        self.read(move |db| page(db, &place, &thread, after_seq, limit, bytes)).await
    }

    /// Number of the thread's last turn; 0 before the first. Looks no further back than that turn's beginning.
    pub async fn last_turn(&self, thread: &ThreadId) -> Result<u32, StoreError> {
        let (place, thread) = (self.place.clone(), thread.clone());
        let sql = "SELECT json_extract(json, '$.ordinal') AS ordinal FROM events \
            WHERE thread = ?1 AND json_extract(json, '$.type') = 'turn.started' ORDER BY seq DESC LIMIT 1";
        let found = self.read(move |db| all(db, &place, sql, [thread.as_str()], |row| row.get("ordinal")));
        Ok(found.await?.pop().unwrap_or(0))
    }

    /// What the thread holds: all of it, or what was there before this start of a session.
    pub async fn record(&self, thread: &ThreadId, before: Option<(SessionId, u32)>) -> Result<Record, StoreError> {
        let (place, thread) = (self.place.clone(), thread.clone());
        self.read(move |db| record(db, &place, &thread, before.as_ref())).await
    }
}

/// True for what may be merged, and may wait for more of it.
pub(super) fn is_delta(event: &SessionEvent) -> bool {
    matches!(event.draft.body, EventBody::ItemDelta { .. })
}

/// About how much memory an event takes: its long texts, and something for the rest.
pub(super) fn weight(event: &SessionEvent) -> usize {
    const REST: usize = 1024;
    REST + match &event.draft.body {
        EventBody::ItemDelta { text, .. } => text.len(),
        EventBody::ItemStarted { item } | EventBody::ItemUpdated { item } | EventBody::ItemEnded { item } => {
            match &item.body {
                ItemBody::AssistantMessage { text, .. }
                | ItemBody::Reasoning { text }
                | ItemBody::ProposedPlan { text } => text.len(),
                ItemBody::Tool { input_text, output, .. } => input_text.len() + output.len(),
                ItemBody::Unknown { json, .. } => json.len(),
                ItemBody::UserMessage { .. } => 0,
            }
        }
        EventBody::Unknown { raw, .. } => raw.len(),
        _ => 0,
    }
}

/// One delta in a merged row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Part {
    /// Bytes of its text.
    #[serde(rename = "n")]
    bytes: usize,
    /// Milliseconds after the row's first.
    #[serde(rename = "t", default, skip_serializing_if = "is_zero")]
    later_ms: u64,
    /// The frame that caused it.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    frame: Option<u64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A row to be. An event is copied only when another is merged into it.
struct Stored<'a> {
    event: Cow<'a, SessionEvent>,
    to_seq: u64,
    parts: Vec<Part>,
}

impl<'a> Stored<'a> {
    fn new(event: &'a SessionEvent) -> Self {
        let parts = match &event.draft.body {
            EventBody::ItemDelta { text, .. } => {
                vec![Part { bytes: text.len(), later_ms: 0, frame: event.draft.origin.frame }]
            }
            _ => Vec::new(),
        };
        Self { event: Cow::Borrowed(event), to_seq: event.seq, parts }
    }

    /// Takes the next event in, if it is the next delta of the same item, said in the same way.
    fn merge(&mut self, next: &SessionEvent, merge_bytes: usize) -> bool {
        let (ours, theirs) = (&self.event.draft, &next.draft);
        let same_place = next.seq == self.to_seq + 1
            && (&ours.run, &ours.turn, &ours.parent) == (&theirs.run, &theirs.turn, &theirs.parent)
            && (ours.origin.correlation, ours.origin.synthetic, ours.origin.replayed)
                == (theirs.origin.correlation, theirs.origin.synthetic, theirs.origin.replayed);
        let (
            EventBody::ItemDelta { item, kind, text },
            EventBody::ItemDelta { item: next_item, kind: next_kind, text: more },
        ) = (&ours.body, &theirs.body)
        else {
            return false;
        };
        if !same_place || item != next_item || kind != next_kind || text.len() + more.len() > merge_bytes {
            return false;
        }
        if let EventBody::ItemDelta { text, .. } = &mut self.event.to_mut().draft.body {
            text.push_str(more);
        }
        self.to_seq = next.seq;
        let later_ms = next.at_ms.saturating_sub(self.event.at_ms);
        self.parts.push(Part { bytes: more.len(), later_ms, frame: theirs.origin.frame });
        true
    }
}

/// Stores events of any threads, in order.
pub(super) fn insert(
    db: &Connection,
    place: &Place,
    events: &[&SessionEvent],
    merge_bytes: usize,
) -> Result<(), StoreError> {
    let mut rows: Vec<Stored<'_>> = Vec::new();
    let mut newest: HashMap<&ThreadId, usize> = HashMap::new();
    for event in events {
        if newest.get(&event.thread).is_some_and(|&row| rows[row].merge(event, merge_bytes)) {
            continue;
        }
        newest.insert(&event.thread, rows.len());
        rows.push(Stored::new(event));
    }
    for (thread, &row) in &newest {
        let Stored { event, to_seq, parts } = &rows[row];
        let at_ms = event.at_ms + parts.last().map_or(0, |part| part.later_ms);
        let sql = "UPDATE threads SET last_seq = max(last_seq, ?2), updated_ms = max(updated_ms, ?3) WHERE id = ?1";
        let found = db
            .execute(sql, params![thread.as_str(), *to_seq as i64, at_ms as i64])
            .map_err(|error| place.error(error))?;
        if found == 0 {
            return Err(StoreError::NotFound { what: format!("thread {thread}") });
        }
    }
    let sql = "INSERT INTO events (thread, seq, from_seq, at_ms, json, parts) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut statement = db.prepare(sql).map_err(|error| place.error(error))?;
    for Stored { event, to_seq, parts } in &rows {
        let parts = if parts.len() > 1 { Some(json("parts of an event", parts)?) } else { None };
        let body = json("an event", event.as_ref())?;
        let stored = statement.execute(params![
            event.thread.as_str(),
            *to_seq as i64,
            event.seq as i64,
            event.at_ms as i64,
            body,
            parts
        ]);
        stored.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => StoreError::SeqUsed { thread: event.thread.clone(), seq: *to_seq },
            _ => place.error(error),
        })?;
    }
    Ok(())
}

fn record(
    db: &Connection,
    place: &Place,
    thread: &ThreadId,
    before: Option<&(SessionId, u32)>,
) -> Result<Record, StoreError> {
    let sql = |error| place.error(error);
    let mut statement = db
        .prepare(
            "SELECT json FROM events WHERE thread = ?1 AND json_extract(json, '$.type') \
            IN ('item.ended', 'turn.started', 'thread.rolled_back', 'session.started') ORDER BY seq",
        )
        .map_err(sql)?;
    let mut rows = statement.query([thread.as_str()]).map_err(sql)?;
    let mut record = Record::default();
    while let Some(row) = rows.next().map_err(sql)? {
        let body: String = row.get(0).map_err(sql)?;
        let event: SessionEvent = from_json(&format!("an event of {thread}"), &body)?;
        if let (EventBody::SessionStarted { session, epoch, .. }, Some(before)) = (&event.draft.body, before)
            && (session, epoch) == (&before.0, &before.1)
        {
            break;
        }
        record.take(&event);
    }
    Ok(record)
}

fn page(
    db: &Connection,
    place: &Place,
    thread: &ThreadId,
    after: u64,
    limit: usize,
    bytes: usize,
) -> Result<Vec<SessionEvent>, StoreError> {
    let sql = |error| place.error(error);
    let mut statement =
        db.prepare("SELECT json, parts FROM events WHERE thread = ?1 AND seq > ?2 ORDER BY seq").map_err(sql)?;
    let mut rows = statement.query(params![thread.as_str(), after as i64]).map_err(sql)?;
    let (mut events, mut read) = (Vec::new(), 0);
    while events.len() < limit && read < bytes {
        let Some(row) = rows.next().map_err(sql)? else { break };
        let body: String = row.get(0).map_err(sql)?;
        let parts: Option<String> = row.get(1).map_err(sql)?;
        read += body.len();
        let what = format!("an event of {thread}");
        let event: SessionEvent = from_json(&what, &body)?;
        match parts {
            None => events.push(event),
            Some(parts) => events
                .extend(take_apart(&event, &from_json::<Vec<Part>>(&what, &parts)?).filter(|event| event.seq > after)),
        }
    }
    events.truncate(limit);
    Ok(events)
}

/// The deltas that a row was merged from.
fn take_apart<'a>(row: &'a SessionEvent, parts: &'a [Part]) -> impl Iterator<Item = SessionEvent> + 'a {
    let whole = match &row.draft.body {
        EventBody::ItemDelta { text, .. } => text.as_str(),
        _ => "",
    };
    let mut at = 0;
    parts.iter().enumerate().map(move |(index, part)| {
        let piece = whole.get(at..at + part.bytes).unwrap_or_default();
        at += part.bytes;
        let mut draft = row.draft.clone();
        draft.origin.frame = part.frame;
        if let EventBody::ItemDelta { text, .. } = &mut draft.body {
            piece.clone_into(text);
        }
        SessionEvent {
            seq: row.seq + index as u64,
            at_ms: row.at_ms + part.later_ms,
            thread: row.thread.clone(),
            draft,
        }
    })
}
