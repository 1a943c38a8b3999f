//! One writer per thread: a lock on a file, which the system frees when its holder ends, however it ends.
//!
//! It guards against a second process (and a second session in this one); it decides nothing else. Tests: below, and
//! `tests/store_crash.rs` for the death of a holder.

use jackfield_core::id::ThreadId;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The right to write to a thread; given back when dropped.
#[derive(Debug)]
pub struct Lease {
    file: File,
    path: PathBuf,
}

/// A lease could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Somebody else works on the thread.
    #[error("{thread} is in use{}: end that one first, or begin another thread", pid.map(|pid| format!(" by process {pid}")).unwrap_or_default())]
    ThreadBusy {
        /// The thread.
        thread: ThreadId,
        /// The process that holds it, as far as it is known.
        pid: Option<u32>,
    },
    /// The lock file cannot be used.
    #[error("`{path}` cannot be locked: {source}; make the data folder writable for you, or use another one")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl LeaseError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ThreadBusy { .. } => "thread-busy",
            Self::Unusable { .. } => "lease-unusable",
        }
    }
}

impl Lease {
    /// Takes the lease of a thread, in this data folder; never waits.
    pub fn take(data: &Path, thread: &ThreadId) -> Result<Self, LeaseError> {
        let folder = data.join("locks");
        let path = folder.join(format!("{thread}.lock"));
        let unusable = |source| LeaseError::Unusable { path: path.clone(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(unusable)?;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LeaseError::ThreadBusy { thread: thread.clone(), pid: holder(&file) });
            }
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        // Only for whoever is refused; the lock holds without it, on a full disk, too.
        let _ = file.set_len(0).and_then(|()| (&file).write_all(std::process::id().to_string().as_bytes()));
        Ok(Self { file, path })
    }
}

impl Lease {
    /// Gives the lease back for good: its thread is gone. Whoever opened the file before finds no thread.
    pub fn retire(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // The file stays: removing it would let two processes lock two files of one name.
        let _ = self.file.set_len(0);
        // Closing alone is not enough: a child that is just being started holds the same open file until its exec.
        let _ = self.file.unlock();
    }
}

fn holder(mut file: &File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_one_writer() {
        let data = tempfile::tempdir().unwrap();
        let (one, other) = (ThreadId::from_digits("1"), ThreadId::from_digits("2"));
        let lease = Lease::take(data.path(), &one).unwrap();
        let _free = Lease::take(data.path(), &other).unwrap();
        let refused = Lease::take(data.path(), &one).unwrap_err();
        assert_eq!(refused.code(), "thread-busy");
        assert_eq!(
            refused.to_string(),
            format!("thr_1 is in use by process {}: end that one first, or begin another thread", std::process::id())
        );
        drop(lease);
        Lease::take(data.path(), &one).unwrap();
    }

    #[test]
    fn an_unusable_folder_is_named() {
        let refused = Lease::take(Path::new("/dev/null"), &ThreadId::from_digits("1")).unwrap_err();
        assert_eq!(refused.code(), "lease-unusable");
        assert!(refused.to_string().contains("/dev/null/locks/thr_1.lock"), "{refused}");
    }
}
