//! Between rows and types: JSON columns, one-word columns, numbers.

use super::error::StoreError;
use super::schema::Place;
use rusqlite::types::FromSql;
use rusqlite::{Connection, ErrorCode, Params, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value as JSON text.
pub(super) fn json<T: Serialize>(what: &str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| unreadable(what, &error))
}

/// JSON text as a value.
pub(super) fn from_json<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| unreadable(what, &error))
}

/// A unit variant as its word.
pub(super) fn word<T: Serialize>(what: &str, value: &T) -> Result<String, StoreError> {
    Ok(json(what, value)?.trim_matches('"').to_owned())
}

fn unreadable(what: &str, error: &serde_json::Error) -> StoreError {
    StoreError::Unreadable { what: what.to_owned(), reason: error.to_string() }
}

/// A row, whose errors are the store's.
pub(super) struct Columns<'a> {
    row: &'a Row<'a>,
    place: &'a Place,
}

impl Columns<'_> {
    pub(super) fn get<T: FromSql>(&self, column: &str) -> Result<T, StoreError> {
        self.row.get(column).map_err(|error| self.place.error(error))
    }

    /// A number that is never negative: milliseconds, sequence numbers.
    pub(super) fn number(&self, column: &str) -> Result<u64, StoreError> {
        Ok(self.get::<i64>(column)?.max(0) as u64)
    }

    pub(super) fn id<T>(&self, column: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, StoreError> {
        let text: String = self.get(column)?;
        parse(&text)
            .ok_or_else(|| StoreError::Unreadable { what: column.to_owned(), reason: format!("`{text}` is no id") })
    }

    pub(super) fn word<T: DeserializeOwned>(&self, column: &str) -> Result<T, StoreError> {
        from_json(column, &format!("\"{}\"", self.get::<String>(column)?))
    }

    pub(super) fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T, StoreError> {
        from_json(column, &self.get::<String>(column)?)
    }
}

/// All rows of a question, as records.
pub(super) fn all<T>(
    db: &Connection,
    place: &Place,
    sql: &str,
    values: impl Params,
    record: impl Fn(&Columns<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let map = |error| place.error(error);
    let mut statement = db.prepare(sql).map_err(map)?;
    let mut rows = statement.query(values).map_err(map)?;
    let mut records = Vec::new();
    while let Some(row) = rows.next().map_err(map)? {
        records.push(record(&Columns { row, place })?);
    }
    Ok(records)
}

/// Adds a row that must not be there yet.
pub(super) fn insert(
    db: &Connection,
    place: &Place,
    sql: &str,
    values: impl Params,
    what: &str,
) -> Result<(), StoreError> {
    db.execute(sql, values).map(drop).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Exists { what: what.to_owned() },
        _ => place.error(error),
    })
}

/// A change that must have met a row.
pub(super) fn found(changed: Result<usize, rusqlite::Error>, place: &Place, what: &str) -> Result<(), StoreError> {
    match changed.map_err(|error| place.error(error))? {
        0 => Err(StoreError::NotFound { what: what.to_owned() }),
        _ => Ok(()),
    }
}
