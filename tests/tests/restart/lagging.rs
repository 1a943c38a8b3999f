//! Kills that fall between two writes, made by hand: the moment is too short to be hit by chance.

use super::stage::{AFTER, Stage, events, words};
use jackfield_core::contract::Content;
use jackfield_core::event::{
    Draft, EventBody, Request, RequestSubject, Resolution, RunStatus, SessionEnd, SessionEvent,
};
use jackfield_core::id::{RequestId, RunId, SessionId, ThreadId};
use jackfield_core::projection::Snapshot;
use jackfield_runtime::store::{RunRecord, SessionRecord, Store, ThreadRecord};
use jackfield_tests::block_on;

/// What a host left: rows, and events that go further or less far.
struct Left {
    store: Store,
    thread: ThreadId,
    seq: u64,
}

impl Left {
    async fn run(&self, ordinal: u32, status: RunStatus, said: &str) -> RunId {
        let id = RunId::from_digits(&format!("{ordinal}"));
        let (prompt, thread) = (vec![Content::Text(said.into())], self.thread.clone());
        let row = RunRecord {
            id: id.clone(),
            thread,
            ordinal,
            status,
            prompt,
            selection: vec![],
            created_ms: 1,
            updated_ms: 1,
        };
        self.store.put_run(row).await.unwrap();
        id
    }

    async fn event(&mut self, run: Option<&RunId>, body: EventBody) {
        self.seq += 1;
        let draft = Draft { run: run.cloned(), ..body.into() };
        let event = SessionEvent { seq: self.seq, at_ms: 1, thread: self.thread.clone(), draft };
        self.store.append(vec![event]).await.await.unwrap();
    }

    async fn created(&mut self, run: &RunId, ordinal: u32, said: &str) {
        self.event(Some(run), EventBody::RunCreated { content: vec![Content::Text(said.into())], ordinal }).await;
    }
}

#[test]
fn a_row_that_lags_behind_its_event_follows_and_one_that_is_ahead_is_told() {
    block_on(async {
        let stage = Stage::build().await.unwrap();
        let place = stage.place().unwrap();
        let thread = ThreadId::from_digits("1a9");
        let store = Store::open(&place.door.data(), Default::default()).unwrap();
        let folder = place.door.work().display().to_string();
        let row = ThreadRecord {
            id: thread.clone(),
            provider: "faulty".into(),
            plugin: "jackfield/faulty".into(),
            digest: "00".into(),
            folder,
            title: None,
            created_ms: 1,
            updated_ms: 1,
            native_id: None,
            cursor: None,
            last_seq: 0,
        };
        store.create_thread(row).await.unwrap();
        // Numbers are reserved, and never given back.
        drop(store.sequence(&thread).await.unwrap());
        let mut left = Left { store: store.clone(), thread: thread.clone(), seq: 0 };
        let session = SessionId::from_digits("5");
        let record = SessionRecord {
            id: session.clone(),
            epoch: 0,
            thread: thread.clone(),
            plugin: "jackfield/faulty".into(),
            digest: "00".into(),
            capabilities: String::new(),
            started_ms: 1,
            ended: None,
        };
        store.put_session(record).await.unwrap();
        // Ended, withdrawn, begun: said, and not in the rows yet. The fourth is in the rows, and was not said.
        let ended = left.run(1, RunStatus::Running, "ended").await;
        left.created(&ended, 1, "ended").await;
        let withdrawn = left.run(2, RunStatus::Queued, "withdrawn").await;
        left.created(&withdrawn, 2, "withdrawn").await;
        let begun = left.run(3, RunStatus::Queued, "begun").await;
        left.created(&begun, 3, "begun").await;
        let waiting = left.run(4, RunStatus::Queued, "waits").await;
        let edited = left.run(5, RunStatus::Queued, "edited").await;
        left.created(&edited, 5, "as it was").await;
        left.event(None, EventBody::QueueUpdated { runs: vec![withdrawn.clone(), begun.clone(), edited.clone()] })
            .await;
        let request = Request {
            id: RequestId::from_digits("9"),
            item: None,
            subject: RequestSubject::Questions,
            reason: None,
            options: vec![],
            questions: vec![],
            raw: None,
            ruled: None,
            expires_ms: None,
        };
        store.put_request(&thread, Some(&ended), request.clone(), None, 1).await.unwrap();
        left.event(Some(&ended), EventBody::RequestOpened { request: request.clone() }).await;
        let answered = Resolution::Answered { option: None, allowed: Some(true), by: "user".into() };
        left.event(
            Some(&ended),
            EventBody::RequestResolved { request: request.id.clone(), resolution: answered.clone() },
        )
        .await;
        // Asked, and not said: the host died between the row and the event.
        let unsaid = Request { id: RequestId::from_digits("a"), ..request.clone() };
        store.put_request(&thread, Some(&begun), unsaid.clone(), None, 1).await.unwrap();
        let end = |status| EventBody::RunEnded {
            status,
            reason: None,
            fault: None,
            background: false,
            joined: None,
            ledger: Default::default(),
        };
        left.event(Some(&ended), end(RunStatus::Completed)).await;
        left.event(Some(&withdrawn), end(RunStatus::Cancelled)).await;
        left.event(Some(&begun), EventBody::RunUpdated { status: RunStatus::Starting }).await;
        let closed = EventBody::SessionEnded {
            session: session.clone(),
            reason: SessionEnd::Closed,
            fault: None,
            exit_code: None,
            signal: None,
            stderr_tail: String::new(),
            ledger: None,
            outside: None,
        };
        left.event(None, closed).await;
        drop((store, left));

        let after = stage.go_on(&place, Some(thread.clone())).await.unwrap();
        let store = after.host.store();
        let status = |run: &RunId| {
            let (store, thread, run) = (store.clone(), thread.clone(), run.clone());
            async move { store.runs(&thread).await.unwrap().into_iter().find(|row| row.id == run).unwrap().status }
        };
        assert_eq!(status(&ended).await, RunStatus::Completed);
        assert_eq!(status(&withdrawn).await, RunStatus::Cancelled);
        assert_eq!(status(&begun).await, RunStatus::Failed);
        let asked = store.requests(&thread).await.unwrap();
        let ends: Vec<_> = asked.iter().map(|asked| asked.resolution.clone()).collect();
        assert_eq!(ends, [Some(answered), Some(Resolution::Expired)]);
        let session = store.recover(&thread).await.unwrap();
        assert!(session.unended_sessions.is_empty() && session.open_runs.is_empty());
        let all = events(store, &thread).await.unwrap();
        let told = all.iter().filter_map(|event| match &event.draft.body {
            EventBody::RequestOpened { request } if *request == unsaid => Some("opened"),
            EventBody::RequestResolved { request, resolution: Resolution::Expired } if *request == unsaid.id => {
                Some("expired")
            }
            _ => None,
        });
        assert_eq!(told.collect::<Vec<_>>(), ["opened", "expired"]);
        let begins = all.iter().filter(|event| matches!(event.draft.body, EventBody::AttemptStarted { .. }));
        let begins: Vec<_> = begins.filter_map(|event| event.draft.run.clone()).collect();
        assert_eq!(begins.len(), 3, "what waited, and what came after: {begins:?}");
        assert_eq!(begins[..2], [waiting.clone(), edited.clone()]);
        for run in [&ended, &withdrawn, &begun, &waiting, &edited] {
            let of = |event: &&SessionEvent| event.draft.run.as_ref() == Some(run);
            let ends =
                all.iter().filter(of).filter(|event| matches!(event.draft.body, EventBody::RunEnded { .. })).count();
            let made =
                all.iter().filter(of).filter(|event| matches!(event.draft.body, EventBody::RunCreated { .. })).count();
            assert_eq!((made, ends), (1, 1), "{run}");
        }
        let shown = Snapshot::of(&all);
        let said: Vec<String> = shown.runs.iter().map(|run| words(&run.content)).collect();
        assert_eq!(
            said,
            ["ended", "withdrawn", "begun", "as it was", "waits", AFTER]
                .map(str::to_owned)
                .map(|text| if text == "as it was" { "edited".into() } else { text })
        );
        assert!(shown.queue.is_empty() && shown.provider.is_some());
    });
}
