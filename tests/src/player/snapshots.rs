//! A client that has the snapshot at N and reads the events after N has, at the end, the snapshot of the end: for every N.
//!
//! To fold is a function of the snapshot and the next event alone. So it is enough that at every N the snapshot, written and read
//! back as a client would get it, is the one that the events before N gave, and that the store gives exactly the event N + 1 as
//! the first one after N, also in the middle of a row of merged text. **All N are looked at, in time that grows with their number**;
//! the whole way to the end is walked from some of them all the same.

use super::seen::{Conversation, Problem};
use anyhow::Result;
use jackfield_core::event::SessionEvent;
use jackfield_core::id::ThreadId;
use jackfield_core::projection::Snapshot;
use jackfield_runtime::store::Store;

/// From so many places the whole way is walked.
const WALKS: usize = 8;

/// How many events are read after each N.
const PAGE: usize = 2;

/// The snapshot at every event, through its JSON.
pub fn judge(conversation: &Conversation) -> Option<Problem> {
    let events = &conversation.events;
    let whole = Snapshot::of(events);
    let stride = events.len().div_ceil(WALKS).max(1);
    let mut now = Snapshot::default();
    for at in 0..=events.len() {
        let problem = |text: &str| Some(Problem::new("snapshot", format!("the snapshot at {at} {text}")));
        let Some(mut read) = read_back(&now) else { return problem("can't be read back") };
        if read != now {
            return problem("is another one when it is read back");
        }
        if at % stride == 0 {
            events[at..].iter().for_each(|event| read.apply(event));
            if read != whole || text_of(&read) != text_of(&whole) {
                return problem("and the events after it differ");
            }
        }
        if let Some(event) = events.get(at) {
            now.apply(event);
        }
    }
    None
}

fn text_of(snapshot: &Snapshot) -> Option<String> {
    serde_json::to_string(snapshot).ok()
}

fn read_back(snapshot: &Snapshot) -> Option<Snapshot> {
    serde_json::from_str(&text_of(snapshot)?).ok()
}

/// What the store gives after every event is what follows it.
pub async fn reread(store: &Store, thread: &ThreadId, events: &[SessionEvent]) -> Result<Vec<Problem>> {
    let last = events.last().map_or(0, |event| event.seq);
    let mut at = 0;
    for after in 0..=last {
        while events.get(at).is_some_and(|event| event.seq <= after) {
            at += 1;
        }
        let follows = &events[at..events.len().min(at + PAGE)];
        let read = store.events(thread, after, PAGE).await?;
        if read != follows {
            let text = format!("after event {after} the store gives {read:?}, and {follows:?} follows");
            return Ok(vec![Problem::new("store", text.chars().take(600).collect::<String>())]);
        }
    }
    Ok(Vec::new())
}
