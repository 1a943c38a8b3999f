//! Wishes about files: one after another, in the order they came, apart from the session's task.
//!
//! Each goes the way of every wish: the grant, then the audit record, then the world. **A root is granted by the real path of the folder
//! that is held open, and nothing is opened but from there.** What was read waits until the session takes it, so that a plugin that asks
//! for much holds one piece in memory, not all. A file that is not there is no refusal: the plugin hears it, and nobody else.

use super::outlet::{fault, name_of};
use super::{SessionStart, Shared};
use crate::audit::{Record, Verdict};
use crate::files::{self, Beneath, FileError, Query};
use crate::store::StoreError;
use jackfield_core::contract::{EffectBody, EffectValue, Fault, FaultKind};
use jackfield_core::grant::{RootGrant, RootRefusal, RootRequest, decide_root};
use jackfield_core::id::SessionId;
use jackfield_core::manifest::RootError;
use jackfield_core::scrub;
use jackfield_sandbox::Generation;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// Answers that wait until the session takes them.
pub(super) const FILES_READ_AHEAD: usize = 1;

/// A wish that had its turn.
pub(crate) struct FileDone {
    pub(crate) id: u32,
    pub(crate) name: &'static str,
    /// The code, when it was refused.
    pub(crate) refused: Option<&'static str>,
    pub(crate) outcome: Result<EffectValue, Fault>,
}

/// A session's wishes about files.
pub(super) struct Files {
    desk: Arc<Desk>,
    done: mpsc::Sender<FileDone>,
    /// Begun with the first wish.
    queue: Option<mpsc::Sender<(u32, EffectBody)>>,
    waiting: Arc<Mutex<BTreeSet<u32>>>,
    ended: bool,
}

/// Who asks, and what the operator set.
struct Desk {
    shared: Arc<Shared>,
    generation: Generation,
    bundled: bool,
    session: SessionId,
    /// The operator's variables for the provider's program.
    env: BTreeMap<String, String>,
}

/// Why a wish about a file was not carried out.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    Root(#[from] RootRefusal),
    #[error(transparent)]
    Place(#[from] RootError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the audit record could not be written ({0}), so this was not done")]
    Audit(std::io::Error),
    #[error("it took more than {0} ms (limit file_ms)")]
    Late(u64),
}

impl Refused {
    fn code(&self) -> &'static str {
        match self {
            Self::Root(refusal) => refusal.code(),
            Self::Place(_) => "root-not-known",
            Self::File(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Audit(_) => "audit-failed",
            Self::Late(_) => "file-late",
        }
    }

    fn kind(&self) -> FaultKind {
        match self {
            Self::Root(_) => FaultKind::Denied,
            Self::Place(_) => FaultKind::NotFound,
            Self::File(error) => error.kind(),
            Self::Store(_) | Self::Audit(_) => FaultKind::Internal,
            Self::Late(_) => FaultKind::Timeout,
        }
    }

    fn is_refusal(&self) -> bool {
        match self {
            Self::Root(_) | Self::Audit(_) => true,
            Self::File(error) => error.is_refusal(),
            _ => false,
        }
    }
}

impl Files {
    pub(super) fn new(start: &SessionStart, shared: Arc<Shared>, done: mpsc::Sender<FileDone>) -> Files {
        let desk = Desk {
            shared,
            generation: start.generation.clone(),
            bundled: start.bundled,
            session: start.session.clone(),
            env: start.instance.env.iter().cloned().collect(),
        };
        Files { desk: Arc::new(desk), done, queue: None, waiting: Arc::default(), ended: false }
    }

    /// Lets a wish wait for its turn; the reason when there is no room.
    pub(super) fn ask(&mut self, id: u32, body: &EffectBody) -> Result<(), String> {
        if self.ended {
            return Err("the session ends; no file is read any more".into());
        }
        let limit = self.desk.shared.limits.file_queue;
        let (desk, done, waiting) = (&self.desk, &self.done, &self.waiting);
        let queue = self.queue.get_or_insert_with(|| {
            let (queue, wishes) = mpsc::channel(limit as usize);
            tokio::spawn(work(desk.clone(), wishes, waiting.clone(), done.clone()));
            queue
        });
        waits(&self.waiting).insert(id);
        queue.try_send((id, body.clone())).map_err(|_| {
            waits(&self.waiting).remove(&id);
            format!("{limit} wishes of this session about files wait already (limit file_queue)")
        })
    }

    /// One that has not had its turn is dropped.
    pub(super) fn cancel(&mut self, id: u32) {
        waits(&self.waiting).remove(&id);
    }

    pub(super) fn end(&mut self) {
        waits(&self.waiting).clear();
        (self.queue, self.ended) = (None, true);
    }
}

fn waits(waiting: &Mutex<BTreeSet<u32>>) -> std::sync::MutexGuard<'_, BTreeSet<u32>> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn work(
    desk: Arc<Desk>,
    mut wishes: mpsc::Receiver<(u32, EffectBody)>,
    waiting: Arc<Mutex<BTreeSet<u32>>>,
    done: mpsc::Sender<FileDone>,
) {
    let mut roots = BTreeMap::new();
    while let Some((id, body)) = wishes.recv().await {
        if !waits(&waiting).remove(&id) {
            continue;
        }
        let outcome = desk.carry_out(id, &body, &mut roots).await;
        let (refused, outcome) = match outcome {
            Ok(value) => (None, Ok(value)),
            Err(error) => desk.refuse(&body, &error),
        };
        if done.send(FileDone { id, name: name_of(&body), refused, outcome }).await.is_err() {
            return;
        }
    }
}

/// A root that was granted in this session.
#[derive(Clone)]
struct Granted {
    beneath: Arc<Beneath>,
    rule: &'static str,
}

impl Desk {
    async fn carry_out(
        self: &Arc<Self>,
        id: u32,
        body: &EffectBody,
        roots: &mut BTreeMap<String, Granted>,
    ) -> Result<EffectValue, Refused> {
        let root = root_of(body);
        let granted = match roots.get(root) {
            Some(granted) => granted.clone(),
            None => {
                let granted = self.grant(root).await?;
                roots.insert(root.to_owned(), granted.clone());
                granted
            }
        };
        self.record(name_of(body), Verdict::Allowed, granted.rule, facts(id, body)).map_err(Refused::Audit)?;
        let (desk, body) = (self.clone(), body.clone());
        self.blocking(move || desk.reach(&granted.beneath, &body)).await
    }

    /// The root as it lies now, if it may be read.
    async fn grant(self: &Arc<Self>, name: &str) -> Result<Granted, Refused> {
        let manifest = self.generation.manifest();
        let env = |name: &str| self.env.get(name).cloned().or_else(|| std::env::var(name).ok());
        let beneath = match manifest.root(name) {
            Some(root) => {
                let place = root.place(env)?;
                Some(self.blocking(move || Beneath::open(&place)).await?)
            }
            None => None,
        };
        let stored = self.shared.store.grants_about::<RootGrant>("root", Some(&manifest.full_name())).await?;
        let grants: Vec<RootGrant> = stored.into_iter().map(|row| row.grant).collect();
        let home = env("HOME").and_then(|home| std::path::Path::new(&home).canonicalize().ok());
        let granted = decide_root(
            RootRequest {
                manifest,
                digest: self.generation.digest(),
                bundled: self.bundled,
                open_default: self.shared.open_default,
                root: name,
                path: beneath.as_ref().map_or(std::path::Path::new(""), Beneath::path),
                home: home.as_deref(),
            },
            &grants,
        )?;
        let Some(beneath) = beneath else { return Err(FileError::NoRoot { path: name.to_owned() }.into()) };
        Ok(Granted { beneath: Arc::new(beneath), rule: granted.rule() })
    }

    fn reach(&self, root: &Beneath, body: &EffectBody) -> Result<EffectValue, FileError> {
        let limits = &self.shared.limits;
        match body {
            EffectBody::ReadFile(wish) => {
                root.read(&wish.file.path, wish.offset, wish.length, limits).map(EffectValue::Bytes)
            }
            EffectBody::ListFolder(wish) => root.list(&wish.path, limits).map(EffectValue::Entries),
            EffectBody::QuerySqlite(wish) => {
                let query = Query { path: &wish.file.path, sql: &wish.sql, params: &wish.params };
                files::query(root, &query, &self.shared.spill_folder, limits).map(EffectValue::Rows)
            }
            other => unreachable!("{} is no wish about a file", name_of(other)),
        }
    }

    /// A file system may hang: its thread is then left to itself.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, Refused> {
        // A query has its own bound, which is named when it is reached.
        let most = self.shared.limits.file_ms;
        let within = Duration::from_millis(most + most / 2);
        match tokio::time::timeout(within, tokio::task::spawn_blocking(work)).await {
            Ok(Ok(told)) => Ok(told?),
            Ok(Err(broken)) => Err(FileError::Failed { path: String::new(), problem: broken.to_string() }.into()),
            Err(_) => Err(Refused::Late(most)),
        }
    }

    fn refuse(&self, body: &EffectBody, error: &Refused) -> (Option<&'static str>, Result<EffectValue, Fault>) {
        // It may quote what the plugin asked for.
        let message = scrub::error(&error.to_string(), self.shared.limits.label_bytes);
        let code = error.code();
        if error.is_refusal() {
            // A refusal stands even when its record can't be written: nothing happens either way.
            let _ = self.record(name_of(body), Verdict::Refused, code, json!({ "message": message }));
        }
        let told = Fault {
            code: Some(code.to_owned()),
            retryable: matches!(error, Refused::File(FileError::Busy { .. }) | Refused::Late(_)),
            ..fault(error.kind(), message)
        };
        (error.is_refusal().then_some(code), Err(told))
    }

    fn record(&self, kind: &str, verdict: Verdict, rule: &str, facts: Value) -> std::io::Result<()> {
        self.shared.audit.write(&Record {
            kind,
            verdict,
            rule,
            plugin: &self.generation.manifest().full_name(),
            digest: self.generation.digest(),
            session: self.session.as_str(),
            facts,
        })
    }
}

fn root_of(body: &EffectBody) -> &str {
    match body {
        EffectBody::ReadFile(wish) => &wish.file.root,
        EffectBody::ListFolder(wish) => &wish.root,
        EffectBody::QuerySqlite(wish) => &wish.file.root,
        _ => "",
    }
}

/// What the record says of it: where and how much, never what a query looks for.
fn facts(id: u32, body: &EffectBody) -> Value {
    match body {
        EffectBody::ReadFile(wish) => json!({
            "effect": id, "root": wish.file.root, "path": wish.file.path, "offset": wish.offset, "length": wish.length,
        }),
        EffectBody::ListFolder(wish) => json!({ "effect": id, "root": wish.root, "path": wish.path }),
        EffectBody::QuerySqlite(wish) => {
            json!({ "effect": id, "root": wish.file.root, "path": wish.file.path, "sql_bytes": wish.sql.len() })
        }
        _ => Value::Null,
    }
}
