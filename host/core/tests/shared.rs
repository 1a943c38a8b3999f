//! Threads that share a session: what the provider says without a name, or of a thread that nobody has, never stands in another one.

mod make;

use jackfield_core::capability::Capabilities;
use jackfield_core::contract::*;
use jackfield_core::event::SessionEnd;
use jackfield_core::id::{SessionId, ThreadId};
use jackfield_core::limits::Limits;
use jackfield_core::normalizer::{Cause, Normalizer, Routed, SessionEnded, SessionScope};
use jackfield_core::policy::{Handling, PolicyConfig};

fn scope(number: u32) -> SessionScope {
    let (session, thread) = (SessionId::from_digits(&number.to_string()), thread(number));
    SessionScope { instance: "one".into(), session, epoch: 0, thread }
}

fn thread(number: u32) -> ThreadId {
    ThreadId::from_digits(&format!("a{number}"))
}

/// A session whose first threads are bound to `T1`, `T2` ….
fn session(threads: u32, limits: &Limits) -> Normalizer {
    let mut normalizer = Normalizer::new(scope(1), limits);
    normalizer.set_handling(Handling::of(&Capabilities::strongest(), &PolicyConfig::default()));
    for number in 1..=threads {
        if number > 1 {
            normalizer.begin_thread(scope(number));
        }
        assert!(normalizer.bind_thread(&format!("T{number}"), thread(number)).is_empty());
    }
    normalizer
}

fn said(native: Option<&str>, replayed: bool, text: &str) -> Event {
    let body = ItemBody::Assistant(vec![Content::Text(text.into())]);
    let item = Item { id: Some(text.into()), status: Status::Completed, body, mark: None, extra: vec![] };
    let scope = native.map(|native| Scope { thread: Some(native.into()), turn: None, parent: None, replayed });
    Event { scope, body: EventBody::Items(vec![item]) }
}

fn accept(normalizer: &mut Normalizer, event: Event) -> Vec<Routed> {
    normalizer.accept(Cause { frame: None, at_ms: 1 }, event)
}

fn all_of(routed: &[Routed], number: u32) -> bool {
    !routed.is_empty() && routed.iter().all(|one| one.thread == thread(number))
}

fn died(normalizer: &mut Normalizer) -> Vec<Routed> {
    normalizer.end_session(SessionEnded::new(SessionEnd::ProviderExited, None))
}

fn shows(routed: &[Routed], words: &str) -> bool {
    routed.iter().any(|one| format!("{:?}", one.draft.body).contains(words))
}

#[test]
fn what_is_said_without_a_name_is_not_the_newcomers() {
    let mut normalizer = session(2, &Limits::default());
    normalizer.end_thread(&thread(1), SessionEnded::new(SessionEnd::Closed, None));
    normalizer.begin_thread(scope(3));
    assert!(all_of(&accept(&mut normalizer, said(None, false, "still here")), 2));
    let request = make::question("1");
    let asked = accept(&mut normalizer, Event { scope: None, body: EventBody::RequestsOpened(vec![request]) });
    assert!(all_of(&asked, 2), "{asked:?}");
    // Also once it is bound: the one that was there first is meant.
    assert!(normalizer.bind_thread("T3", thread(3)).is_empty());
    assert!(all_of(&accept(&mut normalizer, said(None, false, "and on")), 2));
}

#[test]
fn what_is_told_of_a_thread_that_nobody_has_stands_in_no_other() {
    for held in [1, 1_000] {
        let mut normalizer = session(1, &Limits { held_updates: held, ..Limits::default() });
        normalizer.begin_thread(scope(2));
        let mut out = Vec::new();
        for (at, replayed) in [true, false, true].into_iter().enumerate() {
            normalizer.frame_in(at as u64 + 1);
            let cause = Cause { frame: Some(at as u64 + 1), at_ms: 1 };
            out.extend(normalizer.accept(cause, said(Some("T2"), replayed, "of another")));
        }
        out.extend(died(&mut normalizer));
        assert!(!shows(&out, "of another"), "{out:?}");
        assert_eq!(normalizer.counts().get("thread-over"), Some(&3), "each is counted");
        assert!(normalizer.ledger().balanced());
    }
}

#[test]
fn what_is_told_of_a_thread_that_nobody_has_is_shown_while_there_is_no_other() {
    let mut normalizer = session(1, &Limits::default());
    normalizer.begin_thread(scope(1));
    assert!(normalizer.bind_thread("T1", thread(1)).is_empty());
    assert!(accept(&mut normalizer, said(Some("T2"), false, "whose")).is_empty());
    assert!(shows(&died(&mut normalizer), "whose"));
}

#[test]
fn what_waits_for_a_thread_goes_with_it() {
    let mut normalizer = session(1, &Limits::default());
    normalizer.begin_thread(scope(2));
    assert!(accept(&mut normalizer, said(Some("T2"), false, "early")).is_empty());
    let bound = normalizer.bind_thread("T2", thread(2));
    assert!(all_of(&bound, 2) && shows(&bound, "early"));
    normalizer.begin_thread(scope(3));
    assert!(accept(&mut normalizer, said(Some("T3"), false, "never")).is_empty());
    normalizer.end_thread(&thread(3), SessionEnded::new(SessionEnd::StartFailed, None));
    assert!(!shows(&died(&mut normalizer), "never"));
}

#[test]
fn a_thread_that_is_over_or_unknown_is_not_the_one_that_is_left() {
    let mut normalizer = session(2, &Limits::default());
    normalizer.end_thread(&thread(2), SessionEnded::new(SessionEnd::Closed, None));
    assert_eq!(normalizer.thread_of(&said(Some("T2"), false, "late")), None);
    assert_eq!(normalizer.thread_of(&said(Some("T9"), false, "whose")), None);
    assert_eq!(normalizer.thread_of(&said(Some("T1"), false, "mine")), Some(&thread(1)));
}

#[test]
fn the_record_is_asked_for_of_the_thread_that_is_named() {
    let mut normalizer = session(2, &Limits::default());
    assert_eq!(normalizer.wants_record(&said(Some("T2"), true, "old")), Some((thread(2), false)));
    normalizer.begin_thread(scope(3));
    assert_eq!(normalizer.wants_record(&said(Some("T3"), true, "old")), None, "it waits for its thread");
    assert!(normalizer.bind_thread("T3", thread(3)).is_empty());
    assert_eq!(normalizer.wants_record(&said(Some("T3"), true, "old")), Some((thread(3), false)));
}
