//! The other processes that this crate's tests need: a supervisor, a host to be killed, a writer to be killed.

use jackfield_core::limits::Limits;
use jackfield_runtime::framing::Framing;
use jackfield_runtime::process::{self, ChannelEvent, SpawnSpec, Supervisor};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some(process::SUPERVISE) => process::supervise_main(),
        Some("host") => run(host(&args[2])),
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
    };
    let (events, mut inbox) = tokio::sync::mpsc::channel(16);
    let channel = process::spawn(spec, 1, &Supervisor::of_this_program()?, Arc::new(Limits::default()), events.clone()).await?;
    while let Some(event) = inbox.recv().await {
        if let ChannelEvent::Frame { data: jackfield_core::contract::FrameData::Text(text), .. } = event {
            println!("{text}");
        }
    }
    drop((channel, events));
    Ok(())
}
