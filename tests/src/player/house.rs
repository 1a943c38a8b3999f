//! A real host for a play: store, audit, process layer and sandboxed plugin, in a folder of its own.

use super::dialect::Dialect;
use super::drive::Seat;
use super::lists::Lists;
use super::manner::Manner;
use super::plan::{Incarnation, plan};
use super::recording::Recording;
use super::seen::{Conversation, Play, Problem};
use anyhow::{Context, Result};
use jackfield_core::event::SessionEvent;
use jackfield_core::id::ThreadId;
use jackfield_core::identity::digest;
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_core::projection::Snapshot;
use jackfield_runtime::host::{Host, HostConfig, HostError, Plugin};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::process::{SUPERVISE, Supervisor};
use jackfield_runtime::thread::Thread;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::net::UnixListener;

/// A plugin that is loaded once and played on many times.
pub struct House {
    dialect: &'static dyn Dialect,
    plugin: Plugin,
    /// The program that is both player and supervisor.
    program: PathBuf,
    _folder: tempfile::TempDir,
}

impl House {
    /// Loads the bundled plugin of this dialect's provider.
    pub async fn open(dialect: &'static dyn Dialect, program: &Path) -> Result<House> {
        let provider = dialect.provider();
        let bundled = jackfield_bundled::all().iter().find(|one| one.name == provider);
        let bytes = bundled.with_context(|| format!("no plugin '{provider}' comes with the host"))?.bytes.to_vec();
        let folder = tempfile::tempdir()?;
        let program = program.canonicalize().with_context(|| program.display().to_string())?;
        let host = open_host(folder.path(), &program)?;
        Ok(House { dialect, plugin: host.add_plugin(bytes, true).await?, program, _folder: folder })
    }

    /// The dialect.
    pub fn dialect(&self) -> &'static dyn Dialect {
        self.dialect
    }

    /// Plays a recording once, from an empty data folder.
    pub async fn play(&self, file: &Path, recording: &Recording, manner: Manner) -> Result<Play> {
        let folder = tempfile::tempdir()?;
        let work = folder.path().join("work");
        std::fs::create_dir(&work)?;
        let host = open_host(&folder.path().join("data"), &self.program)?;
        let socket = folder.path().join("stage");
        let listener = UnixListener::bind(&socket)?;
        let file = file.canonicalize()?;
        let mut play = Play::default();
        for mut incarnation in plan(recording, self.dialect) {
            if incarnation.first_message().is_none() {
                let text = "no message of a person is in it, and our host starts nothing without one";
                play.problems.push(Problem::new("drive", text).of(incarnation.proc));
                continue;
            }
            let instance = self.instance(&incarnation, &file, &socket);
            let again = incarnation.proc > 0 && !incarnation.start.apart && !play.conversations.is_empty();
            if again && incarnation.start.resume.is_some() && !resumable(&host, &play.conversations[0].thread).await? {
                incarnation.start.not_ours.push(NOT_SAVED.into());
            }
            let thread = if again {
                self.resume(&host, instance, &play.conversations[0].thread).await?
            } else {
                let id = digest(&["recording", &recording.name, &incarnation.proc.to_string()]);
                host.new_thread_with_id(&self.plugin, instance, &work, ThreadId::from_digits(&id)).await?
            };
            if !again {
                let thread = thread.id().clone();
                play.conversations.push(Conversation { thread, sittings: vec![], events: vec![], live: vec![] });
            }
            let at = if again { 0 } else { play.conversations.len() - 1 };
            let mut seat = Seat::new(self.dialect, incarnation, &thread, (manner, Lists::of(self.dialect.provider())?));
            seat.sit(&thread, &listener).await;
            seat.leave(&thread).await;
            play.problems.append(&mut seat.problems);
            play.conversations[at].live.append(&mut seat.live);
            seat.sitting.order = play.conversations[at].sittings.len();
            play.conversations[at].sittings.push(seat.sitting);
        }
        for conversation in &mut play.conversations {
            conversation.events = stored(&host, &conversation.thread).await?;
        }
        Ok(play)
    }

    /// A program that another play in this process is just starting holds a copy of the lease's file until it runs.
    async fn resume(&self, host: &Host, instance: Instance, id: &ThreadId) -> Result<Thread> {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            match host.resume_thread(&self.plugin, instance.clone(), id).await {
                Err(HostError::Lease(_)) if Instant::now() < deadline => {
                    tokio::time::sleep(Duration::from_millis(5)).await
                }
                done => return Ok(done?),
            }
        }
    }

    fn instance(&self, incarnation: &Incarnation, file: &Path, socket: &Path) -> Instance {
        let text = |path: &Path| path.display().to_string();
        let mut instance = Instance {
            name: self.dialect.provider().to_owned(),
            program_args: vec![super::CLI.into(), self.dialect.provider().into(), text(file), text(socket)],
            selection: incarnation.start.selection.clone(),
            options: incarnation.start.options.iter().cloned().collect(),
            ..Instance::default()
        };
        for profile in &self.plugin.generation.manifest().spawn {
            instance.programs.insert(profile.program.clone(), self.program.clone());
        }
        instance
    }
}

fn open_host(data: &Path, program: &Path) -> Result<Host> {
    let limits = Limits {
        // All raw frames and live events of a play are looked at.
        raw_ring_bytes: 1 << 30,
        subscriber_events: 1 << 20,
        ..Limits::default()
    };
    let supervisor = Supervisor { command: program.to_owned(), args: vec![SUPERVISE.to_owned()] };
    Ok(Host::open(HostConfig { data: data.to_owned(), limits, policy: PolicyConfig::default(), supervisor })?)
}

/// A resume of what the program had not saved, as far as the host knows: it begins afresh.
const NOT_SAVED: &str = "start/--resume/not-saved";

/// True when the provider has the conversation, as far as the host knows.
async fn resumable(host: &Host, thread: &ThreadId) -> Result<bool> {
    Ok(Snapshot::of(&stored(host, thread).await?).resumable)
}

async fn stored(host: &Host, thread: &ThreadId) -> Result<Vec<SessionEvent>> {
    let mut events: Vec<SessionEvent> = Vec::new();
    loop {
        let after = events.last().map_or(0, |event| event.seq);
        let page = host.store().events(thread, after, 1_000).await?;
        if page.is_empty() {
            return Ok(events);
        }
        events.extend(page);
    }
}
