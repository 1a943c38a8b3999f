//! The files of a provider, for a plugin's tests: a real folder, or whatever a test makes up.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::prelude::*;

type Answer = dyn FnMut(&EffectBody) -> Option<Result<EffectValue, Fault>>;

/// What answers `read-file`, `list-folder` and `query-sqlite` in a [`Harness`](super::Harness).
#[derive(Default)]
pub struct Files(Option<Box<Answer>>);

impl Files {
    /// Answers of a test's own; an effect that it gives nothing for stays unanswered.
    pub fn of(answer: impl FnMut(&EffectBody) -> Option<Result<EffectValue, Fault>> + 'static) -> Self {
        Files(Some(Box::new(answer)))
    }

    pub(super) fn answer(&mut self, body: &EffectBody) -> Option<Result<EffectValue, Fault>> {
        let asks = matches!(body, EffectBody::ReadFile(_) | EffectBody::ListFolder(_) | EffectBody::QuerySqlite(_));
        if asks { self.0.as_mut()?(body) } else { None }
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Files(…)" } else { "Files" })
    }
}

/// Real folders beneath roots, and the times that a test wants its files to have.
#[derive(Debug, Clone, Default)]
pub struct Disk {
    roots: BTreeMap<String, PathBuf>,
    times: BTreeMap<String, f64>,
}

impl Disk {
    /// Files beneath one root.
    pub fn new(root: &str, folder: impl Into<PathBuf>) -> Self {
        Disk::default().with(root, folder)
    }

    /// And beneath another one.
    pub fn with(mut self, root: &str, folder: impl Into<PathBuf>) -> Self {
        self.roots.insert(root.to_owned(), folder.into());
        self
    }

    /// A file was last changed then; others at 0.
    pub fn changed(mut self, path: &str, ms: f64) -> Self {
        self.times.insert(path.to_owned(), ms);
        self
    }

    /// As the harness takes it.
    pub fn files(self) -> Files {
        Files::of(move |body| self.answer(body))
    }

    /// The answer to an effect on files; nothing to a query.
    pub fn answer(&self, body: &EffectBody) -> Option<Result<EffectValue, Fault>> {
        Some(match body {
            EffectBody::ReadFile(read) => self.path(&read.file).and_then(|path| part(&path, read)),
            EffectBody::ListFolder(folder) => self.path(folder).and_then(|path| self.list(&path, &folder.path)),
            _ => return None,
        })
    }

    fn path(&self, file: &FilePath) -> Result<PathBuf, Fault> {
        let root = self.roots.get(&file.root);
        let root = root.ok_or_else(|| Fault::new(FaultKind::Denied, format!("no root `{}`", file.root)))?;
        if file.path.starts_with('/') || file.path.split('/').any(|part| part == "..") {
            return Err(Fault::new(FaultKind::Denied, format!("`{}` leaves its root", file.path)));
        }
        Ok(root.join(&file.path))
    }

    fn list(&self, folder: &Path, name: &str) -> Result<EffectValue, Fault> {
        let mut entries = vec![];
        for entry in std::fs::read_dir(folder).map_err(of_io)? {
            let entry = entry.map_err(of_io)?;
            let (data, own) = (entry.metadata().map_err(of_io)?, entry.file_name().to_string_lossy().into_owned());
            let path = if name.is_empty() { own.clone() } else { format!("{name}/{own}") };
            let modified_ms = self.times.get(&path).copied().unwrap_or_default();
            entries.push(Entry { name: own, folder: data.is_dir(), size: data.len() as f64, modified_ms });
        }
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(EffectValue::Entries(entries))
    }
}

fn part(path: &Path, read: &ReadFile) -> Result<EffectValue, Fault> {
    let bytes = std::fs::read(path).map_err(of_io)?;
    Ok(EffectValue::Bytes(cut(&bytes, read)))
}

/// A part of these bytes, as the host gives it.
pub fn cut(bytes: &[u8], read: &ReadFile) -> FilePart {
    let size = bytes.len() as f64;
    let from = if read.offset < 0.0 { (size + read.offset).max(0.0) } else { read.offset.min(size) } as usize;
    let to = (from + read.length as usize).min(bytes.len());
    FilePart { data: bytes[from..to].to_vec(), size }
}

fn of_io(error: std::io::Error) -> Fault {
    let kind = match error.kind() {
        std::io::ErrorKind::NotFound => FaultKind::NotFound,
        _ => FaultKind::Denied,
    };
    Fault::new(kind, error.to_string())
}
