//! Rows of a SQLite file that another program works on. **It is only ever read**: opened read-only and without following a link, with an
//! authorizer that lets nothing pass but reading tables by plain functions, nothing attached, SQLite's defensive mode, and bounds on
//! steps, rows and bytes. No file is made beside it.
//!
//! A file in WAL mode is read as it stands: with the index that its program keeps; as one whole file where its log is empty; from a
//! private copy where the program left a log behind.

use super::reach::{LOOK, is_file, open_in, real_path};
use super::{Beneath, FileError, relative};
use jackfield_core::limits::Limits;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::{fstat, stat};
use serde_json::Value;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What every SQLite file begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Steps between two looks at the bounds.
const STRIDE: u64 = 1_000;

/// Functions that a query may call: they give no more than they are given, and touch nothing.
const FUNCTIONS: &[&str] = &[
    "->",
    "->>",
    "abs",
    "avg",
    "coalesce",
    "count",
    "date",
    "datetime",
    "glob",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array_length",
    "json_extract",
    "json_type",
    "json_valid",
    "julianday",
    "length",
    "like",
    "lower",
    "ltrim",
    "max",
    "min",
    "nullif",
    "rank",
    "round",
    "row_number",
    "rtrim",
    "strftime",
    "substr",
    "substring",
    "sum",
    "time",
    "total",
    "trim",
    "typeof",
    "unicode",
    "unixepoch",
    "upper",
];

/// What is asked of a file.
pub(crate) struct Query<'a> {
    /// The file, beneath its root.
    pub(crate) path: &'a str,
    /// One SELECT.
    pub(crate) sql: &'a str,
    /// Values for its parameters.
    pub(crate) params: &'a [String],
}

/// How a file is opened so that it can be read without a trace.
enum Way {
    /// As any reader.
    Plain,
    /// In WAL mode, with nothing in its log.
    Immutable,
    /// In WAL mode, with the index that its program keeps.
    WithIndex,
    /// In WAL mode, with a log and no index.
    Copy,
}

/// Carries a query out; each row is a JSON array as text.
pub(crate) fn query(
    root: &Beneath,
    asked: &Query<'_>,
    scratch: &Path,
    limits: &Limits,
) -> Result<Vec<String>, FileError> {
    let (file, _) = root.file(asked.path)?;
    match way_of(root, asked.path, &file)? {
        // Its program may have left both behind.
        Way::WithIndex => match query_by(Way::WithIndex, root, asked, scratch, limits) {
            Err(FileError::Failed { .. }) => query_by(Way::Copy, root, asked, scratch, limits),
            told => told,
        },
        way => query_by(way, root, asked, scratch, limits),
    }
}

fn query_by(
    way: Way,
    root: &Beneath,
    asked: &Query<'_>,
    scratch: &Path,
    limits: &Limits,
) -> Result<Vec<String>, FileError> {
    let path = asked.path;
    let (file, stat_before) = root.file(path)?;
    let failed = |error: &std::io::Error| FileError::io(error, path);
    let copy;
    let (place, arguments) = match way {
        Way::Copy => {
            copy = copied(root, path, &file, scratch, limits)?;
            (copy.path().canonicalize().map_err(|error| failed(&error))?.join("copy"), "mode=ro")
        }
        Way::Plain => (place_of(root, path)?, "mode=ro"),
        Way::Immutable => (place_of(root, path)?, "mode=ro&immutable=1"),
        Way::WithIndex => (place_of(root, path)?, "mode=ro&readonly_shm=1"),
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut db = Connection::open_with_flags(uri(&place, arguments), flags).map_err(|error| of(error, path, limits))?;
    if !matches!(way, Way::Copy) {
        // SQLite opens by name: it must still be the file that was checked.
        let now = stat(&place).map_err(|errno| FileError::of(errno, path))?;
        if (now.st_dev, now.st_ino) != (stat_before.st_dev, stat_before.st_ino) {
            return Err(FileError::Busy { path: path.to_owned() });
        }
    }
    let bounds = fence(&mut db, limits).map_err(|error| of(error, path, limits))?;
    let rows = rows(&db, asked, limits);
    match bounds.load(Ordering::Relaxed) {
        0 => rows,
        _ if rows.is_ok() => rows,
        STEPS => Err(FileError::QueryTooLong { limit: limits.query_steps, name: "query_steps" }),
        _ => Err(FileError::QueryTooLong { limit: limits.file_ms, name: "file_ms" }),
    }
}

const STEPS: u64 = 1;
const TIME: u64 = 2;

/// All that holds a query; which bound it ran into, if any.
fn fence(db: &mut Connection, limits: &Limits) -> rusqlite::Result<Arc<AtomicU64>> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    let longest = i32::try_from(limits.query_bytes).unwrap_or(i32::MAX);
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        (Limit::SQLITE_LIMIT_LENGTH, longest),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 64 * 1024),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 16),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
    ] {
        db.set_limit(limit, most)?;
    }
    db.busy_timeout(Duration::from_millis(limits.file_ms / 4))?;
    db.authorizer(Some(|context: AuthContext<'_>| judge(&context.action)))?;
    let reached = Arc::new(AtomicU64::new(0));
    let (told, deadline) = (reached.clone(), Instant::now() + Duration::from_millis(limits.file_ms));
    let mut left = limits.query_steps;
    let stop = move || {
        left = left.saturating_sub(STRIDE);
        let bound = if left == 0 {
            STEPS
        } else if Instant::now() > deadline {
            TIME
        } else {
            0
        };
        told.fetch_max(bound, Ordering::Relaxed);
        bound != 0
    };
    db.progress_handler(STRIDE as i32, Some(stop))?;
    Ok(reached)
}

fn judge(action: &AuthAction<'_>) -> Authorization {
    let passes = match action {
        AuthAction::Select | AuthAction::Read { .. } => true,
        AuthAction::Function { function_name } => {
            FUNCTIONS.iter().any(|known| known.eq_ignore_ascii_case(function_name))
        }
        _ => false,
    };
    if passes { Authorization::Allow } else { Authorization::Deny }
}

fn rows(db: &Connection, asked: &Query<'_>, limits: &Limits) -> Result<Vec<String>, FileError> {
    let failed = |error| of(error, asked.path, limits);
    let mut statement = db.prepare(asked.sql).map_err(failed)?;
    let columns = statement.column_count();
    if !statement.readonly() || columns == 0 {
        return Err(FileError::QueryDenied { what: "this".into() });
    }
    let params = rusqlite::params_from_iter(asked.params);
    let mut cursor = statement.query(params).map_err(failed)?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = cursor.next().map_err(failed)? {
        let values = (0..columns).map(|at| row.get_ref(at).map(json)).collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let text = Value::Array(values).to_string();
        bytes += text.len() as u64;
        if rows.len() as u64 >= limits.query_rows {
            return Err(FileError::TooMuch { what: "the rows", limit: limits.query_rows, name: "query_rows" });
        }
        if bytes > limits.query_bytes {
            return Err(FileError::TooMuch {
                what: "the bytes of the rows",
                limit: limits.query_bytes,
                name: "query_bytes",
            });
        }
        rows.push(text);
    }
    Ok(rows)
}

/// A value of a row. Bytes are told by their number: a query that wants them asks for `hex(column)`.
fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(bytes) => serde_json::json!({ "bytes": bytes.len() }),
    }
}

fn way_of(root: &Beneath, path: &str, file: &File) -> Result<Way, FileError> {
    let mut head = [0; 20];
    match file.read_exact_at(&mut head, 0) {
        Ok(()) if head.starts_with(MAGIC) => {}
        Ok(()) => return Err(FileError::NotSqlite { path: path.to_owned() }),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            return Err(FileError::NotSqlite { path: path.to_owned() });
        }
        Err(error) => return Err(FileError::io(&error, path)),
    }
    let beside = |suffix: &str| {
        let open = open_in(&root.folder, &format!("{path}{suffix}"), LOOK).ok()?;
        fstat(&open).ok().filter(is_file).map(|stat| stat.st_size > 0)
    };
    Ok(match (head[18] == 2 || head[19] == 2, beside("-wal"), beside("-shm")) {
        (false, ..) => Way::Plain,
        (true, None | Some(false), _) => Way::Immutable,
        (true, Some(true), Some(true)) => Way::WithIndex,
        (true, Some(true), _) => Way::Copy,
    })
}

/// The file's real path, by what is open and not by what its name says.
fn place_of(root: &Beneath, path: &str) -> Result<PathBuf, FileError> {
    let open = open_in(&root.folder, relative(path)?, LOOK).map_err(|errno| FileError::of(errno, path))?;
    real_path(&open, &root.path.join(path)).map_err(|error| FileError::io(&error, path))
}

/// The file and its log, in a folder of their own that is gone with what is returned.
fn copied(
    root: &Beneath,
    path: &str,
    file: &File,
    scratch: &Path,
    limits: &Limits,
) -> Result<tempfile::TempDir, FileError> {
    let failed = |error: std::io::Error| FileError::io(&error, path);
    let (log, log_stat) = root.file(&format!("{path}-wal"))?;
    let size = file.metadata().map_err(failed)?.len() + log_stat.st_size as u64;
    if size > limits.query_copy_bytes {
        return Err(FileError::TooMuch {
            what: "the bytes of the file and its log",
            limit: limits.query_copy_bytes,
            name: "query_copy_bytes",
        });
    }
    let folder = tempfile::tempdir_in(scratch).map_err(failed)?;
    for (from, name) in [(file, "copy"), (&log, "copy-wal")] {
        let mut from = from.try_clone().map_err(failed)?;
        std::io::Seek::rewind(&mut from).map_err(failed)?;
        // It may grow while it is copied.
        let mut from = std::io::Read::take(from, limits.query_copy_bytes);
        let mut to = File::create_new(folder.path().join(name)).map_err(failed)?;
        std::io::copy(&mut from, &mut to).map_err(failed)?;
    }
    Ok(folder)
}

/// The place as a URI of SQLite's, which takes `?`, `#` and `%` for its own.
fn uri(place: &Path, arguments: &str) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut uri = String::from("file:");
    for byte in place.as_os_str().as_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => uri.push(*byte as char),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    format!("{uri}?{arguments}")
}

fn of(error: rusqlite::Error, path: &str, limits: &Limits) -> FileError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => FileError::NotSqlite { path },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => FileError::Busy { path },
        Some(ErrorCode::AuthorizationForStatementDenied) => FileError::QueryDenied { what: error.to_string() },
        Some(ErrorCode::TooBig) => {
            FileError::TooMuch { what: "the bytes of a value", limit: limits.query_bytes, name: "query_bytes" }
        }
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::DatabaseCorrupt | ErrorCode::SystemIoFailure) => {
            FileError::Failed { path, problem: error.to_string() }
        }
        // A function that was refused is a plain error, known by its words alone.
        _ if error.to_string().contains("not authorized") => FileError::QueryDenied { what: error.to_string() },
        _ if matches!(error, rusqlite::Error::MultipleStatement) => {
            FileError::QueryDenied { what: "a second statement".into() }
        }
        _ => FileError::BadQuery { problem: error.to_string() },
    }
}
