//! A host of its own and a thread on it, for operations that no command line has to show: what is asked, and what is said.

use jackfield_core::contract::Content;
use jackfield_core::event::{EventBody, ItemBody, SessionEvent};
use jackfield_core::id::RunId;
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_core::projection::Snapshot;
use jackfield_runtime::host::{Host, HostConfig, Plugin};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::process::{SUPERVISE, Supervisor};
use jackfield_runtime::thread::Thread;
use jackfield_runtime::thread_log::Subscription;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::timeout;

/// Longer than anything takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A host with the demonstration.
pub struct Bench {
    folder: PathBuf,
    /// Gone with it.
    own: Option<TempDir>,
    program: PathBuf,
    /// The host.
    pub host: Host,
    /// The demonstration.
    pub plugin: Plugin,
}

impl Bench {
    /// With the usual limits and policy. The program is the one that supervises processes.
    pub async fn new(program: &str) -> Bench {
        Bench::with(program, Limits::default(), PolicyConfig::default()).await
    }

    /// With these.
    pub async fn with(program: &str, limits: Limits, policy: PolicyConfig) -> Bench {
        let own = tempfile::tempdir().expect("a temporary folder");
        let (host, plugin) = open(own.path(), Path::new(program), limits, policy).await;
        Bench { folder: own.path().into(), own: Some(own), program: program.into(), host, plugin }
    }

    /// On what another one left in this folder, or will leave.
    pub async fn on(program: &str, folder: &Path) -> Bench {
        let (host, plugin) = open(folder, Path::new(program), Limits::default(), PolicyConfig::default()).await;
        Bench { folder: folder.into(), own: None, program: program.into(), host, plugin }
    }

    /// Another host on the same data, as after a restart.
    pub async fn again(self) -> Bench {
        let Bench { folder, own, program, host, plugin } = self;
        drop((host, plugin));
        let (host, plugin) = open(&folder, &program, Limits::default(), PolicyConfig::default()).await;
        Bench { folder, own, program, host, plugin }
    }

    /// A new thread.
    pub async fn thread(&self) -> Talk {
        let thread = self.host.new_thread(&self.plugin, Instance::default(), &self.folder).await;
        Talk::of(thread.expect("a thread"))
    }

    /// A workspace.
    pub fn work(&self) -> &Path {
        &self.folder
    }
}

async fn open(folder: &Path, program: &Path, limits: Limits, policy: PolicyConfig) -> (Host, Plugin) {
    let host = Host::open(HostConfig {
        data: folder.join("data"),
        compiled: crate::compiled(),
        limits,
        policy,
        supervisor: Supervisor { command: program.into(), args: vec![SUPERVISE.into()] },
    });
    let host = host.expect("a host");
    let scripted = jackfield_bundled::all().iter().find(|plugin| plugin.name == "scripted").expect("it is bundled");
    let plugin = host.add_plugin(scripted.bytes.to_vec(), true).await.expect("it loads");
    (host, plugin)
}

/// A thread, and all that was said in it.
pub struct Talk {
    /// The thread.
    pub thread: Thread,
    events: Subscription,
    /// What was said so far.
    pub said: Vec<Arc<SessionEvent>>,
}

/// The end of a run: its status, its reason, the run that it joined.
pub type End = (String, Option<String>, Option<RunId>);

impl Talk {
    /// Listens to this thread.
    pub fn of(thread: Thread) -> Talk {
        let events = thread.subscribe();
        Talk { thread, events, said: Vec::new() }
    }

    /// Sends words.
    pub async fn say(&self, words: &str) -> RunId {
        self.thread.send(text(words)).await.expect("it is taken on")
    }

    /// Waits for an event, and returns it.
    pub async fn until(&mut self, is_it: impl Fn(&SessionEvent) -> bool) -> Arc<SessionEvent> {
        loop {
            let next = timeout(PATIENCE, self.events.next()).await;
            let Ok(Some(event)) = next else { panic!("it never came; the last words: {:#?}", self.last(8)) };
            self.said.push(event.clone());
            if is_it(&event) {
                return event;
            }
        }
    }

    /// Waits until these runs have ended.
    pub async fn ended(&mut self, runs: &[&RunId]) {
        while !runs.iter().all(|run| self.ends_of(run).len() == 1) {
            self.until(|event| matches!(event.draft.body, EventBody::RunEnded { .. })).await;
        }
    }

    /// Closes the thread and hears its last words.
    pub async fn close(&mut self) {
        timeout(PATIENCE, self.thread.close()).await.expect("it closes").expect("all is stored");
        while let Some(event) = self.events.next_now() {
            self.said.push(event);
        }
    }

    fn ends_of(&self, run: &RunId) -> Vec<End> {
        let ends = self.said.iter().filter(|event| event.draft.run.as_ref() == Some(run));
        ends.filter_map(|event| match &event.draft.body {
            EventBody::RunEnded { status, reason, joined, .. } => Some((word(status), reason.clone(), joined.clone())),
            _ => None,
        })
        .collect()
    }

    /// The one end of a run.
    #[track_caller]
    pub fn end_of(&self, run: &RunId) -> End {
        let ends = self.ends_of(run);
        assert_eq!(ends.len(), 1, "one end per run: {ends:?}; {:#?}", self.last(20));
        ends[0].clone()
    }

    /// The state that follows from all that was said.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(self.said.iter().map(Arc::as_ref))
    }

    /// All decisions that were announced: what was asked, what was done instead.
    pub fn decisions(&self) -> Vec<(String, String)> {
        let decided = self.said.iter().filter_map(|event| match &event.draft.body {
            EventBody::PolicyDecided { intent, decision } => {
                let decision = serde_json::to_value(decision).unwrap_or_default();
                let what = decision["strategy"].as_str().or(decision["decision"].as_str());
                Some((intent.clone(), what.unwrap_or_default().to_owned()))
            }
            _ => None,
        });
        decided.collect()
    }

    /// What the person said, by the items: the run that each belongs to, and whether it has a turn of its own.
    pub fn typed(&self) -> Vec<(RunId, bool)> {
        let snapshot = self.snapshot();
        let typed = snapshot.items.iter().filter_map(|shown| match &shown.item.body {
            ItemBody::UserMessage { typed: true, .. } => {
                let run = shown.run.clone()?;
                let own = snapshot.turns.iter().any(|turn| turn.run.as_ref() == Some(&run));
                Some((run, own))
            }
            _ => None,
        });
        typed.collect()
    }

    fn last(&self, count: usize) -> Vec<&EventBody> {
        let from = self.said.len().saturating_sub(count);
        self.said[from..].iter().map(|event| &event.draft.body).collect()
    }
}

/// Words as content.
pub fn text(words: &str) -> Vec<Content> {
    vec![Content::Text(words.into())]
}

/// A value that is one word.
pub fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}
