//! Why something of a file could not be given.

use jackfield_core::contract::FaultKind;
use rustix::io::Errno;

/// Why something of a file could not be given.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("{path:?} is no path beneath its root: no '..', nothing absolute, no link that leads out")]
    Outside { path: String },
    #[error("there is no {path:?} in this root")]
    NotFound { path: String },
    #[error("the folder of this root is not there: {path}")]
    NoRoot { path: String },
    #[error("{path:?} is no file with contents: a folder, a pipe, a device")]
    NotAFile { path: String },
    #[error("{path:?} is no folder")]
    NotAFolder { path: String },
    #[error("{path:?} can't be read by this user")]
    Forbidden { path: String },
    #[error("a read begins at a whole byte of the file, not at {offset}")]
    BadOffset { offset: f64 },
    #[error("{what} come to more than {limit} (limit {name}); ask for less at once")]
    TooMuch { what: &'static str, limit: u64, name: &'static str },
    #[error("{path:?} is no SQLite file")]
    NotSqlite { path: String },
    #[error("the query is not understood: {problem}")]
    BadQuery { problem: String },
    #[error("a query reads tables by one SELECT, and {what} is none of that")]
    QueryDenied { what: String },
    #[error("the query took more than {limit} (limit {name}); ask for less at once")]
    QueryTooLong { limit: u64, name: &'static str },
    #[error("{path:?} is being changed; try again")]
    Busy { path: String },
    #[error("{path:?} can't be read: {problem}")]
    Failed { path: String, problem: String },
}

impl FileError {
    /// Stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Outside { .. } => "outside-root",
            Self::NotFound { .. } => "no-such-file",
            Self::NoRoot { .. } => "root-not-there",
            Self::NotAFile { .. } => "not-a-file",
            Self::NotAFolder { .. } => "not-a-folder",
            Self::Forbidden { .. } => "file-forbidden",
            Self::BadOffset { .. } => "bad-offset",
            Self::TooMuch { .. } => "too-much",
            Self::NotSqlite { .. } => "not-sqlite",
            Self::BadQuery { .. } => "bad-query",
            Self::QueryDenied { .. } => "query-denied",
            Self::QueryTooLong { .. } => "query-too-long",
            Self::Busy { .. } => "file-busy",
            Self::Failed { .. } => "file-failed",
        }
    }

    pub(crate) fn kind(&self) -> FaultKind {
        match self {
            Self::Outside { .. } | Self::Forbidden { .. } | Self::QueryDenied { .. } | Self::TooMuch { .. } => {
                FaultKind::Denied
            }
            Self::NotFound { .. } | Self::NoRoot { .. } => FaultKind::NotFound,
            Self::NotAFile { .. }
            | Self::NotAFolder { .. }
            | Self::BadOffset { .. }
            | Self::NotSqlite { .. }
            | Self::BadQuery { .. } => FaultKind::Invalid,
            Self::QueryTooLong { .. } => FaultKind::Timeout,
            Self::Busy { .. } => FaultKind::Conflict,
            Self::Failed { .. } => FaultKind::Unknown,
        }
    }

    /// True for what no plugin may ask: audited and told as refused. All else is only not to be had.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Outside { .. } | Self::QueryDenied { .. })
    }

    pub(super) fn of(errno: Errno, path: &str) -> FileError {
        let path = path.to_owned();
        match errno {
            Errno::NOENT => Self::NotFound { path },
            Errno::XDEV | Errno::LOOP => Self::Outside { path },
            Errno::ACCESS | Errno::PERM => Self::Forbidden { path },
            Errno::NOTDIR => Self::NotAFolder { path },
            Errno::AGAIN => Self::Busy { path },
            Errno::NAMETOOLONG => Self::NotFound { path },
            other => Self::Failed { path, problem: other.to_string() },
        }
    }

    pub(super) fn io(error: &std::io::Error, path: &str) -> FileError {
        match Errno::from_io_error(error) {
            Some(errno) => Self::of(errno, path),
            None => Self::Failed { path: path.to_owned(), problem: error.to_string() },
        }
    }
}
