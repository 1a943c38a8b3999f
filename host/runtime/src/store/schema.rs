//! The file: how it is opened, what is in it, and how an older one is brought up to date. Forward only.

use super::error::StoreError;
use jackfield_core::limits::Limits;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The schema this program writes.
pub const SCHEMA: i64 = MIGRATIONS.len() as i64;

/// What a schema's file becomes the next one by. Published steps are never changed; a new one is added at the end.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE threads (
        id TEXT PRIMARY KEY, provider TEXT NOT NULL, plugin TEXT NOT NULL, digest TEXT NOT NULL, folder TEXT NOT NULL,
        title TEXT, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, native_id TEXT, cursor TEXT,
        last_seq INTEGER NOT NULL DEFAULT 0, reserved_seq INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    -- A row holds the events from_seq..=seq: one, or merged deltas, whose seams are in parts.
    CREATE TABLE events (
        thread TEXT NOT NULL, seq INTEGER NOT NULL, from_seq INTEGER NOT NULL, at_ms INTEGER NOT NULL,
        json TEXT NOT NULL, parts TEXT, PRIMARY KEY (thread, seq)
    ) STRICT;
    CREATE TABLE sessions (
        id TEXT NOT NULL, epoch INTEGER NOT NULL, thread TEXT NOT NULL, plugin TEXT NOT NULL, digest TEXT NOT NULL,
        capabilities TEXT NOT NULL, started_ms INTEGER NOT NULL, ended_ms INTEGER, end_reason TEXT, PRIMARY KEY (id, epoch)
    ) STRICT;
    CREATE INDEX sessions_of_thread ON sessions (thread, epoch);
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, thread TEXT NOT NULL, ordinal INTEGER NOT NULL, status TEXT NOT NULL, prompt TEXT NOT NULL,
        selection TEXT NOT NULL, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, UNIQUE (thread, ordinal)
    ) STRICT;
    CREATE TABLE requests (
        id TEXT PRIMARY KEY, thread TEXT NOT NULL, run TEXT, json TEXT NOT NULL, state TEXT NOT NULL, resolution TEXT,
        opened_ms INTEGER NOT NULL, resolved_ms INTEGER
    ) STRICT;
    CREATE INDEX requests_of_thread ON requests (thread, state);
    CREATE TABLE grants (
        id INTEGER PRIMARY KEY, plugin TEXT NOT NULL, digest TEXT NOT NULL, what TEXT NOT NULL, json TEXT NOT NULL,
        granted_ms INTEGER NOT NULL, UNIQUE (plugin, digest, what)
    ) STRICT;
", "
    CREATE TABLE setups (thread TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT;
", "
    -- Where a run that waits stands among the others; by its number where nobody moved it.
    ALTER TABLE runs ADD COLUMN place INTEGER;
", "
    -- Threads of subagents, as the provider announced them: what each can be resumed by.
    CREATE TABLE children (
        thread TEXT NOT NULL, native_id TEXT NOT NULL, cursor TEXT, title TEXT, PRIMARY KEY (thread, native_id)
    ) STRICT;
    -- The provider's own id of a request: by it one that survived a restart is known again.
    ALTER TABLE requests ADD COLUMN native_id TEXT;
", "
    CREATE TABLE demotions (
        plugin TEXT NOT NULL, digest TEXT NOT NULL, version TEXT NOT NULL, flag TEXT NOT NULL, value TEXT NOT NULL,
        because TEXT NOT NULL, at_ms INTEGER NOT NULL, seen INTEGER NOT NULL, needed INTEGER NOT NULL,
        PRIMARY KEY (digest, version, flag)
    ) STRICT;
    -- Where a provider was allowed something for good: a digest of the folder, which is only compared.
    CREATE TABLE allowances (plugin TEXT NOT NULL, folder TEXT NOT NULL, PRIMARY KEY (plugin, folder)) STRICT;
"];

/// `JFLD`: what tells our file from another program's.
const APPLICATION_ID: i64 = 0x4a46_4c44;

/// Where the store is, and how its errors are told.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) file: PathBuf,
    busy_ms: u64,
}

impl Place {
    pub(super) fn new(file: PathBuf, busy_ms: u64) -> Self {
        Self { file, busy_ms }
    }

    fn folder(&self) -> &Path {
        self.file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// SQLite's error as ours.
    pub(super) fn error(&self, error: rusqlite::Error) -> StoreError {
        let (path, reason) = (self.file.clone(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            Some(ErrorCode::SystemIoFailure) if self.is_full() => StoreError::Full { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Busy { path, busy_ms: self.busy_ms }
            }
            Some(ErrorCode::NotADatabase) => StoreError::NotAStore { path },
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, reason },
            Some(ErrorCode::CannotOpen) if self.is_full() => StoreError::Full { path },
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                StoreError::Unusable { path, reason }
            }
            _ => StoreError::Io { path, reason },
        }
    }

    /// Some of SQLite's errors do not tell a full disk from a broken one.
    fn is_full(&self) -> bool {
        rustix::fs::statvfs(self.folder()).is_ok_and(|disk| disk.f_bavail == 0)
    }
}

/// Makes the data folder, for its owner only. One that is there is left as it is: it may be shared on purpose.
pub(super) fn make_folder(place: &Place) -> Result<(), StoreError> {
    let folder = place.folder();
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| file_error(place, folder, &error))
}

/// Opens the file for writing, makes it if it is not there, checks that it is ours, brings it up to date.
pub(super) fn open(place: &Place, limits: &Limits) -> Result<Connection, StoreError> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&place.file);
    file.map_err(|error| file_error(place, &place.file, &error))?;
    let mut db = connect(place)?;
    // Before anything is written: another's file must stay as it is.
    check_ours(&db, place)?;
    let settings = format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = {};",
        limits.store_queue_bytes
    );
    db.execute_batch(&settings).map_err(|error| place.error(error))?;
    migrate(&mut db, place)?;
    Ok(db)
}

/// One more connection to a file that `open` has checked.
pub(super) fn connect(place: &Place) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(&place.file, flags).map_err(|error| place.error(error))?;
    db.busy_timeout(Duration::from_millis(place.busy_ms)).map_err(|error| place.error(error))?;
    Ok(db)
}

fn check_ours(db: &Connection, place: &Place) -> Result<i64, StoreError> {
    let number = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(|error| place.error(error));
    let (schema, application, tables) = (
        number("PRAGMA user_version")?,
        number("PRAGMA application_id")?,
        number("SELECT count(*) FROM sqlite_schema")?,
    );
    let path = place.file.clone();
    match (schema, application, tables) {
        (0, 0, 0) => Ok(0),
        (1.., APPLICATION_ID, _) if schema <= SCHEMA => Ok(schema),
        (_, APPLICATION_ID, _) if schema > SCHEMA => Err(StoreError::Newer { path, found: schema, ours: SCHEMA }),
        _ => Err(StoreError::NotAStore { path }),
    }
}

/// All missing steps in one transaction: it is at the old schema or at ours, never between.
fn migrate(db: &mut Connection, place: &Place) -> Result<(), StoreError> {
    let migrate = |db: &mut Connection| -> Result<(), rusqlite::Error> {
        let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Asked again under the lock: another process may have done it meanwhile.
        let schema: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if schema < SCHEMA {
            for step in &MIGRATIONS[schema as usize..] {
                transaction.execute_batch(step)?;
            }
            transaction
                .execute_batch(&format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA};"))?;
        }
        transaction.commit()
    };
    migrate(db).map_err(|error| place.error(error))
}

fn file_error(place: &Place, path: &Path, error: &std::io::Error) -> StoreError {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            StoreError::Full { path: place.file.clone() }
        }
        _ => StoreError::Unusable { path: path.to_owned(), reason: error.to_string() },
    }
}
