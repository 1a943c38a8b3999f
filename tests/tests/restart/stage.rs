//! A point played: a place of its own, the host that is killed there, the next one in its place, and the verdict.

use super::judge::{self, After, Before, Verdict};
use super::killed::{self, Said};
use super::point::Point;
use anyhow::{Result, ensure};
use jackfield_core::contract::Content;
use jackfield_core::event::SessionEvent;
use jackfield_core::id::ThreadId;
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_runtime::host::{Host, HostConfig, Plugin};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::process::{SUPERVISE, Supervisor};
use jackfield_runtime::store::Store;
use jackfield_runtime::thread::Thread;
use jackfield_tests::door::{Door, is_running, text};
use jackfield_tests::faults::{Case, FAULTY};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::{Instant, sleep, timeout};

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");
const PLAY: &str = env!("CARGO_BIN_EXE_play");
const PATIENCE: Duration = Duration::from_secs(90);
/// What the next host is asked.
pub const AFTER: &str = "after it";

/// What all points share: the plugin, and a data folder in which it is granted its program.
pub struct Stage {
    bytes: PathBuf,
    plugin: Plugin,
    granted: Door,
    script: Vec<Said>,
    options: Map<String, Value>,
    _folder: TempDir,
}

/// Where one point is played.
pub struct Place {
    pub door: Door,
    plugin: PathBuf,
    args: Vec<String>,
    options: Map<String, Value>,
}

impl Stage {
    /// Builds the plugin and has it granted.
    pub async fn build() -> Result<Stage> {
        let sources = xtask::root().join("tests/faults");
        let source = std::fs::read_to_string(sources.join("plugin.rs"))?;
        let manifest = std::fs::read_to_string(sources.join("plugin.toml"))?;
        let folder = tempfile::tempdir()?;
        let bytes = folder.path().join("faulty.wasm");
        std::fs::write(&bytes, jackfield_tests::guest::build("faulty", &source, &manifest)?)?;
        let host = open_host(&folder.path().join("data"))?;
        let plugin = host.add_plugin(std::fs::read(&bytes)?, true).await?;
        let granted = Door::new(PROGRAM);
        granted.run(&["grant", "add", &text(&bytes), "--exe", &format!("faulty={PLAY}")]).expect(0, &["granted"]);
        let case = Case::read(&case())?;
        let script = case.host.iter().map(|line| Said::parse(line)).collect::<Result<_>>()?;
        Ok(Stage { bytes, plugin, granted, script, options: case.options, _folder: folder })
    }

    /// Kills a host at the point, has the next one go on, and judges.
    pub async fn play(&self, point: Point) -> Result<Verdict> {
        let place = self.place()?;
        if point.old_store {
            let schema = xtask::root().join("tests/restart/first-schema.sql");
            std::fs::remove_dir_all(place.door.data())?;
            std::fs::create_dir(place.door.data())?;
            let db = rusqlite::Connection::open(place.door.data().join("jackfield.sqlite"))?;
            db.execute_batch(&std::fs::read_to_string(schema)?)?;
        }
        let killed = tokio::task::block_in_place(|| killed::kill_at(&place, &self.script, point))?;
        let before = Before::read(&place.door.data(), killed)?;
        let left = place.outlived().await;
        let after = self.go_on(&place, before.thread()).await?;
        let mut verdict = judge::judge(&before, &after);
        verdict.problems.extend(left.then(|| "a program of the killed host lives on".to_owned()));
        if point.old_store {
            let old = events(after.host.store(), &ThreadId::from_digits("01d")).await?;
            ensure!(old.len() == 3, "the old store's thread has {} events", old.len());
        }
        Ok(verdict)
    }

    /// A place like the one that was granted, without opening a host there.
    pub fn place(&self) -> Result<Place> {
        let door = Door::new(PROGRAM);
        for file in std::fs::read_dir(self.granted.data())? {
            let file = file?;
            if file.file_type()?.is_file() {
                std::fs::copy(file.path(), door.data().join(file.file_name()))?;
            }
        }
        let starts = door.work().with_file_name("starts");
        std::fs::create_dir(&starts)?;
        let args = vec![FAULTY.to_owned(), text(&case()), text(&starts)];
        Ok(Place { door, plugin: self.bytes.clone(), args, options: self.options.clone() })
    }

    /// The next host: takes the thread, is asked something, and comes to rest.
    pub async fn go_on(&self, place: &Place, thread: Option<ThreadId>) -> Result<After> {
        // Whatever the killed host came to: this is the program's second start.
        let _ = std::fs::File::create_new(place.starts().join("start-0"));
        let host = open_host(&place.door.data())?;
        let instance = place.instance();
        let opened = match &thread {
            Some(id) => host.resume_thread(&self.plugin, instance, id).await?,
            None => host.new_thread(&self.plugin, instance, &place.door.work()).await?,
        };
        opened.send(vec![Content::Text(AFTER.into())]).await?;
        let rested = timeout(PATIENCE, opened.rest()).await;
        ensure!(rested.is_ok(), "it does not come to rest: {:?}", opened.standing().await);
        let events = close(&host, opened).await?;
        Ok(After { host, events })
    }
}

async fn close(host: &Host, thread: Thread) -> Result<Vec<SessionEvent>> {
    thread.close().await?;
    events(host.store(), thread.id()).await
}

/// All stored events of a thread.
pub async fn events(store: &Store, thread: &ThreadId) -> Result<Vec<SessionEvent>> {
    let mut all: Vec<SessionEvent> = Vec::new();
    loop {
        let page = store.events(thread, all.last().map_or(0, |event| event.seq), 1_000).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

/// A host over this folder, in this process.
pub fn open_host(data: &Path) -> Result<Host> {
    let supervisor = Supervisor { command: PLAY.into(), args: vec![SUPERVISE.to_owned()] };
    let (limits, policy) = (Limits::default(), PolicyConfig::default());
    Ok(Host::open(HostConfig {
        data: data.to_owned(),
        compiled: jackfield_tests::compiled(),
        limits,
        policy,
        supervisor,
    })?)
}

fn case() -> PathBuf {
    xtask::root().join("tests/restart/conversation.case")
}

impl Place {
    /// The command line of the host that is killed.
    pub fn args(&self) -> Vec<String> {
        let mut args = ["run", "--json", "--input", "json", "--plugin"].map(str::to_owned).to_vec();
        args.extend([text(&self.plugin), "--exe".into(), format!("faulty={PLAY}")]);
        for (name, value) in &self.options {
            args.extend(["--option".into(), format!("{name}={}", value.as_str().unwrap_or_default())]);
        }
        self.args.iter().for_each(|arg| args.extend(["--exe-arg".into(), arg.clone()]));
        args.push("first".into());
        args
    }

    fn instance(&self) -> Instance {
        Instance {
            name: "faulty".into(),
            options: self.options.clone(),
            program_args: self.args.clone(),
            programs: [("faulty".to_owned(), PathBuf::from(PLAY))].into(),
            ..Instance::default()
        }
    }

    fn starts(&self) -> PathBuf {
        self.door.work().with_file_name("starts")
    }

    /// Whether a program of the killed host is still there after a time in which its supervisor has long ended it.
    async fn outlived(&self) -> bool {
        let deadline = Instant::now() + Duration::from_secs(20);
        while is_running(&text(&self.starts())) {
            if Instant::now() > deadline {
                return true;
            }
            sleep(Duration::from_millis(5)).await;
        }
        false
    }
}

/// The words of a message.
pub fn words(content: &[Content]) -> String {
    content.iter().filter_map(|part| if let Content::Text(text) = part { Some(text.as_str()) } else { None }).collect()
}

/// The run that an event is of.
pub fn run_of(event: &SessionEvent) -> String {
    event.draft.run.as_ref().map(|run| run.as_str().to_owned()).unwrap_or_default()
}
