//! The other processes that this crate's tests need: a supervisor, a host to be killed, a writer to be killed.

use jackfield_core::contract::TextKind;
use jackfield_core::event::{Draft, EventBody, Origin, SessionEvent};
use jackfield_core::id::{ItemId, ThreadId};
use jackfield_core::limits::Limits;
use jackfield_runtime::framing::Framing;
use jackfield_runtime::lease::Lease;
use jackfield_runtime::process::{self, ChannelEvent, SpawnSpec, Supervisor};
use jackfield_runtime::store::{Store, ThreadRecord};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some(process::SUPERVISE) => process::supervise_main(),
        Some("host") => run(host(&args[2])),
        Some("append") => run(append(Path::new(&args[2]), args[3].parse().unwrap_or(0))),
        Some("open") => run(open(Path::new(&args[2]))),
        Some("fill") => run(fill(Path::new(&args[2]))),
        _ => ExitCode::from(2),
    }
}

fn run(work: impl Future<Output = Result<(), Box<dyn std::error::Error>>>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(work)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a shell script under a supervisor, says on stdout what it says, and never ends by itself.
async fn host(script: &str) -> Result<(), Box<dyn std::error::Error>> {
    let spec = SpawnSpec {
        program: "/bin/sh".into(),
        args: vec!["-c".to_owned(), script.to_owned()],
        env: vec![("PATH".to_owned(), std::env::var("PATH")?)],
        cwd: "/".into(),
        framing: Framing::Ndjson,
        tap: None,
    };
    let (events, mut inbox) = tokio::sync::mpsc::channel(16);
    // What is left behind could work on: who dies with this host was ended at once.
    let limits = Limits { leftover_ms: 300_000, ..Limits::default() };
    let channel = process::spawn(spec, 1, &Supervisor::this_program()?, Arc::new(limits), events.clone()).await?;
    while let Some(event) = inbox.recv().await {
        match event {
            ChannelEvent::Frame { data: jackfield_core::contract::FrameData::Text(text), .. } => println!("{text}"),
            ChannelEvent::Closed { exit, .. } => println!("ended with {:?}", exit.code),
            _ => {}
        }
    }
    drop((channel, events));
    Ok(())
}

const THREAD: &str = "1";

fn record(thread: &ThreadId) -> ThreadRecord {
    ThreadRecord {
        id: thread.clone(),
        provider: "demo".to_owned(),
        plugin: "acme/demo".to_owned(),
        digest: "00".to_owned(),
        folder: "/".to_owned(),
        title: None,
        created_ms: 1,
        updated_ms: 1,
        native_id: None,
        cursor: None,
        last_seq: 0,
    }
}

fn delta(thread: &ThreadId, seq: u64, text: String) -> SessionEvent {
    let body = EventBody::ItemDelta { item: ItemId::from_digits("1"), kind: TextKind::Assistant, text };
    SessionEvent {
        seq,
        at_ms: seq,
        thread: thread.clone(),
        draft: Draft { run: None, turn: None, parent: None, origin: Origin::default(), body },
    }
}

/// Appends until it is killed (or `limit` times, then sits there): says each number before it is appended and after it is
/// committed.
async fn append(data: &Path, limit: u64) -> Result<(), Box<dyn std::error::Error>> {
    let thread = ThreadId::from_digits(THREAD);
    let _lease = Lease::take(data, &thread)?;
    let limits = Limits { seq_reserve: 64, store_flush_ms: 1, ..Limits::default() };
    let store = Store::open(data, Arc::new(limits))?;
    if store.thread(&thread).await?.is_none() {
        store.create_thread(record(&thread)).await?;
    }
    let (mut sequence, gap) = store.sequence(&thread).await?;
    if let Some(gap) = gap {
        println!("gap {} {}", gap.start(), gap.end());
    }
    let mut appended = 0;
    while limit == 0 || appended < limit {
        let mut commits = Vec::new();
        for _ in 0..8 {
            let seq = sequence.next().await?;
            println!("given {seq}");
            let event = match seq % 5 {
                0 => SessionEvent {
                    draft: Draft {
                        body: EventBody::Gap { from_seq: seq, to_seq: seq },
                        ..delta(&thread, seq, String::new()).draft
                    },
                    ..delta(&thread, seq, String::new())
                },
                _ => delta(&thread, seq, seq.to_string()),
            };
            commits.push((seq, store.append(vec![event]).await));
            appended += 1;
        }
        for (seq, commit) in commits {
            commit.await?;
            println!("acknowledged {seq}");
        }
    }
    println!("ready");
    std::future::pending().await
}

/// Says how opening goes: `ok`, or the error's code and message.
async fn open(data: &Path) -> Result<(), Box<dyn std::error::Error>> {
    match Store::open(data, Arc::new(Limits::default())) {
        Ok(_) => println!("ok"),
        Err(error) => println!("{} {error}", error.code()),
    }
    Ok(())
}

/// Appends until the disk is full; says what became of it.
async fn fill(data: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let thread = ThreadId::from_digits(THREAD);
    let store = match Store::open(data, Arc::new(Limits { store_flush_ms: 1, ..Limits::default() })) {
        Ok(store) => store,
        Err(error) => {
            println!("{}", error.code());
            return Ok(());
        }
    };
    store.create_thread(record(&thread)).await?;
    let mut health = store.health();
    let (mut sequence, _) = store.sequence(&thread).await?;
    let mut acknowledged = Vec::new();
    let error = loop {
        let seq = sequence.next().await?;
        match store.append(vec![delta(&thread, seq, "x".repeat(10_000))]).await.await {
            Ok(()) => acknowledged.push(seq),
            Err(error) => break error,
        }
    };
    let told = health.wait_for(Option::is_some).await?.as_ref().map(|error| error.code());
    let later = store.append(vec![delta(&thread, 1_000_000, "y".to_owned())]).await.await;
    let change = store.update_thread(&thread, Default::default()).await;
    let stored: Vec<u64> = store.events(&thread, 0, usize::MAX).await?.iter().map(|event| event.seq).collect();
    println!(
        "{} {told:?} {} {}",
        error.code(),
        later.is_err_and(|later| later == error),
        change.is_err_and(|change| change == error)
    );
    println!("{} {}", acknowledged.len() > 10, stored == acknowledged);
    Ok(())
}
