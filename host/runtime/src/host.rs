//! The host: plugins, threads, and what they share. The one place where a client begins.
//!
//! Boot is activation in a loop: a bundled plugin and one from a file take the same way (`add_plugin`). A thread is opened
//! by its lease, so that it has one writer; what a host that died left open is closed before anything new is said.

use crate::audit::{Audit, Record, Verdict};
use crate::instance::{Instance, InstanceError};
use crate::lease::{Lease, LeaseError};
use crate::process::Supervisor;
use crate::query::Listed;
use crate::session::{AskError, Shared};
use crate::store::{Store, StoreError, ThreadChange, ThreadRecord};
use crate::thread::{Copied, ForkAt, Thread};
use jackfield_core::event::EventBody;
use jackfield_core::id::{TaskId, ThreadId};
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_sandbox::{CallError, CompiledFolder, Engine, Generation, LoadError, Origin};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How a host is set up.
pub struct HostConfig {
    /// Where threads, events, grants and the audit file live; made if it is not there.
    pub data: PathBuf,
    /// Where compiled plugins are kept; `compiled` in the data folder when it is `None`.
    pub compiled: Option<PathBuf>,
    /// The one table of limits.
    pub limits: Limits,
    /// What the operator allows.
    pub policy: PolicyConfig,
    /// Starts programs.
    pub supervisor: Supervisor,
}

/// Why the host could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The limits contradict each other.
    #[error("the limits do not fit each other: {0}")]
    Limits(String),
    /// The data folder can't be used.
    #[error("the data folder {path} can't be used ({problem}); set JACKFIELD_DATA to a folder that you can write to")]
    Data {
        /// The folder.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A plugin was refused.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A plugin broke at its start.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The instance does not fit the plugin.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// Another process works on the thread.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// No such thread.
    #[error("there is no thread {0}; `jackfield threads list` shows those there are")]
    NoThread(String),
    /// The thread belongs to another plugin.
    #[error("thread {thread} was begun with {wanted}; it can't be resumed with {got}")]
    OtherPlugin {
        /// The thread.
        thread: String,
        /// Its plugin.
        wanted: String,
        /// The one that was chosen.
        got: String,
    },
    /// What was asked of a thread was refused.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// A copy that nobody could go on with.
    #[error("the plugin copied the thread as {0} and gave no cursor to resume it by")]
    NoCursor(String),
    /// A subagent's thread that nobody could go on with.
    #[error("the provider gave no way to resume the subagent's thread {0}; read it in the thread that it worked for")]
    NotResumable(String),
    /// No such conversation of the provider's own.
    #[error(
        "{provider} lists no stored conversation '{name}'{why}; `jackfield history sessions` shows those there are, `jackfield threads list` our own"
    )]
    NoStored {
        /// Its name, as it was asked for.
        name: String,
        /// The plugin.
        provider: String,
        /// What went wrong with the list.
        why: String,
    },
    /// A program at the terminal was not started.
    #[error("{problem}")]
    Attached {
        /// Stable code of the refusal.
        code: &'static str,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The workspace is not there.
    #[error("the folder {path} can't be used ({problem}); choose one with --cwd")]
    Folder {
        /// The folder.
        path: String,
        /// What is wrong.
        problem: String,
    },
}

impl HostError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Limits(_) => "limits",
            Self::Data { .. } => "data-folder",
            Self::Store(error) => error.code(),
            Self::Load(error) => error.code(),
            Self::Call(error) => error.code(),
            Self::Instance(error) => error.code(),
            Self::Lease(error) => error.code(),
            Self::NoThread(_) => "no-such-thread",
            Self::OtherPlugin { .. } => "other-plugin",
            Self::Ask(error) => error.code(),
            Self::NoCursor(_) | Self::NotResumable(_) => "no-cursor",
            Self::NoStored { .. } => "no-such-conversation",
            Self::Attached { code, .. } => code,
            Self::Folder { .. } => "folder",
        }
    }
}

/// A plugin that is ready to work.
#[derive(Clone)]
pub struct Plugin {
    /// Its code.
    pub generation: Generation,
    /// True when it came with the host.
    pub bundled: bool,
}

/// The host. Cheap to clone.
#[derive(Clone)]
pub struct Host {
    /// The compiler, and the one that keeps what it makes: its folder is opened with the first plugin.
    engine: Engine,
    keeping: Arc<OnceLock<Engine>>,
    compiled: PathBuf,
    shared: Arc<Shared>,
    data: PathBuf,
}

impl Host {
    /// Opens the data folder and makes the engine. No plugin is loaded yet.
    pub fn open(config: HostConfig) -> Result<Host, HostError> {
        config.limits.check().map_err(HostError::Limits)?;
        let limits = Arc::new(config.limits);
        make_private(&config.data)?;
        let spill_folder = config.data.join("tmp");
        make_private(&spill_folder)?;
        let unusable = |error: std::io::Error| HostError::Data {
            path: config.data.display().to_string(),
            problem: error.to_string(),
        };
        let audit = Audit::open(&config.data.join("audit.jsonl")).map_err(unusable)?;
        let store = Store::open(&config.data, limits.clone())?;
        Ok(Host {
            engine: Engine::new(limits.clone())?,
            keeping: Arc::default(),
            compiled: config.compiled.unwrap_or_else(|| config.data.join("compiled")),
            shared: Arc::new(Shared {
                limits,
                policy: crate::session::as_built(config.policy),
                open_default: true,
                store,
                audit,
                supervisor: config.supervisor,
                spill_folder,
                sessions: crate::session::Registry::default(),
            }),
            data: config.data,
        })
    }

    /// Loads a plugin: checked, compiled, described. A refusal is recorded.
    pub async fn add_plugin(&self, bytes: Vec<u8>, bundled: bool) -> Result<Plugin, HostError> {
        let host = self.clone();
        let loaded = tokio::task::spawn_blocking(move || host.compiler().load(&bytes)).await;
        let loaded = loaded.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        let (verdict, rule, plugin, digest, facts) = match &loaded {
            Ok(generation) => {
                let manifest = generation.manifest();
                let facts = serde_json::json!({
                    "version": manifest.version, "bundled": bundled, "imports": generation.imports(),
                    "code": match generation.origin() {
                        Origin::Kept => "kept".to_owned(),
                        Origin::Doubted(reason) => format!("compiled: {reason}"),
                        _ => "compiled".to_owned(),
                    },
                });
                (Verdict::Allowed, "checked", manifest.full_name(), generation.digest().to_owned(), facts)
            }
            Err(error) => (
                Verdict::Refused,
                error.code(),
                String::new(),
                String::new(),
                serde_json::json!({ "message": error.to_string() }),
            ),
        };
        self.record(&Record { kind: "load", verdict, rule, plugin: &plugin, digest: &digest, session: "", facts })?;
        Ok(Plugin { generation: loaded?, bundled })
    }

    /// The compiler. A folder for what it makes is a convenience: one that can't be used is noted, and plugins are compiled each time.
    fn compiler(&self) -> &Engine {
        self.keeping.get_or_init(|| match CompiledFolder::open(&self.compiled, self.limits().compiled_bytes) {
            Ok(folder) => self.engine.clone().keeping(folder),
            Err(error) => {
                let folder = self.compiled.display().to_string();
                let facts = serde_json::json!({ "folder": folder, "problem": error.to_string() });
                let (kind, verdict, rule) = ("compiled", Verdict::Refused, "folder");
                // The audit file that can't be written stops the load.
                let _ = self.record(&Record { kind, verdict, rule, plugin: "", digest: "", session: "", facts });
                self.engine.clone()
            }
        })
    }

    /// Begins a thread.
    pub async fn new_thread(&self, plugin: &Plugin, instance: Instance, folder: &Path) -> Result<Thread, HostError> {
        let id = fresh_id();
        self.new_thread_with_id(plugin, instance, folder, id).await
    }

    /// Begins a thread under this id, which no other thread has. All ids below a thread follow from its own, so a
    /// conversation that is played again under the same id has the same ids.
    pub async fn new_thread_with_id(
        &self,
        plugin: &Plugin,
        instance: Instance,
        folder: &Path,
        id: ThreadId,
    ) -> Result<Thread, HostError> {
        let folder = usable_folder(folder)?;
        instance.check(plugin.generation.manifest())?;
        self.begin(plugin, instance, new_row(plugin, id, &folder)).await
    }

    /// A thread that nobody has begun before.
    async fn begin(&self, plugin: &Plugin, instance: Instance, row: ThreadRecord) -> Result<Thread, HostError> {
        let lease = Lease::take(&self.data, &row.id)?;
        self.shared.store.create_thread(row.clone()).await?;
        Thread::open(self.shared.clone(), plugin.clone(), instance, row, lease, true).await.map_err(HostError::from)
    }

    /// Copies a thread, or a subagent's in it, as the provider copies it. The copy is a thread of its own: it goes on from the
    /// provider's cursor, and what was said before is read in the one it came from.
    pub async fn fork_thread(&self, thread: &Thread, at: ForkAt) -> Result<Thread, HostError> {
        let id = fresh_id();
        self.fork_thread_with_id(thread, at, id).await
    }

    /// Copies a thread under this id, which no other thread has.
    pub async fn fork_thread_with_id(&self, thread: &Thread, at: ForkAt, id: ThreadId) -> Result<Thread, HostError> {
        let Copied { thread: copy, at, item, task } = thread.fork(&at).await?;
        let Some(cursor) = copy.cursor else { return Err(HostError::NoCursor(copy.id)) };
        let from = thread.id().clone();
        self.adopt(thread, id, copy.id, cursor, copy.title, EventBody::ThreadForked { from, at, item, task }).await
    }

    /// Copies a thread and lets go of the copy, which keeps the setup that this one has; its id.
    pub async fn copy_thread(&self, thread: &Thread, at: ForkAt) -> Result<ThreadId, HostError> {
        let copy = self.fork_thread(thread, at).await?;
        self.let_go(thread, copy).await
    }

    /// Opens a subagent's thread as a conversation; its id, the same each time. Where it has none that can be addressed, its work
    /// is shown in the thread it worked for, and that one's id is what comes back.
    pub async fn open_subagent(&self, thread: &Thread, task: &TaskId) -> Result<ThreadId, HostError> {
        let Some(native) = thread.child(task).await? else { return Ok(thread.id().clone()) };
        let store = &self.shared.store;
        let plugin = thread.parts().0.generation.manifest().full_name();
        if let Some(known) = store.thread_of_native(&plugin, &native).await? {
            return Ok(known);
        }
        let child = store.child(thread.id(), &native).await?;
        let (cursor, title) = child.map_or((None, None), |child| (child.cursor, child.title));
        let Some(cursor) = cursor else { return Err(HostError::NotResumable(native)) };
        let origin = EventBody::ThreadOpened { from: thread.id().clone(), task: task.clone() };
        let opened = self.adopt(thread, fresh_id(), native, cursor, title, origin).await?;
        self.let_go(thread, opened).await
    }

    /// A thread of ours for one of the provider's that came out of this one.
    async fn adopt(
        &self,
        thread: &Thread,
        id: ThreadId,
        native_id: String,
        cursor: String,
        title: Option<String>,
        origin: EventBody,
    ) -> Result<Thread, HostError> {
        let (plugin, instance, folder) = thread.parts();
        let parent = self.thread_row(thread.id()).await?;
        let row = ThreadRecord {
            provider: parent.provider,
            plugin: parent.plugin,
            title: title.or(parent.title),
            native_id: Some(native_id),
            cursor: Some(cursor),
            ..new_row(plugin, id, folder)
        };
        let made = self.begin(plugin, instance.clone(), row).await?;
        made.say_origin(origin).await?;
        Ok(made)
    }

    /// Opens a conversation that the provider has stored itself, by its id or cursor: a thread of ours on the provider's cursor, the same
    /// each time. It works where it was had, unless another folder is given; where that is not told, it works here.
    pub async fn open_stored(
        &self,
        plugin: &Plugin,
        instance: Instance,
        name: &str,
        folder: Option<&Path>,
        here: &Path,
    ) -> Result<Thread, HostError> {
        let provider = plugin.generation.manifest().full_name();
        let mut query = self.query(plugin, instance.clone(), here, name, None).await?;
        let Listed { found, notes, .. } = query.find(name, None).await;
        query.close().await;
        let Some(stored) = found.into_iter().next() else {
            let why = notes.iter().map(|note| format!(" ({})", note.text)).collect();
            return Err(HostError::NoStored { name: name.to_owned(), provider, why });
        };
        let Some(cursor) = stored.cursor else { return Err(HostError::NotResumable(stored.id)) };
        if let Some(known) = self.shared.store.thread_of_native(&provider, &stored.id).await? {
            // It may have been lost to us, and is found again.
            let change =
                ThreadChange { cursor: Some(Some(cursor)), at_ms: crate::clock::now_ms(), ..ThreadChange::default() };
            if self.thread_row(&known).await?.cursor.is_none() {
                self.shared.store.update_thread(&known, change).await?;
            }
            return self.resume_thread(plugin, instance, &known).await;
        }
        let told = stored.folder.map(PathBuf::from);
        let folder = usable_folder(folder.or(told.as_deref()).unwrap_or(here))?;
        let row = ThreadRecord {
            title: stored.title.or(stored.preview),
            native_id: Some(stored.id),
            cursor: Some(cursor),
            ..new_row(plugin, fresh_id(), &folder)
        };
        self.begin(plugin, instance, row).await
    }

    /// Lets go of a thread that came out of another one, with the setup of that one.
    async fn let_go(&self, from: &Thread, made: Thread) -> Result<ThreadId, HostError> {
        if let Some(setup) = self.shared.store.setup(from.id()).await? {
            self.shared.store.put_setup(made.id(), setup).await?;
        }
        made.close().await?;
        Ok(made.id().clone())
    }

    /// Goes on with a thread; what a host that died left open in it is closed first. The folder is the one it was begun in.
    pub async fn resume_thread(&self, plugin: &Plugin, instance: Instance, id: &ThreadId) -> Result<Thread, HostError> {
        instance.check(plugin.generation.manifest())?;
        let row = self.thread_row(id).await?;
        let got = plugin.generation.manifest().full_name();
        if row.plugin != got {
            return Err(HostError::OtherPlugin { thread: id.to_string(), wanted: row.plugin, got });
        }
        usable_folder(Path::new(&row.folder))?;
        let lease = Lease::take(&self.data, id)?;
        Thread::open(self.shared.clone(), plugin.clone(), instance, row, lease, false).await.map_err(HostError::from)
    }

    /// What is known of a thread.
    pub async fn thread_row(&self, id: &ThreadId) -> Result<ThreadRecord, HostError> {
        self.shared.store.thread(id).await?.ok_or_else(|| HostError::NoThread(id.to_string()))
    }

    /// The store, for listings.
    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    /// What its sessions share.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The data folder.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// Writes an audit record.
    pub fn record(&self, record: &Record<'_>) -> Result<(), HostError> {
        self.shared.audit.write(record).map_err(|error| HostError::Data {
            path: self.data.join("audit.jsonl").display().to_string(),
            problem: error.to_string(),
        })
    }
}

/// What is known of a thread at its beginning.
fn new_row(plugin: &Plugin, id: ThreadId, folder: &Path) -> ThreadRecord {
    let now = crate::clock::now_ms();
    ThreadRecord {
        id,
        provider: plugin.generation.descriptor().provider.clone(),
        plugin: plugin.generation.manifest().full_name(),
        digest: plugin.generation.digest().to_owned(),
        folder: folder.display().to_string(),
        title: None,
        created_ms: now,
        updated_ms: now,
        native_id: None,
        cursor: None,
        last_seq: 0,
    }
}

fn fresh_id() -> ThreadId {
    ThreadId::from_digits(&uuid::Uuid::now_v7().simple().to_string())
}

fn make_private(folder: &Path) -> Result<(), HostError> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| HostError::Data { path: folder.display().to_string(), problem: error.to_string() })
}

pub(crate) fn usable_folder(folder: &Path) -> Result<PathBuf, HostError> {
    let unusable = |problem: String| HostError::Folder { path: folder.display().to_string(), problem };
    let real = folder.canonicalize().map_err(|error| unusable(error.to_string()))?;
    if real.is_dir() { Ok(real) } else { Err(unusable("it is no folder".into())) }
}
