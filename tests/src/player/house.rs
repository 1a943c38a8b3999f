//! A real host for a play: store, audit, process layer and sandboxed plugin, in a folder of its own.

use super::beginning::{Beginning, beginning};
use super::dialect::{Dialect, Start};
use super::drive::Seat;
use super::lists::Lists;
use super::manner::Manner;
use super::plan::{Incarnation, plan};
use super::recording::Recording;
use super::seen::{Conversation, Play};
use super::snapshots;
use anyhow::{Context, Result};
use jackfield_core::event::SessionEvent;
use jackfield_core::id::ThreadId;
use jackfield_core::identity::digest;
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
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
        for incarnation in plan(recording, self.dialect) {
            let stage = Stage { host: &host, file: &file, socket: &socket, work: &work, listener: &listener, manner };
            self.start(&mut play, &stage, recording, incarnation).await?;
        }
        for conversation in &mut play.conversations {
            conversation.events = stored(&host, &conversation.thread).await?;
            let reread = snapshots::reread(host.store(), &conversation.thread, &conversation.events).await?;
            play.problems.extend(reread);
        }
        Ok(play)
    }

    /// One start of the program.
    async fn start(
        &self,
        play: &mut Play,
        stage: &Stage<'_>,
        recording: &Recording,
        mut incarnation: Incarnation,
    ) -> Result<()> {
        let beginning = beginning(stage.host, play, &mut incarnation).await?;
        let instance = self.instance(&incarnation, stage);
        let mut names = vec!["recording".to_owned(), recording.name.clone(), incarnation.proc.to_string()];
        names.extend(Some(incarnation.part.to_string()).filter(|_| incarnation.part > 0));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let id = ThreadId::from_digits(&digest(&names));
        let mut opened = Start::default();
        let (at, thread) = match &beginning {
            Beginning::New => {
                let new = stage.host.new_thread_with_id(&self.plugin, instance, stage.work, id.clone()).await?;
                (play.begin(id), new)
            }
            Beginning::Resume(at) | Beginning::Back(at, _) => {
                play.conversations[*at].openings += 1;
                (*at, self.resume(stage.host, instance, &play.conversations[*at].thread).await?)
            }
            Beginning::Copy(from, point) => {
                play.conversations[*from].openings += 1;
                let parent = self.resume(stage.host, instance, &play.conversations[*from].thread).await?;
                let mut seat = self.seat(incarnation.clone(), &parent, stage)?;
                let copy = seat.copy(stage.host, &parent, point.clone(), id.clone(), stage.listener).await;
                play.problems.append(&mut seat.problems);
                play.conversations[*from].live.append(&mut seat.live);
                let Some(copy) = copy else { return Ok(()) };
                opened = seat.sitting.started;
                incarnation.start = seat.sitting.incarnation.start;
                (play.begin(id), copy)
            }
        };
        let mut seat = self.seat(incarnation, &thread, stage)?;
        seat.sitting.started = opened;
        seat.sitting.order = play.conversations[at].sessions(stage.host).await?;
        match &beginning {
            Beginning::Back(_, turn) => seat.go_back(&thread, turn, stage.listener).await,
            _ => seat.sit(&thread, stage.listener).await,
        }
        seat.leave(&thread).await;
        play.latest = Some(at);
        play.problems.append(&mut seat.problems);
        let conversation = &mut play.conversations[at];
        conversation.live.append(&mut seat.live);
        conversation.names.extend(seat.sitting.incarnation.sessions(self.dialect));
        conversation.sittings.push(seat.sitting);
        Ok(())
    }

    fn seat(&self, incarnation: Incarnation, thread: &Thread, stage: &Stage<'_>) -> Result<Seat> {
        let lists = Lists::of(self.dialect.provider())?;
        Ok(Seat::new(self.dialect, incarnation, thread, (stage.manner, lists)))
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

    fn instance(&self, incarnation: &Incarnation, stage: &Stage<'_>) -> Instance {
        let text = |path: &Path| path.display().to_string();
        let mut instance = Instance {
            name: self.dialect.provider().to_owned(),
            program_args: vec![super::CLI.into(), self.dialect.provider().into(), text(stage.file), text(stage.socket)],
            selection: incarnation.start.selection.clone(),
            options: incarnation.start.options.iter().cloned().collect(),
            mcp_servers: incarnation.start.servers.clone(),
            tools: incarnation.start.tools.clone(),
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
    Ok(Host::open(HostConfig {
        data: data.to_owned(),
        compiled: crate::compiled(),
        limits,
        policy: PolicyConfig::default(),
        supervisor,
    })?)
}

/// What a play is played on.
struct Stage<'a> {
    host: &'a Host,
    file: &'a Path,
    socket: &'a Path,
    work: &'a Path,
    listener: &'a UnixListener,
    manner: Manner,
}

impl Play {
    /// A conversation begins in this thread.
    fn begin(&mut self, thread: ThreadId) -> usize {
        self.conversations.push(Conversation {
            thread,
            names: Default::default(),
            openings: 1,
            sittings: vec![],
            events: vec![],
            live: vec![],
        });
        self.conversations.len() - 1
    }
}

/// All events of a thread.
pub(super) async fn stored(host: &Host, thread: &ThreadId) -> Result<Vec<SessionEvent>> {
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
