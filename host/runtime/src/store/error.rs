//! What can go wrong with the store, typed; each message names the file and the way out.

use jackfield_core::id::ThreadId;
use std::path::PathBuf;

/// The store refuses or has failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The file was written by a newer Jackfield.
    #[error(
        "`{path}` has schema {found}, this Jackfield knows schemas up to {ours}: use the newer Jackfield, or another data folder"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// Ours.
        ours: i64,
    },
    /// The file is not ours.
    #[error("`{path}` is not a store of Jackfield; it was left as it is: move it away, or use another data folder")]
    NotAStore {
        /// The file.
        path: PathBuf,
    },
    /// The folder or the file cannot be used.
    #[error("`{path}` cannot be used: {reason}; make it writable for you, or use another data folder")]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The disk is full.
    #[error("there is no room left for `{path}`: free some and start again; what was acknowledged is kept")]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// Another process holds the store.
    #[error("`{path}` was busy for {busy_ms} ms: another process is writing to it; try again, or end that process")]
    Busy {
        /// The file.
        path: PathBuf,
        /// How long we waited.
        busy_ms: u64,
    },
    /// The file is damaged.
    #[error("`{path}` is damaged ({reason}): move it away and start anew, or repair it with `sqlite3 {path} .recover`")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// SQLite's words.
        reason: String,
    },
    /// Another failure of the system.
    #[error("`{path}` could not be read or written: {reason}; check the disk, then start again")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// Something is stored that this Jackfield does not understand.
    #[error("{what} in the store cannot be read: {reason}; a newer Jackfield may have written it")]
    Unreadable {
        /// What.
        what: String,
        /// Why.
        reason: String,
    },
    /// There is no such thing.
    #[error("there is no {what} in the store")]
    NotFound {
        /// What.
        what: String,
    },
    /// There is such a thing already; it was not changed.
    #[error("{what} is in the store already")]
    Exists {
        /// What.
        what: String,
    },
    /// A sequence number was used already; the event was not stored.
    #[error(
        "number {seq} of {thread} is used already: its lease is not held, or the number did not come from its sequence"
    )]
    SeqUsed {
        /// The thread.
        thread: ThreadId,
        /// The number.
        seq: u64,
    },
    /// The store's thread has ended.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Newer { .. } => "store-newer",
            Self::NotAStore { .. } => "store-foreign",
            Self::Unusable { .. } => "store-unusable",
            Self::Full { .. } => "store-full",
            Self::Busy { .. } => "store-busy",
            Self::Damaged { .. } => "store-damaged",
            Self::Io { .. } => "store-io",
            Self::Unreadable { .. } => "store-unreadable",
            Self::NotFound { .. } => "not-stored",
            Self::Exists { .. } => "already-stored",
            Self::SeqUsed { .. } => "seq-used",
            Self::Closed => "store-closed",
        }
    }

    /// True when the file itself cannot be written: nothing that follows would be, either.
    pub(super) fn is_of_the_file(&self) -> bool {
        matches!(
            self,
            Self::Full { .. } | Self::Damaged { .. } | Self::Io { .. } | Self::Unusable { .. } | Self::NotAStore { .. }
        )
    }
}
